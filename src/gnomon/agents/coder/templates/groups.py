"""Rows that belong together: segments, named groups, and cohorts of those who come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gnomon.agents.coder.record import Section
from gnomon.agents.coder.templates.desk import Desk, Draft, attempted
from gnomon.agents.coder.templates.drawing import Axis, axis, bar_chart, line_chart, period_label
from gnomon.agents.coder.templates.state import measures
from gnomon.analytics import clusters
from gnomon.answering.words import labelled
from gnomon.core.errors import CalculationError
from gnomon.core.figures import FRACTION, group_name, listed
from gnomon.core.query import TimeGranularity
from gnomon.data import Role
from gnomon.planning.reader.people import is_person_noun
from gnomon.semantic.model import Aggregation, Dimension, DimensionType
from gnomon.semantic.query import RetrievalQuery

MOST_SEGMENT_ROWS = 20_000
MOST_COHORTS = 24
LEAST_MEMBERS = 40
MOST_COLUMNS = 8
MOST_TOLD = 3
LEAST_ROWS = 5
SURE = 0.01
_OFTEN = 3


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
                Axis("share of the rows", FRACTION),
            )
        )

    return attempted(draft, work, "Segments")


@dataclass(frozen=True)
class _Contrast:
    """How far one measure differs between the groups of one column.

    Args:
        by: The column.
        measure: What is averaged.
        rows: Group, how many rows have a value, and their average; the highest first.
        share: How much of all differences between rows lies between the groups, chance taken off.
        query: What gave them.
    """

    by: Dimension
    measure: Dimension
    rows: tuple[tuple[Any, int, float], ...]
    share: float
    query: str


def groups(desk: Desk) -> Section:
    """Where averages differ most between the named groups that the table has, as far as chance does not explain it."""
    draft = Draft("Named groups", "groups")

    def work() -> None:
        by = desk.dimensions(MOST_COLUMNS)
        if not by:
            draft.refuse("No column parts the rows into a few named groups.")
            return
        # Where there is money, that is what groups are told apart by; else whatever differs most between them.
        columns = measures(desk.table)
        money = [c.name for c in desk.table.columns if c.role is Role.MONEY and c.name in columns]
        known = {d.at(desk.table.name): d for d in desk.model.dimensions}
        measured = [known[c] for c in (money or columns)[:MOST_COLUMNS] if c in known]
        found = [c for d in by for c in _contrasts(desk, d, measured, len(by) * len(measured))]
        best = {d.name: max((c for c in found if c.by is d), key=lambda c: c.share, default=None) for d in by}
        told = sorted((c for c in best.values() if c is not None), key=lambda c: -c.share)[:MOST_TOLD]
        if measured and not told:
            averages = draft.fact("measures", listed([m.label for m in measured], "or"))
            tried = draft.fact("columns with groups", listed([d.label for d in by], "or"))
            draft.say(f"No average of {averages} differs by {tried} more than chance would give.")
        for contrast in told:
            _tell_contrast(draft, contrast)
        for dimension in () if told else by[:MOST_TOLD]:
            _tell_sizes(desk, draft, dimension)

    return attempted(draft, work, "Named groups")


def _contrasts(desk: Desk, by: Dimension, measured: list[Dimension], tests: int) -> Iterator[_Contrast]:
    """The measures whose averages differ between the groups of a column beyond chance, by an analysis of variance."""
    if not measured:
        return
    from scipy.stats import f as f_distribution

    wanted = [f"{how}({m.name})" for m in measured for how in ("count", "mean", "variance")]
    query = RetrievalQuery(metrics=tuple(wanted), dimensions=(by.name,), order_by=None)
    got = desk.retrieve(f"averages by {by.label}", query)
    for i, measure in enumerate(measured):
        cells = [(r[0], *r[1 + 3 * i : 4 + 3 * i]) for r in got.rows if r[0] is not None]
        held = [
            (g, int(n), float(mean), float(v)) for g, n, mean, v in cells if v is not None and n >= LEAST_ROWS
        ]
        if len(held) < 2:
            continue
        n, k = sum(c[1] for c in held), len(held)
        centre = sum(c[1] * c[2] for c in held) / n
        between = sum(c[1] * (c[2] - centre) ** 2 for c in held)
        inside = sum((c[1] - 1) * c[3] for c in held) / (n - k)
        if inside <= 0:
            continue
        p = float(f_distribution.sf(between / (k - 1) / inside, k - 1, n - k))
        if p * max(1, tests) < SURE:
            share = (between - (k - 1) * inside) / (between + (n - k) * inside + inside)
            rows = sorted(((g, c, mean) for g, c, mean, _ in held), key=lambda r: (-r[2], str(r[0])))
            yield _Contrast(by, measure, tuple(rows), share, got.query)


def _tell_contrast(draft: Draft, c: _Contrast) -> None:
    by, what, unit = c.by.label, f"average {c.measure.label}", c.measure.unit
    (first, _, most), (last, _, least) = c.rows[0], c.rows[-1]
    top = draft.fact(f"highest {by}", labelled(first, by), query=c.query)
    high = draft.fact(f"{what} of highest {by}", most, unit, query=c.query)
    end = draft.fact(f"lowest {by}", labelled(last, by), query=c.query)
    low = draft.fact(f"{what} of lowest {by}", least, unit, query=c.query)
    share = draft.fact(f"share of {c.measure.label} told by {by}", c.share, "fraction", query=c.query)
    draft.say(
        f"By {by}, {what} is highest for {top} ({high}) and lowest for {end} ({low}): {share} of all differences "
        f"in {c.measure.label} lie between these groups."
    )
    draft.table(f"{what} by {by}", [by, what, "rows"], [(group_name(g), mean, n) for g, n, mean in c.rows])
    title = draft.filled(f"By {by}, {what} is highest for {top}")
    draft.chart(bar_chart(title, [(group_name(g), mean) for g, _, mean in c.rows], by, Axis(what, unit)))


def _tell_sizes(desk: Desk, draft: Draft, by: Dimension) -> None:
    """How the first measure that adds up is spread over groups, where no average sets them apart."""
    added = (Aggregation.SUM, Aggregation.COUNT)
    metric = next((m for m in desk.metrics(9) if m.aggregation in added), None)
    if metric is None:
        return
    query = RetrievalQuery(metrics=(metric.name,), dimensions=(by.name,), order_by=metric.name)
    got = desk.retrieve(f"{metric.label} by {by.label}", query)
    rows = [(r[0], r[1]) for r in got.rows if r[0] is not None and r[1] is not None]
    if len(rows) < 2:
        return
    top = draft.fact(f"highest {by.label}", labelled(rows[0][0], by.label), query=got.query)
    high = draft.fact(f"{metric.label} of highest {by.label}", rows[0][1], metric.unit, query=got.query)
    end = draft.fact(f"lowest {by.label}", labelled(rows[-1][0], by.label), query=got.query)
    low = draft.fact(f"{metric.label} of lowest {by.label}", rows[-1][1], metric.unit, query=got.query)
    if rows[0][1] == rows[-1][1]:
        draft.say(f"By {by.label}, {metric.label} is the same for all: {high}.")
        return
    draft.say(f"In all, {metric.label} by {by.label} goes from {low} for {end} to {high} for {top}.")
    named = [(group_name(g), n) for g, n in rows]
    draft.table(f"{metric.label} by {by.label}", [by.label, metric.label], named)
    title = draft.filled(f"By {by.label}, {metric.label} is highest for {top}")
    draft.chart(bar_chart(title, named, by.label, axis(metric)))


def _entity(desk: Desk) -> Dimension | None:
    """The column that names who comes back: an identifier that repeats, persons that do, or else the finest groups.

    Of several identifiers it is the one of persons, then the one of the most who have several rows each.
    A column that tells the rows of one moment apart (customer and month) names who is there at each; without one, the
    words of the largest number of groups are taken, where they are too many to be kinds of something.
    """
    held: list[tuple[int, bool, bool, int, str]] = []
    dimensions = {c: d for d in desk.model.dimensions if (c := d.at(desk.table.name))}
    time = desk.time.at(desk.table.name) if desk.time is not None else None
    beside = {c for k in desk.table.keys if k.exact and time in k.columns for c in k.columns}
    for column in desk.table.columns:
        repeats = 5 <= column.distinct < 0.9 * (desk.table.rows - column.nulls)
        known = dimensions.get(column.name)
        is_id = column.role is Role.ID or (known is not None and known.type is DimensionType.ID)
        named = known is not None and known.type is DimensionType.CATEGORY
        if not repeats or not (is_id or named or column.role is Role.PERSONAL):
            continue
        if is_id or column.role is Role.PERSONAL:
            person = known is not None and is_person_noun(known.label.split()[-1])
            rare = _OFTEN * column.distinct > desk.table.rows
            held.append((0 if is_id else 1, not person, rare, -column.distinct, column.name))
        elif column.name in beside or column.distinct >= LEAST_MEMBERS:
            held.append((2 if column.name in beside else 3, True, True, -column.distinct, column.name))
    return dimensions.get(min(held)[-1]) if held else None


def cohorts(desk: Desk) -> Section:
    """Of those who came first in one month, how many came back in each later month."""
    draft = Draft("Cohorts and retention", "cohorts")

    def work() -> None:
        who, time = _entity(desk), desk.time
        if time is None or not is_monthly(time):
            draft.refuse("Cohorts need a column with dates, or months at least, and the table has none.")
            return
        if who is None:
            draft.refuse(
                "Cohorts need a column that names who comes back, with values that repeat; the table has none."
            )
            return
        query = (
            f"WITH seen AS (SELECT DISTINCT c0 AS who, date_trunc('month', CAST(c1 AS TIMESTAMP)) AS month "
            f"FROM ({desk.row_query(who, time)}) WHERE c0 IS NOT NULL AND c1 IS NOT NULL), "
            "first AS (SELECT who, min(month) AS cohort FROM seen GROUP BY who) "
            "SELECT cohort, date_diff('month', cohort, month) AS later, count(*) FROM seen JOIN first USING (who) "
            "GROUP BY cohort, later ORDER BY cohort, later"
        )
        rows = desk.sql("who came back, by month of the first time", query)
        sizes = {c: n for c, later, n in rows if later == 0}
        if len(sizes) < 2:
            raise CalculationError("all of them came first in the same month.")
        label = draft.fact("who", who.label)
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
                title,
                [(k, v) for k, v in curve if k],
                "months since the first",
                Axis("share active", FRACTION),
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


def is_monthly(time: Dimension) -> bool:
    """Whether months can be told apart."""
    return time.grain not in (TimeGranularity.QUARTER, TimeGranularity.YEAR)


def _months(moment: Any) -> int:
    return moment.year * 12 + moment.month


def _cut_short(months: list[Any], time: Dimension) -> list[Any]:
    """The months that the data begins or ends in the middle of."""
    if not months or time.coverage is None or time.grain is TimeGranularity.MONTH:
        return []
    first, last = time.coverage
    ends = (last + timedelta(days=1)).day == 1
    cut = first.day > 1 or first in time.open_days, not ends or last in time.open_days
    return [month for month, short in zip((months[0], months[-1]), cut, strict=True) if short]


def activity(desk: Desk) -> Section:
    """How many different members were active in each period."""
    draft = Draft("Active members", "active")

    def work() -> None:
        who, time = _entity(desk), desk.time
        if who is None or time is None or not is_monthly(time):
            draft.refuse("Active members need dates, and a column that names who comes back.")
            return
        query = (
            f"SELECT date_trunc('month', CAST(c1 AS TIMESTAMP)) AS month, count(DISTINCT c0) "
            f"FROM ({desk.row_query(who, time)}) WHERE c0 IS NOT NULL AND c1 IS NOT NULL GROUP BY month ORDER BY month"
        )
        rows = desk.sql("active members by month", query)
        if not rows:
            raise CalculationError("no row names both a time and who was there.")
        best = max(rows, key=lambda r: (r[1], r[0]))
        month = draft.fact("busiest month", best[0], query=query)
        count = draft.fact("active in busiest month", best[1], query=query)
        total = draft.fact("rows per member", desk.table.rows / max(1, who.distinct or 1))
        label = draft.fact("who", who.label)
        if all(n == best[1] for _, n in rows):
            draft.say(f"Counted by {label}, every month has {count} active members.")
            title = f"Every month has {count} active members"
        else:
            draft.say(
                f"Counted by {label}, the month with the most active members begins at {month}, with {count}."
            )
            title = f"Active members peak at {count}"
        draft.say(f"On average a member has {total} rows.")
        draft.table("active members", ["month", "active"], rows)
        cut = _cut_short([r[0] for r in rows], time)
        notes = [f"{period_label(at, TimeGranularity.MONTH)} is not whole in the data" for at in cut]
        draft.chart(
            line_chart(
                draft.filled(title),
                rows,
                "month",
                "active members",
                grain="month",
                open_periods=cut,
                notes=notes,
            )
        )

    return attempted(draft, work, "Active members")
