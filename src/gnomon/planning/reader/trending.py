"""“is there an upward trend in …”: a question about time that wants a verdict, and the way that it claims."""

from __future__ import annotations

from gnomon.core.operations import Way
from gnomon.core.parts import Claim, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.verdicts import way_said

_K = QuestionKind
_ASKING = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could"})


def judge_trend(draft: Draft, sentence: Sentence) -> None:
    """Have a trend judged by a test where the question asks whether there is one."""
    words = [w.lower for w in sentence.words]
    asked = words[:1] and words[0] in _ASKING
    said = any(_is_trend(x) or (asked and x.op(Op.CHANGE) and not x.links) for _, x in sentence)
    if not said or not draft.metrics or draft.comparison is not None or draft.limit is not None:
        return
    if draft.shift is not None and not any(_is_trend(x) for _, x in sentence):
        return  # "is it up month over month": one step, and no trend
    if draft.kind is _K.VALUE and not draft.dimensions:
        draft.kind = _K.TREND  # "is there a trend in orders"
    each = len(draft.dimensions) == 1  # "the trend for each agent": which way each of them goes
    if draft.kind is not _K.TREND or not (asked or each or sentence.has(Op.SIGNIFICANT)):
        return
    draft.course = draft.course.model_copy(update={"judged": True})
    way = way_said(words)
    side = None if way is None else ">" if way is Way.UP else "<"
    draft.claim = Claim(whether=bool(asked), side=side)


def _is_trend(item: Item) -> bool:
    trend = item.op(Op.KIND) and item.operator is not None and item.operator.payload is _K.TREND
    return trend and not item.links and not item.values
