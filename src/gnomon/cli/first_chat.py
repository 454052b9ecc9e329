"""The question that the first ``gnomon chat`` asks: whether a language model may read the names of the data once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from gnomon.cli.console import console, error_console
from gnomon.core.errors import GnomonError
from gnomon.core.private import private_file, private_folder

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.core.settings import Settings

YES, NO = "yes", "no"


def offer_names(analyst: Analyst, sources: list[str], settings: Settings) -> bool:
    """Ask once whether the model may say what names mean, and let it; whether the data is to be opened anew.

    Nobody is asked without a terminal or a model, about data whose meaning was given in a file, or where the model would
    see no names. What was said is remembered for this data.

    Args:
        analyst: The data as it is open.
        sources: Where it is.
        settings: Which model.
    """
    file = analyst.meaning_file
    if settings.model is None or file is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    from gnomon.llm.privacy import level_of, names_of

    level = level_of(settings, [names_of(t.name, t.source) for t in analyst.dataset])
    answered = file.with_suffix(".asked")
    if answered.is_file() or not level.names:
        return False
    columns = sum(len(t.columns) for t in analyst.dataset)
    out = console()
    out.print(
        f"Shall {escape(settings.model)} read the names and types of your columns once, so that questions in other words "
        f"are understood without it? It is sent {len(analyst.dataset)} tables and {columns} columns by name and type, no cell; "
        f"what it says is checked, and written to {escape(str(file))}, where you can edit it.",
        soft_wrap=True,
    )
    try:
        said = out.input("\\[y/N] ").strip().lower()
    except (EOFError, KeyboardInterrupt):
        return False
    if said not in ("y", YES):
        _remember(answered, NO)
        return False
    try:
        _enrich(sources, settings, file)
    except GnomonError as e:
        error_console().print(f"[red]{escape(e.message)}[/] The names stay as they are.")
        return False
    _remember(answered, YES)
    return True


def _enrich(sources: list[str], settings: Settings, file: Path) -> None:
    from gnomon.cli.semantic import enriched, load
    from gnomon.semantic import dump_changes, infer_model, load_model

    loaded = load(sources)
    try:
        inferred = infer_model(loaded.profile, loaded.dataset)
        before = load_model(file.read_text(encoding="utf-8"), inferred) if file.is_file() else inferred
        found = enriched(loaded, before, settings)
    finally:
        loaded.dataset.close()
    private_folder(file.parent)
    if file.is_file():
        file.replace(file.with_suffix(".before.yaml"))
    private_file(file).write_text(dump_changes(found, inferred), encoding="utf-8")


def _remember(file: Path, said: str) -> None:
    private_folder(file.parent)
    private_file(file).write_text(said, encoding="utf-8")
