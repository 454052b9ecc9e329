"""What things have once and rows say again: “the average age of patients”, told in every admission, counts each patient once."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension
from gnomon.semantic.model import plural

_PLAIN = (None, QuestionKind.VALUE, QuestionKind.BREAKDOWN, QuestionKind.RANKING)
_HOW = (Aggregation.MEAN, Aggregation.MEDIAN, Aggregation.SUM)


def tell_owned(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Take the figure over the things that are named, where each has one number in all of its rows."""
    if draft.kind not in _PLAIN or draft.grain is not None or draft.comparison is not None:
        return
    for at, reference in enumerate(draft.metrics):
        metric = names.model.metric(reference)
        column = names.column_of(metric) if metric.inner is None and not metric.where else None
        how = metric.aggregation
        if column is None or how is None or how not in _HOW or metric.table is None:
            continue
        owner = _owner(column, draft, sentence, names)
        if owner is None:
            continue
        each = names.model.metric(f"{Aggregation.MEAN}({metric.table}.{column.at(metric.table)})")
        draft.metrics[at] = names.per(each, how, owner)
        draft.notes.append(f"each of the {plural(owner.label)} counts once, whatever number of rows it has")


def _owner(column: Dimension, draft: Draft, sentence: Sentence, names: Names) -> Dimension | None:
    """The things that a question speaks of and that have the number once; not those it is broken down by."""
    for name in column.property_of:
        owner = names.model.dimension(name)
        counted = names.count_of_dimension(owner).name
        said = any(
            any(link.name in (name, counted) and link.quality > 0.9 for link in item.links[:3])
            and item.text.lower().endswith("s")
            for item in sentence.items
        )
        if said and name not in draft.dimensions:
            return owner
    return None
