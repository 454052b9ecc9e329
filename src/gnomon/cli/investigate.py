"""``gnomon investigate``: anomalies of a file with their reasons, and a conversation about them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.cli.console import console, error_console, print_json, progress, show_error
from gnomon.cli.report import REPORT, check_reports, write_reports
from gnomon.core.errors import GnomonError, InvalidInput, UnreadableSource

if TYPE_CHECKING:
    from gnomon.anomaly import ADEngine, InvestigationState
    from gnomon.reporting import Document

_COLOURS = {"high": "green", "medium": "yellow", "low": "red"}


def investigate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, Parquet, JSON or Excel file to look into.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON.")] = False,
    contamination: Annotated[
        float | None,
        typer.Option(
            "--contamination", "-c", min=0.0, max=0.5, help="Share of rows to flag; estimated when left out."
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option("--max-seconds", min=0.1, help="Stop detectors that take longer than this in all."),
    ] = None,
    data_type: Annotated[
        str | None,
        typer.Option("--data-type", help="tabular, time_series, text, image or graph; found when left out."),
    ] = None,
    priority: Annotated[str, typer.Option("--priority", help="balanced, speed or accuracy.")] = "balanced",
    top: Annotated[int, typer.Option("--top", min=1, max=1000, help="How many anomalies to show.")] = 10,
    columns: Annotated[
        str | None, typer.Option("--columns", help="Only these columns, separated by commas.")
    ] = None,
    consensus: Annotated[
        str | None,
        typer.Option("--consensus", help="How scores are combined: tail_mean, rank_mean or tail_max."),
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="DIR", help="Write the charts to this folder as PNG files."),
    ] = None,
    report: Annotated[list[Path] | None, REPORT] = None,
) -> None:
    """Find the rows of FILE that stand out, say why, and how far to trust it.

    On a terminal you can then answer in words: "row 7 is normal", "flag 1 %", "why row 12", "try without KNN".
    """
    from gnomon.anomaly import ADEngine

    if not file.exists():
        raise UnreadableSource(f"There is no file {file}.", suggestions=["Check the path and its spelling."])
    reports = check_reports(report)
    engine = ADEngine()
    names = [name.strip() for name in (columns or "").split(",") if name.strip()]
    asked = {"max_seconds": max_seconds, "consensus": consensus}
    limits: dict[str, Any] = {k: v for k, v in asked.items() if v is not None}
    with progress() as bar:
        task = bar.add_task("Reading", total=1.0)

        def show(what: str, share: float) -> None:
            bar.update(task, description=what, completed=share)

        data = str(file) if columns is None else _chosen(file, names)
        state = engine.investigate(
            data, data_type, priority, constraints=limits, contamination=contamination, progress=show
        )
    if as_json:
        print_json(_as_json(engine, state, top))
    else:
        _show(state, top)
        if sys.stdin.isatty() and sys.stdout.isatty():
            state = converse(engine, state, top)
    if chart is not None:
        _write_charts(state, file.stem, chart)
    write_reports(reports, lambda: _document(state, file, names))


def _write_charts(state: InvestigationState, name: str, folder: Path) -> None:
    from gnomon.reporting.charts import write_chart
    from gnomon.reporting.from_investigation import investigation_charts

    if state.consensus is None:
        error_console().print("There is no result to draw.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for place, spec in enumerate(investigation_charts(state), start=1):
        path = folder / f"{name}-{place}.png"
        write_chart(spec, path)
        error_console().print(f"Wrote {path}")


def _chosen(file: Path, names: list[str]) -> Any:
    from gnomon.replaying import chosen

    return chosen(file, names)


def _document(state: InvestigationState, file: Path, names: list[str]) -> Document:
    from gnomon.recipes import file_sources, investigation_report
    from gnomon.reporting.places import absolute

    place = absolute(str(file))
    return investigation_report(
        state, file.name, sources=file_sources(Path(place)), opened=[place], columns=names
    )


def _as_json(engine: ADEngine, state: InvestigationState, top: int) -> dict[str, Any]:
    if state.analysis is None:
        raise InvalidInput(state.next_action["reason"])
    report = engine.report(state, format="json")
    assert isinstance(report, dict)
    report["top_anomalies"] = top_anomalies(state, top)
    report["next_action"] = report["session"]["next_action"]
    return report


def top_anomalies(state: InvestigationState, top: int) -> list[dict[str, Any]]:
    """The ``top`` rows with their reasons, also beyond those in the analysis."""
    from gnomon.anomaly.explain import explain_rows, narrative
    from gnomon.anomaly.plans import prepared_of
    from gnomon.anomaly.results import top_rows

    if state.consensus is None:
        return []
    prepared = prepared_of(state)
    scores, labels = state.consensus["scores"], state.consensus["labels"]
    rows = [int(i) for i in top_rows(scores, top)]
    return [
        {
            "index": i,
            "row": prepared.label(i),
            "score": float(scores[i]),
            "flagged": bool(labels[i]),
            "reasons": why,
            "narrative": narrative(prepared, i, why),
        }
        for i, why in zip(rows, explain_rows(prepared, rows), strict=True)
    ]


def _show(state: InvestigationState, top: int) -> None:
    """Verdict, table of the top anomalies with reasons, shared causes, next step."""
    from rich.markup import escape

    out = console()
    if state.analysis is None or state.quality is None:
        out.print(f"[red]{escape(state.next_action['reason'])}[/]")
        return
    quality = state.quality
    out.print(escape(state.analysis["consensus_analysis"]["summary"]))
    for failed in state.analysis.get("failed_detectors", []):
        out.print(f"[yellow]{escape(failed['detector_name'])} gave no result: {escape(failed['error'])}[/]")
    colour = _COLOURS[quality["verdict"]]
    out.print(
        f"{escape(quality['explanation'])} Verdict: [{colour} bold]{quality['verdict']}[/] ({quality['overall']:.2f})."
    )
    if stretches := state.analysis["consensus_analysis"].get("episodes", []):
        _show_episodes(stretches, top)
    else:
        _show_rows(state, top)
    for note in state.transformations[:8]:
        about = ", ".join(str(c) for c in note["columns"])
        out.print(f"[dim]· {escape(about)}: {escape(str(note['detail']))}[/]")
    _show_next(state)


def _show_episodes(stretches: Sequence[dict[str, Any]], top: int) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("When", "Readings", "Score", "Why", title=f"Times that stand out: {len(stretches):,}", title_justify="left")  # fmt: skip
    for e in stretches[:top]:
        table.add_row(escape(e["when"]), f"{e['size']:,}", f"{e['score']:.2f}", escape(e["why"]))
    console().print(table)


def _show_rows(state: InvestigationState, top: int) -> None:
    from rich.markup import escape
    from rich.table import Table

    assert state.analysis is not None
    out = console()
    table = Table("Row", "Score", "Flagged", "Why", title=_title(state, top), title_justify="left")
    for entry in top_anomalies(state, top):
        why = "; ".join(r["text"] for r in entry["reasons"]) or "unusual only taken together"
        table.add_row(
            escape(entry["row"]), f"{entry['score']:.2f}", "yes" if entry["flagged"] else "", escape(why)
        )
    out.print(table)
    for group in state.analysis["consensus_analysis"].get("groups", [])[:5]:
        out.print(f"• {group['size']:,} rows share a cause: {escape(group['cause'])}")


def _title(state: InvestigationState, top: int) -> str:
    flagged = int(state.consensus["labels"].sum()) if state.consensus is not None else 0
    return f"Top {top} rows, {min(flagged, top):,} of them flagged"


def _show_next(state: InvestigationState) -> None:
    from rich.markup import escape

    action = state.next_action
    out = console()
    out.print(f"[bold]Next:[/] {escape(action['reason'])}")
    if "suggestion" in action:
        out.print(f"  → {escape(action['suggestion'])}")


def converse(engine: ADEngine, state: InvestigationState, top: int) -> InvestigationState:
    """Take feedback in words until an empty line, ``quit`` or agreement."""
    from rich.markup import escape
    from rich.prompt import Prompt

    out = console()
    out.print(
        '[dim]Answer in words ("row 7 is normal", "flag 1 %", "why row 12"), "report", or Enter to leave.[/]'
    )
    while True:
        try:
            said = Prompt.ask("[bold]>[/]", console=out, default="", show_default=False).strip()
        except (EOFError, KeyboardInterrupt):
            return state
        if said.casefold() in ("", "q", "quit", "exit", "bye"):
            return state
        try:
            state = answer(engine, state, said)
        except GnomonError as refused:
            show_error(refused)
            continue
        action = state.next_action
        if action["action"] == "done":
            out.print(escape(action["reason"]))
            return state
        if "explanations" in action:
            out.print(escape(action.get("summary", "")))
        elif action["action"] == "confirm_with_user":
            _show_next(state)
        elif said.casefold() == "report" or action["reason"].startswith("Ready"):
            out.print(escape(str(engine.report(state))))
        else:
            _show(state, top)


def answer(engine: ADEngine, state: InvestigationState, said: str) -> InvestigationState:
    """One turn: "yes" carries out what was proposed, anything else is feedback; then run and analyse."""
    proposed = state.next_action.get("proposed_change")
    agreed = said.casefold().strip(" .!") in ("y", "yes", "ok", "okay", "sure", "please", "do it", "go ahead")
    state = engine.iterate(state, dict(proposed) if agreed and proposed else said)
    if state.phase == "planned":
        with progress() as bar:
            task = bar.add_task("Running", total=1.0)
            state = engine.run(state, lambda what, share: bar.update(task, description=what, completed=share))
            if state.phase == "detected":
                state = engine.analyze(state)
    return state
