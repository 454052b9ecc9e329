"""What templates show beside their sentences: units on every axis, titles that are sentences, whoever it is that comes back."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.agents.coder import TEMPLATE_REGISTRY, AnalysisRecord, DataAnalysisAgent
from gnomon.core.answer import with_unit


def visits() -> pd.DataFrame:
    """A clinic: departments that are always busy, patients who come back, and a month that is not over."""
    draw, n = np.random.default_rng(5), 3000
    at = pd.Timestamp("2024-01-03") + pd.to_timedelta(np.sort(draw.uniform(0, 620 * 24, n)), unit="h")
    return pd.DataFrame(
        {
            "visit_id": range(5001, 5001 + n),
            "department_id": draw.integers(1, 9, n),
            "patient_id": draw.integers(1, 400, n) + 10_000,
            "checked_in_at": at.floor("min"),
            "fee_eur": draw.gamma(3, 60, n).round(2),
            "waiting_minutes": np.where(draw.random(n) < 0.2, np.nan, draw.lognormal(3, 0.5, n).round(0)),
            "urgent": draw.random(n) < 0.2,
            "outcome": draw.choice(["discharged", "referred", "admitted"], n),
        }
    )


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AnalysisRecord]:
    path = tmp_path_factory.mktemp("clinic") / "visits.csv"
    visits().to_csv(path, index=False)
    return {t: DataAnalysisAgent().analyze("", [path], t) for t in TEMPLATE_REGISTRY}


def axes(part: Any) -> list[dict[str, Any]]:
    """Every channel of numbers in a chart."""
    if isinstance(part, list):
        return [a for p in part for a in axes(p)]
    if not isinstance(part, dict):
        return []
    own = [part] if part.get("type") == "quantitative" and "axis" in part else []
    return own + [a for k, v in part.items() if k != "data" for a in axes(v)]


@pytest.mark.parametrize("template", TEMPLATE_REGISTRY)
def test_amounts_and_shares_carry_their_unit_in_every_chart(
    records: dict[str, AnalysisRecord], template: str
) -> None:
    for chart in records[template].charts:
        for axis in axes(chart):
            title, written = axis["title"].lower(), axis["axis"]["labelExpr"]
            if "fee" in title:
                assert "€" in written, (title, chart["title"])
            if "share" in title or "rate" in title:
                assert "%" in written, (title, chart["title"])
            assert "fraction" not in title


def test_titles_begin_with_a_capital(records: dict[str, AnalysisRecord]) -> None:
    titles = [c["title"]["text"][0] for r in records.values() for c in r.charts]
    assert titles
    assert [t for t in titles if not (t[0].isupper() or t[0].isdigit())] == []


def test_a_report_is_called_what_the_template_is_called(records: dict[str, AnalysisRecord]) -> None:
    titles = {name: r.to_report()["title"] for name, r in records.items()}
    assert titles == {name: t.display_name for name, t in TEMPLATE_REGISTRY.items()}


@pytest.mark.parametrize("template", ["health_check", "period_comparison"])
def test_figures_of_several_kinds_are_each_in_their_own_unit(
    records: dict[str, AnalysisRecord], template: str
) -> None:
    tables = [t for t in records[template].tables if t.columns[0] == "measure"]
    assert tables
    for table in tables:
        told = {row[0]: with_unit(table, i, 1) or "" for i, row in enumerate(table.rows)}
        assert told["fee"].startswith("€")
        assert told["urgent rate"].endswith(" %")
        assert told["average waiting"].endswith(" minutes")
    compared = next(t for t in tables if "difference" in t.columns)
    place = [r[0] for r in compared.rows].index("urgent rate")
    assert (with_unit(compared, place, compared.columns.index("difference")) or "").endswith("points")


def test_those_who_come_back_are_persons_and_a_month_that_is_not_over_is_hollow(
    records: dict[str, AnalysisRecord],
) -> None:
    found, table = records["cohort_retention"], visits()
    facts = {f.name: f.value for f in found.findings}
    assert facts["cohorts.members"] == table.patient_id.nunique()
    months = table.groupby(table.checked_in_at.dt.to_period("M")).patient_id.nunique()
    assert facts["active.active_in_busiest_month"] == months.max()
    drawn = next(c for c in found.charts if "ctive members" in c["title"]["text"][0])
    hollow = [r["x"] for r in drawn["data"]["values"] if r.get("whole") is False]
    assert hollow == [
        months.index[0].start_time.date().isoformat(),
        months.index[-1].start_time.date().isoformat(),
    ]


def test_where_every_month_has_the_same_none_is_called_the_busiest(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", "2024-12-31")
    table = pd.DataFrame({"day": days.repeat(6), "machine_id": list(range(101, 107)) * len(days), "units": 5})
    table["units"] += np.random.default_rng(1).integers(0, 9, len(table))
    table.to_csv(tmp_path / "runs.csv", index=False)
    record = DataAnalysisAgent().analyze("", [tmp_path / "runs.csv"], "cohort_retention")
    assert "every month has 6 active members" in record.prose
