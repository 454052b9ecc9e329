"""Two figures of one column set against each other: “the difference between the highest and the average wage”."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.amounts_per_unit import AmountsPerUnit
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.graded_nouns import name_graded
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, upward
from gnomon.planning.reader.operators import Op, Operator, operators
from gnomon.planning.reader.relative_bounds import RelativeBounds
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType

_SIGNS = {"difference": "-", "gap": "-", "distance": "-", "ratio": "/"}
_BETWEEN = vocabulary("between of in the")
_JOINTS = vocabulary("and to &")
_IDLE = vocabulary("the value values of in for a an")
_FIGURES = (Aggregation.MEAN, Aggregation.MEDIAN, Aggregation.MIN, Aggregation.MAX)
_IRREGULAR = {"poorest": "poor", "richest": "rich"}
_How = Aggregation
_ENDS = vocabulary("highest lowest largest smallest biggest greatest")


class FigureDifferences:
    """Puts one measure for two figures of a column that are taken from each other.

    Args:
        sentence: The items; those of the two figures become one.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]

    def find(self) -> set[str]:
        """Replace the words of the two figures by their measure; gives the words that say it."""
        for start, word in enumerate(self._words):
            if word in _SIGNS and start + 1 < len(self._words) and self._words[start + 1] in _BETWEEN:
                about, at = self._about(start + 1)
                about = about or self._named_before(start)
                found = self._figures(self._past(at, _BETWEEN), about)
                sign = _SIGNS[word]
            else:
                found, sign = self._older(start), "-"
            if found is not None:
                first, second, column, end = found
                return self._put(self._led_up(start, column), end, sign, first, second, column)
        return set()

    def _led_up(self, start: int, column: Dimension) -> int:
        """“the age difference between …”: where the name of the column begins that stands right before."""
        for begin in range(max(0, start - 3), start):
            named, end = self._column(begin)
            if named == column and end == start and self._words[begin] not in _IDLE:
                return begin
        part = start > 0 and stem(self._words[start - 1]) in map(stem, name_words(column.label))
        return start - 1 if part else start  # "the price difference", of list prices

    def _about(self, at: int) -> tuple[Dimension | None, int]:
        """“the gap in income between …”: what the difference is said to be in."""
        if self._words[at] != "in":
            return None, at
        column, end = self._column(at + 1)
        behind = end < len(self._words) and self._words[end] == "between"
        return (column, end) if column is not None and behind else (None, at)

    def _named_before(self, start: int) -> Dimension | None:
        """“the salary gap between …”: the column whose name ends right before."""
        for begin in range(max(0, start - 3), start):
            named, end = self._column(begin)
            if named is not None and end == start and self._words[begin] not in _IDLE:
                return named
        return None

    def _figures(self, at: int, about: Dimension | None = None) -> tuple[_How, _How, Dimension, int] | None:
        first, graded, at = self._figure(at)
        column, at = self._column(at)
        at = at if column is not None else self._thing(at, graded or about)
        if first is None or at >= len(self._words) or self._words[at] not in _JOINTS:
            return None
        second, other_graded, at = self._figure(self._past(at + 1, _IDLE))
        other, end = self._column(at)
        named = [c for c in (column, other, about) if c is not None]
        whole = next(iter(named or [c for c in (graded, other_graded) if c is not None]), None)
        if second is None or whole is None or first is second or any(c != whole for c in named):
            return None
        if any(g not in (None, whole) for g in (graded, other_graded)) or _says_its_end(whole):
            return None
        return first, second, whole, end if other is not None else self._thing(end, whole)

    def _older(self, at: int) -> tuple[_How, _How, Dimension, int] | None:
        """“how many years older is the oldest member than the youngest”, “how much heavier is the heaviest than …”."""
        if self._words[at : at + 2] not in (["how", "much"], ["how", "many"]):
            return None
        at += 2 if self._words[at + 1] == "much" else 3
        said = associations().get(self._words[at]) if at < len(self._words) else None
        if said is None or not said.comparative:
            return None
        begin = self._past(at + 1, _IDLE | {"is", "was", "are", "were"})
        first, graded, at = self._figure(begin)
        at = self._thing(at, graded)
        if first is None or graded is None or at >= len(self._words) or self._words[at] != "than":
            return None
        second, other, at = self._figure(self._past(at + 1, _IDLE))
        if second is None or second is first or other != graded or said.descending is None:
            return None
        return first, second, graded, self._thing(at, graded)

    def _figure(self, at: int) -> tuple[Aggregation | None, Dimension | None, int]:
        """The figure that is said there, the column that an adjective grades, and where the words go on."""
        word = self._words[at] if at < len(self._words) else ""
        named, end = self._column(at)
        if named is not None and end > at + 1 and name_words(named.label)[0] == word:
            return None, None, at  # "max price", where a column is called so
        found = operators().get((word,))
        if found is not None and found.op is Op.AGGREGATE and found.payload in _FIGURES:
            return found.payload, None, at + 1
        if found is not None and found.op is Op.RANK and word in _ENDS:
            return (Aggregation.MAX if found.payload else Aggregation.MIN), None, at + 1
        turned = word in {"most", "least"}
        said = associations().get(self._words[at + 1] if turned and at + 1 < len(self._words) else word)
        poorest = _IRREGULAR.get(word)
        said = associations().get(poorest) if poorest is not None else said
        if said is None or said.descending is None or not (said.superlative or turned or poorest):
            return None, None, at
        metric = next(iter(self._names.associated(said)), None)
        column = self._names.column_of(metric) if metric is not None else None
        if column is None or metric is None or column.type is not DimensionType.NUMBER:
            return None, None, at
        high = upward(said, metric) == (word != "least")
        return (Aggregation.MAX if high else Aggregation.MIN), column, at + 1 + turned

    def _thing(self, at: int, column: Dimension | None) -> int:
        """Behind the thing that has the figure, one of the rows that the column is of: the oldest employee."""
        begin = self._past(at, _IDLE)
        done = associations().get(self._words[begin]) if begin < len(self._words) else None
        if done is not None and done.descending is None and column is not None:  # "the lowest paid employee"
            measures = [self._names.column_of(m) for m in self._names.associated(done, self._words[begin])]
            begin += column in measures
        word = self._words[begin] if begin < len(self._words) else ""
        links = self._names.vocabulary.named(word) if word else ()
        held = column is not None and any(
            x.kind is LinkKind.TABLE and x.name == column.home.table and x.quality > 0.8 for x in links
        )
        return begin + 1 if held else at

    def _column(self, at: int) -> tuple[Dimension | None, int]:
        """The column of numbers that is named there, articles aside, and where the words go on."""
        begin = self._past(at, _IDLE)
        for size in range(min(4, len(self._words) - begin), 0, -1):
            span = self._sentence.words[begin : begin + size]
            if any(w.kind == "symbol" for w in span):
                continue
            links = self._names.vocabulary.named(" ".join(w.lower for w in span))
            item = Item(begin, begin + size, links=tuple(x for x in links if x.quality > 0.8))
            measure = self._names.measure(item) if item.links else None
            column = self._names.column_of(measure) if measure is not None else None
            column = column or (self._names.dimension(item, DimensionType.NUMBER) if item.links else None)
            if column is not None and column.type is DimensionType.NUMBER:
                return column, begin + size
        return None, at

    def _past(self, at: int, words: frozenset[str]) -> int:
        while at < len(self._words) and self._words[at] in words:
            at += 1
        return at

    def _put(
        self, start: int, end: int, sign: str, first: Aggregation, second: Aggregation, column: Dimension
    ) -> set[str]:
        small_first = sign == "-" and (first is Aggregation.MIN or second is Aggregation.MAX)
        one, other = (second, first) if small_first else (first, second)
        reference = f"{one}({column.home}) {sign} {other}({column.home})"
        text = " ".join(w.text for w in self._sentence.words[start:end])
        made = Item(start, end, links=(Link(LinkKind.METRIC, reference, 1.0),), text=text)
        kept = [x for x in self._sentence.items if x.end <= start or x.start >= end]
        place = len([x for x in kept if x.end <= start])
        self._sentence.items[:] = [*kept[:place], made, *kept[place:]]
        return {w.text for w in self._sentence.words[start:end]}


def _set_values_apart(sentence: Sentence) -> None:
    """“the difference in total sales between web and phone” compares two values; nothing changes in time."""
    for i, item in sentence:
        between = next((j for j in sentence.find(Op.BETWEEN) if j > i), None)
        if not item.op(Op.CHANGE) or item.text.lower() != "difference" or between is None:
            continue
        pair = [x for x in sentence.items[between + 1 : between + 4] if not x.op(Op.FILLER)]
        if len(pair) == 3 and pair[0].values and pair[1].op(Op.AND) and pair[2].values:
            item.operator = Operator(Op.VERSUS)


def _says_its_end(column: Dimension) -> bool:
    """Whether a column is an end of something itself: the difference of highs and lows is one of two columns."""
    return bool({"max", "min", "maximum", "minimum", "high", "low"} & {*name_words(column.home.column)})


def set_figures(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Put numbers and measures for figures that a question does not write but has computed."""
    name_graded(draft, sentence, names)
    _set_values_apart(sentence)
    heard = RelativeBounds(sentence, names).find() | FigureDifferences(sentence, names).find()
    draft.unexplained = [text for text in draft.unexplained if text not in heard]
    AmountsPerUnit(sentence, names).put(draft)
