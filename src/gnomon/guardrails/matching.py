"""Whether a fact stands behind a number: its value as written, its unit, its sign, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal

from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_names import vocabulary
from gnomon.guardrails.directions import Direction, Way
from gnomon.guardrails.numerals import Numeral, NumeralKind
from gnomon.guardrails.reading import Reading
from gnomon.guardrails.subjects import MULTI, RELATIONS, FactView, Mention, stems, unspoken
from gnomon.guardrails.units import FRACTION, MEASURES, PERCENT, TIMES, canonical, is_currency, measure, stem

_GOVERNS_BEFORE = late_pattern(
    r"(?:\b(?:by|of|about|around|roughly|nearly|almost|some|an?|another|just|only|slightly|sharply|exactly|strongly|further|to\sbe|was|is|were|:)\s?)*[(~≈]?$",
    re.IGNORECASE,
)
_THRESHOLD_WORDS = vocabulary(
    "more less fewer above below higher lower greater larger smaller bigger exceed exceeds exceeded "
    "exceeding ahead behind better worse longer shorter faster slower heavier lighter older younger"
)
_NOUNS = vocabulary(
    "higher lower more fewer less above below larger smaller greater bigger increase decrease rise drop "
    "decline growth gain fall reduction jump surge dip ahead behind better worse improvement uptick "
    "downturn longer shorter faster slower heavier lighter older younger increases decreases drops "
    "gains"
)  # fmt: skip
_STOP = late_pattern(
    r"\b(?:in|of|for|was|is|were|are|on|at|and|the|from|to|with|while|than|by|as)\b|[,;:.()]", re.IGNORECASE
)
_CHANGE_WORD = late_pattern(
    r"\b(?:chang\w*|differen\w*|gap|delta|slope|trend\w*|deviat\w*|contribut\w*|effect|versus|vs|compared|variation|swing|moved|movement|explain\w*|per\s(?:day|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_WHOLE = regex(r"\)?\s(?:out\s)?of\s(?:a\stotal\sof\s|the\s|all\s|in\stotal\s)?", re.IGNORECASE)
_LEVEL = regex(r"\b(?:from|to|at)\s$", re.IGNORECASE)
_ATTACHED = late_pattern(
    r"\s?(?::|=|\(|\bwas\b|\bwere\b|\bis\b|\bare\b|\bof\b|\btotall?ed\b|\breached\b)\s?", re.IGNORECASE
)
_BESIDE = regex(r"\s?\(")
_ENDS = {
    "low": regex(r"(?:\b(?:between|from|range|range\sof)\s|\[)$", re.IGNORECASE),
    "high": regex(r"(?:\b(?:and|to)\s|[–,-]\s?)$", re.IGNORECASE),
}
_LOSS = regex(r"\b(?:loss|losses|deficit|shortfall|lost|negative)\s(?:\w+\s){0,2}$", re.IGNORECASE)

_PER_UNIT = regex(r"[^\d]*[\d.,]*\d[ \u00a0]?([^\W\d_]{1,8}/[^\s,;()]{1,8})")


class Matcher:
    """Judges candidate facts for numbers in one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def candidates(self, n: Numeral) -> list[FactView]:
        """Facts whose value and unit, rounded as the number is written, are the number's."""
        return [v for v in self.reading.views if v.number is not None and self._equal(v, n)]

    def behind(self, n: Numeral, bound: Mapping[int, FactView] | None = None) -> tuple[FactView | None, str]:
        """The fact that stands behind a number, or why none does.

        Args:
            n: The number.
            bound: The facts behind the numbers before it, by where each begins.
        """
        same = self.candidates(n)
        if not same:
            return None, "no fact has this value and unit"
        reason = ""
        for v in same:
            reason = (
                self.sign_fault(v, n)
                or self.subject_fault(v, n.start, n.end, n.unit)
                or self._whole_fault(v, n, bound or {})
            )
            if not reason:
                return v, ""
        return None, reason

    def _equal(self, v: FactView, n: Numeral) -> bool:
        assert v.number is not None
        size = abs(v.number)
        if n.kind is NumeralKind.FRACTION:
            share = size if v.unit == FRACTION else size / 100 if v.unit == PERCENT else None
            return (
                share is not None
                and round(share * 100) == round(n.value * 100)
                and abs(share - n.value) < Decimal("0.005")
            )
        if n.kind is NumeralKind.MULTIPLE:
            ratio = self._ratio(v)
            return ratio is not None and abs(ratio - n.value) <= n.value * Decimal("0.025")
        if v.unit == MULTI:
            return (n.unit in {TIMES, ""} and n.rounds(size)) or (n.unit == PERCENT and n.rounds(size * 100))
        if v.unit == FRACTION and n.unit == PERCENT:
            return n.rounds(size * 100)
        if v.unit == FRACTION:
            return n.unit == "" and n.rounds(size)
        return n.rounds(size) and self.fits_unit(v, n)

    def _ratio(self, v: FactView) -> Decimal | None:
        if v.number is None:
            return None
        if v.unit in {TIMES, MULTI}:
            return v.number
        if v.change and v.unit in {PERCENT, FRACTION}:
            return 1 + (v.number / 100 if v.unit == PERCENT else v.number)
        return None

    def fits_unit(self, v: FactView, n: Numeral) -> bool:
        """Whether the number is written in the fact's unit."""
        if (compound := self._compound(n)) or "/" in (v.fact.unit or ""):
            return compound == v.unit
        special = (
            n.unit == PERCENT or n.unit == TIMES or n.unit == "pp" or is_currency(n.unit) or " " in n.unit
        )
        noun = self._noun(n.end)
        known = measure(noun) if measure(noun) in MEASURES else ""
        if special or v.unit in {PERCENT, TIMES, "pp"} or is_currency(v.unit):
            return n.unit == v.unit
        if not v.unit:
            return not known or known in v.metric or noun in stems(" ".join(k for k, _ in v.group))
        if known or v.unit in MEASURES:
            return known == v.unit
        return True

    def _compound(self, n: Numeral) -> str:
        """The unit behind a number where it is one over another: 4.28 mg/L."""
        m = _PER_UNIT.match(self.reading.text[n.start : n.end + 24])
        return canonical(m[1].rstrip(".")) if m else ""

    def _noun(self, at: int) -> str:
        m = re.match(r"[ \u00a0-]?(°?[^\W\d_]+)", self.reading.text[at : at + 24])
        return m[1].lower() if m else ""

    def governor(self, n: Numeral) -> Direction | None:
        """The direction word that a number belongs to: "rose 7 %", "7 % higher"."""
        text = self.reading.text
        for d in reversed(self.reading.directions):
            if d.superlative or d.way is Way.FLAT or d.end > n.start:
                continue
            between = text[d.end : n.start]
            if len(between) > 40:
                break
            word = text[d.start : d.end].lower()
            if word in _THRESHOLD_WORDS and not re.match(r"\sby\b", between):
                continue
            if _GOVERNS_BEFORE.fullmatch(between.strip() + (" " if between.strip() else "")):
                return d
        return self._governor_after(n)

    def _governor_after(self, n: Numeral) -> Direction | None:
        text = self.reading.text
        for d in self.reading.directions:
            if d.start < n.end or d.superlative:
                continue
            between = text[n.end : d.start]
            if len(between) > 30 or _STOP.search(between) or len(between.split()) > 2:
                return None
            word = text[d.start : d.end].lower()
            numbered = re.match(r"\s(?:by\s|than\s)?[-+$€£]?\d", text[d.end :])
            if word in _THRESHOLD_WORDS and (len(between.split()) > 1 or (between.strip() and numbered)):
                return None
            if word in _NOUNS or (word in {"up", "down"} and not between.strip() and not numbered):
                return d
            return None
        return None

    def _clause_direction(self, n: Numeral) -> Direction | None:
        for first, last in (self.reading.clause(n.start), (self.reading.sentence(n.start)[0], n.start)):
            own = [d for d in self.reading.directions if first <= d.start < last and not d.superlative]
            if own:
                return min(own, key=lambda d: abs(d.start - n.start))
        return None

    def _whole_fault(self, v: FactView, n: Numeral, bound: Mapping[int, FactView]) -> str:
        """In "A of B" the second number is the whole: no percentage, and not smaller than the first."""
        for m in self.reading.numerals:
            part = bound.get(m.start)
            if part is None or m.end >= n.start or not _WHOLE.fullmatch(self.reading.text[m.end : n.start]):
                continue
            assert v.number is not None and part.number is not None
            same = bool(part.group) and (part.metric, part.group) == (v.metric, v.group)
            if n.unit == PERCENT or same or (part.unit == v.unit and abs(part.number) > abs(v.number)):
                return "a part is told as larger than its whole"
        return ""

    def sign_fault(self, v: FactView, n: Numeral) -> str:
        """Why the sign, or the direction beside the number, is not the fact's; nothing where it is."""
        assert v.number is not None
        if n.kind in (NumeralKind.MULTIPLE, NumeralKind.ORDINAL):
            return ""
        governor = self.governor(n)
        if not v.change:
            if n.value == 0 and not n.sign and governor is None:
                return ""  # what rounds to nothing has no sign
            if governor is not None:
                return "a direction is claimed where the fact is no change"
            lost = _LOSS.search(self.reading.text[max(0, n.start - 30) : n.start])
            if n.sign == "-" or (not n.sign and v.number < 0 and lost):
                return "" if v.number < 0 else "the sign is not the fact's"
            return "" if v.number >= 0 else "the sign is not the fact's"
        if _LEVEL.search(self.reading.text[max(0, n.start - 8) : n.start]):
            return "a change is told as a level"
        if n.sign:
            agrees = (n.sign == "-") == (v.number < 0)
            led = governor or (
                self._direction_before(n.start) if self.reading.text[: n.start].endswith("by ") else None
            )
            doubled = led is not None and (n.sign == "-" or led.way is Way.DOWN)
            if not agrees or doubled:
                return "the sign is not the fact's"
            first, last = self.reading.clause(n.start)
            told = n.unit in {PERCENT, "pp"} or any(first <= d.start < last for d in self.reading.directions)
            return "" if told or self._speaks_of_change(n) else "a change is told as a value"
        way = governor or self._clause_direction(n)
        if way is not None and (governor is not None or v.number < 0 or not self._speaks_of_change(n)):
            return "" if way.way.sign * v.number > 0 or v.number == 0 else "the direction is not the fact's"
        if v.number < 0:
            return "the sign is not the fact's"
        return "" if self._speaks_of_change(n) else "a change is told as a value"

    def _speaks_of_change(self, n: Numeral) -> bool:
        first, last = self.reading.sentence(n.start)
        return _CHANGE_WORD.search(self.reading.text[first:last]) is not None

    def subject_fault(self, v: FactView, start: int, end: int, unit: str | None) -> str:
        """Why the fact is not about what the prose speaks of here; nothing where it is."""
        rivals = [w for w in self.reading.views if w.number is not None and self._rival(w, unit)]
        at, to = start, end
        if v.change and (d := self._direction_before(start)) is not None:
            at, to = d.start, d.end
        return (
            self._noun_fault(v, start, end)
            or self._beside_fault(v, start)
            or self._metric_fault(v, at, to, rivals)
            or self._group_fault(v, at, to, rivals)
            or self._aspect_fault(v, start, end, rivals)
            or self._period_fault(v, start, end, rivals)
        )

    def _rival(self, w: FactView, unit: str | None) -> bool:
        if unit is None:
            return w.change
        if unit == PERCENT:
            return w.unit in {PERCENT, FRACTION, MULTI}
        return w.unit == unit or (not unit and not is_currency(w.unit) and w.unit != PERCENT)

    def _direction_before(self, at: int) -> Direction | None:
        first, _ = self.reading.clause(at)
        own = [d for d in self.reading.directions if first <= d.start <= at and not d.superlative]
        return own[-1] if own else None

    def _metric_fault(self, v: FactView, start: int, end: int, rivals: list[FactView]) -> str:
        labels = {" ".join(w.metric) for w in rivals if w.metric}
        label, where = self.reading.subject(start, end, "metric", labels.__contains__)
        counted = v.unit not in MEASURES and v.unit != "" and measure(self._noun(end)) == v.unit
        if not v.metric or counted:
            return ""
        mine = " ".join(v.metric)
        spoken = {m.label for m in self.reading.mentions("metric")}
        in_unit = v.unit != "" and measure(self._noun(end)) == v.unit
        others = [m for m in self.reading.mentions("metric") if m.label != mine]
        if any(self._attached(m, start, end) for m in others if not (in_unit and m.start > end)):
            return "it stands beside another metric"
        if label is None:
            return "its metric is not named" if len(labels) > 1 and mine in spoken else ""
        # A metric that the prose never calls by its own name may stand where no other is named.
        unnamed = mine not in spoken and where != "own"
        return "" if label == mine or unnamed else "it stands beside another metric"

    def _attached(self, m: Mention, start: int, end: int) -> bool:
        if m.start > end:
            return self.reading.text[end : m.start] == " "
        return m.end <= start and _ATTACHED.fullmatch(self.reading.text[m.end : start]) is not None

    def _noun_fault(self, v: FactView, start: int, end: int) -> str:
        """ "714 rows", "r = 0.43": where facts carry that very word in their names, one of them is meant."""
        led = re.search(r"\b([^\W\d_]+)\s?=\s?$", self.reading.text[max(0, start - 16) : start])
        for word in (self._noun(end), led[1].lower() if led else ""):
            named = "correlation" if word in RELATIONS else stem(word) if word else ""
            if not named or named in v.named or named in v.metric:
                continue
            if any(named in w.named for w in self.reading.views if w.number is not None):
                return "it stands beside the name of another fact"
        return ""

    def _beside_fault(self, v: FactView, start: int) -> str:
        """A number in brackets right behind a label is that label's."""
        for key in self.reading.group_keys():
            behind = (m for m in self.reading.mentions(key) if m.end <= start)
            beside = any(_BESIDE.fullmatch(self.reading.text[m.end : start]) for m in behind)
            if beside and v.label(key.removeprefix("group:")) is None:
                return "it stands beside a group that it is not about"
        return ""

    def _group_fault(self, v: FactView, start: int, end: int, rivals: list[FactView]) -> str:
        alike = [w for w in rivals if w.metric == v.metric and w.change == v.change]
        for key in dict.fromkeys(k for w in alike for k, _ in w.group):
            mine = v.label(key)
            labels = {w.label(key) for w in alike if w.label(key) is not None}
            whole = self._whole_nearer(start, end, f"group:{key}", labels)
            total = any(w.label(key) is None for w in alike)
            label, where = self.reading.subject(
                start, end, f"group:{key}", labels.__contains__, skip_behind=v.change
            )
            if mine is None:
                if where == "own" and not whole:
                    return "it is about the whole, not about a group"
            elif label is None:
                if (len(labels) > 1 or total) and not self._every(start):
                    return "its group is not named"
            elif label != mine:
                return "it stands beside another group"
            elif whole and total:
                return "it is about a group, not about the whole"
        return ""

    def _every(self, at: int) -> bool:
        """ "The same for every category": all groups are named at once."""
        first, last = self.reading.sentence(at)
        return (
            re.search(
                r"\bthe same for (?:every|each|all|both)\b", self.reading.text[first:last], re.IGNORECASE
            )
            is not None
        )

    def _whole_nearer(self, start: int, end: int, key: str, labels: Collection[str | None]) -> bool:
        """Whether the clause speaks of the total nearer to a number than of a label."""
        first, last = self.reading.clause(start)
        text = self.reading.text
        own = [m for m in self.reading.mentions(key) if first <= m.start < last and m.label in labels]
        whole = [
            m for m in self.reading.mentions("aspect")
            if m.label == "total" and first <= m.start < last
            and not (m.start >= end and re.search(r"\bof\s(?:the\s|all\s|its\s|a\s)?$", text[end : m.start]))
            and not any(0 <= m.start - o.end <= 3 for o in own)
        ]  # fmt: skip
        return self.reading.nearest(whole, start, end) < self.reading.nearest(own, start, end)

    def _aspect_fault(self, v: FactView, start: int, end: int, rivals: list[FactView]) -> str:
        alike = [w for w in rivals if w.metric == v.metric and w.change == v.change]
        aspects = {w.aspect for w in alike if w.aspect}
        if len({w.aspect for w in alike}) < 2:
            return ""
        if v.aspect in _ENDS and _ENDS[v.aspect].search(self.reading.text[max(0, start - 12) : start]):
            return ""
        label, where = self.reading.subject(start, end, "aspect", lambda a: a in aspects)
        if unspoken(v.aspect):
            apart = (
                where == "own" and label is not None and not unspoken(label) and label not in {"max", "min"}
            )
            return "it stands beside another measure" if apart else ""
        return "" if label == v.aspect else "its measure is not named"

    def _period_fault(self, v: FactView, start: int, end: int, rivals: list[FactView]) -> str:
        alike = [
            w for w in rivals
            if (w.metric, w.group, w.measure, w.change) == (v.metric, v.group, v.measure, v.change)
        ]  # fmt: skip
        marked = (
            self.reading.behind(start)
            or self.reading.compared(start)
            or self._earlier_named(start)
            or self._yardstick(start)
        )
        paired = not v.change and any(w.baseline != v.baseline for w in alike)
        if paired and v.baseline != marked and not self._named_period(v, start, end):
            return "what is compared and what it is compared with are exchanged"
        periods = {w.period for w in alike if w.period is not None}
        if v.period is None or len(periods) < 2:
            return ""
        moment = self.reading.period_named(start, end, skip_behind=v.change)
        if moment is not None:
            return "" if moment.names(v.period) else "it stands beside another period"
        if v.change:
            return ""
        latest = v.period == max(periods, key=lambda p: p[1])
        carried = [m for m in self.reading.moments if m.end <= start and not m.time]
        if carried and not marked and carried[-1].start >= self.reading.sentence(start)[0]:
            return "" if carried[-1].names(v.period) else "it stands beside another period"
        if latest == marked and len(periods) == 2:
            return "it stands beside another period"
        return "" if latest or marked else "its period is not named"

    def _named_period(self, v: FactView, start: int, end: int) -> bool:
        moment = self.reading.period_named(start, end, skip_behind=False)
        return v.period is not None and moment is not None and moment.names(v.period)

    def _yardstick(self, at: int) -> bool:
        """Whether a number in brackets is what the clause measures against: "5 % above the target ($9)"."""
        first, _ = self.reading.clause(at)
        return (
            re.search(
                r"\b(?:above|below|over|under|level\swith|than)\s[^()]{1,40}\($", self.reading.text[first:at]
            )
            is not None
        )

    def _earlier_named(self, at: int) -> bool:
        first, last = self.reading.clause(at)
        return re.search(r"\b(?:previous|previously|prior|before|earlier|preceding|last|baseline|benchmark|expected|usual)\b", self.reading.text[first:last], re.IGNORECASE) is not None  # fmt: skip
