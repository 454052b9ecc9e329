"""Profiles: what each table and column holds, what it is for, and what to watch out for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.data.joins import candidate_joins, candidate_keys
from gnomon.data.measure_sample import duplicates_in, figures_of
from gnomon.data.measure_scan import measure_scan
from gnomon.data.measurement import FEWEST_EXACT, Family, Figures, Measurement, stage, stage_limit
from gnomon.data.opening_limit import Deadline, in_time
from gnomon.data.profile_model import (
    ColumnProfile,
    DatasetProfile,
    JoinCandidate,
    SourceFailure,
    TableProfile,
    TimeGrain,
)
from gnomon.data.quality import column_warnings, table_warnings
from gnomon.data.roles import decide_role, unit_of
from gnomon.data.table import Dataset, Table

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[str, int, int], None]
_SAMPLE_ROWS = 5
_CELLS, _LONGEST = 20, 200


def profile_dataset(
    dataset: Dataset,
    *,
    progress: Progress | None = None,
    workers: int = 1,
    deadline: Deadline | None = None,
) -> DatasetProfile:
    """Profile every table and find the joins between them; a table that takes too long becomes a failure.

    Args:
        dataset: The tables.
        progress: Called with the name of the table that was done, how many are done, and how many there are.
        workers: How many tables are profiled at the same time; the result is the same either way.
        deadline: When it has to be done; by default the time that opening may take, from now.

    Raises:
        UnreadableSource: No table could be profiled in time.
    """
    deadline = deadline or (Deadline(dataset.settings) if dataset.settings else None)
    lock, done = threading.Lock(), 0

    def work(name: str) -> TableProfile | UnreadableSource:
        nonlocal done
        try:
            found = profile_table(dataset, name, deadline=deadline, others=len(dataset) > 1)
        except UnreadableSource as e:
            found = e
        with lock:
            done += 1
            if progress:
                progress(name, done, len(dataset))
        return found

    with ThreadPoolExecutor(min(workers, max(len(dataset), 1)), thread_name_prefix="profile") as pool:
        results = list(zip(dataset, pool.map(work, dataset.tables), strict=True))
    tables = tuple(found for _, found in results if isinstance(found, TableProfile))
    failed = [(table, found) for table, found in results if isinstance(found, UnreadableSource)]
    if failed and not tables:
        raise failed[0][1]
    failures = tuple(SourceFailure.of(table.source, error) for table, error in failed)
    joins, warnings = joins_of(dataset, tables, deadline)
    return DatasetProfile(tables, joins, failures, (*dataset.warnings, *warnings))


def joins_of(
    dataset: Dataset, tables: Sequence[TableProfile], deadline: Deadline | None
) -> tuple[tuple[JoinCandidate, ...], tuple[str, ...]]:
    """The joins between tables, or that they could not be found in time."""
    if deadline is None:
        return candidate_joins(dataset, tables), ()
    try:
        with in_time("the tables", dataset.interrupt, deadline=deadline):
            return candidate_joins(dataset, tables), ()
    except UnreadableSource:
        return (), (
            f"How the tables hang together could not be found within {deadline.seconds:g} seconds: questions over "
            "several of them cannot be answered. Allow more time with GNOMON_OPEN_TIMEOUT_SECONDS.",
        )


def profile_table(
    dataset: Dataset,
    table_name: str,
    *,
    exact_rows: int | None = None,
    deadline: Deadline | None = None,
    others: bool = False,
) -> TableProfile:
    """Profile one table.

    A table of up to a few hundred thousand rows is measured exactly. A larger one takes one scan of
    approximate aggregates in bounded memory; the flags in the profile say which figures are estimates.

    Args:
        dataset: The data set that holds the table.
        table_name: Name of the table.
        exact_rows: Measure exactly up to this many rows, instead of the built-in limit.
        deadline: When it has to be done; by default the time that opening may take, from now.
        others: Whether others want their share of that time.

    Raises:
        NotFound: No table has that name.
        UnreadableSource: It takes too long, or more memory than there is.
    """
    if exact_rows is not None and exact_rows < 1:
        raise InvalidInput(f"exact_rows must be at least 1, not {exact_rows}.")
    table = dataset.table(table_name)
    deadline = deadline or (Deadline(dataset.settings) if dataset.settings else None)
    cursor = dataset.cursor()
    bounds = (
        in_time(table_name, cursor.interrupt, deadline=deadline, others=others) if deadline else nullcontext()
    )
    try:
        with bounds:
            measured = measure(cursor, table, table.relation, exact_rows)
            return describe(cursor, table, measured)
    finally:
        # Temporary tables belong to this cursor: closing it drops them.
        cursor.close()


def measure(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, exact_rows: int | None = None
) -> Measurement:
    """Measure a relation that has the table's columns: exactly where it is small, by one scan otherwise."""
    if not exact_rows and table.rows is not None and table.rows <= FEWEST_EXACT:
        head, rows = stage(cursor, table, relation, FEWEST_EXACT + 1)
        if rows <= FEWEST_EXACT:  # however wide they are, so that nobody has to know how wide
            return measure_whole(cursor, table, head)
    limit = exact_rows or stage_limit(cursor, table, relation)
    head, rows = stage(cursor, table, relation, limit + 1)
    if rows > limit:
        return measure_scan(cursor, table, relation, head, rows)
    return measure_whole(cursor, table, head)


def measure_whole(cursor: duckdb.DuckDBPyConnection, table: Table, staged: str) -> Measurement:
    """Measure a staged relation exactly."""
    rows, columns = figures_of(cursor, staged, table.columns)
    return Measurement(
        rows=rows,
        columns=tuple(columns),
        sample=staged,
        head=staged,
        whole=True,
        basis=f"All {rows:,} rows, counted exactly.",
        duplicates=duplicates_in(cursor, staged, len(columns)),
        duplicates_exact=True,
    )


def _grains(cursor: duckdb.DuckDBPyConnection, measured: Measurement) -> tuple[TimeGrain, ...]:
    """Grain and gaps of every time column; what finds them is not loaded where there is none."""
    if not any(f.family in (Family.DATE, Family.TIMESTAMP) for f in measured.columns):
        return ()
    from gnomon.data.time_grain import grains

    return grains(cursor, measured)


def describe(cursor: duckdb.DuckDBPyConnection, table: Table, measured: Measurement) -> TableProfile:
    """Turn figures into a profile: roles, warnings, keys and time grains."""
    neighbours = [c.name for c in table.columns]
    columns = tuple(_column(f, measured.rows, neighbours, table) for f in measured.columns)
    profile = TableProfile(
        name=table.name,
        source=table.source,
        format=table.format,
        rows=measured.rows,
        rows_exact=measured.rows_exact,
        basis=measured.basis,
        columns=columns,
        duplicate_rows=measured.duplicates,
        duplicates_exact=measured.duplicates_exact,
        keys=candidate_keys(cursor, measured, columns),
        time=_grains(cursor, measured),
        sample_rows=_sample_rows(cursor, table, measured),
        size_bytes=table.size_bytes,
    )
    return replace(profile, warnings=(*table.warnings, *table_warnings(profile)))


def _column(figures: Figures, rows: int, neighbours: list[str], table: Table) -> ColumnProfile:
    role, reason, personal = decide_role(figures, rows, neighbours)
    return ColumnProfile(
        name=figures.column.name,
        type=figures.column.type,
        role=role,
        role_reason=reason,
        nulls=figures.nulls,
        null_rate=round(figures.nulls / rows, 6) if rows else 0.0,
        distinct=figures.distinct,
        distinct_exact=figures.distinct_exact,
        minimum=figures.minimum,
        maximum=figures.maximum,
        mean=figures.mean,
        stddev=figures.stddev,
        quantiles=figures.quantiles,
        quantiles_exact=figures.quantiles_exact,
        top_values=figures.top,
        top_values_exact=figures.top_exact,
        personal=personal,
        unit=unit_of(figures, role),
        warnings=(*_left_out(table, figures.column.name), *column_warnings(figures, rows, role)),
        conversion=figures.column.conversion,
        cells=tuple(v[:_LONGEST] if isinstance(v, str) else v for v in figures.values[:_CELLS]),
    )


def _left_out(table: Table, column: str) -> tuple[str, ...]:
    """What was read as missing in a column, without its name."""
    return tuple(s.said.removeprefix(f"{column}: ") for s in table.set_aside if s.column == column)


def _sample_rows(
    cursor: duckdb.DuckDBPyConnection, table: Table, measured: Measurement
) -> tuple[dict[str, Any], ...]:
    names = [c.name for c in table.columns]
    rows = cursor.execute(f"SELECT * FROM {measured.head} LIMIT {_SAMPLE_ROWS}").fetchall()
    return tuple(dict(zip(names, row, strict=True)) for row in rows)
