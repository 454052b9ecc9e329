"""What a later part of a question takes from the one before, and what it lends back."""

from __future__ import annotations

import re

from gnomon.core.operations import Walk
from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.followup import is_guessed, step_back
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.parts import Part
from gnomon.planning.reader.same_part import is_amount_again, says_something
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.siblings import siblings
from gnomon.planning.reader.told_before import refers_to_them, they
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.values import ValueIndex


def lend_back(part: Part, draft: Draft, drafts: list[Draft], names: Names) -> list[Draft]:
    """“orders by region and revenue by channel in 2024”: a period at the end holds for all that it is joined to.

    Where several periods end it, gives what the part before asks for the others.
    """
    draft.coordinated = part.coordinated
    said = [item for item in part.items if says_something(item)]
    if not part.coordinated or not said or said[-1].time is None or draft.comparison is not None:
        return []
    more: list[Draft] = []
    for earlier in reversed(drafts):
        if earlier.time_range is not None or earlier.recurring is not None or earlier.comparison is not None:
            break
        earlier.time_range, earlier.recurring = draft.time_range, draft.recurring
        if earlier is drafts[-1] and draft.other_periods:
            earlier.other_periods = list(draft.other_periods)
            more = siblings(earlier, names)
        if not earlier.coordinated:
            break
    return more


def _counted_values(draft: Draft) -> set[str]:
    """“how many DNS were there”: a value that is counted itself says nothing about what else is asked."""
    found: set[str] = set()
    for i, item in draft.heard or ():
        if i and item.values and draft.heard is not None and draft.heard[i - 1].op(Op.COUNT):
            following = draft.heard[i + 1] if i + 1 < len(draft.heard) else None
            alone = following is None or following.start > item.end or not following.links
            found |= {str(v.value) for v in item.values} if alone else set[str]()
    return found


def _is_about_them(draft: Draft, earlier: Draft, sentence: Sentence) -> bool:
    """“which team scored most and how many people play there?”: something else about what the ranking found."""
    ranked = earlier.kind is QuestionKind.RANKING and earlier.limit is not None
    own = draft.dimensions or draft.grain is not None or draft.filters or draft.limit is not None
    first = sentence[0].start if len(sentence) else 0
    said = {w.lower for w in sentence.words[first:]}
    return bool(ranked and draft.metrics and not own and said & {"there", "they", "it", "its", "their"})


def _go_on(draft: Draft, earlier: Draft, sentence: Sentence) -> None:
    """“… and how much did each bring”, “… and how has that changed”: what the part before measured, and by what."""
    ones = any(item.text.lower() in {"one", "ones"} for _, item in sentence)
    if (
        ones
        and earlier.metrics
        and draft.metrics
        and all(m.startswith("count_distinct(") for m in draft.metrics)
    ):
        draft.metrics = list(earlier.metrics)  # "and how many high priority ones"
    alone = any(
        item.op(Op.EACH) and (i + 1 == len(sentence) or not sentence[i + 1].links) for i, item in sentence
    )
    if alone and not draft.dimensions and draft.metrics and draft.metrics[0] in earlier.metrics:
        draft.dimensions, draft.grain, draft.kind = list(earlier.dimensions), earlier.grain, earlier.kind
        draft.limit, draft.descending = earlier.limit, earlier.descending
    changes = any(item.op(Op.CHANGE) and not item.links for _, item in sentence)
    if not changes or not earlier.metrics:
        return
    if (
        earlier.comparison is not None
        and draft.comparison is None
        and draft.kind in (None, QuestionKind.TREND)
    ):
        draft.comparison, draft.kind = earlier.comparison, QuestionKind.COMPARISON
        draft.course = draft.course.without(Walk.GROWTH)
    if not draft.metrics:
        draft.metrics, draft.dimensions = list(earlier.metrics), list(earlier.dimensions)
        draft.kind = draft.kind or QuestionKind.TREND


def _count_the_same(draft: Draft, earlier: Draft, sentence: Sentence, names: Names) -> None:
    """“how many plots are overgrown, and how many are in good condition”: rows without a name are those counted before."""
    model = names.model
    counted = model.metric(earlier.metrics[0]) if draft.rows_counted and len(earlier.metrics) == 1 else None
    fields = [model.dimension(f.field) for f in draft.filters if not f.having]
    held = {f.field for f in earlier.filters if f.operator is FilterOperator.EQUALS and not f.having}
    own = [model.metric(m) for m in draft.metrics]
    bare = not any(x.links or x.association for _, x in sentence) and sentence.has(Op.COUNT)
    rows = len(own) == 1 and own[0].aggregation is Aggregation.COUNT and own[0].inner is None
    if bare and rows and fields and all(d.name in held for d in fields):
        draft.metrics = list(earlier.metrics)  # "how many lamps were sold and how many chairs"
    elif counted is not None and is_count(counted) and all(model.reaches(counted, d) for d in fields):
        draft.metrics = [counted.name]


def _is_end_of(extreme: str, reference: str, names: Names) -> bool:
    """“the heaviest pike, and how heavy was it”: whether the highest of a column already tells what is asked."""
    told = names.model.metric(extreme)
    asked = names.model.metric(reference)
    ends = told.aggregation in (Aggregation.MIN, Aggregation.MAX)
    return ends and (told.table, told.expression) == (asked.table, asked.expression)


def _flag_of(reference: str, names: Names) -> Dimension | None:
    """The flag that a rate is the share of."""
    metric = names.model.metric(reference)
    column = names.column_of(metric) if metric.unit == "fraction" else None
    return column if column is not None and column.type is DimensionType.BOOLEAN else None


def inherit(draft: Draft, earlier: Draft, sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """A later part keeps the period and the conditions of the one before where it has none of its own."""
    if is_amount_again(draft, earlier, sentence, names):
        draft.metrics, draft.dimensions, draft.kind = (
            list(earlier.metrics),
            list(earlier.dimensions),
            earlier.kind,
        )
        draft.grain, draft.limit, draft.descending = earlier.grain, earlier.limit, earlier.descending
    _count_the_same(draft, earlier, sentence, names)
    if draft.shift is not None and earlier.time_range is not None:
        step_back(draft, earlier.time_range, sentence)
    if earlier.metrics and (draft.dimensions or draft.grain) and is_guessed(draft):
        draft.metrics = list(earlier.metrics[:1])
    if draft.time_range is None and draft.recurring is None:
        draft.time_range, draft.recurring = earlier.time_range, earlier.recurring
        if draft.comparison is None and draft.kind == earlier.kind:
            draft.comparison = earlier.comparison
    _go_on(draft, earlier, sentence)
    if earlier.metrics and _is_about_them(draft, earlier, sentence):
        more = [m for m in draft.metrics if not _is_end_of(earlier.metrics[0], m, names)]
        draft.metrics = list(dict.fromkeys([*earlier.metrics, *more]))
        draft.dimensions, draft.grain, draft.kind = list(earlier.dimensions), earlier.grain, earlier.kind
        draft.limit, draft.descending = earlier.limit, earlier.descending
        earlier.metrics = list(draft.metrics)  # told together
    scope = bool(earlier.filters) and not (earlier.metrics or earlier.dimensions or earlier.grain)
    if scope and draft.filters:  # "excluding sushi, how many were there in Summit"
        own = {f.field for f in (*draft.filters, *draft.part)}
        draft.filters = [*(f for f in earlier.filters if f.field not in own), *draft.filters]
    elif not draft.filters and not draft.part:
        counted = _counted_values(earlier)
        draft.filters = [f for f in earlier.filters if not {str(v) for v in f.values} & counted]
        rated = {c.name for m in draft.metrics if (c := _flag_of(m, names)) is not None}
        draft.filters = [
            f for f in draft.filters if f.field not in rated
        ]  # a rate among those that meet it is 100 %
    elif refers_to_them(sentence):
        own = {f.field for f in (*draft.filters, *draft.part)}
        draft.filters = [*(f for f in they(earlier, names, index) if f.field not in own), *draft.filters]
    if (
        not draft.dimensions
        and draft.metrics
        and earlier.dimensions
        and re.search(r"\bof (them|those|these)\b", draft.question)
    ):
        draft.dimensions = list(earlier.dimensions)
        draft.unexplained = [
            u
            for u in draft.unexplained
            if u.lower() not in {"highest", "lowest", "most", "least", "the most"}
        ]
        draft.kind, draft.limit = QuestionKind.RANKING, draft.limit or 1
    if not draft.metrics and not draft.dimensions and draft.limit and (earlier.dimensions or earlier.grain):
        draft.metrics, draft.dimensions = list(earlier.metrics), list(earlier.dimensions)
        draft.grain, draft.kind = earlier.grain, QuestionKind.RANKING
    if not draft.metrics and earlier.metrics and (draft.dimensions or draft.filters or draft.time_range):
        draft.metrics = list(earlier.metrics[:1])
        ranked = earlier.kind is QuestionKind.RANKING and draft.dimensions == earlier.dimensions
        if ranked and sentence.has(Op.WHICH) and draft.grain == earlier.grain:
            draft.kind, draft.limit = earlier.kind, earlier.limit  # "… and which in the South?"
            draft.descending = earlier.descending
        elif draft.kind is QuestionKind.LIST:
            draft.kind = QuestionKind.BREAKDOWN
        elif draft.kind is None or not draft.dimensions:
            draft.kind = QuestionKind.VALUE
