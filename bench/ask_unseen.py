"""Questions over tables that nobody designed for Gnomon: how many are answered rightly, how many rightly refused.

    python bench/ask_unseen.py --data DIR [--split dev] [--failures] [--table PART] [--json FILE]

DIR holds ``dabench/tables`` and ``insightbench``. Each question names its table; each table is opened as a user
would open it. Truths are queries over the file as DuckDB reads it, checked against pandas when they were written.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import groupby
from pathlib import Path

import gnomon
from gnomon.agents.evaluation import EvaluationReport, evaluate, load_cases
from gnomon.agents.evaluation.rendering import render, render_failures

QUESTIONS = Path(__file__).parent / "ask_unseen" / "questions.jsonl"


def main() -> int:
    """Ask, grade and print; fails where the data is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with dabench and insightbench")
    parser.add_argument("--split", choices=["dev", "held"], help="only the cases of this split")
    parser.add_argument("--table", help="only tables whose path holds this")
    parser.add_argument("--failures", action="store_true", help="show the development cases that went wrong")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    given = parser.parse_args()
    cases = [
        c for c in load_cases(QUESTIONS, given.split) if not given.table or given.table in (c.table or "")
    ]
    results = []
    opening: list[float] = []
    for table, asked in groupby(cases, key=lambda c: c.table):
        file = given.data / str(table)
        if not file.is_file():
            print(f"{file} is missing; give the folder that holds dabench and insightbench", file=sys.stderr)
            return 1
        started = time.perf_counter()
        analyst = gnomon.open(file)
        opening.append(time.perf_counter() - started)
        report = evaluate(analyst, list(asked), file)
        right = sum(r.grade.passed for r in report.results)
        print(f"{right:3d} of {len(report.results):3d}  {table}", file=sys.stderr, flush=True)
        results.extend(report.results)
    whole = EvaluationReport(tuple(results))
    if given.failures:
        print(render_failures(whole), end="\n\n")
    print(render(whole))
    opening.sort()
    print(
        f"\n{len(opening)} tables opened, median {opening[len(opening) // 2]:.2f} s, longest {opening[-1]:.2f} s"
    )
    if given.json:
        given.json.write_text(json.dumps(whole.summary(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
