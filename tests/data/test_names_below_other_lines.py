"""Where the names of a table stand below other lines, and lines between its rows that are none: every row, and no other."""

import codecs
import datetime as dt
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from gnomon.data import Dataset, open_sources
from gnomon.data.csv_header import heading_of

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_NAMES = ("day", "region", "amount", "units")
_ROWS = [
    (dt.date(2024, 1, 1) + dt.timedelta(days=3 * i), ("north", "south", "east")[i % 3], (i * 37 % 101) + 0.25, i * 7 % 23 + 1)
    for i in range(60)
]  # fmt: skip
_LINES = [",".join(map(str, row)) for row in _ROWS]
_HEAD = ",".join(_NAMES)


def _held(dataset: Dataset) -> list[tuple[object, ...]]:
    (table,) = dataset.tables.values()
    assert [c.name for c in table.columns] == list(_NAMES)
    return dataset.connection.execute(f"FROM {table.relation}").fetchall()


_ABOVE = {
    "groups": ["Key,,Figures,"],
    "one group": ["Sales,Sales,Sales,Sales"],
    "groups repeated": [",,Figures,Figures"],
    "pairs": ["Report,Sales,,", "From,2024-01-01,,", ",,,"],
    "company": ["ACME Ltd,,,", "Sales by day,,,"],
    "pairs, then groups": ["Report,Sales,,", "Key,,Figures,"],
}
_BELOW = {
    "types": ["date,varchar,double,int"],
    "types in capitals": ["DATE,STRING,FLOAT64,INT64"],
    "what they are": ["Day of the sale,Region of the shop,Amount in USD,Units sold"],
}
_BETWEEN = [
    "# half of it",
    "# half, of it",
    "-- page 2 --",
    "Page 1 of 2,,,",
    "North area,,,",
    "// more below",
]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("above", _ABOVE)
def test_names_are_found_below_groups_and_pairs(tmp_path: Path, above: str, mark: str) -> None:
    lines = "\n".join([*_ABOVE[above], _HEAD, *_LINES]).replace(",", mark)
    (path := tmp_path / "rows.csv").write_text(lines + "\n")
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS


@pytest.mark.parametrize("below", _BELOW)
def test_a_line_that_tells_what_columns_are_is_no_row_and_said(tmp_path: Path, below: str) -> None:
    (path := tmp_path / "rows.csv").write_text("\n".join([_HEAD, *_BELOW[below], *_LINES]) + "\n")
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS
        (table,) = dataset.tables.values()
        assert any("below the names" in w for w in table.warnings)


@pytest.mark.parametrize("below", [*(line for (line,) in _BELOW.values()), "date,text,USD,pcs"])
def test_a_row_of_a_sheet_that_tells_what_columns_are_is_no_row(tmp_path: Path, below: str) -> None:
    book = Workbook()
    sheet = cast("Worksheet", book.active)
    for row in (_NAMES, below.split(","), *_ROWS):
        sheet.append(row)
    book.save(path := tmp_path / "rows.xlsx")
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS
        (table,) = dataset.tables.values()
        assert any("below the names" in w for w in table.warnings)


@pytest.mark.parametrize("line", _BETWEEN)
@pytest.mark.parametrize("places", [(30,), (10, 40), (20, 21)])
def test_words_alone_between_rows_are_no_rows_and_said(
    tmp_path: Path, line: str, places: tuple[int, ...]
) -> None:
    lines = list(_LINES)
    for place in reversed(places):
        lines.insert(place, line)
    (path := tmp_path / "rows.csv").write_text("\n".join([_HEAD, *lines]) + "\n")
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS
        (table,) = dataset.tables.values()
        assert any(s.said.startswith(f"{len(places)} line") for s in table.set_aside)


_FIGURES: dict[str, Callable[[list[float]], float]] = {
    "Std Dev": statistics.pstdev,
    "Variance": statistics.variance,
    "25%": lambda v: statistics.quantiles(v, n=4)[0],
    "Q3": lambda v: statistics.quantiles(v, n=4)[2],
    "Range": lambda v: max(v) - min(v),
    "Opening balance": lambda v: 500.0,
    "Écart type": statistics.pstdev,
    "Σ x²": lambda v: sum(x * x for x in v),
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("named", [[n] for n in _FIGURES] + [list(_FIGURES)[:3]])
def test_a_word_where_all_others_have_a_day_at_an_end_is_no_row(
    tmp_path: Path, named: list[str], first: bool
) -> None:
    columns = [[float(r[2]) for r in _ROWS], [float(r[3]) for r in _ROWS]]
    told = [f"{n},,{_FIGURES[n](columns[0]):.2f},{_FIGURES[n](columns[1]):.0f}" for n in named]
    lines = [*told, *_LINES] if first else [*_LINES, *told]
    (path := tmp_path / "rows.csv").write_text("\n".join([_HEAD, *lines]) + "\n")
    with open_sources(path) as dataset:
        assert [tuple(r) for r in _held(dataset)] == _ROWS
        (table,) = dataset.tables.values()
        assert any("left out of every figure" in s.said for s in table.set_aside)


def test_a_row_whose_day_is_not_known_yet_stays(tmp_path: Path) -> None:
    lines = [*_LINES, "TBD,north,5.0,1", "to be fixed,south,6.0,2"]
    (path := tmp_path / "rows.csv").write_text("\n".join([_HEAD, *lines]) + "\n")
    with open_sources(path) as dataset:
        assert len(_held(dataset)) == 62


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\x1e", "\x0b"])
@pytest.mark.parametrize("mark", [",", "\t", "\x1f"])
def test_lines_end_in_other_signs_too(tmp_path: Path, end: str, mark: str) -> None:
    text = end.join([_HEAD, *_LINES, ""]).replace(",", mark)
    (path := tmp_path / "rows.csv").write_bytes(text.encode())
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS


@pytest.mark.parametrize("codec", ["cp037", "cp500"])
@pytest.mark.parametrize("end", ["\n", "\x85", "\r\n"])
def test_text_of_a_mainframe_is_read(tmp_path: Path, codec: str, end: str) -> None:
    (path := tmp_path / "rows.csv").write_bytes(codecs.encode(end.join([_HEAD, *_LINES, ""]), codec))
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS


@pytest.mark.parametrize(
    "lines", [(_HEAD + ",", _LINES), (_HEAD + ",,,", _LINES), (_HEAD, [x + "," for x in _LINES])]
)
def test_separators_too_many_take_no_name_and_no_row(tmp_path: Path, lines: tuple[str, list[str]]) -> None:
    (path := tmp_path / "rows.csv").write_text("\n".join([lines[0], *lines[1]]) + "\n")
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert [c.name for c in table.columns][:4] == list(_NAMES)
        assert (
            dataset.connection.execute(f"SELECT day, region, amount, units FROM {table.relation}").fetchall()
            == _ROWS
        )


@pytest.mark.parametrize("over", [",2023,,2024,", ",2023,2023,2024,2024", "Place,2023,,2024,"])
def test_names_used_twice_take_those_of_their_groups(tmp_path: Path, over: str) -> None:
    rows = [f"{r},{i},{i + 1},{2 * i},{3 * i}" for i, r in enumerate("abcdefgh")]
    (path := tmp_path / "rows.csv").write_text(
        "\n".join([over, "region,sales,cost,sales,cost", *rows]) + "\n"
    )
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert [c.name for c in table.columns][1:] == ["2023 sales", "2023 cost", "2024 sales", "2024 cost"]
        assert table.rows == 8


_WORDS = st.text("abcxyz", min_size=1, max_size=4)


@given(
    st.lists(st.tuples(_WORDS, _WORDS, st.integers(0, 99).map(str), st.one_of(_WORDS, st.integers(0, 9).map(str), st.just(""))), min_size=3, max_size=20),
    st.permutations(["name", "city", "age", "note"]),
)  # fmt: skip
def test_no_row_below_plain_names_is_taken_for_names(rows: list[tuple[str, ...]], names: list[str]) -> None:
    assert heading_of([tuple(names), *rows], 4) is None
