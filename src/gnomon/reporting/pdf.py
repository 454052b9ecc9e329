"""A document as PDF, typeset by typst: the layout is a fixed file, and the data reaches it as strings only."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from gnomon.core.errors import CalculationError, GnomonError, MissingExtra
from gnomon.core.patterns import regex
from gnomon.reporting.charts import inline_svg
from gnomon.reporting.document import Document, ReportChart, ReportTable, Section
from gnomon.reporting.html import KINDS, chart_notes, left_out
from gnomon.reporting.text import one_line, visible

MAX_ROWS = 200
MAX_COLUMNS = 8
MAX_CODE = 6_000
BOX = "□"
_MISSING = regex(r'the text `"((?:[^"\\]|\\.)+)"` could not be displayed')
_WIDTH = regex(r'<svg[^>]*? width="([\d.]+)"')
_PAGE_PIXELS = 640.0


def pdf_of(document: Document) -> bytes:
    """The document as PDF; the same document gives the same bytes.

    Signs that no font here has are shown as boxes, and the report says which.

    Raises:
        MissingExtra: The extra ``reports`` is not installed.
    """
    typst = _typst()
    content = json.dumps(_content(document), ensure_ascii=False)
    missing = missing_signs(content)
    if missing:
        content = content.translate({ord(c): BOX for c in missing})
        held: dict[str, Any] = json.loads(content)
        codes = ", ".join(f"U+{ord(c):04X}" for c in sorted(missing)[:20])
        more = f" and {len(missing) - 20:,} more" if len(missing) > 20 else ""
        held["notes"].append(
            f"{len(missing):,} signs of the data are in no font on this machine and are shown as {BOX}: {codes}{more}. "
            "Install a font that has them, or read the HTML report."
        )
        content = json.dumps(held, ensure_ascii=False)
    layout = files("gnomon.reporting").joinpath("report.typ").read_bytes()
    try:
        made = typst.compile(layout, sys_inputs={"document": content}, pdf_standards=["ua-1"], timestamp=0)
    except typst.TypstError as e:
        raise CalculationError(f"The report could not be typeset: {e.message}") from e
    assert isinstance(made, bytes)
    return made


def missing_signs(text: str) -> set[str]:
    """The signs of a text that no font here can show, asked of the typesetter itself."""
    typst = _typst()
    signs = "".join(sorted({c for c in text if ord(c) > 126} | {BOX}))
    layout = b'#set document(title: "signs", date: none)\n#set text(lang: "en", font: ("Libertinus Serif", "DejaVu Sans"))\n#for c in sys.inputs.signs.clusters() [#c ]'
    try:
        typst.compile(layout, sys_inputs={"signs": " ".join(signs)}, pdf_standards=["ua-1"])
    except typst.TypstError as e:
        found = {c for m in _MISSING.findall(str(e.diagnostic)) for c in _unescaped(m)}
        return {c for c in found if c in signs} - {BOX}
    return set()


def _unescaped(text: str) -> str:
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda m: chr(int(m[1], 16)), text)


def _typst() -> Any:
    try:
        import typst
    except ImportError:
        raise MissingExtra.named("reports", "Writing a PDF") from None
    return typst


def _content(document: Document) -> dict[str, Any]:
    """Everything the layout shows, as strings."""
    facts = [
        [one_line(f.label), one_line(f.shown), one_line(document.step_name(f.step))] for f in document.facts
    ]
    sources = [
        [one_line(s.location), "" if s.size is None else f"{s.size:,} bytes", one_line(s.changed), _broken(one_line(s.sha256 or ""))]
        for s in document.sources
    ]  # fmt: skip
    made = ", ".join(f"{k} {v}" for k, v in document.versions.items())
    number = iter(range(1, 10_000))
    return {
        "kind": KINDS[document.kind],
        "title": one_line(document.title) or "Report",
        "reading": one_line(document.reading),
        "sections": [_section(s, number) for s in document.sections],
        "notes": [one_line(n) for n in document.notes],
        "facts": _grid("", ("Figure", "Value", "Computed by"), facts, [False, True, False]),
        "steps": [
            {
                "title": one_line(s.name),
                "inputs": one_line(", ".join(document.step_name(i) for i in s.inputs)),
                "parameters": _code(json.dumps(s.parameters, ensure_ascii=False, indent=2, default=str))
                if s.parameters
                else "",
                "query": _code(s.query),
            }
            for s in document.steps
        ],
        "sources": _grid("", ("File", "Size", "Changed", "SHA-256"), sources, [False] * 4),
        "privacy": one_line(document.privacy_in_words),
        "versions": one_line(f"Computed with {made}."),
    }


def _section(section: Section, number: Any) -> dict[str, Any]:
    return {
        "heading": one_line(section.heading),
        "paragraphs": [one_line(p) for p in section.paragraphs],
        "charts": [_chart(c, next(number)) for c in section.charts],
        "tables": [_table(t) for t in section.tables],
        "cells": [
            {"title": one_line(c.title), "code": _code(c.code), "output": _code(c.output)}
            for c in section.cells
        ],
        "notes": [one_line(n) for n in section.notes],
    }


def _chart(chart: ReportChart, number: int) -> dict[str, Any]:
    notes = [one_line(n) for n in chart_notes(chart)]
    try:
        svg = inline_svg(chart.spec, f"c{number}")
    except GnomonError as e:
        if isinstance(e, MissingExtra):
            raise
        svg, notes = "", [*notes, one_line(e.message)]
    width = float(m[1]) if (m := _WIDTH.search(svg)) else _PAGE_PIXELS
    return {
        "title": one_line(chart.title),
        "notes": notes,
        "alt": one_line(chart.alt),
        "svg": svg.replace('font-family="sans-serif"', 'font-family="DejaVu Sans"'),
        "share": round(100 * width / _PAGE_PIXELS, 1),
    }


def _table(table: ReportTable) -> dict[str, Any]:
    rows = [[_broken(one_line(text)) for text in line] for line in table.lines(MAX_ROWS, MAX_COLUMNS)]
    made = _grid(one_line(table.name), table.heads[:MAX_COLUMNS], rows, table.right()[:MAX_COLUMNS])
    return {**made, "note": left_out(table, MAX_ROWS, MAX_COLUMNS)}


def _grid(name: str, columns: Any, rows: list[list[str]], right: list[bool]) -> dict[str, Any]:
    """A table; narrow columns are as wide as they need, wide ones share what is left."""
    longest = [max([len(columns[i]), *(len(r[i]) for r in rows)]) for i in range(len(columns))]
    return {
        "name": name,
        "columns": [_broken(one_line(c)) for c in columns],
        "rows": rows,
        "right": right,
        "widths": ["auto" if n <= 18 else "share" for n in longest],
        "note": "",
    }


def _broken(text: str) -> str:
    """Text in which long words may be broken across lines: a page has an edge."""
    return re.sub(r"\S{24}(?=\S)", lambda m: f"{m[0]}\u200b", text)


def _code(text: str) -> str:
    text = visible(text)
    return (
        text if len(text) <= MAX_CODE else f"{text[:MAX_CODE]}\n… ({len(text) - MAX_CODE:,} more characters)"
    )
