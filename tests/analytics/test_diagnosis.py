"""A planted cause is named first, with numbers that anybody can compute, whatever things are called."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np
import pytest
from tests.analytics.small_store import FIRST, START, model, renamed, tables

from gnomon.analytics.causes import CauseKind, Verdict
from gnomon.analytics.diagnosis import Diagnosis, DiagnosisStatus, diagnose
from gnomon.analytics.findings import series_of
from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.data import open_sources
from gnomon.semantic import Retriever


def _period(start: int, length: int = 7) -> TimeRange:
    first = FIRST + timedelta(days=start)
    return TimeRange(start=first, end=first + timedelta(days=length - 1))


NOW, BEFORE = _period(START, 14), _period(START - 14, 14)


def _why(held, meaning=None, metric="revenue", filters=(), current=NOW, previous=BEFORE, **more) -> Diagnosis:
    with open_sources(held) as dataset:
        return diagnose(
            Retriever.over(dataset, meaning or model()), metric, current, previous, filters, **more
        )


def _only(field: str, value: str) -> tuple[Filter, ...]:
    return (Filter(field=field, operator=FilterOperator.EQUALS, values=(value,)),)


@cache
def _planted(what: str) -> Diagnosis:
    """The diagnosis of revenue where this was planted, made once."""
    return _why(tables(what))


@pytest.fixture
def stockout() -> Diagnosis:
    return _planted("stockout")


@pytest.mark.long
def test_a_stockout_is_the_likely_cause_of_what_the_product_lost(stockout):
    first = stockout.causes[0]
    assert (first.measure, first.segment, first.verdict) == (
        "stockout_hours",
        (("product_id", "p2"),),
        Verdict.LIKELY,
    )
    assert (first.before, first.after) == (0, 24 * 14)
    assert first.onset == FIRST + timedelta(days=START)
    held = {e.name: e.holds for e in first.evidence}
    assert held["movement"] and held["timing"] and held["specificity"]


@pytest.mark.long
def test_what_did_not_move_is_ruled_out(stockout):
    out = {c.measure for c in stockout.ruled_out}
    assert {"ad_spend", "late_rate"} <= out
    assert all(
        any(e.holds is False for e in c.evidence) or c.evidence[0].holds is None for c in stockout.ruled_out
    )


@pytest.mark.long
def test_the_figures_are_those_of_the_rows(stockout):
    orders = tables("stockout")["orders"]
    for period, stated in ((BEFORE, stockout.change.before), (NOW, stockout.change.after)):
        rows = orders[orders["order_date"].between(str(period.start), str(period.end))]
        assert stated == pytest.approx(rows["revenue"].sum())
    (part,) = stockout.explanation.parts
    rows = orders[
        orders["order_date"].between(str(BEFORE.start), str(BEFORE.end)) & (orders["product_id"] == "p2")
    ]
    assert part.before == pytest.approx(rows["revenue"].sum())
    assert part.after == 0


@pytest.mark.long
def test_the_tree_and_every_cut_add_up_to_the_change(stockout):
    tree = stockout.tree
    assert tree is not None
    assert [e.name for e in tree.effects] == [
        "sessions",
        "conversion",
        "units per orders_count",
        "revenue per unit",
    ]
    assert sum(e.contribution for e in tree.effects) + tree.residual == pytest.approx(stockout.change.change)
    for cut in stockout.cuts:
        assert sum(e.contribution for e in cut.effects) == pytest.approx(stockout.change.change)


@pytest.mark.long
def test_waterfalls_lead_from_the_earlier_to_the_later_value(stockout):
    for bars in (stockout.waterfall, stockout.segment_waterfall):
        assert (bars[0].total, bars[-1].total) == (stockout.change.before, stockout.change.after)
        assert bars[0].total + sum(b.amount for b in bars[1:-1]) == pytest.approx(bars[-1].total)


@pytest.mark.long
def test_the_series_covers_both_periods_and_marks_the_cause(stockout):
    days = {p.day: p for p in stockout.series}
    assert days[NOW.end].period == "current" and days[BEFORE.start].period == "previous"
    assert sum(p.value or 0 for p in stockout.series if p.period == "current") == pytest.approx(
        stockout.change.after
    )
    assert (FIRST + timedelta(days=START), "stockout_hours") in {
        (a.day, a.label) for a in stockout.annotations
    }


@pytest.mark.long
def test_it_is_plain_json(stockout):
    import json

    told = json.loads(json.dumps(stockout.to_dict()))
    assert told["causes"][0]["verdict"] == "likely_cause"
    assert told["current"]["start"] == NOW.start.isoformat()


@pytest.mark.long
def test_asked_about_the_product_alone_the_others_serve_as_controls():
    found = _why(tables("stockout"), metric="orders_count", filters=_only("product_id", "p2"))
    assert found.status is DiagnosisStatus.UNUSUAL
    assert (found.causes[0].measure, found.causes[0].verdict) == ("stockout_hours", Verdict.LIKELY)


@pytest.mark.long
def test_a_stop_of_spending_is_named_and_not_the_visits_that_followed_from_it():
    found = _planted("ads")
    assert (found.causes[0].measure, found.causes[0].segment) == ("ad_spend", (("channel", "ads"),))
    assert found.tree is not None and found.tree.effects[0].share == pytest.approx(1, abs=0.3)


@pytest.mark.long
def test_what_nothing_records_is_told_as_that_with_its_place():
    found = _planted("region")
    first = found.causes[0]
    assert (first.kind, first.segment) == (CauseKind.UNRECORDED, (("region", "north"),))
    assert any("north" in s for s in found.surer)


@pytest.mark.long
def test_a_series_that_moved_without_effect_is_no_cause():
    found = _planted("decoy")
    assert found.status is DiagnosisStatus.NORMAL
    assert found.causes == ()


@pytest.mark.long
def test_where_nothing_happened_nothing_is_told():
    normal = 0
    held = {seed: tables("nothing", seed) for seed in (3, 4)}
    for frames in held.values():
        with open_sources(frames) as dataset:
            retriever = Retriever.over(dataset, model())
            for start in (120, 135, 150, 165, 180):
                found = diagnose(retriever, "revenue", _period(start), _period(start - 7))
                normal += found.status is DiagnosisStatus.NORMAL
    assert normal >= 9


NAMES = {
    "orders": "t1", "products": "t2", "traffic": "t3", "inventory": "t4", "account": "t5", "order_id": "c1",
    "order_date": "c2", "product_id": "c3", "channel": "c4", "region": "c5", "units": "c6", "revenue": "c7",
    "category": "c8", "date": "c9", "sessions": "c10", "ad_spend": "c11", "stockout_hours": "c12", "late_rate": "c13",
    "orders_count": "m1", "conversion": "m2",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("what", ["stockout", "ads", "region"])
def test_with_every_table_and_column_renamed_the_verdicts_are_the_same(what):
    plain = _planted(what)
    other = _why(renamed(tables(what), NAMES), model(NAMES), metric=NAMES["revenue"])

    def told(found: Diagnosis, names: dict[str, str]) -> set[tuple[object, ...]]:
        return {
            (names.get(c.measure or "", c.measure), c.kind, c.verdict, c.timing, round(c.confidence, 6),
             tuple((names.get(d, d), v) for d, v in c.segment))
            for c in (*found.causes, *found.ruled_out)
        }  # fmt: skip

    assert told(plain, NAMES) == told(other, {})
    assert other.causes[0].measure == NAMES.get(plain.causes[0].measure or "", plain.causes[0].measure)


@pytest.mark.long
def test_what_is_known_of_a_candidate_rules_out_the_other_direction():
    found = _why(tables("stockout"), pulls={"stockout_hours": 1})
    assert "stockout_hours" in {c.measure for c in found.ruled_out}


@pytest.mark.long
def test_a_rate_is_diagnosed_over_both_of_its_tables():
    found = _why(tables("stockout"), metric="conversion")
    assert found.causes[0].measure == "stockout_hours"
    held = tables("stockout")
    during = {n: f[f[c].between(str(NOW.start), str(NOW.end))] for n, c, f in (
        ("orders", "order_date", held["orders"]), ("traffic", "date", held["traffic"]))}  # fmt: skip
    assert found.change.after == pytest.approx(len(during["orders"]) / during["traffic"]["sessions"].sum())


@pytest.mark.long
def test_a_number_of_different_things_is_refused_with_what_can_be_asked():
    with pytest.raises(OutOfScope, match="taken apart"):
        _why(tables("nothing"), metric="count_distinct(region)")


@pytest.mark.long
def test_open_tables_without_a_model_are_refused():
    with open_sources(tables("nothing")) as dataset, pytest.raises(InvalidInput, match="model"):
        diagnose(dataset, "revenue", NOW, BEFORE)


@pytest.mark.long
def test_the_same_question_has_the_same_answer(stockout):
    again = _why(tables("stockout"))
    assert again.to_dict() == stockout.to_dict()


@pytest.mark.long
def test_a_rise_that_is_only_the_end_of_a_stockout_is_told_as_that():
    held = tables("nothing")
    orders, stock = held["orders"], held["inventory"]
    gone = [FIRST + timedelta(days=d) for d in range(166, 180)]
    out = orders["product_id"].isin(["p0", "p1"]) & orders["order_date"].dt.date.isin(gone)
    held["orders"] = orders[~out]
    hit = stock["product_id"].isin(["p0", "p1"]) & stock["date"].dt.date.isin(gone)
    stock.loc[hit, "stockout_hours"] = 24
    found = _why(held, metric="orders_count")
    assert found.change.change > 0 and found.earlier is not None
    assert {p.segment for p in found.earlier.explanation.parts} == {
        (("product_id", p),) for p in ("p0", "p1")
    }
    assert found.earlier.causes[0].measure == "stockout_hours"
    assert _why(held, metric="orders_count", look_back=False).earlier is None


@pytest.mark.long
def test_where_nothing_happened_before_nothing_is_said_to_have_ended():
    assert _planted("nothing").earlier is None
    assert _planted("stockout").earlier is None


def test_the_usual_of_a_day_is_that_of_the_earlier_period() -> None:
    """A January far above the rest is not what is usual in March."""
    days = [date(2024, 12, 1) + timedelta(days=i) for i in range(121)]
    values = np.array([185.0 if d.month == 1 else 125.0 for d in days])
    ordinals = np.array([d.toordinal() for d in days])
    march, february = (
        TimeRange(start=date(2025, m, 1), end=date(2025, m, last)) for m, last in ((3, 31), (2, 28))
    )
    points = series_of(march, february, ordinals, values, None)
    assert {p.usual for p in points} == {125.0}
