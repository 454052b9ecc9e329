"""What a sentence of feedback talks about: rows, detectors and amounts, found in normalised text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gnomon.anomaly.feedback_lexicon import (
    BREAKS,
    DETECTOR_WORDS,
    LEXICON,
    NEGATORS,
    NUMBER_WORDS,
    ORDINALS,
    ROW_NOUNS,
    Mark,
    words,
)
from gnomon.core.errors import did_you_mean
from gnomon.core.patterns import regex

_NUM = r"\d+(?:\.\d+)?"
_RANGE = r"\d+(?:\s*(?:-|–|to|through|until)\s*(?:rows?\s*)?\d+)?"
_LIST = rf"{_RANGE}(?:\s*(?:,\s*and|,\s*or|,|and|or|&|as well as|plus)\s*(?:also\s+)?(?:rows?\s+|records?\s+|#\s*)?(?:numbers?\s+)?{_RANGE})*"
_NOUN = "|".join(sorted((re.escape(n) for n in ROW_NOUNS), key=len, reverse=True))
_ROWS = regex(rf"(?<![\w-])(?:{_NOUN})\s*(?:numbers?|nos?\.?|ids?|#)?\s*#?\s*({_LIST})(?!\s*%|\w|\.\d)")
_COPULA = r"(?:is|are|was|were|look|looks|seem|seems|should|must|can|could|has|have|need|needs|do|does|did)"
_BARE_ROWS = regex(rf"(?<![\w.#%-])({_LIST})\s+(?=(?:both|all)?\s*{_COPULA}(?!\w))(?!\s*%)")
_WHY_ROWS = regex(
    rf"(?:why|explain|wrong with|odd about|reasons? for|tell me about)\s+(?:was |is |are |did |you |flag |has |not )*#?({_LIST})(?!\s*%|\w|\.\d)"
)
_AS_ROWS = regex(
    rf"(?:mark|label|treat|consider|classify|flag|count)\s+#?({_LIST})\s+(?=(?:both |all )?(?:as|to be)\b)"
)
_RANKED = regex(
    r"(?:the |your |our )?(?:very )?(top|first|second|third|fourth|fifth|worst|highest(?:[- ](?:scor\w+|rank\w+))?|strongest|biggest|number 1)"
    rf"(?:\s+({_NUM}))?(?:\s+(?:of them|one|ones|anomaly|anomalies|row|rows|outliers?|results?|hits?|records?|findings?|alerts?|entry|entries|points?))?"
)
_SMALL_WORDS = frozenset(
    {"mad", "rod", "sod", "cd", "so", "dif", "sampling", "cof", "lscp", "median", "ensemble", "spot"}
)


@dataclass(frozen=True)
class Rows:
    """Rows that a sentence names, and where."""

    rows: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Mention:
    """A detector that a sentence names: ``name`` is None where nothing carries that name."""

    name: str | None
    start: int
    end: int
    written: str
    exact: bool


@dataclass(frozen=True)
class Amount:
    """How much to flag: ``share``, ``count``, ``factor`` or ``delta`` (rows more or fewer)."""

    kind: str
    value: float
    start: int
    end: int


def normalise(text: str) -> str:
    """Lower-case text with plain apostrophes, ``not`` for n't, digits for number words and ``%``."""
    out = " " + text.casefold().replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"') + " "
    out = re.sub(
        r"\b(do|did|does|is|are|was|were|should|could|would|have|has|must|need|ca|wo)n'?t\b", r"\1 not", out
    )
    out = out.replace("cannot", "can not")
    out = re.sub(r"\bper ?cent(?:age)?(?: points?)?\b|\bpct\b", "%", out)
    out = re.sub(r"(\d{1,3}),(\d{3})(?!\d)", r"\1\2", out)
    out = re.sub(r"\b(?:a |an )?half (?:a|of a|an) %|\bhalf %", "0.5 %", out)
    out = re.sub(r"\b(?:a )?quarter (?:of )?(?:a )?%", "0.25 %", out)
    out = re.sub(r"\bone (?=%|in\b|out of\b|of every\b|row\b|anomaly\b|outlier\b)", "1 ", out)
    out = re.sub(r"\b(?:a|an) (?=%)", "1 ", out)
    out = re.sub(r"\b(?:a|an) (?=(?:dozen|hundred|thousand)\b)", "", out)
    spelled = "|".join(w for w in NUMBER_WORDS if w != "one")
    out = re.sub(rf"\b({spelled})\b", lambda m: f"{NUMBER_WORDS[m[1]]:g}", out)
    out = re.sub(r"\b([2-9]0)[ -]([1-9])\b(?!\s*(?:,|and))", lambda m: str(int(m[1]) + int(m[2])), out)
    out = re.sub(r"\b(\d{1,2}) (100|1000)\b", lambda m: str(int(m[1]) * int(m[2])), out)
    return re.sub(r"\s+", " ", out)


def marks(text: str) -> list[Mark]:
    """Every word with a meaning, in order, with its negation."""
    found = [
        Mark(intent, m.start(), m.end(), negated(text, m.start()), m.group())
        for intent, pattern in LEXICON.items()
        for m in pattern.finditer(text)
    ]
    return sorted(found, key=lambda mark: (mark.start, -mark.end))


def negated(text: str, start: int) -> bool:
    """Whether an odd number of negators governs the word at ``start``."""
    before = re.findall(r"[\w'#%-]+|[,;.!?:]", text[:start])
    count = 0
    for steps, word in enumerate(reversed(before)):
        if word in BREAKS or steps >= 5:
            break
        count += word in NEGATORS and word != "neither"
    if re.search(r"(?:instead of|rather than)\s*$", text[:start]):
        count += 1
    return count % 2 == 1


def find_rows(text: str, ranking: Sequence[int]) -> list[Rows]:
    """Rows named by number ("rows 3, 5 and 9", "#7", "12 is fine") or by rank ("the top anomaly")."""
    found = [
        Rows(_by_rank(m, ranking), m.start(), m.end())
        for m in _RANKED.finditer(text)
        if _ranked_is_subject(text, m)
    ]

    def taken(start: int, end: int) -> bool:
        return any(start < r.end and r.start < end for r in found)

    for pattern in (_ROWS, _AS_ROWS, _BARE_ROWS, _WHY_ROWS):
        for m in pattern.finditer(text):
            if not taken(m.start(1), m.end(1)) and not _counts(text, m):
                start = m.start(1) if pattern in (_WHY_ROWS, _AS_ROWS) else m.start()
                found.append(Rows(tuple(_numbers(m[1])), start, m.end(1)))
    return sorted((r for r in found if r.rows), key=lambda r: r.start)


def _counts(text: str, m: re.Match[str]) -> bool:
    """Whether a bare number says how many ("only 12 are real"), not which row."""
    if m.re is not _BARE_ROWS:
        return False
    before, after = text[: m.start(1)], text[m.end(1) :]
    how_many = re.search(
        r"(?:only|just|about|around|roughly|maybe|at most|than|expect|of|every|say|per|in|top|first)\s*$",
        before,
    )
    return bool(how_many) or bool(
        re.match(r"\s*(?:is|are) (?:enough|plenty|too|fine by me|the (?:right|wrong) number)", after)
    )


def _ranked_is_subject(text: str, m: re.Match[str]) -> bool:
    predicate = re.match(rf"\s*(?:both |all )?{_COPULA}\b", text[m.end() :])
    asked = re.search(r"(?:why|explain\w*|about|with)\s+(?:is |was |are |were )?$", text[: m.start()])
    return bool(predicate) or bool(asked)


def _by_rank(m: re.Match[str], ranking: Sequence[int]) -> tuple[int, ...]:
    word, number = m[1], m[2]
    if number:
        return tuple(int(r) for r in ranking[: int(float(number))])
    at = ORDINALS.get(word, 1) - 1
    return (int(ranking[at]),) if at < len(ranking) else ()


def _numbers(listing: str) -> Iterable[int]:
    listing = re.sub(r"\s*(?:-|–|to|through|until)\s*(?:rows?\s*)?(?=\d)", "-", listing)
    for part in re.findall(r"\d+(?:-\d+)?", listing):
        low, _, high = part.partition("-")
        last = int(high or low)
        if last - int(low) <= 10_000:
            yield from range(int(low), last + 1)


def find_detectors(text: str, original: str, known: Iterable[str]) -> list[Mention]:
    """Detectors by name, by everyday words, or by a name close to one."""
    names = {n.casefold(): n for n in known}
    found: list[Mention] = []
    phrases = {w: n for w, n in DETECTOR_WORDS.items() if n.casefold() in names} | names
    for phrase in sorted(phrases, key=len, reverse=True):
        for m in re.finditer(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text):
            if any(m.start() < f.end and f.start < m.end() for f in found):
                continue
            if phrase in _SMALL_WORDS and phrases[phrase] not in original:
                continue
            found.append(Mention(phrases[phrase], m.start(), m.end(), m.group(), True))
    for m in re.finditer(r"[a-z][\w-]{2,}", text):
        if any(m.start() < f.end and f.start < m.end() for f in found):
            continue
        mention = _near_miss(m, text, original, list(names.values()))
        if mention:
            found.append(mention)
    return sorted(found, key=lambda f: f.start)


def _near_miss(m: re.Match[str], text: str, original: str, known: list[str]) -> Mention | None:
    word = m.group()
    written = re.search(rf"\b{re.escape(word)}\b", original, re.IGNORECASE)
    shape = written.group() if written else word
    looks_like_name = sum(c.isupper() for c in shape) >= 2
    after_verb = re.search(
        r"(?:exclud\w*|drop\w*|remov\w*|without|includ\w*|add|us(?:e|ing)|keep|skip|ditch|instead of) (?:the )?$",
        text[: m.start()],
    )
    if not looks_like_name and (any(p.fullmatch(word) for p in LEXICON.values()) or word in _COMMON):
        return None
    close = [c for c in did_you_mean(word, known, limit=1) if len(word) >= 4 or looks_like_name]
    if close and (
        looks_like_name
        or (len(close[0]) >= 5 and _ratio(word, close[0]) >= 0.85)
        or (after_verb and _ratio(word, close[0]) >= 0.66)
    ):
        return Mention(close[0], m.start(), m.end(), shape, False)
    return Mention(None, m.start(), m.end(), shape, False) if looks_like_name and after_verb else None


_COMMON = words(
    "the that this these those them they rows row data column columns values value others other anomalies anomaly "
    "outliers outlier results result detectors detector method methods everything anything something some any all "
    "few same plan one ones it its mode code side half once been below model models cluster sample samples score scores "
    "feature features forest record records point points line lines time seconds again please alerts second minute first third"
)


def _ratio(a: str, b: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, a.casefold(), b.casefold()).ratio()
