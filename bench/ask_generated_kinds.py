"""The kinds of generated questions over one table, each in several wordings, with the queries that answer them.

A maker gets a table and a source of chance and gives a question, or None where the table does not bear its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from ask_generated_parts import (
    Asked,
    Condition,
    Figure,
    any_condition,
    ask,
    both,
    excluded,
    figure,
    grouped,
    number,
    over_groups,
    quoted,
    text_of,
)
from ask_generated_tables import Category, Measure, Table

Maker = Callable[[Table, Random], Asked | None]
_HIGH = ("highest", "largest", "greatest")
_LOW = ("lowest", "smallest")


def _select(what: str, condition: Condition | None = None, rest: str = "") -> tuple[str, ...]:
    wheres = condition.sql if condition else ("true",)
    return tuple(f"SELECT {what} FROM data WHERE {where} {rest}" for where in wheres)


def _any_figure(r: Random, table: Table) -> Figure | None:
    return figure(r, r.choice(table.measures)) if table.measures else None


def _in_group(group: Category, what: Figure, rest: str = "") -> tuple[str, ...]:
    """A figure for each group; rows without a group may be one or be left out."""
    text = f"{group.sql}::VARCHAR AS g, {what.sql} AS v"
    known = f"SELECT {text} FROM data WHERE {group.sql} IS NOT NULL GROUP BY 1 HAVING v IS NOT NULL {rest}"
    every = f"SELECT {text} FROM data GROUP BY 1 HAVING v IS NOT NULL {rest}"
    return (known, every)


def count(table: Table, r: Random) -> Asked | None:
    """All rows, or those of one condition."""
    if (condition := any_condition(r, table)) is None:
        return None
    return Asked("count", _count_said(r, table, condition), _select("count(*)", condition))


def count_two(table: Table, r: Random) -> Asked | None:
    """Rows of two conditions."""
    one = any_condition(r, table)
    other = any_condition(r, table, one.columns) if one else None
    if one is None or other is None:
        return None
    condition = both(one, other)
    return Asked("count, two filters", _count_said(r, table, condition), _select("count(*)", condition))


def _count_said(r: Random, table: Table, condition: Condition) -> str:
    rows = r.choice(table.rows)
    said = condition.behind
    ways = [
        f"How many {rows} are there {said}?",
        f"how many {rows} {said}",
        f"Count the {rows} {said}.",
        f"What is the number of {rows} {said}?",
        f"number of {rows} {said}",
        f"{condition.front}, how many {rows} are there?",
        f"Could you tell me how many {rows} there are {said}?",
        f"I want to know the number of {rows} {said}.",
    ]
    if said.startswith("with ") and " = " not in said:
        ways += [f"How many {rows} have {said.removeprefix('with ').replace(' and with ', ' and ')}?"] * 2
    return r.choice(ways)


def aggregate(table: Table, r: Random) -> Asked | None:
    """A figure over all rows."""
    if (what := _any_figure(r, table)) is None:
        return None
    return Asked("figure", ask(r, what.said), _select(what.sql))


def aggregate_filtered(table: Table, r: Random) -> Asked | None:
    """A figure over the rows of one condition."""
    what = _any_figure(r, table)
    condition = any_condition(r, table, [_measured(what)]) if what else None
    if what is None or condition is None:
        return None
    return Asked("figure, filtered", ask(r, what.said, condition), _select(what.sql, condition))


def _measured(what: Figure) -> str:
    return what.sql.partition('"')[2].rpartition('"')[0]


def aggregate_two(table: Table, r: Random) -> Asked | None:
    """A figure over the rows of two conditions."""
    what = _any_figure(r, table)
    one = any_condition(r, table, [_measured(what)]) if what else None
    other = any_condition(r, table, [_measured(what), *one.columns]) if what and one else None
    if what is None or one is None or other is None:
        return None
    condition = both(one, other)
    return Asked("figure, two filters", ask(r, what.said, condition), _select(what.sql, condition))


def by_group(table: Table, r: Random) -> Asked | None:
    """A figure, or the number of rows, for each group."""
    if not table.categories:
        return None
    group = r.choice(table.categories)
    what = _any_figure(r, table) if r.random() < 0.7 else None
    what = what or Figure(f"number of {r.choice(table.rows)}", "count(*)")
    behind = grouped(r, group)
    plain = over_groups(what, "by").said
    question = r.choice(
        [
            ask(r, over_groups(what, behind).said, behind=behind),
            ask(r, over_groups(what, behind).said, behind=behind),
            f"How does the {plain} vary by {group.said}?",
            f"For each {group.said}, what is the {what.said}?",
            f"Show {plain} across {group.plural}",
            f"{group.said} wise {plain}" if r.random() < 0.2 else f"{what.said} in each {group.said}",
        ]
    )
    return Asked("by group", question, _in_group(group, what), "table")


def by_group_filtered(table: Table, r: Random) -> Asked | None:
    """A figure for each group, over the rows of a condition."""
    what = _any_figure(r, table)
    if what is None or not table.categories:
        return None
    group = r.choice(table.categories)
    condition = any_condition(r, table, [group.name, _measured(what)])
    if condition is None:
        return None
    behind = grouped(r, group)
    said = r.choice(
        [
            ask(r, over_groups(what, behind).said, condition, behind=behind),
            ask(r, f"{over_groups(what, 'by').said} {condition.behind}", behind=f"by {group.said}"),
            f"{condition.front}, what is the {what.said} for each {group.said}?",
        ]
    )
    text = f"{group.sql}::VARCHAR AS g, {what.sql} AS v"
    queries = (
        *_select(text, condition, f"AND {group.sql} IS NOT NULL GROUP BY 1 HAVING v IS NOT NULL"),
        *_select(text, condition, "GROUP BY 1 HAVING v IS NOT NULL"),
    )
    return Asked("by group, filtered", said, queries, "table")


def _ranked(table: Table, r: Random) -> tuple[Category, Figure, list[tuple[str, float]]] | None:
    """A category, what its groups are ranked by, and the groups from the highest to the lowest."""
    wide = [c for c in table.categories if len(c.values) > 2]
    if not wide:
        return None
    group = r.choice(wide)
    among = ("avg", "sum", "median", "avg")
    what = figure(r, r.choice(table.measures), among) if table.measures and r.random() < 0.75 else None
    what = what or Figure(f"number of {r.choice(table.rows)}", "count(*)")
    grouped_rows = table.frame.groupby(group.name)
    if what.ends:
        name = {"avg": "mean", "sum": "sum", "median": "median"}[what.ends]
        values = grouped_rows[_measured(what)].agg(name).dropna()
    else:
        values = grouped_rows.size()
    order = values.sort_values(ascending=False)
    return group, what, [(str(k), float(v)) for k, v in order.items()]


def _apart(one: float, other: float) -> bool:
    return abs(one - other) > 1e-9 * max(abs(one), abs(other), 1)


def winner(table: Table, r: Random) -> Asked | None:
    """The group at one end."""
    if (found := _ranked(table, r)) is None:
        return None
    group, what, order = found
    high = r.random() < 0.6
    ends = order if high else order[::-1]
    if len(ends) < 3 or not _apart(ends[0][1], ends[1][1]):
        return None
    end = r.choice(_HIGH if high else _LOW)
    ways = [
        f"Which {group.said} has the {end} {what.said}?",
        f"What {group.said} has the {end} {what.said}?",
        f"{group.said} with the {end} {what.said}",
        f"Tell me the {group.said} with the {end} {what.said}.",
        f"Which {group.said} is the one with the {end} {what.said}?",
        f"Find the {group.said} that has the {end} {what.said}",
    ]
    if not what.ends:
        rows = what.said.removeprefix("number of ")
        most = "most" if high else "fewest"
        ways = [
            *ways[:3],
            f"Which {group.said} has the {most} {rows}?",
            f"{group.said} with the {most} {rows}",
        ] * 2
    sql = _in_group(group, what, f"ORDER BY v {'DESC' if high else 'ASC'} LIMIT 1")
    return Asked("winner", r.choice(ways), sql[:1], "row")


def top(table: Table, r: Random) -> Asked | None:
    """The first or last few groups."""
    if (found := _ranked(table, r)) is None:
        return None
    group, what, order = found
    high = r.random() < 0.6
    ends = order if high else order[::-1]
    n = r.choice([2, 3, 3, 4, 5])
    if len(ends) < n + 2 or any(not _apart(a[1], b[1]) for a, b in pairwise(ends[: n + 1])):
        return None
    end, side = (r.choice(_HIGH), "top") if high else (r.choice(_LOW), "bottom")
    ways = [
        f"{side} {n} {group.plural} by {what.said}",
        f"Which {n} {group.plural} have the {end} {what.said}?",
        f"Show me the {n} {group.plural} with the {end} {what.said}.",
        f"What are the {side} {n} {group.plural} by {what.said}?",
        f"List the {n} {group.plural} with the {end} {what.said}",
        f"Please give me the {side} {n} {group.plural} in terms of {what.said}",
    ]
    sql = _in_group(group, what, f"ORDER BY v {'DESC' if high else 'ASC'} LIMIT {n}")
    return Asked("top and bottom", r.choice(ways), sql[:1], "ordered")


def extreme_row(table: Table, r: Random) -> Asked | None:
    """The row at one end of a column, told by its name."""
    if not table.names or not table.measures:
        return None
    name, measure = r.choice(table.names), r.choice(table.measures)
    high = r.random() < 0.6
    ends = measure.known[-1] if high else measure.known[0]
    if (table.frame[measure.name] == ends).sum() != 1:
        return None
    end = r.choice(_HIGH if high else _LOW)
    ways = [
        f"Which {name.said} has the {end} {measure.said}?",
        f"{name.said} with the {end} {measure.said}",
        f"What is the {name.said} with the {end} {measure.said}?",
        f"Find the {name.said} that has the {end} {measure.said}.",
    ]
    order = f"ORDER BY {measure.sql} {'DESC' if high else 'ASC'} NULLS LAST LIMIT 1"
    return Asked("row at an end", r.choice(ways), _select(f"{name.sql}, {measure.sql}", None, order), "row")


def share(table: Table, r: Random) -> Asked | None:
    """The share of rows with a condition."""
    if (condition := any_condition(r, table)) is None or condition.behind.startswith(("for ", "when ")):
        return None
    rows = r.choice(table.rows)
    part = r.choice(["share", "percentage", "proportion", "percent", "fraction"])
    said = condition.behind
    ways = [
        f"What is the {part} of {rows} {said}?",
        f"{part} of {rows} {said}",
        f"Give me the {part} of {rows} {said}.",
        f"Please compute the {part} of {rows} {said}",
    ]
    if said.startswith("with ") and " = " not in said:
        ways += [f"What {part} of {rows} have {said.removeprefix('with ')}?"] * 3
    known = " AND ".join(f'"{c}" IS NOT NULL' for c in condition.columns)
    whole = f"SELECT avg(CASE WHEN {condition.sql[0]} THEN 1.0 ELSE 0 END) FROM data"
    return Asked("share", r.choice(ways), (whole, f"{whole} WHERE {known}"), extra="percent")


def share_of_total(table: Table, r: Random) -> Asked | None:
    """What part of a sum the rows with a value have."""
    summed = [m for m in table.measures if m.known[0] >= 0]
    clear = [c for c in table.categories if c.clear]
    if not summed or not clear:
        return None
    measure, category = r.choice(summed), r.choice(clear)
    value = r.choice(sorted(category.clear))
    part = r.choice(["share", "percentage", "proportion"])
    ways = [
        f"What {part} of the total {measure.said} comes from {value}?",
        f"What {part} of total {measure.said} does {value} have?",
        f"What is the {part} of {value} in the total {measure.said}?",
        f"{part} of total {measure.said} for {category.said} {value}",
        f"What {part} of {measure.said} is from {category.said} {value}?",
    ]
    mine = f"{text_of(category)} = {quoted(value)}"
    sql = f"SELECT sum({measure.sql}) FILTER (WHERE {mine}) / sum({measure.sql}) FROM data"
    return Asked(
        "share of a total", r.choice(ways), (sql, f"{sql} WHERE {category.sql} IS NOT NULL"), extra="percent"
    )


def _pair(table: Table, r: Random) -> tuple[Category, str, str, bool] | None:
    wide = [c for c in table.categories if len(c.values) > 1]
    if not wide:
        return None
    category = r.choice(wide)
    one, other = r.sample(category.values[:6], 2)
    return category, one, other, {one, other} <= category.clear


def compare(table: Table, r: Random) -> Asked | None:
    """A figure of two groups side by side."""
    what, pair = _any_figure(r, table), _pair(table, r)
    if what is None or pair is None:
        return None
    category, one, other, clear = pair
    c = category.said
    ways = [
        f"Compare the {what.said} for {c} {one} and {c} {other}.",
        f"compare {what.said} between {c} {one} and {other}",
        f"{what.said} for {c} {one} versus {c} {other}",
        f"What is the {what.said} where {c} is {one} compared to where {c} is {other}?",
    ]
    if clear:
        ways += [
            f"Compare the {what.said} of {one} and {other}",
            f"{what.said} {one} vs {other}",
            f"{one} vs {other}: {what.said}",
            f"Is the {what.said} higher for {one} or {other}?",
            f"How does the {what.said} of {one} compare to that of {other}?",
        ]
    return Asked("comparison", r.choice(ways), _two(category, one, other, what), "row")


def _two(category: Category, one: str, other: str, what: Figure) -> tuple[str, ...]:
    filters = [f"{what.sql} FILTER (WHERE {text_of(category)} = {quoted(v)})" for v in (one, other)]
    return (f"SELECT {filters[0]} AS one, {filters[1]} AS other FROM data",)


def difference(table: Table, r: Random) -> Asked | None:
    """By how much a figure of two groups differs."""
    what, pair = _any_figure(r, table), _pair(table, r)
    if what is None or pair is None or what.ends in {"min", "max"}:
        return None
    category, one, other, clear = pair
    c = category.said
    ways = [
        f"What is the difference in {what.said} between {c} {one} and {c} {other}?",
        f"difference between the {what.said} of {c} {one} and {c} {other}",
        f"How much does the {what.said} differ between {c} {one} and {other}?",
    ]
    if clear:
        ways += [
            f"What is the difference in {what.said} between {one} and {other}?",
            f"By how much does the {what.said} of {one} differ from that of {other}?",
            f"difference in {what.said}, {one} vs {other}",
        ]
    inner = _two(category, one, other, what)[0]
    return Asked("difference", r.choice(ways), (f"SELECT one - other AS difference FROM ({inner})",), "row")


def exclusion(table: Table, r: Random) -> Asked | None:
    """A count or a figure without some of the rows."""
    wide = [c for c in table.categories if len(c.values) > 2]
    if not wide:
        return None
    condition = excluded(r, r.choice(wide))
    what = _any_figure(r, table) if r.random() < 0.6 else None
    if what:
        return Asked("exclusion", ask(r, what.said, condition), _select(what.sql, condition))
    rows = r.choice(table.rows)
    ways = [f"How many {rows} are there {condition.behind}?", f"number of {rows} {condition.behind}"]
    ways += [f"{condition.front}, how many {rows} are there?", f"Count the {rows} {condition.behind}"]
    return Asked("exclusion", r.choice(ways), _select("count(*)", condition))


def having(table: Table, r: Random) -> Asked | None:
    """Groups that pass a bound, listed or counted."""
    if (found := _ranked(table, r)) is None:
        return None
    group, what, order = found
    if len(order) < 4:
        return None
    place = r.randrange(1, len(order) - 1)
    above, below = order[place][1], order[place + 1][1]
    bound = float(f"{(above + below) / 2:.4g}")
    if not below < bound < above or not _apart(above, below):
        return None
    more = r.random() < 0.6
    rows = what.said.removeprefix("number of ")
    word = r.choice(
        ["more than", "over"] if more else ["less than", "under"] if what.ends else ["fewer than", "under"]
    )
    if what.ends:
        condition = f"a {what.said} {r.choice(['above', 'of ' + word] if more else ['below', 'of ' + word])} {number(bound)}"
        condition = condition.replace("a average", "an average").replace("a avg", "an average")
    else:
        bound = int(bound)
        condition = f"{word} {bound} {rows}"
    counted = r.random() < 0.35
    ways = [
        f"Which {group.plural} have {condition}?",
        f"List the {group.plural} with {condition}.",
        f"{group.plural} with {condition}",
        f"Show me the {group.plural} that have {condition}",
    ]
    if counted:
        ways = [f"How many {group.plural} have {condition}?", f"number of {group.plural} with {condition}"]
    text = f"{group.sql}::VARCHAR AS g, {what.sql} AS v"
    inner = f"SELECT {text} FROM data WHERE {group.sql} IS NOT NULL GROUP BY 1 HAVING v {'>' if more else '<'} {bound!r}"
    sql = f"SELECT count(*) FROM ({inner})" if counted else f"SELECT g FROM ({inner})"
    return Asked("condition on groups", r.choice(ways), (sql,), "scalar" if counted else "set")


def distinct(table: Table, r: Random) -> Asked | None:
    """How many values a column has."""
    columns = [*table.categories, *table.names]
    if not columns:
        return None
    column = r.choice(columns)
    condition = any_condition(r, table, [column.name]) if r.random() < 0.4 else None
    behind = condition.behind if condition else ""
    ways = [
        f"How many different {column.plural} are there {behind}?",
        f"number of distinct {column.plural} {behind}",
        f"How many unique {column.plural} {behind}",
        f"Count the distinct values of {column.said} {behind}",
        f"How many different values does {column.said} have {behind}?",
        f"What is the number of unique {column.plural} {behind}?",
    ]
    question = " ".join(r.choice(ways).replace(" ?", "?").split())
    return Asked("distinct", question, _select(f"count(DISTINCT {column.sql})", condition))


def missing(table: Table, r: Random) -> Asked | None:
    """How many rows lack a value."""
    if not table.sparse:
        return None
    column, rows = r.choice(table.sparse), r.choice(table.rows)
    ways = [
        f"How many {rows} have no {column.said}?",
        f"How many missing values are there in {column.said}?",
        f"number of {rows} where {column.said} is missing",
        f"How many {column.said} values are missing?",
        f"count {rows} with missing {column.said}",
        f"How many {rows} lack a {column.said}?",
        f"For how many {rows} is the {column.said} missing?",
        f"How many {rows} have a missing {column.said}?",
    ]
    return Asked("missing", r.choice(ways), (f"SELECT count(*) FROM data WHERE {column.sql} IS NULL",))


def two_measures(table: Table, r: Random) -> Asked | None:
    """Two figures at once."""
    if len(table.measures) < 2:
        return None
    a, b = r.sample(table.measures, 2)
    one, other = figure(r, a), figure(r, b)
    if table.categories and r.random() < 0.5:
        group = r.choice(table.categories)
        said = ask(r, f"{one.said} and the {other.said}", behind=grouped(r, group))
        text = f"{group.sql}::VARCHAR AS g, {one.sql} AS v, {other.sql} AS w"
        rest = "GROUP BY 1 HAVING v IS NOT NULL OR w IS NOT NULL"
        sql = (
            f"SELECT {text} FROM data WHERE {group.sql} IS NOT NULL {rest}",
            f"SELECT {text} FROM data {rest}",
        )
        return Asked("two measures", said, sql, "table")
    if r.random() < 0.4 and one.ends not in {
        "avg",
        "sum",
    }:  # "average price and quantity": of both, or of one?
        other = Figure(b.said, one.sql.replace(a.sql, b.sql))
    said = ask(r, f"{one.said} and {other.said}")
    return Asked("two measures", said, (f"SELECT {one.sql} AS one, {other.sql} AS other FROM data",), "row")


def correlation(table: Table, r: Random) -> Asked | None:
    """How two columns go together."""
    if len(table.measures) < 2:
        return None
    a, b = r.sample(table.measures, 2)
    ways = [
        f"What is the correlation between {a.said} and {b.said}?",
        f"correlation of {a.said} and {b.said}",
        f"How strongly is {a.said} correlated with {b.said}?",
        f"Is {a.said} correlated with {b.said}?",
        f"correlation between {a.said} and {b.said}",
        f"Calculate the correlation coefficient of {a.said} with {b.said}.",
    ]
    sql = f"SELECT corr({a.sql}, {b.sql}) AS correlation FROM data"
    return Asked("correlation", r.choice(ways), (sql,))


def above_average(table: Table, r: Random) -> Asked | None:
    """How many rows lie beyond the mean of a column."""
    if not table.measures:
        return None
    m: Measure = r.choice(table.measures)
    high = r.random() < 0.6
    way = r.choice(["above", "higher than"] if high else ["below", "lower than"])
    rows = r.choice(table.rows)
    ways = [
        f"How many {rows} have {m.said} {way} the average?",
        f"How many {rows} have a {m.said} {way} average?",
        f"number of {rows} with {m.said} {way} the mean",
        f"Count the {rows} where {m.said} is {way} the average {m.said}.",
    ]
    sql = f"SELECT count(*) FROM data WHERE {m.sql} {'>' if high else '<'} (SELECT avg({m.sql}) FROM data)"
    return Asked("beyond the mean", r.choice(ways), (sql,))


KINDS: tuple[Maker, ...] = (
    count,
    count_two,
    aggregate,
    aggregate_filtered,
    aggregate_two,
    by_group,
    by_group_filtered,
    winner,
    top,
    extreme_row,
    share,
    share_of_total,
    compare,
    difference,
    exclusion,
    having,
    distinct,
    missing,
    two_measures,
    correlation,
    above_average,
)
