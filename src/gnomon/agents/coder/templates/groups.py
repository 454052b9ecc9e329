"""Rows that belong together: segments, named groups, and cohorts of those who come back."""

from __future__ import annotations

from typing import Any

from gnomon.agents.coder.record import Section
from gnomon.agents.coder.templates.desk import Desk, Draft, attempted
from gnomon.agents.coder.templates.drawing import bar_chart, line_chart
from gnomon.agents.coder.templates.state import measures
from gnomon.analytics import clusters
from gnomon.core.errors import CalculationError
from gnomon.data import Role
from gnomon.data.table import quote
from gnomon.semantic.model import DimensionType
from gnomon.semantic.query import RetrievalQuery

MOST_SEGMENT_ROWS = 20_000
MOST_COHORTS = 24
LEAST_MEMBERS = 40


def segments(desk: Desk) -> Section:
    """Groups that the rows fall into by themselves, where they do."""
    draft = Draft("Segments", "segments")

    def work() -> None:
        columns = measures(desk.table)
        if not columns:
            draft.refuse("The table has no numeric measure to tell rows apart by.")
            return
        if len(columns) == 1:
            columns += [c for d in desk.dimensions(2, largest=12) if (c := d.at(desk.table.name))]
        frame = desk.frame("columns that describe a row", columns, MOST_SEGMENT_ROWS)
        found = clusters(
            frame,
            columns=columns,
            most=6,
            should_stop=lambda: desk.cancel is not None and desk.cancel.cancelled,
        )
        code = desk.note("segments", f"clusters(frame, columns={columns!r}, most=6)")
        rows = draft.fact("rows looked at", len(frame) - found.left_out_rows, query=code)
        used = draft.fact("columns used", len(found.columns), query=code)
        if not found.found:
            draft.say(
                f"Over {rows} rows and {used} columns there are no segments that data without structure would not show too."
            )
            return
        count = draft.fact("segments", found.k, query=code)
        draft.say(f"The {rows} rows fall into {count} segments, told from {used} columns.")
        listed: list[tuple[Any, ...]] = []
        for segment in found.segments:
            share = draft.fact(f"segment {segment.segment} share", segment.share, "fraction", query=code)
            marked = sorted(
                (c for c in segment.columns if c.difference_sd is not None),
                key=lambda c: -abs(c.difference_sd or 0),
            )
            number = draft.fact(f"segment {segment.segment} number", segment.segment)
            line = f"Segment {number} holds {share} of them"
            if marked and marked[0].mean is not None and marked[0].overall_mean is not None:
                first = marked[0]
                name = draft.fact(f"segment {segment.segment} marked by", first.column, query=code)
                mean = draft.fact(f"segment {segment.segment} mean", first.mean, query=code)
                overall = draft.fact(
                    f"segment {segment.segment} overall mean", first.overall_mean, query=code
                )
                line += f", and differs most in {name}, with a mean of {mean} where all have {overall}"
            draft.say(f"{line}.")
            listed += [
                (segment.segment, segment.count, c.column, c.mean, c.overall_mean, c.difference_sd)
                for c in marked
            ]
        draft.table(
            "segments",
            ["segment", "rows", "column", "mean", "mean of all", "difference in deviations"],
            listed,
        )
        title = draft.filled(f"{count} segments by their share of the rows")
        draft.chart(
            bar_chart(
                title,
                [(f"segment {s.segment}", s.share) for s in found.segments],
                "segment",
                "share of the rows",
            )
        )

    return attempted(draft, work, "Segments")


def groups(desk: Desk) -> Section:
    """How measures differ between the named groups that the table has."""
    draft = Draft("Named groups", "groups")

    def work() -> None:
        chosen, by = desk.metrics(2), desk.dimensions(3)
        if not by or not chosen:
            draft.refuse("No column parts the rows into a few named groups.")
            return
        for dimension in by:
            metric = chosen[0]
            query = RetrievalQuery(metrics=(metric.name,), dimensions=(dimension.name,), order_by=metric.name)
            got = desk.retrieve(f"{metric.label} by {dimension.label}", query)
            rows = [(str(r[0]), float(r[1])) for r in got.rows if r[0] is not None and r[1] is not None]
            if len(rows) < 2:
                continue
            if rows[0][1] == rows[-1][1]:
                same = draft.fact(
                    f"{metric.label} of each {dimension.label}", rows[0][1], metric.unit, query=got.query
                )
                draft.say(f"By {dimension.label}, {metric.label} is the same for all: {same}.")
                continue
            top = draft.fact(f"highest {dimension.label}", rows[0][0], query=got.query)
            high = draft.fact(
                f"{metric.label} of highest {dimension.label}", rows[0][1], metric.unit, query=got.query
            )
            end = draft.fact(f"lowest {dimension.label}", rows[-1][0], query=got.query)
            low = draft.fact(
                f"{metric.label} of lowest {dimension.label}", rows[-1][1], metric.unit, query=got.query
            )
            draft.say(
                f"By {dimension.label}, {metric.label} is highest for {top} ({high}) and lowest for {end} ({low})."
            )
            draft.table(f"{metric.label} by {dimension.label}", [dimension.label, metric.label], rows)
            title = draft.filled(f"{top} has the highest {metric.label} by {dimension.label}")
            draft.chart(bar_chart(title, rows, dimension.label, metric.label))

    return attempted(draft, work, "Named groups")


def _entity(desk: Desk) -> str | None:
    """The column that names who comes back: an identifier that repeats, persons that do, or else the finest groups.

    A column that tells the rows of one moment apart (customer and month) names who is there at each; without one, the
    words of the largest number of groups are taken, where they are too many to be kinds of something.
    """
    held: list[tuple[int, int, str]] = []
    time = desk.time.at(desk.table.name) if desk.time is not None else None
    beside = {c for k in desk.table.keys if k.exact and time in k.columns for c in k.columns}
    for column in desk.table.columns:
        repeats = 5 <= column.distinct < 0.9 * (desk.table.rows - column.nulls)
        known = next((d for d in desk.model.dimensions if d.at(desk.table.name) == column.name), None)
        is_id = column.role is Role.ID or (known is not None and known.type is DimensionType.ID)
        named = known is not None and known.type is DimensionType.CATEGORY
        if not repeats or not (is_id or named or column.role is Role.PERSONAL):
            continue
        if is_id or column.role is Role.PERSONAL:
            held.append((0 if is_id else 1, 0, column.name))
        elif column.name in beside or column.distinct >= LEAST_MEMBERS:
            held.append((2 if column.name in beside else 3, -column.distinct, column.name))
    return min(held)[2] if held else None


def cohorts(desk: Desk) -> Section:
    """Of those who came first in one month, how many came back in each later month."""
    draft = Draft("Cohorts and retention", "cohorts")

    def work() -> None:
        who, time = _entity(desk), desk.time
        if time is None:
            draft.refuse("Cohorts need a column with dates, and the table has none.")
            return
        when = time.at(desk.table.name)
        if who is None or when is None or time.written is not None:
            draft.refuse(
                "Cohorts need a column that names who comes back, with values that repeat; the table has none."
            )
            return
        a, t, rel = quote(who), quote(when), quote(desk.table.name)
        query = (
            f"WITH seen AS (SELECT DISTINCT {a} AS who, date_trunc('month', CAST({t} AS TIMESTAMP)) AS month "
            f"FROM {rel} WHERE {a} IS NOT NULL AND {t} IS NOT NULL), "
            "first AS (SELECT who, min(month) AS cohort FROM seen GROUP BY who) "
            "SELECT cohort, date_diff('month', cohort, month) AS later, count(*) FROM seen JOIN first USING (who) "
            "GROUP BY cohort, later ORDER BY cohort, later"
        )
        rows = desk.sql("who came back, by month of the first time", query)
        sizes = {c: n for c, later, n in rows if later == 0}
        if len(sizes) < 2:
            raise CalculationError("all of them came first in the same month.")
        label = draft.fact("who", who)
        everyone = draft.fact("members", sum(sizes.values()), query=query)
        months = draft.fact("cohorts", len(sizes), query=query)
        draft.say(f"{everyone} different values of {label} came first in {months} different months.")
        last_month = max(_months(c) + later for c, later, _ in rows)
        for after in (1, 3, 6):
            seen = [c for c in sizes if _months(c) + after <= last_month]
            base = sum(sizes[c] for c in seen)
            back = sum(n for c, later, n in rows if later == after and c in seen)
            if base:
                share = draft.fact(f"back after {after}", back / base, "fraction", query=query)
                number = draft.fact(f"months later {after}", after, "months")
                draft.say(
                    f"{share} of those who could be seen {number} later were active again in that month."
                )
        largest = max(sizes, key=lambda c: (sizes[c], c))
        big = draft.fact(
            "largest cohort", largest.date() if hasattr(largest, "date") else largest, query=query
        )
        size = draft.fact("largest cohort size", sizes[largest], query=query)
        draft.say(f"No cohort is larger than that of the month from {big}, with {size} members.")
        shown = [(c, later, n, n / sizes[c]) for c, later, n in rows if c in sorted(sizes)[-MOST_COHORTS:]]
        draft.table("retention", ["first month", "months later", "active", "share"], shown, rates=["share"])
        curve = [(later, back / base) for later, back, base in _curve(rows, sizes, last_month)]
        draft.table("retention of all cohorts", ["months later", "share"], curve, rates=["share"])
        title = "Share of members that are active again, by months since the first"
        draft.chart(
            bar_chart(
                title, [(f"{k} months", v) for k, v in curve if k], "months since the first", "share active"
            )
        )

    return attempted(draft, work, "Retention")


def _curve(rows: list[tuple[Any, ...]], sizes: dict[Any, int], last_month: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for after in range(13):
        seen = {c for c in sizes if _months(c) + after <= last_month}
        base = sum(sizes[c] for c in seen)
        if base:
            found.append((after, sum(n for c, later, n in rows if later == after and c in seen), base))
    return found


def _months(moment: Any) -> int:
    return moment.year * 12 + moment.month


def activity(desk: Desk) -> Section:
    """How many different members were active in each period."""
    draft = Draft("Active members", "active")

    def work() -> None:
        who, time = _entity(desk), desk.time
        when = time.at(desk.table.name) if time is not None else None
        if who is None or when is None or (time is not None and time.written is not None):
            draft.refuse("Active members need dates, and a column that names who comes back.")
            return
        a, t, rel = quote(who), quote(when), quote(desk.table.name)
        query = (
            f"SELECT date_trunc('month', CAST({t} AS TIMESTAMP)) AS month, count(DISTINCT {a}) FROM {rel} "
            f"WHERE {a} IS NOT NULL AND {t} IS NOT NULL GROUP BY month ORDER BY month"
        )
        rows = desk.sql("active members by month", query)
        best = max(rows, key=lambda r: (r[1], r[0]))
        month = draft.fact("busiest month", best[0], query=query)
        count = draft.fact("active in busiest month", best[1], query=query)
        total = draft.fact("rows per member", desk.table.rows / max(1, desk.table.column(who).distinct))
        label = draft.fact("who", who)
        draft.say(
            f"Counted by {label}, the month with the most active members begins at {month}, with {count}."
        )
        draft.say(f"On average a member has {total} rows.")
        draft.table("active members", ["month", "active"], rows)
        draft.chart(
            line_chart(draft.filled(f"Active members peak at {count}"), rows, "month", "active members")
        )

    return attempted(draft, work, "Active members")
