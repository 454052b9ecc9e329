"""A home that was written over, cut short, filled up or cannot be written costs time, never an answer."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.parts import mostly_long

QUESTION = "could you show the total amount by region"  # not so plain that no network is loaded
ROWS = 400
COMMAND = [sys.executable, "-c", "from gnomon.cli import main; main()"]


def asked(
    home: Path, file: Path, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    own = os.environ | {"GNOMON_HOME": str(home), "GNOMON_LOG_DIR": str(home), "COLUMNS": "100"}
    return subprocess.run(
        [*COMMAND, "ask", str(file), QUESTION], env=own, capture_output=True, text=True, timeout=200, check=False, preexec_fn=before
    )  # fmt: skip


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _noise(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(path.stat().st_size))


def _one_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x5A
    path.write_bytes(content)


def _other_json(path: Path) -> None:
    path.write_text('{"columns": 3, "name": null, "rows": "x"}')


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A home in which a question was asked, the file that it was about, and the answer."""
    place = tmp_path_factory.mktemp("damaged")
    file = place / "sales.csv"
    file.write_text("region,amount\n" + "".join(f"{'abcd'[i % 4]},{i}.25\n" for i in range(ROWS)))
    done = asked(place / "home", file)
    assert done.returncode == 0, done.stderr
    return place / "home", file, done.stdout


@pytest.mark.long
@pytest.mark.parametrize("damage", mostly_long([_half, _noise, _empty, _one_byte, _other_json, _folder], 1))
def test_every_kept_file_may_be_damaged(
    lived_in: tuple[Path, Path, str], tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    home, file, answer = lived_in
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    kept = [p for p in copy.rglob("*") if p.is_file()]
    assert {p.parent.name for p in kept} >= {"tables", "models", "domains"}
    for path in kept:
        damage(path)
    for _ in range(2):
        done = asked(copy, file)
        assert (done.returncode, done.stdout) == (0, answer), done.stderr
        assert "Traceback" not in done.stderr


def _room(most: int) -> Callable[[], None]:
    """As where so many bytes of a file fit on the disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.long
def test_a_full_disk_costs_no_answer(lived_in: tuple[Path, Path, str], tmp_path: Path) -> None:
    _, file, answer = lived_in
    done = asked(tmp_path / "home", file, _room(3000))
    assert (done.returncode, done.stdout) == (0, answer), done.stderr
    assert "Traceback" not in done.stderr


def test_where_nothing_can_be_written_it_is_said(lived_in: tuple[Path, Path, str], tmp_path: Path) -> None:
    done = asked(tmp_path / "home", lived_in[1], _room(0))
    assert "no folder for temporary files" in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_home_that_is_a_file_is_said_to_be_one(lived_in: tuple[Path, Path, str], tmp_path: Path) -> None:
    (home := tmp_path / "home").write_text("not a folder")
    done = asked(home, lived_in[1])
    assert "Traceback" not in done.stderr + done.stdout
    assert "internal" not in done.stderr
