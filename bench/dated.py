"""Tables with one row for each time (and entity) and columns of words: how often what was planted is told, and silence kept.

``python bench/dated.py [--tables 60] [--panels 20] [--first 0]`` investigates what
``tests/anomaly/modalities/planted_dated.py`` makes.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "anomaly" / "modalities"))

from planted_dated import Dated, dated, panel  # pyright: ignore[reportMissingImports]

from gnomon.anomaly import ADEngine


def told(made: Dated) -> tuple[int, int, int, int]:
    """Stretches planted, found, told as one with the right dates, and episodes that touch none of them."""
    found = ADEngine(random_state=0).investigate(made.frame).analysis
    episodes: list[dict[str, Any]] = [] if found is None else found["consensus_analysis"].get("episodes", [])
    flagged = 0 if found is None else int(found["consensus_analysis"]["n_anomalies"])
    if not episodes:
        return len(made.spans), 0, 0, flagged
    step = pd.Series(sorted(set(made.times))).diff().median()
    own = [e["rows"] for e in episodes if made.series[e["rows"]].all()]
    spans = [(made.times[rows].min(), made.times[rows].max()) for rows in own]
    hits = right = 0
    for start, end in made.spans:
        near = [s for s in spans if s[0] <= end and s[1] >= start]
        slack = max(2, round(0.15 * ((end - start) / step + 1))) * 1.02 * step
        hits += bool(near)
        right += len(near) == 1 and abs(near[0][0] - start) <= slack and abs(near[0][1] - end) <= slack
    return len(made.spans), hits, right, sum(not (made.planted[e["rows"]] == 1).any() for e in episodes)


def main() -> None:
    """Print what was missed, and figures by what was planted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--panels", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    for name, many in (("tables", given.tables), ("panels", given.panels)):
        seen: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
        for seed in range(given.first, given.first + many):
            made = dated(seed) if name == "tables" else panel(seed)
            result = told(made)
            seen[made.name.rsplit(", ", 1)[1]].append(result)
            if result[0] != result[2] or result[3]:
                print(f"  {made.name}: planted, found, right, others {result}", flush=True)
        for kind, results in seen.items():
            planted, hits, right, others = (sum(r[i] for r in results) for i in range(4))
            silent = sum(r[3] == 0 for r in results)
            print(
                f"{name}, {kind}: {hits} of {planted} stretches found, {right} told as one with its dates; "
                f"{others} other episodes, none in {silent} of {len(results)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
