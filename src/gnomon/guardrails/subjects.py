"""What facts are about, as prose can name it, and where prose names it.

A fact is told apart from the others by its metric, its group labels, its aspect (mean, median, total …, read from
the segments of its name), its period, and whether it is what others are compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from gnomon.core.answer import Fact
from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.guardrails.moments import Period, read_period
from gnomon.guardrails.units import FRACTION, PERCENT, canonical, stem
from gnomon.semantic.derived import by_name

CHANGES = vocabulary(
    "change changes changed difference diff delta slope growth gap increase decrease drop rise gain yoy "
    "mom wow qoq deviation contribution effect lift uplift variance_to trend"
)
RELATIONS = vocabulary("correlation corr r rho tau coefficient association")
RANKS = frozenset(["rank", "position", "place", "ranking"])
BASELINES = vocabulary(
    "previous prior baseline before earlier benchmark reference expected past control last"
)
TOPS = vocabulary("max maximum highest largest top peak best most first biggest leader")
BOTTOMS = vocabulary("min minimum lowest smallest bottom worst least weakest trough")
RATIOS = frozenset(["ratio", "multiple", "factor", "times", "fold"])
MULTI = "multiple"
_ASPECTS = {
    "mean": "mean", "average": "mean", "avg": "mean", "median": "median", "typical": "median", "total": "total", "sum": "total",
    "overall": "total", "altogether": "total", "combined": "total", "std": "std", "stddev": "std", "deviation": "std",
    "share": "share", "max": "max", "maximum": "max", "min": "min", "minimum": "min", "forecast": "forecast", "expected": "forecast", "predicted": "forecast", "projected": "forecast",
    "lower": "low", "upper": "high", "low": "low", "high": "high",
}  # fmt: skip
_UNSPOKEN = frozenset({"", "total"})
_NAME_WORDS = (
    CHANGES | RANKS | BASELINES | TOPS | BOTTOMS | RATIOS | frozenset(_ASPECTS)
    | vocabulary("pct percent value current now latest count number abs absolute relative this p of by")
)  # fmt: skip
_WORD = regex(r"[^\W_]+")
_CAMEL = regex(r"(?<=[a-zà-ÿ0-9])(?=[A-Z])")


_SYNONYMS = {
    "average": "mean",
    "avg": "mean",
    "sum": "total",
    "num": "count",
    "number": "count",
    "qty": "quantity",
}


def _word_stem(word: str) -> str:
    found = stem(word)
    return _SYNONYMS.get(found, found)


def stems(text: str) -> tuple[str, ...]:
    """The words of a label without plural endings."""
    return tuple(_word_stem(w) for w in _WORD.findall(_CAMEL.sub(" ", text)))


@dataclass(frozen=True)
class FactView:
    """A fact as number binding sees it."""

    fact: Fact
    number: Decimal | None
    unit: str
    metric: tuple[str, ...]
    aspect: str
    group: tuple[tuple[str, str], ...]
    period: Period | None
    words: frozenset[str]

    @cached_property
    def named(self) -> frozenset[str]:
        """The words of its name and unit, without plural endings; all names of a correlation are one."""
        relation = {"correlation"} if self.words & RELATIONS else set[str]()
        return frozenset({*(stem(w) for w in self.words), *self.unit.split(), *relation})

    @cached_property
    def role(self) -> frozenset[str]:
        """The words that say what it is of its metric, not those of the metric's own name ("first response")."""
        name = self.fact.name
        if "." in name:
            return frozenset(re.findall(r"[a-z0-9]+", name.partition(".")[2].lower()))
        own = re.findall(r"[a-z0-9]+", by_name(self.fact.about.metric or "").lower())
        return self.words - frozenset(own) if self.fact.about.metric != name else frozenset()

    @cached_property
    def end(self) -> str | None:
        """Which end of an order it is, by the last part of its name that says so: price.max.bottom is a bottom."""
        for part in reversed(self.fact.name.lower().split(".")[1:]):
            words = frozenset(re.findall(r"[a-z0-9]+", part))
            if words & (TOPS | BOTTOMS):
                return "top" if words & TOPS else "bottom"
        return ("top" if self.role & TOPS else "bottom") if self.role & (TOPS | BOTTOMS) else None

    @property
    def change(self) -> bool:
        """Whether it is a change or a difference: its sign is a direction."""
        return bool(self.role & CHANGES)

    @property
    def baseline(self) -> bool:
        """Whether its name says that others are compared with it."""
        return bool(self.role & BASELINES) and not self.change

    @property
    def measure(self) -> str:
        """Its aspect, where plain values and totals are one."""
        return "" if unspoken(self.aspect) else self.aspect

    def tells(self, other: FactView) -> bool:
        """Whether two facts say the same of the same."""
        mine = (self.number, self.unit, self.metric, self.group, self.period)
        return mine == (other.number, other.unit, other.metric, other.group, other.period)

    def label(self, key: str) -> str | None:
        """Its label under a dimension."""
        return dict(self.group).get(key)


def view(fact: Fact) -> FactView:
    """What binding needs to know of a fact."""
    segments = [s for s in fact.name.split(".") if s]
    tail = {w.lower() for s in segments[1:] for w in _WORD.findall(s.replace("_", " "))}
    words = frozenset(
        tail | {w.lower() for w in _WORD.findall(segments[0].replace("_", " "))} if segments else ()
    )
    named = stems(by_name(fact.about.metric)) if fact.about.metric else tuple(
        w for w in stems(" ".join(segments)) if w not in _NAME_WORDS
    )  # fmt: skip
    aspect = next((_ASPECTS[w] for w in (*_ordered(segments[1:]),) if w in _ASPECTS), "")
    period = (fact.about.period.start, fact.about.period.end) if fact.about.period else None
    group: list[tuple[str, str]] = []
    for key, label in fact.about.group.items():
        told = read_period(label)
        if told is not None:
            begins = period is not None and period[0] == told[0] and told[0] == told[1]
            period = period if begins else told  # a period may be called by its first day
        else:
            group.append((key, label))
    return FactView(fact, _number(fact), _unit(fact, words), named, aspect, tuple(group), period, words)


def _ordered(segments: Sequence[str]) -> list[str]:
    return [w.lower() for s in segments for w in _WORD.findall(s.replace("_", " "))]


def _unit(fact: Fact, words: frozenset[str]) -> str:
    if fact.unit:
        unit = canonical(fact.unit)
        return MULTI if unit == FRACTION and words & RATIOS else unit
    counts = {"rows", "count", "number"} & set(_ordered([fact.name.rsplit(".", 1)[-1]]))
    if words & {"pct", "percent", "percentage"} and not counts:  # rows without a percentage are rows
        return PERCENT
    if words & {"share", "fraction", "proportion"} and isinstance(fact.value, float) and abs(fact.value) <= 1:
        return FRACTION
    return "x" if words & RATIOS else ""


def _number(fact: Fact) -> Decimal | None:
    if isinstance(fact.value, bool) or not isinstance(fact.value, (int, float)):
        return None
    number = Decimal(repr(fact.value)) if isinstance(fact.value, float) else Decimal(fact.value)
    return number if number.is_finite() else None


@dataclass(frozen=True)
class Mention:
    """A place where prose names a metric, a label, an aspect or the whole."""

    key: str
    label: str
    start: int
    end: int


@dataclass
class Lexicon:
    """The names under which prose can speak of the facts, indexed by their first word."""

    entries: dict[str, list[tuple[tuple[str, ...], str, str]]] = field(default_factory=dict)

    def add(self, words: tuple[str, ...], key: str, label: str) -> None:
        """One more name."""
        if words and (words, key, label) not in (known := self.entries.setdefault(words[0], [])):
            known.append((words, key, label))

    def find(self, tokens: Sequence[tuple[str, int, int]]) -> list[Mention]:
        """Where the names stand; of names under one key that overlap, the longest."""
        found: list[Mention] = []
        covered: dict[str, int] = {}
        for i, (word, start, _) in enumerate(tokens):
            best: dict[str, tuple[int, str]] = {}
            for words, key, label in self.entries.get(word, ()):
                n = len(words)
                if n > best.get(key, (0, ""))[0] and all(
                    i + j < len(tokens) and tokens[i + j][0] == w for j, w in enumerate(words)
                ):
                    best[key] = (n, label)
            for key, (n, label) in best.items():
                if start >= covered.get(key, 0):
                    end = tokens[i + n - 1][2]
                    covered[key] = end
                    found.append(Mention(key, label, start, end))
        return found


def tokenize(text: str) -> list[tuple[str, int, int]]:
    """The words of the text, stemmed, with their places; a capital inside begins another, as in labels."""
    found: list[tuple[str, int, int]] = []
    for m in _WORD.finditer(text):
        at = m.start()
        for part in _CAMEL.split(m.group()):
            found.append((_word_stem(part), at, at + len(part)))
            at += len(part)
    return found


def lexicon(views: Iterable[FactView]) -> Lexicon:
    """Every name under which these facts can be spoken of."""
    words = Lexicon()
    for v in views:
        label = " ".join(v.metric)
        words.add(v.metric, "metric", label)
        lead = v.metric[0] if v.metric else ""
        if len(v.metric) > 1 and lead in {"total", "mean", "count"}:
            words.add(tuple(w for w in v.metric[1:] if w != "of"), "metric", label)
        for key, name in v.group:
            words.add(stems(name), f"group:{key}", name)
        if v.aspect and v.aspect not in v.metric:
            for spoken, aspect in _ASPECTS.items():
                if aspect == v.aspect:
                    words.add((spoken,), "aspect", aspect)
    for spoken in ("total", "overall", "altogether", "combined", "sum"):
        words.add((spoken,), "aspect", "total")
    return words


def unspoken(aspect: str) -> bool:
    """Whether an aspect may be left out of prose: plain values and totals."""
    return aspect in _UNSPOKEN


def days_of(facts: Iterable[Fact]) -> list[datetime | date]:
    """The values of facts that are dates."""
    return [f.value for f in facts if isinstance(f.value, date)]
