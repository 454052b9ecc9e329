"""What a gate knows before it sees any data: questions about tables in general, and requests that are none.

Both are kept as text and, encoded once by ``scripts/train_router.py``, as vectors: encoding them anew would
take longer than fitting.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gnomon.language.router_questions import DATA, read_sections, training_questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

VECTORS = DATA / "exposure.npz"
# Two runs of one encoder differ by the rounding of the stored half-precision numbers, two encoders by far more.
SAME_ENCODER = 0.999


@dataclass(frozen=True)
class Negative:
    """A request that no table of the user's answers; ``kind`` says of what sort it is."""

    text: str
    split: str
    kind: str


@dataclass(frozen=True)
class Exposure:
    """Vectors of general data questions and of requests that are none."""

    in_domain: Array
    negatives: Array


@cache
def load_negatives() -> Sequence[Negative]:
    """Every shipped request that a gate should refuse: split ``train`` to learn from, ``test`` to measure with."""
    return tuple(Negative(text, split, kind) for text, split, kind in read_sections(DATA / "negatives.txt"))


def exposure_texts() -> tuple[Sequence[str], Sequence[str]]:
    """The texts behind the vectors: general data questions, and requests that are none."""
    return (
        tuple(q.text for q in training_questions()),
        tuple(n.text for n in load_negatives() if n.split == "train"),
    )


def texts_digest() -> str:
    """Changes whenever the shipped texts do."""
    joined = "\n\n".join("\n".join(texts) for texts in exposure_texts())
    return hashlib.sha256(joined.encode()).hexdigest()


def load_exposure(encoder: SentenceEncoder) -> Exposure:
    """The vectors under ``encoder``: the stored ones where they are of the same encoder, encoded anew otherwise."""
    in_domain, _ = exposure_texts()
    with np.load(VECTORS, allow_pickle=False) as stored:
        if stored["in_domain"].shape == (len(in_domain), encoder.dim):
            held = stored["in_domain"].astype(np.float64)
            if float(held[0] @ encoder.encode_one(in_domain[0])) > SAME_ENCODER:
                return Exposure(held, stored["negatives"].astype(np.float64))
    return encoded_exposure(encoder)


def encoded_exposure(encoder: SentenceEncoder) -> Exposure:
    """The vectors of the shipped texts, encoded now."""
    in_domain, negatives = exposure_texts()
    return Exposure(
        encoder.encode(in_domain).astype(np.float64), encoder.encode(negatives).astype(np.float64)
    )


def save_exposure(exposure: Exposure) -> None:
    """Store vectors beside the texts that they were made from."""
    np.savez_compressed(
        VECTORS,
        in_domain=exposure.in_domain.astype(np.float16),
        negatives=exposure.negatives.astype(np.float16),
        digest=np.array(texts_digest()),
    )
