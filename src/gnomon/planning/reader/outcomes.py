"""How something ended: “end in death”, “led to a fine”, “how often do launches fail”; and the rows that a share is told of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.people import PEOPLE
from gnomon.planning.reader.sides import says
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words, stem
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, DimensionType, Metric, SemanticModel
from gnomon.semantic.model import plural, singular
from gnomon.semantic.values import ValueIndex

_ENDING = {"end": {"in", "with", "as"}, "result": {"in"}, "lead": {"to"}, "finish": {"in", "with", "as"},
           "culminate": {"in"}, "conclude": {"in", "with"}}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the"})
_ASKING = frozenset({"do", "does", "did", "are", "is", "was", "were", "have", "has", "will"})
_SHARES = frozenset({"share", "percentage", "percent", "proportion", "fraction"})
_BE = frozenset({"is", "are", "was", "were", "be", "been"})
_COUNTED = frozenset({"per", "count", "times", "average"})
_DOERS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_FEW = 40
_NEAR = 5
_NAMED = 0.9


def as_outcomes(
    words: Sequence[Word], model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex
) -> list[Word]:
    """The words with “ended in a transfer” put as the value that tells it, and “led to a fine” as having one."""
    result = list(words)
    for i in reversed(range(len(words) - 2)):
        verbs = {base for base, part in get_lexicon().bases(words[i].lower) if part == "v"} & _ENDING.keys()
        if not any(words[i + 1].lower in _ENDING[v] for v in verbs):
            continue
        at = i + 2 + (words[i + 2].lower in _ARTICLES)
        if at >= len(words) or words[at].kind != "word":
            continue
        noun = words[at]
        amounts = [x for x in vocabulary.named(noun.lower) if x.quality > 0.85 and _is_amount(x.name, model)]
        value = _value(noun.lower, model, index) if not amounts else None
        if value is not None:
            result[i : at + 1] = [replace(noun, lower=w, stem=stem(w)) for w in value.lower().split()]
        elif amounts:
            result[i : i + 2] = [replace(words[i], lower="had", stem="had")]
    return result


def told_apart(words: Sequence[Word]) -> list[Word]:
    """“the share of patients who cancelled”: behind those that a share is of, “who” and “which” ask for nothing."""
    result = list(words)
    shares = [i for i, w in enumerate(words[:-2]) if w.lower in _SHARES and words[i + 1].lower == "of"]
    for i, word in enumerate(words):
        near = any(1 < i - at <= _NEAR for at in shares)
        if near and word.lower in {"who", "which"} and _is_many(words[i - 1].lower):
            result[i] = replace(word, lower="that", stem="that")
    return result


def _is_many(noun: str) -> bool:
    return noun.endswith("s") or noun in PEOPLE or noun in {"men", "women", "children"}


def _is_amount(name: str, model: SemanticModel) -> bool:
    return any(d.name == name and d.type is DimensionType.NUMBER for d in model.dimensions)


def _value(noun: str, model: SemanticModel, index: ValueIndex) -> str | None:
    """The one value of a category that a noun says, in this or another form."""
    found: set[str] = set()
    for d in model.dimensions:
        if d.type is DimensionType.CATEGORY and not d.personal and (d.distinct or _FEW + 1) <= _FEW:
            found |= {str(v) for v in index.values(d.name)[:_FEW] if says(noun, str(v))}
    return found.pop() if len(found) == 1 else None


def without_rates_told_of(items: Sequence[Item], words: Sequence[Word]) -> list[Item]:
    """“what share of late orders was cancelled” tells of the late orders; it does not ask for the share that is late."""
    kept = [x for x in items if not (x.links and _is_told_of(x, words))]
    return [x for x in kept if not (x.links and _is_of_state(x, kept))]


def _is_of_state(item: Item, items: Sequence[Item]) -> bool:
    """“the no-show rate”: behind a value, a bare rate is that of the value, and of no flag."""
    bare = item.text.lower() in {"rate", "rates"} and item.links[0].quality < _NAMED
    return bare and any(x.end == item.start and x.values and not x.links for x in items)


def _is_told_of(item: Item, words: Sequence[Word]) -> bool:
    said = [w.lower for w in words[item.start : item.end]]
    if len(said) < 3 or said[0] not in _SHARES or said[1] != "of" or item.end >= len(words):
        return False
    behind = words[item.end].lower
    if behind in _BE or behind in {"had", "have", "has", "got", "get", "that", "who", "which"}:
        return item.end + 1 < len(words) and words[item.end + 1].kind != "symbol"
    return get_lexicon().is_participle(behind)


_SOMEBODY = frozenset({"he", "she", "it", "that", "this"})


def shares_asked(question: str, model: SemanticModel) -> list[str]:
    """“how often do launches fail” as the share of them that do, in the likelier words first; nothing where it is a count."""
    words = split_words(question)
    said = [w.lower for w in words]
    often = said[:2] in (["how", "often"], ["how", "frequently"]) and said[2:3] and said[2] in _ASKING
    if not often or len(said) < 5 or _COUNTED & set(said) or said[3] in _SOMEBODY:
        return []
    told = question[words[3].start :]
    rows = plural(model.tables[0].label) if len(model.tables) == 1 else None
    tries = [f"what share of {told}"]
    if said[2] in _BE:
        tries = [f"what share of {_with_verb(told, said[2], model)}", *tries]
    if rows is None:
        return tries
    doers = {stem(d.label.split()[-1].lower()) for d in model.dimensions if d.type in _DOERS}
    if said[3] in PEOPLE or (
        stem(said[3]) in doers and singular(said[3]) != said[3]
    ):  # all of them do it: of the rows
        return [f"what share of {rows} {question[words[3].end :]}"]
    return [*tries, f"what share of {rows} for {told}"]


def _with_verb(told: str, verb: str, model: SemanticModel) -> str:
    """The verb behind the rows that it tells of, else behind the first noun: late orders are cancelled."""
    parts = told.split()
    rows = {stem(t.label.split()[-1].lower()) for t in model.tables}
    named = [i for i, p in enumerate(parts) if stem(p.lower()) in rows]
    first = [i for i, p in enumerate(parts) if p.lower() not in _ARTICLES | {"our", "all"}]
    at = (named or first or [0])[0] + 1
    return " ".join([*parts[:at], verb, *parts[at:]])


def is_share(reading: Drafted, question: str, model: SemanticModel) -> bool:
    """Whether a reading tells the share of rows that do what is asked about, not the share that the doer has of them."""
    if reading.status is not ReadingStatus.CLEAR or len(reading.requests) != 1:
        return False
    asked = reading.requests[0]
    metrics = [model.metric(m) for m in asked.metrics]
    if len(metrics) != 1 or asked.comparison is not None:
        return False
    if metrics[0].aggregation is Aggregation.MEAN and metrics[0].unit == "fraction":
        return True
    doers = {w for word in split_words(question)[3:5] for w in name_words(word.lower)}
    values = {w for f in asked.part for v in f.values if isinstance(v, str) for w in name_words(v)}
    rows = metrics[0].aggregation is Aggregation.COUNT or _is_flagged(metrics[0], model)
    return rows and bool(asked.part) and not values & doers


def _is_flagged(metric: Metric, model: SemanticModel) -> bool:
    """Whether a metric counts the rows that a flag marks."""
    flags = {d.home.column for d in model.dimensions if d.type is DimensionType.BOOLEAN}
    return metric.aggregation is Aggregation.SUM and metric.expression in flags
