"""Figures in words: “the average and maximum age”, “the number of different airports”."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.core.algebra import How
from gnomon.planning.reader.operators import Op
from gnomon.reading.phrases import DETERMINERS, Phrases, is_amount, is_number
from gnomon.reading.sketch import Figure
from gnomon.semantic.kinds import Aggregation, DimensionType
from gnomon.semantic.nodes import how_of

Figures = tuple[Figure, ...]


def figures_at(p: Phrases, at: int) -> Iterator[tuple[tuple[Figure, ...], int, float]]:
    """Figures, with where they end and what they cost: “the average and maximum age”, “the number of airports”."""
    for end, hows in _hows(p, at):
        begin = p.past(end, DETERMINERS)
        counting = next(p.operator(begin, Op.COUNT), None)
        begin = p.past(counting[0], DETERMINERS) if counting is not None else begin
        for named in p.columns(begin):
            if is_amount(named.column) or named.column.type is DimensionType.TIME:
                figures = tuple(Figure(h, named.column) for h in hows)
                yield figures, named.end, named.cost
                yield from _further(p, figures, named.end, named.cost)
    for end, _ in p.operator(at, Op.COUNT):
        begin = p.past(end, DETERMINERS)
        distinct = next(p.operator(begin, Op.DISTINCT), None)
        begin = p.past(distinct[0], DETERMINERS) if distinct is not None else begin
        if distinct is None:
            for behind, _, cost in p.rows(begin):
                yield (Figure(How.COUNT),), behind, cost
        for named in p.columns(begin):
            if distinct is not None or named.column.type is DimensionType.ID or not is_number(named.column):
                home = named.column.home
                each = p.model.table(home.table).key == (home.column,)  # as many keys as rows
                counted = Figure(How.COUNT) if each else Figure(How.DISTINCT, named.column)
                yield (counted,), named.end, named.cost + 0.04


def _further(
    p: Phrases, figures: tuple[Figure, ...], at: int, cost: float
) -> Iterator[tuple[tuple[Figure, ...], int, float]]:
    """The same figures of another column: “the average rating and resolution”."""
    behind = p.said(p.past(at, {","}), "and", "&")
    for named in p.columns(p.past(behind, DETERMINERS)) if behind is not None else ():
        if is_amount(named.column) and named.column is not figures[-1].of:
            hows = dict.fromkeys(f.how for f in figures)
            yield (*figures, *(Figure(h, named.column) for h in hows)), named.end, cost + named.cost


def _hows(p: Phrases, at: int) -> Iterator[tuple[int, tuple[How, ...]]]:
    """Ways to make one number of many, several of which may be asked for at once."""
    found: list[tuple[int, How]] = []
    for end, how in p.operator(at, Op.AGGREGATE):
        if isinstance(how, Aggregation):  # percentiles are named by a text
            found.append((end, how_of(how)))
    for end, descending in p.operator(at, Op.RANK):
        found.append((end, How.MOST if descending else How.LEAST))
    for end, edge in p.operator(at, Op.EDGE):
        found.append((end, How.MOST if edge is Aggregation.MAX else How.LEAST))
    for end, how in found:
        yield end, (how,)
        behind = p.said(p.past(end, {","}), "and", "&") or p.past(end, {","})
        if behind > end:
            for last, hows in _hows(p, p.past(behind, DETERMINERS)):
                yield last, (how, *hows)


def table_named(p: Phrases, start: int, end: int) -> str | None:
    """The table whose rows the last of some words name."""
    return next((t for at in range(end - 1, start - 1, -1) for e, t, _ in p.rows(at) if e == end), None)
