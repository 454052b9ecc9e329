"""Every setting is read somewhere: an option that nothing reads is a promise that nobody keeps."""

import ast
import re
from pathlib import Path

import pytest

from gnomon.core.settings import Settings

SOURCE = Path(__file__).parents[2] / "src" / "gnomon"


def read_in(code: str) -> set[str]:
    """The fields that code reads from something that is called settings."""
    found: set[str] = set()
    if not re.search(r"settings\b|\bload\b", code):
        return found  # most files: reading their trees takes seconds
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            holder = node.value
            name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
            called = holder.func if isinstance(holder, ast.Call) else None
            loaded = isinstance(called, ast.Attribute) and called.attr == "load"
            if name.lstrip("_").endswith("settings") or loaded:
                found.add(node.attr)
    return found


@pytest.fixture(scope="module")
def read() -> set[str]:
    own = SOURCE / "core" / "settings.py"
    read = {field for f in SOURCE.rglob("*.py") if f != own for field in read_in(f.read_text())}
    derived = [
        f for f in ast.walk(ast.parse(own.read_text())) if isinstance(f, ast.FunctionDef) and f.name in read
    ]
    return read | {n.attr for f in derived for n in ast.walk(f) if isinstance(n, ast.Attribute)}


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_setting_is_read(field: str, read: set[str]) -> None:
    assert field in read, f"{Settings.variable(field)} is documented, and nothing reads it"


def test_a_setting_that_nothing_reads_would_be_found() -> None:
    assert read_in(
        "settings.home\nself._settings.threads\nSettings.load().dask\nother.model\nsettings.x = 1"
    ) == {
        "home",
        "threads",
        "dask",
    }
