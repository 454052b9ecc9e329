"""From results to sentences: facts for whatever is said, templates in plain English, caveats."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gnomon.agents.figures import counted, fact_figure, group_name, sentence
from gnomon.agents.telling_periods import period_of
from gnomon.agents.telling_words import cased, conditions, said_filters, when
from gnomon.agents.workflow import PartResult
from gnomon.agents.workflow_builder import naming
from gnomon.agents.workflow_kinds import PERIOD
from gnomon.core.answer import About, AnswerStatus, Fact, FactValue, ResultTable
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeRange
from gnomon.core.request import Filter
from gnomon.semantic.derived import by_name
from gnomon.semantic.model import Additivity, Aggregation, DimensionType, Metric, SemanticModel
from gnomon.semantic.query import Retrieved

_NOT_WORD = regex(r"\W+")
_HOWS = "|".join(how for how in Aggregation if how not in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT))
_OF_MADE = late_pattern(rf"({_HOWS})\(\w+\.([^()]+)\)")
_OF_COLUMN = regex(rf"({_HOWS})\(\w+\.(\w+)\)")


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

    def __init__(self, result: PartResult, model: SemanticModel) -> None:
        self.result = result
        self.plan = result.plan
        self.request = result.plan.request
        self.model = model
        self.names = naming(model, self.request)
        self.told = Told()

    def fail(self, what: str) -> None:
        """Tell that something could not be found out, and why."""
        why = self.result.errors[0].rstrip(".") if self.result.errors else "the data did not answer"
        self.told.lead, self.told.status = sentence(f"{what}: {why}"), AnswerStatus.PARTIAL

    @property
    def main(self) -> Retrieved:
        """The rows that were asked for."""
        return self.result.retrieved["main"]

    def metric(self, place: int = 0) -> Metric:
        """A metric of the request."""
        return self.model.metric(self.request.metrics[place])

    def name(self, place: int = 0) -> str:
        """How facts call a metric."""
        return slug(self.request.metrics[place])

    def subject(self, place: int = 0) -> str:
        """A metric with the conditions on it: revenue for West."""
        return f"{self.metric(place).label}{self.where()}"

    def where(self) -> str:
        """The conditions on all that is told, with a blank before them."""
        said = conditions(said_filters(self.request), self.model)
        return f" {said}" if said else ""

    def when(self) -> str:
        """When, with a blank before it."""
        return when(self.request)

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
        step = self.plan.calculations.get(role) or self.plan.retrievals.get(role) or "reading"
        reference = metric if metric is not None else next(iter(self.request.metrics), None)
        began = (group or {}).get(PERIOD)
        if period is None and isinstance(began, date) and self.plan.grain is not None:
            period = period_of(began, self.plan.grain)
        made = Fact(
            name=name,
            value=value,
            unit=unit,
            about=About(
                metric=reference or None,
                filters=(*(self._filters() if filters is None else filters), *self._own(reference)),
                period=period or self.request.time_range,
                group={k: v if isinstance(v, str) else group_name(v) for k, v in (group or {}).items()},
            ),
            step=step,
            query=self.query(role),
        )
        self.told.facts.append(made)
        return made

    def _filters(self) -> tuple[Filter, ...]:
        """The conditions of all that is told; what is set against the rest is none."""
        asked, groups, against = self.request.filters, self.request.dimensions, self.request.comparison
        if against is None or not against.rest or not groups:
            return asked
        return tuple(f for f in asked if f.having or f.field != groups[0])

    def _own(self, reference: str | None) -> tuple[Filter, ...]:
        """The conditions that a metric carries itself."""
        return tuple(f for f in self.model.metric(reference).where if f.having) if reference else ()

    def query(self, role: str) -> str:
        """The text of what made a result: a compiled query, or the calculation over one."""
        if role in self.result.retrieved:
            return self.result.retrieved[role].query
        step = self.plan.calculations.get(role)
        base = self.result.retrieved.get("main")
        return f"{step} over: {base.query}" if step and base is not None else ""

    def say(self, fact: Fact) -> str:
        """A fact's value for people; a year is no amount: 2023, not 2,023."""
        if (
            isinstance(fact.value, int)
            and not isinstance(fact.value, bool)
            and self._is_dated(fact.about.metric)
        ):
            return str(fact.value)
        return fact_figure(fact)

    def chance(self, p: Fact) -> str:
        """A p-value; one that is too small for a computer is not 0."""
        return f"p {'≈' if p.value == 0 else '='} {self.say(p)}"

    def _is_dated(self, reference: str | None) -> bool:
        """Whether a metric is an end of a column of years."""
        metric = self.model.metric(reference) if reference else None
        if metric is None or metric.aggregation not in (Aggregation.MIN, Aggregation.MAX) or not metric.table:
            return False
        column = (metric.expression or "").strip("`")
        held = (d for d in self.model.dimensions if d.at(metric.table) == column)
        return any(d.type is DimensionType.TIME for d in held)

    def tell_caveats(self) -> None:
        """What limits the answer, beyond what the plan knew: nulls, levels that are averaged, cut rows."""
        told = self.told
        told.caveats += [cased(c) for c in self.plan.caveats]
        for day in self.plan.bounds:
            self.bound(day)
        told.caveats += [cased(d) for d in self.result.doubts]
        notes = [n for given in self.result.retrieved.values() for n in given.notes]
        told.caveats += [cased(n) for n in dict.fromkeys(notes)]
        for reference, label, count in self._without_value():
            self.fact(f"{slug(reference)}.rows_without_value", count, metric=reference)
            verb, left = ("has", "is") if count == 1 else ("have", "are")
            told.caveats.append(f"{counted(count, 'row')} {verb} no value for {label} and {left} left out")
        for reference in self.request.metrics:
            metric = self.model.metric(reference)
            if metric.additivity is Additivity.SEMI_ADDITIVE and self._many_days():
                told.caveats.append(
                    f"{cased(metric.label)} is a level: it is averaged over time, not added up"
                )
        if any(r.truncated for r in self.result.retrieved.values()):
            told.caveats.append("Not all rows fit into the answer; the first of them are shown")

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

    def _without_value(self) -> list[tuple[str, str, int]]:
        """What rows have no value of: a metric, or the column that several of them are computed from; with how many."""
        nulls, told = self._nulls(), list[tuple[str, str, int]]()
        columns: dict[tuple[str | None, str | None], list[str]] = {}
        for reference in nulls:
            metric = self.model.metric(reference)
            columns.setdefault((metric.table, metric.expression), []).append(reference)
        for (table, expression), references in columns.items():
            column = (expression or "").strip("`")
            held = next((d for d in self.model.dimensions if table and d.at(table) == column), None)
            alone = len({nulls[r] for r in references}) == 1  # a condition of its own may leave out more rows
            if len(references) > 1 and held is not None and alone:
                told.append((f"{Aggregation.COUNT}({table}.{column})", held.label, nulls[references[0]]))
                continue
            told += [(r, self.model.metric(r).label, nulls[r]) for r in references[: 1 if alone else None]]
        return told

    def _nulls(self) -> dict[str, int]:
        given = self.result.retrieved.get("main")
        return {m: n for m, n in given.nulls.items() if n and m in self.request.metrics} if given else {}

    def _many_days(self) -> bool:
        return self.request.time_range is None or self.request.time_range.days > 1


def slug(reference: str) -> str:
    """A metric or group as part of a fact's name; max(orders.price) is called price.max."""
    made, reference = "{" in reference, by_name(reference)
    if match := (_OF_MADE if made else _OF_COLUMN).fullmatch(reference):
        return f"{slug(match[2])}.{match[1]}"
    return _NOT_WORD.sub("_", reference.strip()).strip("_").lower() or "value"
