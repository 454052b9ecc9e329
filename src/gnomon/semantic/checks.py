"""Whether the names that a model refers to exist, and its formulas end somewhere."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.query import TimeGranularity
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.model import Metric, SemanticModel, formula_names


def check_model(model: SemanticModel, columns: dict[str, set[str]] | None = None) -> None:
    """Every table, column, metric and dimension that an entry refers to exists.

    Args:
        model: The model.
        columns: The columns of each table, where they are known.

    Raises:
        NotFound: A name is not there; the error says in which entry, and what was probably meant.
        InvalidInput: A metric has no form or several, or is made of itself.
    """
    for table in model.tables:
        _known(columns, "table", table.name, f"tables: {table.name}")
        if table.time_dimension:
            _dimension(model, table.time_dimension, f"tables: {table.name}: time_dimension")
    for dimension in model.dimensions:
        for ref in (*dimension.locations, dimension.label_at, dimension.via):
            if ref is None:
                continue
            _column(columns, ref.table, ref.column, f"dimensions: {dimension.name}")
        if dimension.parent:
            _dimension(model, dimension.parent, f"dimensions: {dimension.name}: parent")
    for join in model.joins:
        _column(columns, join.table, join.column, "joins")
        _column(columns, join.to_table, join.to_column, "joins")
    for metric in model.metrics:
        _metric(model, metric, columns)


def _metric(model: SemanticModel, metric: Metric, columns: dict[str, set[str]] | None) -> None:
    entry = f"metrics: {metric.name}"
    forms = [metric.formula is not None, metric.inner is not None, metric.table is not None]
    if sum(forms) != 1:
        raise InvalidInput(
            f"{entry}: a metric has either a table with an aggregation, a formula, or inner with per.",
            suggestions=["Keep one of table, formula and inner."],
        )
    if metric.formula is None and metric.aggregation is None:
        raise InvalidInput(f"{entry}: aggregation is missing.", suggestions=["Such as sum, mean or count."])
    if metric.table is not None:
        _known(columns, "table", metric.table, entry)
        for name in names_in(metric.expression) if metric.expression else ():
            _column(columns, metric.table, name, f"{entry}: expression")
    for name in (metric.time_dimension, *(f.field for f in metric.where if not f.having)):
        if name:
            _dimension(model, name, entry)
    if metric.per and metric.per not in set(TimeGranularity):
        _dimension(model, metric.per, f"{entry}: per")
    _grounded(model, metric, (), entry)


def _grounded(model: SemanticModel, metric: Metric, above: tuple[str, ...], entry: str) -> None:
    if metric.name in above:
        raise InvalidInput(f"{entry}: the formula is made of itself ({' → '.join((*above, metric.name))}).")
    names = formula_names(metric.formula, model) if metric.formula else [metric.inner] if metric.inner else []
    for name in names:
        try:
            found = model.metric(name)
        except NotFound as e:
            raise NotFound(f"{entry}: {e.message}", suggestions=e.suggestions) from None
        _grounded(model, found, (*above, metric.name), entry)


def _dimension(model: SemanticModel, name: str, entry: str) -> None:
    try:
        model.dimension(name)
    except NotFound as e:
        raise NotFound(f"{entry}: {e.message}", suggestions=e.suggestions) from None


def _column(columns: dict[str, set[str]] | None, table: str, column: str, entry: str) -> None:
    _known(columns, "table", table, entry)
    if columns is not None:
        _among(f"column in {table}", column, columns[table], entry)


def _known(columns: dict[str, set[str]] | None, what: str, name: str, entry: str) -> None:
    if columns is not None:
        _among(what, name, columns, entry)


def _among(what: str, name: str, known: Iterable[str], entry: str) -> None:
    names = list(known)
    if name not in names:
        error = NotFound.among(what, name, names)
        raise NotFound(f"{entry}: {error.message}", suggestions=error.suggestions)
