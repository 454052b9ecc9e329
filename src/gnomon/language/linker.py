"""What a word that no name of the data says may mean there: “travellers” the passengers, “chain” the restaurant.

Small networks over how near the word is to a name and to the values under it, how the meanings of both are related, where
the word stands and what the sentence loses without it. Learned by ``scripts/train_linker.py`` from questions over many tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embedding import get_encoder
from gnomon.embedding.relations import Relation, relate
from gnomon.language.idle_words import topics
from gnomon.language.logistic import probability
from gnomon.language.ood import read_arrays
from gnomon.language.small_nets import SmallNets
from gnomon.language.word_places import bases, place, said_of, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

WEIGHTS = Path(__file__).parent / "data" / "linker.npz"
MOST_NAMES = 400
MOST_VALUES = 4
_SHOWN = 60
_SHARED = 20.0
_RELATIONS = tuple(Relation)


class Sort(StrEnum):
    """What a name is a name of."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    ROWS = "rows"


@dataclass(frozen=True)
class Named:
    """Something in the data that words may mean.

    Args:
        label: What it is called, in words.
        sort: A column of numbers, texts or times, or the rows of a table.
        values: A few of the texts that a column holds; they are looked at here and go nowhere.
    """

    label: str
    sort: Sort
    values: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """A few of the values as one text; empty where there are none."""
        return ", ".join(self.values[:MOST_VALUES])[:_SHOWN]


class Linker:
    """Judges words of questions over one set of names.

    Args:
        names: All that words may mean.

    Raises:
        UnreadableSource: The learned weights are missing or damaged.
    """

    def __init__(self, names: Sequence[Named]) -> None:
        self._names = tuple(names)[:MOST_NAMES]

    def chances(self, question: str, word: str, unknown: int) -> list[float]:
        """How likely a word, one of so many ``unknown`` ones, means each of the names; those beyond the bound are left out."""
        if not self._names:
            return []
        encoder = get_encoder()
        asked = {t: encoder.encode_one(t).astype(np.float64) for t in said_in(question, word)}
        rows = features(question, word, self._names, unknown, {**self._vectors, **asked})
        middle, spread, nets = _learned()
        rows[:, : len(middle)] = (rows[:, : len(middle)] - middle) / spread
        return [probability(float(s)) for s in nets.scores(rows)]

    @cached_property
    def _vectors(self) -> dict[str, Array]:
        texts = list(dict.fromkeys(t for n in self._names for t in (n.label, n.shown) if t))
        found = get_encoder().encode(texts).astype(np.float64)
        return dict(zip(texts, found, strict=True))


def said_in(question: str, word: str) -> tuple[str, str, str]:
    """The texts of a question that are looked at for one of its words: all of it, what is left without it, the word."""
    return question, " ".join(question.replace(word, " ", 1).split()), word


def features(
    question: str, word: str, names: Sequence[Named], unknown: int, vectors: Mapping[str, Array]
) -> Array:
    """One row of numbers for each name: first what is scaled when it is learned from, then what both meanings share."""
    whole, rest, said = (vectors[text] for text in said_in(question, word))
    labels = [n.label for n in names]
    near = np.array([said @ vectors[label] for label in labels])
    order = [*np.sort(near)[::-1], 0.0]
    last = word.split()[-1].lower()
    there = [*place(question, last, labels), *topics(last)]
    spoken = said_of(question, last)
    rows: list[Array] = []
    for name, close in zip(names, near, strict=True):
        own = vectors[name.label]
        value = vectors[name.shown] if name.shown else np.zeros_like(own)
        parts = [not spoken.isdisjoint(bases(w)) for w in words_of(name.label)]
        told = [
            close, close - (order[1] if close >= order[0] else order[0]), close >= order[0], said @ value, whole @ own, rest @ own,
            whole @ value, whole @ rest, sum(parts) / max(1, len(parts)), any(parts), *(name.sort is s for s in Sort), unknown,
            len(word.split()), np.log(len(names)), *_related(word, name.label),
        ]  # fmt: skip
        rows.append(np.concatenate([np.array([*told, *there], dtype=np.float64), _SHARED * said * own]))
    return np.array(rows, dtype=np.float64)


def _related(word: str, label: str) -> list[float]:
    found = dict.fromkeys(_RELATIONS, 0.0)
    for one in word.lower().split():
        for other in words_of(label):
            for related in relate(one, other):
                found[related.relation] = max(found[related.relation], related.strength)
    return [*found.values()]


@cache
def _learned() -> tuple[Array, Array, SmallNets]:
    arrays = read_arrays(WEIGHTS)
    middle, spread = (arrays.pop(name).astype(np.float64) for name in ("middle", "spread"))
    return middle, spread, SmallNets.from_arrays(arrays)
