"""Files that would take the process down end in an error for whoever opened them, and in nothing else."""

import gzip
import sqlite3
import zipfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from gnomon.core.errors import UnreadableSource
from gnomon.core.settings import Settings
from gnomon.data import open_sources


def _book(path: Path, *cells: tuple[str, object]) -> Path:
    book = Workbook()
    for place, value in cells:
        book.active[place] = value
    book.save(path)
    return path


@pytest.mark.parametrize("place", ["XFD1048576", "XFD40000", "ZZ1048576"])
def test_a_cell_far_away_is_an_error_that_says_what_to_do(tmp_path: Path, place: str) -> None:
    path = _book(tmp_path / "far.xlsx", ("A1", "name"), ("A2", "x"), (place, 1))
    with pytest.raises(UnreadableSource, match="far apart") as told:
        open_sources(path, settings=Settings.load(open_memory_mb=400))
    assert "GNOMON_OPEN_MEMORY_MB" in " ".join(told.value.suggestions)


def test_a_sheet_that_unpacks_beyond_measure_is_refused(tmp_path: Path) -> None:
    plain = _book(tmp_path / "plain.xlsx", ("A1", "name"), ("A2", "x"))
    bomb = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            held = source.read(name)
            filler = b" " * (80 << 20) if name.endswith("sheet1.xml") else b""
            target.writestr(name, held.replace(b"</sheetData>", filler + b"</sheetData>"))
    with pytest.raises(UnreadableSource, match="unpacks to more than"):
        open_sources(bomb)


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.json.gz", "bomb.tsv.gz"])
def test_a_compressed_file_that_unpacks_beyond_measure_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    head, row = (b'[{"a": 1}', b',{"a":1}') if "json" in name else (b"a,b\n", b"1,2\n")
    with gzip.open(path, "wb") as f:
        f.write(head)
        for _ in range(80):
            f.write(row * ((1 << 20) // len(row)))
    with pytest.raises(UnreadableSource, match="unpacks to more than"):
        open_sources(path)


def test_what_unpacks_to_more_than_is_allowed_says_which_setting_allows_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7919) for i in range(200_000))))
    with pytest.raises(UnreadableSource) as told:
        open_sources(path, settings=Settings.load(max_unpacked_mb=1))
    assert "GNOMON_MAX_UNPACKED_MB" in " ".join(told.value.suggestions)
    open_sources(path).close()


def test_texts_too_large_to_hold_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "fat.parquet"
    texts = pa.array(["x" * 1_000_000] * 300)
    pq.write_table(pa.table({"id": list(range(300)), "note": texts}), path, compression="zstd")
    assert path.stat().st_size < 200_000
    with pytest.raises(UnreadableSource) as told:
        open_sources(path, settings=Settings.load(memory_limit_mb=64))
    assert "GNOMON_MEMORY_LIMIT_MB" in " ".join(told.value.suggestions)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
@pytest.mark.parametrize("rows", [True, False])
def test_a_view_that_never_ends_is_left_out_and_named(tmp_path: Path, kind: str, rows: bool) -> None:
    path = tmp_path / f"store.{kind}"
    shown = "SELECT n FROM counting" if rows else "SELECT n FROM counting WHERE n < 0"
    endless = f"CREATE VIEW endless AS WITH RECURSIVE counting(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting) {shown}"
    file = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    file.execute("CREATE TABLE orders AS SELECT 7 AS units")
    file.execute(endless)
    if kind == "sqlite":
        file.commit()  # pyright: ignore[reportAttributeAccessIssue]
    file.close()
    with open_sources(path, settings=Settings.load(open_timeout_seconds=1.5, memory_limit_mb=512)) as dataset:
        assert list(dataset.tables) == ["orders"]
        assert any("endless" in w and "given up" in w for w in dataset.warnings)
