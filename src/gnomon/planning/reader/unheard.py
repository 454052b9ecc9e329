"""Words that pass for idle and yet say something: denials that deny nothing, and values of the data."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word
from gnomon.semantic.values import ValueIndex

_MODALS = frozenset({"can't", "cannot", "couldn't", "won't", "wouldn't", "shouldn't", "mustn't"})
_SPEAKERS = frozenset({"i", "we", "you"})
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


def is_spoken_of(words: Sequence[Word], at: int, vocabulary: Vocabulary) -> bool:
    """“from the shop”, “shop payments”: where a noun stands, a word that is mostly a noun and is idle elsewhere."""
    word, lexicon = words[at].lower, get_lexicon()
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
