"""A profile read once more with all tables in view: numbers that only name things, and the joins they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gnomon.data import ColumnProfile, DatasetProfile, JoinCandidate, Role, TableProfile
from gnomon.data.column_names import is_unnamed
from gnomon.data.column_names import words as name_words
from gnomon.data.joins import candidate_joins
from gnomon.data.table import quote
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.coded_things import codes_things, is_quantity, numbers_things
from gnomon.semantic.infer_dimensions import period_text
from gnomon.semantic.key_matching import further_joins
from gnomon.semantic.labels import entity_of, is_cut_from, lower_words, table_entity
from gnomon.semantic.measures import is_numeric, is_whole
from gnomon.semantic.model import singular

if TYPE_CHECKING:
    from gnomon.data import Dataset

_NUMBERS = frozenset({"no", "nr", "num", "number", "ref", "reference", "tag", "serial", "plate", "badge"})
_CODES = frozenset({"code", "cd"})
_QUANTITIES = frozenset(
    {
        "total",
        "sum",
        "avg",
        "average",
        "mean",
        "median",
        "max",
        "min",
        "maximum",
        "minimum",
        "count",
        "of",
        "net",
    }
)
CLOCK = {"hour": 24, "hr": 24, "day": 31, "week": 53, "weekday": 7, "month": 12, "quarter": 4, "minute": 59}
_ORDINALS = frozenset(
    {"period", "round", "phase", "wave", "lap", "inning", "innings", "leg", "floor", "storey", "semester", "term",
     "trimester", "batch", "cohort", "trial", "decile", "quintile", "quartile", "chapter", "episode", "gate", "lane",
     "platform", "matchday", "gameweek", "shift", "aisle", "zone", "ward", "district", "sector", "block"}
)  # fmt: skip
_FEW = 60
_SURE = 0.5
_REFERRING = (Role.MEASURE, Role.CATEGORY, Role.TEXT)
_ROWS = 200_000


def reread(profile: DatasetProfile, dataset: Dataset | None = None) -> DatasetProfile:
    """The profile with roles that take the names and the other tables into account, and the joins that follow.

    Args:
        profile: What the tables hold.
        dataset: The tables themselves, to test further joins on the values.
    """
    keys = {c for t in profile.tables for c in _names_of_keys(t)} | _looked_up_by(profile.tables)
    tables = tuple(_without_counter(t) for t in profile.tables)
    tables = tuple(replace(t, columns=tuple(_read(c, t, keys) for c in t.columns)) for t in tables)
    joins = profile.joins
    if dataset is not None:
        tables = tuple(_without_recurring(t, dataset) for t in tables)
    if dataset is not None and len(tables) > 1:
        if _joinable(tables) != _joinable(profile.tables):
            joins = candidate_joins(dataset, tables)
        found = further_joins(dataset, tables, joins)
        joins, leading = (*joins, *found), {(j.table, j.column) for j in found}
        leading |= _referring(tables, joins)
        tables = tuple(
            replace(t, columns=tuple(_as_key(c) if (t.name, c.name) in leading else c for c in t.columns))
            for t in tables
        )
    return replace(profile, tables=tables, joins=joins)


def _without_counter(table: TableProfile) -> TableProfile:
    """The table without running numbers that have no heading, where its rows have names of their own."""
    keyed = {name for key in table.keys for name in key.columns}
    if not keyed:
        return table
    kept = tuple(
        c
        for c in table.columns
        if not (c.role is Role.ID and is_numeric(c) and is_unnamed(c.name) and c.name not in keyed)
    )
    return replace(table, columns=kept)


def _without_recurring(table: TableProfile, dataset: Dataset) -> TableProfile:
    """Numbers of what the rows are that come back on other days, such as those of flights, do not name rows."""
    thing = table_entity(table.name)
    days = [c.name for c in table.columns if c.role is Role.TIME and c.distinct > 1]
    own = [c for c in table.columns if c.role is Role.ID and thing and entity_of(c.name) == thing]
    own = [c for c in own if c.distinct < table.rows - c.nulls]
    if not days or not own:
        return table
    recurring = {c.name for c in own if _recurs(c.name, days[0], table.name, dataset)}
    columns = (replace(c, role=Role.CATEGORY) if c.name in recurring else c for c in table.columns)
    return replace(table, columns=tuple(columns))


def _recurs(column: str, day: str, table: str, dataset: Dataset) -> bool:
    """Whether most values that occur several times do so at several moments."""
    cursor = dataset.cursor()
    query = (
        f"SELECT avg(CASE WHEN moments > 1 THEN 1.0 ELSE 0.0 END) FROM (SELECT count(DISTINCT {quote(day)}) AS moments "
        f"FROM (SELECT {quote(column)}, {quote(day)} FROM {quote(table)} LIMIT {_ROWS}) "
        f"GROUP BY {quote(column)} HAVING count(*) > 1)"
    )
    try:
        found = cursor.execute(query).fetchone()
    finally:
        cursor.close()
    return bool(found and found[0] is not None and found[0] > 0.5)


def _referring(tables: Sequence[TableProfile], joins: Iterable[JoinCandidate]) -> set[tuple[str, str]]:
    """Columns whose values identify the rows of a table, there and in the others: codes of wards, numbers of courses."""
    columns = {(t.name, c.name): c for t in tables for c in t.columns}
    keys = {(t.name, k.columns[0]) for t in tables for k in t.keys if len(k.columns) == 1}
    found: set[tuple[str, str]] = set()
    for j in joins:
        here, there = (j.table, j.column), (j.to_table, j.to_column)
        if j.confidence < _SURE or columns[here].role is Role.TIME:
            continue
        numbers = there in keys and (is_numeric(columns[there]) or _are_tokens(columns[there]))
        if numbers and columns[there].role in _REFERRING:
            found |= {here, there}
        elif columns[there].role is Role.ID:
            found.add(here)
    return found


def _as_key(column: ColumnProfile) -> ColumnProfile:
    return replace(column, role=Role.ID) if column.role in _REFERRING else column


def _joinable(tables: Iterable[TableProfile]) -> list[tuple[str, str]]:
    return [(t.name, c.name) for t in tables for c in t.columns if c.role is Role.ID]


def _names_of_keys(table: TableProfile) -> list[str]:
    """The columns of a table that name its rows, each alone, and are called after them."""
    singles = [k.columns[0] for k in table.keys if len(k.columns) == 1]
    return [c.casefold() for c in singles if is_cut_from(entity_of(c) or "?", table_entity(table.name) or "")]


def _looked_up_by(tables: Sequence[TableProfile]) -> set[str]:
    """Whole numbers under one name in two tables, a different one in every row of the one: accounts by their number."""
    held = [(t, c) for t in tables for c in t.columns if c.role is Role.MEASURE and is_whole(c)]
    return {
        o.name.casefold()
        for one, o in held
        if o is one.columns[0] and not o.nulls and o.distinct == one.rows > 2
        for many, m in held
        if many is not one and m.name.casefold() == o.name.casefold() and _lies_within(m, o)
    }


def _lies_within(many: ColumnProfile, one: ColumnProfile) -> bool:
    """Whether the values of one column may all be among those of another, and are no fewer than half of them."""
    ends = (one.minimum, many.minimum, many.maximum, one.maximum)
    return list(ends) == sorted(ends) and one.distinct / 2 <= many.distinct <= one.distinct


_YEARS = (1500, 2100)


def _are_years(words: list[str], column: ColumnProfile) -> bool:
    """Whether whole numbers say in which year something was done, as “built” or “released” do of their own."""
    low, high = float(column.minimum), float(column.maximum)
    return len(words) == 1 and _YEARS[0] <= low < high <= _YEARS[1] and get_lexicon().is_participle(words[0])


def _read(column: ColumnProfile, table: TableProfile, keys: set[str]) -> ColumnProfile:
    if column.role is Role.ID and period_text(column) is None:
        named = any(ch.isalpha() for ch in column.name) and not name_words(column.name)
        # a name in another script is no sign of a code
        return replace(column, role=Role.MEASURE) if named and is_numeric(column) else column
    words = lower_words(column.name)
    if column.role is Role.MEASURE and is_whole(column) and words and _nonnegative(column):
        held = table.rows - column.nulls
        if _numbers_things(words) or column.name.casefold() in keys or numbers_things(column, held):
            return replace(column, role=Role.ID)
        if _is_called(table, words) and column.distinct > _FEW:
            # flight 1714, of flights: how many there are would be flights, and its number comes again
            return replace(column, role=Role.CATEGORY if column.distinct < held else Role.ID)
        if _are_years(words, column):
            return replace(column, role=Role.TIME)
        if "time" in words and _are_clock_times(column):
            return replace(column, role=Role.CATEGORY)
        told = _is_ordinal(words, column) or (words[-1] in _CODES and len(words) > 1)
        if "per" not in words and (told or codes_things(column, held)):
            return replace(column, role=Role.CATEGORY)
    if period_text(column) is not None:
        return replace(column, role=Role.TIME)
    text = not is_numeric(column) and column.role in (Role.CATEGORY, Role.TEXT)
    if text and _says_yes_or_no(column):
        return replace(column, role=Role.BOOLEAN)
    coded = len(words) > 1 and words[-1] in _NUMBERS | _CODES and column.name.casefold() in keys
    if text and (coded or (_numbers_things(words) and _are_tokens(column))):
        return replace(column, role=Role.ID)
    return column


def _is_called(table: TableProfile, words: list[str]) -> bool:
    """Whether a column is called what the rows are: ``flight`` of flights, or of nycflights; no temperature is."""
    if len(words) == 1 and (is_quantity(words[0]) or get_lexicon().is_participle(words[0])):
        return False
    thing = (table_entity(table.name) or "").split()[-1:]
    return words == thing or (
        len(words) == len(thing) == 1 and len(words[0]) > 3 and thing[0].endswith(words[0])
    )


def _are_clock_times(column: ColumnProfile) -> bool:
    """Whether whole numbers write hours and minutes, 1754 for six minutes to six: such times cannot be averaged."""
    seen = [
        column.minimum,
        column.maximum,
        *(column.quantiles or {}).values(),
        *(t.value for t in column.top_values),
    ]
    held = {int(v) for v in seen if v is not None}
    return column.distinct > _FEW and max(held) > 1000 and all(v <= 2400 and v % 100 < 60 for v in held)


_UNKNOWN = frozenset(
    {"unknown", "unk", "not known", "not stated", "not recorded", "not available", "not asked", "unspecified", "undisclosed",
     "don't know", "dont know", "missing", "n/a", "na", "?", "-", "u"}
)  # fmt: skip


def _says_yes_or_no(column: ColumnProfile) -> bool:
    """Whether a column says yes or no, and of some rows that nobody knows."""
    values = {str(t.value).strip().lower() for t in column.top_values}
    sure = values - _UNKNOWN
    return (
        column.distinct == len(values)
        and values > sure
        and sure in ({"yes", "no"}, {"y", "n"}, {"true", "false"})
    )


def _numbers_things(words: list[str]) -> bool:
    """Whether a name says that numbers stand for things: ``order_no``, not ``rooms_no`` or ``total_number``."""
    if len(words) < 2 or words[-1] not in _NUMBERS or set(words) & _QUANTITIES:
        return False
    return singular(words[-2]) == words[-2]


def _are_tokens(column: ColumnProfile) -> bool:
    """Whether texts are written like numbers of things: one word with digits in it."""
    ends = [v for v in (column.minimum, column.maximum) if v is not None]
    texts = [str(v) for v in (*(t.value for t in column.top_values), *ends)]
    return bool(texts) and all(" " not in t and any(c.isdigit() for c in t) for t in texts)


def _is_ordinal(words: list[str], column: ColumnProfile) -> bool:
    """Whether whole numbers are parts of a clock or calendar, or count off parts of a whole."""
    last = CLOCK.get(words[-3] if words[-2:] == ["of", "year"] and len(words) > 2 else words[-1])
    if last is not None and column.distinct > 1:
        return float(column.maximum) <= last
    return words[-1] in _ORDINALS and column.distinct <= _FEW


def _nonnegative(column: ColumnProfile) -> bool:
    return column.minimum is not None and float(column.minimum) >= 0
