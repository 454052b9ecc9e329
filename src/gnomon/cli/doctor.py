"""``gnomon doctor``: what works on this machine, and what to do about what does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Literal

import typer
from rich.markup import escape

from gnomon.cli.console import console, print_json, progress
from gnomon.cli.llm import with_model
from gnomon.core.errors import GnomonError
from gnomon.core.settings import Settings

_MARKS = {"ok": "[green]✓[/]", "absent": "[yellow]–[/]", "broken": "[red]✗[/]"}
EXTRAS = {
    "llm": (("pydantic_ai", "openai"), "a language model at an address"),
    "local": (("xllamacpp", "pydantic_ai", "openai"), "a language model from a file"),
    "coder": (("altair", "matplotlib"), "figures of generated code"),
    "charts": (("vl_convert",), "charts as pictures"),
    "reports": (("typst", "vl_convert", "xlsxwriter"), "reports as PDF and Excel"),
    "postgres": (("psycopg",), "Postgres databases"),
    "polars": (("polars",), "Polars frames"),
    "images": (("PIL",), "anomalies in images"),
    "dask": (("distributed",), "work on a Dask cluster"),
}


@dataclass(frozen=True)
class Check:
    """One line: what was looked at, how it is, and what to do where it fails."""

    what: str
    state: Literal["ok", "absent", "broken"]
    says: str
    fix: str = ""


def doctor(
    data: Annotated[
        list[str] | None, typer.Argument(help="Files or database URLs that should be reachable.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="A language model to try, as for 'analyze'.")] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure again how far the model is believed.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False,
) -> None:
    """Try what Gnomon needs: the model, the walls around generated code, the store, data, and optional parts."""
    settings = with_model(model)
    found: list[Check] = []
    for check in _checks(settings, data or [], measure):
        found.append(check)
        if not json_output:
            console().print(
                f"{_MARKS[check.state]} [bold]{escape(check.what)}[/]  {escape(check.says)}", soft_wrap=True
            )
            if check.fix:
                console().print(f"    → {escape(check.fix)}", soft_wrap=True)
    if json_output:
        print_json([vars(c) for c in found])
    if any(c.state == "broken" for c in found):
        raise typer.Exit(1)


def _checks(settings: Settings, data: list[str], measure: bool) -> Iterator[Check]:
    answers = _tried("Language model", lambda: _model(settings))
    yield answers
    if answers.state == "ok" and settings.model_url is None and settings.model:
        yield from _engine(settings.model)
    if answers.state == "ok":
        yield _tried("How far it is believed", lambda: _trust(settings, measure))
    yield _tried("Sandbox", lambda: _sandbox(settings))
    yield _tried("Store", lambda: _store(settings))
    for source in data:
        yield _tried("Data", lambda: _data(source, settings))  # noqa: B023 - run before the next one is made
    for extra, (modules, purpose) in EXTRAS.items():
        if all(find_spec(m) is not None for m in modules):
            yield Check(f"Part '{extra}'", "ok", f"{purpose}")
        else:
            yield Check(
                f"Part '{extra}'", "absent", f"not installed: {purpose}", f"pip install 'gnomon[{extra}]'"
            )


def _tried(what: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except GnomonError as e:
        return Check(what, "broken", e.message, e.suggestions[0] if e.suggestions else "")


def _model(settings: Settings) -> Check:
    from gnomon.llm import ModelClient, Purpose

    if settings.model is None:
        return Check(
            "Language model", "absent", "none is configured, and none is needed",
            "gnomon llm install, or set GNOMON_MODEL and GNOMON_MODEL_URL, for analyses in words of your own",
        )  # fmt: skip
    client = ModelClient.of(settings)
    assert client is not None
    try:
        client.ask(
            "Answer with the one word: ready.",
            "Are you ready?",
            str,
            purpose=Purpose("a check by gnomon doctor"),
        )
    finally:
        client.close()
    return Check("Language model", "ok", f"{settings.model} answers; privacy level {settings.privacy}")


def _engine(model: str) -> Iterator[Check]:
    """What serves a file, where it leaves parts of the processor unused."""
    from gnomon.llm import gguf

    if not gguf.is_file_name(model):
        return
    if (server := gguf.executable()) is not None:
        yield Check("What serves it", "ok", f"llama.cpp's own server, {server}")
    elif unused := gguf.unused_instructions():
        yield Check(
            "What serves it", "absent", f"xllamacpp, built without {', '.join(unused)}, which this processor has: slow",
            "install llama.cpp so that llama-server is on the PATH (a package of your system, or built on this machine)",
        )  # fmt: skip
    else:
        yield Check("What serves it", "ok", "xllamacpp, built for this processor")


def _trust(settings: Settings, again: bool) -> Check:
    """What its queries are worth: measured once for each model, and again where that is asked for."""
    from gnomon.llm import ModelClient
    from gnomon.llm.trust import Trust

    client = ModelClient.of(settings)
    assert client is not None
    client.close()
    model, trust = client.identity, Trust.of(settings)
    if not client.measurable:
        return Check("How far it is believed", "absent", "replies that were kept are not measured")
    if again or (trust.measured(model) is None and trust.progress(model) is None):
        _measure(settings)
    return Check(
        "How far it is believed", "ok" if trust.has_earned(model) else "absent", trust.standing(model)
    )


def _measure(settings: Settings) -> None:
    from gnomon.llm.measuring_process import QUESTIONS
    from gnomon.measuring import measure_model

    with progress() as bar:
        task = bar.add_task("Asking about the demo store", total=QUESTIONS)
        measure_model(settings, told=lambda number, *_: bar.update(task, completed=number))


def _sandbox(settings: Settings) -> Check:
    from gnomon.sandbox import check_strength

    strength = check_strength(settings)
    state: Literal["ok", "absent", "broken"] = (
        "absent" if strength.name == "none" else "broken" if strength.name == "unsafe" else "ok"
    )
    says = strength.name if not strength.reasons else f"{strength.name}: {'; '.join(strength.reasons)}"
    return Check("Sandbox", state, says, strength.fix or "")


def _store(settings: Settings) -> Check:
    from gnomon.store import Store

    with Store.open(settings) as store:
        kept = len(store.runs(1000))
    return Check("Store", "ok", f"{settings.home.expanduser()} ({kept} runs)")


def _data(source: str, settings: Settings) -> Check:
    from gnomon.data import open_sources

    with open_sources(source, settings=settings) as dataset:
        return Check("Data", "ok", f"{len(dataset)} tables: {', '.join(list(dataset.tables)[:12])}")
