"""A command that is loaded alone is the one among all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


# What opens or profiles data for the first time, sends work elsewhere, explains, or offers readings to pick from.
NOT_FOR_A_PLAIN_QUESTION = (
    "gnomon.agents.insight.findings",
    "gnomon.data.csv_source",
    "gnomon.data.number_reading",
    "gnomon.data.postgres_source",
    "gnomon.data.profile_model",
    "gnomon.data.views",
    "gnomon.execution.cluster",
    "gnomon.execution.log",
    "gnomon.execution.wire",
    "gnomon.language.idle_words",
    "gnomon.language.linker",
    "gnomon.semantic.infer_dimensions",
    "gnomon.semantic.panel",
    "pandas",
    "pyarrow",
)


@pytest.mark.long
@pytest.mark.parametrize("question", ["total revenue by region", "top 3 shops by revenue"])
def test_a_second_plain_question_loads_nothing_that_it_does_not_need(tmp_path: Path, question: str) -> None:
    rows = "\n".join(f"{'north' if i % 3 else 'south'},shop {i % 7},{i}" for i in range(30))
    (tmp_path / "sales.csv").write_text(f"region,shop,revenue\n{rows}\n")
    code = (
        f"import sys; sys.argv = ['gnomon', 'ask', {str(tmp_path / 'sales.csv')!r}, {question!r}]\n"
        "from gnomon.cli import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    environment = {**os.environ, "GNOMON_HOME": str(tmp_path / "home")}
    for _ in range(2):
        told = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
    loaded = set(told.stderr.split())
    assert "gnomon.planning.reader" in loaded
    assert loaded.intersection(NOT_FOR_A_PLAIN_QUESTION) == set()


def test_a_mistyped_command_is_told_from_all(capfd: pytest.CaptureFixture[str]) -> None:
    result = CliRunner().invoke(application(), ["aks"])
    assert result.exit_code == 2 and "ask" in result.output


def test_it_runs_as_a_module() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "gnomon", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith("gnomon ")
