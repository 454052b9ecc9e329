"""The audit of nouns that are asked for: behind “which”, “by”, “per” or “how many” a noun is never lost.

Words such as state, place, group or shop say nothing in most questions (“state the average”), and are passed over then.
Right behind a word that asks, each of them is what somebody wants to know.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gnomon.core.operations import Walk
from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.borne import WHOLE, Borne
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.said_currencies import CURRENCIES
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.speech import PEOPLE
from gnomon.planning.reader.verdicts import ASKING, GRADED
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, DimensionType
from gnomon.semantic.model import singular
from gnomon.semantic.units import unit_called

# They stand for whatever is measured, counted or asked for anyway.
_NEUTRAL = vocabulary(
    """value values amount amounts figure figures level levels data result results information way ways sort
    range means meaning basis time times moment thing things one ones can may might will being must while a
    m in it kind type average total number"""
)
_VERBS = frozenset(
    ["is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "got", "gets", "get"]
)
_TOLD = (DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.NUMBER)
_GROUPING = (Op.BY, Op.EACH, Op.PER)


def asked_and_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """The nouns that were asked for and that no part of the draft stands for."""
    found = [_lost(i, item, sentence, borne) for i, item in sentence if not item.links and not item.time]
    given = (f for f in (*borne.draft.filters, *borne.draft.part) if not f.having)
    held = {*borne.columns, *(f.field for f in given)}
    columns = [borne.names.model.dimension(d).label for d in held if not d.startswith("@") and "(" not in d]
    named = {w for label in columns for w in name_words(label)}  # "origin Paris" is that origin
    return [text for text in found if text is not None and text.lower() not in named] + _done_by_the_whole(
        sentence, borne
    )


def _done_by_the_whole(sentence: Sentence, borne: Borne) -> list[str]:
    """“what percentage of Swedes trust the police”, told as that of Swedes: what they do was not found."""
    draft, share = borne.draft, sentence.find(Op.SHARE)
    if draft.kind is not QuestionKind.SHARE or len(draft.part) != 1 or draft.filters or not share:
        return []
    whole = sentence.after(share[0])
    if whole is None or not sentence[whole].values or not sentence[share[0]].text.lower().endswith(" of"):
        return []
    held = [x for x in sentence.items[whole + 1 :] if not x.used and x.links]
    columns = [(x, borne.names.dimension(x)) for x in held if x.links[0].kind is LinkKind.DIMENSION]
    return [
        x.text for x, d in columns
        if d is not None and d.type in _TOLD and d.name != draft.part[0].field and x.links[0].quality > 0.85
    ]  # fmt: skip


def _lost(i: int, item: Item, sentence: Sentence, borne: Borne) -> str | None:
    draft = borne.draft
    told = bool(draft.dimensions or draft.grain or draft.comparison or draft.kind in WHOLE)
    if item.op(Op.COUNT) and item.text.lower() in {"how many", "number of", "the number of"}:
        noun = _noun_behind(item, sentence)
        described = any(x.start == item.end + 1 and x.links for x in sentence.items)  # "expense categories"
        return noun if noun is not None and noun.lower() not in PEOPLE and not described else None
    if item.op(Op.WITH) and not told and _ranks(i + 1, sentence):
        return _noun_before(item, sentence)  # "the state with the most divorces"
    if (
        item.op(Op.WHICH)
        and item.text.lower() in _ASKED_TOO
        and i
        and sentence[i - 1].op(Op.AND)
        and not told
    ):
        return item.text  # "the highest we measured, and where"
    if item.op(Op.VERSUS) and not item.used and _is_alone(draft):
        return item.text
    which = item.op(Op.WHICH) and item.text.lower() in {"which", "what"} and not _is_relative(i, sentence)
    grouping = item.op(*_GROUPING) and not item.used and not _is_doer(item, sentence)
    if (group := _group_lost(i, item, sentence, borne, told)) is not None:
        return group
    if told or not (which or grouping):
        return None
    return _noun_behind(item, sentence) or (_subject_lost(item, sentence, borne) if which else None)


_ASKED_TOO = frozenset({"where", "when", "who"})


def _is_alone(draft: Draft) -> bool:
    """Whether one figure is told, of all days or along them, and nothing that it is set against."""
    bounded = any(f.having or f.relative is not None or f.is_apart for f in (*draft.filters, *draft.part))
    bounded = bounded or any(re.search(r" (>=|<=|>|<|between|outside|minus|/|-) ", m) for m in draft.metrics)
    plain = draft.kind in (QuestionKind.VALUE, QuestionKind.TREND) and len(draft.metrics) == 1
    stepwise = (
        Walk.GROWTH in draft.course.walks and draft.grain is not None
    )  # each period against the one before
    told = draft.dimensions or draft.comparison or draft.recurring or stepwise
    along = replace(draft, course=draft.course.without(Walk.GROWTH))
    return plain and along.is_plain and not (bounded or told)


def _group_lost(i: int, item: Item, sentence: Sentence, borne: Borne, told: bool) -> str | None:
    """“the highest price of each stock”, told of all rows; “admissions per bed for each ward”, told by numbers of beds."""
    noun = sentence[i + 1] if i + 1 < len(sentence) else None
    if noun is None or not noun.links or noun.start != item.end:
        return None
    added = {m.aggregation for m in borne.metrics} & {Aggregation.MAX, Aggregation.MIN, Aggregation.SUM}
    if item.op(Op.EACH) and not told and noun.links[0].kind is LinkKind.TABLE:
        return noun.text if added and all(m.per is None for m in borne.metrics) else None
    column = borne.names.dimension(noun, DimensionType.NUMBER) if item.op(Op.PER) else None
    grouped = column is not None and column.name in borne.draft.dimensions
    return noun.text if grouped and len(borne.draft.dimensions) > 1 else None


def _subject_lost(item: Item, sentence: Sentence, borne: Borne) -> str | None:
    """“which report had …”, “which record has …”: before a verb stands what is asked for, and one figure is none of it."""
    at = item.end
    while (value := next((x for x in sentence.items if x.start == at), None)) is not None and value.values:
        at = value.end  # "which maths teacher has …"
    plain = borne.draft.kind is QuestionKind.VALUE
    named = any(x.start == at and x.links for x in sentence.items)
    if plain and item.start == 0 and at > item.end and not named:
        return item.text  # "which village has …": a condition is nothing that could be the answer
    verb = sentence.words[at + 1].lower if at + 1 < len(sentence.words) else ""
    if item.text.lower() != "which" or verb not in _VERBS or sentence.words[at].lower in _VERBS | _NEUTRAL:
        return None
    covering = next((x for x in sentence.items if x.start <= at < x.end), None)
    measured = covering is not None and covering.links and borne.names.measure(covering) is not None
    return (
        sentence.words[at].text
        if plain and not measured and (covering is None or not covering.op(Op.COUNT, Op.AGGREGATE, Op.SHARE))
        else None
    )


def _ranks(i: int, sentence: Sentence) -> bool:
    return i < len(sentence) and sentence[i].op(Op.RANK) and not sentence[i].links


def _noun_behind(item: Item, sentence: Sentence) -> str | None:
    return _bare_noun(item.end, sentence)


def _noun_before(item: Item, sentence: Sentence) -> str | None:
    return _bare_noun(item.start - 1, sentence)


def _bare_noun(at: int, sentence: Sentence) -> str | None:
    """The noun at a place that no item covers."""
    if not 0 <= at < len(sentence.words) or any(x.start <= at < x.end for x in sentence.items):
        return None
    word = sentence.words[at]
    one, lexicon = singular(word.lower), get_lexicon()
    nouns, verbs = lexicon.met(one, "n"), lexicon.met(one, "v")
    known = word.kind == "word" and not {word.lower, one} & _NEUTRAL and len(one) > 2
    known = (
        known
        and unit_called(word.lower) is None
        and unit_of_time(one) is None
        and word.lower not in CURRENCIES
    )
    return word.text if known and nouns > verbs and 2 * nouns >= lexicon.met(one) else None


def _is_doer(item: Item, sentence: Sentence) -> bool:
    """“returned by customers” tells who did it."""
    done = sentence.words[item.start - 1].lower if item.start else ""
    who = sentence.words[item.end].lower if item.end < len(sentence.words) else ""
    return item.op(Op.BY) and who in PEOPLE and get_lexicon().is_participle(done)


def _is_relative(i: int, sentence: Sentence) -> bool:
    """“orders which came late”, “days on which we had …” tell of them and ask for nothing."""
    if i > 1 and sentence[i - 1].op(Op.IN) and sentence[i - 1].start > 0:
        i -= 1
    before = sentence[i - 1] if i else None
    noun = before is not None and (before.links or before.values or before.op(Op.UNIT, Op.ROWS))
    return before is not None and before.end == sentence[i].start and bool(noun)


def verdict_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """“do those with more visits pay more”: several figures side by side, set against nothing, say neither yes nor no."""
    draft, words = borne.draft, sentence.words
    if not words or words[0].lower not in ASKING or draft.kind is not QuestionKind.VALUE:
        return []
    graded = [w.text for w in words if w.lower in GRADED or _compares(w.lower)]
    plain = draft.comparison is None and not draft.dimensions and draft.grain is None and draft.is_plain
    return graded[:1] if plain and len(draft.metrics) > 1 else []


def _compares(word: str) -> bool:
    said = associations().get(word)
    return said is not None and said.comparative


def within_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """“came back within 30 days”, bounded by the time to the discharge: what was to happen by then must be what ends that time."""
    draft, words = borne.draft, sentence.words
    at = next(
        (i for i, w in enumerate(words[:-2]) if w.lower == "within" and unit_of_time(words[i + 2].lower)),
        None,
    )
    spans = [f.field for f in (*draft.filters, *draft.part) if "{time from " in f.field]
    if at is None or not spans:
        return []
    ends = {
        e for s in spans for e in name_words(s.split("{time from ")[1].split(":")[0].partition(" to ")[2])
    }
    told = any(
        stem(w.lower) == stem(e) or kindred(w.lower, e) for w in words if w.kind == "word" for e in ends
    )
    return [] if told else [words[at].text]
