"""What everything shares: the words of a question's journey, the errors, the settings, the clock."""

from gnomon.core.answer import About, Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import ErrorCode, ErrorResponse, GnomonError
from gnomon.core.events import Event, EventKind, EventListener
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
from gnomon.core.request import Comparison, Filter, FilterOperator, QuestionKind, Request
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
