"""Columns that a question names outright: in quotes, by their raw headings, beside the word column, or in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.glosses import Glosses
from gnomon.planning.reader.heading_names import (
    ARTICLES,
    COLUMN_WORDS,
    HEADING,
    LISTING,
    SAYING,
    heading_key,
    heading_word,
    heading_words,
    is_of_noun,
    key_of,
)
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.vocabulary import MAX_NAME_WORDS
from gnomon.planning.reader.words import Word, fold, is_known_word, split_words
from gnomon.semantic import DimensionType
from gnomon.semantic.values import ValueMatch

_QUOTED = regex(r"\"([^\"]{1,80})\"|“([^”]{1,80})”|‘([^’]{1,80})’|`([^`]{1,80})`|(?<!\w)'([^']{1,80})'(?!\w)")
_EQUATING = frozenset({"is", "are", "was", "were", "=", "equals", "equal", "to"})
_CALLED = frozenset({"called", "named", "labelled", "labeled", "titled"})
_SIGNS = frozenset({"=", "<", ">", "<=", ">=", "!=", "<>"})


@dataclass(frozen=True)
class _Span:
    """Characters of a question that are one heading."""

    start: int
    end: int
    key: str


class Headings(Glosses):
    """Finds the columns that a question names outright."""

    def said(self, question: str, words: Sequence[Word]) -> list[Word]:
        """The words, those that are a heading as one word of their own kind, and without what only says so."""
        spans = [*self._quoted(question, words)]
        spans += [s for s in self._unquoted(question) if not any(_overlap(s, t) for t in spans)]
        told = self._unquoted_names(_with_spans(question, words, spans))
        told = self._beside(question, told)
        told = self._colliding(question, told)
        told = self._glossed(question, told)
        return _without_saying(told, self._saying)

    def over(self, items: Sequence[Item], words: Sequence[Word]) -> list[Item]:
        """The items, those of headings instead of whatever else their words may mean."""
        places = set(heading_words(words))
        kept = [x for x in items if not places & set(range(x.start, x.end))]
        self._quote_values(kept, words)
        named = [(i, self._links(key_of(words[i]))) for i in sorted(places)]
        kept += [Item(i, i + 1, links=n, outright=True, text=words[i].text) for i, n in named]
        said = [i for i, w in enumerate(words) if i and _is_answer(w, words[i - 1])]
        return kept + [Item(i, i + 1, literal=words[i].text, text=words[i].text) for i in said]

    def _quote_values(self, items: Sequence[Item], words: Sequence[Word]) -> None:
        """Quoted texts that are values, letter by letter, however short: 'S', '3'."""
        for item in items:
            word = words[item.start]
            if word.kind != "quoted" or item.end != item.start + 1 or item.values:
                continue
            text = word.text[1:-1].strip()
            held = [(d, v) for d in self._names.vocabulary.dimensions for v in self._index.values(d)[:2000]]
            found = [(d, v) for d, v in held if str(v) == text] or [
                (d, v) for d, v in held if fold(str(v)) == fold(text)
            ]
            item.values = tuple(ValueMatch(item.start, item.end, d, v, 1.0, "exact") for d, v in found)

    # finding

    def _quoted(self, question: str, words: Sequence[Word]) -> list[_Span]:
        found: list[_Span] = []
        for match in _QUOTED.finditer(question):
            text = next(g for g in match.groups() if g is not None)
            if heading_key(text) not in self._columns or not heading_key(text):
                continue
            span = _Span(match.start(), match.end(), heading_key(text))
            if not self._is_value(text.strip()) or not _is_set_equal(span, words):
                found.append(span)
        return found

    def _unquoted_names(self, words: Sequence[Word]) -> list[Word]:
        """Words in quotes that name a measure or a table and are no value stand for that, as without quotes."""
        result: list[Word] = []
        for word in words:
            text = word.text[1:-1]
            named = word.kind == "quoted" and any(x.quality > 0.9 for x in self._names.vocabulary.named(text))
            if named and not self._is_value(text):
                at = word.start + 1
                result += [replace(w, start=w.start + at, end=w.end + at) for w in split_words(text)]
            else:
                result.append(word)
        return result

    def _unquoted(self, question: str) -> list[_Span]:
        """Headings that no sentence has by chance: with marks or capitals inside, or all in capitals."""
        shouted = question.isupper()
        found: list[_Span] = []
        for heading, pattern in self._shaped:
            for match in pattern.finditer(question):
                exact = match.group() == heading
                plain = heading.isalpha() or heading.isdigit()
                if plain and not exact and (is_known_word(heading) or heading.isdigit()):
                    continue
                if (plain and heading.isupper() and shouted) or heading.isdigit():
                    continue
                span = _Span(match.start(), match.end(), heading_key(heading))
                if not any(_overlap(span, s) for s in found):
                    found.append(span)
        return found

    def _beside(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“the fare column”, “the columns age and fare”, “a variable called age”: what stands beside is a column."""
        result = list(words)
        at = len(result) - 1
        while at >= 0:
            if result[at].lower in COLUMN_WORDS & self._saying and result[at].kind == "word":
                self._list_behind(question, result, at)
                at = self._list_before(question, result, at)
                if at > 1 and _is_claimed(result[at - 2], result[at - 1]):
                    noun = f"'{result[at - 1].lower}'"  # never left out as an idle word
                    result[at - 1] = replace(result[at - 1], lower=noun, stem=noun, kind="quoted")
            at -= 1
        return result

    def _list_before(self, question: str, words: list[Word], at: int) -> int:
        """Makes headings of the names right before a word for columns; where that word stands afterwards."""
        end, many = at, words[at].lower.endswith("s")
        while end > 0:
            begin = self._begin_before(words, end)
            if begin is None:
                return at
            key = self._named(words[begin:end])
            if key is not None:
                words[begin:end] = [heading_word(question, words[begin].start, words[end - 1].end, key)]
                at -= end - begin - 1
            end = begin
            while many and end > 0 and words[end - 1].lower in ARTICLES:
                end -= 1
            if not many or not end or words[end - 1].lower not in LISTING:
                return at
            while end > 0 and words[end - 1].lower in LISTING:
                end -= 1
        return at

    def _begin_before(self, words: Sequence[Word], end: int) -> int | None:
        """Where the longest name begins that ends there."""
        if words[end - 1].kind == HEADING:
            return end - 1
        places = range(max(0, end - MAX_NAME_WORDS), end)
        return next((k for k in places if self._named(words[k:end]) is not None), None)

    def _list_behind(self, question: str, words: list[Word], at: int) -> None:
        """Headings right behind a word for columns."""
        begin = at + 1
        if begin < len(words) and words[begin].lower in _CALLED:
            begin += 1
        while begin < len(words):
            for end in range(min(len(words), begin + MAX_NAME_WORDS), begin, -1):
                key = self._named(words[begin:end])
                if key is not None:
                    words[begin:end] = [heading_word(question, words[begin].start, words[end - 1].end, key)]
                    break
            else:
                if words[begin].kind != HEADING:
                    return
            begin += 1
            if not words[at].lower.endswith("s"):
                return
            while begin < len(words) and words[begin].lower in LISTING:
                begin += 1

    def _colliding(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“between High and Low”, “x = 1”: a capital inside a sentence, or a sign behind, tells a heading."""
        result: list[Word] = []
        for i, word in enumerate(words):
            inside = i > 0 and word.kind == "word" and word.text in self._raw and word.text[:1].isupper()
            idle = word.lower in FILLERS or (word.lower,) in operators()
            beside = i > 1 and words[i - 1].text[:1].isupper() and words[i - 1].kind == "word"
            told = inside and idle and not beside
            told = told and not re.search(r"[.?!:]\s*$", question[words[i - 1].end : word.start])
            equated = i + 1 < len(words) and words[i + 1].lower in _SIGNS and word.text in self._raw
            if (told and word.lower not in {"which", "what", "how"}) or equated:
                result.append(heading_word(question, word.start, word.end, heading_key(word.text)))
            else:
                result.append(word)
        return result


def code_notes(references: Iterable[str], names: Names) -> list[str]:
    """What to say where numbers are summed up that may only tell things apart."""
    metrics = [names.model.metric(r) for r in references]
    columns = [names.column_of(m) for m in metrics if not is_count(m) and m.inner is None]
    told = {d.label for d in columns if d is not None and d.numeric and d.type is not DimensionType.BOOLEAN}
    return [f"“{label}” looks like a code, so that its figures may say little" for label in sorted(told)]


def _overlap(a: _Span, b: _Span) -> bool:
    return a.start < b.end and b.start < a.end


def _with_spans(question: str, words: Sequence[Word], spans: Sequence[_Span]) -> list[Word]:
    """The words, those inside of a span as one."""
    result = [w for w in words if not any(w.start < s.end and s.start < w.end for s in spans)]
    result += [heading_word(question, s.start, s.end, s.key) for s in spans]
    return sorted(result, key=lambda w: w.start)


def _is_set_equal(span: _Span, words: Sequence[Word]) -> bool:
    """Whether a quoted text stands where a value does: “where status is 'Open'”, and not before column."""
    before = [w for w in words if w.end <= span.start][-1:]
    behind = [w for w in words if w.start >= span.end][:1]
    return bool(before and before[0].lower in _EQUATING) and not (behind and behind[0].lower in SAYING)


def _is_claimed(article: Word, noun: Word) -> bool:
    """“the status column”, where there is none: a noun that says nothing elsewhere is a name here."""
    lexicon = get_lexicon()
    mostly = 2 * lexicon.met(noun.lower, "n") >= lexicon.met(noun.lower) > 0
    idle = noun.lower in FILLERS or (noun.lower,) in operators()
    return article.lower in {"the", "our", "its"} and noun.kind == "word" and idle and mostly


def _is_answer(word: Word, before: Word) -> bool:
    """“= Yes”, “equal to false”: what a column of yes and no is said to be."""
    signed = before.lower in {"=", "!=", "equals", "equal"} or before.kind == HEADING
    plain = before.lower in {"to", "is", "was"} and (word.lower != "no" or word.text == "No")
    return word.lower in {"yes", "no", "true", "false"} and word.kind == "word" and (signed or plain)


def _without_saying(words: Sequence[Word], saying: frozenset[str]) -> list[Word]:
    """The words but for column, variable, value … beside a heading, and what stands between: "x" score column."""
    idle: set[int] = set()
    for i in heading_words(words):
        before = i - 1
        while before >= 0 and words[before].lower in saying | _CALLED:
            idle.add(before)
            before -= 1
        behind = next(
            (k for k in range(i + 1, min(len(words), i + 5)) if words[k].lower in COLUMN_WORDS & saying),
            None,
        )
        plain = behind is not None and all(is_of_noun(w, set()) for w in words[i + 1 : behind])
        if behind is not None and plain:
            idle |= set(range(i + 1, behind + 1))
        elif i + 1 < len(words) and words[i + 1].lower in saying:
            idle.add(i + 1)
    return [w for k, w in enumerate(words) if k not in idle]
