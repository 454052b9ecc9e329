"""The Typer application: which commands there are, and how errors end."""

from __future__ import annotations

import gc
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gnomon import __version__
from gnomon.cli.analyze import analyze
from gnomon.cli.ask import ask, chat
from gnomon.cli.coding import templates
from gnomon.cli.console import error_console, show_error
from gnomon.cli.demo import demo, demo_data
from gnomon.cli.doctor import doctor
from gnomon.cli.evaluate import evaluate
from gnomon.cli.insights import insights
from gnomon.cli.investigate import investigate
from gnomon.cli.llm import llm
from gnomon.cli.mcp import mcp
from gnomon.cli.profile import profile
from gnomon.cli.report import replay
from gnomon.cli.runs import runs
from gnomon.cli.semantic import semantic
from gnomon.cli.serve import serve
from gnomon.cli.tools import tools
from gnomon.cli.why import why
from gnomon.core.errors import GnomonError

_NEW_OBJECTS = 100_000


class _GuardedGroup(TyperGroup):
    """Turns every error into one paragraph and an exit code; ``--debug`` lets the traceback through."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GnomonError as e:
            if ctx.params.get("debug"):
                raise
            show_error(e)
            raise typer.Exit(1) from None
        except (RuntimeError, ArithmeticError, LookupError, TypeError, ValueError, OSError) as e:
            # The boundary to the terminal: a fault of ours must not print a traceback at a user.
            if ctx.params.get("debug") or isinstance(e, (typer.Exit, typer.Abort)) or hasattr(e, "exit_code"):
                raise
            error_console().print(
                f"[bold red]Error[/] (internal): {type(e).__name__}. This is a fault in Gnomon, not in your data.\n"
                "  → Run again with 'gnomon --debug …' to see the details."
            )
            raise typer.Exit(70) from None


app = typer.Typer(
    name="gnomon",
    cls=_GuardedGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="A data analyst that runs on your own machine.",
)


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"gnomon {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback when something fails.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A data analyst that runs on your own machine."""


app.command()(ask)
app.command()(why)
app.command()(chat)
app.command()(insights)
app.command()(profile)
app.command()(semantic)
app.command()(investigate)
app.command()(analyze)
app.command()(templates)
app.command()(tools)
app.command()(llm)
app.command()(doctor)
app.command()(runs)
app.command()(replay)
app.command()(serve)
app.command()(mcp)
app.command("eval")(evaluate)
app.command()(demo)
app.command("demo-data")(demo_data)


def main() -> None:
    """Entry point of the ``gnomon`` command."""
    # What is loaded stays: looking through it for garbage again and again, and once more at the end, costs half a
    # second of a command that takes two. What a command makes is still collected, less often.
    gc.set_threshold(_NEW_OBJECTS, 50, 1000)
    try:
        app()
    finally:
        gc.freeze()
