"""Rows that a metric counts under a condition keep it where something else is asked of them: “the fare of completed trips”."""

from __future__ import annotations

from gnomon.planning.reader.borne import Borne
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Metric


def keep_states(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Add the condition of the rows that are spoken of and not counted; of several, and of shares, the audit decides."""
    borne = Borne(draft, names)
    lost = {metric.name: metric for metric in _lost(sentence, borne).values()}
    counted = any(m.where for m in borne.metrics)  # "completed and won trips": both, or each?
    if len(lost) != 1 or counted or sentence.has(Op.SHARE):
        return
    (metric,) = lost.values()
    if metric.table in borne.tables:
        draft.filters += metric.where


def states_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """The words for rows in a state whose condition a draft does not have."""
    return list(_lost(sentence, borne))


def _lost(sentence: Sentence, borne: Borne) -> dict[str, Metric]:
    named = {x.text: x.links[0] for _, x in sentence if x.links and x.links[0].kind is LinkKind.METRIC}
    metrics = {
        text: borne.names.model.metric(link.name) for text, link in named.items() if not borne.link(link)
    }
    return {
        t: m for t, m in metrics.items() if m.where and m.aggregation is Aggregation.COUNT and m.inner is None
    }
