"""The demo commands: write the demo store, and show Gnomon at work on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.console import console, error_console, progress

if TYPE_CHECKING:
    from rich.console import Console

    from gnomon.cli.demo_summary import Summary
    from gnomon.core.settings import Settings
    from gnomon.data.demo_store import DemoStore

SEED = 7


def demo_data(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; made where missing.")],
    scale: Annotated[
        float, typer.Option("--scale", help="How many times the usual 300 products and 200,000 orders.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same data.")] = SEED,
) -> None:
    """Write the demo store: eight Parquet tables of an invented shop, with known causes."""
    from rich.markup import escape

    store = _write(folder, scale, seed)
    shown = escape(str(folder))
    console().print(
        f"Wrote {sum(store.rows.values()):,} rows in {len(store.rows)} tables to {shown}.\n"
        f"Try [bold]gnomon profile {shown}[/].",
        soft_wrap=True,
    )


def demo(
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve", help="End with the page on the demo store; so it is on a terminal."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser, where it is served.")
    ] = True,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; a free one if it is taken.")
    ] = 8765,
) -> None:
    """Show Gnomon at work on the demo store, which is written on the first run, and then its page."""
    from gnomon.cli.demo_summary import Summary
    from gnomon.core.private import private_folder
    from gnomon.core.settings import Settings
    from gnomon.data.demo_store import DemoStore

    settings = Settings.load()
    folder = private_folder(settings.home.expanduser() / "demo")
    known = DemoStore.find(folder)
    store = known if known and (known.seed, known.scale) == (SEED, 1.0) else _write(folder, 1.0, SEED)
    summary = Summary.recall(store)
    if summary is None:
        summary = _profile(store, settings)
        summary.remember(store)
    _show(console(), store, summary)
    _ask(store)
    if sys.stdin.isatty() and sys.stdout.isatty() if serve is None else serve:
        from gnomon.cli.serve import leave

        _serve(port, browser=browser)
        leave()


QUESTIONS = (
    "What was the revenue last month?",
    "Top 3 products by units sold in 2025",
    "How did the conversion rate develop by quarter?",
    "What is our net promoter score?",
)


WHY = "Why did revenue drop in the week of 27 October 2025?"


def _ask(store: DemoStore) -> None:
    """Answer a few questions about the store."""
    from gnomon.cli.ask import open_with_progress, show

    out = console()
    out.print("\n[bold]A few questions[/], answered with numbers that were computed just now")
    with open_with_progress([str(store.folder)]) as analyst:
        for question in QUESTIONS:
            out.print(f"\n[bold cyan]?[/] {question}")
            show(analyst.ask(question))
        out.print(f"\n[bold]And one explanation[/]\n\n[bold cyan]?[/] {WHY}")
        show(analyst.why(WHY))


def _serve(port: int, *, browser: bool) -> None:
    """The page, until Ctrl+C."""
    from gnomon.cli.serve import serve_page
    from gnomon.core.errors import ConfigurationError

    console().print("\n[bold]And the same on a page[/], on the demo store")
    try:
        serve_page("127.0.0.1", port, [], browser=browser, shown="demo")
    except ConfigurationError:
        serve_page("127.0.0.1", 0, [], browser=browser, shown="demo")


def _write(folder: Path, scale: float, seed: int) -> DemoStore:
    from gnomon.data.demo_store import write_demo_store

    error_console().print("Writing the demo store …")
    with progress() as bar:
        task = bar.add_task("Writing the demo store", total=1.0)
        return write_demo_store(folder, seed, scale, lambda share: bar.update(task, completed=share))


def _profile(store: DemoStore, settings: Settings) -> Summary:
    from gnomon.cli.demo_summary import Summary
    from gnomon.data.profile import profile_dataset
    from gnomon.data.sources import open_sources

    error_console().print("Profiling it …")
    with progress() as bar, open_sources(store.folder, settings=settings) as dataset:
        task = bar.add_task("Profiling the demo store", total=len(store.rows))
        profile = profile_dataset(dataset, progress=lambda _, done, __: bar.update(task, completed=done))
    return Summary.of(profile)


def _show(out: Console, store: DemoStore, summary: Summary) -> None:
    from rich.markup import escape
    from rich.padding import Padding

    out.print(f"[bold]The demo store[/], an invented shop in {len(summary.tables)} tables")
    for table in summary.tables:
        facts = [f"{table.rows:,} rows", f"one row per {table.key}" if table.key else "", table.period]
        out.print(f"\n[bold cyan]{table.name}[/]  {' · '.join(f for f in facts if f)}")
        named = ", ".join(f"{name} [dim]({role})[/]" for name, role in table.columns)
        out.print(Padding(named, (0, 0, 0, 2)))
    out.print("\n[bold]How the tables hang together[/]")
    for join in summary.joins:
        out.print(f"  {join}")
    folder = escape(str(store.folder))
    out.print("\n[bold]What to try next[/]")
    for command, why in (
        (f"gnomon ask {folder} 'revenue by region last quarter'", "a question in words"),
        (f"gnomon why {folder} 'Why did Audio sales drop in May 2025?'", "an explanation"),
        (f"gnomon chat {folder}", "one question after another"),
        (f"gnomon profile {folder}/orders.parquet", "one table in full"),
        (f"gnomon profile {folder} --safe", "what a language model may see"),
        (
            f"gnomon investigate {folder}/account.parquet --columns date,late_shipment_rate",
            "days that stand out",
        ),
        (
            f"gnomon analyze {folder}/orders.parquet 'total revenue by channel as a bar chart'",
            "a task in words",
        ),
        (
            f"gnomon analyze {folder}/orders.parquet 'forecast revenue for the next 4 weeks'",
            "with an interval",
        ),
        ("gnomon serve --browser", "the page, the same over HTTP, and for AI agents at /mcp"),
    ):
        out.print(f"  {command}  [dim]{why}[/]", soft_wrap=True)
