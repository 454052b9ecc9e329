"""Two common categories that hardly ever meet, as a column for detectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

AND: Final = " × "
_MOST_COLUMNS: Final = 12
_MOST_LEVELS: Final = 50
_EXPECTED: Final = 5.0
_SELDOM: Final = 0.1
_SHARE: Final = 0.01


@dataclass(frozen=True)
class Pair:
    """How much rarer the categories of two columns are together than their frequencies imply.

    Attributes:
        first: One column.
        second: The other.
        surprise: By pair of values, for pairs that were expected several times and are hardly seen.
    """

    first: str
    second: str
    surprise: Mapping[tuple[str, str], float]

    @property
    def name(self) -> str:
        """Both columns in one name."""
        return f"{self.first}{AND}{self.second}"

    def apply(self, frame: pd.DataFrame) -> np.ndarray:
        """One column: 0 for pairs that are no surprise."""
        both = zip(_texts(frame[self.first]), _texts(frame[self.second]), strict=True)
        return np.array([self.surprise.get(b, 0.0) for b in both]).reshape(-1, 1)


def odd_pairs(frame: pd.DataFrame, columns: Iterable[str]) -> list[Pair]:
    """The pairs of categorical columns in which a few rows combine what others do not."""
    coded = {c: np.unique(_texts(frame[c]), return_inverse=True) for c in list(columns)[:_MOST_COLUMNS]}
    coded = {c: v for c, v in coded.items() if 2 <= len(v[0]) <= _MOST_LEVELS}
    found: list[Pair] = []
    for a, b in combinations(coded, 2):
        (x_names, x), (y_names, y) = coded[a], coded[b]
        n = len(x)
        seen = np.zeros((len(x_names), len(y_names)))
        np.add.at(seen, (x, y), 1)
        expected = np.outer(np.bincount(x), np.bincount(y)) / n
        odd = (expected >= _EXPECTED) & (seen < _SELDOM * expected)
        if 0 < seen[odd].sum() <= max(_SHARE * n, 2):
            surprise = np.log(expected / np.maximum(seen, 0.5))
            at = np.argwhere(odd)
            said = {(str(x_names[i]), str(y_names[j])): float(surprise[i, j]) for i, j in at}
            found.append(Pair(a, b, said))
    return found


def sources(origins: Iterable[str]) -> list[str]:
    """The source columns behind matrix columns, each once."""
    return list(dict.fromkeys(part for origin in origins for part in origin.split(AND)))


def _texts(column: Any) -> np.ndarray:
    return column.astype(object).where(column.notna(), "(missing)").astype(str).to_numpy(dtype=str)
