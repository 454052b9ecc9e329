"""Tools: one contract, a registry, the built-in ones, and those of external MCP servers."""

from gnomon.tools.contract import CancelToken, Cost, FunctionTool, Requirement, Tool, ToolContext, ToolSpec
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.registry import ToolRegistry

__all__ = [
    "CancelToken",
    "Cost",
    "Frame",
    "FunctionTool",
    "Goal",
    "Requirement",
    "Tool",
    "ToolContext",
    "ToolRegistry",
    "ToolSpec",
]
