"""What goes on in the part before it: the same thing in other words, or one thing more of what stands at an end."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.parts import QuestionKind
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import DimensionType
from gnomon.semantic.units import unit_called

_ALL = frozenset({"total", "overall", "altogether", "all", "average", "mean", "median", "sum", "combined"})
_BARE = frozenset(
    {",", "and", "at", "in", "with", "by", "what", "how", "much", "many", "?", "is", "was", "it", "that", "."}
)


def is_of_them(items: Sequence[Item]) -> bool:
    """“… and what do they add up to”, “… and how many of each”: more of what the part before names, and of nothing else."""
    said = any(x.op(Op.THOSE) for x in items) and any(x.op(Op.AGGREGATE) for x in items)
    said = said or (any(x.op(Op.COUNT) for x in items) and any(x.op(Op.EACH) for x in items))
    return said and not any(says_something(x) for x in items)


def says_again(earlier: Sequence[Item], items: Sequence[Item]) -> bool:
    """“Is there a link between A and B? I'd like the correlation across sites.”: the same thing, in other words."""
    related = QuestionKind.CORRELATION
    kinds = [
        {x.operator.payload for x in each if x.op(Op.KIND) and x.operator is not None and not x.links}
        for each in (earlier, items)
    ]
    measured = any(x.named(LinkKind.METRIC) and not x.named(LinkKind.TABLE) for x in items)
    return related in kinds[0] & kinds[1] and not measured


def is_of_the_one(items: Sequence[Item], earlier: Sequence[Item]) -> bool:
    """“the heaviest pike, and where / and which angler caught it”: one thing more of what stands at an end."""
    adjectives = [x.association for x in earlier if x.association is not None]
    ended = any(x.op(Op.RANK) for x in earlier) or any(a.superlative for a in adjectives)
    asking = [x for x in items if not x.op(Op.AND, Op.IN, Op.BY, Op.FILLER)]
    if not ended or not asking or not asking[0].op(Op.WHICH, Op.WHEN):
        return False
    bare = asking[0].text.lower() in {"where", "when", "who", "whom"}
    named = len(asking) > 1 and asking[1].start == asking[0].end and not bare
    noun = named and (bool(asking[1].links) or asking[1].op(Op.UNIT))
    it = any(x.op(Op.THOSE) and x.text.lower() == "it" for x in asking)
    verbs = [x for x in asking[1 + noun :] if says_something(x)]
    return (bare or (noun and it)) and all(x.association is None and _is_done(x) for x in verbs)


def is_amount_again(draft: Draft, earlier: Draft, sentence: Sentence, names: Names) -> bool:
    """“… and how many MWh is that”: the unit of what the part before measures asks for its figure, and for no other."""
    if len(draft.metrics) != 1 or len(earlier.metrics) != 1 or draft.dimensions or draft.filters:
        return False
    words = [w.lower for w in sentence.words]
    refers = any(
        words[i] in {"is", "was"} and words[i + 1] in {"that", "it", "this"} for i in range(len(words) - 1)
    )
    unit = names.model.metric(earlier.metrics[0]).unit
    said = {x.text.lower() for _, x in sentence if x.links}
    return refers and unit is not None and said == {unit.lower()} and draft.metrics != earlier.metrics


def tells_of_winner(draft: Draft, earlier: Draft, sentence: Sentence, names: Names) -> bool:
    """“which vet had the dearest visit, and what was the fee”: the fee of that one, told with it.

    What is asked of the first place of a ranking without a condition of its own is no figure of everything.
    """
    own = (
        draft.dimensions or draft.filters or draft.part or draft.grain or draft.comparison or draft.time_range
    )
    ranked = earlier.kind is QuestionKind.RANKING and earlier.limit == 1 and bool(earlier.metrics)
    first = sentence[0].start if len(sentence) else 0
    said = {w.lower for w in sentence.words[first:]}
    if (
        own
        or not ranked
        or len(draft.metrics) > 1
        or said & _ALL
        or draft.kind not in (None, QuestionKind.VALUE)
    ):
        return False
    model = names.model
    graded = model.metric(earlier.metrics[0])
    unit = any(graded.unit is not None and unit_called(w) == graded.unit for w in said if len(w) > 2)
    asked = model.metric(draft.metrics[0]) if draft.metrics else None
    if asked is None or unit:
        told = unit or said <= _BARE
        earlier.unexplained += (
            [w for w in draft.unexplained if not (unit and unit_called(w) == graded.unit)] if told else []
        )
        return told
    column = names.column_of(asked)
    if (
        column is None
        or column.type is not DimensionType.NUMBER
        or asked.table != graded.table
        or asked.table is None
    ):
        return False
    earlier.unexplained += draft.unexplained
    if column != names.column_of(graded):
        earlier.add_metric(asked.name)
    return True


def _is_done(item: Item) -> bool:
    """Whether a word is what was done to something: caught, measured."""
    return item.end - item.start == 1 and get_lexicon().is_participle(item.text.lower())


def says_something(item: Item) -> bool:
    named = item.links or item.association or item.values or item.time or item.number
    return bool(named) or item.op(Op.RANK, Op.CHANGE)
