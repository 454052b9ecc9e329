"""Groups set against each other: they differ in number, so what one of them has is compared, not what all add up to."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, head_of, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.payments import is_dealt_in
from gnomon.planning.reader.people import PERSONAL, is_somebody
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, DimensionType, Metric

_GRADED = vocabulary("higher lower larger smaller greater bigger better worse")
_GIVING = vocabulary("spend spent pay paid tip tipped give gave donate donated contribute contributed")
_COSTING = frozenset({"price", "cost"})
_TARIFFS = frozenset({"fee", "fare", "price", "charge", "toll", "rent"})
_IN_ALL = frozenset({"total", "overall", "altogether", "combined", "all", "sum"})


def compare_on_average(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“do boys miss more days than girls”, “have students a higher balance”: on average, where nothing says in all.

    Amounts of what happens at a time add up (higher sales); those of rows that are told once, at no particular
    time, are graded one by one.
    """
    if draft.kind is not QuestionKind.COMPARISON or draft.comparison is None:
        return
    words = {w.text.lower() for w in sentence.words}
    if draft.comparison.kind != "group" or len(draft.dimensions) != 1 or words & _IN_ALL:
        return
    averaged = [x for _, x in sentence if x.op(Op.AGGREGATE) and not x.used and _is_mean(x)]
    if sentence.has(Op.SHARE, Op.COUNT) or (sentence.has(Op.AGGREGATE) and not averaged) or not draft.metrics:
        return
    metric = names.model.metric(draft.metrics[0])
    if metric.aggregation is not Aggregation.SUM or is_count(metric) or metric.formula is not None:
        return
    personal = _is_of_persons(metric, draft.dimensions[0], names) or _is_spent(metric, sentence, names)
    if not (
        averaged
        or personal
        or _is_priced(metric, sentence, words)
        or _is_graded(metric, sentence, words, names)
    ):
        return
    draft.metrics[0] = names.aggregated(metric, Aggregation.MEAN)
    for item in averaged:
        item.used = True
    if not averaged:
        draft.notes.append(f"{metric.label} was compared on average, as the groups differ in number")


def _is_mean(item: Item) -> bool:
    return item.operator is not None and item.operator.payload is Aggregation.MEAN


def _is_priced(metric: Metric, sentence: Sentence, words: set[str]) -> bool:
    """“is surgery dearer than …”, “a higher fee than …”: what one of them costs, not what all of them came to."""
    said = [x.association for x in sentence.items if x.association is not None and not x.links]
    tariff = head_of(metric.label) in _TARIFFS and bool(words & _GRADED)
    return tariff or any(a.nouns[0] in _COSTING for a in said)


def _is_graded(metric: Metric, sentence: Sentence, words: set[str], names: Names) -> bool:
    """Whether an adjective grades what each row of a list has, which tells of no times."""
    table = names.model.table(metric.table) if metric.table else None
    if table is None or table.time_dimension is not None:
        return False
    said = [x.association for x in sentence.items if x.association is not None]
    return bool(words & _GRADED) or any(a.comparative for a in said)


def _is_spent(metric: Metric, sentence: Sentence, names: Names) -> bool:
    """“do returning guests spend more than new ones”: what persons give away is told of one of them at a time."""
    words = [w.text.lower() for w in sentence.words]
    verbs = [k for k, w in enumerate(words) if w in _GIVING]
    told = bool(verbs) and any(is_somebody(w) for w in words[: verbs[0]])
    return told and is_dealt_in("pay", [metric], names)


def _is_of_persons(metric: Metric, group: str, names: Names) -> bool:
    """Whether the rows describe persons, each once, at no particular time, and men and women are set apart."""
    table = names.model.table(metric.table) if metric.table else None
    if table is None or table.time_dimension is not None or group.startswith("@"):
        return False
    told_by = names.model.dimension(group)
    if group not in names.vocabulary.sexes and told_by.type is not DimensionType.BOOLEAN:
        return False
    held = [d for d in names.model.dimensions if d.home.table == table.name]
    told = [d for d in held if PERSONAL & set(name_words(d.label))]
    other = [d for d in held if d.type is DimensionType.ID and (d.home.column,) != table.key]
    return len(told) > 1 and not other
