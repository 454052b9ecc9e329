"""Where the commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gnomon.core.errors import GnomonError


def console() -> Console:
    """Standard output, for results."""
    return Console(highlight=False)


def error_console() -> Console:
    """Standard error, for progress and errors."""
    return Console(stderr=True, highlight=False)


def progress() -> Progress:
    """A progress bar on standard error; silent where that is not a terminal."""
    shown = error_console()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=shown,
        transient=True,
        disable=not shown.is_terminal,
    )


def print_json(value: Any) -> None:
    """JSON on standard output, unstyled, one value.

    Soft wrapping would break long strings, so Rich is not involved.
    """
    import sys

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str, allow_nan=False) + "\n")


def show_error(error: GnomonError) -> None:
    """One clear paragraph: what was wrong, then what to do."""
    out = error_console()
    out.print(f"[bold red]Error[/] ({error.code}): {escape(error.message)}", soft_wrap=True)
    for suggestion in error.suggestions:
        out.print(f"  → {escape(suggestion)}", soft_wrap=True)
