"""The outcome of a hypothesis test, in numbers and in plain English."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.results import Result


@dataclass(frozen=True, slots=True)
class Check(Result):
    """An assumption of the test, whether it holds, and what shows it."""

    assumption: str
    holds: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Sample(Result):
    """One sample of a test."""

    name: str
    count: int
    mean: float | None = None
    median: float | None = None
    sd: float | None = None


@dataclass(frozen=True, slots=True)
class TestOutcome(Result):
    """What a hypothesis test found.

    Attributes:
        test: Its name.
        chosen: Why this test: ``named``, or the reason from the data.
        statistic: The test statistic.
        freedom: Degrees of freedom where there are any.
        effect: Effect size, with its name, interval and a word for its size.
        estimate: The difference (or other quantity) in the data's own units, with its interval.
        conclusion: One plain sentence.
    """

    __test__ = False  # pytest: not a test class

    test: str
    statistic: float
    p_value: float
    samples: tuple[Sample, ...] = ()
    freedom: float | None = None
    effect_name: str | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None
    effect_size: str | None = None
    estimate_name: str | None = None
    estimate: float | None = None
    estimate_low: float | None = None
    estimate_high: float | None = None
    checks: tuple[Check, ...] = ()
    claim: str = ""
    chosen: str = "named"
    alpha: float = 0.05
    significant: bool = False
    conclusion: str = ""
    notes: tuple[str, ...] = ()


def concluded(outcome: TestOutcome, alpha: float, chosen: str, notes: tuple[str, ...] = ()) -> TestOutcome:
    """The outcome judged at ``alpha``, with its sentence."""
    significant = bool(outcome.p_value < alpha)
    chance = "p < 0.001" if outcome.p_value < 0.001 else f"p = {outcome.p_value:.3f}"
    if significant:
        size = f"; the effect is {outcome.effect_size}" if outcome.effect_size else ""
        sentence = f"There is evidence that {outcome.claim} ({chance}{size})."
    else:
        sentence = f"There is no clear evidence that {outcome.claim} ({chance})."
    if broken := [c.assumption for c in outcome.checks if not c.holds]:
        sentence += f" Read with care: {'; '.join(broken)} may not hold."
    return replace(
        outcome, alpha=alpha, significant=significant, chosen=chosen, conclusion=sentence,
        notes=outcome.notes + notes,
    )  # fmt: skip


def described(name: str, values: Floats) -> Sample:
    """A sample of numbers in brief."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Sample(name, len(values), float(values.mean()), float(np.median(values)), spread)


def size_word(value: float, small: float, medium: float, large: float) -> str:
    """The usual word for an effect of this size."""
    size = abs(value)
    if size < small:
        return "negligible"
    return "small" if size < medium else "medium" if size < large else "large"
