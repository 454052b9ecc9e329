"""How good answers are: a benchmark of questions with truths, the grading of answers, and metrics of any answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.agents.evaluation.benchmark import Analyst, Asking, evaluate
    from gnomon.agents.evaluation.case import Case, Part, load_cases
    from gnomon.agents.evaluation.grading import Grade, Outcome, grade
    from gnomon.agents.evaluation.metrics import key_words, measure
    from gnomon.agents.evaluation.report import CaseResult, EvaluationReport, KindResult
    from gnomon.agents.evaluation.tracking import AccuracyTracker, TrackedAccuracy
    from gnomon.agents.evaluation.truth import Truth, TruthTables

_HOMES = {
    "case": ("Case", "Part", "load_cases"),
    "benchmark": ("Analyst", "Asking", "evaluate"),
    "grading": ("Grade", "Outcome", "grade"),
    "metrics": ("key_words", "measure"),
    "report": ("CaseResult", "EvaluationReport", "KindResult"),
    "tracking": ("AccuracyTracker", "TrackedAccuracy"),
    "truth": ("Truth", "TruthTables"),
}

__all__ = [
    "AccuracyTracker",
    "Analyst",
    "Asking",
    "Case",
    "CaseResult",
    "EvaluationReport",
    "Grade",
    "KindResult",
    "Outcome",
    "Part",
    "TrackedAccuracy",
    "Truth",
    "TruthTables",
    "evaluate",
    "grade",
    "key_words",
    "load_cases",
    "measure",
]


def __getattr__(name: str) -> object:
    from gnomon.core.lazy import exports

    homes = {n: f"gnomon.agents.evaluation.{home}" for home, names in _HOMES.items() for n in names}
    return exports("gnomon.agents.evaluation", homes)(name)
