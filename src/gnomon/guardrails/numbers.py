"""Number binding: nothing that prose claims in numbers, dates or directions may lack a fact.

How a fact must be named for its sign or its place to be told in words: a change ends in ``.change``,
``.change_pct``, ``.difference``, ``.slope``, ``.growth`` or another word of :data:`~gnomon.guardrails.subjects.CHANGES`;
a place in an order ends in ``.rank``; an extreme carries a segment such as ``max``, ``top``, ``min`` or ``bottom``, or
is found by comparing the facts of one metric; what others are compared with carries ``previous``, ``baseline`` or
``benchmark``, or simply has the earlier period.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from gnomon.core.answer import Fact
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import Recurring
from gnomon.guardrails.claims import Claim
from gnomon.guardrails.directions import Direction, Way
from gnomon.guardrails.matching import Matcher
from gnomon.guardrails.moments import Moment, lengths, same_time
from gnomon.guardrails.numerals import Numeral, NumeralKind
from gnomon.guardrails.reading import Reading
from gnomon.guardrails.subjects import RANKS, RELATIONS, FactView, days_of, stems
from gnomon.guardrails.units import PERCENT, POINTS, TIMES, is_currency, measure
from gnomon.guardrails.ways import DirectionBinder

_MORE = {FilterOperator.GREATER, FilterOperator.AT_LEAST}
_LESS = {FilterOperator.LESS, FilterOperator.AT_MOST}
_COMPARES = regex(
    r"\b(?:(?P<more>more\sthan|over|above|greater\sthan|higher\sthan|exceeding|no\s(?:fewer|less)\sthan|at\sleast|longer\sthan)|(?P<less>less\sthan|under|below|fewer\sthan|lower\sthan|no\smore\sthan|at\smost|up\sto|shorter\sthan)|(?P<range>between(?:\s\S+\sand)?))\s$|(?P<gt>[>≥]=?\s?)$|(?P<lt>[<≤]=?\s?)$",
    re.IGNORECASE,
)
_LISTS = late_pattern(r"\b(?:top|bottom|first|last|best|worst|highest|lowest|largest|smallest|all|these|those|the|other|each\sof|across)\s$", re.IGNORECASE)  # fmt: skip
_NO_PLACE = late_pattern(
    r"-(?:party|hand|class|rate|order|degree)\b|\s(?:column|row|line|sheet|table|entry|option|one|part|step|question|reading|rows|columns|of\sthem)\b",
    re.IGNORECASE,
)
_NOTHING = regex(r"\bthere\s(?:was|were|are|is)\sno\s$", re.IGNORECASE)
_NUMBERING = regex(r"^\s*(\d{1,3})[.)]\s", re.MULTILINE)
_PERCENT_NAMES = frozenset({"pct", "percent", "percentage", "rate", "share", "margin", "ratio"})
_EXTREMES = r"highest|largest|biggest|best|most|top|lowest|smallest|worst|fewest|least|strongest|weakest"


class NumberBinding:
    """Binds what prose claims to the facts it was written from."""

    def bind(self, prose: str, facts: Sequence[Fact], names: Collection[str] = ()) -> list[Claim]:
        """Every claim of the prose, in order, each with the fact behind it.

        Args:
            prose: The text as it would be shown.
            facts: What was computed.
            names: Text that is data or the user's own words, such as labels; numbers within are no claims.
        """
        return _Binding(prose, facts, names).claims()


class _Binding:
    def __init__(self, prose: str, facts: Sequence[Fact], names: Collection[str]) -> None:
        self.text = prose
        self.facts = facts
        self.reading = Reading(prose, facts, names)
        self.matcher = Matcher(self.reading)
        self.bound: dict[int, FactView] = {}
        self.filters: list[Filter] = [c for f in facts for c in f.about.filters]
        self.excused: list[tuple[int, int]] = []

    def claims(self) -> list[Claim]:
        found = [*self._listing()]
        numbered = {c.start for c in found}
        found.extend(c for m in self.reading.moments if (c := self._moment(m)) is not None)
        dated = {c.start for c in found if c.kind == "period"}
        late: list[Numeral] = []
        for n in self.reading.numerals:
            if (
                n.start in dated
                or any(a <= n.start < b for a, b in ((c.start, c.end) for c in found))
                or n.start in numbered
            ):
                continue
            if n.kind is NumeralKind.ORDINAL:
                late.append(n)
                continue
            found.append(self._number(n))
        found.extend(self._nothing())
        self._binder = DirectionBinder(self.matcher, self.bound)
        found.extend(c for n in late if (c := self._ordinal(n)) is not None)
        found.extend(self._direction(d) for d in self.reading.directions if not self._excused(d))
        return sorted(found, key=lambda c: c.start)

    def _listing(self) -> list[Claim]:
        """Numbers at the start of lines, which must count 1, 2, 3."""
        found: list[Claim] = []
        expected = 1
        matches = list(_NUMBERING.finditer(self.text))
        if len(matches) < 2:
            return []
        for m in matches:
            number = int(m[1])
            expected = 1 if number == 1 else expected
            ok = number == expected
            found.append(
                Claim(
                    m[1],
                    m.start(1),
                    m.end(1),
                    float(number),
                    "",
                    None,
                    ok,
                    "listing",
                    "" if ok else "the list is not numbered in order",
                )
            )
            expected = number + 1
        return found

    def _nothing(self) -> list[Claim]:
        """ "There were no orders" claims a zero."""
        found: list[Claim] = []
        for m in self.reading.mentions("metric"):
            said = _NOTHING.search(self.text[max(0, m.start - 24) : m.start])
            facts = [v for v in self.reading.views if " ".join(v.metric) == m.label and v.number is not None]
            if said is None or not facts or facts[0].words & RELATIONS:
                continue
            zero = next((v for v in facts if v.number == 0), None)
            start = m.start - 3
            reason = "" if zero else "the fact is not zero"
            found.append(
                Claim(
                    "no",
                    start,
                    start + 2,
                    0.0,
                    "",
                    zero.fact if zero else None,
                    zero is not None,
                    "number",
                    reason,
                )
            )
        return found

    def _moment(self, m: Moment) -> Claim | None:
        written = self.text[m.start : m.end]
        ok = self._known_period(m) or (
            m.until is not None and self._known_period(replace(m, until=None)) and self._known_period(m.until)
        )
        if not ok and m.year_only:
            return None  # perhaps a count
        return Claim(
            written,
            m.start,
            m.end,
            written,
            "",
            None,
            ok,
            "period",
            "" if ok else "no fact is about this period",
        )

    def _known_period(self, m: Moment) -> bool:
        chosen = (d for c in self.filters for x in c.values if (d := _day(x)) is not None)
        return (
            any(m.names(p) for p in self.reading.periods())
            or self._dated(m)
            or any(m.names((d, d)) for d in chosen)
            or (bool(m.time) and self.text[m.start : m.end] in self._places)
        )

    @cached_property
    def _places(self) -> frozenset[str]:
        """What the groups are called that facts are about, and the ends of the hours; an hour of a day is one of them."""
        groups = {value for f in self.facts for value in f.about.group.values()}
        return frozenset(groups | {t for f in self.facts for t in _clock(f.about.recurring)})

    def _dated(self, m: Moment) -> bool:
        for value in days_of(self.facts):
            if m.time and not (isinstance(value, datetime) and same_time(m.time, value)):
                continue
            if m.covers(value) and (m.time or m.month or m.week or m.quarter or m.year) and m.until is None:
                return True
        return False

    def _number(self, n: Numeral) -> Claim:
        threshold = _COMPARES.search(self.text[max(0, n.start - 24) : n.start])
        if threshold and self._filtered(n, threshold):
            return self._claim(n, None, "")
        if self._filter_value(n):
            return self._claim(n, None, "")
        view, reason = self.matcher.behind(n, self.bound)
        if view is None and n.kind is NumeralKind.QUANTITY and self._neutral(n):
            return self._claim(n, None, "")
        if view is None and n.kind is NumeralKind.MULTIPLE and self._multiplied(n):
            return self._claim(n, None, "")
        if view is None and threshold and (below := self._inequality(n, threshold)) is not None:
            return self._claim(n, below, "")
        if view is not None and threshold and not self._comparison(n, view, threshold):
            return self._claim(n, None, "nothing shows that the comparison holds")
        if view is not None:
            self.bound[n.start] = view
        return self._claim(n, view, reason)

    def _claim(self, n: Numeral, view: FactView | None, reason: str) -> Claim:
        value = float(n.value) * (-1 if n.sign == "-" else 1)
        fact = view.fact if view else None
        return Claim(
            self.text[n.start : n.end], n.start, n.end, value, n.unit, fact, not reason, "number", reason
        )

    def _filtered(self, n: Numeral, found: re.Match[str]) -> bool:
        """A bound of the rows or groups that the facts are about, told with the right comparison."""
        wanted = (
            _MORE
            if found["more"] or found["gt"]
            else _LESS
            if found["less"] or found["lt"]
            else {FilterOperator.BETWEEN}
        )
        for c in self.filters:
            if c.operator in wanted and any(self._same(x, n, c.field) for x in c.values):
                self.excused.append((n.start - len(found[0]) - 8, n.start))
                return True
        return False

    def _filter_value(self, n: Numeral) -> bool:
        """A value that rows were chosen by, beside the name of its column."""
        for c in self.filters:
            if c.operator in {
                FilterOperator.EQUALS,
                FilterOperator.IN,
                FilterOperator.BETWEEN,
                FilterOperator.NOT_EQUALS,
                FilterOperator.OUTSIDE,
            }:
                first, last = self.reading.clause(n.start)
                before = stems(self.text[max(first, n.start - 40) : n.start])[-4:]
                near = {*before, *stems(self.text[n.end : min(last, n.end + 40)])[:2]}
                if any(self._same(x, n, c.field) for x in c.values) and set(stems(c.field)) & near:
                    return True
        return False

    def _same(self, value: object, n: Numeral, column: str) -> bool:
        """Whether a number is the value of a condition; with a unit only where the facts or the column have it."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if n.unit in {POINTS, TIMES} or (n.sign == "-") != (number < 0):
            return False
        if is_currency(n.unit) and not any(v.unit == n.unit for v in self.reading.views):
            return False
        part = abs(number) < 1  # a discount of 0.2 is one of 20 %
        if n.unit == PERCENT and not part and not _PERCENT_NAMES & set(stems(column)):
            return False
        return n.rounds(abs(number) * (100 if n.unit == PERCENT and abs(number) <= 1 else 1))

    def _neutral(self, n: Numeral) -> bool:
        """The length of a period that a fact is about, or how many labels are listed."""
        if n.unit or n.sign or n.value != n.value.to_integral_value():
            return False
        after = re.match(
            r"[ -](?:(?:full|whole|consecutive|complete|calendar)\s)?([^\W\d_]+)",
            self.text[n.end : n.end + 30],
        )
        noun = measure(after[1]) if after else ""
        if int(n.value) in lengths(self.reading.periods()).get(noun, ()):
            return True
        counts = self._label_counts()
        listed = _LISTS.search(self.text[max(0, n.start - 12) : n.start])
        extreme = after and re.fullmatch(_EXTREMES, after[1], re.IGNORECASE)
        if (
            listed and listed[0].strip().lower() not in {"the", "all", "across", "these", "those", "other"}
        ) or extreme:
            return int(n.value) in counts.values()
        return counts.get(noun) == int(n.value)

    def _label_counts(self) -> dict[str, int]:
        labels: dict[str, set[str]] = {}
        for v in self.reading.views:
            for key, label in v.group:
                labels.setdefault(" ".join(stems(key)), set()).add(label)
        return {k: len(found) for k, found in labels.items()} | {
            k.split()[-1]: len(found) for k, found in labels.items() if k
        }

    def _multiplied(self, n: Numeral) -> bool:
        """ "Doubled" between two values of the sentence."""
        first, last = self.reading.sentence(n.start)
        numbers = [
            m for m in self.reading.numerals if first <= m.start < last and m.kind is NumeralKind.QUANTITY
        ]
        found = [
            v for m in numbers if (v := self.matcher.behind(m)[0]) is not None and v.number and not v.change
        ]
        for a in found:
            for b in found:
                earlier = b.baseline or (
                    a.period is not None and b.period is not None and b.period[1] < a.period[0]
                )
                if earlier and a.metric == b.metric and a.unit == b.unit and a.number and b.number:
                    return abs(a.number / b.number - n.value) <= n.value * Decimal("0.025")
        return False

    def _inequality(self, n: Numeral, found: re.Match[str]) -> FactView | None:
        """ "p < 0.001": a bound that a probability keeps."""
        if not (found["lt"] or found["less"]) or n.value not in {
            Decimal(x) for x in ("0.05", "0.01", "0.001", "0.0001")
        }:
            return None
        probable = {"p", "pvalue", "probability"}
        return next(
            (
                v
                for v in self.reading.views
                if v.words & probable and v.number is not None and 0 <= v.number < n.value
            ),
            None,
        )

    def _comparison(self, n: Numeral, view: FactView, found: re.Match[str]) -> bool:
        """Whether a value told before this one in the sentence lies on the side that the words claim."""
        first, _ = self.reading.sentence(n.start)
        before = [
            v
            for at, v in sorted(self.bound.items())
            if first <= at < n.start and v.unit == view.unit and not v.change
        ]
        if not before or before[-1].number is None or view.number is None:
            change = [v for at, v in self.bound.items() if first <= at < n.start and v.change]
            return bool(change) and found["range"] is None
        if found["range"]:
            return True
        more = bool(found["more"] or found["gt"])
        return before[-1].number > view.number if more else before[-1].number < view.number

    def _ordinal(self, n: Numeral) -> Claim | None:
        after = self.text[n.end : n.end + 30]
        begins = re.search(r"(?:^|[.!?\n]\s*)$", self.text[: n.start])
        if (begins and after.startswith(",")) or _NO_PLACE.match(after):
            return None
        place = int(n.value)
        told = next(
            (v for v in self.reading.views if v.words & RANKS and v.number == place and not self.matcher.subject_fault(v, n.start, n.end, "")),
            None,
        )  # fmt: skip
        if told is None:
            told = self._placed(n, place, after)
        written = self.text[n.start : n.end]
        reason = "" if told else "no fact has this place"
        return Claim(
            written,
            n.start,
            n.end,
            float(n.value),
            "",
            told.fact if told else None,
            told is not None,
            "place",
            reason,
        )

    def _placed(self, n: Numeral, place: int, after: str) -> FactView | None:
        d = next((d for d in self.reading.directions if d.superlative and 0 <= d.start - n.end <= 2), None)
        probe = d or Direction(Way.MOST, start=n.start, end=n.end)
        siblings = self._binder.siblings(probe)
        if len(siblings) < 2 or place > len(siblings):
            return None
        mine = self._binder.meant(probe, siblings)
        rising = not self._binder.wants_most(probe, siblings[0])
        order = sorted((v.number for v in siblings if v.number is not None), reverse=not rising)
        if d is not None:
            self.excused.append((d.start, d.end))
        return mine if mine is not None and mine.number == order[place - 1] else None

    def _excused(self, d: Direction) -> bool:
        return any(a <= d.start < b for a, b in self.excused)

    def _direction(self, d: Direction) -> Claim:
        view, ok = self._binder.judge(d)
        kind = "extreme" if d.superlative else "direction"
        reason = "" if ok else "no fact shows this direction"
        return Claim(
            self.text[d.start : d.end],
            d.start,
            d.end,
            str(d.way),
            "",
            view.fact if view else None,
            ok,
            kind,
            reason,
        )


def _clock(recurring: Recurring | None) -> Iterator[str]:
    """The times of day at which hours or minutes that come back begin and end."""
    size = {"hour": 60, "minute": 1}.get(recurring[0], 0) if recurring is not None else 0
    for value in recurring[1] if recurring is not None and size else ():
        for end in (value * size, (value + 1) * size):
            yield f"{end // 60:02d}:{end % 60:02d}"


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(value).date() if isinstance(value, str) else None
    except ValueError:
        return None
