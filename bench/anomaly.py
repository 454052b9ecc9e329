"""Gnomon's anomaly engine beside PyOD's and beside plain IForest, in one run, as a Markdown table.

    python bench/anomaly.py --adbench DIR [--nab DIR] [--max-rows 20000] [--sizes 1000 10000 100000] [--large]

Accuracy: every ``*.npz`` with ``X`` and ``y`` in the folder, the same rows for all. Cost: CPU seconds and peak
memory of a fresh process each, imports included. Verdict: how well ``overall`` tells generated noise from
planted anomalies. Series: labelled windows of the Numenta benchmark.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from anomaly_generators import Generated, suite
from anomaly_hard import hard
from anomaly_heldout import heldout
from anomaly_laws import DEVELOPMENT, FINAL, laws
from anomaly_mixed import mixed

ENGINES = ("ours", "theirs", "iforest")
SERIES = ("Gnomon", "PyOD ADEngine", "IForest, values", "IForest, Gnomon's features of series")
PRIORITIES = ("speed", "accuracy")
NAMES = {"ours": "Gnomon", "theirs": "PyOD ADEngine", "iforest": "IForest"} | {
    p: f"Gnomon, priority {p}" for p in PRIORITIES
}


def investigate(
    engine: str, X: Any, seed: int = 0, data_type: str | None = None
) -> tuple[np.ndarray, float, int]:
    """Scores, overall quality and flagged rows of one engine."""
    if engine == "iforest":
        from pyod.models.iforest import IForest

        model = IForest(random_state=seed).fit(X)
        return model.decision_scores_, float("nan"), int(model.labels_.sum())
    if engine == "theirs":
        from pyod.utils.ad_engine import ADEngine
    else:
        from gnomon.anomaly import ADEngine
    options = {"priority": engine} if engine in PRIORITIES else {}
    state = ADEngine(random_state=seed).investigate(X, data_type=data_type, **options)
    if state.consensus is None:
        return np.zeros(len(X)), 0.0, 0
    consensus = state.consensus
    return np.asarray(consensus["scores"]), float(state.quality["overall"]), int(np.sum(consensus["labels"]))


def accuracy(folder: Path, max_rows: int, seeds: int, engines: Sequence[str]) -> dict[str, Any]:
    """AUC and average precision of the engines on every data set."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.npz")):
        held = np.load(path, allow_pickle=True)
        X, y = held["X"].astype(float), held["y"].astype(int)
        if len(X) > max_rows:
            rows = np.random.default_rng(0).choice(len(X), max_rows, replace=False)
            X, y = X[rows], y[rows]
        row: dict[str, Any] = {"n": len(X), "p": X.shape[1]}
        for engine in engines:
            each = [investigate(engine, X, seed)[0] for seed in range(seeds)]
            row[engine] = [
                float(np.mean([roc_auc_score(y, s) for s in each])),
                float(np.mean([average_precision_score(y, s) for s in each])),
            ]
        found[path.stem] = row
        print(path.stem, row, file=sys.stderr, flush=True)
    return found


def accuracy_table(found: dict[str, Any], engines: Sequence[str]) -> list[str]:
    """The accuracy as Markdown, with paired tests against the other engines."""
    from scipy.stats import wilcoxon

    lines = ["| data set | rows | columns | " + " | ".join(f"{NAMES[e]} AUC / AP" for e in engines) + " |"]
    lines.append("|---|---:|---:|" + "---:|" * len(engines))
    for name, row in found.items():
        cells = " | ".join(f"{row[e][0]:.3f} / {row[e][1]:.3f}" for e in engines)
        lines.append(f"| {name} | {row['n']} | {row['p']} | {cells} |")
    table = {e: np.array([row[e] for row in found.values()]) for e in engines}
    means = " | ".join(f"**{table[e][:, 0].mean():.4f} / {table[e][:, 1].mean():.4f}**" for e in engines)
    lines += [f"| **mean of {len(found)}** | | | {means} |", ""]
    for other in (e for e in engines if e != "ours" and "ours" in engines):
        for j, what in enumerate(("AUC", "average precision")):
            ours, base = table["ours"][:, j], table[other][:, j]
            p = float(wilcoxon(ours, base).pvalue) if len(found) > 1 else float("nan")
            lines.append(
                f"- {what} against {NAMES[other]}: {ours.mean() - base.mean():+.4f}, better on "
                f"{int((ours > base).sum())} of {len(found)}, Wilcoxon p = {p:.4f}"
            )
    return lines


def one_cost(engine: str, n: int, p: int) -> None:
    """Run one engine on generated rows and print CPU seconds and peak memory of this process."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X[: n // 50] += 4 * rng.standard_normal((n // 50, p))
    base = peak_mb()
    started, wall = cpu_seconds(), time.perf_counter()
    investigate(engine, X)
    print(json.dumps([cpu_seconds() - started, time.perf_counter() - wall, peak_mb(), base]))


def peak_mb() -> float:
    """Peak memory of this program; ``ru_maxrss`` would count that of the process which started it too."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def cpu_seconds() -> float:
    """CPU seconds of this process and of the processes it started."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def costs(sizes: list[int], p: int, large: bool) -> list[str]:
    """CPU and memory at several sizes, each in a fresh process."""
    lines = ["| rows × columns | engine | CPU s | wall s | peak MB |", "|---|---|---:|---:|---:|"]
    jobs = [(n, e) for n in sizes for e in ENGINES] + ([(500_000, "ours")] if large else [])
    for n, engine in jobs:
        ran = subprocess.run(
            [sys.executable, __file__, "--one", engine, str(n), str(p)],
            capture_output=True,
            text=True,
            check=True,
        )
        cpu, wall, peak, _ = json.loads(ran.stdout.strip().splitlines()[-1])
        lines.append(f"| {n:,} × {p} | {NAMES[engine]} | {cpu:.1f} | {wall:.1f} | {peak:.0f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def family(name: str, each: int, seed: int) -> list[Generated]:
    """Generated tables: the first family, a second made in other ways, hard ones, one half of the third, or mixed laws."""
    makers = {"first": suite, "second": heldout, "mixed": mixed, "hard": hard}
    return list(makers[name](each, seed) if name in makers else laws(name, each, seed))


def verdicts(name: str, each: int, seed: int) -> list[str]:
    """How well the overall quality tells noise from planted anomalies."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    cases = family(name, each, seed)
    truth = [len(c.rows) > 0 for c in cases]
    lines = [
        "| engine | AUC of overall | flagged in noise, mean share | tables of noise with none flagged | mean AP on planted |"
    ]
    lines.append("|---|---:|---:|---:|---:|")
    for engine in ("ours", "theirs"):
        overall, shares, precision = [], [], []
        for c in cases:
            table: Any = c.X
            if engine == "theirs" and hasattr(table, "select_dtypes"):  # words would stop it
                table = table.select_dtypes("number").to_numpy()
            scores, quality, flagged = investigate(engine, table)
            overall.append(quality)
            if len(c.rows):
                y = np.zeros(len(c.X))
                y[c.rows] = 1
                precision.append(average_precision_score(y, scores))
            else:
                shares.append(flagged / len(c.X))
            if engine == "ours":
                said = f"{len(c.rows)} {c.kind} {c.X.shape} overall {quality:.2f} flagged {flagged}"
                print(said, f"AP {precision[-1]:.2f}" if len(c.rows) else "", file=sys.stderr, flush=True)
        none = sum(s == 0 for s in shares)
        lines.append(
            f"| {NAMES[engine]} | {roc_auc_score(truth, overall):.3f} | {np.mean(shares):.4f} | "
            f"{none} of {len(shares)} | {np.mean(precision):.3f} |"
        )
    return lines


def series(folder: Path, max_rows: int) -> list[str]:
    """AUC and average precision on the labelled windows of the Numenta benchmark, the same readings for all."""
    import pandas as pd
    from sklearn.metrics import average_precision_score, roc_auc_score

    windows = json.loads((folder / "windows.json").read_text())
    got: dict[str, list[tuple[float, float]]] = {name: [] for name in SERIES}
    for path in sorted(folder.rglob("*.csv")):
        named = [k for k in windows if k.endswith(path.name)]
        frame = pd.read_csv(path, parse_dates=["timestamp"])
        y = np.zeros(len(frame), dtype=int)
        for start, end in windows[named[0]] if named else ():
            y |= frame["timestamp"].between(pd.Timestamp(start), pd.Timestamp(end)).to_numpy(dtype=int)
        step = -(-len(frame) // max_rows)
        frame, y = frame.iloc[::step].reset_index(drop=True), y[::step]
        if not y.any():
            continue
        for name in got:
            scores = series_scores(name, frame)
            got[name].append((float(roc_auc_score(y, scores)), float(average_precision_score(y, scores))))
        print(path.name, len(y), {k: v[-1] for k, v in got.items()}, file=sys.stderr, flush=True)
    lines = ["| engine | series | mean AUC | mean AP | Gnomon better in AP |", "|---|---:|---:|---:|---:|"]
    ours = np.array(got["Gnomon"])
    for name, rows in got.items():
        auc, ap = np.mean(rows, axis=0)
        ahead = "" if name == "Gnomon" else f"{int((ours[:, 1] > np.array(rows)[:, 1]).sum())} of {len(rows)}"
        lines.append(f"| {name} | {len(rows)} | {auc:.3f} | {ap:.3f} | {ahead} |")
    return lines


def series_scores(name: str, frame: Any) -> np.ndarray:
    """Scores of the readings of one series."""
    values = frame["value"].to_numpy(dtype=float)
    if name == "Gnomon":
        return investigate("ours", frame, data_type="time_series")[0]
    if name == "PyOD ADEngine":
        return investigate("theirs", values, data_type="time_series")[0]
    if name == "IForest, values":
        return investigate("iforest", values[:, None])[0]
    from gnomon.anomaly.detection import prepare_data

    return investigate("iforest", prepare_data(frame, "time_series").matrix)[0]


def main() -> None:
    """Run what was asked for and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--adbench", type=Path, help="folder of npz files with X and y")
    parser.add_argument("--nab", type=Path, help="folder of CSV series and windows.json")
    parser.add_argument("--max-rows", type=int, default=20_000, help="rows drawn from larger data sets")
    parser.add_argument("--nab-rows", type=int, default=2_500, help="longer series are thinned to this many")
    parser.add_argument(
        "--engines", nargs="+", choices=[*ENGINES, *PRIORITIES], default=ENGINES, help="for accuracy"
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--large", action="store_true", help="ours also at 500,000 rows")
    parser.add_argument(
        "--verdicts", type=int, default=50, help="tables of noise and of planted anomalies each"
    )
    parser.add_argument(
        "--family",
        choices=("first", "second", "hard", DEVELOPMENT, FINAL, "mixed"),
        default="first",
        help="of tables",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated tables")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.one:
        one_cost(given.one[0], int(given.one[1]), int(given.one[2]))
        return
    parts = " ".join(f"{m} {version(m)}," for m in ("pyod", "scikit-learn", "numpy"))
    print(f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {parts} {platform.machine()}\n")
    if given.adbench:
        found = accuracy(given.adbench, given.max_rows, given.seeds, given.engines)
        print("\n".join(["### Accuracy", "", *accuracy_table(found, given.engines), ""]), flush=True)
    if given.sizes or given.large:
        print("\n".join(["### Cost", "", *costs(given.sizes, 30, given.large), ""]), flush=True)
    if given.verdicts:
        print(
            "\n".join(["### Verdict", "", *verdicts(given.family, given.verdicts, given.seed), ""]),
            flush=True,
        )
    if given.nab:
        print("\n".join(["### Series", "", *series(given.nab, given.nab_rows), ""]), flush=True)


if __name__ == "__main__":
    main()
