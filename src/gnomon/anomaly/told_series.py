"""What stands out in a series, in the units of its readings: one sentence for a time or for a stretch of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.modalities.departure import ANY
from gnomon.anomaly.modalities.outages import SHORTEST
from gnomon.core.figures import MONTHS, capital, figure, moment
from gnomon.core.patterns import regex

if TYPE_CHECKING:
    from gnomon.anomaly.prepared import Part, Prepared, Shift

# Two flagged times belong together with at most this many ordinary readings between them.
_BETWEEN: Final = 2
_ALSO: Final = 0.5
_FAR: Final = 3.0  # usual departures
# A stretch swings where at least so much of what is far off lies on either side.
_SIDE: Final = 0.2
_PROPORTION: Final = regex(r"(?:^|[\W_])(rate|ratio|share|proportion|fraction|percent(?:age)?|pct)(?:$|[\W_])", re.I)  # fmt: skip


@dataclass(frozen=True)
class Course:
    """One variable of a series: what was read, what its pattern lets expect, and how far off that is."""

    name: str
    values: np.ndarray
    usual: np.ndarray
    off: np.ndarray
    shifts: tuple[Shift, ...] = ()

    @classmethod
    def of(cls, name: str, values: np.ndarray, usual: np.ndarray, shifts: tuple[Shift, ...] = ()) -> Course:
        """Measure departures in units of the usual ones."""
        away = values - usual
        known = np.abs(away[np.isfinite(away)])
        width = float(np.median(known)) or float(known.mean()) if len(known) else 1.0
        return cls(name, values, usual, np.nan_to_num(np.abs(away) / (width or 1.0)), shifts)

    def shown(self, value: float) -> str:
        """A reading as people write it: proportions in per cent."""
        known = self.values[np.isfinite(self.values)]
        proportion = _PROPORTION.search(self.name) and known.min(initial=0) >= 0 and known.max(initial=0) <= 1
        return figure(100 * value, "%") if proportion else figure(float(f"{value:.4g}"))

    def stays(self, rows: Sequence[int]) -> bool:
        """Whether a stretch too long for chance holds one value, which is what there is to tell of it."""
        part = self.values[list(rows)]
        return (
            len(part) >= SHORTEST
            and bool((part == part[0]).all())
            and float(np.nanmax(self.values)) > float(np.nanmin(self.values))
        )

    def shifted(self, rows: Sequence[int]) -> str | None:
        """The levels before and after, where one of ``rows`` is the first of a level that stayed."""
        shift = next((s for s in self.shifts if s.row in rows), None)
        if shift is None:
            return None
        name, way = self.name.replace("_", " "), "up" if shift.after > shift.before else "down"
        return f"{name} went {way} from about {self.shown(shift.before)} to about {self.shown(shift.after)} and stayed there"

    def _swings(self, rows: Sequence[int]) -> bool:
        """Whether readings of a stretch lie far off on both sides of what is usual."""
        part = list(rows)
        far = self.off[part] > _FAR
        above = (self.values[part] > self.usual[part])[far]
        return len(above) >= SHORTEST // 2 and bool(_SIDE <= above.mean() <= 1 - _SIDE)

    def sentence(self, rows: Sequence[int]) -> str:
        """The farthest reading of ``rows`` against what is usual."""
        at = max(rows, key=lambda r: float(self.off[r]))
        value, usual = float(self.values[at]), float(self.usual[at])
        name = self.name.replace("_", " ")
        if not np.isfinite(value):
            return f"{name} is missing"
        low, high = np.nanquantile(self.values, [0.05, 0.95])
        if self._swings(rows):
            least, most = float(np.nanmin(self.values[list(rows)])), float(np.nanmax(self.values[list(rows)]))
            return f"{name} swings between {self.shown(least)} and {self.shown(most)}, usually between {self.shown(float(low))} and {self.shown(float(high))}"
        several = "up to " if len(rows) > 1 and value > usual else "down to " if len(rows) > 1 else ""
        said = f"{name} {several}{self.shown(value)}"
        if low == high and value != high:
            return f"{said}, usually {self.shown(float(high))}"
        # Where the time of day or year explains more than the usual range, the pattern is the better measure.
        beyond = max(value - high, low - value) > 0.5 * abs(value - usual)
        if value > high and beyond:
            return f"{said}, usually below {self.shown(float(high))}"
        if value < low and beyond:
            return f"{said}, usually above {self.shown(float(low))}"
        return f"{said} where its pattern gives about {self.shown(usual)}"


def courses(prepared: Prepared, part: Part | None = None) -> list[Course]:
    """Every variable of a series, or of one of several; none where the data is no series.

    Args:
        prepared: The data.
        part: The series of a panel that is told of; what belongs to the others is unknown to it.
    """
    raw, usual = prepared.raw, prepared.usual
    if raw is None or usual is None:
        return []
    shifts, own = prepared.shifts or {}, np.ones(len(raw), dtype=bool)
    if part is not None:
        own[:] = False
        own[part.rows] = True
    return [
        Course.of(
            n,
            np.where(own, raw[n].to_numpy(dtype=float, na_value=np.nan), np.nan),
            u,
            tuple(s for s in shifts.get(n, ()) if own[s.row]),
        )
        for n, u in usual.items()
    ]


def course_of(prepared: Prepared) -> Callable[[int], list[Course]]:
    """The variables of the series that a row belongs to, each series looked up once."""
    if not prepared.parts:
        only = courses(prepared)
        return lambda row: only
    part_of = {int(row): part for part in prepared.parts for row in part.rows}
    known: dict[str, list[Course]] = {}

    def of(row: int) -> list[Course]:
        part = part_of.get(row)
        if part is None:
            return []
        if part.name not in known:
            known[part.name] = courses(prepared, part)
        return known[part.name]

    return of


def told(all_courses: Sequence[Course], reason: str, rows: Sequence[int]) -> tuple[str, str]:
    """The variable behind a reason, and the reason in one sentence.

    Args:
        all_courses: The variables of the series.
        reason: A column of the prepared matrix: ``variable: way of being unusual``, or a way of all together.
        rows: The readings it is told of.
    """
    for course in all_courses:
        if (said := course.shifted(rows)) is not None:
            return course.name, said
    named, _, way = reason.partition(": ")
    own = next((c for c in all_courses if c.name == named), None)
    if own is None:
        if named != ANY and way == "" and "step" not in named:
            return named, named
        own = max(all_courses, key=lambda c: float(c.off[list(rows)].max()))
    part = own.values[list(rows)]
    known = part[np.isfinite(part)]
    if len(known) and (way.startswith("unchanged") or own.stays(rows)):
        return (
            own.name,
            f"{own.name.replace('_', ' ')} stays at {own.shown(float(known[0]))} for unusually long",
        )
    said = own.sentence(rows)
    if named != own.name and named != ANY and len(all_courses) > 1:
        # What is unusual by itself needs no comparison with the others.
        ordinary = float(own.off[list(rows)].max()) < float(np.quantile(own.off, 0.99))
        return own.name, f"{said}, out of step with the other columns" if ordinary else said
    if way.startswith("unusual") and float(own.off[list(rows)].max()) < float(np.quantile(own.off, 0.95)):
        what = "takes an unusual course" if "shape" in way else "is unusually calm or restless"
        return own.name, f"{own.name.replace('_', ' ')} {what} around {own.shown(float(np.nanmedian(part)))}"
    return own.name, said


def episodes(
    prepared: Prepared, scores: np.ndarray, labels: np.ndarray, reasons: Sequence[str | None]
) -> list[dict[str, Any]]:
    """Flagged readings that follow each other as one stretch of time each, the most unusual first.

    Args:
        prepared: The series, or several of them.
        scores: Of every reading.
        labels: 1 for every flagged reading.
        reasons: Of every reading, the column of the matrix that says most, where known.
    """
    if prepared.usual is None or not labels.any():
        return []
    stamps = _times(prepared)
    found: list[dict[str, Any]] = []
    for part in prepared.parts or (None,):
        order = part.rows if part is not None else prepared.order
        order = np.arange(prepared.n_rows) if order is None else order
        if labels[order].any():
            told_of = _told(Told(prepared, courses(prepared, part), scores, reasons, stamps), order, labels)
            found += told_of if part is None else [_named(e, part) for e in told_of]
    return sorted(found, key=lambda e: -e["score"])


def _named(episode: dict[str, Any], part: Part) -> dict[str, Any]:
    """The same with the entity of a panel that it happened to."""
    when = f"{part.name}, {episode['when']}"
    return episode | {"entity": part.name, "when": when, "text": f"{capital(when)}: {episode['why']}"}


@dataclass(frozen=True)
class Told:
    """A series with what is needed to tell of it."""

    prepared: Prepared
    series: list[Course]
    scores: np.ndarray
    reasons: Sequence[str | None]
    stamps: Sequence[datetime] | None


def _told(what: Told, order: np.ndarray, labels: np.ndarray) -> list[dict[str, Any]]:
    """The stretches of one series, given its rows in time order."""
    series, stamps = what.series, what.stamps
    place = {int(row): k for k, row in enumerate(order)}
    begun = [int(r) for r in order if labels[r] == 1 and any(s.row == r for c in series for s in c.shifts)]
    flagged = [int(r) for r in order if labels[r] == 1 and r not in begun]
    stretches: list[list[int]] = []
    for row in flagged:
        near = stretches and place[row] - place[stretches[-1][-1]] <= _BETWEEN + 1
        stretches[-1].append(row) if near else stretches.append([row])
    found = [_episode(what, _without_edges(what, rows)) for rows in stretches]
    for row in begun:
        later = [
            place[s.row] for c in series for s in c.shifts if c.shifted([row]) and place[s.row] > place[row]
        ]
        last = int(order[(min(later) if later else len(order)) - 1])
        told_of = _episode(what, [row])
        when = _span([row, last], stamps) if later else f"since {told_of['when']}"
        end = last if stamps is None else moment(stamps[last])
        found.append(told_of | {"end": end, "when": when, "text": f"{capital(when)}: {told_of['why']}"})
    return found


def _without_edges(what: Told, rows: list[int]) -> list[int]:
    """A stretch without ordinary readings at its ends, which are flagged for what lies beside them.

    A long outage has its own edges.
    """
    outage, series = what.prepared.outage, what.series
    if any(c.stays(rows) for c in series):
        return rows
    far = [
        (outage is not None and bool(outage[r]))
        or any(float(c.off[r]) > max(_FAR, 0.25 * float(c.off[rows].max())) for c in series)
        for r in rows
    ]
    if not any(far):
        return rows
    return rows[far.index(True) : len(rows) - far[::-1].index(True)]


def _episode(what: Told, rows: list[int]) -> dict[str, Any]:
    series, scores, stamps = what.series, what.scores, what.stamps
    top = max(rows, key=lambda r: float(scores[r]))
    column, why = told(series, what.reasons[top] or ANY, rows)
    strength = {c.name: float(c.off[rows].max()) for c in series}
    also = [c for c in series if c.name != column and strength[c.name] > _ALSO * max(strength.values())]
    beyond = [c for c in also if strength[c.name] > float(np.quantile(c.off, 0.99))]
    if beyond:
        why += "; " + max(beyond, key=lambda c: strength[c.name]).sentence(rows)
    when = _span(rows, stamps)
    return {
        "start": rows[0] if stamps is None else moment(stamps[rows[0]]),
        "end": rows[-1] if stamps is None else moment(stamps[rows[-1]]),
        "when": when,
        "rows": rows,
        "size": len(rows),
        "index": top,
        "score": float(scores[top]),
        "column": column,
        "why": why,
        "text": f"{capital(when)}: {why}",
    }


def _times(prepared: Prepared) -> list[datetime] | None:
    """When each row was read, where that is known."""
    import pandas as pd

    if prepared.labels is None:
        return None
    times = pd.to_datetime(pd.Series(prepared.labels), errors="coerce")
    return None if bool(times.isna().any()) else [t.to_pydatetime() for t in times]


def _span(rows: Sequence[int], stamps: Sequence[datetime] | None) -> str:
    first, last = rows[0], rows[-1]
    if stamps is None:
        return f"reading {first}" if first == last else f"readings {first} – {last}"
    start, end = stamps[first], stamps[last]
    if start == end:
        return moment(start)
    midnight = all((s.hour, s.minute, s.second) == (0, 0, 0) for s in (start, end))
    if midnight and start.year == end.year:
        day = f"{start.day}" if start.month == end.month else f"{start.day} {MONTHS[start.month - 1]}"
        return f"{day} – {moment(end)}"
    if start.date() == end.date():
        return f"{moment(start)} – {end.hour:02d}:{end.minute:02d}"
    return f"{moment(start)} – {moment(end)}"
