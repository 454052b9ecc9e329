"""One call of one tool: its tables found, run where it can be stopped, its output made fit to be sent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import GnomonError
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.execution.binding import takes_rows
from gnomon.guardrails.release.cells import strings
from gnomon.guardrails.release.origin import OWN, UNKNOWN
from gnomon.guardrails.release.rule import (
    AGGREGATES,
    FULL,
    Release,
    prepared,
    released,
    safe_error,
    shares_rows,
)
from gnomon.guardrails.release.traced import TracedRows
from gnomon.mcp_server.datasets import OpenDataset, OpenDatasets, Resolved, rows_argument, tables_of
from gnomon.mcp_server.handles import Handles
from gnomon.mcp_server.results import MAX_RESULTS, KeptResult, preview
from gnomon.mcp_server.schemas import output_schema, words
from gnomon.tools import CancelToken, Frame, FunctionTool, ToolSpec
from gnomon.tools.saved import SavedPlanTool
from gnomon.workbench import Workbench

if TYPE_CHECKING:
    from gnomon.core.answer import Option

Progress = Callable[[float, str], None]
MAX_CHOICES = 256


@dataclass(frozen=True)
class Control:
    """How a call can be stopped, and whom it tells how far it is."""

    cancel: CancelToken
    progress: Progress


@dataclass(frozen=True)
class Choice:
    """One way in which a question about a data set may be meant, until it is picked or forgotten."""

    option: Option
    opened: OpenDataset


class Desk:
    """What every call of one server shares: the workbench, open data sets, kept results, the privacy level.

    Args:
        workbench: Where tools are and run.
        share_rows: Whether rows may leave.
        files: What was named when the server started.
    """

    def __init__(self, workbench: Workbench, *, share_rows: bool = False, files: Iterable[str] = ()) -> None:
        self.workbench = workbench
        self.share_rows = share_rows = share_rows or shares_rows(workbench.settings)
        self.level = FULL if share_rows else AGGREGATES
        self.datasets = OpenDatasets(workbench.settings, tuple(files), share_rows=share_rows)
        self.results: Handles[KeptResult] = Handles("r", "result", MAX_RESULTS)
        self.choices: Handles[Choice] = Handles("o", "option", MAX_CHOICES)
        # Who may call a service of several tenants may be anyone of them, and none is to teach the others words.
        self.learns = not workbench.settings.tenant_tokens
        self._known_words: dict[tuple[str, str], frozenset[str]] = {}

    def close(self) -> None:
        """Close the data sets and forget the results."""
        self.results.close()
        self.choices.close()
        self.datasets.close()

    def call(self, name: str, arguments: Mapping[str, Any], control: Control) -> dict[str, Any]:
        """Run a tool of the registry and give what may be sent of its output.

        Raises:
            GnomonError: It cannot run, or failed; the message holds no cells.
        """
        known = frozenset(strings(dict(arguments)))
        parameters = self.workbench.registry.get(name).spec.parameters
        rows = {k for k, schema in parameters.items() if takes_rows(schema)}
        ready = {k: rows_argument(v) if k in rows else v for k, v in arguments.items()}
        resolved = self.datasets.resolve(ready, self.results, rows)
        try:
            release = self._released(name, resolved, control)
        except GnomonError as e:
            raise self.safe_error(e, resolved, known) from None
        return self.present(name, release, resolved, known)

    def _released(self, name: str, resolved: Resolved, control: Control) -> Release:
        """What may be told of the output of a tool; of one that a user declared, of its last step."""
        if self.share_rows or resolved.own_rows:
            output = self._run(name, resolved, control)
            frames = frozenset(k for k, v in output.items() if isinstance(v, Frame))
            return Release(output, dict.fromkeys(frames, OWN), frames)
        tool = self.workbench.registry.get(name)
        if isinstance(tool, SavedPlanTool):
            return self._followed(tool, resolved, control)
        if isinstance(tool, FunctionTool):
            tool.validated(dict(resolved.arguments))  # the rule reads them as what they are declared to be
        ready = replace(resolved, arguments=prepared(tool.spec, resolved.arguments, resolved.inputs))
        output = self._run(name, ready, control)
        return released(name, output, ready.arguments, ready.inputs)

    def _followed(self, tool: SavedPlanTool, resolved: Resolved, control: Control) -> Release:
        """A declared tool step by step, so that its rows can be followed to their sources."""
        done: dict[str, Release] = {}
        release = Release({})
        for step in tool.steps(resolved.arguments):
            spec = self.workbench.registry.get(step.tool).spec
            arguments, inputs = dict(step.params), dict[str, TracedRows]()
            for name, ref in step.inputs.items():
                field = ref.field or spec.produces_rows or ""
                value = done[ref.step].output[field]
                arguments[name] = value
                if isinstance(value, Frame):
                    origin = done[ref.step].origins.get(field, UNKNOWN)
                    inputs[name] = TracedRows(
                        value, origin, self.workbench.settings, sources_of=tables_of(resolved.guard)
                    )
            if "data" in spec.parameters and "data" not in arguments and "data" in resolved.inputs:
                arguments["data"], inputs["data"] = resolved.arguments["data"], resolved.inputs["data"]
            release = done[step.id] = self._released(
                step.tool, replace(resolved, arguments=arguments, inputs=inputs), control
            )
        return release

    def _run(self, name: str, resolved: Resolved, control: Control) -> dict[str, Any]:
        settings = self.workbench.settings
        step = Step(
            id="call",
            tool=name,
            params=resolved.arguments,
            retry_count=0,
            timeout_seconds=settings.compute_timeout_seconds,
        )

        def listen(event: Event) -> None:
            if event.step and event.kind is EventKind.STARTED:
                control.progress(0.0, "started")
            elif event.kind is EventKind.PROGRESS and event.fraction is not None:
                control.progress(event.fraction, event.message)

        done = self.workbench.layer.invoke(
            Plan(strategy=Strategy.SINGLE, steps=(step,)),
            request_id=f"mcp-{uuid.uuid4()}",
            dataset=resolved.dataset,
            cancel=control.cancel,
            roots=(),
            listeners=[listen],
        ).steps[0]
        if done.error is not None:
            raise done.error
        return done.output

    def present(
        self, name: str, release: Release, resolved: Resolved, known: frozenset[str]
    ) -> dict[str, Any]:
        """What is sent of an output: cut, masked, with a handle to the rest."""
        free = self.share_rows or resolved.own_rows
        passing = known | self._words(self.workbench.registry.get(name).spec)
        guard = resolved.guard.joined([release.guard])
        kept = KeptResult(release.output, guard, free, release.open_rows, passing, release.origins)
        handle = self.results.add(kept)
        cut = preview(release.output, handle, release.open_rows, release.origins, release.uncounted)
        value = cut.value if free else guard.masked(cut.value, passing)
        envelope: dict[str, Any] = {
            "privacy": {"level": FULL if free else AGGREGATES, "withheld": release.notes}
        }
        if cut.truncated:
            envelope["truncated"] = cut.truncated
        if cut.truncated or any(isinstance(v, Frame) for v in release.output.values()):
            envelope["result"] = handle
        else:
            self.results.drop(handle)
        return {**value, **envelope}

    def _words(self, spec: ToolSpec) -> frozenset[str]:
        key = (spec.name, spec.version)
        if key not in self._known_words:
            self._known_words[key] = frozenset(words(output_schema(spec)))
        return self._known_words[key]

    def safe_error(self, error: GnomonError, resolved: Resolved, known: frozenset[str]) -> GnomonError:
        """The same error without cells in what it says."""
        if self.share_rows or resolved.own_rows:
            return error
        guard = resolved.guard.joined(t.guard for t in resolved.inputs.values())
        return safe_error(error, guard, known)


def as_text(value: Any) -> str:
    """JSON data as the text that accompanies structured content."""
    return json.dumps(value, ensure_ascii=False, default=str)
