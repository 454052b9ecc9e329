"""Words that texts are said to mention: “reviews that mention a refund”, whether or not the words are quoted."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.operators import Op
from gnomon.semantic import Dimension, DimensionType

_ARTICLES = frozenset({"a", "an", "the", "any", "some"})
_MOST_WORDS = 3


class MentionFinder(ConditionFinder):
    """Finds conditions on what a text contains."""

    def _find_literals(self) -> None:
        for i in self.sentence.find(Op.CONTAINS):
            after = self.sentence.after(i)
            before = self.sentence.before(i)
            subject = self.sentence[before] if before is not None else None
            named = (
                self.names.dimension(subject, DimensionType.TEXT, DimensionType.CATEGORY)
                if subject is not None
                else None
            )
            if after is not None and self.sentence[after].literal is not None:
                column = named or self._only_text(subject)
                if column is not None:
                    self._contains(i, column, str(self.sentence[after].literal))
                    self._use(i, after)
            elif self.sentence[i].text.lower().split()[-1].startswith("mention"):
                self._find_mentioned(i, self._only_text(subject))

    def _find_mentioned(self, i: int, column: Dimension | None) -> None:
        """What stands right behind “mention”, up to the next word that only holds the sentence together."""
        words = self.sentence.words
        start = self.sentence[i].end
        while start < len(words) and words[start].lower in _ARTICLES:
            start += 1
        end = start
        while (
            end < len(words)
            and end - start < _MOST_WORDS
            and words[end].kind == "word"
            and not is_filler(words[end])
        ):
            end += 1
        if column is None or column.type is not DimensionType.TEXT or end == start:
            return
        self._contains(i, column, " ".join(w.text for w in words[start:end]))
        self._hear(range(start, end))
        self._use(i)
        for item in self.sentence.items:
            if start <= item.start and item.end <= end:
                item.links, item.values, item.operator, item.association, item.used = (), (), None, None, True

    def _contains(self, i: int, column: Dimension, text: str) -> None:
        given = Filter(field=column.name, operator=FilterOperator.CONTAINS, values=(text,))
        self.filters.append((i, given))

    def _only_text(self, item: Item | None) -> Dimension | None:
        table = self._table_of(item) if item else None
        texts = [d for d in self.names.model.dimensions if d.type is DimensionType.TEXT]
        here = [d for d in texts if table is None or d.at(table)]
        return here[0] if len(here) == 1 else None
