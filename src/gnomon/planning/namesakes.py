"""Columns of one name in several tables: that of the table which the question names, or told with the table it was taken from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gnomon.core.errors import NotFound
from gnomon.core.parts import Parts
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import Metric, SemanticModel

MOST_NAMED = 3
_ANY_ROWS = frozenset(root(w) for w in ("row", "record", "entry", "line"))


def with_namesakes(reading: Reading, model: SemanticModel) -> Reading:
    """The reading with measures of the tables that are named, and a note where another table has one of that name."""
    if reading.status is not ReadingStatus.CLEAR or reading.continues or len(model.tables) < 2:
        return reading
    parts = tuple(_of_named(p, model) for p in reading.parts)
    notes = dict.fromkeys(n for p in parts for n in _notes(p, model))
    if not notes and parts == reading.parts:
        return reading
    return reading.asking(parts, model, notes=(*reading.notes, *notes))


def _of_named(request: Parts, model: SemanticModel) -> Parts:
    """The request with measures of the table that its question names, where it has one of the very name."""
    metrics = tuple(_moved(name, request, model) for name in request.metrics)
    return request if metrics == request.metrics else request.model_copy(update={"metrics": metrics})


def _moved(name: str, request: Parts, model: SemanticModel) -> str:
    metric, said = _known(name, model), _roots(request)
    if metric is None or metric.table is None or _words(metric.table, model) & said:
        return name
    named = [o for o in _others(metric, request, model) if o.table and _words(o.table, model) & said]
    if len(named) != 1:
        return name
    if any(m.name == name for m in model.metrics):
        return named[0].name if named[0].aggregation is metric.aggregation else name
    moved = name.replace(f"({metric.table}.", f"({named[0].table}.", 1)
    return moved if _known(moved, model) is not None else name


def _notes(request: Parts, model: SemanticModel) -> Iterator[str]:
    said = _roots(request)
    for name in request.metrics:
        metric = _known(name, model)
        for part in model.base_metrics(metric) if metric is not None else ():
            if (rows := _rows_note(part, said, model)) is not None:
                yield rows
            others = list(dict.fromkeys(o.table for o in _others(part, request, model) if o.table))
            if others and part.table and not _words(part.table, model) & said:
                column = " ".join(name_words((part.expression or "").strip("`")))
                has = "has" if len(others) == 1 else "have"
                yield f"“{column}” is that of {part.table}; {_listed(others)} {has} one of that name too."


def _rows_note(part: Metric, said: set[str], model: SemanticModel) -> str | None:
    """Whose rows are counted, where the question only says rows and other tables have some too."""
    if part.table is None or part.expression is not None or part.where or not said & _ANY_ROWS:
        return None
    if (_words(part.table, model) - _ANY_ROWS) & said:
        return None
    others = [t.name for t in model.tables if t.name != part.table]
    has = "has" if len(others) == 1 else "have"
    return f"The rows are those of {part.table}; {_listed(others)} {has} rows too." if others else None


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:MOST_NAMED], *(["others"] if len(names) > MOST_NAMED else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _others(metric: Metric, request: Parts, model: SemanticModel) -> Iterator[Metric]:
    """The same column of other tables, as far as what is asked can be told of them too."""
    if metric.expression is None or metric.where:
        return
    wanted = {*request.dimensions, *(f.field for f in request.filters if not f.having)}
    needed = [d for d in model.dimensions if d.name in wanted]
    for other in model.metrics:
        same = other.table != metric.table and other.expression == metric.expression and not other.where
        if same and len(needed) == len(wanted) and all(model.reaches(other, d) for d in needed):
            yield other


def _known(name: str, model: SemanticModel) -> Metric | None:
    try:
        return model.metric(name)
    except NotFound:
        return None


def _roots(request: Parts) -> set[str]:
    return {root(w) for w in name_words(request.question)}


def _words(table: str, model: SemanticModel) -> set[str]:
    meaning = model.table(table)
    return {root(w) for n in (table, meaning.label, *meaning.synonyms) for w in name_words(n)} - {"row"}
