"""Figures of a table too large to hold: one scan of approximate aggregates and a sample drawn by hash.

The sample is picked by a hash of the columns that tell rows apart, so that the same table always gives
the same rows and every copy of a repeated row is picked together (which is what makes the number of
duplicates an unbiased estimate). Where no few columns tell rows apart, rows are picked by position.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.data.measure_groups import Groups, count_values, from_groups
from gnomon.data.measure_sample import duplicates_in, figures_of
from gnomon.data.measurement import (
    Family,
    Figures,
    Measurement,
    alias,
    bounded,
    expression,
    number,
    rounded,
    spread_of,
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
_HOUR = 3_600_000_000
_TIMES = (Family.DATE, Family.TIMESTAMP)
_SEEN = 10
_KEY_COLUMNS = 4
_BATCH = 400
COLUMNAR = frozenset({"parquet", "duckdb", "frame", "excel"})


@dataclass(frozen=True)
class _Draw:
    """How the sample is drawn: one in ``every`` rows by the hash of ``key``, or of the position without one."""

    key: str | None
    every: int

    @property
    def condition(self) -> str:
        return f"hash({self.key or 'row_number() OVER ()'}) % {self.every} = 0"


@dataclass(frozen=True)
class _Plan:
    """What one scan measures: the columns that were not counted value by value."""

    table: Table
    relation: str
    scanned: list[int]

    @property
    def columnar(self) -> bool:
        """Whether reading some columns alone costs less than reading all."""
        return self.table.format in COLUMNAR

    @property
    def source(self) -> str:
        """The relation with the profile's own column names."""
        inner = ", ".join(f"{expression(c)} AS {alias(i)}" for i, c in enumerate(self.table.columns))
        return f"(SELECT {inner} FROM {self.relation})"


def measure_scan(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, head: str, head_rows: int
) -> Measurement:
    """Measure a table in one scan; tables of more than a few hundred columns take one scan per batch."""
    expected = expected_rows(cursor, table, relation, head, head_rows)
    wanted = max(1_000, min(_SAMPLE_ROWS, _SAMPLE_CELLS // max(len(table.columns), 1)))
    every = max(1, expected // wanted)
    spread = _distinct_in(cursor, table, head)
    groups = _grouped(cursor, table, relation, spread, head_rows)
    plan = _Plan(table, relation, [i for i in range(len(table.columns)) if i not in groups])
    draw = _Draw(_sampling_key(cursor, table, head, head_rows, spread), every)
    rows, raw, moments, sample = _scan(cursor, plan, draw)
    drawn, figures = figures_of(cursor, sample, table.columns)
    if draw.key and not 0.75 < (drawn + 20) / (rows / every + 20) < 1.25:
        # Equal keys came in clumps that the first rows did not show: draw by position instead.
        cursor.execute(f"DROP TABLE {sample}")
        draw = _Draw(None, every)
        rows, raw, moments, sample = _scan(cursor, plan, draw)
        drawn, figures = figures_of(cursor, sample, table.columns)
    merged = [
        from_groups(f, groups[i]) if i in groups else _merge(f, raw[i], rows, drawn)
        for i, f in enumerate(figures)
    ]
    moments |= {i: _moments_of(g) for i, g in groups.items() if figures[i].family in _TIMES}
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
        duplicates=_duplicates(cursor, sample, len(table.columns), raw, rows, drawn),
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


def _distinct_in(cursor: duckdb.DuckDBPyConnection, table: Table, head: str) -> list[int]:
    """About how many different values each column has in the first rows."""
    counts = ", ".join(f"approx_count_distinct({alias(i)})" for i in range(len(table.columns)))
    return [int(n) for n in cursor.execute(f"SELECT {counts} FROM {head}").fetchone() or ()]


def _grouped(
    cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, spread: list[int], head_rows: int
) -> dict[int, Groups]:
    """The columns of few values, counted value by value where a column can be read alone."""
    found: dict[int, Groups] = {}
    if table.format not in COLUMNAR:
        return found
    for i, column in enumerate(table.columns):
        if spread[i] <= min(_FEW, head_rows // 20) and Family.of(column.type) is not Family.OTHER:
            groups = count_values(cursor, relation, column)
            if groups is not None:
                found[i] = groups
    return found


def _sampling_key(
    cursor: duckdb.DuckDBPyConnection, table: Table, head: str, head_rows: int, spread: list[int]
) -> str | None:
    """The fewest columns whose values tell the first rows apart, cheapest types first."""
    cheap = {Family.NUMBER: 0, Family.DATE: 0, Family.TIMESTAMP: 0, Family.BOOLEAN: 0, Family.TEXT: 1}

    def rank(i: int) -> tuple[int, int, int]:
        return -int(10 * spread[i] / head_rows), cheap.get(Family.of(table.columns[i].type), 2), -spread[i]

    ranked = [alias(i) for i in sorted(range(len(table.columns)), key=rank)]
    for size in [*range(1, min(_KEY_COLUMNS, len(ranked)) + 1), len(ranked)]:
        together = ", ".join(ranked[:size])
        found = cursor.execute(f"SELECT count(DISTINCT hash({together})) FROM {head}").fetchone()
        if found and found[0] >= 0.98 * head_rows:
            return together
    return None


def _scan(
    cursor: duckdb.DuckDBPyConnection, plan: _Plan, draw: _Draw
) -> tuple[int, dict[int, list[Any]], dict[int, list[int]], str]:
    """Rows, raw aggregates per column, moments of the time columns, and the name of the sample."""
    first, sample = temporary("scan"), temporary("sample")
    row = ", ".join(alias(i) for i in range(len(plan.table.columns)))
    raw: dict[int, list[Any]] = {}
    rows = 0
    for start in range(0, max(len(plan.scanned), 1), _BATCH):
        batch = plan.scanned[start : start + _BATCH]
        parts = [f"{part} AS a{i}_{k}" for i in batch for k, part in enumerate(_aggregates(plan.table, i))]
        source = plan.source
        if start == 0:
            parts.append(f"{'NULL' if draw.key else f'approx_count_distinct(hash({row}))'} AS rows_apart")
            if not plan.columnar:  # the rows are read only once: draw the sample on the way
                parts.append(f"{_sample_list(plan.table)} AS picked")
                source = f"(SELECT *, {draw.condition} AS is_picked FROM {source})"
        cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE {first} AS SELECT count(*) AS n, {', '.join(parts)} FROM {source}"
        )
        if start == 0:
            _draw_sample(cursor, plan, draw, first, sample)
        kept = "* EXCLUDE (picked)" if start == 0 and not plan.columnar else "*"
        found = list(cursor.execute(f"SELECT {kept} FROM {first}").fetchone() or ())
        rows = int(found[0])
        raw |= {i: found[1 + 6 * k : 7 + 6 * k] for k, i in enumerate(batch)}
        if start == 0:
            raw[-1] = [found[-1]]
    cursor.execute(f"DROP TABLE {first}")
    moments = {i: sorted(int(m) * _HOUR for m in r[5]) for i, r in raw.items() if i >= 0 and r[5]}
    return rows, raw, moments, sample


def _draw_sample(
    cursor: duckdb.DuckDBPyConnection, plan: _Plan, draw: _Draw, first: str, sample: str
) -> None:
    if not plan.columnar:
        picked = f"SELECT unnest(p) FROM (SELECT unnest(picked) AS p FROM {first})"
    elif draw.key:
        picked = f"SELECT {_cells(plan.table, ' AS ')} FROM {plan.source} WHERE {draw.condition}"
    else:
        numbered = f"(SELECT *, {draw.condition} AS is_picked FROM {plan.source})"
        picked = f"SELECT {_cells(plan.table, ' AS ')} FROM {numbered} WHERE is_picked"
    cursor.execute(f"CREATE TEMP TABLE {sample} AS {picked}")


def _cells(table: Table, how: str) -> str:
    """Every column under its own name, long text cut."""
    cells: list[str] = []
    for i, c in enumerate(table.columns):
        name = alias(i)
        long = Family.of(c.type) in (Family.TEXT, Family.OTHER)
        value = f"left({name}, {_TEXT_KEPT})" if long else name
        cells.append(f"{value}{how}{name}" if how == " AS " else f"{name}{how}{value}")
    return ", ".join(cells)


def _sample_list(table: Table) -> str:
    """The picked rows as a list of structs; CASE spares the other rows the work."""
    return f"list(CASE WHEN is_picked THEN struct_pack({_cells(table, ' := ')}) END) FILTER (is_picked)"


def _aggregates(table: Table, index: int) -> list[str]:
    """Six expressions for every column: count, distinct, min, max, [mean, stddev, finite], moments."""
    column, name = table.columns[index], alias(index)
    family = Family.of(column.type)
    spread, moments = "NULL", "NULL"
    x = bounded(column, index)
    if family is Family.NUMBER:
        y = number(column, index)
        spread = f"[avg({y}), {spread_of(y)}, count({x})]"
    elif family in _TIMES:
        near = f"{name} BETWEEN TIMESTAMP '1800-01-01' AND TIMESTAMP '2200-01-01'"
        moments = f"map_keys(histogram(CASE WHEN {near} THEN epoch_us({name}) // {_HOUR} END))"
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


def _moments_of(groups: Groups) -> list[int]:
    """Counted dates and times, cut to the hour, in microseconds since 1970."""
    epoch = dt.datetime(1970, 1, 1)
    found: set[int] = set()
    for value, _ in groups:
        if isinstance(value, dt.date) and 1800 <= value.year < 2200:
            moment = (
                value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
            )
            found.add((moment - epoch) // dt.timedelta(hours=1) * _HOUR)
    return sorted(found)


def _duplicates(
    cursor: duckdb.DuckDBPyConnection,
    sample: str,
    columns: int,
    raw: dict[int, list[Any]],
    rows: int,
    drawn: int,
) -> int:
    """Rows that repeat another one: from the copies in the sample, or from an estimate of different rows."""
    if raw[-1][0] is not None:
        return max(0, rows - int(raw[-1][0]))
    return round(duplicates_in(cursor, sample, columns) * rows / max(drawn, 1))
