"""What a search finds: one claim about the data with its figures, its size, and the test behind it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.space import Measure
from gnomon.analytics.results import Result


class Kind(StrEnum):
    """The shapes that a finding can have."""

    LEADER = "leader"
    EVEN = "even"
    DIFFERENCE = "difference"
    TREND = "trend"
    SEGMENT_TREND = "segment trend"
    CHANGE = "change"
    OUTLIER = "outlier period"
    SEASON = "season"
    CORRELATION = "correlation"
    LAG = "lagged correlation"
    ASSOCIATION = "association"
    CONCENTRATION = "concentration"
    SEGMENTS = "segments"
    NOTHING = "no evidence"


class View(StrEnum):
    """How rows become a figure."""

    COUNT = "count"
    MEAN = "mean"
    SUM = "sum"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Number(Result):
    """A figure of a finding: what it is, its exact value and unit, and the groups and period that it is about."""

    name: str
    value: Any
    unit: str | None = None
    group: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Grid(Result):
    """The figures behind a finding as rows, the first column naming each; ``shape`` says how to draw it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    shape: str = "bars"
    units: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding(Result):
    """One claim.

    Attributes:
        kind: Its shape.
        table: The table that it is about.
        view: How rows became the figure.
        measure: The figure; None where rows are counted.
        axes: What the rows were grouped by.
        subset: The rows that it holds in: pairs of axis and group.
        subjects: The groups, periods or columns that it is about.
        numbers: Its figures by name, the ones that its sentence tells.
        grid: The figures behind it.
        effect: How large it is on the scale ``effect_name``.
        strength: The same between 0 and 1, comparable across kinds.
        p_value: The chance of it where there is nothing, corrected for what was chosen within it.
        q_value: The same corrected for everything that was looked at.
        test: What tells it from chance.
        rows: How many rows it rests on.
        detail: What else its sentence needs, as words.
        score: Where it stands among the others.
    """

    kind: Kind
    table: str
    view: View
    measure: Measure | None
    axes: tuple[str, ...]
    subset: tuple[tuple[str, str], ...]
    subjects: tuple[str, ...]
    numbers: dict[str, Number]
    grid: Grid
    effect: float
    effect_name: str
    strength: float
    p_value: float
    test: str
    rows: int
    fewest: int
    detail: dict[str, str] = field(default_factory=dict[str, str])
    q_value: float = 1.0
    score: float = 0.0

    @property
    def figure(self) -> str:
        """The name of what is measured, for comparing findings."""
        return self.measure.name if self.measure is not None else ""


def nothing(made: Finding, of: str) -> Finding:
    """The same as something that was looked for and is not there, ``of`` saying what."""
    return replace(made, kind=Kind.NOTHING, strength=0.25, detail={**made.detail, "of": of})


@dataclass(slots=True)
class Looked:
    """What a pattern found, and the chances of everything it looked at, found or not."""

    findings: list[Finding] = field(default_factory=list[Finding])
    chances: list[float] = field(default_factory=list[float])

    def tried(self, p_values: Floats | list[float]) -> None:
        """Count tests that led to nothing."""
        self.chances += [float(p) for p in p_values if p == p]

    def found(self, finding: Finding) -> None:
        """Keep a finding; its test counts."""
        self.findings.append(finding)
        self.chances.append(finding.p_value)

    def extend(self, other: Looked) -> None:
        """Take over what another look gave."""
        self.findings += other.findings
        self.chances += other.chances
