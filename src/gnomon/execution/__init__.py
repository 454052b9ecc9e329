"""From a plan to results: steps run side by side, each with its limits, retries, fallback and events."""

from gnomon.execution.layer import MCPToolsInvocationLayer
from gnomon.execution.log import LogWriter, PipelineLog
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
