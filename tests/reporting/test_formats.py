"""Each format shows the whole document, is bounded, fetches nothing, and is the same each time."""

import io
import json
import re
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from tests.reporting.hostile import PAYLOADS, document_with
from tests.reporting.pdf_pages import text_of

from gnomon.core.answer import Answer, AnswerStatus, ResultTable
from gnomon.core.errors import DataUnavailable, InvalidInput, MissingExtra
from gnomon.reporting import (
    ENDINGS,
    bundle_of,
    document_of_answer,
    document_of_record,
    html_of,
    inline_svg,
    load_bundle,
    markdown_of,
    notebook_of,
    pdf_of,
    write_report,
    xlsx_of,
)
from gnomon.reporting.document import Document, ReportChart, ReportTable, Section
from gnomon.reporting.pdf import missing_signs
from gnomon.tools.chart_groups import bar_chart

RECORD = {
    "question": "which region sells most?",
    "prose": "North sells most.\n\nBy far.",
    "facts": [{"name": "sales.top", "value": 1234567.5, "unit": "USD", "step": "cell 1", "computation": "df.max()"}],
    "tables": [{"name": "sales", "columns": ["region", "sales", "day"], "rows": [["north", 1234567.5, date(2024, 5, 1)], ["süd", -3, None]]}],
    "charts": [bar_chart("North sells most", [("north", 3.0), ("süd", 1.0)], "region", "sales")],
    "cells": [{"title": "Largest", "language": "python", "code": "df.max()", "output": "north"}],
    "notes": ["Half a year only."],
}  # fmt: skip
DOCUMENT = document_of_record(RECORD)


def test_a_page_shows_everything() -> None:
    page = html_of(DOCUMENT)
    for part in (
        "Which region sells most?",
        "By far.",
        "1.23 M",
        "Half a year only.",
        "df.max()",
        "<svg",
        "süd",
        "1 May 2024",
    ):
        assert part in page  # fmt: skip
    assert page.count("<h1>") == 1
    assert 'role="img" aria-label="North sells most. Bar chart of sales' in page
    assert "default-src &#x27;none&#x27;" in page
    assert "<script" not in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def test_pages_to_print_show_everything() -> None:
    text = text_of(pdf_of(DOCUMENT))
    for part in (
        "Which region sells most?",
        "By far.",
        "$1.23 M",
        "Half a year only.",
        "df.max()",
        "süd",
        "North sells most",
    ):
        assert part in text  # fmt: skip


@pytest.mark.parametrize("text", [p for p in PAYLOADS if p.strip() and "\n" not in p and "\r" not in p])
def test_nothing_in_the_data_is_read_by_the_typesetter(text: str) -> None:
    made = pdf_of(document_with(text))
    assert made.startswith(b"%PDF-")
    if text.isascii() and text.isprintable() and len(text) < 40:
        assert " ".join(text.split()) in " ".join(text_of(made).replace("\u200b", "").split())


def test_signs_without_a_font_are_boxes_and_it_is_said() -> None:
    rare = "𐍈\U0001b170"  # Gothic, and Nushu, which hardly any machine has
    missing = missing_signs(rare)
    if not missing:
        pytest.skip("this machine has fonts for everything")
    text = text_of(pdf_of(document_with(rare)))
    assert "in no font on this machine" in text
    assert all(f"U+{ord(c):04X}" in text for c in missing)
    assert missing_signs("Größe, żółć, Ελλάδα, Москва – 5 %") == set()


def large(rows: int, columns: int = 2) -> Document:
    table = ReportTable.of(
        "t", [f"c{i}" for i in range(columns)], [(f"r{i}",) * columns for i in range(rows)]
    )
    return Document(kind="answer", title="t", sections=(Section(heading="h", tables=(table,)),))


def test_large_tables_are_cut_and_it_is_said() -> None:
    document = large(50_000)
    assert len(document.tables[0].rows) == 10_000
    page, text, pdf = html_of(document), markdown_of(document), text_of(pdf_of(document))
    assert "49,000 of 50,000 rows are not shown here." in page and len(page) < 200_000
    assert "49,800 of 50,000 rows are not shown here." in text.replace("\\", "")
    assert "49,800 of 50,000 rows are not shown here." in pdf
    book = openpyxl.load_workbook(io.BytesIO(xlsx_of(document)), read_only=True)
    assert book["t"].max_row == 10_003
    assert "92 of 100 columns are not shown here." in text_of(pdf_of(large(2, 100)))


def test_every_format_is_the_same_each_time() -> None:
    for made in (html_of, markdown_of, notebook_of, bundle_of, pdf_of, xlsx_of):
        assert made(DOCUMENT) == made(DOCUMENT.model_copy()), made.__name__


@pytest.mark.long
def test_a_page_is_the_same_in_another_process(tmp_path: Path) -> None:
    bundle = tmp_path / "b.json"
    bundle.write_text(bundle_of(DOCUMENT))
    code = f"from pathlib import Path; from gnomon.reporting import html_of, load_bundle; print(html_of(load_bundle(Path({str(bundle)!r}))), end='')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == html_of(DOCUMENT)


@pytest.mark.parametrize(
    "spec",
    [
        {"data": {"url": "http://127.0.0.1:9/rows.csv"}, "mark": "bar", "encoding": {}},
        {"data": {"url": "file:///etc/hostname"}, "mark": "bar", "encoding": {}},
        {"data": {"values": [{"u": "http://127.0.0.1:9/x.png"}]}, "mark": {"type": "image", "width": 9, "height": 9}, "encoding": {"url": {"field": "u"}}},
        {"data": {"values": [{"u": "http://127.0.0.1:9/"}]}, "mark": "point", "encoding": {"href": {"field": "u"}, "tooltip": {"field": "u"}}},
        {"mark": "nothing"},
    ],
    ids=["url", "file", "image", "link", "broken"],
)  # fmt: skip
def test_a_chart_from_elsewhere_fetches_nothing_and_links_nowhere(spec: dict[str, object]) -> None:
    chart = ReportChart.of(
        {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "title": "t", **spec}
    )
    page = html_of(Document(kind="record", title="t", sections=(Section(heading="h", charts=(chart,)),)))
    figure = page[page.index("<figure>") : page.index("</figure>")]
    assert "127.0.0.1" not in figure.split("could not be drawn")[0]
    assert "href" not in figure and "<image" not in figure and "<a" not in figure


def test_several_charts_in_one_page_do_not_share_ids() -> None:
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json", "data": {"values": [{"a": 1, "b": 2}]},
        "mark": {"type": "line", "clip": True}, "encoding": {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "quantitative"}},
    }  # fmt: skip
    first, second = inline_svg(spec, "c1"), inline_svg(spec, "c2")
    assert 'id="c1-' in first and "url(#c1-" in first
    assert "c1-" not in second and 'id="c2-' in second


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_is_written(ending: str, tmp_path: Path) -> None:
    written = write_report(DOCUMENT, tmp_path / f"out.{ending}")
    assert written[0] == tmp_path / f"out.{ending}"
    assert all(p.stat().st_size > 50 for p in written)
    assert not list(tmp_path.rglob("*.part"))
    starts = {"pdf": b"%PDF", "xlsx": b"PK", "png": b"\x89PNG", "svg": b"<svg", "html": b"<!DOCTYPE"}
    assert written[0].read_bytes().startswith(starts.get(ending, b""))


def test_several_tables_become_several_files_and_none_is_an_error(tmp_path: Path) -> None:
    twice = DOCUMENT.model_copy(update={"sections": (*DOCUMENT.sections, *DOCUMENT.sections)})
    names = [p.name for p in write_report(twice, tmp_path / "t.csv")]
    assert names == ["t.csv", "t-2.csv"]
    with pytest.raises(DataUnavailable, match="no chart"):
        write_report(large(1), tmp_path / "t.png")


@pytest.mark.parametrize("name", ["out.docx", "out", "out.html.exe"])
def test_another_ending_is_refused_with_those_that_work(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        write_report(DOCUMENT, tmp_path / name)
    assert ".html, .pdf, .ipynb, .md, .json, .xlsx" in refused.value.suggestions[0]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="has no folder"):
        write_report(DOCUMENT, tmp_path / "nowhere" / "out.html")


def test_markdown_shows_pictures_beside_it(tmp_path: Path) -> None:
    page, picture = write_report(DOCUMENT, tmp_path / "my report (1).md")
    address = "my%20report%20%281%29_files/chart-1.svg"
    assert f"](<{address}>)" in page.read_text()
    assert picture == tmp_path / "my report (1)_files" / "chart-1.svg"


@pytest.mark.parametrize(
    ("library", "ending", "extra"), [("typst", "pdf", "reports"), ("xlsxwriter", "xlsx", "reports"), ("vl_convert", "png", "charts")]
)  # fmt: skip
def test_a_missing_part_says_what_to_install(
    library: str, ending: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra) as missing:
        write_report(DOCUMENT, tmp_path / f"out.{ending}")
    assert missing.value.suggestions == (f"pip install 'gnomon[{extra}]'",)
    assert not list(tmp_path.iterdir())


def test_a_record_that_is_none_is_refused() -> None:
    for broken in (
        {},
        {"question": "q", "facts": [{"value": 1}]},
        {"question": "q", "tables": [3]},
        {"question": "q", "cells": [{"x": 1}]},
    ):
        with pytest.raises(InvalidInput):
            document_of_record(broken)  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"format": "gnomon.report/1"}',
        '{"format": "gnomon.report/1", "document": {"kind": "x"}}',
        "[" * 5000,
    ],
)
def test_a_file_that_is_no_bundle_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match="not a report bundle"):
        load_bundle(path)  # fmt: skip


def test_an_excel_file_holds_figures_tables_and_words() -> None:
    made = xlsx_of(DOCUMENT)
    assert zipfile.ZipFile(io.BytesIO(made)).testzip() is None
    book = openpyxl.load_workbook(io.BytesIO(made))
    assert book.sheetnames == ["Figures", "Sales", "About"]
    assert [c.value for c in book["Sales"][2]][:2] == ["north", 1234567.5]
    assert book["Sales"]["C2"].is_date


def test_a_notebook_of_a_record_holds_its_code() -> None:
    cells = json.loads(notebook_of(DOCUMENT))["cells"]
    assert [c["source"] for c in cells if c["cell_type"] == "code"] == ["df.max()"]


@pytest.mark.parametrize(
    ("name", "values", "rates", "written"),
    [
        ("delay", [16.344, 10.7, 11.0, None], (), ["16.34", "10.70", "11.00", "–"]),
        ("cost", [26392.714, 5.25], (), ["26,392.71", "5.25"]),
        ("orders", [1200, 7], (), ["1,200", "7"]),
        ("share", [0.04, 0.033], ("share",), ["4.0 %", "3.3 %"]),
        ("sales", [2_500_000.5, 12.5], (), ["2.5 M", "12.5"]),
        ("month", [date(2024, 2, 1), date(2024, 3, 1)], (), ["February 2024", "March 2024"]),
        ("quarter", [date(2024, 4, 1)], (), ["Q2 2024"]),
        ("year", [date(2024, 1, 1)], (), ["2024"]),
        ("arrived", [date(2024, 4, 1)], (), ["1 April 2024"]),
    ],
)
def test_a_column_is_written_alike_from_top_to_bottom(
    name: str, values: list[object], rates: tuple[str, ...], written: list[str]
) -> None:
    table = ReportTable.of("t", ("group", name), [("a", v) for v in values], rates)
    assert [line[1] for line in table.lines(10, 10)] == written


def test_the_parts_of_a_why_are_headings_in_every_format() -> None:
    prose = (
        "Yes: revenue was 3 in May, down 2 %.\n\nWhy:\nWhere: in East it fell.\nSeason: none.\n\nHow sure: fairly.\n\n"
        "Read as: revenue, May.\n\nNote: It is short."
    )
    table = ResultTable(name="causes", columns=("candidate",), rows=(("season",),))
    made = document_of_answer(Answer(status=AnswerStatus.ANSWERED, prose=prose, tables=(table,)), "why?")
    assert [s.heading for s in made.sections] == ["Answer", "Why", "How sure", "Tables"]
    assert made.sections[0].paragraphs == ("Yes: revenue was 3 in May, down 2 %.",)
    assert made.sections[1].paragraphs == ("Where: in East it fell.", "Season: none.")
    assert re.findall(r"<h2>(.*?)</h2>", html_of(made))[:4] == ["Answer", "Why", "How sure", "Tables"]
    assert "## Why\n" in markdown_of(made) and "## Why\\n" in notebook_of(made)
