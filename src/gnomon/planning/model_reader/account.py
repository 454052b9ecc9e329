"""Whether a model's reading accounts for every word: what the grammar understands must be found again in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.core.request import Filter, FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import Word
from gnomon.semantic import Aggregation, SemanticModel

SURE = 0.9
_O, _K = FilterOperator, QuestionKind
_NEGATIVE = (_O.NOT_EQUALS, _O.NOT_IN, _O.OUTSIDE, _O.IS_NULL, _O.NOT_NULL)
_DENYING = (Op.EXCLUDE, Op.NOT, Op.WITHOUT)
_BOUNDS = (_O.GREATER, _O.AT_LEAST, _O.LESS, _O.AT_MOST)
# What a model has no way to say, so that none of its readings can mean it.
_UNSAID = (
    Op.ORDINAL, Op.SIGN, Op.BENCHMARK, Op.MOVING, Op.CUMULATIVE, Op.EVEN, Op.REST, Op.SIGNIFICANT, Op.TEST, Op.INTO
)  # fmt: skip
_TOLD = {
    _K.TREND: (_K.TREND, _K.CAUSE, _K.ANOMALY, _K.FORECAST, _K.COMPARISON),
    _K.LIST: tuple(_K),
    _K.PROFILE: tuple(_K),
}


def left_over(
    drafts: Sequence[Draft],
    words: Sequence[Word],
    cover: Sequence[Item],
    explained: set[int],
    model: SemanticModel,
) -> list[int]:
    """The positions of the words that the drafts do not account for.

    A word that the model claims is believed unless the grammar knows better: names, values, numbers, times,
    negations, aggregations, bounds and directions that it is sure of have to be found in the drafts.
    """
    open_words: set[int] = set()
    covered: set[int] = set()
    for item in cover:
        places = set(range(item.start, item.end))
        covered |= places
        if not _found(item, places, drafts, explained, model):
            open_words |= places
    for i, word in enumerate(words):
        if i not in covered and i not in explained and not is_filler(word):
            open_words.add(i)
    return sorted(open_words)


def _found(
    item: Item, places: set[int], drafts: Sequence[Draft], explained: set[int], model: SemanticModel
) -> bool:
    if item.time is not None:
        grain = item.time.kind == "grain" and any(d.grain is item.time.grain for d in drafts)
        return grain or bool(places & explained)
    if item.number is not None:
        return bool(places & explained)
    if item.links and item.links[0].quality >= SURE:
        close = [link for link in item.links if link.quality >= item.links[0].quality - 0.1]
        return any(_uses(d, link, model) for d in drafts for link in close)
    if item.values:
        return bool(places & explained)
    return item.operator is None or _kept(item, drafts, model)


def _kept(item: Item, drafts: Sequence[Draft], model: SemanticModel) -> bool:
    """Whether what an operator does to a question is done by the drafts."""
    operator = item.operator
    assert operator is not None
    if item.op(*_DENYING):
        return any(f.operator in _NEGATIVE for d in drafts for f in _filters(d))
    if item.op(Op.KIND):
        return any(d.kind in _TOLD.get(operator.payload, (operator.payload,)) for d in drafts)
    if item.op(Op.SHARE):
        return any(d.kind is _K.SHARE or _is_share(d, model) for d in drafts)
    if item.op(Op.AGGREGATE):
        return any(_aggregates(d, operator.payload, model) for d in drafts)
    if item.op(Op.RANK):
        end = Aggregation.MAX if operator.payload else Aggregation.MIN
        return any(_ends(d, operator.payload) or _is_of(d, end, model) for d in drafts)
    if item.op(Op.COMPARE_NUMBER, Op.OR_MORE):
        bounds = [f.operator for d in drafts for f in _filters(d) if f.operator in _BOUNDS]
        return operator.payload in bounds if bounds else any(d.time_range or d.comparison for d in drafts)
    if item.op(Op.MISSING):
        return any(f.operator in (_O.IS_NULL, _O.NOT_NULL) for d in drafts for f in _filters(d))
    if item.op(*_UNSAID):
        return False
    if item.op(Op.DISTINCT):
        return any(_aggregates(d, Aggregation.COUNT_DISTINCT, model) or d.kind is _K.LIST for d in drafts)
    return True


def _ends(draft: Draft, descending: bool) -> bool:
    """Whether a draft looks at that end of its groups."""
    return draft.kind is _K.RANKING and draft.descending is descending


def _aggregates(draft: Draft, how: object, model: SemanticModel) -> bool:
    if how is Aggregation.SUM:
        return True  # "total" and "overall" are said of anything
    if how in (Aggregation.MIN, Aggregation.MAX) and draft.kind is _K.RANKING:
        return True
    metrics = [model.metric(reference) for reference in draft.metrics]
    by_ratio = how is Aggregation.MEAN and any(m.formula is not None for m in metrics)
    return by_ratio or _is_of(draft, how, model)


def _is_of(draft: Draft, how: object, model: SemanticModel) -> bool:
    metrics = [model.metric(reference) for reference in draft.metrics]
    return any(m.aggregation == how or str(m.name).startswith(f"{how}(") for m in metrics)


def _is_share(draft: Draft, model: SemanticModel) -> bool:
    return any(model.metric(m).unit in {"%", "fraction"} for m in draft.metrics)


def _uses(draft: Draft, link: Link, model: SemanticModel) -> bool:
    """Whether a draft says something about what the words name."""
    fields = [*draft.dimensions, draft.limit_per, draft.time_dimension]
    fields += [x for f in _filters(draft) for x in (f.field, f.by)]
    if link.kind is LinkKind.DIMENSION:
        if link.name in fields:
            return True
        refs = {str(r) for r in model.dimension(link.name).locations}
        columns = {ref.partition(".")[2] for ref in refs}
        metrics = [m for reference in draft.metrics for m in model.base_metrics(model.metric(reference))]
        spoken = [m.expression.strip("`") for m in metrics if m.expression]
        return any(s in columns for s in spoken) or any(f"per {link.name}" in m for m in draft.metrics)
    if link.kind is LinkKind.METRIC:
        own = {m.name for reference in draft.metrics for m in model.base_metrics(model.metric(reference))}
        return link.name in {*draft.metrics, *own, *fields} or any(
            link.name in m for m in draft.metrics if "(" in m or " / " in m
        )
    tables = {t for reference in draft.metrics for t in model.base_tables(model.metric(reference))}
    return link.name in tables


def _filters(draft: Draft) -> Iterable[Filter]:
    return (*draft.filters, *draft.part)
