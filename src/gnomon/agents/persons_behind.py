"""How many persons stand behind figures, where one of them may have many rows: a patient many visits, a customer many orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import GnomonError
from gnomon.core.parts import Parts
from gnomon.guardrails.policy_checks import names_persons
from gnomon.guardrails.trees import shows_a_row, tables_of_persons
from gnomon.planning.reading import Reading
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.provenance import queries_of
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever
from gnomon.semantic.rows_behind import counting, tables_used

COUNT_SECONDS = 10.0
_ROWS_OF_ONE = 20
"""More rows than these for each are not what somebody comes by, but what somebody is in charge of."""

_NAMING = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)

Key = tuple[Any, ...]


def base_tables(model: SemanticModel, query: RetrievalQuery) -> tuple[str, ...]:
    """The tables whose rows a query adds up, or lists."""
    found = tuple(dict.fromkeys(t for m in query.metrics for t in model.base_tables(model.metric(m))))
    homes = (model.dimension(d).home.table for d in query.dimensions if not d.startswith("@"))
    return found or tuple(homes)[:1]


def tables_met(model: SemanticModel, query: RetrievalQuery) -> tuple[str, ...]:
    """The tables of persons that conditions, groups or times of a query lie in, beside those whose rows it adds up."""
    named = [*query.dimensions, *(f.field for f in query.filters if not f.having)]
    named += [f.by for f in query.filters if f.by]
    named += [query.time_dimension] if query.time_dimension else []
    base, persons = base_tables(model, query), tables_of_persons(model)
    found = [model.dimension(n) for n in named if not n.startswith("@")]
    homes = [d.home.table for d in found if any(d.at(t) is None for t in base)]
    return tuple(t for t in dict.fromkeys(homes) if t in persons and t not in base)


def tables_counted(model: SemanticModel, query: RetrievalQuery) -> tuple[str, ...]:
    """The same, with those whose rows a query adds up where the same person has several of them."""
    own = (t for t in base_tables(model, query) if _who(model, t))
    return tuple(dict.fromkeys((*tables_met(model, query), *own)))


def whose_rows(model: SemanticModel) -> dict[str, str]:
    """The column of each table that says whose a row is, where the same person has several rows."""
    found = {t.name: _who(model, t.name) for t in model.tables}
    return {t: column for t, who in found.items() if who and (column := who[0].at(t)) is not None}


def persons_by_group(retriever: Retriever, query: RetrievalQuery, table: str) -> dict[Key, int]:
    """How many different persons of a table stand behind each group of a query; none where that cannot be told."""
    model = retriever.model
    held = _who(model, table) if table in base_tables(model, query) else _keys(model, table)
    return _different(retriever, query, [d for d in held if d.name not in query.dimensions][:1])


def fewest_persons(retriever: Retriever, reading: Reading) -> int | None:
    """How many persons stand behind the smallest group of an answer; None where its rows are not those of persons."""
    counts = [n for r in reading.parts for q in _queries(r) for n in _persons(retriever, q)]
    return min((n for n in counts if n), default=None)


def _persons(retriever: Retriever, query: RetrievalQuery) -> Iterator[int]:
    model = retriever.model
    try:
        for table in tables_met(model, query):
            yield from persons_by_group(retriever, query, table).values()
        for table in base_tables(model, query):
            yield from _different(retriever, query, _who(model, table)).values()
    except GnomonError:  # what the model does not know has no persons behind it
        return


def _queries(request: Parts) -> Iterator[RetrievalQuery]:
    """What a request asks for, in each of its periods."""
    compared = request.comparison.period if request.comparison is not None else None
    for days in dict.fromkeys((request.time_range, compared or request.time_range)):
        yield RetrievalQuery(
            metrics=request.metrics, dimensions=request.dimensions, grain=request.grain,
            filters=(*request.filters, *request.part), time_range=days,
            time_dimension=request.time_dimension, recurring=request.recurring,
        )  # fmt: skip


def _different(retriever: Retriever, query: RetrievalQuery, keys: Sequence[Dimension]) -> dict[Key, int]:
    """How many different values a key has in each group; of several tables that are added up, the fewest."""
    found: dict[Key, int] = {}
    for key in keys:
        for base in base_tables(retriever.model, query):
            counting = query.model_copy(
                update={
                    "metrics": (f"count(count({base}) per {key.name})",),
                    "filters": tuple(f for f in query.filters if not f.having or f.by is not None),
                    "order_by": None,
                    "limit": None,
                    "limit_per": None,
                }
            )
            try:
                counted = retriever.run(counting, timeout_seconds=COUNT_SECONDS)
            except GnomonError:
                continue
            for row in counted.rows:
                found[row[:-1]] = min(int(row[-1] or 0), found.get(row[:-1], int(row[-1] or 0)))
    return found


def _keys(model: SemanticModel, table: str) -> list[Dimension]:
    """The dimensions by whose values one row of a table is told from the others, those that joins lead to first."""
    joined = [j.to_column for j in model.joins if j.to_table == table]
    named = dict.fromkeys((*joined, *(model.table(table).key[:1])))
    held = [(d, d.at(table)) for d in model.dimensions]
    return [d for column in named for d, at in held if at == column]


def _who(model: SemanticModel, table: str) -> list[Dimension]:
    """The column that says whose a row is, where the same person has several rows."""
    rows = model.table(table).rows or 0
    held = [
        d
        for d in model.dimensions
        if (column := d.at(table)) is not None
        and (d.personal or (d.type in _NAMING and names_persons(column)))
        and (d.distinct or 0) < rows <= _ROWS_OF_ONE * (d.distinct or 0)
    ]
    return sorted(held, key=lambda d: -(d.distinct or 0))[:1]


def fewest_of_tree(retriever: Retriever, ask: al.Ask) -> tuple[int | None, int | None, int]:
    """How many rows or persons stand behind the smallest figure of a tree and behind the rows that it lists, and how many
    rows its result has.

    One where that cannot be told; None where there is nothing of the kind.
    """
    model, persons = retriever.model, tables_of_persons(retriever.model)

    def whose(query: al.Query) -> list[al.Column]:
        table = query.rows.table
        found = [
            al.Column(table=table, column=c) for d in _who(model, table) if (c := d.at(table)) is not None
        ]
        for other, via in tables_used(query):
            key = next((c for d in _keys(model, other) if (c := d.at(other)) is not None), None)
            if other in persons and key is not None:
                found.append(al.Column(table=other, column=key, via=via))
        return found

    least: dict[bool, int] = {True: 1} if any(map(shows_a_row, queries_of(ask))) else {}
    shown: int | None = None
    try:
        for one in counting(ask, whose):
            fewest = 1 if not one.counts else None
            if one.counts:
                lowered, rows, _ = retriever.ask(one.query, timeout_seconds=COUNT_SECONDS)
                at = [i for i, p in enumerate(lowered.parts) if p.name in one.counts]
                fewest = min((int(r[i]) for r in rows for i in at if r[i]), default=None)
                shown = len(rows) if shown is None else shown
            if fewest is not None:
                least[one.listed] = min(fewest, least.get(one.listed, fewest))
    except GnomonError:  # nothing is told of persons whose number is not known
        return 1, 1, 1
    return least.get(False), least.get(True), 1 if shown is None else shown
