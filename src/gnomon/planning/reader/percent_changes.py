"""Changes in percent: “which region grew most in percentage terms” ranks by them, and tells them first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.core.operations import Tell
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence

_PERCENT = frozenset(
    {"percent", "percentage", "percentages", "%", "pct", "relative", "relatively", "proportionally"}
)


def rank_in_percent(draft: Draft, sentence: Sentence) -> None:
    """Rank and tell groups by their change in percent, where the change between two periods is asked for so."""
    between = draft.comparison is not None and draft.comparison.kind == "period"
    steps = draft.course.steps is not None
    if not (between or steps or draft.limit is not None) or not any(_is_change(x) for x in sentence.items):
        return
    said = any(_in_percent(x) for x in sentence.items) or (between and _says_percent(sentence))
    if said and not draft.part:
        draft.tell(Tell.PERCENT)
        draft.unexplained = [w for w in draft.unexplained if w.lower() not in _PERCENT]


def told_by(draft: Draft, drafts: Sequence[Draft], sentence: Sentence) -> Draft | None:
    """The part before that tells what a draft asks for, once it is known whether that is in percent."""
    rank_in_percent(draft, sentence)
    return next((d for d in drafts if is_told_by(draft, d)), None)


def is_told_by(draft: Draft, earlier: Draft) -> bool:
    """Whether a part asks for what the one before tells: the same request, or the change of what ranked by it."""
    mine, theirs = (replace(d, confidence=1.0).request() for d in (draft, earlier))
    if mine == theirs:
        return True
    if earlier.limit is None or draft.limit is not None or draft.comparison is None:
        return False
    again = replace(draft, limit=earlier.limit, descending=earlier.descending, confidence=1.0, place=earlier.place,
                    tells=earlier.tells, claim=earlier.claim, course=earlier.course)  # fmt: skip
    if again.request() != replace(earlier, confidence=1.0, unexplained=draft.unexplained).request():
        return False
    for told in draft.tells:  # "… and give the percentage increase"
        earlier.tell(told)
    return True


def _is_change(item: Item) -> bool:
    return item.op(Op.CHANGE) and not item.links


def _in_percent(item: Item) -> bool:
    return item.op(Op.CHANGE) and item.operator is not None and item.operator.payload == "pct"


def _says_percent(sentence: Sentence) -> bool:
    first = min((x.start for x in sentence.items), default=0)
    last = max((x.end for x in sentence.items), default=0)
    words = sentence.words[first : last + 3]
    return any(
        w.lower in _PERCENT and (n + 1 >= len(words) or words[n + 1].lower not in {"of", "points"})
        for n, w in enumerate(words)
    )
