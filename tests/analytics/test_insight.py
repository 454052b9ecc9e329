"""Auto-insight over generated tables: what is planted is found and right, what is noise is not told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.insight import Finding, Kind, Scan, View, find
from gnomon.core.errors import InvalidInput
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic.infer import infer_model
from gnomon.semantic.model import SemanticModel

ROWS = 900


def noise(seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Orders in which nothing hangs together."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": rng.choice(["north", "south", "east", "west"], rows),
            "channel": rng.choice(["web", "shop", "phone"], rows),
            "amount": rng.gamma(4, 25, rows).round(2),
            "paid": rng.random(rows) < 0.5,
            "ordered_on": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, rows), unit="D"),
        }
    )


def searched(
    frame: pd.DataFrame | dict[str, pd.DataFrame], model: SemanticModel | None = None, **kwargs: Any
) -> Scan:
    tables = frame if isinstance(frame, dict) else {"orders": frame}
    with open_sources(tables) as dataset:
        return find(dataset, model or infer_model(profile_dataset(dataset), dataset), **kwargs)


def of_kind(findings: Iterable[Finding], kind: Kind, axis: str | None = None) -> list[Finding]:
    return [f for f in findings if f.kind is kind and (axis is None or axis in f.axes)]


@pytest.mark.long
def test_noise_yields_nothing_in_95_of_100_tables() -> None:
    frames = [noise(seed, 300) for seed in range(100)]
    with open_sources({"orders": frames[0]}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
    told = [bool(searched(frame, model).findings) for frame in frames]
    assert sum(told) <= 5


@pytest.mark.parametrize("seed", range(3))
def test_a_leading_group_is_found_first_with_the_counts_of_pandas(seed: int) -> None:
    frame = noise(seed)
    frame.loc[frame.index % 5 < 3, "region"] = "east"
    scan = searched(frame)
    first = scan.findings[0]
    assert (first.kind, first.axes, first.subjects) == (Kind.LEADER, ("region",), ("east",))
    counts = frame.region.value_counts()
    told = {n.group["region"]: n.value for k, n in first.numbers.items() if k.startswith("group")}
    assert told == counts.to_dict()
    assert first.numbers["share"].value == pytest.approx(counts["east"] / len(frame))
    assert first.q_value < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_a_group_with_a_higher_average_is_found_with_the_averages_of_pandas(seed: int) -> None:
    frame = noise(seed)
    frame.loc[frame.channel == "phone", "amount"] *= 1.8
    found = of_kind(searched(frame).findings, Kind.DIFFERENCE, "channel")[0]
    assert found.subjects == ("phone",) and found.subset == ()
    means, medians = frame.groupby("channel").amount.mean(), frame.groupby("channel").amount.median()
    for key, n in found.numbers.items():
        if key.startswith("group"):
            assert n.value == pytest.approx(means[n.group["channel"]])
        if key.startswith("median"):
            assert n.value == pytest.approx(medians[n.group["channel"]])
    rest = frame[frame.channel != "phone"].amount.mean()
    assert found.numbers["rest"].value == pytest.approx(rest)


def test_a_difference_that_only_one_subset_has_is_told_of_that_subset() -> None:
    frame = noise(1, 2_000)
    inside = (frame.region == "north") & (frame.channel == "web")
    frame.loc[inside, "amount"] *= 2.5
    found = of_kind(searched(frame, top=30).findings, Kind.DIFFERENCE)
    told = [(f.subset, f.subjects) for f in found if f.subset]
    assert ((("region", "north"),), ("web",)) in told or ((("channel", "web"),), ("north",)) in told
    sub = next(f for f in found if f.subset)
    (axis, value), by = sub.subset[0], sub.axes[0]
    means = frame[frame[axis] == value].groupby(by).amount.mean()
    assert sub.numbers["subject"].value == pytest.approx(means[sub.subjects[0]])


def test_a_trend_is_found_with_its_slope_and_its_interval_holds_the_truth() -> None:
    frame = noise(2, 3_000)
    months = (frame.ordered_on - pd.Timestamp("2023-01-01")).dt.days / 30.44
    frame["amount"] = (100 + 3 * months + np.random.default_rng(0).normal(0, 20, len(frame))).round(2)
    found = next(f for f in of_kind(searched(frame).findings, Kind.TREND) if f.view is View.MEAN)
    assert found.figure == "amount"
    assert found.numbers["low"].value <= 3 <= found.numbers["high"].value
    monthly = frame.groupby(frame.ordered_on.dt.to_period("M")).amount.mean()
    assert [row[1] for row in found.grid.rows] == pytest.approx(monthly.tolist())


def test_a_group_that_rises_while_the_others_are_flat_is_found() -> None:
    rng = np.random.default_rng(4)
    frame = noise(4, 2_400)
    days = np.sort(rng.triangular(0, 729, 730, 600)).astype(int)
    risen = frame.index < 600
    frame.loc[risen, "region"] = "west"
    frame.loc[~risen & (frame.region == "west"), "region"] = "east"
    frame.loc[risen, "ordered_on"] = pd.Timestamp("2023-01-01") + pd.to_timedelta(days, unit="D")
    found = of_kind(searched(frame, top=20).findings, Kind.SEGMENT_TREND, "region")
    assert found and found[0].subjects == ("west",)
    assert found[0].numbers["slope"].value > 0


def test_an_odd_month_is_found_and_the_same_month_of_every_year_is_not() -> None:
    frame = noise(5, 2_000)
    burst = frame.sample(250, random_state=1).assign(ordered_on=pd.Timestamp("2024-03-10"))
    found = of_kind(searched(pd.concat([frame, burst])).findings, Kind.OUTLIER)
    assert found[0].detail["when"] == "2024-03-01" and found[0].subset == ()
    held = pd.concat([frame, burst]).ordered_on.dt.to_period("M").value_counts()
    assert found[0].numbers["value"].value == held["2024-03"]
    again = burst.assign(ordered_on=pd.Timestamp("2023-03-10"))
    every_year = searched(pd.concat([frame, burst, again])).findings
    assert not [f for f in of_kind(every_year, Kind.OUTLIER) if f.measure is None and not f.subset]


def test_a_correlation_is_spearmans() -> None:
    frame = noise(6)
    rng = np.random.default_rng(6)
    frame["waiting_days"] = (frame.amount / 20 + rng.normal(0, 2, len(frame))).round(2)
    found = of_kind(searched(frame).findings, Kind.CORRELATION)[0]
    expected = frame.amount.corr(frame.waiting_days, method="spearman")
    assert found.numbers["correlation"].value == pytest.approx(expected)


def daily(seed: int, lag: int, strength: float) -> pd.DataFrame:
    """A row a day: visits that follow spending some days later, both with inertia."""
    rng = np.random.default_rng(seed)
    spend, other = np.zeros(500), np.zeros(500)
    for t in range(1, 500):
        spend[t] = 0.7 * spend[t - 1] + rng.normal()
        other[t] = 0.7 * other[t - 1] + rng.normal()
    visits = strength * np.roll(spend, lag) + other
    days = pd.date_range("2023-01-01", periods=500)
    return pd.DataFrame(
        {"day": days, "ad_spend": (50 + 5 * spend).round(3), "visits": (400 + 20 * visits).round(2)}
    )


def test_a_lagged_relation_between_daily_series_is_found_with_its_lag() -> None:
    found = of_kind(searched({"traffic": daily(1, 4, 2.0)}).findings, Kind.LAG)
    assert found and found[0].numbers["lag"].value == 4
    assert found[0].subjects[0] == "ad spend" and found[0].subjects[1] == "visits"


@pytest.mark.long
def test_series_with_inertia_alone_are_not_called_related() -> None:
    told = [bool(of_kind(searched({"traffic": daily(s, 0, 0.0)}).findings, Kind.LAG)) for s in range(8)]
    assert sum(told) == 0


def test_groups_that_go_together_are_told_with_the_shares_of_pandas() -> None:
    frame = noise(7)
    frame.loc[(frame.region == "south") & (frame.index % 2 == 0), "channel"] = "phone"
    found = of_kind(searched(frame).findings, Kind.ASSOCIATION)[0]
    assert set(found.subjects) == {"south", "phone"}
    group, outcome = found.axes
    place, value = found.subjects
    shares = pd.crosstab(frame[group], frame[outcome], normalize="index")
    assert found.numbers["share"].value == pytest.approx(shares.loc[place, value])
    others = frame[frame[group] != place]
    assert found.numbers["rest"].value == pytest.approx((others[outcome] == value).mean())


def test_words_of_short_texts_are_told_by_group() -> None:
    frame = noise(8)
    rng = np.random.default_rng(8)
    subjects = np.array(["delivery", "invoice", "refund", "address", "voucher"])
    texts = [
        f"question {rng.integers(1000, 9999)} regarding {w} of customer"
        for w in rng.choice(subjects, len(frame))
    ]
    frame["note"] = texts
    hit = frame.region == "north"
    frame.loc[hit, "note"] = [
        f"parcel {rng.integers(1000, 9999)} was damaged badly" for _ in range(hit.sum())
    ]
    found = of_kind(searched(frame, top=20).findings, Kind.ASSOCIATION)
    assert any("mentions damaged" in a and f.subjects[0] == "north" for f in found for a in f.axes)


def test_a_weekly_pattern_is_found_with_its_best_and_worst_day() -> None:
    frame = noise(9, 4_000)
    weekday = frame.ordered_on.dt.weekday
    frame = frame[(weekday != 6) | (frame.index % 4 == 0)]
    frame = pd.concat([frame, frame[frame.ordered_on.dt.weekday == 0]])
    found = of_kind(searched(frame, top=20).findings, Kind.SEASON)
    assert found[0].subjects == ("Monday", "Sunday")


def test_kinds_of_rows_are_described_in_words() -> None:
    rng = np.random.default_rng(10)
    near, far = rng.normal(0, 1, (300, 2)), rng.normal(0, 1, (300, 2))
    frame = pd.DataFrame(
        {
            "price": np.r_[20 + near[:, 0], 60 + far[:, 0]].round(2),
            "weight_kg": np.r_[9 + 0.4 * near[:, 1], 2 + 0.4 * far[:, 1]].round(2),
            "region": rng.choice(["north", "south"], 600),
        }
    )
    found = of_kind(searched({"items": frame}, top=20).findings, Kind.SEGMENTS)
    assert found and found[0].numbers["kinds"].value == 2
    assert any("high price" in s and "low weight" in s for s in found[0].subjects)


def test_a_duration_between_two_dates_is_a_figure() -> None:
    frame = noise(11)
    rng = np.random.default_rng(11)
    took = rng.gamma(3, 2, len(frame)) * np.where(frame.region == "west", 3, 1)
    frame["delivered_on"] = frame.ordered_on + pd.to_timedelta(took.round() + 1, unit="D")
    found = [
        f
        for f in of_kind(searched(frame).findings, Kind.DIFFERENCE, "region")
        if f.measure and f.measure.unit == "days"
    ]
    assert found[0].subjects == ("west",)
    days = (frame.delivered_on - frame.ordered_on).dt.days
    assert found[0].numbers["subject"].value == pytest.approx(days[frame.region == "west"].mean())


def test_joined_tables_are_searched_by_what_is_looked_up() -> None:
    rng = np.random.default_rng(12)
    products = pd.DataFrame(
        {"product_id": range(1, 41), "brand": rng.choice(["Alba", "Brio", "Cato", "Dune"], 40)}
    )
    orders = pd.DataFrame({"order_id": range(2_000), "product_id": rng.integers(1, 41, 2_000)})
    brand = orders.merge(products, on="product_id").brand
    orders["amount"] = (rng.gamma(4, 25, 2_000) * np.where(brand == "Brio", 2, 1)).round(2)
    found = of_kind(searched({"orders": orders, "products": products}).findings, Kind.DIFFERENCE, "brand")[0]
    assert found.subjects == ("Brio",)
    assert found.numbers["subject"].value == pytest.approx(orders.amount[brand == "Brio"].mean())


def test_a_goal_changes_the_order_and_adds_nothing_but_what_is_not_there() -> None:
    frame = noise(13)
    frame.loc[frame.index % 5 < 3, "region"] = "east"
    frame.loc[frame.channel == "phone", "amount"] *= 1.6
    free = searched(frame, top=50)
    steered = searched(frame, goal="How do amounts differ between sales channels?", top=50)
    assert steered.findings[0].axes == ("channel",)
    added = {f.kind for f in steered.findings} - {f.kind for f in free.findings}
    assert added <= {Kind.EVEN, Kind.NOTHING}
    known = {_about(f) for f in free.findings}
    real = [f for f in steered.findings if f.kind not in (Kind.EVEN, Kind.NOTHING)]
    assert {_about(f) for f in real} <= known


def _about(f: Finding) -> tuple[object, ...]:
    """What a finding says; a group that leads in rows and in what they add up to is told once, by either."""
    return f.kind, "" if f.kind is Kind.LEADER else f.figure, f.axes, f.subset


def test_a_group_that_leads_in_everything_is_told_once() -> None:
    rng = np.random.default_rng(31)
    frame = pd.DataFrame({
        "weather": rng.choice(["calm", "rough", "storm"], 3_000, p=[0.7, 0.2, 0.1]),
        "port": rng.choice(["A", "B", "C"], 3_000),
        "fuel": rng.gamma(4, 25, 3_000).round(1),
        "crew": rng.integers(3, 30, 3_000),
        "nets": rng.integers(1, 9, 3_000),
    })  # fmt: skip
    led = [f for f in searched(frame, top=50).findings if f.kind is Kind.LEADER and f.axes == ("weather",)]
    assert [f.subjects for f in led] == [("calm",)]


def test_the_same_search_gives_the_same_findings() -> None:
    frame = noise(14)
    frame.loc[frame.index % 5 < 3, "region"] = "east"
    assert searched(frame).findings == searched(frame).findings


def test_identifiers_are_neither_figures_nor_groups() -> None:
    frame = noise(15)
    frame.insert(0, "order_id", range(1_000, 1_000 + len(frame)))
    scan = searched(frame, goal="What about order ids?", top=50)
    assert all(f.figure != "order_id" and "order_id" not in f.axes for f in scan.findings)


@pytest.mark.parametrize(("goal", "named"), [(None, False), ("which agent has most orders", True)])
def test_persons_are_told_only_where_the_goal_asks_for_them(goal: str | None, named: bool) -> None:
    frame = noise(16)
    people = ["Ada Lovelace", "Grace Hopper", "Mary Somerville", "Emmy Noether"]
    frame["assigned_to"] = np.random.default_rng(1).choice(people, len(frame), p=[0.7, 0.1, 0.1, 0.1])
    scan = searched(frame, goal=goal, top=50)
    told = {v for f in scan.findings for v in f.subjects}
    assert ("Ada Lovelace" in told) is named
    assert ("assigned to" in scan.left_out) is not named
    withheld = searched(frame, goal=goal, top=50, may_name_persons=False)
    assert not {v for f in withheld.findings for n in f.numbers.values() for v in n.group.values()} & set(
        people
    )


@pytest.mark.parametrize("top", [0, 51])
def test_a_number_of_insights_out_of_range_is_refused(top: int) -> None:
    with pytest.raises(InvalidInput):
        searched(noise(0, 50), top=top)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["x", "y"] * 5}),
        pd.DataFrame({"a": [None] * 40, "b": [1] * 40}),
        pd.DataFrame({"a": ["it's; DROP", '"quoted"', "x\\y", "日本"] * 20, "v": np.arange(80.0)}),
        pd.DataFrame({"when": pd.to_datetime(["2024-01-01"] * 40), "v": [np.inf, 1.0, np.nan, -np.inf] * 10}),
    ],
)
def test_odd_tables_are_searched_without_a_fault(frame: pd.DataFrame) -> None:
    assert searched({"odd": frame}, goal="anything").tests >= 0
