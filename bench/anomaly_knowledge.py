"""Measure every detector on a folder of labelled data sets and write the knowledge file.

    python bench/anomaly_knowledge.py --adbench DIR --out src/gnomon/anomaly/knowledge.json [--max-rows 3000]

Each ``*.npz`` holds ``X`` and ``y``. Larger sets are sampled with a fixed seed, the same rows for every detector;
a detector that takes longer than ``--max-seconds`` on a set is recorded as stopped. Costs are fitted to the
times of these runs and of generated tables. With ``--detectors`` the others keep the figures that the file has.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.anomaly.registry import lookup, names
from gnomon.anomaly.runner import run_all

SEED = 0


def shape_of(X: np.ndarray) -> dict[str, float]:
    """What the data looks like, as a handful of figures."""
    S = X[np.random.default_rng(SEED).choice(len(X), min(len(X), 2000), replace=False)]
    spread = S.std(axis=0)
    Z = (S - S.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    correlation = np.abs(np.corrcoef(Z, rowvar=False)) if Z.shape[1] > 1 else np.zeros((1, 1))
    pairs = correlation[np.triu_indices_from(correlation, 1)]
    return {
        "rows": len(X),
        "columns": X.shape[1],
        "skew": round(float(np.median(np.abs((Z**3).mean(axis=0)))), 3),
        "kurtosis": round(float(np.median((Z**4).mean(axis=0))), 3),
        "correlation": round(float(pairs.mean()) if len(pairs) else 0.0, 3),
        "discreteness": round(float(np.mean([len(np.unique(c)) <= 20 for c in S.T])), 3),
    }


def measure(path: Path, detectors: list[str], max_rows: int, max_seconds: float) -> dict[str, Any]:
    """Every detector on one data set."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    held = np.load(path, allow_pickle=True)
    X, y = held["X"].astype(float), held["y"].astype(int)
    whole = len(X)
    if len(X) > max_rows:
        rows = np.random.default_rng(SEED).choice(len(X), max_rows, replace=False)
        X, y = X[rows], y[rows]
    row: dict[str, Any] = {
        "shape": {**shape_of(X), "rows_of_the_whole": whole, "anomalies": round(float(y.mean()), 4)},
        "results": {},
    }
    for name in detectors:
        most = lookup(name).score_rows
        if (most is not None and len(X) > most) or (name == "MAD" and X.shape[1] > 1):
            continue
        cpu = time.process_time()
        outcome = run_all(X, [{"detector_name": name, "params": {}}], seed=SEED, max_seconds=None)[0]
        spent = time.process_time() - cpu
        if outcome.status != "success":
            row["results"][name] = {"error": outcome.error}
        else:
            scores = outcome.detector.decision_scores_
            row["results"][name] = {
                "auc": round(float(roc_auc_score(y, scores)), 4),
                "ap": round(float(average_precision_score(y, scores)), 4),
                "cpu_seconds": round(spent, 3),
            }
        if spent > max_seconds:
            detectors.remove(name)
            print(f"{name} took {spent:.0f} s on {path.stem} and is left out from here on", file=sys.stderr)
    return row


def generated_costs(
    detectors: list[str], sizes: list[tuple[int, int]], max_seconds: float
) -> dict[str, list[list[float]]]:
    """Seconds on generated tables of several sizes."""
    out: dict[str, list[list[float]]] = {n: [] for n in detectors}
    slow: set[str] = set()
    for n, p in sizes:
        X = np.random.default_rng(SEED).standard_normal((n, p))
        for name in detectors:
            most = lookup(name).score_rows
            if name in slow or (most is not None and n > most) or name == "MAD":
                continue
            outcome = run_all(X, [{"detector_name": name, "params": {}}], seed=SEED)[0]
            if outcome.status == "success":
                out[name].append([n, p, outcome.seconds])
            if outcome.seconds > max_seconds:
                slow.add(name)
    return out


def fit_costs(times: dict[str, list[list[float]]]) -> dict[str, list[float]]:
    """Seconds as fixed + per row + per cell + per pair, none negative, by least relative error."""
    from scipy.optimize import nnls

    costs: dict[str, list[float]] = {}
    for name, rows in times.items():
        if len(rows) < 3:
            continue
        n, p, seconds = np.array(rows).T
        fitted = np.minimum(n, lookup(name).fit_rows or np.inf)
        quadratic = bool(lookup(name).fit_rows or lookup(name).score_rows)
        A = np.column_stack([np.ones_like(n), n, n * p, fitted * n * quadratic])
        weight = 1 / np.maximum(seconds, 0.01)
        found, _ = nnls(A * weight[:, None], np.ones_like(seconds))
        costs[name] = [float(f"{v:.3g}") for v in found]
    return costs


def summarise(sets: dict[str, Any]) -> dict[str, Any]:
    """Means per detector over the sets it ran on, ranked by mean AUC plus mean average precision."""
    seen: dict[str, list[list[float]]] = {}
    for row in sets.values():
        for name, r in row["results"].items():
            if "auc" in r:
                seen.setdefault(name, []).append([r["auc"], r["ap"], r["cpu_seconds"]])
    # Means over different sets cannot be ranked against each other.
    complete = {n: np.mean(v, axis=0) for n, v in seen.items() if len(v) >= 0.9 * len(sets)}
    order = sorted(complete, key=lambda n: -(complete[n][0] + complete[n][1]))
    return {
        n: {
            "measured": {
                "auc": round(float(complete[n][0]), 4),
                "ap": round(float(complete[n][1]), 4),
                "cpu_seconds": round(float(complete[n][2]), 3),
                "datasets": len(seen[n]),
                "rank": order.index(n) + 1,
            }
        }
        for n in order
    }


def kept(path: Path, protocol: str, sets: dict[str, Any], costs: dict[str, Any]) -> dict[str, Any]:
    """Costs with those of detectors that were not measured now; their results are put into ``sets``.

    Figures measured in another way, or on other sets, would not compare: such a file is refused.
    """
    old = json.loads(path.read_text(encoding="utf-8"))
    before = old["benchmarks"]["ADBench"]
    if before["protocol"] != protocol or list(before["datasets"]) != list(sets):
        raise SystemExit(f"{path} was measured on other sets or in another way; measure all detectors again.")
    for name, row in sets.items():
        row["results"] = before["datasets"][name]["results"] | row["results"]
    return old["costs"] | costs


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adbench", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--detectors", nargs="*", help="only these, into the file; all where not given")
    parser.add_argument("--max-rows", type=int, default=3000)
    parser.add_argument("--max-seconds", type=float, default=20.0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    detectors = [lookup(n).name for n in given.detectors] if given.detectors else names()
    run_all(np.random.default_rng(0).standard_normal((60, 3)), [{"detector_name": n} for n in detectors])
    sets: dict[str, Any] = {}
    for path in sorted(given.adbench.glob("*.npz")):
        sets[path.stem] = measure(path, detectors, given.max_rows, given.max_seconds)
        print(path.stem, file=sys.stderr, flush=True)
    times = generated_costs(
        detectors, [(300, 5), (1000, 5), (1000, 40), (4000, 10), (10_000, 10)], given.max_seconds / 4
    )
    protocol = f"unsupervised, scores of the rows fitted on, at most {given.max_rows} rows per set drawn with seed {SEED}"
    costs = fit_costs(times)
    if given.detectors and given.out.exists():
        costs = kept(given.out, protocol, sets, costs)
    knowledge = {
        "made": {
            "date": time.strftime("%Y-%m-%d"),
            "by": "bench/anomaly_knowledge.py",
            "seed": SEED,
            "versions": {m: version(m) for m in ("pyod", "scikit-learn", "numpy", "scipy")},
            "python": platform.python_version(),
        },
        "benchmarks": {
            "ADBench": {
                "source": "ADBench classical sets (Han et al., NeurIPS 2022), measured here",
                "protocol": protocol,
                "datasets": sets,
            }
        },
        "detectors": summarise(sets),
        "costs": costs,
    }
    given.out.write_text(json.dumps(knowledge, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
