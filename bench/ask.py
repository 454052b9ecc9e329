"""What an answer costs over the query alone: the same results, asked in words and by hand-written SQL, in one run.

    python bench/ask.py [--orders 100000 2000000 20000000] [--folder DIR] [--questions 60]

For each size the demo store is written (kept in DIR where given) and opened once. Every question of the shipped
benchmark that stands on its own is asked once after a warm-up, and its hand-written query is run by DuckDB over the
same Parquet files. The ratio is of total times; an answer includes gate, reading, plan, query, prose and guards.
Under the table stands what reading takes alone, in milliseconds of CPU.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.agents.evaluation import Case, TruthTables, evaluate, load_cases
from gnomon.data.demo_store import DemoStore, write_demo_store
from gnomon.planning.reader import GrammarReader

ORDERS_AT_SCALE_1 = 213_287
SEED = 7


def chosen(count: int) -> list[Case]:
    """A fixed sample of questions with one query each, none of which refers to an earlier one."""
    fit = [c for c in load_cases() if c.answerable and not c.history and len(c.parts) == 1]
    return sorted(random.Random(SEED).sample(fit, min(count, len(fit))), key=lambda c: c.id)


def store(folder: Path, orders: int) -> Path:
    """The demo store with about so many orders, written where it is not there yet."""
    scale = round(orders / ORDERS_AT_SCALE_1, 3)
    place = folder / f"orders_{orders}"
    known = DemoStore.find(place)
    if known is None or known.scale != scale:
        write_demo_store(place, SEED, scale)
    return place


def with_truth(place: Path, cases: list[Case]) -> list[Case]:
    """The cases that this size of the store has something for."""
    with TruthTables(place) as tables:
        return [c for c in cases if all(v is not None for row in tables.of(c.parts[0])[0].rows for v in row)]


def by_hand(folder: Path, cases: list[Case]) -> list[float]:
    """Seconds of each hand-written query, over views of the files, after a warm-up."""
    connection = duckdb.connect()
    for file in sorted(folder.glob("*.parquet")):
        connection.execute(f"CREATE VIEW {file.stem} AS SELECT * FROM read_parquet('{file}')")
    connection.execute(cases[0].parts[0].sql[0]).fetchall()
    seconds: list[float] = []
    for case in cases:
        started = time.perf_counter()
        connection.execute(case.parts[0].sql[0]).fetchall()
        seconds.append(time.perf_counter() - started)
    return seconds


def reading(analyst: Analyst, cases: list[Case]) -> str:
    """What reading takes, each question once by a reader that has read one before."""
    reader = GrammarReader(analyst.model, analyst.index)
    taken: list[float] = []
    for case in [cases[0], *cases]:
        started = time.thread_time()
        reader.read(case.question, today=case.today)
        taken.append(1000 * (time.thread_time() - started))
    mean, quantiles = statistics.mean(taken[1:]), statistics.quantiles(taken[1:], n=10)
    return f"reading: mean {mean:.1f}, P50 {quantiles[4]:.1f}, P90 {quantiles[-1]:.1f} ms of CPU"


def row(orders: int, folder: Path, cases: list[Case]) -> tuple[str, str]:
    """One line of the table, and one on reading."""
    place = store(folder, orders)
    cases = with_truth(place, cases)
    counted = duckdb.execute(f"SELECT count(*) FROM read_parquet('{place}/orders.parquet')").fetchone()
    started = time.perf_counter()
    analyst = gnomon.open(place)
    analyst.ask(cases[0].question, today=cases[0].today)
    opened = time.perf_counter() - started
    read = reading(analyst, cases)
    report = evaluate(analyst, cases, place)
    raw = by_hand(place, cases)
    asked = [r.seconds for r in report.results]
    ratios = [a / b for a, b in zip(asked, raw, strict=True)]
    quantiles = statistics.quantiles(raw, n=10)
    line = (
        f"| {counted[0] if counted else 0:,} | {len(cases)} | {opened:.2f} | {report.accuracy:.0%} | {report.latency(50):.3f} | {report.latency(90):.3f} "
        f"| {report.latency(99):.3f} | {statistics.median(raw):.3f} | {quantiles[-1]:.3f} | {sum(asked) / sum(raw):.2f}× "
        f"| {statistics.median(ratios):.2f}× |"
    )
    return line, f"{counted[0] if counted else 0:,} orders, {read}"


def main() -> int:
    """Print the table, one line a size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--orders", type=int, nargs="+", default=[100_000, 2_000_000, 20_000_000])
    parser.add_argument("--folder", type=Path, help="where the stores are kept for the next run")
    parser.add_argument("--questions", type=int, default=60)
    given = parser.parse_args()
    cases = chosen(given.questions)
    print(
        "| orders | questions | open + first answer s | accurate | answer P50 s | P90 s | P99 s | SQL P50 s | P90 s "
        "| total ratio | median ratio |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for orders in given.orders:
            line, read = row(orders, given.folder or Path(scratch), cases)
            print(line, flush=True)
            notes.append(read)
    print("", *notes, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
