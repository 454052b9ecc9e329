"""What the sentences of a diagnosis are made with: facts, effects, estimates, and names of places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.agents.insight.findings import Finding, Ledger, Statement
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.analytics.diagnosis import Diagnosis
from gnomon.analytics.drivers import Segment
from gnomon.answering.words import labelled
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.figures import PERCENT, POINTS, POINTS_IN, capital, group_name, listed
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Aggregation, Direction, SemanticModel


@dataclass
class Explained:
    """A diagnosis, told."""

    statements: list[Statement] = field(default_factory=list[Statement])
    findings: list[Finding] = field(default_factory=list[Finding])
    tables: list[ResultTable] = field(default_factory=list[ResultTable])
    charts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def is_worse(change: float | None, direction: Direction) -> bool | None:
    """Whether a change is bad news; None where nothing says which way is good."""
    if not change or direction is Direction.NEUTRAL:
        return None
    return (change > 0) is (direction is Direction.LOWER_IS_BETTER)


def place_name(segment: Segment, model: SemanticModel) -> str:
    """A segment in words: north (region); north and web."""
    said: list[str] = []
    for dimension, value in segment:
        label = model.dimension(dimension).label
        spoken = labelled(value, label)
        said.append(f"{spoken} ({label})" if spoken == group_name(value) else spoken)
    return listed(said)


class Exposition:
    """A diagnosis on its way into words: makes its facts, and keeps what was said and found.

    Args:
        found: The diagnosis.
        model: What the names mean.
        ledger: Where facts are made.
        cut: Which end of the data cuts the periods short (``end``, ``start``), so that only some days are compared.
    """

    def __init__(self, found: Diagnosis, model: SemanticModel, ledger: Ledger, cut: str = "") -> None:
        self.found = found
        self.model = model
        self.ledger = ledger
        self.metric = model.metric(found.metric)
        self.cut = cut
        self.told = Explained()

    @property
    def is_ratio(self) -> bool:
        """Whether the measure is an average or a rate, of which a part has its own and not a share."""
        return self.metric.formula is not None or self.metric.aggregation not in (
            Aggregation.SUM,
            Aggregation.COUNT,
        )

    def fact(
        self,
        name: str,
        value: float | None,
        unit: str | None,
        *,
        period: TimeRange | None = None,
        group: dict[str, str] | None = None,
    ) -> Fact:
        """A fact about the metric of the diagnosis."""
        query = self.found.queries[0] if self.found.queries else ""
        return self.ledger.fact(
            name, value, unit, metric=self.found.metric, period=period, group=group, query=query
        )

    def effect(self, name: str, value: float | None, group: dict[str, str] | None = None) -> Fact:
        """A part of the change; of a rate in percentage points, since "up 10 %" would say two things."""
        scale = POINTS_IN.get(self.metric.unit or "")
        if scale and value is not None:
            return self.fact(name, scale * value, POINTS, group=group)
        return self.fact(name, self.estimate(value), self.metric.unit, group=group)

    def estimate(self, value: float | None) -> float | None:
        """What is estimated, with no more digits than the measure itself has: there are no halves of orders."""
        whole = float(self.found.change.before).is_integer() and float(self.found.change.after).is_integer()
        large = abs(self.found.change.after) >= 10_000
        return float(round(value)) if value is not None and (whole or large) and abs(value) >= 1 else value

    def share(self, name: str, share: float | None, group: dict[str, str]) -> Fact | None:
        """A share of the change, in percent."""
        return self.fact(name, 100 * share, PERCENT, group=group) if share is not None else None

    def group(self, segment: Segment) -> dict[str, str]:
        """A segment as facts name it."""
        return {dimension: group_name(value) for dimension, value in segment}

    def say(self, section: str, text: str, facts: Sequence[Fact], *names: str) -> None:
        """Add a sentence with its facts."""
        self.told.statements.append(
            Statement(section, capital(text), tuple(facts), tuple(n for n in names if n))
        )

    def find(self, kind: str, method: AnalyticalMethod, **given: Any) -> None:
        """Add a finding."""
        self.told.findings.append(Finding(kind, method.value, self.found.metric, **given))


def side(effect: Fact) -> str:
    """Which way an effect goes."""
    return "more" if isinstance(effect.value, (int, float)) and effect.value > 0 else "less"
