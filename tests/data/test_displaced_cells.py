"""Cells that a separator moved, columns of a page and lines in quotes: read where their numbers belong, or told of."""

import random
from pathlib import Path

import pytest

from gnomon.data import Dataset, open_sources
from gnomon.data.csv_dialect import sniff
from gnomon.data.csv_displaced import kinds_of, names_rows, rejoined
from gnomon.data.csv_layout import written_with_marks
from gnomon.data.csv_margins import Kind
from gnomon.data.encoding import Encoding

_NAMES = ["day", "region", "amount", "units"]
_RNG = random.Random(3)
_ROWS = [
    [f"2024-0{1 + i // 28}-{1 + i % 28:02d}", "nsew"[i % 4] * 5, f"{_RNG.randint(100, 9999) / 100:.2f}", str(i % 7)]
    for i in range(60)
]  # fmt: skip
_AMOUNT = sum(float(r[2]) for r in _ROWS)
_UNITS = sum(int(r[3]) for r in _ROWS)


def _sums(dataset: Dataset) -> tuple[object, ...]:
    (table,) = dataset.tables.values()
    found = dataset.connection.execute(
        f"SELECT count(*), round(sum(amount), 2), sum(units) FROM {table.relation}"
    )
    return found.fetchall()[0]


def _said(dataset: Dataset) -> str:
    (table,) = dataset.tables.values()
    return " ".join(s.said for s in table.set_aside)


def _csv(tmp_path: Path, lines: list[str]) -> Path:
    (path := tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("cell", ["here, there", "a, b, c", "one,two"])
@pytest.mark.parametrize("at", [0, 31, 59])
def test_a_separator_within_a_cell_moves_no_number(tmp_path: Path, cell: str, at: int) -> None:
    lines = [",".join([r[0], cell if i == at else r[1], *r[2:]]) for i, r in enumerate(_ROWS)]
    with open_sources(_csv(tmp_path, [",".join(_NAMES), *lines])) as dataset:
        assert _sums(dataset) == (60, round(_AMOUNT, 2), _UNITS)
        assert "separator within a cell" in _said(dataset)


def test_rows_that_are_longer_without_a_reason_are_told_of(tmp_path: Path) -> None:
    lines = [",".join([*r, "x"] if i == 9 else r) for i, r in enumerate(_ROWS)]
    with open_sources(_csv(tmp_path, [",".join(_NAMES), *lines])) as dataset:
        assert _sums(dataset) == (60, round(_AMOUNT, 2), _UNITS)
        assert "more cells than there are columns" in _said(dataset)


@pytest.mark.parametrize("form", ["{},{}.00", "{},{}"])
def test_thousands_that_nothing_encloses_are_told_of(tmp_path: Path, form: str) -> None:
    lines = [",".join([r[0], r[1], form.format(i + 1, 100 + i), r[3]]) for i, r in enumerate(_ROWS)]
    with open_sources(_csv(tmp_path, [",".join(_NAMES), *lines])) as dataset:
        assert "more than the header has names" in _said(dataset)


@pytest.mark.parametrize("first", [str, lambda i: f"row {'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}"])
def test_names_of_rows_that_the_header_leaves_out_are_nothing_to_tell(tmp_path: Path, first: object) -> None:
    assert callable(first)
    lines = [",".join([str(first(i)), *r]) for i, r in enumerate(_ROWS)]
    with open_sources(_csv(tmp_path, [",".join(_NAMES), *lines])) as dataset:
        assert _sums(dataset) == (60, round(_AMOUNT, 2), _UNITS)
        assert "more than the header" not in _said(dataset)


@pytest.mark.parametrize("form", ["{:<14}{:<10}{:>12}{:>8}", "{:>12}  {:>9}  {:<12}  {:<4}", "{:<12} {:<9} {:<9} {:>6}"])  # fmt: skip
def test_columns_of_a_page_are_columns(tmp_path: Path, form: str) -> None:
    with open_sources(_csv(tmp_path, [form.format(*r) for r in [_NAMES, *_ROWS]])) as dataset:
        assert _sums(dataset) == (60, round(_AMOUNT, 2), _UNITS)


@pytest.mark.parametrize("mark", [",", ";", "|"])
def test_lines_that_are_quoted_as_a_whole_are_rows(tmp_path: Path, mark: str) -> None:
    with open_sources(_csv(tmp_path, [f'"{mark.join(r)}"' for r in [_NAMES, *_ROWS]])) as dataset:
        assert _sums(dataset) == (60, round(_AMOUNT, 2), _UNITS)


def test_text_with_blanks_is_no_page(tmp_path: Path) -> None:
    lines = ["note", "of  several lines", "that say  nothing", "and are as long as they like to be"]
    path, dialect = _csv(tmp_path, lines), sniff("\n".join(lines), complete=True)
    assert not written_with_marks(path, Encoding("utf-8"), dialect, tmp_path / "copy.csv")


def test_cells_are_joined_only_where_one_way_fits() -> None:
    kinds = kinds_of(_ROWS, 4)
    assert kinds == [Kind.DAY, None, Kind.NUMBER, Kind.NUMBER]
    assert rejoined(["2024-01-01", "a", "b", "1.5", "2"], kinds, ",") == ["2024-01-01", "a,b", "1.5", "2"]
    assert rejoined(["2024-01-01", "a", "1.5", "2", "x"], kinds, ",") is None
    assert rejoined(["2024-01-01", "a", "1", "500.00", "2"], kinds, ",") is None
    assert rejoined(["x"] * 20, kinds, ",") is None
    assert rejoined(["a", "b", "c"], [None, None], ",") is None
    assert names_rows([["1", "x"], ["2", "y"]]) and not names_rows([["a", "x"], ["a", "y"]])
