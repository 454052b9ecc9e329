"""Reasons: the columns behind an anomaly in original units, odd combinations, shared causes."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from anomaly_cases import finished, payments

from gnomon.anomaly.explain import explain_rows, group_anomalies, narrative
from gnomon.anomaly.explain_columns import number
from gnomon.anomaly.modalities import prepare


def reasons(frame: pd.DataFrame, row: int) -> list[dict]:
    return explain_rows(prepare(frame, "tabular"), [row])[0]


def test_a_high_value_is_told_against_the_range_of_the_others() -> None:
    frame = payments()
    said = reasons(frame, 0)[0]
    below = frame["Amount"].quantile(0.95)
    assert (said["column"], said["kind"]) == ("Amount", "high")
    assert said["text"].startswith(f"Amount 9,120 where 95 % lie below {number(below)}")


def test_a_low_value_is_told_from_the_other_side() -> None:
    frame = payments()
    frame.loc[50, "Age"] = -40.0
    said = reasons(frame, 50)[0]
    assert (said["column"], said["kind"]) == ("Age", "low")
    assert "Age -40 where 95 % lie above" in said["text"]


def test_a_rare_category_is_counted() -> None:
    texts = [r["text"] for r in reasons(payments(), 4)]
    assert "Country 'XQ' seen 2 times in 600" in texts


def test_a_missing_value_is_a_reason_where_others_have_one() -> None:
    frame = payments()
    frame.loc[77, "Age"] = np.nan
    said = reasons(frame, 77)[0]
    assert (said["column"], said["kind"]) == ("Age", "missing")
    assert "1 of 600 rows" in said["text"]


def test_a_common_value_is_never_a_reason() -> None:
    frame = payments()
    frame["Flag"] = 0
    frame.loc[:9, "Flag"] = 1
    assert "Flag" not in [r["column"] for r in reasons(frame, 300)]


def test_a_combination_is_named_when_each_value_is_ordinary_alone() -> None:
    frame = payments()
    rng = np.random.default_rng(0)
    frame["Height"] = rng.normal(170, 10, len(frame)).round()
    frame["Weight"] = (frame["Height"] - 100 + rng.normal(0, 2, len(frame))).round()
    frame.loc[40, ["Height", "Weight"]] = [156.0, 84.0]
    said = [r for r in reasons(frame, 40) if r["kind"] == "combination"]
    assert said and said[0]["column"] in ("Height", "Weight")
    assert "unusual given" in said[0]["text"] and "would fit" in said[0]["text"]


def test_two_common_categories_that_never_meet_are_a_combination() -> None:
    frame = payments()
    frame["Language"] = frame["Country"].map({"DE": "de", "FR": "fr", "US": "en", "XQ": "en"})
    row = int(np.flatnonzero((frame["Country"] == "DE").to_numpy())[5])
    frame.loc[row, "Language"] = "fr"
    said = reasons(frame, row)[0]
    assert said["kind"] == "combination"
    assert "Country 'DE' with Language 'fr'" in said["text"] and "together seen once" in said["text"]


def test_a_value_alone_between_two_crowds_is_told_as_such() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(0, 1, 300), rng.normal(100, 1, 300)])
    values[7] = 50.0
    frame = pd.DataFrame({"Level": values, "Other": rng.normal(size=600)})
    said = reasons(frame, 7)[0]
    assert (said["column"], said["kind"]) == ("Level", "gap")
    assert "stands alone" in said["text"]


def test_dates_are_told_as_dates() -> None:
    frame = payments()
    frame["When"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(frame)) % 90, unit="D")
    frame.loc[60, "When"] = pd.Timestamp("1970-01-01")
    said = {r["column"]: r["text"] for r in reasons(frame, 60)}
    assert any("1970-01-01" in text for text in said.values())


def test_an_ordinary_row_gets_no_strong_reason() -> None:
    frame = payments()
    middle = (frame["Amount"] - frame["Amount"].median()).abs() + (frame["Age"] - 49).abs()
    row = int(middle.where(frame["Country"] == "DE").idxmin())
    assert all(r["strength"] < 2 for r in reasons(frame, row))


def test_the_top_anomalies_of_an_investigation_carry_their_reasons() -> None:
    state = finished()
    assert state.analysis is not None
    top = {t["index"]: t for t in state.analysis["consensus_analysis"]["top_anomalies"]}
    assert 0 in top
    assert "Amount 9,120" in top[0]["narrative"]
    assert top[0]["flagged"] is True and top[0]["row"] == "row 0"


def test_anomalies_with_one_cause_form_a_group() -> None:
    prepared = prepare(payments(), "tabular")
    rows = [0, 1, 2, 3, 4, 5]
    groups = group_anomalies(rows, explain_rows(prepared, rows))
    by_rows = {tuple(g["rows"]): g for g in groups}
    assert (0, 1, 2, 3) in by_rows
    assert by_rows[(0, 1, 2, 3)]["size"] == 4
    assert by_rows[(0, 1, 2, 3)]["column"] in ("Amount", "Total")
    assert by_rows[(0, 1, 2, 3)]["cause"].endswith("is unusually high")


def test_a_row_without_a_reason_says_so() -> None:
    assert "only taken together" in narrative(prepare(payments(), "tabular"), 3, [])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9120.0, "9,120"),
        (310.25, "310.2"),
        (0.00312, "0.00312"),
        (1234567.8, "1,234,568"),
        (-4.0, "-4"),
        (float("nan"), "missing"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    assert number(value) == text


def test_a_hundred_thousand_rows_are_explained_in_seconds() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100_000, 20)), columns=[f"c{i}" for i in range(20)])
    frame["kind"] = rng.choice(["a", "b", "c"], len(frame))
    prepared = prepare(frame, "tabular")
    started = time.process_time()
    said = explain_rows(prepared, list(range(1000)))
    assert time.process_time() - started < 15
    assert len(said) == 1000 and all(r["text"] for row in said for r in row)


def test_a_variable_told_by_name_is_not_told_as_any_variable_too() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(0, 1, (600, 2))
    values[300, 1] += 15
    frame = pd.DataFrame(values, columns=["inflow", "outflow"])
    frame.insert(0, "time", pd.date_range("2025-01-01", periods=600, freq="h"))
    said = [r["text"] for r in explain_rows(prepare(frame, "time_series"), [300])[0]]
    assert said[0].startswith("outflow ") and " usually below " in said[0]
    assert not any("any variable" in s for s in said) and sum(s.count("outflow") for s in said) == 1
