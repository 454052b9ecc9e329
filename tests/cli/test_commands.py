"""A command that is loaded alone is the one among all."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import COMMANDS, application


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_alone_is_the_one_among_all(name: str) -> None:
    alone = CliRunner().invoke(application([name]), [name, "--help"])
    among_all = CliRunner().invoke(application(), [name, "--help"])
    assert alone.exit_code == among_all.exit_code == 0
    assert alone.output == among_all.output


def test_only_the_command_that_is_called_is_loaded() -> None:
    code = (
        "import sys; sys.argv = ['gnomon', '--debug', 'ask', '--help']\n"
        "from gnomon.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(sorted(m for m in sys.modules if m.startswith('gnomon.cli.')))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "gnomon.cli.ask" in told and "gnomon.cli.serve" not in told and "gnomon.cli.doctor" not in told


def test_a_mistyped_command_is_told_from_all(capfd: pytest.CaptureFixture[str]) -> None:
    result = CliRunner().invoke(application(), ["aks"])
    assert result.exit_code == 2 and "ask" in result.output
