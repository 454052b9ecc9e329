"""What a word that no name of the data says may mean there: “travellers” the passengers, “chain” the restaurant.

Small networks over how near the word is to a name and to the values under it, how the meanings of both are related, where
the word stands and what the sentence loses without it; what they say of all names together tells whether the word means one
of them at all, or adds nothing, or what the data has not. Learned by ``scripts/train_linker.py`` from the labelled words of questions
over many schemas in ``scripts/word_meanings.txt``.
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
SENSES = Path(__file__).parent / "data" / "word_senses.npz"
MOST_NAMES = 400
MOST_VALUES = 4
_SHOWN = 60
_SHARED = 20.0
_RELATIONS = tuple(Relation)
# Where the features of a name have its sort, how many words are unknown and how many these are, and how meanings are related.
_SORTS, _COUNTS, _TIES = slice(10, 14), slice(14, 16), slice(17, 17 + len(_RELATIONS))
_NONE, _MEANING = -8.0, 4.0


class Sort(StrEnum):
    """What a name is a name of."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    ROWS = "rows"


class Sense(StrEnum):
    """What a word without a place may do in its question."""

    IDLE = "idle"
    MISSING = "missing"
    ROWS = "rows"
    COLUMN = "col"
    VALUE = "value"


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


@dataclass(frozen=True)
class Judged:
    """What a word may mean, with the chance of each; together with that of a meaning that the data has not, they are one.

    Args:
        names: That it means each of the names: a column as such, or the rows.
        values: That it is a value of each of the columns.
        idle: That it says no more than the rest of the question.
    """

    names: tuple[float, ...]
    values: tuple[float, ...]
    idle: float


class Linker:
    """Judges words of questions over one set of names.

    Args:
        names: All that words may mean.

    Raises:
        UnreadableSource: The learned weights are missing or damaged.
    """

    def __init__(self, names: Sequence[Named]) -> None:
        self._names = tuple(names)[:MOST_NAMES]

    def judged(self, question: str, word: str, unknown: int) -> Judged:
        """What a word, one of so many ``unknown`` ones, may mean; names beyond the bound are left out."""
        if not self._names:
            return Judged((), (), 0.0)
        encoder = get_encoder()
        asked = {t: encoder.encode_one(t).astype(np.float64) for t in said_in(question, word)}
        rows = features(question, word, self._names, unknown, {**self._vectors, **asked})
        middle, spread, nets = _learned()
        scaled = np.hstack([(rows[:, : len(middle)] - middle) / spread, rows[:, len(middle) :]])
        scores = nets.scores(scaled)
        _, rest, said = (asked[t] for t in said_in(question, word))
        chances = dict(zip(Sense, _weighed(together(rows, scores, said, rest)), strict=True))
        rowed = np.array([n.sort is Sort.ROWS for n in self._names])
        texts = np.array([n.sort is Sort.TEXT for n in self._names])
        names = chances[Sense.ROWS] * shared(scores, rowed) + chances[Sense.COLUMN] * shared(scores, ~rowed)
        values = chances[Sense.VALUE] * shared(scores, texts)
        return Judged(tuple(names.tolist()), tuple(values.tolist()), chances[Sense.IDLE])

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


def together(rows: Array, scores: Array, said: Array, rest: Array) -> Array:
    """What is known of a word over all names, as one row of numbers.

    Args:
        rows: The features of each name, unscaled.
        scores: What the networks say of each.
        said: The meaning of the word.
        rest: The meaning of its question without it.
    """
    sorts = rows[:, _SORTS].astype(bool)
    order = np.sort(scores)[::-1]
    top = rows[int(scores.argmax())]
    best = [
        float(scores[of].max()) if of.any() else _NONE
        for of in (sorts[:, 3], ~sorts[:, 3], sorts[:, 0], sorts[:, 1])
    ]
    some = np.log(sum(probability(float(s)) for s in scores) + 1e-6)
    gap = order[0] - order[1] if len(order) > 1 else 3.0
    told = [
        order[0],
        gap,
        *best,
        some,
        top[0],
        top[3],
        rows[:, 3].max(),
        *top[_COUNTS],
        *top[_TIES],
        *rows[:, _TIES].max(axis=0),
    ]
    return np.concatenate([told, rows[0, _TIES.stop : -len(said)], _MEANING * said, _MEANING * rest])


def _weighed(row: Array) -> list[float]:
    """The chance of each sense."""
    middle, spread, weights, offset = _learned_senses()
    odds = ((row - middle) / spread) @ weights + offset
    even = np.exp(odds - odds.max())
    return [float(c) for c in even / even.sum()]


def shared(scores: Array, among: NDArray[np.bool_]) -> Array:
    """One shared out among some of the names, by how likely each of them is meant."""
    if not among.any():
        return np.zeros_like(scores)
    even = np.where(among, np.exp(scores - scores[among].max()), 0.0)
    return even / even.sum()


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


@cache
def _learned_senses() -> tuple[Array, Array, Array, Array]:
    arrays = read_arrays(SENSES)
    middle, spread, weights, offset = (
        arrays[n].astype(np.float64) for n in ("middle", "spread", "weights", "offset")
    )
    return middle, spread, weights, offset
