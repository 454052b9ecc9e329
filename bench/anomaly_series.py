"""Time series against labelled windows: how well each way of scoring ranks the readings inside them.

Usage: python bench/anomaly_series.py FOLDER [--limit N]
FOLDER holds CSV series (``timestamp``, ``value``) and ``windows.json`` (path → list of [start, end]).
Prints a Markdown table: area under the ROC curve, average precision as a multiple of the share of readings
inside windows (what a random ranking reaches), and how many of the ten highest readings lie in a window.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score

from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.pipeline import choose, run_plans

Scorer = Callable[[pd.DataFrame], np.ndarray]


def gnomon_scores(frame: pd.DataFrame) -> np.ndarray:
    """The prepared series through the default portfolio and its consensus."""
    prepared = prepare(frame, "time_series")
    _, consensus = run_plans(prepared, choose(prepared))
    if consensus is None:
        raise RuntimeError("Every detector failed.")
    return np.asarray(consensus["scores"])


def forest_on_departures(frame: pd.DataFrame) -> np.ndarray:
    """The prepared series through a plain isolation forest."""
    matrix = prepare(frame, "time_series").matrix
    return -IsolationForest(random_state=0).fit(matrix).score_samples(matrix)


def forest_on_values(frame: pd.DataFrame) -> np.ndarray:
    """A plain isolation forest on the values alone."""
    values = frame[["value"]].to_numpy(dtype=float)
    return -IsolationForest(random_state=0).fit(values).score_samples(values)


def pyod_default(frame: pd.DataFrame) -> np.ndarray:
    """What PyOD's engine plans first for a time series."""
    from pyod.utils.ad_engine import ADEngine

    values = frame[["value"]].to_numpy(dtype=float)
    engine = ADEngine()
    plan = engine.plan_detection(engine.profile_data(values, data_type="time_series"))
    detector = engine.build_detector(plan)
    detector.fit(values)
    scores = np.asarray(detector.decision_scores_, dtype=float)
    return np.nan_to_num(scores, nan=float(np.nanmin(scores)))


SCORERS: dict[str, Scorer] = {
    "Gnomon": gnomon_scores,
    "departures + IForest": forest_on_departures,
    "values + IForest": forest_on_values,
    "PyOD time-series default": pyod_default,
}


def inside_windows(frame: pd.DataFrame, windows: list[list[str]]) -> np.ndarray:
    """1 for each reading inside a labelled window."""
    stamps = pd.to_datetime(frame["timestamp"])
    inside = np.zeros(len(frame), dtype=int)
    for start, end in windows:
        inside[((stamps >= pd.Timestamp(start)) & (stamps <= pd.Timestamp(end))).to_numpy()] = 1
    return inside


def measure(folder: Path, limit: int | None) -> pd.DataFrame:
    """One row per series and way of scoring."""
    windows = {k: w for k, w in json.loads((folder / "windows.json").read_text()).items() if w}
    rows: list[dict[str, object]] = []
    for name, spans in list(windows.items())[:limit]:
        frame = pd.read_csv(folder / name)
        truth = inside_windows(frame, spans)
        for scorer, score in SCORERS.items():
            start = time.process_time()
            scores = score(frame)
            row: dict[str, object] = {"series": name, "by": scorer, "cpu s": time.process_time() - start}
            row["AUC"] = roc_auc_score(truth, scores)
            row["AP ÷ random"] = average_precision_score(truth, scores) / truth.mean()
            row["hits@10"] = int(truth[np.argsort(-scores, kind="stable")[:10]].sum())
            rows.append(row)
    return pd.DataFrame(rows)


def table(frame: pd.DataFrame) -> str:
    """A Markdown table, two decimals."""
    lines = ["| " + " | ".join(frame.columns) + " |", "|" + "---|" * len(frame.columns)]
    cells = (
        [f"{v:.2f}" if isinstance(v, float) else str(v) for v in row] for row in frame.itertuples(index=False)
    )
    lines += ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="only the first N series")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    measured = measure(arguments.folder, arguments.limit)
    per_series = measured.pivot_table(index="series", columns="by", values="AUC", sort=False).reset_index()
    print("AUC per series\n\n" + table(per_series))
    figures = measured.drop(columns="series").groupby("by", sort=False).mean().reset_index()
    print("\nMean over series\n\n" + table(figures))


if __name__ == "__main__":
    main()
