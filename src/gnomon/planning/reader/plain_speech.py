"""Everyday turns of speech put plainly: nobody noted it, left empty, a bigger part of, belongs to no club, came from people who."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.time_words import UNITS
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.words import Word, stem

_NOBODY = (("nobody",), ("no", "one"), ("no", "-", "one"), ("noone",))
# What is done to put a value down; not done, the value is missing.
_PUT_DOWN = frozenset({"note", "record", "enter", "log", "write", "fill", "register", "state", "specify", "measure", "take", "put", "give", "jot"})  # fmt: skip
_PARTICLES = frozenset({"down", "in", "out"})
_LEFT = frozenset({"left", "stayed", "remained", "stands", "stood", "stays", "remains", "still"})
_BLANK = frozenset({"empty", "blank", "unfilled"})
_GRADED = frozenset({"bigger", "larger", "smaller", "greater", "higher", "lower", "biggest", "largest", "smallest"})  # fmt: skip
_PARTS = frozenset({"part", "portion", "chunk", "slice"})
_DENIED = frozenset({"don't", "doesn't", "didn't", "not", "aren't", "isn't", "weren't", "wasn't", "never"})
_HELPING = frozenset({"do", "does", "did", "is", "are", "was", "were"})
_BELONGING = (
    ("belong", "to"), ("a", "member", "of"), ("members", "of"), ("member", "of"), ("part", "of"), ("in",), ("with",),
    ("assigned", "to"), ("attached", "to"), ("linked", "to"), ("under",),
)  # fmt: skip
_SOURCES = frozenset({"come", "comes", "came", "coming", "made", "placed", "submitted", "sent", "were", "are", "was", "is"})  # fmt: skip
_ANYBODY = frozenset({"people", "persons", "individuals", "folks", "those", "someone", "somebody", "anyone", "anybody"})  # fmt: skip
_SELLING = frozenset({"sell", "sells", "sold", "go", "goes", "went"})
_MUCH = frozenset({"more", "less", "over", "under", "at", "between", "above", "below"})
_MOVING = frozenset(
    {"change", "changed", "develop", "developed", "evolve", "evolved", "move", "moved", "progress"}
)
_TELLING = frozenset({"who", "that", "with", "without", "whose"})


def plainly_said(words: Sequence[Word]) -> list[Word]:
    """The words with such turns put plainly."""
    steps: tuple[Callable[[list[Word]], list[Word]], ...] = (
        _one_by_one,
        _one_to_the_next,
        _unnoted,
        _blank,
        _shares,
        _over_all,
        _sources,
        _belonging,
        _done_by,
        _sold_for,
        _both_ways,
        _given,
    )
    said = list(words)
    for step in steps:
        said = step(said)
    return said


def _put(words: list[Word], start: int, end: int, plain: str) -> list[Word]:
    """The words with those from ``start`` to ``end`` said in one."""
    first, last = words[start], words[end - 1]
    return [*words[:start], Word(plain, plain, stem(plain), first.start, last.end, "word"), *words[end:]]


def _one_by_one(words: list[Word]) -> list[Word]:
    """“region by region, which …”: for each region; periods one by one are a series of their own."""
    said = [w.lower for w in words]
    doubled = len(said) > 4 and said[1] == "by" and said[0] == said[2] and said[0] not in UNITS
    if not doubled:
        return words
    first, joint, last = words[:3]
    each = Word("for", "for", "for", first.start, first.end, "word")
    every = Word("each", "each", "each", joint.start, joint.end, "word")
    return [each, every, last, *words[3:]]


def _one_to_the_next(words: list[Word]) -> list[Word]:
    """“how did marks change from session to session”: how they vary by session; periods are a series of their own."""
    said = [w.lower for w in words]
    for i in range(len(said) - 3):
        at = i + 2 if said[i + 1] == "one" else i + 1
        ends = (["to", "the", "next"], ["to", "another"]) if said[i + 1] == "one" else (["to", said[at]],)
        rest = next((len(e) for e in ends if said[at + 1 :][: len(e)] == e), None)
        if said[i] != "from" or rest is None or said[at] in UNITS:
            continue
        by = _put(words[: i + 1], i, i + 1, "by")
        by = _put(by, i - 1, i, "vary") if i and said[i - 1] in _MOVING else by
        return [*by, words[at], *words[at + 1 + rest :]]
    return words


def _unnoted(words: list[Word]) -> list[Word]:
    """“where nobody noted a figure”, “no one has filled in the age”: the figure is missing."""
    said = [w.lower for w in words]
    for i in range(len(said) - 2):
        nobody = next((n for n in _NOBODY if tuple(said[i : i + len(n)]) == n), None)
        if nobody is None:
            continue
        at = i + len(nobody)
        at += said[at : at + 1] != [] and said[at] in {"has", "have", "had", "ever", "bothered"}
        verbs = (
            {base for base, part in get_lexicon().bases(said[at]) if part == "v"} if at < len(said) else set()
        )
        if not verbs & _PUT_DOWN:
            continue
        end = at + 1 + (at + 1 < len(said) and said[at + 1] in _PARTICLES)
        return _put(words, i, end, "missing")
    return words


def _blank(words: list[Word]) -> list[Word]:
    """“is left empty”: it is empty."""
    said = [w.lower for w in words]
    idle = [i for i in range(len(said) - 1) if said[i] in _LEFT and said[i + 1] in _BLANK]
    return [w for i, w in enumerate(words) if i not in idle]


def _shares(words: list[Word]) -> list[Word]:
    """“make up a bigger part of the entries”: a bigger share of them."""
    said = [w.lower for w in words]
    for i in range(1, len(said) - 1):
        if said[i] in _PARTS and said[i + 1] == "of" and said[i - 1] in _GRADED:
            return _put(words, i, i + 1, "share")
    return words


def _over_all(words: list[Word]) -> list[Word]:
    """“the average age over all entries”: of all of them, no bound."""
    said = [w.lower for w in words]
    for i in range(1, len(said) - 2):
        if said[i : i + 2] == ["over", "all"] and words[i + 2].kind == "word":
            return _put(words, i, i + 1, "across")
    return words


def _sources(words: list[Word]) -> list[Word]:
    """“entries came from people who …”, “made by those without …”: what is said of them holds for the rows."""
    said = [w.lower for w in words]
    for i in range(1, len(said) - 3):
        passed_on = said[i] in _SOURCES and said[i + 1] in {"from", "by"}
        if passed_on and said[i + 2] in _ANYBODY and said[i + 3] in _TELLING:
            end = i + 3 + (said[i + 3] in {"who", "that"})
            return [*words[:i], *words[end:]]
    return words


def _done_by(words: list[Word]) -> list[Word]:
    """“how many loans are by students”: those of students, and no table by what they are."""
    said = [w.lower for w in words]
    for i in range(1, len(said) - 2):
        persons = said[i + 2].endswith("s") and is_person_noun(said[i + 2].removesuffix("s"))
        if said[i] in {"are", "were", "is", "was"} and said[i + 1] == "by" and persons:
            return _put(words, i + 1, i + 2, "from")
    return words


def _belonging(words: list[Word]) -> list[Word]:
    """“who don't belong to any club”, “are not in any team”: who are without one."""
    said = [w.lower for w in words]
    for i in range(len(said) - 2):
        if said[i] not in _DENIED:
            continue
        tie = next((b for b in _BELONGING if tuple(said[i + 1 : i + 1 + len(b)]) == b), None)
        end = i + 1 + len(tie) if tie is not None else i
        sure = tie is not None and (said[end : end + 1] == ["any"] or tie == ("belong", "to"))
        if sure and said[end : end + 1] and said[end] in {"any", "a", "an"}:
            start = i - 1 if i and said[i] in {"not", "never"} and said[i - 1] in _HELPING else i
            start -= start > 0 and said[start - 1] in {"who", "that"}
            return _put(words, start, end + 1, "without")
    return words


def _sold_for(words: list[Word]) -> list[Word]:
    """“sell for more than the others”, “went for under 500”: what it is sold for is what it costs."""
    said = [w.lower for w in words]
    for i in range(len(said) - 2):
        if (
            said[i] in _SELLING
            and said[i + 1] == "for"
            and (said[i + 2] in _MUCH or said[i + 2][0].isdigit())
        ):
            return _put(words, i, i + 2, "fetch")
    return words


_JOINTS = frozenset({"and", "or", "than", "vs", "versus"})


def _both_ways(words: list[Word]) -> list[Word]:
    """“churn with and without a plan”: for each of the two."""
    said = [w.lower for w in words]
    for i in range(len(said) - 3):
        if said[i] == "with" and said[i + 1] in _JOINTS and said[i + 2] == "without":
            return _put(words, i, i + 3 + (said[i + 3] in {"a", "an", "the", "any"}), "by")
    return words


def _given(words: list[Word]) -> list[Word]:
    """“do members give more than others”, “who gives the most”: what is given away, and no order to tell something."""
    said = [w.lower for w in words]
    for i in range(1, len(said) - 1):
        much = said[i + 1] in {"more", "less", "most", "least"} or said[i + 1 : i + 3] in (
            ["the", "most"],
            ["the", "least"],
        )
        asked = said[0] in {"do", "does", "did", "who", "which"}
        if said[i] in {"give", "gives", "gave"} and asked and much:
            return _put(words, i, i + 1, "donate")
    return words
