"""Nothing that comes from a cell acts on whoever reads it."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.core.answer import Answer, AnswerStatus, ResultTable
from gnomon.core.visible import STANDIN, visible, visible_json, visible_values

HOSTILE = ["\x1b[31mred", "\x9b2J", "a\u202egnp.exe", "a\u2066b\u2069", "zero\u200bwidth", "b\ufeff", "tag\U000e0041", "bell\x07", "del\x7f", "line\u2028end", "car\rriage"]  # fmt: skip


def acting(text: str) -> list[str]:
    return [
        c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} and c not in "\n\t\u200c\u200d"
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_terminal_would_obey_is_replaced(text: str) -> None:
    assert acting(visible(text)) == []
    assert STANDIN in visible(text)


@given(st.text())
def test_any_text_is_made_visible_once_and_for_all(text: str) -> None:
    shown = visible(text)
    assert acting(shown) == []
    assert visible(shown) == shown
    assert acting(json.dumps(visible_values({text: [text]}), ensure_ascii=False)) == []


@given(st.text(st.characters(codec="utf-8")))
def test_json_loses_nothing(text: str) -> None:
    written = visible_json([text])
    assert acting(written) == []
    assert json.loads(written) == [text]


@pytest.mark.parametrize(
    "text", ["naïve café", "Größe", "日本語", "می\u200cخواهم", "👩\u200d💻", "two\nlines"]
)
def test_letters_of_every_script_stay(text: str) -> None:
    assert visible(text) == text


def test_a_page_shows_no_control_character() -> None:
    table = ResultTable(name="t", columns=("a\x1b[1m",), rows=(("b\u202e",),))
    answer = Answer(status=AnswerStatus.ANSWERED, prose="c\x9b", tables=(table,), suggestions=("d\u200b",))
    assert acting(answer._repr_html_()) == []


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile") / "sales.csv"
    cities = ["Par\x1b[2Jis", "Lon\u202edon", "Ro\x9bme", "Ber\u200blin"]
    rows = [f"{cities[i % 4]},{10 + i % 9},2024-01-{1 + i % 28:02d}" for i in range(80)]
    place.write_text("\n".join(["ci\x1bty,sales,day", *rows]) + "\n", encoding="utf-8")
    return place


COMMANDS = [
    ["ask", "FILE", "total sales by ci ty"],
    ["profile", "FILE"],
    ["profile", "FILE", "--json"],
    ["analyze", "FILE", "total sales by ci\x1bty"],
    ["investigate", "FILE"],
    ["ask", "nowhere\x1b[31m.csv", "total"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c[:3]).replace("\x1b", ""))
def test_no_command_prints_a_raw_control_character(file: Path, command: list[str]) -> None:
    ended = CliRunner().invoke(app, [str(file) if a == "FILE" else a for a in command])
    assert len(ended.output) > 20
    assert acting(ended.output) == []


@pytest.mark.long
def test_nor_does_a_process(file: Path) -> None:
    script = "from gnomon.cli import main; main()"
    arguments = ["ask", str(file), "total sales by ci ty"]
    ended = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, timeout=120, check=False)  # fmt: skip
    said = (ended.stdout + ended.stderr).decode()
    assert len(said) > 20
    assert acting(said) == []
