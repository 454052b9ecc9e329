"""A document as Markdown, in which nothing from the data can become markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from gnomon.core.patterns import regex
from gnomon.reporting.document import Document, ReportTable, Section
from gnomon.reporting.html import KINDS, chart_notes, left_out
from gnomon.reporting.text import one_line, visible

MAX_ROWS = 200
MAX_COLUMNS = 20
_SPECIAL = regex(r"([\\`*_{}\[\]()#+!|~$^=@:-])")
_STARTS = regex(r"^(\d+)([.)])")


def markdown_of(document: Document, pictures: Sequence[str] = ()) -> str:
    """The document as Markdown.

    Args:
        document: The document.
        pictures: Relative addresses of the charts' pictures, in order; without one, a chart is told in words.
    """
    parts = [f"# {escaped(document.title)}", f"*{escaped(KINDS[document.kind])}*"]
    if document.reading:
        parts.append(f"Read as: {escaped(document.reading)}")
    addresses = iter(pictures)
    for section in document.sections:
        parts += _section(section, addresses)
    if document.notes:
        parts += ["## What to know", _list(document.notes)]
    if document.facts:
        rows = [(f.label, f.shown, document.step_name(f.step)) for f in document.facts]
        parts += [
            "## Every figure and where it came from",
            _grid(("Figure", "Value", "Computed by"), rows, {1}),
        ]
    parts += _steps(document)
    parts.append("## Data and software")
    if document.sources:
        rows = [
            (s.location, ", ".join(s.tables), "" if s.size is None else f"{s.size:,} bytes", s.changed, s.sha256 or "")
            for s in document.sources
        ]  # fmt: skip
        parts.append(_grid(("File", "Tables", "Size", "Changed", "SHA-256"), rows, set()))
    made = ", ".join(f"{k} {v}" for k, v in document.versions.items())
    parts += [escaped(document.privacy_in_words), f"Computed with {escaped(made)}."]
    return "\n\n".join(parts) + "\n"


def sections_of(document: Document) -> str:
    """What was found alone, as Markdown: sentences and tables without where they came from."""
    return "\n\n".join(part for section in document.sections for part in _section(section, iter(()))) + "\n"


def table_of(table: ReportTable) -> str:
    """One table as Markdown."""
    return "\n\n".join(_table(table)[1:]) + "\n"


def escaped(text: str) -> str:
    """Text as Markdown shows it literally, also where HTML or formulas would be read."""
    safe = (
        _SPECIAL.sub(r"\\\1", one_line(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )
    return _STARTS.sub(r"\1\\\2", safe)


def fenced(text: str, language: str = "") -> str:
    """Code between fences longer than any run of backticks inside it."""
    text = visible(text)
    longest = max((len(m) for m in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{re.sub(r'[^A-Za-z0-9]', '', language)}\n{text}\n{fence}"


def _section(section: Section, pictures: Iterator[str]) -> list[str]:
    parts = [f"## {escaped(section.heading)}", *(escaped(p) for p in section.paragraphs)]
    for chart in section.charts:
        address = next(pictures, "")
        parts.append(f"**{escaped(chart.title)}**")
        parts += [escaped(n) for n in chart_notes(chart)]
        parts.append(f"![{escaped(chart.alt)}](<{address}>)" if address else f"*{escaped(chart.alt)}*")
    for table in section.tables:
        parts += _table(table)
    for cell in section.cells:
        parts += [f"### {escaped(cell.title)}"] if cell.title else []
        parts.append(fenced(cell.code, cell.language))
        parts += [fenced(cell.output, "text")] if cell.output else []
    return [*parts, *([_list(section.notes)] if section.notes else [])]


def _table(table: ReportTable) -> list[str]:
    rows = table.lines(MAX_ROWS, MAX_COLUMNS)
    right = {i for i, n in enumerate(table.right()) if n}
    note = left_out(table, MAX_ROWS, MAX_COLUMNS)
    return [f"**{escaped(table.name)}**", _grid(table.heads[:MAX_COLUMNS], rows, right), *([f"*{escaped(note)}*"] if note else [])]  # fmt: skip


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> str:
    head = f"| {' | '.join(escaped(c) or ' ' for c in columns)} |"
    rule = f"|{'|'.join('---:' if i in right else '---' for i in range(len(columns)))}|"
    return "\n".join([head, rule, *(f"| {' | '.join(escaped(c) for c in r)} |" for r in rows)])


def _list(items: Sequence[str]) -> str:
    return "\n".join(f"- {escaped(i)}" for i in items)


def _steps(document: Document) -> list[str]:
    parts = ["## How it was computed"] if document.steps else []
    for s in document.steps:
        parts.append(f"### {escaped(s.name)}")
        if s.inputs:
            parts.append(f"Works on: {escaped(', '.join(document.step_name(i) for i in s.inputs))}")
        if s.parameters:
            parts.append(fenced(json.dumps(s.parameters, ensure_ascii=False, indent=2, default=str), "json"))
        if s.query:
            parts.append(fenced(s.query, "sql"))
    return parts
