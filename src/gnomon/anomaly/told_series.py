"""What stands out in a series, in the units of its readings: one sentence for a time or for a stretch of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.modalities.departure import ANY
from gnomon.anomaly.modalities.outages import SHORTEST
from gnomon.core.figures import MONTHS, capital, figure, moment

if TYPE_CHECKING:
    from gnomon.anomaly.prepared import Prepared, Shift

# Two flagged times belong together with at most this many ordinary readings between them.
_BETWEEN: Final = 2
_ALSO: Final = 0.5
_FAR: Final = 3.0  # usual departures
_PROPORTION: Final = re.compile(r"(?:^|[\W_])(rate|ratio|share|proportion|fraction|percent(?:age)?|pct)(?:$|[\W_])", re.I)  # fmt: skip


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

    def sentence(self, rows: Sequence[int]) -> str:
        """The farthest reading of ``rows`` against what is usual."""
        at = max(rows, key=lambda r: float(self.off[r]))
        value, usual = float(self.values[at]), float(self.usual[at])
        name = self.name.replace("_", " ")
        if not np.isfinite(value):
            return f"{name} is missing"
        low, high = np.nanquantile(self.values, [0.05, 0.95])
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
        return f"{name} {self.shown(value)} where its pattern gives about {self.shown(usual)}"


def courses(prepared: Prepared) -> list[Course]:
    """Every variable of a series; none where the data is no series."""
    raw, usual = prepared.raw, prepared.usual
    if raw is None or usual is None:
        return []
    shifts = prepared.shifts or {}
    return [
        Course.of(n, raw[n].to_numpy(dtype=float, na_value=np.nan), u, shifts.get(n, ()))
        for n, u in usual.items()
    ]


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
    if named != own.name and named != ANY:
        return own.name, f"{said}, out of step with the others" if len(all_courses) > 1 else said
    if way.startswith("unusual") and float(own.off[list(rows)].max()) < float(np.quantile(own.off, 0.95)):
        what = "takes an unusual course" if "shape" in way else "is unusually calm or restless"
        return own.name, f"{own.name.replace('_', ' ')} {what} around {own.shown(float(np.nanmedian(part)))}"
    return own.name, said


def episodes(
    prepared: Prepared, scores: np.ndarray, labels: np.ndarray, reasons: Sequence[str | None]
) -> list[dict[str, Any]]:
    """Flagged readings that follow each other as one stretch of time each, the most unusual first.

    Args:
        prepared: The series.
        scores: Of every reading.
        labels: 1 for every flagged reading.
        reasons: Of every reading, the column of the matrix that says most, where known.
    """
    series = courses(prepared)
    if not series or not labels.any():
        return []
    stamps, order = _times(prepared)
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    flagged = sorted(np.flatnonzero(labels == 1).tolist(), key=lambda r: int(place[r]))
    begun = sorted(
        {s.row for c in series for s in c.shifts if labels[s.row] == 1}, key=lambda r: int(place[r])
    )
    flagged = [r for r in flagged if r not in begun]
    stretches: list[list[int]] = []
    for row in flagged:
        near = stretches and place[row] - place[stretches[-1][-1]] <= _BETWEEN + 1
        stretches[-1].append(row) if near else stretches.append([row])
    found = [_episode(series, _without_edges(series, rows), scores, reasons, stamps) for rows in stretches]
    for row in begun:
        later = [
            place[s.row] for c in series for s in c.shifts if c.shifted([row]) and place[s.row] > place[row]
        ]
        last = int(order[(min(later) if later else len(order)) - 1])
        told_of = _episode(series, [row], scores, reasons, stamps)
        when = _span([row, last], stamps) if later else f"since {told_of['when']}"
        end = last if stamps is None else moment(stamps[last])
        found.append(told_of | {"end": end, "when": when, "text": f"{capital(when)}: {told_of['why']}"})
    return sorted(found, key=lambda e: -e["score"])


def _without_edges(series: Sequence[Course], rows: list[int]) -> list[int]:
    """A stretch without ordinary readings at its ends, which are flagged for what lies beside them."""
    if any(c.stays(rows) for c in series):
        return rows
    far = [any(float(c.off[r]) > max(_FAR, 0.25 * float(c.off[rows].max())) for c in series) for r in rows]
    if not any(far):
        return rows
    return rows[far.index(True) : len(rows) - far[::-1].index(True)]


def _episode(
    series: Sequence[Course],
    rows: list[int],
    scores: np.ndarray,
    reasons: Sequence[str | None],
    stamps: Sequence[datetime] | None,
) -> dict[str, Any]:
    top = max(rows, key=lambda r: float(scores[r]))
    column, why = told(series, reasons[top] or ANY, rows)
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


def _times(prepared: Prepared) -> tuple[list[datetime] | None, np.ndarray]:
    """When each row was read, where that is known, and the rows in time order."""
    import pandas as pd

    if prepared.labels is None:
        return None, np.arange(prepared.n_rows)
    times = pd.to_datetime(pd.Series(prepared.labels), errors="coerce")
    if bool(times.isna().any()):
        return None, np.arange(prepared.n_rows)
    return [t.to_pydatetime() for t in times], np.argsort(times.to_numpy(), kind="stable")


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
