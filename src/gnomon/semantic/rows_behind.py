"""How many rows and persons stand behind each figure of a tree: the same tree, with counts beside what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gnomon.core import algebra as al
from gnomon.core.errors import OutOfScope
from gnomon.semantic.computing import name_of
from gnomon.semantic.lowered_rows import own_columns
from gnomon.semantic.nodes import every, of_result
from gnomon.semantic.provenance import COUNTED, outputs, queries_of

_OF_ONE = frozenset(
    {
        al.How.LEAST, al.How.MOST, al.How.MEDIAN, al.How.QUANTILE, al.How.MODE, al.How.RANGE, al.How.AT_MOST,
        al.How.AT_LEAST,
    }
)  # fmt: skip
_BY_ITSELF = frozenset(
    {
        al.Glance.PLACE, al.Glance.RANK, al.Glance.DENSE_RANK, al.Glance.PORTION, al.Glance.BEFORE, al.Glance.AFTER,
    }
)  # fmt: skip
WhoseRows = Callable[[al.Query], Sequence[al.Column]]


@dataclass(frozen=True)
class Counting:
    """A query with counts beside what it shows.

    Args:
        query: The query.
        whose: The columns of its result that say whose each row is; only of rows, not of groups.
        rows: The columns that count the rows behind each of its rows.
        persons: The columns that count the persons behind each.
        listed: Whether each of its rows is one row of a table.
    """

    query: al.Query
    whose: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    listed: bool = False

    @property
    def counts(self) -> tuple[str, ...]:
        """All columns that count."""
        return (*self.rows, *self.persons)


def counting(ask: al.Ask, whose: WhoseRows) -> list[Counting]:
    """What counts the rows and persons behind all that a tree tells: its results, figures over groups, and figures of
    other rows that it sets them against.

    Rows that are listed are counted by what is shown of them; one that has no counts lists rows that are singled out.

    Args:
        ask: The tree.
        whose: The columns that tell persons apart in the rows of a table that a query is about.
    """
    counter, found = _Counter(whose), list[Counting]()
    apart = [w.query.model_copy(update={"keys": _keys(w.within)}) if w.within else w.query
             for w in ask.walk() if isinstance(w, al.Whole) and w.query.rows != al.Rows()]  # fmt: skip
    for query in [*queries_of(ask), *apart, *_over_groups(ask)]:
        one = counter.counted(query)
        if not one.listed:
            found.append(one)
            continue
        groups = row_level(query)
        found.append(
            Counting(query, listed=True) if groups is None else replace(counter.counted(groups), listed=True)
        )
        found += [replace(one, listed=False)] if one.counts else []
    return found


def _keys(values: Sequence[al.Expression]) -> tuple[al.Key, ...]:
    return tuple(al.Key(of=v, name=f"_w{i}") for i, v in enumerate(values))


def _over_groups(ask: al.Ask) -> Iterator[al.Query]:
    """Figures over groups, as figures of the result by these groups."""
    for query in (n for n in ask.walk() if isinstance(n, al.Query)):
        for over in (o for m in query.measures for o in m.walk() if isinstance(o, al.Over)):
            keys = tuple(k.model_copy(update={"name": k.name or name_of(k)}) for k in query.keys)
            per = tuple(k.model_copy(update={"name": f"_p{i}"}) for i, k in enumerate(over.per))
            inner = al.Query(
                rows=query.rows, keys=(*keys, *per), having=over.having,
                measures=(al.Shown(measure=over.measure, name="_v"),),
            )  # fmt: skip
            figure = al.Aggregate(how=over.how, of=of_result("_v"), quantile=over.quantile)
            yield al.Query(
                rows=al.Rows(query=inner),
                keys=tuple(al.Key(of=of_result(k.name or ""), name=k.name) for k in keys),
                measures=(al.Shown(measure=figure, name="_f"),),
            )


class _Counter:
    def __init__(self, whose: WhoseRows) -> None:
        self._whose = whose
        self._named = 0

    def counted(self, query: al.Query) -> Counting:
        """A query with counts beside what it shows."""
        below, beside = self._below(query), [self.counted(b.query) for b in query.rows.beside]
        rows = query.rows
        if below:
            rows = rows.model_copy(
                update={"query": below[0].query, "also": tuple(c.query for c in below[1:])}
            )
        if beside:
            put = zip(rows.beside, beside, strict=True)
            rows = rows.model_copy(
                update={"beside": tuple(b.model_copy(update={"query": c.query}) for b, c in put)}
            )
        query = query.model_copy(update={"rows": rows})
        held = below[0] if below else Counting(query, listed=True)
        whose = [of_result(w) for w in held.whose] if below else list(self._whose(query))
        carried = [(of_result(c), c in held.persons) for c in held.counts]
        for other, counts in zip(rows.beside, beside, strict=True):
            carried += [
                (al.Column(table="", column=c, via=other.name), c in counts.persons) for c in counts.counts
            ]
        if query.keys or query.measures:
            return self._grouped(query, held.listed, whose, carried)
        if query.distinct:
            return self._grouped(_as_groups(query), held.listed, whose, carried)
        return self._listed(query, held.listed, whose, carried)

    def _below(self, query: al.Query) -> list[Counting]:
        """The results that rows are made of, all with as many counts."""
        if query.rows.query is None:
            return []
        below = [self.counted(q) for q in (query.rows.query, *query.rows.also)]
        if len({(len(c.whose), len(c.rows), len(c.persons), c.listed) for c in below}) > 1:
            raise OutOfScope("How many rows stand behind these results together cannot be told.")
        return below

    def _name(self) -> str:
        self._named += 1
        return f"_n{self._named}"

    def _grouped(
        self,
        query: al.Query,
        listed: bool,
        whose: Sequence[al.Column],
        carried: Sequence[tuple[al.Column, bool]],
    ) -> Counting:
        rows: dict[str, al.Aggregate] = {}
        persons: dict[str, al.Aggregate] = {}
        for how, of, where in _figures(query):
            there = al.Missing(of=of, hold=False) if of is not None else None
            both = every([t for t in (where, there) if t is not None])
            if listed:
                rows[self._name()] = al.Aggregate(how=al.How.COUNT, of=of, where=where)
            for who in whose:
                persons[self._name()] = al.Aggregate(how=al.How.DISTINCT, of=who, where=both)
            for column, counts_persons in carried:
                # The same person may stand behind several groups; one of them alone may be what is told.
                added = al.How.MOST if counts_persons else al.How.SUM
                way = al.How.LEAST if how in _OF_ONE else added
                into = persons if counts_persons else rows
                into[self._name()] = al.Aggregate(how=way, of=column, where=both)
        made = tuple(al.Shown(measure=m, name=n) for n, m in {**rows, **persons}.items())
        named = _all_named(query)
        # Where groups are those of persons, they are told apart by them above as well.
        keys = {k.name: k.of for k in named.keys}
        own = tuple(n for w in whose for n, of in keys.items() if n and al.same(of, w))
        return Counting(
            named.model_copy(update={"measures": (*named.measures, *made)}),
            whose=own,
            rows=tuple(rows),
            persons=() if own else tuple(persons),
        )

    def _listed(
        self,
        query: al.Query,
        listed: bool,
        whose: Sequence[al.Column],
        carried: Sequence[tuple[al.Column, bool]],
    ) -> Counting:
        named = _all_named(query)
        shown = {self._name(): w for w in whose}
        rows = {self._name(): c for c, counts_persons in carried if not counts_persons}
        persons = {self._name(): c for c, counts_persons in carried if counts_persons}
        around: dict[str, al.Expression] = {}
        for look in (n for k in query.show for n in k.walk() if isinstance(n, al.Windowed)):
            if look.glance not in _BY_ITSELF:
                around[self._name()] = look.model_copy(
                    update={"glance": al.Glance.COUNT, "of": look.of or al.Literally(value=1)}
                )
        made = tuple(al.Key(of=of, name=n) for n, of in {**shown, **rows, **persons, **around}.items())
        return Counting(
            named.model_copy(update={"show": (*named.show, *made)}),
            tuple(shown), (*rows, *around), tuple(persons), listed,
        )  # fmt: skip


def _as_groups(query: al.Query) -> al.Query:
    """Different values as groups."""
    return query.model_copy(update={"keys": query.show, "show": (), "distinct": False})


def _all_named(query: al.Query) -> al.Query:
    """A query whose columns have the names that they get anyway, so that more can stand beside them."""
    names = iter(outputs(query))
    return query.model_copy(
        update={
            part: tuple(s.model_copy(update={"name": next(names)}) for s in getattr(query, part))
            for part in (("keys", "measures") if query.keys or query.measures else ("show",))
        }
    )


def _figures(query: al.Query) -> list[tuple[al.How, al.Expression | None, al.Predicate | None]]:
    """Of which values of which rows figures are made, each once; all rows where there is none."""
    found: list[al.Aggregate] = [
        n for m in query.measures for n in _aggregates(m.measure)
    ] or [al.Aggregate(how=al.How.COUNT)]  # fmt: skip
    different: list[al.Aggregate] = []
    for one in found:
        # How many different values there are says nothing of how many rows are counted.
        plain = al.Aggregate(how=one.how if one.how in _OF_ONE else al.How.COUNT,
                             of=one.of if one.how not in COUNTED else None, where=one.where)  # fmt: skip
        if one.how in COUNTED and one.of is not None:
            plain = plain.model_copy(update={"of": one.of})
        if not any(al.same(plain, d) for d in different):
            different.append(plain)
    return [(d.how, d.of, d.where) for d in different]


def _aggregates(node: al.Node) -> Iterator[al.Aggregate]:
    if isinstance(node, al.Aggregate):
        yield node
    elif isinstance(node, (al.Arithmetic, al.InUnit)):
        for part in node.parts():
            yield from _aggregates(part)


def row_level(query: al.Query) -> al.Query | None:
    """Rows that are listed as groups of what is shown of them; None where only some of them are shown."""
    if query.limit is not None or query.offset or any(isinstance(n, al.Windowed) for n in query.walk()):
        return None
    keys = _all_named(query).show
    return al.Query(
        rows=query.rows, keys=keys, measures=(al.Shown(measure=al.Aggregate(how=al.How.COUNT), name="_n"),)
    )


def tables_used(query: al.Query) -> set[tuple[str, str | None]]:
    """The tables that a query reaches from its rows, and by which column."""
    return {(c.table, c.via) for c in own_columns(query) if c.table and c.table != query.rows.table}
