"""Whatever is passed in: a JSON-ready result or a typed error, never a warning or a stray exception."""

import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import gnomon.analytics as analytics
from gnomon.analytics.inputs import numbers
from gnomon.core.errors import GnomonError, InvalidInput

ODD = {
    "empty": [],
    "one": [1],
    "constant": [3] * 20,
    "missing": [np.nan] * 20,
    "gaps": [1, np.nan, 3, np.nan] * 6,
    "huge": [1e300, -1e300] * 10,
    "close": list(1e15 + np.arange(30) % 7),
    "tiny": [1e-300, 2e-300] * 10,
    "decimals": [Decimal("1.5"), None, Decimal(2)] * 8,
    "flags": [True, False] * 12,
    "nullable": pd.array([1, None, 3] * 8, dtype="Int64"),
    "infinite": [1, 2, np.inf, -np.inf] * 6,
    "sparse": [0] * 40 + [5] + [0] * 10,
    "category": pd.Series(["a", "b"] * 12, dtype="category"),
    "dates": pd.date_range("2024-01-01", periods=24),
    "mixed": [1, "a"] * 12,
    "line": list(range(24)),
    "single precision": np.arange(24, dtype="float32"),
    "complex": np.arange(24) * 1j,
    "nothing": None,
    "set": {1, 2, 3},
    "step": [0.0] * 15 + [1.0] * 15,
}
FUNCTIONS = (
    "zscore_anomalies",
    "trend",
    "seasonality",
    "change_points",
    "distribution",
    "bin_column",
    "hypothesis_test",
)


@pytest.mark.parametrize("kind", ODD)
def test_odd_columns_give_json_or_a_typed_error(kind: str) -> None:
    calls = [lambda f=f: getattr(analytics, f)(ODD[kind]) for f in FUNCTIONS]
    calls.append(lambda: analytics.hypothesis_test(ODD[kind], ODD["line"]))
    calls.append(lambda: analytics.hypothesis_test(ODD["line"], groups=ODD[kind]))
    calls.append(lambda: analytics.geo_summary(ODD[kind], ODD[kind]))
    answered = 0
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            try:
                assert json.loads(json.dumps(call().to_dict(), allow_nan=False))
                answered += 1
            except GnomonError as error:
                assert error.message
    assert answered or kind not in {
        "line",
        "step",
        "gaps",
        "decimals",
        "nullable",
        "infinite",
        "sparse",
        "close",
    }


def test_numbers_keep_their_values_and_mark_what_is_missing() -> None:
    assert numbers([1, None, Decimal("2.5"), np.inf]).tolist()[:1] == [1.0]
    assert np.isnan(numbers([1, None, Decimal("2.5"), np.inf])).tolist() == [False, True, False, True]
    with pytest.raises(InvalidInput, match="too large"):
        numbers([1e200])


def test_columns_without_text_names_work() -> None:
    frame = pd.DataFrame({0: np.arange(20.0), 1: np.arange(20.0) ** 2, "x": list("ab") * 10})
    assert {(p.first, p.second) for p in analytics.correlation(frame).pairs} >= {("0", "1")}
    assert analytics.compare_tables(frame, frame).identical
    assert analytics.regression(frame, "1", features=["0"]).coefficients[0].term == "0"


def test_the_exported_names_are_these() -> None:
    assert sorted(analytics.__all__) == sorted(set(analytics.__all__))
    assert all(hasattr(analytics, name) for name in analytics.__all__)
