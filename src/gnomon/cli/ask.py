"""``gnomon ask`` and ``gnomon chat``: questions in words about files, one at a time or in a conversation."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.console import console, error_console, print_json, progress
from gnomon.cli.llm import tell_measuring, told_apart, with_model
from gnomon.cli.report import REPORT, check_chart, check_reports, write_answer_report
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.core.answer import Answer
    from gnomon.core.settings import Settings

_MODEL = typer.Option(
    "--model",
    help="A language model: a name, a GGUF file, 'installed' or 'none'. A .yaml file corrects what the tables mean instead (see 'gnomon semantic').",
)
_TODAY = typer.Option(formats=["%Y-%m-%d"], help="The day that 'last month' and the like refer to.")


def ask(
    data: Annotated[
        list[str], typer.Argument(metavar="DATA… QUESTION", help="Files, folders or URLs, then the question.")
    ],
    today: Annotated[datetime | None, _TODAY] = None,
    models: Annotated[list[str] | None, _MODEL] = None,
    json_output: Annotated[bool, typer.Option("--json", help="The whole answer as JSON.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Write the chart as .json, .svg or .png.")] = None,
    report: Annotated[list[Path] | None, REPORT] = None,
    pick: Annotated[
        int | None, typer.Option(min=1, help="Which of the readings on offer is meant; it is remembered.")
    ] = None,
) -> None:
    """Answer a question about data, with numbers that were computed; says no where the data cannot answer."""
    if len(data) < 2:
        raise InvalidInput(
            "Name the data and ask a question.",
            suggestions=["gnomon ask sales.csv 'What was the total by month?'"],
        )
    from gnomon.agents.offers import as_agreed

    *sources, question = data
    reports = check_reports(report)
    check_chart(chart)
    model, language_model = told_apart(models)
    settings = with_model(language_model)
    with open_with_progress(sources, model, settings, warm=False) as analyst:
        outcome = analyst.process(question, today=_day(today))
        wanted = pick or _picked(outcome.answer, json_output)
        if wanted is not None and wanted <= len(outcome.answer.options):
            option = outcome.answer.options[wanted - 1]
            analyst.learn(option)
            question = option.question
            outcome = analyst.process(question, today=_day(today), agreed=as_agreed(option))
    answer = outcome.answer
    if json_output:
        print_json(answer.to_dict())
    else:
        show(answer)
        if outcome.privacy is None:
            console().print("[dim]No language model was used; nothing left this machine.[/]")
        else:
            tell_measuring(settings)
    if chart is not None:
        _write_chart(answer, chart)
    write_answer_report(reports, analyst, outcome, question, sources=sources, today=_day(today), model=model)
    if not (answer.facts or answer.tables):
        raise typer.Exit(1)


def _picked(answer: Answer, quiet: bool) -> int | None:
    """The number of the reading that is meant, where somebody sits in front of the terminal."""
    if quiet or not answer.options or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    show(answer)
    said = console().input(f"Which one is meant? [1-{len(answer.options)}, or nothing] ").strip()
    return int(said) if said.isdigit() and 1 <= int(said) <= len(answer.options) else None


_LEAVING = frozenset({"exit", "quit", "bye", ":q", "/exit", "/quit"})


def chat(
    data: Annotated[list[str], typer.Argument(help="Files, folders or URLs.")],
    today: Annotated[datetime | None, _TODAY] = None,
    models: Annotated[list[str] | None, _MODEL] = None,
) -> None:
    """Ask one question after another; fragments such as 'and by region?' continue the one before. An empty line or 'exit' ends."""
    from gnomon.cli.first_chat import offer_names

    model, language_model = told_apart(models)
    settings = with_model(language_model)
    analyst = open_with_progress(data, model, settings)
    if model is None and offer_names(analyst, data, settings):
        analyst.close()
        analyst = open_with_progress(data, None, settings)
    with analyst:
        converse(analyst, _day(today))
    tell_measuring(settings)


def converse(analyst: Analyst, today: date | None = None) -> None:
    """Read questions from the terminal, or from a pipe, until there are no more."""
    from gnomon.core.errors import GnomonError

    conversation = analyst.conversation()
    prompted = sys.stdin.isatty()
    if prompted:
        console().print("[dim]Ask a question; an empty line or 'exit' ends.[/]")
    while True:
        try:
            line = console().input("[bold cyan]?[/] ") if prompted else sys.stdin.readline()
        except (EOFError, KeyboardInterrupt):
            return
        question = line.strip()
        if question.lower().rstrip(".!") in _LEAVING:
            return
        if not question:
            if prompted or not line:
                return
            continue
        try:
            show(conversation.ask(question, today=today))
        except GnomonError as e:
            error_console().print(f"[red]{e.message}[/]", markup=True)


def open_with_progress(
    sources: list[str], model: Path | None = None, settings: Settings | None = None, *, warm: bool = True
) -> Analyst:
    """Open the data, with a bar that says what is being read; ``warm`` as in :func:`gnomon.opening.open_analyst`."""
    from gnomon.opening import open_analyst

    with progress() as bar:
        task = bar.add_task("Opening", total=None)

        def told(label: str, done: int, total: int) -> None:
            bar.update(task, description=label or "Getting ready", completed=done, total=total or None)

        return open_analyst(*sources, model=model, settings=settings, progress=told, warm=warm)


def show(answer: Answer) -> None:
    """Print an answer for people."""
    from gnomon.agents.rendering import render

    console().print(render(answer))


def _day(given: datetime | None) -> date | None:
    return given.date() if given else None


def _write_chart(answer: Answer, path: Path) -> None:
    from gnomon.reporting.charts import write_chart

    if not answer.charts:
        error_console().print("There is no chart in this answer.")
        raise typer.Exit(1)
    write_chart(answer.charts[0], path)
    error_console().print(f"Wrote {path}.")
