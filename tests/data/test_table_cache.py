"""A text file is read once; its copy gives the same rows, follows the file, and takes bounded room."""

import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.core import file_state
from gnomon.core.file_state import code_state
from gnomon.core.private import in_turn
from gnomon.core.settings import Settings
from gnomon.data import load_data_with_cache, open_sources, sources, table_cache


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


def test_the_copy_gives_the_same_table_without_the_file_being_typed_again(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = _settings(tmp_path)
    first = _seen(rows, settings)
    monkeypatch.setattr("gnomon.data.csv_source.open_csv", None)
    os.utime(rows)  # a time without a change is none
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


@pytest.mark.parametrize("large", [False, True])
def test_a_change_is_noticed_whatever_size_and_time_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:  # what is too large to be read is told by what the system notes
        monkeypatch.setattr(file_state, "READ_BYTES", 0)
    path, settings = tmp_path / "orders.csv", _settings(tmp_path)
    for value in (10, 99, 55, 10):
        noted = path.stat().st_ctime_ns if path.exists() else 0
        path.write_text("town,sales\n" + "".join(f"t{i},{value}\n" for i in range(9)))
        os.utime(path, (1_700_000_000, 1_700_000_000))
        while path.stat().st_ctime_ns == noted:  # the system notes times in steps of some milliseconds
            os.utime(path, (1_700_000_000, 1_700_000_000))
        with open_sources(path, settings=settings) as dataset:
            assert dataset.connection.execute("SELECT sum(sales) FROM orders").fetchone() == (9 * value,)
        assert load_data_with_cache(path, settings=settings)["sales"].sum() == 9 * value


def test_a_file_in_the_place_of_another_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_state, "READ_BYTES", 0)
    path, other = tmp_path / "orders.csv", tmp_path / "new.csv"
    for place, value in ((path, 11), (other, 22)):
        place.write_text(f"town,sales\na,{value}\nb,{value}\nc,{value}\n")
        os.utime(place, (1_700_000_000, 1_700_000_000))
    settings = _settings(tmp_path)
    _seen(path, settings)
    other.replace(path)
    with open_sources(path, settings=settings) as dataset:
        assert dataset.connection.execute("SELECT sum(sales) FROM orders").fetchone() == (66,)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "xlsx"])
def test_a_question_is_answered_from_what_the_file_holds_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    path = tmp_path / f"orders.{kind}"
    for value in (10, 99):
        frame = pd.DataFrame({"town": list("abcdef"), "sales": [value] * 6})
        if kind == "csv":
            frame.to_csv(path, index=False)
        elif kind == "json":
            frame.to_json(path, orient="records")
        elif kind == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_excel(path, index=False)
        os.utime(path, (1_700_000_000, 1_700_000_000))
        with gnomon.open(str(path)) as analyst:
            assert f"{6 * value}" in analyst.ask("total sales").prose


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


def test_what_other_code_made_is_not_read(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = _settings(tmp_path)
    _seen(rows, settings)
    kept = {f.name for f in (settings.home / "tables").glob("*.parquet")}
    monkeypatch.setattr(table_cache, "code_state", lambda *rooms: "other code")
    _seen(rows, settings)
    assert len({f.name for f in (settings.home / "tables").glob("*.parquet")} - kept) == 1


def test_code_is_told_apart_by_what_it_says_alone(tmp_path: Path) -> None:
    (room := tmp_path / "data" / "inner").mkdir(parents=True)
    states = set[str]()
    for text in ("a = 1", "a = 2"):
        (room / "reading.py").write_text(text)
        os.utime(room / "reading.py", ns=(1, 1))
        code_state.cache_clear()
        states.add(code_state("data", root=tmp_path))
    assert len(states) == 2


def test_a_file_that_many_open_at_once_is_read_once(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[int]()
    real = sources._plain_csv

    def counted(*given: Any) -> Any:
        read.append(1)
        return real(*given)

    monkeypatch.setattr(sources, "_plain_csv", counted)
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda _: _seen(rows, _settings(tmp_path)), range(8))]
    assert len(read) == 1
    assert {repr(rows) for rows, _ in found} == {repr(found[0][0])}
    assert not [f for f in (tmp_path / "home" / "tables").iterdir() if f.suffix in (".lock", ".part")]


def test_processes_that_open_a_file_at_once_find_the_copy_of_one(rows: Path, tmp_path: Path) -> None:
    code = "import sys, gnomon\nwith gnomon.open_sources(sys.argv[1]) as d: print(d.connection.execute('SELECT count(*) FROM orders').fetchone()[0])"
    environment = {**os.environ, "GNOMON_HOME": str(tmp_path / "home")}
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(rows)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    assert {made.communicate()[0].strip() for made in begun} == {"303"}
    assert len([*(tmp_path / "home" / "tables").glob("*.parquet")]) == 1


def test_who_waits_for_another_goes_on_after_a_while(tmp_path: Path) -> None:
    with in_turn(tmp_path / "copy.parquet", 5):
        begun = time.monotonic()
        with in_turn(tmp_path / "copy.parquet", 0.05):
            assert time.monotonic() - begun < 2
