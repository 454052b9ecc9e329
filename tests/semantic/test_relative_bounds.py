"""Conditions against a bound that the data gives, checked with pandas."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import InvalidInput
from gnomon.core.parts import Filter, FilterOperator, Relative
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic.infer import infer_model
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever

F = FilterOperator


def _catches() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 240
    frame = pd.DataFrame(
        {
            "catch_no": range(n),
            "harbour": rng.choice(["Anstruther", "Lerwick", "Mallaig"], n),
            "boat_code": rng.choice([f"B{i}" for i in range(12)], n),
            "weight_kg": rng.gamma(3, 40, n).round(1),
            "crew": rng.integers(2, 8, n),
        }
    )
    frame.loc[::17, "weight_kg"] = np.nan
    return frame


@pytest.fixture(scope="module")
def catches() -> pd.DataFrame:
    return _catches()


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    path: Path = tmp_path_factory.mktemp("catches") / "catches.csv"
    _catches().to_csv(path, index=False)
    dataset = open_sources(path)
    return Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))


def _count(retriever: Retriever, *filters: Filter) -> int:
    return retriever.run(RetrievalQuery(metrics=("count(catches)",), filters=filters)).rows[0][0]


def _above(how: str, *values: float, per: str | None = None, operator: F = F.GREATER) -> Filter:
    return Filter(field="weight_kg", operator=operator, values=values, relative=Relative(how=how, per=per))


@pytest.mark.parametrize("how", ["mean", "median", "min", "max"])
def test_rows_above_what_their_column_comes_to(retriever: Retriever, catches: pd.DataFrame, how: str) -> None:
    weight = catches["weight_kg"]
    assert _count(retriever, _above(how)) == (weight > weight.agg(how)).sum()
    assert _count(retriever, _above(how, operator=F.AT_MOST)) == (weight <= weight.agg(how)).sum()


def test_many_times_the_bound(retriever: Retriever, catches: pd.DataFrame) -> None:
    weight = catches["weight_kg"]
    assert _count(retriever, _above("median", 1.5)) == (weight > 1.5 * weight.median()).sum()
    with pytest.raises(InvalidInput, match="no number of times"):
        _count(
            retriever,
            Filter(field="weight_kg", operator=F.GREATER, values=("x",), relative=Relative(how="mean")),
        )


def test_other_conditions_do_not_move_the_bound(retriever: Retriever, catches: pd.DataFrame) -> None:
    here = catches["harbour"] == "Lerwick"
    heavy = catches["weight_kg"] > catches["weight_kg"].mean()
    given = Filter(field="harbour", operator=F.EQUALS, values=("Lerwick",))
    assert _count(retriever, given, _above("mean")) == (here & heavy).sum()


def test_a_bound_for_each_group_is_that_of_the_row_s_own(retriever: Retriever, catches: pd.DataFrame) -> None:
    own = catches.groupby("harbour")["weight_kg"].transform("mean")
    assert _count(retriever, _above("mean", per="harbour")) == (catches["weight_kg"] > own).sum()


def test_groups_are_held_against_the_average_group(retriever: Retriever, catches: pd.DataFrame) -> None:
    totals = catches.groupby("boat_code")["weight_kg"].sum()
    total = "sum(catches.weight_kg)"
    above = Filter(field=total, operator=F.GREATER, having=True, relative=Relative(how="mean"))
    found = retriever.run(RetrievalQuery(metrics=(total,), dimensions=("boat_code",), filters=(above,)))
    assert {r[0] for r in found.rows} == set(totals[totals > totals.mean()].index)
    rows = _count(retriever, above.model_copy(update={"by": "boat_code"}))
    assert rows == catches["boat_code"].isin(totals[totals > totals.mean()].index).sum()
    counted = retriever.run(RetrievalQuery(metrics=(f"count({total} per boat_code > the mean)",)))
    assert counted.rows[0][0] == (totals > totals.mean()).sum()
    twice = retriever.run(RetrievalQuery(metrics=(f"count({total} per boat_code > 1.1 times the median)",)))
    assert twice.rows[0][0] == (totals > 1.1 * totals.median()).sum()


def test_averages_of_groups_are_held_against_the_average_of_all_rows(
    retriever: Retriever, catches: pd.DataFrame
) -> None:
    mean = "mean(catches.weight_kg)"
    above = Filter(field=mean, operator=F.GREATER, having=True, relative=Relative(how="mean"))
    found = retriever.run(RetrievalQuery(metrics=(mean,), dimensions=("boat_code",), filters=(above,)))
    boats = catches.groupby("boat_code")["weight_kg"].mean()
    assert {r[0] for r in found.rows} == set(boats[boats > catches["weight_kg"].mean()].index)
