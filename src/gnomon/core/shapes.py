"""What a tree of the algebra asks, by its shape: what its answer looks like, and its parts as sentence plans tell them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.operations import Comparison as Sign
from gnomon.core.operations import Function, Verb, Walk
from gnomon.core.parts import (
    Brackets,
    Claim,
    Comparison,
    Course,
    Filter,
    FilterOperator,
    Listing,
    Parts,
    QuestionKind,
    Relative,
    Share,
)
from gnomon.core.spelled import dimension, group, reference

_O, _K = FilterOperator, QuestionKind
KINDS = {
    Verb.RELATE: _K.CORRELATION, Verb.REGRESS: _K.REGRESSION, Verb.TEST: _K.DIFFERENCE, Verb.SHAPE: _K.DISTRIBUTION,
    Verb.OUTLIERS: _K.ANOMALY, Verb.FORECAST: _K.FORECAST, Verb.DRIVERS: _K.CAUSE, Verb.PROFILE: _K.PROFILE,
}  # fmt: skip
_SPANS = {Sign.AT_LEAST: _O.BETWEEN, Sign.LESS: _O.OUTSIDE}
_Asked = al.Query | al.Along | al.Against | al.Study


def is_single(query: al.Query) -> bool:
    """Whether a result has one row, whatever the data holds."""
    if query.limit == 1:
        return not query.per
    inner = query.rows.query if not query.rows.also else None
    return not query.keys and (bool(query.measures) or (inner is not None and is_single(inner)))


class Shape(StrEnum):
    """What an answer looks like."""

    SCALAR = "scalar"
    RECORD = "record"
    TABLE = "table"
    SERIES = "series"
    PAIR = "pair"
    STUDY = "study"


def shape(ask: al.Ask) -> Shape:
    """What the answer to ``ask`` looks like, decided here and nowhere else."""
    if isinstance(ask, al.Told):
        return shape(ask.of)
    if isinstance(ask, al.Study):
        return Shape.STUDY
    if isinstance(ask, al.Against):
        return Shape.PAIR
    query = ask.query if isinstance(ask, al.Along) else ask
    if any(k.grain for k in query.keys) and query.limit is None:
        return Shape.SERIES
    if query.keys or query.distinct:
        return Shape.TABLE if query.limit != 1 else Shape.RECORD
    if query.measures or (
        query.rows.query is not None and not query.rows.also and is_single(query.rows.query)
    ):
        return Shape.SCALAR
    return Shape.RECORD if query.limit == 1 else Shape.TABLE


# Parts --------------------------------------------------------------------------------------------------------------


def parts_of(
    ask: al.Ask, question: str = "", unexplained: tuple[str, ...] = (), confidence: float = 1.0
) -> Parts:
    """The parts of a tree whose leaves are the names of the model.

    Raises:
        TypeError: It asks more than parts can say.
    """
    told = ask if isinstance(ask, al.Told) else None
    asked: _Asked = told.of if told is not None else ask  # pyright: ignore[reportAssignmentType]
    against = asked if isinstance(asked, al.Against) else None
    inner = against.left if against is not None else asked
    assert not isinstance(inner, (al.Against, al.Told))
    query = inner if isinstance(inner, al.Query) else inner.query
    along = inner if isinstance(inner, al.Along) else None
    cut = next((c for c in (along, against) if c is not None and c.descending is not None), None)
    rows, during = query.rows, query.rows.during or al.made(al.Period)
    time = next((k for k in query.keys if isinstance(k.of, al.When)), None)
    limit = query.limit or next((c.limit for c in (along, against) if c is not None and c.limit), None)
    given: dict[str, Any] = {
        "metrics": tuple(reference(m.measure) for m in query.measures if not m.beside),
        "beside": next((reference(m.measure) for m in query.measures if m.beside), None),
        "columns": tuple(dimension(k.of) for k in query.show),
        "dimensions": tuple(k.of.name for k in query.keys if isinstance(k.of, al.Dimension)),
        "brackets": next((_brackets(k.of) for k in query.keys if isinstance(k.of, al.Call)), None),
        "grain": time.grain if time is not None else None,
        "filters": (*filters_of(rows.where), *filters_of(query.having)),
        "time_range": during.days,
        "recurring": during.every,
        "time_dimension": during.of,
        "descending": query.order[0].descending if query.order else cut is None or cut.descending,
        "limit": limit + query.offset if limit is not None else None,
        "limit_per": group(query.per[0]) if query.per else None,
        "place": query.offset + 1 if query.offset else None,
        "listing": Listing(table=rows.table, order=dimension(query.order[0].by)) if rows.table else None,
        "comparison": _comparison(against) if against is not None else None,
        "study": inner.options if isinstance(inner, al.Study) else None,
    }
    share = along is not None and along.step is Walk.SHARE
    if along is not None and share:
        given |= {"part": filters_of(along.part.where if along.part is not None else None)}
    judged, majority = told is not None and told.judged, told is not None and told.majority
    if along is not None and not share:
        given["course"] = _course(along, judged=judged)
    elif judged:
        given["course"] = Course(judged=True)
    if along is not None and share:
        given["share"] = _share(along, time is not None, majority=majority)
    if told is not None:
        claim = Claim(side=told.side, whether=told.whether, measures=told.measures, moved=told.moved)
        given |= {"tells": told.tells, "each": told.each, "claim": claim}
    kind = _kind(inner, against)
    return Parts(question=question, kind=kind, unexplained=unexplained, confidence=confidence, **given)


def _kind(asked: al.Query | al.Along | al.Study, against: al.Against | None) -> QuestionKind:
    if isinstance(asked, al.Study):
        return KINDS[asked.verb]
    if isinstance(asked, al.Along) and asked.step is Walk.SHARE:
        return _K.SHARE
    query = asked if isinstance(asked, al.Query) else asked.query
    if query.distinct:
        return _K.LIST
    if query.keys and ((query.order and (query.limit or query.offset)) or _ranks(asked)):
        return _K.RANKING
    timed = any(isinstance(k.of, al.When) for k in query.keys)
    if timed and not (against is not None and isinstance(against.right, al.Period)):
        return _K.TREND
    if against is not None:
        return _K.COMPARISON
    return _K.BREAKDOWN if query.keys else _K.VALUE


def _ranks(asked: al.Query | al.Along) -> bool:
    return isinstance(asked, al.Along) and asked.step is Walk.RANK


def _brackets(cut: al.Call) -> Brackets:
    column, width, bins = cut.arguments
    assert isinstance(width, al.Literally) and isinstance(bins, al.Literally)
    return Brackets(column=dimension(column), width=width.value, bins=bins.value)  # pyright: ignore[reportArgumentType]


def _course(along: al.Along, *, judged: bool) -> Course:
    walks = along.further if along.way is not None or _ranks(along) else (along.step, *along.further)
    window = along.span if along.span > 1 else None
    return Course(walks=walks, window=window, points=along.at, steps=along.way, judged=judged)


def _share(along: al.Along, timed: bool, *, majority: bool) -> Share:
    during = along.part.during if along.part is not None else None
    return Share(
        days=during.days if during is not None else None,
        recurring=during.every if during is not None else None,
        whole=reference(along.whole) if along.whole is not None else None,
        within=group(along.within[0]) if along.within else None,
        along=timed,
        majority=majority,
    )


def _comparison(against: al.Against) -> Comparison:
    match right := against.right:
        case al.Period():
            return Comparison(kind="period", period=right.days, label=against.right_name)
        case al.Query(rows=al.Rows(during=al.Period(days=days))):
            return Comparison(kind="period", period=days, label=against.right_name)
        case al.Groups():
            return Comparison(kind="group", groups=right.names, rest=right.rest, label=against.right_name)
        case al.Everything():
            return Comparison(kind="benchmark", label=against.right_name)
        case al.Literally(value=int() | float() as number):
            return Comparison(kind="benchmark", yardstick=number, label=against.right_name)
        case _:
            return Comparison(kind="benchmark", yardstick=reference(right), label=against.right_name)


# Conditions ---------------------------------------------------------------------------------------------------------


def filters_of(where: al.Predicate | None) -> tuple[Filter, ...]:
    """Conditions on names of the model as parts have them.

    Raises:
        TypeError: They ask more than parts can say.
    """
    held = () if where is None else where.of if isinstance(where, al.Every) else (where,)
    return tuple(_filter(p) for p in held)


def _filter(given: al.Predicate) -> Filter:
    match given:
        case al.Among(query=al.Query(having=having) as query, left=al.Dimension(name=by)) if (
            having is not None
        ):
            rows = query.rows
            days = rows.during.days if rows.during is not None else None
            changes = {"by": by, "among": filters_of(rows.where), "within": days}
            return _filter(having).model_copy(update=changes)
        case al.Among(query=None):
            operator = _O.IN if given.hold else _O.NOT_IN
            return _on(given.left, operator, given.values)
        case al.Missing():
            return _on(given.of, _O.IS_NULL if given.hold else _O.NOT_NULL, ())
        case al.Test(right=al.Literally()):
            return _on(given.left, _O(given.operator.value), (given.right,))
        case al.Test():
            return _relative(given)
        case al.Either(
            of=(al.Missing(hold=True, of=left), al.Test(operator=Sign.MORE, right=al.Literally() as day))
        ):
            return _on(left, _O.NOT_BY, (day,))
        case al.Every(of=tests) | al.Either(of=tests):
            return _several(list(_tests(tests)))
        case _:
            raise TypeError(f"parts cannot say {given!r}")


def _tests(given: tuple[al.Predicate, ...]) -> Iterator[al.Test]:
    for test in given:
        if not isinstance(test, al.Test) or not isinstance(test.right, al.Literally):
            raise TypeError(f"parts cannot say {test!r}")
        yield test


def _several(tests: list[al.Test]) -> Filter:
    """A span, or one of several values where a value can be compared with one only."""
    if any(not al.same(t.left, tests[0].left) for t in tests):
        raise TypeError("parts cannot say conditions on several columns of which one holds")
    values = tuple(t.right for t in tests)
    if len(tests) == 2 and tests[0].operator in _SPANS and tests[1].operator is not tests[0].operator:
        return _on(tests[0].left, _SPANS[tests[0].operator], values)
    held = _on(tests[0].left, _O(tests[0].operator.value), values)
    other = {_O.EQUALS: _O.IN, _O.NOT_EQUALS: _O.NOT_IN} if held.having else {}
    return held.model_copy(update={"operator": other.get(held.operator, held.operator)})


def _relative(given: al.Test) -> Filter:
    bound, values = given.right, ()
    if isinstance(bound, al.Arithmetic) and bound.function is Function.MULTIPLY:
        bound, times = bound.of
        values = (times,)
    held = _on(given.left, _O(given.operator.value), values)
    if isinstance(bound, al.Over):
        return held.model_copy(update={"relative": _bound(bound.how, *map(group, bound.per))})
    if isinstance(bound, al.Whole) and isinstance(of := bound.query.measures[0].measure, al.Aggregate):
        return held.model_copy(update={"relative": _bound(of.how, *map(dimension, bound.within))})
    raise TypeError(f"parts cannot say {given!r}")


def _bound(how: al.How, per: str | None = None) -> Relative:
    return Relative(how=how.value, per=per)


def _on(left: al.Node, operator: FilterOperator, values: tuple[al.Node, ...]) -> Filter:
    having = not isinstance(left, al.Dimension)
    said = tuple(v.value for v in values if isinstance(v, al.Literally))
    field = reference(left) if having else left.name
    return Filter(field=field, operator=operator, values=said, having=having)  # pyright: ignore[reportArgumentType]
