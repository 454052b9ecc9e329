"""What something is known by is closed to agents under any header, however many rows share a number; groups are open."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gnomon.data import open_sources, profile_dataset
from gnomon.data.personal import luhn
from gnomon.guardrails.release.origin import is_closed

UPPER, LOWER = string.ascii_uppercase, string.ascii_lowercase


def _drawn(rng: random.Random, letters: str, count: int) -> str:
    return "".join(rng.choices(letters, k=count))


def _card(rng: random.Random) -> int:
    body = f"4{_drawn(rng, string.digits, 14)}"
    return next(int(f"{body}{i}") for i in range(10) if luhn(f"{body}{i}"))


KNOWN_BY: dict[str, Callable[[random.Random], Any]] = {
    "nine digits": lambda r: r.randrange(10**8, 10**9),
    "ten digits, as decimals": lambda r: float(r.randrange(10**9, 10**10)),
    "thirteen digits": lambda r: r.randrange(10**12, 10**13),
    "a card": _card,
    "an account": lambda r: f"NL{r.randrange(10, 98)}BANK{r.randrange(10**9, 10**10)}",
    "an account in groups": lambda r: f"DE{r.randrange(10, 98)} " + " ".join(_drawn(r, string.digits, 4) for _ in range(4)) + " 07",
    "a device": lambda r: ":".join(f"{r.randrange(256):02x}" for _ in range(6)),
    "an insurance": lambda r: f"{r.choice('ABCE')}{r.choice('ABCE')}{r.randrange(10**5, 10**6)}{r.choice('ABCD')}",
    "a car": lambda r: f"{r.choice(['B', 'HH', 'M'])}-{_drawn(r, UPPER, 2)} {r.randrange(100, 9999)}",
    "a handle": lambda r: f"@{_drawn(r, LOWER, 7)}",
    "a place": lambda r: f"{r.uniform(48, 53):.5f}, {r.uniform(7, 13):.5f}",
    "a hash": lambda r: f"{r.getrandbits(80):020x}",
    "a token": lambda r: _drawn(r, string.ascii_letters + string.digits, 24),
    "a vehicle": lambda r: _drawn(r, "ABCDEFGHJKLMNPRSTUVWXYZ0123456789", 17),
}  # fmt: skip
GROUPS: dict[str, Callable[[random.Random], Any]] = {
    "an article": lambda r: f"{_drawn(r, UPPER, 2)}-{r.randrange(10**4, 10**5)}",
    "a model": lambda r: f"{r.choice(['Galaxy', 'Pixel', 'Nova'])}-S{r.randrange(10, 99)}-{r.choice([64, 128, 256])}GB",
    "a flight": lambda r: f"{_drawn(r, UPPER, 2)}{r.randrange(100, 9999)}",
    "a room": lambda r: f"{r.choice('ABC')}{r.randrange(100, 999)}",
    "a postcode": lambda r: f"{_drawn(r, UPPER, 2)}{r.randrange(1, 9)} {r.randrange(1, 9)}{_drawn(r, UPPER, 2)}",
    "a version": lambda r: f"v{r.randrange(1, 9)}.{r.randrange(20)}.{r.randrange(20)}-rc{r.randrange(9)}",
    "a quarter": lambda r: f"{r.randrange(1990, 2030)}-Q{r.randrange(1, 5)}",
    "a batch": lambda r: f"batch{r.randrange(10**4, 10**5)}",
    "an amount": lambda r: r.randrange(500, 99_000),
    "a large amount": lambda r: r.randrange(10**6, 10**9),
    "money": lambda r: round(r.uniform(1e8, 9e8), 2),
}  # fmt: skip


def _closed(tmp_path: Path, draw: Callable[[random.Random], Any], header: str, each: int) -> bool:
    rng = random.Random(f"{header}{each}")
    values = [draw(rng) for _ in range(40)]
    frame = pd.DataFrame({header: pd.Series(values).repeat(each), "paid": range(40 * each)})
    frame.sample(frac=1, random_state=1).to_csv(path := tmp_path / "rows.csv", index=False)
    with open_sources(path) as dataset:
        (table,) = profile_dataset(dataset).tables
    return is_closed(next(c for c in table.columns if c.name == header), table.rows)


@pytest.mark.parametrize("header", ["x", "col7", "ref"])
@pytest.mark.parametrize("each", [5, 12])
@pytest.mark.parametrize("kind", KNOWN_BY)
def test_what_something_is_known_by_is_closed(tmp_path: Path, kind: str, each: int, header: str) -> None:
    assert _closed(tmp_path, KNOWN_BY[kind], header, each)


@pytest.mark.parametrize("each", [5, 12])
@pytest.mark.parametrize("kind", GROUPS)
def test_groups_and_amounts_are_open(tmp_path: Path, kind: str, each: int) -> None:
    assert not _closed(tmp_path, GROUPS[kind], "part", each)
