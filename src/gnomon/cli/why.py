"""``gnomon why``: an explanation with its causes, what was ruled out, what to do next, and charts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.ask import open_with_progress, show
from gnomon.cli.console import error_console, print_json
from gnomon.cli.report import REPORT, check_reports, write_answer_report
from gnomon.core.errors import InvalidInput
from gnomon.core.query import AgentType

if TYPE_CHECKING:
    from gnomon.core.answer import Answer


def why(
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA... QUESTION", help="Files, folders or URLs, then the question."),
    ],
    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="DIR", help="Write the charts to this folder as PNG files."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    today: Annotated[
        datetime | None, typer.Option("--today", formats=["%Y-%m-%d"], help="What 'last week' refers to.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="A YAML file that corrects what the tables mean.")
    ] = None,
    report: Annotated[list[Path] | None, REPORT] = None,
) -> None:
    """Explain: what happened, why, what was ruled out, what to do next, and how sure that is."""
    if len(data) < 2:
        raise InvalidInput(
            "Name the data and ask what is to be explained.",
            suggestions=["gnomon why shop/ 'Why did sales drop last week?'"],
        )
    *sources, question = data
    reports = check_reports(report)
    day = today.date() if today else None
    with open_with_progress(sources, model) as analyst:
        outcome = analyst.process(question, today=day, worker=AgentType.INSIGHT_GENERATOR)
    answer = outcome.answer
    if json_output:
        print_json(answer.to_dict())
    else:
        show(answer)
    if chart is not None:
        _write_charts(answer, chart)
    write_answer_report(
        reports, analyst, outcome, question, sources=sources, today=day, model=model, why=True
    )
    if not answer.facts:
        raise typer.Exit(1)


def _write_charts(answer: Answer, folder: Path) -> None:
    from gnomon.reporting.charts import write_chart

    if not answer.charts:
        error_console().print("There is no chart in this answer.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for place, spec in enumerate(answer.charts, start=1):
        path = folder / f"why-{place}.png"
        write_chart(spec, path)
        error_console().print(f"Wrote {path}.")
