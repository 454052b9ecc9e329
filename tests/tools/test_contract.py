"""One suite that every built-in tool passes."""

import json

import pytest
from tests.tools.rows import PARAMS, daily_sales

from gnomon.core.errors import Cancelled, GnomonError, InvalidInput
from gnomon.core.settings import Settings
from gnomon.tools import CancelToken, Cost, Frame, Goal, Tool, ToolContext, ToolRegistry
from gnomon.tools.builtin import builtin_registry

REGISTRY = builtin_registry(Settings.load())
TOOLS = list(REGISTRY)
ROWS = daily_sales()


def ids(tool: Tool) -> str:
    return tool.spec.name


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, object]]:
    return {t.spec.name: t({"data": ROWS, **PARAMS[t.spec.name]}, ToolContext()) for t in TOOLS}


def test_every_tool_of_the_catalogue_is_there() -> None:
    assert set(PARAMS) == set(REGISTRY.names())


def test_every_goal_is_served_by_a_tool() -> None:
    assert {g for g in Goal if not REGISTRY.serving(g)} == set()


@pytest.mark.parametrize("tool", TOOLS, ids=ids)
def test_its_schemas_are_valid_json_schema(tool: Tool) -> None:
    from jsonschema import Draft202012Validator

    for schema in (tool.spec.input_schema, tool.spec.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    described = [n for n, s in tool.spec.parameters.items() if not s.get("description")]
    assert described == []


@pytest.mark.parametrize("tool", TOOLS, ids=ids)
def test_its_output_matches_its_schema(tool: Tool, outputs: dict[str, dict[str, object]]) -> None:
    from jsonschema import Draft202012Validator

    output = outputs[tool.spec.name]
    plain = json.loads(json.dumps(output, default=lambda v: v.to_json() if isinstance(v, Frame) else str(v)))
    Draft202012Validator(tool.spec.output_schema).validate(plain)
    assert isinstance(output["summary"], str)
    assert output["summary"].endswith((".", "date")) or tool.spec.name == "render_chart"


@pytest.mark.parametrize("tool", TOOLS, ids=ids)
def test_the_same_input_gives_the_same_output(tool: Tool, outputs: dict[str, dict[str, object]]) -> None:
    again = tool({"data": ROWS, **PARAMS[tool.spec.name]}, ToolContext())
    timed = {"runtime_seconds", "report"}
    first = {k: v for k, v in outputs[tool.spec.name].items() if k not in timed}
    assert {k: v for k, v in again.items() if k not in timed} == first


@pytest.mark.parametrize("tool", TOOLS, ids=ids)
@pytest.mark.parametrize(
    "bad",
    [
        {"data": 5},
        {"data": "rows"},
        {"data": [1, 2]},
        {"data": [], "nonsense": 1},
        {},
        {"data": {"table": "nowhere"}},
    ],
    ids=str,
)
def test_bad_input_is_a_typed_error(tool: Tool, bad: dict[str, object]) -> None:
    with pytest.raises(GnomonError):
        tool({**PARAMS[tool.spec.name], **bad} if bad else {}, ToolContext())


@pytest.mark.parametrize(
    "tool",
    [t for t in TOOLS if t.spec.required_parameters != ("data",) or "value" in t.spec.parameters],
    ids=ids,
)
def test_an_unknown_column_is_named_with_what_was_meant(tool: Tool) -> None:
    if tool.spec.name == "compare_tables":
        pytest.skip("a column that only one version has is a finding, not an error")
    swapped = json.loads(
        json.dumps(PARAMS[tool.spec.name]).replace('"sales"', '"salles"').replace("sales /", "salles /")
    )
    if swapped == PARAMS[tool.spec.name]:
        pytest.skip("this tool names no column here")
    with pytest.raises(InvalidInput, match="salles") as caught:
        tool({"data": ROWS, **swapped}, ToolContext())
    assert "sales" in f"{caught.value} {caught.value.suggestions}".replace("salles", "")


@pytest.mark.parametrize("tool", TOOLS, ids=ids)
def test_a_cancelled_call_does_not_begin(tool: Tool) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        tool({"data": ROWS, **PARAMS[tool.spec.name]}, ToolContext(cancel=token))


@pytest.mark.parametrize("tool", [t for t in TOOLS if t.spec.produces_rows], ids=ids)
def test_what_it_says_holds_rows_holds_rows(tool: Tool, outputs: dict[str, dict[str, object]]) -> None:
    assert isinstance(outputs[tool.spec.name][tool.spec.produces_rows or ""], Frame)
    if tool.spec.chart_rows:
        assert isinstance(outputs[tool.spec.name][tool.spec.chart_rows], Frame)


NEEDED = {
    "numeric": {"sales", "units", "lat", "lon"}, "time": {"date"}, "latitude": {"lat"}, "longitude": {"lon"},
    "categorical": {"region"},
}  # fmt: skip


@pytest.mark.parametrize(
    "tool", [t for t in TOOLS if any(r.kind in NEEDED for r in t.spec.requires)], ids=ids
)
def test_what_it_says_it_needs_it_needs(tool: Tool) -> None:
    for need in tool.spec.requires:
        if need.kind not in NEEDED or (
            need.kind == "time" and need.param not in tool.spec.required_parameters
        ):
            continue  # without time stamps the rows are taken in their order
        holed = [{k: v for k, v in r.items() if k not in NEEDED[need.kind]} for r in ROWS]
        with pytest.raises(GnomonError):
            tool({"data": holed, **PARAMS[tool.spec.name]}, ToolContext())


@pytest.mark.parametrize(
    "name", ["aggregate", "trend", "seasonality", "distribution", "regression", "hypothesis_test"]
)
def test_it_reads_no_column_that_was_not_named(name: str, outputs: dict[str, dict[str, object]]) -> None:
    named = json.dumps(PARAMS[name])
    slim = [{k: v for k, v in r.items() if k in named or k == "date"} for r in ROWS]
    again = REGISTRY.get(name)({"data": slim, **PARAMS[name]}, ToolContext())
    assert again["summary"] == outputs[name]["summary"]


def test_a_tool_reads_an_open_table_as_it_reads_rows(outputs: dict[str, dict[str, object]]) -> None:
    import pandas as pd

    from gnomon.data import open_sources

    with open_sources({"orders": pd.DataFrame(ROWS)}) as dataset:
        for tool in TOOLS:
            if tool.spec.cost is Cost.HEAVY:
                continue
            found = tool(
                {"data": {"table": "orders"}, **PARAMS[tool.spec.name]}, ToolContext(dataset=dataset)
            )
            if tool.spec.name != "profile_table":  # the profile names its table
                assert found["summary"] == outputs[tool.spec.name]["summary"], tool.spec.name


def test_a_disabled_tool_stays_known_and_says_why() -> None:
    registry = builtin_registry(Settings.load(disabled_tools=frozenset({"trend"})))
    assert registry.unavailable("trend") == "it is switched off by configuration"
    assert "trend" not in [t.spec.name for t in registry.available()]
    with pytest.raises(GnomonError, match="switched off"):
        registry.usable("trend")


def test_an_unknown_tool_proposes_the_closest() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'anomaly_zscore'"):
        REGISTRY.get("anomaly_zcore")


def test_search_finds_a_tool_by_what_it_does() -> None:
    assert REGISTRY.search("forecast a series")[0].spec.name == "timeseries_forecaster"
    assert REGISTRY.search("qqqq") == []


def test_two_tools_of_one_name_are_refused() -> None:
    registry = ToolRegistry([TOOLS[0]])
    with pytest.raises(InvalidInput, match="registered already"):
        registry.register(TOOLS[0])


def test_what_is_made_later_is_made_once_and_only_for_a_name_that_is_not_there() -> None:
    made: list[int] = []

    def more() -> ToolRegistry:
        made.append(1)
        return builtin_registry(Settings.load())

    own = REGISTRY.get("trend")
    registry = ToolRegistry([own], more=more)
    assert registry.usable("trend") is own and not made
    other = next(n for n in REGISTRY.names() if n != "trend")
    assert registry.get(other).spec.name == other
    assert sorted(registry.names()) == sorted(REGISTRY.names()) and made == [1]
