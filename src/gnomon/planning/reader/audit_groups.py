"""The audit of what a question says about groups and amounts: each claim and each test needs its part in the request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gnomon.core.operations import Tell, Walk
from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.core.studies import GroupTest
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import is_count
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Metric

_K = QuestionKind
# Kinds whose answers tell how sure they are.
_JUDGED = (_K.DIFFERENCE, _K.CORRELATION, _K.DISTRIBUTION, _K.ANOMALY)


def bears_groups(item: Item, draft: Draft) -> bool:
    """Whether the draft does what a word about groups asks for; other words are judged elsewhere."""
    if item.links or item.values or item.operator is None:
        return True
    if item.op(Op.ORDINAL) and item.operator.payload > 1 and not item.used and item.time is None:
        return draft.place is not None  # "at the second branch": which one that is was not found
    if item.op(Op.WHEN) and item.start == 0 and not item.used:
        return draft.grain is not None or draft.kind in (_K.TREND, _K.RANKING, _K.FORECAST, _K.LIST)
    if item.op(Op.SIGNIFICANT):
        apart = bool({Tell.DIFFERENCE, Tell.BENCHMARK} & {*draft.tells})
        return draft.kind in _JUDGED or draft.course.judged or apart
    if item.op(Op.TEST):
        return draft.kind in _JUDGED and isinstance(draft.study, GroupTest)
    if item.op(Op.EVEN):
        return isinstance(draft.study, GroupTest) and draft.study.even is not None
    if item.op(Op.REST):
        left = any(f.operator in (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN) for f in draft.filters)
        against = draft.comparison
        sides = against is not None and (against.rest or {*against.groups} == {"True", "False"})
        return left or sides or draft.kind in (_K.RANKING, _K.DIFFERENCE)
    if item.op(Op.VERSUS) and item.text.lower().startswith(("difference", "gap")):
        return _bears_difference(draft)
    split = draft.brackets or draft.dimensions or draft.grain or draft.comparison
    return not item.op(Op.VARY) or bool(split) or draft.kind in (*_JUDGED, _K.TREND)


def _bears_difference(draft: Draft) -> bool:
    """Whether two things are set against each other: groups, periods, or two measures that are not one column twice."""
    apart = draft.comparison is not None or draft.dimensions or draft.grain is not None
    two = len(draft.metrics) > 1 and not any(m.endswith(")") for m in draft.metrics)
    taken = any(" - " in m or " / " in m for m in draft.metrics)
    if draft.kind is _K.RANKING and draft.comparison is None and draft.grain is None:
        return taken or two  # "the longest gap between visits" is none of the visits
    return bool(apart) or two or taken or draft.kind is not _K.VALUE


_SUMS = frozenset({"amount", "amounts", "sum", "sums"})


def _is_unlike(done: str, metrics: Sequence[Metric]) -> bool:
    """“the amount billed”, told by what was paid: what was done with an amount says which one it is."""
    if not metrics or not get_lexicon().is_participle(done):
        return False
    said = [w for m in metrics for n in (m.label, m.table or "", *m.synonyms) for w in name_words(n)]
    paid = any(get_lexicon().is_participle(w) for m in metrics for w in name_words(m.label))
    return paid and not any(stem(w) == stem(done) or kindred(w, done) for w in said)


_FIGURES = frozenset({"total", "combined", "overall", "average", "mean", "median"})


def amount_lost(sentence: Sentence, draft: Draft, metrics: Sequence[Metric]) -> list[str]:
    """“how much” asks for an amount: a number of rows is none."""
    first, last = (sentence[0].start, sentence[len(sentence) - 1].end) if len(sentence) else (0, 0)
    while first and sentence.words[first - 1].kind != "symbol" and sentence.words[first - 1].lower != "and":
        first -= 1  # the words that lead up to it are no items
    said = sentence.words[first:last]
    pairs = list(pairwise(w.lower for w in said))
    if ("how", "far") in pairs and any(w.lower == "from" for w in said) and draft.comparison is None:
        return ["how far"] if not any("distance" in m.label for m in metrics) else []
    much = ("how", "much") in pairs
    counted = bool(metrics) and all(is_count(m) or m.label.startswith("number of") for m in metrics)
    worth = [" ".join(p) for p in pairs if p[0] in _FIGURES and p[1] in {"value", "amount", "worth"}]
    if counted and worth:
        return worth[:1]
    spoken = [*(w.text.lower() for w in said), ""]  # as it was said, whatever it was read as
    for amount, done, then in zip(spoken, spoken[1:], spoken[2:], strict=False):
        if amount in _SUMS and (done, then) not in operators() and _is_unlike(done, metrics):
            return [f"{amount} {done}"]  # but "the amount divided by" says how to compute
    moves = sentence.has(Op.CHANGE) or draft.comparison is not None or Walk.GROWTH in draft.course.walks
    plain = draft.kind is _K.VALUE or (draft.kind in (_K.TREND, _K.BREAKDOWN) and not moves)
    return ["how much"] if much and counted and plain else []
