"""Files that are damaged are refused by name, one by one: never an error nobody foresaw, never a figure that is wrong."""

import gzip
import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gnomon
from gnomon.core.errors import GnomonError, UnreadableSource
from gnomon.data import open_sources

ROWS = 400
TRUTH = sum(range(ROWS))
CSV = ("town,sales\n" + "".join(f"town {i},{i}\n" for i in range(ROWS))).encode()
JSON = json.dumps([{"town": f"town {i}", "sales": i} for i in range(ROWS)]).encode()
LINES = "".join(json.dumps({"town": f"town {i}", "sales": i}) + "\n" for i in range(ROWS)).encode()
TEXTS = {"rows.csv": CSV, "rows.json": JSON, "rows.jsonl": LINES}


def _zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


HARM: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda packed: packed[: len(packed) * 2 // 3],
    "without its last bytes": lambda packed: packed[:-5],
    "with another check sum": lambda packed: packed[:-8] + bytes(8),
    "with something behind it": lambda packed: packed + b"garbage",
    "with its head only": lambda packed: packed[:12],
    "with wrong bytes": lambda packed: packed[:60] + bytes(20) + packed[80:],
}


def _total(path: Path) -> int | None:
    """The total of the table in ``path``; None where it is refused."""
    try:
        with open_sources(path) as dataset:
            (table,) = dataset
            found = dataset.connection.execute(f"SELECT sum(sales) FROM {table.relation}").fetchone()
    except UnreadableSource as e:
        assert path.name in e.message
        assert e.suggestions
        return None
    assert found is not None
    return int(found[0])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("harm", HARM)
def test_a_damaged_packed_file_is_refused_by_its_name(tmp_path: Path, name: str, harm: str) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(TEXTS[name]))
    assert _total(path) == TRUTH
    path.write_bytes(HARM[harm](gzip.compress(TEXTS[name])))
    assert _total(path) is None


@pytest.mark.parametrize("harm", ["cut short", "with its head only"])
def test_a_damaged_zstandard_file_is_refused_too(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "rows.csv.zst"
    path.write_bytes(HARM[harm](_zstd(CSV)))
    assert _total(path) is None


@pytest.mark.parametrize("names", [("good.csv", "bad.csv.gz"), ("part-1.csv", "part-2.csv.gz")])
def test_one_damaged_file_does_not_close_its_folder(tmp_path: Path, names: tuple[str, str]) -> None:
    good, bad = names
    (tmp_path / good).write_bytes(CSV)
    (tmp_path / bad).write_bytes(gzip.compress(CSV)[:-20])
    with open_sources(tmp_path) as dataset:
        (table,) = dataset
        assert dataset.connection.execute(f"SELECT sum(sales) FROM {table.relation}").fetchone() == (TRUTH,)
        assert any(bad in w and "unpacked" in w for w in dataset.warnings)
    with pytest.raises(UnreadableSource, match=r"bad|part-2"):
        open_sources(str(tmp_path / "*.csv*"))


@pytest.mark.parametrize(
    "text",
    [
        b'[{"a\\u0000b": 1, "sales": 2}]',
        b'[{"in": {"a\\u0000b": 1}, "sales": 2}]',
        b'{"sales": [{"a\\u0000b": 1}, {"a\\u0000b": 1}]}',
        b'[{"": 1, " ": 2, "sales": 2}]',
        b'[{"a\\"; DROP TABLE x; --": 1, "sales": 2}]',
    ],
)
def test_any_name_of_a_field_is_read_or_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "rows.json").write_bytes(text)
    assert _total(tmp_path / "rows.json") in (None, 2)


def test_what_nobody_foresaw_is_an_error_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows.json").write_bytes(JSON)
    for error in (TypeError("x"), OSError(5, "x"), duckdb.ParserException("Parser Error: x"), EOFError()):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("gnomon.data.json_source.open_json", fail)
        with pytest.raises(UnreadableSource, match=r"rows\.json"):
            open_sources(tmp_path / "rows.json")


def _samples(folder: Path) -> list[Path]:
    made = {name: folder / name for name in TEXTS}
    for name, path in made.items():
        path.write_bytes(TEXTS[name])
    pq.write_table(
        pa.table({"town": [f"t{i}" for i in range(ROWS)], "sales": range(ROWS)}), folder / "rows.parquet"
    )
    with sqlite3.connect(folder / "rows.sqlite") as file:
        file.execute("CREATE TABLE rows (town TEXT, sales INTEGER)")
        file.executemany("INSERT INTO rows VALUES (?, ?)", [(f"t{i}", i) for i in range(ROWS)])
    from openpyxl import Workbook

    book = Workbook()
    sheet: Any = book.active
    sheet.append(["town", "sales"])
    for i in range(ROWS):
        sheet.append([f"t{i}", i])
    book.save(folder / "rows.xlsx")
    (folder / "rows.csv.gz").write_bytes(gzip.compress(CSV))
    return [*made.values(), *(folder / f"rows.{e}" for e in ("parquet", "sqlite", "xlsx", "csv.gz"))]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_bytes_that_change_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for path in _samples(tmp_path):
        data = bytearray(path.read_bytes())
        if seed % 3 == 0:
            data = data[: rng.randrange(1, len(data))]
        else:
            for _ in range(1 + seed):
                data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            open_sources(path).close()
        except GnomonError as e:
            assert e.message


def _rewritten(path: Path) -> None:
    pq.write_table(pa.table({"place": ["a"], "other": [1]}), path)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (Path.unlink, "no longer there"),
        (lambda path: path.write_bytes(b"x"), "was changed"),
        (_rewritten, "was changed"),
    ],
)
def test_a_file_that_goes_while_it_is_open_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], said: str
) -> None:
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"town": ["a", "b", "c"] * 20, "sales": range(60)}), path)
    with gnomon.open(str(path)) as analyst:
        harm(path)
        told = analyst.ask("highest sales by town").prose
    assert "rows.parquet" in told
    assert said in told
    assert "unexpectedly" not in told
