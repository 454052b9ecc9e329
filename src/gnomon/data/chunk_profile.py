"""Profiles of files over the size limit: the first chunk whole, rows drawn evenly from every later one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from gnomon.data.measure_sample import duplicates_in, figures_of
from gnomon.data.measure_scan import expected_rows
from gnomon.data.measurement import Family, Figures, Measurement, alias, expression, temporary
from gnomon.data.opening_limit import Deadline, in_time
from gnomon.data.profile import describe
from gnomon.data.profile_model import TableProfile, TopValue
from gnomon.data.table import Dataset, Table

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_SAMPLE_ROWS = 50_000
_SAMPLE_CELLS = 5_000_000
_HOUR = 3_600_000_000


def profile_in_chunks(
    dataset: Dataset, table_name: str, chunk_size: int, *, deadline: Deadline, others: bool = False
) -> TableProfile:
    """Profile a table from its first ``chunk_size`` rows and from rows drawn evenly from all of it.

    Rows are counted exactly and the periods of time columns are collected from every row; everything else is
    estimated from the drawn rows, and the profile says so.

    Raises:
        UnreadableSource: It takes longer than until ``deadline``, or half as long where ``others`` want their share.
    """
    table = dataset.table(table_name)
    cursor, scan = dataset.cursor(), dataset.cursor()
    own = Deadline(deadline.settings, deadline.left(others=others))
    try:
        with in_time(table_name, cursor.interrupt, scan.interrupt, deadline=own):
            batches = _in_time(_batches(scan, table, chunk_size), table_name, own)
            return describe(cursor, table, _measure(cursor, table, batches))
    finally:
        scan.close()
        cursor.close()


def _in_time(batches: Iterator[pa.RecordBatch], what: str, deadline: Deadline) -> Iterator[pa.RecordBatch]:
    """The chunks that come in time: what is done with them is no query that could be interrupted."""
    for batch in batches:
        if not deadline.left():
            raise deadline.late(what)
        yield batch


def _measure(
    cursor: duckdb.DuckDBPyConnection, table: Table, batches: Iterator[pa.RecordBatch]
) -> Measurement:
    first = next(batches)
    head = _keep(cursor, "head", [first])
    expected = expected_rows(cursor, table, table.relation, head, max(first.num_rows, 1))
    wanted = max(1_000, min(_SAMPLE_ROWS, _SAMPLE_CELLS // max(len(table.columns), 1)))
    share = min(1.0, wanted / expected)
    moments: dict[int, set[int]] = {}
    drawn: list[pa.RecordBatch] = []
    rows = 0
    for number, batch in enumerate(chain([first], batches)):
        rows += batch.num_rows
        drawn.append(_draw(batch, share, number))
        _collect_moments(table, batch, moments)
    sample = _keep(cursor, "sample", drawn)
    seen, figures = figures_of(cursor, sample, table.columns)
    _, heads = figures_of(cursor, head, table.columns)
    merged = [_scaled(cursor, sample, i, f, heads[i], rows, seen) for i, f in enumerate(figures)]
    repeated = duplicates_in(cursor, head, len(table.columns))
    return Measurement(
        rows=rows,
        columns=tuple(merged),
        sample=sample,
        head=head,
        whole=False,
        basis=(
            f"The first {first.num_rows:,} rows and {seen:,} rows drawn evenly from all {rows:,}; the figures are "
            f"estimates. A full profile passes over every row."
        ),
        duplicates=round(repeated * rows / max(first.num_rows, 1)),
        duplicates_exact=False,
        moments={i: sorted(m) for i, m in moments.items()},
    )


def _batches(cursor: duckdb.DuckDBPyConnection, table: Table, size: int) -> Iterator[pa.RecordBatch]:
    """The rows in order, ``size`` at a time; an empty table gives one empty chunk."""
    picked = ", ".join(f"{expression(c)} AS {alias(i)}" for i, c in enumerate(table.columns))
    reader = cursor.execute(f"SELECT {picked} FROM {table.relation}").to_arrow_reader(size)
    empty = True
    for batch in reader:
        yield batch
        empty = False
    if empty:
        import pyarrow as pa

        yield pa.record_batch([pa.array([], f.type) for f in reader.schema], schema=reader.schema)


def _keep(cursor: duckdb.DuckDBPyConnection, prefix: str, batches: list[pa.RecordBatch]) -> str:
    import pyarrow as pa

    name = temporary(prefix)
    view = name.strip('"') + "_arrow"
    cursor.register(view, pa.Table.from_batches(batches))
    cursor.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM {view}")
    cursor.unregister(view)
    return name


def _draw(batch: pa.RecordBatch, share: float, number: int) -> pa.RecordBatch:
    """Rows of one chunk, the same ones every time."""
    random = np.random.default_rng([20_240_229, number])
    places = np.flatnonzero(random.random(batch.num_rows) < share)
    import pyarrow as pa

    return batch.take(pa.array(places))


def _collect_moments(table: Table, batch: pa.RecordBatch, moments: dict[int, set[int]]) -> None:
    for i, column in enumerate(table.columns):
        if Family.of(column.type) in (Family.DATE, Family.TIMESTAMP):
            cells = batch.column(i).drop_null().to_numpy(zero_copy_only=False).astype("datetime64[us]")
            hours = np.unique(cells.astype(np.int64) // _HOUR) * _HOUR
            moments.setdefault(i, set()).update(hours.tolist())


def _scaled(
    cursor: duckdb.DuckDBPyConnection,
    sample: str,
    index: int,
    figures: Figures,
    head: Figures,
    rows: int,
    seen: int,
) -> Figures:
    """Figures of the drawn rows, scaled to the table; the edges of the range also from the first chunk."""
    scale = rows / max(seen, 1)
    lows = [v for v in (figures.minimum, head.minimum) if v is not None]
    highs = [v for v in (figures.maximum, head.maximum) if v is not None]
    nulls = min(rows, max(round(figures.nulls * scale), head.nulls))
    return replace(
        figures,
        nulls=nulls,
        distinct=max(_distinct(cursor, sample, index, figures.distinct, rows - nulls), head.distinct),
        distinct_exact=False,
        minimum=min(lows) if lows else None,
        maximum=max(highs) if highs else None,
        quantiles_exact=False,
        top=tuple(TopValue(t.value, round(t.count * scale)) for t in figures.top if t.count >= 10),
        top_exact=False,
        not_finite=max(round(figures.not_finite * scale), head.not_finite),
        padded=max(round(figures.padded * scale), head.padded),
        blank=max(round(figures.blank * scale), head.blank),
        values=figures.values or head.values,
    )


def _distinct(cursor: duckdb.DuckDBPyConnection, sample: str, index: int, seen: int, cells: int) -> int:
    """Different values in the table by Chao's estimate: how many were seen once and twice tells how many were not."""
    name = alias(index)
    query = (
        f"SELECT count_if(n = 1), count_if(n = 2) FROM "
        f"(SELECT count(*) AS n FROM {sample} WHERE {name} IS NOT NULL GROUP BY {name})"
    )
    once, twice = cursor.execute(query).fetchone() or (0, 0)
    return min(cells, round(seen + once * (once - 1) / (2 * (twice + 1))))
