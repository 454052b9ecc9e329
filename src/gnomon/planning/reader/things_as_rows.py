"""Things that have one row each: “the average income of countries with …” is one figure of them, not one for each."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation

_GROUPED = (Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.RANK, Op.VARY, Op.VERSUS)
NEARLY_ALL = 0.9
_FIGURES = (Aggregation.MEAN, Aggregation.MEDIAN)
_SAID = frozenset({"average", "avg", "mean", "median"})


def take_as_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Tell one figure where a mean or a median of things is asked for that are told apart by every row."""
    _without_rows(draft, sentence, names)
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


def _without_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“average age of contestants by season”: of two groups, the rows themselves are what the figure is of."""
    metric = names.model.metric(draft.metrics[0]) if len(draft.metrics) == 1 else None
    if (
        metric is None
        or metric.aggregation not in _FIGURES
        or len(draft.dimensions) < 2
        or metric.table is None
    ):
        return
    rows = names.model.table(metric.table).rows or 0
    for name in [d for d in draft.dimensions if not d.startswith("@")]:
        group = names.model.dimension(name)
        said = [(i, x) for i, x in sentence if x.links and names.dimension(x) == group]
        of = [(i, x) for i, x in said if x.start and sentence.words[x.start - 1].lower in {"of", "the"}]
        if (
            (group.distinct or 0) >= NEARLY_ALL * rows
            and len(of) == len(said) == 1
            and of[0][1].text.lower().endswith("s")
        ):
            draft.dimensions.remove(name)
            of[0][1].links = (Link(LinkKind.TABLE, metric.table, 1.0),)
            return
