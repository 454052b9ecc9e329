"""Whether a word that names nothing in the data still asks for something: “cancelled orders” does, “orders placed” does not.

Two small networks over what the word means, where it stands, how it is related to the headings, and what the sentence
loses without it. Learned by ``scripts/train_idle_words.py`` from labelled questions over many made-up schemas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding import get_encoder
from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.logistic import probability
from gnomon.language.ood import read_arrays
from gnomon.language.small_nets import SmallNets
from gnomon.language.word_places import mentioned, place, relations, with_particle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

WEIGHTS = Path(__file__).parent / "data" / "idle_words.npz"
TOPICS = 46
MAX_COLUMNS = 60
# How large the parts are beside each other, so that none is learned before the others.
_MEANING, _SHARED, _TOPIC, _RELATED = 10.0, 60.0, 2.0, 2.0
_MIDDLE, _NEARNESS = 0.5, 6.0


@dataclass(frozen=True)
class Asked:
    """A word of a question over tables with these headings."""

    question: str
    word: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]


def features(asked: Sequence[Asked]) -> Array:
    """One row of numbers for each word."""
    words = _vectors([with_particle(a.question, a.word) for a in asked])
    whole = _vectors([a.question for a in asked])
    rest = _vectors([_without(a.question, a.word) for a in asked])
    schemas = _vectors([f"{', '.join(a.tables)}: {', '.join(map(_plain, a.columns))}" for a in asked])
    rows = [
        np.concatenate([
            _MEANING * w,
            _NEARNESS * (np.array([*_nearness(w, a), w @ s, w @ q, q @ r, q @ s, r @ s]) - _MIDDLE),
            _TOPIC * topics(a.word),
            _MEANING * (q - r),
            _SHARED * w * s,
            place(a.question, a.word, (*a.columns, *a.tables)),
            _RELATED * np.array(relations(a.question, a.word, a.columns, a.tables)),
        ])
        for a, w, q, r, s in zip(asked, words, whole, rest, schemas, strict=True)
    ]  # fmt: skip
    return np.array(rows, dtype=np.float64)


class IdleWords:
    """Judges words of questions over one set of tables.

    Args:
        tables: What the tables are called.
        columns: Their headings.

    Raises:
        UnreadableSource: The learned weights are missing or damaged.
    """

    def __init__(self, tables: Sequence[str], columns: Sequence[str]) -> None:
        self._tables = tuple(tables)
        self._columns = tuple(columns)[:MAX_COLUMNS]

    def adds(self, question: str, word: str) -> float:
        """The probability that leaving ``word`` out would change what is asked for."""
        row = features([Asked(question, word, self._tables, self._columns)])
        return probability(float(_nets().scores(row)[0]))


@cache
def _nets() -> SmallNets:
    return SmallNets.from_arrays(read_arrays(WEIGHTS))


def _vectors(texts: Sequence[str]) -> Array:
    """Vectors in the order given; what is asked about often is remembered by the encoder."""
    encoder = get_encoder()
    if len(texts) == 1:
        return encoder.encode_one(texts[0]).astype(np.float64)[None, :]
    known = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return encoder.encode(list(known)).astype(np.float64)[[known[text] for text in texts]]


def _nearness(word: Array, asked: Asked) -> list[float]:
    """How near the word is to the nearest headings, to all of them, to the tables, and to what the question names."""
    columns = np.sort([float(word @ _heading(c)) for c in asked.columns] or [0.0])[::-1]
    tables = [float(word @ _heading(t)) for t in asked.tables] or [0.0]
    named = mentioned(asked.question, asked.word, (*asked.columns, *asked.tables))
    spoken = [float(word @ _heading(h)) for h in named] or [0.0]
    return [columns[0], columns[min(1, len(columns) - 1)], float(columns.mean()), max(tables), max(spoken),
            sum(spoken) / len(spoken), float(bool(named))]  # fmt: skip


def _heading(name: str) -> Array:
    return get_encoder().encode_one(_plain(name)).astype(np.float64)


def _plain(heading: str) -> str:
    return heading.replace("_", " ")


def _without(question: str, word: str) -> str:
    return re.sub(rf"\b{re.escape(word)}\b ?", "", question, count=1, flags=re.IGNORECASE)


def topics(word: str) -> Array:
    """What fields the meanings of a word belong to: motion, possession, time, people …"""
    lexicon, found = get_lexicon(), np.zeros(TOPICS)
    for base, part in lexicon.bases(word):
        for sense in lexicon.entry(base).senses:
            if sense.part == part:
                found[lexicon.synset(sense.synset).topic] += sense.share
    return found / found.sum() if found.sum() else found
