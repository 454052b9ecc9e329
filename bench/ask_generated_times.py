"""Generated questions about time: parts of the calendar, spans, comparisons of periods and the ends of the dates."""

from __future__ import annotations

import calendar
from random import Random

import pandas as pd

from ask_generated_parts import Asked, Figure, ask, figure, over_groups
from ask_generated_tables import Column, Table

_TOLD = {
    "year": ["year"],
    "month": ["year", "quarter", "month"],
    "day": ["year", "quarter", "month", "weekday", "day of the week"],
}
_MONTHS = list(calendar.month_name)[1:]


def grain_of(days: pd.Series) -> str:
    """How finely dates are told: by the day, or only by the month or the year."""
    if (days.dt.day > 1).any() and not days.dt.is_month_end.all():
        return "day"
    return "month" if days.dt.month.nunique() > 1 else "year"


def _timed(table: Table, r: Random) -> tuple[Column, pd.Series, Figure, str] | None:
    """The one column of dates, its days, and what is asked: a figure or the number of rows."""
    if len(table.dates) != 1:
        return None
    column = table.dates[0]
    days = table.frame[column.name].dropna()
    if days.empty or days.dt.year.min() < 1700:
        return None
    rows = f"number of {r.choice(table.rows)}"
    what = (
        figure(r, r.choice(table.measures))
        if table.measures and r.random() < 0.7
        else Figure(rows, "count(*)")
    )
    return column, days, what, rows


def in_period(table: Table, r: Random) -> Asked | None:
    """A figure in a year, a quarter, a month, or between two days."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    day = days.iloc[r.randrange(len(days))]
    d, y, m = column.sql, day.year, day.month
    ways = [
        (f"in {y}", f"year({d}) = {y}", True),
        (f"in {_MONTHS[m - 1]} {y}", f"year({d}) = {y} AND month({d}) = {m}", True),
        (f"in Q{(m + 2) // 3} {y}", f"year({d}) = {y} AND quarter({d}) = {(m + 2) // 3}", True),
        (f"for {y}", f"year({d}) = {y}", True),
        (f"since {y}", f"{d} >= DATE '{y}-01-01'", days.dt.year.min() < y),
        (f"before {y}", f"{d} < DATE '{y}-01-01'", days.dt.year.min() < y),
        (f"after {y}", f"{d} >= DATE '{y + 1}-01-01'", days.dt.year.max() > y),
    ]
    said, where, fits = r.choice(ways)
    finer = {"year": ways[1:3], "month": (), "day": ()}[grain_of(days)]
    if not fits or (said, where, fits) in finer:
        return None
    thing = what.said
    sql = f"SELECT {what.sql} FROM data WHERE {where}"
    if r.random() < 0.25:
        return Asked("in a period", f"{said.capitalize()}, what is the {thing}?", (sql,))
    return Asked("in a period", ask(r, thing, behind=said), (sql,))


def between_days(table: Table, r: Random) -> Asked | None:
    """A figure between two days, both included."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    one, other = sorted(days.iloc[r.randrange(len(days))] for _ in range(2))
    if one.normalize() == other.normalize() or grain_of(days) != "day":
        return None
    style = r.choice(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y"])
    a, b = one.strftime(style), other.strftime(style)
    said = r.choice([f"between {a} and {b}", f"from {a} to {b}"])
    where = f"{column.sql}::DATE BETWEEN DATE '{one:%Y-%m-%d}' AND DATE '{other:%Y-%m-%d}'"
    return Asked(
        "between days", ask(r, what.said, behind=said), (f"SELECT {what.sql} FROM data WHERE {where}",)
    )


def by_period(table: Table, r: Random) -> Asked | None:
    """A figure for each year, quarter, month or weekday."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    d = column.sql
    keys = {
        "year": (f"year({d})",),
        "quarter": (f"date_trunc('quarter', {d})", f"'Q' || quarter({d})", f"quarter({d})"),
        "month": (f"date_trunc('month', {d})", f"monthname({d})"),
        "day of the week": (f"dayname({d})",),
        "weekday": (f"dayname({d})",),
    }
    grain = r.choice(sorted(keys))
    if grain not in _TOLD[grain_of(days)] or (grain == "year" and days.dt.year.nunique() < 2):
        return None
    behind = r.choice([f"by {grain}", f"per {grain}", f"for each {grain}"])
    said = ask(r, over_groups(what, behind).said, behind=behind)
    sql = tuple(
        f"SELECT {key} AS g, {what.sql} AS v FROM data WHERE {d} IS NOT NULL GROUP BY 1 HAVING v IS NOT NULL"
        for key in keys[grain]
    )
    return Asked("by period", said, sql, "table")


def on_weekday(table: Table, r: Random) -> Asked | None:
    """A figure on one day of the week or in one month of all years."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    day = days.iloc[r.randrange(len(days))]
    name = day.day_name()
    if grain_of(days) != "day":
        return None
    said = r.choice([f"on {name}s", f"on a {name}"])
    sql = f"SELECT {what.sql} FROM data WHERE dayname({column.sql}) = '{name}'"
    return Asked("on a weekday", ask(r, what.said, behind=said), (sql,))


def two_years(table: Table, r: Random) -> Asked | None:
    """Two years set against each other."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    years = sorted(days.dt.year.unique())
    if len(years) < 2:
        return None
    a, b = sorted(r.sample(years, 2))
    ways = [
        f"Compare the {what.said} in {a} and {b}",
        f"{what.said} {a} vs {b}",
        f"What was the {what.said} in {a} compared to {b}?",
        f"How did the {what.said} change from {a} to {b}?",
        f"{what.said} in {a} versus {b}",
    ]
    of = [f"{what.sql} FILTER (WHERE year({column.sql}) = {y})" for y in (a, b)]
    return Asked("two years", r.choice(ways), (f"SELECT {of[0]} AS one, {of[1]} AS other FROM data",), "row")


def best_period(table: Table, r: Random) -> Asked | None:
    """The year, month or weekday at one end."""
    if (found := _timed(table, r)) is None:
        return None
    column, days, what, _ = found
    keys = {"year": f"year({column.sql})", "day of the week": f"dayname({column.sql})"}
    keys["month"] = f"date_trunc('month', {column.sql})"
    grain = r.choice(sorted(keys))
    if grain not in _TOLD[grain_of(days)] or (days.dt.year.nunique() < 3 and grain == "year"):
        return None
    if what.ends in {"min", "max"}:
        return None
    high = r.random() < 0.6
    said = r.choice(["Which {0} had the {1} {2}?", "{0} with the {1} {2}", "What {0} had the {1} {2}?"])
    question = said.format(grain, "highest" if high else "lowest", what.said)
    inner = f"SELECT {keys[grain]} AS g, {what.sql} AS v FROM data WHERE {column.sql} IS NOT NULL GROUP BY 1"
    order = f"{inner} HAVING v IS NOT NULL QUALIFY rank() OVER (ORDER BY v {'DESC' if high else 'ASC'}) = 1"
    sqls = [order]
    if grain == "month":
        sqls.append(order.replace(keys[grain], f"monthname({column.sql})"))
    return Asked("period at an end", question, tuple(sqls), "row")


def ends_of_dates(table: Table, r: Random) -> Asked | None:
    """The first or the last day."""
    if len(table.dates) != 1 or "date" not in table.dates[0].said:
        return None
    column = table.dates[0]
    last = r.random() < 0.5
    word = r.choice(["latest", "last", "most recent"] if last else ["earliest", "first"])
    question = ask(r, f"{word} {column.said}")
    end = f"{'max' if last else 'min'}({column.sql})"
    return Asked("end of the dates", question, (f"SELECT {end}::DATE FROM data", f"SELECT {end} FROM data"))


TIMES = (
    in_period,
    in_period,
    between_days,
    by_period,
    by_period,
    on_weekday,
    two_years,
    best_period,
    ends_of_dates,
)
