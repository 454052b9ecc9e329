"""The chart of a finding: its own rows, drawn in the shape that it asks for."""

from __future__ import annotations

from typing import Any

from gnomon.agents.auto_wording import as_percent, capital, drawn_name, units_of
from gnomon.analytics.insight import Finding, Kind
from gnomon.tools.chart_groups import bar_chart, scatter_chart
from gnomon.tools.chart_series import annotated_series_chart, line_chart, paired_chart


def drawn(finding: Finding, title: str, figure_name: str, group: str) -> dict[str, Any]:
    """A finding as a picture, axes in words with their units.

    Args:
        finding: What was found.
        title: What it says.
        figure_name: What the measured axis is called.
        group: What the groups of its lines are called.
    """
    grid = finding.grid
    rows = [tuple(as_percent(v, u) for v, u in zip(r, units_of(grid), strict=True)) for r in grid.rows]
    if grid.shape == "line":
        return line_chart(title, rows, capital(grid.columns[0]), figure_name)
    if grid.shape == "marked":
        marks = [(at, "") for at, _, marked in rows if marked]
        series = [(at, value) for at, value, _ in rows]
        return annotated_series_chart(title, series, marks, capital(grid.columns[0]), figure_name)
    if grid.shape == "lines":
        long = [(r[0], grid.columns[k], r[k]) for r in rows for k in (1, 2)]
        return line_chart(title, long, capital(grid.columns[0]), figure_name, group=group)
    if grid.shape == "points":
        units = [drawn_name(c, u) for c, u in zip(grid.columns, grid.units, strict=True)]
        return scatter_chart(title, rows, capital(units[0]), capital(units[1]))
    if grid.shape == "two":
        names = [drawn_name(c, u) for c, u in zip(grid.columns[1:], grid.units[1:], strict=True)]
        return paired_chart(title, rows, capital(grid.columns[0]), (capital(names[0]), capital(names[1])))
    bars = [(str(r[0]), r[1]) for r in rows]
    spoken = [s for s in finding.subjects if finding.kind is not Kind.NOTHING]
    return bar_chart(title, bars, capital(grid.columns[0]), figure_name, highlighted=spoken)
