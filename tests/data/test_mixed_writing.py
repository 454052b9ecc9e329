"""Columns whose cells are written in more than one way: read right, kept as text, or said with every figure of them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import gnomon
from gnomon.data import open_sources

ROWS = 100
Write = Callable[[Any], str]


def _grouped(value: float, thousands: str, mark: str, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".replace(",", "\0").replace(".", mark).replace("\0", thousands)


NUMBERS: dict[str, tuple[Write, Callable[[float], float]]] = {
    "plain": (lambda v: f"{v:.2f}", lambda v: v),
    "comma": (lambda v: f"{v:.2f}".replace(".", ","), lambda v: v),
    "english": (lambda v: _grouped(v, ",", "."), lambda v: v),
    "german": (lambda v: _grouped(v, ".", ","), lambda v: v),
    "german whole": (lambda v: _grouped(round(v), ".", ",", 0), round),
    "english whole": (lambda v: _grouped(round(v), ",", ".", 0), round),
    "whole": (lambda v: str(round(v)), round),
    "spaced": (lambda v: _grouped(v, "\u00a0", ","), lambda v: v),
    "dollars": (lambda v: f"${_grouped(v, ',', '.')}", lambda v: v),
    "euros": (lambda v: f"{_grouped(v, '.', ',')} €", lambda v: v),
    "bracketed": (lambda v: f"({_grouped(v, ',', '.')})", lambda v: -v),
    "minus": (lambda v: f"\u2212{v:.2f}", lambda v: -v),
    "percent": (lambda v: f"{v:.2f}%", lambda v: v / 100),
    "arabic": (lambda v: f"{v:.2f}".translate(str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫")), lambda v: v),
    "hexadecimal": (lambda v: hex(round(v)), lambda _: float("nan")),
    "thousands": (lambda v: f"${v / 1000:.5f}k", lambda v: v),
}
DATES: dict[str, Write] = {
    "iso": lambda d: d.isoformat(),
    "iso with offset": lambda d: f"{d - dt.timedelta(days=1)}T23:30:00-05:00",
    "day first": lambda d: d.strftime("%d/%m/%Y"),
    "month first": lambda d: d.strftime("%m/%d/%Y"),
    "day first, short": lambda d: d.strftime("%d/%m/%y"),
    "month first, short": lambda d: d.strftime("%m/%d/%y"),
    "year first, short": lambda d: d.strftime("%y-%m-%d"),
    "points": lambda d: d.strftime("%d.%m.%Y"),
    "month first, dashes": lambda d: d.strftime("%m-%d-%Y"),
    "day first, timed": lambda d: d.strftime("%d/%m/%Y 10:00"),
    "words": lambda d: d.strftime("%d %b %Y"),
    "serial": lambda d: str((d - dt.date(1899, 12, 30)).days),
}


def _mixes(ways: Sequence[str], chosen: random.Random) -> Iterator[tuple[str, str, list[str]]]:
    """Each way by itself, and each with a few and with many cells of another."""
    for usual in ways:
        yield usual, usual, [usual] * ROWS
    for usual, other in permutations(ways, 2):
        share = chosen.choice((0.04, 0.3))
        yield usual, other, [other if chosen.random() < share else usual for _ in range(ROWS)]


def _wrong(
    mixes: list[tuple[str, str, list[str]]],
    values: list[list[Any]],
    text: Callable[[str, Any], str],
    right: Callable[[object, str, Any], bool],
) -> list[str]:
    """The mixes of which a cell is read as something else, or as nothing, without a word."""
    tables = {
        f"t{i}": {"row": list(range(ROWS)), "x": [text(w, v) for w, v in zip(ways, values[i], strict=True)]}
        for i, (_, _, ways) in enumerate(mixes)
    }
    wrong: list[str] = []
    with open_sources(tables) as data:
        for i, (usual, other, ways) in enumerate(mixes):
            table = data.table(f"t{i}")
            if table.column("x").type == "VARCHAR" or any(s.column == "x" for s in table.set_aside):
                continue
            read = [x for (x,) in data.connection.execute(f"SELECT x FROM t{i} ORDER BY row").fetchall()]
            cells = list(zip(tables[f"t{i}"]["x"], read, ways, values[i], strict=True))
            missing = sum(x is None for _, x, _, _ in cells)
            if missing and not any("missing" in w for w in table.warnings):
                wrong.append(f"{usual} with {other}: {missing} missing")
            if odd := [f"{t!r} as {x}" for t, x, w, v in cells if x is not None and not right(x, w, v)]:
                wrong.append(f"{usual} with {other}: {len(odd)} such as {odd[0]}")
    return wrong


@pytest.mark.long
@pytest.mark.parametrize("seed", [1])
def test_no_number_is_another_in_silence(seed: int) -> None:
    chosen = random.Random(seed)
    mixes = list(_mixes(list(NUMBERS), chosen))
    values = [[round(chosen.uniform(1, 99_999), 2) for _ in range(ROWS)] for _ in mixes]

    def right(read: Any, way: str, value: float) -> bool:
        return abs(float(read) - NUMBERS[way][1](value)) < 0.02

    assert not _wrong(mixes, values, lambda w, v: NUMBERS[w][0](v), right)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1])
def test_no_date_is_another_in_silence(seed: int) -> None:
    chosen = random.Random(seed)
    mixes = list(_mixes(list(DATES), chosen))
    first = dt.date(2021, 1, 1)
    values = [[first + dt.timedelta(days=chosen.randrange(1_400)) for _ in range(ROWS)] for _ in mixes]
    for (_, other, ways), days in zip(mixes, values, strict=True):
        if other in ways:  # without one such day nothing tells that there is another order
            days[ways.index(other)] = dt.date(2023, 5, 20)

    def right(read: Any, way: str, value: dt.date) -> bool:
        if way == "serial":
            return read == int(DATES[way](value))
        return (read.date() if isinstance(read, dt.datetime) else read) == value

    assert not _wrong(mixes, values, lambda w, v: DATES[w](v), right)


@pytest.mark.parametrize(("usual", "other"), [("%m/%d/%Y", "%d/%m/%Y"), ("%d.%m.%y", "%m.%d.%y")])
def test_a_few_dates_in_the_other_order_are_read_in_it_and_told_of(usual: str, other: str) -> None:
    days = [dt.date(2023, 1, 1) + dt.timedelta(days=i) for i in range(300)]
    odd = {i for i, d in enumerate(days) if d.day > 12 and i % 29 == 0}
    texts = [d.strftime(other if i in odd else usual) for i, d in enumerate(days)]
    with open_sources({"t": {"row": list(range(300)), "x": texts}}) as data:
        assert [x for (x,) in data.connection.execute("SELECT x FROM t ORDER BY row").fetchall()] == days
        said = [s.said for s in data.table("t").set_aside if s.column == "x"]
    either = sum(d.day <= 12 and d.day != d.month for d in days)
    assert len(said) == 1 and f"{len(odd)} dates have the" in said[0] and f"{either} fit both" in said[0]


def test_dates_of_which_half_are_in_the_other_order_stay_text_and_that_is_said() -> None:
    days = [dt.date(2023, 1, 1) + dt.timedelta(days=i) for i in range(300)]
    texts = [d.strftime("%d/%m/%Y" if i % 2 else "%m/%d/%Y") for i, d in enumerate(days)]
    with open_sources({"t": {"x": texts, "y": texts[::-1]}}) as data:
        table = data.table("t")
        assert [c.type for c in table.columns] == ["VARCHAR", "VARCHAR"]
        assert all("kept as text" in s.said for s in table.set_aside) and len(table.set_aside) == 2


@pytest.mark.parametrize("separator", ["-", "/", "."])
def test_years_of_two_digits_may_come_first(separator: str) -> None:
    days = [dt.date(2019, 3, 1) + dt.timedelta(days=11 * i) for i in range(150)]
    with open_sources({"t": {"x": [d.strftime(f"%y{separator}%m{separator}%d") for d in days]}}) as data:
        assert {x for (x,) in data.connection.execute("SELECT x FROM t").fetchall()} == {*days}


def test_years_of_two_digits_that_lie_ahead_are_told_of() -> None:
    born = [dt.date(1955, 1, 1) + dt.timedelta(days=97 * i) for i in range(200)]
    with open_sources({"t": {"born": [d.strftime("%m/%d/%y") for d in born]}}) as data:
        ahead = sum(d.year < 1969 for d in born)
        assert any(f"{ahead} dates lie after" in s.said for s in data.table("t").set_aside)


@pytest.mark.parametrize(
    ("sibling", "expected"), [("1234,5", 1_234), ("0.75", 1.234)], ids=["decimal comma", "decimal point"]
)
def test_another_column_tells_thousands_from_decimals(sibling: str, expected: float, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x;y\n" + f"1.234;{sibling}\n2.470;3\n870;4\n" * 5)
    with open_sources(tmp_path / "t.csv") as data:
        assert data.connection.execute("SELECT min(x), count(x) FROM t").fetchone() == (
            min(expected, 870),
            15,
        )
        assert not data.table("t").set_aside


def test_answers_say_what_may_have_been_meant(tmp_path: Path) -> None:
    cells = "".join(f"{'AB'[i % 2]},{1 + i % 9}.{100 + 10 * i % 900}\n" for i in range(60))
    (tmp_path / "shops.csv").write_text(f"shop,amount\n{cells}")
    with gnomon.open(tmp_path / "shops.csv") as analyst:
        assert "can be thousands or decimals" in analyst.ask("total amount").prose
