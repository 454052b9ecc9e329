"""The command line: parse, call the rooms below, render. ``gnomon --help`` lists the commands."""

from __future__ import annotations

import gc
import os

__all__ = ["main"]

_NEW_OBJECTS = 300_000


def main() -> None:
    """Entry point of the ``gnomon`` command."""
    # What is loaded stays: looking through it for garbage again and again, and once more at the end, costs half a
    # second of a command that takes two. What a command makes is still collected, less often.
    gc.set_threshold(_NEW_OBJECTS, 50, 1000)
    # Nor does it look through all that is installed for something that changes how models are checked.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Nor do threads that have nothing to multiply turn in circles until there is something again.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Nor are the methods of its dataclasses compiled again.
    from gnomon.core.made_methods import keep_methods

    keep_methods()
    from gnomon.cli.app import run

    run()
