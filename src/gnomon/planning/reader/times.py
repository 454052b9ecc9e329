"""The times of a question: periods, grains, comparisons between periods, and parts of time that repeat."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta

from gnomon.core.parts import Comparison
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_grammar import Shift, TimeMention, describe_period, previous_period
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind


@dataclass
class Times:
    """What a question says about time.

    ``shift`` is a step back that has no period of its own to start from: “the year before”. ``unread`` are
    times that were understood and cannot be put into a request.
    """

    period: TimeRange | None = None
    grain: TimeGranularity | None = None
    over_time: bool = False
    comparison: Comparison | None = None
    other_periods: list[TimeRange] = field(default_factory=list[TimeRange])
    recurring: tuple[str, tuple[int, ...]] | None = None
    group_by_part: str | None = None
    shift: TimeMention | None = None
    recurring_at: int = 0
    other_recurring: list[tuple[str, tuple[int, ...]]] = field(
        default_factory=list[tuple[str, tuple[int, ...]]]
    )
    also: list[tuple[str, tuple[int, ...]]] = field(default_factory=list[tuple[str, tuple[int, ...]]])
    listed_part: tuple[str, str] | None = None
    group_dimension: str | None = None
    unread: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    confidence: float = 1.0


def read_times(sentence: Sentence, today: date) -> Times:
    """The times of ``sentence``; items that speak of time are marked used."""
    found = Times()
    periods: list[tuple[int, TimeMention, TimeRange]] = []
    shifts: list[TimeMention] = []
    excluded: list[tuple[int, TimeMention]] = []
    for i, item in sentence:
        mention = item.time
        if mention is None:
            continue
        item.used = True
        found.confidence = min(found.confidence, mention.confidence)
        if mention.note:
            found.notes.append(mention.note)
        if mention.kind in {"period", "recurring"} and _is_excluded(sentence, i):
            excluded.append((i, mention))
        elif mention.kind == "comparison":
            shifts.append(mention)
        elif mention.kind == "grain" and _is_described(sentence, i):
            continue
        elif mention.kind == "grain":
            _grain(found, mention)
        elif mention.kind == "recurring" and mention.recurring:
            _repeat(found, sentence, i, mention)
        elif mention.period is not None:
            periods.append((i, mention, mention.period))
    _set_periods(found, sentence, periods, shifts, today)
    for i, mention in excluded:
        _leave_out(found, sentence[i].text, mention)
    return found


def _repeat(found: Times, sentence: Sentence, i: int, mention: TimeMention) -> None:
    """What comes back: one of them filters, several are listed, sets of them are set side by side."""
    assert mention.recurring is not None
    if _groups_weekdays(sentence, i, mention):
        found.group_by_part = "weekday"
        return
    if not mention.recurring.values:
        found.group_by_part = mention.recurring.unit
        return
    unit, values = _recurring(mention)
    if found.recurring is not None and found.recurring[0] != unit:
        _narrow(found, unit, values)
        return
    if found.recurring is None:
        found.recurring = (unit, values)
        found.recurring_at = i
        return
    before = found.recurring[1]
    if set(values) <= set(before):
        return  # "the weekends, Saturdays and Sundays": said twice
    column = next((x.name for j in (i, found.recurring_at) for x in sentence[j].links if x.quality > 0.9
                   and x.kind is LinkKind.DIMENSION), None)  # fmt: skip
    if len(values) > 1 or len(before) > 1:
        if column is not None:
            found.recurring, found.group_dimension = None, column  # the data says it in a column of its own
        else:
            found.other_recurring.append((unit, values))
        return
    joints = [sentence[j] for j in range(found.recurring_at + 1, i)]
    if any(x.op(Op.AND) for x in joints) and not sentence.has(Op.VERSUS, Op.RANK):
        found.listed_part = (f"@{unit}", "and")
    else:
        found.group_by_part = unit  # "do Saturdays or Sundays bring more": both, side by side
    found.recurring = (unit, tuple(dict.fromkeys((*before, *values))))


def _narrow(found: Times, unit: str, values: tuple[int, ...]) -> None:
    """“on weekdays after 7 pm”: two parts of time at once, the one of the clock by itself."""
    assert found.recurring is not None
    if unit in _CLOCK:
        found.recurring, (unit, values) = (unit, values), found.recurring
    if unit in _CLOCK:
        found.unread.append(f"{unit}s")
    else:
        found.also.append((unit, values))


_CLOCK = ("hour", "minute")


def _is_excluded(sentence: Sentence, i: int) -> bool:
    """“without December”, “excluding weekends”."""
    before = sentence.before(i)
    if before is not None and sentence[before].op(Op.AND, Op.OR) and before and sentence[before - 1].time:
        return _is_excluded(sentence, before - 1)  # "without November and December"
    if before is None or not sentence[before].op(Op.EXCLUDE, Op.WITHOUT, Op.NOT):
        return False
    sentence[before].used = True
    return True


_ALL = {"month": tuple(range(1, 13)), "weekday": tuple(range(7))}


def _leave_out(found: Times, text: str, mention: TimeMention) -> None:
    """Leaves days out by what comes back in them; what cannot be said so stays unread."""
    unit, values = _recurring(mention) if mention.recurring else ("", ())
    out = mention.period
    if out is not None and unit != "weekday":
        whole = (
            out.start.day == 1 and (out.end + timedelta(days=1)).day == 1 and out.start.year == out.end.year
        )
        inside = (
            found.period is not None and found.period.start.year == found.period.end.year == out.start.year
        )
        unit = "month" if whole and (inside or mention.recurring) else ""
        values = tuple(range(out.start.month, out.end.month + 1))
    taken = found.recurring is not None and found.recurring[0] != unit
    if unit not in _ALL or not values or taken:
        found.unread.append(text)
        return
    kept = found.recurring[1] if found.recurring is not None else _ALL[unit]
    if unit == "month" and found.period is not None and found.period.start.year == found.period.end.year:
        kept = tuple(m for m in kept if found.period.start.month <= m <= found.period.end.month)
    found.recurring = (unit, tuple(v for v in kept if v not in values))


def _groups_weekdays(sentence: Sentence, i: int, mention: TimeMention) -> bool:
    """“over weekdays”, “the weekday with …” groups by them; “on weekdays” leaves the weekend out."""
    said = mention.text.lower().split()[-1]
    before = sentence[i - 1] if i else None
    spread = before is not None and (
        before.op(Op.BY, Op.EACH, Op.PER, Op.WHICH) or before.text.lower() == "over"
    )
    return said == "weekday" or (said == "weekdays" and spread)


def _recurring(mention: TimeMention) -> tuple[str, tuple[int, ...]]:
    assert mention.recurring is not None
    unit, values = mention.recurring.unit, mention.recurring.values
    return unit, tuple(v - 1 for v in values) if unit == "weekday" else values


def _is_described(sentence: Sentence, i: int) -> bool:
    """“on days with rain” says which days are meant; it does not ask for each of them."""
    item = sentence[i]
    before = sentence.words[item.start - 1].lower if item.start else ""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    valued = any(x.values or x.links for x in sentence.items[i + 2 : i + 4])
    bare = item.end - item.start == 1 and item.text.lower().endswith("s") and before in {"on", "in", "during"}
    return bare and following is not None and following.op(Op.WITH, Op.WITHOUT) and valued


def _grain(found: Times, mention: TimeMention) -> None:
    if mention.recurring is not None and not mention.recurring.values:
        found.group_by_part = mention.recurring.unit
    elif mention.grain is None:
        found.over_time = True
    else:
        found.grain = mention.grain


def _set_periods(
    found: Times,
    sentence: Sentence,
    periods: list[tuple[int, TimeMention, TimeRange]],
    shifts: list[TimeMention],
    today: date,
) -> None:
    changing = any(item.op(Op.CHANGE) and not item.links for _, item in sentence)
    periods = _without_frame(periods)
    stepped = found.grain is not None or bool(
        shifts
    )  # "monthly from May to July" is a series, not two months
    if len(periods) == 1 and changing and not stepped and periods[0][1].ends is not None:
        earlier, later = periods[0][1].ends
        if earlier.end < later.start:
            found.period = later
            found.comparison = _against(earlier)
            return
    if len(periods) >= 2 and (changing or sentence.has(Op.VERSUS) or _sets_against(sentence)) and not shifts:
        _name_the_unit(sentence, [p for _, _, p in periods])
        # "from A to B" and "B vs A" both compare the later with the earlier
        later, earlier = sorted((p for _, _, p in periods[:2]), key=lambda p: p.start, reverse=True)
        found.period, found.comparison = later, _against(earlier)
        found.other_periods = [p for _, _, p in periods[2:]]
        return
    if periods:
        found.period = _intersection([p for _, _, p in periods])
        if found.period is None:
            found.period = periods[0][2]
            found.other_periods = [p for _, _, p in periods[1:]]
    if shifts:
        shift = shifts[0]
        same = shift.shift is not None and shift.shift.same_period
        if same and found.period is not None and found.period.start <= today < found.period.end:
            found.period = found.period.model_copy(update={"end": today})
            found.notes.append("to date")
        if shift.period is not None:
            found.shift = shift if found.period is None else None
            if found.period is not None and found.period != shift.period:
                found.comparison = _against(shift.period)
            else:
                found.comparison = Comparison(kind="period", period=shift.period, label="")
        elif (
            found.period is not None and shift.shift is not None and _steps_through(found.period, shift.shift)
        ):
            # "month over month in 2025": every month of the year is set against the one before
            found.over_time, found.grain = True, shift.shift.unit
            found.notes.append("change against the period before")
        elif found.period is not None and date.min < found.period.start and found.period.end < date.max:
            said = periods[0][1] if periods else None
            found.comparison = _against(previous_period(found.period, shift.shift or _same_last(said)))
        elif shift.shift is not None and shift.shift.part is not None and found.period is None:
            # "than the same week last year": this week, as far as it is, against that one
            part = OF_GRAIN[shift.shift.part]
            found.shift = shift
            found.period = TimeRange(start=part.floor(today), end=today, granularity=shift.shift.part)
            found.comparison = _against(previous_period(found.period, shift.shift))
            found.notes.append("to date")
        elif shift.shift is not None and shift.shift.count > 1:
            found.shift = shift
            found.unread.append(shift.text)  # what is compared with six months ago was not said
        else:
            # no period was named: each step of the trend is set against the one before
            found.shift = shift
            found.over_time = True
            found.grain = found.grain or (shift.shift.unit if shift.shift else None)
            found.notes.append("change against the period before")


def _without_frame(
    periods: list[tuple[int, TimeMention, TimeRange]],
) -> list[tuple[int, TimeMention, TimeRange]]:
    """“grown most since 2019? Compare 2024 with 2019”: a period that holds the two others only leads up to them."""
    for n, (_, _, frame) in enumerate(periods):
        others = [p for k, (_, _, p) in enumerate(periods) if k != n]
        apart = len(others) == 2 and not (
            others[0].start <= others[1].end and others[1].start <= others[0].end
        )
        if apart and all(frame.start <= p.start and p.end <= frame.end for p in others):
            return [p for k, p in enumerate(periods) if k != n]
    return periods


_THIS = regex(r"\bthis (year|quarter|month|week)\b", re.IGNORECASE)


def _same_last(said: TimeMention | None) -> Shift | None:
    """“in Q3 this year than last”: last is said of the year, so it is the same quarter of the one before."""
    named = _THIS.search(said.text) if said is not None else None
    return Shift(TimeGranularity(named[1].lower()), same_period=True) if named is not None else None


def _sets_against(sentence: Sentence) -> bool:
    """“worse than in August”: a comparing word that no number follows, but another time."""
    for i in sentence.find(Op.COMPARE_NUMBER):
        following = sentence.after(i, (Op.OF, Op.IN, Op.FILLER, Op.THAT, Op.THOSE))
        if following is not None and sentence[following].time is not None:
            sentence[i].used = True
            return True
    return False


def _name_the_unit(sentence: Sentence, periods: list[TimeRange]) -> None:
    """“was October a better month than September”: the noun only says what both are."""
    for i in sentence.find(Op.UNIT):
        item = sentence[i]
        same = item.operator is not None and all(p.granularity == item.operator.payload for p in periods)
        grouped = i > 0 and sentence[i - 1].op(Op.BY, Op.EACH, Op.PER, Op.RANK, Op.WHICH)
        if same and not grouped:
            item.used, item.links = True, ()


_COMPARING = frozenset(
    {"compare", "compares", "compared", "comparison", "vs", "versus", "than", "against", "with", "relative"}
)


def compares(mention: TimeMention, sentence: Sentence) -> bool:
    """Whether a step back is set against what it starts from, rather than asked about instead of it."""
    said = set(mention.text.lower().split())
    changes = any(item.op(Op.CHANGE) and not item.links for _, item in sentence)
    return bool(said & _COMPARING) or sentence.has(Op.VERSUS) or changes


def stepped_back(period: TimeRange, mention: TimeMention) -> TimeRange | None:
    """The period that a step back from ``period`` leads to; a shorter unit is the one that ends before it."""
    if period.start == date.min or period.end == date.max:
        return None
    shift = mention.shift
    named = mention.period
    if named is not None and named != period and (named.granularity == period.granularity or shift is None):
        return named
    if shift is not None and _DAYS[shift.unit.value] * 1.5 < period.days and not _names_same(mention):
        day = period.start - timedelta(days=1)
        start = previous_period(
            TimeRange(start=period.start, end=period.start, granularity=shift.unit),
            Shift(shift.unit, shift.count, same_period=True),
        ).start
        return TimeRange(start=start, end=day, granularity=shift.unit)
    return previous_period(period, shift)


def _names_same(mention: TimeMention) -> bool:
    return "same" in mention.text.lower().split()


_DAYS = {"hour": 1, "day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366, "decade": 3653}


def _spans(period: TimeRange, unit: TimeGranularity) -> bool:
    """Whether a period holds several of a unit."""
    return period.days > 1.5 * _DAYS[unit.value]


def _steps_through(period: TimeRange, shift: Shift) -> bool:
    """“month over month in 2025”: each unit of a period against the one before, and not the period against another one."""
    return shift.count == 1 and shift.part is None and _spans(period, shift.unit)


def _against(period: TimeRange) -> Comparison:
    return Comparison(kind="period", period=period, label=describe_period(period))


def _intersection(periods: list[TimeRange]) -> TimeRange | None:
    """The days in all of the periods ("since March", "until June"), or nothing where they do not meet."""
    start, end = max(p.start for p in periods), min(p.end for p in periods)
    if start > end:
        return None
    finest = min(periods, key=lambda p: p.days)
    return TimeRange(start=start, end=end, granularity=finest.granularity)
