"""Answers about the data itself, against the same counts made with pandas."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = 200
    frame = pd.DataFrame(
        {
            "basin": rng.choice(["Ebro", "Tajo", "Duero"], n),
            "level_m": rng.normal(3, 1, n).round(2),
            "gauge2": rng.integers(10, 90, n).astype(object),
            "checked": rng.choice(["yes", "no"], n),
            "note": [None] * n,
        }
    )
    frame.loc[rng.choice(n, 31, replace=False), "level_m"] = np.nan
    frame.loc[rng.choice(n, 9, replace=False), "gauge2"] = "NA"
    return pd.concat([frame, frame.iloc[[4, 4, 90]]], ignore_index=True)


@pytest.fixture(scope="module")
def gauges(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    path: Path = tmp_path_factory.mktemp("gauges") / "gauges.csv"
    _frame().to_csv(path, index=False)
    return gnomon.open(path)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    path: Path = tmp_path_factory.mktemp("truth") / "gauges.csv"
    _frame().to_csv(path, index=False)
    return pd.read_csv(path)


def _facts(answer: Answer) -> dict[str, object]:
    assert answer.status is AnswerStatus.ANSWERED
    return {f.name: f.value for f in answer.facts}


def test_missing_values_of_each_column_are_those_that_pandas_counts(
    gauges: Analyst, truth: pd.DataFrame
) -> None:
    answer = gauges.ask("How many missing values are there for each column?")
    found = _facts(answer)
    for column, count in truth.isna().sum().items():
        assert found[f"{column}.missing"] == count
    assert answer.prose.startswith("Missing values by column: note 203, ")
    assert "level_m" in answer.prose and "gauge2" in answer.prose


def test_a_sign_for_no_value_is_missing_and_said_to_be(gauges: Analyst, truth: pd.DataFrame) -> None:
    answer = gauges.ask("How many missing values are there in the gauge2 column?")
    assert _facts(answer)["gauge2.missing"] == truth["gauge2"].isna().sum()
    assert "gauge2 has 9 missing values of 203" in answer.prose
    assert "read as missing" in answer.prose


def test_the_column_with_the_most_missing_values_comes_first(gauges: Analyst, truth: pd.DataFrame) -> None:
    answer = gauges.ask("Are there any missing values? If so, which column has the most?")
    assert answer.prose.startswith("The column note has the most missing values: 203 of 203 (100 %).")
    assert "level_m" in answer.prose.partition("After it")[2]
    assert truth.isna().sum().idxmax() == "note"


def test_the_share_of_a_column_that_is_missing(gauges: Analyst, truth: pd.DataFrame) -> None:
    found = _facts(gauges.ask("What percentage of level_m is missing?"))
    assert found["level_m.missing_share"] == pytest.approx(100 * truth["level_m"].isna().mean())


def test_rows_without_a_hole_and_rows_with_one(gauges: Analyst, truth: pd.DataFrame) -> None:
    whole = _facts(gauges.ask("How many rows have no missing value?"))
    assert whole["complete_rows"] == len(truth.dropna()) == 0
    holes = _facts(gauges.ask("How many rows contain missing values?"))
    assert holes["rows_with_missing_values"] == truth.isna().any(axis=1).sum()


def test_rows_that_repeat_another_are_counted_once_each(gauges: Analyst, truth: pd.DataFrame) -> None:
    answer = gauges.ask("How many duplicate rows are there?")
    assert _facts(answer)["duplicate_rows"] == truth.duplicated().sum()
    column = _facts(gauges.ask("How many duplicate values are in the basin column?"))
    assert column["basin.duplicates"] == truth["basin"].duplicated().sum()


def test_rows_columns_and_their_kinds(gauges: Analyst, truth: pd.DataFrame) -> None:
    assert _facts(gauges.ask("How many rows and columns are there?")) == {"rows": 203, "columns": 5}
    numeric = gauges.ask("Which columns are numeric?")
    assert _facts(numeric)["numeric_columns"] == 2
    assert "level_m and gauge2" in numeric.prose
    kinds = gauges.ask("What are the data types of the columns?")
    assert "the column note holds no value at all" in kinds.prose
    different = _facts(gauges.ask("How many unique values does each column have?"))
    assert different["level_m.distinct"] == truth["level_m"].nunique()


def test_a_table_without_holes_has_none(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("kind,size\n" + "\n".join(f"{'ab'[i % 2]},{i}" for i in range(30)))
    answer = gnomon.open(path).ask("Which columns have missing values?")
    assert answer.prose.startswith(
        "There are no missing values: each of the 30 rows has a value in all 2 columns."
    )
    assert _facts(answer)["missing_values"] == 0


def test_a_table_without_dates_covers_no_period(gauges: Analyst) -> None:
    assert "no dates" in gauges.ask("What period does the data cover?").prose
