"""What may be told of a change between two periods, of what it comes down to, and of groups beside their peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.days import coarse
from gnomon.guardrails.release.groups import told_groups
from gnomon.guardrails.release.series import Calendar
from gnomon.guardrails.release.view import (
    View,
    members,
    numbers_of,
    to_few_digits,
    too_few,
    without_numbers,
)
from gnomon.tools.frames import Frame

_SIZES = ("change", "usual", "explained", "p_value")


@dataclass(frozen=True)
class _Periods:
    """Two periods of a column of time stamps, and how many source rows stand behind any part of them."""

    view: View
    values: tuple[str, ...]
    time: str
    days: Any
    current: tuple[date, date]
    previous: tuple[date, date]

    @classmethod
    def of(cls, view: View) -> _Periods:
        import pandas as pd

        from gnomon.tools.change_tools import ChangeInput, compared_periods

        given = view.arguments
        weight = [str(given["weight"])] if given.get("weight") else []
        open_numbers = [
            c for c in numbers_of(view.data) if not view.data.origin.closed(c) and c not in weight
        ]
        values = (*(view.value_columns() or open_numbers[:1]), *weight)
        time = view.time_column()
        if time is None or view.data.origin.closed(time) or any(map(view.data.origin.closed, values)):
            raise too_few("A change in closed columns")
        frame = view.data.read([time])
        asked = {k: given[k] for k in ("days", "end", "previous_end") if given.get(k)}
        current, previous = compared_periods(
            frame, time, ChangeInput.model_validate({"data": view.data.frame, **asked})
        )
        days = pd.to_datetime(frame[time], errors="coerce").dt.tz_localize(None).dt.normalize()
        return cls(view, values, time, days, (current.start, current.end), (previous.start, previous.end))

    def behind(self, keys: Sequence[str] = (), more: Sequence[str] = ()) -> dict[tuple[str | None, ...], int]:
        """How many source rows each group has in the period where it has fewer."""
        return self._least([self.current, self.previous], keys, more)

    def season(self, first: date) -> int:
        """How many source rows stand behind the same comparison in another year, told by the first day of its later half."""
        shift = first - self.current[0]
        both = [(a + shift, b + shift) for a, b in (self.current, self.previous)]
        return self._least(both, (), ()).get((), 0)

    def _least(
        self, periods: Sequence[tuple[date, date]], keys: Sequence[str], more: Sequence[str]
    ) -> dict[tuple[str | None, ...], int]:
        import pandas as pd

        held: list[dict[tuple[str | None, ...], int]] = []
        for start, end in periods:
            within = self.days.between(pd.Timestamp(start), pd.Timestamp(end)).to_numpy()
            held.append(self.view.data.behind([*self.values, *more], keys, within=within))
        return {k: min(h.get(k, 0) for h in held) for k in {k for h in held for k in h}}


def change_rule(view: View) -> None:
    """A change between two periods with enough rows in each."""
    periods = _Periods.of(view)
    if periods.behind().get((), 0) < MIN_ROWS:
        raise too_few("One of the two periods")
    view.output |= _change(view.output, periods)
    _first_days(view)
    view.output["summary"] = coarse(str(view.output["summary"]))


def drivers_rule(view: View) -> None:
    """The segments with enough rows in both periods; of one dimension never all but a few rows."""
    periods, told = _diagnosed(view)
    cuts: list[dict[str, Any]] = []
    for cut in members(view.output["cuts"]):
        effects = [e for e in members(cut["effects"]) if told.rows(e["segment"]) >= MIN_ROWS]
        told.kept |= {_key(e["segment"]) for e in effects}
        cuts.append({**cut, "effects": effects})
    view.output["cuts"] = cuts
    names = {", ".join(f"{d} {v}" for d, v in segment) for segment in told.kept}
    rows = cast("Frame", view.output["rows"])
    keep = [str(s) in names for s in rows.arrow.column("segment").to_pylist()]
    view.output["rows"] = Frame(rows.arrow.filter(keep) if len(rows) else rows.arrow)
    _explained(view, told)
    if not all(keep):
        view.note(f"segments: those of fewer than {MIN_ROWS} source rows, and what would tell them, are withheld.")  # fmt: skip
    _summary(view, periods)


def causes_rule(view: View) -> None:
    """The candidates, where enough rows hold them in both periods and the segment they act in."""
    periods, told = _diagnosed(view)
    _explained(view, told)
    calendar = Calendar(view)
    judged: dict[str, list[dict[str, Any]]] = {}
    for name in ("causes", "ruled_out"):
        judged[name] = []
        for cause in members(view.output[name]):
            measure = str(cause["label"])
            if view.data.origin.closed(measure) or told.rows(cause["segment"], measure) < MIN_ROWS:
                continue
            cause |= {n: calendar.told(cause[n]) for n in ("onset", "effect_onset")}
            cause["usual"] = to_few_digits(cause["usual"])
            cause["evidence"] = [
                {**e, "effect": None, "says": without_numbers(str(e["says"])), "test": without_numbers(str(e["test"]))}
                for e in members(cause["evidence"])
            ]  # fmt: skip
            judged[name].append(cause)
        if len(judged[name]) < len(view.output[name]):
            view.note(f"{name}: those of too few source rows are withheld.")
    view.output |= judged
    listed = {(str(c["label"]), _where(c["segment"])) for n in judged for c in judged[n]}
    rows = cast("Frame", view.output["rows"])
    pairs = zip(*(rows.arrow.column(c).to_pylist() for c in ("candidate", "segment")), strict=True)
    view.output["rows"] = Frame(rows.arrow.filter([p in listed for p in pairs]) if len(rows) else rows.arrow)
    _summary(view, periods)


def benchmark_rule(view: View) -> None:
    """Groups of enough rows, each among those that are told as well."""
    from gnomon.analytics.benchmarks import benchmark_peers

    given, rows = view.arguments, cast("Frame", view.output["rows"])
    by, weight = str(given["group_by"]), given.get("weight")
    table = rows.arrow.to_pylist()
    value = rows.arrow.column_names[1]
    used = [value, *([str(weight)] if weight else [])]
    if any(view.data.origin.closed(c) for c in [by, *used]):
        raise too_few("A comparison of closed columns")
    large = view.data.told(used, [by])
    kept = [(str(r[by]),) in large for r in table]
    told = [r for r, keep in zip(table, kept, strict=True) if keep]
    if given.get("middle") is None and len(told) < len(table):
        better = bool(given.get("higher_is_better", True))
        placed = benchmark_peers({str(r[by]): float(r[value]) for r in told}, higher_is_better=better) if told else {}  # fmt: skip
        told = [
            r | {"middle": p.middle, "gap": p.gap, "percentile": p.percentile, "standing": p.standing.value}
            for r in told
            if (p := placed.get(str(r[by]))) is not None
        ]
    if len(told) < len(table) or not view.whole:
        view.note("rows: groups of too few source rows are withheld; the middle is that of the rest.")
        view.output["summary"] = f"{len(told):,} groups are told."
    import pyarrow as pa

    view.output["rows"] = Frame(pa.Table.from_pylist(told, schema=rows.arrow.schema))


class _Segments:
    """How many source rows a segment has in both periods."""

    def __init__(self, periods: _Periods) -> None:
        self._periods = periods
        self._counts: dict[tuple[tuple[str, ...], str], dict[tuple[str | None, ...], int]] = {}
        self.kept: set[tuple[tuple[str, str | None], ...]] = set()

    def rows(self, segment: Any, measure: str = "") -> int:
        """The fewer of both; none where a column of it is closed, or where it would tell of a small one."""
        parts = _key(segment)
        names = tuple(n for n, _ in parts)
        if any(self._periods.view.data.origin.closed(n) for n in names):
            return 0
        if (names, measure) not in self._counts:
            counts = self._periods.behind(names, [measure] if measure else [])
            kept = told_groups(list(counts.values()), list(counts)) if names else [True]
            self._counts[names, measure] = {
                k: n for (k, n), keep in zip(counts.items(), kept, strict=True) if keep
            }
        return self._counts[names, measure].get(tuple(v for _, v in parts), 0)


def _diagnosed(view: View) -> tuple[_Periods, _Segments]:
    periods = _Periods.of(view)
    if periods.behind().get((), 0) < MIN_ROWS:
        raise too_few("One of the two periods")
    view.output["change"] = _change(_fields(view.output["change"]), periods)
    return periods, _Segments(periods)


def _change(found: Mapping[str, Any], periods: _Periods) -> dict[str, Any]:
    """What is told of a change beside its two figures: nothing that rests on a few rows of the past."""
    told = {k: found[k] for k in ("before", "after", "change", "change_percent", "score", "p_value", "comparisons", "verdict", "test")}  # fmt: skip
    enough = int(found["comparisons"]) >= MIN_ROWS
    told |= {n: to_few_digits(found[n]) if enough else None for n in ("expected", "low", "high")}
    season = _fields(found["season"])
    years = [date.fromisoformat(str(d)) for d, _ in season["previous"]]
    if any(periods.season(first) < MIN_ROWS for first in years):
        season |= dict.fromkeys(n for n in _SIZES if n != "change")
    told["season"] = {**season, "previous": []}
    told["notes"] = [coarse(str(n)) for n in found.get("notes") or []]
    return told


def _explained(view: View, told: _Segments) -> None:
    found = _fields(view.output["explanation"])
    parts = [p for p in members(found["parts"]) if told.rows(p["segment"]) >= MIN_ROWS]
    parts = [{**p, "expected": to_few_digits(p["expected"])} for p in parts]
    if len(parts) < len(found["parts"]):
        view.note(f"explanation: segments of fewer than {MIN_ROWS} source rows are withheld.")
        found["explained"] = None
    view.output["explanation"] = {**found, "parts": parts, "notes": [coarse(str(n)) for n in found["notes"]]}


def _summary(view: View, periods: _Periods) -> None:
    """The sentence as it is where all that it names is told; else what is left to say."""
    if any(n.startswith(("explanation", "causes")) for n in view.notes):
        named = "; ".join(_where(p["segment"]) for p in view.output["explanation"]["parts"][:3])
        said = f"it comes down to {named}" if named else "what it comes down to is not told"
        view.output["summary"] = f"{periods.values[0]} changed from one period to the other; {said}."
    else:
        view.output["summary"] = coarse(str(view.output["summary"]))


def _first_days(view: View) -> None:
    """The first day of each period, where the asker chose it; else it tells the last day of the data."""
    rows = cast("Frame", view.output["rows"])
    if view.arguments.get("end"):
        return
    import pyarrow as pa

    at = rows.arrow.column_names.index("from")
    hidden = pa.nulls(len(rows), rows.arrow.schema.field(at).type)
    view.output["rows"] = Frame(rows.arrow.set_column(at, rows.arrow.schema.field(at), hidden))
    view.note("rows: where the periods begin is told where 'end' is given.")


def _fields(found: Any) -> dict[str, Any]:
    return dict(cast("Mapping[str, Any]", found)) if isinstance(found, Mapping) else dict(found.model_dump())


def _key(segment: Any) -> tuple[tuple[str, str | None], ...]:
    return tuple((str(d), None if v is None else str(v)) for d, v in segment)


def _where(segment: Any) -> str:
    return ", ".join(f"{d} {v}" for d, v in segment) or "everything"
