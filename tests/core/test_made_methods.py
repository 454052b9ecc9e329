"""Dataclasses whose methods were compiled before are as those that were not."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.core import made_methods
from gnomon.core.beside import Kept


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of its own for what is kept."""
    monkeypatch.setattr(dataclasses, "exec", exec, raising=False)
    made_methods.keep_methods()
    yield tmp_path / "x.methods"


def _added(monkeypatch: pytest.MonkeyPatch, file: Path) -> int:
    """How many methods two dataclasses of one process compile."""
    kept = Kept(file, ["this Python"])
    monkeypatch.setattr(made_methods, "_kept", lambda: kept)

    @dataclasses.dataclass(frozen=True, order=True)
    class Point:
        """A point."""

        x: int
        y: list[int] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass
    class Other:
        """Another."""

        x: int = 3
        z: dataclasses.InitVar[int] = 2

        def __post_init__(self, z: int) -> None:
            self.x += z

    assert Point(1) == Point(1, []) < Point(2)
    assert repr(Point(1)).endswith("Point(x=1, y=[])")
    assert hash(Point(1, ())) == hash(Point(1, ()))  # pyright: ignore[reportArgumentType]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 2  # pyright: ignore[reportAttributeAccessIssue]
    assert (Other().x, Other(1, z=5).x) == (5, 6)
    kept.write()
    return kept.added


def test_they_are_compiled_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _added(monkeypatch, kept)
    assert first > 8
    assert _added(monkeypatch, kept) == 0
