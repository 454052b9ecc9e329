"""Auto-insight over generated tables with a planted truth: figures agree with pandas, and noise is not told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.clustering import clusters
from gnomon.analytics.insight import Kind, Scan, find
from gnomon.analytics.insight.reading import read_cube
from gnomon.analytics.insight.space import Grain, spaces
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic.infer import infer_model


@pytest.mark.parametrize("begin", range(7))
def test_weeks_hold_the_rows_of_monday_to_sunday_whatever_day_the_data_begins_on(begin: int) -> None:
    rng = np.random.default_rng(begin)
    days = pd.date_range(pd.Timestamp("2024-03-04") + pd.Timedelta(days=begin), periods=180)
    frame = pd.DataFrame({"logged_on": np.repeat(days, 3), "units": rng.poisson(40, 3 * len(days))})
    with open_sources({"visits": frame}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        space = next(iter(spaces(model, dataset, set())))
        cube = read_cube(dataset, model, space)
    assert cube is not None and space.clock is not None and space.clock.grain is Grain.WEEK
    counted = frame.groupby(frame["logged_on"].dt.to_period("W-SUN").dt.start_time).size()
    assert dict(zip(cube.periods, cube.of("time")[:-1, 0].astype(int), strict=True)) == {
        stamp.date(): n for stamp, n in counted.items()
    }


def searched(frame: pd.DataFrame, table: str = "visits") -> Scan:
    with open_sources({table: frame}) as dataset:
        return find(dataset, infer_model(profile_dataset(dataset), dataset), top=30)


@pytest.mark.parametrize("seed", range(8))
def test_series_that_drift_on_their_own_tell_nothing_of_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=200)})
    for name in ("alpha_index", "beta_index", "gamma_index"):
        frame[name] = (100 + np.cumsum(rng.normal(0, 1, 200))).round(2)
    assert not [f for f in searched(frame).findings if f.kind is Kind.DIFFERENCE]


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_that_another_column_turns_round_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = [
        ("Alder", "mild", 1000, 0.95),
        ("Alder", "severe", 200, 0.6),
        ("Birch", "mild", 200, 0.99),
        ("Birch", "severe", 1000, 0.7),
    ]
    rows = [(h, s, rng.random() < p) for h, s, n, p in cells for _ in range(n)]
    frame = pd.DataFrame(rows, columns=["hospital", "severity", "recovered"]).sample(
        frac=1, random_state=seed
    )
    found = [
        f
        for f in searched(frame, "patients").findings
        if f.kind is Kind.DIFFERENCE and f.axes == ("hospital",) and not f.subset
    ]
    assert found and all(f.detail["mixed"] == "severity" and f.detail["turned"] for f in found)
    rate = frame.groupby(["severity", "hospital"])["recovered"].mean().unstack()
    mix = frame["severity"].value_counts(normalize=True)
    equal = rate.mul(mix, axis=0).sum()
    who = found[0].subjects[0]
    assert found[0].numbers["equal_subject"].value == pytest.approx(equal[who])
    assert found[0].numbers["equal_rest"].value == pytest.approx(equal.drop(who).iloc[0])


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_of_its_own_is_told_without_a_warning(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"site": rng.choice(["A", "B", "C"], 1500), "shift": rng.choice(["early", "late"], 1500)}
    )
    frame["minutes"] = rng.gamma(9, 3, 1500) + 9 * (frame["site"] == "B")
    found = [f for f in searched(frame).findings if f.kind is Kind.DIFFERENCE and f.axes == ("site",)]
    assert found and not any("mixed" in f.detail for f in found)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_computed_from_other_columns_is_no_finding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 1200
    frame = pd.DataFrame({"area": rng.choice(["north", "south"], n), "quantity": rng.integers(1, 20, n)})
    frame["unit_price"] = rng.gamma(9, 5, n).round(2)
    frame["revenue"] = (frame["quantity"] * frame["unit_price"]).round(2)
    kinds = {Kind.CORRELATION, Kind.LAG, Kind.DIFFERENCE}
    assert not [f for f in searched(frame, "lines").findings if f.kind in kinds]


@pytest.mark.parametrize("seed", range(3))
def test_the_months_of_the_year_are_told_from_three_years_on(seed: int) -> None:
    rng = np.random.default_rng(seed)
    months = pd.date_range("2018-01-01", periods=60, freq="MS")
    nights = 500 + 120 * np.sin((months.month - 3) / 12 * 2 * np.pi) + rng.normal(0, 15, 60)
    frame = pd.DataFrame({"month": months, "nights": nights.round()})
    found = [f for f in searched(frame, "bookings").findings if f.kind is Kind.SEASON]
    means = frame.groupby(frame["month"].dt.month_name())["nights"].mean()
    assert found and found[0].subjects == (means.idxmax(), means.idxmin())
    assert found[0].numbers["peak"].value == pytest.approx(means.max())
    short = frame[frame["month"] < "2020-01-01"]
    assert not [f for f in searched(short, "bookings").findings if f.kind is Kind.SEASON]


@pytest.mark.parametrize("seed", range(3))
def test_an_outage_of_a_day_and_a_week_without_rows_are_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-01-01", "2024-11-30")
    frame = pd.DataFrame(
        [(d, k, rng.poisson(40)) for d in days for k in "ABC"], columns=["sold_on", "kiosk", "tickets"]
    )
    down = frame.assign(tickets=frame["tickets"].where(frame["sold_on"] != "2024-07-17", 1))
    odd = [f for f in searched(down, "kiosks").findings if f.kind is Kind.OUTLIER]
    assert [f.detail["when"] for f in odd] == ["2024-07-17"] and odd[0].numbers["value"].value == 3
    gone = frame[~frame["sold_on"].between("2024-08-12", "2024-08-18")]
    gap = [f for f in searched(gone, "kiosks").findings if f.kind is Kind.OUTLIER]
    assert [(f.detail["first"], f.detail["last"], f.detail.get("empty")) for f in gap] == [
        ("2024-08-12", "2024-08-18", "yes")
    ]
    assert not [f for f in searched(frame, "kiosks").findings if f.kind is Kind.OUTLIER]


@pytest.mark.parametrize("seed", range(3))
def test_a_lasting_change_of_one_group_is_told_of_that_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = pd.date_range("2023-01-01", "2024-12-31", freq="2D")
    frame = pd.DataFrame(
        [(d, s, rng.normal(20, 2)) for d in days for s in ("S1", "S2", "S3", "S4")],
        columns=["read_on", "sensor", "level"],
    )
    frame.loc[(frame["sensor"] == "S3") & (frame["read_on"] >= "2024-05-01"), "level"] += 9
    found = [f for f in searched(frame, "readings").findings if f.kind is Kind.CHANGE and f.subset]
    assert [(f.subset, f.detail["when"]) for f in found] == [((("sensor", "S3"),), "2024-05-01")]
    own = frame[frame["sensor"] == "S3"]
    before = (
        own[own["read_on"] < "2024-05-01"].groupby(own["read_on"].dt.to_period("M"))["level"].mean().mean()
    )
    assert found[0].numbers["before"].value == pytest.approx(before)


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_those_whose_silhouette_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"weight": rng.normal(2.4, 0.2, 2000), "warmth": rng.normal(21, 1.5, 2000)})
    frame.loc[:220, "weight"] *= 1000
    found = clusters(frame, most=5)
    assert found.found and {
        tuple(sorted(set(found.labels[:221]))),
        tuple(sorted(set(found.labels[221:]))),
    } == {(0,), (1,)}


@pytest.mark.parametrize("seed", range(3))
def test_series_of_decades_are_series_too_and_no_line_begins_below_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    months = pd.date_range("1970-01-01", periods=540, freq="MS")
    frame = pd.DataFrame(
        {"month": months, "output": np.exp(4 + 0.0045 * np.arange(540) + rng.normal(0, 0.05, 540)).round(2)}
    )
    frame["mood"] = (50 + np.cumsum(rng.normal(0, 0.5, 540))).round(2)
    found = searched(frame, "plants").findings
    assert not [f for f in found if f.kind in (Kind.CORRELATION, Kind.DIFFERENCE)]
    rising = [f for f in found if f.kind is Kind.TREND and "output" in f.figure]
    assert rising and all(f.numbers["start"].value > 0 for f in rising)


def shop(seed: int = 3) -> pd.DataFrame:
    """Orders of 20 months whose region South is cut off from 11 to 17 August 2025."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2024-01-01", "2025-09-20")
    parts: list[pd.DataFrame] = []
    for region, rate in {"North": 8, "South": 11, "West": 6, "East": 5}.items():
        cut = (
            (days >= pd.Timestamp("2025-08-11")) & (days <= pd.Timestamp("2025-08-17")) & (region == "South")
        )
        counts = rng.poisson(np.where(cut, 0.1 * rate, rate))
        parts.append(pd.DataFrame({"ordered_at": np.repeat(days, counts), "region": region}))
    frame = pd.concat(parts).sample(frac=1, random_state=seed)
    frame["order_no"] = np.arange(len(frame)) + 10_000
    return frame


@pytest.mark.parametrize("seed", range(3))
def test_a_week_in_which_one_region_fell_silent_is_told_with_the_counts_of_pandas(seed: int) -> None:
    frame = shop(seed)
    spells = [f for f in searched(frame, "orders").findings if f.detail.get("quiet")]
    assert [f.subset for f in spells] == [(("region", "South"),)]
    first, last = pd.Timestamp(spells[0].detail["first"]), pd.Timestamp(spells[0].detail["last"])
    off = [abs((a - pd.Timestamp(b)).days) for a, b in ((first, "2025-08-11"), (last, "2025-08-17"))]
    assert max(off) <= 1
    inside = frame[(frame["ordered_at"] >= first) & (frame["ordered_at"] <= last)]
    assert spells[0].numbers["value"].value == (inside["region"] == "South").sum()
    assert spells[0].numbers["usual"].value == pytest.approx(11 * ((last - first).days + 1), rel=0.3)


@pytest.mark.parametrize("seed", range(6))
def test_groups_that_come_and_go_by_chance_have_no_silent_days(seed: int) -> None:
    rng = np.random.default_rng(seed)
    days = np.repeat(pd.date_range("2024-01-01", periods=500), rng.poisson(20, 500))
    frame = pd.DataFrame({"ordered_at": days, "region": rng.choice(list("ABCDEF"), len(days))})
    assert not [f for f in searched(frame, "orders").findings if f.detail.get("quiet")]


def test_an_empty_day_of_a_shop_that_has_just_opened_is_no_gap_and_a_later_one_is() -> None:
    rng = np.random.default_rng(1)
    days = pd.date_range("2023-06-01", periods=700)
    counts = np.maximum(rng.poisson(np.linspace(2, 90, 700)), 1)
    counts[9] = 0

    def empty(counts: np.ndarray) -> list[str]:
        frame = pd.DataFrame({"paid_on": np.repeat(days, counts), "amount": 1.0})
        frame["amount"] = rng.normal(50, 5, len(frame))
        return [f.detail["first"] for f in searched(frame, "payments").findings if f.detail.get("empty")]

    assert empty(counts) == []
    counts[9], counts[500:503] = 1, 0
    assert empty(counts) == [days[500].date().isoformat()]


def test_what_an_odd_period_is_held_against_is_what_was_to_be_expected_of_it() -> None:
    """Everything grows; the plan Team loses a third of its payments in the last months, and Basic goes on as before."""
    rng = np.random.default_rng(5)
    months = pd.date_range("2023-01-01", periods=30, freq="MS")
    growth = np.linspace(60, 900, 30)
    team = np.where(np.arange(30) >= 27, 0.5, 1.0) * growth * 0.6
    parts = [
        pd.DataFrame({"paid_on": np.repeat(months, np.round(rate).astype(int)), "plan": plan})
        for plan, rate in {"Basic": growth, "Team": team, "Pro": growth * 0.3}.items()
    ]
    frame = pd.concat(parts)
    frame["paid_on"] = frame["paid_on"] + pd.to_timedelta(rng.integers(0, 28, len(frame)), "D")
    odd = [
        f
        for f in searched(frame, "payments").findings
        if f.kind is Kind.OUTLIER and f.detail["grain"] == "month"
    ]
    told = {f.subset[0][1] for f in odd if f.subset}
    assert told == {"Team"}
    found = next(f for f in odd if f.subset)
    assert found.numbers["usual"].value == pytest.approx(growth[27:].mean() * 0.6, rel=0.1)
    assert found.numbers["relative"].value == pytest.approx(-0.5, abs=0.07)
    assert found.numbers["value"].value == min(n for _, n, marked in found.grid.rows if marked)


def test_how_long_things_took_is_no_trend_where_the_late_ones_have_not_ended() -> None:
    rng = np.random.default_rng(2)
    started = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 800, 2500)), "D")
    ended = started + pd.to_timedelta(rng.exponential(300, 2500).round() + 1, "D")
    frame = pd.DataFrame({"started_on": started, "cancelled_on": ended})
    frame.loc[frame["cancelled_on"] > "2025-03-11", "cancelled_on"] = pd.NaT
    courses = (Kind.TREND, Kind.CHANGE, Kind.OUTLIER, Kind.SEASON)
    assert not [
        f for f in searched(frame, "subscriptions").findings if f.kind in courses and f.measure is not None
    ]


def test_behind_the_lowest_group_comes_the_next_to_lowest() -> None:
    rng = np.random.default_rng(4)
    level = {"Basic": 19.0, "Team": 62.0, "Enterprise": 90.0, "Partner": 84.0}
    plan = rng.choice(list(level), 3000, p=[0.55, 0.15, 0.15, 0.15])
    frame = pd.DataFrame({"plan": plan, "amount": [rng.normal(level[p], 2) for p in plan]})
    found = next(f for f in searched(frame, "payments").findings if f.kind is Kind.DIFFERENCE)
    assert found.detail["place"] == "lowest" and [r[0] for r in found.grid.rows] == [
        "Basic", "Team", "Partner", "Enterprise",
    ]  # fmt: skip
