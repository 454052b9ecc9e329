"""Results of trees, told by the sentence plans of named requests: what has no name in the model gets one of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from gnomon.answering.conditions import conditions
from gnomon.answering.named_columns import Asked, Naming
from gnomon.answering.plan import PartPlan, PartResult
from gnomon.answering.say import Words
from gnomon.answering.tell_ranking import tell_ranking
from gnomon.answering.tell_scalar import tell_value
from gnomon.answering.tell_series import tell_trend
from gnomon.answering.tell_table import GROUPS_TOLD, group_in, row_name, tell_breakdown
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import is_number, is_plural, slug
from gnomon.core import algebra as al
from gnomon.core.answer import TREE_STEP
from gnomon.core.figures import FRACTION, figure, group_name, listed, sentence
from gnomon.core.operations import Walk
from gnomon.core.parts import Filter, Parts, QuestionKind
from gnomon.core.query import TimeRange
from gnomon.core.shapes import Shape, filters_of, shape, spans_of
from gnomon.language.time_names import in_range
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.lower import Lowered
from gnomon.semantic.model import plural
from gnomon.semantic.query import Retrieved
from gnomon.tools.frames import Frame

NAMED_ROWS = 3
LISTED = 8
_SHOWN = 8  # columns of one row that a sentence says
_ALONG = (Walk.RUNNING, Walk.MOVING)


class TreeTelling(Telling):
    """A result of a tree on its way to an answer.

    Args:
        ask: What was asked.
        lowered: What the columns of the result are.
        rows: The result.
        query: What was run.
        words: How nodes are said.
        step: The step that ran it.
    """

    def __init__(
        self,
        ask: Asked,
        lowered: Lowered,
        rows: Sequence[Row],
        query: str,
        words: Words,
        step: str = TREE_STEP,
    ) -> None:
        naming = Naming(ask, lowered, rows, words)
        model = naming.model(words.model)
        self.ask, self.words, self.asked = ask, naming.words, naming.query
        figures = tuple(c for c in naming.columns if c in naming.metrics)
        if isinstance(ask, al.Along):
            figures = (figures[-1], *figures[:-1])  # what goes along comes before what it is taken of
        keys = tuple(c for c in naming.columns if c in naming.dimensions)
        laid = tuple(tuple(r[i] for i in naming.places) for r in rows)
        kind, descending = self._kind(figures, naming)
        request = Parts(
            question="",
            kind=kind,
            metrics=figures,
            dimensions=keys,
            filters=self._conditions()[0],
            grain=naming.grain,
            descending=descending,
            limit=self.asked.limit if kind is QuestionKind.RANKING else None,
            each=len(figures) == 1 and len(laid) <= GROUPS_TOLD,
        )
        time = naming.time
        plan = PartPlan(
            request, {"main": step}, grain=naming.grain, time=time, coverage=time.coverage if time else None
        )
        named = {c: naming.metrics.get(c) or naming.dimensions.get(c) for c in naming.columns}
        result = PartResult(
            plan,
            {"main": Retrieved(columns=naming.columns, rows=laid, query=query, rows_used=len(laid))},
            labels={c: n.label if n is not None else str(naming.grain) for c, n in named.items()},
            units={c: n.unit for c, n in named.items() if n is not None},
        )
        if kind is QuestionKind.RANKING:
            ranked = [
                dict(zip((*naming.columns, "rank"), (*r, i), strict=True)) for i, r in enumerate(laid, 1)
            ]
            result.calculated["ranking"] = {"rows": Frame.of(ranked)}
        super().__init__(result, model, {})

    def _kind(self, figures: Sequence[str], naming: Naming) -> tuple[QuestionKind, bool]:
        """What kind of question it is, and whether the largest stands first."""
        query, order = self.asked, self.asked.order
        if naming.grain is not None and query.limit is None:
            return QuestionKind.TREND, True
        first = next(
            (i for i, s in enumerate(query.measures) if order and al.same(s.measure, order[0].by)), None
        )
        if first == 0 and query.limit is not None and not query.offset and isinstance(self.ask, al.Query):
            return QuestionKind.RANKING, order[0].descending
        if not naming.dimensions:
            return QuestionKind.VALUE, True
        return (QuestionKind.BREAKDOWN if figures else QuestionKind.LIST), True

    # Shapes ---------------------------------------------------------------------------------------------------------

    def tell(self) -> None:
        """The sentences, with the facts, tables and charts that belong to them."""
        if not self.main.rows:
            self.lead("No rows of the data meet these conditions")
            return
        plans = {
            Shape.SCALAR: self._scalar, Shape.RECORD: self._record, Shape.TABLE: self._table,
            Shape.SERIES: self._series, Shape.PAIR: self._pair,
        }  # fmt: skip
        timed = self.request.kind is QuestionKind.TREND and self.request.metrics
        plans[Shape.SERIES if timed else shape(self.ask)]()

    def where(self, filters: tuple[Filter, ...] | None = None) -> str:
        """The conditions on all that is told, those that have no names behind the others."""
        known, rest, days = self._conditions()
        named = conditions(known if filters is None else filters, self.model)
        told = " and ".join(rest).replace(" and where ", " and ")
        return "".join(f" {s}" for s in (named, told, " and ".join(days)) if s)

    def _conditions(self) -> tuple[tuple[Filter, ...], list[str], list[str]]:
        """The conditions that the model has names for, the others in words, and the days that all is of."""
        known, rest, days = list[Filter](), list[str](), list[str]()
        tests = [(w, t) for w, t in self._tests() if not self.words.goes_without_saying(t, self.asked.order)]
        for words in dict.fromkeys(w for w, _ in tests):
            spans, left = spans_of([t for w, t in tests if w is words])
            days += [self._of_days(words, of, span) for of, span in spans]
            tests = [(w, t) for w, t in tests if w is not words or any(t is x for x in left)]
        for words, one in tests:
            try:
                known += filters_of(_on_names(one, words))  # pyright: ignore[reportArgumentType]
            except (TypeError, ValueError):
                rest.append(
                    words.predicate(one) if isinstance(one, al.Has) else f"where {words.predicate(one)}"
                )
        return tuple(known), rest, days

    def _of_days(self, words: Words, of: al.Node, span: TimeRange) -> str:
        """Between which days rows lie: “in 2024” by the day that dates them, “with paid on in 2024” by another."""
        model = self.words.model
        usual = [model.dimension(t.time_dimension).home for t in model.tables if t.time_dimension]
        dated = isinstance(of, al.Column) and any((u.table, u.column) == (of.table, of.column) for u in usual)
        return in_range(span) if dated else f"with {words.expression(of)} {in_range(span)}"

    def _tests(self) -> Iterator[tuple[Words, al.Node]]:
        """What rows have to meet, those included that a result was computed from which they are."""
        query: al.Query | None = self.asked
        others: list[al.Query] = []
        while query is not None:
            words = self.words.about(query)
            for given in (query.rows.where, query.having if query is not self.asked else None):
                shared = (t for t in _each(given) if all(_has(o, t) for o in others))
                yield from ((words, t) for t in shared)
            inner = query.rows.query
            if inner is not None:  # what stands beside or below a result has conditions of its own
                others += [*query.rows.also, *(b.query for b in query.rows.beside)]
            query = inner

    def _query(self, role: str) -> str:
        return self.main.query  # whatever part a figure plays, it stands in the one result

    def _step(self, role: str) -> str:
        return self.plan.retrievals["main"]

    def _scalar(self) -> None:
        verdicts = [v for v in self.main.rows[0] if _verdict(v) is not None]
        if not self.request.metrics:
            self._single()
        elif verdicts:
            self._tell_verdicts()
        else:
            tell_value(self)

    def _tell_verdicts(self) -> None:
        said: list[str] = []
        for place, value in enumerate(self.main.rows[0]):
            metric, verdict = self.metric(place), _verdict(value)
            fact = self.fact(self.name(place), value, metric.unit, metric="")
            said.insert(
                0 if verdict else place,
                f"{verdict}: {metric.label}."
                if verdict
                else sentence(f"{metric.label} was {self.say(fact)}"),
            )
        self.told.lead = " ".join(said)

    def _record(self) -> None:
        if not self.request.metrics:
            self._single()
        elif self.request.kind is QuestionKind.RANKING:
            tell_ranking(self)
        else:
            row, columns = self.main.rows[0], self.main.columns
            self.table(columns, self.main.rows)
            named = [f"{self.metric(i).label} {self.say(f)}" for i, f in enumerate(self._figures(row))]
            which = listed([self.result.labels[c] for c in columns if c not in self.request.metrics]) or "it"
            self.lead(f"the {which} is {row_name(self, columns, row)}, with {listed(named)}")

    def _figures(self, row: Row) -> list[Any]:
        columns = self.main.columns
        return [
            self.fact(self.name(i), row[columns.index(m)], self.metric(i).unit, metric=m)
            for i, m in enumerate(self.request.metrics)
        ]

    def _single(self) -> None:
        """One row, column by column: “The city is Aberdeen and the country Scotland.”"""
        row, columns, told = self.main.rows[0], self.main.columns, list[str]()
        self.table(columns, self.main.rows, "result")
        for n, name in enumerate(columns[:_SHOWN]):
            label = self.result.labels[name]
            if is_number(row[n]) and not isinstance(row[n], bool):
                self.plain(slug(label), row[n], self.result.units.get(name))
            verb = "" if n else " are" if is_plural(label) else " is"
            told.append(f"the {label}{verb} {self._held(row[n], name)}")
        left = len(columns) - _SHOWN
        more = f"; {left} more columns are in the table" if left > 0 else ""
        self.lead(f"{self._end()}{listed(told)}{more}")

    def _end(self) -> str:
        """At which end of which column the only row stands: “with the highest price, ”."""
        if self.asked.limit != 1 or not self.asked.order:
            return ""
        by, last = self.asked.order[0].by, self.asked.order[0].descending
        known = self.words.dimension(by) if isinstance(by, al.Column) else None
        timed = known is not None and known.coverage is not None
        end = ("latest" if last else "earliest") if timed else "highest" if last else "lowest"
        return f"with the {end} {self.words.expression(by)}, "

    def _table(self) -> None:
        figures = [m for m in self.request.metrics if self._is_told(m)]
        if self.request.kind is QuestionKind.RANKING and figures:
            tell_ranking(self)
        elif not figures:
            self._listing()
        elif self.asked.limit is not None:
            self._first_of(figures[0])
        else:
            tell_breakdown(self)

    def _is_told(self, metric: str) -> bool:
        """Whether a figure has values that can be set against each other."""
        at = self.main.columns.index(metric)
        return any(
            (is_number(r[at]) or isinstance(r[at], date)) and not isinstance(r[at], bool)
            for r in self.main.rows
        )

    def _first_of(self, metric: str) -> None:
        """The first groups of an order that is none of the figures."""
        columns, at = self.main.columns, self.main.columns.index(metric)
        self.table(columns, self.main.rows)
        told = self.main.rows[: max(NAMED_ROWS, min(self.asked.limit or 0, GROUPS_TOLD))]
        unit = self.model.metric(metric).unit
        facts = [
            self.fact(slug(metric), r[at], unit, metric=metric, group=group_in(self, columns, r))
            for r in told
        ]
        said = [f"{row_name(self, columns, r)} ({self.say(f)})" for r, f in zip(told, facts, strict=True)]
        self.lead(f"{self.model.metric(metric).label}{self.where()}: {listed(said)}")

    def _listing(self) -> None:
        """Rows as they are: how many, and the first of them by name."""
        rows, columns = self.main.rows, self.main.columns
        many, alone = len(rows), len(columns) == 1
        if many == 1:
            self._single()
            return
        self.table(columns, rows, "result")
        count = self.plain("rows", many)
        noun = plural(self.result.labels[columns[0]]) if alone else self.words.rows(self.asked.rows)
        which = self.where()
        different = "different " if alone and self.asked.distinct and not which else ""
        there, names = (
            f"there are {self.say(count)} {different}{noun}{which}",
            [self._row(r) for r in rows[:LISTED]],
        )
        if many <= NAMED_ROWS or (alone and many <= LISTED):
            self.lead(f"{there}: {listed(names)}")
            return
        begins = {(True, True): ", the first of which are", (True, False): ", among them"}
        begins |= {(False, True): "; the first are", (False, False): "; among them are"}
        first = begins[alone, bool(self.asked.order)]
        self.lead(f"{there}{first} {listed(names[:NAMED_ROWS])}; all of them are in the table")

    def _row(self, row: Row) -> str:
        """A row by its first columns: “Aberdeen (Scotland, 12)”."""
        first, *rest = [self._held(v, c) for v, c in zip(row[:4], self.main.columns, strict=False)]
        return f"{first} ({', '.join(rest)})" if rest else first

    def _held(self, value: Any, column: str) -> str:
        """A value of a row for people: amounts in their unit, years and codes as they are."""
        known = self.model.dimension(column) if column in self.request.dimensions else None
        if is_number(value) and not isinstance(value, bool):
            amount = known is None or (known.type is DimensionType.NUMBER and not known.numeric)
            return figure(value, self.result.units.get(column)) if amount else group_name(value)
        return group_name(value)

    def _series(self) -> None:
        if isinstance(self.ask, al.Along) and self.ask.step not in _ALONG:
            tell_breakdown(self)
        else:
            tell_trend(self)

    def _pair(self) -> None:
        assert isinstance(self.ask, al.Against)
        if self.request.dimensions or self.request.grain:
            tell_breakdown(self)
            return
        one, other, apart, relative = self.request.metrics[:4]
        ours, theirs, gap, change = self.main.rows[0][:4]
        left, right = self.ask.left_name or "the first", self.ask.right_name or "the second"
        metric = self.model.metric(one)
        self.table(self.main.columns, self.main.rows, "result")
        first, second = (
            self.fact(f"{self.name()}.{slug(side)}", v, metric.unit, metric=m, group={"side": side})
            for v, m, side in ((ours, one, left), (theirs, other, right))
        )
        told = f"{metric.label} was {self.say(first)} for {left}"
        if gap is None:
            self.lead(f"{told}; {right} has none")
            return
        size = self.fact(f"{self.name()}.difference", abs(gap), metric.unit, metric=apart)
        by = (
            self.fact(f"{self.name()}.change", abs(change), FRACTION, metric=relative)
            if gap and change is not None
            else None
        )
        share = f" ({self.say(by)})" if by is not None else ""
        than = f"{self.say(size)}{share} {'more' if gap > 0 else 'less'} than" if gap else "the same as"
        self.lead(f"{told}, {than} for {right} ({self.say(second)})")


def _each(given: al.Node | None) -> Sequence[al.Node]:
    """The conditions that all have to hold."""
    return given.of if isinstance(given, al.Every) else [given] if given is not None else []


def _has(query: al.Query, test: al.Node) -> bool:
    """Whether the rows behind a result have to meet a condition too."""
    held = [*_each(query.rows.where), *_each(query.having)]
    return any(al.same(test, t) for t in held) or (
        query.rows.query is not None and _has(query.rows.query, test)
    )


def _on_names(node: al.Node, words: Words) -> al.Node:
    """A condition on columns as one on the names that the model has for them."""
    if isinstance(node, al.Column):
        known = words.dimension(node)
        return al.Dimension(name=known.name) if known is not None else node
    changed: dict[str, Any] = {}
    for name, held in node:
        if isinstance(held, al.Node):
            changed[name] = _on_names(held, words)
        elif isinstance(held, tuple) and any(isinstance(h, al.Node) for h in held):
            changed[name] = tuple(_on_names(h, words) if isinstance(h, al.Node) else h for h in held)
    return node.model_copy(update=changed) if changed else node


def _verdict(value: Any) -> str | None:
    """Yes or no, where that is what a figure says."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return value.capitalize() if isinstance(value, str) and value.lower() in ("yes", "no") else None
