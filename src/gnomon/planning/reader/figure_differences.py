"""Two figures of one column set against each other: “the difference between the highest and the average wage”."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.relative_bounds import RelativeBounds
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType

_SIGNS = {"difference": "-", "gap": "-", "distance": "-", "ratio": "/"}
_BETWEEN = vocabulary("between of in the")
_JOINTS = vocabulary("and to &")
_IDLE = vocabulary("the value values of in for a an")
_FIGURES = (Aggregation.MEAN, Aggregation.MEDIAN, Aggregation.MIN, Aggregation.MAX)
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
            if word not in _SIGNS or start + 1 >= len(self._words) or self._words[start + 1] not in _BETWEEN:
                continue
            found = self._figures(self._past(start + 1, _BETWEEN))
            if found is not None:
                first, second, column, end = found
                return self._put(start, end, _SIGNS[word], first, second, column)
        return set()

    def _figures(self, at: int) -> tuple[Aggregation, Aggregation, Dimension, int] | None:
        first, at = self._figure(at)
        column, at = self._column(at)
        if first is None or at >= len(self._words) or self._words[at] not in _JOINTS:
            return None
        second, at = self._figure(self._past(at + 1, _IDLE))
        other, end = self._column(at)
        whole = other or column
        if second is None or whole is None or first is second or (column or whole) != (other or whole):
            return None
        return first, second, whole, end

    def _figure(self, at: int) -> tuple[Aggregation | None, int]:
        """The figure that is said there, and where the words go on."""
        word = self._words[at] if at < len(self._words) else ""
        found = operators().get((word,))
        if found is not None and found.op is Op.AGGREGATE and found.payload in _FIGURES:
            return found.payload, at + 1
        if found is not None and found.op is Op.RANK and word in _ENDS:
            return (Aggregation.MAX if found.payload else Aggregation.MIN), at + 1
        return None, at

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


def set_figures(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Put numbers and measures for figures that a question does not write but has computed."""
    heard = RelativeBounds(sentence, names).find() | FigureDifferences(sentence, names).find()
    draft.unexplained = [text for text in draft.unexplained if text not in heard]
