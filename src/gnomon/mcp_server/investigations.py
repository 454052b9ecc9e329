"""The anomaly investigation as stateful tools: each result says what to do next, so that an agent can follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import Field

from gnomon.core.errors import InvalidInput
from gnomon.execution.plain import plain
from gnomon.guardrails.release.cells import CellGuard, strings
from gnomon.guardrails.release.investigation import investigated_columns, told
from gnomon.guardrails.release.rule import AGGREGATES, FULL
from gnomon.mcp_server.calls import Control, Desk
from gnomon.mcp_server.datasets import rows_argument
from gnomon.mcp_server.handles import Handles
from gnomon.mcp_server.own_tools import Input, OwnTool
from gnomon.mcp_server.results import KeptResult, preview
from gnomon.mcp_server.stoppable import StoppableWork
from gnomon.tools import Frame, ToolContext
from gnomon.tools.resolve import read_frame

if TYPE_CHECKING:
    from gnomon.anomaly import InvestigationState

MAX_INVESTIGATIONS = 16


class StartInput(Input):
    """What to investigate."""

    data: dict[str, Any] | list[dict[str, Any]] | str = Field(
        description='{"table": "name"} of an open data set or the handle of earlier rows, {"source": "path"}, or {"rows": […]}.'
    )
    columns: list[str] | None = Field(
        default=None, description="Columns that describe a row; all by default."
    )
    data_type: Literal["tabular", "time_series"] | None = Field(
        default=None, description="What the rows are; found by default."
    )


class HandleInput(Input):
    """Which investigation."""

    investigation: str = Field(description="The handle that investigation_start gave.")


class PlanInput(HandleInput):
    """What the choice of detectors should respect."""

    priority: Literal["balanced", "speed", "accuracy"] = "balanced"
    exclude_detectors: list[str] = Field(default_factory=list, description="Detectors to leave out.")
    max_detectors: int | None = Field(default=None, ge=1, le=3)
    max_seconds: float | None = Field(default=None, gt=0, description="Time that the detectors may take.")
    contamination: float | None = Field(
        default=None, gt=0, le=0.5, description="Share of rows to flag; estimated by default."
    )


class IterateInput(HandleInput):
    """What to change."""

    feedback: str | dict[str, Any] = Field(
        description='In words ("row 7 is normal", "flag 1 %") or as {"action": …}, such as next_action.proposed_change.'
    )


class ReportInput(HandleInput):
    """How to report."""

    format: Literal["text", "json"] = Field(default="text", description="Markdown, or data.")


@dataclass(frozen=True)
class Investigation:
    """One investigation with the guard of the table it looks at."""

    state: InvestigationState
    guard: CellGuard
    own_rows: bool
    known: frozenset[str]


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "investigation": {"type": "string", "description": "Handle for the next call."},
        "phase": {"type": "string", "enum": ["profiled", "planned", "detected", "analyzed"]},
        "iteration": {"type": "integer"},
        "next_action": {
            "type": "object",
            "description": "What to do next: its action names the step (plan, run, analyze, iterate, report_to_user …), with the reason.",
            "properties": {
                "action": {"type": "string"},
                "reason": {"type": "string"},
                "tool": {"type": "string", "description": "The tool to call, where one fits."},
            },
            "required": ["action", "reason"],
        },
        "privacy": {"type": "object"},
    },
    "required": ["investigation", "phase", "iteration", "next_action", "privacy"],
}
REPORT_SCHEMA: dict[str, Any] = {
    **SCHEMA,
    "properties": {**SCHEMA["properties"], "report": {"type": ["string", "object"]}},
    "required": [*SCHEMA["required"], "report"],
}
_TOOL_OF_ACTION = {
    "plan": "investigation_plan",
    "run": "investigation_run",
    "analyze": "investigation_analyze",
    "iterate": "investigation_iterate",
    "recover_detector_failure": "investigation_iterate",
    "report_to_user": "investigation_report",
    "confirm_with_user": "investigation_iterate",
}


class Investigations:
    """The investigations of one server."""

    def __init__(self) -> None:
        self._handles: Handles[Investigation] = Handles("inv", "investigation", MAX_INVESTIGATIONS)
        self._work = StoppableWork()

    def close(self) -> None:
        """Forget them, and end the process that fits detectors."""
        self._handles.close()
        self._work.close()

    def items(self) -> list[tuple[str, Investigation]]:
        """Every investigation with its handle."""
        return self._handles.items()

    def report_text(self, handle: str, desk: Desk) -> str:
        """The report of an analysed investigation as Markdown, without cells."""
        kept = self._handles.get(handle)
        return str(_shown(kept, str(_engine().report(kept.state)), desk))

    def start(self, given: StartInput, desk: Desk, control: Control) -> dict[str, Any]:
        """Profile the rows and open an investigation."""
        known = frozenset(strings(given.model_dump()))
        resolved = desk.datasets.resolve({"data": rows_argument(given.data)}, desk.results)
        context = ToolContext(
            dataset=resolved.dataset, roots=(), settings=desk.workbench.settings, cancel=control.cancel
        )
        data = Frame.of(resolved.arguments["data"])
        columns = given.columns
        if not desk.share_rows:
            found = resolved.inputs["data"]
            first = found.read(list(found.origin.columns)[:1]) if found.origin.columns else ()
            columns = investigated_columns(columns, found.origin, len(first))
        rows = read_frame(data, context, columns)
        if rows.empty:
            raise InvalidInput("There are no rows to investigate.")
        control.cancel.check()
        state = _engine().start(rows, given.data_type)
        guard = resolved.guard.joined([resolved.inputs["data"].guard])
        kept = Investigation(state, guard, desk.share_rows or resolved.own_rows, known)
        return self._told(self._handles.add(kept), kept, desk, {"profile": state.profile})

    def plan(self, given: PlanInput, desk: Desk, control: Control) -> dict[str, Any]:
        """Choose detectors."""
        limits = given.model_dump(exclude={"investigation", "priority"}, exclude_none=True)
        kept = self._branched(given.investigation)
        state = _engine().plan(kept.state, given.priority, {k: v for k, v in limits.items() if v != []})
        return self._keep(given.investigation, kept, state, desk, {"plans": state.plans})

    def run(self, given: HandleInput, desk: Desk, control: Control) -> dict[str, Any]:
        """Fit the detectors, in a process that ends when the call is cancelled."""
        kept = self._branched(given.investigation)
        state = self._work.run(partial(advance, "run"), kept.state, control)
        results = [
            {k: r.get(k) for k in ("detector_name", "status", "error", "n_anomalies", "anomaly_ratio", "runtime_seconds")}
            for r in state.results
        ]  # fmt: skip
        return self._keep(given.investigation, kept, state, desk, {"results": results})

    def analyze(self, given: HandleInput, desk: Desk, control: Control) -> dict[str, Any]:
        """Judge the result and explain the top anomalies."""
        kept = self._branched(given.investigation)
        state = self._work.run(partial(advance, "analyze"), kept.state, control)
        analysis: Mapping[str, Any] = state.analysis or {}
        found = {
            "summary": analysis.get("summary"),
            "quality": state.quality,
            "consensus": analysis.get("consensus_analysis"),
            "best_detector": analysis.get("best_detector"),
            "failed_detectors": analysis.get("failed_detectors", []),
        }
        return self._keep(given.investigation, kept, state, desk, found)

    def iterate(self, given: IterateInput, desk: Desk, control: Control) -> dict[str, Any]:
        """Take feedback into account."""
        kept = self._branched(given.investigation)
        state = _engine().iterate(kept.state, given.feedback)
        kept = replace(kept, known=kept.known | frozenset(strings(given.feedback)))
        return self._keep(given.investigation, kept, state, desk, {"plans": state.plans})

    def report(self, given: ReportInput, desk: Desk, control: Control) -> dict[str, Any]:
        """The report of an analysed investigation."""
        kept = self._handles.get(given.investigation)
        report = _engine().report(kept.state, given.format)
        body = report if isinstance(report, str) else _without_arrays(report)
        return self._told(given.investigation, kept, desk, {"report": body})

    def tools(self) -> Sequence[OwnTool]:
        """The tools of this file."""
        return [
            OwnTool(
                "investigation_start",
                "Begins an anomaly investigation: profiles the rows. Follow next_action in each result; no statistics needed.",
                StartInput, SCHEMA, self.start, read_only=False,
            ),
            OwnTool("investigation_plan", "Chooses up to three detectors for an investigation.", PlanInput, SCHEMA, self.plan, read_only=False),
            OwnTool("investigation_run", "Fits the chosen detectors; can be cancelled.", HandleInput, SCHEMA, self.run, read_only=False),
            OwnTool(
                "investigation_analyze",
                "Judges the result against chance and explains the rows that stand out most.",
                HandleInput, SCHEMA, self.analyze, read_only=False,
            ),
            OwnTool(
                "investigation_iterate",
                "Takes feedback, in words or structured: marks rows, changes the share that is flagged, leaves detectors out.",
                IterateInput, SCHEMA, self.iterate, read_only=False,
            ),
            OwnTool("investigation_report", "The report of an analysed investigation, as Markdown or data.", ReportInput, REPORT_SCHEMA, self.report),
        ]  # fmt: skip

    def _branched(self, handle: str) -> Investigation:
        """A copy to work on, so that a call that fails or is cancelled changes nothing."""
        kept = self._handles.get(handle)
        return replace(kept, state=kept.state.branch())

    def _keep(
        self, handle: str, kept: Investigation, state: InvestigationState, desk: Desk, found: dict[str, Any]
    ) -> dict[str, Any]:
        kept = replace(kept, state=state)
        self._handles.replace(handle, kept)
        return self._told(handle, kept, desk, found)

    def _told(self, handle: str, kept: Investigation, desk: Desk, found: dict[str, Any]) -> dict[str, Any]:
        state = kept.state
        action = dict(state.next_action)
        if tool := _TOOL_OF_ACTION.get(str(action.get("action"))):
            action["tool"] = tool
        body: dict[str, Any] = {
            **plain(_without_arrays(found)),
            "next_action": plain(_without_arrays(action)),
        }
        body = cast("dict[str, Any]", _shown(kept, body, desk))
        result = desk.results.add(KeptResult(body, kept.guard, kept.own_rows, known=kept.known))
        cut = preview(body, result, ())
        sent = {
            "investigation": handle,
            "phase": state.phase,
            "iteration": state.iteration,
            **cut.value,
            "privacy": {"level": FULL if desk.share_rows or kept.own_rows else AGGREGATES, "withheld": []},
        }
        if cut.truncated:
            return {**sent, "truncated": cut.truncated, "result": result}
        desk.results.drop(result)
        return sent


def advance(step: str, state: InvestigationState, progress: Any) -> InvestigationState:
    """One step of an investigation, for a process that can be stopped."""
    if step == "run":
        return _engine().run(state, lambda message, share: progress(share, message))
    return _engine().analyze(state)


def _engine() -> Any:
    from gnomon.anomaly import ADEngine

    return ADEngine(random_state=0)


def _shown(kept: Investigation, value: Any, desk: Desk) -> Any:
    if desk.share_rows or kept.own_rows:
        return value
    return told(value, kept.guard, kept.known | _labels(kept.state), _readings(kept.state))


def _labels(state: InvestigationState) -> frozenset[str]:
    """How rows are called by their place: a place that is also somebody's cell is told like the others."""
    if state.profile.get("data_type") == "time_series" or state.analysis is None:
        return frozenset()
    found = cast("dict[str, Any]", state.analysis["consensus_analysis"])
    return frozenset(f"row {row['index']}" for row in found.get("top_anomalies", []))


def _readings(state: InvestigationState) -> list[str]:
    """The sentences about single rows that an investigation has told, as data and as a table in text show them."""
    series = state.profile.get("data_type") == "time_series"
    found = cast("dict[str, Any]", state.analysis["consensus_analysis"]) if state.analysis is not None else {}
    action = cast("dict[str, Any]", state.next_action)
    rows: list[Any] = [*found.get("top_anomalies", []), *action.get("explanations", [])]
    told_of = [e[k] for e in found.get("episodes", []) for k in ("text", "why", "when", "start", "end")]
    told_of += [r[k] for r in rows for k in ("narrative", "row") if k in r and (series or k != "row")]
    told_of += [why["text"] for r in rows for why in r.get("reasons", [])]
    told_of += [g[k] for g in found.get("groups", []) for k in ("example", "cause")]
    return [form for t in map(str, told_of) for form in (t, t.replace("|", "\\|").replace("\n", " "))]


def _without_arrays(value: Any) -> Any:
    """The same without NumPy arrays and other working data: figures, texts and lists only."""
    if isinstance(value, Mapping):
        given = cast("Mapping[Any, Any]", value)
        dropped = {"scores", "labels", "votes", "p_values", "scores_train", "labels_train", "detector"}
        return {
            str(k): _without_arrays(v)
            for k, v in given.items()
            if k not in dropped and not hasattr(v, "__array__")
        }
    if isinstance(value, (list, tuple)):
        return [_without_arrays(v) for v in cast("Sequence[Any]", value)]
    return value
