"""From words to a plan: what a prompt asks for, which tools serve it, in what order, and what stands in the way."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.planning.chaining import MCPToolsChainingManager
    from gnomon.planning.context import ContextExtractor, ContextMetadata, ExtractedContext
    from gnomon.planning.publish import PublishedPlan, published_plan

__all__ = [
    "ContextExtractor",
    "ContextMetadata",
    "ExtractedContext",
    "MCPToolsChainingManager",
    "PublishedPlan",
    "published_plan",
]

__getattr__ = exports(
    __name__,
    {
        "ContextExtractor": "gnomon.planning.context",
        "ContextMetadata": "gnomon.planning.context",
        "ExtractedContext": "gnomon.planning.context",
        "MCPToolsChainingManager": "gnomon.planning.chaining",
        "PublishedPlan": "gnomon.planning.publish",
        "published_plan": "gnomon.planning.publish",
    },
)
