"""``gnomon analyze``: a task in words, on files, through planned tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from gnomon.cli.console import console, error_console, print_json, progress
from gnomon.cli.report import REPORT, check_reports, write_reports
from gnomon.core.events import Event, EventKind

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.execution import StepResult
    from gnomon.reporting import Document
    from gnomon.workbench import Analysis, Workbench

SHOWN_ROWS = 12


def analyze(
    source: Annotated[str, typer.Argument(help="File, folder or database URL; one table.")],
    task: Annotated[str, typer.Argument(help="What to do, such as 'forecast sales for 14 days'.")],
    table: Annotated[str | None, typer.Option(help="Which table, where the source holds several.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="The published structure as JSON.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Write the chart of the plan as .json, .svg or .png.")
    ] = None,
    report: Annotated[list[Path] | None, REPORT] = None,
) -> None:
    """Do a task on a table: read the words, plan the tools, run them, show what they found."""
    from gnomon.data import open_sources
    from gnomon.tools import Frame
    from gnomon.workbench import Workbench

    reports = check_reports(report)
    with Workbench() as workbench, open_sources(source, settings=workbench.settings) as dataset:
        name = table or _only(list(dataset.tables))
        with progress() as bar:
            job = bar.add_task("Reading the task", total=None)

            def listen(event: Event) -> None:
                if event.step and event.kind is EventKind.STARTED:
                    bar.update(job, description=f"Running {event.tool}")

            analysis = workbench.analyze(
                task, Frame.of({"table": dataset.table(name).name}), dataset=dataset, listeners=[listen]
            )
        if json_output:
            print_json(workbench.published(analysis))
        else:
            _show(workbench, analysis)
        if chart is not None:
            _write_chart(analysis, chart)
        write_reports(reports, lambda: _document(workbench, analysis, dataset, source, name, task))
        if str(analysis.result.status) in {"failed", "needs_feedback"}:
            raise typer.Exit(1)


def _document(
    workbench: Workbench, analysis: Analysis, dataset: Dataset, source: str, table: str, task: str
) -> Document:
    from gnomon.replaying import analysis_report

    return analysis_report(workbench, analysis, dataset, source=source, table=table, task=task)


def _only(names: list[str]) -> str:
    from gnomon.core.errors import InvalidInput

    if len(names) != 1:
        raise InvalidInput(
            f"The source holds {len(names)} tables: {', '.join(names[:12])}.",
            suggestions=["Name one with --table."],
        )
    return names[0]


def _show(workbench: Workbench, analysis: Analysis) -> None:
    out = console()
    if analysis.plan is not None:
        out.print(f"[dim]{escape(analysis.plan.reasoning)}[/]", soft_wrap=True)
        for conflict in analysis.plan.conflicts:
            out.print(f"[yellow]{conflict.severity.value}[/] {escape(conflict.description)}", soft_wrap=True)
    feeding = {ref.step for s in (analysis.plan.steps if analysis.plan else ()) for ref in s.inputs.values()}
    for step in analysis.result.steps:
        _show_step(workbench, step, with_rows=step.step_id not in feeding)
    if (question := analysis.result.feedback) is not None:
        out.print(f"[bold]{escape(question.message)}[/]", soft_wrap=True)
        for option in question.options:
            out.print(f"  → {escape(str(option['option']))}")
        out.print("Say it in the task, such as '… of COLUMN'.")


def _show_step(workbench: Workbench, step: StepResult, *, with_rows: bool) -> None:
    out = console()
    if step.error is not None:
        error_console().print(
            f"[red]{step.tool_id}[/] {step.status}: {escape(step.error.message)}", soft_wrap=True
        )
        return
    out.print(f"[bold]{step.tool_id}[/]  {escape(str(step.output.get('summary', '')))}", soft_wrap=True)
    rows, total = _rows(workbench, step)
    if with_rows and rows:
        out.print(_table(rows, total))
    for group in step.output.get("groups") or []:
        label = " · ".join(str(v) for v in group["group"].values())
        out.print(f"  [bold]{escape(label)}[/]  {escape(group['summary'])}", soft_wrap=True)
    for note in step.output.get("notes") or []:
        out.print(f"[dim]· {escape(str(note))}[/]", soft_wrap=True)


def _rows(workbench: Workbench, step: StepResult) -> tuple[list[dict[str, Any]], int]:
    """What a reader wants to see of a step: its findings where it lists them, else its rows."""
    from gnomon.tools import Frame

    for findings in ("points", "anomalies", "changes", "coefficients"):
        if isinstance(step.output.get(findings), list):
            listed = step.output[findings]
            return listed[:SHOWN_ROWS], len(listed)
    field = workbench.registry.get(step.tool_id).spec.produces_rows
    frame = step.output.get(field) if field else None
    return (frame.to_rows(SHOWN_ROWS), len(frame)) if isinstance(frame, Frame) else ([], 0)


def _table(rows: list[dict[str, Any]], total: int) -> Table:
    shown = Table(caption=f"{len(rows)} of {total:,} rows" if total > len(rows) else None)
    for name in rows[0] if rows else ():
        shown.add_column(escape(str(name)))
    for row in rows:
        shown.add_row(*(escape(_cell(v)) for v in row.values()))
    return shown


def _cell(value: Any) -> str:
    from gnomon.tools.wording import figure, moment

    if value is None:
        return "–"
    return figure(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else moment(value)


def _write_chart(analysis: Analysis, path: Path) -> None:
    from gnomon.core.errors import DataUnavailable
    from gnomon.reporting.charts import write_chart

    spec = next((s.output["spec"] for s in analysis.result.steps if "spec" in s.output), None)
    if spec is None:
        raise DataUnavailable("The plan made no chart.", suggestions=["Ask for one: '… then chart it'."])
    write_chart(spec, path)
    error_console().print(f"Wrote {escape(str(path))}")
