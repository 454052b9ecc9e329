"""“by amount bracket”, “across age groups”, “in bins of 500”: a column of numbers whose ranges are the groups."""

from __future__ import annotations

from gnomon.core.parts import Brackets, QuestionKind, Share
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Dimension, DimensionType

_NOUNS = frozenset(
    {f"{noun}{s}" for noun in ("bracket", "range", "bin", "band", "bucket", "interval", "group", "tier") for s in ("", "s")}
)  # fmt: skip
_BEFORE = (Op.BY, Op.EACH, Op.PER, Op.IN, Op.BETWEEN, Op.WHICH, Op.DISTINCT)
_WIDE = frozenset({"of", "width", "wide", "size"})


def find_brackets(sentence: Sentence, names: Names) -> None:
    """Take the column whose ranges are asked for out of the sentence, and remember it."""
    for i, item in sentence:
        column = _column(item, names)
        at = _noun_at(sentence, item) if column is not None else None
        if column is None or at is None or not _is_grouped(i, sentence):
            continue
        sentence.brackets = Brackets(column=column.name)
        sentence.bracket_words = {sentence.words[at].text}
        item.links, item.values, item.operator = (), (), Operator(Op.FILLER)
        for j in range(max(0, i - 3), i):
            before = sentence[j]
            if before.op(*_BEFORE) and not before.links and sentence[i].start - before.end <= 3:
                before.operator = Operator(Op.FILLER)
        sentence.brackets = _cut(sentence, sentence.brackets, at)
        return


def _column(item: Item, names: Names) -> Dimension | None:
    """The column of numbers that words name."""
    dimension = names.dimension(item, DimensionType.NUMBER) if item.links else None
    if dimension is not None:
        return dimension
    measure = names.measure(item) if item.links else None
    column = names.column_of(measure) if measure is not None else None
    return column if column is not None and column.type is DimensionType.NUMBER else None


def _noun_at(sentence: Sentence, item: Item) -> int | None:
    """Where the word for ranges stands: right behind the column, or before it with “of”."""
    words = [w.lower for w in sentence.words]
    if item.end < len(words) and words[item.end] in _NOUNS:
        return item.end
    before = item.start - 1
    while before > 0 and words[before] in {"the", "of"}:
        before -= 1
    behind_of = "of" in words[before + 1 : item.start] if before >= 0 else False
    if behind_of and words[before] in _NOUNS and words[before].endswith("s"):
        return before
    following = words[item.end : item.end + 4]
    split = next(
        (k for k, w in enumerate(following) if w in {"bins", "buckets", "brackets", "intervals"}), None
    )
    return item.end + split if split is not None and {"in", "into"} & set(following[:split]) else None


def _is_grouped(i: int, sentence: Sentence) -> bool:
    """Whether groups are asked for: “what is the price range” asks for two ends."""
    words = [w.lower for w in sentence.words]
    near = set(words[max(0, sentence[i].start - 4) : sentence[i].start])
    said = vocabulary("by across per each every different between among which various over specific any")
    return bool(near & said)


def _cut(sentence: Sentence, cut: Brackets, at: int) -> Brackets:
    """“bins of 500”, “5 bins”: how wide they are, or how many."""
    for _, item in sentence:
        if item.number is None or item.links:
            continue
        between = [w.lower for w in sentence.words[at + 1 : item.start]]
        if 0 <= item.start - at - 1 <= 2 and set(between) <= _WIDE and between:
            cut = cut.model_copy(update={"width": item.number.value})
        elif item.end == at:
            cut = cut.model_copy(update={"bins": int(item.number.value)})
        else:
            continue
        item.number, item.operator = None, Operator(Op.FILLER)
    return cut


def read_brackets(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Break the measure down by the ranges; where there is none, the rows are counted."""
    if sentence.brackets is None:
        return
    column = names.model.dimension(sentence.brackets.column)
    metrics = [m for m in draft.metrics if names.column_of(names.model.metric(m)) != column]
    draft.metrics = metrics or [names.count_of_table(column.home.table).name]
    if draft.dimensions or draft.grain is not None or draft.comparison is not None or len(draft.metrics) > 1:
        draft.unexplained += sentence.bracket_words
        return
    draft.kind = QuestionKind.BREAKDOWN
    draft.limit = None
    draft.brackets, draft.share = sentence.brackets, Share()
    draft.unexplained = [u for u in draft.unexplained if u not in sentence.bracket_words]
