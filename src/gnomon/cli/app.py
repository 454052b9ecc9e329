"""The Typer application: which commands there are, and how errors end."""

from __future__ import annotations

import errno
import gc
import io
import logging
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gnomon import __version__
from gnomon.cli.console import error_console, show_error
from gnomon.core.errors import GnomonError

# Each command's module and function; only the one that is called is loaded.
COMMANDS = {
    "ask": ("ask", "ask"),
    "why": ("why", "why"),
    "chat": ("ask", "chat"),
    "insights": ("insights", "insights"),
    "profile": ("profile", "profile"),
    "semantic": ("semantic", "semantic"),
    "investigate": ("investigate", "investigate"),
    "analyze": ("analyze", "analyze"),
    "templates": ("coding", "templates"),
    "tools": ("tools", "tools"),
    "llm": ("llm", "llm"),
    "doctor": ("doctor", "doctor"),
    "runs": ("runs", "runs"),
    "replay": ("report", "replay"),
    "serve": ("serve", "serve"),
    "mcp": ("mcp", "mcp"),
    "eval": ("evaluate", "evaluate"),
    "demo": ("demo", "demo"),
    "demo-data": ("demo", "demo_data"),
}


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
        except Exception as e:
            # The boundary to the terminal: a fault of ours must not print a traceback at a user.
            if ctx.params.get("debug") or isinstance(e, (typer.Exit, typer.Abort)) or hasattr(e, "exit_code"):
                raise
            if isinstance(e, OSError) and e.errno in _UNWRITTEN and e.filename is None:
                _forget_output()
                error_console().print(f"[bold red]Error[/]: the output cannot be written: {e.strerror}.")
                raise typer.Exit(1) from None
            error_console().print(
                f"[bold red]Error[/] (internal): {type(e).__name__}. This is a fault in Gnomon, not in your data.\n"
                "  → Run again with 'gnomon --debug …' to see the details."
            )
            raise typer.Exit(70) from None


_UNWRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG})


def _forget_output() -> None:
    """Let go of what could not be written, so that the end of the program does not try it once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"gnomon {__version__}\n")
        raise typer.Exit


def options(
    ctx: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback when something fails.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A data analyst that runs on your own machine."""
    # What the program notes for itself is no part of an answer; a service has its operator for a reader.
    if not debug and ctx.invoked_subcommand not in ("serve", "mcp"):
        logging.getLogger("gnomon").addHandler(logging.NullHandler())


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with some of the commands."""
    made = typer.Typer(
        name="gnomon",
        cls=_GuardedGroup,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        help="A data analyst that runs on your own machine.",
    )
    made.callback()(options)
    for name in names:
        module, function = COMMANDS[name]
        made.command(name)(getattr(import_module(f"gnomon.cli.{module}"), function))
    return made


@cache
def _whole() -> typer.Typer:
    return application()


def __getattr__(name: str) -> Any:
    if name == "app":
        return _whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run() -> None:
    """Do what the command line says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a sign that a terminal does not know is no reason to say nothing
            stream.reconfigure(errors="replace")
    first = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    try:
        application([first] if first in COMMANDS else COMMANDS)()
    finally:
        gc.freeze()
