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


MAY_BE: dict[str, Callable[[random.Random], Any]] = {
    "six digits": lambda r: r.randrange(10**5, 10**6),
    "seven digits": lambda r: r.randrange(10**6, 10**7),
    "a short code": lambda r: f"{_drawn(r, UPPER, 3)}{r.randrange(10**3, 10**4)}",
    "a code in parts": lambda r: f"{_drawn(r, UPPER, 2)}-{r.randrange(10**4, 10**5)}",
    "a day of birth": lambda r: (
        f"{r.randrange(1940, 2006)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}"
    ),
}
OPEN: dict[str, Callable[[random.Random], Any]] = {
    "an amount": GROUPS["an amount"],
    "a quarter": GROUPS["a quarter"],
    "a month": lambda r: r.randrange(2019, 2025) * 100 + r.randrange(1, 13),
    "money": GROUPS["money"],
    "a day": lambda r: f"{r.randrange(2021, 2025)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}",
}


@pytest.mark.parametrize("header", ["col7", "column_3", "x", "field2", "Unnamed: 4", "var_12"])
@pytest.mark.parametrize("kind", MAY_BE)
def test_what_persons_may_be_known_by_is_closed_under_a_header_that_says_nothing(
    tmp_path: Path, kind: str, header: str
) -> None:
    assert _closed(tmp_path, MAY_BE[kind], header, 6)


@pytest.mark.parametrize("kind", MAY_BE)
def test_under_a_header_that_says_something_it_is_a_group(tmp_path: Path, kind: str) -> None:
    assert not _closed(tmp_path, MAY_BE[kind], "released", 6)


@pytest.mark.parametrize("kind", OPEN)
def test_amounts_and_times_are_open_under_any_header(tmp_path: Path, kind: str) -> None:
    assert not _closed(tmp_path, OPEN[kind], "col7", 6)


BIRTHS = [
    "born",
    "born_on",
    "d.o.b.",
    "B_DATE",
    "Geburtsdatum",
    "geb.",
    "date_naissance",
    "fechaNacimiento",
    "data di nascita",
    "geboortedatum",
    "fødselsdato",
    "doğum tarihi",
    "дата рождения",
    "生年月日",
]
WRITTEN: dict[str, Callable[[int, int, int], Any]] = {
    "as a date": lambda y, m, d: f"{y}-{m:02d}-{d:02d}",
    "in German": lambda y, m, d: f"{d:02d}.{m:02d}.{y}",
    "as a number": lambda y, m, d: y * 10_000 + m * 100 + d,
    "with a doubt": lambda y, m, d: f"{d}.{m}.{y} (?)",
}


def _born(header: str, way: str) -> Callable[[random.Random], Any]:
    return lambda r: WRITTEN[way](r.randrange(1940, 2006), r.randrange(1, 13), r.randrange(1, 29))


@pytest.mark.parametrize("header", BIRTHS)
@pytest.mark.parametrize("way", WRITTEN)
def test_days_of_birth_are_closed_in_any_language(tmp_path: Path, header: str, way: str) -> None:
    assert all(_closed(tmp_path, _born(header, way), header, each) for each in (1, 6))


@pytest.mark.parametrize("header", ["birth_weight", "born_alive", "geb_nr_rooms", "stillbirths"])
def test_figures_of_births_are_open(tmp_path: Path, header: str) -> None:
    assert not _closed(tmp_path, lambda r: r.randrange(1, 4200), header, 6)


DIALLED: dict[str, Callable[[random.Random], str]] = {
    "in three groups": lambda r: (
        f"0{r.randrange(20, 99)} {r.randrange(1000, 9999)} {r.randrange(1000, 9999)}"
    ),
    "of one country": lambda r: f"+41 79 {r.randrange(100, 999)} {r.randrange(10, 99)} {r.randrange(10, 99)}",
    "with a dash": lambda r: f"0{r.randrange(200, 999)}-{r.randrange(10**6, 10**7)}",
    "of an insurance": lambda r: (
        f"756.{r.randrange(1000, 9999)}.{r.randrange(1000, 9999)}.{r.randrange(10, 99)}"
    ),
}
BOUNDS: dict[str, Callable[[random.Random], str]] = {
    "amounts": lambda r: f"{(low := r.randrange(1, 40) * 25_000)}-{low + 25_000}",
    "days": lambda r: f"2024-{r.randrange(1, 13):02d}-01 - 2024-{r.randrange(1, 13):02d}-28",
    "years": lambda r: f"{r.randrange(1990, 2000)}/{r.randrange(2000, 2020)}",
}


@pytest.mark.parametrize("header", ["reach_at", "Rufnummer", "kontakt"])
@pytest.mark.parametrize("kind", DIALLED)
def test_numbers_written_in_groups_are_closed(tmp_path: Path, kind: str, header: str) -> None:
    assert _closed(tmp_path, DIALLED[kind], header, 6)


@pytest.mark.parametrize("kind", BOUNDS)
def test_bounds_written_with_digits_are_open(tmp_path: Path, kind: str) -> None:
    assert not _closed(tmp_path, BOUNDS[kind], "band", 6)


@pytest.mark.parametrize("count", [6, 12])
@pytest.mark.parametrize("kind", ["ten digits, as decimals", "a card", "an account", "a device"])
def test_what_few_things_are_known_by_is_closed_as_well(tmp_path: Path, kind: str, count: int) -> None:
    rng = random.Random(f"{kind}{count}")
    drawn = [KNOWN_BY[kind](rng) for _ in range(count)]
    assert _closed(tmp_path, lambda r: r.choice(drawn), "ref", 12)


def test_a_few_round_amounts_are_no_numbers_of_accounts(tmp_path: Path) -> None:
    loans = [n * 25_000_000 for n in range(4, 40, 3)]
    assert not _closed(tmp_path, lambda r: r.choice(loans), "granted", 12)
