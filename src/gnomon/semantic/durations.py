"""The time between two moments of a row, in the unit that suits it: resolution time, time from checkout to return."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from gnomon.core.patterns import regex
from gnomon.data.table import quote
from gnomon.semantic.labels import label_of, lower_words, slug, table_entity
from gnomon.semantic.model import Additivity, Aggregation, DimensionType, Direction, Metric, quoted
from gnomon.semantic.vocabulary import vocabulary

if TYPE_CHECKING:
    from gnomon.data import ColumnProfile, Dataset, TableProfile

_PAIRS = 6
_ROWS = 200_000
_IN_ORDER = 0.98
_HELD = 0.2
_OF_TIMES = frozenset({"time", "to", "of", "days", "past", "duration", "length", "term"})
_NEITHER = frozenset({"updated", "modified", "birth", "dob", "sys", "due", "expected", "planned"})
_UNITS = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0))


_EXPRESSION = regex(
    r"(?P<unit>days|hours|minutes)\([`\[]?(?P<last>[^`\]]+?)[`\]]?, [`\[]?(?P<first>[^`\]]+?)[`\]]?\)"
)


def ends_of(metric: Metric) -> tuple[str, str, str] | None:
    """The unit, the later and the earlier column of a time between two dates; None for any other metric."""
    said = (metric.expression or "").strip("`").rstrip("}")
    found = _EXPRESSION.fullmatch(said.rpartition(": ")[2])
    return (found["unit"], found["last"], found["first"]) if found else None


@dataclass(frozen=True)
class _Span:
    first: ColumnProfile
    last: ColumnProfile
    names: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[str, str]:
        return happening(self.first.name), happening(self.last.name)


def durations(table: TableProfile, dataset: Dataset | None) -> list[Metric]:
    """The times between two columns of moments: those with a name of their own, and others that are in order.

    Args:
        table: What the table holds.
        dataset: The tables themselves, to see which comes first and how long it takes.
    """
    from gnomon.semantic.infer_dimensions import dimension_type

    times = [
        c
        for c in table.columns
        if dimension_type(c) is DimensionType.TIME and _is_moment(c) and c.distinct > 1
    ]
    named = _named(times, table.columns)
    known = {frozenset((s.first.name, s.last.name)) for s in named}
    others = [
        _Span(a, b)
        for a, b in permutations(times, 2)
        if frozenset((a.name, b.name)) not in known
        and not _NEITHER & {*lower_words(a.name), *lower_words(b.name)}
    ]
    spans = [*named, *(others[: 2 * _PAIRS] if dataset is not None else [])]
    taken = _lengths(table, spans, dataset) if dataset is not None and spans else {}
    found: list[Metric] = []
    for i, span in enumerate(spans):
        held, ordered, seconds = taken.get(i, (1.0, 1.0, None))
        if span.names or (ordered >= _IN_ORDER and held >= _HELD and seconds):
            found.append(_metric(table, span, _unit(span, seconds)))
    return [_alone(found[0], table)] if len(found) == 1 else found[:_PAIRS]


def _alone(span: Metric, table: TableProfile) -> Metric:
    """The only time that rows take is how long they are: the length of a visit, its duration."""
    taken = {w for c in table.columns for w in lower_words(c.name)}
    thing = table_entity(table.name)
    ways = [w for w in ("duration", "length") if w not in taken]
    more = [said for w in ways for said in (w, f"average {w}", *((f"{thing} {w}",) if thing else ()))]
    return span.model_copy(update={"synonyms": tuple(dict.fromkeys((*span.synonyms, *more)))})


def happening(column: str) -> str:
    """What a column of moments says when: ``checkout_dt`` the checkout, ``resolvedAt`` resolved."""
    plain = label_of(column)
    return re.sub(r" (date|at|time|timestamp|on|dt|ts|datetime|day)$", "", plain) or plain


def _is_moment(column: ColumnProfile) -> bool:
    return column.type.upper().startswith(("DATE", "TIMESTAMP"))


def _named(times: list[ColumnProfile], columns: Sequence[ColumnProfile]) -> list[_Span]:
    """The pairs whose names say which comes first and what the time between is called."""
    found: list[_Span] = []
    for names in vocabulary().durations:
        for first, last in permutations(times, 2):
            starts, ends = set(lower_words(first.name)), set(lower_words(last.name))
            if not starts & names.first or not ends & names.last or starts & names.last:
                continue
            if not any((s.first, s.last) == (first, last) for s in found):
                found.append(
                    _Span(
                        first, last, tuple(n for n in names.names if not _is_column(n, first, last, columns))
                    )
                )
    return found


def _is_column(
    name: str, first: ColumnProfile, last: ColumnProfile, columns: Sequence[ColumnProfile]
) -> bool:
    """Whether another column tells it: the handling time of a table that has handling minutes is theirs."""
    others = {w for c in columns if c not in (first, last) for w in lower_words(c.name)}
    return bool(others & {*name.split()} - _OF_TIMES)


def _lengths(
    table: TableProfile, spans: list[_Span], dataset: Dataset
) -> dict[int, tuple[float, float, float | None]]:
    """For each pair: the share of rows that have both, the share of those in order, and the mean length in seconds."""
    parts: list[str] = []
    for s in spans:
        a, b = (f"CAST({quote(c.name)} AS TIMESTAMP)" for c in (s.first, s.last))
        parts += [f"avg(({a} IS NOT NULL AND {b} IS NOT NULL)::INT)", f"avg(({b} >= {a})::INT)"]
        parts.append(f"avg(epoch({b}) - epoch({a}))")
    cursor = dataset.cursor()
    try:
        query = f"SELECT {', '.join(parts)} FROM (SELECT * FROM {quote(table.name)} LIMIT {_ROWS})"
        row = cursor.execute(query).fetchone() or ()
    finally:
        cursor.close()
    return {i: (row[3 * i] or 0.0, row[3 * i + 1] or 0.0, row[3 * i + 2]) for i in range(len(row) // 3)}


def _unit(span: _Span, seconds: float | None) -> str:
    """Days between dates and for what takes days; hours or minutes for what takes no longer."""
    if seconds is None or not all(c.type.upper().startswith("TIMESTAMP") for c in (span.first, span.last)):
        return "days"
    return next((unit for unit, size in _UNITS if abs(seconds) >= 2 * size), "minutes")


def _metric(table: TableProfile, span: _Span, unit: str) -> Metric:
    a, b = label_of(span.first.name), label_of(span.last.name)
    start, end = span.ends
    name = span.names[0] if span.names else f"time from {start} to {end}"
    more = [
        f"{how} between {x} and {y}"
        for how in ("time", unit)
        for x, y in dict.fromkeys(((a, b), (start, end)))
    ]
    more += [f"{how} from {start} to {end}" for how in ("time", unit)]
    more += [f"{unit} {verb} between {start} and {end}" for verb in ("pass", "elapse", "go by", "lie")]
    return Metric(
        name=slug(f"average {name}"),
        label=f"average {name}",
        table=table.name,
        aggregation=Aggregation.MEAN,
        expression=f"{unit}({quoted(span.last.name)}, {quoted(span.first.name)})",
        unit=unit,
        additivity=Additivity.NON_ADDITIVE,
        direction=Direction.NEUTRAL
        if not span.names or name in ("tenure", "validity")
        else Direction.LOWER_IS_BETTER,
        synonyms=tuple(dict.fromkeys(s for s in (*span.names, *more) if s != f"average {name}")),
        description=f"The mean number of {unit} from {a} to {b}.",
    )
