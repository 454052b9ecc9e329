"""The command line: parse, call the rooms below, render. ``gnomon --help`` lists the commands."""

from __future__ import annotations

from gnomon.cli.app import main

__all__ = ["main"]
