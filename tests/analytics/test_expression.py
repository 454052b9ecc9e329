"""The expression language: meaning against pandas, round trip, bounds, and nothing but typed errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics import ExpressionError, derive
from gnomon.analytics.expression import FUNCTIONS, columns_of, parse, to_text
from gnomon.analytics.expression.nodes import Binary, Call, Column, Literal, Unary
from gnomon.core.errors import GnomonError

FRAME = pd.DataFrame(
    {
        "price": [1.5, 2.0, None, 4.0],
        "qty": [1, 2, 3, 0],
        "unit name": ["Ab", "b c", None, "x"],
        "day": pd.to_datetime(["2025-01-01", "2025-02-03", None, "2024-12-31"]),
        "ok": [True, False, True, True],
    }
)
NAN = float("nan")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("price * qty + 1", [2.5, 5.0, NAN, 1.0]),
        ("-qty ^ 2", [-1, -4, -9, 0]),
        ("2 ^ 3 ^ 2 - 500", [12, 12, 12, 12]),
        ("(1 + 2) * 3 - 10 / 4 // 1 % 2", [9, 9, 9, 9]),
        ("price / qty", [1.5, 1.0, NAN, NAN]),
        ("log(qty)", [0, np.log(2), np.log(3), NAN]),
        ("log(qty, 2) + exp(0) + sqrt(4) + abs(-1)", [4, 5, 4 + np.log2(3), NAN]),
        ("round(price / 3, 2)", [0.5, 0.67, NAN, 1.33]),
        ("floor(1.7) + ceil(1.2)", [3, 3, 3, 3]),
        ("min(price, qty)", [1, 2, 3, 0]),
        ("max(qty) - qty", [2, 1, 0, 3]),
        ("coalesce(price, qty, 0)", [1.5, 2, 3, 4]),
        ("if(price > 1.8 and not ok, 10, -10)", [-10, 10, -10, -10]),
        ("length(`unit name`)", [2, 3, NAN, 1]),
        ("year(day) + month(day) / 100", [2025.01, 2025.02, NAN, 2024.12]),
        ("weekday(day)", [3, 1, NAN, 2]),
        ("days_between(day, '2025-01-31')", [30, -3, NAN, 31]),
        ("lag(qty)", [NAN, 1, 2, 3]),
        ("diff(qty, 2)", [NAN, NAN, 2, -2]),
        ("rank(price)", [1, 2, NAN, 3]),
        ("qty / sum(qty)", [1 / 6, 2 / 6, 3 / 6, 0]),
        ("cumsum(qty)", [1, 3, 6, 6]),
        ("rolling_mean(qty, 2)", [NAN, 1.5, 2.5, 1.5]),
        ("QTY", [1, 2, 3, 0]),
    ],
)
def test_numbers(text: str, expected: list[float]) -> None:
    assert np.allclose(derive(FRAME, text).data.to_numpy(float), expected, equal_nan=True)


def test_zscore_equals_numpy() -> None:
    z = (FRAME.qty - FRAME.qty.mean()) / FRAME.qty.std()
    assert np.allclose(derive(FRAME, "zscore(qty)").data, z)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qty >= 2", [False, True, True, False]),
        ("`unit name` = 'Ab' or ok", [True, False, True, True]),
        ("price > 1.8", [False, True, pd.NA, True]),
        ("day > '2025-01-15'", [False, True, pd.NA, False]),
        ("contains(\"unit name\", 'b')", [True, True, pd.NA, False]),
        ("isnull(price)", [False, False, True, False]),
        ("not (qty != 2)", [False, True, False, False]),
        ("qty <> 2 && ok", [True, False, True, True]),
    ],
)
def test_conditions(text: str, expected: list[object]) -> None:
    result = derive(FRAME, text)
    assert result.kind == "boolean"
    assert [v if v is pd.NA else bool(v) for v in result.data] == expected


def test_texts() -> None:
    assert derive(FRAME, "upper(`unit name`)").data.fillna("-").tolist() == ["AB", "B C", "-", "X"]
    assert derive(FRAME, "concat(lower(`unit name`), '-', qty)").data.fillna("?").tolist() == [
        "ab-1",
        "b c-2",
        "?",
        "x-0",
    ]
    assert derive(FRAME, "replace(`unit name`, ' ', '''')").data.fillna("").tolist()[1] == "b'c"
    assert columns_of(parse("price + qty * price")) == ("price", "qty")


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("prise * 2", 0, "Did you mean 'price'?"),
        ("1 + sqr(qty)", 4, "Did you mean sqrt?"),
        ("qty +", 5, "ends where a value"),
        ("a < b < c", 6, "cannot be chained"),
        ("(qty", 0, "never closed"),
        ("1 + 'abc", 4, "quote"),
        ("qty $ 2", 4, "not part of the language"),
        ("qty price", 4, "operator was expected"),
        ("upper(qty)", 6, "needs a text"),
        ("qty + `unit name`", 6, "needs a number"),
        ("if(qty, 1, 2)", 3, "needs a boolean"),
        ("if(ok, 1, 'a')", 10, "mixes"),
        ("round(qty, 1, 2)", 0, "takes 1 to 2 arguments"),
        ("lag(qty, price)", 9, "whole number"),
        ("year('soon')", 5, "is none"),
        ("", 0, "empty"),
        ("1" * 3000, 2000, "at most"),
        ("(" * 100 + "1" + ")" * 100, 41, "nested"),
        ("+".join(["1"] * 300), None, "nested"),
        ("1e999", 0, "too large"),
    ],
)
def test_errors_say_where_and_what(text: str, position: int | None, words: str) -> None:
    with pytest.raises(ExpressionError, match=words.replace("?", r"\?")) as caught:
        derive(FRAME, text)
    if position is not None:
        assert caught.value.position == position


@pytest.mark.parametrize(
    "text", ["__import__('os')", "qty.__class__", "exec('1')", "open('/etc/passwd')", "lambda: 1"]
)
def test_nothing_outside_the_language_can_be_reached(text: str) -> None:
    with pytest.raises(ExpressionError):
        derive(FRAME, text)


names = st.sampled_from(["price", "qty", "unit name", "o`dd"])
leaves = st.one_of(
    st.builds(lambda v: Literal(v, 0), st.one_of(st.integers(0, 10**6), st.floats(0, 1e6), st.text("ab'`\" ", max_size=4), st.booleans(), st.none())),
    st.builds(lambda n: Column(n, 0), names),
)  # fmt: skip
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda o, a, b: Binary(o, a, b, 0), st.sampled_from(["+", "-", "*", "/", "^", "=", "<", "and", "or", "%"]), inner, inner),
        st.builds(lambda o, a: Unary(o, a, 0), st.sampled_from(["neg", "not"]), inner),
        st.builds(lambda n, a: Call(n, tuple(a), 0), st.sampled_from(sorted(FUNCTIONS)), st.lists(inner, max_size=3)),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(trees)
def test_text_of_a_tree_parses_to_the_same_tree(tree) -> None:
    text = to_text(tree)
    assert to_text(parse(text)) == text


@settings(max_examples=100, deadline=None)
@given(trees)
def test_any_tree_gives_a_column_or_a_typed_error(tree) -> None:
    try:
        result = derive(FRAME, to_text(tree))
    except ExpressionError:
        return
    assert len(result.data) == 4


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), st.text("()+-*/^<>=!'`\",.0123456789abqty &|%", max_size=60)))
def test_random_text_never_raises_anything_else(text: str) -> None:
    try:
        derive(FRAME, text)
    except GnomonError as error:
        assert isinstance(error, ExpressionError)
        assert 0 <= error.position <= max(len(text), 2000)


@pytest.mark.parametrize("depth", [6, 9])
@pytest.mark.parametrize("grow", ["replace({}, 'a', 'aaaaaaaaaaaa')", "concat({0}, {0}, {0}, {0}, {0}, {0})"])
def test_texts_that_grow_beyond_measure_are_refused_before_they_are_made(depth: int, grow: str) -> None:
    expression = "word"
    for _ in range(depth if grow.startswith("replace") else 4):
        expression = grow.format(expression)
    frame = pd.DataFrame({"word": ["aaaa" * (1 if depth == 6 else 4)] * 50_000})
    with pytest.raises(ExpressionError, match="characters"):
        derive(frame, expression)


def test_every_function_has_a_meaning_and_empty_tables_work() -> None:
    assert all(f.meaning and f.least <= f.most for f in FUNCTIONS.values())
    assert len(derive(FRAME.head(0), "price * 2 + rank(qty)").data) == 0
