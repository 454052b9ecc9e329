"""Phrases that say the plain thing the other way round: “Norvik not counted”, “don't we know the budget”, “no date filled in”."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.language.time_words import MONTHS
from gnomon.planning.reader.plain_speech import plainly_said
from gnomon.planning.reader.words import Word, stem

# What stands behind those that are left out; in front of them it is said “excluding”.
_EXCLUDED = (
    ("not", "counted"), ("not", "included"), ("not", "counting"), ("left", "out"), ("left", "aside"), ("set", "aside"),
    ("taken", "out"), ("excluded",), ("omitted",), ("ignored",), ("aside",), ("apart",),
)  # fmt: skip
_JOINTS = frozenset({"than", "or", "and", "vs", "versus"})
_LONGEST_THING = 4
_LONGEST_LIST = 8
_LEAVING = frozenset({"leaving", "leave", "setting", "set", "putting", "put", "taking", "take"})
_ASKING = frozenset(
    {"how", "what", "which", "who", "where", "when", "is", "are", "do", "does", "did", "show", "list", "give"}
)
_DENIED = frozenset({"don't", "doesn't", "didn't", "not"})
_AUXILIARY = frozenset({"do", "does", "did"})
_DIFFERENT = frozenset({"different", "distinct", "unique"})
_HOLDING = frozenset({"have", "has", "take", "contain", "hold", "include"})
_WE = frozenset({"we", "they", "you", "i", "anyone", "anybody", "people"})
# What a cell without a value was not: said again behind “no” or “missing”.
_WRITTEN = (
    ("filled", "in"), ("filled", "out"), ("written", "down"), ("put", "down"), ("on", "file"), ("on", "record"),
    ("filled",), ("recorded",), ("entered",), ("noted",), ("logged",), ("registered",), ("stated",), ("specified",),
)  # fmt: skip
_NONE = frozenset({"no", "without", "missing", "lack", "lacks", "lacking"})
_REACH = 7
_PORTIONS = frozenset({"part", "portion", "chunk", "slice", "fraction", "proportion"})
_GRADES = frozenset({"bigger", "larger", "greater", "smaller", "higher", "lower", "big", "large", "small"})
_COUNTING = frozenset({"counting", "considering", "taking", "including", "using", "looking"})
_PERIODS = frozenset({"day", "week", "month", "quarter", "year", "period", "time"})
_IMPERSONAL = frozenset({"did", "does", "was", "is", "has"})
_YEAR = regex(r"(?:19|20)\d\d")


def turned(words: Sequence[Word]) -> list[Word]:
    """The words with such phrases put plainly."""
    return _excluding_first(
        _unwritten(
            _unknown(_same_period(_both_ends(_only(_without_it(_as_shares(_had(plainly_said(words))))))))
        )
    )


def by_itself(words: Sequence[Word]) -> list[Word] | None:
    """“how many days did it snow”, “how many days was it foggy”: what happens by itself, nobody does."""
    said = [w.lower for w in words]
    for i in range(2, len(words) - 2):
        counted = said[i - 1].removesuffix("s") in _PERIODS | {"night", "hour"}
        if counted and said[i] in _IMPERSONAL and said[i + 1] == "it":
            return [*words[: i - 1], words[i + 2], words[i - 1], *words[i + 3 :]]
    return None


def _without_it(words: Sequence[Word]) -> list[Word]:
    """“with a garage than without”: without one."""
    said = [w.lower for w in words]
    end = next((i for i in range(len(words) - 1, -1, -1) if words[i].kind == "word"), -1)
    named_again = said[end : end + 1] in (["one"], ["it"], ["them"])
    end -= named_again
    if end < 3 or said[end] != "without" or "with" not in said[:end]:
        return list(words)
    first = max(i for i in range(end) if said[i] == "with") + 1
    joint = next((i for i in range(first, end) if said[i] in _JOINTS), end)
    had = words[first:joint]
    if not 0 < len(had) <= _LONGEST_THING or joint == end:
        return list(words)
    return [*words[: end + 1], *had, *words[end + 1 + named_again :]]


def _only(words: Sequence[Word]) -> list[Word]:
    """“…, counting only those with at least 20 reviews”: only those."""
    words = _only_behind(words)
    said = [w.lower for w in words]
    idle = {i for i in range(len(words) - 1) if said[i] in _COUNTING and said[i + 1] == "only" and i}
    return [w for i, w in enumerate(words) if i not in idle]


def _had(words: Sequence[Word]) -> list[Word]:
    """“how many different values does the crop have”: different values of the crop."""
    said = [w.lower for w in words]
    for i in range(1, len(words) - 2):
        if (
            said[i] not in {"values", "value"}
            or said[i - 1] not in _DIFFERENT
            or said[i + 1] not in _AUXILIARY
        ):
            continue
        end = next((j for j in range(i + 3, min(i + 8, len(words))) if said[j] in _HOLDING), None)
        if end is not None:
            mark = Word("of", "of", "of", words[i + 1].start, words[i + 1].end, "word")
            return [*words[: i + 1], mark, *words[i + 2 : end], *words[end + 1 :]]
    return list(words)


def _as_shares(words: Sequence[Word]) -> list[Word]:
    """“make up a bigger part of the entries”: a bigger share of them."""
    said = [w.lower for w in words]
    found = list(words)
    for i in range(1, len(words) - 1):
        if said[i] in _PORTIONS and said[i + 1] == "of" and said[i - 1] in _GRADES:
            found[i] = Word("share", "share", stem("share"), words[i].start, words[i].end, "word")
    return found


def _only_behind(words: Sequence[Word]) -> Sequence[Word]:
    """“Counting attended visits only, how many …”: the question first, and behind it what it is asked of."""
    said = [w.lower for w in words]
    stop = said.index(",") if "," in said[:_LONGEST_LIST] else 0
    clause = said[:stop]
    if not stop or clause[0] not in _COUNTING | {"for"} or "only" not in clause[1:] or len(words) < stop + 4:
        return words
    kept = [w for w in words[1:stop] if w.lower not in {"only", "at"}]
    while words[-1].lower in {"?", ".", "!"}:
        words = words[:-1]
    mark = Word("for", "for", stem("for"), words[0].start, words[0].end, "word")
    return [*words[stop + 1 :], mark, *kept]


_BEHIND = vocabulary(
    "in by for of from with among across during on at where that which since between and or is are was were did do does had have"
    " to within until before after over under"
)


def _both_ends(words: Sequence[Word]) -> list[Word]:
    """“the cheapest and what is the dearest price”: the cheapest and the dearest price."""
    said = [w.lower for w in words]
    for i in range(1, len(words) - 5):
        asked = (
            said[i + 1] == "and"
            and said[i + 2] in {"what", "which"}
            and said[i + 3] in {"is", "are", "was", "were"}
        )
        if asked and said[i + 4] == "the" and _is_end(said[i]) and _is_end(said[i + 5]):
            return [*words[: i + 2], *words[i + 4 :]]
    for i in range(len(words) - 3):
        other = i + 3 if said[i + 2] == "the" else i + 2
        if said[i + 1] != "and" or {*said[other + 1 : other + 2]} & {"name", "names"}:
            continue
        stop = next(
            (k for k in range(other + 1, len(words)) if said[k] in _BEHIND or words[k].kind != "word"),
            len(words),
        )
        if _is_one_end(said[i]) and _is_one_end(said[other]) and other + 2 < stop:  # of “rate per night”
            return [*words[: i + 1], *words[other + 1 : stop], *words[i + 1 :]]
    return list(words)


def _is_one_end(word: str) -> bool:
    return word in {"first", "last"} or (len(word) > 5 and word.endswith("est"))


def _is_end(word: str) -> bool:
    return word in {"best", "worst", "most", "least"} or (len(word) > 5 and word.endswith("est"))


def _same_period(words: Sequence[Word]) -> list[Word]:
    """“… in October 2025 against the median for that month”: the period that was named before goes without saying."""
    said = [w.lower for w in words]
    for i in range(1, len(words) - 2):
        same = said[i] in {"for", "in", "during"} and said[i + 1] == "that" and said[i + 2] in _PERIODS
        named = any(w in MONTHS or _YEAR.fullmatch(w) for w in said[:i])
        if same and named:
            return [*words[:i], *words[i + 3 :]]
    return list(words)


def _excluding_first(words: Sequence[Word]) -> list[Word]:
    """“…, Norvik and Istra not counted: …” with “excluding” before the list that ends there."""
    said = [w.lower for w in words]
    for at in range(1, len(words)):
        phrase = next((p for p in _EXCLUDED if tuple(said[at : at + len(p)]) == p), None)
        closed = phrase is not None and not _goes_on(words, at + len(phrase))
        start = _list_start(words, at) if phrase is not None and closed else None
        if phrase is None or start is None or {*said[start:at]} & _LEAVING:
            continue  # "leaving November aside" has its verb before them
        first, last = words[at], words[at + len(phrase) - 1]
        mark = Word("excluding", "excluding", stem("excluding"), first.start, last.end, "word")
        listed = [w for w in words[start:at] if w.lower != "with"]
        return [*words[:start], mark, *listed, *words[at + len(phrase) :]]
    return list(words)


def _goes_on(words: Sequence[Word], end: int) -> bool:
    """“apart from”, “set aside for”: a phrase that goes on says what else."""
    return (
        end < len(words)
        and words[end].kind == "word"
        and words[end].lower in {"from", "for", "of", "in", "by"}
    )


def _list_start(words: Sequence[Word], at: int) -> int | None:
    """Where the clause begins that ends in such a phrase: behind a comma, a bracket or “with”."""
    for start in range(at - 1, max(-1, at - _LONGEST_LIST - 1), -1):
        if words[start].lower in {"(", ";", ":"}:
            return start + 1
        if words[start].lower == "with":
            return start
        if words[start].lower == "," and (start + 1 == at or words[start + 1].lower != "and"):
            before = words[start - 1] if start else None
            listed = before is not None and before.text[:1].isupper() and words[start + 1].text[:1].isupper()
            if not listed:
                return start + 1
    closed = any(w.lower == "," for w in words[at : at + 3])  # "sushi bars aside, how many …"
    return 0 if at <= _LONGEST_LIST and closed and words[0].lower not in _ASKING else None


def _unknown(words: Sequence[Word]) -> list[Word]:
    """“don't we know the budget”, “we do not know the age”: the budget is unknown."""
    said = [w.lower for w in words]
    for i in range(len(words) - 1):
        if said[i] not in _DENIED or (said[i] == "not" and (not i or said[i - 1] not in _AUXILIARY | _WE)):
            continue
        knows = i + 1 + (said[i + 1] in _WE)
        if (
            knows < len(words)
            and said[knows] == "know"
            and knows + 1 < len(words)
            and said[knows + 1] not in {"why", "how", "if", "whether", "what"}
        ):
            first = i - 1 if said[i] == "not" and said[i - 1] in _AUXILIARY else i
            first = first - 1 if first and said[first - 1] in _WE else first
            mark = Word("unknown", "unknown", stem("unknown"), words[first].start, words[knows].end, "word")
            return [*words[:first], mark, *words[knows + 1 :]]
    return list(words)


def _unwritten(words: Sequence[Word]) -> list[Word]:
    """“have no date of return filled in”: no date of return."""
    said = [w.lower for w in words]
    for at in range(2, len(words)):
        phrase = next((p for p in _WRITTEN if tuple(said[at : at + len(p)]) == p), None)
        if phrase is None or not {*said[max(0, at - _REACH) : at]} & _NONE or said[at - 1] in _NONE:
            continue
        behind = said[at + len(phrase) : at + len(phrase) + 1]
        if not behind or behind[0] in {"?", ".", ",", "yet", "for", "at", "in", "on", "and", "so"}:
            return [*words[:at], *words[at + len(phrase) :]]
    return list(words)
