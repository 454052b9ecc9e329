"""The option ``--report`` of several commands, and ``gnomon replay``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.cli.console import console, error_console, print_json, show_error
from gnomon.core.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.outcome import Outcome
    from gnomon.reporting import Comparison, Document

REPORT: Any = typer.Option(
    "--report",
    metavar="FILE",
    help="Write a report: .html, .pdf, .ipynb, .md, .json, .xlsx, .csv, .svg or .png; may be given several times.",
)
_COLOURS = {"same": "green", "different": "red", "missing": "red", "new": "yellow"}


def check_reports(paths: list[Path] | None) -> list[Path]:
    """The paths, after a look at their endings: a mistyped one is told before the work, not after it."""
    if not paths:
        return []
    from gnomon.reporting.writing import ending_of

    for path in paths:
        ending_of(path)
    return paths


def check_chart(path: Path | None) -> None:
    """A look at the ending of a chart's file, before the work."""
    if path is not None:
        from gnomon.reporting.charts import check_kind, kind_of

        check_kind(kind_of(path))


def write_answer_report(
    paths: list[Path],
    analyst: Analyst,
    outcome: Outcome,
    question: str,
    *,
    sources: list[str],
    today: date | None,
    model: Path | None,
    why: bool = False,
) -> None:
    """Write an answer in each of the formats; the arguments are those it was asked with."""
    if not paths:
        return
    from gnomon.recipes import answer_report

    document = answer_report(analyst, outcome, question, sources=sources, today=today, model=model, why=why)
    write_reports(paths, lambda: document)


def write_reports(paths: list[Path], made: Callable[[], Document]) -> None:
    """Write the document in each of the formats; one that cannot be does not stop the others.

    Raises:
        GnomonError: One of them could not be written.
    """
    if not paths:
        return
    from rich.markup import escape

    from gnomon.reporting.writing import write_report

    document = made()
    failed: list[GnomonError] = []
    for path in paths:
        try:
            for written in write_report(document, path):
                error_console().print(f"Wrote {escape(str(written))}.", soft_wrap=True)
        except GnomonError as e:
            e.message = f"{path} was not written. {e.message}"
            failed.append(e)
    for error in failed[:-1]:
        show_error(error)
    if failed:
        raise failed[-1]


def replay(
    bundle: Annotated[
        Path,
        typer.Argument(
            metavar="BUNDLE", help="What --report out.json wrote, or what was taken from the page as JSON."
        ),
    ],
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", help="Where the data is now, if it moved: the file, or the folder that holds it."
        ),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="The comparison as JSON.")] = False,
) -> None:
    """Compute a report again and compare it fact by fact; ends with 1 where anything differs."""
    from gnomon.replaying import replay as again

    found = again(bundle, data or ())
    if json_output:
        print_json(found.to_dict())
    else:
        _show(found)
    if not found.is_same:
        raise typer.Exit(1)


def _show(found: Comparison) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    for change in found.changed:
        out.print(f"[yellow]{escape(change)}[/]", soft_wrap=True)
    for note in found.notes:
        out.print(escape(note), soft_wrap=True)
    differing = [d for d in (*found.facts, *found.tables) if d.outcome != "same"]
    if differing:
        table = Table("What", "Outcome", "Then", "Now")
        for d in differing:
            mark = f"[{_COLOURS[d.outcome]}]{d.outcome}[/]"
            table.add_row(escape(d.name), mark, escape(d.then), escape(d.now))
        out.print(table)
    same = sum(d.outcome == "same" for d in found.facts)
    tables = sum(d.outcome == "same" for d in found.tables)
    facts = f"{same} of {len(found.facts)} {'figure' if len(found.facts) == 1 else 'figures'}"
    listed = f"{tables} of {len(found.tables)} {'table' if len(found.tables) == 1 else 'tables'}"
    other = "Not the same" if differing or found.status[0] != found.status[1] else "The data is not the same"
    verdict = "[green]The same[/]" if found.is_same else f"[red]{other}[/]"
    out.print(f"{verdict}: {facts} and {listed} came out as before.")
