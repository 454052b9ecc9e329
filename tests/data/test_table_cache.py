"""A text file is read once; its copy gives the same rows, follows the file, and takes bounded room."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.core.settings import Settings
from gnomon.data import open_sources, table_cache


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    rng = random.Random(5)
    lines = [f"2024-0{1 + i % 9}-11,{rng.choice('NSWE')},{rng.uniform(1, 9):.2f} €,-" for i in range(300)]
    path.write_text("day,region,price,note\n" + "\n".join(lines) + "\n2024-01-01,N,-9999 €,x\n" * 3)
    return path


def _settings(tmp_path: Path, **more: int) -> Settings:
    return Settings.load(home=tmp_path / "home", **more)


def _seen(path: Path, settings: Settings) -> tuple[object, ...]:
    with open_sources(path, settings=settings) as dataset:
        table = dataset.table("orders")
        rows = dataset.connection.execute(f"FROM {table.relation}").fetchall()
        return rows, table


def test_the_copy_gives_the_same_table_without_the_file_being_read(rows: Path, tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    first = _seen(rows, settings)
    stat = rows.stat()
    rows.write_bytes(
        b"#" * stat.st_size
    )  # what it holds is not looked at as long as size and time are the same
    import os

    os.utime(rows, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert _seen(rows, settings) == first
    (copy,) = (tmp_path / "home" / "tables").glob("*.parquet")
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_is_read_again(rows: Path, tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    before = _seen(rows, settings)
    with rows.open("a") as f:
        f.write("2024-05-05,N,4.00 €,y\n")
    after = _seen(rows, settings)
    assert len(after[0]) == len(before[0]) + 1  # type: ignore[arg-type]


def test_copies_take_bounded_room_and_none_where_none_is_given(rows: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "tables"
    _seen(rows, _settings(tmp_path, cache_mb=0))
    assert not folder.exists()
    settings = _settings(tmp_path, cache_mb=1)
    folder.mkdir(parents=True)
    (folder / "old.parquet").write_bytes(b"0" * (1 << 20))
    import os

    os.utime(folder / "old.parquet", (1, 1))
    _seen(rows, settings)
    assert len(list(folder.glob("*.parquet"))) == 1
    assert not (folder / "old.parquet").exists()


def test_a_wide_file_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(",".join(f"{w}{i}" for i in range(250)) for w in ("c", "1", "2")) + "\n")
    first = _seen(path, _settings(tmp_path))
    assert _seen(path, _settings(tmp_path)) == first and len(first[0]) == 2  # type: ignore[arg-type]
    assert list((tmp_path / "home" / "tables").glob("*.parquet"))


def test_no_more_copies_are_kept_than_are_looked_through_quickly(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "MOST_COPIES", 2)
    for i in range(4):
        rows.write_text(f"day,price\n2024-01-0{i + 1},{i}\n")
        _seen(rows, _settings(tmp_path))
    assert len(list((tmp_path / "home" / "tables").glob("*.parquet"))) == 2
    assert len(list((tmp_path / "home" / "tables").glob("*.json"))) == 2


def test_pandas_is_not_loaded_for_a_copy(rows: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from gnomon.core.settings import Settings; from gnomon.data import open_sources\n"
        f"open_sources({str(rows)!r}, settings=Settings.load(home={str(tmp_path / 'home')!r})).close()\n"
        "print('pandas' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
    assert list((tmp_path / "home" / "tables").glob("*.parquet"))
