"""What requests and responses look like; the OpenAPI description is made of these and of the examples beside them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gnomon.core.errors import ErrorCode
from gnomon.core.parts import Parts
from gnomon.store import AccuracySoFar, StoredFile

Identifier = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.\-]+$")]
Question = Annotated[str, Field(min_length=1, max_length=2000, description="In words, in English.")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Failure(BaseModel):
    """What every error looks like."""

    success: Literal[False] = False
    error_code: ErrorCode
    message: str
    suggestions: list[str] | None = None
    retryable: bool = False
    request_id: str
    details: list[dict[str, Any]] | None = None


class DatasetInfo(BaseModel):
    """A data set."""

    id: str
    name: str
    origin: Literal["upload", "demo", "opened"]
    files: list[StoredFile]
    created_at: datetime
    ready: bool = Field(description="Whether it is open, so that a question need not wait for that.")


class DatasetList(BaseModel):
    """The data sets of a tenant, its own first."""

    datasets: list[DatasetInfo]


class DatasetAdded(DatasetInfo):
    """An uploaded data set, and the run that opens it."""

    run_id: str


class ProfileTold(BaseModel):
    """What the tables hold, and what can be asked about them."""

    dataset_id: str
    profile: dict[str, Any] = Field(
        description="`tables` with their columns, `joins`, `failures`, `warnings`."
    )
    vocabulary: dict[str, list[dict[str, Any]]] = Field(
        description="`metrics` and `dimensions` with their labels."
    )
    suggestions: list[str]
    last_day: date | None


class ValuesTold(BaseModel):
    """The most frequent values of a dimension."""

    dimension: str
    label: str
    personal: bool
    values: list[dict[str, Any]]


class Forgotten(BaseModel):
    """What was removed with a data set."""

    id: str
    removed: dict[str, int] = Field(description="How many runs, files and log lines went with it.")


class AskBody(_Body):
    """A question, the first or the next of a session, or a choice of an answer before."""

    question: Question | None = Field(default=None, description="In words; left out where `pick` says it.")
    pick: Annotated[int, Field(ge=1, le=100)] | Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")] | None = (
        Field(
            default=None,
            description="What is meant, of `picks`: its place in the last answer of the session, or its id. What it teaches is remembered.",
        )
    )
    dataset_id: Identifier | None = Field(
        default=None, description="What it is about; the session's own, else the demo store."
    )
    session_id: Identifier | None = Field(
        default=None, description="What binds questions together; one is made when it is left out."
    )
    today: date | None = Field(
        default=None,
        ge=date(1000, 1, 1),
        le=date(9000, 12, 31),
        description="The day that 'last month' refers to.",
    )
    corrected: Parts | None = Field(
        default=None, description="A reading to take instead of the words: one of reading.parts, changed."
    )
    wait: bool = Field(default=True, description="False answers at once with the run to watch.")

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        if (self.question is None) == (self.pick is None):
            raise ValueError("Send a question, or with its session what is picked of an answer.")
        if self.pick is not None and (self.session_id is None or self.corrected is not None):
            raise ValueError("What is picked goes with its session, and without a corrected reading.")
        return self


class InsightsBody(_Body):
    """What to look for, if anything in particular."""

    goal: Annotated[str, Field(max_length=2000)] | None = Field(
        default=None, description="What it is for, in words; it steers the order and never adds a finding."
    )
    dataset_id: Identifier | None = Field(default=None, description="The session's own, else the demo store.")
    session_id: Identifier | None = None
    top: int = Field(default=10, ge=1, le=50)
    wait: bool = Field(default=True, description="False answers at once with the run to watch.")


class InsightsTold(BaseModel):
    """What stands out, the most telling first; `prose`, `facts`, `tables` and `charts` as in an answer."""

    run_id: str
    session_id: str | None
    dataset_id: str | None
    status: str
    prose: str
    insights: list[dict[str, Any]] = Field(
        description="Each with title, sentence, kind, facts, table, chart, effect, chance, test, rows."
    )
    tests: int
    rows: int
    notes: list[str]
    suggestions: list[str]

    model_config = ConfigDict(extra="allow")


class ReadingTold(BaseModel):
    """How a question was understood."""

    status: str | None
    said: list[str] = Field(description="In words, one for each part of the question.")
    requests: list[dict[str, Any]] = Field(
        description="As data: the question and its tree of the algebra, under `ask`."
    )
    parts: list[dict[str, Any]] = Field(
        default=[], description="The same part by part; change one and send it as `corrected`."
    )
    labels: dict[str, str] = Field(
        default={}, description="What the metrics and dimensions of the requests are called."
    )
    notes: list[str]
    missing: list[str]
    continues: bool = Field(description="Whether it leans on the questions before.")
    ask: dict[str, Any] | None = Field(
        default=None, description="What was made of it as a checked tree; null where nothing was."
    )
    own: bool = Field(
        default=False, description="Whether that tree was read here, or picked, and is answered as it is."
    )


class PickTold(BaseModel):
    """One way in which a question may be meant, already computed; send `place` or `id` as `pick` to have it answered."""

    place: int = Field(description="From 1.")
    id: str
    said: str = Field(description="What it takes words for, or leaves out.")
    question: str = Field(description="The question as it is meant.")
    leaves: list[str] = Field(description="Words that it leaves out.")
    prose: str = Field(description="What it comes to, in words.")
    facts: list[dict[str, Any]] = Field(description="What it comes to, as in an answer.")
    word: str = Field(description="The word that is remembered when it is picked; empty where none is.")
    name: str = Field(description="The metric, dimension or rows of a table that the word then means.")
    requests: list[dict[str, Any]] = Field(
        description="How it is read, where its words alone would be asked back about."
    )
    notes: list[str]
    ask: dict[str, Any] | None = Field(description="The checked tree of it; null where there is none.")
    privacy: str | None


class TableTold(BaseModel):
    """Rows of an answer; at most 1,000 of `total_rows`."""

    name: str
    columns: list[str]
    rows: list[list[Any]]
    rates: list[str] = Field(description="Columns that hold parts of one.")
    units: list[str | None] = Field(
        default=[], description="The unit of each row, where the rows are different figures."
    )
    total_rows: int


class AnswerTold(BaseModel):
    """The answer to a question; also the answer to why and to what stands out."""

    run_id: str
    session_id: str | None
    dataset_id: str | None
    question: str
    status: Literal["answered", "partial", "clarify", "out_of_domain", "out_of_scope", "error"]
    prose: str
    reading: ReadingTold
    facts: list[dict[str, Any]] = Field(description="Each with name, value, unit, about, step and query.")
    tables: list[TableTold]
    charts: list[dict[str, Any]] = Field(description="Vega-Lite specifications.")
    plan: dict[str, Any] | None
    suggestions: list[str]
    options: list[str] = Field(description="Where the question has two readings: what it could mean.")
    picks: list[PickTold] = Field(
        default=[], description="The same computed, to pick from, the likeliest first."
    )
    picked: str | None = Field(
        default=None, description="The id of the choice that this answers, if one was picked."
    )
    timings: dict[str, float]
    agent: str | None
    privacy: str | None = Field(description="The level at which a language model was used; null for none.")
    error_code: str | None
    accuracy: dict[str, float] | None

    model_config = ConfigDict(extra="allow")


class Status(BaseModel):
    """A run as a progress bar needs it."""

    run_id: str
    session_id: str | None
    kind: str
    status: str
    is_running: bool
    current_round: int
    max_rounds: int
    progress_percentage: float
    status_message: str
    error_code: str | None


class RunInfo(BaseModel):
    """One run in a list."""

    id: str
    kind: str
    status: str
    title: str
    session_id: str | None
    dataset_id: str | None
    started_at: datetime
    finished_at: datetime | None
    duration_seconds: float | None
    can_repeat: bool


class RunList(BaseModel):
    """The latest runs, newest first."""

    runs: list[RunInfo]


class RunTold(RunInfo):
    """A run with what was asked, what came of it and what happened on the way."""

    request: dict[str, Any] | None
    answer: dict[str, Any] | None
    progress: dict[str, Any] | None
    tools: list[str]
    plan: dict[str, Any]
    results: list[dict[str, Any]]
    events: list[dict[str, Any]]
    artefacts: list[str]


class RowsOfTable(TableTold):
    """Rows of the data that went into a number."""

    hidden: list[str] = Field(description="Personal columns, which are left out.")


class RowsTold(BaseModel):
    """The rows behind a number, a part for each table that was summed up."""

    fact: str
    parts: list[RowsOfTable]


class Egress(BaseModel):
    """What was sent to a language model because of a run, byte for byte."""

    run_id: str
    entries: list[dict[str, Any]]


class Replayed(BaseModel):
    """Whether doing a run again gave the same."""

    run_id: str
    replays: str
    same: bool
    differences: list[dict[str, Any]]
    answer: dict[str, Any]


class TurnTold(BaseModel):
    """One question of a conversation."""

    run_id: str
    kind: str
    question: str
    answer: dict[str, Any]
    continues: bool
    at: datetime


class ConversationInfo(BaseModel):
    """A conversation in a list."""

    session_id: str
    dataset_id: str
    title: str
    created_at: datetime
    updated_at: datetime


class ConversationList(BaseModel):
    """The conversations of a tenant, the latest used first."""

    conversations: list[ConversationInfo]


class ConversationTold(ConversationInfo):
    """A conversation with its turns."""

    turns: list[TurnTold]


class InvestigateBody(_Body):
    """What to investigate."""

    dataset_id: Identifier = "demo"
    table: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Needed where there are several tables."
    )
    columns: list[Annotated[str, Field(max_length=200)]] | None = Field(default=None, max_length=200)
    data_type: Literal["tabular", "time_series"] | None = None
    session_id: Identifier | None = None


class PlanBody(_Body):
    """What the choice of detectors should respect."""

    priority: Literal["balanced", "speed", "accuracy"] = "balanced"
    exclude_detectors: list[Annotated[str, Field(max_length=60)]] = Field(default_factory=list, max_length=50)
    max_detectors: int | None = Field(default=None, ge=1, le=3)
    max_seconds: float | None = Field(default=None, gt=0, le=600)
    contamination: float | None = Field(default=None, gt=0, le=0.5)


class StepBody(_Body):
    """A step without choices."""

    wait: bool = Field(default=True, description="False answers at once with the run to watch.")


class FeedbackBody(_Body):
    """What to change, in words or as data."""

    feedback: Annotated[str, Field(min_length=1, max_length=2000)] | dict[str, Any] = Field(
        description='"row 7 is normal", "flag 1 %", or {"action": …}, such as next_action.proposed_change.'
    )


class InvestigationTold(BaseModel):
    """An investigation, where it stands, and what to do next."""

    investigation_id: str
    session_id: str
    dataset_id: str
    subject: dict[str, Any]
    phase: Literal["profiled", "planned", "detected", "analyzed"]
    iteration: int
    next_action: dict[str, Any] = Field(
        description="`action` with `reason`, and `call`: the request to send next."
    )
    profile: dict[str, Any]
    plans: list[dict[str, Any]]
    results: list[dict[str, Any]]
    analysis: dict[str, Any] | None
    quality: dict[str, Any] | None
    scores: dict[str, Any] | None = Field(
        description="For a score plot: `index`, `score`, `flagged`, `threshold`; thinned to 5,000 points."
    )
    history: list[dict[str, Any]]
    labels: dict[str, int]

    model_config = ConfigDict(extra="allow")


class InvestigationList(BaseModel):
    """Investigations, the latest used first."""

    investigations: list[dict[str, Any]]


class ReportTold(BaseModel):
    """The report of an investigation."""

    investigation_id: str
    format: Literal["text", "json"]
    report: str | dict[str, Any]


class TemplateInfo(BaseModel):
    """A template of analyses."""

    name: str
    display_name: str
    description: str


class StartBody(_Body):
    """An analysis with code that Gnomon writes and runs in its sandbox."""

    requirement: Annotated[str, Field(max_length=4_000)] = Field(
        default="", description="What is wanted, in words; a template needs none."
    )
    files: list[Identifier] = Field(
        default_factory=lambda: ["demo"], min_length=1, max_length=10, description="Ids of data sets."
    )
    template: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="The name of a template; none for a free analysis."
    )
    session_id: Identifier | None = None


class EvaluateBody(_Body):
    """Which questions to ask."""

    split: Literal["dev", "held"] | None = "dev"
    limit: int = Field(default=40, ge=1, le=500)


class EvaluationTold(BaseModel):
    """Running accuracy, by all questions and by data set, and the latest evaluation on the demo store."""

    running: AccuracySoFar
    violations: list[dict[str, Any]]
    latest: dict[str, Any] | None


class ToolTold(BaseModel):
    """A tool with its schemas, and why it is not available where it is not."""

    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    origin: str
    version: str
    endpoint: str
    available: bool
    reason: str | None

    model_config = ConfigDict(extra="allow")


class ToolsTold(BaseModel):
    """The tools of a tenant."""

    tools: list[ToolTold]


class AuditTold(BaseModel):
    """Who changed or took what, newest first."""

    entries: list[dict[str, Any]]


class Health(BaseModel):
    """That the service is up."""

    status: Literal["ok"]
    version: str
    tools: int
