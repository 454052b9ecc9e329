"""Words for units of time that say in what something is measured, not in which steps to show it."""

from __future__ import annotations

from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import CLOCK, timed_column, unit_of_time
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.number_items import DEGREES
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import Aggregation, DimensionType, Metric, SemanticModel
from gnomon.semantic.units import times_as_many, unit_called

_MOST = frozenset({"most", "the most", "least", "fewest", "the fewest", "the least", "more", "fewer"})
_WHOLE = 0.97
_YEARS = frozenset({"years", "yrs"})
_IN_YEARS = (None, "years", "year")
_NOT_MEASURED = (Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.EDGE, Op.ORDINAL, Op.DISTINCT)


def name_units(sentence: Sentence, names: Names) -> None:
    """“the most hours”, “in minutes”: a unit of time that something is measured in is no step of time."""
    _name_numbers(sentence, names)
    for i, item in sentence:
        if item.op(Op.UNIT) and _is_column(item) and _is_ranked(sentence[i - 1] if i else None):
            item.time, item.operator = None, None  # "the most hours", of a column called so
        said = unit_of_time(item.text) if item.text.lower().endswith("s") and not item.links else None
        if said is None or (item.time is not None and item.end - item.start > 1):
            continue
        before = sentence[i - 1] if i else None
        if before is not None and (before.op(*_NOT_MEASURED) or before.time or before.number is not None):
            continue
        if before is not None and before.op(Op.COUNT) and i > 1 and sentence[i - 2].op(Op.IN):
            continue  # "on how many days": the days themselves are counted
        meant = [m for j, x in sentence if j != i and x.links for m in _meant(x, names)]
        told = [m for m in meant if _is_in(m, said)]
        if not told and _is_ranked(before) and before is not None:  # "the most hours", of minutes
            told = [m for m in meant if times_as_many(m.unit, said) is not None]
        if told and _is_ranked(before):
            item.time, item.operator, item.links = None, None, (_whole(told[0], names),)
        elif told:
            item.time, item.operator, item.used = None, None, True
        elif before is not None and before.op(Op.IN) and before.text.lower() == "in":
            item.time, item.operator = None, None  # another unit than that of the data: not left out silently
        elif said in CLOCK and CLOCK[said] <= 3600 and _is_amount(before):
            held = [m for m in names.model.metrics if _is_in(m, said) and names.column_of(m) is not None]
            column = (
                timed_column(names.model) if not held and before is not None and before.op(Op.COUNT) else None
            )
            if column is not None and times_as_many(column.unit or unit_called(column.label), f"{said}s"):
                total = _whole(names.metric_of(column), names).name  # "how many hours", of minutes
                item.time, item.operator = None, None
                item.links = (Link(LinkKind.METRIC, f"{total} in {said}s", 0.9),)
                continue
            if len({(m.table, str(m.expression)) for m in held}) == 1:
                link = Link(LinkKind.METRIC, held[0].name, 0.9)
                links = (_whole(held[0], names) if _is_ranked(before) else link,)
                item.time, item.operator, item.links = None, None, links


def _name_numbers(sentence: Sentence, names: Names) -> None:
    """“by number of bedrooms”: groups by a column of numbers, which nothing is counted for."""
    for i, item in sentence:
        if not item.op(Op.COUNT) or item.links or not 0 < i < len(sentence) - 1:
            continue
        noun, before = sentence[i + 1], sentence[i - 1]
        rows = any(x.kind is LinkKind.TABLE for x in noun.links)
        if rows or not before.op(Op.BY, Op.EACH, Op.PER) or not item.text.lower().startswith("number"):
            continue
        kinds = (DimensionType.NUMBER, DimensionType.CATEGORY)
        column = names.dimension(noun, *kinds) if noun.links else None
        if (
            column is not None
            and (column.type is kinds[0] or column.numeric)
            and noun.links[0].name == column.name
        ):
            item.operator = Operator(Op.FILLER)


def without_units_of(words: list[Word], model: SemanticModel, vocabulary: Vocabulary) -> list[Word]:
    """“people with more years of education”: the column of numbers, whatever else is called years.

    Not so where the years are counted or add up (“how many days of rain”): those are no amounts of it.
    """
    for i in range(1, len(words) - 2):
        if words[i].lower not in _YEARS or words[i + 1].lower != "of":
            continue
        links = vocabulary.named(words[i + 2].lower)
        held = [model.dimension(x.name) for x in links if x.kind is LinkKind.DIMENSION and x.quality > 0.85]
        if held and all(d.type is DimensionType.NUMBER and d.unit in _IN_YEARS for d in held):
            return [*words[:i], *words[i + 2 :]]
    return words


def trust_units(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the mean length in mm”: where the data does not say in what it is measured, the asker does, and is told so."""
    metrics = [names.model.metric(m) for m in draft.metrics]
    words = [w.lower for w in sentence.words]
    behind = {words[k] for k in range(1, len(words)) if words[k - 1] == "in" and unit_called(words[k])}
    behind -= DEGREES  # which of two scales is meant changes every number
    said = [text for text in draft.unexplained if text.lower() in behind]
    measured = [m.label for m in metrics if not is_count(m) and m.formula is None and m.unit is None]
    if said and metrics and len(measured) == len(metrics):
        draft.unexplained = [text for text in draft.unexplained if text not in said]
        draft.notes.append(f"the data does not say in which unit {measured[0]} is; it is told as it is held")


def _is_column(item: Item) -> bool:
    """Whether a plural is the whole name of something that is measured."""
    measured = [x for x in item.links if x.kind is LinkKind.METRIC]
    return item.text.lower().endswith("s") and any(x.quality >= _WHOLE for x in measured)


def _is_amount(before: Item | None) -> bool:
    """Whether the words before ask for how much there is: how many, total, the most; or nothing stands before."""
    if before is None or before.op(Op.COUNT, Op.AGGREGATE):
        return True
    return _is_ranked(before)


def _whole(metric: Metric, names: Names) -> Link:
    """The sum of a measure, where the metric itself is the mean of its rows."""
    column = names.column_of(metric)
    mean = metric.aggregation is Aggregation.MEAN and column is not None
    return Link(LinkKind.METRIC, f"{Aggregation.SUM}({column.home})" if mean and column else metric.name, 0.9)


def _is_ranked(before: Item | None) -> bool:
    """“the most hours” are all of them, not those of one row."""
    return before is not None and before.op(Op.RANK) and before.text.lower() in _MOST


def _meant(item: Item, names: Names) -> list[Metric]:
    return [names.model.metric(x.name) for x in item.links if x.kind is LinkKind.METRIC and x.quality > 0.6]


def _is_in(metric: Metric, unit: str) -> bool:
    """Whether a measure is held in a unit of time: as its own unit, or by the end or the beginning of its name."""
    words = [w for w in name_words(metric.label) if w not in {"average", "total", "number", "of"}]
    named = {unit_of_time(w) for w in (*words[:1], *words[-1:]) if len(w) > 2}
    return metric.aggregation is not Aggregation.COUNT and (
        unit_of_time(metric.unit) == unit or unit in named
    )
