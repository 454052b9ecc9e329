"""What rows are called: “which car has the most horsepower” is told by its name, though two cars may be called alike."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.core.patterns import regex
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension, DimensionType

_END = regex(r"(max|min)\((\w+)\.([^{}()]+)\)")
_CALLED = (DimensionType.TEXT, DimensionType.CATEGORY, DimensionType.ID)
_APART = 0.85
_FIRST = frozenset({"first name", "given name", "firstname", "forename", "first", "fname"})
_LAST = frozenset({"last name", "family name", "lastname", "surname", "last", "lname", "last initial"})


def row_names(table: str, names: Names) -> list[Dimension]:
    """The columns that name the rows of a table: its key, the name or title, first and last name, else what differs in nearly all."""
    meaning = names.model.table(table)
    held = [
        d for d in names.model.dimensions
        if d.home.table == table and d.type in _CALLED and d.via is None and not d.numeric
    ]  # fmt: skip
    first, last = (next((d for d in held if d.label.lower() in part), None) for part in (_FIRST, _LAST))
    if (
        first is not None
        and last is not None
        and {meaning.key} <= {(), *((d.home.column,) for d in (first, last))}
    ):
        return [first, last]
    if len(meaning.key) == 1 and (key := names.at(table, meaning.key[0])) is not None and key in held:
        return [key]
    whole = {"name", "title", "full name", meaning.label, f"{meaning.label} name"}
    if titled := [d for d in held if d.label.lower() in whole]:
        return titled[:1]
    apart = [d for d in held if _tells_apart(d, meaning.rows)]
    return apart[:1]


def _tells_apart(column: Dimension, rows: int | None) -> bool:
    """Whether nearly every row has a value of its own."""
    return bool(rows) and (column.distinct or 0) >= _APART * (rows or 0)


def tells_apart(columns: list[Dimension], table: str, names: Names) -> bool:
    """Whether what rows are called differs in nearly all of them; elsewhere a name has several rows, which add up."""
    rows = names.model.table(table).rows
    return len(columns) > 1 or any(_tells_apart(d, rows) for d in columns)


def ranked_thing(item: Item, names: Names) -> Dimension | None:
    """What a noun that is ranked or asked for names: a column, what tells things apart, or what their rows are called."""
    found = names.dimension(item)
    table = item.named(LinkKind.TABLE)
    dated = found is not None and found.type is DimensionType.TIME and item.named(LinkKind.DIMENSION) is None
    if table is None or not (found is None or dated):
        return found
    return next(iter(row_names(table.name, names)), found)


def name_row(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Tell what the row at an end is called, where the question asks for one of the things that rows are."""
    end = _END.fullmatch(draft.metrics[0]) if len(draft.metrics) == 1 else None
    plain = draft.kind in (None, QuestionKind.VALUE) and not draft.dimensions and draft.grain is None
    if end is None or not plain or draft.comparison is not None:
        return
    rows = [
        x for x in sentence.items if (t := x.named(LinkKind.TABLE)) and t.quality >= 1 and t.name == end[2]
    ]
    asked = sentence.has(Op.RANK) or any(x.association and x.association.superlative for x in sentence.items)
    called = row_names(end[2], names) if rows and asked and not sentence.has(Op.AGGREGATE) else []
    if not called:
        return
    draft.kind, draft.descending, draft.limit = QuestionKind.RANKING, end[1] == "max", draft.limit or 1
    for column in called:
        draft.add_dimension(column.name)
