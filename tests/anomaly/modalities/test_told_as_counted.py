"""What an investigation shows is what people count, and an edge list in a file is a graph."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly.modalities.detection import detect_type
from gnomon.anomaly.modalities.network import read_network
from gnomon.anomaly.modalities.text import prepare_text

WORDS = ["pump", "valve", "leak", "checked", "replaced", "filter", "oil", "pressure", "normal", "motor"]


def flat(texts: list[str]) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(len(texts), 8))


@pytest.mark.parametrize("seed", range(3))
def test_lengths_of_texts_are_shown_in_characters_and_letters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(60)]
    raw = prepare_text(texts, encoder=flat).raw
    assert raw is not None
    assert raw["length"].to_numpy() == pytest.approx([len(t) for t in texts])
    letters = [np.mean([len(w) for w in re.findall("[a-z]+", t)]) for t in texts]
    assert raw["word length"].to_numpy() == pytest.approx(letters)


@pytest.mark.parametrize("seed", range(3))
def test_a_table_of_ties_is_a_graph_and_its_file_is_read(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    ties = [(f"n{a}", f"n{b}") for a in range(40) for b in rng.choice(40, 3, replace=False) if a != b]
    frame = pd.DataFrame(ties, columns=["caller", "called"])
    path = tmp_path / "calls.csv"
    frame.to_csv(path, index=False)
    assert detect_type(frame) == "graph"
    assert read_network(path).n == read_network(frame).n == len({*frame["caller"], *frame["called"]})
    kinds = pd.DataFrame(
        {"town": rng.choice(WORDS, 80), "shop": rng.choice([f"s{i}" for i in range(30)], 80)}
    )
    assert detect_type(kinds) == "tabular"
