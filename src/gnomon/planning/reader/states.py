"""States that a missing or known date tells: requests that are still open, those that are closed."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import SURE, ConditionFinder
from gnomon.planning.reader.date_names import is_called_after
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import Dimension, DimensionType

LASTING = frozenset({"open", "ongoing", "unfinished", "outstanding"})
_ENDS = frozenset(
    map(
        stem,
        ("close", "resolve", "complete", "finish", "end", "stop", "settle", "terminate", "termination", "return",
         "cancel", "discharge", "exit", "fix", "done", "expire"),
    )
)  # fmt: skip
_COPULAS = frozenset(
    {"is", "are", "was", "were", "been", "be", "still", "currently", "already", "remain", "remains"}
)

# What follows a verb that nothing is done to: “withdrew on 20 mg”, “cancelled in Leeds”.
_WHERE_OR_WHEN = frozenset(
    {"on", "in", "at", "from", "under", "among", "than", "because", "due", "per", "by"}
)


def denied_first(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """“the queen was not seen”, of a flag that is called queen seen: the words of its name stand together.

    What is out of print is not in print, where a flag is called so.
    """
    result = list(words)
    for k in range(1, len(result) - 1):
        if result[k].lower != "not":
            continue
        back = 2 if result[k - 1].lower in _COPULAS and k > 1 else 1
        name = f"{result[k - back].lower} {result[k + 1].lower}"
        if any(vocabulary.is_flag(link) for link in vocabulary.named(name)):
            result.insert(k, result.pop(k - back))
    return _brought_in(result, vocabulary)


def _brought_in(words: list[Word], vocabulary: Vocabulary) -> list[Word]:
    """“out of print”, “out of stock”, of a flag that is called in print: it does not hold."""
    result = list(words)
    for k in range(len(result) - 2):
        out, of, what = result[k : k + 3]
        flags = vocabulary.named(f"in {what.lower}") if (out.lower, of.lower) == ("out", "of") else ()
        if any(vocabulary.is_flag(link) for link in flags):
            result[k], result[k + 1] = _as(out, "not"), _as(of, "in")
    return result


def _as(word: Word, said: str) -> Word:
    return Word(word.text, said, stem(said), word.start, word.end, word.kind)


class StateFinder(ConditionFinder):
    """Finds states that no column names, by the dates at which they end."""

    def _find_lasting(self) -> None:
        """“still open”: the date at which it would have ended is missing."""
        for i, item in self.sentence:
            # "were open on 3 May": what they were on that day, not what was done on it
            if item.used or item.text.lower().removesuffix(" on") not in LASTING or self._is_named(item):
                continue
            if not (self._is_state(i) and self._rows_beside(i)):
                continue
            ends = [d for d in self._dates(i) if d.nullable and self._ends(d)]
            if len(ends) == 1:
                self.filters.append((i, Filter(field=ends[0].name, operator=FilterOperator.IS_NULL)))
                self._use(i)

    def _find_done(self) -> None:
        """“requests that are closed”, with no period in which it happened: the date at which it happened is known."""
        if any(item.time for item in self.sentence.items):
            return
        for i, item in self.sentence:
            verb = item.text.lower().partition(" ")[0]
            if item.used or not is_verb(verb) or self._is_named(item):
                continue
            before = self.sentence.before(i)
            undone = before is not None and self.sentence[before].op(Op.NOT)
            date = self.names.dimension(item, DimensionType.TIME) if item.links else None
            if date is not None and undone:
                continue
            if date is None and not item.links:
                called = [d for d in self._dates(i) if is_called_after(verb, d)]
                date = called[0] if len(called) == 1 else None
            if date is None or not date.nullable:
                continue
            if (self._is_state(i) or self._did(i) or undone) and self._rows_beside(i):
                operator = FilterOperator.IS_NULL if undone else FilterOperator.NOT_NULL
                self.filters.append((i, Filter(field=date.name, operator=operator)))
                item.association = None
                self._use(i, *([before] if undone and before is not None else []))

    def _is_named(self, item: Item) -> bool:
        """Whether a value, a flag or a group is called so."""
        if item.values:
            return True
        kinds = (DimensionType.BOOLEAN, DimensionType.CATEGORY, DimensionType.NUMBER)
        named = self.names.dimension(item, *kinds)
        return named is not None and bool(item.links) and item.links[0].name == named.name

    def _is_state(self, i: int) -> bool:
        """Whether a word says how things are: behind “are” or “still”, or right before what they are."""
        start = self.sentence[i].start
        behind = start > 0 and self.sentence.words[start - 1].lower in _COPULAS
        following = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        adjacent = following is not None and following.start == self.sentence[i].end
        return behind or (adjacent and following is not None and following.named(LinkKind.TABLE) is not None)

    def _did(self, i: int) -> bool:
        """“members cancelled”, “those who cancelled”: right behind those who did, with nothing that it was done to."""
        item, before = self.sentence[i], self.sentence[i - 1] if i else None
        behind = self.sentence.words[item.end] if item.end < len(self.sentence.words) else None
        ends = behind is None or behind.kind == "symbol" or behind.lower in _WHERE_OR_WHEN
        ends = (
            ends or self.sentence.words[item.end - 1].lower in _WHERE_OR_WHEN
        )  # "withdrawn on" holds one itself
        who = item.start > 0 and self.sentence.words[item.start - 1].lower in {"who", "that", "have", "has"}
        rows = before is not None and before.end == item.start and self._means_rows(before)
        return ends and (who or rows)

    def _means_rows(self, item: Item) -> bool:
        """Whether a noun means rows: all of a table, those that a value names (women) or that a flag marks (smokers)."""
        return bool(item.named(LinkKind.TABLE) or item.values) or (
            bool(item.links) and self.names.dimension(item, DimensionType.BOOLEAN) is not None
        )

    def _rows_beside(self, i: int) -> bool:
        return self._table(i) is not None

    def _table(self, i: int) -> str | None:
        """The table whose rows the sentence speaks of."""
        others = [x for j, x in self.sentence if j != i and x.links]
        tables = [t for x in others if (t := x.named(LinkKind.TABLE)) is not None and t.quality >= SURE]
        if tables:
            return tables[0].name
        model = self.names.model
        flags = [d for x in others if (d := self.names.dimension(x, DimensionType.BOOLEAN)) is not None]
        if flags and self.sentence.has(Op.COUNT):
            return flags[0].home.table  # "how many smokers withdrew"
        held = {model.dimension(x.values[0].dimension).home.table for _, x in self.sentence if x.values}
        if len(model.tables) == 1 and self.sentence.has(Op.ROWS):
            return model.tables[0].name
        return held.pop() if len(held) == 1 else None  # "what share of women cancelled"

    def _dates(self, i: int) -> list[Dimension]:
        table = self._table(i) or ""
        return [d for d in self.names.model.dimensions if d.type is DimensionType.TIME and d.at(table)]

    @staticmethod
    def _ends(date: Dimension) -> bool:
        return any(stem(w) in _ENDS for w in name_words(date.label))
