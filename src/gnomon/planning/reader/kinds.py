"""What kind of answer a draft asks for, decided from what was bound rather than from how it was phrased."""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.query import TimeGranularity
from gnomon.core.request import Comparison, FilterOperator, QuestionKind
from gnomon.language.time_grammar import previous_period
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.yardsticks import PREFIX

_K = QuestionKind
_OF_COLUMN = re.compile(r"^(?:min|max|median|stddev|sum)\((\S+\.\S+)\)$")
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
    if not sentence.has(Op.COUNT) and _list_periods(draft, conditions):
        return
    if not sentence.has(Op.SHARE) and _subjects_counted(sentence, conditions, names):
        _count_subjects(draft, names, conditions)
    _counted_noun(draft, sentence, names, said)
    grouping_left(draft, sentence, names, said)
    compared = draft.comparison is not None and sentence.has(Op.CHANGE, Op.VERSUS)
    if sentence.has(Op.SHARE) and not compared and _share(draft, sentence, conditions, names):
        return
    if _K.DISTRIBUTION in said and draft.dimensions:
        said = [kind for kind in said if kind is not _K.DISTRIBUTION]
    if _K.DISTRIBUTION in said and draft.metrics:
        draft.metrics = [_unaggregated(m) for m in draft.metrics]
    if ranked and (draft.dimensions or draft.grain) and "why" not in sentence.words[0].lower:
        said = [kind for kind in said if kind is not _K.CAUSE]
    for kind in _ANALYTIC:
        if kind in said and _analytic(draft, kind, sentence, names):
            draft.kind = kind
            return
    if sentence.has(Op.BENCHMARK) and draft.metrics and not _is_filtered_by(draft, "benchmark"):
        draft.kind = _K.COMPARISON
        yardstick = f"{PREFIX}{draft.metrics[0]}"
        known = any(m.name == yardstick for m in names.model.metrics)
        draft.comparison = Comparison(kind="benchmark", label="the benchmark" if known else "")
        if known:
            draft.parameters["benchmark"] = yardstick
        return
    _flag_against_flag(draft, sentence)
    if _compared(draft, sentence):
        draft.kind = _K.COMPARISON
        return
    if ranked and (draft.dimensions or draft.grain):
        draft.kind = _K.RANKING
        _per_group(draft, sentence, names)
        return
    if draft.metrics and (
        draft.grain is not None or times.over_time or _K.TREND in said or _changes(draft, sentence)
    ):
        draft.kind = _K.TREND
        if _changes(draft, sentence) or (
            times.comparison is None and "change against the period before" in times.notes
        ):
            draft.parameters["growth"] = True
        return
    _plain(draft, sentence, names, said, conditions)


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
    for _, item in sentence:
        if item.used or not item.links or item.links[0].quality < 0.9 or not draft.metrics:
            continue
        dimension = names.dimension(item)
        if (
            dimension is None
            or dimension.type is not DimensionType.CATEGORY
            or item.links[0].name != dimension.name
        ):
            continue
        if any(f.field == dimension.name for f in draft.filters):
            continue
        if all(names.model.reaches(names.model.metric(m), dimension) for m in draft.metrics):
            draft.add_dimension(dimension.name)
            item.used = True


def _counted_noun(draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind]) -> None:
    """“weekly orders”, “orders by region”: a noun that is broken down and measured by nothing else is counted."""
    if draft.metrics or not (draft.dimensions or draft.grain) or _K.LIST in said or draft.limit:
        return
    for _, item in sentence:
        count = names.count(item) if item.links and not item.used else None
        if count is None or any(
            names.count_of_dimension(names.model.dimension(d)).name == count.name
            for d in draft.dimensions
            if not d.startswith("@")
        ):
            continue
        draft.add_metric(count.name)
        item.used = True
        return


def _share(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    at = sentence.find(Op.SHARE)[0]
    if sentence[at].links and not sentence[at].op(Op.SHARE):
        return False
    subjects = {n.subject.name for n in conditions.numbers if isinstance(n.subject, Dimension)}
    if not draft.metrics:
        nouns = [item for i, item in sentence if i > at and item.links] + [
            item for _, item in sentence if item.links
        ]
        counted = next((m for item in nouns if (m := names.countable(item)) is not None), None)
        own = {
            names.count_of_dimension(names.model.dimension(d)).name
            for d in draft.dimensions
            if not d.startswith("@")
        }
        if counted is None and (table := names.default_table(())) is not None and draft.filters:
            counted = names.count_of_table(table)
        asked = any(x.op(Op.WHICH) and x.text.lower() != "what" for _, x in sentence)
        if counted is None or (counted.name in own and not subjects and (asked or not draft.filters)):
            return False
        if counted.name in own and not subjects:
            draft.dimensions = []  # "what percentage of products cost more than 50" counts them
        draft.add_metric(counted.name)
    for d in list(draft.dimensions):
        if d in subjects and names.count_of_dimension(names.model.dimension(d)).name in draft.metrics:
            draft.dimensions.remove(d)
    if len(draft.metrics) == 2 and not draft.filters and not draft.dimensions:
        # "what percentage of revenue goes into advertising": one total over the other
        first, second = draft.metrics
        as_share = re.search(
            r"\bas (a |the )?(share|percentage|percent|fraction|proportion)", draft.question, re.IGNORECASE
        )
        draft.metrics = [f"{first} / {second}" if as_share else f"{second} / {first}"]
        draft.kind = _K.VALUE
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
    for i in sentence.find(Op.SHARE):
        sentence[i].used = True
    if draft.filters and not draft.dimensions:
        _split_part(draft, sentence, conditions)
    return True


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
    rates = [
        m for m in names.model.metrics if m.aggregation is Aggregation.MEAN and names.column_of(m) == column
    ]
    if rates:
        draft.metrics = [rates[0].name]
    return bool(rates)


def _split_part(draft: Draft, sentence: Sentence, conditions: Conditions) -> None:
    """Which conditions make the part: those after the verb; where all stand on one side, all of them."""
    places = [(at, f) for at, f in conditions.filters]
    places += [
        (n.at, f) for n, f in zip(conditions.numbers, draft.filters[len(conditions.filters) :], strict=False)
    ]
    values = draft.filters[len(conditions.filters) + len(conditions.numbers) :]
    places += [(v.at, f) for v, f in zip(conditions.values, values, strict=False)]
    flags = [f for _, f in conditions.filters]
    if flags and len(places) > len(flags) and _verb_at(sentence) == 0:
        # "what percentage of the women survived": the yes-or-no column is what they did
        draft.part, draft.filters = flags, [f for _, f in places if f not in flags]
        return
    if len(places) > 1:
        verb = _verb_at(sentence)
        whole = [f for at, f in places if sentence[at].start < verb]
        part = [f for at, f in places if sentence[at].start >= verb]
        if part and whole:
            draft.filters, draft.part = whole, part
            return
        whole = [f for at, f in places if _narrows(sentence, at)]
        if whole and len(whole) < len(places):
            draft.filters, draft.part = whole, [f for _, f in places if f not in whole]
            return
    draft.part, draft.filters = list(draft.filters), []


def _narrows(sentence: Sentence, at: int) -> bool:
    """“… in the north”, “marketplace only”: a condition that narrows what the share is taken of."""
    before = sentence.before(at, (Op.FILLER,))
    near = [sentence[j] for j in (at - 1, at + 1) if 0 <= j < len(sentence)]
    placed = before is not None and sentence[before].op(Op.IN) and bool(sentence[at].values)
    return placed or any(x.op(Op.ONLY) for x in near)


def _verb_at(sentence: Sentence) -> int:
    """The first word that says what the part does: is, are, was, were, comes from."""
    for i, item in sentence:
        if item.op(Op.COMES_FROM) and i:
            return item.start
    verbs = {"is", "are", "was", "were", "has", "have", "had", "come", "comes", "got", "gets", "get", "been"}
    for position, word in enumerate(sentence.words):
        if position > 2 and word.lower in verbs:
            return position
    return 0


def _analytic(draft: Draft, kind: QuestionKind, sentence: Sentence, names: Names) -> bool:
    if kind is _K.CORRELATION:
        if len(draft.metrics) < 2:
            for _, item in sentence:
                column = None if item.used else names.dimension(item, DimensionType.NUMBER)
                if column is not None:
                    draft.add_metric(f"{Aggregation.MEAN}({column.home})")
                    item.used = True
        return len(draft.metrics) == 2
    if kind is _K.DISTRIBUTION:
        return (bool(draft.metrics) and not draft.dimensions) or bool(draft.metrics)
    return bool(draft.metrics) or kind is _K.ANOMALY


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
        and not draft.dimensions
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
        if dimension is not None and dimension.name in draft.dimensions:
            draft.limit_per = dimension.name
            draft.dimensions.remove(dimension.name)
            draft.dimensions.insert(0, dimension.name)
            return


def _plain(
    draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind], conditions: Conditions
) -> None:
    bounds = [f.field for f in draft.filters if f.having]
    if draft.dimensions and not draft.metrics and bounds:
        draft.metrics += bounds
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
        draft.kind = _K.LIST
        return
    if draft.metrics:
        draft.kind = _K.VALUE
        return
    _nothing_measured(draft, sentence, names, said)


def _rows_counted(draft: Draft, said: list[QuestionKind], conditions: Conditions, names: Names) -> bool:
    """“orders with more than 5 units” counts the rows that meet the condition, unless a list was asked for."""
    if _K.LIST in said or len(draft.dimensions) != 1:
        return False
    dimension = names.model.dimension(draft.dimensions[0])
    if not any(n.subject == dimension for n in conditions.numbers):
        return False
    draft.metrics = [names.count_of_dimension(dimension).name]
    draft.dimensions = []
    return True


def _list_periods(draft: Draft, conditions: Conditions) -> bool:
    """“which days had more than …”: the periods that meet a condition are listed."""
    bounds = [f for f in draft.filters if f.having and f.by in set(TimeGranularity)]
    if not bounds:
        return False
    draft.grain = TimeGranularity(str(bounds[0].by))
    draft.filters = [f.model_copy(update={"by": None}) if f in bounds else f for f in draft.filters]
    draft.metrics = list(dict.fromkeys([*draft.metrics, *(f.field for f in bounds)]))
    draft.kind = _K.LIST
    return True


def _subjects_counted(sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """Whether the nouns that conditions are about are what is counted."""
    places = [n.subject_at for n in conditions.numbers if n.subject_at is not None]
    if not places:
        return False
    for at in places:
        if _said_as_count(sentence[at]):
            return True
    return any(any(i < at for at in places) or i == len(sentence) - 1 for i in sentence.find(Op.COUNT))


def _said_as_count(item: Item) -> bool:
    return item.end - item.start > 1 and item.text.lower().startswith(
        ("number", "count", "how many", "total number")
    )


def _count_subjects(draft: Draft, names: Names, conditions: Conditions) -> None:
    """“how many products sold more than …”: what meets the condition is counted, not listed."""
    for n in conditions.numbers:
        name = n.subject.name if isinstance(n.subject, Dimension) else n.subject.value if n.subject else None
        if name is None:
            continue
        bound = next((f for f in draft.filters if f.having and f.by == name), None)
        if bound is not None:
            said = " and ".join(f"{v:g}" if isinstance(v, int | float) else str(v) for v in bound.values)
            draft.metrics = [f"{Aggregation.COUNT}({bound.field} per {name} {bound.operator} {said})"]
            draft.filters.remove(bound)
        elif isinstance(n.subject, Dimension):
            draft.metrics = [names.count_of_dimension(n.subject).name]
        elif n.dimension is not None:
            draft.metrics = [_periods(n.dimension, names)]
        if name in draft.dimensions:
            draft.dimensions.remove(name)
        draft.grain = None


def _periods(column: Dimension, names: Names) -> str:
    """How many days have a row that meets a condition: rows, where each row is a day."""
    table = names.model.table(column.home.table)
    time = names.model.dimension(table.time_dimension) if table.time_dimension else None
    if time is None or table.key == (time.at(table.name),):
        return names.count_of_table(table.name).name
    return f"{Aggregation.COUNT_DISTINCT}({table.name}.{time.at(table.name)})"


def _nothing_measured(draft: Draft, sentence: Sentence, names: Names, said: list[QuestionKind]) -> None:
    """No measure and no group: a noun alone is counted or listed; otherwise the data itself is asked about."""
    if _K.PROFILE in said or sentence.has(Op.COLUMNS, Op.TABLES):
        draft.kind = _K.PROFILE
        return
    for _, item in sentence:
        if item.used or not item.links:
            continue
        dimension = names.dimension(item)
        count = names.count(item)
        asked_for_list = _K.LIST in said or sentence.has(Op.WHICH)
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


def _is_filtered_by(draft: Draft, word: str) -> bool:
    return any(word in str(f.field) for f in draft.filters)
