"""The sentence encoder whose upper half learned the router's task, with the weights that read its vector."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.core.errors import UnreadableSource
from gnomon.language.ood import read_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

FOLDER = Path(__file__).parent / "data" / "tuned"


class TunedEncoder:
    """Log-odds that a question asks for a diagnosis, by a network made for nothing else.

    Args:
        folder: What ``scripts/finetune_encoder.py`` wrote.

    Raises:
        UnreadableSource: The folder's weights are missing or damaged.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        arrays = read_arrays(folder / "head.npz")
        try:
            self._weights: NDArray[np.float64] = arrays["weights"].astype(np.float64)
            self._offset = float(arrays["offset"])
        except KeyError as e:
            raise UnreadableSource(f"{folder} holds no tuned head: it lacks {e}.") from None

    @cached_property
    def encoder(self) -> SentenceEncoder:
        """The tuned network; its vectors are of no use for similarity."""
        from gnomon.embedding import get_encoder

        return get_encoder(self._folder)

    def score(self, text: str) -> float:
        """Log-odds of one question."""
        return self._offset + float(np.einsum("i,i->", self.encoder.encode_one(text), self._weights))


@cache
def shipped() -> TunedEncoder:
    """The one that ships, loaded once."""
    return TunedEncoder()
