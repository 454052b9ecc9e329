"""Step one: structured metadata from a prompt and a sample of the data.

``python -m gnomon.planning.context "Detect anomalies in sales data with threshold 2.5"`` shows it at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypedDict

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.patterns import regex
from gnomon.language.quantities import plain_signs
from gnomon.planning.characteristics import ColumnKinds, DataCharacteristics, describe
from gnomon.planning.columns import column_parameters, explained_spans
from gnomon.planning.filters import applied_elsewhere, filter_condition, last_periods, tests_in
from gnomon.planning.goal_reading import GoalReading, read_goals
from gnomon.planning.nouns import ClosedColumns, Linker, Noun, linker_of
from gnomon.planning.parameters import (
    constraints,
    limits_in,
    named_parameters,
    numeric_parameters,
    output_format,
)
from gnomon.tools import CancelToken, Goal

MAX_PROMPT = 2_000


class Method(StrEnum):
    """How a context is extracted.

    ``rule_based`` reads words: goals, columns, methods, formats. ``regex`` reads patterns: numbers with
    their roles and units, limits. ``hybrid`` joins both, and asks the sentence encoder where no word
    names a goal.
    """

    RULE_BASED = "rule_based"
    REGEX = "regex"
    HYBRID = "hybrid"


class ContextMetadata(TypedDict):
    """A context as published."""

    goal: str
    constraints: list[str]
    data_type: str
    data_characteristics: DataCharacteristics
    parameters: dict[str, Any]
    user_preferences: dict[str, Any]


@dataclass(frozen=True)
class ExtractedContext:
    """What a prompt asks for, and of what data.

    Args:
        reading: The goals, in order.
        constraints: Limits in the user's words.
        data_type: The kind of data.
        kinds: The columns of the sample by kind.
        parameters: Named values.
        user_preferences: How the user wants to see the result.
        named: The columns that the words name.
        guarded: Whether the values of some columns were not known to it.
    """

    reading: GoalReading
    constraints: tuple[str, ...]
    data_type: str
    kinds: ColumnKinds
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    user_preferences: dict[str, Any] = field(default_factory=dict[str, Any])
    named: tuple[str, ...] = ()
    guarded: bool = False

    def to_dict(self) -> ContextMetadata:
        """The published structure, exactly."""
        return ContextMetadata(
            goal=self.reading.label,
            constraints=list(self.constraints),
            data_type=self.data_type,
            data_characteristics=self.kinds.published,
            parameters=dict(self.parameters),
            user_preferences=dict(self.user_preferences),
        )


_ALONG_TIME = (Goal.FORECAST, Goal.TREND, Goal.SEASONALITY, Goal.CHANGE_POINTS)
_DEFAULT_TYPES = {
    Goal.SEGMENTS: "categorical",
    Goal.GEO: "geospatial",
    **dict.fromkeys(
        (Goal.DETECT_ANOMALIES, Goal.FORECAST, Goal.TREND, Goal.SEASONALITY, Goal.CHANGE_POINTS), "timeseries"
    ),
}


_APART = regex(r"(?<=[\w)\]\"'”])\s*(>=|<=|!=)\s*(?=[\w(\[\"'“$€£.-])")


class ContextExtractor:
    """Turns a prompt and a data sample into structured metadata.

    Args:
        method: ``rule_based``, ``regex`` or ``hybrid``.
    """

    def __init__(self, method: str | Method = Method.HYBRID) -> None:
        try:
            self.method = Method(method)
        except ValueError:
            raise NotFound.among("extraction method", str(method), [m.value for m in Method]) from None

    def extract(
        self,
        prompt: str,
        data: Any = None,
        *,
        cancel: CancelToken | None = None,
        closed: ClosedColumns | None = None,
    ) -> ExtractedContext:
        """Read a prompt, with a sample of the data where there is one.

        Args:
            prompt: What the user wants, in words.
            data: Rows as a :class:`~gnomon.tools.Frame` takes them.
            cancel: Stops the reading between its parts where nobody waits for it any more.
            closed: The columns whose values are not spoken of: a task is read alike whether it names one or not.

        Raises:
            InvalidInput: The prompt is empty or too long, or the data holds no rows that can be read.
        """
        if not prompt.strip():
            raise InvalidInput(
                "The prompt is empty.", suggestions=["Say what to do, such as 'forecast sales'."]
            )
        if len(prompt) > MAX_PROMPT:
            raise InvalidInput(
                f"The prompt has {len(prompt):,} characters; {MAX_PROMPT:,} is the most that is read."
            )
        prompt = _APART.sub(r" \1 ", plain_signs(prompt))
        kinds = describe(data)
        stop = cancel or CancelToken()
        reading, parameters, limits, named = self._read(prompt, data, kinds, stop, closed)
        stop.check()
        wishes: dict[str, Any] = {"output_format": "json", "visualization": False}
        if self.method is not Method.REGEX:
            wishes = {"output_format": output_format(prompt), "visualization": Goal.CHART in reading.goals}
        return ExtractedContext(
            reading=reading,
            constraints=tuple(limits),
            data_type=_data_type(reading, kinds),
            kinds=kinds,
            parameters=parameters,
            user_preferences=wishes,
            named=named,
            guarded=closed is not None,
        )

    def _read(
        self, prompt: str, data: Any, kinds: ColumnKinds, stop: CancelToken, closed: ClosedColumns | None
    ) -> tuple[GoalReading, dict[str, Any], list[str], tuple[str, ...]]:
        stop.check()
        if self.method is Method.REGEX:
            return GoalReading((), (), None), numeric_parameters(prompt), constraints(prompt), ()
        reading = read_goals(prompt)
        stop.check()
        if self.method is Method.HYBRID and reading.main is None:
            from gnomon.planning.goal_meaning import nearest_goal

            reading = nearest_goal(prompt) or reading
            stop.check()
        linker = linker_of(data, closed) if kinds.columns else None
        numbers = numeric_parameters(prompt)
        nouns, limits = _linked(linker, prompt, kinds, numbers)
        stop.check()
        words = named_parameters(prompt)
        if kinds.columns and (made := words.get("new_column")) and made not in kinds.columns:
            nouns = [replace(n, column=made) if n.text.lower() == made.lower() else n for n in nouns]
            kinds = replace(kinds, numeric=(*kinds.numeric, made), columns=(*kinds.columns, made))
        if linker is not None and reading.goals in ((), (Goal.CHART,)):
            reading = _with_groups(reading, linker, prompt, kinds, nouns)
        words |= column_parameters(prompt, kinds, reading.goals, nouns)
        words = _without_plain_zscore(reading, words)
        named = tuple(dict.fromkeys(n.column for n in nouns if n.column in kinds.columns and n.value is None))
        if self.method is Method.RULE_BASED:
            return reading, words, [], named
        return reading, words | _in_light_of(reading, numbers), limits, named


def _linked(
    linker: Linker | None, prompt: str, kinds: ColumnKinds, numbers: dict[str, Any]
) -> tuple[list[Noun], list[str]]:
    """The nouns of a prompt, and its limits without those that only name values, which are conditions."""
    limits = limits_in(prompt)
    if linker is None:
        return [], constraints(prompt)
    loose = [
        (start, end)
        for start, end, text in limits
        if not (
            filter_condition(text, kinds)
            or last_periods(text, kinds)
            or applied_elsewhere(text, numbers.values())
        )
    ]
    goals, others = explained_spans(prompt)

    def is_loose(noun: Noun) -> bool:
        return any(s <= noun.start and noun.end <= e for s, e in loose)

    found = linker.link(prompt, goals, [span for span in others if span not in loose])
    valued = [n for n in found if n.value is not None]
    kept = [n for n in found if n.value is not None or not is_loose(n)]
    told = [
        text
        for s, e, text in limits
        if not any(s <= n.start < e for n in valued) or (s, e) not in loose or tests_in(text) > 1
    ]
    return kept, list(dict.fromkeys(told))


def _with_groups(
    reading: GoalReading, linker: Linker, prompt: str, kinds: ColumnKinds, nouns: Sequence[Noun]
) -> GoalReading:
    """A measure and what to see it by are figures by groups, also where nothing more is said, or only to draw it."""
    found = column_parameters(prompt, kinds, (Goal.AGGREGATE, *reading.goals), nouns)
    asked = any(e["role"] == "group_by" for e in found.get("unmatched", ()))
    by = "grain" in found if reading.goals else {"group_by", "grain"} & {*found} or asked
    if "metric" not in found or not by or not (reading.goals or linker.sets_side_by_side(prompt, nouns)):
        return reading
    return GoalReading((Goal.AGGREGATE, *reading.goals), reading.before, Goal.AGGREGATE)


def _in_light_of(reading: GoalReading, numbers: dict[str, Any]) -> dict[str, Any]:
    """ "Into 3 groups" counts clusters where segments are wanted, bins otherwise."""
    if "bins" in numbers and Goal.SEGMENTS in reading.goals and Goal.BIN not in reading.goals:
        numbers.setdefault("clusters", numbers.pop("bins"))
    return numbers


def _without_plain_zscore(reading: GoalReading, words: dict[str, Any]) -> dict[str, Any]:
    """Anomalies "by z-score" name the family of the tool, not one of its two methods."""
    if words.get("method") == "zscore" and Goal.DETECT_ANOMALIES in reading.goals:
        return {k: v for k, v in words.items() if k != "method"}
    return words


def _data_type(reading: GoalReading, kinds: ColumnKinds) -> str:
    observed = kinds.data_type
    if observed == "geospatial" and kinds.time and kinds.measures and reading.main in _ALONG_TIME:
        return "timeseries"
    if observed:
        return observed
    return _DEFAULT_TYPES.get(reading.main, "tabular") if reading.main else "unknown"


if __name__ == "__main__":
    import json
    import sys

    text = " ".join(sys.argv[1:]) or "Detect anomalies in sales data with threshold 2.5"
    sys.stdout.write(json.dumps(ContextExtractor().extract(text).to_dict(), indent=2) + "\n")
