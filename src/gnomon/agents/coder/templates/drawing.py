"""The charts of templates: the one place where they meet what draws."""

from __future__ import annotations

from typing import Any

from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import Metric
from gnomon.tools.chart_frame import Axis, Rows, period_label
from gnomon.tools.chart_groups import bar_chart
from gnomon.tools.chart_series import annotated_series_chart, band_chart, line_chart

__all__ = ["Axis", "axis", "band_chart", "bar_chart", "line_chart", "marked_chart", "period_label"]


def axis(metric: Metric) -> Axis:
    """What a metric is called beside an axis, and the unit of its numbers."""
    return Axis(metric.label, metric.unit)


def marked_chart(title: str, rows: Rows, grain: TimeGranularity, metric: Metric) -> dict[str, Any]:
    """A series with some of its points marked; rows are (time, value, marked)."""
    series = [(at, value) for at, value, _ in rows]
    marks = [(at, "") for at, _, marked in rows if marked]
    return annotated_series_chart(title, series, marks, str(grain), axis(metric), grain=grain)
