"""What a gate knows before it sees any data: questions about tables in general, and requests that are none.

Both are kept as text and, encoded and learned from once by ``scripts/train_router.py``, as vectors and
weights: making them anew would take longer than fitting a gate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.language.router_head import RouterHead
from gnomon.language.router_questions import DATA, read_sections, training_questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

VECTORS = DATA / "exposure.npz"
HEAD = DATA / "exposure_head.npz"
FOLDS = 5
# Neighbouring lines of a file are alike: a fold takes them together, so that it is no easier than a new question.
LINES_TOGETHER = 5
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
    """General data questions and requests that are none, and a classifier that tells them apart.

    ``scores`` are its log-odds for "not about data", of the questions first and of the requests then, each
    by a classifier that did not see the text.
    """

    in_domain: Array
    negatives: Array
    scores: Array
    head: RouterHead


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
    """What ships, where it was made with the same encoder; made anew otherwise, which takes some seconds."""
    return load_shipped(encoder) or make_exposure(encoder)


def load_shipped(encoder: SentenceEncoder) -> Exposure | None:
    """What ships, where it was made with the same encoder."""
    first = exposure_texts()[0][0]
    with np.load(VECTORS, allow_pickle=False) as stored:
        if stored["in_domain"].shape[1] == encoder.dim:
            held = stored["in_domain"].astype(np.float64)
            if float(held[0] @ encoder.encode_one(first)) > SAME_ENCODER:
                negatives, scores = (stored[k].astype(np.float64) for k in ("negatives", "scores"))
                return Exposure(held, negatives, scores, RouterHead.load(HEAD))
    return None


def make_exposure(encoder: SentenceEncoder) -> Exposure:
    """Encode the shipped texts and learn to tell the two kinds apart."""
    in_domain, negatives = exposure_texts()
    texts = [*in_domain, *negatives]
    # Rounded as they are stored, so that what is made anew equals what ships.
    vectors = encoder.encode(texts).astype(np.float16).astype(np.float64)
    refused = np.arange(len(texts)) >= len(in_domain)
    fold_of = np.arange(len(texts)) // LINES_TOGETHER % FOLDS
    scores = np.empty(len(texts))
    for fold in range(FOLDS):
        rest = np.flatnonzero(fold_of != fold)
        head = RouterHead.fit([texts[i] for i in rest], vectors[rest], refused[rest])
        for i in np.flatnonzero(fold_of == fold):
            scores[i] = head.score(texts[i], vectors[i])
    head = RouterHead.fit(texts, vectors, refused)
    return Exposure(vectors[~refused], vectors[refused], scores, head)


def save_exposure(exposure: Exposure, vectors: Path = VECTORS, head: Path = HEAD) -> None:
    """Store what was made beside the texts that it was made from."""
    # Numbers like these hardly shrink, and every start would unpack them.
    np.savez(
        vectors,
        in_domain=exposure.in_domain.astype(np.float16),
        negatives=exposure.negatives.astype(np.float16),
        scores=exposure.scores.astype(np.float32),
        digest=np.array(texts_digest()),
    )
    exposure.head.save(head)
