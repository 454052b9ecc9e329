"""What composition did not use: context that says nothing more, or words that may not be lost."""

from __future__ import annotations

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ratios import divides
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.sentence import LINKING, Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension, DimensionType, Metric

_COUNTED = ("number of ", "count of ")


class Leftovers:
    """Looks through a sentence for what no part of the draft took up.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names

    def note(self, draft: Draft, sentence: Sentence) -> None:
        """Names that nothing used are context where the measures reach them; bounds and exclusions may not be lost."""
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        draft.unexplained += self._things_ranked(draft, sentence)
        for i, item in sentence:
            if item.used:
                continue
            if (
                (item.number is not None and item.text.lower() != "one")
                or item.literal is not None
                or item.op(Op.EXCLUDE, Op.OUTSIDE, Op.MOVING, Op.INTO)
                or divides(item)
                or (item.op(Op.MISSING) and not item.links)
                or (
                    item.op(Op.OR_MORE)
                    and not item.links
                    and draft.comparison is None
                    and not _is_timed(sentence, i)
                )
                or (item.op(Op.WITHOUT) and self._negates(sentence, i))
                or (item.op(Op.EDGE, Op.ORDINAL) and bool(draft.metrics) and self._before_noun(sentence, i))
                or (
                    item.op(Op.ORDINAL)
                    and bool(draft.dimensions)
                    and not draft.metrics
                    and draft.limit is None
                )
                or (
                    item.op(Op.ORDINAL) and draft.comparison is not None
                )  # "from the first to the last month"
                or (item.op(Op.COMPARE_NUMBER) and not self._is_idle(sentence, i, draft))
                or (item.op(Op.NOT) and self._negates(sentence, i))
                or (item.values and not item.links)
                or (item.links and not self._is_context(item, metrics, draft))
                or self._heads_group(sentence, i, draft)
                or (item.association and not item.links and not draft.metrics)
            ):
                draft.unexplained.append(item.text)

    @staticmethod
    def _things_ranked(draft: Draft, sentence: Sentence) -> list[str]:
        """“the cheapest thing we sell”: a thing is asked for, which the lowest price does not name."""
        if draft.dimensions or draft.grain is not None:
            return []
        superlative = [
            x for x in sentence.items
            if x.op(Op.RANK) or (x.association is not None and x.association.superlative and not x.links)
        ]  # fmt: skip
        behind = [sentence.words[x.end] for x in superlative if x.end < len(sentence.words)]
        return [w.text for w in behind if w.lower in {"thing", "things"}]

    @staticmethod
    def _before_noun(sentence: Sentence, i: int) -> bool:
        following = sentence.after(i, ())
        return (
            following is not None
            and bool(sentence[following].links)
            and sentence[i].end == sentence[following].start
        )

    def _heads_group(self, sentence: Sentence, i: int, draft: Draft) -> bool:
        """“by heating fuel”, of a column heating and a column fuel: what the words before it group by is not all they say."""
        before, item = sentence[i - 1] if i else None, sentence[i]
        if before is None or not before.used or before.end != item.start:
            return False
        own, other = self.names.dimension(item), self.names.dimension(before)
        exact = own is not None and item.links[0].name == own.name and item.links[0].quality > 0.95
        return exact and other is not None and other.name in draft.dimensions and own not in (None, other)

    @staticmethod
    def _is_idle(sentence: Sentence, i: int, draft: Draft) -> bool:
        """Whether a comparing word bounds nothing: in a comparison, before a time, or “over” for “across”."""
        following = sentence.after(i)
        item = sentence[following] if following is not None else None
        timed = item is not None and (item.time is not None or item.op(Op.ALL_TIME))
        across = item is not None and bool(item.links) and sentence[i].text.lower() == "over"
        return draft.comparison is not None or timed or across

    @staticmethod
    def _negates(sentence: Sentence, i: int) -> bool:
        following = sentence.after(i, (*LINKING, Op.BY, Op.THOSE, Op.COMES_FROM, Op.WITH))
        if following is None:
            return False
        item = sentence[following]
        return bool(item.links or item.values or item.association)

    def _is_context(self, item: Item, metrics: list[Metric], draft: Draft) -> bool:
        """Whether a name says no more than what is counted or measured anyway."""
        if item.text.lower().startswith(_COUNTED):
            count = self.names.count(item)
            return count is None or any(count.name in m for m in draft.metrics)
        time = self.names.dimension(item, DimensionType.TIME)
        if time is not None and item.links[0].name == time.name and _is_done(item.text):
            if time.name == draft.time_dimension:
                return True  # "by weekday of report"
            # "were admitted": all of them were, unless some have no such day
            return not time.nullable and all(self.names.model.reaches(m, time) for m in metrics)
        if item.links[0].quality < (0.6 if item.links[0].kind is LinkKind.TABLE else 0.75):
            return False
        tables = {t for m in metrics for t in self.names.model.base_tables(m)}
        table = item.named(LinkKind.TABLE)
        if table is not None and (not tables or table.name in tables):
            return True
        dimension = self.names.dimension(item)
        if dimension is not None and dimension.type is DimensionType.BOOLEAN and _is_participle(item.text):
            return dimension.name in draft.dimensions or any(f.field == dimension.name for f in draft.filters)
        if dimension is not None and self._tells_apart(item, dimension, draft):
            return False
        if dimension is not None:
            return all(self.names.model.reaches(m, dimension) for m in metrics)
        measure = self.names.measure(item)
        return measure is not None and any(measure.name in m for m in draft.metrics)

    @staticmethod
    def _tells_apart(item: Item, dimension: Dimension, draft: Draft) -> bool:
        """Whether a column is named that some rows lack, and nothing in the answer is about it."""
        named = item.links[0].kind is LinkKind.DIMENSION and item.links[0].name == dimension.name
        used = {*draft.dimensions, *(f.field for f in (*draft.filters, *draft.part)), draft.time_dimension}
        measured = any(dimension.home.column in m for m in draft.metrics)
        lacking = dimension.nullable and dimension.type is not DimensionType.ID
        return named and lacking and dimension.name not in used and not measured


def _is_participle(text: str) -> bool:
    return any(get_lexicon().is_participle(word) for word in text.lower().split())


def _is_done(text: str) -> bool:
    """Whether words say what was done: withdrawn, withdraw on; not the name of a day."""
    said = text.lower().split()
    verb = bool(said) and not {*said} & {"date", "day", "time"} and is_verb(said[0])
    return verb or _is_participle(text)


def _is_timed(sentence: Sentence, i: int) -> bool:
    """Whether a word stands beside a time, which has read it."""
    return any(sentence[j].time is not None for j in (i - 1, i + 1) if 0 <= j < len(sentence))
