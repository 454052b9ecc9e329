"""Question-level accuracy while the system runs: the first figure to look at, kept up with every answer."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.agents.evaluation.metrics import measure
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.query import AccuracyMetrics

if TYPE_CHECKING:
    from gnomon.guardrails import Claim

_ANSWERING = frozenset({AnswerStatus.ANSWERED, AnswerStatus.PARTIAL})


@dataclass(frozen=True)
class TrackedAccuracy:
    """How the questions so far went.

    Args:
        questions: How many were asked.
        answered: How many got an answer rather than a refusal or a question back.
        accurate: How many answers had all three metrics above 0.8.
    """

    questions: int = 0
    answered: int = 0
    accurate: int = 0

    @property
    def accuracy(self) -> float | None:
        """Question-level accuracy: the share of answers that are accurate; None before the first answer."""
        return self.accurate / self.answered if self.answered else None


class AccuracyTracker:
    """Measures every answer and keeps the count; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._so_far = TrackedAccuracy()

    @property
    def so_far(self) -> TrackedAccuracy:
        """The counts up to now."""
        return self._so_far

    def track(self, question: str, answer: Answer, claims: Sequence[Claim] | None = None) -> AccuracyMetrics:
        """Measure one answer and count it.

        Args:
            question: The words that were asked.
            answer: What was said.
            claims: What the prose claims, where that has been bound to the facts already.
        """
        metrics = measure(question, answer, claims)
        told = answer.status in _ANSWERING
        with self._lock:
            now = self._so_far
            self._so_far = TrackedAccuracy(
                questions=now.questions + 1,
                answered=now.answered + told,
                accurate=now.accurate + (told and metrics.is_accurate()),
            )
        return metrics
