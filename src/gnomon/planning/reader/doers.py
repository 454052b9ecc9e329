"""Who did something, as opposed to what to group by: “the fare paid by the passengers”, “goals by their players”."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import DimensionType
from gnomon.semantic.model import singular

_THEIRS = frozenset({"their", "its", "his", "her"})
# What follows says which of them did it: ordered by customers from Leeds.
_TELLING_WHICH = frozenset({"from", "who", "whose", "with", "aged", "living", "based"})
_ALL_OF_THEM = frozenset({"the", "our", "all", "these", "those"})


def taken_by(word: Word, words: Sequence[Word], cover: Sequence[Item], names: Names) -> bool:
    """“what percentage of revenue is eaten up by cost”: the other total takes its part, whatever the verb."""
    at = next(i for i, w in enumerate(words) if w is word)
    by = next((i for i in range(at + 1, min(at + 3, len(words))) if words[i].lower == "by"), None)
    passive = at > 0 and words[at - 1].lower in {"is", "are", "was", "were", "gets", "being", "be"}
    if by is None or not passive or not get_lexicon().is_participle(word.lower):
        return False
    joint = next((x for x in cover if x.start <= by < x.end), None)
    taker = next((x for x in cover if x.start > by and not x.op(Op.FILLER)), None)
    of = [x for x in cover if x.end <= at and x.links and names.measure(x) is not None]
    measure = names.measure(taker) if taker is not None and taker.links else None
    share = any(x.op(Op.SHARE) and x.end <= at for x in cover)
    if joint is None or measure is None or not of or not share:
        return False
    whole = names.measure(of[-1])
    if whole is None or whole.unit != measure.unit or not (adds_up(whole) and adds_up(measure)):
        return False
    joint.operator = Operator(Op.FILLER)
    return True


def is_doer(sentence: Sentence, i: int, j: int, draft: Draft, names: Names) -> bool:
    """Whether the noun at ``j`` says by whom something was done, where a word for grouping stands at ``i``.

    Behind a participle, the rows that are measured did it, and so did any things that are spoken of as a whole;
    “votes received by party” and “paid by each passenger” group.
    """
    by, noun = sentence[i], sentence[j]
    between = {w.lower for w in sentence.words[by.end : noun.start]}
    if not by.op(Op.BY):
        return False
    if between & _THEIRS:
        return True
    before = sentence.words[by.start - 1].lower if by.start else ""
    passive = by.text.lower() == "ordered by" and before in {"was", "were", "been"}
    if by.text.lower() == "by":
        passive = get_lexicon().is_participle(before)
    if not passive or not noun.links:
        return False
    behind = sentence.words[noun.end].lower if noun.end < len(sentence.words) else ""
    whole, several = bool(between & _ALL_OF_THEM) or behind in _TELLING_WHICH, _is_plural(noun)
    if are_rows(noun, draft, names):
        return several or whole
    dimension = names.dimension(noun)
    return whole and several and dimension is not None and dimension.type is DimensionType.ID


def moves(word: str, table: str, names: Names) -> bool:
    """Whether a verb is what the rows of a table are: landed, of landings; sold, of whatever has a quantity."""
    said = associations().get(word)
    if said is not None and {"quantity", "units"} & {*said.nouns}:
        return True
    things = name_words(names.model.table(table).label)
    verbs = {base for base, part in get_lexicon().bases(word) if part == "v"} - {word}
    return any(len(v) > 3 and thing.startswith(v) for v in verbs for thing in things)


def is_ranked_by(sentence: Sentence, noun: Item) -> bool:
    """“the top member per club by visits”: a number of rows is what the members are ranked by, not what they are split by."""
    before = sentence.words[noun.start - 1].lower if noun.start else ""
    counted = (
        bool(noun.links) and noun.links[0].kind is LinkKind.METRIC and noun.named(LinkKind.TABLE) is not None
    )
    return sentence.has(Op.RANK) and before == "by" and counted and _is_plural(noun)


def are_rows(item: Item, draft: Draft, names: Names) -> bool:
    """Whether a noun is what the rows are that the measures are computed from."""
    model = names.model
    tables = {t for m in draft.metrics for t in model.base_tables(model.metric(m))}
    link = item.named(LinkKind.TABLE)
    if link is not None and link.name in tables and link.quality > 0.9:
        return True
    dimension = names.dimension(item)
    if dimension is None or dimension.type is not DimensionType.ID:
        return False
    return any(model.table(t).key == (dimension.at(t),) for t in tables)


def _is_plural(item: Item) -> bool:
    last = item.text.lower().split()[-1:]
    return bool(last) and singular(last[0]) != last[0]
