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
    figure,
    grouped,
    over_groups,
)
from ask_generated_tables import Category, Table

Maker = Callable[[Table, Random], Asked | None]
_HIGH = ("highest", "largest", "greatest")
_LOW = ("lowest", "smallest")


def select(what: str, condition: Condition | None = None, rest: str = "") -> tuple[str, ...]:
    wheres = condition.sql if condition else ("true",)
    return tuple(f"SELECT {what} FROM data WHERE {where} {rest}" for where in wheres)


def any_figure(r: Random, table: Table) -> Figure | None:
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
    return Asked("count", _count_said(r, table, condition), select("count(*)", condition))


def count_two(table: Table, r: Random) -> Asked | None:
    """Rows of two conditions."""
    one = any_condition(r, table)
    other = any_condition(r, table, one.columns) if one else None
    if one is None or other is None:
        return None
    condition = both(one, other)
    return Asked("count, two filters", _count_said(r, table, condition), select("count(*)", condition))


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
    if (what := any_figure(r, table)) is None:
        return None
    return Asked("figure", ask(r, what.said), select(what.sql))


def aggregate_filtered(table: Table, r: Random) -> Asked | None:
    """A figure over the rows of one condition."""
    what = any_figure(r, table)
    condition = any_condition(r, table, [_measured(what)]) if what else None
    if what is None or condition is None:
        return None
    return Asked("figure, filtered", ask(r, what.said, condition), select(what.sql, condition))


def _measured(what: Figure) -> str:
    return what.sql.partition('"')[2].rpartition('"')[0]


def aggregate_two(table: Table, r: Random) -> Asked | None:
    """A figure over the rows of two conditions."""
    what = any_figure(r, table)
    one = any_condition(r, table, [_measured(what)]) if what else None
    other = any_condition(r, table, [_measured(what), *one.columns]) if what and one else None
    if what is None or one is None or other is None:
        return None
    condition = both(one, other)
    return Asked("figure, two filters", ask(r, what.said, condition), select(what.sql, condition))


def by_group(table: Table, r: Random) -> Asked | None:
    """A figure, or the number of rows, for each group."""
    if not table.categories:
        return None
    group = r.choice(table.categories)
    what = any_figure(r, table) if r.random() < 0.7 else None
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
    what = any_figure(r, table)
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
        *select(text, condition, f"AND {group.sql} IS NOT NULL GROUP BY 1 HAVING v IS NOT NULL"),
        *select(text, condition, "GROUP BY 1 HAVING v IS NOT NULL"),
    )
    return Asked("by group, filtered", said, queries, "table")


def ranked(table: Table, r: Random) -> tuple[Category, Figure, list[tuple[str, float]]] | None:
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


def apart(one: float, other: float) -> bool:
    return abs(one - other) > 1e-9 * max(abs(one), abs(other), 1)


def winner(table: Table, r: Random) -> Asked | None:
    """The group at one end."""
    if (found := ranked(table, r)) is None:
        return None
    group, what, order = found
    high = r.random() < 0.6
    ends = order if high else order[::-1]
    if len(ends) < 3 or not apart(ends[0][1], ends[1][1]):
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
    if (found := ranked(table, r)) is None:
        return None
    group, what, order = found
    high = r.random() < 0.6
    ends = order if high else order[::-1]
    n = r.choice([2, 3, 3, 4, 5])
    if len(ends) < n + 2 or any(not apart(a[1], b[1]) for a, b in pairwise(ends[: n + 1])):
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
    return Asked("row at an end", r.choice(ways), select(f"{name.sql}, {measure.sql}", None, order), "row")


PLAIN: tuple[Maker, ...] = (
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
)
