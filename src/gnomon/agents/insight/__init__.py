"""The Insight Generator: why figures moved, how they compare, where they head, and what to do about it."""

from gnomon.agents.insight.executor import InsightGeneratorExecutor, InsightResult
from gnomon.agents.insight.findings import Finding, Statement
from gnomon.agents.insight.paths import AnalyticalMethod, DomainPath, DomainPathRegistry
from gnomon.agents.insight.routing import DomainAwareRouter
from gnomon.agents.insight.worker import DIAGNOSTIC, InsightWorker

__all__ = [
    "DIAGNOSTIC",
    "AnalyticalMethod",
    "DomainAwareRouter",
    "DomainPath",
    "DomainPathRegistry",
    "Finding",
    "InsightGeneratorExecutor",
    "InsightResult",
    "InsightWorker",
    "Statement",
]
