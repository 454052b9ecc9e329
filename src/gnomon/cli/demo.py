"""The demo commands: write the demo store, and show Gnomon at work on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.console import console, error_console, progress

if TYPE_CHECKING:
    from rich.console import Console

    from gnomon.data.demo_store import DemoStore
    from gnomon.data.profile_model import DatasetProfile, TableProfile

SEED = 7


def demo_data(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to; made where missing.")],
    scale: Annotated[
        float, typer.Option("--scale", help="How many times the usual 300 products and 200,000 orders.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same data.")] = SEED,
) -> None:
    """Write the demo store: eight Parquet tables of an invented shop, with known causes."""
    store = _write(folder, scale, seed)
    console().print(
        f"Wrote {sum(store.rows.values()):,} rows in {len(store.rows)} tables to {folder}.\n"
        f"Try [bold]gnomon profile {folder}[/].",
        soft_wrap=True,
    )


def demo() -> None:
    """Show Gnomon at work on the demo store, which is written on the first run."""
    from gnomon.core.settings import Settings
    from gnomon.data.demo_store import DemoStore
    from gnomon.data.profile import profile_dataset
    from gnomon.data.sources import open_sources

    settings = Settings.load()
    folder = settings.home.expanduser() / "demo"
    known = DemoStore.find(folder)
    store = known if known and (known.seed, known.scale) == (SEED, 1.0) else _write(folder, 1.0, SEED)
    with progress() as bar:
        task = bar.add_task("Profiling the demo store", total=len(store.rows))
        with open_sources(store.folder, settings=settings) as dataset:
            profile = profile_dataset(dataset, progress=lambda _, done, __: bar.update(task, completed=done))
    _show(console(), store, profile)


def _write(folder: Path, scale: float, seed: int) -> DemoStore:
    from gnomon.data.demo_store import write_demo_store

    error_console().print("Writing the demo store …")
    with progress() as bar:
        task = bar.add_task("Writing the demo store", total=1.0)
        return write_demo_store(folder, seed, scale, lambda share: bar.update(task, completed=share))


def _show(out: Console, store: DemoStore, profile: DatasetProfile) -> None:
    from rich.table import Table

    out.print(f"[bold]The demo store[/], an invented shop in {len(profile.tables)} tables\n")
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("table", "rows", "columns", "one row per", "time"):
        shown.add_column(heading, justify="right" if heading == "rows" else "left")
    for table in profile.tables:
        names = ", ".join(c.name for c in table.columns)
        key = " + ".join(table.keys[0].columns) if table.keys else "–"
        shown.add_row(table.name, f"{table.rows:,}", names, key, _period(table))
    out.print(shown)
    for join in profile.joins:
        out.print(f"  {join.table}.{join.column} → {join.to_table}.{join.to_column}", style="dim")
    out.print("\n[bold]What to try next[/]")
    out.print(f"  gnomon profile {store.folder / 'orders.parquet'}", soft_wrap=True)
    out.print(f"  gnomon profile {store.folder} --json", soft_wrap=True)
    out.print(f"  gnomon profile {store.folder} --safe     what a language model may see", soft_wrap=True)
    out.print("  gnomon profile YOUR_FILES…")


def _period(table: TableProfile) -> str:
    if not table.time:
        return "–"
    grain = table.time[0]
    return f"{grain.start[:10]} … {grain.end[:10]}"
