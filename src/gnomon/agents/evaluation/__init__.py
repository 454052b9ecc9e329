"""How good answers are: a benchmark of questions with truths, the grading of answers, and metrics of any answer."""

from gnomon.agents.evaluation.case import Case, Part, load_cases
from gnomon.agents.evaluation.evaluate import Analyst, Asking, evaluate
from gnomon.agents.evaluation.grading import Grade, Outcome, grade
from gnomon.agents.evaluation.measure import key_words, measure
from gnomon.agents.evaluation.report import CaseResult, EvaluationReport, KindResult
from gnomon.agents.evaluation.tracking import AccuracyTracker, TrackedAccuracy
from gnomon.agents.evaluation.truth import Truth, TruthTables

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
