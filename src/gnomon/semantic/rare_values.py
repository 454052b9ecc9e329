"""Which values of dimensions hardly any row holds: whoever may not learn of single rows is not to find them by asking."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import GnomonError
from gnomon.data.table import quote
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.retrieve import Retriever
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.data import Dataset


def rare_values(
    dataset: Dataset, model: SemanticModel, index: ValueIndex, fewest: int, persons: Collection[str] = ()
) -> dict[str, frozenset[Any]]:
    """The known values of each dimension that fewer than ``fewest`` rows hold.

    Counted are the rows of the tables that hold the dimension, and of those that lead to it: a region that has one row
    among the regions is the region of many orders. What tells of ``persons``, the tables whose rows they are, is counted in
    persons: an illness that three of them have is that of three, whatever was paid for them.
    """
    if fewest < 2:
        return {}
    retriever = Retriever.over(dataset, model)
    found: dict[str, frozenset[Any]] = {}
    for dimension in model.dimensions:
        known = frozenset(index.values(dimension.name))
        rare = known - _held(dataset, dimension, fewest) if known else known
        for metric in model.metrics if rare and dimension.home.table not in persons else ():
            own = any(metric.table == ref.table for ref in dimension.locations)
            if metric.aggregation is Aggregation.COUNT and metric.table and not own:
                rare -= _reached(retriever, metric.name, dimension.name, fewest)
        if rare:
            found[dimension.name] = rare
    return found


def sets_few_apart(
    dataset: Dataset, model: SemanticModel, fewest: int, tables: Collection[str]
) -> frozenset[str]:
    """The dimensions of some tables of which a value is held by fewer than ``fewest`` of their rows."""
    found: set[str] = set()
    for dimension in model.dimensions:
        if dimension.home.table not in tables:
            continue
        query = f"SELECT count(*) FROM ({_grouped(dataset, dimension)} HAVING count(*) < {int(fewest)})"
        with dataset.cursor() as cursor:
            row = cursor.execute(query).fetchone()
        if row is None or row[0]:
            found.add(dimension.name)
    return frozenset(found)


def _held(dataset: Dataset, dimension: Dimension, fewest: int) -> frozenset[Any]:
    """The values that enough rows hold of the tables which the dimension lies in."""
    query = f"{_grouped(dataset, dimension)} HAVING count(*) >= {int(fewest)}"
    with dataset.cursor() as cursor:
        return frozenset(v for (v,) in cursor.execute(query).fetchall())


def _grouped(dataset: Dataset, dimension: Dimension) -> str:
    """A query of the values that the tables hold which a dimension lies in, still without a condition on them."""
    parts = [
        f"SELECT {quote(dataset.table(r.table).column(r.column).name)} AS v FROM {quote(r.table)}"
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
