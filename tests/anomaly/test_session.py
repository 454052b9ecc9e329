"""Investigations of all sorts of data: what is read, what is refused, what is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly import ADEngine, InvestigationState


def numbers(n: int = 200) -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(n, 3))
    X[: min(4, n)] += 9
    return X


def top(state: InvestigationState) -> dict[str, Any]:
    assert state.analysis is not None
    return dict(state.analysis["consensus_analysis"]["top_anomalies"][0])


@pytest.mark.parametrize(
    "data",
    [
        np.r_[np.random.default_rng(1).normal(size=150), 40.0],
        numbers().tolist(),
        {"a": numbers()[:, 0], "b": numbers()[:, 1]},
        pd.DataFrame(numbers()),
        pd.DataFrame(numbers(), columns=["a", "a", "b"]),
        np.where(np.eye(200, 3) > 0, np.nan, numbers()),
        (numbers() * 10).astype(int),
    ],
    ids=["one column", "lists", "dict", "numbered columns", "one name twice", "gaps", "whole numbers"],
)
def test_every_kind_of_table_is_investigated(data: Any) -> None:
    state = ADEngine().investigate(data, constraints={"max_detectors": 1})
    assert state.analysis is not None and state.quality is not None
    assert state.profile["data_type"] == "tabular"
    expected = 150 if isinstance(data, np.ndarray) and data.ndim == 1 else None
    assert top(state)["index"] == expected if expected else top(state)["index"] < 4


@pytest.mark.parametrize(
    "data", [numbers(1), np.ones((60, 3)), numbers(3)], ids=["one row", "constant", "three rows"]
)
def test_too_little_to_find_reads_low(data: np.ndarray) -> None:
    state = ADEngine().investigate(data)
    assert state.quality is not None and state.quality["verdict"] == "low"
    assert state.next_action["action"] in ("iterate", "report_to_user", "confirm_with_user")
    assert state.next_action["reason"]


@pytest.mark.parametrize("data", [None, 5, np.empty((0, 3)), "no_such_file.csv"])
def test_what_is_no_data_is_refused_with_a_reason(data: Any) -> None:
    from gnomon.core.errors import GnomonError

    with pytest.raises(GnomonError) as refused:
        ADEngine().start(data)
    assert refused.value.message


def test_a_series_in_a_file_is_recognised_and_told_by_its_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    times = pd.date_range("2024-01-01", periods=600, freq="h")
    load = 10 + 3 * np.sin(np.arange(600) * 2 * np.pi / 24) + rng.normal(0, 0.3, 600)
    load[500] += 6
    path = tmp_path / "load.csv"
    pd.DataFrame({"time": times, "load": load}).to_csv(path, index=False)
    state = ADEngine().investigate(str(path))
    assert (state.profile["data_type"], state.profile["channels"]) == ("time_series", 1)
    assert top(state)["index"] == 500
    said = top(state)["narrative"]
    assert said.startswith(f"2024-01-21 20:00:00: load {load[500]:.2f} where its pattern gives about ")
    assert abs(float(said.rsplit(" ", 1)[1].rstrip(".")) - (load[500] - 6)) < 1


def test_a_node_of_a_graph_is_told_by_what_is_unusual_about_it() -> None:
    graph = nx.random_regular_graph(4, 120, seed=3)
    graph.add_edges_from((7, other) for other in range(60, 110))
    state = ADEngine().investigate(graph)
    assert state.profile["data_type"] == "graph" and state.profile["n_edges"] == graph.number_of_edges()
    assert top(state)["index"] == 7
    assert "number of neighbours (degree 5" in top(state)["narrative"]


def test_every_change_made_to_the_data_is_in_the_state() -> None:
    frame = pd.DataFrame(numbers(), columns=["a", "b", "c"])
    frame["kind"] = np.random.default_rng(2).choice(["x", "y"], len(frame))
    frame.loc[30, "a"] = np.nan
    state = ADEngine().start(frame)
    touched = {c for t in state.transformations for c in t["columns"]}
    assert {"a", "kind"} <= touched
    assert state.profile["has_nan"] is True and state.profile["n_missing"] == 1
    assert all(t["step"] and t["detail"] for t in state.transformations)


def test_progress_is_told_up_to_the_end() -> None:
    engine = ADEngine()
    seen: list[tuple[str, float]] = []
    state = engine.plan(engine.start(numbers()), constraints={"max_detectors": 2})
    engine.run(state, progress=lambda what, share: seen.append((what, share)))
    assert seen[-1][1] == 1.0
    assert {what.split(":")[0] for what, _ in seen} == {p["detector_name"] for p in state.plans}


def test_the_data_is_kept_by_reference() -> None:
    frame = pd.DataFrame(numbers())
    assert ADEngine().start(frame).data is frame
