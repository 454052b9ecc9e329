"""Whatever stands in cells, names and questions stays text: the structure of a report never depends on it."""

import ast
import csv
import io
import json
import re
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt
from tests.reporting.hostile import PAYLOADS, document_with, texts

from gnomon.reporting import bundle_of, csv_of, html_of, load_bundle, markdown_of, notebook_of, xlsx_of
from gnomon.reporting.text import visible

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Shape(HTMLParser):
    """The tags and attribute names of a page, and the values of those that can act."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.acting: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(a for a, _ in attrs)))
        self.acting += [str(v) for a, v in attrs if a in ("href", "src", "style", "action")]

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment", ()))


def shape_of(page: str) -> Shape:
    shape = Shape()
    shape.feed(page)
    shape.close()
    return shape


@FEW
@given(texts)
def test_a_page_has_the_same_tags_whatever_the_texts_are(text: str) -> None:
    page = html_of(document_with(text))
    shape, plain = shape_of(page), shape_of(html_of(document_with("plain")))
    assert shape.tags == plain.tags
    assert shape.acting == plain.acting == ["#step-s1"]
    assert not HIDDEN.search(page)
    assert "script" not in {t for t, _ in shape.tags}


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\u202e\x1b[31m", "</svg><script>", "漢字 🙂"])
def test_a_page_with_a_chart_has_the_same_tags_too(text: str) -> None:
    shape = shape_of(html_of(document_with(text, chart=True)))
    assert {t for t, _ in shape.tags} <= {
        "html", "head", "meta", "title", "style", "body", "main", "section", "p", "h1", "h2", "h3", "ul", "li", "table", "caption",
        "thead", "tbody", "tr", "th", "td", "div", "figure", "figcaption", "small", "pre", "code", "a", "svg", "g", "path", "rect",
        "line", "text",
    }  # fmt: skip
    assert all(not a.startswith("on") for _, names in shape.tags for a in names)
    assert shape.acting == ["#step-s1"]


def tokens(text: str) -> list[str]:
    parser = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
    found: list[str] = []
    for block in parser.parse(text):
        found.append(f"{block.type}{block.tag}")
        found += [t.type for t in block.children or [] if t.type not in ("text", "text_special", "softbreak")]
    return found


@FEW
@given(texts)
def test_markdown_has_the_same_structure_whatever_the_texts_are(text: str) -> None:
    # A text of nothing but blanks leaves its paragraph or cell empty, which is no other structure.
    written, plain = (markdown_of(document_with(t)) for t in (text if text.strip() else "plain", "plain"))
    assert tokens(written) == tokens(plain)
    assert not HIDDEN.search(written)


def without_texts(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@FEW
@given(texts)
def test_the_code_of_a_notebook_is_the_same_whatever_the_texts_are(text: str) -> None:
    made, plain = (json.loads(notebook_of(document_with(t))) for t in (text, "plain"))
    nbformat.validate(nbformat.from_dict(made))
    pairs = zip(made["cells"], plain["cells"], strict=True)
    for cell, other in pairs:
        assert cell["cell_type"] == other["cell_type"]
        assert not HIDDEN.search(cell["source"])
        if cell["cell_type"] == "code":
            assert cell["source"].isascii()
            assert without_texts(cell["source"]) == without_texts(other["source"])
        elif text.strip():
            assert tokens(cell["source"]) == tokens(other["source"])


@FEW
@given(texts)
def test_no_cell_of_a_csv_file_is_a_formula(text: str) -> None:
    (table,) = document_with(text).tables
    rows = list(csv.reader(io.StringIO(csv_of(table))))
    assert len(rows) == 3
    for cell in (rows[0][0], rows[1][0]):
        assert not cell.lstrip(" '\"\t").startswith(("=", "+", "-", "@")) or cell.startswith("'")
        assert not cell.startswith(("\t", "\r", "\n"))
    assert rows[1][1] == "1.5"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize("before", ["", " ", "x;", "x\t", "x\n", "x; ", 'x;"', "x\r\n", "x,y;\n"])
def test_no_cell_is_a_formula_for_a_spreadsheet_with_other_separators(
    before: str, sign: str, separator: str
) -> None:
    from gnomon.reporting.document import ReportTable

    table = ReportTable.of("t", (f"{before}{sign}1+1", "b"), [(1, f"{before}{sign}cmd|' /C calc'!A0")])
    rows = csv.reader(io.StringIO(csv_of(table), newline=""), delimiter=separator)
    cells = [cell.lstrip(' \t"') for row in rows for cell in row]
    assert not [c for c in cells if c.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))]


def test_numbers_below_zero_stay_numbers_in_a_csv_file() -> None:
    from gnomon.reporting.document import ReportTable

    assert csv_of(ReportTable.of("t", ("a",), [(-1.5,), ("-1.5",)])).splitlines() == ["a", "-1.5", "'-1.5"]


def test_no_cell_of_an_excel_file_is_a_formula_or_a_link() -> None:
    for text in PAYLOADS:
        book = openpyxl.load_workbook(io.BytesIO(xlsx_of(document_with(text))))
        cells = [c for sheet in book for row in sheet.iter_rows() for c in row if c.value is not None]
        assert cells
        assert {c.data_type for c in cells} <= {"s", "n"}
        assert all(c.hyperlink is None for c in cells)
        held = visible(text)
        assert not held.strip() or any(str(c.value).strip() == held.strip() for c in cells)


@FEW
@given(texts)
def test_a_bundle_comes_back_as_it_was(text: str) -> None:
    document = document_with(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.json"
        path.write_text(bundle_of(document), encoding="utf-8")
        assert path.read_bytes().isascii()
        assert load_bundle(path) == document
