"""Templates over drawn tables with a known truth: units, codes, weeks, and whether a change is more than usual."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.agents.coder import AnalysisRecord, DataAnalysisAgent
from gnomon.core.answer import with_unit


def analyzed(table: pd.DataFrame, name: str, template: str, folder: Path) -> AnalysisRecord:
    path = folder / f"{name}.csv"
    table.to_csv(path, index=False)
    return DataAnalysisAgent().analyze("", [path], template)


def tickets(seed: int, rows: int = 4000) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    days = pd.date_range("2023-01-01", "2024-09-30")
    return pd.DataFrame(
        {
            "ticket_id": np.arange(rows),
            "opened_on": np.sort(draw.choice(days, rows)),
            "desk_code": draw.choice([1010, 1020, 1030], rows),
            "hours_open": draw.gamma(2, 5, rows).round(2),
            "reopened": draw.random(rows) < 0.08,
        }
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_rates_are_shown_in_percent_and_codes_as_written(seed: int, tmp_path: Path) -> None:
    table = tickets(seed)
    record = analyzed(table, "tickets", "health_check", tmp_path)
    tables = {t.name: t for s in record.sections for t in s.tables}
    figures = tables["key figures"]
    place = next(i for i, r in enumerate(figures.rows) if "reopen" in r[0])
    assert figures.rows[place][1] == pytest.approx(table["reopened"].mean())
    shown = with_unit(figures, place, 1)
    assert shown is not None and shown.endswith(" %")
    grouped = next(t for n, t in tables.items() if n.endswith("by desk code"))
    assert {r[0] for r in grouped.rows} == {"1010", "1020", "1030"}


def test_a_comparison_says_whether_it_is_more_than_usual(tmp_path: Path) -> None:
    table = tickets(3)
    calm = analyzed(table, "tickets", "period_comparison", tmp_path).prose
    assert (
        "Beyond normal variation" not in calm and "No more than normal variation: number of tickets" in calm
    )
    late = table[table["opened_on"] >= "2024-07-01"]
    busy = analyzed(pd.concat([table, late, late]).reset_index(drop=True).assign(ticket_id=lambda t: t.index),
                    "tickets", "period_comparison", tmp_path).prose  # fmt: skip
    assert "Beyond normal variation: number of tickets" in busy


@pytest.mark.parametrize("template", ["trend_and_seasonality", "forecasting"])
def test_what_is_kept_by_the_week_is_not_added_up_by_month(template: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    table = pd.DataFrame({"week": pd.date_range("2022-01-03", periods=130, freq="W-MON")})
    table["revenue"] = draw.normal(400, 9, 130).round(2)
    record = analyzed(table, "energy", template, tmp_path)
    assert " months" not in record.prose and "weeks" in record.prose
    assert not any("by month" in t.name for s in record.sections for t in s.tables)


def test_a_gap_in_time_is_told_with_its_days(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", "2024-06-30")
    days = days[(days < "2024-03-04") | (days > "2024-03-10")]
    record = analyzed(
        pd.DataFrame({"sold_on": days, "units": range(len(days))}), "sales", "data_quality", tmp_path
    )
    assert "from 2024-03-04 to 2024-03-10 (days without rows: 7)" in record.prose
