"""Periods that are asked for without “which”: “the month with the highest sales”, “peak day”, “the busiest hour”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gnomon.core.parts import FilterOperator
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word
from gnomon.semantic import DimensionType, Metric

_SURE = 0.95


def peaks(words: Sequence[Word]) -> list[Item]:
    """“the peak month for orders”: before a period the word ranks, elsewhere it is a maximum."""
    known, found = operators(), list[Item]()
    for i, word in enumerate(words[:-1]):
        following = known.get((words[i + 1].lower,))
        if word.lower == "peak" and following is not None and following.op is Op.UNIT:
            found.append(Item(i, i + 1, operator=Operator(Op.RANK, True)))
    return found


def existing(words: Sequence[Word]) -> list[Item]:
    """“on how many days were there outages”: of periods that are asked for, those that had any."""
    known, found = operators(), list[Item]()
    asked = next((i for i in range(len(words)) if _is_period_asked(words, i, known)), None)
    for i in range(asked + 1 if asked is not None else len(words), len(words) - 2):
        said = {words[i].lower, words[i + 1].lower}
        if "there" in said and said & {"was", "were", "is", "are"}:
            found.append(Item(i, i + 2, operator=Operator(Op.WITH)))
    return found


def _is_period_asked(words: Sequence[Word], i: int, known: Mapping[tuple[str, ...], Operator]) -> bool:
    """Whether a word is the period of “on how many days”, “in which months”."""
    unit = known.get((words[i].lower,))
    before = [
        w.lower for w in words[max(0, i - 4) : i] if w.lower not in {"different", "distinct", "separate"}
    ]
    asked = before[-2:] == ["how", "many"] or before[-1:] == ["which"]
    placed = bool({"on", "in", "during", "for"} & set(before))
    return unit is not None and unit.op is Op.UNIT and asked and placed


def without_any_of(cover: Sequence[Item]) -> list[Item]:
    """“on how many days did at least one product have …”: any of them will do, so they are neither bounded nor told."""
    kept = list(cover)
    for i in range(2, len(cover) - 1):
        bound, one, thing, having = cover[i - 2], cover[i - 1], cover[i], cover[i + 1]
        how = bound.operator.payload if bound.operator is not None else None
        at_least = bound.op(Op.COMPARE_NUMBER) and how is FilterOperator.AT_LEAST and not bound.links
        single = one.number is not None and one.number.value == 1 and thing.start == one.end
        rows = any(x.kind is LinkKind.TABLE for x in thing.links) and having.op(Op.WITH)
        counted = any(x.op(Op.UNIT) for x in cover[: i - 2]) and any(x.op(Op.COUNT) for x in cover[: i - 2])
        if at_least and single and rows and counted:
            kept = [x for x in kept if x not in (bound, one, thing)]
    return kept


def is_described(sentence: Sentence, i: int) -> bool:
    """“month with the highest …”, “the year in which … was lowest”: a period that opens a question and is ranked."""
    ranks = [
        j for j, x in sentence if j > i
        and (x.op(Op.RANK) or (x.association is not None and x.association.superlative and not x.links))
    ]  # fmt: skip
    if not ranks or any(x.links or x.values or x.time for x in sentence.items[:i]):
        return False
    behind = sentence.after(i)
    return behind is not None and sentence[behind].op(Op.WITH, Op.THAT, Op.WHICH, Op.WHEN)


def name_periods(sentence: Sentence, names: Names) -> None:
    """Slow periods and hours of the day, said as what they are; columns that are called as a period is."""
    _name_columns(sentence, names)
    _name_slow(sentence)
    _name_hours(sentence)


def _name_columns(sentence: Sentence, names: Names) -> None:
    """“the most days away”, “days with more than 40 rows”: where nothing is dated, the column of that name is meant."""
    if any(d.type is DimensionType.TIME for d in names.model.dimensions):
        return
    for _, item in sentence:
        if item.op(Op.UNIT) and item.links and item.links[0].quality >= _SURE:
            item.operator = item.time = None


def _name_slow(sentence: Sentence) -> None:
    """“the slowest month”: a period is slow where little happens in it, and no speed is meant."""
    quiet = associations()["quietest"]
    for i, item in sentence:
        said = item.association
        if said is None or said.nouns[0] != "speed" or not said.superlative or item.links:
            continue
        behind = sentence[i + 1] if i + 1 < len(sentence) else None
        periods = [behind] if behind is not None and behind.start == item.end else []
        periods += [x for x in sentence.items[:i] if _is_asked(sentence, x)]
        if any(x.op(Op.UNIT) for x in periods):
            item.association = replace(quiet, descending=said.descending)


def _name_hours(sentence: Sentence) -> None:
    """“the busiest hour”, “which hour has most calls”: the hour of the day, unless one single hour is spoken of."""
    ranked = any(
        x.op(Op.RANK) or (x.association is not None and x.association.superlative) for x in sentence.items
    )
    for item in sentence.items:
        plain = item.op(Op.UNIT) and item.operator is not None and item.operator.payload == "hour"
        if plain and ranked and not item.links and not {w.lower for w in sentence.words} & {"single", "ever"}:
            item.operator, item.time = Operator(Op.UNIT, "@hour"), None


def busy_in(sentence: Sentence, i: int, names: Names) -> Metric | None:
    """“the slowest month in orders”, “busiest by passengers”: what happens there, behind an adjective that says how much."""
    said, at = sentence[i].association, sentence.after(i, (Op.OF, Op.IN, Op.FILLER, Op.BY, Op.UNIT))
    if said is None or not said.rows or at is None or sentence[at].used or not sentence[at].links:
        return None
    joint = sentence[at - 1]
    if at - 1 == i or not joint.op(Op.IN, Op.BY):
        return None
    behind = sentence[at + 1] if at + 1 < len(sentence) else None
    held = {v.dimension for v in behind.values} if behind is not None else set[str]()
    if any(d.name in held for d in names.dimensions(sentence[at])):
        return None  # "the busiest month at club Old Town": it says what the value is
    measure = names.measure(sentence[at]) or names.countable(sentence[at])
    if measure is not None:
        sentence[at].used = joint.used = True
        sentence[i].association, sentence[i].operator = None, Operator(Op.RANK, bool(said.descending))
    return measure


def _is_asked(sentence: Sentence, item: Item) -> bool:
    """Whether “which” or “what” stands right before an item."""
    before = sentence.words[item.start - 1].lower if item.start else ""
    return before in {"which", "what"}
