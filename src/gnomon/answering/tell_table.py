"""Tables in words: rows by name, a breakdown, a list, ranges of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from gnomon.answering.plan import PERIOD
from gnomon.answering.plan_studies import BRACKETS
from gnomon.answering.run import axis, in_calendar_order
from gnomon.answering.tell_scalar import plain_column, spelt_out, tell_value
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import (
    counted,
    is_number,
    is_plural,
    labelled,
    plain_extreme,
    slug,
    spoken_label,
    was,
)
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, capital, group_name, listed, sentence
from gnomon.core.patterns import late_pattern
from gnomon.language.time_names import period_name
from gnomon.semantic.model import DimensionType, plural, singular
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart, heat_chart

LEADERS_IN_PROSE = 6
GROUPS_TOLD = 8
CELLS_TOLD = 40
_LEADING = late_pattern(
    r"\b(?:high|low|up|down|top|bottom|most|least|best|worst|max|min|rising|falling|new|old)\w*",
    re.IGNORECASE,
)

# Rows by name ---------------------------------------------------------------------------------------------------------


def keys_of(t: Telling, columns: Sequence[str]) -> list[int]:
    """Where the columns stand that name a row: periods and dimensions."""
    named = {PERIOD, *t.request.dimensions, *t.names.values()}
    return [i for i, c in enumerate(columns) if c in named]


def _naming(t: Telling, columns: Sequence[str], row: Row) -> list[int]:
    """Those of them that tell a row: not an id where the name of what it identifies stands beside it."""

    def said_better(i: int) -> bool:
        name = t.names.get(columns[i])
        return name is not None and name in columns and row[columns.index(name)] is not None

    return [i for i in keys_of(t, columns) if not said_better(i)]


def row_name(t: Telling, columns: Sequence[str], row: Row) -> str:
    """A row as prose names it: West; West · web; March 2025; of two persons of one name, Ada Byron (K17)."""
    said = [_label(t, columns[i], row[i]) for i in _naming(t, columns, row)]
    if (apart := _told_apart_by(t, columns, row)) is not None:
        return f"{' · '.join(said)} ({group_name(row[apart])})"
    return " · ".join(said)


def _told_apart_by(t: Telling, columns: Sequence[str], row: Row) -> int | None:
    """Where the id stands that tells a row from another of its name."""
    ids = (i for i, c in enumerate(columns) if c in t.shared and t.names[c] in columns)
    return next((i for i in ids if row[columns.index(t.names[columns[i]])] in t.shared[columns[i]]), None)


def _label(t: Telling, column: str, value: Any) -> str:
    """A value of a column as a sentence names it."""
    if column == PERIOD and t.plan.grain is not None and value is not None:
        return period_name(value, t.plan.grain)
    return labelled(value, t.result.labels.get(column, column))


def first_name(t: Telling, columns: Sequence[str], row: Row) -> str:
    """A row's name at the start of a sentence: names of data stay as they are, "Zone 4" gets its capital."""
    name = row_name(t, columns, row)
    added = not any(group_name(row[i]) == name.split(" · ")[0] for i in keys_of(t, columns))
    return capital(name) if added else name


def group_in(t: Telling, columns: Sequence[str], row: Row) -> dict[str, Any]:
    """A row's place as a fact keeps it: as prose names it; a period as the day on which it begins."""
    keys = _naming(t, columns, row)
    return {columns[i]: row[i] if columns[i] == PERIOD else group_name(row[i]) for i in keys}


def row_fact(t: Telling, name: str, columns: Sequence[str], row: Row, reference: str | None = None) -> Fact:
    """The figure of a row, as a fact about its group."""
    of = reference or t.request.metrics[0]
    unit, group = t.model.metric(of).unit, group_in(t, columns, row)
    return t.fact(name, row[columns.index(of)], unit, metric=reference, group=group)


def one_in(t: Telling, columns: Sequence[str], row: Row, per: str) -> str:
    """A row within its group, each by its name where it has one: Oak tables in Hillside."""
    kept = _naming(t, columns, row)
    own = [i for i in kept if columns[i] in (per, t.names.get(per))]

    def said(places: list[int]) -> str:
        labels = t.result.labels
        return " · ".join(labelled(row[i], labels.get(columns[i], columns[i])) for i in places)

    return f"{said([i for i in kept if i not in own])} in {said(own)}"


def leaders(rows: Sequence[Row], place: int, said: Callable[[Any, Row], str]) -> str:
    """The first row of each group in words."""
    first: dict[Any, Row] = {}
    for row in rows:
        first.setdefault(row[place], row)
    named = [said(group, row) for group, row in list(first.items())[:LEADERS_IN_PROSE]]
    return f"{listed(named)}{' and others' if len(first) > LEADERS_IN_PROSE else ''}"


def grouped_by(t: Telling) -> str:
    """What the groups are."""
    return listed([t.label(d) for d in t.request.dimensions]) or "group"


def ends(t: Telling, columns: Sequence[str], rows: Sequence[Row], facts: Sequence[Fact]) -> str:
    """Where it is highest and lowest."""
    said = [f"{row_name(t, columns, r)} ({t.say(f)})" for r, f in zip(rows, facts, strict=True)]
    return f"highest for {said[0]} and lowest for {said[1]}"


def draw(t: Telling, columns: Sequence[str], rows: Sequence[Row], value: str, *, grid: bool = False) -> None:
    """Bars, or with ``grid`` a heat map where two dimensions cross."""
    if len(rows) < 2 or value not in columns:
        return
    at, rows = columns.index(value), in_calendar_order(t.result, columns, rows)
    known = [r for r in rows if is_number(r[at])]
    keys = [columns[i] for i in keys_of(t, columns) if t.names.get(columns[i]) not in columns]
    measured = axis(value, t.result)
    if grid and len(keys) == 2 and len(rows) > GROUPS_TOLD and _crosses(columns, rows, keys):
        down, across = sorted(keys, key=lambda c: -len({r[columns.index(c)] for r in rows}))
        x, y = columns.index(across), columns.index(down)
        named = axis(across, t.result), axis(down, t.result)
        t.draw(heat_chart(t.told.lead, [(r[x], r[y], r[at]) for r in known], *named, measured))
        return
    by = listed([t.result.labels.get(c, c) for c in keys])
    t.draw(bar_chart(t.told.lead, [(row_name(t, columns, r), r[at]) for r in known], by, measured))


def _crosses(columns: Sequence[str], rows: Sequence[Row], keys: Sequence[str]) -> bool:
    """Whether two keys span a grid: each value of one with most of the other."""
    places = [columns.index(c) for c in keys]
    sides = [len({r[i] for r in rows}) for i in places]
    cells = {tuple(r[i] for i in places) for r in rows}
    return min(sides) > 1 and len(cells) == len(rows) and 2 * len(cells) > sides[0] * sides[1]


# A breakdown ----------------------------------------------------------------------------------------------------------


def tell_breakdown(t: Telling) -> None:
    """A value for each group, the largest first."""
    main, columns = t.main, t.main.columns
    if not main.rows:
        t.nothing()
        return
    if not t.request.metrics:
        tell_list(t)
        return
    metric, reference = t.metric(), t.request.metrics[0]
    at = columns.index(reference)
    t.table(columns, main.rows)
    known = [r for r in main.rows if is_number(r[at])]
    if not known and (dated := [r for r in main.rows if isinstance(r[at], date)]):
        _tell_days(t, dated, at)
        return
    if not known:
        t.lead(f"{t.subject()}{t.when()} is unknown for every {grouped_by(t)}")
        return
    if _tell_cells(t):
        draw(t, columns, main.rows, reference, grid=True)
        return
    top, bottom = max(known, key=lambda r: r[at]), min(known, key=lambda r: r[at])
    most = row_fact(t, f"{t.name()}.top", columns, top)
    label, name, verb = plain_extreme(t.subject()), row_name(t, columns, top), was(metric.label)
    if len(known) == 1:
        t.lead(f"{label} {verb} {t.say(most)}{t.when()}, all of it for {name}")
        return
    lead = f"{label}{t.when()} {verb}"
    first = f"highest for {name} ({t.say(most)}{_of_total(t, top, columns)})"
    if main.truncated:
        t.lead(f"{lead} {first}")  # the rows that were left off may hold the lowest
    elif bottom[at] != top[at]:
        least = row_fact(t, f"{t.name()}.bottom", columns, bottom)
        t.lead(f"{lead} {first} and lowest for {row_name(t, columns, bottom)} ({t.say(least)})")
    else:
        t.told.facts.remove(most)
        t.lead(f"{lead} {t.say(t.fact(t.name(), top[at], metric.unit))} for every {grouped_by(t)}")
    if not main.truncated:
        _tell_each(t, [(row_name(t, columns, r), r) for r in known])
    _tell_beside(t)
    draw(t, columns, main.rows, reference, grid=True)


def _tell_days(t: Telling, dated: Sequence[Row], at: int) -> None:
    """The days of groups, from the first to the last."""
    columns, label = t.main.columns, spoken_label(t.metric(), t.model)
    order = sorted(dated, key=lambda r: r[at])
    both = [order[0], order[-1]] if order[0][at] != order[-1][at] else order[:1]
    facts = [
        t.fact(f"{t.name()}.{which}", r[at], group=group_in(t, columns, r))
        for which, r in zip(("first", "last"), both, strict=False)
    ]
    said = [f"{t.say(f)} for {row_name(t, columns, r)}" for f, r in zip(facts, both, strict=True)]
    if len(said) == 1:
        t.lead(f"the {label}{t.when()} was {t.say(facts[0])} for every {grouped_by(t)}")
    else:
        t.lead(f"the {label} of each {grouped_by(t)}{t.when()}: from {' to '.join(said)}")


def _tell_each(t: Telling, groups: list[tuple[str, Row]]) -> None:
    """Each group in a sentence, where a distribution was asked for and the groups are few."""
    if not t.request.each or not 2 < len(groups) <= GROUPS_TOLD:
        return
    if any(_LEADING.search(name) for name, _ in groups):
        return  # "27.98 hours for High" reads as if something were high
    columns = t.main.columns
    said = [f"{t.say(row_fact(t, f'{t.name()}.{slug(n)}', columns, r))} for {n}" for n, r in groups]
    t.told.more.insert(0, sentence(f"in full: {listed(said)}"))


def _tell_cells(t: Telling) -> bool:
    """A sentence for each measure with its value for every group, where both are few; False where they are not."""
    main, columns, metrics = t.main, t.main.columns, t.request.metrics
    few = 1 < len(main.rows) <= GROUPS_TOLD and len(main.rows) * len(metrics) <= CELLS_TOLD
    measured = {plain_column(t.model.metric(m)) for m in metrics}
    if len(metrics) < 2 or len(measured) > 1 or None in measured or not few or main.truncated:
        return False
    rows = sorted(main.rows, key=lambda r: row_name(t, columns, r))
    told: list[str] = []
    for reference in metrics:
        metric, at = t.model.metric(reference), columns.index(reference)
        name, spelt = slug(reference), spelt_out(t, reference)
        facts = [
            (row_name(t, columns, r), t.fact(name, r[at], metric.unit, metric=spelt, group=group_in(t, columns, r)))
            for r in rows
            if is_number(r[at])
        ]  # fmt: skip
        said = listed([f"{t.say(fact)} for {who}" for who, fact in facts])
        told += [f"{spoken_label(metric, t.model)}: {said}"] if said else []
    if not told:
        return False
    t.lead(f"{told[0]}{t.where()}{t.when()}")
    t.told.more += [sentence(text) for text in told[1:]]
    return True


def _tell_beside(t: Telling) -> None:
    """The average of the rows of each group, beside the totals."""
    beside, columns = t.request.beside, t.main.columns
    if beside is None or beside not in columns:
        return
    metric, at = t.model.metric(beside), columns.index(beside)
    known = sorted((r for r in t.main.rows if is_number(r[at])), key=lambda r: r[at])
    if len(known) < 2 or t.main.truncated:
        return
    both = (known[-1], known[0])
    facts = [
        t.fact(f"{slug(metric.label)}.{end}", r[at], metric.unit, metric="", group=group_in(t, columns, r))
        for end, r in zip(("top", "bottom"), both, strict=True)
    ]
    t.more(f"{metric.label} {was(metric.label)} {ends(t, columns, both, facts)}")


def _of_total(t: Telling, top: Row, columns: Sequence[str]) -> str:
    """The share of the largest group, where groups make up a whole."""
    names, rows = t.rows("shares")
    total = t.result.calculated.get("shares", {}).get("total")
    if not rows or "share" not in names or total is None or t.main.truncated:
        return ""
    at = names.index("share")
    share = next((r[at] for r in rows if tuple(r[: len(columns)]) == tuple(top)), None)
    if share is None:
        return ""
    about: dict[str, Any] = {"role": "shares", "group": group_in(t, columns, top)}
    percent = t.fact(f"{t.name()}.top_share", share, PERCENT, **about)
    value = columns.index(t.request.metrics[0])
    whole = all(isinstance(r[value], int) or r[value] is None for r in t.main.rows)
    total = int(total) if whole and float(total).is_integer() else total  # whole numbers add up to one
    made_up = t.fact(f"{t.name()}.total", total, t.metric().unit, role="shares")
    return f", {t.say(percent)} of {t.say(made_up)}"


# A list ---------------------------------------------------------------------------------------------------------------


def tell_list(t: Telling) -> None:
    """The things that meet a condition."""
    main, columns = t.main, t.main.columns
    if not main.rows:
        tell_value(t) if t.request.metrics and not t.request.dimensions else t.nothing()
        return
    dimension = t.request.dimensions[0] if t.request.dimensions else PERIOD
    label = t.result.labels.get(dimension, dimension) if dimension == PERIOD else t.label(dimension)
    count, about = len(main.rows), f"{t.where()}{t.when()}"
    t.table(columns, main.rows, slug(label))
    if count == 1 and (len(columns) == 1 or columns == t.request.dimensions):
        _tell_record(t, dimension, about)
        return
    along, verb = dimension == PERIOD, "is" if count == 1 else "are"
    fact = t.fact(f"{slug(dimension)}.count", count, plural(label) if along else None)
    names = [] if along else [row_name(t, columns, r) for r in main.rows[:5]]
    things = "" if along else f" {_things(t, dimension, label, count)}"
    if not along and len({r[0] for r in main.rows}) < count:
        things = f" combinations of {listed([t.result.labels.get(c, c) for c in columns])}"
    more = "more than " if main.truncated else ""  # the rows that fit into the answer, not all that there are
    here = "Here" if count == t.request.limit else "There"
    among = ", among them" if count > len(names) else ":"
    said = f"{among} {listed(names)}" if names else ""
    t.told.lead = f"{here} {verb} {more}{t.say(fact)}{things}{about}{said}."
    if t.request.metrics:
        draw(t, columns, main.rows, t.request.metrics[0])


def _tell_record(t: Telling, dimension: str, about: str) -> None:
    """The columns of the only row that there is."""
    columns = t.main.columns
    labels = [t.result.labels.get(c, c) for c in columns]
    values = [group_name(v) if isinstance(v, bool) else v for v in t.main.rows[0]]
    if len(columns) == 1:
        only, label = t.fact(slug(dimension), values[0]), t.result.labels.get(dimension, dimension)
        t.lead(f"the {label}{about} {'are' if is_plural(label) else 'is'} {t.say(only)}")
        return
    told = [t.fact(slug(c), v) for c, v in zip(columns, values, strict=True)]
    t.lead(f"the {listed(labels)}{about} are {listed([t.say(f) for f in told])}")


def _things(t: Telling, dimension: str, label: str, count: int) -> str:
    """What is listed, counted: 3 regions; 3 values of a column of numbers, which are no things of their own."""
    if t.model.dimension(dimension).type is DimensionType.NUMBER:
        return f"{'value' if count == 1 else 'values'} of {label}"
    return plural(label) if count != 1 else singular(label)


# Ranges of a column ---------------------------------------------------------------------------------------------------


def tell_brackets(t: Telling) -> None:
    """The measure in each range of a column: where it is highest and lowest, and each range where there are few."""
    output, cut = t.result.calculated.get(BRACKETS), t.request.brackets
    if output is None or cut is None:
        t.fail("the ranges could not be formed")
        return
    column, metric = t.label(cut.column), t.metric()
    _, rows = t.rows(BRACKETS, columns=("range", "value", "rows"))
    key, label = f"{column} range", metric.label
    t.plain_table(slug(label), (key, label, "rows"), rows)
    known = [(str(r[0]), r[1]) for r in rows if is_number(r[1])]
    if not known:
        t.lead(f"{t.subject()}{t.when()} is unknown for every {key}")
        return
    facts = {
        name: t.fact(f"{t.name()}.{slug(name)}", value, metric.unit, role=BRACKETS, group={key: name})
        for name, value in known
    }
    top, bottom = (pick(known, key=lambda k: k[1])[0] for pick in (max, min))
    lead = f"{t.subject()}{t.when()} {was(label)} highest for {column} {top} ({t.say(facts[top])})"
    t.lead(lead + (f" and lowest for {column} {bottom} ({t.say(facts[bottom])})" if top != bottom else ""))
    if len(known) <= GROUPS_TOLD:
        t.more(f"by {column}: {listed([f'{t.say(facts[n])} for {n}' for n, _ in known])}")
    t.draw(bar_chart(t.told.lead, known, key, Axis(label, metric.unit)))
    if output["missing"]:
        t.plain("rows_without_value", output["missing"], role=BRACKETS)
        t.note(f"{counted(output['missing'], 'row')} without a value of {column} left out")
