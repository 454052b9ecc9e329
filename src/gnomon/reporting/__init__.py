"""What people take away: one document for every result, written as HTML, PDF, Markdown, notebook, JSON, Excel or pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.reporting.bundle import bundle_of, load_bundle
    from gnomon.reporting.charts import inline_svg, render_svg, write_chart
    from gnomon.reporting.compare import Comparison, changed_sources, compare
    from gnomon.reporting.document import Document, Recipe, Section, Source, source_file, sources_of
    from gnomon.reporting.from_analysis import document_of_analysis, document_of_record
    from gnomon.reporting.from_answer import document_of_answer
    from gnomon.reporting.from_investigation import document_of_investigation
    from gnomon.reporting.html import html_of
    from gnomon.reporting.markdown import markdown_of
    from gnomon.reporting.notebook import notebook_of
    from gnomon.reporting.pdf import pdf_of
    from gnomon.reporting.tables import csv_of, xlsx_of
    from gnomon.reporting.writing import ENDINGS, ending_of, write_report

_HOMES = {
    "bundle": ("bundle_of", "load_bundle"),
    "charts": ("inline_svg", "render_svg", "write_chart"),
    "compare": ("Comparison", "changed_sources", "compare"),
    "document": ("Document", "Recipe", "Section", "Source", "source_file", "sources_of"),
    "from_analysis": ("document_of_analysis", "document_of_record"),
    "from_answer": ("document_of_answer",),
    "from_investigation": ("document_of_investigation",),
    "html": ("html_of",),
    "markdown": ("markdown_of",),
    "notebook": ("notebook_of",),
    "pdf": ("pdf_of",),
    "tables": ("csv_of", "xlsx_of"),
    "writing": ("ENDINGS", "ending_of", "write_report"),
}

__all__ = [
    "ENDINGS",
    "Comparison",
    "Document",
    "Recipe",
    "Section",
    "Source",
    "bundle_of",
    "changed_sources",
    "compare",
    "csv_of",
    "document_of_analysis",
    "document_of_answer",
    "document_of_investigation",
    "document_of_record",
    "ending_of",
    "html_of",
    "inline_svg",
    "load_bundle",
    "markdown_of",
    "notebook_of",
    "pdf_of",
    "render_svg",
    "source_file",
    "sources_of",
    "write_chart",
    "write_report",
    "xlsx_of",
]


def __getattr__(name: str) -> object:
    from gnomon.core.lazy import exports

    homes = {n: f"gnomon.reporting.{home}" for home, names in _HOMES.items() for n in names}
    return exports("gnomon.reporting", homes)(name)
