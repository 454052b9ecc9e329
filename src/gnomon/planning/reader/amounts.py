"""What “what volume” asks for: how much there is of a column of numbers, not each of its numbers."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.payments import DEALING, PAYING, is_dealt_in
from gnomon.planning.reader.per_head import tells_people
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType

_IN_ALL = frozenset({"overall", "altogether", "in total", "in all", "all in all", "all told"})
_MOST = frozenset({"most", "least", "fewest"})
_BETWEEN = frozenset({"in", "us", "the", "out", "up"})


def rank_in_all(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the most traffic overall”, “brought in the most premium”: ranked by all of it, not by what one row has."""
    if draft.kind is not QuestionKind.RANKING or len(draft.metrics) != 1:
        return
    metric = names.model.metric(draft.metrics[0])
    people = names.column_of(metric) if draft.metrics[0].startswith("sum(") else None
    if people is not None and tells_people(people.label) and not _is_of_one_time(draft, people, names):
        draft.metrics = [f"{Aggregation.MEAN}({people.home})"]  # nobody lives there once a year
        return
    column = names.column_of(metric) if metric.aggregation is Aggregation.MEAN else None
    if column is None or column.type is not DimensionType.NUMBER or metric.inner is not None:
        return
    most = [
        x
        for _, x in sentence
        if x.op(Op.RANK) and x.text.lower().split()[-1:] and x.text.lower().split()[-1] in _MOST
    ]
    said = any(x.text.lower() in _IN_ALL for _, x in sentence)
    dealt = any(_is_dealt(x, sentence, column) for x in most) or (
        tells_people(column.label) and _is_of_one_time(draft, column, names)
    )
    spent = any(_is_spent_on(x, sentence) for x in most) and is_dealt_in("spend", [metric], names)
    if most and ((not is_intensive(column) and (said or dealt)) or spent):
        draft.metrics = [f"{Aggregation.SUM}({column.home})"]


def _is_of_one_time(draft: Draft, column: Dimension, names: Names) -> bool:
    """Whether people are counted once, and not anew for each of several years."""
    undated = names.model.table(column.home.table).time_dimension is None
    return undated or (draft.time_range is not None and draft.time_range.days <= 366)


def _is_dealt(most: Item, sentence: Sentence, column: Dimension) -> bool:
    """“earned the most commission”: a verb of dealing before the superlative, and what is dealt in right behind it."""
    words = [w.lower for w in sentence.words]
    before = [w for w in words[max(0, most.start - 3) : most.start] if w not in _BETWEEN]
    told = {stem(w) for w in name_words(column.label)}
    named = any(stem(w) in told for w in words[most.end : most.end + 3])
    return bool(before) and before[-1] in DEALING and named


def _is_spent_on(most: Item, sentence: Sentence) -> bool:
    """“spends the most on salaries”, “pays the most in wages”: all of them together."""
    words = [w.lower for w in sentence.words]
    before = [w for w in words[max(0, most.start - 3) : most.start] if w not in _BETWEEN]
    return (
        bool(before) and before[-1] in PAYING and words[most.end : most.end + 1] in (["on"], ["in"], ["for"])
    )


def average_list(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“average training hours and sick days”: where one name already says that it is a mean, the next one is a mean too."""
    for i in sentence.find(Op.AND):
        unit = i > 1 and not (sentence[i - 1].links or sentence[i - 1].values or sentence[i - 1].operator)
        first, then = (i - 2 if unit else i - 1), sentence.after(i, ())
        if first < 0 or then is None or not (sentence[first].links and sentence[then].links):
            continue
        led = sentence[first].text.lower().split()[:1] in (["average"], ["avg"], ["mean"])
        if not led or sentence.says_how(then) or sentence[then].op(Op.AGGREGATE, Op.COUNT):
            continue
        listed = names.measure(sentence[then])
        if listed is None or listed.aggregation is not Aggregation.SUM or listed.formula is not None:
            continue
        if (
            listed.name in draft.metrics
            and names.column_of(listed) is not None
            and "total" not in listed.label
        ):
            draft.metrics[draft.metrics.index(listed.name)] = names.aggregated(listed, Aggregation.MEAN)


def subtract_totals(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the difference between the total claimed and the total paid”, or of two averages: told before both of them."""
    words = [w.lower for w in sentence.words]
    asked = any(
        words[k : k + 2] in (["difference", "between"], ["gap", "between"]) for k in range(len(words))
    )
    if (
        not asked
        or len(draft.metrics) != 2
        or draft.kind is not QuestionKind.VALUE
        or draft.comparison is not None
    ):
        return
    first, second = (names.model.metric(m) for m in draft.metrics)
    plain = all(
        m.formula is None and m.inner is None and names.column_of(m) is not None for m in (first, second)
    )
    alike = first.aggregation is second.aggregation and first.unit == second.unit
    if plain and first.table == second.table and alike:
        draft.metrics = [f"{first.name} - {second.name}", *draft.metrics]


def average_known(draft: Draft, names: Names) -> None:
    """“sick days per employee”, each row being one: the mean of those that are known; who lacks a value has no zero."""
    for n, reference in enumerate(draft.metrics):
        above, _, below = reference.partition(" / ")
        if not (above.isidentifier() and below.isidentifier()):
            continue  # no ratio of two metrics by their names
        total, count = names.model.metric(above), names.model.metric(below)
        column = names.column_of(total) if total.aggregation is Aggregation.SUM else None
        rows = (
            count.aggregation is Aggregation.COUNT and count.expression is None and count.table == total.table
        )
        if column is not None and rows and column.nullable and column.type is DimensionType.NUMBER:
            draft.metrics[n] = f"{Aggregation.MEAN}({column.home})"


def is_amount_of(item: Item, column: Dimension) -> bool:
    """Whether a noun names numbers that are too many to be told one by one."""
    many = column.type is DimensionType.NUMBER and (column.distinct or 99) > 30
    return many and bool(item.links) and item.links[0].name == column.name


def measure_amount(draft: Draft, item: Item, column: Dimension, names: Names) -> None:
    """Measure all of a column where its numbers surely add up; where they only may, ask whether their mean is meant."""
    metric = names.in_all(names.metric_of(column))
    draft.add_metric(metric.name)
    draft.kind = QuestionKind.VALUE
    item.used = True
    if not adds_up(metric) and not is_intensive(column):
        total = names.model.metric(f"{Aggregation.SUM}({column.home})")
        meant = picks(PickSort.METRIC, metric.name, (f"{Aggregation.SUM}({column.home})", metric.name))
        draft.doubts.append(Doubt(item.text, (total.label, metric.label), picks=meant))
