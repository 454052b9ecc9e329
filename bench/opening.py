"""What it costs to open data and answer a first question, in CPU seconds of real ``gnomon ask`` processes.

    python bench/opening.py [--large] [--only NAME ...] [--runs N] [--beside FOLDER]

Every input is generated from a fixed seed and asked about with a ``GNOMON_HOME`` of its own, in three processes: the
first infers and fits, the second is asked the same and finds what the first kept, the third is asked something else
about the same tables. Of several runs the least is told, and the median behind it. The ratio is of the CPU seconds to
the aim; above 1 the aim is missed. ``--beside`` runs another checkout by turns and tells its seconds too, so that what is
compared met the same machine. The last line is what a further small data set costs inside one warm process.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import gnomon

SEED = 7
LARGE_BYTES = 319 << 20


@dataclass(frozen=True)
class Input:
    """Something to open, a question about it, and the CPU seconds that the first and second time may take."""

    name: str
    write: Callable[[Path], None]
    question: str
    other: str
    first: float
    second: float


def staff(folder: Path, seed: int = SEED, name: str = "staff") -> None:
    """311 rows of a personnel table with 30 columns: names, codes, dates, amounts and groups."""
    rng, rows = np.random.default_rng(seed), 311
    start = np.datetime64("2012-01-01")
    frame = pd.DataFrame({"employee_id": 10_000 + np.arange(rows)})
    frame["employee_name"] = [f"Person {i:03d}" for i in range(rows)]
    for i, label in enumerate(("hire_date", "review_date", "birth_date")):
        days = pd.Series(start + rng.integers(1000 * i, 1000 * (i + 1), rows))
        frame[label] = days.dt.strftime("%m/%d/%Y")
    for label, most in (
        ("salary", 150_000),
        ("bonus", 9_000),
        ("absences", 21),
        ("projects", 9),
        ("days_late", 7),
    ):
        frame[label] = rng.integers(0, most, rows) + (40_000 if label == "salary" else 0)
    for i, label in enumerate(
        ("department", "position", "state", "manager", "source", "status", "reason", "city")
    ):
        frame[label] = rng.choice([f"{label.title()} {chr(65 + k)}" for k in range(3 + 2 * i)], rows)
    for label in ("gender", "married", "citizen", "veteran", "remote", "union"):
        frame[label] = rng.choice(["Yes", "No"], rows)
    for label in ("engagement", "satisfaction", "commute_km", "training_hours", "overtime_hours", "age"):
        frame[label] = rng.uniform(1, 60, rows).round(2)
    frame.to_csv(folder / f"{name}.csv", index=False)


def eleven(folder: Path) -> None:
    """Eleven small tables, each of which names the one before it."""
    rng = np.random.default_rng(SEED)
    nouns = [
        "store",
        "region",
        "city",
        "product",
        "brand",
        "supplier",
        "order",
        "payment",
        "visit",
        "return",
        "review",
    ]
    for i, noun in enumerate(nouns):
        rows = 40 + 20 * i
        frame = pd.DataFrame({f"{noun}_id": np.arange(1, rows + 1)})
        if i:
            frame[f"{nouns[i - 1]}_id"] = rng.integers(1, rows - 19, rows)
        frame[f"{noun}_name"] = [f"{noun.title()} {k}" for k in range(rows)]
        frame[f"{noun}_amount"] = rng.uniform(1, 900, rows).round(2)
        frame[f"{noun}_date"] = pd.date_range("2024-01-01", periods=rows).strftime("%Y-%m-%d")
        frame.to_csv(folder / f"{noun}s.csv", index=False)


def wide(columns: int, rows: int) -> Callable[[Path], None]:
    """One table of so many columns: numbers, and some groups."""

    def write(folder: Path) -> None:
        rng = np.random.default_rng(SEED)
        frame = {f"measure {i}": rng.normal(100, 15, rows).round(3) for i in range(columns * 9 // 10)}
        groups = columns - len(frame)
        frame |= {f"group {i}": rng.choice([f"g{i}_{k}" for k in range(5)], rows) for i in range(groups)}
        pd.DataFrame(frame).to_csv(folder / "wide.csv", index=False)

    return write


def large(folder: Path) -> None:
    """A 319 MB file of sales, written once and then over again."""
    rng, rows = np.random.default_rng(SEED), 200_000
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 1000, rows), unit="D")
    frame = pd.DataFrame({
        "sold_on": days.strftime("%Y-%m-%d"), "region": rng.choice(["North", "South", "East", "West"], rows),
        "product": rng.choice([f"Product {k:03d}" for k in range(300)], rows), "units": rng.integers(1, 40, rows),
        "revenue": rng.uniform(1, 5000, rows).round(2), "cost": rng.uniform(1, 3000, rows).round(2),
    })  # fmt: skip
    body = frame.to_csv(index=False, header=False).encode()
    with (folder / "sales.csv").open("wb") as file:
        file.write((",".join(frame.columns) + "\n").encode())
        while file.tell() < LARGE_BYTES:
            file.write(body)


INPUTS = (
    Input("311 rows", staff, "average salary by department", "total bonus by position", 3.0, 1.5),
    Input("eleven tables", eleven, "total payment amount", "average order amount", 3.0, 1.5),
    Input(
        "100 columns", wide(100, 500), "average measure 3 by group 2", "total measure 5 by group 1", 2.0, 1.5
    ),
    Input(
        "3,000 columns",
        wide(3000, 200),
        "average measure 3 by group 2",
        "total measure 5 by group 1",
        20.0,
        20.0,
    ),
)
LARGE = Input("319 MB", large, "total revenue by region", "average cost by region", 20.0, 1.5)


def asked(folder: Path, question: str, home: Path, code: str | None = None) -> tuple[float, float]:
    """CPU and wall seconds of one ``gnomon ask``, by the code of another checkout where one is given."""
    command = [sys.executable, "-c", "from gnomon.cli import main; main()", "ask", str(folder), question]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ways = os.pathsep.join(filter(None, [code and f"{code}/src", os.environ.get("PYTHONPATH")]))
    told = subprocess.run(
        command, env={**os.environ, "GNOMON_HOME": str(home), "PYTHONPATH": ways}, capture_output=True, text=True, check=False
    )  # fmt: skip
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if told.returncode:
        raise SystemExit(f"gnomon ask {folder} failed: {told.stdout}{told.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def row(given: Input, scratch: Path, runs: int, beside: str | None) -> None:
    """Print the lines of one input."""
    folder = scratch / given.name.replace(" ", "_").replace(",", "")
    folder.mkdir()
    given.write(folder)
    times = (("first", given.question, given.first), ("second", given.question, given.second),
             ("another", given.other, given.second))  # fmt: skip
    spent: dict[tuple[str, bool], list[tuple[float, float]]] = {}
    for run in range(runs):
        for time_, question, _ in times:
            for old in (False, True) if beside else (False,):
                home = scratch / "homes" / f"{folder.name}_{run}_{old}"
                spent.setdefault((time_, old), []).append(
                    asked(folder, question, home, beside if old else None)
                )
    for time_, _, aim in times:
        (cpu, wall), median = min(spent[time_, False]), float(np.median([s[0] for s in spent[time_, False]]))
        told = f"{cpu:.2f} / {median:.2f}" if runs > 1 else f"{cpu:.2f}"
        cells = [given.name, time_, told, f"{wall:.2f}", f"{aim:g}", f"{cpu / aim:.2f}"]
        if beside:
            other = min(spent[time_, True])[0]
            cells += [f"{other:.2f}", f"{cpu / other:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def warm(scratch: Path) -> None:
    """What opening one more small file costs in a process that has opened one, and its first question."""
    os.environ["GNOMON_HOME"] = str(scratch / "homes" / "warm")
    spent: list[tuple[float, float]] = []
    for i in range(6):
        staff(scratch, seed=100 + i, name=f"staff_{i}")
        began = time.process_time()
        with gnomon.open(scratch / f"staff_{i}.csv") as analyst:
            opened = time.process_time()
            analyst.ask("average salary by department")
            spent.append((opened - began, time.process_time() - opened))
    opening, asking = (float(np.median([s[i] for s in spent[1:]])) for i in (0, 1))
    print(f"\nIn a warm process: opening {opening:.2f}, first question {asking:.2f} CPU s (median of 5).")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also the file of 319 MB")
    parser.add_argument("--only", nargs="*", help="the names of the inputs to measure")
    parser.add_argument(
        "--runs", type=int, default=1, help="how often each is measured, with a home of its own"
    )
    parser.add_argument(
        "--beside", metavar="FOLDER", help="a checkout of other code, asked the same by turns"
    )
    arguments = parser.parse_args()
    # Where Python writes no bytecode, each process would compile every file, which no installed copy does.
    compileall.compile_dir(Path(gnomon.__file__).parent, quiet=1)
    if arguments.beside:
        compileall.compile_dir(Path(arguments.beside) / "src", quiet=1)
    chosen = [*INPUTS, *([LARGE] if arguments.large else [])]
    other = ("beside", "of it") if arguments.beside else ()
    print(f"| {' | '.join(('input', 'time', 'CPU s', 'wall s', 'aim', 'ratio', *other))} |")
    print(f"|---|---|{'---:|' * (4 + len(other))}")
    with tempfile.TemporaryDirectory() as scratch:
        for given in chosen:
            if not arguments.only or given.name in arguments.only:
                row(given, Path(scratch), max(arguments.runs, 1), arguments.beside)
        warm(Path(scratch))


if __name__ == "__main__":
    main()
