"""How long auto-insight takes per million rows, beside one raw scan of the same columns in the same run.

    python bench/auto_insight.py [--rows 1000000] [--dimensions 10] [--measures 5]

The table is written as Parquet with as many category columns (5 to 14 values each), figures and days as asked for, with
one group, one trend and one correlation planted. The raw scan reads every column once: a count, the sum of every
figure, and the largest value of every category and of the day.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

PLACES = ("region", "channel", "category", "brand", "segment", "city", "plan", "device", "source", "team")
FIGURES = ("amount", "score", "weight", "discount", "delay")


def write_table(path: Path, rows: int, dimensions: int, measures: int) -> tuple[list[str], list[str]]:
    """A Parquet file of so many rows."""
    import duckdb

    names = [PLACES[i] if i < len(PLACES) else f"group_{i}" for i in range(dimensions)]
    figures = [FIGURES[i] if i < len(FIGURES) else f"figure_{i}" for i in range(measures)]
    columns = [f"'{n} ' || (hash(i * 31 + {k}) % {5 + k % 10}) AS {n}" for k, n in enumerate(names)]
    noise = [f"(hash(i * 17 + {100 + k}) % 10000) / 100.0" for k in range(measures)]
    planted = [
        f"{noise[0]} + CASE WHEN hash(i * 31) % 5 = 3 THEN 40 ELSE 0 END",
        f"{noise[1]} + 0.05 * (hash(i * 7) % 730)" if measures > 1 else "",
        f"0.7 * {noise[0]} + 0.5 * {noise[2]}" if measures > 2 else "",
    ]
    values = [planted[k] if k < 3 and planted[k] else noise[k] for k in range(measures)]
    columns += [f"round({v}, 2) AS {n}" for v, n in zip(values, figures, strict=True)]
    columns.append("DATE '2023-01-01' + (hash(i * 7) % 730)::INTEGER AS ordered_on")
    query = f"COPY (SELECT {', '.join(columns)} FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
    with duckdb.connect() as connection:
        connection.execute(query)
    return names, figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=10)
    parser.add_argument("--measures", type=int, default=5)
    given = parser.parse_args()
    from gnomon.analytics.insight import find
    from gnomon.data import open_sources, profile_dataset
    from gnomon.semantic.infer import infer_model

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.parquet"
        names, figures = write_table(path, given.rows, given.dimensions, given.measures)
        with open_sources(path) as dataset:
            started = time.perf_counter()
            model = infer_model(profile_dataset(dataset), dataset)
            profiled = time.perf_counter() - started
            table = next(iter(dataset)).relation
            parts = [
                "count(*)",
                *(f"sum({f})" for f in figures),
                *(f"max({n})" for n in names),
                "max(ordered_on)",
            ]
            raw = []
            for _ in range(3):
                started = time.perf_counter()
                dataset.connection.execute(f"SELECT {', '.join(parts)} FROM {table}").fetchall()
                raw.append(time.perf_counter() - started)
            scans = []
            for _ in range(2):
                started = time.perf_counter()
                scan = find(dataset, model)
                scans.append(time.perf_counter() - started)
    scanned, best = min(raw), min(scans)
    print(f"{given.rows:,} rows, {len(names)} dimensions, {len(figures)} figures, days")
    print(f"raw scan of all columns   {scanned:7.2f} s")
    print(f"profile and model (once)  {profiled:7.2f} s")
    print(
        f"auto-insight              {best:7.2f} s, {best / given.rows * 1e6:.2f} s per million rows, {best / scanned:.0f} scans"
    )
    print(f"{scan.tests:,} tests, {scan.significant} findings; the first:")
    for finding in scan.findings[:5]:
        print(f"  {finding.kind.value}: {finding.figure} {finding.axes} {finding.subjects}")


if __name__ == "__main__":
    main()
