"""Tools that relate columns and rows to each other: correlation, segments, distribution, places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.clustering import Clusters, clusters
from gnomon.analytics.correlations import Correlation, correlation
from gnomon.analytics.distributions import Distribution, distribution
from gnomon.analytics.geo import GeoSummary, geo_summary
from gnomon.core.errors import InvalidInput
from gnomon.data.column_names import LATITUDE, has, names_longitude
from gnomon.tools.columns import free_name, known, value_column
from gnomon.tools.contract import Cost, FunctionTool, Requirement, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.lineage import Lineage
from gnomon.tools.outputs import Output, filled, output_model
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import counted, figure, percent


class _Input(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame


class CorrelationInput(_Input):
    """Which columns to relate."""

    columns: list[str] | None = Field(default=None, description="Columns to relate; all by default.")
    target: str | None = Field(default=None, description="Relate the others to this one only.")
    method: Literal["auto", "pearson", "spearman", "kendall"] = Field(
        default="auto", description="Chosen by the data."
    )
    confidence: float = Field(default=0.95, gt=0, lt=1, description="Coverage of the intervals.")


class SegmentInput(_Input):
    """Which rows to group, by what."""

    columns: list[str] | None = Field(
        default=None, description="Columns that describe a row; all that can by default."
    )
    clusters: int | None = Field(
        default=None, ge=2, le=50, description="Number of segments; found by default."
    )


class DistributionInput(_Input):
    """The column to describe."""

    value: str | None = Field(default=None, description="Column of numbers; the only one by default.")
    bins: int | None = Field(
        default=None, ge=2, le=1000, description="Bins of the histogram; chosen by the data."
    )


class GeoInput(_Input):
    """Where latitude and longitude stand."""

    latitude: str | None = Field(default=None, description="Column of latitudes; found by name by default.")
    longitude: str | None = Field(default=None, description="Column of longitudes; found by name by default.")
    value: str | None = Field(default=None, description="Column that weighs the places.")
    radius_km: float | None = Field(default=None, gt=0, description="Reach of a hotspot; chosen by the data.")
    top: int = Field(default=10, ge=1, le=1000, description="Places listed as nearest and farthest.")


CorrelationOutput = output_model("CorrelationOutput", Correlation, rows="One row per pair of columns.")
SegmentOutput = output_model(
    "SegmentOutput", Clusters, without=("labels",), rows="The rows with the number of their segment."
)
DistributionOutput = output_model("DistributionOutput", Distribution, rows="The histogram.")
GeoOutput = output_model("GeoOutput", GeoSummary, rows="The hotspots.")


def run_correlation(given: CorrelationInput, context: ToolContext) -> Output:
    """Relate columns to each other."""
    import pandas as pd

    frame = read_frame(given.data, context)
    found = correlation(
        frame, columns=given.columns, target=given.target, method=given.method, confidence=given.confidence
    )
    strong = [p for p in found.pairs if p.significant]
    if strong:
        best = strong[0]
        summary = f"{best.first} and {best.second} are related most strongly ({best.method} {best.coefficient:+.2f}, {best.strength}); {len(strong)} of {len(found.pairs)} pairs are significant."
    else:
        summary = f"None of {counted(len(found.pairs), 'pair')} of columns is related beyond chance."
    rows = pd.DataFrame([p.to_dict() for p in found.pairs], columns=["first", "second", "method", "coefficient", "p_value", "p_adjusted", "significant", "count", "strength"])  # fmt: skip
    return filled(CorrelationOutput, found, summary, rows=rows)


def run_segments(given: SegmentInput, context: ToolContext) -> Output:
    """Group rows that are alike."""
    frame = read_frame(given.data, context)
    found = clusters(
        frame, columns=given.columns, k=given.clusters, should_stop=lambda: context.cancel.cancelled
    )
    if found.found:
        sizes = ", ".join(percent(s.share) for s in found.segments)
        summary = f"{found.k} segments ({sizes} of the rows) by {', '.join(found.columns[:5])}."
    else:
        summary = "The rows form no clear segments: they are not more alike in groups than chance makes them."
    name = free_name("segment", frame.columns)
    rows = frame.assign(**{name: found.labels})
    lineage = Lineage.of(rows, made={name: found.columns})
    return filled(SegmentOutput, found, summary, rows=Frame.made(rows, lineage))


def run_distribution(given: DistributionInput, context: ToolContext) -> Output:
    """Describe how the values of a column are spread."""
    import pandas as pd

    frame = read_frame(given.data, context)
    value = value_column(frame, given.value)
    found = distribution(frame[value], bins=given.bins)
    middle = found.quantiles.get("p50", found.quantiles.get("0.5", found.mean))
    summary = f"{value} is {found.shape}: half the values lie below {figure(middle)}, from {figure(found.minimum)} to {figure(found.maximum)}."
    rows = pd.DataFrame(
        [
            {value: f"{figure(b.low)} – {figure(b.high)}", free_name("rows", [value]): b.count}
            for b in found.histogram
        ]
    )
    return filled(DistributionOutput, found, summary, rows=rows)


def run_geo(given: GeoInput, context: ToolContext) -> Output:
    """Summarise places: extent, hotspots, distances."""
    import pandas as pd

    frame = read_frame(given.data, context)
    names = [str(c) for c in frame.columns]
    latitude = (
        known(frame, given.latitude)
        if given.latitude
        else _first(names, "latitude", lambda n: has(n, LATITUDE))
    )
    longitude = (
        known(frame, given.longitude)
        if given.longitude
        else _first(names, "longitude", lambda n: names_longitude(n, names))
    )
    weights = frame[known(frame, given.value)] if given.value else None
    found = geo_summary(
        frame[latitude], frame[longitude], weights=weights, radius_km=given.radius_km, top=given.top
    )
    if found.hotspots:
        first = found.hotspots[0]
        summary = f"{counted(len(found.hotspots), 'hotspot')} among {counted(found.count, 'place')}; the largest holds {percent(first.share)} near {first.latitude:.4f}, {first.longitude:.4f}."
    else:
        summary = f"{counted(found.count, 'place')} with no hotspot, spread over {figure(found.diagonal_km)} km.".capitalize()
    rows = pd.DataFrame([h.to_dict() for h in found.hotspots], columns=["latitude", "longitude", "count", "share", "radius_km", "weight"])  # fmt: skip
    return filled(GeoOutput, found, summary, rows=rows)


def _first(names: list[str], meant: str, means: Callable[[str], bool]) -> str:
    for name in names:
        if means(name):
            return name
    raise InvalidInput(f"No column is named like {meant}; there are {', '.join(names[:8])}.", suggestions=[f"Name it as '{meant}'."])  # fmt: skip


def relation_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "correlation", run_correlation, CorrelationInput, CorrelationOutput,
            description="Relates columns of any kind to each other, with significance corrected for many pairs.",
            goals=(Goal.CORRELATION,), requires=(Requirement(kind="any", count=2),), cost=Cost.HEAVY, produces_rows="rows",
        ),
        FunctionTool(
            "cluster_segmentation", run_segments, SegmentInput, SegmentOutput,
            description="Groups rows that are alike, finds how many groups there are, and describes each.",
            goals=(Goal.SEGMENTS,), data_types=("tabular", "categorical"), requires=(Requirement(kind="any", count=2),),
            cost=Cost.HEAVY, produces_rows="rows",
        ),
        FunctionTool(
            "distribution", run_distribution, DistributionInput, DistributionOutput,
            description="Describes how the values of a column are spread: quantiles, shape, best-fitting family, histogram.",
            goals=(Goal.DISTRIBUTION,), requires=(Requirement(kind="numeric", param="value"),), cost=Cost.HEAVY,
            produces_rows="rows",
        ),
        FunctionTool(
            "geo_summary", run_geo, GeoInput, GeoOutput,
            description="Summarises places given by latitude and longitude: extent, hotspots, distances, invalid coordinates.",
            goals=(Goal.GEO,), data_types=("geospatial",),
            requires=(Requirement(kind="latitude", param="latitude"), Requirement(kind="longitude", param="longitude")),
            cost=Cost.HEAVY, produces_rows="rows",
        ),
    ]  # fmt: skip
