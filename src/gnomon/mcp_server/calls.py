"""One call of one tool: its tables found, run where it can be stopped, its output made fit to be sent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.core.errors import GnomonError
from gnomon.core.events import Event, EventKind
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.execution.binding import takes_rows
from gnomon.mcp_server.cells import strings
from gnomon.mcp_server.datasets import OpenDatasets, Resolved, rows_argument
from gnomon.mcp_server.disclosure import Disclosure, disclosed
from gnomon.mcp_server.handles import Handles
from gnomon.mcp_server.results import MAX_RESULTS, KeptResult, preview
from gnomon.mcp_server.schemas import output_schema, words
from gnomon.tools import CancelToken, Frame, ToolContext, ToolSpec
from gnomon.workbench import Workbench

Progress = Callable[[float, str], None]
FULL = "full"
AGGREGATES = "aggregates"


@dataclass(frozen=True)
class Control:
    """How a call can be stopped, and whom it tells how far it is."""

    cancel: CancelToken
    progress: Progress


class Desk:
    """What every call of one server shares: the workbench, open data sets, kept results, the privacy level.

    Args:
        workbench: Where tools are and run.
        share_rows: Whether rows may leave.
        files: What was named when the server started.
    """

    def __init__(self, workbench: Workbench, *, share_rows: bool = False, files: Iterable[str] = ()) -> None:
        self.workbench = workbench
        self.share_rows = share_rows
        self.level = FULL if share_rows else AGGREGATES
        self.datasets = OpenDatasets(workbench.settings, tuple(files), share_rows=share_rows)
        self.results: Handles[KeptResult] = Handles("r", "result", MAX_RESULTS)
        self._known_words: dict[tuple[str, str], frozenset[str]] = {}

    def close(self) -> None:
        """Close the data sets and forget the results."""
        self.results.close()
        self.datasets.close()

    def call(self, name: str, arguments: Mapping[str, Any], control: Control) -> dict[str, Any]:
        """Run a tool of the registry and give what may be sent of its output.

        Raises:
            GnomonError: It cannot run, or failed; the message holds no cells.
        """
        known = frozenset(strings(dict(arguments)))
        parameters = self.workbench.registry.get(name).spec.parameters
        ready = {
            k: rows_argument(v) if takes_rows(parameters.get(k, {})) else v for k, v in arguments.items()
        }
        resolved = self.datasets.resolve(ready, self.results)
        try:
            output = self._run(name, resolved, control)
        except GnomonError as e:
            raise self.safe_error(e, resolved, known) from None
        return self.present(name, output, resolved, known)

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
        self, name: str, output: dict[str, Any], resolved: Resolved, known: frozenset[str]
    ) -> dict[str, Any]:
        """What may be sent of an output: withheld, cut, masked, with a handle to the rest."""
        free = self.share_rows or resolved.own_rows
        registry = self.workbench.registry
        if free:
            frames = frozenset(k for k, v in output.items() if isinstance(v, Frame))
            shown = Disclosure(output, frames)
        else:
            context = ToolContext(dataset=resolved.dataset, roots=(), settings=self.workbench.settings)
            shown = disclosed(name, output, resolved.arguments, registry, context)
        passing = known | self._words(registry.get(name).spec)
        kept = KeptResult(shown.output, resolved.guard, resolved.own_rows, shown.open_rows, passing)
        handle = self.results.add(kept)
        cut = preview(shown.output, handle, shown.open_rows)
        value = cut.value if free else resolved.guard.masked(cut.value, passing)
        envelope: dict[str, Any] = {
            "privacy": {"level": FULL if free else AGGREGATES, "withheld": shown.notes}
        }
        if cut.truncated:
            envelope["truncated"] = cut.truncated
        if cut.truncated or any(isinstance(v, Frame) for v in shown.output.values()):
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
        message, suggestions = resolved.guard.masked([error.message, list(error.suggestions)], known)
        error.args = (message,)
        error.message, error.suggestions = message, tuple(suggestions)
        return error


def as_text(value: Any) -> str:
    """JSON data as the text that accompanies structured content."""
    return json.dumps(value, ensure_ascii=False, default=str)
