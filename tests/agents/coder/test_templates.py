"""Templates without a model, on five unrelated tables: what they state is true, and where they cannot, they say so."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.agents.coder import (
    TEMPLATE_REGISTRY,
    AnalysisRecord,
    DataAnalysisAgent,
    get_template,
    list_templates,
)
from gnomon.answering.words import fact_figure
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import NotFound


def orders() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    days = pd.date_range("2023-01-02", "2024-06-30", freq="D").repeat(2)
    weekend = np.where(days.dayofweek >= 5, 30.0, 0.0)
    return pd.DataFrame(
        {
            "order_date": days,
            "customer_id": draw.integers(1, 160, len(days)) + 10_000,
            "region": draw.choice(["North", "South", "East"], len(days), p=[0.5, 0.3, 0.2]),
            "revenue": (80 + weekend + np.arange(len(days)) * 0.04 + draw.normal(0, 4, len(days))).round(2),
        }
    )


def readings() -> pd.DataFrame:
    draw = np.random.default_rng(2)
    hours = pd.date_range("2025-03-01", periods=24 * 45, freq="h")
    warm = 15 + 6 * np.sin(2 * np.pi * (np.asarray(hours.hour) - 9) / 24) + draw.normal(0, 0.4, len(hours))
    warm[500:512] += 25
    return pd.DataFrame(
        {
            "measured_at": hours,
            "temperature": warm.round(3),
            "humidity": draw.uniform(30, 70, len(hours)).round(2),
        }
    )


def staff() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    team = draw.choice(["Sales", "Legal", "Labs"], 400)
    low = draw.normal(31_000, 900, 200)
    return pd.DataFrame(
        {
            "team": team,
            "salary": np.concatenate([low, draw.normal(92_000, 1500, 200)]).round(0),
            "height_cm": np.concatenate([draw.normal(160, 2, 200), draw.normal(190, 2, 200)]).round(1),
            "site": np.where(np.arange(400) % 7 == 0, None, "main"),
        }
    )


def tonnes() -> pd.DataFrame:
    draw = np.random.default_rng(4)
    months = pd.date_range("2019-01-01", periods=60, freq="MS")
    made = 500 + 120 * np.sin(2 * np.pi * np.asarray(months.month) / 12) + draw.normal(0, 6, 60)
    made[40:] += 300
    return pd.DataFrame(
        {"month": months, "plant": np.where(np.arange(60) % 2 == 0, "A", "B"), "tonnes": made.round(1)}
    )


def visits() -> pd.DataFrame:
    draw = np.random.default_rng(5)
    days = pd.to_datetime(draw.choice(pd.date_range("2024-01-01", "2024-12-31"), 900))
    frame = pd.DataFrame(
        {
            "visit_day": days,
            "patient_id": draw.integers(1, 200, 900) + 5000,
            "fee": np.where(draw.random(900) < 0.1, np.nan, draw.gamma(4, 20, 900).round(2)),
            "ward": draw.choice(["eyes", "ears", "feet", "hands"], 900),
        }
    )
    return pd.concat([frame, frame.iloc[:11]], ignore_index=True)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "orders": orders, "readings": readings, "staff": staff, "tonnes": tonnes, "visits": visits,
}  # fmt: skip
DATED = [n for n in TABLES if n != "staff"]
HOW: dict[str, Callable[[Any], Any]] = {
    t: lambda s: s.mean() if s.name == "tonnes" else s.sum() for t in TABLES
}
_done: dict[tuple[str, str], AnalysisRecord] = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tables")
    for name, make in TABLES.items():
        make().to_csv(made / f"{name}.csv", index=False)
    return made


def record(folder: Path, table: str, template: str) -> AnalysisRecord:
    if (table, template) not in _done:
        _done[table, template] = DataAnalysisAgent().analyze("", [folder / f"{table}.csv"], template)
    return _done[table, template]


def facts(found: AnalysisRecord, prefix: str = "") -> dict[str, Any]:
    return {f.name: f.value for f in found.findings if f.name.startswith(prefix)}


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("template", TEMPLATE_REGISTRY)
def test_every_figure_in_the_sentences_is_a_fact(folder: Path, table: str, template: str) -> None:
    found = record(folder, table, template)
    assert found.model is None and found.privacy is None
    for section in found.sections:
        left = section.prose
        for fact in sorted(section.facts, key=lambda f: -len(fact_figure(f))):
            left = left.replace(fact_figure(fact), " ")
        assert re.search(r"\d", left) is None, section.prose
        assert section.refused == (not section.facts)
        assert section.prose.strip()
    assert all(f.query or f.name for f in found.findings)
    answer = found.to_answer()
    assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL, AnswerStatus.OUT_OF_SCOPE)


@pytest.mark.parametrize(
    "template", ["trend_and_seasonality", "cohort_retention", "forecasting", "period_comparison"]
)
def test_without_dates_what_needs_them_is_refused(folder: Path, template: str) -> None:
    found = record(folder, "staff", template)
    assert found.findings == () and all("date" in s.prose for s in found.sections)
    assert found.to_answer().status is AnswerStatus.OUT_OF_SCOPE


@pytest.mark.parametrize("table", TABLES)
def test_the_health_check_counts_and_adds_up(folder: Path, table: str) -> None:
    frame, known = TABLES[table](), facts(record(folder, table, "health_check"))
    assert known[f"contents.{table}_rows"] == len(frame)
    assert known[f"contents.{table}_columns"] == frame.shape[1]
    columns = {"orders": "revenue", "tonnes": "tonnes", "visits": "fee"}
    if table in columns:
        wanted = HOW[table](frame[columns[table]])
        assert any(
            v == pytest.approx(wanted)
            for n, v in known.items()
            if n.startswith("figures.") and isinstance(v, float)
        )
    if table == "readings":
        assert any(
            v == pytest.approx(frame.temperature.mean()) for v in known.values() if isinstance(v, float)
        )
    holes = int(frame.isna().sum().sum())
    assert known.get(f"completeness.{table}_missing_cells", 0) == pytest.approx(holes / frame.size)
    assert known[f"duplicates.{table}_repeated_rows"] == int(frame.duplicated().sum())


def test_the_leading_group_leads(folder: Path) -> None:
    frame, known = orders(), facts(record(folder, "orders", "health_check"), "figures.")
    by = frame.groupby("region").revenue.sum()
    assert known["figures.leading_region"] == by.idxmax()
    assert known["figures.its_share"] == pytest.approx(by.max() / by.sum())


def test_trends_and_seasons_are_those_of_the_data(folder: Path) -> None:
    known = facts(record(folder, "orders", "trend_and_seasonality"))
    slope = next(
        v for n, v in known.items() if n.startswith("trend.") and n.endswith("slope") and "revenue" in n
    )
    weeks = orders().groupby(pd.Grouper(key="order_date", freq="W-SUN")).revenue.sum()
    assert slope > 0 and slope == pytest.approx(np.polyfit(np.arange(len(weeks)), weeks, 1)[0], rel=0.4)
    assert next(v for n, v in known.items() if "revenue_season_length" in n) == 7
    assert next(v for n, v in known.items() if "revenue_peak" in n) in ("Saturday", "Sunday")
    hourly = facts(record(folder, "readings", "trend_and_seasonality"), "season.")
    assert next(v for n, v in hourly.items() if "temperature_season_length" in n) == 24
    levels = facts(record(folder, "tonnes", "trend_and_seasonality"), "levels.")
    at = next(v for n, v in levels.items() if "largest_change_at" in n)
    assert str(at)[:7] in ("2022-04", "2022-05", "2022-06")


@pytest.mark.parametrize("table", DATED)
def test_series_are_those_of_pandas(folder: Path, table: str) -> None:
    frame, found = TABLES[table](), record(folder, table, "trend_and_seasonality")
    series = next(t for t in found.tables if " by " in t.name)
    grain = series.columns[0]
    time = next(c for c in frame if pd.api.types.is_datetime64_any_dtype(frame[c]))
    rule = {"month": "MS", "week": "W-MON", "day": "D", "quarter": "QS", "hour": "h"}[grain]
    column = {"orders": "revenue", "readings": "temperature", "tonnes": "tonnes", "visits": "fee"}[table]
    grouped = frame.groupby(pd.Grouper(key=time, freq=rule, label="left", closed="left"))
    wanted = grouped[column].apply(HOW[table]) if table != "readings" else grouped["temperature"].mean()
    told = {pd.Timestamp(r[0]): r[1] for r in series.rows}
    assert len(told) >= 8
    assert {k: pytest.approx(v) for k, v in told.items()} == {k: v for k, v in wanted.items() if k in told}


@pytest.mark.parametrize("table", ["orders", "visits", "tonnes"])
def test_the_last_period_is_compared_with_the_one_before(folder: Path, table: str) -> None:
    frame, known = TABLES[table](), facts(record(folder, table, "period_comparison"))
    start, end = known["change.last_period_from"], known["change.last_period_to"]
    time = next(c for c in frame if pd.api.types.is_datetime64_any_dtype(frame[c]))
    column = {"orders": "revenue", "tonnes": "tonnes", "visits": "fee"}[table]
    inside = frame[(frame[time] >= str(start)) & (frame[time] < str(end + pd.Timedelta(days=1)))]
    last = next(v for n, v in known.items() if n.endswith("_last") and column in n)
    before = next(v for n, v in known.items() if n.endswith("_before") and column in n)
    assert isinstance(start, date) and HOW[table](inside[column]) == pytest.approx(last)
    size = (end - start).days + 1
    assert size in (28, 29, 30, 31, 90, 91, 92, 365, 366)
    difference = next(
        v for n, v in known.items() if n.endswith("_difference") and column in n and "relative" not in n
    )
    assert difference == pytest.approx(abs(last - before))


def test_the_group_that_moved_most_did(folder: Path) -> None:
    known = facts(record(folder, "orders", "period_comparison"))
    start, end = pd.Timestamp(known["change.last_period_from"]), pd.Timestamp(known["change.last_period_to"])
    frame = orders()
    earlier = frame[frame.order_date < start]
    first = (start - pd.Timedelta(days=1)).to_period("Q").start_time
    if (end - start).days < 40:
        first = (start - pd.Timedelta(days=1)).to_period("M").start_time
    old = earlier[earlier.order_date >= first].groupby("region").revenue.sum()
    new = frame[(frame.order_date >= start) & (frame.order_date <= end)].groupby("region").revenue.sum()
    moved = (new - old).abs()
    assert known["movers.region_that_moved_most"] == moved.idxmax()
    assert known["movers.region_largest_difference"] == pytest.approx(moved.max())


@pytest.mark.long
def test_what_was_planted_is_unusual(folder: Path) -> None:
    found = record(folder, "readings", "anomaly_investigation")
    known = facts(found, "periods.")
    at = next(v for n, v in known.items() if "temperature_most_unusual" in n)
    assert pd.Timestamp("2025-03-21") <= pd.Timestamp(at) <= pd.Timestamp("2025-03-23")
    salary = facts(record(folder, "staff", "anomaly_investigation"), "extremes.")
    assert salary["extremes.numeric_columns"] == 2


@pytest.mark.parametrize(
    ("table", "who", "when"), [("orders", "customer_id", "order_date"), ("visits", "patient_id", "visit_day")]
)
def test_retention_is_counted_as_by_hand(folder: Path, table: str, who: str, when: str) -> None:
    frame, known = TABLES[table](), facts(record(folder, table, "cohort_retention"), "cohorts.")
    seen = pd.DataFrame({"who": frame[who], "month": frame[when].dt.to_period("M")}).drop_duplicates()
    first = seen.groupby("who").month.min()
    later = seen.month.map(lambda m: m.ordinal) - seen.who.map(first).map(lambda m: m.ordinal)
    assert known["cohorts.members"] == len(first) and known["cohorts.cohorts"] == first.nunique()
    last = seen.month.max().ordinal
    for after in (1, 3, 6):
        able = first[first.map(lambda m: m.ordinal) + after <= last].index
        back = ((later == after) & seen.who.isin(able)).sum()
        assert known[f"cohorts.back_after_{after}"] == pytest.approx(back / len(able))


def test_segments_are_found_where_there_are_some_and_not_elsewhere(folder: Path) -> None:
    known = facts(record(folder, "staff", "segmentation"))
    assert known["segments.segments"] == 2
    assert known["segments.segment_1_share"] == pytest.approx(0.5, abs=0.02)
    rows = facts(record(folder, "orders", "segmentation"), "groups.")
    frame = orders().groupby("region").revenue.sum()
    assert rows["groups.highest_region"] == frame.idxmax() and rows["groups.lowest_region"] == frame.idxmin()


@pytest.mark.parametrize("table", ["orders", "tonnes", "readings"])
def test_forecasts_follow_the_series_and_tell_their_errors(folder: Path, table: str) -> None:
    found = record(folder, table, "forecasting")
    known = facts(found, "forecast.")
    for name in [n for n in known if n.endswith("_next")]:
        assert known[f"{name}_low"] <= known[name] <= known[f"{name}_high"]
        stem = name.removesuffix("_next")
        worse = known[f"{stem}_past_error"] >= known[f"{stem}_past_error_of_baseline"]
        assert ("no more than the simplest rule" in found.prose) or not worse
        assert known[f"{stem}_confidence"] == 0.95
    ahead = next(t for t in found.tables if t.name.startswith("forecast"))
    assert all(row[2] <= row[1] <= row[3] for row in ahead.rows)


def test_data_quality_finds_what_was_planted(folder: Path, tmp_path: Path) -> None:
    known = facts(record(folder, "visits", "data_quality"))
    assert known["duplicates.visits_repeated_rows"] == visits().duplicated().sum() >= 11
    assert known["completeness.visits_emptiest_column"] == "fee"
    assert known["completeness.visits_emptiest_rate"] == pytest.approx(visits().fee.isna().mean())
    both = tmp_path / "both"
    both.mkdir()
    pd.DataFrame({"ward_id": [1, 2, 3, 4], "name": list("abcd")}).to_csv(both / "wards.csv", index=False)
    pd.DataFrame({"stay_id": range(40), "ward_id": [1, 2, 3, 4] * 9 + [4, 4, 9, 9]}).to_csv(
        both / "stays.csv", index=False
    )
    told = facts(DataAnalysisAgent().analyze("", [both], "data_quality"), "references.")
    assert told.get("references.rows_without_a_partner") == 2


def test_a_template_run_can_be_run_again(folder: Path) -> None:
    found = record(folder, "tonnes", "period_comparison")
    again = found.rerun()
    assert again.findings == found.findings and again.prose == found.prose
    assert [c.code for c in again.cells] == [c.code for c in found.cells] and found.cells[0].language == "sql"


def test_templates_are_listed_and_unknown_ones_name_the_known() -> None:
    listed = list_templates()
    assert [set(t) for t in listed] == [{"name", "display_name", "description"}] * len(listed)
    assert len(listed) >= 8
    for t in listed:
        prompt = get_template(t["name"]).get_full_prompt()
        assert t["display_name"] in prompt and "1." in prompt
    with pytest.raises(NotFound) as e:
        get_template("nope")
    assert all(t["name"] in e.value.message for t in listed)


def test_groups_that_are_alike_are_not_ranked(tmp_path: Path) -> None:
    path = tmp_path / "even.csv"
    pd.DataFrame({"side": ["left", "right"] * 30, "weight": [3.5] * 60, "n": range(60)}).to_csv(
        path, index=False
    )
    agent = DataAnalysisAgent()
    assert "is the same for all" in agent.analyze("", [path], "segmentation").prose
    assert " leads " not in agent.analyze("", [path], "health_check").prose


@pytest.mark.parametrize(
    ("thing", "level", "seed"),
    [("boiler", "pressure_bar", 5), ("depot", "backlog", 6), ("hive", "weight_kg", 7)],
)
def test_an_outage_of_one_of_several_is_found_and_none_of_the_others(
    tmp_path: Path, thing: str, level: str, seed: int
) -> None:
    """Several tick side by side: how many rows there are says nothing, and the whole may hide what one of them does."""
    draw = np.random.default_rng(seed)
    days = pd.date_range("2025-01-06", periods=90)
    names = [f"{thing[0].upper()}{i}" for i in range(1, 6)]
    frame = pd.DataFrame(
        [(day, name, draw.normal(100 + 5 * i, 6)) for day in days for i, name in enumerate(names)],
        columns=["day", thing, level],
    )
    hit = frame[thing].eq(names[3]) & frame.day.between(days[40], days[43])
    frame.loc[hit, level] -= 60
    frame.to_csv(tmp_path / f"{thing}s.csv", index=False)
    found = facts(record(tmp_path, f"{thing}s", "anomaly_investigation"))
    told = {k: v for k, v in found.items() if k.startswith("groups.unusual_")}
    assert list(told.values()) == [names[3]]
    assert (pd.Timestamp(found["groups.from"]), pd.Timestamp(found["groups.to"])) == (days[40], days[43])
    then = next(v for k, v in found.items() if k.startswith("groups.") and k.endswith("_then"))
    assert then == pytest.approx(frame[hit][level].mean())
    key = facts(record(tmp_path, f"{thing}s", "health_check"), "figures.")
    assert not any(v == len(frame) for v in key.values())


def test_members_that_words_name_are_followed_too(tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    rows = [
        (
            f"K{c:03d}",
            pd.Timestamp("2023-01-01") + pd.DateOffset(months=c % 10 + m),
            draw.choice(["basic", "pro"]),
        )
        for c in range(80)
        for m in range(min(18 - c % 10, int(draw.geometric(0.2))))
    ]
    frame = pd.DataFrame(rows, columns=["client", "month", "plan"])
    frame.to_csv(tmp_path / "subscriptions.csv", index=False)
    known = facts(record(tmp_path, "subscriptions", "cohort_retention"), "cohorts.")
    assert known["cohorts.who"] == "client" and known["cohorts.members"] == frame.client.nunique()
