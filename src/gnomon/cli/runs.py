"""``gnomon runs``: what was done, when, and how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.cli.console import console, print_json
from gnomon.core.settings import Settings

if TYPE_CHECKING:
    from rich.table import Table

    from gnomon.store import Run

_COLOURS = {"success": "green", "partial_success": "yellow", "needs_feedback": "yellow", "failed": "red"}


def runs(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[show] [ID]", help="Show this run; the beginning of its id is enough."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many of the latest runs to list.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """List the latest runs, or show one with its plan, its events and what was sent to a language model for it."""
    from gnomon.core.errors import InvalidInput
    from gnomon.llm import EgressLedger
    from gnomon.store import Store

    named = [w for i, w in enumerate(wanted or ()) if not (i == 0 and w == "show")]
    if len(named) > 1 or (wanted and not named):
        raise InvalidInput("Name one run.", suggestions=["gnomon runs lists them.", "gnomon runs show ID"])
    settings = Settings.load()
    with Store.open(settings) as store:
        if not named:
            _list(store.runs(limit), as_json)
            return
        run = store.run(named[0])
    _show(run, EgressLedger.of(settings).entries(run.id), as_json)


def _list(found: list[Run], as_json: bool) -> None:
    if as_json:
        print_json([r.model_dump(mode="json", exclude={"plan", "results", "events"}) for r in found])
        return
    if not found:
        console().print("No runs yet.")
        return
    table = _table("Run", "Started", "Status", "Strategy", "Tools", "Seconds")
    for r in found:
        table.add_row(
            r.id, _time(r), _coloured(r.status), r.strategy, _escaped(", ".join(r.tools)), _seconds(r)
        )
    console().print(table)


def _show(run: Run, sent: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({**run.model_dump(mode="json"), "sent": sent})
        return
    out = console()
    out.print(f"[bold]Run {_escaped(run.id)}[/]  {_coloured(run.status)}  {_time(run)}  {_seconds(run)} s")
    if reasoning := run.plan.get("reasoning"):
        out.print(_escaped(str(reasoning)))
    for conflict in run.plan.get("conflicts", []):
        out.print(f"[yellow]{_escaped(conflict['type'])}[/]: {_escaped(conflict['description'])}")
    results = {r["step"]: r for r in run.results}
    plan = _table("Step", "Tool", "After", "Parameters", "Status", "Attempts", "Seconds", "Error")
    for step in run.plan.get("steps", []):
        plan.add_row(*_step_cells(step, results.get(step["id"], {})))
    out.print(plan)
    events = _table("At", "Event", "Step", "Tool", "Details")
    for e in run.events:
        shown = ", ".join(f"{k}={v}" for k, v in e.data.items())
        if e.fraction is not None:
            shown = f"{e.fraction:.0%} {shown}"
        events.add_row(
            e.at.isoformat(timespec="milliseconds"), e.kind, e.step or "", e.tool or "", _escaped(shown)
        )
    out.print(events)
    _show_sent(sent)


def _show_sent(sent: list[dict[str, Any]]) -> None:
    out = console()
    if not sent:
        out.print("[dim]Nothing was sent to a language model.[/]")
        return
    out.print("[bold]Sent to a language model[/]")
    for entry in sent:
        used = entry.get("used", {})
        tokens = (
            f"{used['input_tokens']:,} tokens read, {used['output_tokens']:,} written" if used else "no count"
        )
        out.print(
            f"[bold]{_escaped(entry['at'])}[/]  {_escaped(entry.get('why', ''))}  level {_escaped(entry['level'])}  "
            f"{entry['bytes']:,} bytes  {tokens}  {_escaped(entry['channel'])}",
            soft_wrap=True,
        )
        for said in _said(entry.get("text", "")):
            out.print(f"[dim]{_escaped(said)}[/]", soft_wrap=True)


def _said(body: str) -> list[str]:
    """What is new in a request: what the user's side says last; the whole of it is in the ledger, and in --json."""
    import json

    try:
        messages = json.loads(body)["messages"]
        return [str(messages[-1]["content"])]
    except (ValueError, KeyError, IndexError, TypeError):
        return [body[:2000]]


def _step_cells(step: dict[str, Any], result: dict[str, Any]) -> list[str]:
    inputs = {name: f"{ref['step']}.{ref.get('field') or '*'}" for name, ref in step["inputs"].items()}
    needs = sorted(set(step["depends_on"]) | {ref["step"] for ref in step["inputs"].values()})
    tool = (
        step["tool"]
        if result.get("tool_id") in (None, step["tool"])
        else f"{step['tool']} → {result['tool_id']}"
    )
    given = ", ".join(f"{k}={v}" for k, v in (step["params"] | inputs).items())
    return [
        _escaped(step["id"]),
        _escaped(tool),
        _escaped(", ".join(needs)),
        _escaped(given),
        _coloured(result.get("status", "")),
        str(result.get("attempts", "")),
        f"{result['duration_seconds']:.3f}" if result else "",
        _escaped(result.get("error") or ""),
    ]


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in {"Seconds", "Attempts"} else "left")
    return table


def _time(run: Run) -> str:
    return run.started_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _seconds(run: Run) -> str:
    return "" if run.duration_seconds is None else f"{run.duration_seconds:.3f}"


def _coloured(status: str) -> str:
    colour = _COLOURS.get(status)
    return f"[{colour}]{status}[/]" if colour else _escaped(status)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
