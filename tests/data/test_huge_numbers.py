"""Numbers whose squares overflow are read, told and computed with as far as they can be, and never end in a crash."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.analytics.segment_field import Field
from gnomon.core.errors import CalculationError
from gnomon.data import open_sources
from gnomon.data.profile import profile_table
from gnomon.semantic.time_columns import month_number

HUGE = (1e151, 1e155, -1e160, 1e200, -1.7e308)


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("rows", [8, 300, 6_000])
def test_a_file_with_a_huge_number_is_profiled(huge: float, rows: int, tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(50, 5, rows).round(3)
    values[rows // 2] = huge
    path = tmp_path / "readings.csv"
    pd.DataFrame({"reading": values, "other": np.arange(rows) % 7}).to_csv(path, index=False)
    with warnings.catch_warnings(), open_sources({"readings": path}) as dataset:
        warnings.simplefilter("error", RuntimeWarning)
        profile = profile_table(dataset, "readings", exact_rows=1_000)
    columns = {c.name: c for c in profile.columns}
    found = columns["reading"]
    assert (found.maximum if huge > 0 else found.minimum) == pytest.approx(huge)
    assert found.stddev is None
    assert columns["other"].stddev == pytest.approx(float(np.std(np.arange(rows) % 7, ddof=1)))


@pytest.mark.parametrize("huge", [*HUGE, float("inf")])
@pytest.mark.parametrize("where", ["value", "weight"])
def test_segments_of_huge_numbers_are_refused_without_a_warning(huge: float, where: str) -> None:
    n = 60
    columns = {"value": np.full(n, 5.0), "weight": np.full(n, 2.0)}
    columns[where][7] = huge
    codes = {"region": np.arange(n) % 3}
    with warnings.catch_warnings(), pytest.raises(CalculationError, match="too large"):
        warnings.simplefilter("error")
        Field.coded(
            codes, {"region": ("a", "b", "c")}, np.arange(n) % 5, columns["value"], columns["weight"], None
        )


def test_cells_of_thousands_of_digits_are_asked_about_as_others_are(tmp_path: Path) -> None:
    path = tmp_path / "digits.csv"
    path.write_text("a,b\n" + "".join(f"{'xyz'[i % 3]},{'1' * 5000}\n" for i in range(30)), encoding="utf-8")
    with gnomon.open(str(path)) as analyst:
        assert analyst.ask("how many rows by a").status == "answered"
        assert analyst.ask("in which month is b").status != "error"
    assert [month_number(t) for t in ("7", "12", "012", "13", "0", "1" * 5000)] == [
        7,
        12,
        12,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "question",
    [
        "last {} days amount",
        "show {} rows",
        "the {}th largest amount",
        "total amount where amount > {}",
        "first {} rows",
        "amount between {} and 3",
        "top {} regions by amount",
        "amount in week {}",
    ],
)
def test_a_number_beyond_all_numbers_is_named_as_what_is_not_there(tmp_path: Path, question: str) -> None:
    path = tmp_path / "sales.csv"
    rows = "".join(f"2024-01-{1 + i % 28:02d},{'nsew'[i % 4]},{i}\n" for i in range(60))
    path.write_text(f"day,region,amount\n{rows}", encoding="utf-8")
    with gnomon.open(str(path)) as analyst:
        told = analyst.ask(question.format("9" * 400))
    assert told.status == "out_of_scope"
    assert "99999" in told.prose


@pytest.mark.parametrize("mark", [",", ".", "'", " "])
def test_numbers_with_marks_between_thousands_are_read_beyond_whole_numbers_of_64_bits(
    mark: str, tmp_path: Path
) -> None:
    written = [f"{18446744073709551000 * (i + 1):,}".replace(",", mark) for i in range(12)]
    (path := tmp_path / "sums.csv").write_text("sum;n\n" + "".join(f"{w};1\n" for w in written))
    with open_sources(path) as dataset:
        found = dataset.connection.execute("SELECT count(sum), max(sum) FROM sums").fetchone()
    assert found == (12, pytest.approx(12 * 18446744073709551000))
