"""The state of an investigation: typed dictionaries over plain data, and where the work stands.

Every part of the state is a plain ``dict`` or ``list``, so both ``state.quality["overall"]`` and static
types work, and the whole state can be written as JSON, branched and replayed.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from gnomon.anomaly.prepared import Prepared

PHASES: Final = ("profiled", "planned", "detected", "analyzed")
ACTION_TYPES: Final = (
    "plan",
    "run",
    "analyze",
    "report_to_user",
    "confirm_with_user",
    "iterate",
    "recover_detector_failure",
    "done",
)
FEEDBACK_ACTIONS: Final = (
    "adjust_contamination",
    "exclude",
    "include",
    "rerun",
    "recover",
    "label",
    "replan",
    "explain",
    "accept",
    "report",
    "undo",
    "batch",
)
MAX_DETECTORS: Final = 3

Phase = Literal["profiled", "planned", "detected", "analyzed"]
Verdict = Literal["high", "medium", "low"]


class HistoryEntry(TypedDict):
    """One step of the investigation."""

    phase: str
    action: str
    iteration: int
    timestamp: float
    detail: str


class DetectionPlan(TypedDict):
    """One detector with its parameters, and why it was chosen."""

    detector_name: str
    params: dict[str, Any]
    reason: str
    evidence: list[str]
    confidence: float
    alternatives: list[DetectionPlan]
    preset: NotRequired[str]
    note: NotRequired[str]


class DetectorResult(TypedDict):
    """What one detector found; the score fields are there when ``status`` is ``success``."""

    detector_name: str
    status: Literal["success", "error", "skipped"]
    error: str | None
    plan: NotRequired[DetectionPlan]
    scores_train: NotRequired[np.ndarray]
    labels_train: NotRequired[np.ndarray]
    threshold: NotRequired[float]
    n_anomalies: NotRequired[int]
    anomaly_ratio: NotRequired[float]
    detector: NotRequired[Any]
    runtime_seconds: NotRequired[float]
    score_summary: NotRequired[dict[str, float]]


class ConsensusResult(TypedDict):
    """The detectors taken together; ``labels`` follow from ``scores``, ``votes`` stand beside them."""

    scores: np.ndarray
    labels: np.ndarray
    n_detectors: int
    agreement: float
    disagreements: list[int]
    threshold: NotRequired[float]
    votes: NotRequired[np.ndarray]
    p_values: NotRequired[np.ndarray]
    weights: NotRequired[dict[str, float]]
    contamination: NotRequired[float]
    contamination_given: NotRequired[bool]
    method: NotRequired[str]
    combination: NotRequired[Any]
    null: NotRequired[dict[str, Any]]


class TopAnomaly(TypedDict):
    """One of the most anomalous rows."""

    index: int
    score: float
    row: NotRequired[str]
    flagged: NotRequired[bool]
    reasons: NotRequired[list[dict[str, Any]]]
    narrative: NotRequired[str]


class ConsensusAnalysis(TypedDict):
    """The consensus in a few figures."""

    n_anomalies: int
    anomaly_ratio: float
    score_distribution: dict[str, float]
    top_anomalies: list[TopAnomaly]
    summary: str
    groups: NotRequired[list[dict[str, Any]]]
    episodes: NotRequired[list[dict[str, Any]]]


class InvestigationAnalysis(TypedDict):
    """What ``analyze`` found out; ``per_detector_analysis`` is aligned with ``state.results``."""

    consensus_analysis: ConsensusAnalysis
    per_detector_analysis: list[dict[str, Any] | None]
    best_detector: str
    best_detector_index: int
    summary: str
    failed_detectors: NotRequired[list[dict[str, str]]]


class QualityAssessment(TypedDict):
    """How far the result can be trusted; ``overall`` is the mean of the first three."""

    separation: float
    agreement: float
    stability: float
    overall: float
    verdict: Verdict
    explanation: str
    significance: NotRequired[float]
    significant: NotRequired[bool]


class StructuredFeedback(TypedDict):
    """A change to the investigation: ``action`` is one of ``FEEDBACK_ACTIONS``, the rest is its payload."""

    action: str
    value: NotRequired[float | str]
    detectors: NotRequired[list[str]]
    normal: NotRequired[list[int]]
    anomalous: NotRequired[list[int]]
    rows: NotRequired[list[int]]
    priority: NotRequired[str]
    constraints: NotRequired[dict[str, Any]]
    changes: NotRequired[list[StructuredFeedback]]


class NextAction(TypedDict):
    """What to do next: ``action`` is one of ``ACTION_TYPES``; the rest depends on it."""

    action: str
    reason: str
    summary: NotRequired[str]
    confidence: NotRequired[float]
    suggestion: NotRequired[str]
    proposed_change: NotRequired[StructuredFeedback]
    adjustment: NotRequired[str]
    failed_detectors: NotRequired[list[str]]
    suggested_replacements: NotRequired[list[str]]
    explanations: NotRequired[list[dict[str, Any]]]


def _no_action() -> Any:
    return {}


@dataclass
class InvestigationState:
    """Where an investigation stands.

    Attributes:
        phase: One of ``PHASES``.
        iteration: 0 for the first run, one more with every change.
        history: One entry per step.
        data: The data under investigation, by reference.
        profile: What ``profile_data`` found.
        plans: The detectors to run, at most three.
        results: One entry per plan after ``run``.
        consensus: The detectors taken together, or None where all failed.
        analysis: What ``analyze`` found out, or None.
        quality: How far the result can be trusted, or None.
        next_action: What to do next.
        seed: The seed that detectors are fitted with.
        contamination: The share of rows to flag; None lets the scores decide.
        priority: ``balanced``, ``speed`` or ``accuracy``.
        constraints: What ``plan`` was told to respect.
        labels: Rows that the user called normal (0) or anomalous (1).
        transformations: Every change made to the data before detection.
        steps: The calls that led here, enough to replay them.
        tried: The combinations that were run, with their verdict.
        earlier: The settings before each change, for taking it back.
        source: A reference to the data: path, fingerprint, shape.
    """

    phase: str
    iteration: int = 0
    history: list[HistoryEntry] = field(default_factory=list[HistoryEntry])
    data: Any = None
    profile: dict[str, Any] = field(default_factory=dict[str, Any])
    plans: list[DetectionPlan] = field(default_factory=list[DetectionPlan])
    results: list[DetectorResult] = field(default_factory=list[DetectorResult])
    consensus: ConsensusResult | None = None
    analysis: InvestigationAnalysis | None = None
    quality: QualityAssessment | None = None
    next_action: NextAction = field(default_factory=_no_action)
    seed: int = 0
    contamination: float | None = None
    priority: str = "balanced"
    constraints: dict[str, Any] = field(default_factory=dict[str, Any])
    labels: dict[int, int] = field(default_factory=dict[int, int])
    transformations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tried: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    earlier: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    source: dict[str, Any] = field(default_factory=dict[str, Any])
    prepared: Prepared | None = field(default=None, repr=False, compare=False)
    fitted: dict[str, DetectorResult] = field(
        default_factory=dict[str, DetectorResult], repr=False, compare=False
    )
    combined: dict[str, tuple[list[DetectorResult], ConsensusResult]] = field(
        default_factory=dict[str, tuple[list[DetectorResult], ConsensusResult]], repr=False, compare=False
    )

    def log(self, action: str, detail: str) -> None:
        """Append a step to the history."""
        self.history.append(
            {
                "phase": self.phase,
                "action": action,
                "iteration": self.iteration,
                "timestamp": time.time(),
                "detail": detail,
            }
        )

    def clear_results(self) -> None:
        """Forget what the last run found; fitted detectors stay at hand."""
        self.results = []
        self.consensus = None
        self.analysis = None
        self.quality = None

    def branch(self) -> InvestigationState:
        """An independent copy to try something on; the data and fitted detectors are shared."""
        shared = {"data", "prepared", "fitted", "combined", "results", "consensus"}
        kept = {f.name: getattr(self, f.name) for f in fields(self)}
        copied = {k: (v if k in shared else copy.deepcopy(v)) for k, v in kept.items()}
        copied["fitted"] = dict(self.fitted)
        copied["combined"] = dict(self.combined)
        copied["results"] = [dict(r) for r in self.results]
        copied["consensus"] = dict(self.consensus) if self.consensus is not None else None
        return InvestigationState(**copied)

    def replay(self, data: Any = None) -> InvestigationState:
        """The same calls again from the start; the result is the same.

        Args:
            data: The data, where the state holds none (after ``from_dict`` without a path).
        """
        from gnomon.anomaly.engine import ADEngine

        return ADEngine(random_state=self.steps[0].get("seed") if self.steps else None).replay(self, data)

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON-ready data; the data itself stays where it is, by reference."""
        from gnomon.anomaly.serialise import state_to_dict

        return state_to_dict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], data: Any = None) -> InvestigationState:
        """A state from what ``to_dict`` wrote.

        Args:
            saved: What ``to_dict`` returned, also after a trip through JSON.
            data: The data, where the state cannot load it from its path.
        """
        from gnomon.anomaly.serialise import state_from_dict

        return state_from_dict(saved, data)
