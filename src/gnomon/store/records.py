"""What the store gives back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.events import EventKind
from gnomon.core.settings import DEFAULT_TENANT


class _Record(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class StoredEvent(_Record):
    """One thing that happened in a run; never with values from cells."""

    at: datetime
    kind: EventKind
    step: str | None = None
    tool: str | None = None
    fraction: float | None = None
    data: dict[str, Any] = Field(default_factory=dict)


class Run(_Record):
    """One run of a plan.

    Args:
        id: The request id.
        status: ``running``, how it ended, or ``interrupted`` where its process was gone before the end.
        strategy: Single, parallel or sequential.
        tools: The tools of the plan, in order.
        started_at: When it began.
        finished_at: When it ended.
        duration_seconds: How long it took.
        plan: The plan, with rows only counted.
        results: A bounded preview of each step's result.
        tenant: Whose it is.
        kind: ``plan`` for a plan of tools, or what the service did: ``ask``, ``why``, ``insights``, ``analysis``,
            ``investigation``, ``evaluation``.
        session_id: The conversation it belongs to.
        dataset_id: The data set it is about.
        title: What was asked for, in words.
        request: What is needed to do it again.
        answer: What came of it, as it was told.
        progress: ``current_round``, ``max_rounds``, ``fraction`` and ``message``.
        events: What happened, in order; only :meth:`Store.run` fills it.
    """

    id: str
    status: str
    strategy: str = ""
    tools: tuple[str, ...] = ()
    started_at: datetime
    finished_at: datetime | None = None
    duration_seconds: float | None = None
    plan: dict[str, Any] = Field(default_factory=dict)
    results: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    tenant: str = DEFAULT_TENANT
    kind: str = "plan"
    session_id: str | None = None
    dataset_id: str | None = None
    title: str = ""
    request: dict[str, Any] | None = None
    answer: dict[str, Any] | None = None
    progress: dict[str, Any] | None = None
    events: tuple[StoredEvent, ...] = ()


class StoredFile(_Record):
    """One file of a data set: its name, its size, and a digest of its bytes."""

    name: str
    bytes: int
    sha256: str


class StoredDataset(_Record):
    """A data set that the service knows.

    Args:
        id: Cannot be guessed, but for ``demo``.
        tenant: Whose it is.
        name: What people call it.
        origin: ``upload``, ``demo`` or ``opened`` (named when the server started).
        files: What it is made of.
        created_at: Since when it is known.
    """

    id: str
    tenant: str
    name: str
    origin: str
    files: tuple[StoredFile, ...] = ()
    created_at: datetime


class StoredConversation(_Record):
    """A conversation about one data set."""

    session_id: str
    tenant: str
    dataset_id: str
    title: str
    created_at: datetime
    updated_at: datetime


class Turn(_Record):
    """One question of a conversation with its answer.

    Args:
        seq: Its place among all turns.
        run_id: The run that answered it.
        kind: ``ask``, ``why`` or ``insights``.
        question: The words.
        answer: What was told.
        continues: Whether it leans on the turn before.
        at: When.
    """

    seq: int = 0
    run_id: str
    kind: str
    question: str
    answer: dict[str, Any]
    continues: bool = False
    at: datetime


class StoredInvestigation(_Record):
    """An investigation and where it stands.

    Args:
        id: Its handle.
        tenant: Whose it is.
        session_id: The conversation it belongs to.
        dataset_id: The data set it looks at.
        subject: Which table and columns.
        state: The investigation as plain data.
        created_at: When it began.
        updated_at: When its last step ended.
    """

    id: str
    tenant: str
    session_id: str
    dataset_id: str
    subject: dict[str, Any]
    state: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class StoredViolation(_Record):
    """A rule that a question or an answer broke; never with the offending text."""

    run_id: str
    guard: str
    rule: str
    action: str
    at: datetime


class AuditEntry(_Record):
    """Who changed or took what, when, and how it ended."""

    tenant: str
    request_id: str
    action: str
    subject: str
    status: int
    at: datetime


class AccuracySoFar(_Record):
    """How the questions so far went; ``accuracy`` is the share of answers with all three metrics above 0.8."""

    questions: int
    answered: int
    accurate: int
    accuracy: float | None
    relevance: float | None
    correctness: float | None
    completeness: float | None


class SavedTool(_Record):
    """One version of a tool that a user declared."""

    name: str
    version: int
    spec: dict[str, Any]
    created_at: datetime
