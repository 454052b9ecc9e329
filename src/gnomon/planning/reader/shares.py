"""Shares: what part of a whole is asked for, and which conditions make the part."""

from __future__ import annotations

import re

from gnomon.core.parts import Filter, FilterOperator, QuestionKind, Share
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.group_shares import part_within, rows_shared, share_within, shared, tell_rate
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.share_parts import bounded_things, timed_part
from gnomon.planning.reader.share_wholes import (
    is_attribute,
    is_object,
    narrows,
    places,
    split_among,
    split_part,
    verb_at,
)
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import singular
from gnomon.semantic.references import AS_SHARE

_K = QuestionKind
_KNOWN = (FilterOperator.NOT_NULL, FilterOperator.IS_NULL)
_RATES = frozenset({"fraction", "%"})


def read_share(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """Make ``draft`` a share, or one total over another; False where it is something else after all."""
    at = sentence.find(Op.SHARE)[0]
    if sentence[at].links and not sentence[at].op(Op.SHARE):
        return False
    _count_rows(draft, sentence, names)
    if share_within(draft, sentence, conditions, names):
        for i in sentence.find(Op.SHARE):
            sentence[i].used = True
        return False
    if part_within(draft, sentence, conditions, names):
        return True
    subjects = {n.subject.name for n in conditions.numbers if isinstance(n.subject, Dimension)}
    bounded_things(draft, sentence, conditions, names)
    if len(draft.metrics) == 1 and _is_split(draft, sentence, names.model.metric(draft.metrics[0]), names):
        return True
    if not draft.metrics:
        nouns = [item for i, item in sentence if i > at and item.links] + [
            item for _, item in sentence if item.links
        ]
        known = [f.field for f in draft.filters if f.operator in _KNOWN]
        nouns = [x for x in nouns if (d := names.dimension(x)) is None or d.name not in known]
        nouns = _wholes(sentence, at) + nouns
        counted = _rows_of_value(sentence, at, names)
        if counted is not None and (deed := sentence.after(shared(sentence, at) or 0)) is not None:
            draft.unexplained += [sentence[deed].text] if _is_deed(sentence[deed], names) else []
        counted = counted or next((m for item in nouns if (m := names.countable(item)) is not None), None)
        if counted is None and known:  # "what share of the entries has a fault code"
            counted = names.count_of_table(names.model.dimension(known[0]).home.table)
        own = {
            names.count_of_dimension(names.model.dimension(d)).name
            for d in draft.dimensions
            if not d.startswith("@")
        }
        if counted is None and (table := names.default_table(())) is not None and draft.filters:
            counted = names.count_of_table(table)
        asked = any(x.op(Op.WHICH) and x.text.lower() != "what" for _, x in sentence)
        if counted is not None and counted.name in own and not asked and _of_rows(draft, sentence, at, names):
            return True
        if counted is None or (counted.name in own and not subjects and (asked or not draft.filters)):
            return False
        if counted.name in own and not subjects and _is_each(sentence, at):
            home = names.model.dimension(draft.dimensions[0]).home.table
            counted = names.count_of_table(home)  # "what share of each age group": of the rows in it
        elif counted.name in own and not subjects:
            draft.dimensions = []  # "what percentage of products cost more than 50" counts them
        if _is_split(draft, sentence, counted, names):
            return True
        draft.add_metric(counted.name)
    _count_things(draft, sentence, names)
    for d in list(draft.dimensions):
        if d in subjects and names.count_of_dimension(names.model.dimension(d)).name in draft.metrics:
            draft.dimensions.remove(d)
    as_share = re.search(
        r"\bas (a |the )?(share|percentage|percent|fraction|proportion) of", draft.question, re.IGNORECASE
    )
    of = shared(sentence, at)
    whole = None if as_share or of is None or not sentence[of].links else names.measure(sentence[of])
    # "in which category does ad spend take the largest share of revenue": what takes it stands before
    taking = {m.name for i, x in sentence if i < at and x.links and (m := names.measure(x)) is not None}
    told = (
        whole is not None and whole.name in draft.metrics and bool(({*draft.metrics} - {whole.name}) & taking)
    )
    told = (
        told
        and bool(draft.dimensions)
        and not any(names.model.metric(m).unit in _RATES for m in draft.metrics)
    )
    if len(draft.metrics) == 2 and (as_share or told or not (draft.filters or draft.dimensions)):
        # "what percentage of revenue goes into advertising": one total over the other
        over, under = draft.metrics if as_share else reversed(draft.metrics)
        if whole is not None and over == whole.name:
            over, under = under, over  # "what share of the bill is the tip on average"
        over, under = _all_of(over, names), _all_of(under, names)  # a total is no part of an average
        if not _is_over(over, under, names) and not adds_up(names.model.metric(over)):
            draft.unexplained.append(sentence[at].text)  # a rate is no part of a total
        draft.metrics = [over if _is_over(over, under, names) else f"{over}{AS_SHARE}{under}"]
        ranked = bool(draft.dimensions) and draft.limit is not None and told
        draft.kind = _K.RANKING if ranked else _K.BREAKDOWN if draft.dimensions else _K.VALUE
        for i in sentence.find(Op.SHARE):
            sentence[i].used = True
        return True
    if timed_part(draft, sentence, names):
        for i in sentence.find(Op.SHARE):
            sentence[i].used = True
        return True
    if _rate_of_flag(draft, sentence, names):
        for i in sentence.find(Op.SHARE):
            sentence[i].used = True
        return False
    if not draft.filters and not draft.dimensions and draft.grain is None:
        return False
    draft.kind = _K.SHARE
    if draft.metrics and names.model.metric(draft.metrics[0]).aggregation is Aggregation.MEAN:
        draft.unexplained.append(sentence[at].text)  # an average has no shares
    if (within := _within(draft, sentence, names)) is not None:
        draft.share = Share(within=within)
    for i in sentence.find(Op.SHARE):
        sentence[i].used = True
    if draft.filters and not draft.dimensions:
        split_part(draft, sentence, conditions)
        if draft.grain is not None and len(draft.part) == 1 and tell_rate(draft, draft.part[0], names):
            return False
        if draft.grain is not None:
            draft.unexplained.append(str(draft.grain))  # a share of each period that cannot be told
    elif draft.filters:
        _split_within(draft, sentence, conditions)
    return True


def _all_of(reference: str, names: Names) -> str:
    """An average as the total of its column, where amounts add up: its share of another total is the average share."""
    metric = names.model.metric(reference)
    column = names.column_of(metric) if metric.aggregation is Aggregation.MEAN else None
    if column is None or column.type is not DimensionType.NUMBER or is_intensive(column):
        return reference
    return f"{Aggregation.SUM}({column.home})"


def _is_over(over: str, under: str, names: Names) -> bool:
    """“margin as a percentage of revenue”: whether a measure is that already, and need not be divided again."""
    formula = (names.model.metric(over).formula or "").replace("`", "")
    return formula.endswith(f" / {under}")


def _rows_of_value(sentence: Sentence, at: int, names: Names) -> Metric | None:
    """“what percentage of women work overtime”: a share of those rows, whatever else is named."""
    of = shared(sentence, at)
    if of is None:
        return None
    item = sentence[of]
    flag = names.dimension(item, DimensionType.BOOLEAN)
    if flag is not None and item.links[0].name == flag.name and item.named(LinkKind.TABLE) is None:
        return names.count_of_table(flag.home.table)  # "goals were met in each department"
    if not item.values or item.links:
        return None
    following = sentence[of + 1] if of + 1 < len(sentence) else None
    noun = following is not None and following.start == item.end and following.links
    if noun and following is not None and not _is_deed(following, names):
        return None  # "what percentage of cancelled rides": of what the noun says
    return names.count_of_table(names.model.dimension(item.values[0].dimension).home.table)


def _is_deed(item: Item, names: Names) -> bool:
    """“women improved”, of a column with kinds of improvement: what they did is not what they are."""
    column = names.dimension(item, DimensionType.CATEGORY)
    rows = item.named(LinkKind.TABLE) is not None
    return column is not None and not rows and get_lexicon().is_participle(item.text.lower())


def _wholes(sentence: Sentence, at: int) -> list[Item]:
    """“of all the visits in May, what percentage had the status open”: a share of the rows that are named first."""
    begins = [w.lower for w in sentence.words[:2]]
    if begins[:1] != ["of"] and begins != ["out", "of"]:
        return []
    rows = (x.named(LinkKind.TABLE) for x in sentence.items[:at])
    return [
        x
        for x, link in zip(sentence.items[:at], rows, strict=True)
        if link is not None and link.quality > 0.9
    ]


def _is_split(draft: Draft, sentence: Sentence, counted: Metric, names: Names) -> bool:
    """“gender split by department, in percent”: the rows of each kind, within each of the others."""
    group = names.identifier(Link(LinkKind.METRIC, counted.name, 1.0)) or next(
        (d for _, x in sentence if x.links and (d := names.dimension(x, DimensionType.CATEGORY)) is not None
         and names.count_of_dimension(d).name == counted.name), None)  # fmt: skip
    if (
        group is None
        or group.type is not DimensionType.CATEGORY
        or draft.filters
        or sentence.has(Op.COUNT, Op.DISTINCT)
    ):
        return False
    if (
        counted.aggregation is not Aggregation.COUNT_DISTINCT
        or len(draft.dimensions) > 1
        or group.name in draft.dimensions
    ):
        return False
    draft.metrics = [names.count_of_table(group.home.table).name]
    if draft.dimensions:
        draft.share = Share(within=draft.dimensions[0])
    draft.add_dimension(group.name)
    draft.kind = _K.SHARE
    for _, item in sentence:
        named = item.links and names.dimension(item) == group
        item.used = item.used or item.op(Op.SHARE) or bool(named)
    return True


def _within(draft: Draft, sentence: Sentence, names: Names) -> str | None:
    """“the share by channel within each region”: of two groups, the one that each share is taken in."""
    if len(draft.dimensions) != 2 or draft.grain is not None:
        return None
    told: dict[str, str] = {}
    for i in sentence.find(Op.EACH, Op.PER, Op.BY):
        at = sentence.after(i, (Op.OF, Op.IN, Op.FILLER))
        dimension = names.dimension(sentence[at]) if at is not None and sentence[at].links else None
        if dimension is None or dimension.name not in draft.dimensions:
            continue
        before = sentence.words[sentence[i].start - 1].lower if sentence[i].start else ""
        each = sentence[i].text.lower()
        inside = each.startswith(("in ", "within", "for ", "at ", "of ")) or before in {
            "in",
            "within",
            "inside",
            "of",
        }
        told[dimension.name] = "in" if inside else "by" if sentence[i].op(Op.BY) else "each"
    for way in ("in", "each"):
        held = [d for d, said in told.items() if said == way]
        if len(held) == 1:
            return held[0]
    return None


def share_of_each(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """“what percentage of orders came from A in 2025 versus 2024”: the share in the one and in the other."""
    against = draft.comparison
    at = sentence.find(Op.SHARE)
    if not at or against is None or against.period is None or draft.dimensions:
        return False
    if not sentence[at[0]].text.lower().endswith(" of") or not draft.filters:
        return False
    draft.comparison = None
    if read_share(draft, sentence, conditions, names):
        draft.other_periods = [against.period]
        return True
    draft.comparison = against
    return False


def _of_rows(draft: Draft, sentence: Sentence, at: int, names: Names) -> bool:
    """“the share of each category”: of the rows, as nothing else is measured."""
    if len(draft.dimensions) != 1 or draft.filters or draft.dimensions[0].startswith("@"):
        return False
    group = names.model.dimension(draft.dimensions[0])
    following = sentence.after(at)
    each = following is not None and sentence[following].text.lower() in {"each", "every", "of each"}
    if not each or group.type is not DimensionType.CATEGORY:
        return False
    draft.metrics = [names.count_of_table(group.home.table).name]
    draft.kind = _K.SHARE
    return True


def _is_each(sentence: Sentence, at: int) -> bool:
    """“what share of each …”: a share within every group, not one of all groups."""
    following = sentence.after(at)
    return following is not None and sentence[following].op(Op.EACH)


def _split_within(draft: Draft, sentence: Sentence, conditions: Conditions) -> None:
    """“what share of orders had more than 2 units in each region”: what they did makes the part of each group."""
    if (among := split_among(sentence, places(draft, conditions))) is not None:
        draft.filters, draft.part = among
        return
    clause = sentence.find(Op.THAT)
    verb = 1 if _is_each(sentence, sentence.find(Op.SHARE)[0]) else verb_at(sentence)
    verb = verb or (sentence[clause[0]].start if clause else 0)
    done = [f for at, f in places(draft, conditions)
            if verb and sentence[at].start >= verb and not narrows(sentence, at)]  # fmt: skip
    if not verb:  # "share of orders with more than one unit by channel"
        bounds = {
            n.at
            for n in conditions.numbers
            if any(sentence[j].op(Op.WITH) for j in range(max(0, n.at - 2), n.at))
        }
        done = [f for at, f in places(draft, conditions) if at in bounds]
    share, each = sentence.find(Op.SHARE)[0], sentence.find(Op.EACH)
    if not done and each:  # "what proportion of passengers travelled alone in each class"
        done = [
            f
            for at, f in places(draft, conditions)
            if share < at < each[-1]
            and not narrows(sentence, at)
            and not is_attribute(sentence, at)
            and not (is_object(sentence, at) and len(draft.filters) > 1)
        ]
    if not done and not verb:
        done = _undergone(draft, sentence, conditions, share)
    owned = sentence.words[sentence[share].end].lower if sentence[share].end < len(sentence.words) else ""
    if not done and owned in {"its", "their"}:  # "returned least often, as a share of its orders"
        done = [f for at, f in places(draft, conditions) if at < share and f in draft.filters]
    if done and not any(f.having for f in draft.filters):
        draft.part, draft.filters = done, [f for f in draft.filters if f not in done]


def _undergone(draft: Draft, sentence: Sentence, conditions: Conditions, share: int) -> list[Filter]:
    """“the share of parcels held at customs by country”: what happened to rows, said right behind them, is the part."""
    rows = next((j for j, x in sentence if j > share and x.named(LinkKind.TABLE) is not None), None)
    end = sentence[rows].end if rows is not None else len(sentence.words)
    if end >= len(sentence.words) or not get_lexicon().is_participle(sentence.words[end].lower):
        return []
    by = [sentence[j].start for j in sentence.find(Op.BY)]
    placed = [(sentence[at].start, f) for at, f in places(draft, conditions)]
    return [f for start, f in placed if end <= start and (not by or start < by[-1])]


def _count_things(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“what share of payments failed”: what happened to things is counted in things, not in money."""
    for i, item in sentence:
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        table = item.named(LinkKind.TABLE)
        if following is None or table is None or following.start != item.end or not following.values:
            continue
        measure = names.measure(item)
        happened = following.text.lower().endswith(("ed", "en"))
        if happened and measure is not None and draft.metrics == [measure.name]:
            draft.metrics = [names.count_of_table(table.name).name]


def _count_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the share of paid fines”: of the rows, which are called so, not of their money."""
    if not draft.metrics and (said := rows_shared(sentence, names)) is not None:
        draft.metrics = [said]
    for _, item in sentence:
        if draft.filters and (rows := _rows_called(item, draft, names)) is not None:
            draft.metrics = [names.count_of_table(rows).name]
            item.links = (Link(LinkKind.TABLE, rows, 0.95),)


def _rows_called(item: Item, draft: Draft, names: Names) -> str | None:
    """“fines”, where a fine is money and the rows are parking fines: in the plural the table is meant."""
    measure, said = names.measure(item), item.text.lower()
    if measure is None or measure.table is None or draft.metrics != [measure.name] or measure.label == said:
        return None
    last = name_words(names.model.table(measure.table).label)[-1:]
    return measure.table if said.endswith("s") and last == (singular(said),) else None


def _rate_of_flag(draft: Draft, sentence: Sentence, names: Names) -> bool:
    """“what percentage of orders were returned”: the share of rows that a flag marks is its rate.

    Not so in “what percentage of returned orders came from the west”, where the marked rows are the whole.
    """
    if len(draft.metrics) != 1:
        return False
    count = names.model.metric(draft.metrics[0])
    column = names.column_of(count)
    if count.aggregation is not Aggregation.SUM or column is None or column.type is not DimensionType.BOOLEAN:
        return False
    said = next((x for _, x in sentence if any(link.name == count.name for link in x.links)), None)
    first = stem(name_words(said.text)[0]) if said is not None else ""
    if draft.filters and first in {stem(w) for w in name_words(column.label)}:
        return False
    rate = names.rate_of(count)
    if rate is not None:
        draft.metrics = [rate.name]
    return rate is not None
