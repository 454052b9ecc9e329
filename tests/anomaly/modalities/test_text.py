"""Texts: documents of another kind are found; tables, holes and new documents are handled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted_texts import plant, reviews
from ranking import precision

from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.prepared import Prepared
from gnomon.core.errors import InvalidInput


@pytest.fixture(scope="module")
def ordinary() -> Prepared:
    return prepare(reviews(np.random.default_rng(41), 150))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["off topic", "foreign", "gibberish", "damaged", "spam"])
def test_planted_documents_are_found(kind: str) -> None:
    texts, planted = plant(kind, 42, n=200, count=2)
    found = precision(prepare(texts).matrix, planted)
    assert found > 0.7, f"{kind}: average precision {found:.2f}"
    assert found > 10 * planted.mean()


def test_new_documents_are_compared_with_those_learned(ordinary: Prepared) -> None:
    later = reviews(np.random.default_rng(43), 20)
    later[5] = "The senate ratified the treaty on nuclear disarmament."
    matrix = ordinary.transform(later)
    assert matrix.shape == (20, ordinary.n_columns)
    assert int(np.argmax(matrix[:, -1])) == 5


def test_shouting_is_named_as_such(ordinary: Prepared) -> None:
    assert ordinary.raw is not None
    shouted = str(ordinary.raw["text"][3]).upper()
    row = ordinary.transform([shouted])[0]
    named = dict(zip(ordinary.columns, row, strict=True))
    assert named["unusual share of capitals"] > 8
    assert named["unusual share of digits"] < 1


def test_the_column_of_texts_is_found_in_a_table(ordinary: Prepared) -> None:
    assert ordinary.raw is not None
    frame = pd.DataFrame({"id": range(150), "review": ordinary.raw["text"]})
    prepared = prepare(frame)
    assert prepared.origins[0] == "review"
    assert np.allclose(prepared.matrix, ordinary.matrix)


def test_missing_and_empty_texts_are_read_and_logged() -> None:
    texts: list[str | None] = [*reviews(np.random.default_rng(44), 40), None, ""]
    prepared = prepare(texts, data_type="text")
    assert prepared.n_rows == 42
    assert any(entry.step == "impute" for entry in prepared.log)
    assert set(np.argsort(-prepared.matrix[:, -1])[:2]) == {40, 41}


def test_no_texts_at_all_are_refused() -> None:
    with pytest.raises(InvalidInput):
        prepare([], data_type="text")
    with pytest.raises(InvalidInput, match="no column of texts"):
        prepare(pd.DataFrame({"a": [1, 2]}), data_type="text")
