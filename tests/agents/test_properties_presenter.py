"""The correctness properties of the Data Presenter, each over generated requests or results."""

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.agents.shop import FIRST, LAST, REGIONS, TODAY, month, request, shop, where

from gnomon.agents.presenter import DataPresenter
from gnomon.agents.presenter_writer import Slot, written
from gnomon.answering.answer import tell
from gnomon.answering.plan import DataTask, DataWorkflowPlan, PartPlan, PartResult
from gnomon.answering.plan_kinds import DataWorkflowPlanner
from gnomon.answering.run import DataWorkflowExecutor, checked, labels_and_units, relevant, table_of
from gnomon.answering.words import fact_figure
from gnomon.core.answer import About, AnswerStatus, Fact
from gnomon.core.errors import ApiFailure, DataUnavailable, GnomonError, InvalidInput, TimedOut
from gnomon.core.figures import figure
from gnomon.core.parts import Comparison, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.registry import APIDescriptor, APIRegistry, ColumnSchema
from gnomon.tools import FunctionTool, ToolContext, ToolRegistry
from gnomon.tools.calculation_tools import calculation_tools
from gnomon.tools.retrieval_tools import RetrievalOutput

K = QuestionKind
CALCULATIONS = {t.spec.name for t in calculation_tools()}
OVER_ORDERS = (
    "revenue",
    "units",
    "orders",
    "average_price",
    "return_rate",
    "customers",
    "average_order_value",
)
GROUPS = ("region", "channel", "category")

TOOLS = ToolRegistry(calculation_tools())
LAYER = MCPToolsInvocationLayer(TOOLS, sleeper=lambda seconds, token: None)

days = st.dates(FIRST, LAST)


@st.composite
def ranges(draw: st.DrawFn) -> TimeRange:
    """Days that the data covers."""
    start, end = sorted((draw(days), draw(days)))
    return TimeRange(start=start, end=end)


@st.composite
def requests(draw: st.DrawFn) -> Parts:
    """Requests of the descriptive kinds that the shop can answer."""
    kind = draw(st.sampled_from([K.VALUE, K.BREAKDOWN, K.RANKING, K.SHARE, K.COMPARISON, K.TREND, K.LIST]))
    fields: dict[str, Any] = {"time_range": draw(st.none() | ranges())}
    metrics = tuple(draw(st.lists(st.sampled_from(OVER_ORDERS), min_size=1, max_size=2, unique=True)))
    if draw(st.booleans()):
        fields["filters"] = (where("region", draw(st.sampled_from(REGIONS))),)
    if kind in (K.BREAKDOWN, K.RANKING, K.LIST):
        fields["dimensions"] = tuple(
            draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=2, unique=True))
        )
    if kind is K.RANKING:
        fields |= {"limit": draw(st.integers(1, 5)), "descending": draw(st.booleans())}
    if kind is K.SHARE:
        fields["part"] = (where("channel", "web"),)
    if kind is K.COMPARISON:
        fields |= {
            "time_range": month(2024, 3),
            "comparison": Comparison(kind="period", period=draw(ranges())),
        }
    if kind is K.TREND:
        fields["grain"] = draw(
            st.sampled_from([TimeGranularity.WEEK, TimeGranularity.MONTH, TimeGranularity.YEAR])
        )
    return request(kind, *metrics, **fields)


def read(*asked: Parts) -> Reading:
    return Reading(status=ReadingStatus.CLEAR, requests=requests_of(asked, shop().model))


def planned(*asked: Parts, question: str = "a question") -> DataWorkflowPlan:
    s = shop()
    return DataWorkflowPlanner(s.registry, s.model).plan(question, read(*asked))


# Feature: insight-agents-system, Property 15: Task Decomposition with CoT
@given(st.lists(requests(), min_size=1, max_size=3))
def test_property_15_every_request_is_taken_apart_into_visible_steps(asked: list[Parts]) -> None:
    plan = planned(*asked)
    assert not plan.out_of_scope
    assert [t.id for t in plan.tasks] == [s.id for s in plan.plan.steps], (
        "a step without a task, or the reverse"
    )
    known: set[str] = set()
    for task in plan.tasks:
        assert task.description and set(task.dependencies) <= known
        known.add(task.id)
    for part, wanted in zip(plan.parts, asked, strict=True):
        tasks = [t for t in plan.tasks if t.id in part.retrievals.values()]
        assert {m for t in tasks for m in t.metrics} == set(wanted.metrics)
        assert set(wanted.dimensions) <= {d for t in tasks for d in t.dimensions}
        if wanted.comparison is not None:
            assert {t.time_range for t in tasks} == {wanted.time_range, wanted.comparison.period}
    for description in (t.description for t in plan.tasks):
        assert description in plan.plan.reasoning


# Feature: insight-agents-system, Property 16: API Selection with Schema Linking
@given(requests())
def test_property_16_the_chosen_api_has_the_columns_that_the_task_names(asked: Parts) -> None:
    plan = planned(asked)
    tasks = {t.id: t for t in plan.tasks}
    for call in plan.api_calls:
        columns = {c.name for c in call.api.columns}
        assert {*tasks[call.step].metrics, *tasks[call.step].dimensions} <= columns
        assert shop().registry.get(call.api.name) is call.api
    products = planned(request(K.VALUE, "products"))
    assert [c.api.name for c in products.api_calls] == ["retrieve_products"]


# Feature: insight-agents-system, Property 17: Payload Generation with Slot Filling
@given(requests())
def test_property_17_payloads_carry_every_slot_of_the_request(asked: Parts) -> None:
    plan = planned(asked)
    for call in plan.api_calls:
        names = {p.name for p in call.api.parameters}
        assert {p.name for p in call.api.parameters if p.required} <= set(call.payload) <= names
        query = RetrievalQuery.model_validate(call.payload)
        assert query.metrics == asked.metrics
        assert set(asked.filters) <= set(query.filters)
    main = RetrievalQuery.model_validate(next(c.payload for c in plan.api_calls if c.step == "retrieve"))
    assert main.time_range == asked.time_range
    assert main.grain == asked.grain
    assert set(main.filters) == {*asked.filters, *asked.part}
    steps = {s.id: s.params for s in plan.plan.steps}
    assert all(steps[c.step] == c.payload for c in plan.api_calls)


# Feature: insight-agents-system, Property 18: Secondary OOD Detection
@given(st.dates(date(2015, 1, 1), date(2032, 1, 1)), st.integers(0, 400))
def test_property_18_what_the_data_does_not_cover_is_out_of_scope(start: date, length: int) -> None:
    asked = TimeRange(start=start, end=start + timedelta(days=length))
    plan = planned(request(K.VALUE, "revenue", time_range=asked))
    disjoint = asked.end < FIRST or asked.start > LAST
    assert plan.out_of_scope is disjoint
    if disjoint:
        assert plan.plan.steps == () and plan.api_calls == ()
        assert plan.reason is not None and "1 January 2023 – 20 December 2024" in plan.reason
    else:
        partly = asked.start < FIRST or asked.end > LAST
        assert bool(plan.parts[0].caveats) is partly


def test_property_18_a_metric_that_cannot_be_split_so_is_out_of_scope() -> None:
    for dimension in ("region", "channel", "customer_id", "returned"):
        plan = planned(request(K.BREAKDOWN, "products", dimensions=(dimension,)))
        assert plan.out_of_scope and plan.reason is not None and "cannot be broken down by" in plan.reason
    assert not planned(request(K.BREAKDOWN, "products", dimensions=("category",))).out_of_scope


# Feature: insight-agents-system, Property 19: Tool Metadata and Few-Shot Usage
@given(st.sampled_from(["shipments", "refunds"]), st.booleans(), st.booleans())
def test_property_19_examples_and_descriptions_decide_between_equal_apis(
    word: str, reverse: bool, by_example: bool
) -> None:
    s = shop()
    base = s.registry.get("retrieve_orders")
    twins: list[APIDescriptor] = []
    for name in ("shipments", "refunds"):
        told = f"How many {name} were there?"
        twins.append(
            replace(
                base,
                name=f"retrieve_{name[0]}",
                description="Figures." if by_example else told,
                examples=({"question": told, "payload": {}},) if by_example else (),
            )
        )
    apis = tuple(reversed(twins)) if reverse else tuple(twins)
    planner = DataWorkflowPlanner(APIRegistry(apis, {}), s.model)
    plan = planner.plan(f"what of {word} by region?", read(request(K.VALUE, "revenue")))
    assert [c.api.name for c in plan.api_calls] == [f"retrieve_{word[0]}"]


amounts = st.floats(min_value=0.01, max_value=1e9).map(lambda v: round(v, 2))


def result_of(asked: Parts, **retrieved: tuple[tuple[str, ...], list[tuple[Any, ...]]]) -> PartResult:
    """What an executor would give for rows that a backend gave."""
    plan = planned(asked)
    TOOLS.register(_fixed(retrieved, plan), replace=True)
    return DataWorkflowExecutor(LAYER, shop().model).execute(plan).data[0]


def _fixed(
    retrieved: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]], plan: DataWorkflowPlan
) -> FunctionTool:
    """A retrieval tool that gives the rows that belong to the payload it is called with."""
    roles = {step: role for role, step in plan.parts[0].retrievals.items()}
    by_payload = {repr(RetrievalQuery.model_validate(c.payload)): roles[c.step] for c in plan.api_calls}

    def run(given: RetrievalQuery, context: ToolContext) -> RetrievalOutput:
        columns, rows = retrieved[by_payload[repr(RetrievalQuery(**dict(given)))]]
        frame = {c: [r[i] for r in rows] for i, c in enumerate(columns)}
        return RetrievalOutput.model_validate(
            {
                "summary": "Rows.", "columns": list(columns), "rows": frame, "query": "SELECT …",
                "rows_used": len(rows), "nulls": {}, "truncated": False, "notes": [],
            }
        )  # fmt: skip

    return FunctionTool(
        "retrieve_orders",
        run,
        RetrievalQuery,
        RetrievalOutput,
        description="Fixed rows.",
        produces_rows="rows",
    )


# Feature: insight-agents-system, Property 21: External Calculation Tools Usage
@given(amounts, amounts)
def test_property_21_what_is_computed_comes_from_a_calculation_tool(now: float, before: float) -> None:
    asked = request(
        K.COMPARISON, "revenue", time_range=month(2024, 3), comparison=Comparison(kind="period", period=month(2024, 2))
    )  # fmt: skip
    plan = planned(asked)
    found = result_of(asked, main=(("revenue",), [(now,)]), previous=(("revenue",), [(before,)]))
    told = tell(found, shop().model, TODAY)
    facts = {f.name: f for f in told.facts}
    tools = {s.id: s.tool for s in plan.plan.steps}
    for name in ("revenue.change", "revenue.change_pct"):
        assert tools[facts[name].step] in CALCULATIONS
    output = found.calculated["change"]["rows"].to_rows()[0]
    assert facts["revenue.change"].value == output["change"] == pytest.approx(now - before)
    assert facts["revenue.change_pct"].value == output["change_pct"]
    assert {s.tool for s in plan.plan.steps if not s.tool.startswith("retrieve_")} <= CALCULATIONS


def test_property_21_a_result_that_cannot_be_is_computed_again() -> None:
    asked = request(K.SHARE, "revenue", part=(where("region", "West"),))
    found = result_of(asked, main=(("revenue",), [(50.0,)]), whole=(("revenue",), [(200.0,)]))
    wrong = {**found.calculated["shares"]}
    wrong["rows"] = type(wrong["rows"]).of([{"revenue": 50.0, "share": 250.0}])
    again = checked(replace(found, calculated={"shares": wrong}), shop().model)
    assert again.calculated["shares"]["rows"].to_rows()[0]["share"] == 25
    assert len(again.doubts) == 1


# Feature: insight-agents-system, Property 22: Data Post-Processing
@given(
    st.lists(st.sampled_from(["region", "revenue", "secret", "internal_key", "orders", "period"]), min_size=1, unique=True),
    st.integers(0, 4),
)  # fmt: skip
def test_property_22_only_the_columns_asked_for_remain_under_their_labels(
    names: list[str], count: int
) -> None:
    retrieved = Retrieved(
        columns=tuple(names),
        rows=tuple(tuple(f"{n}{i}" for n in names) for i in range(count)),
        query="",
        rows_used=count,
    )
    task = DataTask("retrieve", "…", metrics=("revenue",), dimensions=("region",))
    kept = relevant(retrieved, task)
    assert kept.columns == tuple(n for n in names if n in {"region", "revenue", "period"})
    assert kept.rows == tuple(tuple(f"{n}{i}" for n in kept.columns) for i in range(count))
    asked = request(K.BREAKDOWN, "revenue", dimensions=("region",), grain=TimeGranularity.MONTH)
    plan = PartPlan(asked, grain=TimeGranularity.MONTH)
    labels, units = labels_and_units(plan, shop().model)
    table = table_of(PartResult(plan, labels=labels, units=units), "revenue", kept.columns, kept.rows)
    renamed = {"region": "region", "revenue": "revenue (USD)", "period": "month"}
    assert table.columns == tuple(renamed[c] for c in kept.columns)


errors = st.sampled_from(
    [
        lambda text: ApiFailure(text),
        lambda text: DataUnavailable(text),
        lambda text: InvalidInput(text),
        lambda text: TimedOut(text),
        lambda text: ValueError(text),
        lambda text: ZeroDivisionError(text),
        lambda text: RuntimeError(text),
    ]
)
words = st.text("abcdefghij ", min_size=3, max_size=30).map(lambda t: f"it broke {t}".strip())


def failing(error: Exception, *, only: TimeRange | None = None) -> DataPresenter:
    """A presenter whose retrieval fails, always or for one period."""
    s = shop()

    def run(given: RetrievalQuery, context: ToolContext) -> RetrievalOutput:
        if only is None or given.time_range == only:
            raise error
        output = s.tools.get("retrieve_orders")(dict(given), context)
        return RetrievalOutput.model_validate(output)

    tool = FunctionTool(
        "retrieve_orders", run, RetrievalQuery, RetrievalOutput, description="Fails.", produces_rows="rows"
    )
    TOOLS.register(tool, replace=True)
    return DataPresenter(s.model, s.registry, LAYER)


# Feature: insight-agents-system, Property 23: API Error Handling
@given(errors, words)
def test_property_23_a_failing_api_gives_a_reason_and_never_an_exception(make: Any, text: str) -> None:
    error = make(text)
    answer = failing(error).present(read(request(K.VALUE, "revenue")))
    assert answer.status is AnswerStatus.ERROR
    assert answer.facts == () and answer.tables == ()
    assert len(answer.prose) > len("The data could not be retrieved: ")
    assert "Traceback" not in answer.prose
    if isinstance(error, GnomonError):
        assert text in answer.prose


def test_property_23_what_did_not_fail_is_still_answered() -> None:
    february = month(2024, 2)
    asked = request(
        K.COMPARISON, "revenue", time_range=month(2024, 3), comparison=Comparison(kind="period", period=february)
    )  # fmt: skip
    answer = failing(DataUnavailable("February is locked."), only=february).present(read(asked))
    assert answer.status is AnswerStatus.PARTIAL
    assert answer.facts[0].value == pytest.approx(shop().month(2024, 3)["revenue"].sum())
    assert "February is locked." in answer.prose


# Feature: insight-agents-system, Property 24: Data Presenter ICL Generation
@given(st.dictionaries(st.sampled_from(REGIONS), amounts, min_size=2))
def test_property_24_prose_tells_the_result_and_nothing_else(by_region: dict[str, float]) -> None:
    rows = sorted(by_region.items(), key=lambda r: -r[1])
    assume(rows[0][1] != rows[1][1])
    asked = request(K.RANKING, "revenue", dimensions=("region",), limit=1)
    told = tell(result_of(asked, main=(("region", "revenue"), rows)), shop().model, TODAY)
    assert told.lead.startswith(f"{rows[0][0]} had the highest revenue: {figure(rows[0][1], 'USD')}")
    said = {fact_figure(f) for f in told.facts}
    for number in re.findall(r"\$[\d.,]+(?: [MB])?", told.lead):
        assert number.rstrip(".,") in said


@given(
    st.sampled_from(["{{fact.revenue}}", "{{revenue}}", "{{ fact.revenue }}"]),
    st.sampled_from(["", " 7 %", " {{fact.profit}}", " twice as much as 2"]),
)
def test_property_24_a_writer_fills_slots_and_invents_no_number(slot: str, extra: str) -> None:
    facts = [Fact(name="revenue", value=15420.5, unit="USD", about=About(metric="revenue"), step="retrieve")]

    class Writing:
        def write(self, request: Parts, slots: Any) -> str:
            assert slots == (Slot("revenue", "USD"),), "a writer knows names and units, never values"
            return f"You earned {slot}{extra}."

    prose = written(Writing(), request(K.VALUE, "revenue"), facts)
    assert prose == ("You earned $15,420.50." if not extra else None)


# Feature: insight-agents-system, Property 43: LLM-Based Tool Selection
@given(requests())
def test_property_43_every_step_is_served_by_a_described_tool_that_takes_its_parameters(
    asked: Parts,
) -> None:
    tools = shop().tools
    for step in planned(asked).plan.steps:
        spec = tools.usable(step.tool).spec
        given_ = {*step.params, *step.inputs}
        assert set(spec.required_parameters) <= given_ <= set(spec.parameters)
        assert len(spec.description) > 10


def test_property_43_a_tool_is_chosen_by_what_it_can_do() -> None:
    s = shop()
    orders = s.registry.get("retrieve_orders")
    blind = replace(
        orders, name="retrieve_blind", table="blind", columns=(ColumnSchema("x", "x", "metric", "number"),)
    )
    planner = DataWorkflowPlanner(APIRegistry((blind, orders), {}), s.model)
    plan = planner.plan("revenue", read(request(K.VALUE, "revenue")))
    assert [c.api.name for c in plan.api_calls] == ["retrieve_orders"]


# Feature: insight-agents-system, Property 44: Dual Tool Support
@given(requests())
def test_property_44_plans_join_retrieval_apis_and_calculation_functions(asked: Parts) -> None:
    plan = planned(asked)
    retrieving = {s.id for s in plan.plan.steps if s.tool.startswith("retrieve_")}
    computing = [s for s in plan.plan.steps if s.tool in CALCULATIONS]
    assert len(retrieving) + len(computing) == len(plan.plan.steps) and retrieving
    if asked.kind in (K.RANKING, K.SHARE, K.TREND, K.COMPARISON):
        assert computing
    for step in computing:
        assert {ref.step for ref in step.inputs.values()} <= retrieving and step.inputs
        assert step.order > 1
