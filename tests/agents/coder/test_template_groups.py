"""What templates say of named groups and of members, over drawn tables: the strongest difference, and none by chance."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.agents.coder import AnalysisRecord, DataAnalysisAgent


def analyzed(table: pd.DataFrame, name: str, template: str, folder: Path) -> AnalysisRecord:
    path = folder / f"{name}.csv"
    table.to_csv(path, index=False)
    return DataAnalysisAgent().analyze("", [path], template)


def facts(record: AnalysisRecord, prefix: str) -> dict[str, Any]:
    return {f.name: f.value for s in record.sections for f in s.facts if f.name.startswith(prefix)}


def explained(table: pd.DataFrame, by: str, measure: str) -> float:
    """Omega squared, by pandas."""
    groups = table.groupby(by)[measure]
    n, k, mean = len(table), table[by].nunique(), table[measure].mean()
    between = float((groups.size() * (groups.mean() - mean) ** 2).sum())
    inside = float(((groups.size() - 1) * groups.var()).sum() / (n - k))
    return (between - (k - 1) * inside) / (between + (n - k) * inside + inside)


def trees(seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    kind = draw.choice(["oak", "ash", "elm", "fir"], 600)
    soil = draw.choice(["clay", "sand", "loam"], 600)
    height = 8 + 3.0 * (kind == "oak") + 0.8 * (soil == "loam") + draw.normal(0, 1.5, 600)
    return pd.DataFrame(
        {
            "kind": kind,
            "soil": soil,
            "owner_type": draw.choice(["town", "private"], 600),
            "height_m": height.round(2),
        }
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_groups_are_told_by_where_they_differ_most(seed: int, tmp_path: Path) -> None:
    table = trees(seed)
    record = analyzed(table, "trees", "segmentation", tmp_path)
    known = facts(record, "groups.")
    means = table.groupby("kind").height_m.mean()
    assert known["groups.highest_kind"] == means.idxmax() and known["groups.lowest_kind"] == means.idxmin()
    assert known["groups.average_height_of_highest_kind"] == pytest.approx(means.max())
    assert known["groups.share_of_height_told_by_kind"] == pytest.approx(explained(table, "kind", "height_m"))
    assert record.prose.index("By kind") < record.prose.index("By soil")
    assert "By owner type" not in record.prose


def test_chance_is_no_difference(tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    table = pd.DataFrame({c: draw.choice(list("abcd"), 500) for c in ("colour", "shape", "maker")})
    table["weight_kg"] = draw.normal(5, 1, 500).round(3)
    record = analyzed(table, "parts", "segmentation", tmp_path)
    assert "more than chance would give" in record.prose


def test_money_comes_first_and_flags_have_a_name(tmp_path: Path) -> None:
    draw = np.random.default_rng(9)
    level = draw.choice([1.0, 2.0, 3.0, np.nan], 400)
    garden = draw.random(400) < 0.4
    table = pd.DataFrame(
        {"level": level, "garden": garden, "age": 10 * np.nan_to_num(level) + draw.normal(40, 1, 400)}
    )
    table["price"] = (200_000 + 50_000 * garden + draw.normal(0, 20_000, 400)).round(0)
    record = analyzed(table, "homes", "segmentation", tmp_path)
    assert "By garden, average price is highest for garden yes" in record.prose
    assert "True" not in record.prose and "1.0" not in record.prose
    figures = analyzed(table, "homes", "health_check", tmp_path)
    assert figures.prose.index("Average price") < figures.prose.index("Average age")


def boardings() -> pd.DataFrame:
    draw = np.random.default_rng(11)
    days = pd.to_datetime(draw.choice(pd.date_range("2023-01-01", "2023-12-31"), 4000))
    hour, minute = draw.integers(5, 24, 4000), draw.integers(0, 60, 4000)
    table = pd.DataFrame(
        {"year": days.year, "month": days.month, "day": days.day, "dep_time": 100 * hour + minute}
    )
    table["hour"], table["boarding"] = hour, draw.integers(1, 900, 4000)
    table["tram"] = [f"T{n:04d}" for n in draw.integers(0, 1500, 4000)]
    table["line"] = draw.choice(["red", "blue", "green"], 4000)
    table["delay"] = (draw.normal(2, 1, 4000) + 3.0 * (table.line == "red")).round(2)
    return table


@pytest.mark.long
def test_numbers_that_are_times_or_names_are_not_measured(tmp_path: Path) -> None:
    record = analyzed(boardings(), "cityboardings", "period_comparison", tmp_path)
    measures = next(t for t in record.tables if t.name == "the last period against the one before")
    assert [r[0] for r in measures.rows] == ["number of cityboardings", "average delay", "number of trams"]
    assert "By month" not in record.prose and "By hour" not in record.prose
    told = analyzed(boardings(), "cityboardings", "segmentation", tmp_path)
    assert "By line, average delay is highest for red" in told.prose and "By hour" not in told.prose


def test_members_are_followed_where_the_date_is_written_in_several_columns(tmp_path: Path) -> None:
    table = boardings()
    known = facts(analyzed(table, "cityboardings", "cohort_retention", tmp_path), "")
    first = table.groupby("tram").month.min()
    seen = table[["tram", "month"]].drop_duplicates()
    able = first[first + 1 <= 12].index
    back = (seen.month == seen.tram.map(first) + 1) & seen.tram.isin(able)
    assert known["cohorts.members"] == len(first)
    assert known["cohorts.back_after_1"] == pytest.approx(back.sum() / len(able))
    assert known["active.active_in_busiest_month"] == table.groupby("month").tram.nunique().max()


def test_a_column_that_is_empty_nearly_everywhere_deserves_a_look(tmp_path: Path) -> None:
    table = trees(4)
    table["nest"] = [("owl", "jay")[i // 40 % 2] if i % 40 == 0 else None for i in range(len(table))]
    record = analyzed(table, "trees", "data_quality", tmp_path)
    listed = next(t for t in record.tables if t.name == "columns to look at")
    assert ("trees", "nest", "is empty in nearly all rows") in listed.rows


def test_a_season_that_varies_more_is_held_to_its_own_spread(tmp_path: Path) -> None:
    draw = np.random.default_rng(12)
    months = pd.date_range("2005-01-01", periods=180, freq="MS")
    wide = np.isin(months.month, (8, 9))
    made = np.where(wide, draw.normal(300, 60, 180), draw.normal(40, 5, 180))
    made[100] = 900.0
    table = pd.DataFrame({"month": months, "cases": made.round(0)})
    found = facts(analyzed(table, "outbreaks", "anomaly_investigation", tmp_path), "periods.")
    assert found["periods.cases_unusual"] <= 4
    assert found["periods.cases_most_unusual"] == months[100].date()
