"""The code analyst: generated code and templates on files, with findings as facts and no cell shown to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.agents.coder.agent import DataAnalysisAgent
    from gnomon.agents.coder.record import AnalysisRecord, Cell, Progress, RecordStatus, Section
    from gnomon.agents.coder.templates import (
        TEMPLATE_REGISTRY,
        AnalysisTemplate,
        get_template,
        list_templates,
    )

__all__ = [
    "TEMPLATE_REGISTRY",
    "AnalysisRecord",
    "AnalysisTemplate",
    "Cell",
    "DataAnalysisAgent",
    "Progress",
    "RecordStatus",
    "Section",
    "get_template",
    "list_templates",
]

_HOMES = {
    "gnomon.agents.coder.agent": "DataAnalysisAgent",
    "gnomon.agents.coder.record": "AnalysisRecord Cell Progress RecordStatus Section",
    "gnomon.agents.coder.templates": "TEMPLATE_REGISTRY AnalysisTemplate get_template list_templates",
}

__getattr__ = exports(__name__, {name: home for home, names in _HOMES.items() for name in names.split()})
