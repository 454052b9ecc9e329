"""States told by what was done or not: “didn't start”, of a status DNS; “failed to show up”, of No-show; “turned up”, of Attended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.sides import denies, on_one_side, side_words
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, name_words, split_words
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

_HELPING = frozenset({"did", "do", "does", "has", "have", "had", "was", "were", "is", "are"})
_FAILED = frozenset({"failed", "fail", "fails", "failing"})
_BETWEEN = frozenset({"even", "actually", "simply", "ever", "yet", "just", "been", "to"})
_PARTICLES = frozenset({"up", "out", "in", "off", "through", "over", "away"})
_DENYING = (
    ("did", "not"),
    ("does", "not"),
    ("was", "not"),
    ("has", "not"),
    ("not",),
    ("no",),
    ("non",),
    ("never",),
)
_OF_WHOM = frozenset({"who", "that", "have", "has", "had", "never", "ever", "not"})
_ARE = frozenset({"is", "are", "was", "were", "been", "already", "fully"})
_SAME = 0.99
_SHORT = 4
_FEW = 40


def as_states(words: Sequence[Word], states: Sequence[tuple[str, ...]]) -> list[Word]:
    """The words with what was done, or not done, put as the one value of a category that tells it."""
    result: list[Word] = []
    i = 0
    while i < len(words):
        size, value = _at(words, i, states) if states else (1, None)
        if value is None:
            result.append(words[i])
        else:
            first, last = words[i], words[i + size - 1]
            spoken = split_words(value)
            result += [replace(w, start=first.start, end=last.end) for w in spoken]
        i += size
    return result


def states_of(model: SemanticModel, index: ValueIndex) -> list[tuple[str, ...]]:
    """The values of each category that has few of them."""
    columns = [d for d in model.dimensions if d.type is DimensionType.CATEGORY and not d.personal]
    few = [d for d in columns if (d.distinct or _FEW + 1) <= _FEW]
    return [tuple(str(v) for v in index.values(d.name)[:_FEW]) for d in few]


def _at(words: Sequence[Word], i: int, states: Sequence[tuple[str, ...]]) -> tuple[int, str | None]:
    """How many words tell a state here, and the value that it is."""
    begin = _denial(words, i)
    if begin is not None:
        while begin < len(words) and words[begin].lower in _BETWEEN:
            begin += 1
        for size in (2, 1):
            phrase = _phrase(words, begin, size)
            found = {v for held in states for v in held if phrase is not None and _says_no(phrase, v, held)}
            if len(found) == 1:
                return begin + size - i, found.pop()
        return 1, None
    phrase = _phrase(words, i, 2)
    if phrase is None or side_words(phrase) is None or (i and words[i - 1].lower in {"not", "never", "to"}):
        return 1, None
    found = {v for held in states for v in held if on_one_side(phrase, v)}
    return (2, found.pop()) if len(found) == 1 else (1, None)


def _denial(words: Sequence[Word], i: int) -> int | None:
    """Where the verb begins that is denied from here on: did not …, didn't …, not …, failed to …."""
    said = words[i].lower
    behind = words[i + 1].lower if i + 1 < len(words) else ""
    if said.endswith(("n't", "n’t")):
        return i + 1
    if said in _HELPING and behind == "not":
        return i + 2
    if said == "not":
        return i + 1
    return i + 2 if said in _FAILED and behind == "to" else None


def _phrase(words: Sequence[Word], at: int, size: int) -> str | None:
    """A verb, or a verb and its particle."""
    here = [w.lower for w in words[at : at + size]]
    if len(here) < size or not here or not any(part == "v" for _, part in get_lexicon().bases(here[0])):
        return None
    return " ".join(here) if size == 1 or here[1] in _PARTICLES else None


def _says_no(phrase: str, value: str, held: Sequence[str]) -> bool:
    """Whether a value tells that what the phrase says was not done; the other side of it, where none is called so."""
    if value.isupper() and len(value) <= _SHORT:
        return value.lower() == "dn" + "".join(w[0] for w in phrase.split())  # DNF: did not finish
    named = name_words(value)
    called = any(kindred(phrase.split()[0], w) for v in held for w in name_words(v)[:1])
    for denying in _DENYING:
        if named[: len(denying)] == denying and len(named) > len(denying):
            rest = " ".join(named[len(denying) :])
            return kindred(phrase.split()[0], rest.split()[0]) or (not called and on_one_side(phrase, rest))
    return side_words(phrase) is not None and not called and denies(phrase, value)


def told_by_states(items: Sequence[Item], words: Sequence[Word], model: SemanticModel) -> list[Item]:
    """“runners who finished”, of a status Finished beside a finish time: said of somebody, it is the state.

    So is “open” of a status Open beside a date “opened”, which is called otherwise.
    """
    dates = {d.name for d in model.dimensions if d.type is DimensionType.TIME}
    timed = any(item.time is not None for item in items)  # "invoices that were paid in May" go by the day
    for item in items:
        said = item.text.lower()
        state = any(v.kind == "exact" and str(v.value).lower() == said for v in item.values)
        if not state or not item.links or item.links[0].quality > _SAME:
            continue
        if not get_lexicon().is_participle(said):
            item.links = () if all(link.name in dates for link in item.links) else item.links
            continue
        before = words[item.start - 1].lower if item.start else ""
        named = any(x.end == item.start and x.links and before.endswith("s") for x in items)
        rows = any(x.start == item.end and x.named(LinkKind.TABLE) is not None for x in items)
        if before in _OF_WHOM or named or ((before in _ARE or rows) and not timed):
            item.links = ()
    return list(items)
