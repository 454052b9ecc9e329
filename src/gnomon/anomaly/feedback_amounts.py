"""How much to flag: shares, counts, factors and differences in a sentence of feedback."""

from __future__ import annotations

import re
from collections.abc import Callable

from gnomon.anomaly.feedback_entities import Amount
from gnomon.anomaly.feedback_lexicon import FLAG_NOUNS
from gnomon.core.patterns import regex

_N = r"(\d+(?:\.\d+)?|\.\d+)"
_NOUNS = "|".join(sorted(FLAG_NOUNS, key=len, reverse=True))
_LESS = r"(?:fewer|less|lower|down)"
_MORE = r"(?:more|extra|additional|higher|up)"
_DOWN = r"(?:reduc\w*|lower\w*|decreas\w*|cut\w*|shrink\w*|drop\w*|tighten\w*)"
_UP = r"(?:increas\w*|rais\w*|grow\w*|bump\w*|expand\w*|widen\w*|extend\w*)"

Rule = tuple[re.Pattern[str], str, Callable[[re.Match[str]], float]]


def _rule(pattern: str, kind: str, value: Callable[[re.Match[str]], float]) -> Rule:
    return re.compile(pattern), kind, value


# First match wins where two overlap, so the more specific reading stands first.
_RULES: tuple[Rule, ...] = (
    _rule(rf"{_N} ?% (?:\w+ )?{_LESS}\b", "factor", lambda m: 1 - float(m[1]) / 100),
    _rule(rf"{_N} ?% (?:\w+ )?{_MORE}\b", "factor", lambda m: 1 + float(m[1]) / 100),
    _rule(rf"\b{_DOWN}(?: \w+){{0,5}} by {_N} ?%", "factor", lambda m: 1 - float(m[1]) / 100),
    _rule(rf"\b{_UP}(?: \w+){{0,5}} by {_N} ?%", "factor", lambda m: 1 + float(m[1]) / 100),
    _rule(rf"\b{_DOWN}(?: \w+){{0,5}} by (?:a )?half\b", "factor", lambda _: 0.5),
    _rule(rf"\b{_UP}(?: \w+){{0,5}} by (?:a )?half\b", "factor", lambda _: 1.5),
    _rule(rf"\b{_DOWN}(?: \w+){{0,5}} by (?:a |1 )?third\b", "factor", lambda _: 2 / 3),
    _rule(rf"\b{_UP}(?: \w+){{0,5}} by (?:a |1 )?third\b", "factor", lambda _: 4 / 3),
    _rule(rf"\b{_DOWN}(?: \w+){{0,5}} by (?:a |1 )?quarter\b", "factor", lambda _: 0.75),
    _rule(rf"\b{_UP}(?: \w+){{0,5}} by (?:a |1 )?quarter\b", "factor", lambda _: 1.25),
    _rule(
        rf"{_N} (?:in|out of|of every|of|per) (?:every )?(?:a )?{_N}",
        "share",
        lambda m: float(m[1]) / max(float(m[2]), 1e-9),
    ),
    _rule(
        rf"{_N}(?:st|nd|rd|th)? percentile|\bpercentile {_N}|\bp(\d\d(?:\.\d+)?)\b",
        "share",
        lambda m: 1 - _first(m) / 100,
    ),
    _rule(rf"{_N} ?%", "share", lambda m: float(m[1]) / 100),
    _rule(rf"{_N} ?‰|{_N} per (?:mille|1000)", "share", lambda m: _first(m) / 1000),
    _rule(
        r"\bhalf (?:as many|that|the|of (?:them|these|those|it)|as much|this|what)|\bhalve\b|\bin half\b|\b(?:divide|cut) by 2\b",
        "factor",
        lambda _: 0.5,
    ),
    _rule(r"\b(?:a |1 )?(?:3rd|third) (?:of|as many)", "factor", lambda _: 1 / 3),
    _rule(r"\b(?:a |1 )?quarter (?:of|as many)", "factor", lambda _: 0.25),
    _rule(r"\btwice\b|\bdoubl(?:e|ing)\b", "factor", lambda _: 2.0),
    _rule(r"\btripl(?:e|ing)\b", "factor", lambda _: 3.0),
    _rule(
        rf"{_N} ?(?:x|times) {_LESS}|{_N} ?(?:x|times) (?:too many|too much)",
        "factor",
        lambda m: 1 / max(_first(m), 1e-9),
    ),
    _rule(rf"{_N} ?(?:x|times)(?: (?:as many|as much|{_MORE}))", "factor", lambda m: float(m[1])),
    _rule(rf"{_N} (?:\w+ )?{_LESS}\b", "fewer_rows", lambda m: float(m[1])),
    _rule(rf"(?<!than ){_N} (?:\w+ )?{_MORE}\b", "more_rows", lambda m: float(m[1])),
    _rule(r"(?<![\w.])(0?\.\d+)(?![\w.])", "share", lambda m: float(m[1])),
    _rule(r"\b(\d+) (?:rather than|instead of) \d+", "count", lambda m: float(m[1])),
    _rule(
        r"(?:top|worst|first|only|just|most|(?:more|fewer|less) than|at|to|about|around|roughly|approximately|say|exactly|maximum|max|limit|cap|up to|best|"
        r"flag|report|find|show|mark|list|want|expect|keep|return|give me|highlight|are|were|be|nearly|almost)"
        r"(?: (?:me|the|only|just|about|around|roughly|maybe|it|to|at|some|like|top|worst|most))* (\d+)\b(?! ?(?:s|sec|seconds?|min|minutes?|ms|h|hours?|x|times|%|detectors?|methods?|seeds?)\b)",
        "count",
        lambda m: float(m[1]),
    ),
    _rule(
        rf"\b(\d+) (?:\w+ ){{0,2}}(?:{_NOUNS})\b|\b(\d+) (?:most|worst|highest|strongest|top|biggest|is enough|are enough|will do|would do|is plenty)\b|\b(\d+) of (?:them|these|those)\b",
        "count",
        lambda m: _first(m),
    ),
)
_SECONDS = regex(rf"{_N} ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b|\b(minute|hour)\b")
_SCALE = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _first(m: re.Match[str]) -> float:
    return float(next(g for g in m.groups() if g is not None))


def find_amounts(text: str) -> list[Amount]:
    """The amounts in ``text``, in order; a stretch of text is read once."""
    found: list[Amount] = []
    for pattern, kind, value in _RULES:
        for m in pattern.finditer(text):
            if not any(m.start() < a.end and a.start < m.end() for a in found):
                found.append(Amount(kind, value(m), m.start(), m.end()))
    return sorted(found, key=lambda a: a.start)


def find_seconds(text: str) -> float | None:
    """A time limit in ``text``, in seconds."""
    m = _SECONDS.search(text)
    if m is None:
        return None
    unit = m[2] or m[3]
    scale = next(
        s
        for u, s in _SCALE.items()
        if unit.startswith(u) and (u != "m" or not unit.startswith(("ms", "milli")))
    )
    return float(m[1] or 1) * scale
