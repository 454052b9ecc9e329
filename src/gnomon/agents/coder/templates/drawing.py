"""The charts of templates: the one place where they meet what draws."""

from __future__ import annotations

from typing import Any

from gnomon.tools.chart_frame import Rows
from gnomon.tools.chart_groups import bar_chart
from gnomon.tools.chart_series import annotated_series_chart, band_chart, line_chart

__all__ = ["band_chart", "bar_chart", "line_chart", "marked_chart"]


def marked_chart(title: str, rows: Rows, x: str, y: str) -> dict[str, Any]:
    """A series with some of its points marked; rows are (time, value, marked)."""
    series = [(at, value) for at, value, _ in rows]
    return annotated_series_chart(title, series, [(at, "") for at, _, marked in rows if marked], x, y)
