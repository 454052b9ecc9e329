"""What stands out in a series: how far each value lies from what its place in the cycle and its neighbours let expect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon.analytics.inputs import Floats

_AROUND = 10  # values on either side that tell the level of a value
_MAD_TO_SD = 1.4826


def unexpected(values: Sequence[float], cycle: int = 0) -> Floats:
    """For each value, its distance from what was to be expected, in robust standard deviations with its sign.

    What was to be expected is the median of the values around it times (or plus, where values are not positive) what
    its place in the cycle usually adds. Medians are not moved by the values that stand out themselves.

    Args:
        values: The series, in order.
        cycle: How many values make a cycle, such as 7 for days of the week; 0 for none.
    """
    y = np.asarray(values, dtype=np.float64)
    if len(y) < 8:
        return np.zeros(len(y))
    # Amounts stray by a part of themselves; a series that touches zero does not have such a scale.
    scaled = bool((y > 0).all())
    x = np.log(y) if scaled else y
    rest = x - _level(x)
    if cycle and len(x) >= 4 * cycle:
        phase = np.arange(len(x)) % cycle
        usual = np.array([np.median(rest[phase == k]) for k in range(cycle)])
        flat = x - usual[phase]
        rest = flat - _level(flat)
    middle, shoulder = (float(q) for q in np.quantile(np.abs(rest), [0.5, 0.95]))
    # Where a twentieth of all values lies farther out than a bell has it, that is what this series does.
    spread = max(_MAD_TO_SD * middle, shoulder / 1.96)
    if spread == 0:
        spread = float(np.sqrt(np.mean(rest**2)))
    # Values that hardly vary at all make no outlier of a rounding error.
    least = 1e-3 if scaled else 1e-3 * float(np.median(np.abs(y)))
    return rest / max(spread, least) if max(spread, least) > 0 else np.zeros(len(x))


def _level(x: Floats) -> Floats:
    """The median of the values around each, itself left out."""
    made = np.empty(len(x))
    for i in range(len(x)):
        low, high = max(0, i - _AROUND), min(len(x), i + _AROUND + 1)
        made[i] = np.median(np.delete(x[low:high], i - low))
    return made
