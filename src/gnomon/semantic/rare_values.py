"""Which values of dimensions hardly any row holds: whoever may not learn of single rows is not to find them by asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import GnomonError
from gnomon.data.table import quote
from gnomon.semantic.kinds import Aggregation, DimensionType
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.data import Dataset


_GROUPING = (DimensionType.CATEGORY, DimensionType.BOOLEAN)


def rare_values(
    dataset: Dataset,
    model: SemanticModel,
    index: ValueIndex,
    fewest: int,
    persons: Collection[str] = (),
    whose: Mapping[str, str] | None = None,
) -> dict[str, frozenset[Any]]:
    """The known values of each dimension that fewer than ``fewest`` rows hold.

    Counted are the rows of the tables that hold the dimension, and of those that lead to it: a region that has one row
    among the regions is the region of many orders. What tells of ``persons``, the tables whose rows they are, is counted in
    persons: an illness that three of them have is that of three, whatever was paid for them. So is what stands in a table
    of which a column says ``whose`` each row is.
    """
    if fewest < 2:
        return {}
    retriever = Retriever.over(dataset, model)
    found: dict[str, frozenset[Any]] = {}
    for dimension in model.dimensions:
        known = frozenset(index.values(dimension.name))
        rare = known - _held(dataset, dimension, fewest, whose or {}) if known else known
        for metric in model.metrics if rare and dimension.home.table not in persons else ():
            own = any(metric.table == ref.table for ref in dimension.locations)
            if metric.aggregation is Aggregation.COUNT and metric.table and not own:
                rare -= _reached(retriever, metric.name, dimension.name, fewest)
        if rare:
            found[dimension.name] = rare
    return found


def sets_few_apart(
    dataset: Dataset,
    model: SemanticModel,
    fewest: int,
    tables: Collection[str],
    whose: Mapping[str, str] | None = None,
) -> frozenset[str]:
    """The dimensions of some tables of which a value is held by fewer than ``fewest`` of their rows, or of those ``whose`` they are."""
    found: set[str] = set()
    whose = whose or {}
    for dimension in model.dimensions:
        if dimension.home.table not in {*tables, *whose}:
            continue
        query = (
            f"SELECT count(*) FROM ({_grouped(dataset, dimension, whose)} HAVING {_PERSONS} < {int(fewest)})"
        )
        with dataset.cursor() as cursor:
            row = cursor.execute(query).fetchone()
        if row is None or row[0]:
            found.add(dimension.name)
    return frozenset(found)


def without_few(
    dataset: Dataset, model: SemanticModel, fewest: int, whose: Mapping[str, str]
) -> SemanticModel:
    """The model without groups of which one is that of a few persons, in tables of which a column says ``whose`` each row is."""
    apart = sets_few_apart(dataset, model, fewest, (), whose) if whose else frozenset[str]()
    kept = tuple(d for d in model.dimensions if d.name not in apart or d.type not in _GROUPING)
    return model.model_copy(update={"dimensions": kept}) if len(kept) < len(model.dimensions) else model


def _held(dataset: Dataset, dimension: Dimension, fewest: int, whose: Mapping[str, str]) -> frozenset[Any]:
    """The values that enough rows hold of the tables which the dimension lies in."""
    query = f"{_grouped(dataset, dimension, whose)} HAVING {_PERSONS} >= {int(fewest)}"
    with dataset.cursor() as cursor:
        return frozenset(v for (v,) in cursor.execute(query).fetchall())


_PERSONS = "count(DISTINCT who) + count(*) FILTER (who IS NULL)"


def _grouped(dataset: Dataset, dimension: Dimension, whose: Mapping[str, str]) -> str:
    """A query of the values that the tables hold which a dimension lies in, still without a condition on them."""
    parts = [
        f"SELECT {quote(dataset.table(r.table).column(r.column).name)} AS v, "
        f"{f'CAST({quote(whose[r.table])} AS VARCHAR)' if r.table in whose else 'NULL'} AS who FROM {quote(r.table)}"
        for r in dimension.locations
    ]
    return f"SELECT v FROM ({' UNION ALL '.join(parts)}) GROUP BY v"


def _reached(retriever: Retriever, count: str, dimension: str, fewest: int) -> frozenset[Any]:
    """The values that enough rows of another table lead to; none where it leads to no such thing."""
    try:
        counted = retriever.run(RetrievalQuery(metrics=(count,), dimensions=(dimension,)))
    except GnomonError:
        return frozenset()
    at = counted.columns.index(dimension)
    return frozenset(r[at] for r, n in zip(counted.rows, counted.behind, strict=True) if n >= fewest)
