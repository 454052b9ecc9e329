"""Rulers, units, remarks, empty lines and other tables around a table are no rows of it; rows that look odd are."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

import gnomon
from gnomon.data import Dataset, open_sources

_ROWS = [("nsew"[i % 4], (i * 37 % 101) + 0.25, i) for i in range(60)]
_NAMES = ("region", "amount", "units")


def _lines(mark: str) -> list[str]:
    return [mark.join(map(str, row)) for row in _ROWS]


_AROUND: dict[str, Callable[[str], list[str]]] = {
    "remark": lambda m: [m.join(_NAMES), *_lines(m), "", "Source: ERP export"],
    "count": lambda m: [m.join(_NAMES), *_lines(m), "(60 rows affected)"],
    "remarks": lambda m: [m.join(_NAMES), *_lines(m), "", "", f"Generated on{m}2024-01-01", f"by{m}admin"],
    "separators": lambda m: [m.join(_NAMES), *_lines(m), *[m * 2] * 200],
    "between": lambda m: [m.join(_NAMES), *(x for line in _lines(m) for x in (line, m * 2))],
    "units": lambda m: [m.join(_NAMES), m.join(["-", "USD", "pcs"]), *_lines(m)],
    "brackets": lambda m: [m.join(_NAMES), m.join(["", "(USD)", "[m/s]"]), *_lines(m)],
    "ruler": lambda m: [m.join(_NAMES), m.join(["------"] * 3), *_lines(m), "=======", "60 rows in set (0.01 sec)"],
    "another": lambda m: [m.join(_NAMES), *_lines(m), "", m.join(["product", "price", "sold"]), *(f"p{i}{m}{i}{m}7" for i in range(30))],
    "narrower": lambda m: [m.join(_NAMES), *_lines(m), m * 2, m.join(["product", "price"]), *(f"p{i}{m}{i}" for i in range(9))],
    "pages": lambda m: [m.join(_NAMES), *_lines(m)[:20], f"Page 1 of 3{m * 2}", m.join(_NAMES), *_lines(m)[20:40], f"(continued){m * 2}", *_lines(m)[40:], f"Seite 3 von 3{m * 2}"],
    "footers": lambda m: [m.join(_NAMES), *_lines(m), "(60 rows affected)", "", "Completion time: 2024-01-02T10:00:00"],
    "padded": lambda m: [m.join(_NAMES), *_lines(m), m * 2, f"Source: ERP{m * 2}", f"Printed by: me{m * 2}", m * 2, f"* preliminary{m * 2}"],
    "report": lambda m: [f"Report{m}Sales{m}", m.join(["Period", "2023-01-01", "2023-12-31"]), m * 2, m.join(_NAMES), *_lines(m)],
    "keys": lambda m: [f"Report{m}Sales", m.join(["Period", "2023-01-01", "2023-12-31"]), f"Currency{m}USD", "", m.join(_NAMES), *_lines(m)],
    "smaller": lambda m: [m.join(["code", "name", "rate"]), m.join(["A", "Alpha", "1.5"]), m.join(["B", "Beta", "2.5"]), "", m.join(_NAMES), *_lines(m)],
    "wider": lambda m: [m.join(_NAMES), *_lines(m), "", m.join("abcd"), *(m.join([f"p{i}", "1", "2", "3"]) for i in range(9))],
}  # fmt: skip


def _held(dataset: Dataset) -> list[tuple[object, ...]]:
    (table,) = dataset.tables.values()
    assert [c.name for c in table.columns] == list(_NAMES)
    return dataset.connection.execute(f"FROM {table.relation}").fetchall()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("around", _AROUND)
def test_what_stands_around_a_table_is_left_out(tmp_path: Path, around: str, mark: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(_AROUND[around](mark)) + "\n", encoding="utf-8")
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS


@pytest.mark.parametrize("around", ["remark", "remarks", "another", "narrower", "wider"])
def test_every_answer_says_what_was_left_out(tmp_path: Path, around: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(_AROUND[around](",")) + "\n", encoding="utf-8")
    with gnomon.open(path) as analyst:
        for question in ("total amount", "how many rows", "average amount by region"):
            told = analyst.ask(question).prose
            assert "below the table" in told or "Another table begins in line" in told


def test_answers_say_that_a_smaller_table_stands_above(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(_AROUND["smaller"](",")) + "\n", encoding="utf-8")
    with gnomon.open(path) as analyst:
        assert "Another table, of 2 rows, stands above this one" in analyst.ask("total units").prose


_ABOVE: dict[str, list[list[object]]] = {
    "parameters": [["Parameter", "Value"], ["Currency", "USD"], ["Rate", 1.25], []],
    "title": [["My report"], [], [None, "as of", "2024-01-01"], []],
    "table": [["code", "name", "rate"], ["A", "Alpha", 1.5], ["B", "Beta", 2.5], []],
}


@pytest.mark.parametrize("right", [0, 3])
@pytest.mark.parametrize("above", _ABOVE)
def test_the_table_of_a_sheet_is_the_larger_one(tmp_path: Path, above: str, right: int) -> None:
    book = Workbook()
    for row in _ABOVE[above]:
        book.active.append(row)  # pyright: ignore[reportOptionalMemberAccess]
    for row in (_NAMES, *_ROWS):
        book.active.append([*[None] * right, *row])  # pyright: ignore[reportOptionalMemberAccess]
    book.save(tmp_path / "rows.xlsx")
    with open_sources(tmp_path / "rows.xlsx") as dataset:
        assert _held(dataset) == _ROWS


@pytest.mark.parametrize("style", ["psql", "mysql", "markdown"])
def test_tables_that_consoles_draw(tmp_path: Path, style: str) -> None:
    cells = [_NAMES, *_ROWS]
    edge = "" if style == "psql" else "| "
    drawn = [edge + " | ".join(f"{c!s:>8}" for c in row) + (" |" if edge else "") for row in cells]
    ruler = {
        "psql": "-+-".join(["-" * 8] * 3),
        "mysql": "+" + "+".join(["-" * 10] * 3) + "+",
        "markdown": "|---|--:|:--|",
    }
    lines = [drawn[0], ruler[style], *drawn[1:]]
    if style == "mysql":
        lines = [ruler[style], *lines, ruler[style]]
    path = tmp_path / "rows.txt"
    path.write_text("\n".join([*lines, "(60 rows)"] if style == "psql" else lines) + "\n", encoding="utf-8")
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert (
            dataset.connection.execute(f"SELECT trim(region), amount, units FROM {table.relation}").fetchall()
            == _ROWS
        )


@pytest.mark.parametrize("seed", range(12))
def test_rows_with_gaps_and_missing_cells_are_all_kept(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows: list[tuple[str, str, str]] = []
    lines = [",".join(_NAMES)]
    for i in range(chance.randrange(3, 90)):
        amount = chance.choice(["", "NA", str(i), str(i / 4)]) if chance.random() < 0.5 else str(i)
        rows.append((chance.choice(["north", "south west", "a: b"]), amount, str(i)))
        lines += [""] * (chance.random() < 0.2) + [",".join(rows[-1])]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open_sources(path) as dataset:
        assert [(r[0], r[2]) for r in _held(dataset)] == [(r[0], int(r[2])) for r in rows]


def test_a_word_among_numbers_below_a_blank_line_is_a_cell_where_blank_lines_group_rows(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.csv"
    groups = [[f"r{k}{i},{i},{k}" for i in range(5)] for k in range(6)]
    groups[4][0] = "r40,unknown,later"
    path.write_text(
        ",".join(_NAMES) + "\n" + "\n\n".join("\n".join(g) for g in groups) + "\n", encoding="utf-8"
    )
    with open_sources(path) as dataset:
        assert len(_held(dataset)) == 30


def test_a_total_between_two_tables_belongs_to_the_first(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    total = f"Total,{sum(r[1] for r in _ROWS)},{sum(r[2] for r in _ROWS)}"
    other = ["product,price,sold", *(f"p{i},{i},7" for i in range(30))]
    path.write_text(
        "\n".join([",".join(_NAMES), *_lines(","), "", total, "", *other]) + "\n", encoding="utf-8"
    )
    with open_sources(path) as dataset:
        assert _held(dataset) == _ROWS


def test_lines_inside_a_cell_begin_no_table(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [f'{a},"x\n\nproduct,price\np1,{b}\n",{c}' for a, b, c in _ROWS]
    path.write_text("region,note,units\n" + "\n".join(lines) + "\n", encoding="utf-8")
    with open_sources(path) as dataset:
        assert dataset.connection.execute("SELECT count(*), sum(units) FROM rows").fetchone() == (60, 1770)


def _sheet(path: Path, *below: tuple[object, ...]) -> Path:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (_NAMES, *_ROWS, *below):
        sheet.append(list(row))
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("below", "said"),
    [
        ([(), ("product", "price", "sold"), ("p1", 3, 4), ("p2", 5, 6)], "Another table begins in row 63"),
        ([(), ("product", "price"), ("p1", 3), ("p2", 5)], "Another table begins in row 63"),
        ([(), ("Source: ERP",), ("Printed by admin",)], "2 row(s) below the table"),
        ([("Total", "=SUM(B2:B61)", "=SUM(C2:C61)")], "1 row is a total that was never computed"),
    ],
)
def test_a_sheet_ends_where_its_table_ends(
    tmp_path: Path, below: list[tuple[object, ...]], said: str
) -> None:
    with open_sources(_sheet(tmp_path / "rows.xlsx", *below)) as dataset:
        (table,) = dataset.tables.values()
        assert _held(dataset) == _ROWS
        assert any(said in w for w in table.warnings)
