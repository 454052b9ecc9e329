"""Brackets that say which columns words mean: wind speed (WINDSPEED), and every wind speed after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.heading_names import (
    ARTICLES,
    COLUMN_WORDS,
    HEADING,
    LISTING,
    HeadingNames,
    heading_key,
    heading_word,
    is_of_noun,
    key_of,
)
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, is_known_word, name_words

_POINTING = vocabulary(
    "represented denoted given measured indicated identified described stored recorded by as in with i.e ie unique distinct"
)


class Glosses(HeadingNames):
    """Reads brackets that hold headings, and what they explain."""

    def _glossed(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“wind speed (WINDSPEED)”: brackets that hold headings only say which columns the words before mean."""
        result = list(words)
        called: dict[tuple[str, ...], str] = {}
        i = 0
        while i < len(result):
            if result[i].lower != "(":
                i += 1
                continue
            close = next((j for j in range(i + 1, len(result)) if result[j].lower == ")"), None)
            inner = self._listed(question, result[i + 1 : close]) if close is not None else None
            if close is None or not inner:
                i += 1
                continue
            begin = self._explained_from(result, i, inner)
            if len(inner) == 1 and begin is not None:
                phrase = tuple(w.stem for w in result[begin:i] if w.lower not in COLUMN_WORDS)
                called |= {phrase[k:]: key_of(inner[0]) for k in range(max(1, len(phrase) - 1))}
                called |= {phrase[-1:]: key_of(inner[0])} if self._is_unheard(result[begin:i]) else {}
                inner = [heading_word(question, result[begin].start, result[close].end, key_of(inner[0]))]
            if begin is not None:
                result[begin : close + 1] = _joined(inner)
                i = begin
            i += 1
        return self._called_again(question, result, {p: key for p, key in called.items() if p})

    def _is_unheard(self, phrase: Sequence[Word]) -> bool:
        """Whether the noun of a phrase means nothing else here, so that it stands for the phrase."""
        noun = phrase[-1].lower if phrase else ""
        idle = noun in FILLERS or (noun,) in operators() or noun in COLUMN_WORDS
        known = self._names.vocabulary
        return noun.isalpha() and not idle and not known.named(noun) and not known.part(noun)

    @staticmethod
    def _called_again(question: str, words: list[Word], called: Mapping[tuple[str, ...], str]) -> list[Word]:
        """“wind speed (WINDSPEED) … the wind speed”: words that brackets explained mean the same ever after."""
        for phrase in sorted(called, key=len, reverse=True):
            i = 0
            while i + len(phrase) <= len(words):
                span = words[i : i + len(phrase)]
                if tuple(w.stem for w in span) == phrase and all(w.kind == "word" for w in span):
                    words[i : i + len(phrase)] = [
                        heading_word(question, span[0].start, span[-1].end, called[phrase])
                    ]
                i += 1
        return words

    def _listed(self, question: str, inside: Sequence[Word]) -> list[Word] | None:
        """The headings that brackets hold; None where they hold anything else."""
        found: list[Word] = []
        if any(w.text == "/" for w in inside):
            return None  # a formula, not a list
        for run in _runs([w for w in inside if w.lower not in self._saying | ARTICLES | _POINTING]):
            key = key_of(run[0]) if len(run) == 1 and run[0].kind == HEADING else self._named(run)
            key = key or self._part(run)
            if key is None or key not in self._columns:
                return None
            found.append(heading_word(question, run[0].start, run[-1].end, key))
        return found or None

    def _part(self, run: Sequence[Word]) -> str | None:
        """The heading of the only column that has a word in its name, alone in brackets: “cause category (rca)”."""
        parts = self._names.vocabulary.part(run[0].lower) if len(run) == 1 and run[0].kind == "word" else ()
        columns = {x.name for x in parts if x.kind is LinkKind.DIMENSION}
        idle = run[0].lower in FILLERS or (run[0].lower,) in operators() or is_known_word(run[0].lower)
        if idle or len(columns) != 1 or self._is_value(run[0].text):
            return None
        return heading_key(self._names.model.dimension(columns.pop()).home.column)

    def _explained_from(self, words: Sequence[Word], bracket: int, inner: Sequence[Word]) -> int | None:
        """Where the noun phrase before a bracket begins; None where it names another column."""
        begin = bracket
        meant = {d.name for w in inner for d in self._columns[key_of(w)]}
        said = {w for x in inner for w in (x.lower, *name_words(x.lower))}
        while begin and bracket - begin < 6 and is_of_noun(words[begin - 1], said):
            begin -= 1
        of = begin - 1 - int(begin > 0 and words[begin - 1].lower in ARTICLES)
        if of > 0 and words[of].lower == "of" and self._is_unheard(words[of - 1 : of]):
            begin = of - 1  # "heat of the furnace"
        for start in range(begin, bracket):
            named = self._names.vocabulary.named(" ".join(w.lower for w in words[start:bracket]))
            whole = {x.name for x in named if x.kind is LinkKind.DIMENSION and x.quality > 0.96}
            if whole and not whole & meant:
                return None
        return begin


def _runs(words: Sequence[Word]) -> list[list[Word]]:
    runs: list[list[Word]] = [[]]
    for word in words:
        if word.lower in LISTING:
            runs.append([])
        else:
            runs[-1].append(word)
    return [r for r in runs if r]


def _joined(inner: Sequence[Word]) -> list[Word]:
    """Headings as a list that “and” joins."""
    result: list[Word] = []
    for n, word in enumerate(inner):
        if n:
            result.append(Word("and", "and", "and", word.start, word.start, "word"))
        result.append(word)
    return result


def is_explained_behind(word: Word, words: Sequence[Word], cover: Sequence[Item]) -> bool:
    """“species (scientific name)”: what stands in brackets right behind a noun says what it is."""
    at = next(i for i, w in enumerate(words) if w is word)
    bracket = next((i for i in range(at + 1, min(at + 3, len(words))) if words[i].lower == "("), None)
    if bracket is None:
        return False
    inside = [item for item in cover if item.start == bracket + 1]
    return bool(inside) and bool(inside[0].links or inside[0].values)


def is_initial(word: Word, words: Sequence[Word]) -> bool:
    """“the weight (W)”: a letter in brackets behind the word that it begins."""
    at = next(i for i, w in enumerate(words) if w is word)
    enclosed = 1 < at < len(words) - 1 and words[at - 1].lower == "(" and words[at + 1].lower == ")"
    return enclosed and len(word.lower) == 1 and words[at - 2].lower.startswith(word.lower)
