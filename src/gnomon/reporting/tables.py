"""The tables of a document as CSV and Excel, in which no cell is ever taken for a formula."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from gnomon.core.errors import MissingExtra
from gnomon.core.figures import FRACTION
from gnomon.core.patterns import regex
from gnomon.reporting.document import Document, ReportTable
from gnomon.reporting.text import visible

MAX_SHEETS = 50
MAX_EXCEL_CELL = 32_000
_FORMULA = regex(r"(^|[;\t\r\n])((?:[^\S\t\r\n]|['\"])*)(?=[=+\-@＝＋－＠])")
"""Where a cell begins for a spreadsheet, also for one whose language separates cells by semicolons or tabs."""
_EXACT = 10**15
_SMALL = 0.01  # below it, two decimals would show nothing
_FORMATS = {
    "head": {"bold": True},
    "day": {"num_format": "yyyy-mm-dd"},
    "moment": {"num_format": "yyyy-mm-dd hh:mm"},
    "number": {"num_format": "#,##0.00"},
    "rate": {"num_format": "0.0 %"},
}


def csv_of(table: ReportTable) -> str:
    """A table as CSV; a text that a spreadsheet would run gets an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(c) for c in table.columns])
    writer.writerows([[_csv_cell(v) for v in row] for row in table.rows])
    return out.getvalue()


def figures_of(document: Document) -> ReportTable:
    """The figures of a document as a table."""
    rows = [(f.label, f.value, f.unit or "") for f in document.facts]
    return ReportTable.of("Figures", ("figure", "value", "unit"), rows)


def guarded(text: str) -> str:
    """Text that a spreadsheet shows and does not run."""
    text = _FORMULA.sub(r"\1'\2", visible(text))
    return f"'{text}" if text[:1] in {"\t", "\r", "\n"} else text


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, (bool, int, float)):
        return value
    return value.isoformat() if isinstance(value, date) else guarded(str(value))


def xlsx_of(document: Document) -> bytes:
    """The facts and tables of a document as an Excel workbook; the same document gives the same bytes.

    Raises:
        MissingExtra: The extra ``reports`` is not installed.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtra.named("reports", "Writing an Excel file") from None
    out = io.BytesIO()
    book: Any = xlsxwriter.Workbook(
        out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    )  # fmt: skip
    book.set_properties({"title": visible(document.title)[:200], "created": datetime(2000, 1, 1)})
    formats = {name: book.add_format(how) for name, how in _FORMATS.items()}
    taken: set[str] = set()
    if document.facts:
        rows = [(f.label, f.value, f.unit or "", f.step, f.computation) for f in document.facts]
        facts = ReportTable.of("Figures", ("figure", "value", "unit", "computed by", "computation"), rows)
        _sheet(book, facts, taken, formats)
    for table in document.tables[: MAX_SHEETS - 2]:
        _sheet(book, table, taken, formats)
    about = [
        ("Title", document.title),
        *(("Paragraph", p) for s in document.sections for p in s.paragraphs),
        *(("Note", n) for n in document.notes),
        *(("Data", f"{s.location} ({s.sha256 or 'no digest'})") for s in document.sources),
        ("Privacy", document.privacy_in_words),
    ]
    _sheet(book, ReportTable.of("About", ("what", "text"), about), taken, formats)
    book.close()
    return out.getvalue()


def _sheet(book: Any, table: ReportTable, taken: set[str], formats: Mapping[str, Any]) -> None:
    sheet = book.add_worksheet(_sheet_name(table.name, taken))
    for i, name in enumerate(table.columns):
        sheet.write_string(0, i, visible(name)[:MAX_EXCEL_CELL], formats["head"])
        longest = max([len(name), *(len(str(r[i])) for r in table.rows[:200])])
        sheet.set_column(i, i, min(60, max(8, longest + 2)))
    sheet.freeze_panes(1, 0)
    timed = [any(_has_time(r[i]) for r in table.rows) for i in range(len(table.columns))]
    for r, row in enumerate(table.rows, 1):
        for c, value in enumerate(row):
            unit = table.units[r - 1] if table.units and c else None
            rate = table.columns[c] in table.rates or unit == FRACTION
            _excel_cell(sheet, r, c, value, formats.get(_format(value, rate, timed[c])))
    if table.total > len(table.rows):
        note = f"{table.total - len(table.rows):,} of {table.total:,} rows are not in this report."
        sheet.write_string(len(table.rows) + 2, 0, note)


def _format(value: Any, rate: bool, timed: bool) -> str:
    """How Excel writes a value; whole numbers as they are, since they may be years or names."""
    if isinstance(value, date):
        return "moment" if timed else "day"
    if isinstance(value, float) and math.isfinite(value):
        return "rate" if rate else "number" if abs(value) >= _SMALL else ""
    return ""


def _has_time(value: Any) -> bool:
    return isinstance(value, datetime) and value.time() != time()


def _excel_cell(sheet: Any, row: int, column: int, value: Any, how: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, (int, float)) and math.isfinite(value) and abs(value) < _EXACT:
        sheet.write_number(row, column, value, how)
    elif isinstance(value, date) and value.year >= 1900 and getattr(value, "tzinfo", None) is None:
        sheet.write_datetime(row, column, value, how)
    else:
        sheet.write_string(row, column, visible(str(value))[:MAX_EXCEL_CELL])


def _sheet_name(name: str, taken: set[str]) -> str:
    """A name that Excel accepts and that is not used yet."""
    base = re.sub(r"[\[\]:*?/\\']", " ", visible(name)).strip()[:28] or "Table"
    base = "Table" if base.casefold() == "history" else base
    found, count = base, 1
    while found.casefold() in taken:
        count += 1
        found = f"{base[:26]} {count}"
    taken.add(found.casefold())
    return found
