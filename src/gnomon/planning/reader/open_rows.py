"""Rows that nothing in the data names: the question says what they are, and the answer tells that it was taken so.

A table is open where neither its name nor a key says what a row is. A noun that names nothing then stands for its
rows, if it is said where their name stands and the columns do not speak against it. The surer the place (owner of a
column, bearer of a condition), the less evidence is needed; what is only counted needs most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from gnomon.core.parts import Parts
from gnomon.data.column_names import ends_like_category
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, relate
from gnomon.planning.reader.draft import Drafts
from gnomon.planning.reader.dropped_words import SAYS_NO_MORE
from gnomon.planning.reader.lattice import OWNERS
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.row_evidence import RowEvidence
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, DimensionType, SemanticModel
from gnomon.semantic.called import called
from gnomon.semantic.model import singular
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary as generic

_TRIES = 2
_DETERMINERS = frozenset({"the", "a", "an", "all", "each", "every", "our", "these", "those", "any", "this"})
_HOW_MANY = frozenset({"most", "fewest", "least", "more", "fewer"})
_COUNTING = frozenset({"count", "counts", "number", "numbers", "total"})
_GROUPING = frozenset({"by", "across", "within", "between", "among", "in", "from", "at", "on"})
_EACH = frozenset({"by", "per", "each", "every"})
_DIFFERENT = frozenset({"different", "distinct", "unique", "separate"})
_BEING = frozenset({"are", "is", "were", "was", "be", "being", "been"})
_HAVING = frozenset({"their", "his", "her", "its", "my"})
_TOLD = (Op.VARY, Op.VERSUS, Op.CHANGE)
_BEARING = frozenset({"with", "whose", "that", "which", "who", "where", "without", "having"})


class OpenRows:
    """Reads questions again with the rows called what the question calls them.

    Args:
        model: What the tables mean.
        index: The values of the data.
        vocabulary: How the things of the model are said.
        reader: Makes a reader over another model of the same data.
    """

    def __init__(
        self,
        model: SemanticModel,
        index: ValueIndex,
        vocabulary: Vocabulary,
        reader: Callable[[SemanticModel, ValueIndex], Drafts],
    ) -> None:
        self._model = model
        self._index = index
        self._vocabulary = vocabulary
        self._make = reader
        self._evidence = RowEvidence(model, index)
        self._readers: dict[str, Drafts] = {}

    def read(
        self, question: str, plain: Drafted, *, today: date, previous: Parts | None = None
    ) -> Drafted | None:
        """The reading with an unknown noun taken as what rows are; None where that explains less than everything."""
        if not self._evidence.is_open:
            return None
        words = split_words(question)
        for noun in self._candidates(words, plain.missing):
            reading = self._reader(noun).drafted(question, today=today, previous=previous)
            if reading.status is not ReadingStatus.CLEAR or any(SAYS_NO_MORE in n for n in reading.notes):
                continue  # what the rows are and what says nothing are one guess too many
            if self._stands(noun, words, reading.requests):
                note = f"each row was taken as one {'person' if noun == 'people' else noun}, as the data does not say what its rows are"
                return reading.model_copy(update={"notes": (*reading.notes, note)})
        return None

    def may_be_rows(self, word: str) -> bool:
        """Whether a plural that is also the end of a value's name may be what the rows are that nothing names."""
        noun = _one(word)
        return (
            noun != word
            and self._evidence.is_open
            and self._evidence.may_be(noun)
            and self._evidence.is_likely(noun)
        )

    def _reader(self, noun: str) -> Drafts:
        if noun not in self._readers:
            if len(self._readers) >= 8:
                self._readers.clear()
            self._readers[noun] = self._make(called(self._model, self._evidence.table, noun), self._index)
        return self._readers[noun]

    def _candidates(self, words: Sequence[Word], missing: Iterable[str]) -> list[str]:
        """Nouns among what names nothing, in the singular, the likeliest first; two that stand together are one."""
        asked = {w.lower() for text in missing for w in text.split()}
        unknown = [w.kind == "word" and w.lower in asked and _may_be_rows(w.lower) for w in words]
        found: list[str] = []
        for i, word in enumerate(words):
            if unknown[i]:
                found.append(_one(word.lower))
                if i + 1 < len(words) and unknown[i + 1] and words[i + 1].start == word.end + 1:
                    found.append(f"{word.lower} {_one(words[i + 1].lower)}")
        called = next((t.label for t in self._model.tables if t.name == self._evidence.table), "")
        fitting = [n for n in dict.fromkeys(found) if n != called and self._evidence.may_be(n)]
        return sorted(fitting, key=lambda n: (-len(n.split()), -self._evidence.likeness(n)))[:_TRIES]

    def _stands(self, noun: str, words: Sequence[Word], requests: Sequence[Parts]) -> bool:
        """Whether a noun stands where the name of the rows stands, as surely as the evidence for it asks."""
        at = [i for i, w in enumerate(words) if _one(w.lower) == noun.split()[-1]]
        size = len(noun.split())
        if any(_does(i - size + 1, i + 1, words) or _is_beside(i - size + 1, words) for i in at):
            return False
        if any(self._describes(i, words) or _is_told_of(i - size + 1, words) for i in at):
            return False
        if self._is_one_kind(noun):
            return False
        if any(self._is_another_figure(i - size + 1, i, words) for i in at):
            return False
        had = any(i >= size and words[i - size].lower in _HAVING for i in at)
        if had and not any(self._is_column(words, k) for i in at for k in (i + 1, i + 2, i + 3)):
            return False  # "who own their home"; a state pays its teachers a salary
        leads = {words[i - size].lower for i in at if i >= size}
        if leads & _DIFFERENT and not self._evidence.is_sure(noun):
            return False  # what comes again and again is no row
        if leads & _EACH and any(r.dimensions for r in requests):
            return False  # of each row there is nothing to compute: groups are asked for that are not there
        counted = all(self._counts(m) for r in requests for m in r.metrics)
        if counted and any(_is_figure(i - size + 1, i, words) for i in at):
            return False
        if any(self._is_measured(i, words) for i in at):
            return self._evidence.is_told(noun) if counted else self._evidence.comes_to_money(noun)
        if self._evidence.is_sure(noun):
            return True
        if any(self._owns(i, words, size) for i in at):
            return True
        if leads & {"which", "what"} and not requests[0].filters:
            return (
                False  # "which warehouse has the highest …": rows without a name are hardly what is asked for
            )
        conditions = [f for r in requests for f in (*r.filters, *r.part) if not f.having]
        told = any(r.dimensions or r.time_range or self._measures(r) for r in requests) or bool(conditions)
        return told and self._evidence.is_likely(noun)

    def _describes(self, at: int, words: Sequence[Word]) -> bool:
        """“steel items”, of a column of item names: what the rows are stands behind, and the noun tells which."""
        behind = words[at + 1] if at + 1 < len(words) else None
        if behind is None or not behind.lower.endswith("s"):
            return False
        rows = next((t.rows for t in self._model.tables if t.name == self._evidence.table), None) or 0
        spans = [s for s in self._vocabulary.find(words) if s.start == at + 1 and s.end == at + 2]
        named = {x.name for s in spans for x in s.links if x.kind is LinkKind.DIMENSION}
        kinds = (DimensionType.TEXT, DimensionType.ID)
        return any(
            d.name in named and d.type in kinds and (d.distinct or 0) > 0.9 * rows
            for d in self._model.dimensions
        )

    def _is_one_kind(self, noun: str) -> bool:
        """“fastballs”, beside a pitch type: some of the rows, whichever code stands for them."""
        told = [d for d in self._model.dimensions if d.type is DimensionType.CATEGORY]
        kinds = {w for d in told if ends_like_category(d.home.column) for w in name_words(d.label)[:-1]}
        return any(r.relation is Relation.KIND_OF for w in kinds for r in relate(noun, w))

    def _is_another_figure(self, first: int, last: int, words: Sequence[Word]) -> bool:
        """“average satisfaction bonus”: right behind what is averaged, a noun makes another figure of it."""
        operator = operators().get((words[first - 2].lower,)) if first > 1 else None
        if operator is None or operator.op is not Op.AGGREGATE or words[last].lower.endswith("s"):
            return False
        noun = words[first - 1].lower
        named = self._is_column(words, first - 1, ends=True)
        plain = get_lexicon().met(noun, "n") > 0 and not self._index.find([noun])
        return (named or plain) and not self._is_column(words, last + 1)

    def _is_measured(self, at: int, words: Sequence[Word]) -> bool:
        """“total expenses”, “the average expense”: aggregated itself, with no column behind that is."""
        before = next((w for w in reversed(words[:at]) if w.lower not in _DETERMINERS), None)
        if before is None or before.lower in _HOW_MANY:
            return False
        operator = operators().get((before.lower,))
        if operator is None or operator.op not in (Op.AGGREGATE, Op.RANK):
            return False
        return not self._is_column(words, at + 1)

    def _owns(self, at: int, words: Sequence[Word], size: int) -> bool:
        """“expense amount”, “age of the passengers”, “critical goals”, “goals with priority …”."""
        behind = words[at + 1].lower if at + 1 < len(words) else ""
        if self._is_column(words, at + 1) or behind in _BEARING:
            return True
        first = at - size + 1
        if any(m.end == first and m.kind == "exact" for m in self._index.find([w.lower for w in words])):
            return True
        k = first - 1
        while k >= 0 and words[k].lower in _DETERMINERS:
            k -= 1
        owned = k > 0 and words[k].lower == "of" and words[k - 1].lower not in _COUNTING
        return owned and self._is_column(words, k - 1, ends=True)

    def _is_column(self, words: Sequence[Word], at: int, *, ends: bool = False) -> bool:
        """Whether the name of a column begins (or ends) with the word there."""
        if not 0 <= at < len(words):
            return False
        spans = [s for s in self._vocabulary.find(words) if (s.end - 1 if ends else s.start) == at]
        return any(x.kind is not LinkKind.TABLE and not self._counts(x.name) for s in spans for x in s.links)

    def _counts(self, name: str) -> bool:
        counts = {m.name for m in self._model.metrics if m.aggregation is Aggregation.COUNT}
        return name in counts

    def _measures(self, request: Parts) -> bool:
        return any(not self._counts(m) for m in request.metrics)


def _does(first: int, end: int, words: Sequence[Word]) -> bool:
    """“how do storms get …”: asked how or why the things do something, which no figure tells."""
    asked = [w.lower for w in words[:first] if w.lower not in _DETERMINERS]
    if asked[:1] not in (["how"], ["why"]) or asked[1:] not in (["do"], ["does"], ["did"], ["are"], ["is"]):
        return False
    ways = [operators().get((w.lower,)) for w in words[end : end + 2]]
    return not any(way is not None and way.op in _TOLD for way in ways)


def _is_figure(first: int, last: int, words: Sequence[Word]) -> bool:
    """“the population of Cook county”, “turnout by race”: one of many is not asked for so; a figure is."""
    before = words[first - 1].lower if first else ""
    behind = words[last + 1].lower if last + 1 < len(words) else ""
    alone = before in {"the", ""} and behind in {"of", "by", "in", "for", "per", "across", "among"}
    return alone and _one(words[last].lower) == words[last].lower


def _is_told_of(first: int, words: Sequence[Word]) -> bool:
    """“how many are members”, “Democrats”: it says of rows what some of them are, or are called."""
    before = words[first - 1].lower if first else ""
    asked = first > 1 and words[first - 2].lower in {"who", "what", "where", "which"}
    called = first > 0 and words[first].text[:1].isupper()
    return (before in _BEING and not asked) or called


def _is_beside(first: int, words: Sequence[Word]) -> bool:
    """“by sex”, “in hospitals”: what rows are grouped by or found in is not what they are."""
    before = next((w.lower for w in reversed(words[:first]) if w.lower not in _DETERMINERS), "")
    return before in _GROUPING


def _may_be_rows(word: str) -> bool:
    lexicon = get_lexicon()
    bases = lexicon.bases(word)
    if (
        lexicon.is_participle(word)
        or word in generic().generic_columns
        or (lexicon.met(word, "v") > lexicon.met(word, "n") and _one(word) == word)
    ):
        return False  # a name, a title; "sell", "go": done rather than counted
    known = any(part == "n" for _, part in bases) and all(base == word for base, part in bases if part == "a")
    idle = word in FILLERS and word not in OWNERS
    idle |= get_lexicon().met(word, "a") > 2 * get_lexicon().met(word, "n")  # "open champions" are no opens
    return known and len(word) > 2 and not idle and (word,) not in operators()


def _one(word: str) -> str:
    """A noun in the singular."""
    bases = [base for base, part in get_lexicon().bases(word) if part == "n" and base != word]
    return bases[0] if bases else singular(word)
