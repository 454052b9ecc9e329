"""What a tool is: a typed function with the metadata that planning works from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gnomon.core.errors import Cancelled, InvalidInput
from gnomon.core.settings import Settings
from gnomon.core.stopping import insisting

if TYPE_CHECKING:
    import duckdb

    from gnomon.data import Dataset
    from gnomon.data.table import SetAside


class Cost(StrEnum):
    """Where a tool's time goes, and so where it runs.

    ``LIGHT`` tools query or do arithmetic and run in a thread; ``HEAVY`` tools fit models and run in a
    process that can be killed; ``REMOTE`` tools wait for somebody else.
    """

    LIGHT = "light"
    HEAVY = "heavy"
    REMOTE = "remote"


class Requirement(BaseModel):
    """Columns that a tool cannot do without: at least ``count`` of a kind, bound to ``param``.

    ``kind`` is ``numeric``, ``time``, ``categorical``, ``latitude``, ``longitude`` or ``any``.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    kind: str = Field(pattern="^(numeric|time|categorical|latitude|longitude|any)$")
    count: int = Field(default=1, ge=1)
    param: str | None = None


class ToolSpec(BaseModel):
    """Everything that is known about a tool without running it.

    Args:
        name: Unique in the registry; tools of external servers are called ``server.tool``.
        description: One or two sentences for people and models.
        goals: What it is for, in the vocabulary of planning (``detect_anomalies``, ``forecast``, …).
        data_types: Kinds of data it serves (``timeseries``, ``tabular``, ``categorical``, ``geospatial``,
            ``text``); empty serves all.
        requires: Columns it cannot do without.
        input_schema: JSON Schema of its parameters.
        output_schema: JSON Schema of its result.
        produces_rows: The field of its result that holds rows another tool can take, if any.
        chart_rows: The field that a chart should show, where it is another one.
        cost: Where its time goes.
        version: Changes when the same input may give another output.
        origin: ``builtin``, ``saved`` or ``mcp:SERVER``.
        read_only: Whether it leaves the world as it found it.
        timeout_seconds: How long one call may take; None takes the limit of its cost.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    # The length beside the pattern: a repetition that counts takes long to get ready.
    name: str = Field(pattern=r"^[A-Za-z][\w.-]*$", max_length=128)
    description: str = Field(min_length=1)
    goals: tuple[str, ...] = ()
    data_types: tuple[str, ...] = ()
    requires: tuple[Requirement, ...] = ()
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    produces_rows: str | None = None
    chart_rows: str | None = None
    cost: Cost = Cost.LIGHT
    version: str = "1"
    origin: str = "builtin"
    read_only: bool = True
    timeout_seconds: float | None = Field(default=None, gt=0)

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The schema of each parameter, by name."""
        return self.input_schema.get("properties", {})

    @property
    def required_parameters(self) -> tuple[str, ...]:
        """The parameters that have no default."""
        return tuple(self.input_schema.get("required", ()))

    @property
    def endpoint(self) -> str:
        """Where the tool lives, as plans publish it."""
        return (
            f"{self.origin}://{self.name}"
            if not self.origin.startswith("mcp:")
            else f"{self.origin}/{self.name}"
        )


class CancelToken:
    """A request to stop, and what to interrupt when it comes."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask to stop; interrupts whatever is registered. Safe to call twice and from any thread."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    @contextmanager
    def interrupting(self, callback: Callable[[], None]) -> Generator[None]:
        """Call ``callback`` when the request to stop comes while the block runs."""
        with self._lock:
            if self._event.is_set():
                raise Cancelled("The work was cancelled before it began.")
            self._callbacks.append(callback)
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    def check(self) -> None:
        """Stop here when asked to.

        Raises:
            Cancelled: Somebody asked to stop.
        """
        if self._event.is_set():
            raise Cancelled("The work was cancelled.")


def _ignore(fraction: float, message: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class ToolContext:
    """What a tool may use while it runs: the open data, the settings, a way to report and to be stopped.

    ``roots`` are the folders whose files may be opened by address; None allows every address, as is
    right for the user at their own machine and wrong for anybody who calls from outside. ``set_aside`` is where
    it is put down what the tables hold and no figure uses, once they are opened.
    """

    dataset: Dataset | None = None
    roots: tuple[Path, ...] | None = None
    settings: Settings = field(default_factory=Settings.load)
    cancel: CancelToken = field(default_factory=CancelToken)
    progress: Callable[[float, str], None] = _ignore
    set_aside: list[SetAside] = field(default_factory=list["SetAside"])

    @contextmanager
    def cursor(self) -> Generator[duckdb.DuckDBPyConnection]:
        """A connection of this call's own, whose running query is interrupted on cancellation."""
        import duckdb

        from gnomon.data.connection import in_memory

        cursor = self.dataset.cursor() if self.dataset else in_memory()
        try:
            with insisting(cursor.interrupt) as end, self.cancel.interrupting(end):
                yield cursor
        except duckdb.InterruptException:
            raise Cancelled("The running query was interrupted.") from None
        finally:
            cursor.close()


@runtime_checkable
class Tool(Protocol):
    """Anything that can be planned and invoked."""

    @property
    def spec(self) -> ToolSpec:
        """What is known about the tool without running it."""
        ...

    def unavailable(self) -> str | None:
        """Why the tool cannot run here and now, or None when it can."""
        ...

    def __call__(self, params: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run with ``params`` and give the result as plain data (rows as :class:`Frame`).

        Raises:
            GnomonError: Bad input, a missing part, a failure, or cancellation, each typed.
        """
        ...


@lru_cache(maxsize=1024)
def schema_of(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The JSON schema of a type; making one takes longer than opening a small file, so each is made once."""
    return model.model_json_schema(mode=mode)


class FunctionTool:
    """A tool made of a typed Python function.

    Args:
        name: The tool's name.
        function: Takes an instance of ``takes`` and the context, gives an instance of ``gives``.
        takes: The parameters as a pydantic model.
        gives: The result as a pydantic model.
        needs_module: A module that must be importable, with the extra that installs it.
        input_schema: The schema of ``takes`` as it is told, where that says more than the type itself.
        metadata: The remaining fields of :class:`ToolSpec`.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[Any, ToolContext], BaseModel],
        takes: type[BaseModel],
        gives: type[BaseModel],
        needs_module: tuple[str, str] | None = None,
        input_schema: dict[str, Any] | None = None,
        **metadata: Any,
    ) -> None:
        self._function = function
        self._takes = takes
        self._gives = gives
        self._needs_module = needs_module
        self._spec = ToolSpec(
            name=name,
            input_schema=input_schema or schema_of(takes, "validation"),
            output_schema=schema_of(gives, "serialization"),
            **metadata,
        )

    @property
    def spec(self) -> ToolSpec:
        """What is known about the tool without running it."""
        return self._spec

    def unavailable(self) -> str | None:
        """Why the tool cannot run here and now, or None when it can."""
        if self._needs_module:
            from importlib.util import find_spec

            module, extra = self._needs_module
            if find_spec(module) is None:
                return f"it needs the optional part '{extra}' (pip install 'gnomon[{extra}]')"
        return None

    def validated(self, params: dict[str, Any]) -> BaseModel:
        """The parameters as the type that the function takes.

        Raises:
            InvalidInput: They do not fit.
        """
        try:
            return self._takes.model_validate(params)
        except ValidationError as e:
            raise invalid_parameters(self._spec.name, e, self._spec.parameters) from None

    def __call__(self, params: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """Validate, run, and give the result field by field."""
        given = self.validated(params)
        context.cancel.check()
        own = replace(context, set_aside=[])
        result = self._function(given, own).model_dump()
        if left := _of_use(own.set_aside, params):
            result["notes"] = list(dict.fromkeys([*result.get("notes", ()), *left]))
        return result


def _of_use(set_aside: list[SetAside], params: dict[str, Any]) -> list[str]:
    """The notes on rows, and on cells of the columns that a call names; on all cells where it names none of them."""
    said = str({k: v for k, v in params.items() if k != "data"})
    named = any(s.column in said for s in set_aside if s.column is not None)
    return [s.said for s in set_aside if s.column is None or not named or s.column in said]


def invalid_parameters(tool: str, error: ValidationError, known: dict[str, Any]) -> InvalidInput:
    """A validation error as one paragraph that names each parameter and what it should have been."""
    problems: list[str] = []
    for item in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in item["loc"]) or "the parameters"
        problems.append(f"{where}: {item['msg'].removeprefix('Value error, ')}")
    return InvalidInput(
        f"{tool} cannot use these parameters: {'; '.join(problems[:5])}.",
        suggestions=[f"It takes {', '.join(known)}."] if known else [],
    )
