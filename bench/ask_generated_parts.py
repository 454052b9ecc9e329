"""The pieces of generated questions: conditions, computations, groups and the ways of asking for a thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ask_generated_tables import Category, Column, Measure, Table

Sql = tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A question with its truth: queries over the frame ``data``, or none where it must be refused."""

    kind: str
    question: str
    sql: Sql = ()
    compare: str = "scalar"
    extra: str = ""


@dataclass(frozen=True)
class Condition:
    """A restriction: what it keeps, as one or more queries, and how it is said behind and in front of a question."""

    sql: Sql
    behind: str
    front: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """A computation over a column: what it is called, and its query."""

    said: str
    sql: str
    ends: str = ""


COMPUTED = {
    "avg": ("average {0}", "mean {0}", "average {0}", "avg {0}"),
    "sum": ("total {0}", "sum of {0}", "total {0}"),
    "median": ("median {0}", "median of {0}"),
    "min": ("lowest {0}", "minimum {0}", "smallest {0}"),
    "max": ("highest {0}", "maximum {0}", "largest {0}"),
}
WRAPPED = (
    "What is the {0}?",
    "what's the {0}",
    "{0}",
    "Show me the {0}.",
    "Give me the {0}",
    "Can you tell me the {0}?",
    "Please calculate the {0}.",
    "I would like to know the {0}.",
    "Tell me the {0}, please.",
    "Find the {0}",
    "I need the {0}",
)
GROUPED = (
    "by {0}",
    "per {0}",
    "for each {0}",
    "for every {0}",
    "grouped by {0}",
    "broken down by {0}",
    "by {0}",
    "of each {0}",
    "split by {0}",
)
_BOUNDS = {
    ">": ("above {0}", "over {0}", "more than {0}", "greater than {0}", "higher than {0}"),
    "<": ("below {0}", "under {0}", "less than {0}", "lower than {0}", "smaller than {0}"),
    ">=": ("at least {0}", "of {0} or more", "no less than {0}", "greater than or equal to {0}"),
    "<=": ("at most {0}", "of {0} or less", "no more than {0}", "up to {0}"),
}


def ask(r: Random, thing: str, condition: Condition | None = None, behind: str = "") -> str:
    """A thing asked for in one of the usual ways, with its condition in front or behind."""
    thing = " ".join(f"{thing} {behind}".split())
    if condition is None:
        return r.choice(WRAPPED).format(thing)
    if r.random() < 0.25:
        return (
            f"{condition.front}, {r.choice(('what is the', 'show me the', 'give the'))} {thing}".strip()
            + r.choice("?.")
        )
    return r.choice(WRAPPED).format(f"{thing} {condition.behind}")


def number(value: float) -> str:
    """A bound as it is written."""
    return f"{value:,.10g}".replace(",", "") if value % 1 else f"{int(value)}"


def figure(
    r: Random, measure: Measure, among: Sequence[str] = ("avg", "avg", "sum", "median", "min", "max")
) -> Figure:
    """A computation over a measure."""
    name = r.choice(among)
    return Figure(r.choice(COMPUTED[name]).format(measure.said), f"{name}({measure.sql})", name)


def over_groups(what: Figure, behind: str) -> Figure:
    """“the highest sales by region” may rank the regions; only of each of them is it surely the maximum."""
    if what.ends not in {"min", "max"} or "each" in behind or "every" in behind:
        return what
    column = what.said.split(" ", 1)[1]
    return Figure(f"{'minimum' if what.ends == 'min' else 'maximum'} {column}", what.sql, what.ends)


def quoted(value: str) -> str:
    """A value in a query."""
    return "'" + value.lower().replace("'", "''") + "'"


def text_of(category: Category) -> str:
    """A column in a query, to be set against a value: DuckDB writes true what pandas writes True."""
    return f"lower(trim({category.sql}::VARCHAR))"


def is_value(r: Random, category: Category, value: str | None = None) -> Condition:
    """Rows with a value of a category."""
    value = value or r.choice(category.values[:6])
    said = category.said
    ways = [
        (f"where {said} is {value}", f"Where {said} is {value}"),
        (f"with {said} {value}", f"With {said} {value}"),
        (f"for {said} {value}", f"For {said} {value}"),
        (f"where the {said} is {value}", f"Where the {said} is {value}"),
        (f"with {said} = {value}", f"With {said} = {value}"),
        (f"when {said} is {value}", f"When {said} is {value}"),
    ]
    if value in category.clear:
        ways += [(f"for {value}", f"For {value}"), (f"for {value} only", f"For {value} only")]
    behind, front = r.choice(ways)
    return Condition((f"{text_of(category)} = {quoted(value)}",), behind, front, (category.name,))


def bounded(r: Random, measure: Measure) -> Condition:
    """Rows beyond a number, or between two."""
    known = measure.known
    if r.random() < 0.25:
        low, high = sorted(r.sample(range(len(known) // 5, len(known) * 4 // 5 + 1), 2))
        a, b = known[low], known[min(high, len(known) - 1)]
        said = f"{measure.said} between {number(a)} and {number(b)}"
        is_said = f"{measure.said} is between {number(a)} and {number(b)}"
        sql = f"{measure.sql} BETWEEN {number(a)} AND {number(b)}"
    else:
        sign = r.choice(sorted(_BOUNDS))
        a = r.choice(known[len(known) // 5 : len(known) * 4 // 5 + 1])
        way = r.choice(_BOUNDS[sign]).format(number(a))
        said = f"a {measure.said} {way}" if way.startswith("of ") else f"{measure.said} {way}"
        is_said = f"{measure.said} is {way.removeprefix('of ')}"
        sql = f"{measure.sql} {sign} {number(a)}"
        if r.random() < 0.15:
            said = f"{measure.said} {sign} {number(a)}"
    with_it, where_it = (f"with {said}", f"With {said}"), (f"where {is_said}", f"Where {is_said}")
    behind, front = r.choice([with_it, where_it])
    return Condition((sql,), behind, front, (measure.name,))


def excluded(r: Random, category: Category) -> Condition:
    """Rows without one or two values of a category; rows without any may count or not."""
    values = list(category.values[:6])
    left_out = r.sample(values, 2 if len(values) > 3 and r.random() < 0.3 else 1)
    said = " and ".join(left_out)
    either = " or ".join(left_out)
    c = category.said
    ways = [
        (f"where {c} is not {either}", f"Where {c} is not {either}"),
        (f"excluding {c} {said}", f"Excluding {c} {said}"),
        (f"with {c} other than {either}", f"With {c} other than {either}"),
        (f"except {c} {said}", f"Except for {c} {said}"),
    ]
    if all(v in category.clear for v in left_out):
        ways += [
            (f"excluding {said}", f"Excluding {said}"),
            (f"except {said}", f"Except for {said}"),
            (f"other than {either}", f"Leaving out {said}"),
            (f"without {said}", f"Without {said}"),
            (f"apart from {said}", f"Apart from {said}"),
            (f"not counting {said}", f"Not counting {said}"),
        ]
    behind, front = r.choice(ways)
    among = ", ".join(map(quoted, left_out))
    text = text_of(category)
    return Condition(
        (f"{text} NOT IN ({among})", f"({text} NOT IN ({among}) OR {text} IS NULL)"),
        behind,
        front,
        (category.name,),
    )


def any_condition(r: Random, table: Table, but: Sequence[str] = ()) -> Condition | None:
    """A condition on a column that is not among those already used."""
    ways = []
    if categories := [c for c in table.categories if c.name not in but]:
        ways += ["value"] * 3
    if measures := [m for m in table.measures if m.name not in but]:
        ways += ["bound"] * 2
    if not ways:
        return None
    return is_value(r, r.choice(categories)) if r.choice(ways) == "value" else bounded(r, r.choice(measures))


def both(one: Condition, other: Condition) -> Condition:
    """Two conditions at once, in the order in which one says them: for, with, where."""
    order = ("for", "with", "when", "where")
    one, other = sorted((one, other), key=lambda c: order.index(c.behind.split()[0]))
    second = other.behind
    if one.behind.split()[0] == second.split()[0]:
        second = f"and {second.split(' ', 1)[1]}"
    return Condition(
        (f"{one.sql[0]} AND {other.sql[0]}",),
        f"{one.behind} {second}",
        f"{one.front} {second}",
        (*one.columns, *other.columns),
    )


def grouped(r: Random, group: Column) -> str:
    """By a column, in one of the usual ways."""
    return r.choice(GROUPED).format(group.said)
