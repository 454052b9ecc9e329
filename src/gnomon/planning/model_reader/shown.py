"""A question as a language model sees it: values, numbers, times and unknown names are marks that a query can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gnomon.core import algebra as al
from gnomon.core.patterns import regex
from gnomon.core.query import TimeRange
from gnomon.llm import Privacy
from gnomon.planning.model_reader.card import Card
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, is_known_word, split_words
from gnomon.semantic.values import ValueIndex

_ADDRESS = regex(r"\S*[@\\#_]\S*|\w+://\S+")
_UNKNOWN = "words that were quoted, a code, or a name that is not known"
_MARK = regex(r":?\b(?:VALUE|TIME|NUMBER|TEXT|NAME)\d+\b")
_SIGNS = frozenset("-−")
_DECADE = regex(r"\b(\d{1,3}0)['’]?s\b")
_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
         "nineties": 90}  # fmt: skip
_FIGURE = regex(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class _Mark:
    """A word that stands for words [start, end) of the question."""

    start: int
    end: int
    kind: str
    legend: str
    values: tuple[al.Value, ...] = ()
    periods: tuple[TimeRange, ...] = ()


class ShownQuestion:
    """What is sent of a question, and what its marks stand for.

    Times are marks at every level, since days are computed here and never by a model. Words that name a column
    are shown as they are wherever names may be seen.

    Args:
        question: As it was typed.
        items: Everything that its words may mean.
        index: The values of the data.
        vocabulary: The names of the data.
        card: How the data is shown.
        privacy: What may be seen.
    """

    def __init__(
        self,
        question: str,
        items: Sequence[Item],
        index: ValueIndex,
        vocabulary: Vocabulary,
        card: Card,
        privacy: Privacy,
    ) -> None:
        self.question = question
        self.words = split_words(question)
        self._vocabulary = vocabulary
        self._card = card
        openly = [c for held in card.columns.values() for c in held] if privacy.names else []
        self._names = {c.casefold() for c in openly}
        self._timed = {i for item in items if item.time for i in range(item.start, item.end)}
        self._marks: list[_Mark] = []
        self._hide_times(items)
        if not privacy.wording:
            if not privacy.names:
                self._hide_names(items)
            self._hide_values(index)
            self._hide_numbers(items)
            self._hide_figures()
        self._marks.sort(key=lambda m: m.start)
        self._named = named = [(f"{m.kind}{n}", m) for n, m in enumerate(self._marks, 1)]
        self.text = self._rendered(named)
        self.legend = tuple(f"{word}: {self._told(word, m)}" for word, m in named)
        self.periods = [p for m in self._marks for p in m.periods]
        self.marks: dict[str, al.Value] = {}
        for word, mark in named:
            self._stand(word, mark)
        self.numbers = {float(f) for f in _FIGURE.findall(question.replace(",", ""))}
        self.numbers |= {float(v) for m in self._marks for v in m.values if isinstance(v, (int, float))}
        self.numbers |= {float(i.number.value) for i in items if i.number is not None}
        self.numbers |= {float(n) for start in self._decades() for n in (start, start + 9, start + 10)}
        self._typed = {word: self._words(m) for word, m in named}

    def _decades(self) -> list[int]:
        """The first numbers of the tens that are spoken of: in their twenties, from the 1950s on."""
        spoken = [_TENS[w.lower] for w in self.words if w.lower in _TENS]
        return [*spoken, *(int(y) for y in _DECADE.findall(self.question))]

    def named(self, item: Item) -> str:
        """Words of the question as they may be sent: by their mark where they have one."""
        mark = next((w for w, m in self._named if m.start < item.end and item.start < m.end), None)
        return f":{mark}" if mark is not None else f"“{item.text}”"

    def filled(self, said: str) -> str:
        """Words of the model with the words of the question in place of its marks."""
        return _MARK.sub(lambda m: self._typed.get(m[0].lstrip(":"), m[0]), said)

    def _words(self, mark: _Mark) -> str:
        return self.question[self.words[mark.start].start : self.words[mark.end - 1].end]

    def _stand(self, word: str, mark: _Mark) -> None:
        for letter, period in zip(_letters(len(mark.periods)), mark.periods, strict=True):
            if period.start != date.min:
                self.marks[f"{word}{letter}_START"] = period.start
            if period.end != date.max:
                self.marks[f"{word}{letter}_END"] = period.end
        if mark.values:
            self.marks[word] = mark.values[0]

    def _told(self, word: str, mark: _Mark) -> str:
        if not mark.periods:
            return mark.legend
        ends = [
            f":{word}{x}_START to :{word}{x}_END" if p.start != date.min and p.end != date.max
            else f"from :{word}{x}_START on" if p.start != date.min else f"until :{word}{x}_END"
            for x, p in zip(_letters(len(mark.periods)), mark.periods, strict=True)
        ]  # fmt: skip
        if len(ends) == 1:
            return f"a period, by days, both ends included: {ends[0]}"
        letters = _letters(len(ends))
        whole = f":{word}{letters[0]}_START to :{word}{letters[-1]}_END"
        return f"{len(ends)} periods, by days, both ends included: {' and '.join(ends)}; everything between them: {whole}"

    def _hide_times(self, items: Sequence[Item]) -> None:
        for item in sorted(items, key=lambda i: i.start - i.end):
            time = item.time
            if time is None or self._taken(item.start, item.end) or time.confidence < 0.5:
                continue
            if time.ends is not None:
                self._mark(item, "TIME", "", periods=time.ends)
            elif time.kind in ("period", "open") and time.period is not None:
                self._mark(item, "TIME", "", periods=(time.period,))

    def _hide_names(self, items: Sequence[Item]) -> None:
        for item in sorted(items, key=lambda i: i.start - i.end):
            if not item.links or self._taken(item.start, item.end):
                continue
            named = dict.fromkeys(n for link in item.links[:4] for n in self._called(link.kind, link.name))
            if named:
                self._mark(item, "NAME", " or ".join(named))

    def _called(self, kind: LinkKind, name: str) -> list[str]:
        model = self._vocabulary.model
        if kind is LinkKind.TABLE:
            return [f"rows of {self._card.shown(name)}"]
        if kind is LinkKind.METRIC:
            metric = model.metric(name)
            columns = [
                c for held in self._card.columns.values() for c in held if c in (metric.expression or "")
            ]
            return [f"a figure of {self._card.shown(c)}" for c in columns[:1]]
        return [self._card.shown(model.dimension(name).home.column)]

    def _hide_values(self, index: ValueIndex) -> None:
        matches = index.find([w.lower for w in self.words])
        for match in sorted(matches, key=lambda m: (m.start - m.end, -m.score)):
            span = self.words[match.start : match.end]
            if self._taken(match.start, match.end) or all(self._plain(w) for w in span):
                continue
            resembles = match.kind not in ("exact", "stem")  # “worth” is no North that was misspelt
            if resembles and all(self._is_ordinary(w) for w in span):
                continue
            here = [m for m in matches if (m.start, m.end) == (match.start, match.end)]
            model = self._vocabulary.model
            columns = dict.fromkeys(self._card.shown(model.dimension(m.dimension).home.column) for m in here)
            legend = f"a value of {' or '.join(columns)}"
            self._marks.append(_Mark(match.start, match.end, "VALUE", legend, tuple(m.value for m in here)))

    def _hide_numbers(self, items: Sequence[Item]) -> None:
        """Numbers as they are meant: 10k is ten thousand, 2 million one number, and what is in percent says so."""
        written = [i for i in items if i.number is not None and i.number.relative is None]
        for item in sorted(written, key=lambda i: (i.start, i.end)):
            start, number = item.start, item.number
            digits = any(c.isdigit() for w in self.words[start : item.end] for c in w.text)
            if number is None or not digits or self._taken(start, item.end) or start in self._timed:
                continue
            if number.value < 0 and start and self.words[start - 1].text in _SIGNS:
                start -= 1
            legend = "a number in percent: 5 for 5 %, not 0.05" if number.percent else "a number"
            value = int(number.value) if number.value.is_integer() else number.value
            self._marks.append(_Mark(start, item.end, "NUMBER", legend, (value,)))

    def _hide_figures(self) -> None:
        """Codes, quotations and unknown names, which may be values that the index does not keep."""
        for address in _ADDRESS.finditer(self.question):
            within = [i for i, w in enumerate(self.words) if address.start() <= w.start < address.end()]
            within = [i for i in within if not self._names_column(self.words[i])]
            if within and not all(self._plain(self.words[i]) for i in within):
                self._marks += [
                    _Mark(i, i + 1, "TEXT", _UNKNOWN, (self.words[i].text,))
                    for i in within
                    if not self._taken(i, i + 1)
                ]
        for i, word in enumerate(self.words):
            if self._taken(i, i + 1) or i in self._timed or word.kind == "symbol":
                continue
            known = self._plain(word) or is_known_word(word.text)
            written_so = word.text[:1].isupper() and not word.text.isupper()
            named = written_so or self._card.holds(word.lower)
            if word.kind == "number":
                self._marks.append(_Mark(i, i + 1, "NUMBER", "a number", _number(word.text)))  # 2nd, 12b
            elif word.kind == "quoted" or (named and not known) or any(c.isdigit() for c in word.text):
                if self._names_column(word):
                    continue
                self._marks.append(_Mark(i, i + 1, "TEXT", _UNKNOWN, (word.text.strip("'\"“”‘’"),)))

    def _names_column(self, word: Word) -> bool:
        """Whether a word is the heading of a column, which is no secret where names are none."""
        return word.text.strip("'\"“”‘’").casefold() in self._names

    def _plain(self, word: Word) -> bool:
        """Whether a word belongs to names or to English, so that it gives no value away."""
        listed = word.lower in FILLERS or (word.lower,) in operators()
        return listed or word.lower in self._vocabulary.words

    def _is_ordinary(self, word: Word) -> bool:
        """Whether a word is a common one of English, and not written as a name."""
        first = word is self.words[0]
        return is_known_word(word.text) and (first or not word.text[:1].isupper())

    def _taken(self, start: int, end: int) -> bool:
        return any(m.start < end and start < m.end for m in self._marks)

    def _mark(self, item: Item, kind: str, legend: str, periods: tuple[TimeRange, ...] = ()) -> None:
        self._marks.append(_Mark(item.start, item.end, kind, legend, periods=periods))

    def _rendered(self, named: Sequence[tuple[str, _Mark]]) -> str:
        text = self.question
        for word, mark in reversed(named):
            start, end = self.words[mark.start].start, self.words[mark.end - 1].end
            apart = " " if text[:start][-1:].isalnum() else ""  # top10
            text = f"{text[:start]}{apart}{word}{text[end:]}"
        return text


def _letters(count: int) -> tuple[str, ...]:
    return ("",) if count == 1 else tuple("ABCDEF"[:count])


def _number(text: str) -> tuple[al.Value, ...]:
    found = _FIGURE.search(text.replace(",", ""))
    if found is None:
        return ()
    value = float(found[0])
    return (int(value) if value.is_integer() else value,)
