"""What kind of data something is, from the data alone or from what the caller says."""

from __future__ import annotations

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from gnomon.anomaly.modalities import detect_type
from gnomon.core.errors import InvalidInput, NotFound

_HOURS = pd.date_range("2025-01-01", periods=200, freq="h")
_VALUES = np.random.default_rng(0).normal(size=200)
_SENTENCES = [f"This is sentence number {i} about the weather." for i in range(30)]


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"when": _HOURS, "value": _VALUES}),
        pd.DataFrame({"value": _VALUES}, index=_HOURS),
        pd.Series(_VALUES, index=_HOURS),
        pd.DataFrame({"timestamp": _HOURS.astype(str), "value": _VALUES}),
        pd.DataFrame({"when": _HOURS, "value": _VALUES}).drop(index=range(50, 70)),
        pd.DataFrame({"month": pd.date_range("2015-01-01", periods=60, freq="MS"), "sales": _VALUES[:60]}),
        pd.DataFrame({"day": pd.bdate_range("2025-01-01", periods=100), "price": _VALUES[:100]}),
        {"time": _HOURS, "value": _VALUES},
    ],
    ids=["column", "index", "series", "strings", "gap", "months", "business days", "dictionary"],
)
def test_regular_time_stamps_make_a_series(data: object) -> None:
    assert detect_type(data) == "time_series"


def test_a_table_with_many_rows_per_time_stamp_stays_a_table() -> None:
    transactions = pd.DataFrame({"date": np.repeat(_HOURS[:20], 10), "amount": _VALUES})
    assert detect_type(transactions) == "tabular"


def test_a_table_of_events_at_irregular_times_stays_a_table() -> None:
    offsets = np.random.default_rng(1).exponential(3600, 200).cumsum()
    events = pd.DataFrame(
        {"at": pd.Timestamp("2025-01-01") + pd.to_timedelta(offsets, "s"), "amount": _VALUES}
    )
    assert detect_type(events) == "tabular"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (np.zeros((50, 3)), "tabular"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "tabular"),
        (["red", "green", "blue"] * 10, "tabular"),
        (_SENTENCES, "text"),
        (pd.Series(_SENTENCES), "text"),
        (pd.DataFrame({"id": range(30), "review": _SENTENCES}), "text"),
        (np.zeros((5, 16, 16)), "image"),
        (np.zeros((5, 16, 16, 3)), "image"),
        ([np.zeros((16, 16)), np.zeros((20, 12))], "image"),
        (["a/one.png", "a/two.JPG"], "image"),
        (nx.path_graph(4), "graph"),
        (csr_array(np.eye(4)), "graph"),
        ({"edges": [(0, 1), (1, 2)]}, "graph"),
        (SimpleNamespace(edge_index=np.array([[0, 1], [1, 2]]), num_nodes=3), "graph"),
    ],
)
def test_the_kind_is_found_from_the_data(data: object, kind: str) -> None:
    assert detect_type(data) == kind


def test_what_the_caller_says_wins() -> None:
    assert detect_type(np.zeros(50), "time_series") == "time_series"
    assert detect_type([(0, 1), (1, 2)], "graph") == "graph"


def test_an_unknown_kind_is_refused_with_a_proposal() -> None:
    with pytest.raises(NotFound, match="time_series"):
        detect_type(np.zeros(50), "time_serie")


@pytest.mark.parametrize(
    ("kind", "advice"), [("multimodal", "each kind on its own"), ("audio", "time_series")]
)
def test_kinds_of_other_engines_are_refused_with_what_to_do_instead(kind: str, advice: str) -> None:
    with pytest.raises(InvalidInput, match=f"{kind}.*tabular") as refused:
        detect_type(np.zeros((50, 2)), kind)
    assert advice in " ".join(refused.value.suggestions)


def test_words_beside_the_numbers_leave_a_series_a_series() -> None:
    frame = pd.DataFrame({"when": _HOURS, "value": _VALUES, "site": ["a", "b"] * 100})
    assert detect_type(frame) == "time_series"
    assert detect_type(frame.assign(site="a")) == "time_series"
    assert detect_type(frame, "tabular") == "tabular"
