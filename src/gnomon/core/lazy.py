"""Names that a room exports, and packages of libraries, that are loaded only when somebody uses them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any


def exports(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A module ``__getattr__`` that finds each name of ``homes`` in the module named beside it."""

    def load(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load


def leave_unrun(package: str) -> None:
    """Let modules of a package be imported without all the others that the package itself imports.

    Until somebody wants a name that is no module of it, the package is one that has not run.
    """
    if package in sys.modules or (spec := find_spec(package)) is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def load(name: str) -> Any:
        if not name.startswith("_") or name in ("__all__", "__version__"):
            if find_spec(f"{package}.{name}") is not None:
                return import_module(f"{package}.{name}")
            loader.exec_module(module)
            if name in module.__dict__:
                return module.__dict__[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    module.__dict__["__getattr__"] = load
    sys.modules[package] = module
