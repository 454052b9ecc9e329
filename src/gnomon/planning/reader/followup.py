"""Fragments that continue the question before: "and by region?", "only 2019", "what about returns?", "why?"."""

from __future__ import annotations

import re

from gnomon.core.operations import Walk
from gnomon.core.parts import Comparison, Filter, FilterOperator, Parts, QuestionKind, Share
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_grammar import describe_period, previous_period
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.followup_scope import (
    bound_groups,
    drop_named,
    keep_year,
    kept_comparison,
    likened,
    merged_filters,
    settle_fields,
    the_others,
)
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import is_person_noun, may_be_person
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import compares, stepped_back
from gnomon.planning.reader.told_before import they
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Additivity, Aggregation, DimensionType
from gnomon.semantic.values import ValueIndex

_BEFORE_THAT = late_pattern(
    r"\b(before (that|this|it)|(the )?(previous|prior) one|one before)\b", re.IGNORECASE
)
_K = QuestionKind
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)
_REFERRING = (Op.ABOUT, Op.THOSE, Op.ONLY, Op.ALL_TIME)
_LEADING = (Op.AND, Op.IN, Op.OF, Op.WITH, Op.WITHOUT, Op.EXCLUDE)
_GUESS = "ranked by "
_PRONOUN = late_pattern(
    r"\b(that|it|its|they|their|those|them|these|this|he|she|him|his|her|hers)\b"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )\bthere\b(?! (?:is|are|was|were|been|any)\b)",
    re.IGNORECASE,
)
_PERSON = regex(r"\b(he|she|him|his|her|hers)\b", re.IGNORECASE)
_ADDING = late_pattern(
    r"\b(as well|also|too|additionally|in addition|(next to|beside|alongside|with) (it|that|them))\b",
    re.IGNORECASE,
)
_SORTING = regex(r"\b(sort|sorted|order|rank|rerank|reorder)\b", re.IGNORECASE)


def is_fragment(draft: Draft, previous: Parts, sentence: Sentence, names: Names) -> bool:
    """Whether a sentence leans on the one before: it measures nothing itself, or says that it goes on."""
    refers = sentence.has(*_REFERRING) or (len(sentence) > 0 and sentence[0].op(Op.AND))
    refers = refers or bool(_PRONOUN.search(draft.question))
    if not draft.metrics:
        return bool(draft.dimensions or draft.filters or draft.time_range or draft.grain or draft.recurring
                    or draft.limit or draft.comparison or draft.kind is _K.RANKING or refers or sentence.has(Op.SHARE)
                    or _analytic(sentence) or _only_counts(sentence) or sentence.has(Op.AGGREGATE))  # fmt: skip
    if _only_narrows(sentence) or is_whose(draft, previous, sentence, names):
        return True
    if _ranks_no_measure(draft, previous, names) or _counts_no_thing(draft, sentence):
        return True
    if _grades_the_same(draft, previous, sentence, names):
        return True
    if len(sentence) > 1 and sentence[0].op(Op.BY) and sentence[1].named(LinkKind.METRIC):
        return True  # "by amount, just North and South"
    if re.search(r"\b(its|their|he|she|him|his|hers?|rather than|instead)\b", draft.question, re.IGNORECASE):
        return True
    complete = bool(draft.dimensions or draft.filters or draft.time_range or draft.grain)
    return (refers and not (complete and not sentence.has(Op.ABOUT, Op.THOSE))) or (
        refers and len(sentence) > 0 and (sentence[0].op(Op.AND, Op.ABOUT))
    )


def _ranks_no_measure(draft: Draft, previous: Parts, names: Names) -> bool:
    """“which month was the best?”: by what was measured before, where that can be told of such groups."""
    guessed = any(n.startswith(_GUESS) for n in draft.notes)
    model = names.model
    groups = [model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
    measured = [model.metric(m) for m in previous.metrics]
    return guessed and bool(measured) and all(model.reaches(m, d) for m in measured for d in groups)


def _grades_the_same(draft: Draft, previous: Parts, sentence: Sentence, names: Names) -> bool:
    """“which plan is the oldest?”, right behind ages by plan: of what was shown, as no measure is named."""
    named = any(x.named(LinkKind.METRIC) or x.op(Op.COUNT) for _, x in sentence)
    own = draft.filters or draft.time_range or draft.recurring or named or len(draft.metrics) != 1
    if own or draft.kind is not _K.RANKING or len(previous.metrics) != 1:
        return False
    shown = draft.dimensions == list(previous.dimensions) and draft.grain == previous.grain
    return shown and _same_column(draft.metrics[0], previous.metrics[0], names)


def _same_column(one: str, other: str, names: Names) -> bool:
    """Whether two measures are of one column."""
    left, right = (names.column_of(names.model.metric(m)) for m in (one, other))
    return one == other or (left is not None and left == right)


def _counts_no_thing(draft: Draft, sentence: Sentence) -> bool:
    """“how many in the North?”: it does not say of what."""
    named = any(x.links or x.association for _, x in sentence if not x.values)
    return sentence.has(Op.COUNT) and not named and bool(draft.filters) and len(draft.metrics) == 1


def is_whose(draft: Draft, previous: Parts, sentence: Sentence, names: Names) -> bool:
    """“and for high priority tickets?”: the noun says of which rows, and what is measured of them was said before."""
    if not draft.metrics or not previous.metrics or not draft.filters or sentence.has(Op.COUNT, Op.DISTINCT):
        return False
    if len(sentence) == 0 or not sentence[0].op(*_REFERRING, *_LEADING):
        return False
    model = names.model
    tables = {t for m in previous.metrics for t in model.base_tables(model.metric(m))}
    counted = [model.metric(m) for m in draft.metrics]
    return all(m.aggregation is Aggregation.COUNT and m.inner is None and m.table in tables for m in counted)


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
    kept = [n for n in draft.notes if not n.startswith(_GUESS)]
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
    draft.course = draft.course.without(Walk.GROWTH)
    draft.notes = [n for n in draft.notes if not n.startswith("change against")]
    if compares(shift, sentence):
        draft.time_range = period
        draft.comparison = Comparison(kind="period", period=other, label=describe_period(other))
        draft.kind = _K.COMPARISON
    else:
        draft.time_range, draft.comparison = other, None


def continued(draft: Draft, previous: Parts, sentence: Sentence, names: Names, index: ValueIndex) -> Draft:
    """``draft`` with everything that it leaves open taken from ``previous``."""
    merged = Draft(draft.question, heard=draft.heard)
    merged.confidence = min(draft.confidence, previous.confidence)
    if draft.shift is not None and previous.time_range is not None:
        step_back(draft, previous.time_range, sentence)
    keep_year(draft, previous)
    likened(draft, previous)
    if previous.metrics and (is_guessed(draft) or _only_groups(sentence)):
        draft.metrics = []
    if _counts_no_thing(draft, sentence) and all(is_count(names.model.metric(m)) for m in previous.metrics):
        draft.metrics = []
    _turn_round(draft, previous, names)
    merged.unexplained, merged.doubts = draft.unexplained, draft.doubts
    regrouped = _regroup(draft, previous, sentence, names)
    new_kind = draft.kind if draft.kind not in (None, _K.VALUE, _K.LIST, _K.BREAKDOWN) else None
    merged.metrics = list(draft.metrics or previous.metrics)
    merged.dimensions = list(draft.dimensions or ([] if draft.grain else previous.dimensions))
    _aggregated_anew(draft, merged, previous, sentence, names)
    _aggregated_alike(merged, previous, sentence, names)
    if _ADDING.search(draft.question):
        merged.metrics = list(dict.fromkeys([*previous.metrics, *draft.metrics]))
        merged.dimensions = list(dict.fromkeys([*previous.dimensions, *draft.dimensions]))
    _divided(draft, merged, previous, sentence, names)
    settle_fields(draft, merged, previous)
    if previous.metrics and (_only_narrows(sentence) or is_whose(draft, previous, sentence, names)):
        merged.metrics, merged.dimensions = list(previous.metrics), list(previous.dimensions)
        for _, item in sentence:
            said = names.measure(item) if item.links and not item.values else None
            item.links = () if said is not None and said.name in draft.metrics else item.links
    if _is_about_ranked(draft, previous):
        merged.metrics = list(dict.fromkeys([*previous.metrics, *draft.metrics]))
    bound_groups(draft, merged, previous, sentence)
    merged.filters = merged_filters(draft, previous, sentence)
    if _THEIRS.search(draft.question) and draft.metrics and not set(draft.metrics) & set(previous.metrics):
        held = {f.field for f in (*merged.filters, *previous.part)}
        merged.filters += [f for f in they(previous, names, index) if f.field not in held]
    if regrouped is not None:
        merged.filters = [f.model_copy(update={"by": regrouped}) if f.by in previous.dimensions else f
                          for f in merged.filters]  # fmt: skip
    drop_named(merged, previous, sentence, names)
    the_others(merged, previous, sentence, names)
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
    merged.adopt(previous, draft)
    _placed(draft, merged, previous, sentence)
    merged.comparison = draft.comparison or kept_comparison(draft, previous)
    merged.other_periods, merged.other_recurring = draft.other_periods, draft.other_recurring
    merged.both_ends, merged.listed = draft.both_ends, draft.listed
    if sentence.has(Op.ALL_TIME):
        merged.time_range = merged.recurring = merged.comparison = None
    own = bool(set(draft.metrics) - set(previous.metrics)) or previous.kind is _K.SHARE
    if sentence.has(Op.SHARE) and merged.dimensions and not draft.metrics:
        new_kind = _K.SHARE
    elif sentence.has(Op.SHARE) and not (own or draft.filters or merged.part) and merged.filters:
        new_kind, merged.part, merged.filters = _K.SHARE, merged.filters, []  # "what share is that?"
    merged.kind = merged.kind or new_kind or _kind(merged, previous, sentence, names)
    if _only_counts(sentence) and previous.dimensions and previous.kind in (_K.LIST, _K.BREAKDOWN):
        merged.kind = _K.LIST  # a list is told with how many there are
    elif _only_counts(sentence) and previous.dimensions and previous.kind is _K.SHARE:
        merged.kind = _K.BREAKDOWN  # "how many is that?", of what was told in percent
    if re.search(r"\bnext one\b", draft.question, re.IGNORECASE):
        merged.unexplained.append("next one")
    cut = (_K.VALUE, _K.BREAKDOWN, *((_K.TREND,) if previous.kind is _K.RANKING and not draft.grain else ()))
    if merged.limit and (merged.dimensions or merged.grain) and merged.kind in cut:
        merged.kind = _K.RANKING
    if merged.limit is None:
        merged.place = None
        merged.descending = merged.descending or merged.kind is not _K.RANKING
    person = _PERSON.search(draft.question)
    if person and not any(_is_of_somebody(f, names) for f in previous.filters):
        merged.unexplained.append(person[0])  # nobody was singled out
    _which_one(draft, merged, previous, sentence, names)
    merged.notes = draft.notes
    return merged


def _is_of_somebody(condition: Filter, names: Names) -> bool:
    """Whether a condition holds for one person."""
    if condition.having or condition.operator is not FilterOperator.EQUALS:
        return False
    column = names.model.dimension(condition.field)
    return column.personal or is_person_noun(column.label) or may_be_person(column.label)


def _turn_round(draft: Draft, previous: Parts, names: Names) -> None:
    """“the oldest”, then “and the youngest?”: the other end of the same order."""
    ranked = previous.kind is _K.RANKING and len(previous.metrics) == 1 == len(draft.metrics)
    if not ranked or draft.dimensions or draft.grain or draft.kind not in (None, _K.VALUE):
        return
    how = names.model.metric(draft.metrics[0]).aggregation
    ends = how in (Aggregation.MIN, Aggregation.MAX) and draft.metrics != list(previous.metrics)
    if ends and _same_column(draft.metrics[0], previous.metrics[0], names):
        draft.metrics, draft.kind, draft.limit = [], _K.RANKING, 1
        draft.descending = how is Aggregation.MAX


def _which_one(draft: Draft, merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
    """“the highest price”, then “which product was it?”, “when was that?”: the one that has it, the day of it."""
    asked = sentence.find(Op.WHEN)
    if draft.metrics or len(previous.metrics) != 1 or not (asked or sentence.has(Op.WHICH)):
        return
    how = names.model.metric(previous.metrics[0]).aggregation
    ended = previous.kind is _K.RANKING and previous.limit == 1
    ended = ended and previous.descending is (how is Aggregation.MAX)
    extreme = how in (Aggregation.MIN, Aggregation.MAX) and (previous.kind is _K.VALUE or ended)
    if asked and not extreme and previous.grain is None and merged.grain is None:
        merged.unexplained.append(sentence[asked[0]].text)
        return
    if asked and extreme and draft.grain is None and not draft.dimensions:
        merged.grain, merged.dimensions = TimeGranularity.DAY, []
    if extreme and (merged.grain or draft.dimensions):
        merged.kind, merged.limit, merged.descending = _K.RANKING, 1, how is Aggregation.MAX


def _regroup(draft: Draft, previous: Parts, sentence: Sentence, names: Names) -> str | None:
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


def _divided(draft: Draft, merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
    """“per loan”, “in percent within each branch”: the same groups, told per thing or as shares of each of them."""
    said, before = draft.dimensions, previous.dimensions
    if (
        sentence.has(Op.SHARE)
        and len(before) == 2
        and len(said) == 1
        and said[0] in before
        and sentence.has(Op.EACH)
    ):
        merged.dimensions, merged.share = list(before), Share(within=said[0])
        return
    if not sentence.has(Op.PER) or len(said) != 1 or len(previous.metrics) != 1 or said[0].startswith("@"):
        return
    model = names.model
    thing, metric = model.dimension(said[0]), model.metric(previous.metrics[0])
    adds = metric.additivity is not Additivity.NON_ADDITIVE and metric.formula is None
    if thing.type is DimensionType.ID and adds and before and said[0] not in before:
        merged.metrics = [f"{metric.name} / {names.count_of_dimension(thing).name}"]
        merged.dimensions, draft.dimensions = list(before), []


def _aggregated_anew(draft: Draft, merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
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


def _aggregated_alike(merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> None:
    """“the maximum”, then “what about humidity?”: its maximum too, as nothing else is said."""
    if len(merged.metrics) != 1 or len(previous.metrics) != 1 or "(" not in previous.metrics[0]:
        return
    before, metric = names.model.metric(previous.metrics[0]), names.model.metric(merged.metrics[0])
    said = sentence.has(Op.AGGREGATE, Op.COUNT, Op.DISTINCT, Op.RANK, Op.SHARE, Op.PER)
    column = names.column_of(metric)
    if said or before.aggregation is None or is_count(before) or before.inner is not None or column is None:
        return
    if column.type is DimensionType.NUMBER and not is_count(metric) and "(" not in metric.name:
        merged.metrics = [names.aggregated(metric, before.aggregation)]


_THEIRS = regex(r"\b(they|their|them|those|these|it|its)\b", re.IGNORECASE)


def _is_about_ranked(draft: Draft, previous: Parts) -> bool:
    """“which sold most?” … “and what did they cost?”: something else about those that the ranking found."""
    told = (
        previous.kind is _K.RANKING and previous.limit is not None and draft.metrics and not draft.dimensions
    )
    other = re.search(r"\b(instead|rather)\b", draft.question, re.IGNORECASE) or draft.limit is not None
    return bool(told) and not other and _THEIRS.search(draft.question) is not None


def _placed(draft: Draft, merged: Draft, previous: Parts, sentence: Sentence) -> None:
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
        merged.place = merged.limit
    elif draft.limit is not None and draft.place is None:
        merged.place = None


_OF_COLUMN = regex(r"^(?:max|min)\((\w+)\.(\w+)\)$")


def _own(reference: str) -> str:
    """In “sort that by units, highest first” the word “highest” orders, it does not aggregate."""
    match = _OF_COLUMN.match(reference)
    return match[2] if match else reference


def _bare_number(sentence: Sentence) -> int | None:
    """A whole number that is all that a fragment says."""
    said = [x for _, x in sentence if x.links or x.values or x.time or x.number]
    number = said[0].number if len(said) == 1 and said[0].time is None else None
    if number is None or number.percent or number.value < 1 or not float(number.value).is_integer():
        return None
    return int(number.value)


def _only_narrows(sentence: Sentence) -> bool:
    """“only for guests from Italy”: nouns in it say whose, they are not what is measured."""
    return len(sentence) > 1 and sentence[0].op(Op.ONLY) and sentence[1].op(Op.IN, Op.WITH, Op.OF)


def _kind(merged: Draft, previous: Parts, sentence: Sentence, names: Names) -> QuestionKind:
    for _, item in sentence:
        if item.op(Op.KIND) and item.operator is not None and not item.links:
            return item.operator.payload
    if merged.comparison is not None:
        return _K.COMPARISON
    adds_up = all(names.model.metric(m).additivity is not Additivity.NON_ADDITIVE for m in merged.metrics)
    if previous.kind is _K.SHARE and (adds_up or merged.metrics == list(previous.metrics)):
        return previous.kind
    if previous.kind in (_K.CORRELATION, _K.DISTRIBUTION, _K.FORECAST, _K.ANOMALY):
        return previous.kind
    if merged.grain is not None:
        return _K.TREND
    if merged.limit is not None and merged.dimensions:
        return _K.RANKING
    if merged.dimensions:
        return _K.LIST if any(f.having for f in merged.filters) else _K.BREAKDOWN
    return _K.VALUE
