"""What of an answer may leave the machine: figures and groups that enough source rows stand behind.

The rule is that of :mod:`gnomon.guardrails.release`; here it is applied to facts and tables, which know how many
source rows they rest on. Prose is kept where all it tells is kept; otherwise it is written anew from what is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from gnomon.agents.judged_groups import JudgedGroups
from gnomon.agents.picks import without_figures
from gnomon.answering.telling import plain_line
from gnomon.core.answer import Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import GnomonError, PolicyViolation
from gnomon.core.parts import Filter, Parts
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard, rounded, spoken
from gnomon.guardrails.release.days import bounds_month, coarse
from gnomon.guardrails.release.groups import told_groups
from gnomon.guardrails.release.origin import Origin
from gnomon.planning.reading import Reading
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.derived import derived
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import Dimension, Metric, SemanticModel

_CELLS = {Aggregation.MIN, Aggregation.MAX, Aggregation.RANGE, Aggregation.MODE, Aggregation.QUANTILE}
"""Aggregations whose result is the value of a single row, or of two."""
_MIDDLES = {Aggregation.MEDIAN, Aggregation.IQR}
"""Aggregations that may be the value of a single row, and are told as round numbers."""
WITHHELD = f"What fewer than {MIN_ROWS} rows stand behind, and what would tell single cells, is withheld."
"""All that is said of it: how much was withheld would tell how many rows there are."""
_FEW_UNCOUNTED = f"Groups of fewer than {MIN_ROWS} rows are not counted."
_OFFERED = {"said", "question", "leaves", "word", "name"}
"""What is told of a reading to pick from: words and names, and nothing of what it comes to."""
_WHOLE = {"total", "count", "rows", "columns", "tables", "checked", "mean"}
"""How facts end that speak of everything, whatever groups or periods it was split into."""


class AnswerRelease:
    """Judges answers over one data set.

    Args:
        model: What the tables mean.
        origins: The columns of each table, and which of them are closed.
        reading: How the question was understood.
    """

    def __init__(
        self, model: SemanticModel, origins: Mapping[str, Origin], reading: Reading | None = None
    ) -> None:
        self._model = model
        self._origins = origins
        self._reading = reading
        requests = reading.parts if reading is not None else ()
        conditions = (f.field for r in requests for f in _conditions((*r.filters, *r.part)))
        self._asked = frozenset((*(d for r in requests for d in r.dimensions), *conditions))

    def check(self) -> None:
        """Refuse a question whose conditions would tell who is meant.

        Raises:
            PolicyViolation: A condition, or the time that it is told along, is personal data, an identifier or free text.
        """
        for request in self._reading.parts if self._reading is not None else ():
            for axis in self._axes(request):
                if self.closed(axis.name):
                    raise PolicyViolation(
                        f"{axis.label!r} holds personal data, so nothing is told along it.",
                        suggestions=["Ask about groups of rows, or along another date."],
                    )
            for given in _conditions((*request.filters, *request.part)):
                if not given.having and self.closed(given.field):
                    raise PolicyViolation(
                        f"{given.field!r} holds personal data, identifiers or free text. A condition on it would tell who is meant.",
                        suggestions=["Ask about groups of rows instead."],
                    )

    def _axes(self, request: Parts) -> list[Dimension]:
        """The time that a request is told along, or for parts of which."""
        named = [*request.dimensions, *(f.field for f in _conditions((*request.filters, *request.part)))]
        compared = request.comparison is not None and request.comparison.period is not None
        timed = request.grain or request.time_range or request.recurring or compared
        if not timed and not any(n.startswith("@") for n in named):
            return []
        if request.time_dimension:
            return [self._model.dimension(request.time_dimension)]
        found = (self._model.time_dimension(m) for n in request.metrics if (m := self._metric(n)) is not None)
        return [d for d in found if d is not None]

    def told(
        self,
        answer: Answer,
        guard: CellGuard,
        question: str,
        groups: JudgedGroups | None = None,
    ) -> dict[str, Any]:
        """What may be sent of ``answer``: status, prose, facts, tables, suggestions, and what was withheld.

        Args:
            answer: The answer.
            guard: Takes cells out of what is written of it.
            question: What was asked.
            groups: Which groups may be told, of all that there are; facts and tables then tell the same ones.
        """
        groups, reading = groups or JudgedGroups(), self._reading
        if groups.untold:
            return self.nothing()
        asked = [m for request in reading.parts for m in request.metrics] if reading is not None else []
        figures = all(self._is_figure(m) for m in asked)
        tables = [
            t for table in answer.tables if (t := self._table(table, groups, figures=figures)) is not None
        ]
        cut = sum(len(t.rows) for t in answer.tables) - sum(len(t.rows) for t in tables)
        small = {
            f.step for f in answer.facts if (f.rows is not None and f.rows < MIN_ROWS) or _hidden(f, groups)
        }
        if cut or any(n < MIN_ROWS for t in answer.tables for n in t.behind):
            small |= {f.step for f in answer.facts}
        facts = [
            c
            for f in answer.facts
            if self._is_told(f)
            and not _hidden(f, groups)
            and (f.step not in small or f.about.metric in groups.counted or not _compares(f, asked))
            and (c := _counted(f, groups)) is not None
        ]
        lost = len(answer.facts) - len(facts)
        moved = groups.moved and answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
        notes = [WITHHELD] if lost or cut or len(tables) < len(answer.tables) or moved else []
        status = AnswerStatus.PARTIAL if notes else answer.status
        notes += [_FEW_UNCOUNTED] if moved and groups.counted else []
        why = list(notes)
        if any(self._is_middle(m) for m in asked):
            facts, tables = [self._round(f) for f in facts], [self._rounded(t) for t in tables]
            notes.append("Medians are told as round numbers.")
        prose = without_figures(answer)
        if notes and not answer.options:
            prose = "\n".join([*(": ".join(plain_line(f, self._model)) for f in facts), *why])
        known = {d for d in _days(facts, reading) if bounds_month(d) or guard.shares_day(d)}
        body = {
            "status": str(status),
            "prose": coarse(prose, known),
            "facts": [f.model_dump(mode="json", include={"name", "value", "unit", "rows"}) | {"about": _about(f, known)} for f in facts],
            "tables": [t.model_dump(mode="json", include={"name", "columns", "rows"}) for t in tables],
            "suggestions": [coarse(s, known) for s in answer.suggestions],
            "options": [o.model_dump(mode="json", include=_OFFERED) for o in answer.options],
        }  # fmt: skip
        return {**guard.masked(body, self._known(question)), "withheld": notes}

    @staticmethod
    def nothing() -> dict[str, Any]:
        """What is sent of an answer that rests on too few rows, whatever was asked: none is told from one, or from four."""
        empty: dict[str, Any] = {"facts": [], "tables": [], "suggestions": []}
        return {"status": str(AnswerStatus.PARTIAL), "prose": WITHHELD, **empty, "withheld": [WITHHELD]}

    def _known(self, question: str) -> list[str]:
        labels = [x.label for x in (*self._model.metrics, *self._model.dimensions)]
        return [*spoken(question), *labels]

    def _is_told(self, fact: Fact) -> bool:
        if fact.rows is None or fact.rows < MIN_ROWS or isinstance(fact.value, date):
            return False
        if any(self.closed(d) for d in fact.about.group):
            return False
        metric = self._metric(fact.about.metric) if fact.about.metric and fact.about.period else None
        axis = self._model.time_dimension(metric) if metric is not None else None
        if axis is not None and self.closed(axis.name):
            return False
        return fact.about.metric is None or self._is_figure(fact.about.metric)

    def _table(self, table: ResultTable, groups: JudgedGroups, *, figures: bool) -> ResultTable | None:
        """A table without the rows of too few source rows; None where it lists rows, extremes or closed columns.

        A heading that the model does not know is of a figure that was asked for, so all of those have to be open.
        """
        heads = [c.partition(" (")[0] for c in table.columns]
        if len(table.behind) != len(table.rows) or any(self.closed(h) for h in heads):
            return None
        unknown = [h for h in heads if self._metric(h) is None and not self._is_dimension(h)]
        if unknown and not figures:
            return None
        if not all(self._is_figure(h) for h in heads if self._metric(h) is not None):
            return None
        hidden = [groups.hides(dict(zip(heads, row, strict=True)), row) for row in table.rows]
        told = (
            [n >= MIN_ROWS and not h for n, h in zip(table.behind, hidden, strict=True)]
            if None not in hidden
            else told_groups(
                table.behind, [(" ".join(v for v in row if isinstance(v, str)),) for row in table.rows]
            )
        )
        kept = [r for r, keep in zip(table.rows, told, strict=True) if keep]
        return table.model_copy(update={"rows": tuple(kept), "behind": ()}) if kept else None

    def closed(self, name: str) -> bool:
        """Whether a dimension, by its name or label, is made of a closed column.

        Of several that are called alike, the one that was asked for is meant: beside a key there often is its name.
        """
        found = [d for d in self._model.dimensions if name in (d.name, d.label)]
        found = [d for d in found if d.name in self._asked] or found
        held = [(self._origins.get(d.home.table), d.home.column) for d in found]
        return any(o is None or any(map(o.closed, _sources(column))) for o, column in held)

    def _is_dimension(self, name: str) -> bool:
        return any(name in (d.name, d.label) for d in self._model.dimensions)

    def _is_middle(self, name: str) -> bool:
        metric = self._metric(name)
        return metric is not None and metric.aggregation in _MIDDLES

    def _round(self, fact: Fact) -> Fact:
        value = fact.value
        told = rounded(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        return fact.model_copy(update={"value": told})

    def _rounded(self, table: ResultTable) -> ResultTable:
        rows = [tuple(rounded(v) if isinstance(v, float) else v for v in row) for row in table.rows]
        return table.model_copy(update={"rows": tuple(rows)})

    def _metric(self, name: str) -> Metric | None:
        known = next((m for m in self._model.metrics if name in (m.name, m.label)), None)
        if known is not None:
            return known
        try:
            return self._model.metric(name)
        except GnomonError:  # nothing that the model knows, or nothing that it can take apart
            return None

    def _is_figure(self, name: str) -> bool:
        """Whether a metric tells something of many rows: no extreme, and nothing made of a closed column."""
        metric = self._metric(name)
        try:
            return metric is not None and self._is_open(metric, 0)
        except GnomonError:  # what cannot be taken apart is not told
            return False

    def _is_open(self, metric: Metric, depth: int) -> bool:
        if metric.aggregation in _CELLS or depth > 4:
            return False
        if metric.aggregation is not Aggregation.COUNT_DISTINCT and metric.expression and metric.table:
            origin = self._origins.get(metric.table)
            if origin is None or any(
                origin.closed(s) for c in names_in(metric.expression) for s in _sources(c)
            ):
                return False
        parts = [
            *(names_in(metric.formula) if metric.formula else ()),
            *([metric.inner] if metric.inner else ()),
        ]
        return all((m := self._metric(p)) is not None and self._is_open(m, depth + 1) for p in parts)


def _conditions(given: Sequence[Filter]) -> Iterator[Filter]:
    """Conditions and those that they are made of."""
    for condition in given:
        yield condition
        yield from _conditions(condition.among)


def _days(facts: Sequence[Fact], reading: Reading | None) -> set[date]:
    """The days that may be named: where periods begin and end that were asked about, or that are told."""
    periods = [f.about.period for f in facts]
    if reading is not None:
        periods += [p for r in reading.parts for p in (r.time_range, r.comparison and r.comparison.period)]
    return {day for p in periods if p is not None for day in (p.start, p.end)}


def _hidden(fact: Fact, groups: JudgedGroups) -> bool:
    """Whether a fact is about a group that is withheld."""
    about = fact.about
    start = [about.period.start] if about.period is not None else []
    return bool((about.group or start) and groups.hides(about.group, start))


def _counted(fact: Fact, groups: JudgedGroups) -> Fact | None:
    """A fact that counts groups under a bound, of those that enough rows stand behind; None where they are not known."""
    metric = fact.about.metric
    single = not fact.about.group  # by periods the number is not known, and none is told
    if metric is None or metric not in groups.counted:
        lists = groups.moved and single and fact.name.endswith(".count")
        return None if lists else fact
    value = groups.counted[metric]
    return fact.model_copy(update={"value": value, "rows": None}) if single and value is not None else None


def _compares(fact: Fact, metrics: Sequence[str]) -> bool:
    """Whether a fact sets groups or periods against each other, some of which may be small."""
    about = fact.about
    return (
        not about.group and about.period is None and fact.name.rpartition(".")[2] not in {*_WHOLE, *metrics}
    )


def _sources(column: str) -> list[str]:
    """The columns of a table that one, which may be derived, is made of."""
    made = derived(column)
    return [column] if made is None else [s for c in made.columns for s in _sources(c)]


def _about(fact: Fact, known: Collection[date]) -> dict[str, Any]:
    about = fact.about.model_dump(mode="json", include={"metric", "group", "period"})
    if about["period"] is not None:
        about["period"] |= {end: coarse(str(about["period"][end]), known) for end in ("start", "end")}
    return about
