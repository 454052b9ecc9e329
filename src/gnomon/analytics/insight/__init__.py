"""Auto-insight: a table and perhaps a goal in, what is surprising, significant and useful out."""

from gnomon.analytics.insight.finding import Finding, Grid, Kind, Number, View
from gnomon.analytics.insight.scan import Scan, find
from gnomon.analytics.insight.space import Grain, Measure, Space

__all__ = ["Finding", "Grain", "Grid", "Kind", "Measure", "Number", "Scan", "Space", "View", "find"]
