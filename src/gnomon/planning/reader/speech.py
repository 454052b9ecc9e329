"""What people say around a question: who needs it and for what, slips that they put right, words that set the scene."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.operators import FILLERS, Op, operator_words
from gnomon.planning.reader.words import Word, is_known_word, stem

_SPEAKERS = vocabulary("i i'm i'd i've i'll im we we're we've we'd we'll my our")
_OTHERS = vocabulary("they they're they'll they'd they've he he's she she's it's you you're someone somebody")
_POINTING = vocabulary("them those these ones one it they")
_OPENING = vocabulary("what which how who whom whose when where why show list give tell what's")
_REQUESTS = vocabulary(
    "need needs want wants like love know see show tell give get find learn hear check ask asks asked asking wonder "
    "wondering require requires look looking interested curious"
)
_JOINTS = vocabulary("and but so because since as while")
_CONDITIONS = (
    Op.EXCLUDE, Op.ONLY, Op.COMPARE_NUMBER, Op.OR_MORE, Op.BETWEEN, Op.OUTSIDE, Op.MISSING, Op.WITHOUT, Op.SIGN, Op.CONTAINS,
)  # fmt: skip
_NARROWING = (
    *_CONDITIONS, Op.NOT, Op.RANK, Op.EQUALS, Op.SHARE, Op.KIND, Op.COUNT, Op.AGGREGATE, Op.DISTINCT, Op.EACH, Op.BY, Op.PER,
)  # fmt: skip
# A whole that everything in the data belongs to, so that naming it leaves nothing out.
_WHOLES = vocabulary(
    "assortment catalogue catalog portfolio lineup collection shop store business company firm organisation organization "
    "enterprise database dataset records books inventory spreadsheet sheet file system world outfit operation"
)
# For whom or for what somebody asks.
_OCCASIONS = vocabulary(
    "board boss manager management team meeting presentation report deck slide slides ceo cfo coo director directors "
    "colleague colleagues investors newsletter homework paper article dashboard talk call review audit memo email "
    "monthly weekly quarterly annual"
)
_DETERMINERS = vocabulary("the our my this your an a")
_MARKS = regex(r"[.,;:?!()–—…]|\s-\s")
_REPAIR = regex(
    r"(?:\.{2,}|…|,|–|—|\s-)\s*(?:(?:oh|ah|um|er|uh)[, ]+)?(?:no[, ]+(?:wait|sorry|actually)?|sorry|wait|scratch that|"
    r"i mean|i meant|i should say|make that|correction|rather|or rather)\b[, .…:–—-]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Aside:
    """Words of the question that ask nothing, as they were written."""

    text: str
    start: int
    end: int


def repaired(question: str, words: Sequence[Word]) -> tuple[list[Word], str]:
    """The words without a slip that was put right, and the slip as it was said.

    “with the most refunds… sorry, with the most orders”: what was put right begins with the word that the repair
    begins with; without such a word nothing is taken back.
    """
    for match in _REPAIR.finditer(question):
        before = [i for i, w in enumerate(words) if w.end <= match.start()]
        behind = [i for i, w in enumerate(words) if w.start >= match.end()]
        if not before or not behind:
            continue
        first = words[behind[0]].lower
        begins = next((i for i in reversed(before) if words[i].lower == first), None)
        if begins is None or (first in FILLERS and len(before) - begins > 8):
            continue
        slip = question[words[begins].start : words[before[-1]].end]
        return [*words[:begins], *words[behind[0] :]], slip
    return list(words), ""


def asides(question: str, words: Sequence[Word], cover: Sequence[Item]) -> list[Aside]:
    """The clauses that say nothing of the data and put no condition on it: who asks, what for, thanks.

    A clause counts only where another one speaks of the data, where somebody speaks of themselves, and where it
    does not point at what the others speak of (“they were cancelled”, “I mean the cancelled ones”).
    """
    clauses = _clauses(question, words)
    bound = {i for item in cover if _is_of_data(item) for i in range(item.start, item.end)}
    told = {op: _places(cover, op) for op in (_CONDITIONS, _NARROWING)}
    telling = [n for n, (a, b) in enumerate(clauses) if bound & set(range(a, b))]
    found = [
        Aside(question[words[a].start : words[b - 1].end], a, b) for a, b in _messengers(question, words)
        if any(clause[0] >= b for n, clause in enumerate(clauses) if n in telling)
    ]  # fmt: skip
    for n, (a, b) in enumerate(clauses):
        if not telling or n in telling:
            continue
        leads = (
            n < telling[0]
        )  # before anything is named, "most grateful" and "not sure" are about nobody's data
        limits = told[_CONDITIONS if leads else _NARROWING] & set(range(a, b))
        ranks = any(item.op(Op.RANK) and a <= item.start < b for item in cover)
        asking = ranks and bool(
            {w.lower for w in words[max(0, a - 1) : a + 1]} & {"tell", "show", "give", "list", "name"}
        )
        asking |= ranks and b < len(words) and words[b].lower == ":"  # "our biggest payout: number, region"
        if limits or asking or not _is_personal(words[a:b], leads):
            continue
        found.append(Aside(question[words[a].start : words[b - 1].end], a, b))
    return found


_ASKS_FOR = vocabulary("wants wanted needs asks asked asking wonders wondered requires requested insists")


def _messengers(question: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """“My accountant wants to know …”, “the board asked for …”: who sent the asker, up to what they ask for."""
    found: list[tuple[int, int]] = []
    for i, word in enumerate(words):
        if word.lower not in _ASKS_FOR:
            continue
        begin = i
        while begin > 0 and not _MARKS.search(question[words[begin - 1].end : words[begin].start]):
            begin -= 1
        said = {w.lower for w in words[begin:i]}
        following = words[i + 1].lower if i + 1 < len(words) else ""
        passed_on = following in {"to", "for", "about", "whether", "if", "me", "us", "what", "how", "which"}
        if 0 < i - begin <= 4 and not said & (_OPENING | {"of", "in", "by"}) and passed_on:
            found.append((begin, i + 1))
    return found


def _places(cover: Sequence[Item], wanted: tuple[Op, ...]) -> set[int]:
    return {i for item in cover if item.op(*wanted) for i in range(item.start, item.end)}


def beside(cover: Sequence[Item], spoken: Sequence[Aside]) -> list[Item]:
    """The items that stand outside of asides; the time of an aside stays where no other time is named."""
    inside = {i for aside in spoken for i in range(aside.start, aside.end)}
    timed = any(item.time and item.start not in inside for item in cover)
    return [item for item in cover if item.start not in inside or (item.time and not timed)]


def scenes(words: Sequence[Word], cover: Sequence[Item]) -> list[Aside]:
    """Phrases that only set the scene: “in our assortment”, “for the board meeting”.

    The noun stands behind a preposition and the, our, my or this, and names the whole that the data is about, or an
    occasion behind “for”. A name or a further noun beside it narrows, and keeps its say.
    """
    taken = {i for item in cover if _is_of_data(item) for i in range(item.start, item.end)}
    found: list[Aside] = []
    for i, word in enumerate(words[:-1]):
        if word.lower not in {"in", "on", "at", "from", "within", "across", "for", "to", "throughout"}:
            continue
        end = i + 1
        while end < len(words) and words[end].lower in _DETERMINERS:
            end += 1
        first = end
        known = _OCCASIONS if word.lower in {"for", "to", "at", "in"} else frozenset[str]()
        while end < len(words) and end not in taken and words[end].lower in _WHOLES | known:
            end += 1
        if first == i + 1 or end == first or any(x in taken for x in range(first, end)):
            continue
        found.append(Aside(" ".join(w.text for w in words[i:end]), i, end))
    return found


def _is_of_data(item: Item) -> bool:
    return bool(
        item.links or item.values or item.association or item.literal or (item.number and not item.time)
    )


def _clauses(question: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where clauses begin: behind marks, at “and” before a new subject or request, and behind a request."""
    cuts = {0}
    for i in range(1, len(words)):
        gap = question[words[i - 1].end : words[i].start]
        if _MARKS.search(gap) or words[i - 1].kind == "symbol":
            cuts.add(i)
        here, before = words[i].lower, words[i - 1].lower
        following = words[i + 1].lower if i + 1 < len(words) else ""
        if here in _JOINTS and following in _SPEAKERS | _OTHERS | _REQUESTS:
            cuts.add(i)
        if here in _OPENING and before not in {"of", "in", "for", "by"}:
            cuts.add(i)
        if (before in _REQUESTS or before in _ASKS_FOR) and here not in _REQUESTS:
            cuts.add(i)
    places = sorted(cuts)
    return list(zip(places, [*places[1:], len(words)], strict=True))


def _is_personal(clause: Sequence[Word], leads: bool) -> bool:
    """Whether somebody speaks of themselves here, and of nothing that other clauses speak of."""
    said = [w.lower for w in clause if w.kind == "word"]
    said = said[1:] if said and said[0] in _JOINTS else said
    if leads and said[:2] == ["if", "it"] and any(w.endswith("n't") or w == "not" for w in said[2:4]):
        return True  # "if it isn't too much trouble"
    who = _SPEAKERS | _OTHERS if leads else _SPEAKERS
    if not said or not who & set(said[:4]) or _OPENING & set(said):
        return False
    return leads or not _POINTING & set(said)


def respelt(words: Sequence[Word], known: Collection[str]) -> tuple[list[Word], dict[str, str]]:
    """Short words with two letters exchanged or one left out, put right: “totl”, “hte”, “mnth”.

    Longer ones are compared letter by letter elsewhere; a short one counts as misspelt only where it is no word
    and exactly one word of questions or of the data can be meant.
    """
    spelt = _spelt_words()
    changed: dict[str, str] = {}
    result: list[Word] = []
    for word in words:
        text = word.lower
        plain = word.kind == "word" and 3 <= len(text) <= 4 and text.isalpha() and not word.text.isupper()
        if not plain or text in spelt or text in known or is_known_word(text):
            result.append(word)
            continue
        close = [w for w in known if _slipped(text, w)] or [w for w in spelt if _slipped(text, w)]
        if len(close) != 1:
            result.append(word)
            continue
        changed[text] = close[0]
        result.append(Word(word.text, close[0], stem(close[0]), word.start, word.end, word.kind))
    return result, changed


PEOPLE = vocabulary(
    "customers people folks shoppers buyers clients users visitors consumers guests everybody everyone boss manager team"
)


def as_verbs(words: Sequence[Word]) -> list[Word]:
    """“what customers rate best”: behind somebody who does it, a rate is no noun; nor is a make in “did each driver make”."""
    said: list[Word] = []
    for i, w in enumerate(words):
        before = words[i - 1].lower if i else ""
        if w.lower in {"rate", "rates"} and before in PEOPLE | {"they", "you", "we", "who"}:
            w = Word(w.text, "rated", stem("rated"), w.start, w.end, w.kind)
        elif w.lower == "make" and before not in _TAKING and _DOING & {x.lower for x in words[: i - 1]}:
            w = Word(w.text, "do", stem("do"), w.start, w.end, w.kind)
        said.append(w)
    return said


_DOING = vocabulary("did do does")
_TAKING = _DOING | vocabulary("by per each every which what of and or a an the for in same that this")


@cache
def _spelt_words() -> frozenset[str]:
    """The words of questions as such."""
    return FILLERS | {w for w in operator_words() if w.isalpha()}


def _slipped(said: str, meant: str) -> bool:
    """Whether two neighbours changed places, or one letter inside a longer word was left out."""
    if len(said) == len(meant):
        off = [i for i, (a, b) in enumerate(zip(said, meant, strict=True)) if a != b]
        return (
            len(off) == 2
            and off[1] == off[0] + 1
            and said[off[0]] == meant[off[1]]
            and said[off[1]] == meant[off[0]]
        )
    if len(meant) != len(said) + 1 or said[0] != meant[0] or (len(said) == 4 and said[-1] != meant[-1]):
        return False
    return any(meant[:i] + meant[i + 1 :] == said for i in range(1, len(meant)))


def without(
    left: Sequence[Word], words: Sequence[Word], spoken: Sequence[Aside]
) -> tuple[list[Word], list[str]]:
    """The unexplained words that are left beside what was only said, and what was set aside because of them."""
    inside = {id(words[i]): aside for aside in spoken for i in range(aside.start, aside.end)}
    used = {inside[id(w)].text for w in left if id(w) in inside and not is_filler(w)}
    kept = [w for w in left if id(w) not in inside]
    outer = [a for a in spoken if not any(b != a and b.start <= a.start and a.end <= b.end for b in spoken)]
    return kept, [a.text for a in outer if a.text in used or any(t in a.text for t in used)]
