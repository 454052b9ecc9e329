"""Tables that hold counts: of migrants by year and area with a column called count, migrants are what it adds up to."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Additivity, Aggregation, DimensionType, Metric

_COUNTS = frozenset({"count", "counts", "cnt", "n", "num", "number", "freq", "frequency", "total"})
_NUMBERS = frozenset({"n", "num", "number"})  # of some things they are the name
_ROWS = frozenset({"row", "record", "entry", "observation", "line", "instance", "sample", "example", "data"})


def add_up_counts(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Add up the column of counts where the things that it counts are asked for, and not the rows themselves."""
    for at, reference in enumerate(draft.metrics):
        metric = names.model.metric(reference)
        rows = metric.aggregation is Aggregation.COUNT and metric.expression is None and not metric.where
        if not rows or metric.table is None:
            continue
        if not (_is_spoken_of(metric, sentence, names) or _is_share_of_values(draft, sentence, names)):
            continue
        if (held := _count_held(metric.table, names)) is not None:
            draft.metrics[at] = held.name
            draft.notes.append(f"the numbers of {held.label} were added up, as each row is a count")


def _count_held(table: str, names: Names) -> Metric | None:
    """The one metric over a column that is called a count, where no identifier says that rows are things themselves."""
    key = names.model.table(table).key
    own = names.at(table, key[0]) if len(key) == 1 else None
    if own is not None and own.type is DimensionType.ID:
        return None
    found = [
        m for m in names.model.metrics
        if m.table == table and m.aggregation is Aggregation.SUM and m.additivity is Additivity.ADDITIVE
        and m.unit is None and (m.expression or "").strip("`").lower() in _COUNTS
    ]  # fmt: skip
    if len(found) != 1 or (
        (found[0].expression or "").strip("`").lower() in _NUMBERS and _names_rows(table, names)
    ):
        return None
    return found[0]


def _names_rows(table: str, names: Names) -> bool:
    """Whether a column all but names each row: the number of a player is no count."""
    rows = names.model.table(table).rows or 1
    held = [d for d in names.model.dimensions if d.home.table == table]
    kinds = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)
    return any(d.type in kinds and 2 * (d.distinct or 0) > rows for d in held)


def _is_spoken_of(rows: Metric, sentence: Sentence, names: Names) -> bool:
    """Whether the question says what is counted, by what the table is called or by a noun of its own."""
    counted = [sentence[i + 1] for i in sentence.find(Op.COUNT) if i + 1 < len(sentence)]
    if any(_is_thing(x, names) for x in counted):
        return False  # "how many states", of rows that are states
    if any(x.values and not x.links for x in counted):
        return True  # "how many nurses", of rows that each count those of a job
    return any(_is_row_noun(x, rows) for _, x in sentence)


def _is_share_of_values(draft: Draft, sentence: Sentence, names: Names) -> bool:
    """“share of women among pharmacists”: values alone say what is counted, and rows are not, nor what a column names."""
    if draft.kind is not QuestionKind.SHARE or not draft.part:
        return False
    said = [w.lower.removesuffix("s") for w in sentence.words]
    return not ({*said} & _ROWS or "entrie" in said or any(_is_thing(x, names) for _, x in sentence))


def _is_thing(item: Item, names: Names) -> bool:
    return bool(item.links) and item.links[0].kind is LinkKind.DIMENSION and names.dimension(item) is not None


def _is_row_noun(item: Item, rows: Metric) -> bool:
    said = item.text.lower().split()[-1:]
    plain = any(w.removesuffix("s") in _ROWS or w == "entries" for w in said)
    links = (item.named(LinkKind.TABLE), item.named(LinkKind.METRIC))
    named = any(k is not None and k.name in (rows.table, rows.name) and k.quality > 0.9 for k in links)
    return not plain and (item.op(Op.ROWS) or named)
