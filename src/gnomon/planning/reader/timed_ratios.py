"""What things have, asked for a period: by which of their dates, and over which of them a ratio is taken.

Visits per member in May are those of the members who came, not of those who joined in May.
"""

from __future__ import annotations

from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Metric
from gnomon.semantic.model import plural

_OVER = " / "


def count_those_with_rows(draft: Draft, names: Names) -> None:
    """Divide by the things that have rows in the period, where things have a date of their own that says something else."""
    timed = draft.time_range or draft.grain or draft.recurring or draft.comparison
    if not timed or draft.time_dimension is not None:
        return
    for n, reference in enumerate(draft.metrics):
        parts = reference.split(_OVER)
        if len(parts) != 2:
            continue
        over, under = (names.model.metric(p.strip()) for p in parts)
        column = _held(over, under, names)
        if column is None or over.table is None or under.table is None:
            continue
        draft.metrics[n] = f"{over.name}{_OVER}{names.count_at(over.table, column).name}"
        thing, rows = names.model.table(under.table).label, names.model.table(over.table).label
        draft.notes.append(f"each {thing} counts that has {plural(rows)} in the time asked about")


def tell_date(draft: Draft, names: Names) -> None:
    """Say which date decides, where things that other dated rows speak of are measured: salaries, by the day of hiring."""
    timed = draft.time_range or draft.grain or draft.recurring
    if not timed or draft.time_dimension is not None or len(draft.metrics) != 1:
        return
    model = names.model
    metric = model.metric(draft.metrics[0])
    date = model.time_dimension(metric)
    dated = {t.name for t in model.tables if t.time_dimension is not None}
    spoken_of = any(j.to_table == metric.table and j.table in dated for j in model.joins)
    if date is None or is_count(metric) or not spoken_of:
        return
    said = {stem(w) for w in name_words(draft.question)}
    if not said & {stem(w) for w in name_words(date.label) if len(w) > 3 and w != "date"}:
        draft.notes.append(f"the time is that of {date.label}")


def _held(over: Metric, under: Metric, names: Names) -> str | None:
    """The column by which the rows above speak of the things below, where both have dates and these differ."""
    model = names.model
    if (
        not is_count(under)
        or under.expression is not None
        or under.where
        or over.table in (None, under.table)
    ):
        return None
    dates = model.time_dimension(over), model.time_dimension(under)
    if None in dates or dates[0] == dates[1]:
        return None
    joins = [j.column for j in model.joins if j.table == over.table and j.to_table == under.table]
    return joins[0] if len(joins) == 1 else None
