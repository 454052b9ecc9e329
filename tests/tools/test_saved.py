import pytest
from tests.tools.rows import daily_sales

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.settings import Settings
from gnomon.tools import ToolContext
from gnomon.tools.builtin import builtin_registry
from gnomon.tools.saved import SavedPlanTool
from gnomon.workbench import Workbench

ROWS = daily_sales(days=40)
DECLARED = {
    "name": "busy_regions",
    "description": "Total sales per region, of days with more than so many units.",
    "goals": ["aggregate"],
    "parameters": {
        "least": {"type": "string", "default": "units > 4"},
        "top": {"type": "integer", "default": 5},
    },
    "steps": [
        {"id": "keep", "tool": "filter_rows", "params": {"condition": {"$param": "least"}}},
        {
            "id": "sum",
            "tool": "aggregate",
            "params": {"value": "sales", "group_by": ["region"], "top": {"$param": "top"}},
            "inputs": {"data": {"step": "keep", "field": "rows"}},
        },
    ],
}


def declared(**changes: object) -> SavedPlanTool:
    return SavedPlanTool.declared({**DECLARED, **changes}, builtin_registry())


def test_a_declared_tool_computes_what_its_steps_compute() -> None:
    found = declared()({"data": ROWS}, ToolContext())
    expected: dict[str, float] = {}
    for r in ROWS:
        if r["units"] > 4:
            expected[r["region"]] = expected.get(r["region"], 0) + r["sales"]
    assert {r["region"]: r["sum_sales"] for r in found["rows"].to_rows()} == pytest.approx(expected)


def test_its_parameters_reach_its_steps() -> None:
    found = declared()({"data": ROWS, "least": "units > 0", "top": 1}, ToolContext())
    assert found["row_count"] == len(ROWS)
    assert len(found["rows"]) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": []}, "steps"),
        ({"steps": [{"id": "a", "tool": "agregate"}]}, "Did you mean 'aggregate'"),
        ({"steps": [{"id": "a", "tool": "aggregate", "params": {"vlaue": "x"}}]}, "Did you mean 'value'"),
        ({"steps": [{"id": "a", "tool": "aggregate", "params": {"value": {"$param": "nope"}}}]}, "nope"),
        ({"steps": [{"id": "a", "tool": "trend", "depends_on": ["a"]}]}, "wait for each other"),
        ({"name": "aggregate"}, "name of a tool that exists"),
        ({"name": "Bad Name"}, "name"),
        ({"eval": "1"}, "eval"),
    ],
    ids=str,
)
def test_an_unsound_declaration_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        declared(**changes)


@pytest.mark.parametrize(
    ("params", "kind"),
    [({"least": 5}, InvalidInput), ({"top": True}, InvalidInput), ({"lest": "x"}, NotFound)],
    ids=str,
)
def test_bad_parameters_are_typed_errors(params: dict[str, object], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        declared()({"data": ROWS, **params}, ToolContext())


def test_a_tool_outlives_the_process_and_counts_its_versions(tmp_path) -> None:
    settings = Settings.load(home=tmp_path, log_dir=tmp_path / "logs")
    with Workbench(settings) as first:
        assert first.declare_tool(DECLARED).spec.version == "1"
        assert first.declare_tool({**DECLARED, "description": "Changed."}).spec.version == "2"
        with pytest.raises(InvalidInput):
            first.declare_tool({**DECLARED, "steps": []})
    with Workbench(settings) as second:
        tool = second.registry.get("busy_regions")
        assert (tool.spec.version, tool.spec.description) == ("2", "Changed.")
        analysis = second.layer.invoke(
            second.planner.plan(
                second.extractor.extract("total sales", ROWS), choices={"tool": "busy_regions"}
            ),
            ROWS,
        )
        assert str(analysis.status) == "success"
