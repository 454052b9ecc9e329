"""Clauses about groups and their order: “for each city”, “with at least two”, “sorted by price”, “the highest”."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gnomon.core.algebra import How
from gnomon.core.parts import Filter
from gnomon.planning.reader.operators import Op
from gnomon.reading.closed_words import FALLING, GLUE, RISING, SORTING
from gnomon.reading.figures import figures_at
from gnomon.reading.phrases import DETERMINERS, Phrases, is_number
from gnomon.reading.sketch import Figure, Ordering, Sketch, Steps
from gnomon.semantic.kinds import Aggregation, DimensionType
from gnomon.semantic.model import Dimension, SemanticModel


def groups(p: Phrases, s: Sketch, at: int) -> Steps:
    """What is told apart: “for each city”, “by country”, “per team”."""
    for end, _ in p.operator(at, Op.EACH, Op.PER, Op.BY):
        begin = p.past(end, DETERMINERS | {"different", "distinct"})
        if (
            s.shown
            and not s.keys
            and p.operator(at, Op.EACH)
            and p.low(begin) in {"", ".", "?", ",", "one", "have", "has"}
        ):
            yield p.past(begin, {"one"}), replace(s, keys=s.shown)
        for named in p.columns(begin):
            yield named.end, replace(s, keys=(*s.keys, named.column)).dearer(named.cost)
        for behind, table, cost in p.rows(begin):
            if (key := naming_of(p.model, table)) is not None:
                yield behind, replace(s, keys=(*s.keys, key)).about(table).dearer(cost + 0.02)


def naming_of(model: SemanticModel, table: str) -> Dimension | None:
    """The column by which rows of a table are called, or told apart where they have no names."""
    meant, own = model.table(table), [d for d in model.dimensions if d.home.table == table]
    called = {"name", "title", meant.label, f"{meant.label} name", f"{meant.label} title", f"{table} name"}
    named = next((d for d in own if d.label in called), None)
    return named or next((d for d in own if meant.key == (d.home.column,)), None)


def bounded(p: Phrases, s: Sketch, at: int) -> Steps:
    """How many rows a group has to have: “with at least two employees”."""
    for end, how in p.operator(at, Op.COMPARE_NUMBER):
        if (number := p.number(p.past(end, DETERMINERS))) is None:
            continue
        for behind, table, cost in p.rows(p.past(number[0], {"distinct", "different"})):
            bound = Filter(field="count", operator=how, values=(int(number[1]),), having=True)
            yield behind, replace(s, bounds=(*s.bounds, (Figure(How.COUNT), bound))).about(table).dearer(cost)


def order(p: Phrases, s: Sketch, at: int) -> Steps:
    """In which order: “sorted by price in descending order”, “in alphabetical order of name”."""
    if s.orderings and s.orderings[0].by is not None:
        return
    before = s.orderings[0].descending if s.orderings and s.limit is None else None
    if s.limit is None:
        yield from _ordered(p, s, at, before, None, begun=False)


def _ordered(
    p: Phrases, s: Sketch, at: int, falling: bool | None, by: Dimension | Figure | None, *, begun: bool
) -> Steps:
    if begun and (by is not None or falling is not None):
        yield at, replace(s, orderings=(Ordering(by, bool(falling)),))
    word = p.low(at)
    if begun and word in {"from", "the"} and (ends := _from_end_to_end(p, at)) is not None:
        yield from _ordered(p, s, ends[0], ends[1], by, begun=True)
    for end, descending in p.operator(at, Op.ORDER):
        yield from _ordered(p, s, end, descending, by, begun=True)
    if word in RISING:
        yield from _ordered(p, s, at + 1, bool(falling), by, begun=True)
    elif word in FALLING:
        yield from _ordered(p, s, at + 1, True, by, begun=True)
    elif word in SORTING:
        yield from _ordered(p, s, at + 1, falling, by, begun=True)
    elif word in GLUE and (begun or (word == "in" and {p.low(at + 1), p.low(at + 2)} & (RISING | FALLING))):
        yield from _ordered(p, s, at + 1, falling, by, begun=begun)
    if begun and by is None:
        for named in p.columns(at):
            yield from _ordered(p, s.dearer(named.cost), named.end, falling, named.column, begun=True)
        for figures, end, cost in figures_at(p, at):
            if len(figures) == 1:
                yield from _ordered(p, s.dearer(cost), end, falling, figures[0], begun=True)


def _from_end_to_end(p: Phrases, at: int) -> tuple[int, bool] | None:
    """“from the highest to the lowest”, with whether that is downwards."""
    first = next(p.operator(p.past(at, {"from", "the"}), Op.RANK), None)
    if first is None or p.low(first[0]) != "to":
        return None
    last = next(p.operator(p.past(first[0] + 1, {"the"}), Op.RANK), None)
    return (last[0], bool(first[1])) if last is not None and last[1] != first[1] else None


def extreme(p: Phrases, s: Sketch, at: int) -> Steps:
    """The rows or groups at one end: “with the highest price”, “the top 3 by sales”, “the most airports”."""
    if s.orderings:
        if s.orderings[0].by is None:
            for end, _ in p.operator(at, Op.BY):
                for named in p.columns(p.past(end, DETERMINERS)):
                    yield (
                        named.end,
                        replace(s, orderings=(replace(s.orderings[0], by=named.column),)).dearer(named.cost),
                    )
        return
    leading = p.number(at)
    begin = leading[0] if leading is not None else at
    for end, by, descending, many in _ends(p, begin):
        count = many or (int(leading[1]) if leading is not None else 1)
        if count >= 1:
            yield end, replace(s, orderings=(Ordering(by, descending),), limit=count)


def _ends(p: Phrases, at: int) -> Iterator[tuple[int, Dimension | Figure | None, bool, int | None]]:
    found = [(end, bool(d)) for end, d in p.operator(at, Op.RANK)]
    found += [(end, edge is Aggregation.MAX) for end, edge in p.operator(at, Op.EDGE)]
    for how, falling in ((Aggregation.MAX, True), (Aggregation.MIN, False)):
        found += [(end, falling) for end, said in p.operator(at, Op.AGGREGATE) if said == how]
    adjectives = list(
        p.superlatives(p.past(at, {"the"}))
    )  # “most expensive” is a price, whatever else is called expensive
    for end, descending in found:
        number = p.number(end)
        begin = p.past(number[0] if number is not None else end, DETERMINERS)
        many = int(number[1]) if number is not None else None
        for named in p.columns(begin):
            orders = is_number(named.column) or named.column.type is DimensionType.TIME
            if orders and all(named.end != e for e, _, _ in adjectives):
                yield named.end, named.column, descending, many
        for behind, _, _ in p.rows(begin):
            yield behind, Figure(How.COUNT), descending, many
            if many is not None:
                yield behind, None, descending, many
        for figures, behind, _ in figures_at(p, begin):
            if len(figures) == 1:
                yield behind, figures[0], descending, many
    for end, edge in p.operator(at, Op.EDGE):
        for column in p.times():
            yield end, column, edge is Aggregation.MAX, None
    for named in p.columns(at):
        if named.column.type is DimensionType.TIME:
            for end, edge in p.operator(named.end, Op.EDGE):
                yield end, named.column, edge is Aggregation.MAX, None
    for end, column, descending in adjectives:
        yield end, column, descending, None
