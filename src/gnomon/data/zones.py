"""Times with a zone by the clock of that zone, as texts with an offset are told: a month has the rows its place saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.patterns import regex
from gnomon.data.table import SetAside, literal, quote

if TYPE_CHECKING:
    from gnomon.data.raw import Workspace

_OFFSET = regex(r"([-+])(\d\d):?(\d\d)")
_UTC = frozenset({"utc", "etc/utc", "gmt", "z", "zulu", "universal", "etc/gmt", "etc/universal", "etc/zulu"})


def by_its_clock(workspace: Workspace, column: str, zone: str) -> str | None:
    """The SQL that tells a time with a zone by the clock of ``zone``; None where that is UTC or nobody knows it."""
    import duckdb

    if (offset := _OFFSET.fullmatch(zone)) is not None:
        minutes = (int(offset[2]) * 60 + int(offset[3])) * (-1 if offset[1] == "-" else 1)
        return f"({quote(column)} AT TIME ZONE 'UTC' + to_minutes({minutes}))" if minutes else None
    if zone.lower() in _UTC:
        return None
    try:
        workspace.connection.execute(f"SELECT TIMESTAMPTZ '2024-01-01' AT TIME ZONE {literal(zone)}")
    except duckdb.Error:
        return None
    return f"({quote(column)} AT TIME ZONE {literal(zone)})"


def told_by(column: str, zone: str) -> SetAside:
    """What every figure by the times of a column has to say."""
    return SetAside(f"{column}: times are told by the clock of {zone}, the zone that the data names.", column)
