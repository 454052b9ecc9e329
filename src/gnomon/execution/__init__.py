"""From a plan to results: steps run side by side, each with its limits, retries, fallback and events."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports
from gnomon.execution.layer import MCPToolsInvocationLayer
from gnomon.execution.results import (
    FeedbackRequest,
    InvocationResult,
    InvocationStatus,
    PublishedInvocation,
    StepResult,
    StepStatus,
)
from gnomon.execution.retry import RetryPolicy
from gnomon.execution.slots import ProcessSlots

if TYPE_CHECKING:
    from gnomon.execution.log import LogWriter, PipelineLog

__all__ = [
    "FeedbackRequest",
    "InvocationResult",
    "InvocationStatus",
    "LogWriter",
    "MCPToolsInvocationLayer",
    "PipelineLog",
    "ProcessSlots",
    "PublishedInvocation",
    "RetryPolicy",
    "StepResult",
    "StepStatus",
]

# What is logged is written by those who ask for a log.
__getattr__ = exports(__name__, dict.fromkeys(("LogWriter", "PipelineLog"), "gnomon.execution.log"))
