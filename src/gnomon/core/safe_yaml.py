"""YAML: the loader for every file, safe and compiled where PyYAML has it so, and the files that come with the package.

What those say is kept in ``__pycache__`` as JSON: loading what reads YAML takes longer than most questions.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any


@cache
def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:
    """What a text says.

    Raises:
        yaml.YAMLError: It is not YAML.
    """
    import yaml

    return yaml.load(text, Loader=_loader())  # noqa: S506 - a safe loader


def load_documents(text: str) -> list[Any]:
    """What each of the documents in a text says.

    Raises:
        yaml.YAMLError: It is not YAML.
    """
    import yaml

    return list(yaml.load_all(text, Loader=_loader()))


def compose_yaml(text: str) -> Any:
    """The nodes of a text, which know their lines.

    Raises:
        yaml.YAMLError: It is not YAML.
    """
    import yaml

    return yaml.compose(text, Loader=_loader())


def shipped_yaml(file: Path) -> Any:
    """What a file of the package says."""
    told = file.stat()
    mark = [told.st_size, told.st_mtime_ns]
    kept = Path(cache_from_source(str(file.with_suffix(".py")))).with_suffix(f"{file.suffix}.json")
    with suppress(OSError, ValueError, TypeError):
        known, said = json.loads(kept.read_bytes())
        if known == mark:
            return said
    said = load_yaml(file.read_text(encoding="utf-8"))
    with suppress(OSError, TypeError):
        content = json.dumps([mark, said])
        if json.loads(content)[1] == said:
            kept.parent.mkdir(exist_ok=True)
            draft = kept.with_name(f"{kept.name}.{os.getpid()}")
            draft.write_text(content, encoding="utf-8")
            draft.replace(kept)
    return said
