"""Files that would take the process down end in an error for whoever opened them, and in nothing else."""

import gzip
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
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


@pytest.mark.long
@pytest.mark.parametrize("place", ["XFD1048576", "XFD40000", "ZZ1048576"])
def test_a_cell_far_away_is_an_error_that_says_what_to_do(tmp_path: Path, place: str) -> None:
    path = _book(tmp_path / "far.xlsx", ("A1", "name"), ("A2", "x"), (place, 1))
    with pytest.raises(UnreadableSource, match="far apart") as told:
        open_sources(path, settings=Settings.load(open_memory_mb=400))
    assert "GNOMON_OPEN_MEMORY_MB" in " ".join(told.value.suggestions)


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_what_unpacks_to_more_than_is_allowed_says_which_setting_allows_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7919) for i in range(200_000))))
    with pytest.raises(UnreadableSource) as told:
        open_sources(path, settings=Settings.load(max_unpacked_mb=1))
    assert "GNOMON_MAX_UNPACKED_MB" in " ".join(told.value.suggestions)
    open_sources(path).close()


@pytest.mark.long
def test_texts_too_large_to_hold_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "fat.parquet"
    texts = pa.array(["x" * 1_000_000] * 300)
    pq.write_table(pa.table({"id": list(range(300)), "note": texts}), path, compression="zstd")
    assert path.stat().st_size < 200_000
    with pytest.raises(UnreadableSource) as told:
        open_sources(path, settings=Settings.load(memory_limit_mb=64))
    assert "GNOMON_MEMORY_LIMIT_MB" in " ".join(told.value.suggestions)


@pytest.mark.long
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
    with open_sources(path, settings=Settings.load(open_timeout_seconds=8, memory_limit_mb=512)) as dataset:
        assert list(dataset.tables) == ["orders"]
        assert any("endless" in w and "given up" in w for w in dataset.warnings)


def _deep_json(path: Path) -> None:
    path.write_bytes(b'[{"a": 1, "b": ' + b'{"a":' * 60_000 + b"1" + b"}" * 60_000 + b"}]")


def _deep_lists(path: Path) -> None:
    path.write_bytes(b"[1, " * 60_000 + b"]" * 60_000)


def _fat_arrow(path: Path) -> None:
    table = pa.table({"note": pa.array(["x" * 1_000_000] * 100)})
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        for _ in range(12):
            file.write_table(table)


def _giant_cells(path: Path) -> None:
    pq.write_table(pa.table({"note": pa.array(["x" * 150_000_000] * 3)}), path, compression="zstd")


def _computed_sqlite(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute(
            "CREATE VIEW big AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4000) "
            "SELECT n, zeroblob(400000000) AS z FROM c"
        )
    file.close()


def _computed_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE VIEW big AS SELECT range AS n, repeat('x', 100000000) AS z FROM range(1000)")


_OPEN_BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from gnomon.core.errors import UnreadableSource
from gnomon.core.settings import Settings
from gnomon.data import open_sources
try:
    open_sources(sys.argv[1], settings=Settings.load(memory_limit_mb=256, open_memory_mb=1024, open_timeout_seconds=60))
except UnreadableSource as e:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(peak.split()[1], e.message)
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what a process took is read from /proc")
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("objects.json", _deep_json),
        ("lists.json", _deep_lists),
        ("fat.arrow", _fat_arrow),
        ("giant.parquet", _giant_cells),
        ("computed.sqlite", _computed_sqlite),
        ("computed.duckdb", _computed_duckdb),
    ],
)
def test_what_takes_a_process_down_takes_another_one_than_the_users(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 1_000_000
    told = subprocess.run(
        [sys.executable, "-c", _OPEN_BOUNDED, str(tmp_path / name)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    kilobytes, _, message = told.stdout.partition(" ")
    assert name.partition(".")[0] in message
    assert int(kilobytes) < 600_000


@pytest.mark.long
def test_ordinary_files_are_opened_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("another process was started")

    monkeypatch.setattr(subprocess, "run", refused)
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n" * 1000)
    (tmp_path / "records.json").write_text('[{"a": {"b": [1, 2]}, "c": "[[[[{{{{"}]')
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "numbers.parquet")
    with duckdb.connect(str(tmp_path / "store.duckdb")) as file:
        file.execute("CREATE TABLE orders AS SELECT 7 AS units")
    with open_sources(*(str(p) for p in sorted(tmp_path.iterdir()))) as dataset:
        assert len(dataset.tables) == 4


@pytest.mark.long
def test_one_deadline_holds_for_all_views_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with duckdb.connect(str(path)) as file:
        for i in range(6):
            file.execute(
                f"CREATE VIEW endless_{i} AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
                "SELECT n FROM c WHERE n < 0"
            )
    began = time.monotonic()
    with pytest.raises(UnreadableSource, match="3 seconds in all") as told:
        open_sources(path, settings=Settings.load(open_timeout_seconds=3, memory_limit_mb=512))
    assert time.monotonic() - began < 8
    assert "GNOMON_OPEN_TIMEOUT_SECONDS" in " ".join(told.value.suggestions)
