"""Binds direction words: each must be the sign of a change, the order of two values, or the extreme of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from gnomon.guardrails.directions import Direction, Way, lower_is_better
from gnomon.guardrails.matching import Matcher
from gnomon.guardrails.moments import Moment
from gnomon.guardrails.numerals import Numeral
from gnomon.guardrails.reading import Reading
from gnomon.guardrails.subjects import BOTTOMS, RANKS, RELATIONS, TOPS, FactView

_SPOKEN = {
    "up": 1, "rising": 1, "increasing": 1, "upward": 1, "growing": 1, "increase": 1, "positive": 1, "higher": 1,
    "down": -1, "falling": -1, "decreasing": -1, "downward": -1, "declining": -1, "decrease": -1, "negative": -1,
    "lower": -1, "flat": 0, "stable": 0, "unchanged": 0, "none": 0, "steady": 0,
}  # fmt: skip
_NEARLY_NOTHING = Decimal("0.05")

Bound = dict[int, FactView]

# Words that name what is computed for each group, whatever end of the groups is told.
_AGGREGATES = {"minimum": "min", "maximum": "max"}
_ENDS = frozenset({"top", "bottom"})


class DirectionBinder:
    """Judges the direction words of one reading.

    Args:
        matcher: Who judges what a fact is about.
        bound: The facts behind the numbers, by where each number begins.
    """

    def __init__(self, matcher: Matcher, bound: Bound) -> None:
        self.matcher = matcher
        self.reading: Reading = matcher.reading
        self.bound = bound
        self._numbers: dict[int, Numeral] = {n.start: n for n in self.reading.numerals}

    def judge(self, d: Direction) -> tuple[FactView | None, bool]:
        """The fact behind a direction word where there is one, and whether the word may stand."""
        if d.superlative:
            return self._extreme(d)
        governed = [
            self.bound[n.start]
            for n in self._numbers.values()
            if n.start in self.bound and self.matcher.governor(n) is d
        ]
        if governed:
            return governed[0], all(self._agrees(v, d) for v in governed)
        orders = self._orders(d)
        if any(o is False for o in orders):
            return None, False
        changes = [
            v for v in self.reading.views if self._sign(v) is not None and not self.subject_fault(v, d)
        ]
        if d.signs or not changes:
            relations = [v for v in self.reading.views if v.words & RELATIONS and v.number is not None]
            changes = relations if d.signs and relations else changes
        if changes:
            numbered = [v for v in changes if any(b.tells(v) for b in self._clause_facts(d))]
            chosen = numbered or changes
            return chosen[0], all(self._agrees(v, d) for v in chosen)
        return None, bool(orders) and all(orders)

    def subject_fault(self, v: FactView, d: Direction) -> str:
        """Why a change is not the one that a direction word speaks of."""
        return self.matcher.subject_fault(v, d.start, d.end, None)

    def _sign(self, v: FactView) -> int | None:
        if isinstance(v.fact.value, str):
            return _SPOKEN.get(v.fact.value.strip().lower()) if v.words & {"direction", "trend"} else None
        if not v.change or v.number is None:
            return None
        return (v.number > 0) - (v.number < 0)

    def _agrees(self, v: FactView, d: Direction) -> bool:
        if isinstance(v.fact.value, str):
            return self._sign(v) == d.way.sign
        assert v.number is not None
        if d.way is Way.FLAT:
            return abs(v.number) < (
                _NEARLY_NOTHING
                if v.unit == "%"
                else Decimal("0.0005")
                if v.unit == "fraction"
                else Decimal("1e-9")
            )
        sign = (v.number > 0) - (v.number < 0)
        if d.judges and lower_is_better(frozenset(v.metric)):
            sign = -sign
        return sign == d.way.sign

    def _clause_facts(self, d: Direction) -> list[FactView]:
        first, last = self.reading.clause(d.start)
        return [v for at, v in self.bound.items() if first <= at < last and v.change]

    def _orders(self, d: Direction) -> list[bool]:
        """Whether pairs of values that the sentence sets against each other are in the order claimed."""
        pairs = [p for p in (self._from_to(d), self._sides(d), self._named_sides(d)) if p is not None]
        judged: list[bool] = []
        for left, right in pairs:
            assert left.number is not None and right.number is not None
            sign = (left.number > right.number) - (left.number < right.number)
            if d.judges and lower_is_better(frozenset(left.metric)):
                sign = -sign
            judged.append(sign == d.way.sign)
        return judged

    def _values(self, first: int, last: int) -> list[tuple[int, FactView]]:
        return [
            (at, v)
            for at, v in sorted(self.bound.items())
            if first <= at < last and not v.change and v.number is not None
        ]

    def _from_to(self, d: Direction) -> tuple[FactView, FactView] | None:
        """The value arrived at, and the one before: "to A from B", "from B to A", "A, up from B"."""
        first, last = self.reading.sentence(d.start)
        text = self.reading.text
        after = self._values(d.end, last)
        lead = {
            at: (re.search(r"\b(to|from|than)\s(?:the\s)?[-(]?$", text[max(0, at - 12) : at]) or [None, ""])[
                1
            ]
            for at, _ in after
        }
        to = next((v for at, v in after if lead[at] == "to"), None)
        since = next((v for at, v in after if lead[at] == "from"), None)
        if to is None and since is not None:
            before = [
                v
                for _, v in self._values(first, d.start)
                if v.unit == since.unit and v.metric == since.metric
            ]
            to = before[-1] if before else None
        return (to, since) if to is not None and since is not None and to.unit == since.unit else None

    def _sides(self, d: Direction) -> tuple[FactView, FactView] | None:
        """The values on both sides of "more than" and its like."""
        first, last = self.reading.sentence(d.start)
        than = re.match(r"(?:\s\w+){0,3}?\s(?:than|of|with|at)\b|\s", self.reading.text[d.end : last])
        word = self.reading.text[d.start : d.end].lower()
        if than is None or not (
            self._comparative(d, last) or word in {"above", "below", "exceeded", "exceeds", "ahead", "behind"}
        ):
            return None
        left = [v for _, v in self._values(first, d.start)]
        right = [v for _, v in self._values(d.end, last)]
        if not left or not right or left[-1].unit != right[0].unit or left[-1] is right[0]:
            return None
        return (left[-1], right[0]) if left[-1].metric == right[0].metric else None

    def _comparative(self, d: Direction, last: int) -> bool:
        return re.match(r"(?:\s[^\s,;.]+){0,6}?\sthan\b", self.reading.text[d.end : last]) is not None

    def _named_sides(self, d: Direction) -> tuple[FactView, FactView] | None:
        """The values of the two names that a comparison stands between: "West is higher than East"."""
        first, last = self.reading.sentence(d.start)
        verb = re.match(r"\s(?:of\s|in\s|the\s|by\s\S+\s)*", self.reading.text[d.end : last])
        for key in self.reading.group_keys():
            named = [m for m in self.reading.mentions(key) if first <= m.start < last]
            before, after = [m for m in named if m.end <= d.start], [m for m in named if m.start >= d.end]
            comparing = self._comparative(d, last) or (
                before and after and verb is not None and after[0].start == d.end + verb.end()
            )
            if not comparing:
                continue
            sides = (before[-1:] + after[:1]) if before else after[:2]
            if len(sides) == 2 and sides[0].label != sides[1].label:
                pair = self._pair(key.removeprefix("group:"), sides[0].label, sides[1].label, d)
                if pair is not None:
                    return pair
        return self._period_sides(d, first, last)

    def _pair(self, key: str, one: str, other: str, d: Direction) -> tuple[FactView, FactView] | None:
        metric, _ = self.reading.subject(d.start, d.end, "metric", lambda _: True)
        values = [
            v for v in self.reading.views if v.number is not None and not v.change and not v.words & RANKS
        ]
        for left in values:
            if left.label(key) != one or (metric is not None and " ".join(left.metric) != metric):
                continue
            for right in values:
                same = (left.metric, left.unit, left.measure, left.period) == (
                    right.metric,
                    right.unit,
                    right.measure,
                    right.period,
                )
                if same and right.label(key) == other:
                    return left, right
        return None

    def _period_sides(self, d: Direction, first: int, last: int) -> tuple[FactView, FactView] | None:
        if not self._comparative(d, last):
            return None
        named = [m for m in self.reading.moments if first <= m.start < last]
        before, after = [m for m in named if m.end <= d.start], [m for m in named if m.start >= d.end]
        sides = (before[-1:] + after[:1]) if before else after[:2]
        if len(sides) < 2:
            return None
        values = [
            v for v in self.reading.views if v.number is not None and not v.change and v.period is not None
        ]
        metric, _ = self.reading.subject(d.start, d.end, "metric", lambda _: True)
        for left in values:
            for right in values:
                same = (left.metric, left.unit, left.measure, left.group) == (
                    right.metric,
                    right.unit,
                    right.measure,
                    right.group,
                )
                named_so = metric is None or " ".join(left.metric) == metric
                if (
                    same
                    and named_so
                    and left.period
                    and right.period
                    and left is not right
                    and sides[0].names(left.period)
                    and sides[1].names(right.period)
                ):
                    return left, right
        return None

    def _extreme(self, d: Direction) -> tuple[FactView | None, bool]:
        told = self._told_extreme(d)
        siblings = self.siblings(d)
        if told is not None:
            return told
        if len(siblings) < 2:
            return None, False
        if self._lists(d):
            return siblings[0], self._ordered(d, siblings)
        mine = self.meant(d, siblings)
        if mine is None:
            return None, False
        values = [v.number for v in siblings if v.number is not None]
        wanted = max(values) if self.wants_most(d, mine) else min(values)
        return mine, mine.number == wanted and (len(set(values)) > 1)

    def wants_most(self, d: Direction, v: FactView) -> bool:
        # What fell most has the smallest change.
        falls = re.search(r"(\w+)\s(?:the\s)?$", self.reading.text[max(0, d.start - 20) : d.start])
        led = next(
            (
                o
                for o in self.reading.directions
                if falls and o.end == d.start - len(falls[0]) + len(falls[1])
            ),
            None,
        )
        most = (d.way is Way.MOST) != (led is not None and led.way is Way.DOWN and v.change)
        return not most if d.judges and lower_is_better(frozenset(v.metric)) else most

    def _told_extreme(self, d: Direction) -> tuple[FactView, bool] | None:
        """A fact whose name says that it is the highest or lowest, where the clause speaks of it."""
        first, last = self.reading.clause(d.start)
        whole = self.reading.sentence(d.start)
        spoken = [v for v in self.reading.views if v.role & (TOPS | BOTTOMS)]
        here = [v for v in spoken if self._in(v, first, last)] or [v for v in spoken if self._in(v, *whole)]
        here = here or [v for v in spoken if not v.group and self._in(v, 0, len(self.reading.text))]
        for v in here:
            if not self.matcher.subject_fault(v, d.start, d.end, v.unit) or isinstance(v.fact.value, str):
                word = self.reading.text[d.start : d.end].lower()
                if word in _AGGREGATES and v.role & _ENDS and v.role & {*_AGGREGATES.values()}:
                    return v, _AGGREGATES[word] in v.role  # "minimum weight was highest for Europe"
                top = v.end == "top"
                if self.wants_most(d, v) == top or (
                    d.judges
                    and bool(v.role & {"best", "worst"})
                    and (d.way is Way.MOST) == ("best" in v.role)
                ):
                    return v, True
        ranked = [
            v for v in self.reading.views if v.words & RANKS and v.number == 1 and self._in(v, first, last)
        ]
        if ranked and d.way is Way.MOST and not any(self._in(v, first, last) for v in spoken):
            return ranked[0], True
        return (here[0], False) if here else None

    def _in(self, v: FactView, first: int, last: int) -> bool:
        """Whether a stretch of prose speaks of a fact: its number, its value or all its labels stand there."""
        if any(first <= at < last and b.tells(v) for at, b in self.bound.items()):
            return True
        if isinstance(v.fact.value, str) and v.fact.value.lower() in self.reading.text[first:last].lower():
            return True
        return bool(v.group) and all(
            any(first <= m.start < last and m.label == label for m in self.reading.mentions(f"group:{key}"))
            for key, label in v.group
        )

    def siblings(self, d: Direction) -> list[FactView]:
        """The facts of the metric in question that differ only in their group or period."""
        values = [v for v in self.reading.views if v.number is not None and not v.words & RANKS]
        labels = {" ".join(v.metric) for v in values}
        metric, _ = self.reading.subject(d.start, d.end, "metric", labels.__contains__)
        own = [v for v in values if metric is None or " ".join(v.metric) == metric]
        first, last = self.reading.sentence(d.start)
        near = [v for _, v in self._near(first, last) if v in own]
        shape = near[0] if near else next((v for v in own if (v.group or v.period) and not v.change), None)
        if shape is None:
            return []
        keys = {k for k, _ in shape.group}
        return [
            v for v in own
            if (v.unit, v.measure, v.change) == (shape.unit, shape.measure, shape.change) and {k for k, _ in v.group} == keys
            and (bool(v.group) or v.period is not None)
        ]  # fmt: skip

    def _near(self, first: int, last: int) -> list[tuple[int, FactView]]:
        return [
            (at, v) for at, v in sorted(self.bound.items()) if first <= at < last and (v.group or v.period)
        ]

    def meant(self, d: Direction, siblings: Sequence[FactView]) -> FactView | None:
        for key in self.reading.group_keys():
            labels = {v.label(key.removeprefix("group:")) for v in siblings} - {None}
            label, where = self.reading.subject(d.start, d.end, key, labels.__contains__)
            if where in {"own", "after", "before"}:
                found = [v for v in siblings if v.label(key.removeprefix("group:")) == label]
                if found:
                    return self._this_period(d, found)
        return self._this_period(d, list(siblings)) if any(v.period for v in siblings) else None

    def _this_period(self, d: Direction, found: list[FactView]) -> FactView | None:
        periods = {v.period for v in found if v.period is not None}
        if len(periods) < 2:
            return (
                found[0]
                if len(found) == 1 or (len(periods) < 2 and len({v.group for v in found}) == 1)
                else None
            )
        moment: Moment | None = self.reading.period_named(d.start, d.end, skip_behind=False)
        if moment is None:
            first, last = self.reading.sentence(d.start)
            moment = next((m for m in self.reading.moments if first <= m.start < last), None)
        return next(
            (v for v in found if moment is not None and v.period is not None and moment.names(v.period)), None
        )

    def _lists(self, d: Direction) -> bool:
        after = self.reading.text[d.end : d.end + 30]
        before = self.reading.text[max(0, d.start - 12) : d.start]
        counted = re.match(r"[ -](?:\d+|two|three|four|five|six|seven|eight|nine|ten)\b", after)
        return (
            counted is not None
            or re.search(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\s$", before) is not None
        )

    def _ordered(self, d: Direction, siblings: Sequence[FactView]) -> bool:
        listed = [v for at, v in sorted(self.bound.items()) if at > d.start and v in siblings]
        values = [v.number for i, v in enumerate(listed) if v.number is not None and v not in listed[:i]]
        if len(values) < 2:
            return False
        if self.wants_most(d, siblings[0]):
            return all(a >= b for a, b in pairwise(values))
        return all(a <= b for a, b in pairwise(values))
