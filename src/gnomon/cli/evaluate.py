"""``gnomon eval``: how many questions of a benchmark are answered rightly, and how many rightly refused."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli.console import console, print_json, progress
from gnomon.core.errors import InvalidInput


def evaluate(
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of the tables; the demo store when left out.")
    ] = None,
    cases: Annotated[
        Path | None, typer.Option("--cases", help="Questions with their truths, one in JSON on each line.")
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="Only the questions of this split: dev or held.")
    ] = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Show the development questions that went wrong.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Ask a benchmark of questions and show how good the answers are: accuracy, refusals, latency, by kind."""
    import gnomon
    from gnomon.agents.evaluation import evaluate as run
    from gnomon.agents.evaluation import load_cases
    from gnomon.agents.evaluation.demo import demo_folder
    from gnomon.agents.evaluation.rendering import render, render_failures

    if split not in {None, "dev", "held"}:
        raise InvalidInput(f"there is no split {split!r}; choose dev or held, or leave it out for both")
    if cases is not None and data is None:
        raise InvalidInput("questions of your own need the folder of their tables; give it with --data")
    asked = load_cases(cases, "dev" if split == "dev" else "held" if split == "held" else None)
    folder = data or demo_folder()
    with progress() as bar:
        task = bar.add_task("Asking", total=len(asked))
        analyst = gnomon.open(folder)
        report = run(analyst, asked, folder, progress=lambda done, _: bar.update(task, completed=done))
    if as_json:
        print_json(report.summary())
        return
    out = console()
    if failures and report.failures:
        out.print(render_failures(report) + "\n", markup=False, soft_wrap=True)
    out.print(render(report), markup=False, soft_wrap=True)
