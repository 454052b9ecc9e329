"""Whether texts are names of persons, judged by how they read: a header need not say so.

A linear judge over the vectors of the shipped encoder, trained by ``scripts/train_person_names.py``. It tells given and
family names of many cultures in Latin letters, in any order, with initials and titles, from names of other things; it
is sure of a column, not of a single cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.patterns import regex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = Path(__file__).parents[1] / "data" / "person_names.npz"
_SURE = 1.2
"""The mean of the cells, in log odds, from which on they are names of persons."""
_MOST = 0.8
_LATIN = r"[A-Za-zÀ-ɏḀ-ỿ]"
_SEVERAL_WORDS = regex(rf"{_LATIN}+(?:['’.-]{_LATIN}*)*(?:,? {_LATIN}+(?:['’.-]{_LATIN}*)*){{1,4}}")
_ONE_WORD = regex(r"[A-ZÀ-ÞŁŚŠŽČĆĐİŞÇĞŻŹ][a-zß-ɏḁ-ỿ]{2,}(?:['’-][^\W\d_]+)?")
_INITIAL = regex(r"\b[^\W\d_]\b\.?")
_ASIDE = regex(r"\s*[(\[<].*?[)\]>]\s*")
_SEVERAL = regex(r"\s*[;|/\n]\s*")


def are_persons(cells: Sequence[str]) -> bool:
    """Whether most of the texts could be names, and taken together read as those of persons."""
    said = [part for cell in cells for part in _SEVERAL.split(_ASIDE.sub(" ", cell).strip()) if part]
    names = [s for s in said if _SEVERAL_WORDS.fullmatch(s) or _ONE_WORD.fullmatch(s)]
    # Of "Store A", "Store B" and so on, nothing is left that tells them apart.
    whole = {_INITIAL.sub("", n) for n in names}
    if len(names) < _MOST * len(said) or 2 * len(whole) < len(names):
        return False
    return bool(names) and _judged(tuple(names)) >= _SURE


@lru_cache(maxsize=2048)
def _judged(names: tuple[str, ...]) -> float:
    from gnomon.embedding import get_encoder

    weights, intercept = _learned()
    odds = sorted((get_encoder().encode(names) @ weights).tolist())
    kept = odds[len(odds) // 4 :]  # beside persons there may be a "Helpdesk"
    return sum(kept) / len(kept) + intercept


@cache
def _learned() -> tuple[NDArray[np.float32], float]:
    import numpy as np

    with np.load(MODEL) as stored:
        return stored["weights"], float(stored["intercept"])
