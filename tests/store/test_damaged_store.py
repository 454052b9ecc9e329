"""A store that was damaged is said to be damaged, whichever part of it, and nothing is read from it."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gnomon.core.errors import ConfigurationError
from gnomon.store import Run, Store


def _half(content: bytes, chosen: random.Random) -> bytes:
    return content[: len(content) // 2]


def _noise(content: bytes, chosen: random.Random) -> bytes:
    return chosen.randbytes(len(content))


def _pages(content: bytes, chosen: random.Random) -> bytes:
    """Some pages written over, the first one aside."""
    held = bytearray(content)
    size = 4096
    for page in chosen.sample(range(1, len(held) // size), 6):
        held[page * size : (page + 1) * size] = chosen.randbytes(size)
    return bytes(held)


def _text(content: bytes, chosen: random.Random) -> bytes:
    return b"not a database, whatever its name says" * 200


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("damage", [_half, _noise, _pages, _text])
def test_damage_is_said_in_a_sentence(
    tmp_path: Path, damage: Callable[[bytes, random.Random], bytes], seed: int
) -> None:
    file = tmp_path / "gnomon.db"
    with Store.open(file) as store:
        for i in range(30):
            store.save_run(
                Run(id=f"r{i}", status="done", started_at=datetime(2026, 1, 1, tzinfo=UTC)), new=True
            )
    for rest in tmp_path.glob("gnomon.db-*"):
        rest.unlink()
    file.write_bytes(damage(file.read_bytes(), random.Random(seed)))
    with pytest.raises(ConfigurationError, match="damaged") as raised:
        Store.open(file)
    assert any("move it away" in s for s in raised.value.suggestions)
