"""What kind of answer a draft asks for, decided from what was bound rather than from how it was phrased."""

from __future__ import annotations

from datetime import date

from gnomon.core.operations import Tell, Walk
from gnomon.core.parts import Comparison, Filter, FilterOperator, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeGranularity
from gnomon.language.time_grammar import previous_period
from gnomon.planning.reader.amounts import is_amount_of, measure_amount
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.counted_subjects import (
    by_group,
    count_subjects,
    list_periods,
    subjects_counted,
    whose,
)
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.groupings import count_categories, is_pooled
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.period_changes import note_moved
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.share_parts import bounded_periods, share_along
from gnomon.planning.reader.shares import read_share, share_of_each
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.unasked_groups import is_subject, is_told_apart
from gnomon.planning.reader.verdicts import note_claims, note_moved_on
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.derived import outside
from gnomon.semantic.yardsticks import PREFIX

_K = QuestionKind
_OF_COLUMN = late_pattern(
    r"^(?:min|max|median|stddev|sum|variance|skewness|kurtosis|iqr|mode)\((\S+\.\S+)\)$"
)
_ANALYTIC = (_K.CAUSE, _K.ANOMALY, _K.FORECAST, _K.CORRELATION, _K.DISTRIBUTION)


def decide_kind(
    draft: Draft,
    sentence: Sentence,
    times: Times,
    conditions: Conditions,
    names: Names,
    *,
    ranked: bool,
) -> None:
    """Set the kind of ``draft`` and fill in what that kind needs."""
    said = _said(sentence)
    if sentence.has(Op.SHARE) and bounded_periods(draft, sentence, names):
        return
    if not sentence.has(Op.COUNT) and list_periods(draft, conditions, names):
        return
    if not sentence.has(Op.SHARE) and subjects_counted(sentence, conditions, names):
        count_subjects(draft, names, conditions)
    told_of = whose(sentence, conditions, names)
    draft.dimensions = [d for d in draft.dimensions if d not in told_of]
    if _K.DISTRIBUTION in said:
        count_categories(draft, sentence, names)
    _counted_noun(draft, sentence, names, said)
    grouping_left(draft, sentence, names, said)
    compared = draft.comparison is not None and sentence.has(Op.CHANGE, Op.VERSUS)
    shared = sentence.has(Op.SHARE) and not compared and not _in_percent(draft, sentence)
    if shared and read_share(draft, sentence, conditions, names):
        if draft.grain is not None or times.over_time or _K.TREND in said or _changes(draft, sentence):
            share_along(draft, sentence)
        return
    if compared and not sentence.has(Op.CHANGE) and share_of_each(draft, sentence, conditions, names):
        return
    if _K.DISTRIBUTION in said and draft.dimensions:
        said = [kind for kind in said if kind is not _K.DISTRIBUTION]
    if _K.DISTRIBUTION in said and draft.metrics:
        draft.metrics = [_unaggregated(m) for m in draft.metrics]
    counted = bool(len(sentence)) and sentence[0].op(
        Op.COUNT
    )  # "how many strikes led to a fire": how many is asked, not why
    grouped = ranked and bool(draft.dimensions or draft.grain)
    if (grouped or counted) and "why" not in sentence.words[0].lower:
        said = [kind for kind in said if kind is not _K.CAUSE]
    for kind in _ANALYTIC:
        if kind in said and _analytic(draft, kind, sentence, names):
            draft.kind = kind
            return
    held = any("benchmark" in str(f.field) for f in draft.filters)
    if sentence.has(Op.BENCHMARK) and draft.metrics and not held:
        draft.kind = _K.COMPARISON
        yardstick = f"{PREFIX}{draft.metrics[0]}"
        known = any(m.name == yardstick for m in names.model.metrics)
        draft.unexplained += [] if known or not sentence.has(Op.RANK) else ["benchmark"]
        draft.comparison = Comparison(kind="benchmark")
        if known:
            draft.comparison = Comparison(kind="benchmark", label="the benchmark", yardstick=yardstick)
            if _asks_benchmark(sentence):
                draft.tell(Tell.BENCHMARK)
        return
    _flag_against_flag(draft, sentence)
    note_claims(draft, sentence, names)
    if draft.grain is not None or times.over_time or _K.TREND in said:
        _along_time(draft)
    if _compared(draft, sentence):
        draft.kind = _K.COMPARISON
        note_moved_on(draft, sentence)
        note_moved(draft, sentence, names)
        return
    if ranked and (draft.dimensions or draft.grain) and draft.kind is not _K.BREAKDOWN:
        draft.kind = _K.RANKING
        _per_group(draft, sentence, names)
        # what grew most since when was not said, and what it came to is not how far it rose
        draft.unexplained += [x.text for _, x in sentence if x.op(Op.CHANGE) and not x.links and not x.used]
        return
    if draft.metrics and (
        draft.grain is not None or times.over_time or _K.TREND in said or _changes(draft, sentence)
    ):
        draft.kind = _K.TREND
        if _changes(draft, sentence) or (
            times.comparison is None and "change against the period before" in times.notes
        ):
            draft.course = draft.course.walking(Walk.GROWTH)
        return
    _plain(draft, sentence, names, said, conditions)


def _asks_benchmark(sentence: Sentence) -> bool:
    """“what is the benchmark conversion rate”: the yardstick itself is asked for."""
    first = sentence[sentence.find(Op.BENCHMARK)[0]].start
    return first > 0 and {w.lower for w in sentence.words[:first]} <= _OPENING


def _said(sentence: Sentence) -> list[QuestionKind]:
    return [
        item.operator.payload for _, item in sentence
        if item.op(Op.KIND) and item.operator is not None and not item.links and not _is_noun(item, sentence)
    ]  # fmt: skip


def _is_noun(item: Item, sentence: Sentence) -> bool:
    """“more than 100 on the list” does not ask for a list, “the list of brands” does."""
    before = sentence.words[item.start - 1].lower if item.start else ""
    following = sentence.words[item.end].lower if item.end < len(sentence.words) else ""
    return item.text.lower() == "list" and before in {"the", "our", "their"} and following != "of"


def grouping_left(draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind]) -> None:
    """A category that was named and not used groups: "regional sales", "compare the channels"."""
    if _K.CORRELATION in said or _K.DISTRIBUTION in said:
        return
    for i, item in sentence:
        if item.used or not item.links or item.links[0].quality < 0.9 or not draft.metrics:
            continue
        dimension = names.dimension(item)
        if dimension is not None and is_pooled(sentence, i):
            item.links, item.operator = (), Operator(Op.FILLER)
            before = sentence[i - 1] if i else item
            before.used = before.used or before.text.lower() == "over"
            continue
        told_by = i + 1 < len(sentence) and _tells_by(sentence[i + 1])
        rows = dimension is not None and item.links[0].name != dimension.name
        if dimension is not None and (dimension.type is not DimensionType.CATEGORY or rows):
            told_by = told_by and not draft.dimensions  # "the amount paid by country" is by country alone
        if dimension is None or (dimension.type is not DimensionType.CATEGORY and not told_by):
            continue
        if item.links[0].name != dimension.name and not told_by:
            continue
        if any(f.field == dimension.name for f in draft.filters):
            continue
        if sentence.has(Op.SHARE) and is_told_apart(sentence, i):
            item.used = True
            continue
        if not told_by and is_subject(i, dimension, draft, sentence, names):
            continue
        if all(names.model.reaches(names.model.metric(m), dimension) for m in draft.metrics):
            draft.add_dimension(dimension.name)
            item.used = True


def _tells_by(item: Item) -> bool:
    """“products by reviews”; not “pupils with and without free meals”."""
    return item.op(Op.BY) and not item.text.lower().startswith("with")


_OPENING = frozenset({"what", "what's", "whats", "is", "was", "the", "tell", "me", "show", "give"})


def _counted_noun(draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind]) -> None:
    """“weekly orders”, “orders by region”: a noun that is broken down and measured by nothing else is counted."""
    split = (
        draft.dimensions or draft.grain or _changes(draft, sentence) or set(said) & {_K.CAUSE, _K.FORECAST}
    )
    if draft.metrics or not split or _K.LIST in said or draft.limit:
        return
    if any(f.having for f in draft.filters):
        return  # what the condition is about is told
    for i, item in sentence:
        count = names.count(item) if item.links and not item.used else None
        if count is None or any(
            names.count_of_dimension(names.model.dimension(d)).name == count.name
            for d in draft.dimensions
            if not d.startswith("@")
        ):
            continue
        group = names.dimension(item, DimensionType.CATEGORY)
        one = group is not None and not name_words(item.text)[-1].endswith("s")
        apart = one and count.aggregation is Aggregation.COUNT_DISTINCT and not sentence.has(Op.SHARE)
        if group is not None and apart:
            draft.add_dimension(group.name)  # "payment method split by year": the rows of each of them
            count = names.count_of_table(group.home.table)
        draft.add_metric(count.name)
        item.used = True
        _count_beside(draft, sentence, i, names)
        return
    rows = any(item.op(Op.ROWS) and not item.links for _, item in sentence)
    table = names.default_table(()) if rows and (draft.dimensions or draft.grain) else None
    if table is not None:
        draft.add_metric(names.count_of_table(table).name)  # "entries per country"
    for _, item in sentence:
        flag = names.dimension(item, DimensionType.BOOLEAN) if item.links and item.used else None
        if flag is not None and item.text.lower().endswith("s") and sentence.has(Op.BY, Op.PER, Op.EACH):
            draft.add_metric(names.count_of_table(flag.home.table).name)  # "no shows by ward"
            return


def _count_beside(draft: Draft, sentence: Sentence, i: int, names: Names) -> None:
    """“orders and reviews by month”: nouns that are joined are counted alike."""
    while i + 2 < len(sentence) and sentence[i + 1].op(Op.AND) and sentence[i + 2].links:
        noun = sentence[i + 2]
        rows = noun.named(LinkKind.TABLE) is not None and noun.text.lower().endswith("s")
        count = names.count(noun) if rows and not noun.used and names.measure(noun) is None else None
        if count is None:
            return
        draft.add_metric(count.name)
        noun.used = True
        i += 2


def _analytic(draft: Draft, kind: QuestionKind, sentence: Sentence, names: Names) -> bool:
    if kind is _K.CORRELATION:
        if len(draft.metrics) < 2:
            for _, item in sentence:
                column = None if item.used else names.dimension(item, DimensionType.NUMBER)
                if column is not None:
                    draft.add_metric(f"{Aggregation.MEAN}({column.home})")
                    item.used = True
        _paired_by_thing(draft, names)
        # "in every depot" asks for one coefficient for each of them, which the averages of depots do not tell
        inside = [sentence[i].text for i in sentence.find(Op.EACH)]
        draft.unexplained += [t for t in inside if t.lower().startswith(("in ", "within", "for ", "at "))]
        return len(draft.metrics) == 2
    if kind is _K.DISTRIBUTION:
        return (bool(draft.metrics) and not draft.dimensions) or bool(draft.metrics)
    if kind is _K.ANOMALY:
        _looked_at_by(draft, sentence, names)
        return True
    return bool(draft.metrics)


def _looked_at_by(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“unusual weeks”: the periods among which some stand out, where no other part of the question takes them."""
    units = [x for _, x in sentence if x.op(Op.UNIT)]  # "months in 2024" is also a column and its bound
    said = {str(x.operator.payload) for x in units if x.operator is not None}
    if draft.grain is None and not draft.dimensions and len(said) == 1 and said <= set(TimeGranularity):
        draft.grain = TimeGranularity(said.pop())
        for unit in units:
            unit.used = True
    free = [x for _, x in sentence if x.links and not x.used and draft.grain is None and not draft.dimensions]
    for group in filter(
        None, (names.dimension(x, DimensionType.CATEGORY, DimensionType.ID) for x in free[:1])
    ):
        draft.add_dimension(group.name)  # “are any sites unusual in cost”: the sites, and no days
        free[0].used = True


def _paired_by_thing(draft: Draft, names: Names) -> None:
    """“does revenue per product go with its price”: the products are what the two are paired by."""
    model = names.model
    for n, reference in enumerate(draft.metrics):
        over, under = outside(reference, " / ") or (reference, "")
        count = model.metric(under) if under and not draft.dimensions and draft.grain is None else None
        thing = (
            names.identifier(Link(LinkKind.METRIC, under, 1.0))
            if count is not None and is_count(count)
            else None
        )
        others = [model.metric(m) for m in (over, *draft.metrics[:n], *draft.metrics[n + 1 :])]
        if thing is not None and all(model.reaches(m, thing) for m in others):
            draft.metrics[n] = over
            draft.add_dimension(thing.name)


def _unaggregated(reference: str) -> str:
    """The column behind ``min(…)`` and the like: a distribution shows all of it."""
    match = _OF_COLUMN.match(reference)
    return f"{Aggregation.MEAN}({match[1]})" if match else reference


def _flag_against_flag(draft: Draft, sentence: Sentence) -> None:
    """“union vs non-union”: both values of one column were asked for, so they are set against each other."""
    if not sentence.has(Op.VERSUS):
        return
    equal = [f for f in draft.filters if f.operator is FilterOperator.EQUALS and not f.having]
    for f in equal:
        others = [g for g in equal if g.field == f.field and g.values != f.values]
        if others:
            draft.filters = [g for g in draft.filters if g not in (f, *others)]
            draft.add_dimension(f.field)
            draft.comparison = Comparison(kind="group", groups=(str(f.values[0]), str(others[0].values[0])))
            return


def _in_percent(draft: Draft, sentence: Sentence) -> bool:
    """“how much did it change, in percent, from year to year”: how a change is told is no share."""
    said = [sentence[i].text.lower() for i in sentence.find(Op.SHARE)]
    bare = all(text.split()[-1] in {"percent", "percentage", "pct", "%", "percentages"} for text in said)
    return bare and _changes(draft, sentence) and not draft.filters and not draft.dimensions


def _along_time(draft: Draft) -> None:
    """“gas versus coal by year”: the groups are set against each other in every period, not once over all of them."""
    comparison = draft.comparison
    groups = comparison.groups if comparison is not None and comparison.kind == "group" else ()
    named = [f for f in draft.filters if not f.having and set(groups) & {str(v) for v in f.values}]
    if len(groups) < 2 or draft.limit is not None or len({f.field for f in named}) != 1:
        return
    chosen = Filter(field=named[0].field, operator=FilterOperator.IN, values=tuple(groups))
    draft.filters = [*(f for f in draft.filters if f not in named), chosen]
    draft.add_dimension(named[0].field)
    draft.comparison = None


def _compared(draft: Draft, sentence: Sentence) -> bool:
    """Whether two things are set against each other, and what the other one is."""
    if not draft.metrics:
        return False
    if draft.comparison is not None:
        return True
    if (
        _changes(draft, sentence)
        and draft.time_range is not None
        and draft.time_range.start > date.min
        and draft.time_range.end < date.max
        and draft.grain is None
    ):
        before = previous_period(draft.time_range)
        draft.comparison = Comparison(kind="period", period=before)
        return True
    return False


def _changes(draft: Draft, sentence: Sentence) -> bool:
    return any(item.op(Op.CHANGE) and not item.links for _, item in sentence)


def _per_group(draft: Draft, sentence: Sentence, names: Names) -> None:
    """The top 3 products in each region: the dimension after "each" is what the count starts anew for."""
    if len(draft.dimensions) < 2 or draft.limit is None:
        return
    for i in sentence.find(Op.EACH, Op.PER, Op.BY):
        j = sentence.after(i)
        if j is None:
            continue
        dimension = names.dimension(sentence[j])
        if dimension is not None and sentence[i].op(Op.BY) and _same_things(draft, dimension, names):
            draft.dimensions = [dimension.name]  # "species by scientific name": by what name to call them
            return
        if dimension is not None and dimension.name in draft.dimensions:
            draft.limit_per = dimension.name
            draft.dimensions.remove(dimension.name)
            draft.dimensions.insert(0, dimension.name)
            return


def _same_things(draft: Draft, dimension: Dimension, names: Names) -> bool:
    """Whether two columns of a table tell as many things apart, so that one is another name for the other."""
    others = [
        names.model.dimension(d) for d in draft.dimensions if d != dimension.name and not d.startswith("@")
    ]
    return len(others) == 1 and all(
        o.home.table == dimension.home.table and (o.distinct or 0) == (dimension.distinct or 0) > 2
        for o in others
    )


def _plain(
    draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind], conditions: Conditions
) -> None:
    groups = [f for f in draft.filters if f.having]
    bounds = [f.field for f in groups if f.values != (0,) or f.operator is not FilterOperator.EQUALS]
    if draft.dimensions and not draft.metrics and bounds:
        draft.metrics += bounds
    if draft.dimensions and not draft.metrics and groups:
        draft.kind = _K.LIST  # "which products have no reviews": their number is the same for all
        return
    if draft.dimensions and not draft.metrics and _rows_counted(draft, said, conditions, names):
        draft.kind = _K.VALUE
        return
    if draft.dimensions and draft.metrics:
        having = any(f.having for f in draft.filters)
        draft.kind = _K.LIST if having else _K.BREAKDOWN
        if (
            draft.dimensions == [f.field for f in draft.filters if f.operator is FilterOperator.EQUALS][:1]
            and len(draft.dimensions) == 1
        ):
            draft.kind, draft.dimensions = _K.VALUE, []
        return
    if draft.dimensions:
        draft.kind = _K.BREAKDOWN if by_group(draft, sentence, said, names) else _K.LIST
        return
    if draft.metrics:
        draft.kind = _K.VALUE
        return
    _nothing_measured(draft, sentence, names, said)


def _rows_counted(draft: Draft, said: list[QuestionKind], conditions: Conditions, names: Names) -> bool:
    """“orders with more than 5 units” counts the rows that meet the condition, unless a list was asked for."""
    named = any(item.op(Op.WHICH) and item.text.lower() == "which" for _, item in conditions.sentence)
    if _K.LIST in said or named or len(draft.dimensions) != 1:
        return False
    dimension = names.model.dimension(draft.dimensions[0])
    if not any(n.subject == dimension for n in conditions.numbers):
        return False
    draft.metrics = [names.count_of_dimension(dimension).name]
    draft.dimensions = []
    return True


def _nothing_measured(draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind]) -> None:
    """No measure and no group: a noun alone is counted or listed; otherwise the data itself is asked about."""
    if _K.PROFILE in said or sentence.has(Op.COLUMNS, Op.TABLES):
        draft.kind = _K.PROFILE
        return
    if _K.LIST in said and (thing := _bounded_thing(draft, names)) is not None:
        draft.add_dimension(thing.name)
        draft.kind = _K.LIST
        return
    for _, item in sentence:
        if item.used or not item.links:
            continue
        dimension = names.dimension(item)
        count = names.count(item)
        asked_for_list = _K.LIST in said or sentence.has(Op.WHICH) or names.is_told_by(item, sentence.words)
        if dimension is not None and _K.LIST not in said and is_amount_of(item, dimension):
            measure_amount(draft, item, dimension, names)
            return
        if dimension is not None and (asked_for_list or count is None):
            draft.add_dimension(dimension.name)
            draft.kind = _K.LIST
            item.used = True
            return
        if count is not None:
            draft.add_metric(count.name)
            draft.kind = _K.VALUE
            item.used = True
            return
    if sentence.has(Op.ROWS) and (table := names.default_table(())):
        draft.add_metric(names.count_of_table(table).name)
        draft.kind = _K.VALUE


def _bounded_thing(draft: Draft, names: Names) -> Dimension | None:
    """“the names of everything with a price over 140”: what has such a price, where rows of one table do."""
    fields = [names.model.dimension(f.field) for f in draft.filters if not f.having and "@" not in f.field]
    homes = [*{d.home.table for d in fields}]
    return names.identifier(Link(LinkKind.TABLE, homes[0], 1.0)) if len(homes) == 1 else None
