"""Superlatives and what they grade: “the quickest time”, “who came first”, “between the fastest man and the fastest woman”."""

from __future__ import annotations

from dataclasses import replace

from gnomon.core.operations import Tell
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import timed_column
from gnomon.planning.reader.naming import Names, upward
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, DimensionType, Metric
from gnomon.semantic.model import singular
from gnomon.semantic.units import times_as_many, unit_called

_RACED = frozenset({"finish", "finishing", "race", "lap", "time"})
_BETWEEN = vocabulary("is are was were the a an average typical mean median their his her")
FIRST = frozenset({"came first", "comes first", "come first"})


def name_graded(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Put the measure for nouns that only say what a superlative grades, and for two ends that are set apart."""
    _specify(draft, sentence, names)
    _name_nouns(sentence, names)
    _grade_rows(sentence, names)
    column = timed_column(names.model) if any(x.text.lower() in FIRST for x in sentence.items) else None
    if column is not None:
        _drop_unit(draft, sentence, column.unit)  # "who came first, and in how many minutes"
    _set_ends_apart(draft, sentence, names)


def _specify(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“heavier backpacks”, “the youngest husband”: by the backpack weight and the husband's age, among other weights and ages."""
    for item in sentence.items:
        said = item.association
        at = _noun_at(sentence, item) if said is not None and not item.links else None
        if said is None or at is None:
            continue
        noun = singular(sentence.words[at].lower)
        told = [f"{noun} {of}" for of in said.nouns] + [f"{of} {noun}" for of in said.nouns]
        meant = next((phrase for phrase in told if _is_column(phrase, names)), None)
        owner = next((x for x in sentence.items if x.start <= at < x.end), None)
        if meant is None or (owner is not None and owner.end - owner.start > 1):
            continue  # "the dearest list price" names it
        item.association = replace(said, nouns=(meant, *said.nouns))
        rows = owner is not None and owner.named(LinkKind.TABLE) is not None
        if owner is not None and not (rows and said.superlative):
            owner.links, owner.values, owner.operator = (), (), Operator(Op.FILLER)
        draft.unexplained = [w for w in draft.unexplained if w.lower() != sentence.words[at].lower]


def _noun_at(sentence: Sentence, item: Item) -> int | None:
    """Where the noun stands that an adjective speaks of: behind it, or before a verb."""
    words = [w.lower for w in sentence.words]
    if item.association is not None and item.association.descending is None:
        return item.start - 1 if item.start and words[item.start].startswith("weigh") else None
    asked = item.start > 0 and words[item.start - 1] == "how"
    skipped = _BETWEEN if asked else frozenset[str]()
    return next((k for k in range(item.end, len(words)) if words[k] not in skipped), None)


def _is_column(phrase: str, names: Names) -> bool:
    """Whether a phrase names one column of numbers outright."""
    links = [x for x in names.vocabulary.named(phrase) if x.quality >= 0.85]
    columns = [names.model.dimension(x.name) for x in links if x.kind is LinkKind.DIMENSION]
    return len(columns) == 1 and columns[0].type is DimensionType.NUMBER


def _name_nouns(sentence: Sentence, names: Names) -> None:
    """“the quickest time”, of a finish in minutes: the noun is what quick things have little of."""
    for item in list(sentence.items):
        said = item.association
        if said is None or item.links or not said.superlative or item.end >= len(sentence.words):
            continue
        word = sentence.words[item.end].lower
        taken = any(x.start <= item.end < x.end for x in sentence.items)
        measure = next(iter(names.metrics(item)), None) if word in said.nouns and not taken else None
        if measure is not None:
            noun = Item(item.end, item.end + 1, links=(Link(LinkKind.METRIC, measure.name, 1.0),), text=word)
            sentence.items.insert(sentence.items.index(item) + 1, noun)


def _grade_rows(sentence: Sentence, names: Names) -> None:
    """“are emergency visits dearer”: by what a visit costs, whatever else has a price."""
    tables = [t.name for _, x in sentence if (t := x.named(LinkKind.TABLE)) is not None and t.quality >= 0.85]
    for _, item in sentence:
        said = item.association
        if said is None or not said.comparative or item.links or len({*tables}) != 1:
            continue
        own = names.own(said, tables[0])
        meant = next((names.column_of(m) for m in names.metrics(item)), None)
        if own is not None and own != meant:
            item.links = (Link(LinkKind.METRIC, f"{Aggregation.MEAN}({own.home})", 1.0),)


def _set_ends_apart(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“how many minutes between the fastest man and the fastest woman”: the best of each, and how far they lie apart."""
    ends = [i for i, x in sentence if x.association is not None and x.association.superlative and not x.links]
    if len(ends) != 2:
        return
    first, second = ends
    valued = [sentence[i + 1] if i + 1 < len(sentence) else None for i in ends]
    one, other = (x.values[0] if x is not None and x.values and not x.links else None for x in valued)
    if one is None or other is None or one.dimension != other.dimension or one.value == other.value:
        return
    joined = {x.text.lower() for x in sentence.items[first + 2 : second]}
    figures = [_figure(sentence[i], names) for i in ends]
    if figures[0] is None or figures[0] != figures[1] or not joined & {"and", "or", "than", "to"}:
        return
    reference = figures[0]
    sentence[first].links, sentence[first].association = (Link(LinkKind.METRIC, reference, 1.0),), None
    sentence.items.pop(second)
    for i in sentence.find(Op.BETWEEN):
        sentence[i].operator = Operator(Op.VERSUS)
    _drop_unit(draft, sentence, names.model.metric(reference).unit)
    draft.tell(Tell.DIFFERENCE)


def _drop_unit(draft: Draft, sentence: Sentence, unit: str | None) -> None:
    """“how many minutes” asks for what is measured in them, and counts nothing."""
    draft.unexplained = [w for w in draft.unexplained if not _is_told_in(w, unit)]
    for i in sentence.find(Op.COUNT):
        asked = sentence.words[sentence[i].end].lower if sentence[i].end < len(sentence.words) else ""
        if _is_told_in(asked, unit):
            sentence[i].operator, sentence[i].used = None, True


def _is_told_in(word: str, unit: str | None) -> bool:
    """Whether a word is a unit that a measure can be told in."""
    said = unit_called(word) if len(word) > 2 else None
    return said is not None and (said == unit or times_as_many(unit, said) is not None)


def _figure(item: Item, names: Names) -> str | None:
    """The end of a column that a superlative means."""
    said = item.association
    metric = next(iter(names.metrics(item)), None)
    column = names.column_of(metric) if metric is not None else None
    if said is None or metric is None or column is None or column.type is not DimensionType.NUMBER:
        return None
    how = Aggregation.MAX if upward(said, metric) else Aggregation.MIN
    return f"{how}({column.home})"


def first_home(sentence: Sentence, at: int, names: Names) -> Metric | None:
    """“who came first”, where rows have one time that they took: the one that took least."""
    if sentence[at].text.lower() not in FIRST:
        return None
    named = any(x.links and names.measure(x) is not None for _, x in sentence)
    column = timed_column(names.model) if not named else None
    asked = column is not None and any(_is_told_in(w.lower, column.unit) for w in sentence.words)
    if column is None or not (asked or _RACED & {*name_words(column.label)}):
        return None  # what lasts is won by nobody
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    if following is not None and following.text.lower() == "overall":
        following.operator, following.used = None, True
    return names.metric_of(column)
