"""The gate of opened data: plain questions need no fitting, and every judgement is that of a fitted gate."""

from pathlib import Path

import numpy as np
import pytest

from gnomon.embedding import get_encoder
from gnomon.language import DataGate, Gate, fit_gate, gate_of, load_negatives, load_questions
from gnomon.language.data_gate import general_gate, save_general
from gnomon.language.ood import read_arrays

NAMES = [
    f"{m} by {g}" for m in ("admissions", "length of stay", "readmission rate") for g in ("ward", "doctor")
]


@pytest.fixture(scope="module")
def fitted() -> Gate:
    return fit_gate(NAMES)


@pytest.mark.long
def test_what_is_judged_without_fitting_is_judged_as_a_fitted_gate_would(fitted: Gate) -> None:
    general = general_gate(get_encoder())
    assert general is not None
    gate = DataGate(general, lambda: fitted)
    texts = [q.text for q in load_questions() if q.split == "held_out"]
    texts += [n.text for n in load_negatives() if n.split == "test"]
    differ = [t for t in texts if gate.judge(t).is_out_of_domain != fitted.judge(t).is_out_of_domain]
    at_once = [gate.passes_at_once(t) for t in texts]
    assert differ == []
    assert 0.3 < np.mean(at_once) < 0.9


def test_only_a_doubtful_question_makes_it_fit_and_only_once(fitted: Gate) -> None:
    made: list[int] = []

    def fit() -> Gate:
        made.append(1)
        return fitted

    gate = DataGate(fit_gate([]), fit)
    assert not gate.judge("average length of stay by ward last month").is_out_of_domain and made == []
    assert all(gate.judge(t).is_out_of_domain for t in ("tell me a joke", "write me a poem")) and made == [1]


def test_questions_are_made_only_when_they_are_needed(tmp_path: Path) -> None:
    asked: list[int] = []

    def questions() -> list[str]:
        asked.append(1)
        return NAMES

    gate = gate_of(questions, tmp_path, get_encoder())
    gate.judge("total admissions by month")
    assert not asked and not list(tmp_path.iterdir())
    gate.judge("tell me a joke")
    assert asked and list(tmp_path.glob("gate-*.npz"))


def test_the_shipped_general_gate_is_the_one_made_from_the_shipped_texts(tmp_path: Path) -> None:
    save_general(get_encoder(), tmp_path / "general.npz")
    anew, shipped = read_arrays(tmp_path / "general.npz"), general_gate(get_encoder())
    assert shipped is not None
    np.testing.assert_allclose(
        anew["judge"], shipped.weights(), rtol=0.01, atol=0.005
    )  # other processors round otherwise
