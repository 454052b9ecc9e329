"""Long outages and lasting shifts in generated series: how much of what is flagged is the outage, and how much of it is flagged.

``python bench/outages.py [--seeds 1] [--noise 4]`` investigates every kind of outage, length and place on every background
of ``tests/anomaly/modalities/planted_outages.py`` (300 readings), lasting shifts, and series in which nothing is going on.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "anomaly" / "modalities"))

from planted_outages import (  # pyright: ignore[reportMissingImports]
    MOVING,
    OUTAGES,
    PLACES,
    USUAL,
    background,
    daily,
    with_outage,
    with_shift,
)

from gnomon.anomaly import ADEngine


def flagged(x: np.ndarray) -> np.ndarray:
    """Which readings an investigation flags."""
    made = ADEngine(random_state=0).investigate(daily(x)).consensus
    return np.zeros(len(x), dtype=bool) if made is None else made["labels"] == 1


def episodes(x: np.ndarray) -> list[dict[str, Any]]:
    """What an investigation tells."""
    found = ADEngine(random_state=0).investigate(daily(x)).analysis
    return [] if found is None else found["consensus_analysis"].get("episodes", [])


def main() -> None:
    """Print precision, recall, shifts told as one episode that begins where they do, and how often noise stays silent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--noise", type=int, default=4)
    given = parser.parse_args()
    rows: list[tuple[float, float]] = []
    for k, (usual, kind, share, place) in enumerate(product(USUAL, OUTAGES, (0.055, 0.1, 0.15), PLACES)):
        for seed in range(given.seeds):
            rng = np.random.default_rng([k, seed, 77])
            x, planted = with_outage(background(usual, 300, rng), kind, share, place, rng)
            found = flagged(x)
            hits = float((found & (planted == 1)).sum())
            rows.append((hits / max(1, int(found.sum())), hits / int(planted.sum())))
    precision, recall = np.mean(rows, axis=0)
    print(f"{len(rows)} outages: precision {precision:.3f}, recall {recall:.3f}", flush=True)
    for usual, height in product(USUAL, (3.0, 5.0, 7.0)):
        told = 0
        for seed in range(3 * given.seeds):
            rng = np.random.default_rng([seed, 79])
            x, at = with_shift(background(usual, 300, rng), height, rng)
            told += [abs(at - e["index"]) <= 5 for e in episodes(x)] == [True]
        print(f"{usual}, lasting shift of {height:g}: told as one in {told} of {3 * given.seeds}", flush=True)
    for kind in (*USUAL, *MOVING):
        quiet = [
            not flagged(background(kind, n, np.random.default_rng([seed, n, 78]))).any()
            for seed, n in product(range(given.noise), (120, 300, 800))
        ]
        print(f"{kind}: silent in {sum(quiet)} of {len(quiet)}", flush=True)


if __name__ == "__main__":
    main()
