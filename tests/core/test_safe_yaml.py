"""YAML of the package is kept as JSON: what it says is what the file says, whatever is kept."""

import os
from pathlib import Path

import pytest

import gnomon
from gnomon.core.safe_yaml import load_documents, load_yaml, shipped_yaml

SHIPPED = sorted(p for p in Path(gnomon.__file__).parent.rglob("*.yaml") if "domains" not in p.parts)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda p: p.name)
def test_what_is_kept_is_what_the_file_says(file: Path) -> None:
    said = load_yaml(file.read_text(encoding="utf-8"))
    assert shipped_yaml(file) == said
    assert shipped_yaml(file) == said  # from what is kept


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text("a: [1, 2]\n")
    assert shipped_yaml(file) == {"a": [1, 2]}
    [kept] = (tmp_path / "__pycache__").iterdir()
    file.write_text("a: [1, 3]\n")
    os.utime(file, ns=(1, 1))
    assert shipped_yaml(file) == {"a": [1, 3]}
    for damage in (b"", b"[]", b"5", b"\xff"):
        kept.write_bytes(damage)
        assert shipped_yaml(file) == {"a": [1, 3]}


def test_what_json_cannot_say_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "days.yaml"
    file.write_text("1: 2024-01-05\n2: x\n")
    assert shipped_yaml(file) == shipped_yaml(file) == load_yaml(file.read_text())
    assert not list(tmp_path.glob("__pycache__/*"))


def test_several_documents() -> None:
    assert load_documents("a: 1\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]
