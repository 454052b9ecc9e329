"""The Insight Generator: why figures moved, how they compare, where they head, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
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

_HOMES = {
    "executor": ("InsightGeneratorExecutor", "InsightResult"),
    "findings": ("Finding", "Statement"),
    "paths": ("AnalyticalMethod", "DomainPath", "DomainPathRegistry"),
    "routing": ("DomainAwareRouter",),
    "worker": ("DIAGNOSTIC", "InsightWorker"),
}
__getattr__ = exports(
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}
)
