"""The seam between the investigation and the numbers: prepare, choose, fit, combine, judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from gnomon.anomaly import consensus as joint
from gnomon.anomaly.frames import SET_ASIDE
from gnomon.anomaly.pairs import sources
from gnomon.anomaly.prepared import Prepared, Transformation
from gnomon.anomaly.state import ConsensusResult, DetectionPlan, DetectorResult, QualityAssessment
from gnomon.core.errors import CalculationError

_TABLES: Final = {
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".json",
    ".jsonl",
    ".ndjson",
    ".xlsx",
    ".xls",
    ".feather",
}
Progress = Callable[[str, float], None]


def prepare_data(data: Any, data_type: str | None) -> Prepared:
    """Data of any kind as a matrix that detectors can read."""
    if isinstance(data, Prepared):
        return data
    from gnomon.anomaly.modalities import prepare

    if (
        data_type in (None, "time_series", "text")
        and isinstance(data, str | os.PathLike)
        and _holds_tables(Path(data))
    ):
        data = _read_table(data)
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "iuf" and data_type is None:
        data_type = "tabular"  # plain numbers: no other kind has to be considered
    names = getattr(data, "columns", None)
    if data_type is None and names is not None and len(set(names)) < len(names):
        data_type = "tabular"  # one name for two columns: only a table can hold that
    prepared = prepare(data, data_type)
    aside = getattr(data, "attrs", {}).get(SET_ASIDE, ())
    told = [
        Transformation("set_aside", (column,), said.removeprefix(f"{column}: ")) for column, said in aside
    ]
    return replace(prepared, log=(*told, *prepared.log)) if told else prepared


def _holds_tables(path: Path) -> bool:
    """Whether a file, or a folder of files, is one of tables."""
    if path.is_dir():
        return any(p.suffix.casefold() in _TABLES for p in path.iterdir())
    return path.is_file() and path.suffix.casefold() in _TABLES


def _read_table(path: str | os.PathLike[str]) -> Any:
    """The table in a file, so that a series or texts in it are recognised; of several the largest."""
    from gnomon.anomaly.frames import to_frame

    return to_frame(path)


def choose(
    prepared: Prepared, priority: str, constraints: Mapping[str, Any], knowledge: Any
) -> list[DetectionPlan]:
    """Plans for the data, most useful first; none where every detector is ruled out."""
    from gnomon.anomaly.pipeline import choose as choose_portfolio
    from gnomon.anomaly.registry import names

    banned = {str(n).casefold() for n in constraints.get("exclude_detectors") or ()}
    if all(n.casefold() in banned for n in names()):
        return []
    return choose_portfolio(prepared, priority, constraints, knowledge)


def profile_of(prepared: Prepared, data: Any) -> dict[str, Any]:
    """What the data is, with the fields that PyOD's engine gives and what was found beside."""
    n, d = prepared.n_rows, prepared.n_columns
    raw = prepared.raw
    used = sources(prepared.origins)
    width = len(raw.columns) if raw is not None else len(used)
    missing = int(raw.isna().to_numpy().sum()) if raw is not None else 0
    profile: dict[str, Any] = {
        "data_type": prepared.data_type,
        "n_samples": n,
        "n_features": width,
        "has_nan": missing > 0,
        "n_missing": missing,
        "dtype": str(getattr(data, "dtype", "mixed" if raw is not None else prepared.matrix.dtype)),
        "dimensionality_class": "low" if width <= 10 else "medium" if width <= 100 else "high",
        "matrix_columns": d,
        "columns": used,
        "transformations": [t.to_dict() for t in prepared.log],
        "notes": list(prepared.notes),
    }
    if prepared.data_type == "time_series":
        profile |= {"n_timestamps": n, "channels": _channels(raw) if raw is not None else 1}
    if prepared.data_type == "graph":
        counted: Any = getattr(data, "number_of_edges", None)
        profile |= {"n_nodes": n, "n_edges": int(counted()) if counted is not None else None}
    return profile


def _channels(raw: Any) -> int:
    return max(1, sum(raw[c].dtype.kind in "iuf" for c in raw.columns))


def build(plan: Mapping[str, Any], seed: int) -> Any:
    """The unfitted detector of a plan."""
    from gnomon.anomaly.registry import build as build_named

    return build_named(plan["detector_name"], plan.get("params"), seed)


def fit(
    prepared: Prepared,
    plans: Sequence[Mapping[str, Any]],
    seed: int,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    knowledge: Any = None,
) -> list[DetectorResult]:
    """One result per plan, in order, without labels; a detector that failed or overran has its reason."""
    from gnomon.anomaly.pipeline import fit_plans

    ended = 0

    def tell(name: str, event: str) -> None:
        nonlocal ended
        ended += event != "started"
        if progress is not None:
            progress(f"{name}: {event}", ended / max(len(plans), 1))

    return fit_plans(prepared, plans, seed, max_seconds, tell, knowledge=knowledge)


def combine(
    prepared: Prepared,
    results: Sequence[DetectorResult],
    contamination: float | None,
    labels: Mapping[int, int],
    seed: int,
    method: str = joint.DEFAULT_METHOD,
) -> tuple[list[DetectorResult], ConsensusResult | None]:
    """Results with labels and their consensus by ``method``; rows that the user marked weigh in.

    A marked row teaches which detectors to trust: those that rank marked anomalies high and marked normal
    rows low gain weight. The marked rows take the score that their mark implies, and draw rows like them
    after them.
    """
    from gnomon.anomaly.alone import with_looks
    from gnomon.anomaly.marks import label_weights, with_marks
    from gnomon.anomaly.pipeline import combine as combine_results

    labelled, made = combine_results(prepared, results, contamination=contamination, method=method, seed=seed)
    if made is None or not labels:
        return labelled, with_looks(prepared, made, contamination) if made is not None else None
    weights = label_weights(labelled, made.get("weights", {}), labels)
    labelled, made = combine_results(
        prepared, results, contamination=contamination, method=method, weights=weights, seed=seed
    )
    return labelled, with_marks(prepared.matrix, made, labels, contamination) if made is not None else None


def apply_consensus(
    results: Sequence[DetectorResult], made: ConsensusResult, each: Sequence[np.ndarray]
) -> np.ndarray:
    """Scores of new rows from one score per detector, on the scale of the consensus."""
    good = [r for r in results if r["status"] == "success" and "scores_train" in r]
    weights = made.get("weights", {})
    method = made.get("method", joint.DEFAULT_METHOD)
    combination = joint.Combination.fit(
        [r["scores_train"] for r in good if "scores_train" in r],
        joint.DEFAULT_METHOD if method == "single" else method,
        [weights.get(r["detector_name"], 1.0) for r in good],
    )
    return combination.apply(list(each))


def assess(
    prepared: Prepared, results: Sequence[DetectorResult], made: ConsensusResult, seed: int
) -> QualityAssessment:
    """How far the consensus can be trusted."""
    from gnomon.anomaly.quality import assess as assess_consensus

    return assess_consensus(prepared, results, made, seed)


def raw_frame(data: Any) -> Any:
    """A pandas frame of a batch of rows, or None where it is not a table."""
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    return data if hasattr(data, "iloc") and hasattr(data, "columns") else None


def run_single(
    X_train: Any, plan: Mapping[str, Any], X_test: Any, seed: int, prepared: Prepared | None = None
) -> dict[str, Any]:
    """Fit one plan; the error of a detector that fails is raised.

    Raises:
        CalculationError: The detector failed.
    """
    from gnomon.anomaly.pipeline import combine as combine_results

    prepared = prepare_data(X_train, None) if prepared is None else prepared
    share = plan.get("params", {}).get("contamination")
    labelled, _ = combine_results(prepared, fit(prepared, [plan], seed), contamination=share, seed=seed)
    if labelled[0]["status"] != "success":
        raise CalculationError(f"{labelled[0]['detector_name']} failed: {labelled[0]['error']}")
    result: dict[str, Any] = {**labelled[0], "plan": plan}
    if X_test is not None:
        scores = np.asarray(
            result["detector"].decision_function(prepared.transform(X_test)), dtype=np.float64
        )
        result["scores_test"] = scores
        result["labels_test"] = (scores > result["threshold"]).astype(int)
    return result
