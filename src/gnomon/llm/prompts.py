"""Prompts are files, one for each task; a file or a part of it that is missing is an error."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from gnomon.core.errors import ConfigurationError, InvalidInput, NotFound


@cache
def _text(name: str) -> str:
    folder = files("gnomon.llm") / "prompts"
    file = folder / f"{name}.md"
    if not name.isidentifier() or not file.is_file():
        raise NotFound.among("prompt", name, [f.name.removesuffix(".md") for f in folder.iterdir()])
    return file.read_text(encoding="utf-8").strip()


def load_prompt(name: str, **parts: str) -> str:
    """The prompt of a task with its ``$parts`` filled in.

    Raises:
        NotFound: There is no such prompt.
        InvalidInput: A part is missing, or one was given that the prompt does not have.
        ConfigurationError: The file has a ``$`` that begins no part.
    """
    template = Template(_text(name))
    if not template.is_valid():
        raise ConfigurationError(f"The prompt {name!r} has a $ that begins no part.")
    wanted = set(template.get_identifiers())
    if wanted != set(parts):
        raise InvalidInput(
            f"The prompt {name!r} has the parts {sorted(wanted)}, and was given {sorted(parts)}."
        )
    return template.substitute(parts)
