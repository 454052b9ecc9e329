"""Rankings in words: the first and those that follow, ties, places, the leaders of groups."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.answering.plan import PERIOD
from gnomon.answering.plan_kinds import TIES_LOOKED_FOR
from gnomon.answering.tell_table import (
    draw,
    first_name,
    group_in,
    grouped_by,
    keys_of,
    leaders,
    one_in,
    row_fact,
    row_name,
    tell_breakdown,
    tell_list,
)
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import is_many, noun, ordinal, slug, spoken_label, was
from gnomon.core.figures import listed, sentence
from gnomon.semantic.model import plural
from gnomon.semantic.wording import an

NAMES_IN_PROSE = 3
RANKS_IN_PROSE = 10


def tell_ranking(t: Telling) -> None:
    """The groups at the top or bottom, ties told."""
    names, ranked = t.rows("ranking")
    if not t.request.metrics:
        tell_list(t)
        return
    if not ranked:
        tell_breakdown(t)
        return
    keys = keys_of(t, names)
    nameless = [r for r in ranked if all(r[i] is None for i in keys)]
    ranked = tuple(r for r in ranked if r not in nameless) or ranked
    place = t.request.place or 1
    if place > 1 and not t.request.limit_per:
        _tell_place(t, names, ranked, place)
        return
    shown, tied_out = _within(t, names, ranked)
    columns, rows = tuple(names[:-1]), tuple(tuple(r[:-1]) for r in shown)  # the last is the rank
    t.table(columns, rows)
    if t.request.limit_per in columns:
        _tell_leaders(t, columns, rows)
    else:
        _tell_ranks(t, columns, rows)
    if tied_out and not t.request.limit_per:
        _tell_tied(t, names, tied_out)
    if nameless:
        dimension = t.request.dimensions[0] if t.request.dimensions else PERIOD
        t.note(f"Rows without {an(t.result.labels.get(dimension, dimension))} are not ranked")
    draw(t, columns, rows, t.request.metrics[0])


def _within(t: Telling, names: Sequence[str], ranked: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that were asked for, and those that tie with the last of them; for one rank all that share it."""
    limit = t.request.limit
    if limit is None or t.request.limit_per:
        return list(ranked), []
    at = names.index(t.request.metrics[0])
    first = [r for r in ranked if r[at] == ranked[0][at]]
    shown = first if limit == 1 else list(ranked[:limit])
    return shown, [r for r in ranked[len(shown) :] if r[at] == shown[-1][at]]


def _tell_tied(t: Telling, names: Sequence[str], tied_out: Sequence[Row]) -> None:
    """Those that did not fit in although they have the same value as the last that did."""
    told = [row_name(t, names, r) for r in tied_out[:NAMES_IN_PROSE]]
    for name, row in zip(told, tied_out, strict=False):
        row_fact(t, f"{t.name()}.{slug(name)}", names, row)
    told += ["others"] if len(tied_out) > len(told) else []
    t.note(f"{listed(told)} {'ties' if len(told) == 1 else 'tie'} with the last of them")


def _tell_place(t: Telling, names: Sequence[str], ranked: Sequence[Row], place: int) -> None:
    """The one that stands at a place of the order: the second-highest."""
    columns = tuple(names[:-1])
    if len(ranked) < place:
        t.lead(f"there are not so many {plural(grouped_by(t))}{t.where()}{t.when()}")
        t.fact("rows", len(ranked))
        return
    row = tuple(ranked[place - 1][:-1])
    fact = row_fact(t, f"{t.name()}.at_place", columns, row)
    t.fact(f"{t.name()}.rank", place, role="ranking", group=group_in(t, columns, row))
    order = "" if t.request.descending else " in ascending order"
    t.table(columns, (row,))
    came = f"came {ordinal(place)} by {t.metric().label}{order}"
    t.told.lead = f"{first_name(t, columns, row)} {came}{t.where()}{t.when()}: {t.say(fact)}."


def superlative(t: Telling) -> str:
    """What the first of a ranking has: the highest revenue, the fewest orders."""
    metric, high = t.metric(), t.request.descending
    if (day := spoken_label(metric, t.model)).startswith(("latest ", "earliest ")):
        return f"the {day}"
    if is_many(metric):
        return f"the {'most' if high else 'fewest'} {noun(metric)}"
    end = "highest" if high else "lowest"
    return f"the {metric.label}" if metric.label.startswith(f"{end} ") else f"the {end} {metric.label}"


def _tell_leaders(t: Telling, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """The first of each group, for a ranking within groups."""
    per = t.request.limit_per or ""
    named = leaders(rows, columns.index(per), lambda _, row: one_in(t, columns, row, per))
    t.told.lead = f"For each {t.label(per)}, {superlative(t)}{t.where()}{t.when()}: {named}."
    row_fact(t, f"{t.name()}.top", columns, rows[0])


def _tell_ranks(t: Telling, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """The first of a ranking, or all that share its place, and those that follow."""
    at, limit = columns.index(t.request.metrics[0]), t.request.limit or 0
    top = [r for r in rows if r[at] == rows[0][at]]
    word = "top" if t.request.descending else "bottom"
    facts = [row_fact(t, f"{t.name()}.{word}", columns, row) for row in top[:5]]
    names = [first_name(t, columns, top[0]), *(row_name(t, columns, r) for r in top[1:])]
    shown = max(1 + NAMES_IN_PROSE, min(limit, RANKS_IN_PROSE))
    following: list[str] = []
    for row in rows[len(top) : shown] if len(top) <= 5 else []:
        name = row_name(t, columns, row)
        following.append(f"{name} ({t.say(row_fact(t, f'{t.name()}.{slug(name)}', columns, row))})")
    further = min(limit, len(rows)) - shown
    if following and further > 0:
        t.fact("further", further)
        following.append(f"{further} more")
    after = f", followed by {listed(following)}" if following else ""
    what = f"{superlative(t)}{t.where()}{t.when()}: {t.say(facts[0])}"
    if len(names) == 1:
        t.told.lead = f"{names[0]} had {what}{after}.{_besides(t, columns, rows)}"
        return
    # As many as were looked at: there may be more.
    left, cut = len(names) - 5, limit > 0 and len(names) >= limit + TIES_LOOKED_FOR
    rest = " and others" if cut else f" and {left} more"
    who = f"{', '.join(names[:5])}{rest}" if left > 0 else listed(names)
    t.told.lead = f"{who} tie for {what} each{after}.{_besides(t, columns, top)}"
    if left > 0 and not cut:
        t.fact("tied", left)


def _besides(t: Telling, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """What else was asked about those that a ranking found, where they are few."""
    said: list[str] = []
    for place, reference in enumerate(t.request.metrics[1:] if len(rows) <= NAMES_IN_PROSE else (), 1):
        named = [(row_name(t, columns, r), r) for r in rows]
        facts = [(n, row_fact(t, f"{t.name(place)}.{slug(n)}", columns, r, reference)) for n, r in named]
        label = t.metric(place).label
        said.append(sentence(f"{label} {was(label)} {listed([f'{t.say(f)} for {n}' for n, f in facts])}"))
    return "".join(f" {s}" for s in said)
