"""What of an analysis may be sent: rows that came with the request go back, rows of this machine stay.

The rule is the one of :mod:`gnomon.guardrails.release`; this file only finds the rows that each step worked on.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import GnomonError, PolicyViolation, UnfitRows
from gnomon.execution.binding import takes_rows
from gnomon.execution.plain import plain
from gnomon.guardrails.release.apart import apart
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard, TableCells, spoken, strings
from gnomon.guardrails.release.origin import OWN, UNKNOWN, Origin
from gnomon.guardrails.release.rule import (
    AGGREGATES,
    FULL,
    Release,
    enough,
    prepared,
    released,
    safe_error,
    shares_rows,
)
from gnomon.guardrails.release.traced import TracedRows, persons_in
from gnomon.tools.contract import Cost, ToolContext
from gnomon.tools.frames import Frame, SourceAddress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.core.plan import Step
    from gnomon.execution import InvocationResult
    from gnomon.execution.results import StepResult
    from gnomon.tools.contract import ToolSpec
    from gnomon.workbench import Analysis, Workbench

_MOST_SAID = 200
"""How many texts of a request are quoted back by the word; of rows that came with it, only whole cells are."""


class Published:
    """The published form of one analysis.

    Args:
        workbench: Where it was made.
        data: The rows of the request, or where they are.
        said: Everything that the caller sent; none of it is withheld from them.
    """

    def __init__(self, workbench: Workbench, data: Frame | None, said: Any) -> None:
        self._workbench = workbench
        self._data = data
        self._known = frozenset(w for text in islice(strings(said), _MOST_SAID) for w in spoken(text)) | {
            *strings(said)
        }
        self._files: dict[str, TracedRows] = {}
        self._origins: dict[str, dict[str, Origin]] = {}
        self._guards: list[CellGuard] = []
        self._held: set[str] = set()
        self._told: dict[tuple[str, str], Frame] = {}
        self._again: dict[str, dict[str, Any]] = {}

    def of(self, analysis: Analysis) -> dict[str, Any]:
        """What may be sent of ``analysis``."""
        body = self._workbench.published(analysis)
        if shares_rows(self._workbench.settings):
            return {**body, "privacy": {"level": FULL, "withheld": []}}
        with ExitStack() as files:
            notes = self._steps(analysis, body["result"]["results"], files)
            _count_withheld(body)
            guard = CellGuard().joined(self._guards)
            level = AGGREGATES if guard.sources else FULL
            body = cast("dict[str, Any]", guard.masked(body, self._known | _names(analysis)))
        return {**body, "privacy": {"level": level, "withheld": notes}}

    def _steps(self, analysis: Analysis, results: list[dict[str, Any]], files: ExitStack) -> list[str]:
        """Replace each output by what may be told of it; says what was withheld."""
        notes: list[str] = []
        planned = {s.id: s for s in analysis.plan.steps} if analysis.plan is not None else {}
        for done, told in zip(analysis.result.steps, results, strict=True):
            step = planned.get(done.step_id)
            if step is None:
                told["output"] = {}
                continue
            spec = self._workbench.registry.get(done.tool_id).spec
            try:
                arguments, inputs = self._inputs(step, spec, analysis.result, files)
                self._guards += [t.guard for t in inputs.values()]
                if any(ref.step in self._held for ref in step.inputs.values()):
                    raise PolicyViolation("It works on the rows of a step of which nothing is told.")
                # Also of what failed: whether and why it did may tell of few rows, and of closed columns.
                enough(inputs)
                if not all(t.origin.own for t in inputs.values()):
                    prepared(spec, arguments, inputs)
                    if isinstance(done.error, UnfitRows):
                        raise apart()
                output = self._output(step, done, arguments)
                release = released(done.tool_id, output, arguments, inputs)
                self._origins[step.id] = self._as_told(step.id, release, output)
            except GnomonError as e:
                release = Release({}, dict.fromkeys(done.output, UNKNOWN))
                told |= {"tool_id": step.tool, "status": "withheld", "error": e.message}
                self._held.add(step.id)
                self._origins[step.id] = release.origins
            if done.error is not None and told["status"] != "withheld":
                guard = CellGuard().joined(self._guards)
                told["error"] = safe_error(done.error, guard, self._known).message
            told["output"] = {
                k: _told(v, k in release.open_rows, counted=k not in release.uncounted)
                for k, v in release.output.items()
            }
            notes += release.notes
        return list(dict.fromkeys(notes))

    def _inputs(
        self, step: Step, spec: ToolSpec, result: InvocationResult, files: ExitStack
    ) -> tuple[dict[str, Any], dict[str, TracedRows]]:
        """The arguments that a step ran with, and the rows among them with where they come from."""
        arguments: dict[str, Any] = dict(step.params)
        inputs: dict[str, TracedRows] = {}
        if self._data is not None and "data" in spec.parameters:
            arguments.setdefault("data", self._data)
        for name, value in arguments.items():
            if takes_rows(spec.parameters.get(name, {})) and value is not None and name not in step.inputs:
                inputs[name] = self._traced(Frame.of(value), files)
        for name, ref in step.inputs.items():
            giver = self._workbench.registry.get(result.step(ref.step).tool_id).spec
            output = self._again.get(ref.step) or result.step(ref.step).output
            field = ref.field or giver.produces_rows or ""
            arguments[name] = value = self._told.get((ref.step, field), output.get(field))
            if isinstance(value, Frame):
                origin = self._origins.get(ref.step, {}).get(field, UNKNOWN)
                inputs[name] = TracedRows(value, origin, self._workbench.settings, sources_of=self._tables())
        return arguments, inputs

    def _output(self, step: Step, done: StepResult, arguments: dict[str, Any]) -> dict[str, Any]:
        """What a step gave; where it worked on rows of which fewer are told, or rounded ones, what it gives over those."""
        changed = {s for s, _ in self._told} | {*self._again}
        if done.error is not None or not any(ref.step in changed for ref in step.inputs.values()):
            return done.output
        tool, settings = self._workbench.registry.get(done.tool_id), self._workbench.settings
        if tool.spec.cost is not Cost.LIGHT:
            raise PolicyViolation(
                "It worked on groups of which some are not told.", suggestions=["Ask for it alone."]
            )
        context = ToolContext(dataset=None, roots=tuple(settings.data_roots), settings=settings)
        self._again[step.id] = tool(arguments, context)
        return self._again[step.id]

    def _as_told(self, step: str, release: Release, output: dict[str, Any]) -> dict[str, Origin]:
        """Where the rows of each field come from as the next step takes them: those that are told, as they are told.

        A tool that takes long is not run again over them: of what it made of the others nothing is told.
        """
        for name, origin in release.origins.items():
            before, after = output.get(name), release.output.get(name)
            if not (isinstance(before, Frame) and isinstance(after, Frame)):
                continue
            if origin.own and release.guard.sources and not before.arrow.equals(after.arrow):
                self._told[step, name] = after
        return release.origins

    def _tables(self) -> tuple[TableCells, ...]:
        """The tables that the steps before read: which groups a condition left none of is judged by them."""
        opened = [(t.dataset, t) for t in self._files.values()]
        return tuple(
            TableCells(d, d.table(str(t.frame.content)), t.origin) for d, t in opened if d is not None
        )

    def _traced(self, frame: Frame, files: ExitStack) -> TracedRows:
        if not isinstance(frame.content, SourceAddress):
            return TracedRows(frame, OWN, self._workbench.settings)
        address = str(frame.content)
        if address not in self._files:
            settings = self._workbench.settings
            self._files[address] = open_traced(address, settings.data_roots, settings, files)
        return self._files[address]


def open_traced(address: str, roots: Sequence[Path], settings: Any, files: ExitStack) -> TracedRows:
    """The only table of a file of this machine, open until ``files`` is closed."""
    from gnomon.data import open_sources, profile_table

    dataset = files.enter_context(open_sources(address, settings=settings, roots=roots))
    table = next(iter(dataset))
    persons = partial(persons_in, dataset, settings)
    origin = Origin.of_table(table.name, profile_table(dataset, table.name), persons)
    return TracedRows(Frame.of({"table": table.name}), origin, settings, dataset)


def _told(value: Any, share: bool, *, counted: bool) -> Any:
    if not isinstance(value, Frame) or share:
        return plain(value)
    columns = [{"name": f.name, "type": str(f.type)} for f in value.arrow.schema]
    return {"row_count": len(value) if counted and len(value) >= MIN_ROWS else None, "columns": columns}


def _names(analysis: Analysis) -> frozenset[str]:
    """Words of the plan that are no cells: tools, parameters, statuses."""
    return frozenset(strings([s.tool for s in analysis.plan.steps] if analysis.plan is not None else []))


def _count_withheld(body: dict[str, Any]) -> None:
    """Steps of which nothing is told count as failed: whether they did would tell of few rows."""
    result = body["result"]
    held = [told["status"] == "withheld" for told in result["results"]]
    if any(held):
        done = sum(told["status"] == "success" for told in result["results"])
        result["status"] = body["tool_meta"]["invocation_status"] = "partial_success"
        result["summary"] |= {"successful": done, "failed": len(held) - done}
