"""The chosen items of a question in order, with ways to look around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gnomon.core.parts import Brackets
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import Word

LINKING = (Op.OF, Op.IN, Op.FILLER)


def _without_echoes(items: Sequence[Item]) -> list[Item]:
    """“star rating”: two nouns side by side for the same measure are one, the one that names it best."""
    kept: list[Item] = []
    for item in items:
        last = kept[-1] if kept else None
        if last is not None and last.end == item.start and last.links and item.links:
            mine = {(x.kind, x.name) for x in last.links if x.quality > 0.85}
            theirs = {(x.kind, x.name) for x in item.links if x.quality > 0.85}
            if mine & theirs and not last.operator and not item.operator:
                kept[-1] = max((last, item), key=lambda x: (len(x.links), x.links[0].quality))
                continue
        kept.append(item)
    return kept


class Sentence:
    """Items in order.

    Args:
        words: The tokens of the question.
        items: The items that cover them, in order.

    ``brackets`` are the ranges of a column that are asked for, with the words that said so.
    """

    def __init__(self, words: Sequence[Word], items: Sequence[Item]) -> None:
        self.words = words
        self.items = _without_echoes(items)
        self.brackets: Brackets | None = None
        self.bracket_words: set[str] = set()

    def __iter__(self) -> Iterator[tuple[int, Item]]:
        return iter(enumerate(self.items))

    def __getitem__(self, index: int) -> Item:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def find(self, *ops: Op) -> list[int]:
        """Where those operators stand."""
        return [i for i, item in self if item.op(*ops)]

    def has(self, *ops: Op) -> bool:
        """Whether one of those operators occurs."""
        return any(item.op(*ops) for item in self.items)

    def behind_values(self, i: int) -> int | None:
        """Where what stands behind a value, or a list of them, begins: “red and blue cars”."""
        while i + 2 < len(self) and self[i + 1].op(Op.AND, Op.OR) and self[i + 2].values:
            i += 2
        return i + 1 if i + 1 < len(self) else None

    def after(self, index: int, skip: Sequence[Op] = LINKING) -> int | None:
        """The next item that is not one of the skipped operators."""
        return next((i for i in range(index + 1, len(self.items)) if not self._skipped(i, skip)), None)

    def before(self, index: int, skip: Sequence[Op] = LINKING) -> int | None:
        """The item before that is not one of the skipped operators."""
        return next((i for i in range(index - 1, -1, -1) if not self._skipped(i, skip)), None)

    def asked_of_them(self, index: int) -> int | None:
        """Where “they” stands in “what do they …”, right before an item."""
        them = self.before(index)
        asking = self.before(them) if them is not None and self.items[them].op(Op.THOSE) else None
        return them if asking is not None and self.items[asking].op(Op.WHICH) else None

    def is_said_again(self, index: int) -> bool:
        """“typical (median)”: brackets right behind an aggregation say which kind of middle is meant."""
        item, following = self.items[index], self.items[index + 1] if index + 1 < len(self.items) else None
        if following is None or not following.op(Op.AGGREGATE) or following.links:
            return False
        return following.start == item.end + 1 and self.words[item.end].lower == "("

    def _skipped(self, index: int, skip: Sequence[Op]) -> bool:
        item = self.items[index]
        return item.op(*skip) and not item.links and not item.values

    def is_owned(self, index: int) -> bool:
        """“whose batches …”: whether a noun is what somebody has who is asked for, so that it is no group itself."""
        before = self.items[index - 1] if index else None
        if before is None or before.text.lower() != "whose" or before.end != self.items[index].start:
            return False
        return before.start == 0 or (index > 1 and self.items[index - 2].op(Op.AND))

    def says_how(self, index: int) -> bool:
        """“average capacity”: whether a name says itself how it is aggregated."""
        found = operators().get((self.words[self.items[index].start].lower,))
        return found is not None and found.op is Op.AGGREGATE

    def is_of_the(self, index: int) -> bool:
        """Whether “of the” stands right before an item."""
        at = self.items[index].start
        return [w.lower for w in self.words[max(0, at - 2) : at]] == ["of", "the"]

    def adjacent(self, left: int, right: int) -> bool:
        """Whether only words that carry no content stand between two items."""
        return self.items[right].start - self.items[left].end <= 1
