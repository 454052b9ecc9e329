"""Templates for tables: a breakdown, a ranking, a list, shares of groups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from gnomon.agents.figures import PERCENT, group_name, labelled, listed, ordinal, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_cells import tell_cells
from gnomon.agents.telling_each import tell_each
from gnomon.agents.telling_periods import period_name
from gnomon.agents.telling_values import tell_value
from gnomon.agents.telling_words import (
    cased,
    is_many,
    is_plural,
    noun,
    plain_extreme,
    spoken_label,
    was,
)
from gnomon.agents.workflow_kinds import PERIOD, TIES_LOOKED_FOR
from gnomon.agents.workflow_post import axis, frame_rows, in_calendar_order, table_of
from gnomon.semantic.model import DimensionType, plural, singular
from gnomon.semantic.wording import an
from gnomon.tools.chart_groups import bar_chart, heat_chart

NAMES_IN_PROSE = 3
LEADERS_IN_PROSE = 6
RANKS_IN_PROSE = 10
_FEW_CELLS = 8


def keys_of(t: Telling, columns: Sequence[str]) -> list[int]:
    """Where the columns stand that name a row: periods and dimensions."""
    named = {PERIOD, *t.request.dimensions, *t.names.values()}
    return [i for i, c in enumerate(columns) if c in named]


def row_name(t: Telling, columns: Sequence[str], row: Sequence[Any]) -> str:
    """A row as prose names it: West; West · web; March 2025."""
    names: list[str] = []
    for i in keys_of(t, columns):
        if _is_named_otherwise(t, columns, row, i):
            continue
        grain = t.plan.grain
        is_period = columns[i] == PERIOD and grain is not None and row[i] is not None
        names.append(period_name(row[i], grain) if is_period and grain else _label(t, columns[i], row[i]))
    return " · ".join(names)


def _label(t: Telling, column: str, value: Any) -> str:
    """A value of a column as a sentence names it."""
    return labelled(value, t.result.labels.get(column, column))


def _first_name(t: Telling, columns: Sequence[str], row: Sequence[Any]) -> str:
    """A row's name at the start of a sentence: names of data stay as they are, "Zone 4" gets its capital."""
    name = row_name(t, columns, row)
    added = not any(group_name(row[i]) == name.split(" · ")[0] for i in keys_of(t, columns))
    return cased(name) if added else name


def group_in(t: Telling, columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """A row's place as a fact keeps it: as prose names it; a period as the day on which it begins."""
    keys = [i for i in keys_of(t, columns) if not _is_named_otherwise(t, columns, row, i)]
    return {columns[i]: row[i] if columns[i] == PERIOD else group_name(row[i]) for i in keys}


def _is_named_otherwise(t: Telling, columns: Sequence[str], row: Sequence[Any], i: int) -> bool:
    """Whether the name of what an id identifies stands beside it, which says it better."""
    name = t.names.get(columns[i])
    return name is not None and name in columns and row[columns.index(name)] is not None


def tell_nothing(t: Telling) -> None:
    """No row meets the conditions."""
    t.told.lead = sentence(f"No rows meet the question{t.where()}{t.when()}")
    t.fact("rows", 0)


def draw(
    t: Telling, columns: Sequence[str], rows: Sequence[Sequence[Any]], value: str, *, grid: bool = False
) -> None:
    """Bars, or with ``grid`` a heat map where two dimensions cross."""
    if len(rows) < 2 or value not in columns:
        return
    at, rows = columns.index(value), in_calendar_order(t.result, columns, rows)
    bars = [(row_name(t, columns, r), r[at]) for r in rows if isinstance(r[at], (int, float))]
    keys = [columns[i] for i in keys_of(t, columns) if t.names.get(columns[i]) not in columns]
    measured = axis(value, t.result)
    if grid and len(keys) == 2 and len(rows) > _FEW_CELLS and _crosses(columns, rows, keys):
        down, across = sorted(keys, key=lambda c: -len({r[columns.index(c)] for r in rows}))
        places = [columns.index(c) for c in (across, down)]
        cells = [(*(r[i] for i in places), r[at]) for r in rows if isinstance(r[at], (int, float))]
        named = axis(across, t.result), axis(down, t.result)
        t.told.charts.append(heat_chart(t.told.lead, cells, *named, measured))
        return
    by = listed([t.result.labels.get(c, c) for c in keys])
    t.told.charts.append(bar_chart(t.told.lead, bars, by, measured))


def _crosses(columns: Sequence[str], rows: Sequence[Sequence[Any]], keys: Sequence[str]) -> bool:
    """Whether two keys span a grid: each value of one with most of the other."""
    places = [columns.index(c) for c in keys]
    sides = [len({r[i] for r in rows}) for i in places]
    cells = {tuple(r[i] for i in places) for r in rows}
    return min(sides) > 1 and len(cells) == len(rows) and 2 * len(cells) > sides[0] * sides[1]


def tell_breakdown(t: Telling) -> None:
    """A value for each group, the largest first."""
    main = t.main
    if not main.rows:
        tell_nothing(t)
        return
    if not t.request.metrics:
        tell_list(t)
        return
    metric, reference = t.metric(), t.request.metrics[0]
    at = main.columns.index(reference)
    t.told.tables.append(table_of(t.result, slug(metric.label), main.columns, main.rows))
    known = [r for r in main.rows if isinstance(r[at], (int, float))]
    if not known and (dated := [r for r in main.rows if isinstance(r[at], date)]):
        _tell_days(t, dated, at)
        return
    if not known:
        t.told.lead = sentence(f"{t.subject()}{t.when()} is unknown for every {grouped_by(t)}")
        return
    if tell_cells(t, row_name, group_in):
        draw(t, main.columns, main.rows, reference, grid=True)
        return
    top, bottom = max(known, key=lambda r: r[at]), min(known, key=lambda r: r[at])
    most = t.fact(f"{t.name()}.top", top[at], metric.unit, group=group_in(t, main.columns, top))
    label, name = plain_extreme(t.subject()), row_name(t, main.columns, top)
    verb = was(metric.label)
    if len(known) == 1:
        t.told.lead = sentence(f"{label} {verb} {t.say(most)}{t.when()}, all of it for {name}")
        return
    lead = f"{label}{t.when()} {verb} highest for {name} ({t.say(most)}{_of_total(t, top, main.columns)})"
    if main.truncated:
        pass  # the rows that were left off may hold the lowest
    elif bottom[at] != top[at]:
        least = t.fact(f"{t.name()}.bottom", bottom[at], metric.unit, group=group_in(t, main.columns, bottom))
        lead += f" and lowest for {row_name(t, main.columns, bottom)} ({t.say(least)})"
    else:
        t.told.facts.remove(most)
        same = t.fact(t.name(), top[at], metric.unit)
        lead = f"{label}{t.when()} {verb} {t.say(same)} for every {grouped_by(t)}"
    t.told.lead = sentence(lead)
    if not main.truncated:
        tell_each(t, [(row_name(t, main.columns, r), group_in(t, main.columns, r), r[at]) for r in known])
    _tell_beside(t)
    draw(t, main.columns, main.rows, reference, grid=True)


def _tell_days(t: Telling, dated: Sequence[Sequence[Any]], at: int) -> None:
    """The days of groups, from the first to the last."""
    columns, label = t.main.columns, spoken_label(t.metric(), t.model)
    order = sorted(dated, key=lambda r: r[at])
    ends = [order[0], order[-1]] if order[0][at] != order[-1][at] else order[:1]
    facts = [
        t.fact(f"{t.name()}.{which}", r[at], group=group_in(t, columns, r))
        for which, r in zip(("first", "last"), ends, strict=False)
    ]
    said = [f"{t.say(f)} for {row_name(t, columns, r)}" for f, r in zip(facts, ends, strict=True)]
    t.told.lead = sentence(f"the {label} of each {grouped_by(t)}{t.when()}: from {' to '.join(said)}")
    if len(said) == 1:
        t.told.lead = sentence(f"the {label}{t.when()} was {t.say(facts[0])} for every {grouped_by(t)}")


def _tell_beside(t: Telling) -> None:
    """The average of the rows of each group, beside the totals."""
    beside = t.request.beside
    if beside is None or beside not in t.main.columns:
        return
    metric, at = t.model.metric(beside), t.main.columns.index(beside)
    known = sorted((r for r in t.main.rows if isinstance(r[at], (int, float))), key=lambda r: r[at])
    if len(known) < 2 or t.main.truncated:
        return
    said = [
        (row_name(t, t.main.columns, row), t.fact(f"{slug(metric.label)}.{end}", row[at], metric.unit, metric="", group=group_in(t, t.main.columns, row)))
        for end, row in (("top", known[-1]), ("bottom", known[0]))
    ]  # fmt: skip
    ends = [
        f"{how} for {name} ({t.say(f)})" for how, (name, f) in zip(("highest", "lowest"), said, strict=True)
    ]
    t.told.more.append(sentence(f"{metric.label} {was(metric.label)} {ends[0]} and {ends[1]}"))


def grouped_by(t: Telling) -> str:
    return listed([t.model.dimension(d).label for d in t.request.dimensions]) or "group"


def _of_total(t: Telling, top: Sequence[Any], columns: Sequence[str]) -> str:
    """The share of the largest group, where groups make up a whole."""
    names, rows = frame_rows(t.result.calculated.get("shares", {}).get("rows"))
    total = t.result.calculated.get("shares", {}).get("total")
    if not rows or "share" not in names or total is None or t.main.truncated:
        return ""
    at = names.index("share")
    share = next((r[at] for r in rows if tuple(r[: len(columns)]) == tuple(top)), None)
    if share is None:
        return ""
    group = group_in(t, columns, top)
    percent = t.fact(f"{t.name()}.top_share", share, PERCENT, role="shares", group=group)
    whole = t.fact(f"{t.name()}.total", _whole_number(t, total), t.metric().unit, role="shares")
    return f", {t.say(percent)} of {t.say(whole)}"


def _whole_number(t: Telling, total: float) -> float:
    """A total of whole numbers is a whole number."""
    at = t.main.columns.index(t.request.metrics[0])
    whole = all(isinstance(r[at], int) or r[at] is None for r in t.main.rows)
    return int(total) if whole and float(total).is_integer() else total


def tell_ranking(t: Telling) -> None:
    """The groups at the top or bottom, ties told."""
    names, ranked = frame_rows(t.result.calculated.get("ranking", {}).get("rows"))
    if not t.request.metrics:
        tell_list(t)
        return
    if not ranked:
        tell_nothing(t) if not t.main.rows else tell_breakdown(t)
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
    t.told.tables.append(table_of(t.result, slug(t.metric().label), columns, rows))
    _ranking_lead(t, columns, rows)
    if tied_out and not t.request.limit_per:
        _tell_tied(t, names, tied_out)
    if nameless:
        dimension = t.request.dimensions[0] if t.request.dimensions else PERIOD
        t.told.caveats.append(f"Rows without {an(t.result.labels.get(dimension, dimension))} are not ranked")
    draw(t, columns, rows, t.request.metrics[0])


def _tell_tied(t: Telling, names: Sequence[str], tied_out: Sequence[Sequence[Any]]) -> None:
    """Those that did not fit in although they have the same value as the last that did."""
    at = names.index(t.request.metrics[0])
    for row in tied_out[:NAMES_IN_PROSE]:
        group = group_in(t, names, row)
        t.fact(f"{t.name()}.{slug(row_name(t, names, row))}", row[at], t.metric().unit, group=group)
    told = [row_name(t, names, r) for r in tied_out[:NAMES_IN_PROSE]]
    told += ["others"] if len(tied_out) > len(told) else []
    t.told.caveats.append(f"{listed(told)} {'ties' if len(told) == 1 else 'tie'} with the last of them")


def _tell_place(t: Telling, names: Sequence[str], ranked: Sequence[Sequence[Any]], place: int) -> None:
    """The one that stands at a place of the order: the second-highest."""
    columns = tuple(names[:-1])
    if len(ranked) < place:
        t.told.lead = sentence(f"there are not so many {plural(grouped_by(t))}{t.where()}{t.when()}")
        t.fact("rows", len(ranked))
        return
    row = tuple(ranked[place - 1][:-1])
    at = columns.index(t.request.metrics[0])
    group = group_in(t, columns, row)
    fact = t.fact(f"{t.name()}.at_place", row[at], t.metric().unit, group=group)
    t.fact(f"{t.name()}.rank", place, role="ranking", group=group)
    order = "" if t.request.descending else " in ascending order"
    t.told.tables.append(table_of(t.result, slug(t.metric().label), columns, (row,)))
    came = f"came {ordinal(place)} by {t.metric().label}{order}"
    t.told.lead = f"{_first_name(t, columns, row)} {came}{t.where()}{t.when()}: {t.say(fact)}."


def _within(t: Telling, names: Sequence[str], ranked: Sequence[Sequence[Any]]) -> tuple[list[Any], list[Any]]:
    """The rows that were asked for, and those that tie with the last of them; for one rank all that share it."""
    limit = t.request.limit
    if limit is None or t.request.limit_per:
        return list(ranked), []
    at = names.index(t.request.metrics[0])
    first = [r for r in ranked if r[at] == ranked[0][at]]
    shown = first if limit == 1 else list(ranked[:limit])
    return shown, [r for r in ranked[len(shown) :] if r[at] == shown[-1][at]]


def superlative(t: Telling) -> str:
    """What the first of a ranking has: the highest revenue, the fewest orders."""
    metric = t.metric()
    if (day := spoken_label(metric, t.model)).startswith(("latest ", "earliest ")):
        return f"the {day}"
    if is_many(metric):
        return f"the {'most' if t.request.descending else 'fewest'} {noun(metric)}"
    end = "highest" if t.request.descending else "lowest"
    return f"the {metric.label}" if metric.label.startswith(f"{end} ") else f"the {end} {metric.label}"


def one_in(t: Telling, columns: Sequence[str], row: Sequence[Any], per: str) -> str:
    """A row within its group, each by its name where it has one: Oak tables in Hillside."""
    own = [i for i in keys_of(t, columns) if columns[i] in (per, t.names.get(per))]
    rest = [i for i in keys_of(t, columns) if i not in own]

    def said(places: list[int]) -> str:
        kept = [i for i in places if not _is_named_otherwise(t, columns, row, i)]
        return " · ".join(_label(t, columns[i], row[i]) for i in kept)

    return f"{said(rest)} in {said(own)}"


def _leaders(t: Telling, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """The first of each group, for a ranking within groups."""
    per = t.request.limit_per or ""
    place = columns.index(per)
    first: dict[Any, Sequence[Any]] = {}
    for row in rows:
        first.setdefault(row[place], row)
    named = [one_in(t, columns, row, per) for row in list(first.values())[:LEADERS_IN_PROSE]]
    more = " and others" if len(first) > LEADERS_IN_PROSE else ""
    each = t.model.dimension(per).label
    t.told.lead = f"For each {each}, {superlative(t)}{t.where()}{t.when()}: {listed(named)}{more}."
    at = columns.index(t.request.metrics[0])
    top = rows[0]
    t.fact(f"{t.name()}.top", top[at], t.metric().unit, group=group_in(t, columns, top))


def _ranking_lead(t: Telling, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    metric, reference = t.metric(), t.request.metrics[0]
    if t.request.limit_per in columns:
        _leaders(t, columns, rows)
        return
    at = columns.index(reference)
    best = rows[0][at]
    top = [r for r in rows if r[at] == best]
    word = "top" if t.request.descending else "bottom"
    fact = t.fact(f"{t.name()}.{word}", best, metric.unit, group=group_in(t, columns, rows[0]))
    about, what = t.where(), superlative(t)
    names = [_first_name(t, columns, top[0]), *(row_name(t, columns, r) for r in top[1:])]
    for row in top[1:5]:
        t.fact(f"{t.name()}.{word}", row[at], metric.unit, group=group_in(t, columns, row))
    shown = max(1 + NAMES_IN_PROSE, min(t.request.limit or 0, RANKS_IN_PROSE))
    following: list[str] = []
    for row in rows[len(top) : shown] if len(top) <= 5 else []:
        group, name = group_in(t, columns, row), row_name(t, columns, row)
        told = t.fact(f"{t.name()}.{slug(name)}", row[at], metric.unit, group=group)
        following.append(f"{name} ({t.say(told)})")
    further = min(t.request.limit or 0, len(rows)) - shown
    if following and further > 0:
        t.fact("further", further)
        following.append(f"{further} more")
    after = f", followed by {listed(following)}" if following else ""
    if len(names) > 1:
        # As many as were looked at: there may be more.
        cut = t.request.limit is not None and len(names) >= t.request.limit + TIES_LOOKED_FOR
        rest = "" if len(names) <= 5 else " and others" if cut else f" and {len(names) - 5} more"
        t.told.lead = f"{listed(names[:5]) if not rest else ', '.join(names[:5]) + rest} tie for {what}{about}{t.when()}: {t.say(fact)} each{after}."
        t.told.lead += _besides(t, columns, top)
        if rest and not cut:
            t.fact("tied", len(names) - 5)
        return
    t.told.lead = f"{names[0]} had {what}{about}{t.when()}: {t.say(fact)}{after}.{_besides(t, columns, rows)}"


def _besides(t: Telling, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """What else was asked about those that a ranking found, where they are few."""
    said: list[str] = []
    for place, reference in enumerate(t.request.metrics[1:] if len(rows) <= NAMES_IN_PROSE else (), 1):
        metric, at = t.metric(place), columns.index(reference)
        told = [
            t.fact(f"{t.name(place)}.{slug(row_name(t, columns, r))}", r[at], metric.unit, metric=reference, group=group_in(t, columns, r))
            for r in rows
        ]  # fmt: skip
        each = [f"{t.say(f)} for {row_name(t, columns, r)}" for f, r in zip(told, rows, strict=True)]
        said.append(sentence(f"{metric.label} {was(metric.label)} {listed(each)}"))
    return "".join(f" {s}" for s in said)


def tell_list(t: Telling) -> None:
    """The things that meet a condition."""
    main = t.main
    if not main.rows:
        if t.request.metrics and not t.request.dimensions:
            tell_value(t)
        else:
            tell_nothing(t)
        return
    dimension = t.request.dimensions[0] if t.request.dimensions else PERIOD
    label = t.result.labels.get(dimension, dimension)
    t.told.tables.append(table_of(t.result, slug(label), main.columns, main.rows))
    count = len(main.rows)
    if count == 1 and len(main.columns) == 1:
        value = main.rows[0][0]
        only = t.fact(slug(dimension), group_name(value) if isinstance(value, bool) else value)
        verb = "are" if is_plural(label) else "is"
        t.told.lead = sentence(f"the {label}{t.where()}{t.when()} {verb} {t.say(only)}")
        return
    if count == 1 and main.columns == t.request.dimensions:
        _tell_record(t)
        return
    along = dimension == PERIOD
    unit = plural(label) if along else None
    fact = t.fact(f"{slug(dimension)}.count", count, unit)
    limited = t.request.limit is not None and count == t.request.limit
    names = [row_name(t, main.columns, r) for r in main.rows[:5]] if not along else []
    things = "" if along else _things(t, dimension, label, count)
    if not along and len({r[0] for r in main.rows}) < count:
        things = f"combinations of {listed([t.result.labels.get(c, c) for c in main.columns])}"
    what = t.say(fact) if along else f"{t.say(fact)} {things}"
    if main.truncated:
        what = f"more than {what}"  # the rows that fit into the answer, not all that there are
    lead = (
        f"Here {'is' if count == 1 else 'are'} {what}"
        if limited
        else f"There {'is' if count == 1 else 'are'} {what}"
    )
    more = ", among them" if count > len(names) else ":"
    t.told.lead = f"{lead}{t.where()}{t.when()}{f'{more} {listed(names)}' if names else ''}."
    if t.request.metrics:
        draw(t, main.columns, main.rows, t.request.metrics[0])


def _tell_record(t: Telling) -> None:
    """Several columns of the only row that there is."""
    columns, row = t.main.columns, t.main.rows[0]
    labels = [t.result.labels.get(c, c) for c in columns]
    values = [group_name(v) if isinstance(v, bool) else v for v in row]
    told = [t.fact(slug(c), v) for c, v in zip(columns, values, strict=True)]
    about = f"the {listed(labels)}{t.where()}{t.when()}"
    t.told.lead = sentence(f"{about} are {listed([t.say(f) for f in told])}")


def _things(t: Telling, dimension: str, label: str, count: int) -> str:
    """What is listed, counted: 3 regions; 3 values of a column of numbers, which are no things of their own."""
    if t.model.dimension(dimension).type is DimensionType.NUMBER:
        return f"{'value' if count == 1 else 'values'} of {label}"
    return plural(label) if count != 1 else singular(label)
