"""Names and words that are no Unicode: read as what they are meant for, or refused by name, and never a fault."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import gnomon
from gnomon.core.errors import UnreadableSource
from gnomon.data import open_sources

ROWS = "town,sales\nUlm,3\nBonn,4\nKiel,5\n"


def _strange(folder: Path, ending: str, content: str) -> str:
    path = os.fsencode(folder) + b"/caf\xe9" + ending.encode()
    try:
        Path(os.fsdecode(path)).write_text(content)
    except OSError:
        pytest.skip("This file system takes names in UTF-8 only.")
    return os.fsdecode(path)


@pytest.mark.parametrize(("ending", "content"), [(".csv", ROWS), (".json", '[{"town": "Ulm"}]')])
def test_a_file_whose_name_is_no_utf8_is_refused_by_name(tmp_path: Path, ending: str, content: str) -> None:
    path = _strange(tmp_path, ending, content)
    with pytest.raises(UnreadableSource, match=r"café.* not written in UTF-8"):
        open_sources(path)


def test_a_folder_goes_on_without_such_a_file(tmp_path: Path) -> None:
    _strange(tmp_path, ".csv", ROWS)
    (tmp_path / "towns.csv").write_text(ROWS)
    with open_sources(tmp_path) as dataset:
        assert [t.name for t in dataset] == ["towns"]
        assert any("UTF-8" in said for said in dataset.left_out.values())


@pytest.mark.parametrize(
    "question",
    [
        "how many rows \udce9",
        "how many rows \ud800",
        "\udfff\ud800",
        "total s\udce9ales by town",
        "why \udcff",
    ],
)
def test_a_question_with_half_a_character_has_an_answer_that_can_be_written_down(
    question: str, tmp_path: Path
) -> None:
    (tmp_path / "towns.csv").write_text(ROWS)
    with gnomon.open(tmp_path / "towns.csv") as analyst:
        answer = analyst.ask(question)
    assert answer.status != "error"
    answer.model_dump_json().encode()


@pytest.mark.parametrize(
    "whole",
    [
        [["town\ud800", "sales"], ["Ulm\udfff", 3], ["Bonn", 4]],
        {"town\ud800": ["Ulm\udfff", "Bonn"], "sales": [3, 4]},
        {"columns": ["town", "sales"], "data": [["Ulm\ud800", 3], ["Bonn", 4]]},
    ],
)
def test_halves_of_characters_in_json_that_is_no_records_are_read(tmp_path: Path, whole: Any) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(whole))
    with open_sources(tmp_path / "rows.json") as dataset:
        found = dataset.connection.execute("SELECT count(*), sum(sales) FROM rows").fetchone()
    assert found == (2, 7)
