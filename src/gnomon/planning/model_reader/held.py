"""What a value holds: days, moments, a truth, hours between moments. Texts that it is compared with are taken as such."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.query import TimeGranularity
from gnomon.semantic.computing import name_of

_F = al.Function
_DAYS = frozenset({_F.DATE, _F.START_OF})
_SAME = frozenset({_F.FILL, _F.LEAST, _F.GREATEST, _F.ADD_DAYS, _F.ADD_MONTHS})
_OF_HOURS = ("hour", "minute")
_ONE_OF_THEM = frozenset({al.How.LEAST, al.How.MOST, al.How.MODE, al.How.AT_MOST, al.How.AT_LEAST})
_ONE_AROUND = frozenset({al.Glance.BEFORE, al.Glance.AFTER, al.Glance.LEAST, al.Glance.MOST})


class Kind(Enum):
    """What a value holds, as far as it matters how texts and differences are taken."""

    DAY = "day"
    MOMENT = "moment"
    TRUTH = "truth"
    SPAN = "span"
    OTHER = "other"

    @property
    def is_time(self) -> bool:
        """Whether it is a day or a moment."""
        return self in (Kind.DAY, Kind.MOMENT)


def kind_of(node: Any, rows: al.Rows, kinds: Mapping[str, Mapping[str, str]]) -> Kind:
    """What a value holds.

    Args:
        node: The value of a row, or a number of many.
        rows: The rows that it is taken of.
        kinds: The columns of each table with their types.
    """

    def of(inner: Any) -> Kind:
        return kind_of(inner, rows, kinds)

    match node:
        case al.Column(table="", column=name, via=beside):
            return _in_results(name, beside, rows, kinds)
        case al.Column(table=table, column=name):
            return _written(kinds.get(table, {}).get(name, ""))
        case al.Call(function=function, arguments=given) if function in _DAYS:
            cut = given[-1].value if isinstance(given[-1], al.Literally) else ""
            return Kind.MOMENT if function is _F.START_OF and cut in _OF_HOURS else Kind.DAY
        case al.Call(function=_F.ADD_SECONDS):
            return Kind.MOMENT
        case al.Call(function=_F.DIVIDE, arguments=(al.Call(function=_F.SECONDS_BETWEEN), _)):
            return Kind.SPAN
        case al.Call(function=function, arguments=given) if function in _SAME:
            return of(given[0])
        case al.Case(values=values, otherwise=other):
            return next((k for v in (*values, other) if (k := of(v)) is not Kind.OTHER), Kind.OTHER)
        case al.Aggregate(how=how, of=value) if how in _ONE_OF_THEM:
            return of(value)
        case al.Windowed(glance=glance, of=value) if glance in _ONE_AROUND:
            return of(value)
        case al.Whole(query=query):
            return _shown(query, 0, kinds)
        case al.Literally(kind="date"):
            return Kind.DAY
        case al.Literally(kind="datetime"):
            return Kind.MOMENT
        case al.Literally(value=bool()):
            return Kind.TRUTH
        case _:
            return Kind.OTHER


def _written(kind: str) -> Kind:
    said = kind.upper().lstrip("!")
    if "TIMESTAMP" in said:
        return Kind.MOMENT
    return Kind.DAY if "DATE" in said else Kind.TRUTH if said.startswith("BOOL") else Kind.OTHER


def _in_results(name: str, beside: str | None, rows: al.Rows, kinds: Mapping[str, Mapping[str, str]]) -> Kind:
    """What a column of the result that the rows are, or that stands beside them, holds."""
    results = [b.query for b in rows.beside if b.name == beside] if beside else [rows.query]
    for query in results:
        shown = _columns(query) if query is not None else []
        place = next((i for i, n in enumerate(shown) if n == name), None)
        if query is not None and place is not None:
            return _shown(query, place, kinds)
    return Kind.OTHER


def _columns(query: al.Query) -> list[str]:
    named = [k.name or name_of(k) for k in (*query.keys, *query.show)]
    return [
        *named[: len(query.keys)],
        *(m.name or name_of(m.measure) for m in query.measures),
        *named[len(query.keys) :],
    ]


def _shown(query: al.Query, place: int, kinds: Mapping[str, Mapping[str, str]]) -> Kind:
    columns = [*query.keys, *query.measures, *query.show]
    if place >= len(columns):
        return Kind.OTHER
    held = columns[place]
    if isinstance(held, al.Shown):
        return kind_of(held.measure, query.rows, kinds)
    if held.grain is not None:
        return Kind.MOMENT if held.grain is TimeGranularity.HOUR else Kind.DAY
    return kind_of(held.of, query.rows, kinds)
