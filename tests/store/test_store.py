"""What is written is read back, by others too, and does not grow without bound."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from gnomon.core import clock
from gnomon.core.errors import ConfigurationError, NotFound, SourceUnreachable
from gnomon.core.events import Event, EventKind
from gnomon.core.settings import Settings
from gnomon.store import Run, Store, schema
from gnomon.store.migrations import SCHEMA_VERSION

START = datetime(2025, 3, 1, 12, tzinfo=UTC)


def a_run(name: str, minute: int = 0, **more: object) -> Run:
    return Run.model_validate(
        {"id": name, "status": "running", "started_at": START + timedelta(minutes=minute), **more}
    )


def an_event(run: str, kind: EventKind = EventKind.STARTED, **more: object) -> Event:
    return Event.model_validate({"request_id": run, "kind": kind, "at": START, **more})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "gnomon.db")


def check_round_trip(store: Store) -> None:
    begun = a_run("r1", plan={"steps": [1]}, tools=("total",), strategy="single")
    store.save_run(begun)
    assert store.run("r1") == begun
    ended = begun.model_copy(
        update={
            "status": "success",
            "finished_at": START + timedelta(seconds=2),
            "duration_seconds": 2.0,
            "results": [{"tool_id": "total", "output": {"value": 1.5}}],
        }
    )
    store.save_run(
        ended, [an_event("r1"), an_event("r1", EventKind.FINISHED, step="a", data={"attempts": 1})]
    )
    store.add_event(an_event("r1", EventKind.PROGRESS, fraction=0.5))
    read = store.run("r1")
    assert read.model_copy(update={"events": ()}) == ended
    assert [e.kind for e in read.events] == ["started", "finished", "progress"]
    assert (read.events[1].step, read.events[1].data, read.events[1].at) == ("a", {"attempts": 1}, START)
    assert [r.id for r in store.runs()] == ["r1"]


def test_a_run_is_read_back_as_it_was_written(store: Store) -> None:
    check_round_trip(store)


@pytest.mark.needs("postgres")
def test_a_run_is_read_back_from_postgres(postgres_url: str) -> None:
    with Store.open(postgres_url) as store:
        check_round_trip(store)
        assert store.save_tool("t", {"a": 1}) == 1
        assert store.save_tool("t", {"a": 2}) == 2
        assert store.tool("t").spec == {"a": 2}
        store.save_pending("r", {}, {"message": "?"}, clock.now() + timedelta(hours=1))
        assert store.pending("r") == ({}, {"message": "?"})


def test_runs_come_newest_first_and_no_more_than_asked(store: Store) -> None:
    for minute, name in enumerate(["a", "b", "c"]):
        store.save_run(a_run(name, minute))
    assert [r.id for r in store.runs(limit=2)] == ["c", "b"]


def test_a_run_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    store.save_run(a_run("abc-1"))
    store.save_run(a_run("abd-2"))
    assert store.run("abc").id == "abc-1"
    with pytest.raises(NotFound, match="Several runs"):
        store.run("ab")
    with pytest.raises(NotFound, match="no run named 'zzz'"):
        store.run("zzz")
    with pytest.raises(NotFound):
        store.run("%")


def test_old_runs_go_with_their_events(tmp_path: Path) -> None:
    path = tmp_path / "gnomon.db"
    with Store.open(path, keep_runs=3) as store:
        for minute in range(6):
            store.save_run(a_run(f"r{minute}", minute), [an_event(f"r{minute}")])
        assert [r.id for r in store.runs()] == ["r5", "r4", "r3"]
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*), min(run_id) FROM events").fetchone() == (3, "r3")


def test_an_event_of_no_run_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="was not saved"):
        store.add_events([an_event("nobody")])


def test_saved_tools_have_versions(store: Store) -> None:
    assert store.save_tool("clean", {"steps": [1]}) == 1
    assert store.save_tool("clean", {"steps": [2]}) == 2
    assert store.save_tool("clean", {"steps": [2]}) == 2, "the same again is not a new version"
    assert store.save_tool("also", {}) == 1
    assert store.tool("clean").spec == {"steps": [2]}
    assert store.tool("clean", 1).spec == {"steps": [1]}
    assert [(t.name, t.version) for t in store.tools()] == [("also", 1), ("clean", 2)]
    with pytest.raises(NotFound, match="Did you mean 'clean'"):
        store.tool("claen")
    with pytest.raises(NotFound, match="no version 9"):
        store.tool("clean", 9)


def test_an_open_question_expires(store: Store) -> None:
    with clock.frozen(START):
        store.save_pending("r", {"p": 1}, {"q": 2}, START + timedelta(minutes=1))
        assert store.pending("r") == ({"p": 1}, {"q": 2})
        assert store.pending("other") is None
    with clock.frozen(START + timedelta(minutes=2)):
        assert store.pending("r") is None


def test_two_processes_write_at_the_same_time_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "gnomon.db"
    program = """
import sys, json, pathlib
from datetime import UTC, datetime
from gnomon.core.events import Event, EventKind
from gnomon.store import Run, Store, schema
path, me = pathlib.Path(sys.argv[1]), sys.argv[2]
versions = []
with Store.open(path) as store:
    for i in range(40):
        run = Run(id=f"{me}-{i}", status="running", started_at=datetime.now(UTC))
        store.save_run(run, [Event(request_id=run.id, kind=EventKind.STARTED)])
        versions.append(store.save_tool("shared", {"by": me, "i": i}))
print(json.dumps(versions))
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(path), me], stdout=subprocess.PIPE, text=True)
        for me in ("one", "two")
    ]
    versions = [json.loads(w.communicate(timeout=60)[0]) for w in writers]
    assert [w.returncode for w in writers] == [0, 0]
    assert sorted(versions[0] + versions[1]) == list(range(1, 81))
    with Store.open(path) as store:
        assert len(store.runs(limit=1000)) == 80
        assert len(store.run("one-39").events) == 1


def test_the_store_of_the_settings_is_in_their_home(tmp_path: Path) -> None:
    with Store.open(Settings.load(home=tmp_path / "home")) as store:
        store.save_run(a_run("r"))
        assert store.schema_version == SCHEMA_VERSION
    with sqlite3.connect(tmp_path / "home" / "gnomon.db") as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert raw.execute("SELECT id FROM runs").fetchone() == ("r",)


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gnomon.db"
    Store.open(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = '99'")
    with pytest.raises(ConfigurationError, match="newer Gnomon"):
        Store.open(path)


def test_a_place_that_cannot_be_used_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        Store.open(tmp_path / "file" / "gnomon.db")
    with pytest.raises(ConfigurationError, match="mysql"):
        Store.open("mysql://localhost/x")
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        Store.open("not a url")


def test_a_run_whose_process_was_killed_is_interrupted_when_the_store_is_opened_again(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from gnomon.core import clock; "
        "from gnomon.store import Run, Store; store = Store.open(Path(sys.argv[1])); "
        "store.save_run(Run(id='killed', status='running', started_at=clock.now())); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    place = tmp_path / "gnomon.db"
    ended = subprocess.run([sys.executable, "-c", script, str(place)], check=False, timeout=60)
    assert ended.returncode == -9
    with Store.open(place) as store:
        killed = store.run("killed")
        assert (killed.status, killed.finished_at is not None) == ("interrupted", True)
        store.save_run(a_run("mine"))
    with Store.open(place) as store:
        assert store.run("mine").status == "running"  # this process still lives


def test_only_its_owner_may_read_the_store_however_it_was_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "gnomon.db").touch(mode=0o644)
    with Store.open(Settings.load(home=home)) as store:
        store.save_run(a_run("r1"))
        modes = {f.name: f.stat().st_mode & 0o777 for f in home.iterdir()}
    assert home.stat().st_mode & 0o777 == 0o700
    assert "gnomon.db" in modes
    assert set(modes.values()) == {0o600}


def test_what_is_deleted_while_somebody_reads_is_wiped_with_a_later_change(tmp_path: Path) -> None:
    path = tmp_path / "gnomon.db"
    with Store.open(path) as store:
        kept = Run(id="r1", status="success", started_at=clock.now(), dataset_id="d", title="a secret word")
        store.save_run(kept)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM runs").fetchone()
        assert store.forget_runs("d", kept.tenant) == ["r1"]
        store.wipe()  # does not wait for ever
        reader.execute("COMMIT")
        reader.close()
        store.save_run(kept.model_copy(update={"id": "r2", "title": "another"}))
        held = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"a secret word" not in held
    assert b"another" in held


def test_a_look_waits_for_nobody_and_sees_one_state(store: Store) -> None:
    store.save_run(a_run("before"))
    with store.writing() as c:
        c.execute(update(schema.runs).values(status="changed"))
        started = time.monotonic()
        assert store.run("before").status == a_run("before").status
        assert time.monotonic() - started < 5, "whoever looks waits for whoever writes"
    with store.reading() as c:
        first = c.execute(select(schema.runs.c.status)).scalars().all()
        with store.writing() as other:
            other.execute(update(schema.runs).values(status="changed again"))
        assert c.execute(select(schema.runs.c.status)).scalars().all() == first == ["changed"]
    assert store.run("before").status == "changed again"


def test_writers_of_one_process_go_one_after_another(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(number: int) -> None:
        for i in range(20):
            store.save_run(a_run(f"{number}-{i}"))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(write, range(8))) == [None] * 8
        assert len(store.runs(1000)) == 160
        monkeypatch.setattr(schema, "BUSY_MILLISECONDS", 50)
        with store.writing(), pytest.raises(SourceUnreachable, match="too long"):
            threads.submit(write, 8).result()
    write(9)


def test_what_is_no_unicode_and_what_is_no_number_is_kept(store: Store) -> None:
    odd = {"half": "\ud83d", "whole": "Zürich 😀", "none": math.inf, "big": 10**30}
    store.save_run(a_run("odd", answer=odd))
    assert store.run("odd").answer == odd
