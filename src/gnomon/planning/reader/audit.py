"""The audit of a reading: whatever the question said must be borne by some part of the request, or is named as missing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.operations import Walk
from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.planning.reader.audit_asked import asked_and_lost, verdict_lost, within_lost
from gnomon.planning.reader.audit_groups import amount_lost, bears_groups
from gnomon.planning.reader.audit_lost import passed_over
from gnomon.planning.reader.audit_periods import (
    each_told,
    extreme_placed,
    grain_told,
    periods_counted,
    steps_of_something,
)
from gnomon.planning.reader.audit_things import misses_of_things
from gnomon.planning.reader.borne import WHOLE, Borne
from gnomon.planning.reader.contradictions import arithmetic_lost, contradicted
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import FILLERS, Op
from gnomon.planning.reader.payments import is_dealt_in, is_paid
from gnomon.planning.reader.relatedness import repeats
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import ABBREVIATIONS, name_words, stem
from gnomon.semantic import Additivity, Aggregation, DimensionType, Metric
from gnomon.semantic.money_units import factor_of, is_money
from gnomon.semantic.units import unit_called

_K = QuestionKind
_A = Aggregation
_EQUALITIES = (FilterOperator.EQUALS, FilterOperator.NOT_EQUALS, FilterOperator.IN, FilterOperator.NOT_IN)
_PLACING = frozenset({"in", "at", "during", "within", "across all", "across the"})
_ASKED_OUTRIGHT = (_K.CORRELATION, _K.FORECAST, _K.ANOMALY)


def _worth(sentence: Sentence, borne: Borne) -> list[str]:
    """“stock value”: behind an amount of things the word asks for money, which the amount is not."""
    lost: list[str] = []
    for item in sentence.items:
        following = sentence.words[item.end] if item.end < len(sentence.words) else None
        if following is None or following.lower != "value" or not item.links:
            continue
        measure = borne.names.measure(item)
        if measure is not None and measure.unit is None and measure.additivity is not Additivity.NON_ADDITIVE:
            lost.append(following.text)
    return lost


def audit(draft: Draft, sentence: Sentence, names: Names) -> list[str]:
    """What a sentence said that nothing in the draft stands for."""
    if draft.kind is _K.PROFILE or not (draft.metrics or draft.dimensions):
        return []
    borne = Borne(draft, names)
    checks = (
        _name,
        _aggregate,
        _count,
        _which,
        each_told,
        extreme_placed,
        _by_whom,
        periods_counted,
        _rank,
        _share,
        _kind,
        _groups,
        _number,
        _association,
        _edge,
    )
    lost = [
        item.text
        for i, item in sentence
        if not all(
            check(i, item, sentence, borne)
            for check in (checks if not item.time else (periods_counted, grain_told))
        )
    ]
    lost += arithmetic_lost(sentence, draft.metrics) + steps_of_something(sentence, draft.time_dimension)
    lost += contradicted(draft.filters) + misses_of_things(draft, sentence, names)
    lost += passed_over(sentence, borne) + asked_and_lost(sentence, borne) + verdict_lost(sentence, borne)
    lost += within_lost(sentence, borne) + _thing_lost(sentence, borne)
    return lost + _worth(sentence, borne) + amount_lost(sentence, borne.draft, borne.metrics)


_BEHIND_WHICH = frozenset({"is", "was", "are", "were", "of", "one"})


def _which(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“which foods …” asks for names, “where …” for a place: how many there are does not answer it."""
    draft = borne.draft
    if item.op(Op.WHICH) and item.text.lower() == "where" and item.start == 0 and borne.metrics:
        return bool(draft.dimensions) or draft.kind in WHOLE
    if not item.op(Op.WHICH) or item.text.lower() != "which":
        return True
    counted = bool(borne.metrics) and all(is_count(m) for m in borne.metrics)
    return not (counted and _is_nameless(draft))


def _is_nameless(draft: Draft) -> bool:
    return draft.kind is _K.VALUE and not draft.dimensions and draft.grain is None


def _thing_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """“which show took the most”: a thing is asked for, and the highest price names none; “which price” would be one itself."""
    if not _is_nameless(borne.draft) or len(sentence.words) < 3 or sentence.words[0].lower != "which":
        return []
    noun = sentence.words[1]
    held = next((x for x in sentence.items if x.start <= 1 < x.end), None)
    told = held is not None and any(borne.link(link) for link in held.links)
    ranked = any(
        x.op(Op.RANK) or (x.association is not None and x.association.superlative) for x in sentence.items
    )
    return (
        [noun.text]
        if ranked and noun.lower.isalpha() and noun.lower not in _BEHIND_WHICH and not told
        else []
    )


def _by_whom(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“by river and by who took them”: a group that is only described has to be found too."""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    asked = following is not None and following.op(Op.WHICH) and not following.links
    if i == 0 and borne.draft.dimensions:
        return True  # "by which channel were most sold" asks for the channel
    return not (item.op(Op.BY) and not item.links and not item.used and asked)


def _name(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """Names and values that composition used are in the request; those it did not use were judged before."""
    if not item.used or not (item.links or item.values):
        return True
    if any(borne.link(link) for link in item.links):
        return True
    count = borne.names.count(item)
    counted = _counted_where_done(item, borne)
    if item.association is not None and _is_called(item.association.nouns, borne):
        return True
    if counted or (count is not None and count.name in borne.called) or _explained_behind(i, sentence, borne):
        return True
    if item.operator is not None:
        return True  # read as a word of questions, which has its own check
    return any(str(v.value) in borne.values for v in item.values)


def _counted_where_done(item: Item, borne: Borne) -> bool:
    """“how many employees were absent”: they are counted among the rows that the word speaks of."""
    counted = [m for m in borne.metrics if m.aggregation is _A.COUNT_DISTINCT]
    homes = {
        borne.names.model.dimension(x.name).home.table for x in item.links if x.kind is LinkKind.DIMENSION
    }
    return len(counted) == len(borne.metrics) == 1 and counted[0].table in homes


def _explained_behind(i: int, sentence: Sentence, borne: Borne) -> bool:
    """“out of stock (had stockout hours)”: what stands in brackets behind a noun says what it is."""
    end = sentence[i].end
    if end >= len(sentence.words) or sentence.words[end].lower != "(":
        return False
    return any(borne.link(link) for item in sentence.items[i + 1 :] for link in item.links)


def _aggregate(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    if not item.op(Op.AGGREGATE) or item.links or item.operator is None:
        return True
    means = item.text.lower() == "mean" and item.start > 0
    if means and sentence.words[item.start - 1].lower in {"i", "you", "we", "they"}:
        return True  # "I mean …"
    counts = all(m.aggregation in (_A.COUNT, _A.COUNT_DISTINCT) for m in borne.metrics)
    if item.operator.payload is _A.SUM and counts and sentence.asked_of_them(i) is not None:
        return False  # "how many are there, and what do they add up to": the count tells one of both
    return borne.aggregation(item.operator.payload)


def _count(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“how many” is answered by a number of things or by what adds up, never by a list."""
    ranked = borne.draft.kind is _K.RANKING and bool(borne.metrics)
    if (
        ranked
        and item.text.lower().startswith("number of")
        and all(is_money(m.unit) and m.formula is None for m in borne.metrics)
    ):
        return False  # "second in number of tickets" is not by money
    if not item.op(Op.COUNT) or item.links:
        return True
    if _adds_money(i, item, sentence, borne):
        return False
    hows = {m.aggregation for m in (*borne.metrics, *borne.bases)}
    other = sentence.has(Op.AGGREGATE, Op.RANK) and bool(borne.metrics)  # "the average number of guests"
    added = bool(hows & {_A.COUNT, _A.COUNT_DISTINCT, _A.SUM}) or any(m.formula for m in borne.metrics)
    rated = item.text.lower() == "how often" and all(m.unit == "fraction" for m in borne.metrics)
    return added or other or (rated and bool(borne.metrics))


def _adds_money(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“how many loans”, told as money: the noun right behind is what is counted, whatever else has a figure."""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    things = (
        following is not None and following.start == item.end and following.named(LinkKind.TABLE) is not None
    )
    counted = item.text.lower() in {"how many", "number of"}
    money = bool(borne.metrics) and all(is_money(m.unit) for m in borne.metrics)
    columns = [borne.names.column_of(m) for m in borne.metrics if m.aggregation is _A.SUM]
    named = (
        following is not None and following.start == item.end and borne.names.measure(following) is not None
    )
    sums = len(columns) == len(borne.metrics) and all(c is not None and is_paid(c) for c in columns)
    told = any(unit_called(w.lower) for w in sentence.words)  # "how many dollars"
    return counted and bool(borne.metrics) and ((things and money) or (sums and not named and not told))


def _rank(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """A word that ranks needs something to rank by: the first of a list in no order is an accident."""
    adjective = item.association is not None and item.association.superlative and not item.links
    if not adjective and (not item.op(Op.RANK) or item.links):
        return True
    draft = borne.draft
    ordered = draft.kind in (_K.RANKING, _K.COMPARISON, _K.TREND, _K.CAUSE, _K.DIFFERENCE) and bool(
        draft.metrics
    )
    ordered = ordered or (draft.kind is _K.SHARE and draft.limit is not None)
    extreme = bool({m.aggregation for m in borne.metrics} & {_A.MIN, _A.MAX})
    return ordered or extreme or draft.kind in WHOLE


def _share(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    if not item.op(Op.SHARE) or item.links:
        return True
    draft = borne.draft
    if draft.kind is _K.SHARE and any(_counts_days(m, borne) for m in borne.metrics):
        return False  # rows are no part of different days
    rates = [m for m in borne.metrics if m.aggregation is _A.MEAN and m.unit not in ("fraction", "%")]
    if (
        draft.kind is _K.SHARE
        and draft.dimensions
        and not draft.part
        and len(rates) == len(borne.metrics) == 1
    ):
        return False  # parts of an average make up nothing
    rated = any(m.unit in ("fraction", "%") for m in borne.metrics)
    following = sentence.words[item.end - 1 : item.end + 1]
    periods = draft.comparison is not None and draft.comparison.kind == "period"
    if draft.kind is _K.COMPARISON and not rated and (draft.filters or periods) and not draft.part:
        return not any(w.lower == "of" for w in following)  # numbers of rows are no share of them
    if (
        draft.kind in (_K.SHARE, _K.COMPARISON, _K.DISTRIBUTION)
        or draft.comparison
        or Walk.GROWTH in draft.course.walks
    ):
        return True
    if item.text.lower().startswith("how much of") and draft.filters:
        return True  # "how much of it came from …" is told as an amount too
    percent = any(f.operator for f in borne.draft.filters if f.having) or bool(borne.numbers)
    return percent or any(m.unit == "fraction" or m.formula for m in borne.metrics)


def _counts_days(metric: Metric, borne: Borne) -> bool:
    column = borne.names.column_of(metric) if metric.aggregation is _A.COUNT_DISTINCT else None
    return column is not None and column.type is DimensionType.TIME


def _kind(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """A correlation, a forecast or anomalies are never told as something else."""
    if not item.op(Op.KIND) or item.links or item.operator is None:
        return True
    kinds = (item.operator.payload, _K.DIFFERENCE)  # a category and a number are related by a test
    return item.operator.payload not in _ASKED_OUTRIGHT or borne.draft.kind in kinds


def _edge(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“the newest one”: all of them do not answer it."""
    if not item.op(Op.EDGE) or item.links or item.used or not _asks_edge(item):
        return True
    extreme = bool({m.aggregation for m in borne.metrics} & {_A.MIN, _A.MAX})
    draft = borne.draft
    bounded = bool(draft.limit or draft.time_range) and not item.text.lower().endswith("time")
    return extreme or draft.kind in (_K.RANKING, _K.TREND) or bounded


def _asks_edge(item: Item) -> bool:
    """“the newest”, “for the first time”: which of them, never any of them."""
    return item.text.lower() in {"newest", "earliest"} or item.text.lower().endswith("first time")


def _groups(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    return bears_groups(item, borne.draft)


def _number(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    if item.number is None or not item.used or item.links or item.values:
        return True
    if item.number.relative is not None:
        draft = borne.draft
        held = any(f.relative is not None for f in (*draft.filters, *draft.part))
        return held or any(" the " in m for m in draft.metrics)
    value = item.number.value
    if item.text in borne.values:
        return True  # a code, as it is written
    following = sentence.words[item.end].lower if item.end < len(sentence.words) else ""
    inside = item.number.unit is not None or unit_of_time(sentence.words[item.end - 1].lower)
    if inside or unit_of_time(following) or unit_called(following):
        return True  # told in the unit of the column
    known = borne.numbers | borne.options
    known |= {float(n) for n in re.findall(r"\d+(?:\.\d+)?", borne.text)}
    units = {borne.names.model.dimension(c).unit for c in borne.columns}
    known |= {n * f for n in borne.numbers for u in units if (f := factor_of(u)) is not None}
    return value in known or value / 100 in known or value == (borne.draft.limit or 0) or -value in known


def _association(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """A verb or an adjective that stands for a measure: its measure, or at least the rows it speaks of, takes part."""
    said = item.association
    if said is None or item.links or item.values or item.operator is not None:
        return True
    graded = said.descending is not None
    asked_how = graded and item.start and sentence.words[item.start - 1].lower == "how"
    if asked_how and not said.superlative and said.nouns[0] == "size":
        return True  # "how big is …", of anything
    if asked_how and said.nouns[0] == "duration" and any(unit_of_time(m.unit) for m in borne.metrics):
        return True  # "how long do people wait", by the minutes they wait
    if said.noun and _is_money_beside(i, sentence, borne):
        return True
    if said.rows and item.used and any(m.aggregation is _A.COUNT for m in borne.metrics):
        return True  # "the most popular colour": the one that most rows have
    if is_dealt_in(item.text.lower(), borne.metrics, borne.names):
        return True
    if said.comparative and not _sets_apart(borne.draft):
        return False
    if said.comparative and borne.draft.claim.side is not None and _says_noun(said.nouns, sentence):
        return True  # "faster … on net time"
    if graded and "duration" in said.nouns and any(unit_of_time(m.unit) for m in borne.metrics):
        return True  # what takes time is longer or faster by it
    if graded and said.superlative and _grades_next(i, sentence, borne):
        return True
    if said.descending is None and _is_called_elsewhere(item, borne):
        return False
    if _is_called(said.nouns, borne):
        return True
    found = borne.names.metrics(item)
    if found:
        called = any(stem(item.text.lower()) in {stem(w) for w in name_words(m.label)} for m in found)
        return any(borne.metric(m, exactly=graded or called) for m in found)
    if said.descending is None and (_deals_in(said.nouns, borne) or _is_in_a_name(item, borne)):
        return True
    return item.text.lower() in FILLERS or _told(item, said.nouns, borne) or _leads_to(i, sentence, borne)


def _says_noun(nouns: Sequence[str], sentence: Sentence) -> bool:
    return bool({*nouns} & {w.lower for w in sentence.words})


def _deals_in(nouns: Sequence[str], borne: Borne) -> bool:
    """“how much freight did we pay”, “how many drinks were sold”: money is paid, and what is counted is sold."""
    totals = [m for m in borne.bases if m.aggregation is _A.SUM and m.expression is not None]
    money = "amount" in nouns and any(is_money(m.unit) for m in totals)
    things = [m for m in totals if m.unit is None and m.label.split()[-1].endswith("s")]
    return money or (bool({"quantity", "units"} & {*nouns}) and bool(things))


def _is_money_beside(i: int, sentence: Sentence, borne: Borne) -> bool:
    """“total money awarded”: the amount beside it says which money."""
    beside = [sentence[j] for j in (i - 1, i + 1) if 0 <= j < len(sentence)]
    named = [borne.names.measure(x) for x in beside if x.links]
    return any(m is not None and is_money(m.unit) and borne.metric(m, exactly=True) for m in named)


def _sets_apart(draft: Draft) -> bool:
    """Whether something is longer than something else here: a bound, a comparison or an order."""
    bounded = any(f.having or f.operator not in _EQUALITIES for f in (*draft.filters, *draft.part))
    counted = any(re.search(r" (>=|<=|>|<|between|outside) ", m) for m in draft.metrics)
    return (
        bounded
        or counted
        or draft.comparison is not None
        or draft.kind in (_K.RANKING, _K.COMPARISON, _K.TREND, _K.DIFFERENCE)
    )


def _grades_next(i: int, sentence: Sentence, borne: Borne) -> bool:
    """“the heaviest ad spend”, “the oldest publication year”: the adjective only says which end of what follows."""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    return following is not None and any(borne.link(link) for link in following.links)


def _is_called(nouns: Sequence[str], borne: Borne) -> bool:
    """Whether something that is computed is called by one of the nouns: “cheapest”, by list price."""
    labels = [m.label for m in (*borne.metrics, *borne.bases)]
    labels += [borne.names.model.dimension(c).label for c in borne.columns]
    words = {stem(ABBREVIATIONS.get(w, w)) for label in labels for w in name_words(label)}
    return any({stem(w) for w in name_words(noun)} <= words for noun in nouns)


def _is_called_elsewhere(item: Item, borne: Borne) -> bool:
    """“how much cash do we have”, told by income where a column has the cash at the end: that is what was named."""
    said, model = stem(item.text.lower()), borne.names.model
    amounts = [
        d for d in model.dimensions if d.type is DimensionType.NUMBER and stem(name_words(d.label)[0]) == said
    ]
    return bool(amounts) and not any(d.name in borne.columns for d in amounts)


def _is_in_a_name(item: Item, borne: Borne) -> bool:
    """“which venue sells most”, by tickets sold: the verb is in the name of the amount."""
    amounts = [m.label for m in borne.bases if m.aggregation is _A.SUM]
    return len(amounts) == len(borne.bases) and repeats(item.text, amounts)


def _leads_to(i: int, sentence: Sentence, borne: Borne) -> bool:
    """“revenue lost to returned orders”: between an amount and what it is about, a verb only ties the two."""
    before = sentence[i - 1] if i else None
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    measure = borne.names.measure(before) if before is not None and before.links else None
    leads = following is not None and following.op(Op.IN, Op.BY) and following.text.lower() not in _PLACING
    return measure is not None and leads  # "honey lost in May" is not all honey of May


def _told(item: Item, nouns: Sequence[str], borne: Borne) -> bool:
    """Whether the tables of the request speak of what a verb does: sold, in a table of sales."""
    spoken = {stem(w) for w in (item.text.lower(), *nouns)}
    model = borne.names.model
    said = [w for t in borne.tables for n in (t, model.table(t).label) for w in name_words(n)]
    return any(stem(w) in spoken for w in said)
