"""Step two: from a context and the available tools to a plan, its conflicts and its fallbacks.

``python -m gnomon.planning.chaining "Forecast sales after removing outliers"`` shows it at work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gnomon.core import (
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
from gnomon.planning.binding import axes, bind, sources_of
from gnomon.planning.characteristics import ColumnKinds
from gnomon.planning.context import ExtractedContext
from gnomon.planning.filters import applied_elsewhere, filter_condition, last_periods
from gnomon.planning.goal_reading import PREPARING, GoalReading, parse_label
from gnomon.planning.unmatched import absent_in_formulas, other_form, unmatched_conflicts
from gnomon.tools import Cost, Goal, Tool, ToolRegistry, ToolSpec

_INSTEAD: dict[Goal, tuple[Goal, ...]] = {
    Goal.DETECT_ANOMALIES: (Goal.INVESTIGATE_ANOMALIES, Goal.DISTRIBUTION),
    Goal.INVESTIGATE_ANOMALIES: (Goal.DETECT_ANOMALIES, Goal.DISTRIBUTION),
    Goal.FORECAST: (Goal.TREND, Goal.SEASONALITY),
    Goal.TREND: (Goal.CHANGE_POINTS, Goal.DISTRIBUTION),
    Goal.SEASONALITY: (Goal.TREND, Goal.DISTRIBUTION),
    Goal.CHANGE_POINTS: (Goal.TREND, Goal.DETECT_ANOMALIES),
    Goal.SEGMENTS: (Goal.DISTRIBUTION, Goal.PROFILE),
    Goal.CORRELATION: (Goal.REGRESSION, Goal.PROFILE),
    Goal.REGRESSION: (Goal.CORRELATION, Goal.PROFILE),
    Goal.TEST: (Goal.DISTRIBUTION, Goal.CORRELATION),
    Goal.GEO: (Goal.PROFILE, Goal.DISTRIBUTION),
    Goal.CLEAN: (Goal.DETECT_ANOMALIES,),
    Goal.DISTRIBUTION: (Goal.PROFILE,),
    Goal.AGGREGATE: (Goal.PROFILE,),
}
"""What else says something useful when a goal cannot be served."""


class MCPToolsChainingManager:
    """Plans which tools to call, in which order, with which parameters.

    Args:
        tool_registry: The tools that exist.
    """

    def __init__(self, tool_registry: ToolRegistry) -> None:
        self.tool_registry = tool_registry

    def plan(
        self, context: ExtractedContext | Mapping[str, Any], *, choices: Mapping[str, Any] | None = None
    ) -> Plan:
        """A plan for ``context``: valid, of available tools only, with every conflict named.

        Args:
            context: What :class:`ContextExtractor` gave, or its published form.
            choices: What the user chose where an earlier plan asked: parameters by name, ``tool`` for
                another tool in place of one that is not available, ``goal``, or which goal comes ``first``.
        """
        asked = context if isinstance(context, ExtractedContext) else _from_published(context)
        asked = _with_choices(asked, choices or {})
        reading = asked.reading
        if reading.main is None:
            return self._unclear(reading)
        if cycle := _circle(reading):
            return Plan(strategy=Strategy.SEQUENTIAL, conflicts=(cycle,), reasoning=cycle.description)
        asked, unmet = self._limited(asked)
        reading = asked.reading
        steps, conflicts = self._steps(reading, asked, (choices or {}).get("tool"))
        planned = [(step, self.tool_registry.get(step.tool).spec) for step in steps]
        nouns = [*unmatched_conflicts(asked, planned, choices or {}), *absent_in_formulas(asked, planned)]
        conflicts = [c for c in conflicts if c.subject not in {n.subject for n in nouns}]
        conflicts += [
            *nouns,
            *other_form(asked),
            *_ambiguities(reading),
            *unmet,
            *_unused(asked, steps, choices or {}, {c.subject.partition(".")[2] for c in conflicts}),
        ]
        stopped = any(
            c.severity is Severity.HIGH and c.resolution is not Resolution.AUTO_SELECT for c in conflicts
        )
        return Plan(
            strategy=_strategy(steps),
            steps=tuple(steps),
            conflicts=tuple(conflicts),
            reasoning=_reasoning(reading, asked, steps, stopped=stopped),
            fallbacks=tuple(self._fallbacks(reading, asked, steps)),
        )

    def _limited(self, asked: ExtractedContext) -> tuple[ExtractedContext, list[Conflict]]:
        """Limits on the rows become a filter step; those that nothing can apply are named."""
        can_filter = bool(self._ready(Goal.FILTER))
        conditions: list[str] = list(asked.parameters.get("conditions", ())) if can_filter else []
        unmet: list[Conflict] = []
        kept: dict[str, Any] = {}
        for limit in asked.constraints:
            if can_filter and (condition := filter_condition(limit, asked.kinds)):
                conditions.append(condition)
            elif can_filter and not kept and (latest := last_periods(limit, asked.kinds)):
                kept = latest
            elif not applied_elsewhere(limit, asked.parameters.values()):
                unmet.append(_unmet(limit))
        if not conditions and not kept:
            return asked, unmet
        reading = replace(
            asked.reading, goals=(Goal.FILTER, *(g for g in asked.reading.goals if g is not Goal.FILTER))
        )
        if conditions:
            kept["condition"] = (
                " and ".join(f"({c})" for c in conditions) if len(conditions) > 1 else conditions[0]
            )
        return replace(asked, reading=reading, parameters={**asked.parameters, **kept}), unmet

    def _steps(
        self, reading: GoalReading, asked: ExtractedContext, chosen: object = None
    ) -> tuple[list[Step], list[Conflict]]:
        steps: list[Step] = []
        conflicts: list[Conflict] = []
        made: dict[Goal, tuple[Step, ToolSpec]] = {}
        for goal in reading.goals:
            tool, found = self._choose(goal, asked, chosen)
            conflicts += found
            if tool is None:
                continue
            rows_from = _rows_for(goal, reading, made)
            params, problems = bind(tool.spec, asked, has_rows=bool(rows_from) or bool(asked.kinds.columns))
            conflicts += problems
            if goal is Goal.CHART and not {*made} - {*PREPARING}:
                params |= axes(asked, params)
            step = _step(
                len(steps) + 1, tool.spec, params, rows_from, self._substitute(goal, tool.spec, asked)
            )
            steps.append(step)
            made[goal] = (step, tool.spec)
        return _numbered(steps), conflicts

    def _choose(
        self, goal: Goal, asked: ExtractedContext, chosen: object
    ) -> tuple[Tool | None, list[Conflict]]:
        serving = self.tool_registry.serving(goal)
        ready = [t for t in serving if self.tool_registry.unavailable(t.spec.name) is None]
        if (
            isinstance(chosen, str)
            and chosen in self.tool_registry
            and self.tool_registry.unavailable(chosen) is None
        ):
            picked = self.tool_registry.get(chosen)
            if not ready or picked in ready:
                return picked, []
        ranked = sorted(ready, key=lambda t: _fit(t.spec, asked))
        first = min(serving, key=lambda t: _fit(t.spec, asked)) if serving else None
        if ranked and ranked[0] is first:
            return ranked[0], []
        if ranked and first is not None:
            return ranked[0], [self._replaced(first, ranked[0])]
        return None, [self._unserved(goal, serving)]

    def _replaced(self, wanted: Tool, taken: Tool) -> Conflict:
        reason = self.tool_registry.unavailable(wanted.spec.name)
        return Conflict(
            type=ConflictType.TOOL_UNAVAILABLE,
            severity=Severity.LOW,
            description=f"{wanted.spec.name} is not available: {reason}. {taken.spec.name} serves the same goal.",
            resolution=Resolution.AUTO_SELECT,
            subject=wanted.spec.name,
            options=(taken.spec.name,),
        )

    def _unserved(self, goal: Goal, serving: list[Tool]) -> Conflict:
        others = tuple(t.spec.name for g in _INSTEAD.get(goal, ()) for t in self._ready(g))
        if serving:
            reasons = "; ".join(
                f"{t.spec.name}: {self.tool_registry.unavailable(t.spec.name)}" for t in serving
            )
            return Conflict(
                type=ConflictType.TOOL_UNAVAILABLE,
                severity=Severity.HIGH,
                description=f"No tool for {goal.value} is available ({reasons}).",
                resolution=Resolution.USER_FEEDBACK,
                subject=serving[0].spec.name,
                options=(*others, "create_new"),
            )
        return Conflict(
            type=ConflictType.TOOL_UNAVAILABLE,
            severity=Severity.HIGH,
            description=f"There is no tool for {goal.value}.",
            resolution=Resolution.CREATE_NEW,
            subject=goal.value,
            options=(*others, "create_new"),
        )

    def _ready(self, goal: Goal) -> list[Tool]:
        return [
            t for t in self.tool_registry.serving(goal) if self.tool_registry.unavailable(t.spec.name) is None
        ]

    def _substitute(self, goal: Goal, taken: ToolSpec, asked: ExtractedContext) -> str | None:
        """Another available tool that serves the same goal from the same rows, for when this one fails."""
        for tool in sorted(self._ready(goal), key=lambda t: _fit(t.spec, asked)):
            if tool.spec.name != taken.name and tool.spec.produces_rows == taken.produces_rows:
                _, problems = bind(tool.spec, asked, has_rows=True)
                if not any(p.severity is Severity.HIGH for p in problems):
                    return tool.spec.name
        return None

    def _fallbacks(
        self, reading: GoalReading, asked: ExtractedContext, steps: list[Step]
    ) -> list[FallbackOption]:
        """Other valid ways: the main goal alone, then its neighbours."""
        options: list[FallbackOption] = []
        seen = {tuple(s.tool for s in steps)}
        main = reading.main
        wanted = (main, *_INSTEAD.get(main, ())) if main else ()
        for goal in wanted:
            made, conflicts = self._steps(GoalReading((goal,), (), goal), asked)
            tools = tuple(s.tool for s in made)
            if made and tools not in seen and not any(c.severity is Severity.HIGH for c in conflicts):
                seen.add(tools)
                options.append(FallbackOption(option=f"use_{made[0].tool}", steps=tuple(made)))
        return options

    def _unclear(self, reading: GoalReading) -> Plan:
        goals = sorted({g for t in self.tool_registry.available() for g in t.spec.goals})
        conflict = Conflict(
            type=ConflictType.AMBIGUOUS_GOAL,
            severity=Severity.HIGH,
            description="The prompt does not say what to do with the data.",
            resolution=Resolution.USER_FEEDBACK,
            options=tuple(goals),
        )
        return Plan(strategy=Strategy.SINGLE, conflicts=(conflict,), reasoning=conflict.description)


def _from_published(context: Mapping[str, Any]) -> ExtractedContext:
    """A context that came as plain data."""
    told = context.get("data_characteristics") or {}
    numeric = tuple(told.get("numeric_columns") or ())
    categorical = tuple(told.get("categorical_columns") or ())
    time = tuple(told.get("time_columns") or (("time",) if told.get("has_timestamps") else ()))
    kinds = ColumnKinds(
        row_count=int(told.get("row_count") or 0),
        numeric=numeric,
        categorical=categorical,
        time=time,
        columns=(*time, *numeric, *categorical),
    )
    return ExtractedContext(
        reading=parse_label(str(context.get("goal", ""))) or GoalReading((), (), None),
        constraints=tuple(context.get("constraints") or ()),
        data_type=str(context.get("data_type") or kinds.data_type or "unknown"),
        kinds=kinds,
        parameters=dict(context.get("parameters") or {}),
        user_preferences=dict(context.get("user_preferences") or {}),
    )


def _with_choices(asked: ExtractedContext, choices: Mapping[str, Any]) -> ExtractedContext:
    if goal := choices.get("goal"):
        asked = replace(asked, reading=parse_label(str(goal)) or asked.reading)
    if first := choices.get("first"):
        goal = str(first).removesuffix("_first")
        before = tuple((a, b) for a, b in asked.reading.before if b.value != goal)
        asked = replace(asked, reading=replace(asked.reading, before=before))
    rest = {
        k: _joined(asked.parameters.get(k), v)
        for k, v in choices.items()
        if k not in _CHOICES | _OF_THE_WORDS
    }
    return replace(asked, parameters={**asked.parameters, **rest}) if rest else asked


def _joined(told: Any, chosen: Any) -> Any:
    """One column chosen for a noun stands beside those that the words named; a list stands for itself."""
    return [*told, chosen] if isinstance(told, list) and isinstance(chosen, str) else chosen  # pyright: ignore[reportUnknownVariableType]


_CHOICES = {"goal", "tool", "first"}
_OF_THE_WORDS = {"conditions", "read_as", "unmatched"}
"""What the words of a task were read as, in a form of its own; no parameter of any tool."""
_TOLD = ("group_by", "grain", "top", "threshold", "confidence", "clusters", "bins", "horizon", "window", "significance",
         "contamination", "expression", "radius_km", "test_size", "season", "method")  # fmt: skip


def _unused(
    asked: ExtractedContext, steps: list[Step], choices: Mapping[str, Any], named: set[str]
) -> list[Conflict]:
    """Values that the caller states and no planned tool takes: nothing is dropped in silence."""
    taken = named | {source for step in steps for param in step.params for source in sources_of(param)}
    taken |= (
        {"group_by"}
        if any([step.params["x"]] == asked.parameters.get("group_by") for step in steps if "x" in step.params)
        else set()
    )
    return [
        Conflict(
            type=ConflictType.INVALID_PARAMETER,
            severity=Severity.LOW,
            description=f"{name} = {asked.parameters[name]} is not used: no planned tool takes it.",
            resolution=Resolution.AUTO_SELECT,
            subject=name,
        )
        for name in dict.fromkeys((*_TOLD, *(c for c in choices if c not in _CHOICES)))
        if steps and name in asked.parameters and name not in taken
    ]


def _unmet(limit: str) -> Conflict:
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.MEDIUM,
        description=f"The limit '{limit}' was not applied: no planned tool can.",
        resolution=Resolution.AUTO_SELECT,
        subject=limit,
    )


def _circle(reading: GoalReading) -> Conflict | None:
    """Two goals that each have to come before the other."""
    pairs = set(reading.before)
    for a, b in reading.before:
        if (b, a) in pairs or _reaches(b, a, pairs):
            return Conflict(
                type=ConflictType.DEPENDENCY_CYCLE,
                severity=Severity.HIGH,
                description=f"{a.value} and {b.value} are each asked to come before the other.",
                resolution=Resolution.USER_FEEDBACK,
                options=(f"{a.value}_first", f"{b.value}_first"),
            )
    return None


def _reaches(start: Goal, end: Goal, pairs: set[tuple[Goal, Goal]]) -> bool:
    seen: set[Goal] = set()
    frontier = [start]
    while frontier:
        goal = frontier.pop()
        if goal == end:
            return True
        seen.add(goal)
        frontier += [b for a, b in pairs if a == goal and b not in seen]
    return False


def _ambiguities(reading: GoalReading) -> list[Conflict]:
    if not reading.ambiguous or reading.main is None:
        return []
    names = (reading.main.value, *(g.value for g in reading.ambiguous))
    return [
        Conflict(
            type=ConflictType.AMBIGUOUS_GOAL,
            severity=Severity.LOW,
            description=f"The prompt can mean {' or '.join(names)}; it was read as {names[0]}.",
            resolution=Resolution.AUTO_SELECT,
            options=names,
        )
    ]


def _fit(spec: ToolSpec, asked: ExtractedContext) -> tuple[int, int, int]:
    """How badly a tool fits: columns it lacks, kind of data it is not for, cost."""
    kinds = asked.kinds
    lacking = sum(len(kinds.of_kind(r.kind)) < r.count for r in spec.requires) if kinds.columns else 0
    other_kind = int(bool(spec.data_types) and asked.data_type not in spec.data_types)
    return lacking, other_kind, int(spec.cost is Cost.HEAVY)


_OPEN = "open_periods"


def _rows_for(
    goal: Goal, reading: GoalReading, made: dict[Goal, tuple[Step, ToolSpec]]
) -> tuple[Step, str, ToolSpec] | None:
    """The earlier step whose rows this goal works on, with the field that holds them, and its tool."""
    for earlier, (step, spec) in reversed(made.items()):
        feeds = earlier in PREPARING or goal is Goal.CHART or (earlier, goal) in reading.before
        rows = (spec.chart_rows if goal is Goal.CHART else None) or spec.produces_rows
        if feeds and rows:
            return step, rows, spec
    return None


def _step(
    number: int,
    spec: ToolSpec,
    params: dict[str, Any],
    rows_from: tuple[Step, str, ToolSpec] | None,
    substitute: str | None,
) -> Step:
    inputs = {"data": OutputRef(step=rows_from[0].id, field=rows_from[1])} if rows_from else {}
    if rows_from and "title" in spec.parameters and "title" not in params:
        inputs["title"] = OutputRef(step=rows_from[0].id, field="summary")
    if rows_from and _OPEN in spec.parameters and _OPEN in rows_from[2].output_schema.get("properties", {}):
        inputs[_OPEN] = OutputRef(step=rows_from[0].id, field=_OPEN)
    retries = 3 if spec.cost is Cost.REMOTE else 1
    return Step(
        id=f"s{number}",
        tool=spec.name,
        params=params,
        inputs=inputs,
        retry_count=retries,
        fallback=substitute,
    )


def _numbered(steps: list[Step]) -> list[Step]:
    """Steps with the order in which they can run: one more than the latest they wait for."""
    order: dict[str, int] = {}
    for step in steps:
        order[step.id] = 1 + max((order[n] for n in step.needs), default=0)
    return [s.model_copy(update={"order": order[s.id]}) for s in steps]


def _strategy(steps: list[Step]) -> Strategy:
    if len(steps) <= 1:
        return Strategy.SINGLE
    return Strategy.SEQUENTIAL if any(s.needs for s in steps) else Strategy.PARALLEL


def _reasoning(reading: GoalReading, asked: ExtractedContext, steps: list[Step], *, stopped: bool) -> str:
    goals = ", ".join(g.value for g in reading.goals)
    if not steps:
        return f"Asked for {goals} on {asked.data_type} data; no tool can be planned."
    tools = (
        " → ".join(s.tool for s in steps) if any(s.needs for s in steps) else ", ".join(s.tool for s in steps)
    )
    tail = " A choice is needed before it can run." if stopped else ""
    return f"Asked for {goals} on {asked.data_type} data: {tools} ({_strategy(steps).value}).{tail}"


if __name__ == "__main__":
    import json
    import sys

    from gnomon.planning.context import ContextExtractor
    from gnomon.planning.publish import published_plan
    from gnomon.tools.builtin import builtin_registry

    text = " ".join(sys.argv[1:]) or "Forecast sales after removing outliers"
    registry = builtin_registry()
    shown = MCPToolsChainingManager(registry).plan(ContextExtractor().extract(text))
    sys.stdout.write(json.dumps(published_plan(shown, registry), indent=2, default=str) + "\n")
