"""The gate of opened data: what plainly asks about data passes at once, the rest meets a gate fitted to that data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import UnreadableSource
from gnomon.language.exposure import load_shipped, texts_digest
from gnomon.language.judgements import OODResult
from gnomon.language.logistic import LogisticHead
from gnomon.language.ood import OODDetector, read_arrays
from gnomon.language.ood_fit import fit_gate
from gnomon.language.ood_gate import Gate
from gnomon.language.router_questions import DATA

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

GENERAL = DATA / "general_gate.npz"
# Log-odds: of a thousand texts over ten schemas, a fitted gate refused none that lay so far on the safe side of
# the general one; the nearest two lay 0.06 from its limit.
MARGIN = 0.5


class DataGate:
    """Judges by the general gate where that lets a text pass with ease, and else by one fitted to the data.

    Fitting takes most of a second and most questions are plain, so it waits for the first that is not.

    Args:
        general: A gate that has seen no data.
        fit: Makes the gate of the data.
    """

    def __init__(self, general: Gate, fit: Callable[[], Gate]) -> None:
        self._general = general
        self._fit = fit
        self._own: Gate | None = None
        self._fitting = threading.Lock()

    @property
    def own(self) -> Gate:
        """The gate of the data, fitted where it was not yet."""
        with self._fitting:
            if self._own is None:
                self._own = self._fit()
            return self._own

    def judge(self, question: str | NDArray[Any]) -> OODResult:
        """Whether a question, or its vector, is to be refused."""
        found, beyond = self._general.weigh(question)
        return found if _is_plain(found, beyond) else self.own.judge(question)

    def passes_at_once(self, question: str) -> bool:
        """Whether a question passes without a look at the data."""
        return _is_plain(*self._general.weigh(question))


def _is_plain(found: OODResult, beyond: float) -> bool:
    return beyond < -MARGIN and not found.is_out_of_domain


def gate_of(
    questions: Callable[[], Sequence[str]], cache_dir: Path | None, encoder: SentenceEncoder
) -> DataGate:
    """The gate of a data set.

    Args:
        questions: Makes questions about the data from its own names; called when they are needed.
        cache_dir: Folder for fitted gates; nothing is kept without it.
        encoder: Turns texts into vectors.
    """
    general = general_gate(encoder) or fit_gate([], cache_dir, encoder)
    return DataGate(general, lambda: fit_gate(questions(), cache_dir, encoder))


@lru_cache(maxsize=4)
def general_gate(encoder: SentenceEncoder) -> Gate | None:
    """The shipped gate that has seen no data; None for another encoder than it was made with, or other texts."""
    exposure = load_shipped(encoder)
    if exposure is None:
        return None
    arrays = read_arrays(GENERAL)
    try:
        if str(arrays["digest"]) != texts_digest():
            return None
        *weights, offset, limit = (float(v) for v in arrays["judge"])
        detector = OODDetector.from_arrays(arrays, encoder)
    except (KeyError, ValueError) as e:
        raise UnreadableSource(f"{GENERAL} is not a saved gate: {e}") from None
    judge = LogisticHead(np.array(weights), offset)
    return Gate(detector, exposure.head, exposure.in_domain, exposure.negatives, judge, limit)


def save_general(encoder: SentenceEncoder, path: Path = GENERAL) -> None:
    """Fit the gate that has seen no data, and store what the shipped vectors do not say already."""
    gate = fit_gate([], None, encoder)
    weights = {k: gate.detector.to_arrays()[k].astype(np.float32) for k in ("w1", "b1", "w2", "b2")}
    border, fingerprint = (gate.detector.to_arrays()[k] for k in ("border", "fingerprint"))
    np.savez_compressed(
        path,
        **weights,
        border=border,
        fingerprint=fingerprint,
        judge=gate.weights(),
        digest=np.array(texts_digest()),
    )
