"""The kinds of generated questions that set something against something: shares, comparisons, exclusions, conditions.

Makers as those of single figures, groups and rankings; ``KINDS`` has all of them.
"""

from __future__ import annotations

from random import Random

from ask_generated_kinds import PLAIN, Maker, any_figure, apart, ranked, select
from ask_generated_parts import (
    Asked,
    Figure,
    any_condition,
    ask,
    excluded,
    figure,
    grouped,
    number,
    quoted,
    text_of,
)
from ask_generated_tables import Category, Measure, Table


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
    what, pair = any_figure(r, table), _pair(table, r)
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
    what, pair = any_figure(r, table), _pair(table, r)
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
    what = any_figure(r, table) if r.random() < 0.6 else None
    if what:
        return Asked("exclusion", ask(r, what.said, condition), select(what.sql, condition))
    rows = r.choice(table.rows)
    ways = [f"How many {rows} are there {condition.behind}?", f"number of {rows} {condition.behind}"]
    ways += [f"{condition.front}, how many {rows} are there?", f"Count the {rows} {condition.behind}"]
    return Asked("exclusion", r.choice(ways), select("count(*)", condition))


def having(table: Table, r: Random) -> Asked | None:
    """Groups that pass a bound, listed or counted."""
    if (found := ranked(table, r)) is None:
        return None
    group, what, order = found
    if len(order) < 4:
        return None
    place = r.randrange(1, len(order) - 1)
    above, below = order[place][1], order[place + 1][1]
    bound = float(f"{(above + below) / 2:.4g}")
    if not below < bound < above or not apart(above, below):
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
    return Asked("distinct", question, select(f"count(DISTINCT {column.sql})", condition))


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
    *PLAIN,
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
