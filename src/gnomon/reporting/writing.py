"""From a document to a file: the ending of the path says which format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from gnomon.core.errors import DataUnavailable, InvalidInput, MissingExtra
from gnomon.reporting.document import Document

ENDINGS = {
    "html": "one page that works offline",
    "pdf": "pages to print",
    "ipynb": "a notebook that computes it again",
    "md": "Markdown",
    "json": "a bundle for 'gnomon replay'",
    "xlsx": "the tables for Excel",
    "csv": "the tables, one file each; the figures where there is none",
    "svg": "the charts, one file each",
    "png": "the charts, one file each",
}


def ending_of(path: Path) -> str:
    """The format that a path asks for.

    Raises:
        InvalidInput: The ending is none that can be written; the message lists those that can.
    """
    ending = path.suffix.lower().lstrip(".")
    if ending not in ENDINGS:
        shown = f"'.{ending}'" if ending else "a path without an ending"
        raise InvalidInput(
            f"A report cannot be written as {shown}.",
            suggestions=[f"Use {', '.join(f'.{e}' for e in ENDINGS)}."],
        )
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"has no folder {path.parent}"
        raise InvalidInput(
            f"{path} cannot be written: it {what}.", suggestions=["Name a file in a folder that exists."]
        )
    return ending


def write_report(document: Document, path: Path) -> list[Path]:
    """Write a document in the format that the ending of ``path`` names.

    Args:
        document: The document.
        path: Where to; several tables or charts become ``name.csv``, ``name-2.csv`` and so on, and the pictures of
            Markdown go into a folder beside it.

    Returns:
        The files that were written, the named one first.

    Raises:
        InvalidInput: The ending is unknown, or the folder is not there.
        DataUnavailable: There is no table or chart to write.
        MissingExtra: The format needs an optional part that is not installed.
    """
    return _WRITERS[ending_of(path)](document, path)


def _written(path: Path, content: str | bytes) -> Path:
    """Write a file whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if isinstance(content, str):
            part.write_bytes(content.encode("utf-8", "replace"))
        else:
            part.write_bytes(content)
        part.replace(path)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise DataUnavailable(f"{path} could not be written: {e.strerror or e}.") from None
    return path


def _numbered(path: Path, contents: list[bytes], what: str) -> list[Path]:
    if not contents:
        raise DataUnavailable(
            f"There is no {what} in this report.", suggestions=["Write it as .html or .md."]
        )
    paths = [path, *(path.with_name(f"{path.stem}-{i}{path.suffix}") for i in range(2, len(contents) + 1))]
    return [_written(p, c) for p, c in zip(paths, contents, strict=True)]


def _html(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.html import html_of

    return [_written(path, html_of(document))]


def _pdf(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.pdf import pdf_of

    return [_written(path, pdf_of(document))]


def _notebook(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.notebook import notebook_of

    return [_written(path, notebook_of(document))]


def _bundle(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.bundle import bundle_of

    return [_written(path, bundle_of(document))]


def _excel(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.tables import xlsx_of

    return [_written(path, xlsx_of(document))]


def _csv(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.tables import csv_of, figures_of

    tables = document.tables or ([figures_of(document)] if document.facts else [])
    return _numbered(path, [csv_of(t).encode("utf-8", "replace") for t in tables], "table")


def _pictures(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.charts import picture

    kind = path.suffix.lower().lstrip(".")
    return _numbered(path, [picture(c.spec, kind) for c in document.charts], "chart")


def _markdown(document: Document, path: Path) -> list[Path]:
    from gnomon.reporting.charts import picture
    from gnomon.reporting.markdown import markdown_of

    try:
        drawn = [picture(c.spec, "svg") for c in document.charts]
    except MissingExtra:  # without the extra, charts are told in words
        drawn = []
    folder = path.with_name(f"{path.stem}_files")
    if drawn:
        folder.mkdir(exist_ok=True)
    kept = [_written(folder / f"chart-{i}.svg", svg) for i, svg in enumerate(drawn, 1)]
    addresses = [f"{quote(folder.name)}/{p.name}" for p in kept]
    return [_written(path, markdown_of(document, addresses)), *kept]


_WRITERS: dict[str, Callable[[Document, Path], list[Path]]] = {
    "html": _html,
    "pdf": _pdf,
    "ipynb": _notebook,
    "md": _markdown,
    "json": _bundle,
    "xlsx": _excel,
    "csv": _csv,
    "svg": _pictures,
    "png": _pictures,
}
