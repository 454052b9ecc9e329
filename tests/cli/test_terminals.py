"""Wherever a command prints to: a terminal of few signs, a disk that is full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from gnomon.cli import main; main()"]


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    """Towns, one of which no ASCII can write."""
    lines = [f"{['Malmö', 'Kraków', 'York'][i % 3]},{i}" for i in range(60)]
    (file := tmp_path / "towns.csv").write_text("town,sales\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
@pytest.mark.parametrize("asked", [("ask", "sales by town"), ("ask", "nonsense of nothing"), ("profile",)])
def test_signs_that_a_terminal_does_not_know_are_replaced(
    towns: Path, encoding: str, asked: tuple[str, ...]
) -> None:
    command, *words = asked
    told = subprocess.run(
        [*COMMAND, command, str(towns), *words],
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert told.returncode in (0, 1, 2), told.stderr
    assert b"internal" not in told.stderr and told.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no full device here.")
@pytest.mark.parametrize(
    "asked", [("ask", "sales by town"), ("ask", "sales by town", "--json"), ("profile",)]
)
def test_an_output_that_cannot_be_written_is_said_in_one_line(towns: Path, asked: tuple[str, ...]) -> None:
    command, *words = asked
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [*COMMAND, command, str(towns), *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert told.returncode == 1, told.stderr
    assert "the output cannot be written" in told.stderr
    assert "Traceback" not in told.stderr and "Exception ignored" not in told.stderr
