"""The one rule of what may leave: every value is judged by the source column and the source rows behind it.

Closed columns (personal data, identifiers, free text, and what is made of them) are never told. A figure or a
group is told where at least ``MIN_ROWS`` source rows stand behind it; an extreme only where so many share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import CalculationError, GnomonError, NotFound, PolicyViolation, UnfitRows
from gnomon.core.patterns import regex
from gnomon.core.settings import Settings
from gnomon.guardrails.release.apart import apart
from gnomon.guardrails.release.cells import MIN_ROWS, NUMERAL, WITHHELD, CellGuard, digits_of
from gnomon.guardrails.release.columns import rows_to_test
from gnomon.guardrails.release.digits import to_told_digits
from gnomon.guardrails.release.origin import OWN, Origin, traced
from gnomon.guardrails.release.rules import OPEN_ROWS, RULES
from gnomon.guardrails.release.traced import TracedRows
from gnomon.guardrails.release.view import (
    View,
    members,
    numbers_of,
    refusal,
    times_of,
    too_few,
    withheld,
)
from gnomon.tools.frames import Frame

if TYPE_CHECKING:
    from gnomon.tools.contract import ToolSpec

FULL = "full"
AGGREGATES = "aggregates"

_USES = (
    "value",
    "weight",
    "candidates",
    "column",
    "columns",
    "target",
    "features",
    "latitude",
    "longitude",
    "time",
    "x",
    "y",
    "color",
)
_MAY_NAME_ANY = {
    "profile_table",
    "join_tables",
    "compare_tables",
    "render_chart",
    "derive_column",
    "correlation",
}
_NEEDS_VALUE = {"anomaly_zscore", "period_change", "drivers", "causes", "benchmark", "timeseries_forecaster", "trend", "seasonality", "change_points", "distribution", "hypothesis_test"}  # fmt: skip
_CUTS = {"drivers", "causes"}
_SHORT_NUMBER = 3
_TOO_FEW = (
    "This cannot be computed from these rows: there are too few values, or they do not vary. How many there are stays on this "
    "machine."
)
_MOMENT = regex(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b"
)
_SAID = regex(r"(?<=\")[^\"]+(?=\")|(?<=')[^']+(?=')|[\w@.+-]+")
_COUNTING = {"count", "nunique"}
_COUNT = regex(r"\d")
_FORMULAS = {"derive_column": "expression", "filter_rows": "condition"}


@dataclass(frozen=True, eq=False)
class Release:
    """What may be told of an output.

    Args:
        output: Field by field, without what may not leave; rows are still there, to be described or chained.
        origins: Where the rows of each field come from.
        open_rows: The fields whose rows may be told.
        notes: What was withheld, in sentences.
        guard: Takes cells out of what is written of it.
        uncounted: The fields whose number of rows is not told.
    """

    output: dict[str, Any]
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])
    open_rows: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list[str])
    guard: CellGuard = field(default_factory=CellGuard)
    uncounted: frozenset[str] = frozenset()


def shares_rows(settings: Settings) -> bool:
    """Whether rows of this machine may be told to whoever asks from outside."""
    return settings.privacy == FULL


def enough(inputs: Mapping[str, TracedRows]) -> None:
    """Refuse to say anything of rows that are so few that whatever is said would tell how many.

    Raises:
        PolicyViolation: Fewer source rows stand behind one of the inputs than may be spoken of.
    """
    for rows in inputs.values():
        if not rows.origin.own and not rows.frame.is_reference and rows.sources() < MIN_ROWS:
            raise too_few("What is asked of these rows")


def prepared(
    spec: ToolSpec, arguments: Mapping[str, Any], inputs: Mapping[str, TracedRows]
) -> dict[str, Any]:
    """The arguments of a call, where closed columns are left out of what a tool would choose by itself.

    Raises:
        PolicyViolation: A condition, or a figure, would tell something of a closed column, or there are so few rows that
            whatever a tool says of them would tell how many.
    """
    ready = dict(arguments)
    enough(inputs)
    data = inputs.get("data")
    if data is None or data.origin.own:
        return ready
    origin = data.origin
    target = str(ready.get("target") or "")
    for name in ("columns", "features"):
        if name in spec.parameters and not ready.get(name) and not ready.get("value"):
            ready[name] = [c for c in origin.open_columns() if c != target]
    if "group_by" in spec.parameters and spec.name in _CUTS and not ready.get("group_by"):
        from gnomon.tools.change_tools import category_columns

        ready["group_by"] = category_columns(data.read(origin.open_columns()))
    if "candidates" in spec.parameters and not ready.get("candidates"):
        taken = [ready.get(n) for n in ("value", "time", "weight")]
        ready["candidates"] = [c for c in numbers_of(data) if not origin.closed(c) and c not in taken]
    if (
        "value" in spec.parameters
        and spec.name in _NEEDS_VALUE
        and not (ready.get("value") or ready.get("columns"))
    ):
        numbers = numbers_of(data)
        told = [c for c in numbers if not origin.closed(c)]
        if len(told) == 1:
            ready["value"] = told[0]
        elif len(told) < len(numbers):
            raise PolicyViolation(
                "Which column is meant? Some hold identifiers or personal data, and are never told.",
                suggestions=[f"Name one as 'value': {', '.join(told[:8]) or 'there is none'}."],
            )
    if "time" in spec.parameters and not ready.get("time"):
        # A tool takes the first that there is.
        ready["time"] = next((t for t in times_of(data) if not origin.closed(t)), None)
    _check_names(spec, ready, origin)
    closed = [c for c in _conditions(spec, ready, origin) if origin.closed(c)]
    if closed:
        raise refusal(closed, "A condition on it would tell who is meant")
    _check_formula(spec, ready, origin)
    if levelled := [c for c in _named(ready.get("group_by")) if origin.levelled(c)]:
        raise refusal(levelled, "Many rows hold a limit that may be the value of one, so it makes no groups")
    if spec.name == "aggregate" and ready.get("aggregate") in {*_COUNTING, None}:
        return ready
    if spec.name not in _MAY_NAME_ANY:
        closed = [c for p in _USES for c in _named(ready.get(p)) if c in origin.columns and origin.closed(c)]
        if closed:
            raise refusal(closed)
    if spec.name == "hypothesis_test":
        ready["data"] = rows_to_test(data, ready)
    return ready


def released(
    tool: str, output: Mapping[str, Any], arguments: Mapping[str, Any], inputs: Mapping[str, TracedRows]
) -> Release:
    """What may be told of ``output``.

    Args:
        tool: Name of the tool that gave it.
        output: Field by field.
        arguments: What the tool was called with.
        inputs: The rows that it was given, by parameter.
    """
    if not output:
        return Release({})  # a tool that failed gives nothing to tell
    origins = {k: t.origin for k, t in inputs.items()}
    frames = {k: v for k, v in output.items() if isinstance(v, Frame)}
    if all(o.own for o in origins.values()):
        return Release(dict(output), dict.fromkeys(frames, OWN), frozenset(frames))
    guard = CellGuard().joined(t.guard for t in inputs.values())
    rule = RULES.get(tool)
    made = {k: traced(v.lineage, origins) for k, v in frames.items()}
    if rule is None or not all(o.known for o in origins.values()):
        shown = {k: v if isinstance(v, Frame) else withheld(v) for k, v in output.items()}
        shown |= {"summary": WITHHELD} if "summary" in shown else {}
        return Release(shown, made, frozenset(), ["What these rows come from is not known."], guard)
    view = View(tool, dict(output), arguments, inputs, made)
    rule(view)
    _without_counts(view)
    to_told_digits(view, [c for p in _USES for c in _named(arguments.get(p))])
    open_rows = OPEN_ROWS.get(tool, frozenset()) & set(frames)
    if any(isinstance(v, Frame) and k not in open_rows for k, v in view.output.items()):
        view.notes.append("Rows stay on this machine; pass their handle as a table to another tool.")
    made |= dict.fromkeys(open_rows, OWN)  # what was told may be worked on freely
    return Release(
        view.output, made, open_rows, list(dict.fromkeys(view.notes)), guard, frozenset(view.uncounted)
    )


def _without_counts(view: View) -> None:
    """Take notes that count out of what is told of some rows: how many had no value, or shared a month, tells single ones.

    Of a whole table that is no secret, of one of its groups it is.
    """

    def uncounted(found: Mapping[str, Any]) -> dict[str, Any]:
        return {**found, "notes": [n for n in found.get("notes") or [] if not _COUNT.search(str(n))]}

    if not view.whole and "notes" in view.output:
        view.output |= uncounted(view.output)
    if groups := view.output.get("groups"):
        view.output["groups"] = [{**g, "result": uncounted(g["result"])} for g in members(groups)]


def safe_error(error: GnomonError, guard: CellGuard, known: Iterable[str]) -> GnomonError:
    """The same error without cells in what it says: texts, short numbers too, and moments nobody asked about."""
    if not guard.sources:
        return error
    if isinstance(error, UnfitRows):
        return apart()  # as where fewer rows, or none, are unfit
    if isinstance(error, CalculationError):
        # Why would tell how many rows a condition left, and what is in them.
        return CalculationError(_TOO_FEW, suggestions=["Take more rows, or other columns."])
    said = list(known)
    said += [
        w for text in said for w in _SAID.findall(text)
    ]  # quoted back alike, whether it is a cell or not
    given = set(_MOMENT.findall(" ".join(said)))
    quoted = [*said, *(name for source in guard.sources for name in source.names())]
    numbers = {t.replace(",", "") for text in quoted for t in NUMERAL.findall(text)}

    def number(found: re.Match[str]) -> str:
        # Taken out whether it is a cell or not: an example that lacks its number would tell that it is one.
        plain = found[0].replace(",", "")
        return found[0] if plain in numbers or digits_of(plain) < _SHORT_NUMBER else WITHHELD

    def clean(text: str) -> str:
        masked = str(guard.masked(text, said, digits=_SHORT_NUMBER))
        masked = _MOMENT.sub(lambda m: m.group() if m.group() in given else WITHHELD, masked)
        return NUMERAL.sub(number, masked)

    error.reword(clean)
    return error


def _conditions(spec: ToolSpec, arguments: Mapping[str, Any], origin: Origin) -> Iterable[str]:
    """The columns that decide which rows are looked at."""
    for condition in cast("list[Any]", arguments.get("where") or []):
        if isinstance(condition, Mapping):
            yield str(cast("Mapping[str, Any]", condition).get("column"))
    if spec.name != "filter_rows" or not arguments.get("condition"):
        return
    yield from _read_by(str(arguments["condition"]), origin)


def _check_names(spec: ToolSpec, arguments: Mapping[str, Any], origin: Origin) -> None:
    """Refuse a formula or condition over columns that there are not, without saying their names again.

    A name that is quoted back would be taken out where it is somebody's cell, and so tell that it is one.

    Raises:
        NotFound: One of its columns is not there.
    """
    formula = str(arguments.get(_FORMULAS.get(spec.name, "")) or "")
    named = [*_conditions(spec, arguments, origin), *(_read_by(formula, origin) if formula else ())]
    if origin.known and any(c not in origin.columns for c in named):
        raise NotFound(
            "It names a column that there is not.",
            suggestions=[f"Known: {', '.join(list(origin.columns)[:40])}"],
        )


def _check_formula(spec: ToolSpec, arguments: Mapping[str, Any], origin: Origin) -> None:
    """Refuse a formula before any row is read where nothing of what it makes could be told.

    Raises:
        PolicyViolation: It is made of closed columns, or of other rows than its own.
    """
    from gnomon.analytics.expression import ExpressionError, looks_across, parse

    if (name := _FORMULAS.get(spec.name)) is None or not arguments.get(name):
        return
    formula = str(arguments[name])
    if closed := [c for c in _read_by(formula, origin) if c in origin.columns and origin.closed(c)]:
        raise refusal(closed, "What a formula makes of it is not told, nor anything made of that")
    with suppress(ExpressionError):
        if looks_across(parse(formula)):
            raise PolicyViolation(
                "What a formula takes from other rows (a total, an extreme, a rank, the row before) may tell one of them, so it is not told.",
                suggestions=["Use 'aggregate', 'trend' or 'anomaly_zscore' for figures over rows."],
            )


def _read_by(formula: str, origin: Origin) -> list[str]:
    """The columns that a formula reads, as the rows spell them."""
    from gnomon.analytics.expression import columns_of, parse

    try:
        named = columns_of(parse(formula))
    except GnomonError:
        return []  # the tool itself says what is wrong with it
    spelt = {c.casefold(): c for c in origin.columns}
    return [n if n in origin.columns else spelt.get(n.casefold(), n) for n in named]


def _named(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(v) for v in cast("list[Any]", value)] if isinstance(value, (list, tuple)) else []
