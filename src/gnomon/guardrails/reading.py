"""Prose read for binding: its sentences and clauses, what each names, and which name a number belongs to."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from gnomon.core.answer import Fact
from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_names import vocabulary
from gnomon.guardrails.directions import Direction, find_directions
from gnomon.guardrails.moments import Moment, Period, find_moments
from gnomon.guardrails.numerals import Numeral, find_numerals
from gnomon.guardrails.subjects import FactView, Mention, lexicon, tokenize, view

_SENTENCE = regex(r"(?<=[.!?])[\"”)]*\s+|\n+|;\s")
_CLAUSE = regex(
    r",\s|\s(?:and|but|while|whereas|though|although|yet)\s|\s[–—]\s|\s(?=(?:compared\s(?:with|to)|versus|vs\b|against)\s)",
    re.IGNORECASE,
)
_AFTER_LABEL = regex(
    r"\s?(?:$|[()!?;·]|[.,:](?!\d)|(?:and|or|than|was|were|is|are|had|has|in|on|at|with)\b)", re.IGNORECASE
)
_LINKED = regex(r",\s|,?\s(?:and|or)\s", re.IGNORECASE)
_QUOTED = regex(r"“[^”\n]{1,80}”")
# Words of the question that are only repeated: there is no “90th” in this data.
_SPOKEN_OF = late_pattern(
    r"\b(?:no|not|find|mean|called|named|read|understand|words?)\s(?:“[^”]*”(?:,\s|\s(?:or|and)\s))*$",
    re.IGNORECASE,
)
_COLON = regex(r":\s")
_BASELINE_START = regex(r"\s*(?:compared\s(?:with|to)|versus|vs\b|against)\s", re.IGNORECASE)
_BEHIND = regex(r"\b(?:from|than(?:\s(?:in|the|for))?|over|on|versus|vs\.?|against|compared\s(?:with|to)|since)\s(?:the\s|in\s)?$", re.IGNORECASE)  # fmt: skip
_LINKS = vocabulary("of in for from by at the on to with a an worth was were is are came than")
_WORD = regex(r"[^\W_]+")


class Reading:
    """Everything found in one piece of prose, against the facts it was written from."""

    def __init__(self, text: str, facts: Sequence[Fact], names: Collection[str]) -> None:
        self.text = text
        self.views: list[FactView] = [view(f) for f in facts]
        self.tokens = tokenize(text)
        self._mentions: dict[str, list[Mention]] = {}
        for mention in lexicon(self.views).find(self.tokens):
            self._mentions.setdefault(mention.key, []).append(mention)
        self._numeric_labels()
        self.named = self._named_spans(names)
        moments = find_moments(text)
        self.moments: list[Moment] = [m for m in moments if not self.inside(m.start, m.end)]
        self.directions: list[Direction] = [
            d for d in find_directions(text) if not self.inside(d.start, d.end)
        ]
        self._split()

    def _numeric_labels(self) -> None:
        """A label that is only digits is a name where its dimension's word, or the start of a line, precedes it."""
        for key in [k for k in self._mentions if k.startswith("group:")]:
            dimension = {w for w, _, _ in tokenize(key[6:].replace("_", " "))}
            kept: list[Mention] = []
            for m in self._mentions[key]:
                before = self.text[: m.start]
                if re.search(r"\d[.,:]$|[$€£]$", before) or re.match(r"[.,:]\d|\s?%", self.text[m.end :]):
                    continue  # a part of a longer number
                word = _WORD.findall(before)[-1:] or [""]
                led = tokenize(word[0])[0][0] in dimension if word[0] else True
                linked = bool(kept) and re.fullmatch(
                    r",?\s?(?:and|or|,)?\s?", self.text[kept[-1].end : m.start]
                )
                starts = re.search(r"(?:^|[.\n•:(])\s*$", before)
                meant = re.search(r"\b(?:for|by|than)\s$", before) and _AFTER_LABEL.match(self.text[m.end :])
                if not m.label.strip().isdigit() or led or linked or starts or meant:
                    kept.append(m)
            self._mentions[key] = kept

    def _named_spans(self, names: Collection[str]) -> list[tuple[int, int]]:
        spans = [
            (m.start, m.end) for key, ms in self._mentions.items() if key.startswith("group:") for m in ms
        ]
        spans.extend((m.start, m.end) for m in self.mentions("metric"))
        low = self.text.lower()
        digits: list[tuple[int, int]] = []
        spoken = [*names, *(v.fact.value for v in self.views if isinstance(v.fact.value, str))]
        for name in {n.strip().lower() for n in spoken}:
            if len(name) < 2 and not name.isdigit():
                continue
            at = low.find(name)
            while at >= 0:
                if self._stands_alone(at, at + len(name), name):
                    spans.append((at, at + len(name)))
                elif name.isdigit():
                    digits.append((at, at + len(name)))
                at = low.find(name, at + 1)
        for start, end in sorted(digits):
            # The second of two names that are numbers: "1057481 and 1063463 tie".
            if any(
                _LINKED.fullmatch(self.text[b:start])
                for a, b in spans
                if b <= start and self.text[a:b].isdigit()
            ):
                spans.append((start, end))
        spans.extend(
            m.span() for m in _QUOTED.finditer(self.text) if _SPOKEN_OF.search(self.text[: m.start()])
        )
        return _widest(spans)

    def _stands_alone(self, start: int, end: int, name: str) -> bool:
        before, after = self.text[:start], self.text[end:]
        if re.search(r"[\w$€£]$", before) or re.match(r"\w|[.,]\d|\s?[%€]", after):
            return False
        if not re.fullmatch(r"[\d.,\s-]+", name):
            return True
        # Digits alone are a name only behind a word that is no verb or link: "store 12", not "was 12".
        word = re.search(r"([^\W_]*[^\W\d_][^\W_]*)[ \u00a0#]?$", before)
        if word is None or word[1].lower() in _VALUE_LEADS:
            return False
        of_group = {w for key in self.group_keys() for w, _, _ in tokenize(key[6:].replace("_", " "))}
        return tokenize(word[1])[0][0] in of_group or _AFTER_LABEL.match(after) is not None

    def inside(self, start: int, end: int) -> bool:
        """Whether a span lies within a name."""
        i = bisect_right(self.named, (start, len(self.text)))
        return i > 0 and end <= self.named[i - 1][1]

    def _split(self) -> None:
        def cuts(pattern: re.Pattern[str]) -> list[int]:
            found = (m for m in pattern.finditer(self.text))
            return [
                m.end()
                for m in found
                if not self.inside(m.start(), m.end()) and not self._in_moment(m.start())
            ]

        self._sentences = [0, *cuts(_SENTENCE)]
        self._clauses = sorted({*self._sentences, *cuts(_CLAUSE)})
        # A colon behind a number opens another clause; behind a name it leads to the name's number.
        colons = [at for at in cuts(_COLON) if re.search(r"\d", self.text[self.clause(at - 1)[0] : at])]
        self._clauses = sorted({*self._clauses, *colons})

    def _in_moment(self, at: int) -> bool:
        return any(m.start <= at < m.end for m in self.moments)

    @cached_property
    def numerals(self) -> list[Numeral]:
        """Every number that is not part of a name or a date."""
        kept: list[Numeral] = []
        for n in find_numerals(self.text):
            dated = any(m.start < n.end and n.start < m.end and not m.year_only for m in self.moments)
            if not dated and not self.inside(n.start, n.end):
                kept.append(n)
        return kept

    def mentions(self, key: str) -> list[Mention]:
        """Where names under this key stand."""
        return self._mentions.get(key, [])

    def group_keys(self) -> list[str]:
        """The dimensions whose labels the facts carry."""
        return list(dict.fromkeys(f"group:{k}" for v in self.views for k, _ in v.group))

    def clause(self, at: int) -> tuple[int, int]:
        """The clause around a place."""
        return self._around(self._clauses, at)

    def sentence(self, at: int) -> tuple[int, int]:
        """The sentence around a place."""
        return self._around(self._sentences, at)

    def _around(self, cuts: list[int], at: int) -> tuple[int, int]:
        i = bisect_right(cuts, at)
        return cuts[i - 1], cuts[i] if i < len(cuts) else len(self.text)

    def subject(
        self, start: int, end: int, key: str, usable: Callable[[str], bool], *, skip_behind: bool = False
    ) -> tuple[str | None, str]:
        """The name under ``key`` that a span belongs to, and where it stands: own, before, after or nowhere.

        Args:
            start: Where the span begins.
            end: Where it ends.
            key: ``metric``, ``aspect`` or ``group:<dimension>``.
            usable: Which labels could be meant at all.
            skip_behind: Leave out what stands behind "from", "than" or "compared with".
        """
        found = [m for m in self.mentions(key) if usable(m.label)]
        if skip_behind:
            found = [m for m in found if not self.behind(m.start)] or found
        if not found:
            return None, "nowhere"
        if (paired := self._respectively(start, found)) is not None:
            return paired, "own"
        first, last = self.clause(start)
        own = [m for m in found if first <= m.start < last]
        if own:
            return min(own, key=lambda m: self._gap(m, start, end, key)).label, "own"
        earlier = [m for m in found if m.end <= start]
        if earlier:
            return earlier[-1].label, "before"
        _, until = self.sentence(start)
        later = [m for m in found if end <= m.start < until]
        return (later[0].label, "after") if later else (None, "nowhere")

    def nearest(self, mentions: Sequence[Mention], start: int, end: int) -> float:
        """How many words lie between a span and the nearest of some mentions."""
        return min((self._gap(m, start, end, m.key) for m in mentions), default=math.inf)

    def _gap(self, m: Mention, start: int, end: int, key: str) -> float:
        if m.end <= start:
            return len(_WORD.findall(self.text[m.end : start])) + 0.25
        if m.start < end:
            return 0
        between = self.text[end : m.start]
        if key == "metric" and not between.strip():
            return 0
        words = [w for w in _WORD.findall(between.lower()) if w not in _LINKS]
        return len(words) + 0.5

    def _respectively(self, start: int, found: list[Mention]) -> str | None:
        first, last = self.sentence(start)
        if not re.search(r"\brespectively\b|\bin that order\b", self.text[first:last], re.IGNORECASE):
            return None
        labels = [m for m in found if first <= m.start < last]
        numbers = [n for n in self.numerals if first <= n.start < last]
        here = next((n for n in numbers if n.start == start), None)
        alike = [n for n in numbers if here is not None and n.unit == here.unit]
        if here is None or len(labels) != len(alike) or len(labels) < 2:
            return None
        return labels[alike.index(here)].label

    def behind(self, at: int) -> bool:
        """Whether words such as "from" or "than" stand right before a place."""
        return _BEHIND.search(self.text[max(0, at - 24) : at]) is not None

    def compared(self, at: int) -> bool:
        """Whether the clause around a place is what something is compared with."""
        first, last = self.clause(at)
        return _BASELINE_START.match(self.text[first:last]) is not None

    def period_named(self, start: int, end: int, *, skip_behind: bool) -> Moment | None:
        """The period that the clause around a span names, the nearest where it names several."""
        first, last = self.clause(start)
        own = [
            m
            for m in self.moments
            if first <= m.start < last and not m.time and not (m.start < end and start < m.end)
        ]
        if skip_behind:
            own = [m for m in own if not self.behind(m.start)]
        return min(own, key=lambda m: start - m.end + 4 if m.end <= start else m.start - end, default=None)

    def periods(self) -> list[Period]:
        """Every period that a fact is about."""
        return [v.period for v in self.views if v.period is not None]


def _widest(spans: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that lie within no other, in order: the last that begins before a place reaches furthest."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda s: (s[0], -s[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


_VALUE_LEADS = vocabulary(
    "was were is are be been at of to by with from totalled totaled reached sold had has have and or "
    "than about around over under roughly nearly made cost costs earned only just exactly averaged "
    "stood hit came equals plus minus up down rose fell in for the a an on"
)
