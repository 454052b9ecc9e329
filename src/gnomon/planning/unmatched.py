"""What a task says and a plan cannot follow: nouns that name nothing are asked about or said to be left aside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gnomon.core import Conflict, ConflictType, Resolution, Severity, Step
from gnomon.core.figures import listed
from gnomon.planning.binding import sources_of
from gnomon.planning.context import ExtractedContext
from gnomon.planning.parameters import FORMS
from gnomon.tools import Goal, ToolSpec

_TAKEN_BY = {
    "group_by": ("group_by", "columns", "features", "x"),
    "metric": ("value", "values", "column", "target", "columns", "y"),
    "columns": ("columns", "features", "value", "y"),
}
"""The parameters that a noun would have filled, by what it would have been."""
_SEVERAL = frozenset({"columns", "features"})
_FORMULAS = frozenset({"expression", "condition"})


def unmatched_conflicts(
    asked: ExtractedContext, planned: Sequence[tuple[Step, ToolSpec]], choices: Mapping[str, Any]
) -> list[Conflict]:
    """What to ask or say about the nouns that name nothing here, and about those that were read as something else.

    Args:
        asked: What was asked, with its ``unmatched`` nouns.
        planned: The steps, each with its tool.
        choices: What the user chose already: a noun whose place was filled so is settled.
    """
    open_places: dict[tuple[str, str], list[str]] = {}
    aside: list[str] = []
    found: list[Conflict] = []
    for entry in asked.parameters.get("unmatched", ()):
        if entry["role"] == "form":
            found.append(_unknown_form(entry["noun"]))
            continue
        if entry["role"] == "value":
            found.append(_of_several(entry["noun"], entry["among"]))
            continue
        place = _place(entry["role"], planned)
        if place is None:
            aside.append(entry["noun"])
        elif not any(source in choices for source in sources_of(place[1])):
            if place[1] not in {*_SEVERAL, "group_by"} and _is_told(place[1], asked):
                aside.append(entry["noun"])
            else:
                open_places.setdefault(place, []).append(entry["noun"])
    found += [_question(tool, param, nouns, asked) for (tool, param), nouns in open_places.items()]
    if aside and planned:
        found.append(_left_aside(aside, asked))
    if not any(c.severity is Severity.HIGH for c in found):
        found += _not_taken(asked, planned)
    return found + [_read_as(noun, meant) for noun, meant in asked.parameters.get("read_as", {}).items()]


def _place(role: str, planned: Sequence[tuple[Step, ToolSpec]]) -> tuple[str, str] | None:
    """The tool and its parameter that a noun of that role would have filled."""
    for param in _TAKEN_BY.get(role, ()):
        for _, spec in planned:
            if param in spec.parameters:
                return spec.name, param
    return None


def _is_told(param: str, asked: ExtractedContext) -> bool:
    return any(source in asked.parameters for source in sources_of(param))


def _question(tool: str, param: str, nouns: list[str], asked: ExtractedContext) -> Conflict:
    kinds = asked.kinds
    fit = (
        (*kinds.categorical, *kinds.ids, *kinds.text, *kinds.time, *kinds.numeric)
        if param in {"group_by", "x"}
        else kinds.measures
    )
    if param in _SEVERAL or param in _FORMULAS:
        fit = kinds.columns
    told = asked.parameters.get(param) or []
    fit = _nearest(nouns[0], [c for c in dict.fromkeys(fit) if c not in told])
    one = len(nouns) == 1 and param not in _FORMULAS and (param not in _SEVERAL or bool(told))
    said = listed([f"'{n}'" for n in nouns])
    names = "names" if len(nouns) == 1 else "name"
    return Conflict(
        type=ConflictType.MISSING_PARAMETER,
        severity=Severity.HIGH,
        description=f"{said} {names} no column of this data; {tool} needs '{param}', and there are "
        f"{', '.join(fit[:8]) or 'no columns fit for it'}."
        + (
            ""
            if one
            else f" Send {'it' if param in _FORMULAS else 'their names'} as feedback.parameters.{param}."
        ),
        resolution=Resolution.USER_FEEDBACK,
        subject=f"{tool}.{param}",
        options=tuple(fit[:20]) if one else (),
    )


def _nearest(noun: str, columns: list[str]) -> list[str]:
    """The columns, those first whose names mean most nearly what the noun does."""
    from gnomon.embedding import get_encoder

    if len(columns) < 2:
        return columns
    encoded = get_encoder().encode([noun, *(c.replace("_", " ") for c in columns)])
    likeness = (encoded[1:] @ encoded[0]).tolist()
    return [c for _, c in sorted(zip(likeness, columns, strict=True), key=lambda p: -p[0])]


def _left_aside(nouns: list[str], asked: ExtractedContext) -> Conflict:
    said = listed([f"'{n}'" for n in dict.fromkeys(nouns)])
    rows_only = all(e["role"] == "rows" for e in asked.parameters["unmatched"] if e["noun"] in nouns)
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.LOW if rows_only else Severity.MEDIUM,
        description=f"{said} {'names' if len({*nouns}) == 1 else 'name'} nothing in this data{' that may be spoken of' if asked.guarded else ''} and "
        f"{'was' if len({*nouns}) == 1 else 'were'} left aside.",
        resolution=Resolution.AUTO_SELECT,
        subject="unmatched",
    )


def _not_taken(asked: ExtractedContext, planned: Sequence[tuple[Step, ToolSpec]]) -> list[Conflict]:
    """Columns that the task names and no planned step works on by name."""
    told = [
        str(v)
        for step, _ in planned
        for p in step.params.values()
        for v in (p if isinstance(p, list) else [p])
    ]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    groups = asked.parameters.get("group_by")  # said to be unused by their own name
    beside = [
        f"'{c}'"
        for c in asked.named
        if c not in (groups if isinstance(groups, list) else [groups])
        and not any(_says(text, c) for text in told)
    ]
    if not beside or not planned:
        return []
    tools = listed(list(dict.fromkeys(spec.name for _, spec in planned)))
    was, it = ("was", "it") if len(beside) == 1 else ("were", "them")
    return [
        Conflict(
            type=ConflictType.INVALID_PARAMETER,
            severity=Severity.MEDIUM,
            description=f"{listed(beside)} {was} named and left aside: no parameter of {tools} took {it}.",
            resolution=Resolution.AUTO_SELECT,
            subject="named",
        )
    ]


def _says(text: str, column: str) -> bool:
    """Whether the value of a parameter is a column, or a formula or condition that speaks of it."""
    return text == column or bool(re.search(rf"(?<!\w){re.escape(column)}(?!\w)", text))


def _of_several(noun: str, columns: Sequence[str]) -> Conflict:
    held = listed([f"'{c}'" for c in columns])
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.MEDIUM,
        description=f"'{noun}' is a value of {held} and was left aside; say of which, as in 'where {columns[0]} is {noun}'.",
        resolution=Resolution.AUTO_SELECT,
        subject="unmatched",
    )


def _unknown_form(noun: str) -> Conflict:
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.LOW,
        description=f"'{noun}' is no form that results are given in, and was left aside; {listed(sorted(FORMS))} are.",
        resolution=Resolution.AUTO_SELECT,
        subject="output_format",
    )


def _read_as(noun: str, meant: str) -> Conflict:
    return Conflict(
        type=ConflictType.INVALID_PARAMETER,
        severity=Severity.LOW,
        description=f"'{noun}' was read as {meant}.",
        resolution=Resolution.AUTO_SELECT,
        subject=noun,
    )


def absent_in_formulas(asked: ExtractedContext, planned: Sequence[tuple[Step, ToolSpec]]) -> list[Conflict]:
    """Formulas and conditions over columns that are not there, and a filter without any condition that holds here."""
    from gnomon.analytics.expression import ExpressionError, columns_of, parse

    found: list[Conflict] = []
    known = {c.casefold() for c in asked.kinds.columns}
    for step, spec in planned:
        if Goal.FILTER in spec.goals and not {"condition", "latest"} & {*step.params}:
            found.append(_unfiltered(spec.name, asked))
        for param in ("expression", "condition"):
            try:
                said = columns_of(parse(str(step.params[param]))) if param in step.params else ()
            except ExpressionError:
                continue  # the tool says where it is wrong
            nouns = [c for c in said if known and c.casefold() not in known]
            found += [_question(spec.name, param, nouns, asked)] if nouns else []
        known.add(str(step.params.get("new_column", "")).casefold())
    return found


def _unfiltered(tool: str, asked: ExtractedContext) -> Conflict:
    columns = ", ".join(asked.kinds.columns[:8])
    return Conflict(
        type=ConflictType.MISSING_PARAMETER,
        severity=Severity.HIGH,
        description=f"{tool} needs 'condition', and the prompt states none that these columns can meet: {columns}. "
        "Send one as feedback.parameters.condition.",
        resolution=Resolution.USER_FEEDBACK,
        subject=f"{tool}.condition",
    )


# Forms that are files; the others are part of the response.
_WRITTEN = frozenset({"pdf", "excel", "notebook"})


def other_form(asked: ExtractedContext) -> list[Conflict]:
    """A file that the task asks for: a plan gives results, which are written down elsewhere."""
    form = asked.user_preferences.get("output_format")
    if form not in _WRITTEN:
        return []
    return [
        Conflict(
            type=ConflictType.INVALID_PARAMETER,
            severity=Severity.LOW,
            description=f"The result is not written as {form}: a response holds text, tables and charts. "
            "'gnomon analyze … --report' writes PDF, Excel and notebooks.",
            resolution=Resolution.AUTO_SELECT,
            subject="output_format",
        )
    ]
