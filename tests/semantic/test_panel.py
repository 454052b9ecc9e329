"""Panels add up what pandas adds up, in one scan."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from tests.analytics.small_store import FIRST, model, tables

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.data import open_sources
from gnomon.semantic import Retriever
from gnomon.semantic.panel import Component, PanelQuery, Sum, base_of, sum_form

HELD = tables("nothing")
MODEL = model()


@pytest.fixture(scope="module")
def retriever():
    with open_sources(HELD) as dataset:
        yield Retriever.over(dataset, MODEL)


def _range(start: int, length: int) -> TimeRange:
    first = FIRST + timedelta(days=start)
    return TimeRange(start=first, end=first + timedelta(days=length - 1))


REVENUE = Component("revenue", Sum.VALUES)
ROWS = Component("orders_count", Sum.COUNT)


def test_sums_by_period_and_dimension_are_those_of_pandas(retriever):
    windows = (_range(100, 7), _range(93, 7), _range(80, 5))
    panel = retriever.panel(
        PanelQuery(
            "orders", (REVENUE, ROWS, Component("revenue", Sum.SQUARES)), ("category", "region"), windows
        )
    )
    orders = HELD["orders"].merge(HELD["products"], on="product_id")
    for i, w in enumerate(windows):
        rows = orders[orders["order_date"].between(str(w.start), str(w.end))]
        for category, region in (("k1", "north"), ("k3", "east")):
            own = rows[(rows["category"] == category) & (rows["region"] == region)]
            at = panel.window == i
            at &= np.array(
                [
                    panel.dimensions["category"].values[c] == category
                    for c in panel.dimensions["category"].codes
                ]
            )
            at &= np.array(
                [panel.dimensions["region"].values[c] == region for c in panel.dimensions["region"].codes]
            )
            assert panel.sums[REVENUE][at].sum() == pytest.approx(own["revenue"].sum())
            assert panel.sums[ROWS][at].sum() == len(own)
            squares = panel.sums[Component("revenue", Sum.SQUARES)][at].sum()
            assert squares == pytest.approx((own["revenue"] ** 2).sum())
    assert panel.rows == sum(orders["order_date"].between(str(w.start), str(w.end)).sum() for w in windows)


def test_windows_that_follow_each_other_count_each_day_once(retriever):
    windows = tuple(_range(150 - 7 * i, 7) for i in range(4))
    panel = retriever.panel(PanelQuery("orders", (ROWS,), (), windows))
    days = HELD["orders"]["order_date"]
    expected = [int(days.between(str(w.start), str(w.end)).sum()) for w in windows]
    assert [int(panel.sums[ROWS][panel.window == i].sum()) for i in range(4)] == expected


def test_windows_over_time_stamps_hold_the_whole_last_day():
    stamps = pd.DataFrame(
        {"at": pd.date_range("2024-01-01 06:00", periods=40, freq="12h"), "v": np.arange(40.0)}
    )
    from gnomon.data import profile_dataset
    from gnomon.semantic import infer_model

    with open_sources({"readings": stamps}) as dataset:
        meaning = infer_model(profile_dataset(dataset), dataset)
        metric = meaning.metric("sum(readings.v)")
        form = sum_form(meaning, metric)
        assert form is not None
        days = [date(2024, 1, 8), date(2024, 1, 5)]
        windows = tuple(TimeRange(start=d, end=d + timedelta(days=2)) for d in days)
        panel = Retriever.over(dataset, meaning).panel(PanelQuery("readings", form.components, (), windows))
    for i, w in enumerate(windows):
        own = stamps[(stamps["at"].dt.date >= w.start) & (stamps["at"].dt.date <= w.end)]
        assert panel.sums[Component(metric.name, Sum.VALUES)][panel.window == i].sum() == own["v"].sum()


def test_days_are_counted_under_conditions(retriever):
    only = (Filter(field="region", operator=FilterOperator.EQUALS, values=("south",)),)
    panel = retriever.panel(PanelQuery("orders", (ROWS,), (), (), True, only))
    own = HELD["orders"][HELD["orders"]["region"] == "south"].groupby("order_date").size()
    told = {date.fromordinal(int(d)): int(n) for d, n in zip(panel.day, panel.sums[ROWS], strict=True)}
    assert told == {d.date(): n for d, n in own.items()}


def test_more_cells_than_asked_for_are_left_off_and_said(retriever):
    panel = retriever.panel(PanelQuery("orders", (ROWS,), ("product_id",)), most=5)
    assert panel.truncated and len(panel) == 5


def test_a_rate_is_a_quotient_of_sums():
    form = sum_form(MODEL, MODEL.metric("conversion"))
    assert form is not None
    assert (form.above, form.below) == (((ROWS, 1.0),), ((Component("sessions", Sum.VALUES), 1.0),))
    assert set(base_of(MODEL, form.components)) == {"orders", "traffic"}


@pytest.mark.parametrize("reference", ["count_distinct(region)"])
def test_what_is_no_quotient_of_sums_has_no_such_form(reference):
    assert sum_form(MODEL, MODEL.metric(reference)) is None
