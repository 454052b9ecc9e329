"""Which columns a prompt speaks of: the measure it is about, what to group by, and what explains what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gnomon.core.errors import did_you_mean
from gnomon.planning.characteristics import ColumnKinds
from gnomon.planning.lexicon import mentions, tokens_of
from gnomon.tools import Goal

_STOP_WORDS = """
a an the of in on for to and or with by per each over from using based as at my our your their this
that these those it its is are was were be been do does did me i we you all any some data dataset
table file rows row column columns values value please show find detect analyze analyse give tell get
run make compute calculate check look into between across within after before then next last past
previous weekly daily monthly yearly hourly quarterly week day month year hour quarter weeks days
months years hours quarters results result using use set time
"""
_STOP = frozenset(_STOP_WORDS.split())
_GROUP = re.compile(
    r"\b(?:by|per|for each|for every|in each|grouped by|group by|split by|broken down by|across)\s+(?:each\s+|every\s+|the\s+)?([\w ]{2,40})",
    re.I,
)
_NO_METRIC = {Goal.SEGMENTS, Goal.PROFILE, Goal.JOIN, Goal.COMPARE, Goal.GEO}
_GRAIN = {"hour", "day", "week", "month", "quarter", "year", "date", "time"}


def words_of(name: str) -> list[str]:
    """A column name as words: ``unitPrice_usd`` is unit, price, usd."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [w for w in re.split(r"[^a-z0-9]+", spaced.lower()) if w]


def singular(word: str) -> str:
    """A word without its plural ending, good enough to compare two words."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")) and len(word) > 4:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def find_columns(prompt: str, columns: Iterable[str]) -> list[str]:
    """The columns that a prompt names, in the order in which it names them."""
    words = [singular(w) for w in tokens_of(prompt.replace("_", " ")) if w.isalnum()]
    placed: list[tuple[int, int, str]] = []
    for name in columns:
        parts = [singular(w) for w in words_of(name)]
        at = _find(words, parts)
        if at is None and len(parts) == 1 and len(parts[0]) >= 5:
            close = did_you_mean(parts[0], [w for w in words if abs(len(w) - len(parts[0])) <= 2], limit=1)
            at = words.index(close[0]) if close and _alike(close[0], parts[0]) else None
        if at is not None:
            placed.append((at, -len(parts), name))
    kept: list[str] = []
    covered: set[int] = set()
    for at, length, name in sorted(placed, key=lambda p: (p[1], p[0])):
        span = set(range(at, at - length))
        if not span & covered:
            covered |= span
            kept.append(name)
    return sorted(kept, key=lambda name: next(a for a, _, n in placed if n == name))


def _find(words: list[str], parts: list[str]) -> int | None:
    for at in range(len(words) - len(parts) + 1):
        if words[at : at + len(parts)] == parts:
            return at
    return None


def _alike(a: str, b: str) -> bool:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, a, b).ratio() >= 0.85


def group_words(prompt: str) -> list[str]:
    """The words after "by", "per" and their like."""
    found: list[str] = []
    for match in _GROUP.finditer(prompt):
        words = match.group(1).lower().split()
        cut = next((i for i, w in enumerate(words) if w in _STOP and w not in _GRAIN), len(words))
        if cut:
            found.append(" ".join(words[:cut]))
    return found


def column_parameters(prompt: str, kinds: ColumnKinds) -> dict[str, Any]:
    """``metric``, ``group_by``, ``target``, ``features`` and ``columns`` as far as the words name them."""
    named = find_columns(prompt, kinds.columns)
    found: dict[str, Any] = {}
    grouped = [
        c for phrase in group_words(prompt) for c in find_columns(phrase, [*kinds.categorical, *kinds.ids])
    ]
    if grouped:
        found["group_by"] = list(dict.fromkeys(grouped))
    measures = [c for c in named if c in kinds.numeric and c not in grouped]
    if measures:
        found["metric"] = measures[0]
    elif not kinds.columns and (noun := _metric_noun(prompt)):
        found["metric"] = noun
    others = [c for c in named if c not in kinds.time and c not in found.get("group_by", ())]
    if len(others) > 1:
        found["columns"] = others
        target, features = _target(prompt, others)
        found |= {"target": target, "features": features}
    if grain := _grain(prompt):
        found["grain"] = grain
    return found


def _target(prompt: str, columns: list[str]) -> tuple[str, list[str]]:
    """What is explained, and by what: "effect of X on Y", "what drives Y", "predict Y from X"."""
    on = re.search(r"\b(?:effects?|influence|impact)\s+of\b.+?\bon\s+(.+)", prompt, re.I)
    if on and (after := find_columns(on.group(1), columns)):
        return after[0], [c for c in columns if c != after[0]]
    affect = re.search(
        r"\b(?:affects?|influences?|explains?|drives?|predicts?|determines?)\s+(.+)", prompt, re.I
    )
    if affect and (after := find_columns(affect.group(1), columns)):
        return after[0], [c for c in columns if c != after[0]]
    return columns[0], columns[1:]


def _grain(prompt: str) -> str | None:
    text = prompt.lower()
    adverbs = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year"}  # fmt: skip
    for word, grain in adverbs.items():
        if re.search(rf"\b{word}\b", text):
            return grain
    match = re.search(r"\b(?:by|per|each|every)\s+(hour|day|week|month|quarter|year)\b", text)
    return match.group(1) if match else None


def _metric_noun(prompt: str) -> str | None:
    """Without data: the noun closest to the goal's word, as "sales" in "detect anomalies in sales data"."""
    words = tokens_of(prompt)
    found = mentions(words)
    if not found or any(m.goal in _NO_METRIC for m in found):
        return None
    taken = {i for m in found for i in range(m.start, m.end)}
    nouns = [
        i for i, w in enumerate(words) if i not in taken and w.isalpha() and w not in _STOP and len(w) > 2
    ]
    after = [i for i in nouns if i > found[0].start and not _modifier(words, i)]
    return words[after[0]] if after else (words[nouns[0]] if nouns else None)


def _modifier(words: list[str], i: int) -> bool:
    return words[i].endswith(("ing", "ed", "ly")) or words[i] in {"threshold", "confidence", "robust", "classic", "under", "least", "only", "detecting", "removing"}  # fmt: skip
