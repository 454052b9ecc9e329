"""Reports opened as their readers do, each held against the bundle of the same result."""

import contextlib
import csv
import html
import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import date
from typing import Any
from xml.etree import ElementTree

import nbformat
import openpyxl
import pytest
from tests.reporting.pdf_pages import text_of

from gnomon.reporting import Document

ENDINGS = ("html", "md", "pdf", "ipynb", "csv", "xlsx", "png", "svg")


def parts_of(content: bytes, ending: str) -> list[bytes]:
    """The files of a download: one, or those of an archive that end as asked for."""
    if not zipfile.is_zipfile(io.BytesIO(content)) or ending == "xlsx":
        return [content]
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [n for n in packed.namelist() if n.endswith(f".{ending}")]
        return [packed.read(n) for n in names]


def check(ending: str, parts: list[bytes], document: Document) -> None:
    """Whether what was written opens and tells what the bundle tells."""
    _CHECKS[ending](parts, document)


def _shows(text: str, document: Document) -> None:
    """Every figure is there as people read it, and what was said of them."""
    told = re.sub(r"[\s\u200b\\]", "", text)
    wanted = [f.shown for f in document.facts]
    wanted += [p[:60] for s in document.sections for p in s.paragraphs[:1]]
    missing = [w for w in wanted if re.sub(r"\s", "", w) not in told]
    assert not missing, missing[:3]


def _html(parts: list[bytes], document: Document) -> None:
    page = parts[0].decode()
    assert page.count("<h1>") == 1 and page.rstrip().endswith("</html>")
    assert page.count("<svg") == len(document.charts)
    _shows(html.unescape(re.sub(r"<[^>]+>", "", page)), document)


def _markdown(parts: list[bytes], document: Document) -> None:
    text = parts[0].decode()
    assert text.count("![") == len(document.charts)
    _shows(html.unescape(text), document)


def _pdf(parts: list[bytes], document: Document) -> None:
    _shows(text_of(parts[0]), document)


def _notebook(parts: list[bytes], document: Document) -> None:
    book = nbformat.reads(parts[0].decode(), 4)
    nbformat.validate(book)
    said = io.StringIO()
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(said):
        for cell in book.cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, "cell", "exec"), names)
    if "analyst" in names:
        names["analyst"].close()
    if document.recipe is None:  # nothing to compute from: it shows the figures and says so
        told = "".join(cell.source for cell in book.cells)
        assert "does not compute them again" in told
        assert all(t.name in told for s in document.sections for t in s.tables)
        return
    many = len({f.name for f in document.facts})
    assert f"All {many} figures are the same." in said.getvalue()


def _csv(parts: list[bytes], document: Document) -> None:
    found = [list(csv.reader(io.StringIO(p.decode()))) for p in parts]
    if not document.tables:
        assert [float(r[1]) for r in found[0][1:] if _is_number(r[1])] == pytest.approx(
            [float(f.value) for f in document.facts if _is_number(str(f.value))]
        )
        return
    assert len(found) == len(document.tables)
    for rows, table in zip(found, document.tables, strict=True):
        assert len(rows) == len(table.rows) + 1
        for row, held in zip(rows[1:], table.rows, strict=True):
            assert [_cell(c) for c in row] == pytest.approx([_cell(c) for c in held])


def _excel(parts: list[bytes], document: Document) -> None:
    book = openpyxl.load_workbook(io.BytesIO(parts[0]))
    figures = list(book["Figures"].iter_rows(min_row=2, values_only=True))
    assert [_cell(r[1]) for r in figures] == pytest.approx([_cell(f.value) for f in document.facts])
    assert len(book.worksheets) == len(document.tables) + 2  # the figures, and what it is about


def _png(parts: list[bytes], document: Document) -> None:
    assert len(parts) == len(document.charts)
    assert all(p.startswith(b"\x89PNG\r\n\x1a\n") and p.rstrip().endswith(b"IEND\xaeB`\x82") for p in parts)


def _svg(parts: list[bytes], document: Document) -> None:
    drawn = [ElementTree.fromstring(p) for p in parts]
    assert [d.tag for d in drawn] == ["{http://www.w3.org/2000/svg}svg"] * len(document.charts)


def _cell(value: Any) -> Any:
    """A value, whichever way a format writes it."""
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00")
    if value is None or value == "":
        return ""
    text = str(value)
    if isinstance(value, bool) or text in ("True", "False"):
        return text
    return float(text) if _is_number(text) else text.removeprefix("'").removesuffix(" 00:00:00")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) is not None


def is_failure(answer: Any, document: Document, ending: str) -> bool:
    """Whether a report that cannot be is refused in the shape of every error."""
    told = json.loads(answer.content)
    assert answer.status_code == 404 and told["success"] is False, told
    assert told["error_code"] == "data_unavailable" and told["request_id"] and told["suggestions"]
    has = {"png": document.charts, "svg": document.charts, "csv": document.tables or document.facts}
    return ending in has and not has[ending]


_CHECKS: dict[str, Callable[[list[bytes], Document], None]] = {
    "html": _html,
    "md": _markdown,
    "pdf": _pdf,
    "ipynb": _notebook,
    "csv": _csv,
    "xlsx": _excel,
    "png": _png,
    "svg": _svg,
}
