"""Prompts are files that are loaded strictly, and nothing of this room is loaded without a model."""

import subprocess
import sys

import pytest

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.llm import Privacy, Pseudonyms, load_prompt


def test_a_prompt_that_is_missing_is_an_error() -> None:
    with pytest.raises(NotFound, match="read_qestion"):
        load_prompt("read_qestion")
    with pytest.raises(NotFound):
        load_prompt("../prompts/question")


def test_a_part_that_is_missing_or_unknown_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="figures"):
        load_prompt("answer", asked="x", conditions="y")
    with pytest.raises(InvalidInput, match="colour"):
        load_prompt("answer", asked="x", conditions="y", figures="z", colour="red")


def test_parts_are_put_in_as_they_are() -> None:
    text = load_prompt("answer", asked="$conditions", conditions="${x} 5 $", figures="z")
    assert "What was asked for: $conditions" in text
    assert "${x} 5 $" in text


def test_pseudonyms_go_both_ways_and_never_meet() -> None:
    names = Pseudonyms("m")
    shown = [
        names.show("margin"),
        names.show("m3", openly=True),
        names.show("profit"),
        names.show("m1", openly=True),
    ]
    assert len(set(shown)) == 4
    assert "margin" not in shown and "profit" not in shown
    assert [names.meant(s) for s in shown] == ["margin", "m3", "profit", "m1"]
    assert names.show("margin") == shown[0]
    with pytest.raises(NotFound):
        names.meant("m99")


def test_each_level_shows_at_least_what_the_level_before_shows() -> None:
    rights = [(p.names, p.wording, p.values) for p in Privacy]
    assert rights == sorted(rights)
    assert rights[0] == (False, False, False)
    assert rights[-1] == (True, True, True)


@pytest.mark.parametrize(
    "code", ["import gnomon", "import gnomon.cli.app", "import gnomon.llm, gnomon.opening"]
)
def test_no_library_for_models_is_loaded_until_one_is_asked(code: str) -> None:
    check = f"import sys; {code}; print([m for m in ('pydantic_ai', 'openai') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
