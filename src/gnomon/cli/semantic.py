"""``gnomon semantic``: what tables mean, as YAML to edit and pass along with the data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli.console import error_console, progress
from gnomon.cli.llm import told_apart, with_model
from gnomon.core.errors import ConfigurationError, DataUnavailable, InvalidInput
from gnomon.core.visible import visible

if TYPE_CHECKING:
    from gnomon.core.settings import Settings
    from gnomon.data import LoadedData
    from gnomon.semantic import SemanticModel


def semantic(
    files: Annotated[list[str], typer.Argument(help="Files, folders, globs or database URLs.")],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="A .yaml file, whole or in part, to lay over what is inferred; with --enrich also a language model: a name, a GGUF file, 'installed' or 'replay:FOLDER'.",
        ),
    ] = None,
    means: Annotated[
        list[str] | None,
        typer.Option("--means", help="A word of yours for a metric or dimension, as 'sales=net_revenue'."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead.")] = None,
    enrich: Annotated[
        bool,
        typer.Option(
            "--enrich",
            help="Ask a language model once what the names mean; it sees names and types, never a cell. What holds against the data is written, the rest is told.",
        ),
    ] = False,
) -> None:
    """Write what tables mean (metrics, dimensions, joins, synonyms) as YAML, inferred from the data."""
    given, language_model = told_apart(models)
    if not enrich and language_model is not None:
        given = Path(language_model)
    settings = with_model(language_model if enrich else None)
    if enrich and settings.model is None:
        raise ConfigurationError(
            "--enrich asks a language model, and none is configured.",
            suggestions=[
                "Set GNOMON_MODEL and GNOMON_MODEL_URL, or GNOMON_MODEL to the path of a GGUF file.",
                "Or run 'gnomon llm install' once, and add --model installed.",
            ],
        )
    loaded = load(files)
    try:
        found = _model(loaded, given)
        if enrich:
            found = enriched(loaded, found, settings)
        found = _corrected(found, means or [])
    finally:
        loaded.dataset.close()
    from gnomon.semantic import dump_model

    text = dump_model(found)
    if output is None:
        sys.stdout.write(visible(text))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as e:
        raise InvalidInput(f"{output} cannot be written: {e.strerror or e}.") from None
    counts = f"{len(found.metrics)} metrics and {len(found.dimensions)} dimensions"
    error_console().print(f"Wrote {counts} of {len(found.tables)} tables to {output}.")


def load(files: list[str]) -> LoadedData:
    """Open tables and look at them, with a bar that says how far it is.

    Raises:
        DataUnavailable: There is no table.
    """
    from gnomon.data import load_and_profile_data

    with progress() as bar:
        task = bar.add_task("Opening", total=None)

        def advance(name: str, done: int, total: int) -> None:
            bar.update(task, description=f"Profiled {name}", completed=done, total=total)

        loaded = load_and_profile_data(files, progress=advance)
    if not loaded.profile.tables:
        loaded.dataset.close()
        failures = loaded.profile.failures
        raise DataUnavailable(
            " ".join(f.message for f in failures) or "There are no tables to describe.",
            suggestions=list(dict.fromkeys(s for f in failures for s in f.suggestions)),
        )
    return loaded


def _model(loaded: LoadedData, given: Path | None) -> SemanticModel:
    from gnomon.semantic import infer_model, load_model

    inferred = infer_model(loaded.profile, loaded.dataset)
    if given is None:
        return inferred
    try:
        text = given.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or "it is not text"
        raise DataUnavailable(f"The model {given} cannot be read: {reason}.") from None
    return load_model(text, inferred)


def enriched(loaded: LoadedData, model: SemanticModel, settings: Settings) -> SemanticModel:
    """The model with what a language model could add, each proposal and its fate told on the way.

    Raises:
        GnomonError: The language model gave nothing that can be used.
    """
    from gnomon.agents.describing import enrich
    from gnomon.llm import ModelClient
    from gnomon.llm.privacy import level_of, names_of

    level = level_of(settings, [names_of(t.name, t.source) for t in loaded.dataset])
    client = ModelClient.of(settings.model_copy(update={"privacy": level.value}))
    assert client is not None, "the settings name a model"
    try:
        with progress() as bar:
            bar.add_task(f"{settings.model} reads the names", total=None)
            found = enrich(loaded, model, client)
    finally:
        client.close()
    out = error_console()
    for proposal in found.proposals:
        out.print(f"{proposal}.", markup=False, highlight=False, soft_wrap=True)
    kept = sum(p.accepted for p in found.proposals)
    out.print(f"{kept} of {len(found.proposals)} proposals hold; privacy level {level.value}.")
    return found.model


def _corrected(model: SemanticModel, means: list[str]) -> SemanticModel:
    from gnomon.semantic import with_correction

    for given in means:
        phrase, sign, target = given.partition("=")
        if not sign:
            raise InvalidInput(
                f"{given!r} does not say what a word means.",
                suggestions=["Write --means 'sales=net_revenue'."],
            )
        model = with_correction(model, phrase, target.strip())
    return model
