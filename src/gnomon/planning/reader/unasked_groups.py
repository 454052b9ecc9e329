"""Nouns that say whose figures are asked for, and break nothing down: “the average mark of pupils with free meals”.

A category that is named beside a measure may ask for its groups (“ward fees”, “compare the wards”). A noun for those
whom the rows tell of, or one that a condition narrows, is only what the sentence is about.
"""

from __future__ import annotations

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension

# More groups than this nobody reads without having asked for them.
MANY = 25
_CLAUSES = frozenset({"who", "whose", "that", "which", "where"})
_ONE = frozenset({"the", "a", "an", "his", "her", "their", "this", "that"})


def is_subject(i: int, dimension: Dimension, draft: Draft, sentence: Sentence, names: Names) -> bool:
    """Whether the noun at ``i`` only says whose figures are asked for, or what they did."""
    item = sentence[i]
    if _is_done(item, dimension):
        return True
    if _is_beside_measure(i, draft, sentence, names) or _is_asked_for(i, sentence):
        return False
    plural = name_words(item.text)[-1].endswith("s")
    before = sentence.words[item.start - 1].lower if item.start else ""
    if _is_narrowed(i, draft, sentence) or (not plural and before in _ONE):
        return True
    apart = sentence.has(Op.VERSUS, Op.VARY, Op.BETWEEN, Op.EVEN) and draft.comparison is None
    return not apart and (dimension.distinct or 0) > MANY


def _is_done(item: Item, dimension: Dimension) -> bool:
    """“who voted nay”, beside a column of votes: what somebody did is no group."""
    said = name_words(item.text)
    named = {*name_words(dimension.label), *(w for s in dimension.synonyms for w in name_words(s))}
    return len(said) == 1 and said[0] not in named and get_lexicon().is_participle(said[0])


def _is_beside_measure(i: int, draft: Draft, sentence: Sentence, names: Names) -> bool:
    """“ward fees”, “fees doctor”: right beside what is measured a noun says by what."""
    item = sentence[i]
    before = sentence[i - 1] if i else None
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    beside = [x for x in (before,) if x is not None and x.end == item.start]
    beside += [x for x in (following,) if x is not None and x.start == item.end]
    measured = [m for x in beside if x.links and (m := names.measure(x)) is not None]
    return any(m.name in reference for m in measured for reference in draft.metrics)


def _is_asked_for(i: int, sentence: Sentence) -> bool:
    """“which maths teacher …”, “the two brands with the most …”: some of them are asked for."""
    first = i
    while first and sentence[first - 1].end == sentence[first].start and sentence[first - 1].values:
        first -= 1
    which = (
        first > 0 and sentence[first - 1].op(Op.WHICH) and sentence[first - 1].end == sentence[first].start
    )
    behind = sentence.items[i + 1 : i + 3]
    return which or (len(behind) == 2 and behind[0].op(Op.WITH) and behind[1].op(Op.RANK))


def _is_narrowed(i: int, draft: Draft, sentence: Sentence) -> bool:
    """“insured patients”, “patients who …”, “pupils with and without …”: some of them, told by something else."""
    item = sentence[i]
    before = sentence[i - 1] if i else None
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    if before is not None and before.end == item.start and before.used and (before.values or before.links):
        return True
    if following is None:
        return False
    clause = following.op(Op.WITH, Op.WITHOUT, Op.THAT) or following.text.lower().split()[0] in _CLAUSES
    clause = clause or following.text.lower().startswith("with")
    placed = following.op(Op.IN, Op.OF, Op.COMES_FROM) and any(
        x.values and x.used for x in sentence.items[i + 2 : i + 4]
    )
    done = bool(following.values) and following.used
    return (clause or placed or done) and bool(draft.filters or draft.dimensions or draft.comparison)


def is_told_apart(sentence: Sentence, i: int) -> bool:
    """“what percentage of records come from organic fields”: a noun behind a condition says whose it is, and groups nothing."""
    before = sentence[i - 1] if i else None
    held = before is not None and before.end == sentence[i].start and (before.values or before.links)
    return bool(held and before is not None and before.used)
