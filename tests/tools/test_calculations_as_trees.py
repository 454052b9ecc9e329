"""What tools compute from retrieved rows is what one tree of the algebra asks for: shares, growth, running values, changes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.semantic import shop

from gnomon.core import algebra as al
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import open_sources
from gnomon.semantic import RetrievalQuery, Retriever
from gnomon.semantic.asks import Asks
from gnomon.semantic.backends import DuckDBBackend
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.relations import Tables
from gnomon.tools.calculation_tools import calculation_tools
from gnomon.tools.contract import ToolContext
from gnomon.tools.frames import Frame

MODEL = shop.model()
BACKEND = DuckDBBackend(open_sources(shop.frames()))
RETRIEVER = Retriever(MODEL, BACKEND)
TABLES = Tables(BACKEND.table, lambda e: BACKEND.run(BACKEND.compile(e), None, None)[0])
TOOLS = {tool.spec.name: tool for tool in calculation_tools()}
METRICS = ["revenue", "orders", "customers", "order_value", "on_hand", "sessions", "conversion"]
ADDED = {"revenue", "orders", "sessions"}
GRAINS = [TimeGranularity.WEEK, TimeGranularity.MONTH]
Rows = dict[tuple[Any, ...], tuple[Any, ...]]


def tree(query: RetrievalQuery) -> al.Query:
    return Asks(GroupFigures(Meanings(MODEL, TABLES))).asked(query).query


def frame(query: RetrievalQuery) -> Frame:
    found = RETRIEVER.run(query)
    return Frame.of([dict(zip(found.columns, row, strict=True)) for row in found.rows])


def calculated(tool: str, keys: list[str], columns: list[str], **given: Any) -> Rows:
    rows = TOOLS[tool](given, ToolContext())["rows"]
    named = zip(*(rows.values(k) for k in keys), strict=True) if keys else iter([()] * len(rows))
    return dict(zip(named, zip(*(rows.values(c) for c in columns), strict=True), strict=True))


def asked(ask: al.Along | al.Against, keys: int, places: list[int]) -> Rows:
    return {tuple(r[:keys]): tuple(r[keys + p] for p in places) for r in RETRIEVER.ask(ask)[1]}


def same(one: Rows, other: Rows, scale: float = 1) -> bool:
    return one.keys() == other.keys() and all(
        tuple(None if v is None else v * scale for v in one[k])
        == tuple(v if v is None else pytest.approx(v, rel=1e-9, abs=1e-9) for v in other[k])
        for k in one
    )


def along(query: RetrievalQuery, step: al.Walk) -> al.Along:
    made = tree(query).model_copy(update={"order": ()})
    within = tuple(k for k in made.keys if k.name != "k_period")
    return al.Along(query=made, step=step, within=within)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(METRICS), st.sampled_from(GRAINS), st.booleans())
def test_along_periods(metric: str, grain: TimeGranularity, split: bool) -> None:
    by = ["channel"] if split and metric != "on_hand" else []
    query = RetrievalQuery(metrics=(metric,), dimensions=tuple(by), grain=grain)
    keys, data = ["period", *by], frame(query)
    growth = calculated("calculate_growth", keys, ["change_pct"], data=data, value=metric, by=by)
    assert same(asked(along(query, al.Walk.GROWTH), len(keys), [1]), growth, 100)
    if metric not in ADDED:
        return
    total = calculated("calculate_running", keys, ["cumulative"], data=data, value=metric, by=by)
    assert same(asked(along(query, al.Walk.RUNNING), len(keys), [1]), total)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["revenue", "orders", "units"]), st.sampled_from(["channel", "category", "country"]))
def test_shares_of_groups(metric: str, by: str) -> None:
    query = RetrievalQuery(metrics=(metric,), dimensions=(by,), order_by=metric)
    shares = calculated("calculate_shares", [by], ["share"], data=frame(query), value=metric)
    whole = al.Along(query=tree(query).model_copy(update={"order": ()}), step=al.Walk.SHARE)
    assert same(asked(whole, 1, [1]), shares, 100)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(METRICS), st.booleans(), st.integers(0, 40), st.integers(3, 50))
def test_two_periods(metric: str, split: bool, start: int, length: int) -> None:
    by = ("channel",) if split and metric != "on_hand" else ()
    first = date(2023, 11, 25) + timedelta(days=start)
    later = TimeRange(start=first + timedelta(days=length), end=first + timedelta(days=2 * length - 1))
    earlier = TimeRange(start=first, end=first + timedelta(days=length - 1))
    now, then = (
        RetrievalQuery(metrics=(metric,), dimensions=by, time_range=days) for days in (later, earlier)
    )
    given = {"data": frame(now), "other": frame(then), "value": metric, "on": list(by)}
    columns = ["current", "previous", "change"]
    change = calculated("calculate_change", list(by), columns, **given)
    assert same(asked(al.Against(left=tree(now), right=tree(then)), len(by), [0, 1, 2]), change)
