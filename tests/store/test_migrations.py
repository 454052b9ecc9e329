"""A store of an earlier version is brought up to date with everything that was in it."""

import json
import sqlite3
from pathlib import Path

from sqlalchemy import create_engine, inspect

from gnomon.store import Journal, Run, Sessions, Store, Turn, migrations
from gnomon.store.migrations import SCHEMA_VERSION

FIRST = """
CREATE TABLE meta (key VARCHAR NOT NULL PRIMARY KEY, value VARCHAR NOT NULL);
CREATE TABLE runs (id VARCHAR NOT NULL PRIMARY KEY, status VARCHAR NOT NULL, strategy VARCHAR NOT NULL, tools JSON NOT NULL,
  started_at DATETIME NOT NULL, finished_at DATETIME, duration_seconds FLOAT, plan JSON NOT NULL, results JSON NOT NULL);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE TABLE events (seq INTEGER NOT NULL PRIMARY KEY, run_id VARCHAR NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  at DATETIME NOT NULL, kind VARCHAR NOT NULL, step VARCHAR, tool VARCHAR, fraction FLOAT, data JSON NOT NULL);
CREATE INDEX events_of_run ON events (run_id, seq);
CREATE TABLE tools (name VARCHAR NOT NULL, version INTEGER NOT NULL, spec JSON NOT NULL, created_at DATETIME NOT NULL,
  PRIMARY KEY (name, version));
CREATE TABLE pending (request_id VARCHAR NOT NULL PRIMARY KEY, plan JSON NOT NULL, question JSON NOT NULL,
  expires_at DATETIME NOT NULL);
CREATE INDEX ix_pending_expires_at ON pending (expires_at);
INSERT INTO meta VALUES ('schema_version', '1');
INSERT INTO runs VALUES ('done', 'success', 'single', '["total"]', '2025-03-01 12:00:00', '2025-03-01 12:00:02', 2.0, '{}', '[]');
INSERT INTO runs VALUES ('going', 'running', 'single', '["total"]', '2025-03-02 12:00:00', NULL, NULL, '{}', '[]');
INSERT INTO events VALUES (1, 'done', '2025-03-01 12:00:01', 'finished', NULL, NULL, NULL, '{}');
INSERT INTO tools VALUES ('mine', 1, '{"a": 1}', '2025-03-01 12:00:00');
INSERT INTO tools VALUES ('mine', 2, '{"a": 2}', '2025-03-01 12:00:00');
"""


def of_the_first_version(file: Path) -> Path:
    with sqlite3.connect(file) as connection:
        connection.executescript(FIRST)
    connection.close()
    return file


def columns(file: Path) -> dict[str, list[str]]:
    engine = create_engine(f"sqlite:///{file}")
    looked = inspect(engine)
    found = {t: sorted(c["name"] for c in looked.get_columns(t)) for t in looked.get_table_names()}
    engine.dispose()
    return found


def test_the_first_version_becomes_todays_with_all_it_held(tmp_path: Path) -> None:
    with Store.open(of_the_first_version(tmp_path / "old.db")) as store:
        assert store.schema_version == SCHEMA_VERSION
        assert store.run("done").duration_seconds == 2.0
        assert [e.kind for e in store.run("done").events] == ["finished"]
        assert (store.run("done").tenant, store.run("done").kind) == ("default", "plan")
        assert store.run("going").status == "interrupted"
        assert store.tool("mine").spec == {"a": 2}
        assert store.save_tool("mine", {"a": 9}, tenant="other") == 1
        assert store.tool("mine").spec == {"a": 2}
        Sessions(store).add_turn(
            "t",
            "s",
            "d",
            Turn(run_id="r", kind="ask", question="?", answer={}, at=store.run("done").started_at),
        )
        assert Sessions(store).conversations("t")[0].session_id == "s"
        assert Journal(store).accuracy_so_far("t").questions == 0


def test_an_old_store_ends_up_with_the_tables_of_a_new_one(tmp_path: Path) -> None:
    Store.open(of_the_first_version(tmp_path / "old.db")).close()
    Store.open(tmp_path / "new.db").close()
    assert columns(tmp_path / "old.db") == columns(tmp_path / "new.db")


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    file = of_the_first_version(tmp_path / "old.db")
    steps = dict(migrations.STEPS)

    def broken(c: object) -> None:
        steps[2](c)  # type: ignore[arg-type]
        raise RuntimeError("the power went")

    migrations.STEPS[2] = broken
    try:
        Store.open(file)
    except RuntimeError:
        pass
    finally:
        migrations.STEPS.update(steps)
    assert "datasets" not in columns(file)
    with Store.open(file) as store:
        assert store.tool("mine").version == 2
        assert json.loads(Run.model_validate(store.run("done")).model_dump_json())["status"] == "success"
