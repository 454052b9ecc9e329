"""What everything shares: the words of a question's journey, the errors, the settings, the clock."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.core.answer import About, Answer, AnswerStatus, Fact, ResultTable
    from gnomon.core.errors import ErrorCode, ErrorResponse, GnomonError
    from gnomon.core.events import Event, EventKind, EventListener
    from gnomon.core.parts import Comparison, Filter, FilterOperator, Parts, QuestionKind
    from gnomon.core.plan import (
        Conflict,
        ConflictType,
        FallbackOption,
        OutputRef,
        Plan,
        Resolution,
        Severity,
        Step,
        Strategy,
    )
    from gnomon.core.query import (
        AccuracyMetrics,
        AgentType,
        ResponseMetadata,
        SystemResponse,
        TimeGranularity,
        TimeRange,
        UserQuery,
    )
    from gnomon.core.request import Request
    from gnomon.core.settings import Settings

__all__ = [
    "About",
    "AccuracyMetrics",
    "AgentType",
    "Answer",
    "AnswerStatus",
    "Comparison",
    "Conflict",
    "ConflictType",
    "ErrorCode",
    "ErrorResponse",
    "Event",
    "EventKind",
    "EventListener",
    "Fact",
    "FallbackOption",
    "Filter",
    "FilterOperator",
    "GnomonError",
    "OutputRef",
    "Parts",
    "Plan",
    "QuestionKind",
    "Request",
    "Resolution",
    "ResponseMetadata",
    "ResultTable",
    "Settings",
    "Severity",
    "Step",
    "Strategy",
    "SystemResponse",
    "TimeGranularity",
    "TimeRange",
    "UserQuery",
]

_HOMES = {
    "gnomon.core.answer": "About Answer AnswerStatus Fact ResultTable",
    "gnomon.core.errors": "ErrorCode ErrorResponse GnomonError",
    "gnomon.core.events": "Event EventKind EventListener",
    "gnomon.core.plan": "Conflict ConflictType FallbackOption OutputRef Plan Resolution Severity Step Strategy",
    "gnomon.core.query": "AccuracyMetrics AgentType ResponseMetadata SystemResponse TimeGranularity TimeRange UserQuery",
    "gnomon.core.parts": "Comparison Filter FilterOperator Parts QuestionKind",
    "gnomon.core.request": "Request",
    "gnomon.core.settings": "Settings",
}

__getattr__ = exports(__name__, {name: home for home, names in _HOMES.items() for name in names.split()})
