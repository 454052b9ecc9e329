"""Rows that a metric counts under a condition, where something else is asked of them: the condition holds, or it says no."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.data import load_and_profile_data
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.semantic import RetrievalQuery, Retriever, infer_model, load_model
from gnomon.semantic.values import ValueIndex

STATES = {
    "bulky": ("weight", ">=", 30, lambda t: t.weight >= 30),
    "doubled": ("copies", "=", 2, lambda t: t.copies == 2),
    "undelivered": ("received_on", "is null", None, lambda t: t.received_on.isna()),
}
TODAY = date(2025, 1, 6)
Asked = Callable[[str], tuple[ReadingStatus, dict[object, object]]]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    at, n = np.random.default_rng(11), 150
    sent = pd.Series(pd.date_range("2024-01-01", periods=n))
    return pd.DataFrame(
        {
            "parcel_id": np.arange(n) + 9001,
            "sent_on": sent,
            "received_on": (sent + pd.Timedelta(days=3)).where(pd.Series(at.random(n) > 0.3)),
            "depot": at.choice(["Hafenberg", "Marvik", "Oststadt"], n),
            "weight": at.uniform(1, 60, n).round(1),
            "copies": at.integers(1, 5, n),
            "postage": at.uniform(2, 20, n).round(2),
        }
    )


@pytest.fixture(scope="module")
def asked(table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory):
    file = tmp_path_factory.mktemp("states") / "parcels.csv"
    table.to_csv(file, index=False)
    loaded = load_and_profile_data([str(Path(file))])
    entries = [
        f"- {{name: {word}_parcels, table: parcels, aggregation: count, synonyms: [parcels {word}], "
        f"where: [{{field: {field}, operator: '{operator}'{'' if value is None else f', values: [{value}]'}}}]}}"
        for word, (field, operator, value, _) in STATES.items()
    ]
    inferred = infer_model(loaded.profile, loaded.dataset)
    model = load_model("metrics:\n" + "\n".join(entries), inferred)
    reader = GrammarReader(model, ValueIndex.build(loaded.dataset, model))
    retriever = Retriever.over(loaded.dataset, model)

    def ask(question: str) -> tuple[ReadingStatus, dict[object, object]]:
        reading = reader.read(question, today=TODAY)
        if reading.status is not ReadingStatus.CLEAR:
            return reading.status, {}
        (request,) = reading.parts
        query = RetrievalQuery(
            metrics=request.metrics, dimensions=request.dimensions, filters=request.filters
        )
        rows = [list(row) for row in retriever.run(query).rows]
        return reading.status, {row[0] if len(row) > 1 else "": row[-1] for row in rows}

    yield ask
    loaded.dataset.close()


@pytest.mark.parametrize("word", STATES)
def test_the_condition_holds_whatever_is_asked_of_the_rows(
    word: str, table: pd.DataFrame, asked: Asked
) -> None:
    kept = table[STATES[word][3](table)]
    assert 0 < len(kept) < len(table)
    truths: dict[str, dict[object, object]] = {
        f"how many {word} parcels are there": {"": len(kept)},
        f"total postage of {word} parcels": {"": kept.postage.sum()},
        f"average postage of {word} parcels": {"": kept.postage.mean()},
        f"total postage of {word} parcels by depot": dict(kept.groupby("depot").postage.sum()),
        f"{word} parcels by depot": dict(kept.groupby("depot").size()),
    }
    for question, truth in truths.items():
        status, found = asked(question)
        assert status is ReadingStatus.CLEAR, question
        assert found == pytest.approx(truth), question


@pytest.mark.parametrize("other", ["doubled", "undelivered"])
def test_two_states_at_once_are_not_told_as_all_rows(other: str, asked: Asked) -> None:
    for question in (
        f"compare the postage of bulky parcels and {other} parcels",
        f"what share of bulky parcels are {other} parcels",
    ):
        assert asked(question)[0] is not ReadingStatus.CLEAR, question
