"""What is asked of the one thing at an end is told of that thing, and never ranked itself."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

TREES = pd.DataFrame(
    {
        "tree": [f"T{i:02d}" for i in range(40)],
        "species": ["oak", "beech", "pine", "larch"] * 10,
        "age": [20 + (i * 37) % 113 for i in range(40)],
        "girth_cm": [40 + (i * 53) % 97 for i in range(40)],
    }
)
OLDEST = TREES.nlargest(1, "age").to_dict("records")[0]
THICKEST = TREES.nlargest(1, "girth_cm").to_dict("records")[0]
YOUNGEST = TREES.nsmallest(1, "age").to_dict("records")[0]


@pytest.fixture(scope="module")
def trees() -> Analyst:
    assert TREES["age"].is_unique and TREES["girth_cm"].is_unique
    return gnomon.open({"trees": TREES})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


@pytest.mark.parametrize(
    "question",
    ["What is the girth of the oldest tree?", "Tell me the girth of the oldest tree."],
)
def test_a_measure_of_what_an_adjective_picks(trees: Analyst, question: str) -> None:
    answer = _answered(trees, question)
    assert OLDEST["girth_cm"] in [f.value for f in answer.facts]
    assert THICKEST["tree"] not in answer.prose and OLDEST["tree"] in answer.prose


def test_a_measure_of_what_another_measure_picks(trees: Analyst) -> None:
    answer = _answered(trees, "What is the age of the tree with the highest girth?")
    assert THICKEST["age"] in [f.value for f in answer.facts]
    assert answer.facts[0].value == THICKEST["girth_cm"]


@pytest.mark.parametrize(
    "question", ["What is the species of the youngest tree?", "Which species has the youngest tree?"]
)
def test_a_column_of_what_an_adjective_picks(trees: Analyst, question: str) -> None:
    answer = _answered(trees, question)
    assert f"{YOUNGEST['tree']} · {YOUNGEST['species']}" in answer.prose
    assert answer.facts[0].value == YOUNGEST["age"]


def test_conditions_hold_for_the_thing_too(trees: Analyst) -> None:
    answer = _answered(trees, "What is the girth of the oldest tree for pine?")
    pine = TREES[TREES["species"] == "pine"]
    assert pine.nlargest(1, "age").to_dict("records")[0]["girth_cm"] in [f.value for f in answer.facts]


def test_many_things_are_ranked_as_groups(trees: Analyst) -> None:
    answer = _answered(trees, "Which species has the oldest trees?")
    means = TREES.groupby("species")["age"].mean()
    assert answer.facts[0].value == pytest.approx(means.max())


def test_the_end_alone_is_still_the_end(trees: Analyst) -> None:
    assert _answered(trees, "What is the highest girth?").facts[0].value == THICKEST["girth_cm"]
    assert OLDEST["tree"] in _answered(trees, "Which tree is the oldest?").prose


def test_of_several_at_the_end_each_is_told() -> None:
    boats = pd.DataFrame(
        {
            "boat": [f"B{i}" for i in range(30)],
            "length": [9, 9, *range(3, 9), *([4] * 22)],
            "weight_t": [(i * 7) % 11 + 2.5 for i in range(30)],
        }
    )
    answer = _answered(
        gnomon.open({"boats": boats}), "What is the weight of the boat with the highest length?"
    )
    assert "B0 and B1 tie" in answer.prose
    assert {2.5, 9.5} <= {f.value for f in answer.facts if "weight" in f.name}
