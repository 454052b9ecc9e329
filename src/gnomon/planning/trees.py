"""From parts to trees: what the grammar found, and parts that were changed, as a request; the one adapter there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.algebra import made as node
from gnomon.core.errors import GnomonError
from gnomon.core.operations import Comparison as Sign
from gnomon.core.operations import Function, How, Walk
from gnomon.core.parts import (
    Claim,
    Comparison,
    Course,
    Filter,
    FilterOperator,
    Parts,
    QuestionKind,
    Relative,
)
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.core.shapes import KINDS
from gnomon.core.spelled import SHARE_OF, reference
from gnomon.semantic.derived import outside
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import AD_HOC, QUANTILE, SemanticModel
from gnomon.semantic.nodes import how_of, literal
from gnomon.semantic.references import IN_UNIT, bounded

_O, _K = FilterOperator, QuestionKind
_VERBS = {kind: verb for verb, kind in KINDS.items()}
_BOTH = {_O.BETWEEN: (Sign.AT_LEAST, Sign.AT_MOST), _O.OUTSIDE: (Sign.LESS, Sign.MORE)}
_LISTS = (_O.IN, _O.NOT_IN)


def request_of(parts: Parts, model: SemanticModel) -> Request:
    """The request that parts make."""
    return Request(
        question=parts.question,
        ask=Trees(model).ask(parts),
        unexplained=parts.unexplained,
        confidence=parts.confidence,
    )


def requests_of(parts: Iterable[Parts], model: SemanticModel) -> tuple[Request, ...]:
    """The requests that parts of several questions make."""
    return tuple(request_of(p, model) for p in parts)


def effective_kind(parts: Parts) -> QuestionKind:
    """The kind that parts amount to: a value by groups is a breakdown, and so on."""
    kind, split = parts.kind, bool(parts.dimensions) or parts.grain is not None
    if not split and (kind is _K.RANKING or (kind is _K.LIST and parts.metrics)):
        kind = _K.VALUE
    if parts.comparison is not None and (kind is _K.VALUE or (kind is _K.BREAKDOWN and parts.grain is None)):
        return _K.COMPARISON
    if kind in (_K.VALUE, _K.BREAKDOWN) or (kind is _K.COMPARISON and parts.comparison is None):
        if parts.grain is not None:
            return _K.TREND
        return _K.BREAKDOWN if parts.dimensions else _K.VALUE
    return kind


class Trees:
    """Makes trees over one model.

    Args:
        model: What is a name, and what spells something out.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._metrics = {m.name for m in model.metrics}

    # Whole questions ------------------------------------------------------------------------------------------------

    def ask(self, parts: Parts) -> al.Ask:
        """The tree of a question."""
        kind = effective_kind(parts)
        query = self._query(parts, kind)
        asked: Any = query
        if kind in _VERBS:
            asked = node(al.Study, verb=_VERBS[kind], query=query, options=parts.study)
        elif kind is _K.SHARE:
            asked = self._share(parts, query)
        elif kind is _K.RANKING and query.limit is None and not query.offset:
            asked = _along(parts.course, query, Walk.RANK)
        elif (course := parts.course).walks or course.steps is not None:
            asked = _along(course, query)
        if parts.comparison is not None:
            asked = self._against(asked, query, parts.comparison, parts, kind)
        return _told(asked, parts, kind)

    def _query(self, parts: Parts, kind: QuestionKind) -> al.Query:
        plain = [self.condition(f) for f in parts.filters if not f.having or f.by is not None]
        groups = [self.condition(f) for f in parts.filters if f.having and f.by is None]
        during: dict[str, Any] = {
            "days": parts.time_range, "every": parts.recurring, "of": parts.time_dimension,
        }  # fmt: skip
        rows = node(
            al.Rows,
            table=parts.listing.table if parts.listing is not None else "",
            where=node(al.Every, of=tuple(plain)) if plain else None,
            during=node(al.Period, **during) if any(v is not None for v in during.values()) else None,
        )
        keys = self._keys(parts, kind)
        shown = [node(al.Shown, measure=self.measure(m)) for m in parts.metrics]
        if parts.beside is not None:
            shown.append(node(al.Shown, measure=self.measure(parts.beside), beside=True))
        ranked = kind is not _K.SHARE and kind is not _K.COMPARISON  # which have places of their own
        offset, cut = ((parts.place or 1) - 1, parts.limit) if ranked else (0, None)
        return node(
            al.Query,
            rows=rows,
            keys=tuple(keys),
            measures=tuple(shown),
            show=tuple(_key(c) for c in parts.columns),
            distinct=kind is _K.LIST,
            having=node(al.Every, of=tuple(groups)) if groups else None,
            order=_order(parts, kind, keys, shown),
            limit=max(cut - offset, 1) if cut is not None else None,
            offset=offset,
            per=(_key(parts.limit_per),) if parts.limit_per is not None else (),
        )

    def _keys(self, parts: Parts, kind: QuestionKind) -> list[al.Key]:
        timed = parts.grain is not None and kind is not _K.SHARE
        against = parts.comparison
        if kind is _K.COMPARISON and against is not None and against.kind != "period":
            timed = False  # sides are told as a whole
        timed |= kind is _K.TREND or (kind is _K.SHARE and parts.share.along)
        keys = [node(al.Key, of=node(al.When), grain=parts.grain)] if timed else []
        keys += map(_key, parts.dimensions)
        if (cut := parts.brackets) is not None:
            column = node(al.Dimension, name=cut.column)
            made = node(
                al.Call, function=Function.BUCKET, arguments=(column, literal(cut.width), literal(cut.bins))
            )
            keys.append(node(al.Key, of=made))
        return keys

    def _share(self, parts: Parts, query: al.Query) -> al.Along:
        share, part = parts.share, None
        tests = tuple(map(self.condition, parts.part))
        during = (
            node(al.Period, days=share.days, every=share.recurring) if share.days or share.recurring else None
        )
        if tests or during is not None:
            part = node(al.Rows, where=node(al.Every, of=tests) if tests else None, during=during)
        return node(
            al.Along,
            query=query,
            step=Walk.SHARE,
            within=(_key(share.within),) if share.within is not None else (),
            part=part,
            whole=self.measure(share.whole) if share.whole is not None else None,
            descending=None if parts.descending else False,
            limit=parts.limit,
        )

    def _against(
        self, left: Any, query: al.Query, given: Comparison, parts: Parts, kind: QuestionKind
    ) -> al.Against:
        right: Any = node(al.Everything)
        if given.kind == "period":
            right = node(al.Period, days=given.period)
            if kind is _K.TREND:  # two courses beside each other
                during = (query.rows.during or node(al.Period)).model_copy(update={"days": given.period})
                right = query.model_copy(update={"rows": query.rows.model_copy(update={"during": during})})
        elif given.kind == "group":
            right = node(al.Groups, names=given.groups, rest=given.rest)
        elif isinstance(given.yardstick, str):
            right = self.measure(given.yardstick)
        elif given.yardstick is not None:
            right = literal(given.yardstick)
        cut = kind is _K.COMPARISON
        return node(
            al.Against,
            left=left,
            right=right,
            right_name=given.label,
            descending=False if cut and not parts.descending else None,
            limit=parts.limit if cut else None,
        )

    # Conditions -----------------------------------------------------------------------------------------------------

    def condition(self, given: Filter) -> al.Predicate:
        """One condition: on a value, on a number of groups, or on those of a dimension that meet it."""
        left: Any = self.measure(given.field) if given.having else node(al.Dimension, name=given.field)
        if given.relative is not None:
            test: al.Predicate = node(
                al.Test,
                left=left,
                operator=Sign(given.operator.value),
                right=self._bound(given, given.relative),
            )
        else:
            test = _tested(left, given)
        if not given.having or given.by is None:
            return test
        among = tuple(map(self.condition, given.among))
        rows = node(
            al.Rows,
            where=node(al.Every, of=among) if among else None,
            during=node(al.Period, days=given.within) if given.within is not None else None,
        )
        groups = node(al.Query, rows=rows, keys=(_key(given.by),), having=test)
        return node(al.Among, left=node(al.Dimension, name=given.by), query=groups)

    def _bound(self, given: Filter, relative: Relative) -> Any:
        per = relative.per
        bound: Any
        if given.having:
            inner = self.measure(given.field)
            bound = node(al.Over, how=How(relative.how), measure=inner, per=(_key(per),) if per else ())
        else:
            one = node(al.Aggregate, how=How(relative.how), of=node(al.Dimension, name=given.field))
            whole = node(al.Query, rows=node(al.Rows), measures=(node(al.Shown, measure=one),))
            bound = node(al.Whole, query=whole, within=(node(al.Dimension, name=per),) if per else ())
        if not given.values:
            return bound
        return node(al.Arithmetic, function=Function.MULTIPLY, of=(bound, literal(given.values[0])))

    # Measures -------------------------------------------------------------------------------------------------------

    def measure(self, text: str) -> al.Measure:
        """What a reference names or spells out; what is spelled in no such way is left to the model, by its name."""
        if text not in self._metrics:
            try:
                made = self._spelled(text)
                if made is not None and reference(made) == text:
                    return made
            except (GnomonError, TypeError, ValueError):
                pass
        return node(al.Metric, name=text)

    def _spelled(self, text: str) -> Any:
        """The tree of a reference, in the order in which :meth:`SemanticModel.metric` reads it."""
        match = AD_HOC.match(text)
        how = Aggregation(match[1]) if match and match[1] in set(Aggregation) else None
        column = match is not None and how is not None and self._model.has_column(match[2])
        if told := IN_UNIT.match(text):
            return node(al.InUnit, measure=self._operand(told[1]), unit=told[2])
        signs = {SHARE_OF: Function.DIVIDE, " / ": Function.DIVIDE, " - ": Function.SUBTRACT}
        for sign, function in signs.items() if not column else ():
            if (sides := outside(text, sign)) is None:
                continue
            left, right = (self._operand(s.strip()) for s in sides)
            made = node(al.Arithmetic, function=function, of=(left, right))
            return node(al.InUnit, measure=made, unit="fraction") if sign == SHARE_OF else made
        if match is not None and how is not None:
            return self._aggregate(how, match[2], column=column)
        if match is not None and (share := QUANTILE.fullmatch(match[1])):
            of = node(al.Dimension, name=match[2])
            return node(al.Aggregate, how=How.QUANTILE, of=of, quantile=float(share[1]) / 100)
        return None

    def _operand(self, text: str) -> al.Measure:
        bare = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        return self.measure(bare)

    def _aggregate(self, how: Aggregation, what: str, *, column: bool) -> al.Measure:
        grouped = None if column else outside(what, " per ", last=True)
        if grouped is None:
            return node(al.Aggregate, how=how_of(how), of=node(al.Dimension, name=what))
        inner, given = grouped
        per, where = bounded(given, inner)
        grain = TimeGranularity(per) if per in set(TimeGranularity) else None
        key = node(al.Key, of=node(al.When), grain=grain) if grain is not None else _key(per)
        return node(
            al.Over,
            how=how_of(how),
            measure=self.measure(inner),
            per=(key,),
            having=self.condition(_whole_numbers(where)) if where is not None else None,
        )


def _whole_numbers(given: Filter) -> Filter:
    """A bound as it is spelled: 3 rather than 3.0."""
    values = tuple(int(v) if isinstance(v, float) and v.is_integer() else v for v in given.values)
    return given.model_copy(update={"values": values})


def _key(name: str) -> al.Key:
    return node(al.Key, of=node(al.Dimension, name=name))


def _order(
    parts: Parts, kind: QuestionKind, keys: list[al.Key], shown: list[al.Shown]
) -> tuple[al.Order, ...]:
    """What comes first: in a ranking, in a list in the order of something, and wherever the smallest do."""
    if (listing := parts.listing) is not None:
        return (node(al.Order, by=node(al.Dimension, name=listing.order), descending=parts.descending),)
    if kind in (_K.SHARE, _K.COMPARISON, _K.TREND) or (kind is not _K.RANKING and parts.descending):
        return ()
    by = shown[0].measure if shown else keys[0].of if keys else None
    return (node(al.Order, by=by, descending=parts.descending),) if by is not None else ()


def _along(course: Course, query: al.Query, first: Walk | None = None) -> al.Along:
    """What is computed along periods; the ranks of all groups, where they are asked for."""
    if first is None and course.steps is not None:
        first = Walk.CHANGE
    step, *further = course.walks if first is None else (first, *course.walks)
    return node(
        al.Along,
        query=query,
        step=step,
        further=tuple(further),
        span=course.window or 1,
        at=course.points,
        way=course.steps,
    )


def _told(asked: Any, parts: Parts, kind: QuestionKind) -> al.Ask:
    """The question with what is asked beside its figures."""
    share = kind is _K.SHARE
    judged, majority = parts.course.judged and not share, parts.share.majority and share
    if parts.claim == Claim() and not (judged or majority or parts.each or parts.tells):
        return asked
    return node(
        al.Told,
        of=asked,
        tells=parts.tells,
        judged=judged,
        majority=majority,
        each=parts.each,
        **dict(parts.claim),
    )


def _tested(left: Any, given: Filter) -> al.Predicate:
    how, values = given.operator, tuple(map(literal, given.values))
    if how in (_O.IS_NULL, _O.NOT_NULL):
        return node(al.Missing, of=left, hold=how is _O.IS_NULL)
    if how is _O.NOT_BY:
        later = node(al.Test, left=left, operator=Sign.MORE, right=values[0])
        return node(al.Either, of=(node(al.Missing, of=left, hold=True), later))
    if how in _LISTS and not given.having:
        return node(al.Among, left=left, values=values, hold=how is _O.IN)
    if how in _BOTH:
        spans = zip(_BOTH[how], values, strict=True)
        tests = tuple(node(al.Test, left=left, operator=sign, right=v) for sign, v in spans)
        return node(al.Every, of=tests) if how is _O.BETWEEN else node(al.Either, of=tests)
    one = {_O.IN: _O.EQUALS, _O.NOT_IN: _O.NOT_EQUALS}.get(how, how)
    tests = tuple(node(al.Test, left=left, operator=Sign(one.value), right=v) for v in values)
    if len(tests) == 1 and one is how:
        return tests[0]
    return node(al.Every, of=tests) if one is _O.NOT_EQUALS else node(al.Either, of=tests)
