"""The router: what it decides, that its weights are those of the script, and the questions it learned from."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.core.query import AgentType
from gnomon.embedding import get_encoder
from gnomon.language import AgentRouter, load_questions
from gnomon.language.router import SHIPPED
from gnomon.language.router_head import RouterHead
from gnomon.language.router_questions import read_sections, training_questions
from gnomon.language.router_tuned import TunedEncoder

PRESENT, EXPLAIN = AgentType.DATA_PRESENTER, AgentType.INSIGHT_GENERATOR


@pytest.fixture(scope="module")
def router() -> AgentRouter:
    return AgentRouter()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many orders were placed in May?", PRESENT),
        ("list the ten largest invoices", PRESENT),
        ("average price per category", PRESENT),
        ("why did orders fall in May?", EXPLAIN),
        ("what should I do about late deliveries?", EXPLAIN),
        ("how am I doing compared with other shops?", EXPLAIN),
    ],
)
def test_plain_questions_go_where_they_belong(
    router: AgentRouter, question: str, expected: AgentType
) -> None:
    decision = router.route(question)
    assert decision.agent_type is expected
    assert decision.confidence > 0.6


def test_probabilities_sum_to_one_and_the_larger_one_decides(router: AgentRouter) -> None:
    for question in ("total sales", "why?", "", "?", "x" * 5000):
        decision = router.route(question)
        assert sum(decision.probabilities) == pytest.approx(1.0)
        assert decision.confidence == max(decision.probabilities)
        assert (decision.agent_type is EXPLAIN) == (decision.probabilities[1] > 0.5)


def test_the_vector_alone_is_enough_for_plain_questions(router: AgentRouter) -> None:
    encode = get_encoder().encode_one
    assert router.route_vector(encode("total revenue by month")).agent_type is PRESENT
    assert router.route_vector(encode("why did revenue fall so much?")).agent_type is EXPLAIN


@pytest.mark.long
def test_training_again_gives_the_shipped_weights(tmp_path: Path) -> None:
    AgentRouter().train([(q.text, q.agent_type) for q in training_questions()]).save(tmp_path / "again.npz")
    shipped, again = RouterHead.load(SHIPPED), RouterHead.load(tmp_path / "again.npz")
    for ours, fresh in ((shipped.whole, again.whole), (shipped.vector_only, again.vector_only)):
        # The vectors are rounded otherwise on another processor, and the weights follow them.
        assert np.corrcoef(ours.weights, fresh.weights)[0, 1] > 0.9998, "run scripts/train_router.py"
        assert ours.offset == pytest.approx(fresh.offset, abs=0.02)


def test_a_saved_router_decides_alike(tmp_path: Path) -> None:
    pairs = [("how many are there", PRESENT), ("total by month", PRESENT), ("why did it fall", EXPLAIN)]
    trained = AgentRouter().train(pairs)
    trained.save(tmp_path / "head.npz")
    loaded = AgentRouter(head=tmp_path / "head.npz")
    assert loaded.route("why is that").probabilities == pytest.approx(
        trained.route("why is that").probabilities
    )


def test_one_class_is_not_enough_and_a_missing_head_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="both classes"):
        AgentRouter().train([("how many", PRESENT)])
    with pytest.raises(UnreadableSource, match=r"none\.npz"):
        AgentRouter(head=tmp_path / "none.npz").route("why")


def test_what_is_learned_from_is_never_held_out() -> None:
    def key(text: str) -> str:
        return " ".join(text.lower().split()).rstrip("?.")

    learned = Counter(key(q.text) for q in training_questions())
    held = {key(q.text) for q in load_questions() if q.split in ("held_out", "unseen")}
    assert [text for text, n in learned.items() if n > 1] == []
    assert held & set(learned) == set()


def test_a_line_without_a_heading_is_reported(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("# a comment\nhow many\n")
    with pytest.raises(UnreadableSource, match="line 2"):
        list(read_sections(tmp_path / "q.txt"))


@pytest.mark.long
@pytest.mark.parametrize("split", ["held_out", "unseen"])
def test_hard_phrasing_is_routed_well(router: AgentRouter, split: str) -> None:
    held = [q for q in load_questions() if q.split == split]
    right = [router.route(q.text).agent_type is q.agent_type for q in held]
    assert len(held) >= 100
    assert np.mean(right) >= 0.88


@pytest.mark.long
def test_the_tuned_encoder_decides_better_than_the_linear_head_alone(router: AgentRouter) -> None:
    held = [q for q in load_questions() if q.split == "held_out"]
    linear = AgentRouter(head=SHIPPED)
    ours, theirs = (
        np.mean([r.route(q.text).agent_type is q.agent_type for q in held]) for r in (router, linear)
    )
    assert ours > theirs + 0.02


def test_tuned_weights_that_are_not_there_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"head\.npz"):
        TunedEncoder(tmp_path)


@pytest.mark.parametrize("agent_type", list(AgentType))
def test_there_are_three_hundred_balanced_and_many_more_questions_of_each_class(
    agent_type: AgentType,
) -> None:
    splits = Counter(q.split for q in load_questions() if q.agent_type is agent_type)
    assert splits["balanced"] == 300
    assert splits["balanced"] + splits["extra"] >= 600
    assert splits["held_out"] >= 150
