"""Which detectors were measured best on data of this width, and which of those are quick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.detector_notes import NOTES
from gnomon.anomaly.registry import lookup

# Doublings of the width over which a measurement loses most of its say; chosen leaving one data set out at a time.
_NEAR: Final = 4.0
# A detector needs results on this share of the data sets to be compared with the others.
_ENOUGH: Final = 0.6
# Seconds until PyOD is loaded, which its first detector costs.
_LOADING: Final = 1.6
# "Quick" still has to be good: at most this far behind the best.
_BEHIND: Final = 0.08


def merits(knowledge: Mapping[str, Any] | None, columns: int) -> dict[str, float]:
    """Mean of AUC and average precision of each detector; data sets of a width like this one count for more.

    Args:
        knowledge: The measured results; detectors without any are left out.
        columns: How wide the data is.
    """
    known = knowledge or {}
    sets = [s for b in known.get("benchmarks", {}).values() for s in b.get("datasets", {}).values()]
    if not sets:
        given = {n: d.get("measured") for n, d in known.get("detectors", {}).items()}
        return {n: (float(m["auc"]) + float(m["ap"])) / 2 for n, m in given.items() if m}
    near = [
        float(np.exp(-abs(np.log2(max(1, s["shape"]["columns"]) / max(1, columns))) / _NEAR)) for s in sets
    ]
    out: dict[str, float] = {}
    for name in dict.fromkeys(n for s in sets for n in s["results"]):
        found = [
            (w, (r["auc"] + r["ap"]) / 2)
            for w, r in zip(near, (s["results"].get(name, {}) for s in sets), strict=True)
            if r.get("auc") is not None and r.get("ap") is not None
        ]
        if len(found) >= _ENOUGH * len(sets):
            out[name] = sum(w * v for w, v in found) / sum(w for w, _ in found)
    return out


def best_first(merit: Mapping[str, float]) -> list[str]:
    """The best measured detectors of different families, then the others, best first."""
    return _families_first(sorted(merit, key=lambda n: -merit[n]))


def quickest_first(
    merit: Mapping[str, float], rows: int, columns: int, knowledge: Mapping[str, Any] | None
) -> list[str]:
    """The quickest of the detectors that are nearly as good as the best, of different families, then the others."""
    least = (1 - _BEHIND) * max(merit.values(), default=0.0)
    good = [n for n in merit if merit[n] >= least]

    def seconds(name: str) -> float:
        loading = 0.0 if lookup(name).native else _LOADING
        return loading + estimate_seconds(name, rows, columns, knowledge)

    good.sort(key=seconds)
    return list(dict.fromkeys([*_families_first(good), *best_first(merit)]))


def _families_first(ranked: Iterable[str]) -> list[str]:
    """The first of each family in order, then everything else: relatives see the same rows."""
    seen: set[str] = set()
    first: list[str] = []
    rest: list[str] = []
    for name in ranked:
        family = NOTES[name].category if name in NOTES else name
        (rest if family in seen else first).append(name)
        seen.add(family)
    return first + rest
