"""Exact figures of a column of few values, from counting each value: cheaper than any estimate of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnomon.data.measurement import LARGEST, LEVELS, TOP, Family, Figures, expression, quantile_name, rounded
from gnomon.data.profile_model import TopValue
from gnomon.data.table import Column

if TYPE_CHECKING:
    import duckdb

MOST_GROUPS = 5_000
Groups = list[tuple[Any, int]]


def count_values(cursor: duckdb.DuckDBPyConnection, relation: str, column: Column) -> Groups | None:
    """Every value of the column with its count, in order; ``None`` where there are too many to fetch."""
    query = (
        f"SELECT v, n FROM (SELECT {expression(column)} AS v, count(*) AS n FROM {relation} GROUP BY 1) "
        f"ORDER BY v NULLS FIRST LIMIT {MOST_GROUPS + 1}"
    )
    found = [(v, int(n)) for v, n in cursor.execute(query).fetchall()]
    return found if len(found) <= MOST_GROUPS else None


def from_groups(figures: Figures, groups: Groups) -> Figures:
    """``figures`` of a sample with everything that counted values tell exactly."""
    nulls = sum(n for v, n in groups if v is None)
    present = [(v, n) for v, n in groups if v is not None]
    finite = [(v, n) for v, n in present if not (isinstance(v, float) and not math.isfinite(v))]
    ranked = sorted(present, key=lambda item: -item[1])  # stable: ties stay in the order of the values
    numeric = figures.family is Family.NUMBER
    mean, stddev = _moments(finite) if numeric else (None, None)
    ordered = figures.family in (Family.NUMBER, Family.DATE, Family.TIMESTAMP)
    return replace(
        figures,
        nulls=nulls,
        distinct=len(present),
        distinct_exact=True,
        minimum=finite[0][0] if finite else None,
        maximum=finite[-1][0] if finite else None,
        mean=mean,
        stddev=stddev,
        quantiles=_quantiles(finite) if ordered and finite else None,
        quantiles_exact=True,
        top=tuple(TopValue(v, n) for v, n in ranked[:TOP] if n > 1),
        top_exact=True,
        not_finite=sum(n for _, n in present) - sum(n for _, n in finite) if numeric else 0,
        integral=all(float(v).is_integer() for v, _ in finite) if numeric else figures.integral,
        values=figures.values or tuple(v for v, _ in ranked),
    )


def _moments(groups: Groups) -> tuple[float | None, float | None]:
    total = sum(n for _, n in groups)
    if not total:
        return None, None
    if max(abs(float(v)) for v, _ in groups) >= LARGEST:
        return rounded(math.fsum(float(v) / total * n for v, n in groups)), None
    mean = math.fsum(float(v) * n for v, n in groups) / total
    squares = math.fsum((float(v) - mean) ** 2 * n for v, n in groups)
    return rounded(mean), rounded(math.sqrt(squares / (total - 1))) if total > 1 else None


def _quantiles(groups: Groups) -> dict[str, Any]:
    """The value at each level of the sorted cells."""
    total = sum(n for _, n in groups)
    found: dict[str, Any] = {}
    for level in LEVELS:
        place, reached = math.ceil(level * total), 0
        for value, n in groups:
            reached += n
            if reached >= place:
                found[quantile_name(level)] = value
                break
    return found
