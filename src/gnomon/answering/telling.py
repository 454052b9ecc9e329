"""What every sentence plan works with: one result, and facts, tables and notes that know their origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from gnomon.answering.conditions import conditions, said_filters
from gnomon.answering.plan import PERIOD, PartResult, spoken_names
from gnomon.answering.run import frame_rows, table_of
from gnomon.answering.words import column_of, fact_figure, labelled, slug, when
from gnomon.core.answer import About, AnswerStatus, Fact, FactValue, ResultTable
from gnomon.core.errors import NotFound
from gnomon.core.figures import capital, group_name, sentence
from gnomon.core.parts import Filter
from gnomon.core.patterns import regex
from gnomon.core.query import TimeRange
from gnomon.language.time_names import period_of, range_name
from gnomon.semantic.model import Aggregation, DimensionType, Metric, SemanticModel
from gnomon.semantic.query import Retrieved

Row = Sequence[Any]


@dataclass
class Told:
    """One request, told: the direct sentence, what supports it, and what has to be said besides."""

    lead: str = ""
    more: list[str] = field(default_factory=list[str])
    facts: list[Fact] = field(default_factory=list[Fact])
    tables: list[ResultTable] = field(default_factory=list[ResultTable])
    charts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    caveats: list[str] = field(default_factory=list[str])
    status: AnswerStatus = AnswerStatus.ANSWERED


class Telling:
    """What every template works with: one result, what its names mean, and facts that know their origin."""

    def __init__(self, result: PartResult, model: SemanticModel, names: dict[str, str] | None = None) -> None:
        self.result = result
        self.plan = result.plan
        self.request = result.plan.request
        self.model = model
        self.names = spoken_names(model, self.request) if names is None else names
        self.told = Told()
        self.only_steps = False

    # What is told ---------------------------------------------------------------------------------------------------

    def lead(self, text: str) -> None:
        """The direct sentence."""
        self.told.lead = sentence(text)

    def lead_before(self, text: str) -> None:
        """The direct sentence, before the one that there was."""
        self.told.more.insert(0, self.told.lead)
        self.lead(text)

    def more(self, text: str) -> None:
        """A sentence that supports it."""
        self.told.more.append(sentence(text))

    def note(self, text: str) -> None:
        """What has to be said besides."""
        self.told.caveats.append(text)

    def draw(self, chart: dict[str, Any]) -> None:
        """A chart of the answer."""
        self.told.charts.append(chart)

    def table(self, columns: Sequence[str], rows: Sequence[Row], name: str = "") -> None:
        """Columns of the result as a table of the answer."""
        named = name or slug(self.metric().label)
        self.told.tables.append(table_of(self.result, named, tuple(columns), tuple(tuple(r) for r in rows)))

    def plain_table(self, name: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """A table under headings of its own."""
        told = ResultTable(name=name, columns=tuple(columns), rows=tuple(tuple(r) for r in rows))
        self.told.tables.append(told)

    def fail(self, what: str) -> None:
        """Tell that something could not be found out, and why."""
        why = self.result.errors[0].rstrip(".") if self.result.errors else "the data did not answer"
        self.lead(f"{what}: {why}")
        self.told.status = AnswerStatus.PARTIAL

    def nothing(self) -> None:
        """Tell that no row meets the conditions."""
        self.lead(f"No rows meet the question{self.where()}{self.when()}")
        self.fact("rows", 0)

    # What was asked and found ---------------------------------------------------------------------------------------

    @property
    def main(self) -> Retrieved:
        """The rows that were asked for."""
        return self.result.retrieved["main"]

    @property
    def other(self) -> TimeRange | None:
        """The period that is compared with."""
        return self.request.comparison.period if self.request.comparison is not None else None

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that are compared."""
        return self.request.comparison.groups if self.request.comparison is not None else ()

    def rows(
        self, role: str, key: str = "rows", columns: tuple[str, ...] | None = None
    ) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
        """The columns and rows that a calculation gave."""
        return frame_rows(self.result.calculated.get(role, {}).get(key), columns)

    @cached_property
    def shared(self) -> dict[str, frozenset[Any]]:
        """For each id of the result, the names there that stand for several of what it identifies."""
        found: dict[str, frozenset[Any]] = {}
        for pair in self.names.items():
            if set(pair) <= set(self.main.columns):
                places = [self.main.columns.index(c) for c in pair]
                times = Counter(name for _, name in {tuple(row[i] for i in places) for row in self.main.rows})
                found[pair[0]] = frozenset(name for name, n in times.items() if n > 1)
        return found

    def records(self, role: str, key: str = "rows") -> list[dict[str, Any]]:
        """Those rows, each by the names of its columns."""
        names, rows = self.rows(role, key)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def metric(self, place: int = 0) -> Metric:
        """A metric of the request; the average of a single row is said without that word."""
        metric = self.model.metric(self.request.metrics[place])
        given = self.result.retrieved.get("main")
        alone = given is not None and bool(given.behind) and all(n == 1 for n in given.behind)
        if alone and metric.aggregation is Aggregation.MEAN and metric.label.startswith(_AVERAGE):
            return metric.model_copy(update={"label": metric.label.removeprefix(_AVERAGE)})
        return metric

    def name(self, place: int = 0) -> str:
        """How facts call a metric."""
        return slug(self.request.metrics[place])

    def label(self, dimension: str) -> str:
        """How people call a dimension."""
        return self.model.dimension(dimension).label

    def subject(self, place: int = 0) -> str:
        """A metric with the conditions on it: revenue for West."""
        return f"{self.metric(place).label}{self.where()}"

    def where(self, filters: tuple[Filter, ...] | None = None) -> str:
        """The conditions on all that is told, with a blank before them."""
        said = conditions(said_filters(self.request) if filters is None else filters, self.model)
        return f" {said}" if said else ""

    def when(self) -> str:
        """When, with a blank before it."""
        return when(self.request)

    def named(self, groups: dict[str, Any]) -> str:
        """A group of several dimensions as prose names it: West · web."""
        return " · ".join(labelled(g, self.result.labels.get(d, d)) for d, g in groups.items())

    # Facts ----------------------------------------------------------------------------------------------------------

    def fact(
        self,
        name: str,
        value: FactValue,
        unit: str | None = None,
        *,
        role: str = "main",
        metric: str | None = None,
        period: TimeRange | None = None,
        group: dict[str, Any] | None = None,
        filters: tuple[Filter, ...] | None = None,
    ) -> Fact:
        """A fact with what it is about and the step that made it; it joins the answer."""
        reference = metric if metric is not None else next(iter(self.request.metrics), None)
        began = (group or {}).get(PERIOD)
        if period is None and isinstance(began, date) and self.plan.grain is not None:
            period = period_of(began, self.plan.grain)
        own = tuple(f for f in self.model.metric(reference).where if f.having) if reference else ()
        about = About(
            metric=reference or None,
            filters=(*(self._filters() if filters is None else filters), *own),
            period=period or self.request.time_range,
            recurring=self.request.recurring,
            group={k: v if isinstance(v, str) else group_name(v) for k, v in (group or {}).items()},
        )
        made = Fact(
            name=name, value=value, unit=unit, about=about, step=self._step(role), query=self._query(role)
        )
        self.told.facts.append(made)
        return made

    def plain(self, name: str, value: FactValue, unit: str | None = None, role: str = "main") -> Fact:
        """A fact that is about no metric of the request."""
        return self.fact(name, value, unit, role=role, metric="")

    def first(self, fact: Fact) -> None:
        """A fact before the others: what was asked for comes first."""
        self.told.facts.remove(fact)
        self.told.facts.insert(0, fact)

    def _filters(self) -> tuple[Filter, ...]:
        """The conditions of all that is told; what is set against the rest is none."""
        asked, groups, against = self.request.filters, self.request.dimensions, self.request.comparison
        if against is None or not against.rest or not groups:
            return asked
        return tuple(f for f in asked if f.having or f.field != groups[0])

    def _step(self, role: str) -> str:
        """The step that made a result."""
        return self.plan.calculations.get(role) or self.plan.retrievals.get(role) or "reading"

    def _query(self, role: str) -> str:
        """The text of what made a result: a compiled query, or the calculation over one."""
        if role in self.result.retrieved:
            return self.result.retrieved[role].query
        step, base = self.plan.calculations.get(role), self.result.retrieved.get("main")
        return f"{step} over: {base.query}" if step and base is not None else ""

    def bound(self, day: date) -> None:
        """A fact for a first or last day, of the data or of what was asked for, that is told."""
        asked = self.request.time_range
        ends = {"data": self.plan.coverage, "period": (asked.start, asked.end) if asked else None}
        for what, days in ends.items():
            if days is not None and day in days:
                name = f"{what}.{'first_day' if day == days[0] else 'end_day'}"
                if all(f.name != name for f in self.told.facts):
                    self.fact(name, day, metric="")
                return

    def say(self, fact: Fact) -> str:
        """A fact's value for people; a year is no amount: 2023, not 2,023."""
        whole = isinstance(fact.value, int) and not isinstance(fact.value, bool)
        return str(fact.value) if whole and self._is_dated(fact.about.metric) else fact_figure(fact)

    def chance(self, p: Fact) -> str:
        """A p-value; one that is too small for a computer is not 0."""
        return f"p {'≈' if p.value == 0 else '='} {self.say(p)}"

    def _is_dated(self, reference: str | None) -> bool:
        """Whether a metric is an end of a column of years."""
        metric = self.model.metric(reference) if reference else None
        if metric is None or metric.aggregation not in (Aggregation.MIN, Aggregation.MAX):
            return False
        held = column_of(metric, self.model)
        return held is not None and held.type is DimensionType.TIME


_AVERAGE = "average "
_NUMBERING = regex(r"_\d+$")


def plain_line(fact: Fact, model: SemanticModel) -> tuple[str, str]:
    """What a fact is about, in names alone, and its value as people read it."""
    about = fact.about
    tail = _NUMBERING.sub("", fact.name).removeprefix(slug(about.metric) if about.metric else "").strip(".")
    groups = {slug(v) for v in about.group.values()}
    own = [s.replace("_", " ") for s in tail.split(".") if s and s not in groups]
    parts = [_label(about.metric, model)] if about.metric else []
    parts += [" ".join(own)]
    parts += [labelled(v, _dimension(d, model)) for d, v in about.group.items()]
    parts.append(conditions(about.filters, model) if about.filters else "")
    parts.append(range_name(about.period) if about.period is not None else "")
    return capital(", ".join(p for p in parts if p)), fact_figure(fact)


def _label(metric: str, model: SemanticModel) -> str:
    try:
        return model.metric(metric).label
    except NotFound:
        return metric


def _dimension(name: str, model: SemanticModel) -> str:
    known = next((d for d in model.dimensions if d.name == name), None)
    return known.label if known is not None else name.lstrip("@").replace("_", " ")


def bare(fact: Fact) -> Fact:
    """A fact by its value alone, to check a line that tells nothing else."""
    return fact.model_copy(update={"name": "value", "about": About()})
