"""How many source rows stand behind each figure and each row of an answer: what policies are judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gnomon.agents.persons_behind import COUNT_SECONDS, persons_by_group, tables_counted, tables_met
from gnomon.answering.plan import PERIOD, PartResult
from gnomon.answering.run import heading
from gnomon.answering.telling import Told
from gnomon.core.answer import About, Answer, Fact, ResultTable
from gnomon.core.errors import GnomonError
from gnomon.core.figures import group_name
from gnomon.core.parts import Filter, FilterOperator, Parts
from gnomon.core.query import TimeRange
from gnomon.guardrails.release.days import bounds_month
from gnomon.planning.reading import Reading
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.retrieve import Retriever

MOST_COUNTS = 60


def with_support(told: Told, result: PartResult) -> Told:
    """What was told, with the number of source rows behind each fact and each row of a table."""
    return replace(
        told,
        facts=[_fact(f, result) for f in told.facts],
        tables=[_table(t, result) for t in told.tables],
    )


def _fact(fact: Fact, result: PartResult) -> Fact:
    own = [r for step, r in _by_step(result).items() if step == fact.step] or list(result.retrieved.values())
    counts = [c for r in own if (c := _behind(fact.about, r, result)) is not None]
    return fact.model_copy(update={"rows": min(counts)}) if counts else fact


def _by_step(result: PartResult) -> dict[str, Retrieved]:
    steps = result.plan.retrievals
    return {steps[role]: r for role, r in result.retrieved.items() if role in steps}


def _behind(about: About, retrieved: Retrieved, result: PartResult) -> int | None:
    """The rows behind one group in one period; all of them where neither is told apart."""
    names = {n: i for i, c in enumerate(retrieved.columns) for n in (c, result.labels.get(c, c))}
    places = {names[k]: v for k, v in about.group.items() if k in names}
    if len(places) < len(about.group):
        return None
    rows = [
        (row, n)
        for row, n in zip(retrieved.rows, retrieved.behind, strict=False)
        if all(_same(row[i], v) for i, v in places.items())
    ]
    if about.period is not None and PERIOD in retrieved.columns:
        at, start = retrieved.columns.index(PERIOD), str(about.period.start)
        within = [(row, n) for row, n in rows if str(row[at])[:10] == start]
        rows = within or rows
        places |= {at: start} if within else {}
    if not places:
        return retrieved.rows_used
    return min((n for _, n in rows), default=None)


def _table(table: ResultTable, result: PartResult) -> ResultTable:
    """A table whose rows are groups of a retrieval, with the rows behind each."""
    for retrieved in result.retrieved.values():
        keys = [c for c in retrieved.columns if c not in result.plan.request.metrics]
        headings = [heading(c, result) for c in keys]
        if not keys or not retrieved.behind or not set(headings) <= set(table.columns):
            continue
        at = [retrieved.columns.index(c) for c in keys]
        counts = {
            tuple(str(row[i]) for i in at): n
            for row, n in zip(retrieved.rows, retrieved.behind, strict=False)
        }
        places = [table.columns.index(h) for h in headings]
        found = [counts.get(tuple(str(row[i]) for i in places)) for row in table.rows]
        if all(n is not None for n in found):
            return table.model_copy(update={"behind": tuple(found)})
    return table


def _same(value: Any, told: str) -> bool:
    return str(value) == told or group_name(value) == told


def with_counts(answer: Answer, retriever: Retriever, reading: Reading | None) -> Answer:
    """An explanation whose facts know how many source rows stand behind them.

    Counted are the figures of both periods, the change between them, and what segments add to it: a fact about a
    segment rests on its rows in both. What candidates and seasons are told by is not counted, and stays unknown.
    """
    periods = list(dict.fromkeys(f.about.period for f in answer.facts if f.about.period is not None))
    asked = tuple(f for request in reading.parts for f in request.filters) if reading is not None else ()
    counts: dict[tuple[Any, ...], int | None] = {}

    def counted(fact: Fact) -> Fact:
        metric, group = fact.about.metric, fact.about.group
        if fact.rows is not None or metric is None or not periods or not _is_counted(fact):
            return fact
        within = [fact.about.period] if fact.about.period is not None else periods
        found: list[int | None] = []
        for period in within:
            key = (metric, tuple(group.items()), period)
            if key not in counts:
                counts[key] = (
                    _rows(retriever, metric, group, period, asked) if len(counts) < MOST_COUNTS else None
                )
            found.append(counts[key])
        known = [n for n in found if n is not None]
        return fact.model_copy(update={"rows": min(known)}) if len(known) == len(found) else fact

    return answer.model_copy(update={"facts": tuple(counted(f) for f in answer.facts)})


def rests_on_few(retriever: Retriever, reading: Reading, least: int) -> bool:
    """Whether fewer than ``least`` source rows meet the conditions and the time of a request, or one of them leaves so few out.

    The whole less the others is what is left out. That nothing is left out is told where a condition cannot be moved from
    row to row: a value, whole months.
    """
    for request in filter(is_bounded, reading.parts):
        if min((met := _meeting(retriever, request)).values()) < least:
            return True
        for wider, alone, moves in _loosened(request):
            # Persons of whom other rows are left are not left out, but where the condition is on persons.
            tables = tables_met(retriever.model, _of_rows(retriever.model, alone))
            everywhere = _meeting(retriever, wider, tables)
            left = {t: n - met[t] for t, n in everywhere.items()}
            # That nobody is left out who has other rows tells nothing, but that a few are does.
            if any(n < least and (n or (moves and t in ("", *tables))) for t, n in left.items()):
                return True
    return False


_MOVED = (
    FilterOperator.LESS, FilterOperator.AT_MOST, FilterOperator.GREATER, FilterOperator.AT_LEAST, FilterOperator.BETWEEN,
    FilterOperator.OUTSIDE,
)  # fmt: skip


def _loosened(request: Parts) -> Iterator[tuple[Parts, Parts, bool]]:
    """A request without each of its conditions, with that one alone, and whether it can be moved from row to row."""
    bare = request.model_copy(update={"filters": (), "part": (), "time_range": None, "recurring": None})
    for name in ("filters", "part"):
        given: tuple[Filter, ...] = getattr(request, name)
        for i, each in enumerate(given):
            if not each.having:
                without = request.model_copy(update={name: given[:i] + given[i + 1 :]})
                yield without, bare.model_copy(update={name: (each,)}), each.operator in _MOVED
    for name in ("time_range", "recurring"):
        if (when := getattr(request, name)) is None:
            continue
        days = request.time_range if name == "time_range" else None
        whole = days is None or (bounds_month(days.start) and bounds_month(days.end))
        yield request.model_copy(update={name: None}), bare.model_copy(update={name: when}), not whole


def is_moved(request: Parts) -> bool:
    """Whether a condition or a time of a request can be moved from row to row."""
    return any(moves for *_, moves in _loosened(request))


def is_bounded(request: Parts) -> bool:
    """Whether a request is about some rows only."""
    return bool(request.filters or request.part or request.time_range or request.recurring)


def _meeting(retriever: Retriever, request: Parts, tables: Sequence[str] = ()) -> dict[str, int]:
    """How many rows meet the conditions of a request on rows, and how many of each table of persons that they lie in.

    None where that cannot be told. The rows stand under no name, and ``tables`` are counted too.
    """
    try:
        query = _of_rows(retriever.model, request)
        met = {"": retriever.run(query, timeout_seconds=COUNT_SECONDS).rows_used}
        for table in dict.fromkeys((*tables_counted(retriever.model, query), *tables)):
            met[table] = sum(persons_by_group(retriever, query, table).values())
    except GnomonError:
        return dict.fromkeys(("", *tables), 0)
    return met


def _of_rows(model: SemanticModel, request: Parts) -> RetrievalQuery:
    """The rows that a request is about."""
    homes = [model.dimension(d).home.table for d in request.dimensions if not d.startswith("@")]
    metrics = request.metrics or tuple(
        m.name for m in model.metrics if m.table in homes[:1] and m.aggregation is Aggregation.COUNT
    )
    given = tuple(f for f in (*request.filters, *request.part) if not f.having)
    return RetrievalQuery(
        metrics=metrics[:1], filters=given, time_range=request.time_range,
        time_dimension=request.time_dimension, recurring=request.recurring,
    )  # fmt: skip


def _is_counted(fact: Fact) -> bool:
    head, _, rest = fact.name.partition(".")
    return head.startswith("driver") or rest.partition(".")[0] in {"current", "previous", "change", "change_pct", "range"}  # fmt: skip


def _rows(
    retriever: Retriever, metric: str, group: Mapping[str, str], period: TimeRange, asked: tuple[Filter, ...]
) -> int | None:
    where = tuple(Filter(field=d, operator=FilterOperator.EQUALS, values=(v,)) for d, v in group.items())
    try:
        query = RetrievalQuery(metrics=(metric,), filters=(*asked, *where), time_range=period)
        counts = [retriever.run(query, timeout_seconds=COUNT_SECONDS).rows_used]
        for table in tables_counted(retriever.model, query):
            counts += [sum(persons_by_group(retriever, query, table).values())]
    except GnomonError:  # a group that is no value of a dimension: its rows are not known
        return None
    return min(counts)
