"""The charts of templates: the one place where they meet what draws."""

from __future__ import annotations

from gnomon.reporting.answer_charts import band_chart, bar_chart, line_chart, marked_chart

__all__ = ["band_chart", "bar_chart", "line_chart", "marked_chart"]
