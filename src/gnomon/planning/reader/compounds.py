"""Nouns before nouns that say nothing more: the expense of an expense cost, the human of human agents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gnomon.core.patterns import late_pattern
from gnomon.data.column_names import PLACE, PLACE_MAYBE
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.people import may_be_person
from gnomon.planning.reader.relatedness import topic_of
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.kinds import Additivity
from gnomon.semantic.model import plural, singular
from gnomon.semantic.money_units import is_money
from gnomon.semantic.vocabulary import vocabulary

_SURE = 0.9
_POSSESSION = 21  # nouns for money and what is owned
# Words that only say of what sort all values of a column are.
_PERSONAL = frozenset({"human", "individual", "living"})
_SPATIAL = frozenset({"geographic", "geographical", "physical", "spatial"})
_TEMPORAL = frozenset({"calendar"})


def without_owners(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """The items without the rows' own name where it only says whose column the next word is.

    “average expense cost”, “how many expense categories”: rows are neither counted nor grouped by. Only where one
    table holds one such thing in each row; elsewhere the amount of an order may be that of all its lines.
    """
    if len(names.model.tables) != 1 or _has_lines(names):
        return list(cover)
    kept: list[Item] = []
    for i, item in enumerate(cover):
        following = cover[i + 1] if i + 1 < len(cover) else None
        if following is None or following.start != item.end or not _names_rows(item, words):
            kept.append(item)
            continue
        counting = _counting(item, words) or (bool(kept) and kept[-1].op(Op.COUNT))
        if counting and _is_column(following):
            kept += [found] if (found := _counting(item, words)) is not None else []
        elif item.end - item.start > 1 or not _is_measure(following, names):
            kept.append(item)
    return kept


def specify(cover: Sequence[Item], names: Names) -> list[Item]:
    """“unit sales”, “inbound stock”: of two measures side by side, the one that is called so says which is meant.

    The other is only another word for a column of the same rows, and names no second figure.
    """
    cover = _without_told_columns(cover, names)
    dropped: set[int] = set()
    for i, (left, right) in enumerate(pairwise(cover)):
        if right.start != left.end or left.operator or right.operator or left.values or right.values:
            continue
        if _tells_whose(left, right, names):
            dropped.add(i)  # "hospital beds", where one column counts hospitals and another one beds
            continue
        if _tells_which(left, right, names):
            dropped.add(i + 1)  # "net time", where one column is called net and another one time
            continue
        metrics = [names.measure(x) if x.named(LinkKind.METRIC) else None for x in (left, right)]
        own = [m is not None and _is_called(x, m) for x, m in zip((left, right), metrics, strict=True)]
        first, second = metrics
        if first is None or second is None or first.name == second.name or first.table != second.table:
            continue
        columns = [names.column_of(m) for m in (first, second)]
        if any(c is not None and c.type is DimensionType.BOOLEAN for c in columns):
            continue  # "late cases were paid": each says something of the rows
        kept, other = (left, right) if own[0] else (right, left)
        surer = other.links[0].quality - kept.links[0].quality > 0.3  # "guests spend", of a guest rating
        if own[0] != own[1] and not right.association and not left.association and not surer:
            owned = topic_of(singular(right.text.lower())) == _POSSESSION
            money = owned and second.additivity is not Additivity.SEMI_ADDITIVE and not is_money(first.unit)
            dropped.add(i + 1 if own[0] and not money else i)  # "ticket revenue" is no number of tickets
    return [item for i, item in enumerate(cover) if i not in dropped]


def _tells_whose(left: Item, right: Item, names: Names) -> bool:
    """Whether one column's things, said in the singular before another column's name, only say whose those are."""
    columns = [names.dimension(x, DimensionType.NUMBER) for x in (left, right)]
    if columns[0] is None or columns[1] is None or columns[0] == columns[1]:
        return False
    owner, head = left.text.lower(), right.text.lower()
    counted = columns[0].label.lower() == plural(owner) != owner
    return counted and columns[1].label.lower() == head and head.endswith("s")


def _tells_which(left: Item, right: Item, names: Names) -> bool:
    """Whether the name of one column is an adjective before the name of another, which then says what it is of."""
    columns = [names.dimension(x, DimensionType.NUMBER) for x in (left, right)]
    if any(c is None or c.label != x.text.lower() for c, x in zip(columns, (left, right), strict=True)):
        return False
    senses = get_lexicon().entry(left.text.lower()).senses
    plain = any(s.part == "a" for s in senses) and not left.text.lower().endswith("s")
    return plain and columns[0] != columns[1]


def _without_told_columns(cover: Sequence[Item], names: Names) -> list[Item]:
    """“how many origin Paris shipments”: a column named before its value says which one it is a value of, no more."""
    kept: list[Item] = []
    for n, item in enumerate(cover):
        value = cover[n + 1] if n + 1 < len(cover) else None
        noun = cover[n + 2] if n + 2 < len(cover) else None
        column = names.dimension(item) if item.links and not item.values else None
        if column is None or value is None or noun is None or not (n and cover[n - 1].op(Op.COUNT)):
            kept.append(item)
            continue
        of_it = tuple(v for v in value.values if v.dimension == column.name)
        beside = value.start == item.end and noun.start == value.end and noun.named(LinkKind.TABLE)
        if of_it and beside and not value.links:
            value.values = of_it
        else:
            kept.append(item)
    return kept


def _is_called(item: Item, metric: Metric) -> bool:
    """Whether the words are those of a measure's own name."""
    said, label = name_words(item.text.lower()), name_words(metric.label)
    return {singular(w) for w in said} <= {singular(w) for w in label}


def as_amounts(cover: Sequence[Item], names: Names) -> None:
    """“how do expenses vary across …”: of dealings, what they come to varies first, and then their number."""
    added = any(item.op(Op.VARY, Op.CUMULATIVE) for item in cover)
    if not added or any(item.op(Op.COUNT) for item in cover):
        return
    for item in cover:
        metric = item.named(LinkKind.METRIC)
        if metric is not None and any(x.op(Op.CUMULATIVE) and x.end == item.start for x in cover):
            total = [
                x for x in names.vocabulary.named(f"total {item.text.lower()}") if x.kind is LinkKind.METRIC
            ]
            item.links, metric = (tuple(total[:1]) + item.links, total[0]) if total else (item.links, metric)
        if metric is None or item.named(LinkKind.TABLE) is None or item.text.lower().startswith("number"):
            continue
        if singular(item.text.lower()) in vocabulary().dealings and not is_count(
            names.model.metric(metric.name)
        ):
            item.links = (metric,)


_BEGUN = frozenset(
    {"started", "opened", "issued", "granted", "filed", "submitted", "placed", "created", "signed", "begun", "booked", "raised",
     "logged", "registered", "approved", "rejected", "cancelled", "closed", "processed"}
)  # fmt: skip


def as_deeds(cover: Sequence[Item], words: Sequence[Word], names: Names) -> None:
    """“loans started per year”: what was begun or ended is counted, not what it comes to."""
    for item in cover:
        metric, rows = item.named(LinkKind.METRIC), item.named(LinkKind.TABLE)
        told = item.end < len(words) and words[item.end].lower in _BEGUN
        if metric is None or rows is None or not told or item.end - item.start > 1:
            continue
        if not is_count(names.model.metric(metric.name)):
            item.links = (rows,)


def _counting(item: Item, words: Sequence[Word]) -> Item | None:
    """“number of expense”, before categories: what counts, without the rows."""
    operator = operators().get(tuple(w.lower for w in words[item.start : item.end - 1]))
    if item.end - item.start < 2 or operator is None or operator.op is not Op.COUNT:
        return None
    text = " ".join(w.text for w in words[item.start : item.end - 1])
    return Item(item.start, item.end - 1, operator=operator, text=text)


_CODES = frozenset({"code", "codes", "id", "ids", "label", "labels"})
_TYPES = frozenset({"type", "types", "kind", "kinds", "category", "categories"})
_FEW_TYPES = 12


_HEADS = frozenset({"people", "persons", "inhabitants", "residents", "population", "citizens", "capita"})
_PER_HEADS = late_pattern(r"\bper (?:\d[\d,. ]*|hundred |thousand |million )+(?:k|000)?$")


def _is_per_heads(item: Item, names: Names) -> bool:
    """“marriages per 1000 people”, of a column called marriages per 1000: of what else there are a thousand."""
    measure = names.measure(item)
    column = names.column_of(measure) if measure is not None else None
    return column is not None and _PER_HEADS.search(f"{column.label.lower()} ".strip()) is not None


def says_no_more(word: Word, words: Sequence[Word], cover: Sequence[Item], names: Names) -> bool:
    """“human agents”, “geographic locations”: of what sort all values of the next word's column are anyway."""
    at = next(i for i, w in enumerate(words) if w is word)
    before = next((item for item in cover if item.end == at), None)
    if before is not None and before.links and word.lower in _CODES:
        told = names.dimension(before)  # "the different hive codes", of a column of codes
        return told is not None and told.type in (DimensionType.ID, DimensionType.CATEGORY)
    if before is not None and before.links and word.lower in _HEADS and _is_per_heads(before, names):
        return True
    if before is not None and word.lower in _TYPES and _tells_types(before, names):
        return True
    if _is_of_table(word, at, cover, names):
        return True
    following = next((item for item in cover if item.start == at + 1), None)
    told = names.dimension(before) if before is not None and before.links else None
    if told is not None and following is not None and following.values and not following.links:
        return all(v.dimension == told.name for v in following.values)  # "quality flag E"
    column = names.dimension(following) if following is not None and following.links else None
    if following is None or column is None:
        return False
    said, heads = word.lower, {*name_words(column.label), *name_words(following.text)}
    if said in _PERSONAL:
        return column.personal or _is_person(column, following)
    if said in _SPATIAL:
        return bool({singular(h) for h in heads} & (PLACE | PLACE_MAYBE | {"location", "region", "area"}))
    return said in _TEMPORAL and column.type is DimensionType.TIME


def _tells_types(item: Item, names: Names) -> bool:
    """“contract type”, of a column contract with few values: they are its types; those of a place or a person are not."""
    column = names.dimension(item) if item.links and item.links[0].quality >= _SURE else None
    if column is None or column.type is not DimensionType.CATEGORY or _is_person(column, item):
        return False
    placed = {singular(w) for w in name_words(column.label)} & (PLACE | PLACE_MAYBE)
    return not placed and 1 < (column.distinct or 0) <= _FEW_TYPES


def _is_of_table(word: Word, at: int, cover: Sequence[Item], names: Names) -> bool:
    """“read speed”, “SSD model”, in a table ssd_speed: what all of it is about, beside a column that is called otherwise."""
    if len(names.model.tables) != 1 or word.lower not in name_words(names.model.tables[0].name):
        return False
    if any(word.lower in name_words(d.label) for d in names.model.dimensions):
        return False
    beside = [x for x in cover if (x.end == at or x.start == at + 1) and x.links and not x.values]
    columns = [_column_of(x, names) for x in beside if x.links[0].quality >= _SURE]
    return any(c is not None and c.unit is None for c in columns)


def _column_of(item: Item, names: Names) -> Dimension | None:
    measure = names.measure(item)
    return names.dimension(item) or (names.column_of(measure) if measure is not None else None)


def _is_person(column: Dimension, item: Item) -> bool:
    return may_be_person(column.label) or may_be_person(item.text.lower())


def _names_rows(item: Item, words: Sequence[Word]) -> bool:
    last = words[item.end - 1].lower
    if _counting(item, words) is not None:
        return singular(last) == last
    link = item.named(LinkKind.TABLE)
    one = item.end - item.start == 1 and singular(last) == last
    return link is not None and link.quality >= _SURE and one and not item.values


def _is_measure(item: Item, names: Names) -> bool:
    metric = names.measure(item) if item.links and item.links[0].quality >= _SURE else None
    return metric is not None and metric.aggregation not in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)


def _is_column(item: Item) -> bool:
    link = item.named(LinkKind.DIMENSION)
    return link is not None and link.quality >= _SURE and item.named(LinkKind.TABLE) is None


def _has_lines(names: Names) -> bool:
    """Whether rows are parts of the things that they are called after."""
    label = names.model.tables[0].label
    counted = [m.label for m in names.model.metrics if m.aggregation is Aggregation.COUNT_DISTINCT]
    return any(label in name_words(c) or label in map(singular, name_words(c)) for c in counted)
