"""A question as a language model sees it: values, numbers and, where names are secret, names are marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gnomon.llm import Privacy
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, fold, is_known_word, split_words
from gnomon.semantic.values import ValueIndex

_ADDRESS = re.compile(r"\S*[@\\#_]\S*|\w+://\S+")
_UNKNOWN = "words that were quoted, a code, or a name that is not known"
_KINDS = {LinkKind.METRIC: "metric", LinkKind.DIMENSION: "column", LinkKind.TABLE: "rows"}


@dataclass(frozen=True)
class _Mark:
    """A word that stands for words [start, end) of the question."""

    start: int
    end: int
    word: str
    legend: str


class ShownQuestion:
    """What is sent of a question, and where its words stand.

    Args:
        question: As it was typed.
        items: Everything that its words may mean.
        index: The values of the data.
        vocabulary: The names of the data.
        privacy: What may be seen.
        shown: How a name is called to the model, by its kind.
        held: Whether a word occurs in some value of the data.
    """

    def __init__(
        self,
        question: str,
        items: Sequence[Item],
        index: ValueIndex,
        vocabulary: Vocabulary,
        privacy: Privacy,
        shown: Callable[[str, str], str],
        held: Callable[[str], bool],
    ) -> None:
        self.question = question
        self.words = split_words(question)
        self._vocabulary = vocabulary
        self._shown = shown
        self._held = held
        self._timed = {i for item in items if item.time for i in range(item.start, item.end)}
        self._marks: list[_Mark] = []
        if not privacy.wording:
            if not privacy.names:
                self._hide_names(items)
            self._hide_values(index)
            self._hide_dates(items)
            self._hide_figures()
        ordered = enumerate(sorted(self._marks, key=lambda m: m.start), 1)
        self._marks = [replace(m, word=f"{m.word}{n}") for n, m in ordered]
        self.text = self._rendered()
        self.legend = tuple(f"{m.word}: {m.legend}" for m in self._marks)
        self._tokens = self._tokenised()

    def locate(self, echo: str) -> list[int] | None:
        """The positions of the words that the model repeats; None where it does not repeat the question."""
        said = [w.lower for w in split_words(echo) if w.kind != "symbol"]
        shown = [t for t, _ in self._tokens]
        if not said:
            return []
        for at in range(len(shown) - len(said) + 1):
            if shown[at : at + len(said)] == said:
                return [i for _, where in self._tokens[at : at + len(said)] for i in where]
        places: list[int] = []
        for word in said:
            if word not in shown:
                return None
            places += self._tokens[shown.index(word)][1]
        return sorted(set(places))

    def said(self, places: Sequence[int]) -> str:
        """The words at those positions as they were typed."""
        if not places:
            return ""
        return self.question[self.words[min(places)].start : self.words[max(places)].end]

    def phrases(self, places: Sequence[int]) -> list[str]:
        """The words at those positions as they were typed; those that stand side by side as one phrase."""
        runs: list[list[int]] = []
        for i in places:
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        return [self.said(run) for run in runs]

    def sent(self, places: Sequence[int]) -> list[str]:
        """The words at those positions as the model sees them."""
        return [word for word, where in self._tokens if set(where) & set(places)]

    def _hide_names(self, items: Sequence[Item]) -> None:
        for item in sorted(items, key=lambda i: i.start - i.end):
            if not item.links or self._taken(item.start, item.end):
                continue
            named = dict.fromkeys(self._shown(_KINDS[link.kind], link.name) for link in item.links[:4])
            self._mark(item.start, item.end, "NAME", " or ".join(named))

    def _hide_values(self, index: ValueIndex) -> None:
        matches = index.find([w.lower for w in self.words])
        for match in sorted(matches, key=lambda m: (m.start - m.end, -m.score)):
            if self._taken(match.start, match.end) or all(
                self._plain(w) for w in self.words[match.start : match.end]
            ):
                continue
            held = dict.fromkeys(m.dimension for m in matches if (m.start, m.end) == (match.start, match.end))
            columns = " or ".join(self._shown("column", d) for d in held)
            self._mark(match.start, match.end, "VALUE", f"a value of {columns}")

    def _hide_dates(self, items: Sequence[Item]) -> None:
        """Times that are written with figures, which days in the data are too."""
        for item in sorted(items, key=lambda i: i.start - i.end):
            figures = any(c.isdigit() for w in self.words[item.start : item.end] for c in w.text)
            if item.time is not None and figures and not self._taken(item.start, item.end):
                self._mark(item.start, item.end, "TIME", "a time: a day, a year, a range or a step")

    def _hide_figures(self) -> None:
        """Numbers, codes, quotations and unknown names, which may be values that the index does not keep."""
        for address in _ADDRESS.finditer(self.question):
            within = [i for i, w in enumerate(self.words) if address.start() <= w.start < address.end()]
            if within and not all(self._plain(self.words[i]) for i in within):
                free = [i for i in within if not self._taken(i, i + 1)]
                for i in free:
                    self._mark(i, i + 1, "TEXT", _UNKNOWN)
        for i, word in enumerate(self.words):
            if self._taken(i, i + 1) or i in self._timed or word.kind == "symbol":
                continue
            known = self._plain(word) or is_known_word(word.text)
            named = (i > 0 and word.text[:1].isupper() and not word.text.isupper()) or self._held(word.lower)
            if word.kind == "number":
                self._mark(i, i + 1, "NUMBER", "a number")
            elif word.kind == "quoted" or (named and not known) or any(c.isdigit() for c in word.text):
                self._mark(i, i + 1, "TEXT", _UNKNOWN)

    def _plain(self, word: Word) -> bool:
        """Whether a word belongs to names or to English, so that it gives no value away."""
        listed = word.lower in FILLERS or (word.lower,) in operators()
        return listed or word.lower in self._vocabulary.words

    def _taken(self, start: int, end: int) -> bool:
        return any(m.start < end and start < m.end for m in self._marks)

    def _mark(self, start: int, end: int, kind: str, legend: str) -> None:
        self._marks.append(_Mark(start, end, kind, legend))

    def _rendered(self) -> str:
        text = self.question
        for mark in sorted(self._marks, key=lambda m: -m.start):
            start, end = self.words[mark.start].start, self.words[mark.end - 1].end
            apart = " " if text[:start][-1:].isalnum() else ""  # top10
            text = f"{text[:start]}{apart}{mark.word}{text[end:]}"
        return text

    def _tokenised(self) -> list[tuple[str, list[int]]]:
        at = {m.start: m for m in self._marks}
        tokens: list[tuple[str, list[int]]] = []
        i = 0
        while i < len(self.words):
            if mark := at.get(i):
                tokens.append((fold(mark.word), list(range(mark.start, mark.end))))
                i = mark.end
                continue
            if self.words[i].kind != "symbol":
                tokens.append((self.words[i].lower, [i]))
            i += 1
        return tokens
