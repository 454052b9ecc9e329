"""Values that are measured by the one figure of their rows: total rent, of entries with an amount; the median wind, of readings."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import singular

_COPULAS = frozenset({"is", "are", "was", "were"})
_LINKING = (Op.OF, Op.FILLER)
_MORE = frozenset({("more", "than"), ("less", "than"), ("fewer", "than")})
_USING = vocabulary("use used need take took produce generate yield bring perform offer carry")


def measure_values(sentence: Sentence, names: Names) -> None:
    """Puts the measure of the rows before a value that is added up, averaged or ranked as if it were one."""
    if sentence.has(Op.COUNT) or any(_is_measured(x, names) for x in sentence.items):
        return
    if sentence.has(Op.SHARE):
        _measure_share(sentence, names)
        return
    for i, item in reversed(list(sentence)):
        if not item.values or item.links or item.used or item.time or not _is_asked(sentence, i):
            continue
        measure = _measure(item, names)
        if measure is not None:
            link = Link(LinkKind.METRIC, measure.name, 0.96)
            sentence.items.insert(i, Item(item.start, item.start, links=(link,), text=measure.label))


def _measure_share(sentence: Sentence, names: Names) -> None:
    """“what share of expenses is tax”: kinds that a list tells apart are weighed by what was booked on them."""
    values = [(i, x) for i, x in sentence if x.values and not x.links and not x.time]
    named = any(x.named(LinkKind.TABLE) is not None for x in sentence.items)
    between = (
        {w.lower for w in sentence.words[values[0][1].end : values[-1][1].start]} if values else set[str]()
    )
    if named or not between & _COPULAS:
        return
    at, first = values[0]
    dimension = names.model.dimension(first.values[0].dimension)
    measure = _measured_along(dimension, names, added=True)
    if measure is not None and dimension.at(measure.table or "") is None:
        link = Link(LinkKind.METRIC, measure.name, 0.96)
        sentence.items.insert(at, Item(first.start, first.start, links=(link,), text=measure.label))


def measure_compared(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“do flats use more than villas”: not how many there are, but the one figure of their rows; else it is not told."""
    words = [w.lower for w in sentence.words]
    verbs = [w for w, more, than in zip(words, words[1:], words[2:], strict=False) if (more, than) in _MORE]
    counted = draft.comparison is not None and all(is_count(names.model.metric(m)) for m in draft.metrics)
    if not counted or words[:1] not in (["do"], ["does"], ["did"]):
        return
    if not verbs or verbs[0] not in _USING or len(draft.dimensions) != 1:
        return
    measure = _measured_along(names.model.dimension(draft.dimensions[0]), names, added=True)
    if measure is None:
        draft.unexplained.append(verbs[0])
    else:
        draft.metrics, draft.kind = [measure.name], QuestionKind.COMPARISON
        draft.notes.append(f"compared by {measure.label}, {UNNAMED}")


def _is_measured(item: Item, names: Names) -> bool:
    """Whether a word names a measure, or what would be counted."""
    return (bool(item.links) and names.measure(item) is not None) or bool(
        item.association and names.metrics(item)
    )


def _is_asked(sentence: Sentence, i: int) -> bool:
    """Whether the words before a value ask for a figure of it: total rent, the highest wind, monthly wages, our rent."""
    behind = sentence.behind_values(i)
    if behind is not None and sentence[behind].start == sentence[behind - 1].end and sentence[behind].links:
        return False  # "the best Nordic film", "the most red and blue cars": values only say which of them
    before = sentence.before(i, _LINKING)
    if before is not None and sentence[before].text.lower() == "for":
        before = sentence.before(before, _LINKING)  # "total for wages"
    left = sentence[before] if before is not None else None
    if left is not None and not left.links and not left.values:
        aggregated = (
            left.op(Op.AGGREGATE) and left.operator is not None and left.operator.payload != Aggregation.MODE
        )
        ranked = left.op(Op.RANK) and left.end == sentence[i].start and not _is_several(left, sentence[i])
        paced = left.time is not None and left.time.kind == "grain" and left.text.lower().endswith("ly")
        if aggregated or ranked or paced or left.op(Op.CUMULATIVE, Op.MOVING):
            return True
    spoken = [w.lower for w in sentence.words[: sentence[i].start]]
    asked = spoken[:1] == ["what"] and any(w in _COPULAS for w in spoken[1:2])
    return asked and all(w in {"the", "our", "my", "their"} for w in spoken[2:])


def _is_several(rank: Item, item: Item) -> bool:
    """“the most breakdowns”, where the data says breakdown: what is said of many of them is counted, wages are not."""
    said = item.text.lower()
    one = all(said != str(v.value).lower() and singular(said) == str(v.value).lower() for v in item.values)
    return one and {"most", "fewest", "least", "fewer"} & {*rank.text.lower().split()} != set()


def _measure(item: Item, names: Names) -> Metric | None:
    """The one figure that the rows of a value have; None where they have several, or none."""
    along = (_measured_along(names.model.dimension(v.dimension), names) for v in item.values)
    return next((m for m in along if m is not None), None)


def _measured_along(dimension: Dimension, names: Names, *, added: bool = False) -> Metric | None:
    """The one figure of the rows that a dimension groups, of those that add up where only these are meant."""
    model = names.model
    found = {
        (m.table, m.expression): m
        for m in reversed(model.metrics)
        if m.table is not None and not is_count(m) and m.inner is None and m.unit != "fraction"
        and m.aggregation in (Aggregation.SUM, Aggregation.MEAN) and _is_column(m, names)
        and (not added or m.aggregation is Aggregation.SUM) and model.reaches(m, dimension)
    }  # fmt: skip
    return next(iter(found.values())) if len(found) == 1 else None


def _is_column(metric: Metric, names: Names) -> bool:
    column = names.column_of(metric)
    return column is not None and column.type is DimensionType.NUMBER
