"""A package that is left unrun gives its modules at once, and all it has to whoever wants another name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from gnomon.core.lazy import leave_unrun


def test_a_package_runs_only_for_a_name_that_is_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "heavy_thing"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from .dear import cost\nfrom .small import size\n__version__ = '3'\n"
    )
    (folder / "small.py").write_text("size = 1\n")
    (folder / "dear.py").write_text("cost = 9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        leave_unrun("heavy_thing")
        assert importlib.import_module("heavy_thing.small").size == 1
        assert "heavy_thing.dear" not in sys.modules
        package = importlib.import_module("heavy_thing")
        with pytest.raises(AttributeError, match="no attribute '_hidden'"):
            _ = package._hidden
        assert "heavy_thing.dear" not in sys.modules
        assert (package.cost, package.size, package.__version__) == (9, 1, "3")
        with pytest.raises(AttributeError, match="no attribute 'missing'"):
            _ = package.missing
    finally:
        for name in [n for n in sys.modules if n.startswith("heavy_thing")]:
            del sys.modules[name]
    leave_unrun("no_such_package_at_all")
    assert "no_such_package_at_all" not in sys.modules
