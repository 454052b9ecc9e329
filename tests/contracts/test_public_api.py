"""The names that users import are the names they imported yesterday."""

import importlib

import pytest

PUBLIC = {
    "gnomon": [
        "ADEngine", "Analyst", "Answer", "Dataset", "Fact", "GnomonError", "Request", "Settings", "__version__", "open",
        "open_sources",
    ],
}  # fmt: skip


@pytest.mark.parametrize("module", sorted(PUBLIC))
def test_the_exported_names_are_pinned(module: str) -> None:
    assert sorted(importlib.import_module(module).__all__) == sorted(PUBLIC[module])


@pytest.mark.parametrize(("module", "name"), [(m, n) for m, names in PUBLIC.items() for n in names])
def test_every_exported_name_exists(module: str, name: str) -> None:
    assert getattr(importlib.import_module(module), name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        importlib.import_module("gnomon").nothing  # noqa: B018
