"""Columns computed for each row: spelled out in a reference, computed where the rows lie, checked with pandas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import DimensionType
from gnomon.semantic.derived import Derived, column_in, derived, derived_at, derived_in, outside, text_in
from gnomon.semantic.infer import infer_model
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    n = 80
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=n),
            "high mark": rng.uniform(20, 40, n).round(2),
            "low mark": rng.uniform(10, 20, n).round(2),
            "age": rng.integers(0, 90, n).astype(float),
            "town": rng.choice(["Ayr", "Bree"], n),
            "remark": rng.choice(["fine", "rather wet", "dry"], n),
        }
    )
    frame.loc[5, "age"] = np.nan
    frame.loc[[7, 9], "low mark"] = np.nan
    return frame


@pytest.fixture(scope="module")
def asked() -> Iterator[Any]:
    with open_sources({"marks": _frame()}) as dataset:
        retriever = Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))

        def ask(metric: str, **query: Any) -> Any:
            return retriever.run(RetrievalQuery(metrics=(metric,), **query))

        ask.model = retriever.model  # type: ignore[attr-defined]
        yield ask


SPREAD = "marks.{spread: [high mark] - [low mark]}"


def test_a_difference_of_two_columns_leaves_out_rows_that_lack_one(asked: Any) -> None:
    frame = _frame()
    found = asked(f"mean({SPREAD})")
    assert found.rows[0][0] == pytest.approx((frame["high mark"] - frame["low mark"]).mean())
    assert found.nulls == {f"mean({SPREAD})": 2}
    assert asked.model.metric(f"mean({SPREAD})").label == "average spread"


@pytest.mark.parametrize("how", ["median", "stddev", "max", "min", "sum"])
def test_every_aggregation_works_by_group_and_under_conditions(asked: Any, how: str) -> None:
    frame = _frame().query("age > 20")
    spread = (frame["high mark"] - frame["low mark"]).groupby(frame["town"])
    expected = spread.agg({"stddev": "std"}.get(how, how))
    above = Filter(field="age", operator=FilterOperator.GREATER, values=(20,))
    found = dict(asked(f"{how}({SPREAD})", dimensions=("town",), filters=(above,)).rows)
    assert found == pytest.approx(expected.to_dict())


def test_a_ratio_is_one_of_rows_and_differs_from_that_of_totals(asked: Any) -> None:
    frame = _frame()
    share = (frame["low mark"] / frame["high mark"]).mean()
    assert asked("mean(marks.{share: [low mark] / [high mark]})").rows[0][0] == pytest.approx(share)
    totals = asked("sum(marks.low mark) / sum(marks.{twice: [high mark] * 2})").rows[0][0]
    assert totals == pytest.approx(frame["low mark"].sum() / (2 * frame["high mark"].sum()))


def test_the_row_before_is_that_of_the_day_before_whatever_is_filtered(asked: Any) -> None:
    frame = _frame()
    change = frame["high mark"].pct_change() * 100
    reference = "marks.{change: percent([high mark] / previous([high mark], [day]) - 1)}"
    in_ayr = Filter(field="town", operator=FilterOperator.EQUALS, values=("Ayr",))
    assert asked(f"mean({reference})").rows[0][0] == pytest.approx(change.mean())
    found = asked(f"mean({reference})", filters=(in_ayr,)).rows[0][0]
    assert found == pytest.approx(change[frame["town"] == "Ayr"].mean())


def test_ranges_with_labels_are_a_dimension_and_the_rest_has_none(asked: Any) -> None:
    reference = "marks.{group: ranges([age], 'young', '>=', 0, '<', 18, 'grown', '>=', 18, '<', 65)}"
    frame = _frame()
    group = pd.cut(frame["age"], [0, 18, 65], right=False, labels=["young", "grown"])
    expected = frame.groupby(group, observed=True)["high mark"].mean().to_dict()
    found = dict(asked("mean(marks.high mark)", dimensions=(reference,)).rows)
    assert found == pytest.approx(expected)
    none = Filter(field=reference, operator=FilterOperator.IS_NULL)
    assert asked("count(marks)", filters=(none,)).rows == ((int(group.isna().sum()),),)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("fill([age], mean_of([age]))", lambda f: f["age"].fillna(f["age"].mean())),
        ("fill([age], 0)", lambda f: f["age"].fillna(0)),
        ("([age] - mean_of([age])) / std_of([age])", lambda f: (f["age"] - f["age"].mean()) / f["age"].std()),
        (
            "([age] - min_of([age])) / (max_of([age]) - min_of([age]))",
            lambda f: (f["age"] - f["age"].min()) / (f["age"].max() - f["age"].min()),
        ),
        ("log([high mark])", lambda f: np.log(f["high mark"])),
        ("length([remark])", lambda f: f["remark"].str.len()),
        ("month([day])", lambda f: f["day"].dt.month),
        ("truth([age] == 0)", lambda f: (f["age"] == 0).where(f["age"].notna())),
        (
            "mean_across([high mark], [low mark])",
            lambda f: f[["high mark", "low mark"]].mean(axis=1, skipna=False),
        ),
    ],
)
def test_what_is_computed_for_rows_agrees_with_pandas(asked: Any, expression: str, expected: Any) -> None:
    values = expected(_frame()).astype(float)
    for how, told in (("sum", values.sum()), ("stddev", values.std())):
        assert asked(f"{how}(marks.{{made: {expression}}})").rows[0][0] == pytest.approx(told)


def test_numbers_are_counted_into_days_of_the_week_by_name(asked: Any) -> None:
    found = dict(asked("count(marks)", dimensions=("marks.{weekday: weekday([day])}",)).rows)
    assert found == _frame()["day"].dt.day_name().value_counts().to_dict()


def test_what_a_column_holds_follows_from_what_it_is_made_of() -> None:
    assert Derived("a", "[x] + [y]").type is DimensionType.NUMBER
    assert Derived("a", "[x] + [y] == 0").type is DimensionType.BOOLEAN
    assert Derived("a", "hour([t])").type is DimensionType.CATEGORY
    units = {"x": "EUR", "y": "EUR", "z": "kg"}.get
    assert Derived("a", "[x] - [y]").unit(units) == "EUR"
    assert Derived("a", "[x] / [y]").unit(units) is None
    assert Derived("a", "[x] + [z]").unit(units) is None
    assert Derived("a", "days([t], [u])").unit(units) == "days"


def test_odd_names_are_spelled_so_that_they_can_be_read_back() -> None:
    column = "Load [kW] {raw}: 5%"
    made = Derived("a {b}: c", f"{column_in(column)} * 2")
    read = derived(made.spelling)
    assert read is not None and read == made
    assert read.columns == [column]
    assert text_in("it's {so}") == "'it s  so'"


def test_references_are_taken_apart_only_outside_of_what_spells_a_column_out() -> None:
    reference = "sum(t.{a: [x] / [y]}) / count(t)"
    assert outside(reference, " / ") == ("sum(t.{a: [x] / [y]})", "count(t)")
    assert outside("mean(t.{a: [x] / [y]})", " / ") is None
    assert derived_in(reference) == ["{a: [x] / [y]}"]
    assert derived_at("t.plain") is None


def test_what_is_not_there_or_not_arithmetic_is_refused(asked: Any) -> None:
    with pytest.raises(NotFound):
        asked("mean(marks.{made: [no such] + [age]})")
    with pytest.raises(InvalidInput):
        asked("mean(marks.{made: __import__([age])})")
    with pytest.raises(InvalidInput):
        asked("mean(marks.{made: [age].mean})")
