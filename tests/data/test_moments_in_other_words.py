"""Days, weeks, months and quarters are read however they are written; numbers that only stand for one are not added up."""

import calendar
import contextlib
import datetime as dt
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from gnomon.data import Role, load_and_profile_data, open_sources
from gnomon.data.period_reading import are_seasons
from gnomon.semantic.time_columns import Written

_SPREAD = [dt.date(2022, 1, 3) + dt.timedelta(days=8 * i) for i in range(120)]
_ZERO = dt.date(1899, 12, 30)


def _of_year(day: dt.date) -> int:
    return day.timetuple().tm_yday


def _seconds(day: dt.date) -> int:
    return calendar.timegm(day.timetuple())


_DAYS: dict[str, Callable[[dt.date], str]] = {
    "2024-W05-3": lambda d: "{}-W{:02d}-{}".format(*d.isocalendar()),
    "2024W053": lambda d: "{}W{:02d}{}".format(*d.isocalendar()),
    "2024035": lambda d: f"{d.year}{_of_year(d):03d}",
    "2024-035": lambda d: f"{d.year}-{_of_year(d):03d}",
    "31012024": lambda d: f"{d:%d%m%Y}",
    "01312024": lambda d: f"{d:%m%d%Y}",
    "240131": lambda d: f"{d:%y%m%d}",
    "310124": lambda d: f"{d:%d%m%y}",
    "013124": lambda d: f"{d:%m%d%y}",
    "45321": lambda d: str((d - _ZERO).days),
    "Jan 31 10:00:00 2024": lambda d: f"{d:%a %b %d} 00:00:00 UTC {d.year}",
    "Browser": lambda d: f"{d:%a %b %d %Y} 00:00:00 GMT+0000 (Coordinated Universal Time)",
    "/Date(0)/": lambda d: f"/Date({_seconds(d) * 1000})/",
    "0.25": lambda d: f"{_seconds(d)}.25",
    "20240131000000": lambda d: f"{d:%Y%m%d}000000",
    "202401310000": lambda d: f"{d:%Y%m%d}0000",
    "2460340.5": lambda d: f"{(d - _ZERO).days + 2415018}.5",
    "45321.5": lambda d: f"{(d - _ZERO).days}.5",
}
_MONTHS: dict[str, Callable[[dt.date], str]] = {
    "2024/01": lambda d: f"{d:%Y/%m}",
    "01-2024": lambda d: f"{d:%m-%Y}",
    "01.2024": lambda d: f"{d:%m.%Y}",
    "2024.01": lambda d: f"{d:%Y.%m}",
    "2024M01": lambda d: f"{d:%Y}M{d:%m}",
    "2024-Jan": lambda d: f"{d:%Y-%b}",
    "2024 January": lambda d: f"{d:%Y %B}",
    "Jan24": lambda d: f"{d:%b%y}",
    "2024年1月": lambda d: f"{d.year}年{d.month}月",
}


def _read(tmp_path: Path, name: str, cells: list[str]) -> tuple[list[object], list[str]]:
    path = tmp_path / "rows.csv"
    path.write_text(f"place,{name}\n" + "".join(f"p{i % 7},{c}\n" for i, c in enumerate(cells)))
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        rows = dataset.connection.execute(f"SELECT {name} FROM {table.relation}").fetchall()
        return [r[0] for r in rows], [s.said for s in table.set_aside]


@pytest.mark.parametrize("written", _DAYS)
def test_days_are_read(tmp_path: Path, written: str) -> None:
    values, said = _read(tmp_path, "date", [_DAYS[written](d) for d in _SPREAD])
    assert [v.date() if isinstance(v, dt.datetime) else v for v in values] == _SPREAD
    assert any("spreadsheets count" in s for s in said) == written.startswith("45321")


@pytest.mark.parametrize("written", _MONTHS)
def test_months_are_read_as_their_first_day(tmp_path: Path, written: str) -> None:
    values, _ = _read(tmp_path, "month", [_MONTHS[written](d) for d in _SPREAD])
    assert values == [d.replace(day=1) for d in _SPREAD]


def test_numbers_of_weeks_are_mondays_and_said_to_be(tmp_path: Path) -> None:
    values, said = _read(tmp_path, "week", ["{}{:02d}".format(*d.isocalendar()[:2]) for d in _SPREAD])
    assert values == [d - dt.timedelta(days=d.weekday()) for d in _SPREAD]
    assert any("Mondays" in s for s in said)


@pytest.mark.parametrize("mark", "-/")
def test_seasons_are_no_months(tmp_path: Path, mark: str) -> None:
    cells = [f"{y}{mark}{(y + 1) % 100:02d}" for y in range(2000, 2012)]
    assert are_seasons(cells) and not are_seasons(["2009-10", "2009-11"])
    assert _read(tmp_path, "season", cells)[0] == cells


@pytest.mark.parametrize("name", ["amount", "lot"])
def test_the_same_digits_under_another_name_are_no_days(tmp_path: Path, name: str) -> None:
    for written in ("2024035", "240131", "45321"):
        values, _ = _read(tmp_path, name, [_DAYS[written](d) for d in _SPREAD])
        assert not any(isinstance(v, dt.date) for v in values)


def test_orders_that_nothing_tells_are_said(tmp_path: Path) -> None:
    _, said = _read(tmp_path, "date", [f"{d:%d%m%Y}" for d in _SPREAD if d.day <= 12])
    assert any("no value tells how day, month and year" in s for s in said)


@pytest.mark.parametrize(
    ("text", "day"),
    [("W05 2024", "2024-01-29"), ("Week 5, 2024", "2024-01-29"), ("KW 5/2024", "2024-01-29"), ("2024-KW05", "2024-01-29"), ("2024 week 5", "2024-01-29"), ("2Q24", "2024-04-01"), ("Q2'24", "2024-04-01"), ("Q2-24", "2024-04-01"), ("2Q2024", "2024-04-01"), ("Quarter 2 2024", "2024-04-01")],
)  # fmt: skip
def test_weeks_and_quarters_are_told_in_many_ways(text: str, day: str) -> None:
    written = Written.of_texts([text])
    assert written is not None
    assert str(written.day(text)) == day


@pytest.mark.parametrize(
    ("name", "first"),
    [("doy", 1), ("day_of_year", 1), ("julian_day", 1), ("order_date", 45_000), ("date", 2_024_001), ("week", 202_401), ("gl_account", 4_000), ("cost_center", 700), ("naics", 111_110)],
)  # fmt: skip
def test_numbers_that_stand_for_something_are_no_measures(tmp_path: Path, name: str, first: int) -> None:
    numbers = [first + i % 50 for i in range(150)]
    pd.DataFrame({"place": ["a", "b", "c"] * 50, name: numbers}).to_parquet(tmp_path / "rows.parquet")
    table = load_and_profile_data([tmp_path / "rows.parquet"]).profile.tables[0]
    assert table.column(name).role in (Role.CATEGORY, Role.ID, Role.TIME)


def test_numbers_cut_by_a_spreadsheet_are_told(tmp_path: Path) -> None:
    _, said = _read(tmp_path, "ordered", [f"{400_123_000_000 + 1_000_000 * i:.5E}" for i in range(40)])
    assert any("first digits alone" in s for s in said)


def _julian(day: dt.date) -> float:
    return (day - _ZERO).days + 2415018.5


@pytest.mark.parametrize("name", ["order_date", "created_at", "day"])
@pytest.mark.parametrize("hour", [0, 6])
def test_julian_days_of_a_database_are_days(tmp_path: Path, name: str, hour: int) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "shop.sqlite")) as file:
        file.execute(f"CREATE TABLE orders (place TEXT, {name} REAL, amount REAL)")
        rows = [("p", _julian(day) + hour / 24, 2.0) for day in _SPREAD]
        file.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
        file.commit()
    with open_sources(tmp_path / "shop.sqlite") as dataset:
        found = dataset.connection.execute(f"SELECT {name}::TIMESTAMP FROM orders").fetchall()
        (table,) = dataset.tables.values()
    assert [m for (m,) in found] == [dt.datetime(d.year, d.month, d.day, hour) for d in _SPREAD]
    assert any("Julian days" in note.said for note in table.set_aside)


def test_days_of_a_sheet_that_nobody_formatted_are_days(tmp_path: Path) -> None:
    pd.DataFrame({"date": [(d - _ZERO).days for d in _SPREAD], "n": range(120)}).to_excel(
        tmp_path / "rows.xlsx", index=False
    )
    with open_sources(tmp_path / "rows.xlsx") as dataset:
        assert [d for (d,) in dataset.connection.execute("SELECT date FROM rows").fetchall()] == _SPREAD


def test_numbers_that_only_look_like_julian_days_stay_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"amount": [2459945.5 + i for i in range(50)], "duration": range(2459945, 2459995)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with open_sources(tmp_path / "rows.csv") as dataset:
        assert {c.type for c in dataset.table("rows").columns} == {"DOUBLE", "BIGINT"}


def test_texts_of_year_to_second_are_moments_under_any_name(tmp_path: Path) -> None:
    read, _ = _read(tmp_path, "seen", [f"{d:%Y%m%d}T103000Z" for d in _SPREAD])
    assert read == [dt.datetime(d.year, d.month, d.day, 10, 30) for d in _SPREAD]


@pytest.mark.parametrize("zeros", ["0000-00-00", "0000-00-00 00:00:00", "00/00/0000"])
@pytest.mark.parametrize("share", [0.1, 0.8])
def test_a_day_of_zeros_is_no_day(tmp_path: Path, zeros: str, share: float) -> None:
    form = "%d/%m/%Y" if zeros[2] == "/" else "%Y-%m-%d"
    few = int(share * len(_SPREAD))
    read, said = _read(tmp_path, "closed", [zeros] * few + [d.strftime(form) for d in _SPREAD[few:]])
    assert [str(d)[:10] for d in read] == ["None"] * few + [str(d) for d in _SPREAD[few:]]
    assert any(f"{few} of 120 cells hold a day of zeros" in s for s in said)
