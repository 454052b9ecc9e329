"""Properties of retrieval that hold for any words, values and payloads."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import expressions as exp
from tests.semantic import shop

from gnomon.core.errors import GnomonError
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import open_sources
from gnomon.semantic import APIRegistry, RetrievalQuery, Retriever
from gnomon.tools.contract import ToolContext
from gnomon.tools.retrieval_tools import retrieval_tools

FRAMES = shop.frames()
MODEL = shop.model()
DATASET = open_sources(FRAMES)
RETRIEVER = Retriever.over(DATASET, MODEL)
REGISTRY = APIRegistry.of(MODEL)
TOOLS = {t.spec.name: t for t in retrieval_tools(MODEL, RETRIEVER)}

ATTACKS = st.sampled_from(
    [
        "web' OR '1'='1", "x'; DROP TABLE orders; --", 'web" UNION SELECT 1 --', "\\'; DELETE FROM orders; --", "%", "_",
        "$$; SELECT 1; $$", "web\x00", "/* */", "'||(SELECT 1)||'", "{revenue}", "${jndi}", "0; --", "é' or true --",
    ]
)  # fmt: skip
TEXTS = ATTACKS | st.text(max_size=30)
KNOWN = {c for frame in FRAMES.values() for c in frame.columns} | set(FRAMES)


def _literals(sql: str) -> tuple[set[str], set[str]]:
    """The names and the string literals of a query."""
    (tree,) = sqlglot.parse(sql, dialect="duckdb")
    assert isinstance(tree, exp.Select)
    names = {i.name for i in tree.find_all(exp.Identifier)}
    return names, {str(x.this) for x in tree.find_all(exp.Literal) if x.is_string}


# Feature: insight-agents-system, Property 39: API-Based Retrieval Over Text-to-SQL
@pytest.mark.long
@given(
    text=TEXTS,
    operator=st.sampled_from(["=", "!=", "in", "not in", "contains"]),
    field=st.sampled_from(["channel", "category", "country"]),
)
def test_words_reach_a_query_only_as_literals(text: str, operator: str, field: str) -> None:
    query = RetrievalQuery(
        metrics=("orders",),
        filters=(Filter(field=field, operator=FilterOperator(operator), values=(text,)),),
    )
    if operator == "contains" and not text:
        with pytest.raises(GnomonError):
            RETRIEVER.compile(query)
        return
    names, strings = _literals(RETRIEVER.compile(query))
    made = {n for n in names if n.startswith(("t", "_", "v", "k"))}
    assert names - made <= KNOWN, "identifiers come from the model alone"
    spoken = text.lower() if operator == "contains" else text
    assert {s for s in strings if s != spoken} <= {""}
    if "\x00" in text:
        return  # no database holds such text, so there is nothing to compare with
    known = {"channel": FRAMES["orders"].channel}.get(field)
    if known is not None:
        tests: dict[str, Any] = {
            "=": known == text, "in": known == text, "!=": known != text, "not in": known != text,
            "contains": known.str.lower().str.contains(text.lower(), regex=False),
        }  # fmt: skip
        assert RETRIEVER.run(query).rows == ((int(tests[operator].sum()),),)


# Feature: insight-agents-system, Property 39: API-Based Retrieval Over Text-to-SQL
@given(
    text=TEXTS,
    place=st.sampled_from(["metrics", "dimensions", "order_by", "limit_per", "time_dimension", "having"]),
)
def test_words_in_the_place_of_names_are_refused(text: str, place: str) -> None:
    fields: dict[str, Any] = {"metrics": ("orders",), "dimensions": ("channel",), "limit": 3}
    if place in ("metrics", "dimensions"):
        fields[place] = (text,)
    elif place == "having":
        fields["filters"] = (Filter(field=text, operator=FilterOperator.GREATER, values=(1,), having=True),)
    else:
        fields[place] = text or "?"
    if place in ("order_by", "limit_per") and text in ("channel", "orders"):
        return
    with pytest.raises(GnomonError):
        RETRIEVER.compile(RetrievalQuery(**fields))
    assert DATASET.cursor().execute("SELECT count(*) FROM orders").fetchone() == (len(FRAMES["orders"]),)


@st.composite
def payloads(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An API and a payload made of names and values that its schema allows."""
    api = draw(st.sampled_from(REGISTRY.get_all()))
    groups = [
        c.name for c in api.columns if c.kind == "dimension" and c.type in ("category", "boolean", "id")
    ]
    metrics = draw(st.lists(st.sampled_from(api.metrics), min_size=1, max_size=3, unique=True))
    shared = [g for g in groups if all(MODEL.reaches(MODEL.metric(m), MODEL.dimension(g)) for m in metrics)]
    payload: dict[str, Any] = {"metrics": metrics}
    if shared:
        payload["dimensions"] = draw(st.lists(st.sampled_from(shared), max_size=2, unique=True))
        if draw(st.booleans()):
            field = draw(st.sampled_from(shared))
            payload["filters"] = [{"field": field, "operator": "is not null"}]
    if draw(st.booleans()):
        payload["grain"] = draw(st.sampled_from(["day", "week", "month", "quarter", "year"]))
    if draw(st.booleans()):
        payload["time_range"] = {
            "start": "2023-12-01",
            "end": draw(st.sampled_from(["2023-12-31", "2024-02-29"])),
        }
    if draw(st.booleans()):
        payload |= {"limit": draw(st.integers(1, 20)), "descending": draw(st.booleans())}
    return api.name, payload


# Feature: insight-agents-system, Property 20: API Execution with Correct Payloads
@pytest.mark.long
@given(call=payloads())
def test_a_payload_that_fits_the_schema_is_executed_as_given(call: tuple[str, dict[str, Any]]) -> None:
    name, payload = call
    found = TOOLS[name](payload, ToolContext())
    periods = ["period"] if "grain" in payload else []
    assert found["columns"] == [*periods, *payload.get("dimensions", []), *payload["metrics"]]
    rows = found["rows"].to_rows()
    assert len(rows) <= payload.get("limit", len(rows))
    direct = RETRIEVER.run(RetrievalQuery(**payload))
    assert [tuple(r[c] for c in found["columns"]) for r in rows] == [tuple(r) for r in direct.rows]
    if "limit" in payload and len(rows) > 1:
        first = [r[payload["metrics"][0]] for r in rows]
        known = [v for v in first if v is not None]
        assert known == sorted(known, reverse=payload["descending"])
    if "time_range" in payload and periods and payload["grain"] == "day":
        days = [r["period"].isoformat() for r in rows]
        assert all(payload["time_range"]["start"] <= d <= payload["time_range"]["end"] for d in days)


# Feature: insight-agents-system, Property 20: API Execution with Correct Payloads
@given(call=payloads(), extra=st.sampled_from(["sql", "query", "table", "where", "question"]), text=TEXTS)
def test_a_payload_with_anything_else_is_refused(
    call: tuple[str, dict[str, Any]], extra: str, text: str
) -> None:
    name, payload = call
    with pytest.raises(GnomonError, match=extra):
        TOOLS[name]({**payload, extra: text}, ToolContext())
