"""Skewness, kurtosis and their kin agree with pandas and scipy, by group, under conditions and over groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnomon.core.errors import InvalidInput
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import RetrievalQuery, Retriever, infer_model

SHAPES = ("skewness", "kurtosis", "variance", "range", "iqr", "variation", "standard_error", "geometric_mean")


def landings() -> pd.DataFrame:
    draw = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "landing_id": range(1, 401),
            "harbour": draw.choice(["Oban", "Ullapool", "Mallaig"], 400),
            "catch_kg": np.round(draw.lognormal(4, 0.8, 400), 2),
            "crew": draw.integers(1, 7, 400),
            "serial": 1e9 + draw.exponential(1.0, 400),
            "berth": 4.5,
        }
    )
    frame.loc[draw.choice(400, 30, replace=False), "catch_kg"] = np.nan
    return frame


@pytest.fixture(scope="module")
def opened() -> tuple[pd.DataFrame, Retriever]:
    frame = landings()
    dataset = open_sources({"landings": frame})
    return frame, Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))


def expected(values: pd.Series) -> list[float]:
    held = values.dropna()
    return [
        float(np.asarray(held.skew())),
        float(np.asarray(held.kurt())),
        float(np.var(held, ddof=1)),
        float(np.ptp(held)),
        float(held.quantile(0.75) - held.quantile(0.25)),
        float(held.std() / held.mean()),
        float(stats.sem(held)),
        float(stats.gmean(held)),
    ]


def test_shapes_are_those_of_pandas(opened: tuple[pd.DataFrame, Retriever]) -> None:
    frame, retriever = opened
    found = retriever.run(RetrievalQuery(metrics=tuple(f"{s}(landings.catch_kg)" for s in SHAPES)))
    assert found.rows[0] == pytest.approx(expected(frame.catch_kg), rel=1e-9)


def test_shapes_hold_within_groups_and_conditions(opened: tuple[pd.DataFrame, Retriever]) -> None:
    frame, retriever = opened
    query = RetrievalQuery(
        metrics=tuple(f"{s}(landings.catch_kg)" for s in SHAPES),
        dimensions=("harbour",),
        filters=(Filter(field="crew", operator=FilterOperator.GREATER, values=(2,)),),
    )
    rows = {row[0]: row[1:] for row in retriever.run(query).rows}
    kept = frame[frame.crew > 2]
    assert set(rows) == {"Oban", "Ullapool", "Mallaig"}
    for harbour, held in kept.groupby("harbour"):
        assert rows[str(harbour)] == pytest.approx(expected(held.catch_kg), rel=1e-9)


def test_large_values_that_differ_little_keep_their_shape(opened: tuple[pd.DataFrame, Retriever]) -> None:
    frame, retriever = opened
    found = retriever.run(RetrievalQuery(metrics=("skewness(landings.serial)", "kurtosis(landings.serial)")))
    centred = frame.serial - 1e9
    assert found.rows[0] == pytest.approx([centred.skew(), centred.kurt()], rel=1e-5)


def test_the_mode_is_the_most_frequent_and_of_several_the_smallest(
    opened: tuple[pd.DataFrame, Retriever],
) -> None:
    frame, retriever = opened
    by = retriever.run(RetrievalQuery(metrics=("mode(landings.crew)",), dimensions=("harbour",)))
    assert dict(by.rows) == {h: int(g.crew.mode()[0]) for h, g in frame.groupby("harbour")}  # pyright: ignore[reportArgumentType]
    text = retriever.run(RetrievalQuery(metrics=("mode(landings.harbour)",)))
    assert text.rows == ((frame.harbour.mode()[0],),)


def test_what_has_no_shape_is_unknown(opened: tuple[pd.DataFrame, Retriever]) -> None:
    _, retriever = opened
    same = retriever.run(RetrievalQuery(metrics=("skewness(landings.berth)", "kurtosis(landings.berth)")))
    assert same.rows == ((None, None),)
    two = (Filter(field="landing_id", operator=FilterOperator.AT_MOST, values=(2,)),)
    few = retriever.run(
        RetrievalQuery(metrics=("skewness(landings.crew)", "kurtosis(landings.crew)"), filters=two)
    )
    assert few.rows == ((None, None),)
    with pytest.raises(InvalidInput, match="not numbers"):
        retriever.run(RetrievalQuery(metrics=("skewness(landings.harbour)",)))


def test_totals_of_groups_have_a_shape(opened: tuple[pd.DataFrame, Retriever]) -> None:
    frame, retriever = opened
    total = "sum(landings.catch_kg)"
    found = retriever.run(RetrievalQuery(metrics=(f"range({total} per crew)", f"skewness({total} per crew)")))
    sums = frame.groupby("crew").catch_kg.sum()
    assert found.rows[0] == pytest.approx([np.ptp(sums), sums.skew()], rel=1e-9)


def test_what_a_shape_is_called_and_measured_in(opened: tuple[pd.DataFrame, Retriever]) -> None:
    model = opened[1].model
    assert model.metric("skewness(landings.catch_kg)").label == "skewness of catch"
    assert model.metric("skewness(landings.catch_kg)").unit is None
    assert (
        model.metric("range(landings.catch_kg)").unit == model.metric("mean(landings.catch_kg)").unit == "kg"
    )
