"""Rows that tell the average, the largest or another figure of the rows above: named so, and right in their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gnomon.data.summary_words import Statistic, statistic_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Labels = Sequence[tuple[str | None, ...]]

_NEARLY_ALL = 0.8
_SLACK = 0.006  # what is lost where an average is written with two decimals
_ROUNDED = frozenset({Statistic.MEAN, Statistic.MEDIAN, Statistic.DEVIATION})
"""Those that are often written with fewer digits than the cells above."""


def named_statistics(labels: Labels) -> dict[int, Statistic]:
    """The rows that are called an average, a largest value and so on, and what they are called."""
    width = len(labels[0]) if labels else 0
    known: dict[str, Statistic | None] = {}
    found: dict[int, Statistic] = {}
    for i, label in enumerate(labels):
        for text in label:
            if text is None or len(text) > 40:
                continue
            if text not in known:
                known[text] = statistic_of(text)
            if (statistic := known[text]) is not None:
                found[i] = statistic
    return found if width and len(found) * 2 < len(labels) else {}


def statistics_in(
    numbers: Numbers, labels: Labels, named: Mapping[int, Statistic], totals: Sequence[int]
) -> list[int]:
    """The rows among ``named`` whose numbers are that figure of all other rows, or of the rows just above them.

    A word can be a name too (Max): one such row alone has to leave a label empty that other rows have, or to be
    right in two columns that vary.
    """
    summaries = {*named, *totals}
    details = [i for i in range(len(numbers)) if i not in summaries]
    if len(details) < 2:
        return []
    filled = [
        k
        for k in range(len(labels[0]))
        if sum(labels[i][k] is not None for i in details) >= _NEARLY_ALL * len(details)
    ]
    mute = {i for i in named if any(labels[i][k] is None for k in filled)}
    right = {i: _varying(numbers, i, of, details, summaries, i in mute) for i, of in named.items()}
    found = [i for i, columns in right.items() if columns is not None]
    sure = len(found) > 1 and len({named[i] for i in found}) > 1
    return [
        i
        for i in found
        if sure
        or i in mute
        or (right[i] or 0) >= 2
        or (i in (0, len(numbers) - 1) and named[i] is Statistic.MEAN)
    ]


def _varying(
    numbers: Numbers, row: int, statistic: Statistic, details: Sequence[int], summaries: set[int], mute: bool
) -> int | None:
    """In how many columns that vary the row is right; None where it is not right in nearly all of its numbers."""
    import numpy as np

    above = row - 1
    while above in summaries:
        above -= 1
    block: list[int] = []
    while above >= 0 and above not in summaries:
        block.append(above)
        above -= 1
    for rows in (block, list(details)):
        if len(rows) < 2:
            continue
        own, others = numbers[row], numbers[rows]
        present = np.isfinite(own) & np.isfinite(others).any(axis=0)
        if not present.any():
            continue
        told = _figure(others[:, present], statistic)
        slack = np.maximum(_SLACK, 1e-4 * np.abs(told))
        if mute and statistic in _ROUNDED:
            slack = np.maximum(slack, _half_a_digit(own[present]))
        same = np.abs(own[present] - told) <= slack
        if same.mean() >= _NEARLY_ALL:
            spread = np.nanmax(others[:, present], axis=0) > np.nanmin(others[:, present], axis=0)
            return int((same & spread).sum())
    return None


def _half_a_digit(written: Numbers) -> Numbers:
    """Half of the last decimal that a number is written with, of none and of one."""
    import numpy as np

    return np.where(written == np.round(written), 0.501, np.where(written == np.round(written, 1), 0.0501, 0))


def _figure(others: Numbers, statistic: Statistic) -> Numbers:
    import numpy as np

    if statistic is Statistic.MEAN:
        return np.nanmean(others, axis=0)
    if statistic is Statistic.MAX:
        return np.nanmax(others, axis=0)
    if statistic is Statistic.MIN:
        return np.nanmin(others, axis=0)
    if statistic is Statistic.MEDIAN:
        return np.nanmedian(others, axis=0)
    if statistic is Statistic.COUNT:
        return np.isfinite(others).sum(axis=0).astype(float)
    return np.nanstd(others, axis=0, ddof=1)
