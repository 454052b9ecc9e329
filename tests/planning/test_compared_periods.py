"""A comparison that names one period gets the other; month over month is the last whole month against the one before."""

import itertools
from datetime import date, timedelta

import pandas as pd
import pytest
from tests.planning.fake_models import parcels

from gnomon.core.operations import Walk, Way
from gnomon.core.parts import Comparison, Course, Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.compared_periods import with_both_sides
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of

GRAINS = {"day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}
TODAY = date(2024, 11, 14)
WEB = (Filter(field="service", operator=FilterOperator.EQUALS, values=("Express",)),)


def _period(grain: str, day: date) -> TimeRange:
    """The period of a day, as pandas has it."""
    held = pd.Period(day, freq=GRAINS[grain])
    return TimeRange(
        start=held.start_time.date(), end=held.end_time.date(), granularity=TimeGranularity(grain)
    )


def _read(request: Parts, today: date = TODAY) -> tuple[Parts, ...]:
    return with_both_sides(
        Reading(status=ReadingStatus.CLEAR, requests=requests_of([request], parcels())), parcels(), today
    ).parts


@pytest.mark.parametrize(("grain", "filters", "by"), itertools.product(GRAINS, [(), WEB], [(), ("town",)]))
def test_what_is_compared_with_the_last_period_is_this_one(
    grain: str, filters: tuple[Filter, ...], by: tuple[str, ...]
) -> None:
    now = _period(grain, TODAY)
    before = _period(grain, now.start - timedelta(days=1))
    asked = Parts(
        question="is postage up", kind=QuestionKind.COMPARISON, metrics=("postage",), filters=filters, dimensions=by,
        comparison=Comparison(kind="period", period=before),
    )  # fmt: skip
    (found,) = _read(asked)
    assert found.time_range == now and found.comparison is not None and found.comparison.period == before
    assert found.filters == filters and found.dimensions == by


@pytest.mark.parametrize("grain", ["day", "week", "month", "quarter"])
def test_periods_that_follow_each_other_lead_with_the_last_whole_one(grain: str) -> None:
    asked = Parts(
        question="postage over time", kind=QuestionKind.TREND, metrics=("postage",),
        grain=TimeGranularity(grain), course=Course(walks=(Walk.GROWTH,)),
    )  # fmt: skip
    first, second = _read(asked)
    whole = TODAY if grain == "day" else _period(grain, TODAY).start - timedelta(days=1)
    last = _period(grain, whole)
    assert second == asked, "the periods themselves are told as well"
    assert first.time_range == last and first.kind is QuestionKind.COMPARISON
    assert first.comparison is not None and first.comparison.period == _period(
        grain, last.start - timedelta(days=1)
    )


def test_a_share_is_told_for_both_periods() -> None:
    october = _period("month", date(2024, 10, 5))
    asked = Parts(
        question="is the share up", kind=QuestionKind.SHARE, metrics=("parcels",), part=WEB,
        comparison=Comparison(kind="period", period=october),
    )  # fmt: skip
    now, before = _read(asked)
    assert (now.time_range, before.time_range) == (_period("month", TODAY), october)
    assert now.part == before.part == WEB and now.comparison is None


def test_what_names_both_periods_or_none_stays_as_it_is() -> None:
    october, november = (_period("month", date(2024, m, 5)) for m in (10, 11))
    both = Parts(
        question="q", kind=QuestionKind.COMPARISON, metrics=("postage",), time_range=november,
        comparison=Comparison(kind="period", period=october),
    )  # fmt: skip
    ranked = Parts(
        question="q", kind=QuestionKind.TREND, metrics=("postage",), grain=TimeGranularity.MONTH, limit=1,
        course=Course(walks=(Walk.GROWTH,), steps=Way.UP),
    )  # fmt: skip
    trend = ranked.model_copy(update={"limit": None, "course": Course()})
    for request in (both, ranked, trend):
        assert _read(request) == (request,)


def test_where_no_whole_period_has_one_before_it_the_one_that_goes_on_is_compared() -> None:
    """The data begins with 2023, so that 2023 has no year before it: 2024 stands against it."""
    asked = Parts(
        question="q", kind=QuestionKind.TREND, metrics=("postage",), grain=TimeGranularity.YEAR,
        course=Course(walks=(Walk.GROWTH,)),
    )  # fmt: skip
    first, second = _read(asked)
    assert second == asked and first.time_range == _period("year", TODAY)
    assert first.comparison is not None and first.comparison.period == _period("year", date(2023, 5, 1))
