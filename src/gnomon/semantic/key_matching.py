"""Keys that lead to another table under another name or type: ``cust`` to ``customers.id``, "17" to 17."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from gnomon.data import ColumnProfile, JoinCandidate, Role, TableProfile
from gnomon.data.table import quote
from gnomon.semantic.labels import entity_of, is_cut_from, lower_words, table_entity
from gnomon.semantic.measures import is_numeric, is_whole

if TYPE_CHECKING:
    import duckdb

    from gnomon.data import Dataset

_CONTAINED = 0.95
_TESTS = 60
_ROWS = 200_000
_CODES = 5
# How far names and values speak for a join: the more, the fewer of the keys have to be in use.
_NAMED, _PERHAPS, _LOOKED_UP = 0.9, 0.7, 0.2
_SURELY, _SEVERAL = 0.95, 20
_KEYED = frozenset({Role.ID, Role.CATEGORY, Role.TEXT, Role.GEOGRAPHIC})


def further_joins(
    dataset: Dataset, tables: Sequence[TableProfile], known: Iterable[JoinCandidate]
) -> tuple[JoinCandidate, ...]:
    """Many-to-one joins that neither equal names nor equal types show, tested on the values.

    Args:
        dataset: The tables.
        tables: Their profiles.
        known: The joins that are known already.
    """
    led = {(j.table, j.column) for j in known} | {
        (j.to_table, j.to_column) for j in known if j.kind == "one-to-one"
    }
    keys = {t.name: _keys(t) for t in tables}
    pairs = [
        (many, m, one, o, hint)
        for many, one in permutations(tables, 2)
        for o in keys[one.name]
        for m in many.columns
        if (many.name, m.name) not in led and (hint := _hint(many, m, one, o)) > 0
    ]
    pairs.sort(key=lambda p: -p[4])
    found: list[JoinCandidate] = []
    taken = set[tuple[str, str]]()
    cursor = dataset.cursor()
    try:
        for many, m, one, o, hint in pairs[:_TESTS]:
            if (many.name, m.name) in taken:
                continue
            contained, covered = _shares(cursor, many, m, one, o)
            if contained >= _CONTAINED and (hint == _NAMED or (contained == 1 and covered >= 1 - hint)):
                taken.add((many.name, m.name))
                found.append(
                    JoinCandidate(
                        many.name, m.name, one.name, o.name, contained, "many-to-one", 0.6 + 0.3 * hint
                    )
                )
    finally:
        cursor.close()
    return tuple(found)


def _keys(table: TableProfile) -> list[ColumnProfile]:
    """The columns that name the rows of a table, each alone: its first key, and a number beside the names of few rows."""
    named = [table.column(k.columns[0]) for k in table.keys if len(k.columns) == 1]
    first = next((c for c in named if c.role in _KEYED), None) if table.rows > 1 else None
    if first is None or first.role is Role.ID:
        return [first] if first is not None else []
    thing = table_entity(table.name) or "?"
    numbers = [c for c in table.columns if c.role is Role.ID and c.distinct == table.rows and not c.nulls]
    return [first, *(c for c in numbers if is_cut_from(entity_of(c.name) or thing, thing))]


def _hint(many: TableProfile, m: ColumnProfile, one: TableProfile, o: ColumnProfile) -> float:
    """How far names and types speak for a join; 0 where nothing does."""
    counted = m.role is Role.MEASURE and is_whole(m)
    if (
        not (m.role in _KEYED or counted)
        or not 1 < m.distinct <= 1.1 * o.distinct
        or (is_numeric(m) and not is_whole(m))
    ):
        return 0.0
    target = set((table_entity(one.name) or "").split()[-1:]) | set((entity_of(o.name) or "").split()[-1:])
    said = (entity_of(m.name) or "").split()[-1:]
    named = any(is_cut_from(s, t) for s in said for t in target)
    if named and m.role is Role.MEASURE:
        # a column named as one row of the other table is called points to it, however few rows are pointed to
        exactly = lower_words(m.name) == [table_entity(one.name)] and m.distinct >= _SEVERAL
        return _SURELY if exactly else _PERHAPS
    if counted:
        return 0.0
    if named and (
        m.role is Role.ID or m.name.casefold() == o.name.casefold() or len(lower_words(m.name)) == 1
    ):
        return _NAMED
    same_text = not is_numeric(m) and not is_numeric(o)
    lookup = same_text and m.role is Role.CATEGORY and o.role in (Role.CATEGORY, Role.ID)
    few = m.distinct >= _CODES and one.rows * 5 <= many.rows and _are_codes(m)
    return _LOOKED_UP if lookup and few else 0.0


def _are_codes(column: ColumnProfile) -> bool:
    """Whether the values are written like codes: short, without blanks, in capitals or with digits."""
    texts = [str(t.value) for t in column.top_values]
    return bool(texts) and all(
        2 <= len(t) <= 12 and " " not in t and (t.isupper() or any(c.isdigit() for c in t)) for t in texts
    )


def _shares(
    cursor: duckdb.DuckDBPyConnection,
    many: TableProfile,
    m: ColumnProfile,
    one: TableProfile,
    o: ColumnProfile,
) -> tuple[float, float]:
    """The share of different values of ``m`` that ``o`` holds, and of those of ``o`` that ``m`` holds."""
    query = (
        f"WITH l AS (SELECT DISTINCT CAST(c AS VARCHAR) AS v FROM (SELECT {quote(m.name)} AS c "
        f"FROM {quote(many.name)} LIMIT {_ROWS}) WHERE c IS NOT NULL), r AS (SELECT DISTINCT CAST({quote(o.name)} AS VARCHAR) AS v "
        f"FROM {quote(one.name)}) SELECT (SELECT count(*) FROM l), (SELECT count(*) FROM r), "
        f"(SELECT count(*) FROM l JOIN r USING (v))"
    )
    found = cursor.execute(query).fetchone()
    left, right, both = found or (0, 0, 0)
    return (both / left if left else 0.0, both / right if right else 0.0)
