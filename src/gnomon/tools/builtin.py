"""The tools that Gnomon brings along."""

from __future__ import annotations

from gnomon.core.settings import Settings
from gnomon.tools.aggregate_tool import aggregate_tools
from gnomon.tools.change_tools import change_tools
from gnomon.tools.charts import chart_tools
from gnomon.tools.inference_tools import inference_tools
from gnomon.tools.investigation_tool import investigation_tools
from gnomon.tools.registry import ToolRegistry
from gnomon.tools.relation_tools import relation_tools
from gnomon.tools.series_tools import series_tools
from gnomon.tools.table_tools import table_tools


def builtin_registry(settings: Settings | None = None) -> ToolRegistry:
    """Every built-in tool; those that the settings switch off stay known, as unavailable."""
    settings = settings or Settings.load()
    tools = [
        *aggregate_tools(),
        *series_tools(),
        *investigation_tools(),
        *relation_tools(),
        *inference_tools(),
        *change_tools(),
        *table_tools(),
        *chart_tools(),
    ]
    return ToolRegistry(tools, disabled=settings.disabled_tools)
