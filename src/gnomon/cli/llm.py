"""``gnomon llm``: fetch a language model for this machine, and see what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from gnomon.cli.console import console, error_console, progress
from gnomon.core.errors import GnomonError, NotFound
from gnomon.core.settings import Settings

_ACTIONS = ("install", "where")


def llm(
    action: Annotated[
        str,
        typer.Argument(
            help="install: fetch a model (1.1 GB); where: its path, and how far each model is believed."
        ),
    ] = "where",
) -> None:
    """Fetch a language model that runs on this machine, checked against its hash, or say where it is."""
    from gnomon.llm.install import INSTALLED, QWEN, install_model, installed_model

    settings = Settings.load()
    out = console()
    if action == "where":
        path = installed_model(settings)
        there = path.is_file()
        out.print(
            str(path) if there else "No model is installed; 'gnomon llm install' fetches one.", soft_wrap=True
        )
        for standing in _standings(settings):
            out.print(standing, soft_wrap=True, markup=False)
        return
    if action != "install":
        raise NotFound.among("action", action, _ACTIONS)
    out.print(f"{QWEN.name}, {QWEN.size / 1e9:.1f} GB.")
    out.print(f"Licence: {QWEN.licence}", soft_wrap=True)
    with progress() as bar:
        task = bar.add_task("Fetching", total=QWEN.size)

        def told(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        path = install_model(settings, progress=told)
    out.print(f"Installed at {path}", soft_wrap=True)
    out.print(f"Use it with --model {INSTALLED}, or set GNOMON_MODEL={INSTALLED}.")
    out.print(
        f"'gnomon doctor --model {INSTALLED}' measures how far its queries are believed.", soft_wrap=True
    )


def _standings(settings: Settings) -> list[str]:
    """How far each model that was measured is believed, and the one that is configured."""
    from gnomon.llm import ModelClient
    from gnomon.llm.trust import Trust

    trust = Trust.of(settings)
    try:
        client = ModelClient.of(settings)
    except GnomonError as e:
        client, told = None, [e.message]
    else:
        told = []
    own = [client.identity] if client is not None and client.measurable else []
    if client is not None:
        client.close()
    return [trust.standing(model) for model in dict.fromkeys([*own, *trust.known()])] + told


def tell_measuring(settings: Settings) -> None:
    """Say, beside an answer, that the model is being measured, where it is."""
    from gnomon.llm import ModelClient
    from gnomon.llm.trust import Trust

    client = ModelClient.of(settings)
    if client is None:
        return
    client.close()
    done = Trust.of(settings).progress(client.identity)
    if done is not None:
        error_console().print(
            f"[dim]{escape(client.identity)} is being measured in the background: {done[0]} of {done[1]} questions about the "
            "demo store, names and types only. 'gnomon llm' tells how far it is.[/]",
            soft_wrap=True,
        )


def with_model(model: str | None, privacy: str | None = None) -> Settings:
    """The settings, with the model and level that a command names; ``none`` is no model."""
    given: dict[str, object] = {}
    if model is not None:
        given["model"] = None if model == "none" else model
    if privacy is not None:
        given["privacy"] = privacy
    return Settings.load(**given)


def told_apart(given: list[str] | None) -> tuple[Path | None, str | None]:
    """What ``--model`` names: a YAML file that says what tables mean, and a language model."""
    meaning = [m for m in given or () if m.lower().endswith((".yaml", ".yml"))]
    language = [m for m in given or () if m not in meaning]
    return (Path(meaning[-1]) if meaning else None, language[-1] if language else None)
