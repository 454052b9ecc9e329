"""Several measures of a few groups: every one of them is told, not only where the first is highest and lowest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gnomon.agents.figures import listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_words import spoken_label
from gnomon.semantic.model import Metric

GROUPS_TOLD = 8
CELLS_TOLD = 40

Named = Callable[[Telling, Sequence[str], Sequence[Any]], str]
Grouped = Callable[[Telling, Sequence[str], Sequence[Any]], dict[str, Any]]


def tell_cells(t: Telling, named: Named, grouped: Grouped) -> bool:
    """A sentence for each measure with its value for every group, where both are few; False where they are not.

    Args:
        t: The telling.
        named: A row's name in prose.
        grouped: A row's place as a fact keeps it.
    """
    main, metrics = t.main, t.request.metrics
    few = 1 < len(main.rows) <= GROUPS_TOLD and len(main.rows) * len(metrics) <= CELLS_TOLD
    columns = {_column(t.model.metric(m)) for m in metrics}
    if len(metrics) < 2 or len(columns) > 1 or None in columns or not few or main.truncated:
        return False
    rows = sorted(main.rows, key=lambda r: named(t, main.columns, r))
    told: list[str] = []
    for reference in metrics:
        metric, at = t.model.metric(reference), main.columns.index(reference)
        spelt = spelt_out(t, reference)
        said = [
            f"{t.say(fact)} for {named(t, main.columns, row)}"
            for row in rows
            if isinstance(row[at], (int, float))
            and (fact := t.fact(slug(reference), row[at], metric.unit, metric=spelt, group=grouped(t, main.columns, row)))
        ]  # fmt: skip
        told += [f"{spoken_label(metric, t.model)}: {listed(said)}"] if said else []
    if not told:
        return False
    t.told.lead = sentence(f"{told[0]}{t.where()}{t.when()}")
    t.told.more += [sentence(text) for text in told[1:]]
    return True


def spelt_out(t: Telling, reference: str) -> str:
    """A metric as an aggregation of its column, where others of the request are of the same one.

    Their facts are then told apart by what they are of the column, not by names of which one is part of another.
    """
    metric = t.model.metric(reference)
    column = _column(metric)
    alike = [m for m in t.request.metrics if column is not None and _column(t.model.metric(m)) == column]
    return f"{metric.aggregation}({column})" if len(alike) > 1 and metric.quantile is None else reference


def _column(metric: Metric) -> str | None:
    """The column that a metric aggregates as it is."""
    plain = metric.formula is None and metric.inner is None and not metric.where
    column = (metric.expression or "").strip("`")
    return f"{metric.table}.{column}" if plain and column.isidentifier() and metric.aggregation else None
