"""Running totals and moving averages, as questions say them."""

from __future__ import annotations

from datetime import date, timedelta

from gnomon.core.operations import Walk
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_grammar import TimeMention
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence

_ROUGHLY = 0.6  # what “the end of” a period costs where it means its last third
_ENDING = frozenset({"end", "ends", "close"})


def read_running(draft: Draft, sentence: Sentence) -> None:
    """Running totals, and averages over a window that moves along."""
    if sentence.has(Op.CUMULATIVE):
        draft.course = draft.course.walking(Walk.RUNNING)
        _stop_at_points(draft, sentence)
        draft.grain = draft.grain or TimeGranularity.DAY
        draft.unexplained = [w for w in draft.unexplained if w.lower() not in _ENDING]
    for i in sentence.find(Op.MOVING):
        near = [j for j in range(max(0, i - 3), i) if sentence[j].number is not None]
        units = [j for j in range(max(0, i - 3), i) if sentence[j].op(Op.UNIT)]
        if not near or not draft.metrics:
            continue
        number = sentence[near[-1]].number
        assert number is not None
        draft.course = draft.course.walking(Walk.MOVING).model_copy(update={"window": int(number.value)})
        unit = sentence[units[-1]].operator if units else None
        draft.grain = draft.grain or TimeGranularity(unit.payload if unit is not None else "day")
        for j in (i, near[-1], *units[-1:]):
            sentence[j].used = True


def _stop_at_points(draft: Draft, sentence: Sentence) -> None:
    """“at the end of June, July and August”: what has come together by then, since the year or the data began."""
    points = _points(sentence)
    if not points or draft.comparison is not None or draft.recurring is not None:
        return
    ends = _days(points)
    others = [x.time for _, x in sentence if x.time is not None and x.time.period and x.time not in points]
    frames = [p for m in others if (p := m.period) is not None and p.start <= ends[0] and ends[-1] <= p.end]
    if len(frames) != len(others) or ends[-1] == date.max:
        return
    of_year = [date(ends[0].year, 1, 1)] if len(ends) > 1 and ends[0].year == ends[-1].year else []
    begin = max([p.start for p in frames] or of_year, default=date.min)
    whole = all((day + timedelta(days=1)).day == 1 for day in ends)
    draft.grain = TimeGranularity.MONTH if whole else TimeGranularity.DAY
    draft.time_range = TimeRange(start=begin, end=ends[-1], granularity=draft.grain)
    draft.other_periods = []
    draft.course = draft.course.model_copy(update={"points": tuple(ends)})
    draft.notes = [n for n in draft.notes if not n.endswith("about a third of it")]
    if not frames:
        since = "the first day of the data" if begin == date.min else f"1 January {begin.year}"
        draft.notes.append(f"it was added up from {since}")
    draft.confidence = min([1.0, *(m.confidence / (_ROUGHLY if _is_end(m) else 1.0) for m in points)])


def _days(points: list[TimeMention]) -> list[date]:
    """The last days of the periods; one without a year has that of the one that is listed with a year."""
    told = [p.end.year for m in points if (p := m.period) is not None and not _is_guessed(m)]
    ends = [(p.end, _is_guessed(m)) for m in points if (p := m.period) is not None]
    return sorted({day.replace(year=told[-1]) if guessed and told else day for day, guessed in ends})


def _points(sentence: Sentence) -> list[TimeMention]:
    """The periods at whose ends a running total is asked for: behind “the end of”, and what is listed after it."""
    found: list[TimeMention] = []
    last = -1
    for i, item in sentence:
        mention = item.time
        if mention is None or mention.kind not in {"period", "open"} or mention.period is None:
            continue
        before = [w.lower for w in sentence.words[max(0, item.start - 3) : item.start]]
        ended = _is_end(mention) or (bool({*before} & _ENDING) and before[-1] in {"of", "the"})
        between = sentence.items[last + 1 : i]
        listed = bool(found) and all(x.op(Op.AND, Op.FILLER, Op.IN) for x in between)
        if ended or listed:
            found.append(mention)
            last = i
    return found


def _is_end(mention: TimeMention) -> bool:
    words = mention.text.lower().split()
    return any(w in _ENDING and words[i + 1 : i + 2] == ["of"] for i, w in enumerate(words))


def _is_guessed(mention: TimeMention) -> bool:
    """Whether a year was not said."""
    return mention.note.startswith("the most recent")
