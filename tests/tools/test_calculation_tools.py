"""The calculation tools against computations by hand and by NumPy."""

import itertools
import json
import math
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gnomon.core.errors import CalculationError, Cancelled, InvalidInput, NotFound
from gnomon.tools import CancelToken, Frame, ToolContext, ToolRegistry
from gnomon.tools.calculation_tools import calculation_tool, calculation_tools
from gnomon.tools.calculations import CALCULATIONS, change_pct

TOOLS = {t.spec.name: t for t in calculation_tools()}


def test_the_tools_are_known_by_name_before_they_are_made() -> None:
    assert tuple(TOOLS) == CALCULATIONS
    assert [calculation_tool(name).spec.name for name in CALCULATIONS] == list(CALCULATIONS)


REGIONS = [{"region": "W", "sales": 60}, {"region": "E", "sales": 30}, {"region": "N", "sales": 10}]
EXAMPLES: dict[str, dict[str, Any]] = {
    "calculate_change": {"data": REGIONS, "other": REGIONS[:2], "value": "sales", "on": ["region"]},
    "calculate_shares": {"data": REGIONS, "value": "sales"},
    "calculate_growth": {"data": REGIONS, "value": "sales"},
    "calculate_ranking": {"data": REGIONS, "value": "sales"},
    "calculate_difference": {"data": REGIONS, "by": "region", "value": "sales", "first": "W", "second": "E"},
    "calculate_correlation": {"data": [{"x": i, "y": i * i} for i in range(6)], "x": "x", "y": "y"},
    "calculate_distribution": {"data": REGIONS, "value": "sales"},
    "calculate_running": {"data": REGIONS, "value": "sales"},
}


def run(tool: str, **params: Any) -> dict[str, Any]:
    return TOOLS[tool]({**params}, ToolContext())


def rows(output: dict[str, Any]) -> list[dict[str, Any]]:
    return output["rows"].to_rows()


@pytest.mark.parametrize("name", TOOLS)
def test_each_is_an_ordinary_tool_of_the_registry(name: str) -> None:
    tool = ToolRegistry(TOOLS.values()).usable(name)
    for schema in (tool.spec.input_schema, tool.spec.output_schema):
        Draft202012Validator.check_schema(schema)
    assert [p for p, s in tool.spec.parameters.items() if not s.get("description")] == []
    output = tool(EXAMPLES[name], ToolContext())
    plain = json.loads(json.dumps(output, default=lambda v: v.to_json() if isinstance(v, Frame) else str(v)))
    Draft202012Validator(tool.spec.output_schema).validate(plain)
    assert output["summary"].endswith(".")


@pytest.mark.parametrize("name", TOOLS)
def test_each_stops_when_asked_to_and_refuses_what_is_no_column(name: str) -> None:
    stopped = ToolContext(cancel=CancelToken())
    stopped.cancel.cancel()
    with pytest.raises(Cancelled):
        TOOLS[name](EXAMPLES[name], stopped)
    key = "x" if name == "calculate_correlation" else "value"
    with pytest.raises(NotFound, match="column"):
        run(name, **{**EXAMPLES[name], key: "nothing"})


def test_a_retrieval_is_taken_as_it_comes() -> None:
    retrieved = {"columns": ["region", "sales"], "rows": [("W", 60), ("E", 40)], "query": "…"}
    assert [r["share"] for r in rows(run("calculate_shares", data=retrieved, value="sales"))] == [60, 40]


def test_change_is_matched_by_key_and_knows_what_it_cannot_know() -> None:
    now = [{"k": "a", "v": 110}, {"k": "b", "v": 5}, {"k": "new", "v": 7}]
    before = [{"k": "a", "v": 100}, {"k": "b", "v": 0}, {"k": "gone", "v": 3}]
    found = {r["k"]: r for r in rows(run("calculate_change", data=now, other=before, value="v", on=["k"]))}
    assert (found["a"]["change"], found["a"]["change_pct"]) == (10, 10)
    assert (found["b"]["change"], found["b"]["change_pct"]) == (5, None)
    assert (found["new"]["previous"], found["new"]["change"]) == (None, None)
    assert (found["gone"]["current"], found["gone"]["change_pct"]) == (None, None)


def test_two_rows_under_one_key_are_refused() -> None:
    twice = [{"k": "a", "v": 1}, {"k": "a", "v": 2}]
    with pytest.raises(InvalidInput, match="share a key"):
        run("calculate_change", data=twice, other=twice, value="v", on=["k"])


@given(st.lists(st.floats(min_value=0, max_value=1e9), min_size=1, max_size=30))
def test_shares_of_parts_add_up_to_the_whole(values: list[float]) -> None:
    output = run("calculate_shares", data=[{"v": v} for v in values], value="v")
    shares = [r["share"] for r in rows(output)]
    if math.fsum(values) == 0:
        assert shares == [None] * len(values)
    else:
        assert sum(shares) == pytest.approx(100)
        assert all(-1e-9 <= s <= 100 + 1e-6 for s in shares)


def test_shares_take_a_whole_of_their_own_or_one_for_each_key() -> None:
    part = [{"k": "a", "v": 2}]
    whole = [{"k": "a", "v": 8}, {"k": "b", "v": 4}]
    assert rows(run("calculate_shares", data=part, whole=whole[:1], value="v"))[0]["share"] == 25
    by_key = rows(run("calculate_shares", data=part, whole=whole, value="v", on=["k"]))
    assert [(r["k"], r["part"], r["share"]) for r in by_key] == [("a", 2, 25), ("b", 0, 0)]
    with pytest.raises(InvalidInput, match="2 rows"):
        run("calculate_shares", data=part, whole=whole, value="v")


def test_shares_of_mixed_signs_are_refused() -> None:
    with pytest.raises(CalculationError, match="mean nothing"):
        run("calculate_shares", data=[{"v": 5}, {"v": -3}], value="v")


def test_growth_goes_from_each_period_to_the_next_within_its_series() -> None:
    data = [{"g": g, "v": v} for g, v in (("a", 100), ("b", 10), ("a", 150), ("b", 5))]
    found = rows(run("calculate_growth", data=data, value="v", by=["g"]))
    assert [r["change_pct"] for r in found] == [None, None, 50, -50]


def test_equal_values_share_a_rank_and_missing_ones_have_none() -> None:
    data = [{"n": n, "v": v} for n, v in (("a", 5), ("b", None), ("c", 9), ("d", 5), ("e", 1))]
    output = run("calculate_ranking", data=data, value="v", limit=2)
    assert [(r["n"], r["rank"]) for r in rows(output)] == [("c", 1), ("a", 2), ("d", 2)]
    assert output["left_out"] == 1
    upwards = rows(run("calculate_ranking", data=data, value="v", descending=False))
    assert [(r["n"], r["rank"]) for r in upwards] == [("e", 1), ("a", 2), ("d", 2), ("c", 4)]


@pytest.mark.parametrize("name", TOOLS)
def test_no_rows_are_no_fault(name: str) -> None:
    params = {k: v for k, v in EXAMPLES[name].items() if k != "data"}
    value = "y" if name == "calculate_correlation" else "sales"
    empty = Frame.of({key: [] for key in {"region", "x", value}})
    try:
        output = TOOLS[name]({**params, "data": empty}, ToolContext())
    except CalculationError as e:
        assert e.suggestions or e.message
    else:
        assert output["summary"].endswith(".")


def test_ranks_are_counted_within_each_group() -> None:
    data = [{"g": g, "v": v} for g, v in (("a", 1), ("b", 4), ("a", 2), ("b", 3))]
    found = rows(run("calculate_ranking", data=data, value="v", per="g", limit=1))
    assert sorted((r["g"], r["v"]) for r in found) == [("a", 2), ("b", 4)]


def test_the_difference_of_two_rows() -> None:
    output = run("calculate_difference", **EXAMPLES["calculate_difference"])
    assert (output["difference"], output["ratio"], output["difference_pct"]) == (30, 2, 100)
    missing = run("calculate_difference", **{**EXAMPLES["calculate_difference"], "second": "Z"})
    assert (missing["difference"], missing["ratio"]) == (None, None)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 4)), min_size=5, max_size=25
    )
)
def test_correlation_agrees_with_numpy_and_weights_repeat_rows(pairs: list[tuple[int, int, int]]) -> None:
    data = [{"x": x, "y": y, "w": w} for x, y, w in pairs]
    x = np.repeat([p[0] for p in pairs], [p[2] for p in pairs])
    y = np.repeat([p[1] for p in pairs], [p[2] for p in pairs])
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        with pytest.raises(CalculationError, match="same value"):
            run("calculate_correlation", data=data, x="x", y="y", weight="w")
        return
    output = run("calculate_correlation", data=data, x="x", y="y", weight="w")
    assert output["r"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert output["n"] == len(x)


def test_too_few_pairs_are_no_correlation() -> None:
    with pytest.raises(CalculationError, match="at least 3"):
        run("calculate_correlation", data=[{"x": 1, "y": None}, {"x": 2, "y": 3}], x="x", y="y")


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(1, 5)), min_size=1, max_size=40))
def test_the_distribution_agrees_with_numpy_and_its_bins_hold_every_value(
    pairs: list[tuple[int, int]],
) -> None:
    data = [{"v": v, "w": w} for v, w in pairs]
    x = np.repeat([float(v) for v, _ in pairs], [w for _, w in pairs])
    output = run("calculate_distribution", data=data, value="v", weight="w")
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
    assert [output[k] for k in ("p25", "median", "p75")] == pytest.approx([low, middle, high])
    assert (output["count"], output["minimum"], output["maximum"]) == (len(x), x.min(), x.max())
    assert output["mean"] == pytest.approx(x.mean())
    if len(x) > 1:
        assert output["stddev"] == pytest.approx(x.std(ddof=1))
    bins = rows(output)
    assert sum(b["count"] for b in bins) == len(x)
    assert all(a["to"] == b["from"] for a, b in itertools.pairwise(bins))


def test_running_sums_and_moving_averages() -> None:
    data = [{"d": date(2025, 1, i + 1), "v": v} for i, v in enumerate((1, 2, None, 4, 5))]
    sums = rows(run("calculate_running", data=data, value="v"))
    assert [r["cumulative"] for r in sums] == [1, 3, 3, 7, 12]
    means = rows(run("calculate_running", data=data, value="v", window=2))
    assert [r["moving_average"] for r in means] == [None, 1.5, None, None, 4.5]


def test_whole_numbers_stay_whole() -> None:
    found = rows(run("calculate_change", data=[{"v": 2**60 + 1}], other=[{"v": 2**60}], value="v"))
    assert found[0]["change"] == 1


@pytest.mark.parametrize(
    ("now", "before", "percent"), [(110, 100, 10), (-50, 100, None), (50, -100, None), (-50, -100, None)]
)
def test_a_change_below_zero_has_no_percent(now: float, before: float, percent: float | None) -> None:
    assert change_pct(now, before) == percent
