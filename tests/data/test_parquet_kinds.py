"""Kinds of Parquet columns that DuckDB has no word for: wide decimals, times with a zone, durations."""

import base64
import datetime as dt
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gnomon
from gnomon.data import open_sources
from gnomon.data.arrow_schema import Noted, noted_columns

_GROUPS = ["nsew"[i % 4] for i in range(60)]


def _decimals(seed: int, scale: int) -> list[Decimal | None]:
    chance = random.Random(seed)
    unit = Decimal(1).scaleb(-scale)
    return [None if i % 11 == 0 else unit * chance.randrange(-(10**12), 10**12) for i in range(60)]


@pytest.mark.parametrize(("digits", "scale"), [(39, 0), (60, 10), (76, 2), (50, 37), (76, 60)])
def test_decimals_beyond_38_digits_are_read_as_they_are(tmp_path: Path, digits: int, scale: int) -> None:
    values = _decimals(digits, scale)
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"g": _GROUPS, "x": pa.array(values, pa.decimal256(digits, scale))}), path)
    with open_sources(path) as dataset:
        found = [r[0] for r in dataset.connection.execute("SELECT x FROM t").fetchall()]
    assert [v is None for v in found] == [v is None for v in values]
    assert [float(v) for v in found if v is not None] == pytest.approx(
        [float(v) for v in values if v is not None], rel=1e-14, abs=0
    )


def test_a_number_without_room_in_a_decimal_is_rounded_and_told_of(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    values = [Decimal("12345678901234567890123456789012345678901234567890.25"), *map(Decimal, range(59))]
    table = {
        "g": _GROUPS,
        "amount": pa.array(values, pa.decimal256(60, 10)),
        "y": pa.array(values[::-1], pa.decimal256(76, 2)).slice(0, 60),
    }
    pq.write_table(pa.table(table), path)
    with gnomon.open(path) as analyst:
        (total,) = analyst.dataset.connection.execute("SELECT sum(amount) FROM t").fetchone() or (None,)
        assert total == pytest.approx(float(sum(values)))
        assert "rounded to 15" in analyst.ask("total amount").prose


def test_decimals_of_several_files_and_folders_and_inside_records(tmp_path: Path) -> None:
    kind = pa.decimal256(50, 2)
    for year in (2023, 2024):
        folder = tmp_path / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        rows = {
            "x": pa.array([Decimal(1), Decimal(2)], kind),
            "r": pa.array([{"a": Decimal("1.5")}] * 2, pa.struct([("a", kind)])),
        }
        pq.write_table(pa.table(rows), folder / "part.parquet")
    with open_sources(tmp_path / "sales") as dataset:
        rows = dataset.connection.execute(
            "SELECT year, sum(x), min(r) FROM sales GROUP BY 1 ORDER BY 1"
        ).fetchall()
    assert [(int(y), float(x), '"1.50"' in r) for y, x, r in rows] == [(2023, 3.0, True), (2024, 3.0, True)]


@pytest.mark.parametrize("zone", ["America/New_York", "+05:30", "Asia/Tokyo", "-08:00"])
@pytest.mark.parametrize("kind", ["parquet", "feather", "frame"])
def test_times_with_a_zone_are_told_by_its_clock(tmp_path: Path, zone: str, kind: str) -> None:
    moments = [dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC) + dt.timedelta(hours=i / 2) for i in range(60)]
    frame = pd.DataFrame({"at": pd.to_datetime(moments, utc=True).tz_convert(zone), "amount": range(60)})
    source: Any = frame
    if kind != "frame":
        source = tmp_path / f"t.{kind}"
        frame.to_parquet(source) if kind == "parquet" else frame.to_feather(source)
    with gnomon.open({"t": source} if kind == "frame" else source) as analyst:
        answer = analyst.ask("total amount in February 2024")
        known = frame[frame["at"].dt.month == 2]["amount"].sum()
        assert answer.facts[0].value == known
        assert f"by the clock of {zone}" in answer.prose


@pytest.mark.parametrize("zone", ["UTC", "Nowhere/None"])
def test_times_of_no_known_place_are_told_in_utc_and_answers_say_so(tmp_path: Path, zone: str) -> None:
    path = tmp_path / "t.parquet"
    moments = pa.array([dt.datetime(2024, 1, 31, 23)] * 20, pa.timestamp("us", tz=zone))
    pq.write_table(pa.table({"at": moments, "amount": list(range(20))}), path)
    with gnomon.open(path) as analyst:
        answer = analyst.ask("total amount in January 2024")
    assert answer.facts[0].value == 190
    assert "given in UTC" in answer.prose


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_are_seconds_and_say_so(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "t.parquet"
    times = [None if i % 9 == 0 else dt.timedelta(minutes=i) for i in range(60)]
    pq.write_table(pa.table({"g": _GROUPS, "wait": pa.array(times, pa.duration(unit))}), path)
    with gnomon.open(path) as analyst:
        total = sum(t.total_seconds() for t in times if t is not None)
        assert f"{total:,.0f} s" in analyst.ask("total wait").prose
        assert analyst.ask("how many rows with wait over 30 minutes").facts[0].value == sum(
            t is not None and t > dt.timedelta(minutes=30) for t in times
        )


def test_the_note_of_arrow_is_read_as_arrow_reads_it_and_damage_is_none() -> None:
    fields = [
        ("a b", pa.int64()), ("é", pa.timestamp("us", tz="Europe/Paris")), ("p", pa.timestamp("s")),
        *((f"d{u}", pa.duration(u)) for u in ("s", "ms", "us", "ns")), ("r", pa.struct([("q", pa.duration("s"))])),
    ]  # fmt: skip
    plain = pa.schema(fields).serialize().to_pybytes()
    told = noted_columns(base64.b64encode(plain))
    scales = {"ds": 1, "dms": 10**3, "dus": 10**6, "dns": 10**9}
    assert told == {"é": Noted(zone="Europe/Paris"), **{n: Noted(per_second=s) for n, s in scales.items()}}
    for seed in range(500):
        chance, damaged = random.Random(seed), bytearray(plain)
        for _ in range(6):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        noted_columns(base64.b64encode(damaged)[: chance.randrange(len(plain))])
