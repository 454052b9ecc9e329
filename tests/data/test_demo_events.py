"""Each planted event is in the data, where and as large as the manifest states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gnomon.data.demo_store import DemoStore, write_demo_store

KINDS = {
    "stockout", "competitor_price_cut", "ad_pause", "review_wave", "listing_suspension", "returns_spike",
    "regional_outage", "seasonal_dip",
}  # fmt: skip
DATE = {
    "orders": "order_date",
    "sessions": "date",
    "ad_spend": "date",
    "reviews": "date",
    "returns": "order_date",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> DemoStore:
    return write_demo_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def events(store: DemoStore) -> dict[str, dict[str, Any]]:
    return {e["event_id"]: e for e in json.loads(store.manifest_path.read_text())["events"]}


@pytest.fixture(scope="module")
def frames(store: DemoStore) -> dict[str, pd.DataFrame]:
    products = pd.read_parquet(store.tables["products"])[["product_id", "category", "brand"]]
    found: dict[str, pd.DataFrame] = {}
    for name in ("orders", "traffic", "prices", "reviews", "account"):
        frame = pd.read_parquet(store.tables[name])
        frame = frame if name == "account" else frame.merge(products, on="product_id")
        day = "order_date" if name == "orders" else "date"
        found[name] = frame.assign(day=pd.to_datetime(frame[day]))
    return found


def within(frame: pd.DataFrame, event: dict[str, Any], shift_days: int = 0) -> pd.DataFrame:
    """The rows of the event's scope in its days, or in days moved by ``shift_days``."""
    move = pd.Timedelta(days=shift_days)
    mask = frame["day"].between(pd.Timestamp(event["start"]) + move, pd.Timestamp(event["end"]) + move)
    for column, value in event["scope"].items():
        if column in frame:
            mask &= frame[column] == value
    return frame[mask]


def measured(metric: str, frames: dict[str, pd.DataFrame], event: dict[str, Any], shift: int = 0) -> float:
    """The metric over the event, computed from the tables alone."""
    table = {"orders": "orders", "returns": "orders", "reviews": "reviews", "competitor_price": "prices"}
    rows = within(frames[table.get(metric, "traffic")], event, shift)
    if metric in {"orders", "reviews"}:
        return float(len(rows))
    if metric == "returns":
        return float(rows["returned"].sum())
    if metric == "competitor_price":
        return float(rows["competitor_price"].mean())
    return float(rows[metric].sum())


def test_every_kind_is_planted_and_only_the_season_is_no_anomaly(events: dict[str, dict[str, Any]]) -> None:
    assert {e["kind"] for e in events.values()} == KINDS
    assert {e["kind"] for e in events.values() if not e["is_anomaly"]} == {"seasonal_dip"}
    assert all(e["effects"] for e in events.values())


def test_the_manifest_counts_what_the_tables_hold(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    for event in events.values():
        for effect in event["effects"]:
            found = measured(effect["metric"], frames, event)
            assert found == pytest.approx(effect["actual"], abs=0.011), (event["event_id"], effect["metric"])


def test_what_was_expected_is_what_the_weeks_before_show(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    compared = 0
    for event in events.values():
        for effect in event["effects"]:
            if effect["expected"] < 150 and effect["metric"] != "competitor_price":
                continue
            length = (pd.Timestamp(event["end"]) - pd.Timestamp(event["start"])).days + 1
            weeks = -(-length // 7) * 7
            before = measured(effect["metric"], frames, event, -weeks)
            assert before == pytest.approx(effect["expected"], rel=0.2), (event["event_id"], effect["metric"])
            compared += 1
    assert compared >= 10


@pytest.mark.parametrize(
    ("event_id", "metric", "low", "high"),
    [
        ("stockout-spring-2024", "orders", -1, -1),
        ("stockout-spring-2025", "orders", -1, -1),
        ("stockout-autumn-2025", "orders", -1, -1),
        ("suspension-2024", "sessions", -1, -1),
        ("ad-pause-winter-2025", "ad_spend", -1, -1),
        ("ad-pause-winter-2025", "sessions", -0.47, -0.43),
        ("ad-pause-autumn-2025", "ad_spend", -1, -1),
        ("ad-pause-autumn-2025", "sessions", -0.72, -0.68),
        ("ad-pause-autumn-2025", "orders", -0.76, -0.64),
        ("outage-2025", "orders", -0.97, -0.87),
        ("price-cut-2025", "competitor_price", -0.225, -0.215),
        ("price-cut-2025", "orders", -0.55, -0.3),
        ("review-wave-2025", "reviews", 10, 100),
        ("review-wave-2025", "orders", -0.75, -0.25),
        ("returns-2025", "returns", 2, 4.5),
        ("august-2024", "sessions", -0.29, -0.27),
        ("august-2025", "sessions", -0.29, -0.27),
        ("august-2024", "orders", -0.33, -0.23),
        ("august-2025", "orders", -0.33, -0.23),
    ],
)
def test_each_effect_has_the_planted_size(
    events: dict[str, dict[str, Any]], event_id: str, metric: str, low: float, high: float
) -> None:
    change = next(x["change"] for x in events[event_id]["effects"] if x["metric"] == metric)
    assert low <= change <= high


def test_advertising_is_paid_for_outside_the_pauses(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    traffic = frames["traffic"]
    daily = traffic.groupby(["channel", "day"])["ad_spend"].sum()
    assert daily["organic"].max() == 0
    for channel in ("paid_search", "marketplace"):
        pauses = [e for e in events.values() if e["kind"] == "ad_pause" and e["scope"]["channel"] == channel]
        days = {d for e in pauses for d in pd.date_range(e["start"], e["end"])}
        assert set(daily[channel][daily[channel] == 0].index) == days


def test_the_wave_of_reviews_is_about_a_fault(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    event = events["review-wave-2025"]
    during, before = within(frames["reviews"], event), within(frames["reviews"], event, -180)
    assert during["rating"].mean() < 2.5
    assert during["text"].str.contains("batch|fault|crack|seal|broke|leaks|burnt|failed|switch").mean() > 0.5
    everywhere = frames["reviews"][frames["reviews"]["product_id"] == event["scope"]["product_id"]]
    assert everywhere.drop(during.index)["rating"].mean() > 3.5
    assert len(before) < len(during) / 5


def test_the_rival_takes_the_buy_box_while_its_price_is_cut(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    event = events["price-cut-2025"]
    during, before = (within(frames["prices"], event, s)["buy_box_share"].mean() for s in (0, -35))
    others = frames["prices"][frames["prices"]["category"] != "Audio"]
    calm = others[others["day"].between(event["start"], event["end"])]["buy_box_share"].mean()
    assert during < 0.5 < 0.75 < before
    assert calm == pytest.approx(before, abs=0.05)


def test_other_regions_are_spared_by_the_outage(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    event = events["outage-2025"]
    unscoped = {**event, "scope": {}}
    during, before = (within(frames["orders"], unscoped, s)["region"].value_counts() for s in (0, -7))
    assert during["north"] < 0.2 * before["north"]
    assert (during.drop("north") / before.drop("north")).between(0.8, 1.25).all()


def test_the_account_shows_the_consequences(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    account = frames["account"].set_index("day")
    for event_id, column, factor in (
        ("outage-2025", "late_shipment_rate", 2),
        ("returns-2025", "defect_rate", 1.5),
    ):
        days = pd.date_range(events[event_id]["start"], events[event_id]["end"])
        assert account.loc[days, column].mean() > factor * account[column].median()
    suspended = events["suspension-2024"]
    warned = account[account["policy_warnings"] > 0].index
    assert set(warned) == set(pd.date_range(suspended["start"], suspended["end"]))


def test_the_quiet_august_comes_every_year_and_in_every_category(
    events: dict[str, dict[str, Any]], frames: dict[str, pd.DataFrame]
) -> None:
    dips = [e for e in events.values() if e["kind"] == "seasonal_dip"]
    assert [e["start"][:7] for e in dips] == ["2024-08", "2025-08"]
    for event in dips:
        during = within(frames["traffic"], event).groupby("category")["sessions"].sum()
        around = (
            sum(within(frames["traffic"], event, s).groupby("category")["sessions"].sum() for s in (-21, 21))
            / 2
        )
        assert ((during / around).between(0.62, 0.82)).all()


@pytest.mark.parametrize("seed", [0, 2, 99])
def test_any_seed_has_every_event_even_in_the_smallest_store(tmp_path: Path, seed: int) -> None:
    store = write_demo_store(tmp_path, seed=seed, scale=0.01)
    planted = json.loads(store.manifest_path.read_text())["events"]
    assert store.rows["products"] == 60
    assert {e["kind"] for e in planted} == KINDS
    for event in planted:
        main = max(event["effects"], key=lambda x: abs(x["change"]))
        assert main["expected"] > 0
        assert abs(main["change"]) > 0.2, event["event_id"]
