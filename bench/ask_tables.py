"""Plain questions over public tables that nobody described: 121 tables opened for development, 36 held out.

    python bench/ask_tables.py --data FOLDER [--split open|held] [--failures] [--only TABLE]

FOLDER holds the CSV files of the Rdatasets collection by package (``openintro/mlb.csv``); its column of row numbers is
left out. The questions were written by somebody who had not seen the reader; their truths are the SQL beside them, run
by DuckDB over the same file. Grading is that of ``ask_exam.py``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb

import gnomon
from ask_exam import outcome

QUESTIONS = Path(__file__).parent / "ask_tables"
_WELL = ("right", "refused rightly")


def truth(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """What is true, by SQL: a number, a verdict, a name, or figures by name."""
    rows = connection.execute(sql).fetchall()
    if len(rows) == 1 and len(rows[0]) == 1:
        value = rows[0][0]
        if isinstance(value, str):
            return {"verdict": value} if value in ("Yes", "No") else {"name": value}
        return float(value) if _is_number(value) else {"name": str(value)}
    found: dict[str, Any] = {}
    for row in rows:
        numbers = [v for v in row if _is_number(v)]
        words = [str(v) for v in row if not _is_number(v)]
        if words and numbers:
            found[" ".join(words)] = float(numbers[-1])
        elif len(numbers) > 1:
            found[str(numbers[0])] = float(numbers[-1])
        else:
            found[f"name {len(found)}"] = str(row[0])
    return found


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, bool)


def _opened(path: Path, folder: Path) -> tuple[Path, duckdb.DuckDBPyConnection]:
    """A table without its row numbers, as a file of its own and as a view of its name."""
    copy, connection = folder / path.name, duckdb.connect()
    columns = [c[0] for c in connection.execute(f"DESCRIBE FROM read_csv_auto('{path}')").fetchall()]
    left_out = " EXCLUDE (rownames)" if "rownames" in columns else ""
    connection.execute(
        f"COPY (SELECT *{left_out} FROM read_csv('{path}', all_varchar = true)) TO '{copy}' (HEADER)"
    )
    connection.execute(f"CREATE VIEW \"{path.stem}\" AS FROM read_csv_auto('{copy}')")
    return copy, connection


def main() -> int:
    """Ask, grade and print; fails where the tables are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the tables by package")
    parser.add_argument("--split", choices=["open", "held"], default="open")
    parser.add_argument("--failures", action="store_true", help="show what went wrong")
    parser.add_argument("--only", help="only this table")
    given = parser.parse_args()
    lines = (QUESTIONS / f"{given.split}.jsonl").read_text().splitlines()
    cases = sorted((json.loads(line) for line in lines), key=lambda c: c["file"])
    counts: Counter[str] = Counter()
    for name, asked in groupby(cases, key=lambda c: c["file"]):
        path = given.data / name
        if given.only and path.stem != given.only:
            continue
        if not path.exists():
            print(f"{path} is missing", file=sys.stderr)
            return 1
        with tempfile.TemporaryDirectory() as folder:
            copy, connection = _opened(path, Path(folder))
            analyst = gnomon.open(copy)
            for case in asked:
                if "sql" in case:
                    case["answer"] = truth(connection, case["sql"])
                answer = analyst.ask(case["question"])
                ended = outcome(case, answer)
                counts[ended] += 1
                if given.failures and ended not in _WELL:
                    said = " ".join(answer.prose.split())
                    print(f"{case['id']} [{case['kind']}] {ended}\n  {case['question']}")
                    print(f"  true: {str(case.get('answer'))[:160]}\n  ours: {said[:300]}\n")
    print(f"{given.split}: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
