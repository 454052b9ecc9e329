"""Comparisons of periods with both their sides: against last month stands this month, month over month the last whole one.

A reading that names one period to compare with and none to compare, or that asks how periods follow each other, is made
whole here from the calendar and the days that the data covers, whoever read it.
"""

from __future__ import annotations

from datetime import date, timedelta

from gnomon.core.errors import NotFound
from gnomon.core.operations import Walk
from gnomon.core.parts import Claim, Comparison, Course, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import HALF, OF_GRAIN
from gnomon.language.time_grammar import describe_period
from gnomon.planning.known_things import with_known_things
from gnomon.planning.namesakes import with_namesakes
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import SemanticModel

_PARTS = (TimeGranularity.MONTH, TimeGranularity.QUARTER)  # those that have a place in their year


def made_whole(reading: Reading, model: SemanticModel, today: date) -> Reading:
    """The reading as it is computed, whoever read it: with both periods it compares, and columns of the table that is named."""
    return with_known_things(with_namesakes(with_both_sides(reading, model, today), model), model)


def with_both_sides(reading: Reading, model: SemanticModel, today: date) -> Reading:
    """The reading with the periods that it compares, where it leaves one of them open."""
    if reading.status is not ReadingStatus.CLEAR or reading.continues:
        return reading
    made = [part for request in reading.parts for part in _whole(request, model, today)]
    if (open_ended := next((p for p in made if _leaves_open(p)), None)) is not None:
        return _unsaid(reading, open_ended)
    left = [r.grain for r in made if _is_of_periods(r) and r.grain is not None]
    notes = [f"the two periods are told as a whole, not by {grain}" for grain in dict.fromkeys(left)]
    if made == list(reading.parts) and not notes:
        return reading
    return reading.asking(made, model, notes=(*reading.notes, *notes))


def are_steps_of(series: Parts, pair: Parts) -> bool:
    """Whether a series shows the steps of which the last is told before: its two ends are not what is compared."""
    steps = series.kind is QuestionKind.TREND and Walk.GROWTH in series.course.walks
    return steps and series.time_range is None and _is_of_periods(pair) and series.metrics == pair.metrics


def _is_of_periods(request: Parts) -> bool:
    against = request.comparison
    return request.kind is QuestionKind.COMPARISON and against is not None and against.kind == "period"


def _leaves_open(request: Parts) -> bool:
    """Whether a period is compared with, and no other one that it could be compared to is named or follows from it."""
    return (
        _is_of_periods(request)
        and request.comparison is not None
        and request.comparison.period is not None
        and request.time_range is None
    )


def _unsaid(reading: Reading, request: Parts) -> Reading:
    """A no rather than all days against a few: which period is compared is the asker's to say."""
    assert request.comparison is not None and request.comparison.period is not None
    named = describe_period(request.comparison.period)
    return reading.model_copy(
        update={
            "status": ReadingStatus.PARTIAL, "missing": (named,), "requests": (), "ask": None,
            "message": f"This compares with {named}, and does not say which period is compared. Name both.",
        }
    )  # fmt: skip


def _whole(request: Parts, model: SemanticModel, today: date) -> list[Parts]:
    against = request.comparison
    if against is not None and against.kind == "period" and against.period and request.time_range is None:
        return _against_now(request, against.period, today)
    if against is not None and against.kind == "period" and against.period and request.time_range:
        if request.kind is QuestionKind.SHARE:
            return _each(request, request.time_range, against.period)
        return [_by_parts(request, request.time_range, against.period)]
    steps = request.kind is QuestionKind.TREND and request.course == Course(walks=(Walk.GROWTH,))
    steps = steps and not request.tells and request.claim == Claim()
    open_ended = request.time_range is None and request.limit is None and request.comparison is None
    if steps and open_ended and request.grain is not None and request.recurring is None:
        last = _last_whole(request, model, request.grain, today)
        return [last, request] if last is not None else [request]
    return [request]


def _each(request: Parts, *periods: TimeRange) -> list[Parts]:
    """A share of each of two periods, which no one query tells."""
    alone = request.model_copy(update={"comparison": None})
    return [alone.model_copy(update={"time_range": period}) for period in periods]


def _by_parts(request: Parts, days: TimeRange, other: TimeRange) -> Parts:
    """“by month in 2025 compared with 2024”: each month of one year beside the same month of the other."""
    within = all(p.start.year == p.end.year for p in (days, other)) and days.start.year != other.start.year
    if request.kind is not QuestionKind.COMPARISON or request.grain not in _PARTS or not within:
        return request
    parts = (*request.dimensions, f"@{request.grain}")
    return request.model_copy(update={"dimensions": parts, "grain": None})


def _against_now(request: Parts, before: TimeRange, today: date) -> list[Parts]:
    """What is compared with a period: the one of its kind that this day is in."""
    unit = HALF if _is_half(before) else OF_GRAIN.get(before.granularity)
    if unit is None or before.end >= today:
        return [request]
    start = unit.floor(today)
    now = TimeRange(start=start, end=unit.last_day(start), granularity=before.granularity)
    if (
        before.start != unit.floor(before.start)
        or before.end != unit.last_day(before.start)
        or now.start <= before.start
    ):
        return [request]
    label = request.comparison.label if request.comparison is not None else ""
    if request.kind is QuestionKind.SHARE:
        return _each(request, now, before)
    comparison = Comparison(kind="period", period=before, label=label or describe_period(before))
    return [request.model_copy(update={"time_range": now, "comparison": comparison})]


def _is_half(period: TimeRange) -> bool:
    return period.start == HALF.floor(period.start) and period.end == HALF.last_day(period.start)


def _last_whole(request: Parts, model: SemanticModel, grain: TimeGranularity, today: date) -> Parts | None:
    """The last period that the data covers to its end, against the one before it; where that one is not in the data whole,
    the period that goes on against the one before, which are compared over the days that both have."""
    unit, days = OF_GRAIN.get(grain), _covered(request, model)
    if unit is None or days is None or grain is TimeGranularity.HOUR:
        return None
    end = min(days[1], today)
    latest = unit.floor(end)
    earlier = unit.floor(latest - timedelta(days=1))
    pairs = [(earlier, unit.floor(earlier - timedelta(days=1))), (latest, earlier)]
    pairs = pairs if unit.last_day(latest) > end else pairs[1:]
    start, before = next(((s, b) for s, b in pairs if b >= days[0]), (None, None))
    if start is None or before is None:
        return None
    now, then = (TimeRange(start=s, end=unit.last_day(s), granularity=grain) for s in (start, before))
    comparison = Comparison(kind="period", period=then, label=describe_period(then))
    return request.model_copy(
        update={
            "kind": QuestionKind.COMPARISON, "grain": None, "time_range": now, "comparison": comparison, "course": Course(),
        }
    )  # fmt: skip


def _covered(request: Parts, model: SemanticModel) -> tuple[date, date] | None:
    try:
        named = model.dimension(request.time_dimension) if request.time_dimension else None
        found = named or model.time_dimension(model.metric(request.metrics[0]))
    except (NotFound, IndexError):
        return None
    return found.coverage if found is not None else None
