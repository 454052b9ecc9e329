"""Relations of words: which may stand for one another, and which never do."""

import pytest

from gnomon.embedding.relations import Relation, relate


def _sorts(said: str, meant: str) -> dict[Relation, float]:
    return {r.relation: r.strength for r in relate(said, meant)}


@pytest.mark.parametrize(
    ("said", "meant", "relation"),
    [
        ("pupils", "student", Relation.SAME), ("film", "movies", Relation.SAME),
        ("readmission", "readmitted", Relation.DERIVED), ("valuable", "value", Relation.DERIVED),
        ("worker", "employees", Relation.BROADER), ("donations", "gift", Relation.KIND_OF),
        ("rides", "trip", Relation.SISTER), ("husband", "wife", Relation.OPPOSITE),
    ],
)  # fmt: skip
def test_words_stand_in_the_relation_that_english_has(said: str, meant: str, relation: Relation) -> None:
    assert relation in _sorts(said, meant)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("profit", "revenue"),
        ("buyers", "sellers"),
        ("wins", "matches"),
        ("refunds", "orders"),
        ("doctor", "patient"),
    ],
)
def test_near_misses_are_unrelated(said: str, meant: str) -> None:
    assert _sorts(said, meant) == {}


def test_a_kind_of_a_kind_counts_its_steps() -> None:
    found = {r.relation: r for r in relate("car", "vehicle")}
    assert found[Relation.KIND_OF].steps >= 2
    assert Relation.SISTER in _sorts("truck", "car") and Relation.SAME not in _sorts("truck", "car")


def test_unknown_words_have_no_relations() -> None:
    assert relate("blorptag", "student") == ()
