"""Every setting of Gnomon in one place, read from the environment once.

``GNOMON_*`` variables are ours; the ``APP_*`` variables keep the names under which users of the
code-analysis agent know them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from gnomon.core.errors import ConfigurationError

STEP_SECONDS = 3.0
"""How long one retrieval may take where nothing else is set."""

_A_YEAR = 365 * 24 * 3600
_MOST_THREADS = 1_024  # each takes memory of its own
_MOST = 1 << 30

DEFAULT_TENANT = "default"
"""Who works where nobody says who they are."""


def _app(name: str, default: int, description: str) -> Any:
    return Field(default=default, ge=1, validation_alias=f"APP_{name.upper()}", description=description)


_SAID = 200
"""How much of a value is said of one that cannot be used."""
_SECRET = ("_API_TOKEN", "_TENANT_TOKENS", "_MODEL_KEY", "_STORE_URL")


class Settings(BaseModel):
    """Values that change how Gnomon behaves; each names the environment variable that sets it."""

    model_config = ConfigDict(
        frozen=True, populate_by_name=True, extra="ignore", validate_default=True, allow_inf_nan=False
    )

    max_rounds: int = _app("max_rounds", 20, "Rounds of generated code in one analysis.")
    chunk_size: int = _app("chunk_size", 100_000, "Rows in a chunk when a file is streamed.")
    max_file_size_mb: int = _app("max_file_size_mb", 500, "Files larger than this are streamed in chunks.")
    max_data_context_retries: int = Field(
        default=2,
        ge=0,
        validation_alias="APP_MAX_DATA_CONTEXT_RETRIES",
        description="Recoveries from a data-context error within one round.",
    )
    conversation_window_size: int = _app(
        "conversation_window_size", 10, "Pairs of messages that a conversation keeps in full."
    )
    max_parallel_profiles: int = _app("max_parallel_profiles", 4, "Files profiled at the same time.")

    home: Path = Field(
        default=Path("~/.gnomon"), description="Folder of the store, the saved tools and the caches."
    )
    store_url: str | None = Field(
        default=None,
        description="Database of the store, such as postgresql://…; a SQLite file in GNOMON_HOME by default.",
    )
    log_dir: Path = Field(default=Path("logs"), description="Folder of agent_v2.log.")
    memory_limit_mb: int = Field(default=1024, ge=64, description="Memory that the embedded DuckDB may use.")
    threads: int = Field(default=0, ge=0, description="Threads for queries; 0 takes every core.")
    step_timeout_seconds: float = Field(
        default=STEP_SECONDS,
        gt=0,
        description="Time limit of one retrieval step; those of whole answers are never below four times as much.",
    )
    compute_timeout_seconds: float = Field(
        default=60.0, gt=0, description="Time limit of one step that fits a model."
    )
    answer_timeout_seconds: float = Field(
        default=12.0, gt=0, description="Time limit of an answer that shows what the data says."
    )
    insight_timeout_seconds: float = Field(
        default=60.0, gt=0, description="Time limit of an answer that explains."
    )
    open_timeout_seconds: float = Field(
        default=120.0,
        gt=0,
        description="Time limit of opening one source, a file or database with all its tables; and of profiling what was opened.",
    )
    view_timeout_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Time limit of reading one view of a database; a view that takes longer is left out.",
    )
    open_memory_mb: int = Field(
        default=2048,
        ge=256,
        description="Memory that reading a spreadsheet, a view or a doubtful file may take, in a process of its own.",
    )
    max_unpacked_mb: int = Field(
        default=8192, ge=1, description="Largest size to which a compressed file may unpack."
    )
    cache_mb: int = Field(
        default=4096,
        ge=0,
        description="Disk that copies of text files may take in GNOMON_HOME; 0 makes none.",
    )
    plan_budget_seconds: float = Field(default=120.0, gt=0, description="Time limit of a whole plan.")
    max_upload_mb: int = Field(default=100, ge=1, description="Largest upload that the server accepts.")
    max_json_mb: int = Field(
        default=16,
        ge=1,
        description="Largest JSON body that the server accepts; larger data is uploaded as a file.",
    )
    max_open_datasets: int = Field(
        default=8,
        ge=1,
        description="Data sets that the server keeps open; the one used longest ago is closed.",
    )
    requests_per_minute: int = Field(
        default=6000,
        ge=0,
        description="Requests of one caller that the server takes in a minute; 0 for any number.",
    )
    executor: Literal["threads", "processes"] = Field(
        default="threads",
        description="Where light steps run: threads, or processes; steps that fit models always have processes.",
    )
    dask: str | None = Field(
        default=None, description="Address of a Dask scheduler, such as tcp://127.0.0.1:8786."
    )
    disabled_tools: frozenset[str] = Field(
        default=frozenset(), description="Tools switched off, as a JSON list of names."
    )
    encoder: Path | None = Field(
        default=None, description="Folder of another sentence encoder (model.onnx and tokenizer.json)."
    )
    mcp_config: Path | None = Field(default=None, description="An mcp.json that names external MCP servers.")
    data_roots: tuple[Path, ...] = Field(
        default=(), description="Folders whose files HTTP and MCP clients may open by path, as a JSON list."
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=("localhost", "127.0.0.1", "[::1]"),
        description="Host names under which the server answers, as a JSON list.",
    )
    max_concurrent_requests: int = Field(
        default=8,
        ge=1,
        description="Requests that the server works on at the same time; more wait, then are refused.",
    )
    api_token: str | None = Field(default=None, description="Token that HTTP callers must send as a bearer.")
    tenant_tokens: dict[str, SecretStr] = Field(
        default_factory=dict,
        description="Tokens of tenants that see only their own, as a JSON object of names to tokens.",
    )

    domains: Path | None = Field(
        default=None,
        description="Folder of domain files (YAML) that add to how insights are found and what is advised.",
    )
    allow_personal: frozenset[str] = Field(
        default=frozenset(),
        description="Personal columns, or kinds such as email, shown when a question asks for them, as a JSON list.",
    )

    model: str | None = Field(
        default=None,
        description="Name of a language model at GNOMON_MODEL_URL, or the path of a GGUF file; none is needed.",
    )
    model_url: str | None = Field(
        default=None,
        description="OpenAI-compatible address of the model, such as http://127.0.0.1:8080/v1; none for a file.",
    )
    model_key: SecretStr | None = Field(default=None, description="Key that the address asks for.")
    model_output: Literal["json_schema", "tool", "prompted"] = Field(
        default="json_schema", description="How the model is asked for typed output."
    )
    model_prose: bool = Field(
        default=False, description="Whether the model also writes the sentences around the figures."
    )
    model_measure: bool = Field(
        default=True,
        description="Whether a model that was never measured is, in the background, when it is first asked for a query.",
    )
    model_timeout_seconds: float = Field(
        default=12.0, gt=0, description="Time limit of one task of a hosted model."
    )
    local_model_timeout_seconds: float = Field(
        default=60.0, gt=0, description="Time limit of one task of a model on this machine."
    )
    model_tokens_per_run: int = Field(
        default=400_000, ge=1, description="Tokens, read and written, that a model may use for one run."
    )
    model_cost_per_run: float | None = Field(
        default=None, gt=0, description="What one run of a model may cost, in the currency of the prices."
    )
    model_price_in: float = Field(
        default=0.0, ge=0, description="Price of a million tokens that the model reads."
    )
    model_price_out: float = Field(
        default=0.0, ge=0, description="Price of a million tokens that the model writes."
    )
    sandbox: Literal["auto", "bubblewrap", "landlock", "unsafe"] = Field(
        default="auto",
        description="Walls around generated code: the best there are, one by name, or none (unsafe: it can do whatever you can).",
    )
    sandbox_memory_mb: int = Field(default=2048, ge=64, description="Memory that generated code may use.")
    cell_timeout_seconds: float = Field(
        default=60.0, gt=0, description="Time limit of one cell of generated code."
    )
    privacy: Literal["strict", "schema", "aggregates", "full"] = Field(
        default="schema", description="What a language model may see; docs/models.md lists the levels."
    )
    data_privacy: dict[str, Literal["strict", "schema", "aggregates", "full"]] = Field(
        default_factory=dict,
        description="Levels of single files or tables that differ from it, as a JSON object of names and levels.",
    )

    def __init__(self, **given: Any) -> None:
        super().__init__(**_environment(type(self), given), **given)

    @field_validator("*")
    @classmethod
    def _within_reach(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse numbers that no clock, memory or pool of threads can hold."""
        name = info.field_name or ""
        most = _A_YEAR if name.endswith("_seconds") else _MOST_THREADS if name == "threads" else _MOST
        if isinstance(value, (int, float)) and value > most:
            raise PydanticCustomError("too_large", "Input should be at most {most}", {"most": f"{most:,}"})
        return value

    def check_places(self) -> None:
        """See that files and folders that a service is to use are there, so that it says so before it listens.

        Raises:
            ConfigurationError: One is not; the message names the variable.
        """
        for root in self.data_roots:
            if not root.expanduser().is_dir():
                raise ConfigurationError(
                    f"GNOMON_DATA_ROOTS names {str(root)!r}, which is no folder.",
                    suggestions=["Name folders that are there, as a JSON list of their full paths."],
                )
        for field in ("encoder", "domains"):
            folder: Path | None = getattr(self, field)
            if folder is not None and not folder.expanduser().is_dir():
                raise ConfigurationError(
                    f"{self.variable(field)} names {str(folder)!r}, which is no folder.",
                    suggestions=["Name a folder that is there, or leave the variable out."],
                )

    @classmethod
    def load(cls, **overrides: Any) -> Settings:
        """Read the environment; ``overrides`` win over it.

        Raises:
            ConfigurationError: A variable holds a value that cannot be used; the message names it.
        """
        try:
            return cls(**overrides)
        except ValidationError as e:
            raise ConfigurationError(
                "; ".join(_explain(cls, item["loc"], item["msg"], item.get("input")) for item in e.errors()),
                suggestions=["docs/settings.md lists every setting with its default."],
            ) from None

    @property
    def answer_seconds(self) -> float:
        """How long an answer may take: no less than its retrievals need."""
        return max(self.answer_timeout_seconds, 4 * self.step_timeout_seconds)

    @property
    def insight_seconds(self) -> float:
        """How long an explanation may take: no less than its retrievals need."""
        return max(self.insight_timeout_seconds, 4 * self.step_timeout_seconds)

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable that sets ``field``."""
        alias = cls.model_fields[field].validation_alias
        return alias if isinstance(alias, str) else f"GNOMON_{field.upper()}"


def _said(variable: str, value: object) -> str:
    """A variable with what it holds, cut where that is long, and left out where it is a secret."""
    if variable.endswith(_SECRET):
        return variable
    written = repr(value)
    return f"{variable}={written}" if len(written) <= _SAID else f"{variable}={written[:_SAID]}…"


def _explain(cls: type[Settings], loc: tuple[int | str, ...], message: str, value: object) -> str:
    name = str(loc[0]) if loc else "?"
    fields = {cls.variable(f): f for f in cls.model_fields}
    variable = name if name in fields else cls.variable(name) if name in cls.model_fields else name
    return f"{_said(variable, value)} cannot be used: {message[0].lower()}{message[1:]}"


def _environment(cls: type[Settings], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the environment sets and nobody gives, upper and lower case alike; lists and objects are JSON.

    A variable that is empty is as if it was not set.

    Raises:
        ConfigurationError: A variable that should hold JSON does not.
    """
    written = {name.upper(): value for name, value in os.environ.items() if value.strip()}
    found: dict[str, Any] = {}
    for field, info in cls.model_fields.items():
        variable = cls.variable(field)
        if field in given or variable in given or variable not in written:
            continue
        kind, value = str(info.annotation), written[variable]
        try:
            found[field] = json.loads(value) if kind.startswith(("tuple", "frozenset", "dict")) else value
        except (ValueError, RecursionError):
            shown = value if len(value) <= _SAID else "value"
            shape = '{"name": "value"}' if kind.startswith("dict") else json.dumps([shown])
            raise ConfigurationError(
                f"{_said(variable, value)} cannot be used: it has to be JSON.",
                suggestions=[f"{variable}='{shape}'"],
            ) from None
    return found
