"""Things that have one row each: “the average income of countries with …” is one figure of them, not one for each."""

from __future__ import annotations

from gnomon.core.request import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation

_GROUPED = (Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.RANK, Op.VARY, Op.VERSUS)
_FIGURES = (Aggregation.MEAN, Aggregation.MEDIAN)
_SAID = frozenset({"average", "avg", "mean", "median"})


def take_as_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Tell one figure where a mean or a median of things is asked for that are told apart by every row."""
    if draft.kind is not QuestionKind.BREAKDOWN or len(draft.dimensions) != 1 or len(draft.metrics) != 1:
        return
    if draft.grain is not None or sentence.has(*_GROUPED):
        return
    metric = names.model.metric(draft.metrics[0])
    group = names.model.dimension(draft.dimensions[0])
    table = names.model.table(metric.table) if metric.table else None
    said = [x for _, x in sentence if x.links and names.dimension(x) == group]
    if table is None or table.key != (group.at(table.name),):
        return
    if not all(x.text.lower().endswith("s") for x in said):
        return
    if metric.aggregation in _FIGURES and draft.filters and _SAID & {w.lower for w in sentence.words}:
        draft.dimensions, draft.kind = [], QuestionKind.VALUE
        for item in said:
            item.links = (Link(LinkKind.TABLE, table.name, 1.0),)
