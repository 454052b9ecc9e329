"""What a language model proposes about tables, each thing held against their profile before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial

from gnomon.agents.describing import Proposal, SaidColumn, SaidMeaning, SaidState
from gnomon.agents.proposed_names import MOST_LETTERS, TurnedDown, counts_rows, free_name, own_name
from gnomon.agents.proposed_readings import Probe, column_probe, rows_probe
from gnomon.core.errors import GnomonError, NotFound
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.visible import visible
from gnomon.data import ColumnProfile, LoadedData, Role
from gnomon.planning.model_reader.card import Card
from gnomon.planning.reader import GrammarReader
from gnomon.semantic import (
    Additivity,
    Aggregation,
    Dimension,
    DimensionType,
    Metric,
    RetrievalQuery,
    Retriever,
    SemanticModel,
    TableMeaning,
)
from gnomon.semantic.labels import full_words, slug
from gnomon.semantic.model import plural, quoted, singular
from gnomon.semantic.money_units import is_money
from gnomon.semantic.units import unit_behind
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary

MOST_SYNONYMS = 4
SMALL = 20
_SHARES = ("%", "fraction")
_POWERS = str.maketrans("²³", "23")
_SUMS = (Aggregation.SUM, Aggregation.MEAN)


class Judge:
    """Hears proposals one after the other; each sees what was accepted before it.

    Args:
        loaded: The tables and their profile.
        model: What they mean so far; what holds is added to it.
        card: How the tables were shown.
        misread: What is turned down because it would be read as something else, with the reason.
    """

    def __init__(
        self, loaded: LoadedData, model: SemanticModel, card: Card, misread: Mapping[str, str] | None = None
    ) -> None:
        self._loaded = loaded
        self._card = card
        self._misread = misread or {}
        self._what = ""
        self._probes: list[tuple[str, Probe]] = []
        self.model = model
        self.proposals: list[Proposal] = []

    def hear(self, said: SaidMeaning) -> None:
        """Judge everything that was said."""
        for t in said.tables:
            name = _shown(t.table)
            for n, word in enumerate((t.row, *t.synonyms)):
                called = f"{'another word for ' if n else ''}a row of {name}"
                self._judge(f"“{_shown(word)}” is {called}", word, partial(self._row, t.table, word, n))
        for c in said.columns:
            name = f"{_shown(c.table)}.{_shown(c.column)}"
            for n, word in enumerate((c.label, *c.synonyms)):
                called = f"{'another word for' if n else 'the name of'} {name}"
                self._judge(f"“{_shown(word)}” is {called}", word, partial(self._named, c, word, n))
            self._judge(f"{name} is in “{_shown(c.unit)}”", c.unit, partial(self._unit, c))
            self._judge(f"{name} is {c.adds}", c.adds, partial(self._adds, c))
        for s in said.states:
            where = f"{_shown(s.table)}.{_shown(s.column)} {_told(s)}"
            self._judge(f"“{_shown(s.called)}” says that {where}", s.called, partial(self._state, s))

    def misread(self) -> dict[str, str]:
        """What was accepted and is not read as what it was accepted for, with the reason."""
        reader = GrammarReader(self.model, self._index)
        return {what: why for what, probe in self._probes if (why := probe.objection(reader)) is not None}

    def _judge(self, what: str, said: str, kept: Callable[[], str]) -> None:
        if not said:
            return
        before, self._what = self.model, what
        probes = len(self._probes)
        try:
            if what in self._misread:
                raise TurnedDown(self._misread[what])
            self.proposals.append(Proposal(what, True, kept()))
        except (TurnedDown, NotFound) as e:  # a dimension that people removed is not found
            self.model = before
            del self._probes[probes:]
            self.proposals.append(Proposal(what, False, str(e)))

    def _row(self, table: str, said: str, number: int) -> str:
        meaning = self.model.table(self._open(table))
        key = [self.model.dimension(f"{meaning.name}.{column}") for column in meaning.key]
        own = {meaning.name, *(str(d.home) for d in key if len(key) == 1)}
        word = singular(self._word(said, own, number, is_row=not number))
        if word in vocabulary().dealings and word not in full_words(singular(meaning.name)):
            sums = [
                m for m in self.model.metrics if m.table == meaning.name and m.aggregation is Aggregation.SUM
            ]
            if not sums:
                raise TurnedDown("such rows come to an amount, and the table has none")
        if len(key) > 1 and any(d.type is DimensionType.TIME for d in key):
            raise TurnedDown("a row is told by a moment too, so that one thing has several")
        before = (meaning.label,) if meaning.label != "row" else ()
        label = meaning.label if number else word
        self._replace(
            meaning, label=label, synonyms=_joined((word,), before, meaning.synonyms, without=label)
        )
        many = plural(word)
        self._probes.append((self._what, rows_probe(meaning.name, many)))
        for metric in [m for m in self.model.metrics if m.table == meaning.name and counts_rows(m)][:1]:
            label = metric.label if number else f"number of {many}"
            more = (many, f"count of {many}", f"{word} count")
            names = _joined(more, metric.synonyms, (metric.label,), without=label)
            self._replace(metric, label=label, synonyms=names)
        return f"nothing else in the tables is called so ({meaning.rows or 0:,} rows)"

    def _named(self, said: SaidColumn, given: str, number: int) -> str:
        held = self._held(said.table, said.column)
        own = {str(ref) for ref in held.locations}
        word = self._word(given, own, number)
        own_name(word, held.home.table, own, self.model)
        probe = column_probe(self.model.table(held.home.table), held, word)
        self._probes += [(self._what, probe)] if probe is not None else []
        label = held.label if number else word
        names = _joined((word,), held.synonyms, (held.label,), without=label)
        self._replace(held, label=label, synonyms=names)
        for metric in self._measures(held)[:1]:
            full = word if metric.aggregation is Aggregation.SUM else f"average {word}"
            label = metric.label if number else full
            names = _joined((word, full), metric.synonyms, (metric.label,), without=label)
            self._replace(metric, label=label, synonyms=names)
        return "no other column, metric or value is called so"

    def _unit(self, said: SaidColumn) -> str:
        held = self._held(said.table, said.column)
        profile = self._profile(held)
        given = " ".join(said.unit.split())
        plain = given.translate(_POWERS)
        unit = given if given in _SHARES or is_money(given) else unit_behind(plain)
        if unit is None:
            raise TurnedDown("no such unit is known")
        if held.type is not DimensionType.NUMBER:
            raise TurnedDown(f"the column holds no amounts ({held.type})")
        if held.unit is not None and held.unit != unit:
            raise TurnedDown(f"its unit is {held.unit}")
        if unit in _SHARES or profile.role is Role.PERCENT:
            self._share(held, profile, unit)
        self._replace(held, unit=unit)
        for metric in self._measures(held):
            self._replace(metric, unit=unit)
        return "the column holds numbers that can be in it, and nothing says otherwise"

    def _share(self, held: Dimension, profile: ColumnProfile, unit: str) -> None:
        """Whether numbers can be percents, or parts of one."""
        if unit not in _SHARES:
            raise TurnedDown("the column holds percentages")
        if any(m.aggregation is Aggregation.SUM for m in self._measures(held)):
            raise TurnedDown("its numbers are added, and shares never are")
        low, high = float(profile.minimum or 0), float(profile.maximum or 0)
        fits = low >= 0 and high <= 1
        if (unit == "fraction") != fits or max(abs(low), abs(high)) > 1_000:
            raise TurnedDown(f"its numbers {'lie' if fits else 'do not lie'} between 0 and 1")

    def _adds(self, said: SaidColumn) -> str:
        table, column = self._place(said.table, said.column)
        held = self.model.dimension(f"{table}.{column}")
        measures = self._measures(held)
        if not measures:
            raise TurnedDown(f"the column is no measure ({held.type})")
        how = Aggregation.SUM if said.adds == "added" else Aggregation.MEAN
        metric, role = measures[0], self._profile(held).role
        words = {*full_words(column), *full_words(held.label)}
        unit = metric.unit or ""
        if metric.aggregation is how:
            return "the profile says the same"
        if metric.additivity is Additivity.SEMI_ADDITIVE:
            raise TurnedDown("it is a level, which is added over things and averaged over time")
        if how is Aggregation.SUM and (unit in _SHARES or role is Role.PERCENT):
            raise TurnedDown("percentages and shares are never added")
        if how is Aggregation.SUM and (words & {*vocabulary().intensive, "per"} or {*unit} & {*"/°"}):
            raise TurnedDown("its name or its unit is that of a rate, and rates are never added")
        if how is Aggregation.MEAN and words & vocabulary().flows and not words & vocabulary().intensive:
            raise TurnedDown("its name says that it adds up")
        self._turn(metric, how)
        return f"it holds numbers ({role}), and neither name, unit nor values say otherwise"

    def _turn(self, metric: Metric, how: Aggregation) -> None:
        """The plain words mean the new way of taking numbers together; the way before keeps a name that says it."""
        was, now = ("average", "total") if how is Aggregation.SUM else ("total", "average")
        bare = metric.label.removeprefix(f"{was} ")
        names = (metric.label, *metric.synonyms)
        plain = [n for n in names if not n.startswith(("average ", "mean ", "total "))]
        label = bare if how is Aggregation.SUM else f"average {bare}"
        self._replace(
            metric,
            label=f"{was} {bare}",
            synonyms=_joined((f"{was} of {bare}",), (n for n in names if n.startswith(f"{was} "))),
        )
        told = {"name": slug(f"{now} {bare}"), "label": label, "aggregation": how, "description": f"The {now} of {bare}."}  # fmt: skip
        told |= {"synonyms": _joined(plain, (f"{now} {bare}",), without=label)}
        told |= {"additivity": Additivity.ADDITIVE if how is Aggregation.SUM else Additivity.NON_ADDITIVE}
        self._add(metric.model_copy(update=told))

    def _add(self, made: Metric) -> None:
        if any(m.name == made.name for m in self.model.metrics):
            raise TurnedDown(f"there is a metric {made.name} already")
        self.model = _with(self.model, metrics=(*self.model.metrics, made))

    def _state(self, said: SaidState) -> str:
        held = self._held(said.table, said.column)
        meaning = self.model.table(self._open(said.table))
        word, many = self._word(said.called, set()), plural(meaning.label)
        made = Metric(
            name=slug(f"{word} {many}"),
            label=f"number of {word} {many}",
            table=meaning.name,
            aggregation=Aggregation.COUNT,
            where=(_condition(said, held),),
            # the word alone would pass for said where other rows are counted
            synonyms=(f"{word} {many}", f"{many} {word}"),
            time_dimension=meaning.time_dimension,
            description=f"How many {many} there are whose {held.label} {_told(said)}.",
        )
        self._add(made)
        count = self._counted(made.name)
        if not 0 < count < (meaning.rows or 0):
            raise TurnedDown(f"that holds for {'every' if count else 'no'} row")
        return f"that holds for {count:,} of {meaning.rows:,} rows"

    def _counted(self, metric: str) -> int:
        try:
            found = Retriever.over(self._loaded.dataset, self.model).run(RetrievalQuery(metrics=(metric,)))
        except GnomonError as e:
            raise TurnedDown(f"it cannot be computed: {e.message}") from None
        return int(found.rows[0][0]) if found.rows else 0

    def _open(self, said: str) -> str:
        """The table that was meant, where its name was seen."""
        table = self._meant(said, "table", [t.name for t in self.model.tables])
        if table in self._card.meant.values():
            raise TurnedDown("the model was not shown the name")
        return table

    def _held(self, table: str, column: str) -> Dimension:
        place = self._place(table, column)
        if place[1] in self._card.meant.values():
            raise TurnedDown("the model was not shown the name")
        return self.model.dimension(".".join(place))

    def _place(self, table: str, column: str) -> tuple[str, str]:
        found = self._meant(table, "table", list(self._card.columns))
        return found, self._meant(column, f"column in {found}", list(self._card.columns[found]))

    def _meant(self, said: str, what: str, known: Sequence[str]) -> str:
        plain = said.strip().removeprefix('"').removesuffix('"').replace('""', '"')
        name = self._card.meant.get(plain, plain)
        if name not in known:
            raise TurnedDown(NotFound.among(what, _shown(plain), known).message.rstrip("."))
        return name

    def _profile(self, held: Dimension) -> ColumnProfile:
        columns = {(t.name, c.name): c for t in self._loaded.profile.tables for c in t.columns}
        return columns[held.home.table, held.home.column]

    def _measures(self, held: Dimension) -> list[Metric]:
        """The metrics that take the numbers of a column together, the latest, which has the plain words, first."""
        whole = quoted(held.home.column)
        return [
            m for m in reversed(self.model.metrics)
            if held.type is DimensionType.NUMBER and m.table == held.home.table and m.expression == whole
            and m.aggregation in _SUMS and not m.where
        ]  # fmt: skip

    def _word(self, said: str, own: set[str], number: int = 0, *, is_row: bool = False) -> str:
        if number > MOST_SYNONYMS:
            raise TurnedDown(f"{MOST_SYNONYMS} other words are the most")
        return free_name(said, own, self.model, self._index, is_row=is_row)

    @cached_property
    def _index(self) -> ValueIndex:
        return ValueIndex.build(self._loaded.dataset, self.model)

    def _replace(self, entry: TableMeaning | Metric | Dimension, **told: object) -> None:
        """Tell an entry of the model otherwise."""
        section = {TableMeaning: "tables", Metric: "metrics", Dimension: "dimensions"}[type(entry)]
        held: tuple[TableMeaning | Metric | Dimension, ...] = getattr(self.model, section)
        changed = tuple(e.model_copy(update=told) if e.name == entry.name else e for e in held)
        self.model = _with(self.model, **{section: changed})


def _with(model: SemanticModel, **changed: object) -> SemanticModel:
    """The model with other entries; made anew, since a copy would remember the ones before."""
    return SemanticModel.model_validate(
        {**{f: getattr(model, f) for f in SemanticModel.model_fields}, **changed}
    )


def _condition(said: SaidState, held: Dimension) -> Filter:
    """The condition on rows, where the column can have such a state."""
    field, condition = held.name, said.condition
    if condition in ("present", "missing"):
        if not held.nullable:
            raise TurnedDown("the column is never missing")
        missing = condition == "missing"
        return Filter(field=field, operator=FilterOperator.IS_NULL if missing else FilterOperator.NOT_NULL)
    if condition in ("true", "false"):
        if held.type is not DimensionType.BOOLEAN:
            raise TurnedDown(f"the column is no yes or no ({held.type})")
        return Filter(field=field, operator=FilterOperator.EQUALS, values=(condition == "true",))
    if said.value is None or not 0 <= said.value <= SMALL:
        raise TurnedDown(f"a number from 0 to {SMALL} is wanted")
    if held.type is not DimensionType.NUMBER and not held.numeric:
        raise TurnedDown(f"the column holds no numbers ({held.type})")
    return Filter(field=field, operator=FilterOperator.EQUALS, values=(said.value,))


def _told(said: SaidState) -> str:
    how = {"equals": f"equals {said.value}"}
    return how.get(said.condition, f"is {said.condition}")


def _joined(*parts: Iterable[str], without: str = "") -> tuple[str, ...]:
    return tuple(dict.fromkeys(p for part in parts for p in part if p != without))


def _shown(text: str) -> str:
    """What a model wrote, as a terminal can show it."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= MOST_LETTERS else f"{flat[:MOST_LETTERS]}…"
