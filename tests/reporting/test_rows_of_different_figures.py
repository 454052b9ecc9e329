"""A table whose rows are different figures: each number is written in the unit of its row, wherever it is shown."""

import io
from datetime import datetime

import openpyxl
import pytest

from gnomon.agents.rendering import render
from gnomon.core.answer import Answer, AnswerStatus, ResultTable, told_columns, with_unit
from gnomon.reporting import document_of_answer, html_of, markdown_of, xlsx_of

UNITS = ("EUR", None, "minutes", "fraction")
ROWS = (
    ("fee", 77302.41, 59385.8, -23.18, "%"),
    ("number of visits", 407, 380, -6.63, "%"),
    ("average waiting", 21.8898, 21.6388, -1.15, "%"),
    ("urgent rate", 0.16712, 0.1961, 2.898, "percentage points"),
)
TABLE = ResultTable(
    name="main figures", columns=("figure", "before", "after", "change", "change in"), rows=ROWS, units=UNITS
)
TOLD = ["€77,302.41", "407", "21.89 minutes", "16.7 %", "2.9 percentage points", "-23.2 %"]
ANSWER = Answer(status=AnswerStatus.ANSWERED, prose="It fell.", tables=(TABLE,))


def on_a_terminal() -> str:
    from rich.console import Console

    out = Console(file=io.StringIO(), width=160)
    out.print(render(ANSWER))
    return out.file.getvalue()  # type: ignore[attr-defined]


SHOWN = {
    "notebook": ANSWER._repr_html_,
    "terminal": on_a_terminal,
    "html": lambda: html_of(document_of_answer(ANSWER, "why?")),
    "markdown": lambda: markdown_of(document_of_answer(ANSWER, "why?")).replace("\\", ""),
}


@pytest.mark.parametrize("place", SHOWN)
def test_every_number_is_in_the_unit_of_its_row(place: str) -> None:
    text = SHOWN[place]()
    for told in TOLD:
        assert told in text, told
    assert "change in" not in text


def test_excel_keeps_the_numbers_and_shows_shares_as_such() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_of(document_of_answer(ANSWER, "why?")))).worksheets[0]
    rows = list(sheet.iter_rows(min_row=2))
    assert [tuple(c.value for c in r) for r in rows] == [tuple(r) for r in ROWS]
    assert rows[3][1].number_format == "0.0 %"
    assert rows[0][1].number_format == "#,##0.00"


def test_other_tables_are_as_they_were() -> None:
    plain = ResultTable(
        name="hotel", columns=("guest", "check", "check in"), rows=(("a", 3, datetime(2024, 1, 1)),)
    )
    assert told_columns(plain) == [0, 1, 2]
    assert with_unit(plain, 0, 1) is None
