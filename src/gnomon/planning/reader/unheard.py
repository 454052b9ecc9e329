"""Words that pass for idle and yet say something: denials that deny nothing, and values of the data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.relatedness import is_plural
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word
from gnomon.semantic import Aggregation, SemanticModel
from gnomon.semantic.values import ValueIndex

_MODALS = frozenset({"can't", "cannot", "couldn't", "won't", "wouldn't", "shouldn't", "mustn't"})
_SPEAKERS = frozenset({"i", "we", "you"})
_NO_FUTURE = frozenset({"do", "you", "suffice"})
_BEING = frozenset({"are", "is", "were", "was", "have", "has", "had"})
_ENOUGH = frozenset({"fine", "enough", "ok", "okay", "great", "good", "nice", "sufficient", "helpful"})
_ARTICLES = frozenset({"the", "a", "an"})
# What every question may say about its data as a whole.
_ABOUT_ALL = frozenset(
    {"data", "information", "info", "time", "times", "period", "moment", "date", "value", "values", "amount", "figure",
     "figures", "result", "results", "report", "question", "answer", "business", "company", "way", "range", "thing"}
)  # fmt: skip


def unheard_denials(sentence: Sentence) -> list[str]:
    """“don't”, “without”, “can't” that no part of a reading took up: the opposite of what was asked may not be told."""
    lost = [x.text for _, x in sentence if x.op(Op.NOT, Op.WITHOUT) and not (x.used or x.links or x.values)]
    words = sentence.words
    lost += [
        w.text
        for k, w in enumerate(words)
        if w.lower.replace("’", "'") in _MODALS and k and words[k - 1].lower not in _SPEAKERS
    ]
    return lost


_PLAIN = (FilterOperator.EQUALS, FilterOperator.IN, FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN)
_SETS_APART = frozenset({"vs", "versus", "compared to", "compared with", "as opposed to"})


def unmet_together(drafts: Sequence[Draft], words: Sequence[Word], model: SemanticModel) -> list[str]:
    """What no row can meet, or only some things in each of several periods: both, vs between opposite conditions."""
    lost: list[str] = []
    said = next((w.text for w in words if w.lower == "both"), None)
    said_same = [
        w.text
        for k, w in enumerate(words)
        if w.lower == "same" and [x.lower for x in words[k + 1 : k + 2]] == ["for"]
    ]
    pooled = any(len(f.values) > 1 for d in drafts for f in d.filters)
    if (
        said_same
        and len(drafts) == 1
        and pooled
        and not drafts[0].dimensions
        and drafts[0].comparison is None
    ):
        lost += said_same  # "… of women, and the same for men": each of them, not both together
    times = [(d.time_range, d.recurring) for d in drafts]
    counted = drafts and all(d.metrics and _counts_things(d, model) for d in drafts)
    if said is not None and counted and len(drafts) > 1 and len(set(map(str, times))) > 1:
        lost.append(said)  # who came in both years, not how many came in each
    for draft in drafts:
        pairs = combinations([f for f in draft.filters if len(f.values) == 1], 2)
        if draft.heard is not None and any(_excludes(a, b) for a, b in pairs):
            lost += [x.text for _, x in draft.heard if x.op(Op.VERSUS, Op.OR)][:1]
        alone = draft.kind is QuestionKind.VALUE and len(draft.metrics) == 1 and draft.comparison is None
        if alone and len(drafts) == 1 and draft.heard is not None and draft.is_plain:
            lost += [x.text for _, x in draft.heard if x.text.lower() in _SETS_APART and not x.links]
        lost += _lost_distinct(draft, model) + _lost_whole(draft, words) + _lost_side(draft, words)
        lost += _lost_future(draft, words) + _lost_part(draft, words) + _lost_scale(draft, words)
        lost += _lost_groups(draft) + _lost_all(words)
    return list(dict.fromkeys(lost))


def _lost_future(draft: Draft, words: Sequence[Word]) -> list[str]:
    """“how many of them will be approved”: what has been is no answer to what will be."""
    said = [w.lower for w in words]
    if draft.kind is QuestionKind.FORECAST:
        # "how many of the pending ones will be approved": a state that becomes another is no series
        pooled = any(len(f.values) > 1 for f in draft.filters) and not {"and", "or", ","} & {*said}
        return [w.text for w in words if w.lower == "will"][:1] if pooled else []
    if said[:1] == ["should"]:
        return [words[0].text]  # what to do is not what was done
    ahead = [
        i for i, w in enumerate(said[:-1])
        if w == "will" and said[i + 1] not in _NO_FUTURE and not (said[i + 1] == "be" and {*said[i + 2 : i + 3]} & _ENOUGH)
    ]  # fmt: skip
    return [words[i].text for i in ahead[:1]]


def _lost_part(draft: Draft, words: Sequence[Word]) -> list[str]:
    """“all fees divided by the samples that are valid”: a clause behind the divisor holds for the divisor alone."""
    said = [w.lower for w in words]
    if "divided" not in said or not any(" / " in m for m in draft.metrics) or not draft.filters:
        return []
    behind = range(said.index("divided") + 1, len(said) - 1)
    clauses = [i for i in behind if said[i] in {"that", "which", "who"} and said[i + 1] in _BEING]
    return [f"{words[i].text} {words[i + 1].text}" for i in clauses[:1]]


def _lost_scale(draft: Draft, words: Sequence[Word]) -> list[str]:
    """“minutes per 100 run hours”: a number that something is told per bounds no rows."""
    bounds = {
        v
        for f in draft.filters
        if f.operator is FilterOperator.EQUALS
        for v in f.values
        if isinstance(v, int | float)
    }
    scales = [
        b for a, b in pairwise(words) if a.lower in {"per", "every"} and b.lower.replace(",", "").isdecimal()
    ]
    return [f"per {w.text}" for w in scales if float(w.lower.replace(",", "")) in bounds]


def _lost_groups(draft: Draft) -> list[str]:
    """“products by launch year”, where no groups were made of what stands behind “by”."""
    grouped = draft.dimensions or draft.grain or draft.comparison or not draft.is_plain
    if draft.heard is None or grouped or draft.kind not in (None, QuestionKind.VALUE):
        return []
    words, lexicon = draft.heard.words, get_lexicon()
    return [
        b.text for a, b in pairwise(x for _, x in draft.heard)
        if a.op(Op.BY) and not a.used and not b.used and b.links and not b.values
        and not (a.start and lexicon.is_participle(words[a.start - 1].lower))  # "rent paid by tenants"
    ]  # fmt: skip


def _lost_all(words: Sequence[Word]) -> list[str]:
    """“an order from every one of the regions”: what holds for all of them, not for each by itself."""
    said = " ".join(w.lower for w in words)
    return ["every one of"] if "every one of" in said else []


def _lost_whole(draft: Draft, words: Sequence[Word]) -> list[str]:
    """“of the donors who came in 2023, what percent …”: one share of them is asked for, not what each makes up."""
    opens = bool(words) and words[0].lower in {"of", "among", "out"}
    each = draft.kind is QuestionKind.SHARE and bool(draft.dimensions) and not draft.part
    shares = [x.text for _, x in draft.heard if x.op(Op.SHARE)] if draft.heard is not None else []
    return shares[:1] if opens and each else []


_CLAIMING = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "had"})


def _lost_side(draft: Draft, words: Sequence[Word]) -> list[str]:
    """“is it higher for A than for B”, of which one alone was found: a figure of one side is no answer."""
    alone = draft.kind is QuestionKind.VALUE and draft.comparison is None and draft.is_plain
    bounded = any(f.having or f.relative is not None or f.operator not in _PLAIN for f in draft.filters)
    if draft.heard is None or not alone or bounded or not words or words[0].lower not in _CLAIMING:
        return []
    return [x.text for _, x in draft.heard if x.text.lower() == "than" and not (x.used or x.links)]


def is_asked(draft: Draft) -> bool:
    """Whether a part asks for something; others only say what the next one is about."""
    return bool(draft.metrics or draft.dimensions) or draft.kind is QuestionKind.PROFILE


def lost_conditions(drafts: Sequence[Draft]) -> list[str]:
    """“excluding sushi, how many …”: what a part that asks nothing says about rows must hold in one that does."""
    kept = [f for d in drafts if is_asked(d) for f in (*d.filters, *d.part)]
    loose = [d for d in drafts if not is_asked(d) and any(f not in kept for f in d.filters)]
    return [x.text for d in loose if d.heard is not None for _, x in d.heard if x.values][:3]


def _lost_distinct(draft: Draft, model: SemanticModel) -> list[str]:
    """“how many distinct plots”, of which nothing is known, and something else was counted."""
    if draft.heard is None or draft.kind is not QuestionKind.VALUE:
        return []
    covered = {k for x in draft.heard.items for k in range(x.start, x.end)}
    words = draft.heard.words
    counting = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
    counted = any(m.aggregation in counting or m.inner for m in map(model.metric, draft.metrics))
    if draft.metrics and not draft.dimensions and not counted:
        return [x.text for _, x in draft.heard if x.op(Op.DISTINCT) and not x.used and not x.links][:1]
    return [
        words[x.end].text
        for _, x in draft.heard
        if x.op(Op.DISTINCT) and not x.links and x.end < len(words) and x.end not in covered
    ]


def _counts_things(draft: Draft, model: SemanticModel) -> bool:
    """Whether different things are counted, or listed by what rows they have."""
    if any(f.having for f in draft.filters) and draft.dimensions:
        return True
    return all(model.metric(m).aggregation is Aggregation.COUNT_DISTINCT for m in draft.metrics)


def _excludes(a: Filter, b: Filter) -> bool:
    """Whether one is nothing and the other something of the same."""
    zero = {f.operator for f in (a, b) if f.values == (0,)}
    same = (a.field, a.by, a.having) == (b.field, b.by, b.having)
    return same and zero == {FilterOperator.EQUALS, FilterOperator.GREATER}


def unheard_values(
    drafts: Sequence[Draft], words: Sequence[Word], index: ValueIndex, vocabulary: Vocabulary
) -> list[str]:
    """Idle words that the data has as values, said as nouns, in no filter: “from the shop”, of what was paid for."""
    items = [item for d in drafts if d.heard is not None for item in d.heard.items]
    covered = {k for item in items for k in range(item.start, item.end)}
    spoken = [
        k for k, w in enumerate(words)
        if w.lower in FILLERS and k not in covered and _is_placed(words, k, vocabulary) and _may_name(w.lower)
    ]  # fmt: skip
    if not spoken:
        return []
    borne = {str(v) for d in drafts for f in (*d.filters, *d.part) for v in f.values}
    found = [m for m in index.find([w.lower for w in words]) if m.kind == "exact" and m.end == m.start + 1]
    lost = {m.start for m in found if m.start in spoken}
    lost -= {m.start for m in found if str(m.value) in borne}
    return [words[k].text for k in sorted(lost)]


_COUNTED = frozenset({"single", "individual", "whole", "full"})
_COUNTED_BY = frozenset({"every", "each", "any", "no", "a", "one", "the"})


def is_spoken_of(words: Sequence[Word], at: int, vocabulary: Vocabulary) -> bool:
    """“from the shop”, “shop payments”: where a noun stands, a word that is mostly a noun and is idle elsewhere."""
    word, lexicon = words[at].lower, get_lexicon()
    following = words[at + 1].lower if at + 1 < len(words) else ""
    before = words[at - 1].lower if at else ""
    if word in _COUNTED and is_plural(following) and before not in _COUNTED_BY:
        return True  # "single women"
    mostly = 2 * lexicon.met(word, "n") >= lexicon.met(word) and _may_name(word)
    return mostly and word not in _ABOUT_ALL and _is_placed(words, at, vocabulary)


def _may_name(word: str) -> bool:
    return (word,) not in operators() and any(part == "n" for _, part in get_lexicon().bases(word))


def _is_placed(words: Sequence[Word], at: int, vocabulary: Vocabulary) -> bool:
    """Whether a noun may stand there: behind an article or a preposition and last in its phrase, or before rows."""
    before = words[at - 1].lower if at else ""
    following = words[at + 1] if at + 1 < len(words) else None
    known = operators().get((before,))
    led = before in _ARTICLES or (known is not None and known.op is Op.IN)
    ends = following is None or following.kind == "symbol" or following.lower in FILLERS
    named = vocabulary.named(following.lower) if following is not None else ()
    return (led and ends) or any(x.kind is LinkKind.TABLE for x in named)
