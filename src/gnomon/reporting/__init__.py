"""What people look at: charts as pictures."""

from gnomon.reporting.charts import render_svg, write_chart

__all__ = ["render_svg", "write_chart"]
