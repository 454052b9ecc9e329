"""Charts of generated code that would take the one who draws them down: left out, while ordinary ones are kept."""

from __future__ import annotations

import copy
from typing import Any

import altair as alt
import pandas as pd
import pytest

from gnomon.sandbox.charts import outgrows

ROWS = pd.DataFrame(
    {"day": pd.date_range("2024-01-01", periods=9), "sold": [5_000_000 * i for i in range(9)]}
)
BASE: dict[str, Any] = {
    "mark": "bar",
    "data": {"values": [{"a": 5_000_000, "b": 2}]},
    "encoding": {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "quantitative"}},
}
BOMBS: list[tuple[tuple[str, ...], Any]] = [
    (("width",), 200_000), (("height",), 1e9), (("width",), {"step": 1e8}), (("padding",), 100_000),
    (("padding",), {"left": 1e7}), (("data",), {"sequence": {"start": 0, "stop": 3e7, "as": "a"}}),
    (("data",), {"graticule": {"step": [0.001, 0.001]}}), (("params",), [{"name": "p", "expr": "length(sequence(0, 1e8))"}]),
    (("title",), {"text": {"expr": "pad('', 1e8, 'x', 'left')"}}), (("title",), "x" * 100_000), (("title",), {"text": "x", "offset": 1e6}),
    (("transform",), [{"impute": "b", "key": "a", "keyvals": {"start": 0, "stop": 1e7}, "value": 0}]),
    (("transform",), [{"density": "b", "steps": 10**7}]), (("transform",), [{"quantile": "b", "step": 1e-9}]),
    (("transform",), [{"calculate": "test(/^(a+)+$/, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')", "as": "z"}]),
    (("transform",), [{"filter": "regexp('(a+)+$')"}]), (("config",), {"view": {"continuousWidth": 100_000}}),
    (("encoding", "x", "axis"), {"values": {"expr": "sequence(0, 1e7)"}}), (("encoding", "x", "axis"), {"tickCount": 10**9}),
    (("encoding", "x", "bin"), {"maxbins": 10**9}), (("encoding", "x", "bin"), {"step": 1e-9}),
    (("encoding", "x", "scale"), {"range": [0, 1e7]}), (("encoding", "x2"), {"value": 1e8}),
    (("mark",), {"type": "text", "fontSize": 1e6}), (("mark",), {"type": "text", "dx": -1e7}), (("mark",), {"type": "rule", "x": 1e7}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), BOMBS, ids=lambda v: str(v)[:50])
@pytest.mark.parametrize("within", [None, "layer", "hconcat"])
def test_a_chart_that_grows_without_bound_is_told_apart(
    path: tuple[str, ...], value: Any, within: str | None
) -> None:
    spec = copy.deepcopy(BASE)
    place = spec
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place[path[-1]] = value
    assert outgrows(spec if within is None else {within: [BASE, spec]})


@pytest.mark.parametrize(
    "chart",
    [
        alt.Chart(ROWS).mark_bar(size=30).encode(x="day:T", y=alt.Y("sold:Q", scale=alt.Scale(domain=[0, 60_000_000]))),
        alt.Chart(ROWS).mark_line(point=True).encode(x="month(day):O", y="mean(sold):Q", color="day:T").properties(width=700, height=300, title="Test (sold)"),
        alt.Chart(ROWS).transform_filter(alt.datum.sold > 20_000_000).transform_calculate(k="datum.sold / 1000").mark_point().encode(x=alt.X("sold:Q", bin=alt.Bin(maxbins=40)), y="count()"),
        alt.Chart(ROWS).mark_area().encode(x="day:T", y="sold:Q").interactive() + alt.Chart().mark_rule().encode(y=alt.datum(9_000_000)),
        alt.Chart(ROWS).transform_density("sold", as_=["sold", "density"]).mark_area().encode(x="sold:Q", y="density:Q") | alt.Chart(ROWS).mark_boxplot().encode(y="sold:Q"),
    ],
    ids=["bars", "lines", "filtered", "layered", "side by side"],
)  # fmt: skip
def test_ordinary_charts_are_kept(chart: Any) -> None:
    assert not outgrows(chart.to_dict())
