"""``gnomon analyze``: a task in words, on files, through planned tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from gnomon.cli.coding import analyze_in_rounds, parted
from gnomon.cli.console import console, error_console, print_json, progress
from gnomon.cli.llm import with_model
from gnomon.cli.report import REPORT, check_chart, check_reports, write_reports
from gnomon.core.errors import InvalidInput
from gnomon.core.events import Event, EventKind

if TYPE_CHECKING:
    from gnomon.agents.coder import AnalysisRecord
    from gnomon.core.settings import Settings
    from gnomon.data import Dataset
    from gnomon.execution import StepResult
    from gnomon.reporting import Document
    from gnomon.workbench import Analysis, Workbench

SHOWN_ROWS = 12


def analyze(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA… [TASK]", help="Files, folders or URLs, then what to do; a template needs no task."
        ),
    ],
    template: Annotated[
        str | None, typer.Option(help="An analysis by name (see 'gnomon templates'); needs no model.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="A language model that writes code: a name, a GGUF file, 'installed' or 'none'; as GNOMON_MODEL says by default."
        ),
    ] = None,
    privacy: Annotated[
        str | None, typer.Option(help="What the model may see: strict, schema, aggregates or full.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(help="Which table of a source that holds several, for a task with planned tools."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="The published structure as JSON.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Write the (first) chart as .json, .svg or .png.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the whole record, cells included, as JSON.")
    ] = None,
    report: Annotated[list[Path] | None, REPORT] = None,
) -> None:
    """Do a task on a table with planned tools; with a template or a language model, a whole analysis."""
    reports = check_reports(report)
    check_chart(chart)
    settings = with_model(model, privacy)
    if template is not None or settings.model is not None:
        sources, task = parted(data, task_needed=template is None)
        if table is not None:
            raise InvalidInput(
                "--table names the one table of a task with planned tools; a template or a model looks at all that are named.",
                suggestions=["Name only the file of that table."],
            )
        done = analyze_in_rounds(
            sources, task, template, settings, privacy=privacy, json_output=json_output, record_file=record
        )
        if chart is not None:
            _write_first(done.charts, chart)
        write_reports(reports, lambda: _record_document(done, settings))
        if not (done.findings or done.tables):
            raise typer.Exit(1)
        return
    sources, task = parted(data, task_needed=True)
    _planned(sources, task, settings, table=table, json_output=json_output, chart=chart, reports=reports)


def _planned(
    sources: list[str],
    task: str,
    settings: Settings,
    *,
    table: str | None,
    json_output: bool,
    chart: Path | None,
    reports: list[Path],
) -> None:
    from gnomon.data import open_sources
    from gnomon.reporting.forms import with_form
    from gnomon.tools import Frame
    from gnomon.workbench import Workbench

    with Workbench(settings) as workbench, open_sources(*sources, settings=settings) as dataset:
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
            print_json(with_form(workbench.published(analysis), task))
        else:
            _show(workbench, analysis)
        if chart is not None:
            _write_chart(analysis, chart)
        write_reports(reports, lambda: _document(workbench, analysis, dataset, sources, name, task))
        if str(analysis.result.status) in {"failed", "needs_feedback"}:
            raise typer.Exit(1)


def _record_document(record: AnalysisRecord, settings: Settings) -> Document:
    from gnomon.recipes import record_report

    return record_report(record, settings)


def _document(
    workbench: Workbench, analysis: Analysis, dataset: Dataset, sources: list[str], table: str, task: str
) -> Document:
    from gnomon.recipes import analysis_report

    return analysis_report(workbench, analysis, dataset, sources=sources, table=table, task=task)


def _only(names: list[str]) -> str:

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
    _write_first([s.output["spec"] for s in analysis.result.steps if "spec" in s.output], path)


def _write_first(specs: Sequence[dict[str, Any]], path: Path) -> None:
    from gnomon.core.errors import DataUnavailable
    from gnomon.reporting.charts import write_chart

    if not specs:
        raise DataUnavailable("The plan made no chart.", suggestions=["Ask for one: '… then chart it'."])
    write_chart(specs[0], path)
    error_console().print(f"Wrote {escape(str(path))}")
