"""Pictures of columns that were related: points with their line, averages of groups, how often two values meet, a grid."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from gnomon.agents.figures import listed
from gnomon.agents.telling import Telling
from gnomon.agents.workflow_post import frame_rows
from gnomon.core.studies import Relation
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart, heat_chart, scatter_chart

_SIGNED = ("pearson", "spearman", "kendall")
Pair = dict[str, Any]


def axis_of(t: Telling, column: str) -> Axis:
    """A column as an axis."""
    dimension = t.model.dimension(column)
    return Axis(dimension.label, dimension.unit)


def draw_pair(t: Telling, title: str, output: dict[str, Any], pair: Pair) -> None:
    """The two columns against each other, as their values allow."""
    names, rows = frame_rows(output["shown"])
    if not rows:
        return
    axes = [axis_of(t, n) for n in names[:2]]
    if output["picture"] == "points":
        if any(isinstance(r[1], date) for r in rows):  # time runs from left to right
            rows, axes = tuple((b, a) for a, b in rows), axes[::-1]
        notes = [f"A sample of {len(rows):,} of {pair['n']:,} rows is drawn, the same each time"] if len(rows) < pair["n"] else []  # fmt: skip
        chart = scatter_chart(title, rows, *axes, line=output["line"], notes=notes)
    elif output["picture"] == "averages":
        measured = Axis(f"average {axes[1].label}", axes[1].unit)
        chart = bar_chart(title, rows, axes[0], measured)
    else:
        chart = heat_chart(title, rows, axes[0], axes[1], Axis("number of rows"))
    t.told.charts.append(chart)


def draw_pairs(t: Telling, pairs: Sequence[Pair]) -> None:
    """Every pair as a cell of a grid; those with one column as bars."""
    target = t.request.options(Relation).target
    signed = [p for p in pairs if p["method"] in _SIGNED] or list(pairs)
    notes = ["Only pairs of columns that have an order are drawn"] if len(signed) < len(pairs) else []
    measured, title = Axis("coefficient"), t.told.lead.partition(": ")[0]
    if target is not None:
        bars = [(t.model.dimension(p["second"]).label, _rounded(p)) for p in signed]
        t.told.charts.append(bar_chart(title, bars, "column", measured, notes=notes))
        return
    columns = [c for c in t.request.columns if any(c in (p["first"], p["second"]) for p in signed)]
    held = {frozenset((p["first"], p["second"])): _rounded(p) for p in signed}
    label = {c: t.model.dimension(c).label for c in columns}
    cells = [(label[a], label[b], held.get(frozenset((a, b)))) for b in columns for a in columns]
    span = (-1.0, 1.0) if signed[0]["method"] in _SIGNED else (0.0, 1.0)
    t.told.charts.append(heat_chart(title, cells, "", "", measured, span=span, notes=notes))


def draw_groups(t: Telling, pairs: Sequence[Pair]) -> None:
    """The coefficient of two columns for each group."""
    if len(t.request.columns) > 2 or len(pairs) < 2:
        return
    by = t.request.dimensions[0]
    bars = [(p[by], _rounded(p)) for p in pairs]
    names = listed([t.model.dimension(c).label for c in t.request.columns])
    title = f"Correlation of {names} by {t.model.dimension(by).label}"
    t.told.charts.append(bar_chart(title, bars, axis_of(t, by), Axis("coefficient")))


def _rounded(pair: Pair) -> float:
    return round(pair["coefficient"], 3)
