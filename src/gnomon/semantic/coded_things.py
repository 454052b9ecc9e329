"""Whole numbers that stand for places, persons or groups: state 1 to 56, precinct 1 to 5, subject 1 to 94."""

from __future__ import annotations

from functools import cache

from gnomon.data import ColumnProfile
from gnomon.data.column_names import MONEY, MONEY_MAYBE, PERCENT, QUANTITY, SHARE
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.labels import full_words
from gnomon.semantic.model import singular
from gnomon.semantic.vocabulary import vocabulary

_ANIMAL, _ARTIFACT, _GROUP, _LOCATION, _PERSON = 5, 6, 14, 15, 18  # topics of the lexicon's nouns
_THINGS = (_ANIMAL, _GROUP, _LOCATION, _PERSON)
_MEASURED = (
    7,
    19,
    21,
    22,
    23,
    26,
    28,
)  # attributes, phenomena, possessions, processes, quantities, states, times
_MOSTLY = 0.6
_HALF = 0.5
_FEW = 7
_MANY = 20
_LARGE = 1000  # smaller ones may be steps of a scale
_GAPS = 1.25
_YEARS = (1500, 2200)
_SCALE = 11  # as many values as people mark on a scale
_OFF_CENTRE = 0.2
_SPREAD = (0.2, 0.4)  # of even numbers, the standard deviation is 0.29 of their range


def codes_things(column: ColumnProfile, rows: int) -> bool:
    """Whether whole numbers only tell things apart: called after one, each met again, all about as often.

    What is counted or measured gathers about its usual size (the years of ``school``, the size of a ``family``);
    numbers that were given out one after the other do not.

    Args:
        column: A column of whole numbers.
        rows: How many rows have a value.
    """
    words = full_words(column.name)
    if not words or len(words) > 2 or column.distinct < 3 or rows < 2 * column.distinct:
        return False
    if column.mean is None or column.stddev is None:
        return False
    topics = (_ANIMAL, _LOCATION, _PERSON) if column.distinct <= _SCALE else _THINGS
    low, high = float(column.minimum), float(column.maximum)
    if low == 1 and column.distinct == high > _FEW:
        topics = (*_THINGS, _ARTIFACT)  # store 1 to 12, none left out
    even = abs(column.mean - (low + high) / 2) <= _OFF_CENTRE * (high - low)
    spread = _SPREAD[0] <= column.stddev / (high - low) <= _SPREAD[1]
    return even and spread and low >= 1 and _is_thing(words[-1], topics)


def numbers_things(column: ColumnProfile, rows: int) -> bool:
    """Whether whole numbers of which no two rows have the same are called after a place or person: district 75119.

    Whatever they are called, so are those that were given out one after the other from a large one: 100,001, 100,002 …

    Args:
        column: A column of whole numbers.
        rows: How many rows have a value.
    """
    if _were_given_out(column, rows):
        return True
    words = full_words(column.name)
    alone = len(words) == 1 and rows == column.distinct >= _SCALE and column.distinct_exact
    return alone and float(column.minimum) >= 1 and _is_thing(words[0], (_LOCATION, _PERSON))


def _were_given_out(column: ColumnProfile, rows: int) -> bool:
    """Whether numbers follow each other with few gaps, each once: amounts as many as these would meet some value twice."""
    if not column.distinct_exact or rows != column.distinct or rows < _MANY or column.nulls:
        return False
    known, words = vocabulary(), full_words(column.name)
    if {*words} & (known.intensive | known.flows | known.stocks):
        return False  # it is called what is measured
    low, high = float(column.minimum), float(column.maximum)
    years = _YEARS[0] <= low and high <= _YEARS[1]
    return low >= _LARGE and high - low < _GAPS * rows and not years


@cache
def is_quantity(word: str) -> bool:
    """Whether a word in the singular mostly names what is measured or owned: temperature, rainfall, donation."""
    known, lexicon = vocabulary(), get_lexicon()
    if (
        word
        in known.intensive | known.flows | known.stocks | QUANTITY | MONEY | MONEY_MAYBE | PERCENT | SHARE
    ):
        return True
    nouns = [(s.share, lexicon.synset(s.synset).topic) for s in lexicon.entry(word).senses if s.part == "n"]
    share = sum(share for share, _ in nouns)
    return bool(nouns) and sum(n for n, topic in nouns if topic in _MEASURED) >= _HALF * share


@cache
def _is_thing(word: str, topics: tuple[int, ...]) -> bool:
    """Whether a word in the singular mostly names things of these kinds."""
    known, lexicon = vocabulary(), get_lexicon()
    figures = known.intensive | known.flows | known.stocks | {"area"}
    if len(word) < 3 or word != singular(word) or word in figures:
        return False
    nouns = [(s.share, lexicon.synset(s.synset).topic) for s in lexicon.entry(word).senses if s.part == "n"]
    share = sum(share for share, _ in nouns)
    return share > 0.5 and sum(n for n, topic in nouns if topic in topics) >= _MOSTLY * share
