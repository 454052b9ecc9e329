"""Clauses about rows: what is wanted of them, and what they have to be. Each reads words from a place on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gnomon.core.parts import Filter, FilterOperator
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.words import name_words
from gnomon.reading.closed_words import BEFORE, BEHIND_VERBS, IDLE, OPENED, OPENERS, TEXTS, WHOLE
from gnomon.reading.figures import figures_at, table_named
from gnomon.reading.orders import naming_of
from gnomon.reading.phrases import AUXILIARIES, DETERMINERS, Named, Phrases, is_number
from gnomon.reading.sketch import Ordering, Sketch, Steps
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import Dimension

_F = FilterOperator
_FLIPPED = {_F.EQUALS: _F.NOT_EQUALS, _F.IN: _F.NOT_IN, _F.GREATER: _F.AT_MOST, _F.LESS: _F.AT_LEAST,
            _F.AT_LEAST: _F.LESS, _F.AT_MOST: _F.GREATER, _F.BETWEEN: _F.OUTSIDE}  # fmt: skip
_THEIRS = ("with their", "with its", "with his", "with her")
_IDLE_COST, _OR_COST, _BARE_COST = 0.02, 0.05, 0.05


def idle(p: Phrases, s: Sketch, at: int) -> Steps:
    """A word that only holds the sentence together."""
    word = p.low(at)
    if (end := p.said(at, "in total", "in all", "at all")) is not None:
        yield end, s.dearer(_IDLE_COST)
    if any(
        end > at + 1 for end, _ in p.operator(at, Op.COMPARE_NUMBER, Op.NOT, Op.WITHOUT, Op.EXCLUDE, Op.ORDER)
    ):
        return  # “at least” is no “least”
    if word in IDLE or (p.words[at].kind == "symbol" and word in ".,;:?!"):
        yield at + 1, s.dearer(_IDLE_COST)


def rows(p: Phrases, s: Sketch, at: int) -> Steps:
    """Rows that are spoken of: “… of all airports”."""
    for end, table, cost in p.rows(at):
        yield end, s.about(table).dearer(cost)


def asked(p: Phrases, s: Sketch, at: int) -> Steps:
    """What is wanted: “what are the names and ages of”, “list the number of”."""
    if s.asks and (s.shown or s.figures or s.whole):
        return
    openings = {at: at == 0 and p.low(at) in ("how", "number")} if not s.asks else {}
    for phrase in OPENERS if at == 0 or p.low(at - 1) in BEFORE else ():
        if (end := p.said(at, phrase)) is not None:
            openings[p.past(end, OPENED)] = openings[end] = True
    for start, opened in openings.items():
        for end, sketch in _wanted(p, s, start):
            yield (
                end,
                replace(sketch, asks=True, opened=s.opened or opened).dearer(0.0 if opened else _BARE_COST),
            )


def _wanted(p: Phrases, s: Sketch, at: int) -> Steps:
    """One thing that is wanted, and those listed behind it."""
    for end, sketch in _item(p, s, at):
        yield end, sketch
        behind = p.past(end, {","})
        behind = (
            p.said(behind, "and also", "and", "as well as", "along with", "together with", "&", "plus")
            or behind
        )
        if behind > end:
            yield from _wanted(p, sketch, behind)


def _item(p: Phrases, s: Sketch, at: int) -> Steps:
    start = p.past(at, DETERMINERS)
    distinct = next(p.operator(start, Op.DISTINCT), None)
    begin = p.past(distinct[0], DETERMINERS) if distinct is not None else start
    for figures, end, cost in figures_at(p, begin):
        tables = [t for f in figures if f.of is None and (t := table_named(p, begin, end)) is not None]
        sketch = replace(s, figures=(*s.figures, *figures)).dearer(cost)
        yield end, sketch.about(tables[0]) if tables else sketch
    for named in p.columns(begin):
        if p.is_state(begin, named):
            yield from _in_a_state(p, s, named)
        elif named.column not in s.shown and not (s.figures and is_number(named.column)):
            yield (
                named.end,
                replace(
                    s, shown=(*s.shown, named.column), distinct=s.distinct or distinct is not None
                ).dearer(named.cost),
            )
    yield from _sharing_a_head(p, s, begin)
    for end, _ in p.operator(begin, Op.COUNT):
        for named in p.columns(p.past(end, DETERMINERS)):
            if is_number(named.column) and s.shown:
                yield named.end, replace(s, shown=(*s.shown, named.column)).dearer(named.cost)
    if s.shown:
        return
    for end, table, cost in p.rows(begin):
        yield end, s.about(table).dearer(cost)
    for end, column, descending in p.superlatives(begin):
        for behind, table, cost in p.rows(end):
            first = replace(s, orderings=(Ordering(column, descending),), limit=1)
            yield behind, first.about(table).dearer(cost)
    if p.low(begin) in WHOLE:
        yield p.past(begin + 1, {"about", "on", "of", "for"}), replace(s, whole=True)


def _in_a_state(p: Phrases, s: Sketch, named: Named) -> Steps:
    """“the cancelled permits”: rows of which it is known when it happened, or that a flag marks."""
    column, flag = named.column, named.column.type is DimensionType.BOOLEAN
    if not flag and not column.nullable:
        return  # an expired permit is not one that has a day on which it will expire
    holds = (True,) if flag else ()
    given = Filter(field=column.name, operator=_F.EQUALS if flag else _F.NOT_NULL, values=holds)
    for end, table, cost in p.rows(named.end):
        if (sketch := s.about(table).tested(given)) is not None:
            yield end, sketch.dearer(cost + named.cost)


def theirs(p: Phrases, s: Sketch, at: int) -> Steps:
    """What is wanted besides of the rows that are: “the permits in zone B with their fee”."""
    end = p.said(at, *_THEIRS) if s.asks and not s.figures else None
    if end is None or not (s.shown or s.tables):
        return
    called = naming_of(p.model, s.tables[0]) if not s.shown else None
    if s.shown or called is not None:
        yield from _wanted(p, replace(s, shown=s.shown or (called,)) if called is not None else s, end)


def _sharing_a_head(p: Phrases, s: Sketch, at: int) -> Steps:
    """Columns of one last word: “first and last name”."""
    joint = p.said(at + 1, "and", ", and", ",", "or", "&")
    if joint is None or p.words[at].kind != "word":
        return
    for named in p.columns(joint):
        for column, cost in p.together(at, named.end):
            if column not in (named.column, *s.shown):
                shown = (*s.shown, column, named.column)
                yield named.end, replace(s, shown=shown).dearer(cost + named.cost)


def condition(p: Phrases, s: Sketch, at: int) -> Steps:
    """What rows have to be: “price over 300”, “from Chicago”, “more than 300 seats”, “not in Texas”."""
    for named in p.columns(at):
        for end, test in _predicate(p, named.column, named.end):
            if (sketch := s.tested(test)) is not None:
                yield end, sketch.dearer(named.cost)
    if s.shown and not s.tests:  # “names containing …”: said of what is shown
        for end, test in _said_of(p, s.shown[-1], at):
            if test.operator not in (_F.EQUALS, _F.IN) and (sketch := s.tested(test)) is not None:
                yield end, sketch.dearer(_BARE_COST)
    yield from _valued(p, s, at, denied=False)
    for end, _ in p.operator(at, Op.NOT, Op.EXCLUDE):
        yield from _valued(p, s, p.past(end, AUXILIARIES | {"in", "from", "by", "on"}), denied=True)
    if p.low(at + 1) in BEHIND_VERBS:
        yield from _valued(p, s, p.past(at + 2, DETERMINERS), denied=False, verb=p.low(at))
    for end, how in p.operator(at, Op.COMPARE_NUMBER):
        number = p.number(p.past(end, DETERMINERS))
        for named in p.columns(number[0]) if number is not None else ():
            if (
                is_number(named.column)
                and number is not None
                and (sketch := s.tested(_test(named.column, how, number[1])))
            ):
                yield named.end, sketch.dearer(named.cost)
    for end, column, more in p.comparatives(at):
        number = p.number(end)
        if number is not None and (
            sketch := s.tested(_test(column, _F.GREATER if more else _F.LESS, number[1]))
        ):
            yield number[0], sketch.dearer(_BARE_COST)
    for end, period in p.days(at):
        if s.days is None:
            yield end, replace(s, days=period)
    if p.low(at) in {"or"} and s.tests:
        yield at + 1, replace(s, either=True).dearer(_OR_COST)


def _valued(p: Phrases, s: Sketch, at: int, *, denied: bool, verb: str = "") -> Steps:
    """Values that name their column themselves, or with a verb of its family: “managed by Emma”, of a manager."""
    for end, match in p.values(at):
        column, last, values = p.model.dimension(match.dimension), end, (match.value,)
        if verb and not any(kindred(verb, w) for w in name_words(column.label)):
            continue
        while (further := _next_value(p, column, last)) is not None:
            last, values = further[0], (*values, further[1])
        operator = _F.EQUALS if len(values) == 1 else _F.IN
        test = Filter(field=column.name, operator=_FLIPPED[operator] if denied else operator, values=values)
        sketch = s.tested(test)
        if sketch is None:
            continue
        sketch = sketch.dearer(_BARE_COST + (1 - match.score))
        yield last, sketch
        for named in p.columns(last):
            if named.column == column:
                yield named.end, sketch.dearer(named.cost)


def _next_value(p: Phrases, column: Dimension, at: int) -> tuple[int, Any] | None:
    """Another value of the same column, listed behind one."""
    behind = p.said(p.past(at, {","}), "or", "and", "and/or") or p.past(at, {","})
    if behind == at:
        return None
    behind = p.past(behind, DETERMINERS | {"in", "from", "either"})
    return next(((e, v.value) for e, v in p.values(behind) if v.dimension == column.name), None)


def _test(column: Dimension, how: FilterOperator, *values: float) -> Filter:
    return Filter(field=column.name, operator=how, values=tuple(int(v) if v == int(v) else v for v in values))


def _predicate(p: Phrases, column: Dimension, at: int) -> Iterator[tuple[int, Filter]]:
    """What is said of a column behind its name."""
    begin, denied = p.past(at, AUXILIARIES), False
    for end, _ in p.operator(begin, Op.NOT):
        begin, denied = p.past(end, AUXILIARIES), True
        break
    for end, _ in p.operator(begin, Op.EQUALS):
        begin = p.past(end, AUXILIARIES)
        break
    begin = (
        p.past(begin, {"either", "named", "called", "in", "from", "on"})
        if column.type is not DimensionType.TIME
        else begin
    )
    for end, test in _said_of(p, column, begin):
        if not denied:
            yield end, test
        elif test.operator in _FLIPPED:
            yield end, test.model_copy(update={"operator": _FLIPPED[test.operator]})


def _said_of(p: Phrases, column: Dimension, at: int) -> Iterator[tuple[int, Filter]]:
    name = column.name
    for end, _ in p.operator(at, Op.MISSING):
        yield end, Filter(field=name, operator=_F.IS_NULL)
    containing = [end for end, _ in p.operator(at, Op.CONTAINS)]
    containing += [at + 1] if p.low(at) in {"include", "includes", "including", "like"} else []
    for end in containing:
        start = p.past(end, TEXTS)
        quoted = p.literal(start)
        text = quoted[1] if quoted is not None else p.words[start].text if start < len(p) else ""
        if text and column.type in (DimensionType.CATEGORY, DimensionType.ID, DimensionType.TEXT):
            yield (
                quoted[0] if quoted is not None else start + 1,
                Filter(field=name, operator=_F.CONTAINS, values=(text,)),
            )
    if is_number(column):
        yield from _numeric(p, column, at)
    if column.type is DimensionType.TIME and column.written is None:
        for end, days in p.days(at):
            yield end, Filter(field=name, operator=_F.BETWEEN, values=(days.start, days.end))
    for end, match in p.values(at):
        if match.dimension != name:
            continue
        last, values = end, (match.value,)
        while (further := _next_value(p, column, last)) is not None:
            last, values = further[0], (*values, further[1])
        yield last, Filter(field=name, operator=_F.EQUALS if len(values) == 1 else _F.IN, values=values)


def _numeric(p: Phrases, column: Dimension, at: int) -> Iterator[tuple[int, Filter]]:
    for end, how in p.operator(at, Op.COMPARE_NUMBER):
        if (number := p.number(p.past(end, DETERMINERS))) is not None:
            yield number[0], _test(column, how, number[1])
    for end, _ in p.operator(at, Op.BETWEEN):
        first = p.number(end)
        joined = first is not None and p.low(first[0]) in {"and", "to", "-"}
        second = p.number(first[0] + 1) if first is not None and joined else None
        if first is not None and second is not None:
            yield second[0], _test(column, _F.BETWEEN, first[1], second[1])
    if (number := p.number(at)) is None:
        return
    for end, how in p.operator(number[0], Op.OR_MORE):
        yield end, _test(column, how, number[1])
        return
    last, values = number[0], [number[1]]
    while p.low(last) in {"or", ","} and (further := p.number(p.past(last, {",", "or"}))) is not None:
        last = further[0]
        values.append(further[1])
    yield last, _test(column, _F.EQUALS if len(values) == 1 else _F.IN, *values)
