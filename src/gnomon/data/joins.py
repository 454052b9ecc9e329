"""Candidate keys of a table and candidate joins between tables, checked against the values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from gnomon.data.column_kinds import Role
from gnomon.data.column_names import is_unnamed, words
from gnomon.data.measurement import Family, Measurement, alias, expression
from gnomon.data.profile_model import ColumnProfile, JoinCandidate, Key, TableProfile
from gnomon.data.table import Dataset

if TYPE_CHECKING:
    import duckdb

_KEY_FAMILIES = frozenset({Family.NUMBER, Family.TEXT, Family.DATE, Family.TIMESTAMP})
_PAIR_COLUMNS = 8
_MAX_KEYS = 5
_DATES = (("month",), ("quarter",), ("week",), ("month", "day"))
_TESTED = 2_000
_MAX_TESTS = 400
# Rows of the columns that are tested in one query, all of which it holds in memory.
_TOGETHER = 1_000_000
# Text so long may have been cut when it was measured.
_SHORT = 60
_Side = tuple[TableProfile, ColumnProfile]
_Pair = tuple[TableProfile, ColumnProfile, TableProfile, ColumnProfile]
_NAMES = frozenset({Role.CATEGORY, Role.GEOGRAPHIC, Role.PERSONAL, Role.TEXT})
_JOINABLE = frozenset({Role.ID, Role.CATEGORY, Role.GEOGRAPHIC, Role.PERSONAL, Role.TIME, Role.TEXT})


def candidate_keys(
    cursor: duckdb.DuckDBPyConnection, measured: Measurement, columns: Sequence[ColumnProfile]
) -> tuple[Key, ...]:
    """Columns, alone or in pairs, that name one row each; pairs are tried only where no column does.

    A date that is written in several columns counts as one of them: a city, a year and a month.
    """
    if measured.rows < 2 or measured.duplicates:
        return ()
    singles = [
        Key((c.name,), exact=c.distinct_exact)
        for c, f in zip(columns, measured.columns, strict=True)
        if c.nulls == 0 and f.family in _KEY_FAMILIES and _may_identify(c) and _is_unique(c, measured.rows)
    ]
    if not measured.whole:
        singles = [k for k in singles if _unique_in_sample(cursor, measured, columns, k.columns)]
    rank = {Role.ID: 0, Role.PERSONAL: 1, Role.TIME: 2}
    by_name = {c.name: c for c in columns}
    singles.sort(key=lambda k: rank.get(by_name[k.columns[0]].role, 3))
    named = [k for k in singles if by_name[k.columns[0]].role is Role.ID]
    counters = [k for k in named if is_unnamed(k.columns[0])]
    names = [k for k in singles if by_name[k.columns[0]].role in _NAMES]
    if names and len(counters) == len(named):
        named = names  # rows that have names of their own are not told by their numbers
    singles = named or singles  # beside an identifier, other unique columns are unique by accident
    return (
        tuple(singles[:_MAX_KEYS]) or _pairs(cursor, measured, columns) or _dated(cursor, measured, columns)
    )


def _may_identify(column: ColumnProfile) -> bool:
    """Measures are different in every row by accident; only what names things can be a key."""
    return column.role in _JOINABLE and column.type.upper() not in ("DOUBLE", "FLOAT")


def _is_unique(column: ColumnProfile, rows: int) -> bool:
    return column.distinct == rows if column.distinct_exact else column.distinct >= 0.9 * rows


def _pairs(
    cursor: duckdb.DuckDBPyConnection, measured: Measurement, columns: Sequence[ColumnProfile]
) -> tuple[Key, ...]:
    usable = [
        c for c in columns if c.nulls == 0 and c.distinct > 1 and _may_identify(c) and c.role is not Role.TEXT
    ]
    usable.sort(key=lambda c: -c.distinct)
    found: list[Key] = []
    for a, b in combinations(usable[:_PAIR_COLUMNS], 2):
        if a.distinct * b.distinct < measured.rows:
            continue
        order = [c.name for c in columns]
        pair = tuple(sorted((a.name, b.name), key=order.index))
        if _unique_in_sample(cursor, measured, columns, pair):
            found.append(Key(pair, exact=measured.whole))
    return tuple(found[:_MAX_KEYS])


def _dated(
    cursor: duckdb.DuckDBPyConnection, measured: Measurement, columns: Sequence[ColumnProfile]
) -> tuple[Key, ...]:
    """A column and a date that is written in years and parts of years, where they name one row together."""
    whole = [c for c in columns if c.nulls == 0 and c.distinct > 1]
    called = {w[0]: c for c in reversed(whole) if len(w := words(c.name)) == 1}
    if "year" not in called:
        return ()
    found: list[Key] = []
    for parts in _DATES:
        if any(p not in called for p in parts):
            continue
        date = [called["year"], *(called[p] for p in parts)]
        for c in whole:
            if c in date or not _may_identify(c) or c.role is Role.TEXT:
                continue
            names = tuple(o.name for o in columns if o is c or o in date)
            cells = math.prod(o.distinct for o in (c, *date))
            if cells >= measured.rows and _unique_in_sample(cursor, measured, columns, names):
                found.append(Key(names, exact=measured.whole))
        if found:
            break
    return tuple(found[:_MAX_KEYS])


def _unique_in_sample(
    cursor: duckdb.DuckDBPyConnection,
    measured: Measurement,
    columns: Sequence[ColumnProfile],
    names: Sequence[str],
) -> bool:
    """Whether no two rows agree on the columns, in the first rows and among the sampled ones."""
    picked = ", ".join(alias(i) for i, c in enumerate(columns) if c.name in names)
    for relation in dict.fromkeys((measured.head, measured.sample)):
        query = f"SELECT count(*) = count(DISTINCT hash({picked})) FROM {relation}"
        found = cursor.execute(query).fetchone()
        if not found or not found[0]:
            return False
    return True


def candidate_joins(dataset: Dataset, profiles: Sequence[TableProfile]) -> tuple[JoinCandidate, ...]:
    """Columns of different tables that hold the same things, tested by containment of values.

    The side with one row per value is what the other side looks things up in. A join is proposed when most
    values are found there and the names agree, or when the names differ but the values are telling.
    """
    tested: list[JoinCandidate] = []
    cursor = dataset.cursor()
    # What is asked of one column is asked once, not for each pair of columns.
    joinable = [[(c, Family.of(c.type)) for c in t.columns if c.role in _JOINABLE] for t in profiles]
    looking = [[(c, f) for c, f in of if c.distinct > 1] for of in joinable]
    holding = [
        [(c, f) for c, f in of if t.rows > 1 and _is_unique(c, t.rows - c.nulls)]
        for t, of in zip(profiles, joinable, strict=True)
    ]
    pairs = [
        (many, m, one, o)
        for (many, left), (one, right) in permutations(
            zip(profiles, zip(looking, holding, strict=True), strict=True), 2
        )
        for m, f in left[0]
        for o, g in right[1]
        if _plausible(m, one, o, {f, g})
    ]
    pairs.sort(key=lambda p: -_name_agreement(*p[1:]))
    for (many, m), found in _by_column(pairs[:_MAX_TESTS]):
        for (one, o), contained in zip(found, _containment(cursor, dataset, many, m, found), strict=True):
            agreement = _name_agreement(m, one, o)
            telling = min(1.0, m.distinct / 20)
            confidence = contained * (0.5 + 0.5 * agreement) if agreement else 0.6 * contained * telling
            if contained >= 0.8 and confidence >= 0.5:
                kind = "one-to-one" if _is_unique(m, many.rows - m.nulls) else "many-to-one"
                tested.append(
                    JoinCandidate(
                        many.name, m.name, one.name, o.name, round(contained, 4), kind, round(confidence, 3)
                    )
                )
    return _without_mirrors(tested)


def _without_mirrors(joins: list[JoinCandidate]) -> tuple[JoinCandidate, ...]:
    """One-to-one joins are found from both sides: keep the side that is contained, or the first."""
    joins.sort(key=lambda j: (-j.confidence, j.table, j.column, j.to_table, j.to_column))
    kept: dict[frozenset[tuple[str, str]], JoinCandidate] = {}
    for j in joins:
        kept.setdefault(frozenset({(j.table, j.column), (j.to_table, j.to_column)}), j)
    return tuple(kept.values())


def _plausible(m: ColumnProfile, one: TableProfile, o: ColumnProfile, families: set[Family]) -> bool:
    if len(families) > 1 and families != {Family.DATE, Family.TIMESTAMP}:
        return False
    agreement = _name_agreement(m, one, o)
    if Family.NUMBER in families or families & {Family.DATE, Family.TIMESTAMP}:
        return agreement > 0  # small whole numbers are contained in each other by accident
    return (agreement > 0 or (m.role is not Role.TEXT and o.role is not Role.TEXT)) and not _apart(m, o)


def _apart(m: ColumnProfile, o: ColumnProfile) -> bool:
    """Whether two columns of text share no value, as one ends before the other begins."""
    ends = [m.minimum, m.maximum, o.minimum, o.maximum]
    if not (
        m.distinct_exact and o.distinct_exact and all(isinstance(v, str) and len(v) < _SHORT for v in ends)
    ):
        return False  # estimated, or cut
    return bool(m.maximum < o.minimum or o.maximum < m.minimum)


def _name_agreement(m: ColumnProfile, one: TableProfile, o: ColumnProfile) -> float:
    """1 for equal names, less for ``product_id`` to ``products.id`` or ``assigned_to`` to nothing alike."""
    left, right = _stems(m.name), _stems(o.name)
    if left == right:
        return 1.0 if left not in (("id",), ("name",), ("index",)) else 0.3
    table = _stems(one.name)
    if left == (*table, *right) or (left[-len(right) :] == right and set(left[: -len(right)]) & set(table)):
        return 0.9
    generic = {"id", "key", "code", "no", "number", "date", "name", "type", "at"}
    shared = (set(left) & set(right)) - generic
    return 0.5 * len(shared) / max(len(set(left) | set(right)), 1)


@lru_cache(maxsize=20_000)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(
        w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in words(name)
    )


def _by_column(pairs: Sequence[_Pair]) -> Iterator[tuple[_Side, list[_Side]]]:
    """Each column that may look things up, with those that it may look them up in, as many as are tested at a time."""
    groups: dict[tuple[str, str], list[_Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair[0].name, pair[1].name), []).append(pair)
    for group in groups.values():
        found: list[_Side] = []
        for _, _, one, o in group:
            if found and sum(t.rows for t, _ in found) + one.rows > _TOGETHER:
                yield group[0][:2], found
                found = []
            found.append((one, o))
        yield group[0][:2], found


def _containment(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    many: TableProfile,
    m: ColumnProfile,
    ones: Sequence[_Side],
) -> list[float]:
    """For each of the columns ``ones``, the share of some different values of ``m`` that it holds."""
    table = dataset.table(many.name)
    held = [(dataset.table(one.name), o.name) for one, o in ones]
    shares = ", ".join(
        f"avg(CASE WHEN v IN (SELECT {expression(t.column(name))} FROM {t.relation}) THEN 1.0 ELSE 0.0 END)"
        for t, name in held
    )
    some = f"SELECT {expression(table.column(m.name))} AS v FROM {table.relation} LIMIT 200000"
    query = (
        "WITH tested AS MATERIALIZED "
        f"(SELECT v FROM (SELECT DISTINCT v FROM ({some}) WHERE v IS NOT NULL) ORDER BY hash(v), v LIMIT {_TESTED}) "
        f"SELECT {shares} FROM tested"
    )
    found = cursor.execute(query).fetchone() or ()
    return [float(share) if share is not None else 0.0 for share in found]
