"""Retrieval: a typed query over the names of a model, compiled to one relational expression and run."""

from __future__ import annotations

import calendar
import datetime as dt
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core import algebra as al
from gnomon.semantic.additivity import checked
from gnomon.semantic.asks import Asks, names_of
from gnomon.semantic.backends import Backend, DuckDBBackend, Stoppable, UrlBackend
from gnomon.semantic.compiled import Compiled, CompiledQueries
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.lower import Lowered, Lowering
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import MAX_ROWS, RetrievalQuery, Retrieved
from gnomon.semantic.relations import Tables
from gnomon.semantic.row_values import row_relation

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.panel import Panel, PanelQuery

_SPREAD = 2_654_435_761
_PLAIN = {int, float, str, bool, dt.date, dt.datetime, dt.time, type(None)}


class Retriever:
    """Answers queries over a model.

    Safe to use from several threads; each call runs on a connection of its own and can be interrupted.

    Args:
        model: The names and what they mean.
        backend: Where the tables are.
        kept: Where the queries of this model over these very rows, compiled by another process, are kept.
    """

    def __init__(self, model: SemanticModel, backend: Backend, kept: Path | None = None) -> None:
        self.model = model
        self._backend = backend
        self._tables = Tables(backend.table, self._ask)
        self._compiled = CompiledQueries(kept)

    @classmethod
    def over(cls, dataset: Dataset, model: SemanticModel, kept: Path | None = None) -> Retriever:
        """A retriever over open tables."""
        return cls(model, DuckDBBackend(dataset), kept)

    def over_model(self, model: SemanticModel) -> Retriever:
        """A retriever over the same tables that mean something else."""
        return Retriever(model, self._backend)

    @classmethod
    def at(cls, url: str, model: SemanticModel) -> Retriever:
        """A retriever over the tables of a database."""
        return cls(model, UrlBackend(url))

    def run(
        self,
        query: RetrievalQuery,
        *,
        cancel: Stoppable | None = None,
        timeout_seconds: float | None = None,
    ) -> Retrieved:
        """What the query asks for.

        Args:
            query: Metrics by dimensions under conditions.
            cancel: Asks the running query to stop.
            timeout_seconds: Stop after so long.

        Raises:
            NotFound: A name is not in the model.
            InvalidInput: The parts of the query, or its values, do not fit.
            OutOfScope: The data does not connect what is asked for.
            Cancelled: It was asked to stop.
            TimedOut: It took too long.
        """
        plan = self._compile(query)
        rows = self._backend.run(plan.sql, cancel, timeout_seconds)
        if plan.cut and not rows:
            return self._empty(query, plan, cancel, timeout_seconds)
        totals = _totals(rows, plan)
        return Retrieved(
            columns=plan.columns,
            rows=tuple(_shown(r, plan) for r in rows[:MAX_ROWS]),
            query=plan.sql,
            rows_used=totals[plan.rows],
            nulls={m: totals[every] - totals[present] for m, (every, present) in plan.counted.items()},
            truncated=len(rows) > MAX_ROWS,
            notes=plan.notes,
            behind=tuple(_behind(r, plan) for r in rows[:MAX_ROWS]),
        )

    def panel(
        self,
        query: PanelQuery,
        *,
        most: int | None = None,
        cancel: Stoppable | None = None,
        timeout_seconds: float | None = None,
    ) -> Panel:
        """Sums of the rows of one table by periods and dimensions, column by column, in one scan.

        Args:
            query: What to add up, and by what.
            most: No more cells than these (:data:`~gnomon.semantic.panel.MOST_CELLS` by default); more are left off and
                the panel says so.
            cancel: Asks the running query to stop.
            timeout_seconds: Stop after so long.
        """
        from gnomon.semantic.panel import MOST_CELLS, panel_relation, read_panel

        most = MOST_CELLS if most is None else most
        relation = panel_relation(query, self.model, self._tables)
        sql = self._backend.compile(relation.limit(most + 1))
        return read_panel(query, self._backend.arrow(sql, cancel, timeout_seconds), sql, most)

    def ask(
        self,
        ask: al.Query | al.Along | al.Against,
        *,
        cancel: Stoppable | None = None,
        timeout_seconds: float | None = None,
    ) -> tuple[Lowered, list[tuple[Any, ...]], str]:
        """What a tree of the algebra asks for: what its columns are, its rows, and the query that gave them.

        Raises:
            InvalidInput: The parts of the tree do not fit.
            OutOfScope: The data does not connect what is asked for, or it adds up what does not add up.
            Cancelled: It was asked to stop.
            TimedOut: It took too long.
        """
        checked(ask, self.model)
        lowered = Lowering(self.model, self._tables).ask(ask)
        sql = self._backend.compile(lowered.expression)
        rows = self._backend.run(sql, cancel, timeout_seconds)
        return lowered, [tuple(plain(v) for v in row) for row in rows], sql

    @property
    def meanings(self) -> Meanings:
        """What the names of the model mean for the rows of a table."""
        return Meanings(self.model, self._tables)

    def columns(self) -> dict[str, dict[str, str]]:
        """The columns of every table with the names of their types."""
        return {
            t.name: {c: str(kind) for c, kind in self._tables.table(t.name).schema().items()}
            for t in self.model.tables
        }

    def compile(self, query: RetrievalQuery) -> str:
        """The query as the backend runs it."""
        return self._compile(query).sql

    def schema(self, table: str) -> dict[str, str]:
        """The columns of a table, in order, each with the kind of what it holds: number, text, date, …"""
        return {name: _kind(held) for name, held in self._tables.table(table).schema().items()}

    def whole(
        self, table: str, make: Callable[[Any], Any], *, cancel: Stoppable | None = None
    ) -> tuple[tuple[Any, ...], str]:
        """The only row of what ``make`` makes of all rows of a table, and the query that gave it."""
        sql = self._backend.compile(make(self._tables.table(table)))
        return self._backend.run(sql, cancel, None)[0], sql

    def notes(self, table: str) -> tuple[str, ...]:
        """What was noted when a table was loaded."""
        return self._backend.notes(table)

    def values(
        self,
        table: str,
        columns: Sequence[str],
        query: RetrievalQuery,
        *,
        most: int,
        cancel: Stoppable | None = None,
    ) -> tuple[list[tuple[Any, ...]], str]:
        """Columns of the rows of a table that meet the conditions of a query, as they are held, and the query.

        Args:
            table: The table whose rows are taken.
            columns: Names of dimensions, or references to metrics over a column.
            query: The conditions.
            most: No more rows than these.
            cancel: Asks the running query to stop.
        """
        relation = row_relation(self.model, self._tables, table, columns, query)
        sql = self._backend.compile(relation.limit(most))
        return [tuple(plain(v) for v in row) for row in self._backend.run(sql, cancel, None)], sql

    def value_columns(
        self,
        table: str,
        columns: Sequence[str],
        query: RetrievalQuery,
        *,
        most: int,
        cancel: Stoppable | None = None,
    ) -> tuple[list[Sequence[Any]], str]:
        """The same column by column, for very many rows; floats are left as they are."""
        relation = row_relation(self.model, self._tables, table, columns, query)
        sql = self._backend.compile(relation.limit(most))
        rows = self._backend.run(sql, cancel, None)
        held = list(zip(*rows, strict=True)) if rows else [() for _ in columns]
        return [c if set(map(type, c)) <= _PLAIN else [plain(v) for v in c] for c in held], sql

    def sampled_columns(
        self,
        table: str,
        columns: Sequence[str],
        query: RetrievalQuery,
        *,
        most: int,
        cancel: Stoppable | None = None,
    ) -> list[list[Any]]:
        """Some of the rows where all of the columns are known, spread over all and the same each time."""
        import ibis

        rows = row_relation(self.model, self._tables, table, columns, query, in_order=False)
        rows = rows.filter([rows[c].notnull() for c in rows.columns])
        place = (ibis.row_number() * _SPREAD) % (1 << 32)  # no step that a season in the rows could have
        rows = rows.mutate(place=place).order_by("place").limit(most)
        found = self._backend.run(self._backend.compile(rows.drop("place")), cancel, None)
        return [[plain(v) for v in column] for column in zip(*found, strict=True)] or [[] for _ in columns]

    def row_query(self, table: str, columns: Sequence[str], *, moments: bool = False) -> str:
        """The query for columns ``c0``, ``c1``, … of all rows of a table, their own or looked up, in any order.

        Args:
            table: The table whose rows are taken.
            columns: Names of dimensions, or references to metrics over a column.
            moments: Whether times are wanted as days whatever they are written as.
        """
        relation = row_relation(
            self.model, self._tables, table, columns, RetrievalQuery(), in_order=False, moments=moments
        )
        return self._backend.compile(relation)

    def keep(self) -> None:
        """Write down what was compiled, where that is kept for other processes."""
        self._compiled.keep()

    def _compile(self, query: RetrievalQuery) -> Compiled:
        return self._compiled.of(repr(query), lambda: self._lowered(query))

    def _lowered(self, query: RetrievalQuery) -> Compiled:
        # Values first: each class that is built before them builds all of them for itself, and again half of the time.
        al.Call.model_rebuild()
        asked = Asks(GroupFigures(Meanings(self.model, self._tables), counting=True)).asked(query)
        lowered = Lowering(self.model, self._tables).ask(asked.query)
        place = {part.name: i for i, part in enumerate(lowered.parts)}
        total = {c: place[asked.totals.get(c, c)] for c in place}
        return Compiled(
            self._backend.compile(lowered.expression),
            names_of(query),
            tuple(place[c] for c in asked.shown),
            total[asked.counts[0]],
            {m: (total[c.rows], total[c.present]) for m, c in asked.counted.items()},
            bool(asked.totals),
            tuple(place[c] for c in asked.counts),
            (*lowered.notes, *asked.notes),
        )

    def _empty(
        self, query: RetrievalQuery, compiled: Compiled, cancel: Stoppable | None, timeout: float | None
    ) -> Retrieved:
        """No result row carries the counts, so they are asked for alone."""
        result_conditions = tuple(f for f in query.filters if not (f.having and f.by is None))
        metrics = query.metrics or tuple(f.field for f in query.filters if f.having and f.by is None)
        whole = query.model_copy(
            update={
                "metrics": metrics,
                "dimensions": () if metrics else query.dimensions,
                "grain": None,
                "filters": result_conditions,
                "limit": None,
                "limit_per": None,
                "order_by": None,
            }
        )
        counted = self.run(whole, cancel=cancel, timeout_seconds=timeout)
        return Retrieved(
            columns=compiled.columns,
            rows=(),
            query=compiled.sql,
            rows_used=counted.rows_used,
            nulls={k: v for k, v in counted.nulls.items() if k in compiled.counted},
            notes=compiled.notes,
        )

    def _ask(self, expression: Any) -> tuple[Any, ...]:
        return self._backend.run(self._backend.compile(expression), None, None)[0]


def _kind(held: Any) -> str:
    """What a type holds, in a word that everybody knows."""
    if held.is_boolean():
        return "yes or no"
    if held.is_integer():
        return "whole number"
    if held.is_numeric():
        return "number"
    if held.is_timestamp():
        return "date and time"
    return "date" if held.is_date() else "time" if held.is_time() else "text" if held.is_string() else "other"


def _totals(rows: list[tuple[Any, ...]], plan: Compiled) -> dict[int, int]:
    """The counts over all groups: of the first row where each row has the totals, else summed."""
    places = {plan.rows, *(p for pair in plan.counted.values() for p in pair)}
    counted = rows[:1] if plan.cut else rows
    return {p: sum(int(r[p] or 0) for r in counted) for p in places}


def _behind(row: tuple[Any, ...], plan: Compiled) -> int:
    """How many source rows stand behind a result row, of the metric with the fewest."""
    return min((int(row[p]) for p in plan.behind if row[p]), default=0)


def _shown(row: tuple[Any, ...], plan: Compiled) -> tuple[Any, ...]:
    values = [plain(row[p]) for p in plan.shown]
    for i, name in enumerate(plan.columns[: len(values)]):
        if name in _NAMED_PARTS and isinstance(values[i], int):
            values[i] = _NAMED_PARTS[name](values[i])
    return tuple(values)


_NAMED_PARTS: dict[str, Callable[[int], str]] = {
    "@weekday": lambda n: calendar.day_name[n],
    "@month": lambda n: calendar.month_name[n],
    "@quarter": lambda n: f"Q{n}",
}


def plain(value: Any) -> Any:
    """A value as plain Python: decimals as floats, nothing for what is not a number, dates as they are."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | dt.date | dt.time):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)
