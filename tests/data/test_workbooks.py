"""What a workbook shows and does not write in every cell: merged cells, formulas without values, hidden sheets."""

import random
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from gnomon.data import open_sources
from gnomon.data.table import Dataset


def _said(dataset: Dataset) -> list[str]:
    return [s.said for table in dataset for s in table.set_aside]


def _grouped(
    path: Path, seed: int, *, groups: list[Any], above: int = 0, lead: bool = True
) -> dict[Any, int]:
    """A sheet whose groups are merged cells over two to five rows; the totals of its groups."""
    rng = random.Random(seed)
    book = Workbook()
    sheet: Any = book.active
    for i in range(above):
        sheet.append([f"Report {i}"])
    sheet.append(["group", "town", "sales"] if lead else ["town", "group", "sales"])
    totals: dict[Any, int] = {}
    for group in groups:
        top = sheet.max_row + 1
        count = rng.randint(2, 5)
        for i in range(count):
            value = rng.randint(1, 99)
            totals[group] = totals.get(group, 0) + value
            cells = [group if i == 0 else None, f"town {rng.random()}"]
            sheet.append([*(cells if lead else cells[::-1]), value])
        at = 1 if lead else 2
        sheet.merge_cells(start_row=top, end_row=top + count - 1, start_column=at, end_column=at)
    book.save(path)
    return totals


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lead", [True, False])
@pytest.mark.parametrize("groups", [["north", "south", "north"], [2023, 2024]])
def test_a_merged_cell_holds_its_value_for_all_its_rows(
    tmp_path: Path, seed: int, lead: bool, groups: list[Any]
) -> None:
    if not lead and isinstance(groups[0], int):
        pytest.skip("a number right of other columns may be a sum of its rows")
    truth = _grouped(tmp_path / "sheet.xlsx", seed, groups=groups, above=seed % 3, lead=lead)
    with open_sources(tmp_path / "sheet.xlsx") as dataset:
        found = dataset.connection.execute('SELECT "group", sum(sales) FROM sheet GROUP BY 1').fetchall()
        assert dict(found) == truth
        assert any("below a merged one" in said for said in _said(dataset))


def test_a_merged_number_beside_its_rows_is_counted_once(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in [["town", "sales"], ["a", 30], ["b", None], ["c", None], ["d", 12]]:
        sheet.append(row)
    sheet.merge_cells("B2:B4")
    book.save(tmp_path / "sheet.xlsx")
    with open_sources(tmp_path / "sheet.xlsx") as dataset:
        assert dataset.connection.execute("SELECT sum(sales) FROM sheet").fetchone() == (42,)
        assert any("counted once" in said for said in _said(dataset))


def test_cells_that_are_empty_and_not_merged_stay_empty(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in [["group", "town", "sales"], ["north", "a", 1], [None, "b", 2], ["south", "c", 3]]:
        sheet.append(row)
    sheet.append(["One text over all columns"])
    sheet.merge_cells("A5:C5")
    book.save(tmp_path / "sheet.xlsx")
    with open_sources(tmp_path / "sheet.xlsx") as dataset:
        assert dataset.connection.execute('SELECT count("group") FROM sheet').fetchone() == (3,)
        assert _said(dataset) == []


@pytest.mark.parametrize("count", [1, 7])
def test_formulas_that_were_never_computed_are_counted(tmp_path: Path, count: int) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["town", "sales", "twice"])
    for i in range(2, 14):
        sheet.append([f"town {i}", i, f"=B{i}*2" if i < 2 + count else i * 2])
    book.create_sheet("Rest & more").append(["nothing", "else"])
    book.save(tmp_path / "sheet.xlsx")
    with open_sources(tmp_path / "sheet.xlsx") as dataset:
        (said,) = [s for s in _said(dataset) if "formula" in s]
        assert said.startswith(f"twice: {count} cells hold a formula that was never computed")


def test_hidden_sheets_are_opened_and_said_to_be_hidden(tmp_path: Path) -> None:
    book = Workbook()
    for name, state in (("sales", "visible"), ("old", "hidden"), ("very", "veryHidden")):
        sheet: Any = book.create_sheet(name)
        sheet.append(["town", "sales"])
        sheet.append(["a", 1])
        sheet.sheet_state = state
    del book["Sheet"]
    book.save(tmp_path / "book.xlsx")
    with open_sources(tmp_path / "book.xlsx") as dataset:
        hidden = {t.name for t in dataset if any("hidden" in s.said for s in t.set_aside)}
        assert hidden == {"book_old", "book_very"}
        assert len(dataset) == 3


@pytest.mark.parametrize("title", [False, True])
@pytest.mark.parametrize("parts", [["2023", "2024"], [2023, 2024], ["plan", "actual", "gap"]])
@pytest.mark.parametrize("groups", [["Sales", "Costs"], ["Sales"], ["Sales", "Costs", "Staff", "Rent"]])
def test_names_merged_over_those_of_their_parts_name_columns_together(
    tmp_path: Path, groups: list[str], parts: list[Any], title: bool
) -> None:
    book = Workbook()
    sheet: Any = book.active
    width = 1 + len(groups) * len(parts)
    if title:
        sheet.append(["Report of the year"])
        sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=width)
    top = 2 if title else 1
    sheet.append(["Site", *(g if i == 0 else None for g in groups for i in range(len(parts)))])
    sheet.append([None, *parts * len(groups)])
    sheet.merge_cells(start_row=top, end_row=top + 1, start_column=1, end_column=1)
    for n in range(len(groups)):
        left = 2 + n * len(parts)
        sheet.merge_cells(start_row=top, end_row=top, start_column=left, end_column=left + len(parts) - 1)
    for i in range(10):
        sheet.append([f"S{i}", *(i * (k + 1) for k in range(width - 1))])
    book.save(tmp_path / "sites.xlsx")
    with open_sources(tmp_path / "sites.xlsx") as dataset, dataset.cursor() as cursor:
        assert [c.name for c in dataset.table("sites").columns] == [
            "Site",
            *(f"{g} {p}" for g in groups for p in parts),
        ]
        row = cursor.execute(f'SELECT count(*), sum("{groups[0]} {parts[1]}") FROM sites').fetchall()[0]
    assert row == (10, 90)


def test_rows_of_words_below_a_merged_name_are_rows(tmp_path: Path) -> None:
    book = Workbook()
    sheet: Any = book.active
    sheet.append(["Route", None, "Line"])
    sheet.merge_cells("A1:B1")
    for i in range(6):
        sheet.append([f"from {i}", f"to {i}", f"line {i % 2}"])
    book.save(tmp_path / "routes.xlsx")
    with open_sources(tmp_path / "routes.xlsx") as dataset, dataset.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM routes").fetchall() == [(6,)]
