"""``gnomon analyze`` with a template or a language model, and ``gnomon templates``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from gnomon.cli.console import console, error_console, print_json, progress

if TYPE_CHECKING:
    from gnomon.agents.coder import AnalysisRecord, Progress
    from gnomon.core.settings import Settings

SHOWN_ROWS = 12


def templates(
    json_output: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False,
) -> None:
    """List the analyses that can be asked for by name, with or without a language model."""
    from rich.table import Table

    from gnomon.agents.coder import list_templates

    listed = list_templates()
    if json_output:
        print_json(listed)
        return
    table = Table("Name", "What it finds", box=None, header_style="bold")
    for t in listed:
        table.add_row(t["name"], t["description"])
    console().print(table)
    console().print("[dim]gnomon analyze FILES --template NAME[/]")


def parted(data: list[str], *, task_needed: bool) -> tuple[list[str], str]:
    """What was named on the command line: files, and what to do with them, which comes last where it is said.

    Raises:
        InvalidInput: There is no file, or nothing to do.
    """
    from gnomon.core.errors import InvalidInput

    last = data[-1]
    is_source = Path(last).exists() or "://" in last or (any(c in last for c in "*?[") and " " not in last)
    if task_needed or (len(data) > 1 and not is_source):
        *sources, task = data
    else:
        sources, task = list(data), ""
    if not sources or (task_needed and not task.strip() and len(data) < 2):
        raise InvalidInput(
            "Name the data and say what to do, or name a template.",
            suggestions=[
                "gnomon analyze sales.csv 'trend of sales'",
                "gnomon analyze sales.csv --template health_check",
            ],
        )
    return sources, task


def analyze_in_rounds(
    sources: list[str],
    task: str,
    template: str | None,
    settings: Settings,
    *,
    privacy: str | None,
    json_output: bool,
    record_file: Path | None,
) -> AnalysisRecord:
    """Do an analysis by template or with a model, and show it."""
    from gnomon.agents.coder import DataAnalysisAgent
    from gnomon.store import Store

    with (
        Store.open(settings) as store,
        DataAnalysisAgent(settings=settings, store=store) as agent,
        progress() as bar,
    ):
        job = bar.add_task("Getting ready", total=100)

        def told(p: Progress) -> None:
            bar.update(job, description=p.status_message, completed=p.progress_percentage)

        record = agent.analyze(task, sources, template, privacy=privacy, on_progress=told)
    if json_output:
        print_json(record.to_dict())
    else:
        _show(record)
    if record_file is not None:
        import json

        record_file.write_text(json.dumps(record.to_dict(), ensure_ascii=False, indent=1), encoding="utf-8")
        error_console().print(f"Wrote {escape(str(record_file))}", soft_wrap=True)
    return record


def _show(record: AnalysisRecord) -> None:
    from rich.table import Table

    from gnomon.core.answer import told_columns, with_unit

    out = console()
    for section in record.sections:
        out.print(f"[bold]{escape(section.title)}[/]")
        out.print(escape(section.prose), soft_wrap=True)
        for rows in section.tables:
            shown = Table(
                title=escape(rows.name), title_justify="left",
                caption=f"{SHOWN_ROWS} of {len(rows.rows):,} rows" if len(rows.rows) > SHOWN_ROWS else None,
            )  # fmt: skip
            told = told_columns(rows)
            for i in told:
                shown.add_column(escape(rows.columns[i]))
            for k, row in enumerate(rows.rows[:SHOWN_ROWS]):
                shown.add_row(
                    *(
                        escape(with_unit(rows, k, i) or _cell(row[i], rows.columns[i] in rows.rates))
                        for i in told
                    )
                )
            out.print(shown)
        out.print()
    for note in record.notes:
        out.print(f"[dim]· {escape(note)}[/]", soft_wrap=True)
    failed = sum(not c.ok for c in record.cells)
    if record.model is None:
        out.print(
            f"[dim]Steps: {len(record.cells)}; no language model was used, and nothing left this machine. Run {record.id}[/]"
        )
    else:
        out.print(
            f"[dim]{len(record.cells)} cells ({failed} failed) behind {record.strength or 'no'} walls; privacy level "
            f"{record.privacy}; {record.usage.get('input_tokens', 0):,} tokens read and "
            f"{record.usage.get('output_tokens', 0):,} written. Run {record.id}[/]",
            soft_wrap=True,
        )


def _cell(value: object, rate: bool) -> str:
    from gnomon.core.figures import figure

    if value is None:
        return "–"
    return figure(value, "fraction") if rate and isinstance(value, int | float) else figure(value)
