"""One suite for every kind of source: the same little table comes out with the same types and values."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from gnomon.data import Dataset, open_sources

NAMES = ["id", "name", "day", "moment", "amount", "big", "active", "note"]
ROWS: list[tuple[Any, ...]] = [
    (
        1,
        "Zoë 東京",
        dt.date(2018, 11, 8),
        dt.datetime(2018, 11, 8, 10, 0, 5),
        1234.5,
        9007199254740993,
        True,
        "a,b",
    ),
    (2, None, None, None, None, None, None, 'say "hi"'),
    (3, "", dt.date(1999, 12, 31), dt.datetime(1999, 12, 31, 23, 59, 59), -0.25, -5, False, "two\nlines"),
    (4, "O'Neil", dt.date(2024, 2, 29), dt.datetime(2024, 2, 29), 0.0, 0, True, "ß"),
]
TYPES = ["whole", "text", "date", "moment", "number", "whole", "truth", "text"]
FAMILY = {
    "whole": ("BIGINT", "INTEGER", "SMALLINT", "HUGEINT"),
    "number": ("DOUBLE", "DECIMAL"),
    "text": ("VARCHAR",),
    "date": ("DATE",),
    "moment": ("TIMESTAMP",),
    "truth": ("BOOLEAN",),
}


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _csv_text(delimiter: str, newline: str = "\n") -> str:
    import io

    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline)
    writer.writerow(NAMES)
    writer.writerows([[_text(v) for v in r] for r in ROWS])
    return out.getvalue()


def _arrow() -> pa.Table:
    types = [
        pa.int64(),
        pa.string(),
        pa.date32(),
        pa.timestamp("us"),
        pa.float64(),
        pa.int64(),
        pa.bool_(),
        pa.string(),
    ]
    columns = zip(*ROWS, strict=True)
    return pa.table([pa.array(list(c), t) for c, t in zip(columns, types, strict=True)], names=NAMES)


def _write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _excel(folder: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(NAMES)
    for row in ROWS:
        sheet.append(list(row[:5]) + [None if row[5] is None else str(row[5])] + list(row[6:]))
    book.save(folder / "little.xlsx")
    return folder / "little.xlsx"


def _duckdb(folder: Path) -> Path:
    with duckdb.connect(str(folder / "file.duckdb")) as connection:
        connection.from_arrow(_arrow()).create("little")
    return folder / "file.duckdb"


def _sqlite(folder: Path) -> Path:
    with sqlite3.connect(folder / "file.sqlite") as connection:
        connection.execute(
            "CREATE TABLE little (id INTEGER, name TEXT, day DATE, moment DATETIME, amount REAL, big INTEGER,"
            " active BOOLEAN, note TEXT)"
        )
        rows = [[_text(v) if isinstance(v, dt.date) else v for v in r] for r in ROWS]
        connection.executemany("INSERT INTO little VALUES (?,?,?,?,?,?,?,?)", rows)
    connection.close()
    return folder / "file.sqlite"


def _json_rows() -> list[dict[str, Any]]:
    return [
        {n: v.isoformat() if isinstance(v, dt.date) else v for n, v in zip(NAMES, r, strict=True)}
        for r in ROWS
    ]


def _relation(folder: Path) -> Any:
    return {"little": duckdb.connect().from_arrow(_arrow())}


def _connection(folder: Path) -> Any:
    connection = duckdb.connect()
    connection.from_arrow(_arrow()).create("little")
    return connection


def _parquet(folder: Path) -> Path:
    pq.write_table(_arrow(), folder / "little.parquet")
    return folder / "little.parquet"


def _feather(folder: Path) -> Path:
    feather.write_feather(_arrow(), str(folder / "little.feather"))
    return folder / "little.feather"


def _zst(folder: Path) -> Path:
    with pa.CompressedOutputStream(str(folder / "little.csv.zst"), "zstd") as out:
        out.write(_csv_text(",").encode())
    return folder / "little.csv.zst"


KINDS: dict[str, Callable[[Path], Any]] = {
    "csv": lambda d: _write(d, "little.csv", _csv_text(",").encode()),
    "csv with byte-order mark": lambda d: _write(d, "little.csv", _csv_text(",").encode("utf-8-sig")),
    "csv in utf-16": lambda d: _write(d, "little.csv", _csv_text(",").encode("utf-16")),
    "csv with CRLF": lambda d: _write(d, "little.csv", _csv_text(",", "\r\n").encode()),
    "tsv": lambda d: _write(d, "little.tsv", _csv_text("\t").encode()),
    "semicolons": lambda d: _write(d, "little.csv", _csv_text(";").encode()),
    "pipes": lambda d: _write(d, "little.txt", _csv_text("|").encode()),
    "gzip": lambda d: _write(d, "little.csv.gz", gzip.compress(_csv_text(",").encode())),
    "zstd": _zst,
    "json": lambda d: _write(d, "little.json", json.dumps(_json_rows()).encode()),
    "json lines": lambda d: _write(d, "little.jsonl", "\n".join(map(json.dumps, _json_rows())).encode()),
    "parquet": _parquet,
    "feather": _feather,
    "excel": _excel,
    "duckdb file": _duckdb,
    "sqlite file": _sqlite,
    "duckdb relation": _relation,
    "duckdb connection": _connection,
    "pandas": lambda d: {"little": _arrow().to_pandas(types_mapper=pd.ArrowDtype)},
    "polars": lambda d: {"little": pl.from_arrow(_arrow())},
    "arrow": lambda d: {"little": _arrow()},
    "records": lambda d: {"little": [dict(zip(NAMES, r, strict=True)) for r in ROWS]},
}


@pytest.fixture(scope="module", params=KINDS)
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    with open_sources(KINDS[request.param](tmp_path_factory.mktemp("little"))) as opened:
        yield opened


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return None if value == "" else value


def _check(data: Dataset) -> None:
    table = data.table("little")
    assert [c.name for c in table.columns] == NAMES
    for column, family in zip(table.columns, TYPES, strict=True):
        assert column.type.startswith(FAMILY[family]), (column.name, column.type)
    found = data.connection.execute(f"FROM {table.relation} ORDER BY id").fetchall()
    assert [tuple(_plain(v) for v in r) for r in found] == [tuple(_plain(v) for v in r) for r in ROWS]
    described = data.connection.execute(f"DESCRIBE FROM {table.relation}").fetchall()
    assert [(r[0], r[1]) for r in described] == [(c.name, c.type) for c in table.columns]


def test_every_kind_of_source_gives_the_same_typed_rows(dataset: Dataset) -> None:
    _check(dataset)


def test_every_kind_of_source_can_be_read_from_another_thread(dataset: Dataset) -> None:
    assert dataset.cursor().execute("SELECT count(*), sum(amount) FROM little").fetchone() == (4, 1234.25)


def test_what_pandas_reads_from_the_csv_is_what_the_table_holds(tmp_path: Path) -> None:
    path = _write(tmp_path, "little.csv", _csv_text(",").encode())
    frame = pd.read_csv(path, parse_dates=["day", "moment"], dtype={"big": "Int64"})
    with open_sources(path) as data:
        found = data.connection.execute(
            "SELECT sum(amount), sum(big), count(name), min(day), max(moment), count(active) FROM little"
        ).fetchone()
    assert found == (
        frame["amount"].sum(),
        frame["big"].sum(),
        frame["name"].count(),
        frame["day"].min().date(),
        frame["moment"].max().to_pydatetime(),
        frame["active"].count(),
    )


@pytest.mark.needs("postgres")
def test_postgres_gives_the_same_typed_rows(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP TABLE IF EXISTS little")
        server.execute(
            "CREATE TABLE little (id int, name text, day date, moment timestamp, amount numeric(12,2), big bigint,"
            " active boolean, note text)"
        )
        for row in ROWS:
            server.execute("INSERT INTO little VALUES (%s,%s,%s,%s,%s,%s,%s,%s)", row)
    with open_sources(f"{postgres_url}#little") as data:
        _check(data)
        assert data.connection.execute(
            "SELECT name FROM little WHERE id IN (2, 3) ORDER BY id"
        ).fetchall() == [
            (None,),
            ("",),
        ]
