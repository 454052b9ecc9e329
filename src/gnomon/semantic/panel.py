"""Panels: sums and counts of one table by day or period and by dimensions, as columns, in one grouped scan.

A metric that is a sum, a count, a mean or a quotient of such is a quotient of sums; from the sums of small groups it
can be computed for any larger group without another scan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core import algebra as al
from gnomon.core.errors import OutOfScope
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.semantic.arithmetic import Binary, Name, Negative, Node, Number, parse
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.lower import Lowering
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Additivity, Aggregation, Metric, SemanticModel, formula_names
from gnomon.semantic.nodes import call, literal, looked_around_first
from gnomon.semantic.predicates import within
from gnomon.semantic.relations import Tables
from gnomon.semantic.scope import Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS = 3_000_000
_EPOCH = date(1970, 1, 1).toordinal()


class Sum(StrEnum):
    """What is added up over the rows of a metric: its values, the rows that have one, the squares of the values."""

    VALUES = "values"
    COUNT = "count"
    SQUARES = "squares"


@dataclass(frozen=True)
class Component:
    """One sum over the rows of a base metric."""

    metric: str
    of: Sum


Terms = tuple[tuple[Component, float], ...]


@dataclass(frozen=True)
class SumForm:
    """A metric as a quotient of sums: the terms above, each with its factor, over those below (None: over nothing).

    ``per_day`` marks what is averaged over the days of a period (stock levels).
    """

    above: Terms
    below: Terms | None = None
    per_day: bool = False

    @property
    def components(self) -> tuple[Component, ...]:
        """The sums that it needs, each once."""
        return tuple(dict.fromkeys(c for c, _ in (*self.above, *(self.below or ()))))


def sum_form(model: SemanticModel, metric: Metric) -> SumForm | None:
    """``metric`` as a quotient of sums; None where it is none (a median, a number of different things)."""
    if metric.formula is not None:
        names = formula_names(metric.formula, model)
        if len(names) == 2 and metric.formula in (" / ".join(names), " - ".join(names)):
            sign = "/" if " / " in metric.formula else "-"
            return _combined(sign, *(sum_form(model, model.metric(n)) for n in names))
        try:
            return _of_node(parse(metric.formula), model)
        except Exception:  # noqa: BLE001 - a formula in words of its own (such as "x in hours") has no sums
            return None
    if metric.inner is not None or metric.table is None:
        return None
    values = ((Component(metric.name, Sum.VALUES), 1.0),)
    counted = ((Component(metric.name, Sum.COUNT), 1.0),)
    if metric.aggregation is Aggregation.SUM:
        return SumForm(values, per_day=metric.additivity is Additivity.SEMI_ADDITIVE)
    if metric.aggregation is Aggregation.COUNT:
        return SumForm(counted)
    return SumForm(values, counted) if metric.aggregation is Aggregation.MEAN else None


def _of_node(node: Node, model: SemanticModel) -> SumForm | None:
    if isinstance(node, Name):
        return sum_form(model, model.metric(node.name))
    if isinstance(node, Negative):
        inner = _of_node(node.operand, model)
        return None if inner is None else SumForm(_scaled(inner.above, -1.0), inner.below)
    if not isinstance(node, Binary):
        return None
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(side, Number) and node.operator == "*":
            inner = _of_node(other, model)
            return None if inner is None else SumForm(_scaled(inner.above, float(side.value)), inner.below)
    if isinstance(node.right, Number) and node.operator == "/" and node.right.value:
        inner = _of_node(node.left, model)
        return (
            None if inner is None else SumForm(_scaled(inner.above, 1 / float(node.right.value)), inner.below)
        )
    return _combined(node.operator, _of_node(node.left, model), _of_node(node.right, model))


def _combined(sign: str, left: SumForm | None, right: SumForm | None) -> SumForm | None:
    if left is None or right is None or left.per_day or right.per_day:
        return None
    if sign == "/" and left.below is None and right.below is None:
        return SumForm(left.above, right.above)
    if sign in "+-" and left.below == right.below:
        return SumForm((*left.above, *_scaled(right.above, 1.0 if sign == "+" else -1.0)), left.below)
    return None


def _scaled(terms: Terms, by: float) -> Terms:
    return tuple((c, f * by) for c, f in terms)


@dataclass(frozen=True)
class PanelQuery:
    """Sums of the rows of one table.

    Args:
        table: The table.
        components: What to add up; all of metrics over this table.
        dimensions: One cell for each combination that occurs.
        windows: Only rows of these periods, by the first of them that a row lies in; all rows without.
        by_day: Whether cells are those of single days.
        filters: Conditions on dimensions.
    """

    table: str
    components: tuple[Component, ...]
    dimensions: tuple[str, ...] = ()
    windows: tuple[TimeRange, ...] = ()
    by_day: bool = False
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True)
class Coded:
    """A column of a dimension: the code of each cell, and what the codes stand for."""

    codes: NDArray[np.int64]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Panel:
    """The cells of a panel, column by column.

    Args:
        dimensions: The dimensions by name.
        sums: The sums by component; 0 where there was nothing to add.
        window: The number of each cell's period, where there were any.
        day: The day of each cell as a day number (1 is 1 January of year 1), where cells are days.
        rows: How many rows were added up.
        query: The compiled query, for people to read.
        truncated: Whether cells were left off.
    """

    dimensions: dict[str, Coded]
    sums: dict[Component, NDArray[np.float64]]
    window: NDArray[np.int64] | None
    day: NDArray[np.int64] | None
    rows: int
    query: str
    truncated: bool = False

    def __len__(self) -> int:
        return len(next(iter(self.sums.values()))) if self.sums else 0

    def total(self, terms: Terms) -> NDArray[np.float64]:
        """The sum of terms for each cell."""
        return sum((self.sums[c] * f for c, f in terms), np.zeros(len(self)))


def panel_relation(query: PanelQuery, model: SemanticModel, tables: Tables) -> Any:
    """The relation of a panel: ``k0`` … for dimensions, ``w``, ``d``, ``s0`` … for the sums, ``n`` for rows.

    Raises:
        OutOfScope: The table has no date, or does not reach a dimension.
    """
    metrics = {c.metric: model.metric(c.metric) for c in query.components}
    name = model.table(query.table).time_dimension
    name = next((m.time_dimension for m in metrics.values() if m.time_dimension), name)
    timed = bool(query.windows) or query.by_day
    if timed and name is None:
        raise OutOfScope(f"The data does not tell when: {query.table} has no date.")
    time = model.dimension(name) if name and timed else None
    ends = [(w.start, w.end) for w in query.windows]
    span = TimeRange(start=min(a for a, _ in ends), end=max(b for _, b in ends)) if ends else None
    meanings = Meanings(model, tables)
    figures, scope = GroupFigures(meanings), Scope(filters=query.filters, time_range=span)
    held = [meanings.column(query.table, model.dimension(d)) for d in query.dimensions]
    keys = [al.Key(of=of, name=f"k{i}") for i, of in enumerate(held)]
    if time is not None:
        moment, exact = meanings.moment(query.table, time)
        if query.windows:
            keys.append(al.Key(of=_window(moment, exact, query.windows), name="w"))
        if query.by_day:
            keys.append(al.Key(of=moment, grain=TimeGranularity.DAY, name="d"))
    sums = [_summed(c.of, figures.aggregate(metrics[c.metric])) for c in query.components]
    made = [al.Shown(measure=s, name=f"s{i}") for i, s in enumerate(sums)]
    made.append(al.Shown(measure=al.Aggregate(how=al.How.COUNT), name="n"))
    rows = figures.rows(query.table, time, scope)
    asked = looked_around_first(al.Query(rows=rows, keys=tuple(keys), measures=tuple(made)))
    grouped = Lowering(model, tables).query(asked, inner=True).expression
    timed_keys = [k for k in ("w", "d") if k in grouped.columns]
    return grouped.filter([grouped[k].notnull() for k in timed_keys]) if timed_keys else grouped


def _window(moment: al.Expression, exact: bool, windows: Sequence[TimeRange]) -> al.Case:
    """The number of the first window that each moment lies in; none for what lies in none."""
    # Windows that follow each other need one comparison each: the latest first, whatever begins no earlier.
    back_to_back = all(b.end.toordinal() + 1 == a.start.toordinal() for a, b in pairwise(windows))
    ends = [TimeRange(start=w.start, end=date.max) if back_to_back else w for w in windows]
    tests = tuple(within(moment, exact, w) for w in ends)
    return al.Case(tests=tests, values=tuple(literal(i) for i in range(len(windows))))


def _summed(of: Sum, figure: al.Aggregate) -> al.Aggregate:
    if of is Sum.COUNT or figure.of is None:
        return figure.model_copy(update={"how": al.How.COUNT})
    value = call(al.Function.NUMBER, figure.of)
    value = call(al.Function.MULTIPLY, value, value) if of is Sum.SQUARES else value
    return al.Aggregate(how=al.How.SUM, of=value, where=figure.where)


def read_panel(query: PanelQuery, table: Any, sql: str, most: int) -> Panel:
    """The cells of an Arrow table that :func:`panel_relation` gave."""
    cells = table.slice(0, most)
    sums = {
        c: np.nan_to_num(cells.column(f"s{i}").to_numpy().astype(np.float64))
        for i, c in enumerate(query.components)
    }
    day = None
    if query.by_day:
        day = cells.column("d").to_numpy().astype("datetime64[D]").astype(np.int64) + _EPOCH
    return Panel(
        dimensions={d: _coded(cells.column(f"k{i}")) for i, d in enumerate(query.dimensions)},
        sums=sums,
        window=cells.column("w").to_numpy().astype(np.int64) if query.windows else None,
        day=day,
        rows=int(np.sum(cells.column("n").to_numpy())) if len(cells) else 0,
        query=sql,
        truncated=table.num_rows > most,
    )


def _coded(column: Any) -> Coded:
    """Codes in the order of the values, so that the same data gives the same codes."""
    encoded = column.combine_chunks().dictionary_encode("encode")
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=lambda i: (values[i] is None, str(values[i])))
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.arange(len(values))
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return Coded(place[codes] if len(values) else codes, tuple(values[i] for i in order))


def base_of(model: SemanticModel, components: Sequence[Component]) -> dict[str, tuple[Component, ...]]:
    """The components by the table whose rows they add up."""
    found: dict[str, list[Component]] = {}
    for component in dict.fromkeys(components):
        found.setdefault(model.metric(component.metric).table or "", []).append(component)
    return {table: tuple(held) for table, held in found.items()}
