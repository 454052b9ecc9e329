"""Several columns of the same rows, asked for side by side: “the names and opening years of all galleries”."""

from __future__ import annotations

from gnomon.core.request import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension, DimensionType

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
