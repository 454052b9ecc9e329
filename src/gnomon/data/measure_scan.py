"""Figures of a table too large to hold: one scan of approximate aggregates and a sample drawn by hash.

The sample is picked by a hash of the columns that tell rows apart, so that the same table always gives
the same rows and every copy of a repeated row is picked together (which is what makes the number of
duplicates an unbiased estimate). Where no few columns tell rows apart, rows are picked by position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.data.measure_sample import duplicates_in, figures_of
from gnomon.data.measurement import (
    TOP,
    Family,
    Figures,
    Measurement,
    alias,
    bounded,
    expression,
    number,
    rounded,
    temporary,
)
from gnomon.data.profile_model import TopValue
from gnomon.data.table import Table

if TYPE_CHECKING:
    import duckdb

_SAMPLE_ROWS = 50_000
_SAMPLE_CELLS = 5_000_000
_TEXT_KEPT = 300
_FEW = 1000
_SEEN = 10
_KEY_COLUMNS = 4
_BATCH = 400
COLUMNAR = frozenset({"parquet", "duckdb", "frame", "excel"})


@dataclass(frozen=True)
class _Draw:
    """How the sample is drawn: one in ``every`` rows by the hash of ``by``."""

    by: str
    every: int
    by_position: bool


def measure_scan(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, head: str, head_rows: int
) -> Measurement:
    """Measure a table in one scan; tables of more than a few hundred columns take one scan per batch."""
    expected = expected_rows(cursor, table, relation, head, head_rows)
    wanted = max(1_000, min(_SAMPLE_ROWS, _SAMPLE_CELLS // max(len(table.columns), 1)))
    every = max(1, expected // wanted)
    key = _sampling_key(cursor, table, head, head_rows)
    draw = _Draw(key or "row_number() OVER ()", every, by_position=key is None)
    rows, raw, moments, sample = _scan(cursor, table, relation, draw)
    drawn, figures = figures_of(cursor, sample, table.columns)
    if not draw.by_position and not 0.75 < (drawn + 20) / (rows / every + 20) < 1.25:
        # Equal keys came in clumps that the first rows did not show: draw by position instead.
        cursor.execute(f"DROP TABLE {sample}")
        draw = _Draw("row_number() OVER ()", every, by_position=True)
        rows, raw, moments, sample = _scan(cursor, table, relation, draw)
        drawn, figures = figures_of(cursor, sample, table.columns)
    merged = [_merge(f, raw[i], rows, drawn) for i, f in enumerate(figures)]
    if table.format in COLUMNAR:
        merged = [_counted(cursor, relation, f) for f in merged]
    return Measurement(
        rows=rows,
        columns=tuple(merged),
        sample=sample,
        head=head,
        whole=False,
        basis=(
            f"One pass over all {rows:,} rows; quantiles, patterns and the counts of top values of large "
            f"columns come from {drawn:,} rows drawn evenly."
        ),
        duplicates=_duplicates(cursor, sample, raw, rows, drawn, draw),
        duplicates_exact=False,
        moments=moments,
    )


def expected_rows(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, head: str, head_rows: int
) -> int:
    """Rows of the table: counted where a count reads no data, otherwise estimated from the file size."""
    if table.format in COLUMNAR or table.size_bytes is None:
        found = cursor.execute(f"SELECT count(*) FROM {relation}").fetchone()
        return int(found[0]) if found else head_rows
    query = f"SELECT sum(length(CAST(t AS VARCHAR))) FROM (SELECT * FROM {head} LIMIT 10000) t"
    found = cursor.execute(query).fetchone()
    # A row printed as a struct also carries the short names c0, c1 …
    names = sum(len(alias(i)) + 6 for i in range(len(table.columns)))
    width = max(1.0, float(found[0] if found else 1) / min(head_rows, 10_000) - names)
    packed = 6 if table.source.lower().endswith((".gz", ".zst", ".bz2", ".xz")) else 1
    return max(head_rows, int(table.size_bytes * packed / width))


def _sampling_key(cursor: duckdb.DuckDBPyConnection, table: Table, head: str, head_rows: int) -> str | None:
    """The fewest columns whose values tell the first rows apart, cheapest types first."""
    counts = ", ".join(f"approx_count_distinct({alias(i)})" for i in range(len(table.columns)))
    distinct = cursor.execute(f"SELECT {counts} FROM {head}").fetchone() or ()
    cheap = {Family.NUMBER: 0, Family.DATE: 0, Family.TIMESTAMP: 0, Family.BOOLEAN: 0, Family.TEXT: 1}

    def rank(i: int) -> tuple[int, int, int]:
        spread = int(10 * distinct[i] / head_rows)
        return -spread, cheap.get(Family.of(table.columns[i].type), 2), -int(distinct[i])

    ranked = [alias(i) for i in sorted(range(len(table.columns)), key=rank)]
    for size in [*range(1, min(_KEY_COLUMNS, len(ranked)) + 1), len(ranked)]:
        together = ", ".join(ranked[:size])
        found = cursor.execute(f"SELECT count(DISTINCT hash({together})) FROM {head}").fetchone()
        if found and found[0] >= 0.98 * head_rows:
            return together
    return None


def _scan(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, draw: _Draw
) -> tuple[int, dict[int, list[Any]], dict[int, list[int]], str]:
    """Rows, raw aggregates per column, moments of the time columns, and the name of the sample."""
    inner = ", ".join(f"{expression(c)} AS {alias(i)}" for i, c in enumerate(table.columns))
    row = ", ".join(alias(i) for i in range(len(table.columns)))
    first = temporary("scan")
    raw: dict[int, list[Any]] = {}
    moments: dict[int, list[int]] = {}
    rows, every_row = 0, list(range(len(table.columns)))
    for start in range(0, len(every_row), _BATCH):
        batch = every_row[start : start + _BATCH]
        parts = [f"{part} AS a{i}_{k}" for i in batch for k, part in enumerate(_aggregates(table, i))]
        source = f"(SELECT {inner} FROM {relation})"
        if start == 0:
            parts.append(f"{_sample_list(table)} AS picked")
            rows_apart = f"approx_count_distinct(hash({row}))" if draw.by_position else "NULL"
            parts.append(f"{rows_apart} AS rows_apart")
            source = f"(SELECT *, hash({draw.by}) % {draw.every} = 0 AS is_picked FROM {source})"
        query = f"SELECT count(*) AS n, {', '.join(parts)} FROM {source}"
        if start == 0:
            cursor.execute(f"CREATE TEMP TABLE {first} AS {query}")
            query = f"SELECT * EXCLUDE (picked) FROM {first}"
        found = list(cursor.execute(query).fetchone() or ())
        rows = int(found[0])
        for k, i in enumerate(batch):
            raw[i] = found[1 + 6 * k : 7 + 6 * k]
            if raw[i][5]:
                moments[i] = sorted(int(m) for m in raw[i][5])
        if start == 0:
            raw[-1] = [found[-1]]
    sample = temporary("sample")
    cursor.execute(
        f"CREATE TEMP TABLE {sample} AS SELECT unnest(p) FROM (SELECT unnest(picked) AS p FROM {first}) "
    )
    cursor.execute(f"DROP TABLE {first}")
    return rows, raw, moments, sample


def _sample_list(table: Table) -> str:
    """The picked rows as a list of structs; CASE spares the other rows the work."""
    cells = ", ".join(
        f"{alias(i)} := left({alias(i)}, {_TEXT_KEPT})"
        if Family.of(c.type) in (Family.TEXT, Family.OTHER)
        else f"{alias(i)} := {alias(i)}"
        for i, c in enumerate(table.columns)
    )
    return f"list(CASE WHEN is_picked THEN struct_pack({cells}) END) FILTER (is_picked)"


def _aggregates(table: Table, index: int) -> list[str]:
    """Six expressions for every column: count, distinct, min, max, [mean, stddev, finite], moments."""
    column, name = table.columns[index], alias(index)
    family = Family.of(column.type)
    spread, moments = "NULL", "NULL"
    x = bounded(column, index)
    if family is Family.NUMBER:
        y = number(column, index)
        spread = f"[avg({y}), stddev_samp({y}), count({x})]"
    elif family in (Family.DATE, Family.TIMESTAMP):
        unit = "day" if family is Family.DATE else "hour"
        near = f"CASE WHEN year({x}) BETWEEN 1800 AND 2200 THEN epoch_us(date_trunc('{unit}', {name})) END"
        moments = f"map_keys(histogram({near}))"
    return [f"count({name})", f"approx_count_distinct({name})", f"min({x})", f"max({x})", spread, moments]


def _merge(sampled: Figures, raw: list[Any], rows: int, drawn: int) -> Figures:
    """Figures of the scan where it has them, of the sample for the rest."""
    count, distinct, low, high, spread, _ = raw
    mean, stddev, finite = spread or (None, None, count)
    scale = rows / max(drawn, 1)
    top = tuple(TopValue(t.value, round(t.count * scale)) for t in sampled.top if t.count >= _SEEN)
    return replace(
        sampled,
        nulls=rows - int(count),
        distinct=max(min(int(distinct), int(count)), sampled.distinct),
        distinct_exact=count == 0,
        minimum=low,
        maximum=high,
        mean=rounded(mean),
        stddev=rounded(stddev),
        quantiles_exact=False,
        top=top,
        top_exact=not top,
        not_finite=int(count - finite) if sampled.family is Family.NUMBER else 0,
        padded=round(sampled.padded * scale),
        blank=round(sampled.blank * scale),
    )


def _counted(cursor: duckdb.DuckDBPyConnection, relation: str, figures: Figures) -> Figures:
    """Exact counts for a column of few values, where reading one column alone is cheap."""
    if not 0 < figures.distinct <= _FEW or figures.family is Family.OTHER:
        return figures
    counts = f"SELECT {expression(figures.column)} AS v, count(*) AS n FROM {relation} GROUP BY 1"
    query = (
        f"SELECT v, n, count(*) OVER () FROM ({counts}) WHERE v IS NOT NULL ORDER BY n DESC, v LIMIT {TOP}"
    )
    found = cursor.execute(query).fetchall()
    top = tuple(TopValue(v, int(n)) for v, n, _ in found if n > 1)
    distinct = int(found[0][2]) if found else 0
    return replace(figures, distinct=distinct, distinct_exact=True, top=top, top_exact=True)


def _duplicates(
    cursor: duckdb.DuckDBPyConnection,
    sample: str,
    raw: dict[int, list[Any]],
    rows: int,
    drawn: int,
    draw: _Draw,
) -> int:
    """Rows that repeat another one, estimated."""
    if draw.by_position:
        return max(0, rows - int(raw[-1][0] or rows))
    repeated = duplicates_in(cursor, sample, len(raw) - 1)
    return round(repeated * rows / max(drawn, 1))
