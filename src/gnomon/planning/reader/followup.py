"""Fragments that continue the question before: "and by region?", "only 2019", "what about returns?", "why?"."""

from __future__ import annotations

import re

from gnomon.core.query import TimeRange
from gnomon.core.request import Comparison, Filter, FilterOperator, QuestionKind, Request
from gnomon.language.time_grammar import describe_period, previous_period
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import compares, stepped_back
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Additivity, Aggregation, DimensionType

_BEFORE_THAT = re.compile(
    r"\b(before (that|this|it)|(the )?(previous|prior) one|one before)\b", re.IGNORECASE
)
_K = QuestionKind
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)
_REFERRING = (Op.ABOUT, Op.THOSE, Op.ONLY, Op.ALL_TIME)
_PRONOUN = re.compile(r"\b(that|it|its|their|those|them|these|this)\b", re.IGNORECASE)
_ADDING = re.compile(
    r"\b(as well|also|too|additionally|in addition|(next to|beside|alongside|with) (it|that|them))\b",
    re.IGNORECASE,
)
_SORTING = re.compile(r"\b(sort|sorted|order|rank|rerank|reorder)\b", re.IGNORECASE)


def is_fragment(draft: Draft, sentence: Sentence, *, first: bool) -> bool:
    """Whether a sentence leans on the one before: it measures nothing itself, or says that it goes on."""
    if not first:
        return False
    refers = sentence.has(*_REFERRING) or (len(sentence) > 0 and sentence[0].op(Op.AND))
    refers = refers or bool(_PRONOUN.search(draft.question))
    if not draft.metrics:
        return bool(draft.dimensions or draft.filters or draft.time_range or draft.grain or draft.recurring
                    or draft.limit or draft.comparison or draft.kind is _K.RANKING or refers or sentence.has(Op.SHARE)
                    or _analytic(sentence) or _only_counts(sentence))  # fmt: skip
    if _only_narrows(sentence):
        return True
    if re.search(r"\b(its|their|his|her|rather than|instead)\b", draft.question, re.IGNORECASE):
        return True
    complete = bool(draft.dimensions or draft.filters or draft.time_range or draft.grain)
    return (refers and not (complete and not sentence.has(Op.ABOUT, Op.THOSE))) or (
        refers and len(sentence) > 0 and (sentence[0].op(Op.AND, Op.ABOUT))
    )


def _only_counts(sentence: Sentence) -> bool:
    """“how many are there?”: of what was listed before."""
    told = any(x.links or x.values or x.association or (x.number and not x.time) for _, x in sentence)
    return sentence.has(Op.COUNT) and not told


def _analytic(sentence: Sentence) -> bool:
    return any(
        item.op(Op.KIND) and item.operator is not None
        and item.operator.payload in (_K.CAUSE, _K.TREND, _K.FORECAST, _K.ANOMALY, _K.DISTRIBUTION)
        for _, item in sentence
    )  # fmt: skip


def is_guessed(draft: Draft) -> bool:
    """Whether a ranking named no measure, so that one was taken; what was asked before says which one is meant."""
    kept = [n for n in draft.notes if not n.startswith("ranked by ")]
    guessed = len(kept) < len(draft.notes) or (not draft.metrics and draft.limit is not None)
    draft.notes = kept
    if guessed and draft.heard is not None:
        ranks = {x.text for _, x in draft.heard if x.op(Op.RANK)}
        draft.unexplained = [u for u in draft.unexplained if u not in ranks]
        draft.doubts = [d for d in draft.doubts if d.text not in ranks]
    return guessed


def _only_groups(sentence: Sentence) -> bool:
    """“by brand rather than region”: groups alone; what of them is counted was said before."""
    named = [x for _, x in sentence if x.links]
    measured = any(x.named(LinkKind.METRIC) or x.named(LinkKind.TABLE) or x.association for x in named)
    return bool(named) and not measured and all(x in named or x.op(Op.BY, Op.EXCLUDE) for _, x in sentence)


def step_back(draft: Draft, period: TimeRange, sentence: Sentence) -> None:
    """“and the year before?” asks about that year instead; “how does that compare with …” about both."""
    shift = draft.shift
    other = stepped_back(period, shift) if shift is not None else None
    if shift is None or other is None:
        return
    draft.grain, draft.kind, draft.shift = None, None, None
    draft.parameters.pop("growth", None)
    draft.notes = [n for n in draft.notes if not n.startswith("change against")]
    if compares(shift, sentence):
        draft.time_range = period
        draft.comparison = Comparison(kind="period", period=other, label=describe_period(other))
        draft.kind = _K.COMPARISON
    else:
        draft.time_range, draft.comparison = other, None


def continued(draft: Draft, previous: Request, sentence: Sentence, names: Names) -> Draft:
    """``draft`` with everything that it leaves open taken from ``previous``."""
    merged = Draft(draft.question, heard=draft.heard)
    merged.unexplained, merged.doubts, merged.notes = draft.unexplained, draft.doubts, draft.notes
    merged.confidence = min(draft.confidence, previous.confidence)
    if draft.shift is not None and previous.time_range is not None:
        step_back(draft, previous.time_range, sentence)
    if previous.metrics and (is_guessed(draft) or _only_groups(sentence)):
        draft.metrics = []
    regrouped = _regroup(draft, previous, sentence, names)
    new_kind = draft.kind if draft.kind not in (None, _K.VALUE, _K.LIST, _K.BREAKDOWN) else None
    merged.metrics = list(draft.metrics or previous.metrics)
    merged.dimensions = list(draft.dimensions or ([] if draft.grain else previous.dimensions))
    _aggregated_anew(draft, merged, previous, sentence, names)
    if _ADDING.search(draft.question):
        merged.metrics = list(dict.fromkeys([*previous.metrics, *draft.metrics]))
        merged.dimensions = list(dict.fromkeys([*previous.dimensions, *draft.dimensions]))
    _divided(draft, merged, previous, sentence, names)
    _settle(draft, merged, previous)
    if _only_narrows(sentence) and previous.metrics:
        merged.metrics, merged.dimensions = list(previous.metrics), list(previous.dimensions)
        for _, item in sentence:
            said = names.measure(item) if item.links and not item.values else None
            item.links = () if said is not None and said.name in draft.metrics else item.links
    if _is_about_ranked(draft, previous):
        merged.metrics = list(dict.fromkeys([*previous.metrics, *draft.metrics]))
    _bound(draft, merged, previous, sentence)
    merged.filters = _merged_filters(draft.filters, previous.filters)
    if regrouped is not None:
        merged.filters = [f.model_copy(update={"by": regrouped}) if f.by in previous.dimensions else f
                          for f in merged.filters]  # fmt: skip
    _drop(merged, previous, sentence, names)
    _the_others(merged, previous, sentence, names)
    if _SORTING.search(draft.question) and draft.metrics and previous.metrics:
        merged.metrics = list(
            dict.fromkeys([*[m for m in (_own(m) for m in draft.metrics) if m], *previous.metrics])
        )
        draft.limit, draft.kind = None, None
        merged.kind = _K.RANKING if previous.dimensions or previous.grain else None
    merged.part = list(draft.part or previous.part)
    merged.time_range = draft.time_range or previous.time_range
    if previous.time_range is not None and _BEFORE_THAT.search(draft.question):
        merged.time_range = previous_period(previous.time_range)
        draft.grain = None
    merged.time_dimension = draft.time_dimension or previous.time_dimension
    merged.recurring = draft.recurring or previous.recurring
    merged.grain = draft.grain or (None if draft.dimensions else previous.grain)
    merged.limit = draft.limit or (previous.limit if not draft.dimensions else None)
    if previous.limit is not None and (number := _bare_number(sentence)) is not None:
        merged.limit = number  # "make it ten"
        idle = {x.text for _, x in sentence if x.number or x.association}
        merged.unexplained = [u for u in merged.unexplained if u not in idle]
    merged.limit_per = draft.limit_per or (previous.limit_per if merged.limit else None)
    reordered = draft.kind is _K.RANKING and not draft.metrics  # "lowest first"
    merged.descending = draft.descending if draft.limit or reordered else previous.descending
    merged.parameters = {**previous.parameters, **draft.parameters, **merged.parameters}
    _placed(draft, merged, previous, sentence)
    keep = (
        previous.comparison if draft.time_range is None and not draft.dimensions and not draft.grain else None
    )
    merged.comparison = draft.comparison or keep
    if sentence.has(Op.ALL_TIME):
        merged.time_range = merged.recurring = merged.comparison = None
    if sentence.has(Op.SHARE) and merged.dimensions and not draft.metrics:
        new_kind = _K.SHARE
    elif sentence.has(Op.SHARE) and not (draft.metrics or draft.filters or merged.part) and merged.filters:
        new_kind, merged.part, merged.filters = _K.SHARE, merged.filters, []  # "what share is that?"
    merged.kind = merged.kind or new_kind or _kind(merged, previous, sentence)
    if _only_counts(sentence) and previous.dimensions and previous.kind in (_K.LIST, _K.BREAKDOWN):
        merged.kind = _K.LIST  # a list is told with how many there are
    cut = (_K.VALUE, _K.BREAKDOWN, *((_K.TREND,) if previous.kind is _K.RANKING and not draft.grain else ()))
    if merged.limit and (merged.dimensions or merged.grain) and merged.kind in cut:
        merged.kind = _K.RANKING
    return merged


def _regroup(draft: Draft, previous: Request, sentence: Sentence, names: Names) -> str | None:
    """“and for channels?” after a breakdown asks for other groups, not for their number; gives the group."""
    if (
        sentence.has(Op.COUNT, Op.DISTINCT)
        or draft.dimensions
        or not previous.dimensions
        or len(draft.metrics) != 1
    ):
        return None
    model = names.model
    metric = model.metric(draft.metrics[0])
    measured = {t for m in previous.metrics for t in model.base_tables(model.metric(m))}
    if not is_count(metric) or (metric.aggregation is Aggregation.COUNT and metric.table in measured):
        return None
    for _, item in sentence:
        group = names.dimension(item, *_GROUPABLE) if item.links else None
        if group is None or names.count_of_dimension(group).name != metric.name:
            continue
        if all(model.reaches(model.metric(m), group) for m in previous.metrics):
            draft.metrics, draft.dimensions = [], [group.name]
            draft.limit, draft.descending = previous.limit, previous.descending
            return group.name
    return None


def _divided(draft: Draft, merged: Draft, previous: Request, sentence: Sentence, names: Names) -> None:
    """“per loan”, “in percent within each branch”: the same groups, told per thing or as shares of each of them."""
    said, before = draft.dimensions, previous.dimensions
    if (
        sentence.has(Op.SHARE)
        and len(before) == 2
        and len(said) == 1
        and said[0] in before
        and sentence.has(Op.EACH)
    ):
        merged.dimensions, merged.parameters["within"] = list(before), said[0]
        return
    if not sentence.has(Op.PER) or len(said) != 1 or len(previous.metrics) != 1 or said[0].startswith("@"):
        return
    model = names.model
    thing, metric = model.dimension(said[0]), model.metric(previous.metrics[0])
    adds = metric.additivity is not Additivity.NON_ADDITIVE and metric.formula is None
    if thing.type is DimensionType.ID and adds and before and said[0] not in before:
        merged.metrics = [f"{metric.name} / {names.count_of_dimension(thing).name}"]
        merged.dimensions, draft.dimensions = list(before), []


def _aggregated_anew(
    draft: Draft, merged: Draft, previous: Request, sentence: Sentence, names: Names
) -> None:
    """“and the median?”: another aggregation of what was measured before."""
    said = [
        x.operator.payload
        for _, x in sentence
        if x.op(Op.AGGREGATE) and not x.links and x.operator is not None
    ]
    metric = names.model.metric(previous.metrics[0]) if len(previous.metrics) == 1 else None
    if draft.metrics or len(said) != 1 or metric is None or names.column_of(metric) is None:
        return
    merged.metrics = [names.aggregated(metric, said[0])]


_THEIRS = re.compile(r"\b(they|their|them|those|these|it|its)\b", re.IGNORECASE)


def _is_about_ranked(draft: Draft, previous: Request) -> bool:
    """“which sold most?” … “and what did they cost?”: something else about those that the ranking found."""
    told = (
        previous.kind is _K.RANKING and previous.limit is not None and draft.metrics and not draft.dimensions
    )
    other = re.search(r"\b(instead|rather)\b", draft.question, re.IGNORECASE) or draft.limit is not None
    return bool(told) and not other and _THEIRS.search(draft.question) is not None


def _bound(draft: Draft, merged: Draft, previous: Request, sentence: Sentence) -> None:
    """“only those above 4”: a bound without a measure is one on what the groups before were measured by."""
    if (
        not (previous.dimensions or previous.grain)
        or len(previous.metrics) != 1
        or draft.filters
        or draft.metrics
    ):
        return
    for i in sentence.find(Op.COMPARE_NUMBER):
        at = sentence.after(i)
        said, number = sentence[i].operator, sentence[at].number if at is not None else None
        if at is None or said is None or number is None or sentence[i].used or number.percent:
            continue
        value = int(number.value) if float(number.value).is_integer() else number.value
        draft.filters.append(
            Filter(field=previous.metrics[0], operator=said.payload, values=(value,), having=True)
        )
        sentence[i].used = sentence[at].used = True
        idle = {sentence[i].text, sentence[at].text}
        merged.unexplained = [u for u in merged.unexplained if u not in idle]


def _placed(draft: Draft, merged: Draft, previous: Request, sentence: Sentence) -> None:
    """“and the second?”: another place of the order before."""
    places = [
        x for _, x in sentence if x.op(Op.ORDINAL) and x.operator is not None and x.operator.payload > 1
    ]
    if (
        previous.kind is _K.RANKING
        and len(places) == 1
        and places[0].operator is not None
        and not draft.metrics
    ):
        merged.limit = int(places[0].operator.payload)
        merged.parameters["place"] = merged.limit
    elif draft.limit is not None and "place" not in draft.parameters:
        merged.parameters.pop("place", None)


_OF_COLUMN = re.compile(r"^(?:max|min)\((\w+)\.(\w+)\)$")


def _own(reference: str) -> str:
    """In “sort that by units, highest first” the word “highest” orders, it does not aggregate."""
    match = _OF_COLUMN.match(reference)
    return match[2] if match else reference


def _drop(merged: Draft, previous: Request, sentence: Sentence, names: Names) -> None:
    """“drop the region”: a condition or a breakdown of the question before is taken back."""
    for i, item in sentence:
        if not (item.op(Op.EXCLUDE) or item.text.lower() in {"drop", "dropped"}):
            continue
        following = sentence.after(i)
        dimension = (
            names.dimension(sentence[following])
            if following is not None and sentence[following].links
            else None
        )
        if dimension is None:
            continue
        if following is not None:
            sentence[following].links = ()  # said to be left out, so nothing has to stand for it
        if merged.metrics == [names.count_of_dimension(dimension).name] or not merged.metrics:
            merged.metrics = list(previous.metrics)
        merged.filters = [f for f in merged.filters if f.field != dimension.name]
        merged.dimensions = [d for d in merged.dimensions if d != dimension.name]
        merged.unexplained = [u for u in merged.unexplained if u.lower() != item.text.lower()]


_OTHERS = frozenset({"other", "others", "remaining"})


def _the_others(merged: Draft, previous: Request, sentence: Sentence, names: Names) -> None:
    """“and the other channels?”: those that the question before did not ask about, one by one."""
    held = [f for f in previous.filters if f.operator in _OPPOSITE and not f.having]
    said = {w.lower for w in sentence.words} & {*_OTHERS, "rest"}
    if said and len(held) == 1 and not any(x.links or x.values for _, x in sentence):
        merged.filters = [f.model_copy(update={"operator": _OPPOSITE[f.operator]}) if f in held else f
                          for f in merged.filters]  # fmt: skip
        merged.dimensions, merged.kind = [held[0].field], _K.BREAKDOWN
        merged.unexplained = [u for u in merged.unexplained if u.lower() not in said]
        return
    for _, item in sentence:
        dimension = names.dimension(item) if item.links else None
        if dimension is None or sentence.words[item.start - 1].lower not in _OTHERS or item.start == 0:
            continue
        asked = next(
            (f for f in previous.filters if f.field == dimension.name and f.operator in _OPPOSITE), None
        )
        if asked is None:
            continue
        kept = [f for f in merged.filters if f.field != dimension.name]
        merged.filters = [*kept, asked.model_copy(update={"operator": _OPPOSITE[asked.operator]})]
        merged.metrics, merged.dimensions = list(previous.metrics), [dimension.name]
        merged.kind = _K.BREAKDOWN


_OPPOSITE = {FilterOperator.EQUALS: FilterOperator.NOT_EQUALS, FilterOperator.IN: FilterOperator.NOT_IN}


def _bare_number(sentence: Sentence) -> int | None:
    """A whole number that is all that a fragment says."""
    said = [x for _, x in sentence if x.links or x.values or x.time or x.number]
    number = said[0].number if len(said) == 1 and said[0].time is None else None
    if number is None or number.percent or number.value < 1 or not float(number.value).is_integer():
        return None
    return int(number.value)


def _settle(draft: Draft, merged: Draft, previous: Request) -> None:
    """“and at Northside?”: of two columns that hold the value, the one that was filtered on before is meant."""
    asked = [f.field for f in previous.filters]
    for doubt in draft.doubts:
        field = next((f for f in asked if f in doubt.fields), None)
        if field is None:
            continue
        draft.filters = [
            f.model_copy(update={"field": field}) if f.field in doubt.fields else f for f in draft.filters
        ]
        merged.doubts = [d for d in merged.doubts if d != doubt]


def _only_narrows(sentence: Sentence) -> bool:
    """“only for guests from Italy”: nouns in it say whose, they are not what is measured."""
    return len(sentence) > 1 and sentence[0].op(Op.ONLY) and sentence[1].op(Op.IN, Op.WITH, Op.OF)


def _merged_filters(new: list[Filter], old: tuple[Filter, ...]) -> list[Filter]:
    replaced = {(f.field, f.having) for f in new}
    return [*(f for f in old if (f.field, f.having) not in replaced), *new]


def _kind(merged: Draft, previous: Request, sentence: Sentence) -> QuestionKind:
    for _, item in sentence:
        if item.op(Op.KIND) and item.operator is not None and not item.links:
            return item.operator.payload
    if merged.comparison is not None:
        return _K.COMPARISON
    if previous.kind in (_K.SHARE, _K.CORRELATION, _K.DISTRIBUTION, _K.FORECAST, _K.ANOMALY):
        return previous.kind
    if merged.grain is not None:
        return _K.TREND
    if merged.limit is not None and merged.dimensions:
        return _K.RANKING
    if merged.dimensions:
        return _K.LIST if any(f.having for f in merged.filters) else _K.BREAKDOWN
    return _K.VALUE
