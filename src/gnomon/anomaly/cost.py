"""How long a detector will take, before it is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gnomon.anomaly.registry import Entry, lookup

# Seconds: fixed, per row, per cell, per pair of fitted and scored rows. Measured costs in the knowledge
# file take precedence; these are deliberately on the high side.
_OURS: Final = (0.02, 4e-5, 2e-6, 0.0)
_LINEAR: Final = (2.0, 6e-5, 4e-6, 0.0)
_LEAST_PER_ROW: Final = 5e-6
_QUADRATIC: Final = (2.0, 1e-4, 2e-6, 1e-7)


def estimate_seconds(name: str, n: int, p: int, knowledge: Mapping[str, Any] | None = None) -> float:
    """Expected wall-clock seconds of fitting ``name`` to ``n`` rows of ``p`` columns.

    Args:
        name: A registered detector.
        n: Rows.
        p: Columns.
        knowledge: The knowledge base; its measured ``cost`` figures are used where it has them.
    """
    entry = lookup(name)
    fixed, row, cell, pair = _coefficients(entry, knowledge)
    fitted = min(n, entry.fit_rows or n)
    return fixed + row * n + cell * n * p + pair * fitted * n


def _coefficients(entry: Entry, knowledge: Mapping[str, Any] | None) -> Sequence[float]:
    measured = (knowledge or {}).get("costs", {}).get(entry.name)
    if measured:
        fixed, row, cell, pair = (float(v) for v in measured)
        # Measured on small tables, where a cost per row drowns in the fixed one.
        return fixed, max(row, 0.0 if entry.native or not fixed else _LEAST_PER_ROW), cell, pair
    if entry.native:
        return _OURS
    return _QUADRATIC if entry.fit_rows or entry.score_rows else _LINEAR
