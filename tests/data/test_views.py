"""Views are read once, within limits; one that cannot be read is left out and told of, and everything else is there."""

import sqlite3
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from tests.parts import mostly_long

from gnomon.core import clock
from gnomon.core.errors import UnreadableSource
from gnomon.core.settings import Settings
from gnomon.data import Dataset, open_sources
from gnomon.data.slow_views import MAX_DATABASES, SlowViews

_COUNTING = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"
_CROSSED = ", ".join(f"plain_0 t{i}" for i in range(8))
_DEEP = 25
SECONDS = 4.0

# What is wrong with a view, and how each kind of database writes it.
BAD: dict[str, dict[str, str]] = {
    "endless": {"all": _COUNTING},
    "endless_without_rows": {"all": f"{_COUNTING} WHERE n < 0"},
    "crossed": {"all": f"SELECT sum(t0.id * t7.id) AS s FROM {_CROSSED}"},
    "billion": {
        "duckdb": "SELECT range AS n FROM range(1000000000)",
        "sqlite": f"{_COUNTING} LIMIT 1000000000",
        "postgres": "SELECT n FROM generate_series(1, 1000000000) n",
    },
    "fails": {
        "duckdb": "SELECT CAST('secret' || id AS INTEGER) AS x FROM plain_0",
        "sqlite": "SELECT json_extract('secret' || id, '$.a') AS x FROM plain_0",
        "postgres": "SELECT ('secret' || id)::integer AS x FROM plain_0",
    },
    "huge_texts": {
        "duckdb": "SELECT id, repeat('x', 400000000) AS z FROM plain_0",
        "sqlite": "SELECT id, hex(zeroblob(400000000)) AS z FROM plain_0",
        "postgres": "SELECT id, repeat('x', 400000000) AS z FROM plain_0",
    },
}  # fmt: skip
TABLES = [f"plain_{i}" for i in range(10)]


def _statements(kind: str, names: Sequence[str]) -> list[str]:
    """Ten tables of which the rows are known, a view over one of them, and the views that are wrong."""
    made = [f"CREATE TABLE {t} (id INTEGER, region TEXT, amount DOUBLE PRECISION)" for t in TABLES]
    for i, table in enumerate(TABLES):
        rows = ", ".join(f"({n}, 'r{n % 4}', {n * (i + 1)}.5)" for n in range(60))
        made.append(f"INSERT INTO {table} VALUES {rows}")
    made.append("CREATE VIEW by_region AS SELECT region, sum(amount) AS total FROM plain_3 GROUP BY region")
    return made + [f"CREATE VIEW {name} AS {BAD[name].get(kind) or BAD[name]['all']}" for name in names]


def _store(tmp_path: Path, kind: str, names: Sequence[str]) -> Path:
    path = tmp_path / f"store.{kind}"
    _changed(path, *_statements(kind, names))
    return path


def _changed(path: Path, *statements: str) -> None:
    file = duckdb.connect(str(path)) if path.suffix == ".duckdb" else sqlite3.connect(path)
    for statement in statements:
        file.execute(statement)
    if isinstance(file, sqlite3.Connection):
        file.commit()
    file.close()


def _limits() -> Settings:
    return Settings.load(
        view_timeout_seconds=SECONDS, open_timeout_seconds=60, memory_limit_mb=512, open_memory_mb=1024
    )


def _holds(dataset: Dataset, names: Sequence[str]) -> None:
    """All that is sound is there with its rows; of each wrong view it is said what to do, and no cell is quoted."""
    assert set(dataset.tables) == {*TABLES, "by_region"}
    for i, table in enumerate(TABLES):
        rows = dataset.connection.execute(f"SELECT count(*), sum(amount) FROM {table}").fetchone()
        assert rows == (60, sum(n * (i + 1) + 0.5 for n in range(60)))
    held = dict(dataset.connection.execute("SELECT region, total FROM by_region").fetchall())
    assert held == {f"r{k}": sum(n * 4 + 0.5 for n in range(60) if n % 4 == k) for k in range(4)}
    assert set(dataset.left_out) == set(names)
    for name, said in dataset.left_out.items():
        assert name in said
        assert any(word in said for word in ("GNOMON_", "APP_", "see where it fails")), said
        assert f"Left out: {said}" in dataset.warnings
        assert "secret" not in said
    for name in ("endless", "endless_without_rows", "crossed"):
        assert "may take 4 seconds" in dataset.left_out[name]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_views_of_a_file_that_cannot_be_read_are_left_out_and_told_of(tmp_path: Path, kind: str) -> None:
    path = _store(tmp_path, kind, list(BAD))
    began = time.monotonic()
    with open_sources(path, settings=_limits()) as dataset:
        assert time.monotonic() - began < (SECONDS + 10) * len(BAD)
        _holds(dataset, list(BAD))


@pytest.mark.long
@pytest.mark.parametrize("kind", mostly_long(["duckdb", "sqlite"], 1))
def test_a_view_that_was_too_slow_is_tried_again_only_with_more_time_or_another_database(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"store.{kind}"
    _changed(path, "CREATE TABLE plain (id INTEGER)", f"CREATE VIEW endless AS {_COUNTING}")
    _changed(path, "INSERT INTO plain VALUES (1), (2)")
    limits = Settings.load(home=tmp_path / "home", view_timeout_seconds=1.0, open_timeout_seconds=60)

    def said(settings: Settings) -> str:
        with open_sources(path, settings=settings) as dataset:
            assert set(dataset.left_out) == {"endless"}
            assert set(dataset.tables) == {"plain"}
            assert f"Left out: {dataset.left_out['endless']}" in dataset.warnings
            return dataset.left_out["endless"]

    tried = "may take 1 seconds"
    assert tried in said(limits)
    remembered = said(limits)
    assert "is not read: it took longer than 1 seconds before" in remembered
    assert "GNOMON_VIEW_TIMEOUT_SECONDS to try again" in remembered
    assert "may take 1.5 seconds" in said(limits.model_copy(update={"view_timeout_seconds": 1.5}))
    assert "longer than 1.5 seconds before" in said(limits)
    _changed(path, "INSERT INTO plain VALUES (3)")
    assert tried in said(limits)
    assert "is not read" in said(limits)
    (kept, older) = sorted((tmp_path / "home" / "slow_views").iterdir(), key=lambda f: -f.stat().st_mtime)
    assert older != kept
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_text("no JSON")
    assert tried in said(limits)


def test_what_is_kept_of_slow_views_is_bounded(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path / "home", view_timeout_seconds=1.0)
    for i in range(MAX_DATABASES + 5):
        database = tmp_path / f"{i}.duckdb"
        database.write_bytes(b"x")
        SlowViews(settings, str(database)).add("main.v")
    assert len(list((tmp_path / "home" / "slow_views").iterdir())) == MAX_DATABASES
    last, first = (SlowViews(settings, str(tmp_path / f"{i}.duckdb")) for i in (MAX_DATABASES + 4, 0))
    assert last.late("main.v", "v") is not None
    assert first.late("main.v", "v") is None


def test_a_slow_view_of_a_server_is_tried_again_after_an_hour(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path / "home", view_timeout_seconds=1.0)
    began, address = datetime(2026, 3, 1, 12, tzinfo=UTC), "postgresql://me:secret@host/db"
    for name, minute in (("main.v", 0), ("main.w", 50)):
        with clock.frozen(began + timedelta(minutes=minute)):
            SlowViews(settings, address).add(name)
    for minute, known in (
        (51, ["main.v", "main.w"]),
        (59, ["main.v", "main.w"]),
        (61, ["main.w"]),
        (111, []),
    ):
        with clock.frozen(began + timedelta(minutes=minute)):
            held = SlowViews(settings, address.replace("secret", "changed"))
            assert [n for n in ("main.v", "main.w") if held.late(n, n)] == known
            told = held.late("main.w", "w of db")
            assert told is None or f"tried again in {110 - minute} minute" in told.message
            more = settings.model_copy(update={"view_timeout_seconds": 2.0})
            assert SlowViews(more, address).late("main.w", "w") is None
            assert SlowViews(settings, "postgresql://me@host/other").late("main.w", "w") is None
    assert not any("secret" in f.read_text() + f.name for f in (tmp_path / "home" / "slow_views").iterdir())


@pytest.mark.long
@pytest.mark.needs("postgres")
def test_views_of_a_server_that_cannot_be_read_are_left_out_and_told_of(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as made:
        made.execute("CREATE DATABASE views_that_never_end")
    url = postgres_url.replace("/postgres?", "/views_that_never_end?")
    with psycopg.connect(url, autocommit=True) as made:
        for statement in _statements("postgres", list(BAD)):
            made.execute(statement.encode())
    with open_sources(url, settings=_limits()) as dataset:
        _holds(dataset, list(BAD))
    with pytest.raises(UnreadableSource, match="took longer than 4 seconds within the last hour"):
        open_sources(f"{url}#endless", settings=_limits())
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY%'"
    with psycopg.connect(url, autocommit=True) as asked:
        until = time.monotonic() + 4 * SECONDS
        while asked.execute(running).fetchall() != [(0,)]:
            assert time.monotonic() < until, "the server still reads a view that was given up"


@pytest.mark.long
def test_views_of_an_open_connection_that_cannot_be_read_are_left_out_and_told_of() -> None:
    names = [name for name in BAD if name != "huge_texts"]  # the memory of the connection is its owner's
    with duckdb.connect() as held:
        for statement in _statements("duckdb", names):
            held.execute(statement)
        with open_sources(held, settings=_limits()) as dataset:
            _holds(dataset, names)
        assert held.execute("SELECT count(*) FROM plain_1").fetchone() == (60,)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_one_view_that_never_ends_costs_its_own_time_and_no_more(tmp_path: Path, kind: str) -> None:
    (tmp_path / "sound").mkdir()
    path, sound = _store(tmp_path, kind, ["endless"]), _store(tmp_path / "sound", kind, [])
    took = {}
    for file in (sound, path):
        began = time.monotonic()
        open_sources(file, settings=_limits()).close()
        took[file] = time.monotonic() - began
    assert took[path] - took[sound] < SECONDS + 10


@pytest.mark.long
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_database_of_which_nothing_can_be_read_is_an_error_that_says_what_to_do(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"alone.{kind}"
    file = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    file.execute(f"CREATE VIEW alone AS {_COUNTING}")
    file.close()
    with pytest.raises(UnreadableSource, match="reading a view may take") as told:
        open_sources(path, settings=_limits())
    assert "GNOMON_VIEW_TIMEOUT_SECONDS" in " ".join(told.value.suggestions)


@pytest.mark.long
def test_views_that_double_with_every_level_are_left_out_where_they_take_too_long(tmp_path: Path) -> None:
    path = _store(tmp_path, "sqlite", [])
    with sqlite3.connect(path) as file:
        file.execute("CREATE VIEW v00 AS SELECT id FROM plain_0")
        for i in range(1, _DEEP):
            file.execute(
                f"CREATE VIEW v{i:02} AS SELECT a.id FROM v{i - 1:02} a JOIN v{i - 1:02} b ON a.id = b.id + 1"
            )
    file.close()
    began = time.monotonic()
    settings = Settings.load(view_timeout_seconds=4, open_timeout_seconds=40, memory_limit_mb=512)
    with open_sources(path, settings=settings) as dataset:
        assert time.monotonic() - began < 60
        assert {*TABLES, "by_region", "v00", "v01", "v02"} <= set(dataset.tables)
        assert f"v{_DEEP - 1}" in dataset.left_out


def test_a_view_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("secret")
    path = tmp_path / "store.duckdb"
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE plain AS SELECT 7 AS units")
        file.execute(f"CREATE VIEW other AS SELECT content FROM read_text('{tmp_path / 'other.txt'}')")
    with open_sources(path, roots=[tmp_path]) as dataset:
        assert list(dataset.tables) == ["plain"]
        assert "reads other files" in dataset.left_out["other"]


@pytest.mark.long
def test_columns_that_are_computed_are_read_once_and_right(tmp_path: Path) -> None:
    for kind in ("duckdb", "sqlite"):
        path = tmp_path / f"computed.{kind}"
        file = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
        file.execute(
            "CREATE TABLE t (a INTEGER, generated_at TEXT, b INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL)"
        )
        file.execute("INSERT INTO t (a, generated_at) VALUES (1, '2024-01-01'), (2, '2024-01-02')")
        if isinstance(file, sqlite3.Connection):
            file.commit()
        file.close()
        with open_sources(path) as dataset:
            assert dataset.connection.execute("SELECT a, b FROM t ORDER BY a").fetchall() == [(1, 2), (2, 4)]


def test_tables_that_only_sound_computed_are_opened_in_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("another process was started")

    for kind in ("duckdb", "sqlite"):
        path = tmp_path / f"store.{kind}"
        file = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
        file.execute("CREATE TABLE generated (generated_at TEXT, always_generated TEXT)")
        file.close()
        with monkeypatch.context() as patched:
            patched.setattr(subprocess, "Popen", refused)
            with open_sources(path) as dataset:
                assert dataset.table("generated").columns
