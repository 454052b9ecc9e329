"""A document as one HTML file: works offline, needs no script, fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from gnomon.core.errors import GnomonError
from gnomon.reporting.charts import inline_svg
from gnomon.reporting.document import Document, ReportChart, ReportTable, Section, Source
from gnomon.reporting.text import one_line, visible

MAX_ROWS = 1000
MAX_COLUMNS = 60
TALL = 40  # so many rows scroll in a place of their own
KINDS = {
    "answer": "Answer to a question",
    "investigation": "Investigation of anomalies",
    "analysis": "Analysis",
    "record": "Analysis",
}


def html_of(document: Document) -> str:
    """The document as one page.

    Raises:
        MissingExtra: There are charts, and the extra ``charts`` is not installed.
    """
    style = files("gnomon.reporting").joinpath("report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = _t(document.title)
    body = [
        f'<p class="kind">{_t(KINDS[document.kind])}</p>',
        f"<h1>{title}</h1>",
        f'<p class="reading">Read as: {_t(document.reading)}</p>' if document.reading else "",
    ]
    number = 0
    for i, section in enumerate(document.sections):
        body.append(_section(section, number, lead=i == 0))
        number += len(section.charts)
    body += [_notes(document.notes), _facts(document), _steps(document), _origin(document)]
    content = "\n".join(filter(None, body))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{content}\n</main>\n</body>\n</html>\n"
    )


def _t(text: str) -> str:
    return escape(one_line(text))


def _code(text: str) -> str:
    return f'<pre class="scroll" tabindex="0"><code>{escape(visible(text))}</code></pre>'


def _section(section: Section, charts_before: int, *, lead: bool) -> str:
    parts = [f"<h2>{_t(section.heading)}</h2>"]
    for i, paragraph in enumerate(section.paragraphs):
        parts.append(f'<p class="lead">{_t(paragraph)}</p>' if lead and i == 0 else f"<p>{_t(paragraph)}</p>")
    parts += [_chart(c, charts_before + i) for i, c in enumerate(section.charts, 1)]
    parts += [_table(t) for t in section.tables]
    for cell in section.cells:
        parts.append(f"<h3>{_t(cell.title)}</h3>" if cell.title else "")
        parts += [_code(cell.code), _code(cell.output) if cell.output else ""]
    if section.notes:
        parts.append(_list(section.notes))
    return f"<section>{''.join(parts)}</section>"


def _list(items: tuple[str, ...]) -> str:
    return f"<ul>{''.join(f'<li>{_t(i)}</li>' for i in items)}</ul>"


def chart_notes(chart: ReportChart) -> list[str]:
    """What stands below the title of a chart."""
    title = chart.spec.get("title")
    lines = title.get("subtitle", []) if isinstance(title, dict) else []
    return [str(line) for line in lines] if isinstance(lines, list) else [str(lines)]


def _chart(chart: ReportChart, number: int) -> str:
    small = "".join(f"<small>{_t(n)}</small>" for n in chart_notes(chart))
    try:
        drawn = inline_svg(chart.spec, f"c{number}")
    except GnomonError as e:
        if e.code == "missing_extra":
            raise
        return f"<figure><figcaption>{_t(chart.title)}{small}</figcaption><p>{_t(e.message)}</p></figure>"
    return (
        f"<figure><figcaption>{_t(chart.title)}{small}</figcaption>"
        f'<div class="chart scroll" tabindex="0" role="img" aria-label="{_t(chart.alt)}">{drawn}</div></figure>'
    )


def _table(table: ReportTable) -> str:
    right = [' class="n"' if n else "" for n in table.right()[:MAX_COLUMNS]]
    head = "".join(f'<th scope="col"{n}>{_t(c)}</th>' for n, c in zip(right, table.heads, strict=False))
    rows: list[str] = []
    for row in table.lines(MAX_ROWS, MAX_COLUMNS):
        cells = [_t(text) for text in row]
        first = f'<th scope="row"{right[0]}>{cells[0]}</th>' if cells else ""
        rows.append(f"<tr>{first}{''.join(f'<td{right[i]}>{c}</td>' for i, c in enumerate(cells) if i)}</tr>")
    note = left_out(table, MAX_ROWS, MAX_COLUMNS)
    return (
        f'<div class="scroll{" tall" if len(rows) > TALL else ""}" tabindex="0" role="region" aria-label="{_t(table.name)}"><table><caption>{_t(table.name)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        + (f'<p class="quiet">{_t(note)}</p>' if note else "")
    )


def left_out(table: ReportTable, rows: int, columns: int) -> str:
    """What of a table is not shown, in words; nothing where all of it is."""
    said: list[str] = []
    shown = min(rows, len(table.rows))
    if table.total > shown:
        said.append(f"{table.total - shown:,} of {table.total:,} rows are not shown here.")
    if (wide := len(table.heads)) > columns:
        said.append(f"{wide - columns:,} of {wide:,} columns are not shown here.")
    return " ".join(said)


def _notes(notes: tuple[str, ...]) -> str:
    return f"<section><h2>What to know</h2>{_list(notes)}</section>" if notes else ""


def _facts(document: Document) -> str:
    if not document.facts:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{_t(f.label)}</th><td class="n">{_t(f.shown)}</td><td>{_step_link(f.step, document)}</td></tr>'
        for f in document.facts
    )
    return (
        '<section><h2>Every figure and where it came from</h2><div class="scroll" tabindex="0" role="region" '
        'aria-label="Figures"><table><thead><tr><th scope="col">Figure</th><th scope="col" class="n">Value</th>'
        f'<th scope="col">Computed by</th></tr></thead><tbody>{rows}</tbody></table></div></section>'
    )


def _step_link(step: str, document: Document) -> str:
    if step not in {s.id for s in document.steps}:
        return _t(step)
    return f'<a href="#step-{_anchor(step)}">{_t(document.step_name(step))}</a>'


def _anchor(step: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in step)


def _steps(document: Document) -> str:
    if not document.steps:
        return ""
    parts = ["<section><h2>How it was computed</h2>"]
    for s in document.steps:
        parts.append(f'<h3 id="step-{_anchor(s.id)}">{_t(s.name)}</h3>')
        if s.inputs:
            parts.append(
                f'<p class="quiet">Works on: {_t(", ".join(document.step_name(i) for i in s.inputs))}</p>'
            )
        if s.parameters:
            parts.append(_code(json.dumps(s.parameters, ensure_ascii=False, indent=2, default=str)))
        if s.query:
            parts.append(_code(s.query))
    return "".join([*parts, "</section>"])


def _origin(document: Document) -> str:
    rows = "".join(_source_row(s) for s in document.sources)
    table = (
        '<div class="scroll" tabindex="0" role="region" aria-label="Data"><table><thead><tr>'
        + "".join(f'<th scope="col">{h}</th>' for h in ("File", "Tables", "Size", "Changed", "SHA-256"))
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
        if rows
        else ""
    )
    made = ", ".join(f"{k} {v}" for k, v in document.versions.items())
    return (
        f"<section><h2>Data and software</h2>{table}<p>{_t(document.privacy_in_words)}</p>"
        f'<p class="quiet">Computed with {_t(made)}.</p></section>'
    )


def _source_row(source: Source) -> str:
    size = "" if source.size is None else f"{source.size:,} bytes"
    cells = [", ".join(source.tables), size, source.changed, source.sha256 or ""]
    return (
        f'<tr><th scope="row" class="long">{_t(source.location)}</th>'
        f'{"".join(f"<td>{_t(c)}</td>" for c in cells[:-1])}<td class="long"><code>{_t(cells[-1])}</code></td></tr>'
    )
