"""``gnomon profile``: what files hold, as tables to read or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.cli.console import console, print_json, progress
from gnomon.core.errors import DataUnavailable
from gnomon.core.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from gnomon.data import ColumnProfile, DatasetProfile, LoadedData, TableProfile


def profile(
    files: Annotated[list[str], typer.Argument(help="Files, folders, globs or database URLs.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    safe: Annotated[
        bool, typer.Option("--safe", help="Only what a language model may see: no value of any cell.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Pass over every row of files over the size limit too.")
    ] = False,
) -> None:
    """Show what files hold: columns and their roles, ranges, frequent values, keys, joins, gaps and warnings."""
    loaded = _load(files, full=full)
    try:
        if not loaded.profile.tables:
            _finish(loaded.profile)
        if safe:
            _print_safe(loaded.profile, as_json=as_json)
        elif as_json:
            print_json(loaded.profile.to_dict())
        else:
            _print(console(), loaded.profile)
    finally:
        loaded.dataset.close()
    _finish(loaded.profile)


def _load(files: list[str], *, full: bool) -> LoadedData:
    from gnomon.data import load_and_profile_data

    with progress() as bar:
        task = bar.add_task("Opening", total=None)

        def advance(name: str, done: int, total: int) -> None:
            bar.update(task, description=f"Profiled {name}", completed=done, total=total)

        return load_and_profile_data(files, full=full, progress=advance)


def _finish(found: DatasetProfile) -> None:
    """A source that failed makes the command fail; beside good tables it has been shown already."""
    if not found.failures:
        return
    if found.tables:
        raise typer.Exit(1)
    reasons = " ".join(f.message for f in found.failures)
    suggestions = [s for f in found.failures for s in f.suggestions]
    raise DataUnavailable(reasons, suggestions=list(dict.fromkeys(suggestions)))


def _print_safe(found: DatasetProfile, *, as_json: bool) -> None:
    from gnomon.data import build_safe_profile

    safe = build_safe_profile(found)
    if as_json:
        print_json(safe.to_dict())
    else:
        typer.echo(visible(str(safe)))


def _print(out: Console, found: DatasetProfile) -> None:
    from rich.text import Text

    for table in found.tables:
        _print_table(out, table)
    if found.joins:
        out.print(Text("Joins", style="bold"))
        for j in found.joins:
            share = f"{j.containment:.0%} of the values found"
            out.print(Text(f"  {j.table}.{j.column} → {j.to_table}.{j.to_column}  {j.kind}, {share}"))
    for warning in found.warnings:
        out.print(Text(f"! {warning}", style="yellow"))
    if found.tables:
        for f in found.failures:
            out.print(Text(f"Not profiled: {f.source}: {f.message}", style="red"))


def _print_table(out: Console, table: TableProfile) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    out.print(Text(f"{table.name}  ({table.source})", style="bold"))
    out.print(Text(f"{table.rows:,} rows, {len(table.columns)} columns. {table.basis}", style="dim"))
    grid = Grid(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("column", "type", "role"):
        grid.add_column(name, overflow="fold")
    for name in ("nulls", "distinct"):
        grid.add_column(name, justify="right", no_wrap=True)
    for name in ("low … median … high", "most frequent"):
        grid.add_column(name, overflow="fold", ratio=1)
    for c in table.columns:
        about = "" if c.distinct_exact else "~"
        role = f"{c.role.value} ({c.personal.value})" if c.personal else c.role.value
        role = f"{role}, {c.unit}" if c.unit else role
        cells = (
            c.name,
            c.type,
            role,
            f"{c.null_rate:.1%}",
            f"{about}{c.distinct:,}",
            _range(c),
            _frequent(c, table),
        )
        grid.add_row(*(Text(cell) for cell in cells))
    out.print(grid)
    for line in _facts(table):
        out.print(Text(f"  {line}"))
    for warning in (*table.warnings, *(f"{c.name}: {w}" for c in table.columns for w in c.warnings)):
        out.print(Text(f"! {warning}", style="yellow"))
    out.print()


def _facts(table: TableProfile) -> list[str]:
    facts: list[str] = []
    if table.keys:
        keys = ", ".join(
            " + ".join(k.columns) + ("" if k.exact else " (in all rows looked at)") for k in table.keys
        )
        facts.append(f"Key: {keys}")
    for g in table.time:
        how = f"one value every {g.grain}" if g.regular else f"rows at any time, counted by {g.grain}"
        gaps = "; ".join(f"{x.start} to {x.end} ({x.periods})" for x in g.gaps[:3])
        more = f", {g.missing:,} periods without rows: {gaps}" if g.missing else ", no gaps"
        facts.append(f"Time: {g.column}, {how}, {g.start} to {g.end}{more}")
    for c in table.columns:
        if c.conversion:
            v = c.conversion
            lost = f", {v.failed:,} cells could not be read" if v.failed else ""
            facts.append(f"Read as {v.kind.value}: {c.name} ({v.detail}), {v.converted:,} cells{lost}")
    return facts


def _range(column: ColumnProfile) -> str:
    if column.minimum is None:
        return ""
    middle = f" … {_short(column.quantiles['p50'])}" if column.quantiles and column.mean is not None else ""
    return f"{_short(column.minimum)}{middle} … {_short(column.maximum)}"


def _frequent(column: ColumnProfile, table: TableProfile) -> str:
    shown = [t for t in column.top_values[:3] if t.count > 1]
    return ", ".join(f"{_short(t.value)} ({t.count / max(table.rows, 1):.0%})" for t in shown)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:,.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 24 else text[:23] + "…"
