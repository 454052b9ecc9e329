"""``gnomon insights``: what is surprising, significant and useful in data, without a question."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.console import console, error_console, print_json, progress
from gnomon.cli.report import REPORT, check_reports, write_reports

if TYPE_CHECKING:
    from gnomon.agents.auto_insight import Insights


def insights(
    data: Annotated[list[str], typer.Argument(help="Files, folders or URLs.")],
    goal: Annotated[str | None, typer.Option(help="What the insights are for, in words.")] = None,
    top: Annotated[int, typer.Option(help="How many insights at most.", min=1, max=50)] = 10,
    chart: Annotated[Path | None, typer.Option(help="Write a picture of each into this folder.")] = None,
    model: Annotated[Path | None, typer.Option(help="What the tables mean, as a YAML file.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    report: Annotated[list[Path] | None, REPORT] = None,
) -> None:
    """Search data for what stands out, ranked, each with how large and how sure it is; says so where nothing does."""
    from gnomon.agents.auto_insight import tell_insights
    from gnomon.core.settings import Settings
    from gnomon.opening import open_tables
    from gnomon.recipes import insights_report

    reports = check_reports(report)
    settings = Settings.load()
    with progress() as bar:
        task = bar.add_task("Opening", total=None)

        def told(label: str, done: int, total: int) -> None:
            bar.update(task, description=label or "Searching", completed=done, total=total or None)

        dataset, meaning = open_tables(*data, model=model, settings=settings, progress=told)
        with dataset:
            bar.update(task, description="Searching", total=None)
            found = tell_insights(
                dataset, meaning, goal=goal, top=top, allow_personal=settings.allow_personal
            )
    if json_output:
        print_json(found.to_dict())
    else:
        _show(found)
    if chart is not None:
        _write_charts(found, chart)
    write_reports(
        reports, lambda: insights_report(found, dataset, goal=goal, top=top, sources=data, model=model)
    )


def _show(found: Insights) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out = console()
    if not found.insights:
        out.print(Text(found.to_answer().prose.split("\n\n")[0], style="bold"))
    for place, insight in enumerate(found.insights, start=1):
        out.print(Text(f"{place}. {insight.title}", style="bold"))
        out.print(Padding(Text(insight.sentence), (0, 0, 0, 3)))
        sure = _chance(insight.chance)
        size = f"{insight.effect_name}: {_size(insight.effect)}"
        told = f"{size}; {sure}{insight.test}; {insight.rows:,} rows."
        out.print(Padding(Text(told, style="dim"), (0, 0, 1, 3)))
    out.print(
        Text(f"{found.rows:,} rows read, {found.tests:,} tests made, in {found.seconds:.1f} s.", style="dim")
    )
    for note in found.notes:
        out.print(Text(note, style="dim"))
    out.print(Text("No language model was used; nothing left this machine.", style="dim"))


def _size(effect: float) -> str:
    """Three digits, or all before the point."""
    return f"{effect:,.0f}" if abs(effect) >= 100 else f"{effect:.3g}"


def _chance(chance: float | None) -> str:
    if chance is None:
        return ""
    return "chance below 0.001; " if chance < 0.001 else f"chance {chance:.3f}; "


def _write_charts(found: Insights, folder: Path) -> None:
    from gnomon.reporting.charts import write_chart

    folder.mkdir(parents=True, exist_ok=True)
    for place, insight in enumerate(found.insights, start=1):
        name = re.sub(r"[^a-z0-9]+", "-", insight.title.lower()).strip("-")[:60].rstrip("-")
        write_chart(insight.chart, folder / f"{place:02}-{name}.png")
    error_console().print(f"Wrote {len(found.insights)} charts to {folder}.")
