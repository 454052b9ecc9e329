"""The rows of the data behind a number: what the query of a fact reads before it sums anything up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.patterns import regex
from gnomon.execution.plain import plain
from gnomon.guardrails.guard import MASK
from gnomon.store import Run

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp
    from sqlglot.expressions.core import Expr

    from gnomon.agents.analyst import Analyst

MAX_ROWS = 50
_PARTS = 3
_OVER = regex(r"^[\w .\-]+ over: ")
_PERIODS = ("k_period", "d")
"""What a query calls the day or the first day of the period that its rows are grouped by."""
_KINDS = frozenset({"ask", "why", "insights", "analysis"})


def fact_of(run: Run, name: str) -> dict[str, Any]:
    """A fact that a run told, with its query.

    Raises:
        NotFound: The run told no such fact.
        InvalidInput: The run is of a kind whose queries are not known to be the service's own.
    """
    told = run.answer or {}
    if run.kind not in _KINDS or told.get("model"):
        raise InvalidInput("The rows behind a number are listed for answers that were computed by a plan.")
    facts = [f for part in (told, *told.get("sections", ())) for f in part.get("facts", ())]
    for fact in facts:
        if fact["name"] == name:
            return fact
    raise NotFound.among("fact", name[:80], list(dict.fromkeys(f["name"] for f in facts)))


def rows_behind(fact: Mapping[str, Any], analyst: Analyst, profile: Mapping[str, Any]) -> dict[str, Any]:
    """The first rows that went into a fact, a part for each table that is summed up; none of personal columns."""
    personal = {c["name"] for t in profile["tables"] for c in t["columns"] if c["personal"]}
    about: Mapping[str, Any] = fact.get("about") or {}
    if any(MASK in str(value) for value in (about.get("group") or {}).values()):
        return {"fact": fact["name"], "parts": []}  # whose rows they are is not told
    sources = _sources(str(fact.get("query") or ""), set(analyst.dataset.tables))
    cursor = analyst.dataset.cursor()
    try:
        parts = [_part(s, fact, cursor, personal) for s in sources if about.get("period") or not _by_day(s)]
    finally:
        cursor.close()
    return {"fact": fact["name"], "parts": parts}


def _sources(query: str, known: set[str]) -> list[exp.Select]:
    """The innermost parts of a query that aggregate; none where it reads anything but tables of the data set."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(_OVER.sub("", query), dialect="duckdb")
    except SqlglotError:
        return []
    if not isinstance(tree, exp.Query):
        return []
    named = {cte.alias for cte in tree.find_all(exp.CTE)}
    if named or any(
        t.db or not isinstance(t.this, exp.Identifier) or t.name not in known
        for t in tree.find_all(exp.Table)
    ):
        return []
    summed = [s for s in tree.find_all(exp.Select) if _sums(s)]
    inner = [s for s in summed if not any(o is not s and _within(o, s) for o in summed)] or [tree]
    return [s for s in inner if isinstance(s, exp.Select) and s.args.get("from_") is not None][:_PARTS]


def _by_day(select: exp.Select) -> bool:
    """Whether a query gives every day of a series, of which a figure without a period of its own takes some."""
    return any(e.alias == "d" for e in select.expressions)


def _sums(select: exp.Select) -> bool:
    from sqlglot import exp

    own = [e for e in select.expressions if e.find(exp.AggFunc) and not e.find(exp.Window, exp.Subquery)]
    return bool(own) or select.args.get("group") is not None


def _within(node: Expr, around: Expr) -> bool:
    parent = node.parent
    while parent is not None and parent is not around:
        parent = parent.parent
    return parent is around


def _part(
    source: exp.Select, fact: Mapping[str, Any], cursor: duckdb.DuckDBPyConnection, personal: set[str]
) -> dict[str, Any]:
    from sqlglot import exp

    rows = exp.select("*").from_(source.args["from_"].this.copy())
    rows.set("joins", [j.copy() for j in source.args.get("joins") or []])
    if (where := source.args.get("where")) is not None:
        rows = rows.where(where.this.copy())
    for condition in _meant(source, fact):
        rows = rows.where(condition)
    total = cursor.execute(f"SELECT count(*) FROM ({rows.sql(dialect='duckdb')})").fetchall()[0][0]
    found = cursor.execute(rows.limit(MAX_ROWS).sql(dialect="duckdb"))
    names = [str(d[0]) for d in found.description or ()]
    called = {a.alias: a.this.name for a in source.find_all(exp.Alias) if isinstance(a.this, exp.Column)}
    shown: dict[str, int] = {}
    hidden: list[str] = []
    for place, name in enumerate(names):
        told = called.get(name, name) if name.startswith("_") else name
        if told in personal:
            hidden.append(told)
        elif not told.startswith("_"):
            shown.setdefault(told, place)
    tables = list(dict.fromkeys(t.name for t in source.find_all(exp.Table)))
    return {
        "name": " with ".join(tables),
        "columns": list(shown),
        "rows": [[plain(row[i]) for i in shown.values()] for row in found.fetchall()],
        "rates": [],
        "total_rows": total,
        "hidden": list(dict.fromkeys(hidden)),
    }


def _meant(source: exp.Select, fact: Mapping[str, Any]) -> list[Expr]:
    """What narrows the rows to those of the fact's group and period, by the keys that the query groups by."""
    from sqlglot import exp

    about: Mapping[str, Any] = fact.get("about") or {}
    keys = {
        e.alias: e.this for e in source.expressions if isinstance(e, exp.Alias) and not e.find(exp.AggFunc)
    }
    narrowed: list[Expr] = []
    value = next((e.this for e in source.expressions if e.alias == "v0"), None)
    if isinstance(value, exp.Filter):  # such as a count of the returned ones among all
        narrowed.append(value.expression.this.copy())
    for value in (about.get("group") or {}).values():
        same = [
            exp.EQ(this=exp.cast(key.copy(), "varchar"), expression=exp.Literal.string(str(value)))
            for name, key in keys.items()
            if name not in _PERIODS
        ]
        if same:
            narrowed.append(exp.or_(*same))
    period = about.get("period")
    if period and (dated := next((keys[n] for n in _PERIODS if n in keys), None)) is not None:
        day = exp.cast(dated.copy(), "date")
        low, high = (exp.cast(exp.Literal.string(str(period[end])), "date") for end in ("start", "end"))
        narrowed.append(exp.Between(this=day, low=low, high=high))
    return narrowed
