"""Tools that tell the shape of a column over its rows: moments, a test of normality, values far from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from gnomon.analytics.inputs import Floats
from gnomon.analytics.normality_tests import check_normality
from gnomon.analytics.outlier_rules import Outlying, among, outlying
from gnomon.core.errors import CalculationError, GnomonError
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output
from gnomon.tools.row_calculations import RowsInput
from gnomon.tools.wording import counted

MOST_ROWS = 3_000_000
MOST_GROUPS = 60
EXTREMES = 50
_BINS = 30


class RowShapeInput(RowsInput):
    """A column of numbers, and how its rows are grouped."""

    value: str = Field(description="The column, or a reference to a metric over it.")
    by: tuple[str, ...] = Field(default=(), description="Dimensions whose groups are looked at one by one.")


class NormalityInput(RowShapeInput):
    """A column to be held against the normal distribution."""

    test: Literal["shapiro", "dagostino", "jarque_bera", "ks", "anderson"] | None = Field(
        default=None, description="The test; chosen by the number of values unless named."
    )
    alpha: float = Field(default=0.05, gt=0, lt=1, description="Accepted chance of a false alarm.")


class OutliersInput(RowShapeInput):
    """A column in which values far from the rest are looked for."""

    method: Literal["iqr", "zscore"] = Field(default="iqr", description="The rule.")
    threshold: float | None = Field(default=None, gt=0, description="Its factor; 1.5 or 3 unless given.")
    within: bool = Field(default=True, description="Whether each group has bounds of its own.")
    key: str | None = Field(default=None, description="A column that names rows, shown beside the values.")


class ShapeOutput(Output):
    """The shape of a column, for each group."""

    rows: Frame = Field(description="One row for each group.")
    missing: int = Field(description="Rows without a value.")
    query: str = Field(description="The query, for people to read.")


class OutliersOutput(ShapeOutput):
    """Values far from the rest, for each group."""

    extremes: Frame = Field(description="The values that lie farthest out, with the place of their row.")
    bins: Frame = Field(description="How often values occur, in ranges of the same width.")


class RowShapes:
    """Tells the shape of columns through a retriever.

    Args:
        retriever: Where the rows are.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def normality(self, given: NormalityInput, context: ToolContext) -> ShapeOutput:
        """Moments and a test of normality, for each group."""
        groups, missing, query = self._grouped(given, (), context)
        rows: list[dict[str, Any]] = []
        for key, held in groups.items():
            x = np.array([v for _, v, _ in held], dtype=np.float64)
            rows.append({**_named(given.by, key), **_moments(x), **_tested(x, given, alone=len(groups) == 1)})
        return ShapeOutput(
            summary=f"The shape of {given.value} over {counted(sum(r['count'] for r in rows), 'row')}.",
            rows=Frame.of(rows),
            missing=missing,
            query=query,
        )

    def outliers(self, given: OutliersInput, context: ToolContext) -> OutliersOutput:
        """Values beyond the bounds of a rule, for each group."""
        keys = (given.key,) if given.key is not None else ()
        groups, missing, query = self._grouped(given, keys, context)
        rows: list[dict[str, Any]] = []
        far: list[dict[str, Any]] = []
        pooled = np.array([v for held in groups.values() for _, v, _ in held], dtype=np.float64)
        whole = None if given.within else outlying(pooled, given.method, given.threshold)
        for key, held in groups.items():
            x = np.array([v for _, v, _ in held], dtype=np.float64)
            found = outlying(x, given.method, given.threshold) if whole is None else among(x, whole)
            rows.append({**_named(given.by, key), **_bounded(x, found)})
            low, high = found.bounds.low, found.bounds.high
            far += [
                {
                    **_named(given.by, key),
                    **_named(keys, name),
                    "row": place,
                    "value": v,
                    "score": _score(v, found),
                }
                for place, v, name in held
                if v < low or v > high
            ]
        far.sort(key=lambda r: (-abs(r["score"]), r["row"]))
        heads = [*given.by, *keys, "row", "value", "score"]
        number = sum(r["outliers"] for r in rows)
        return OutliersOutput(
            summary=f"{counted(number, 'value')} of {given.value} beyond the bounds of the {given.method} rule.",
            rows=Frame.of(rows),
            extremes=Frame.of({h: [r[h] for r in far[:EXTREMES]] for h in heads}),
            bins=_bins(pooled),
            missing=missing,
            query=query,
        )

    def _grouped(
        self, given: RowShapeInput, keys: Sequence[str], context: ToolContext
    ) -> tuple[dict[tuple[Any, ...], list[tuple[int, float, tuple[Any, ...]]]], int, str]:
        """The known values of each group with the places of their rows, and how many rows have none."""
        columns = [given.value, *given.by, *keys]
        rows, query = self._retriever.values(
            given.table, columns, given.query(), most=MOST_ROWS + 1, cancel=context.cancel
        )
        if len(rows) > MOST_ROWS:
            raise CalculationError(
                f"There are more than {MOST_ROWS:,} rows to look at one by one.",
                suggestions=["Name a period or a group to make them fewer."],
            )
        groups: dict[tuple[Any, ...], list[tuple[int, float, tuple[Any, ...]]]] = {}
        missing, split = 0, 1 + len(given.by)
        for place, row in enumerate(rows, 1):
            value = row[0]
            if value is None or value != value:
                missing += 1
                continue
            groups.setdefault(row[1:split], []).append((place, float(value), row[split:]))
        if not groups:
            raise CalculationError("There is no value to look at.")
        if len(groups) > MOST_GROUPS:
            raise CalculationError(f"{len(groups):,} groups are too many to look at one by one.")
        return dict(sorted(groups.items(), key=lambda g: [(v is None, str(v)) for v in g[0]])), missing, query


def _bins(x: Floats) -> Frame:
    counts, edges = np.histogram(x, bins=min(_BINS, max(1, len(np.unique(x)))))
    return Frame.of({"from": edges[:-1].tolist(), "to": edges[1:].tolist(), "rows": counts.tolist()})


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, values, strict=True))


def _moments(x: Floats) -> dict[str, Any]:
    """Where the values lie, how far apart and how evenly, as pandas has it."""
    n, mean, deviation = len(x), float(x.mean()), float(x.std())
    varies = n > 1 and deviation > 1e-12 * abs(mean)
    z = (x - mean) / deviation if varies else x * 0.0
    skew = float((z**3).mean()) * np.sqrt(n * (n - 1)) / (n - 2) if varies and n > 2 else None
    plain = float((z**4).mean()) - 3
    kurt = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * plain + 6) if varies and n > 3 else None
    return {
        "count": n,
        "mean": mean,
        "median": float(np.median(x)),
        "stddev": float(x.std(ddof=1)) if n > 1 else None,
        "minimum": float(x.min()),
        "maximum": float(x.max()),
        "total": float(x.sum()),
        "skewness": None if skew is None else float(skew),
        "kurtosis": None if kurt is None else float(kurt),
    }


def _tested(x: Floats, given: NormalityInput, *, alone: bool) -> dict[str, Any]:
    """The outcome of the test; of several groups, one that is too small has none."""
    try:
        found = check_normality(x, given.test, given.alpha)
    except GnomonError:
        if alone:
            raise
        return {"test": given.test, "statistic": None, "p_value": None, "normal": None}
    return {
        "test": found.test,
        "statistic": found.statistic,
        "p_value": found.p_value,
        "normal": found.normal,
    }


def _bounded(x: Floats, found: Outlying) -> dict[str, Any]:
    """One group's bounds and counts, and what the values are like without those beyond."""
    inside = x[(x >= found.bounds.low) & (x <= found.bounds.high)]
    kept = _moments(inside) if len(inside) else {}
    return {
        "count": found.count,
        "mean": found.mean,
        "deviation": found.deviation,
        "lower_quartile": found.lower_quartile,
        "upper_quartile": found.upper_quartile,
        "threshold": found.bounds.threshold,
        "low": found.bounds.low,
        "high": found.bounds.high,
        "below": found.bounds.below,
        "above": found.bounds.above,
        "outliers": found.bounds.outliers,
        "by_sample": found.by_sample,
        "other_threshold": found.other.threshold,
        "other_outliers": found.other.outliers,
        **{f"kept_{name}": kept.get(name) for name in _moments(x)},
    }


def _score(value: float, found: Outlying) -> float:
    """How far out a value lies: in standard deviations from the mean."""
    return (value - found.mean) / found.deviation if found.deviation else 0.0


def shape_row_tools(retriever: Retriever) -> list[FunctionTool]:
    """Tools that tell the shape of columns."""
    shapes = RowShapes(retriever)
    return [
        FunctionTool(
            "test_normality",
            shapes.normality,
            NormalityInput,
            ShapeOutput,
            description="Skewness, kurtosis and a test of normality of a column over its rows, for each group.",
            produces_rows="rows",
        ),
        FunctionTool(
            "find_outliers",
            shapes.outliers,
            OutliersInput,
            OutliersOutput,
            description="Values of a column far from the rest by the rule of quartiles or of z-scores, for each group.",
            produces_rows="extremes",
        ),
    ]
