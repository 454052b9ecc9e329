"""A planned analysis in the form that its task asks for: as CSV, as a Markdown table, as HTML, as a chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gnomon.reporting.document import Document, ReportTable
from gnomon.reporting.from_analysis import document_of_analysis
from gnomon.reporting.html import html_of
from gnomon.reporting.markdown import sections_of, table_of
from gnomon.reporting.tables import csv_of, figures_of


def _csv(document: Document) -> str | None:
    table = _main(document)
    return None if table is None else csv_of(table)


def _table(document: Document) -> str | None:
    table = _main(document)
    return None if table is None else table_of(table)


def _text(document: Document) -> str | None:
    return "\n\n".join(p for s in document.sections for p in s.paragraphs) or None


def _chart(document: Document) -> dict[str, Any] | None:
    charts = [c for s in document.sections for c in s.charts]
    return dict(charts[-1].spec) if charts else None


_FORMS: Final[dict[str, tuple[str, Callable[[Document], str | dict[str, Any] | None]]]] = {
    "csv": ("text/csv", _csv),
    "table": ("text/markdown", _table),
    "markdown": ("text/markdown", sections_of),
    "report": ("text/markdown", sections_of),
    "html": ("text/html", html_of),
    "text": ("text/plain", _text),
    "chart": ("application/vnd.vegalite.v6+json", _chart),
}


def with_form(published: dict[str, Any], task: str) -> dict[str, Any]:
    """The published analysis with ``result.rendered`` where its task asks for another form than JSON.

    Made from what is published and nothing else: what was withheld there is not told here either.

    Args:
        published: An analysis as it is sent.
        task: The task, in words.
    """
    result: dict[str, Any] = published["result"]
    wishes: Mapping[str, Any] = published["tool_meta"]["context_extraction"].get("user_preferences") or {}
    form = str(wishes.get("output_format"))
    if form not in _FORMS or not result.get("results"):
        return published
    media_type, render = _FORMS[form]
    content = render(document_of_analysis(published, task))
    if content is None:
        said = f"There is nothing in this result that can be shown as {form}."
        return {**published, "result": {**result, "notes": [*result.get("notes", ()), said]}}
    made = {"format": form, "media_type": media_type, "content": content}
    return {**published, "result": {**result, "rendered": made}}


def _main(document: Document) -> ReportTable | None:
    """The table that the last step gave, or else the figures."""
    tables = [t for s in document.sections for t in s.tables[:1]]
    if tables:
        return tables[-1]
    return figures_of(document) if document.facts else None
