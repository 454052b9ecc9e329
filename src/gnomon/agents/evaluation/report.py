"""What an evaluation found: metrics over all questions, by kind, and the cases that went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.agents.evaluation.case import Case
from gnomon.agents.evaluation.grading import Grade, Outcome
from gnomon.agents.evaluation.truth import Truth
from gnomon.core.answer import Answer


@dataclass(frozen=True)
class CaseResult:
    """A case, its answer, what it is worth and how long it took."""

    case: Case
    answer: Answer
    grade: Grade
    seconds: float
    truths: tuple[Truth, ...] = ()


@dataclass(frozen=True)
class KindResult:
    """How the questions of one kind went."""

    kind: str
    cases: int
    passed: int
    wrong: int
    refused: int


@dataclass(frozen=True)
class EvaluationReport:
    """How an analyst did on a benchmark; shares are between 0 and 1."""

    results: tuple[CaseResult, ...]

    @property
    def answerable(self) -> tuple[CaseResult, ...]:
        """The results of questions that have an answer."""
        return tuple(r for r in self.results if r.case.answerable)

    @property
    def refusable(self) -> tuple[CaseResult, ...]:
        """The results of questions that must be refused or asked back."""
        return tuple(r for r in self.results if not r.case.answerable)

    @property
    def accuracy(self) -> float:
        """Question-level accuracy: the share of answerable questions whose metrics all exceed 0.8 and that tell nothing false."""
        return _share(self.answerable, lambda r: r.grade.outcome is Outcome.RIGHT)

    @property
    def relevance(self) -> float:
        """Mean share of key words addressed, over answerable questions."""
        return _mean([r.grade.metrics.relevance for r in self.answerable])

    @property
    def correctness(self) -> float:
        """Mean share of claims that are true, over answerable questions."""
        return _mean([r.grade.metrics.correctness for r in self.answerable])

    @property
    def completeness(self) -> float:
        """Mean share of the truth that was told, over answerable questions."""
        return _mean([r.grade.metrics.completeness for r in self.answerable])

    @property
    def wrong_numbers(self) -> int:
        """Answers that state something other than the truth, or something where there is nothing to state."""
        return self.count(Outcome.WRONG) + self.count(Outcome.UNREFUSED)

    @property
    def refusals_right(self) -> float:
        """The share of questions without an answer that were refused with a right status."""
        return _share(self.refusable, lambda r: r.grade.outcome is Outcome.REFUSED)

    @property
    def false_refusals(self) -> float:
        """The share of questions with an answer that were refused or asked back."""
        return _share(self.answerable, lambda r: r.grade.outcome is Outcome.FALSE_REFUSAL)

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The cases that did not end as they should."""
        return tuple(r for r in self.results if not r.grade.passed)

    def count(self, outcome: Outcome) -> int:
        """How many cases ended so."""
        return sum(r.grade.outcome is outcome for r in self.results)

    def latency(self, percentile: float) -> float:
        """Seconds within which that percentage of the answers came (the nearest rank); 0 without results."""
        times = sorted(r.seconds for r in self.results)
        if not times:
            return 0.0
        rank = -(-percentile * len(times) // 100)
        return times[min(max(int(rank), 1), len(times)) - 1]

    def by_kind(self) -> list[KindResult]:
        """Results by kind of question, in the order of the benchmark."""
        kinds = dict.fromkeys(r.case.kind for r in self.results)
        return [self._kind(kind) for kind in kinds]

    def _kind(self, kind: str) -> KindResult:
        mine = [r for r in self.results if r.case.kind == kind]
        wrong = sum(r.grade.outcome in {Outcome.WRONG, Outcome.UNREFUSED} for r in mine)
        refused = sum(r.grade.outcome is Outcome.FALSE_REFUSAL for r in mine)
        return KindResult(kind, len(mine), sum(r.grade.passed for r in mine), wrong, refused)

    def only(self, split: str) -> EvaluationReport:
        """The report of one split."""
        return EvaluationReport(tuple(r for r in self.results if r.case.split == split))

    def summary(self) -> dict[str, Any]:
        """Every figure of the report, JSON-ready; no question of the held-out split is in it."""
        return {
            "questions": len(self.answerable),
            "must_refuse": len(self.refusable),
            "accuracy": self.accuracy,
            "accuracy_by_split": {s: self.only(s).accuracy for s in ("dev", "held")},
            "relevance": self.relevance,
            "correctness": self.correctness,
            "completeness": self.completeness,
            "wrong_numbers": self.wrong_numbers,
            "refusals_right": self.refusals_right,
            "false_refusals": self.false_refusals,
            "outcomes": {o.value: self.count(o) for o in Outcome},
            "latency_seconds": {f"p{p}": self.latency(p) for p in (50, 90, 99)},
            "by_kind": [vars(k) for k in self.by_kind()],
        }


def _share(results: Sequence[CaseResult], right: Callable[[CaseResult], bool]) -> float:
    return _mean([float(right(r)) for r in results])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
