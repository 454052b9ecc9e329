"""Where the commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.markup import escape
from rich.segment import Segment

from gnomon.core.errors import GnomonError
from gnomon.core.visible import visible, visible_json

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class _Visible:
    """What is about to be printed, without anything in its texts that a terminal would obey."""

    def __init__(self, printed: ConsoleRenderable) -> None:
        self._printed = printed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._printed, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class _OnlyVisible(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Visible(r) for r in renderables]


class _Unseen:
    """What a progress bar does where nobody sees it."""

    def __enter__(self) -> _Unseen:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def add_task(self, *_: Any, **__: Any) -> TaskID:
        return cast("TaskID", 0)

    def update(self, *_: Any, **__: Any) -> None:
        return None


def console() -> Console:
    """Standard output, for results."""
    return _guarded(Console(highlight=False))


def error_console() -> Console:
    """Standard error, for progress and errors."""
    return _guarded(Console(stderr=True, highlight=False))


def _guarded(made: Console) -> Console:
    made.push_render_hook(_OnlyVisible())
    return made


def progress() -> Progress:
    """A progress bar on standard error; silent where that is not a terminal."""
    shown = error_console()
    if not shown.is_terminal:
        return cast("Progress", _Unseen())
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=shown,
        transient=True,
    )


def print_json(value: Any) -> None:
    """JSON on standard output, unstyled, one value.

    Soft wrapping would break long strings, so Rich is not involved.
    """
    import sys

    sys.stdout.write(visible_json(value, indent=2, allow_nan=False) + "\n")


def show_error(error: GnomonError) -> None:
    """One clear paragraph: what was wrong, then what to do."""
    out = error_console()
    out.print(f"[bold red]Error[/] ({error.code}): {escape(error.message)}", soft_wrap=True)
    for suggestion in error.suggestions:
        out.print(f"  → {escape(suggestion)}", soft_wrap=True)
