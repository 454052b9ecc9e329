"""The gate: fitted to a data set, kept by fingerprint, careful not to refuse questions about data."""

import time
from pathlib import Path

import numpy as np
import pytest

from gnomon.embedding import get_encoder
from gnomon.language import Gate, fit_gate, load_negatives, load_questions, ood_fit
from gnomon.language.exposure import VECTORS, exposure_texts, load_exposure, texts_digest
from gnomon.language.router_head import RouterHead

MEASURES = ["admissions", "length of stay", "number of beds", "readmission rate"]
GROUPS = ["ward", "clinic", "month", "age group", "doctor"]
HOSPITAL = [
    f"{ask} {m} by {g}" for ask in ("show", "what is the", "compare") for m in MEASURES for g in GROUPS
]


@pytest.fixture(scope="module")
def gate() -> Gate:
    return fit_gate(HOSPITAL)


@pytest.fixture(scope="module")
def plain() -> Gate:
    return fit_gate([])


@pytest.mark.long
def test_held_out_data_questions_pass_without_any_knowledge_of_the_data(plain: Gate) -> None:
    held = [q.text for q in load_questions() if q.split == "held_out"]
    refused = [text for text in held if plain.judge(text).is_out_of_domain]
    assert len(held) >= 300
    assert len(refused) <= 0.02 * len(held), refused


def test_most_held_out_requests_of_other_kinds_are_refused(plain: Gate) -> None:
    held = [n.text for n in load_negatives() if n.split == "test"]
    caught = [text for text in held if plain.judge(text).is_out_of_domain]
    assert len(held) >= 200
    assert len(caught) >= 0.65 * len(held)


def test_a_refusal_gives_a_reason_and_a_pass_gives_none(gate: Gate) -> None:
    refused, passed = gate.judge("tell me a joke"), gate.judge("average length of stay by ward")
    assert refused.is_out_of_domain and refused.reason and 0 < refused.confidence <= 1
    assert not passed.is_out_of_domain and passed.reason is None and 0 <= passed.confidence <= 1


def test_text_and_vector_are_judged_alike(gate: Gate) -> None:
    for text in ("tell me a joke about penguins", "average length of stay by ward"):
        by_vector, by_text = gate.judge(get_encoder().encode_one(text)), gate.judge(text)
        assert by_vector.is_out_of_domain == by_text.is_out_of_domain
        assert by_vector.reconstruction_error == by_text.reconstruction_error


def test_the_data_of_the_user_moves_the_gate(gate: Gate, plain: Gate) -> None:
    question = "what is the readmission rate by doctor"
    assert gate.score(question) < plain.score(question) - 0.5


def test_a_gate_is_fitted_once_and_then_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fit_gate(HOSPITAL[:20], tmp_path)
    assert [p.suffix for p in tmp_path.iterdir()] == [".npz"]
    monkeypatch.setattr(ood_fit, "_fitted", lambda *_: pytest.fail("it was fitted again"))
    again = fit_gate(HOSPITAL[:20], tmp_path)
    assert again.judge("play some jazz") == first.judge("play some jazz")


def test_other_questions_are_another_gate_and_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    fit_gate(HOSPITAL[:20], tmp_path)
    (kept,) = tmp_path.iterdir()
    fit_gate(HOSPITAL[:21], tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    kept.write_bytes(b"damaged")
    assert fit_gate(HOSPITAL[:20], tmp_path).judge("tell me a joke").is_out_of_domain
    assert kept.stat().st_size > 1000


def test_of_too_many_questions_an_even_choice_is_used() -> None:
    chosen = ood_fit.evenly([str(i) for i in range(1000)], 300)
    assert len(set(chosen)) == 300
    assert (chosen[0], chosen[-1]) == ("0", "999")


def test_the_stored_vectors_are_those_of_the_stored_texts() -> None:
    with np.load(VECTORS, allow_pickle=False) as stored:
        assert str(stored["digest"]) == texts_digest(), "run scripts/train_router.py"
    exposure = load_exposure(get_encoder())
    texts = [n.text for n in load_negatives() if n.split == "train"]
    fresh = get_encoder().encode(texts[:20])
    # Bytes are multiplied with another rounding on another processor than the vectors were made on.
    assert (exposure.negatives[:20] * fresh).sum(axis=1).min() > 0.998


@pytest.mark.long
def test_the_stored_classifier_is_what_the_texts_teach() -> None:
    exposure = load_exposure(get_encoder())
    texts = [t for part in exposure_texts() for t in part]
    vectors = np.vstack([exposure.in_domain, exposure.negatives])
    refused = np.arange(len(texts)) >= len(exposure.in_domain)
    again = RouterHead.fit(texts, vectors, refused)
    assert np.abs(again.whole.weights - exposure.head.whole.weights).max() < 1e-2
    inside, outside = exposure.scores[~refused], exposure.scores[refused]
    assert (inside[:, None] < outside[None, :]).mean() > 0.97


def test_fitting_and_judging_are_quick(gate: Gate) -> None:
    started = time.process_time()
    fit_gate(HOSPITAL)
    assert time.process_time() - started < 4
    encoder = get_encoder()
    taken: list[float] = []
    for i in range(40):
        vector = encoder.encode([f"show the value of item {i} by ward"])[0]
        started = time.process_time()
        gate.judge(vector)
        taken.append(time.process_time() - started)
    assert np.median(taken) < 0.002
