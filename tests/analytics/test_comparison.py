"""Two versions of a table: every difference counted by hand, nothing found where nothing changed."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics import compare_tables
from gnomon.core.errors import InvalidInput, NotFound

OLD = pd.DataFrame(
    {"id": [1, 2, 3, 4], "price": [1.0, 2.0, 3.0, np.nan], "name": ["a", "b", "c", "d"], "gone": 0}
)
NEW = pd.DataFrame(
    {"id": [4, 3, 2, 5], "price": [4.0, 3.0, 2.5, 9.0], "name": ["d", "c", "B", "e"], "fresh": 1}
)


def test_every_kind_of_difference_is_counted() -> None:
    result = compare_tables(OLD, NEW)
    assert (result.key, result.key_inferred) == (("id",), True)
    assert (result.added, result.removed, result.changed, result.unchanged) == (1, 1, 2, 1)
    assert (result.columns_added, result.columns_removed) == (("fresh",), ("gone",))
    price = next(c for c in result.columns if c.column == "price")
    assert (price.changed, price.was_missing, price.mean_change) == (2, 1, 0.5)
    assert (price.sum_before, price.sum_after) == (5.0, 9.5)
    assert result.added_examples[0]["id"] == 5
    assert result.removed_examples[0]["id"] == 1
    assert {(c.key, c.column) for c in result.changed_examples} == {
        ((2,), "price"),
        ((4,), "price"),
        ((2,), "name"),
    }
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_a_key_of_two_columns_is_inferred() -> None:
    old = pd.DataFrame({"day": [1, 1, 2, 2], "shop": ["x", "y", "x", "y"], "sales": [5.0, 5.0, 6.0, 5.0]})
    new = old.assign(sales=[5.0, 5.0, 7.0, 5.0])
    result = compare_tables(old, new)
    assert result.key == ("day", "shop")
    assert (result.changed, result.unchanged) == (1, 3)


def test_without_a_key_whole_rows_are_compared_with_their_counts() -> None:
    old = pd.DataFrame({"v": [1.0, 1.0, 2.0]})
    new = pd.DataFrame({"v": [1.0, 2.0, 3.0]})
    result = compare_tables(old, new)
    assert result.key == ()
    assert (result.added, result.removed, result.unchanged) == (1, 1, 2)
    assert (result.added_examples, result.removed_examples) == (({"v": 3.0},), ({"v": 1.0},))


def test_types_and_rounding() -> None:
    old = pd.DataFrame({"id": [1, 2], "v": [0.1 + 0.2, 1.0]})
    new = pd.DataFrame({"id": [1, 2], "v": [0.3, 1.0]})
    assert compare_tables(old, new).identical
    typed = compare_tables(old, new.assign(v=["0.3", "1.0"]), key="id")
    assert list(typed.type_changes) == ["v"]
    assert typed.changed == 2


def test_examples_are_bounded() -> None:
    old = pd.DataFrame({"id": range(100), "v": 0})
    result = compare_tables(old, old.assign(v=1), examples=3)
    assert (result.changed, len(result.changed_examples)) == (100, 3)


cells = st.one_of(st.none(), st.integers(0, 3))
tables = st.lists(st.tuples(cells, cells), max_size=8).map(
    lambda rows: pd.DataFrame(rows, columns=["a", "b"])
)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_a_table_does_not_differ_from_itself_in_any_order(table: pd.DataFrame) -> None:
    result = compare_tables(table, table.iloc[::-1].reset_index(drop=True))
    assert result.identical
    assert (result.added, result.removed, result.changed, result.unchanged) == (0, 0, 0, len(table))


@settings(max_examples=60, deadline=None)
@given(tables, tables)
def test_the_accounts_balance_and_turn_around(old: pd.DataFrame, new: pd.DataFrame) -> None:
    there, back = compare_tables(old, new), compare_tables(new, old)
    assert there.unchanged + there.changed + there.removed == len(old)
    assert there.unchanged + there.changed + there.added == len(new)
    assert (there.added, there.removed, there.changed) == (back.removed, back.added, back.changed)


def test_errors_are_typed() -> None:
    with pytest.raises(NotFound, match="id"):
        compare_tables(OLD, NEW, key="idd")
    with pytest.raises(InvalidInput, match="repeat a key"):
        compare_tables(pd.DataFrame({"k": [1, 1]}), pd.DataFrame({"k": [1, 2]}), key="k")
    with pytest.raises(InvalidInput):
        compare_tables([1], NEW)
