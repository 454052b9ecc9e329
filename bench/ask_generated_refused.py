"""Generated questions that a table cannot answer: good questions with one thing changed to what is not there."""

from __future__ import annotations

import re
from random import Random

from ask_generated_compared import KINDS
from ask_generated_parts import COMPUTED, Asked, Condition, ask, figure, grouped
from ask_generated_tables import Table

_VALUES = [
    "Portugal",
    "Zanzibar",
    "Purple",
    "Walrus",
    "Saxophone",
    "Tungsten",
    "Marseille",
    "Hendrickson",
    "Lutheran",
    "Cinnamon",
    "Velvet",
    "Olympiad",
    "Patagonia",
    "Turquoise",
    "Nebraska",
    "Chopin",
]
_COLUMNS = [
    "shipping cost",
    "blood pressure",
    "refund amount",
    "battery life",
    "overtime hours",
    "download speed",
    "insurance premium",
    "interest rate",
    "delivery delay",
    "customer rating",
    "humidity",
    "salary bonus",
    "parking fee",
]
_GROUPS = [
    "warehouse",
    "supplier",
    "marketing channel",
    "blood group",
    "nationality",
    "shoe size",
    "eye colour",
    "department head",
    "currency",
]
_WORDS = [
    "refunded",
    "urgent",
    "imported",
    "stolen",
    "discounted",
    "loyal",
    "defective",
    "expired",
    "wholesale",
    "unpaid",
    "rejected",
    "anonymous",
]


def _unheard(table: Table, r: Random, things: list[str] | tuple[str, ...]) -> str | None:
    """One of the things of which no word is in the table."""
    fresh = [
        t
        for t in things
        if not table.words & {w for word in t.lower().split() for w in (word, word + "s", word.rstrip("s"))}
    ]
    return r.choice(fresh) if fresh else None


def unknown_value(table: Table, r: Random) -> Asked | None:
    """A value that no column has."""
    if (value := _unheard(table, r, _VALUES)) is None or not table.categories:
        return None
    category = r.choice(table.categories)
    ways = [
        f"where {category.said} is {value}",
        f"for {value}",
        f"with {category.said} {value}",
        f"for {category.said} {value}",
    ]
    behind = r.choice(ways)
    condition = Condition((), behind, behind.capitalize().replace(value.lower(), value), ())
    rows = r.choice(table.rows)
    if table.measures and r.random() < 0.6:
        said = ask(r, figure(r, r.choice(table.measures)).said, condition)
    else:
        said = r.choice([f"How many {rows} are there {behind}?", f"number of {rows} {behind}"])
    return Asked("refuse: no such value", said)


def unknown_measure(table: Table, r: Random) -> Asked | None:
    """A figure of a column that is not there."""
    if (name := _unheard(table, r, _COLUMNS)) is None:
        return None
    said = r.choice(COMPUTED[r.choice(sorted(COMPUTED))]).format(name)
    behind = grouped(r, r.choice(table.categories)) if table.categories and r.random() < 0.5 else ""
    return Asked("refuse: no such measure", ask(r, said, behind=behind))


def unknown_group(table: Table, r: Random) -> Asked | None:
    """By a column that is not there."""
    if (name := _unheard(table, r, _GROUPS)) is None or not table.measures:
        return None
    what = figure(r, r.choice(table.measures), ("avg", "sum", "median")).said
    said = r.choice(
        [
            ask(r, what, behind=f"by {name}"),
            f"Which {name} has the highest {what}?",
            ask(r, what, behind=f"for each {name}"),
        ]
    )
    return Asked("refuse: no such group", said)


def unknown_period(table: Table, r: Random) -> Asked | None:
    """A year that the data does not reach, or any year where it has no dates."""
    if (
        any(re.search(r"year|date|yr|month", str(c).lower()) for c in table.frame.columns)
        and len(table.dates) != 1
    ):
        return None
    year = 2019
    if table.dates:
        year = int(table.frame[table.dates[0].name].dropna().dt.year.max()) + r.randrange(8, 20)
    rows = r.choice(table.rows)
    if table.measures and r.random() < 0.6:
        said = ask(r, figure(r, r.choice(table.measures)).said, behind=f"in {year}")
    else:
        said = r.choice([f"How many {rows} are there in {year}?", f"number of {rows} in March {year}"])
    return Asked("refuse: no such period", said)


def unknown_word(table: Table, r: Random) -> Asked | None:
    """A good question with one more word that restricts it to what the table does not tell."""
    if (word := _unheard(table, r, _WORDS)) is None:
        return None
    rows = r.choice(table.rows)
    for _ in range(20):
        asked = r.choice(KINDS)(table, r)
        if asked and re.search(rf"\b{rows}\b", asked.question):
            return Asked(
                "refuse: one word more",
                re.sub(rf"\b{rows}\b", f"{word} {rows}", asked.question, count=1),
                extra=word,
            )
    return None


REFUSED = (unknown_value, unknown_measure, unknown_group, unknown_period, unknown_word)
