"""The first chat over data asks once, at a terminal and with a model, whether names may be read; what is said is kept."""

import json
import os
import pty
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.llm.endpoint import Endpoint, endpoint

from gnomon.cli.ask import chat
from gnomon.core.settings import Settings

REPLY: dict[str, Any] = {
    "tables": [{"table": "mvt", "row": "trip", "synonyms": ["journey"]}],
    "columns": [{"table": "mvt", "column": "chg", "label": "fare", "unit": "USD", "adds": "added"}],
    "states": [],
}
ASKED = "Shall small read the names and types of your columns once"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = pd.DataFrame(
        {"mvt_no": range(5001, 5061), "zone": ["Quillborough", "Marvik"] * 30, "chg": [7.25, 9.5] * 30}
    )
    rows.to_csv(tmp_path / "mvt.csv", index=False)
    return tmp_path / "mvt.csv"


@contextmanager
def terminal(typed: str, monkeypatch: pytest.MonkeyPatch) -> Generator[list[str]]:
    """A pseudo-terminal at which somebody types; what is printed there is told afterwards."""
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def reading() -> None:
        try:
            while held := os.read(ours, 65_536):
                shown.append(held)
        except OSError:  # the other end was closed
            pass

    reader = threading.Thread(target=reading, daemon=True)
    reader.start()
    os.write(ours, typed.encode())
    told: list[str] = []
    with (
        os.fdopen(os.dup(theirs), "r") as stdin,
        os.fdopen(os.dup(theirs), "w", buffering=1) as stdout,
        monkeypatch.context() as patched,
        override_allow_model_requests(True),
    ):
        patched.setattr(sys, "stdin", stdin)
        patched.setattr(sys, "stdout", stdout)
        patched.setattr(sys, "stderr", stdout)
        patched.setenv("COLUMNS", "400")
        yield told
    os.close(theirs)
    reader.join(10)
    os.close(ours)
    told.append(b"".join(shown).decode())


def talk(file: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> str:
    with terminal(typed, monkeypatch) as told:
        chat([str(file)])
    return " ".join(told[0].split())


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with endpoint(json.dumps(REPLY)) as server:
        monkeypatch.setenv("GNOMON_MODEL", "small")
        monkeypatch.setenv("GNOMON_MODEL_URL", server.url)
        yield server


@pytest.mark.long
def test_a_yes_lets_the_model_read_names_once_and_its_words_are_understood_without_it(
    file: Path, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = talk(file, "y\nWhat is the total fare?\n\n", monkeypatch)
    assert ASKED in said and "1 tables and 3 columns" in said and "no cell" in said
    assert "accepted: “trip” is a row of mvt" in said and "5 of 5 proposals hold" in said
    assert "502.50" in said, "60 rows, half of them 7.25 and half 9.5"
    assert len(model.bodies) == 1 and b"Quillborough" not in model.bodies[0]
    (written,) = (Settings.load().home / "meanings").glob("*.yaml")
    assert "fare" in written.read_text() and "coverage" not in written.read_text()
    assert written.stat().st_mode & 0o077 == 0
    again = talk(file, "What is the total fare of all trips?\n\n", monkeypatch)
    assert ASKED not in again and "502.50" in again and len(model.bodies) == 1


def test_a_no_is_remembered_for_that_data_alone(
    file: Path, model: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ASKED in talk(file, "\n\n", monkeypatch), "nothing typed is a no"
    assert ASKED not in talk(file, "\n", monkeypatch)
    assert not model.bodies and not list((Settings.load().home / "meanings").glob("*.yaml"))
    other = file.with_name("other.csv")
    pd.read_csv(file).rename(columns={"chg": "amt"}).to_csv(other, index=False)
    assert ASKED in talk(other, "n\n\n", monkeypatch)


def test_nobody_is_asked_without_a_model_or_names(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Shall" not in talk(file, "\n", monkeypatch)
    with endpoint(json.dumps(REPLY)) as server:
        monkeypatch.setenv("GNOMON_MODEL", "small")
        monkeypatch.setenv("GNOMON_MODEL_URL", server.url)
        monkeypatch.setenv("GNOMON_PRIVACY", "strict")
        assert "Shall" not in talk(file, "\n", monkeypatch)


def test_nobody_is_asked_without_a_terminal(
    file: Path, model: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        chat([str(file)])
    assert "Shall" not in capsys.readouterr().out and not model.bodies


def test_a_model_that_fails_changes_nothing_and_is_asked_about_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(401) as server:
        monkeypatch.setenv("GNOMON_MODEL", "small")
        monkeypatch.setenv("GNOMON_MODEL_URL", server.url)
        said = talk(file, "y\n\n", monkeypatch)
        assert "refused the key" in said and "stay as they are" in said
        assert ASKED in talk(file, "n\n\n", monkeypatch)
