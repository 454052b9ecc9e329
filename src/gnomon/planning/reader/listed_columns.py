"""Columns of rows as they are: “the names and opening years of all galleries”, and whole rows: “show me 5 visits”."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.parts import Listing, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, TableMeaning

_JOINTS = frozenset({",", "and", "&", "plus", "the", "their", "its", "as", "well", "along", "with", "also"})
_OPENERS = frozenset(
    {"show", "list", "give", "return", "display", "find", "get", "what", "which", "me", "us", "the"}
)
_BETWEEN = frozenset(
    {"of", "all", "the", "each", "every", "for", "our", "any", "those", "these", "different"}
)
_NAMING = (DimensionType.CATEGORY, DimensionType.ID, DimensionType.TEXT)
_COMPUTED = (Op.AGGREGATE, Op.COUNT, Op.RANK, Op.SHARE, Op.BY, Op.PER, Op.CHANGE, Op.DISTINCT)
_COUNTED = ("number of", "count of", "how many", "total number", "amount of")
_PLAIN = (QuestionKind.VALUE, QuestionKind.BREAKDOWN, QuestionKind.LIST, None)


def listed_columns(sentence: Sentence, names: Names) -> list[Dimension]:
    """The columns that a question asks for of each row, where it asks for several and computes nothing of them."""
    words = [w.lower for w in sentence.words]
    opened = next((k for k, w in enumerate(words) if w in _OPENERS), None)
    if opened is None or sentence.has(*_COMPUTED):
        return []
    run: list[tuple[Item, Dimension]] = []
    for _, item in sentence:
        if item.start <= opened or (not item.links and not run):
            continue
        gap = words[run[-1][0].end : item.start] if run else words[opened + 1 : item.start]
        joined = bool({",", "and", "&", "plus"} & {*gap}) or not run
        allowed = _JOINTS if run else _OPENERS | {"is", "are", "was", "were", "all", "each", "every"}
        if item.op(Op.AND) and not item.links:
            continue
        column = _column(item, run[0][1].home.table if run else None, names)
        if column is None or not joined or not {*gap} <= allowed:
            break
        run.append((item, column))
    columns = [c for _, c in run]
    if len({c.name for c in columns}) < 2 or len({c.home.table for c in columns}) != 1:
        return []
    if not any(c.type in _NAMING for c in columns) or not _of_rows(run[-1][0], columns[0], sentence, names):
        return []
    for item, _ in run:
        item.used = True
    return columns


def _column(item: Item, table: str | None, names: Names) -> Dimension | None:
    """The column that an item names, one of the same table where others were named before."""
    if item.text.lower().startswith(_COUNTED):
        return None  # "the number of orders" is no column of them
    found = [names.model.dimension(k.name) for k in item.links if k.kind is LinkKind.DIMENSION]
    own = [d for d in found if table in (None, d.home.table)]
    return own[0] if own and not item.values else None


def _of_rows(last: Item, column: Dimension, sentence: Sentence, names: Names) -> bool:
    """Whether the columns are said to be those of rows: “… of all galleries”, within the last item or behind it."""
    spoken = [w.lower for w in sentence.words]
    inside = spoken[last.start : last.end]
    if "of" in inside:
        owner = " ".join(w for w in inside[inside.index("of") + 1 :] if w not in _BETWEEN)
        return any(
            k.kind is LinkKind.TABLE and k.name == column.home.table for k in names.vocabulary.named(owner)
        )
    behind = next((x for _, x in sentence if x.start >= last.end and (x.links or x.values)), None)
    if behind is None or not {*spoken[last.end : behind.start]} <= _BETWEEN or behind.start == last.end:
        return False
    named = any(names.model.dimension(v.dimension).home.table == column.home.table for v in behind.values)
    return named or any(k.kind is LinkKind.TABLE and k.name == column.home.table for k in behind.links)


def list_columns(draft: Draft, columns: list[Dimension]) -> None:
    """Ask for the columns as they are, once for each different row."""
    if not columns or draft.kind not in _PLAIN or draft.limit is not None or draft.comparison or draft.part:
        return
    draft.kind = QuestionKind.LIST
    draft.metrics = []
    draft.dimensions = [c.name for c in columns]
    draft.grain = None


_SHOWING = frozenset({"show", "list", "display", "give", "print", "see"})
_BEFORE_ROWS = frozenset({"me", "us", "please", "the", "all", "of", "our", "a", "any", "just", "some"})
_UNLISTED = (
    Op.AGGREGATE,
    Op.COUNT,
    Op.RANK,
    Op.SHARE,
    Op.BY,
    Op.PER,
    Op.EACH,
    Op.CHANGE,
    Op.DISTINCT,
    Op.WHICH,
)
MOST_ROWS = 1_000
FEW_ROWS = 20
"""So many rows are shown where nobody said how many."""
MOST_COLUMNS = 16


@dataclass(frozen=True)
class _Rows:
    """Rows that are asked for: of which table, or which things, how many, and from which end of their dates."""

    table: str | None
    thing: Dimension | None
    noun: Item
    number: Item | None = None
    edge: Item | None = None
    latest: bool | None = None


def list_rows(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“show the latest 5 visits in Cotley”: rows as they are, where nothing but their number would be told otherwise."""
    asked = _rows_asked(sentence, names)
    # Things that are listed already are told by their names.
    if asked is None or (asked.number is None and draft.kind is QuestionKind.LIST):
        return
    if asked.table is None:
        _list_things(draft, asked, names)
    elif _says_only(draft, asked, names):
        _list_table(draft, asked, names.model.table(asked.table), names)


def _list_things(draft: Draft, asked: _Rows, names: Names) -> None:
    """“show 5 vets”: so many of the values of a column."""
    if (
        asked.thing is None
        or asked.number is None
        or asked.edge is not None
        or not _says_only(draft, asked, names)
    ):
        return
    draft.kind, draft.metrics, draft.dimensions = QuestionKind.LIST, [], [asked.thing.name]
    _heed(draft, asked)


def _list_table(draft: Draft, asked: _Rows, table: TableMeaning, names: Names) -> None:
    model = names.model
    dated = model.dimension(table.time_dimension) if table.time_dimension else None
    if asked.latest and dated is None:
        return  # nothing tells which rows came last
    columns = [d for d in model.dimensions if d.at(table.name) is not None and _is_shown(d, table, names)]
    key = [d for d in columns if table.key == (d.at(table.name),)]
    columns = [*key, *(d for d in columns if d not in key)][:MOST_COLUMNS]
    if not columns:
        return
    order = dated if asked.latest is not None and dated is not None else columns[0]
    columns += [order] if order not in columns else []
    draft.kind = QuestionKind.LIST
    draft.metrics, draft.dimensions = [], [d.name for d in columns]
    draft.descending = bool(asked.latest)
    draft.listing = Listing(table=table.name, order=order.name)
    _heed(draft, asked)


def _is_shown(column: Dimension, table: TableMeaning, names: Names) -> bool:
    """Whether a column is told of rows for which nobody named it: nothing personal, nor what leads to it elsewhere."""
    if column.personal or column.written is not None:
        return False
    named = names.model.dimension(str(column.label_at)) if column.label_at is not None else None
    return column.home.table == table.name or named is None or not named.personal


def _heed(draft: Draft, asked: _Rows) -> None:
    number = asked.number.number if asked.number is not None else None
    draft.limit = int(number.value) if number is not None else FEW_ROWS
    told = {x.text for x in (asked.number, asked.edge, asked.noun) if x is not None}
    draft.unexplained = [u for u in draft.unexplained if u not in told]
    for item in (asked.number, asked.edge, asked.noun):
        if item is not None:
            item.used = True


def _says_only(draft: Draft, asked: _Rows, names: Names) -> bool:
    """Whether a draft says no more than that there are such rows or things, under conditions."""
    model, table = names.model, asked.table
    counted = [model.metric(m) for m in draft.metrics]
    if table is None:
        things = [asked.thing.name] if asked.thing is not None else []
        of_them = (
            {f"{Aggregation.COUNT_DISTINCT}({asked.thing.home})"} if asked.thing is not None else set[str]()
        )
    else:
        things = [d.name for d in model.dimensions if model.table(table).key == (d.at(table),)]
        of_them = {m.name for m in counted if is_count(m) and m.table == table and not m.where}
    rest = (draft.part, draft.comparison, draft.grain, draft.limit, draft.recurring, draft.doubts)
    return (
        draft.kind in (QuestionKind.VALUE, QuestionKind.LIST, None)
        and len(counted) < 2
        and {*draft.metrics} <= of_them
        and {*draft.dimensions} <= {*things}
        and not any(rest)
        and not any(f.having for f in draft.filters)
    )


def _rows_asked(sentence: Sentence, names: Names) -> _Rows | None:
    """The rows that a sentence begins with: a verb that shows, how many of them, and what they are called."""
    words = [w.lower for w in sentence.words]
    at, shown = 0, False
    while at < len(words) and (words[at] in _BEFORE_ROWS or words[at] in _SHOWING or words[at] in _POLITE):
        shown = shown or words[at] in _SHOWING
        at += 1
    items = {item.start: item for _, item in sentence}
    edge, latest, number = None, None, None
    while (item := items.get(at)) is not None:
        if edge is None and (end := _edge(item)) is not None:
            edge, latest = item, end
        elif number is None and item.number is not None and not item.links:
            number = item
        else:
            break
        at = item.end
    noun = items.get(at)
    counted = number is not None and number.number is not None and _is_number(number.number.value)
    if noun is None or (number is not None and not counted) or not (shown or number is not None):
        return None
    if (edge is not None and number is None) or sentence.has(*_UNLISTED):
        return None
    table = _table(noun, names)
    thing = names.dimension(noun, DimensionType.CATEGORY, DimensionType.ID) if table is None else None
    known = table is not None or thing is not None
    return _Rows(table, thing, noun, number, edge, latest) if known else None


_POLITE = frozenset({"can", "could", "you", "i", "want", "to", "let"})


def _is_number(value: float) -> bool:
    return 1 <= value <= MOST_ROWS and value == int(value)


def _edge(item: Item) -> bool | None:
    """Whether words mean the last rows or the first ones; None where they mean neither."""
    if item.operator is None or item.links:
        return None
    if item.op(Op.EDGE):
        return item.operator.payload is Aggregation.MAX
    return False if item.op(Op.ORDINAL) and item.operator.payload == 1 else None


def _table(noun: Item, names: Names) -> str | None:
    """The table whose rows a noun names: by its own name, as what its key identifies, or simply as rows."""
    if noun.text.lower().startswith(_COUNTED):
        return None
    if noun.op(Op.ROWS) and not noun.links:
        return names.model.tables[0].name if len(names.model.tables) == 1 else None
    named = noun.named(LinkKind.TABLE)
    if named is not None:
        return named.name
    thing = names.dimension(noun, DimensionType.ID)
    own = [t.name for t in names.model.tables if thing is not None and t.key == (thing.at(t.name),)]
    return own[0] if len(own) == 1 else None
