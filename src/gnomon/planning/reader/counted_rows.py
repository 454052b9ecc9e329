"""Nouns that are counted and could be rows, kinds of them or an amount: breaches, of a type of breach; loans, of a loan amount."""

from __future__ import annotations

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, head_of, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.relatedness import is_plural
from gnomon.planning.reader.row_nouns import is_deed
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, TableMeaning
from gnomon.semantic.model import singular

_KINDS = frozenset({"type", "kind", "category", "class", "sort"})
_GROUPED = (Op.BY, Op.EACH, Op.PER, Op.WHICH)
_HARDLY = 0.02  # the part of the rows up to which different values tell apart kinds, and no deeds
_SURE = 0.62
_ENDS = 12  # in more ways nothing ends
_AGAIN = 4  # dated rows of each name, from which on rows only tell how the things that are named went on
_PLACING = frozenset({"in", "at", "from", "within"})
_TIMELY = frozenset({"hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annual"})


def name_counted(sentence: Sentence, names: Names) -> None:
    """Say which nouns are rows, and by what rows are told apart where different ones are asked for."""
    for i, item in sentence:
        if not item.links or item.values or item.outright:
            continue
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        if item.text.lower() in _TIMELY and following is not None and following.op(Op.ROWS):
            item.links, item.used = (), True  # "hourly readings" are readings, not hours
            continue
        if not is_plural(item.text) or _is_group(sentence, i):
            continue
        if _says_where(sentence, i, names):
            item.links, item.used = (
                (),
                True,
            )  # "in private schools": the sector is said, and no school asked for
            continue
        if (named := _told_apart(sentence, i, names)) is not None:
            item.links = (Link(LinkKind.DIMENSION, named.name, 1.0),)
        elif (table := _rows(sentence, i, names)) is not None:
            item.links = (Link(LinkKind.TABLE, table, 1.0),)


def _rows(sentence: Sentence, i: int, names: Names) -> str | None:
    """The table whose rows a noun is, though it is linked to a column or an amount."""
    item = sentence[i]
    table = item.named(LinkKind.TABLE)
    counted = any(sentence[j].op(Op.COUNT, Op.SHARE) for j in range(max(0, i - 3), i))
    if table is not None and counted and _is_amount(item, table, names):
        return table.name
    column = names.dimension(item)
    if column is None or not item.links or any(sentence[j].op(Op.DISTINCT) for j in range(max(0, i - 2), i)):
        return None
    if table is not None and item.links[0].quality < _SURE and item.links[0].kind is LinkKind.DIMENSION:
        return table.name  # "polls" are no pollsters
    if column.nullable or table is not None:
        return None
    said = set(name_words(item.text))
    if head_of(column.label) in _KINDS and not {singular(w) for w in said} & _KINDS:
        return column.home.table if " of " in column.label else None
    return (
        column.home.table if _is_done_again(column, names) or _is_how_it_ended(column, said, names) else None
    )


def _is_how_it_ended(column: Dimension, said: set[str], names: Names) -> bool:
    """“decisions”, of a column that holds granted and refused: one was made in each row, and it says how it ended."""
    called = name_words(column.label)
    if column.type is not DimensionType.CATEGORY or len(called) != 1 or called != tuple(map(singular, said)):
        return False
    spoken = names.vocabulary.spoken
    held = spoken.values_of(column.name) if spoken is not None and (column.distinct or 0) <= _ENDS else ()
    ends = [v.lower().split()[0] for v in held if isinstance(v, str) and v.strip()]
    participles = sum(map(get_lexicon().is_participle, ends))
    return is_deed(called[0]) and bool(ends) and 2 * participles > len(held)


def _is_amount(item: Item, table: Link, names: Names) -> bool:
    """Whether an amount is named by what it is an amount of, and rows are called so as well: loans, of a loan amount."""
    best = item.links[0]
    if best.kind is not LinkKind.METRIC or table.quality < best.quality - 0.01:
        return False
    metric = names.model.metric(best.name)
    heads = {stem(head_of(metric.label)), *map(stem, name_words(metric.label)[-1:])}
    return not is_count(metric) and not heads & {stem(w) for w in name_words(item.text)}


def _is_done_again(column: Dimension, names: Names) -> bool:
    """“tests”, of a test id of two values in thousands of rows: what is done in each row is no thing that it tells apart."""
    table = names.model.table(column.home.table)
    if column.type is not DimensionType.ID or not column.distinct or not table.rows:
        return False
    if column.distinct > _HARDLY * table.rows:
        return False
    noun = name_words(column.label)[-1]
    return is_deed(noun) or any(kindred(noun, w) for w in name_words(table.name) if len(w) > 3)


def _told_apart(sentence: Sentence, i: int, names: Names) -> Dimension | None:
    """“storms”, of rows that tell of each storm again and again: the column that names them."""
    link = sentence[i].named(LinkKind.TABLE)
    if (
        link is None
        or link.quality < 0.9
        or not any(sentence[j].op(Op.COUNT) for j in range(max(0, i - 3), i))
    ):
        return None
    table = names.model.table(link.name)
    held = [d for d in names.model.dimensions if d.home.table == table.name and _names_rows(d, table)]
    again = len(held) == 1 and _AGAIN * (held[0].distinct or 0) <= (table.rows or 0)
    again = again and table.time_dimension is not None and len(table.key) != 1
    again = again and not is_deed(name_words(table.label)[-1])
    distinct = any(sentence[j].op(Op.DISTINCT) for j in range(max(0, i - 2), i))
    return held[0] if len(held) == 1 and (distinct or again) else None


def _names_rows(column: Dimension, table: TableMeaning) -> bool:
    """Whether a column is called name, or the name of what rows are."""
    words, rows = name_words(column.label), name_words(table.label)
    kinds = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
    return column.type in kinds and words in (("name",), (*rows[-1:], "name"), rows[-1:])


def _says_where(sentence: Sentence, i: int, names: Names) -> bool:
    """Whether a noun only bears the value before it, behind a word for a place; those that are counted are asked for."""
    item, value = sentence[i], sentence[i - 1] if i else None
    if value is None or not value.values or value.links or value.end != item.start or i < 2:
        return False
    place = sentence.words[value.start - 1].lower if value.start else ""
    column = names.dimension(item, DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)
    if column is None or item.links[0].kind is not LinkKind.DIMENSION or place not in _PLACING:
        return False
    told = names.model.dimension(value.values[0].dimension)
    return told != column and told.home.table == column.home.table


def _is_group(sentence: Sentence, i: int) -> bool:
    before = sentence.before(i, (Op.FILLER,))
    return before is not None and sentence[before].op(*_GROUPED) and not sentence[before].links
