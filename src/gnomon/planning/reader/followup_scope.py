"""The scope of a fragment: which conditions and days of the question before still hold, and what it adds or takes back."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import Any

from gnomon.core.parts import Comparison, Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeRange
from gnomon.language.time_grammar import describe_period
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence

_K = QuestionKind
_LISTED = (FilterOperator.EQUALS, FilterOperator.IN)
_LEFT_OUT = (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN)
_ADDED = late_pattern(
    r"^\W*(?:and |now |also |please )*(?:add|include|plus)\b|\b(?:as well|too|in addition|on top)\W*$",
    re.IGNORECASE,
)
_LIKENED = late_pattern(r"\b(?:compare|compares|compared|comparison|versus|vs|against)\b", re.IGNORECASE)
_NEWEST = "the most recent, in "


def merged_filters(draft: Draft, previous: Parts, sentence: Sentence) -> list[Filter]:
    """The conditions of both; a new one takes the place of the one on the same column, or changes its list.

    “West”, then “by region”, asks for all regions: one alone would tell nothing new.
    """
    adds = _ADDED.search(draft.question) is not None
    new = [_joined(f, previous, adds=adds) for f in draft.filters]
    replaced = {(f.field, f.having) for f in new}
    kept = [f for f in previous.filters if (f.field, f.having) not in replaced]
    taken = {
        str(v) for f, told in zip(draft.filters, new, strict=True) for v in f.values if v not in told.values
    }
    for _, item in sentence:
        item.used = item.used and not any(str(v.value) in taken for v in item.values)
    return [*(f for f in kept if not _is_of_one_group(f, draft)), *new]


def _is_of_one_group(condition: Filter, draft: Draft) -> bool:
    single = condition.operator is FilterOperator.EQUALS and not condition.having
    return single and condition.field in draft.dimensions


def _joined(new: Filter, previous: Parts, *, adds: bool) -> Filter:
    """A condition with the one before: “add East” lengthens a list, “without Desk” shortens it or leaves out more."""
    held = next((f for f in previous.filters if f.field == new.field and not f.having), None)
    if held is None or new.having or held.relative or new.relative:
        return new
    if adds and held.operator in _LISTED and new.operator in _LISTED:
        return _of(new, FilterOperator.IN, [*held.values, *new.values])
    if new.operator not in _LEFT_OUT:
        return new
    if held.operator in _LEFT_OUT:
        return _of(new, FilterOperator.NOT_IN, [*held.values, *new.values])
    left = [v for v in held.values if v not in new.values]
    shortens = held.operator is FilterOperator.IN and 0 < len(left) < len(held.values)
    return _of(new, FilterOperator.IN, left) if shortens else new


def _of(condition: Filter, operator: FilterOperator, values: list[Any]) -> Filter:
    different = tuple(dict.fromkeys(values))
    one = {FilterOperator.IN: FilterOperator.EQUALS, FilterOperator.NOT_IN: FilterOperator.NOT_EQUALS}
    used = one[operator] if len(different) == 1 else operator
    return condition.model_copy(update={"operator": used, "values": different})


def likened(draft: Draft, previous: Parts) -> bool:
    """“how does that compare to Q1”, “compare that with Sales”: beside what was asked before, not instead of it."""
    if (
        draft.metrics
        or draft.dimensions
        or draft.comparison is not None
        or not _LIKENED.search(draft.question)
    ):
        return False
    if draft.time_range is not None and previous.time_range is not None and not draft.filters:
        other, draft.time_range = sorted((draft.time_range, previous.time_range), key=lambda p: p.start)
        draft.comparison = Comparison(kind="period", period=other, label=describe_period(other))
        draft.kind = _K.COMPARISON
        return True
    new = draft.filters[0] if len(draft.filters) == 1 else None
    held = [f for f in previous.filters if new is not None and f.field == new.field and not f.having]
    single = FilterOperator.EQUALS
    if new is None or len(held) != 1 or previous.dimensions or previous.grain is not None:
        return False
    if new.having or new.operator is not single or held[0].operator is not single:
        return False
    values = (*held[0].values, *new.values)
    draft.filters = [new.model_copy(update={"operator": FilterOperator.IN, "values": values})]
    draft.comparison = Comparison(kind="group", groups=tuple(str(v) for v in values))
    draft.dimensions, draft.kind = [new.field], _K.COMPARISON
    return True


def kept_comparison(draft: Draft, previous: Parts) -> Comparison | None:
    """What the question before was set against, unless the fragment changes what is compared."""
    held = previous.comparison
    if held is None or draft.time_range is not None or draft.dimensions or draft.grain:
        return None
    changed = {f.field for f in draft.filters} & {*previous.dimensions}
    return None if held.kind == "group" and changed else held


def keep_year(draft: Draft, previous: Parts) -> None:
    """“March 2023”, then “and in April?”: of that year, not of the most recent one."""
    asked, before = draft.time_range, previous.time_range
    note = next((n for n in draft.notes if n.startswith(_NEWEST)), None)
    if asked is None or before is None or note is None or before.start.year < 1900 or before.end.year > 2900:
        return
    if asked.start.year != asked.end.year or (before.start <= asked.start and asked.end <= before.end):
        return
    moved = _in_year(asked, before.end.year)
    earlier = _in_year(asked, before.start.year)
    if not (before.start <= moved.start <= before.end) and before.start <= earlier.start <= before.end:
        moved = earlier
    if moved != asked:
        draft.time_range = moved
        draft.notes = ["the year is that of the question before" if n == note else n for n in draft.notes]


def _in_year(period: TimeRange, year: int) -> TimeRange:
    def day(of: date) -> date:
        last = monthrange(year, of.month)[1]
        ends = of.day == monthrange(of.year, of.month)[1]
        return of.replace(year=year, day=last if ends else min(of.day, last))

    return period.model_copy(update={"start": day(period.start), "end": day(period.end)})


def bound_groups(draft: Draft, merged: Draft, previous: Parts, sentence: Sentence) -> None:
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


def drop_named(merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
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


def the_others(merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
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


def settle_fields(draft: Draft, merged: Draft, previous: Parts) -> None:
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
