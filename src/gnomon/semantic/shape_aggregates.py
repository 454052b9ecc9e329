"""Aggregates that tell the shape of many values: skewness, kurtosis, mode, range and their kin.

Third and fourth powers are taken of distances from the group's own mean, so that large values that differ little
keep their digits; the definitions are those of pandas (bias-corrected skewness and excess kurtosis).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gnomon.core.algebra import How

_NOTHING = 1e-24  # of the square of the mean: what rounding leaves of equal values
CENTRED = (How.SKEWNESS, How.KURTOSIS)
PREPARED = (*CENTRED, How.MODE)


def prepare(relation: Any, how: How, value: Any, where: Any | None, by: Sequence[str], name: str) -> Any:
    """The relation with columns that an aggregate needs beside the values.

    Args:
        relation: The rows.
        how: The aggregate.
        value: What it is taken of, for each row.
        where: The rows that count.
        by: The columns that rows are grouped by.
        name: The beginning of the names of the new columns.
    """
    import ibis

    held: Any = value if where is None else ibis.ifelse(where, value, ibis.null(value.type()))
    if how in CENTRED:
        numbers = held.cast("float64")
        mean = numbers.mean().over(ibis.window(group_by=list(by)))
        return relation.mutate(**{name: numbers - mean, f"{name}_mean": mean})
    relation = relation.mutate(**{name: held})
    often = relation[name].count().over(ibis.window(group_by=[*by, name]))
    relation = relation.mutate(**{f"{name}_often": often})
    most = relation[f"{name}_often"].max().over(ibis.window(group_by=list(by)))
    return relation.mutate(**{f"{name}_most": most})


def prepared_aggregate(relation: Any, how: How, name: str) -> Any:
    """The aggregate of what :func:`prepare` added; of values that occur alike often the mode is the smallest."""
    column = relation[name]
    if how is How.MODE:
        return column.min(where=relation[f"{name}_often"] == relation[f"{name}_most"])
    n = column.count().cast("float64")
    second = (column * column).sum()
    scale = relation[f"{name}_mean"].max()
    spread = (second > _NOTHING * n * scale * scale).ifelse(second, None)
    return _skewness(column, n, spread) if how is How.SKEWNESS else _kurtosis(column, n, spread)


def _skewness(x: Any, n: Any, second: Any) -> Any:
    """Fisher and Pearson's coefficient, adjusted for the size of the sample; unknown below three values."""
    third = (x * x * x).sum()
    plain = (third / n) / (second / n).pow(1.5)
    return (n > 2).ifelse(plain * (n * (n - 1)).sqrt() / (n - 2).nullif(0.0), None)


def _kurtosis(x: Any, n: Any, second: Any) -> Any:
    """Excess over the normal distribution, adjusted for the size of the sample; unknown below four values."""
    fourth = (x * x * x * x).sum()
    plain = n * fourth / (second * second)
    rest = ((n - 2) * (n - 3)).nullif(0.0)
    adjusted = (n - 1) / rest * ((n + 1) * plain - 3 * (n - 1))
    return (n > 3).ifelse(adjusted, None)


def shape_aggregates(value: Any, where: Any | None) -> dict[How, Callable[[], Any]]:
    """The aggregates that need one look at the values only."""

    def deviation() -> Any:
        return value.std(where=where, how="sample")

    def geometric() -> Any:
        numbers = value.cast("float64")
        logs = (numbers > 0).ifelse(numbers, None).ln().mean(where=where)
        return (value.min(where=where) > 0).ifelse(logs.exp(), None)

    return {
        How.RANGE: lambda: value.max(where=where) - value.min(where=where),
        How.MIDDLE_RANGE: lambda: value.quantile(0.75, where=where) - value.quantile(0.25, where=where),
        How.VARIATION: lambda: deviation() / value.mean(where=where).cast("float64").nullif(0.0),
        How.STANDARD_ERROR: lambda: deviation() / value.count(where=where).cast("float64").sqrt().nullif(0.0),
        How.GEOMETRIC_MEAN: geometric,
    }
