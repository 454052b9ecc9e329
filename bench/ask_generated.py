"""Generated questions over any CSV: how many are answered rightly, and what is wrongly told, by kind of question.

    python bench/ask_generated.py --data FOLDER_OR_FILE… [--per-table 25] [--seed 1] [--kind PART] [--failures]

Every table is looked at with pandas alone, never through Gnomon's own view of it; questions about what is seen are made
from a seed, in many wordings, and their truths are queries over the same frame. About a quarter have one thing changed to what the
table does not hold and must be refused; one more word that restricts must be refused or named in the answer.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb

import gnomon
from ask_generated_compared import KINDS
from ask_generated_parts import Asked
from ask_generated_refused import REFUSED
from ask_generated_tables import Table, look_at
from ask_generated_times import TIMES
from gnomon.agents.evaluation import Case, Outcome, Part, Truth, grade
from gnomon.core.answer import Answer, AnswerStatus

_LEAST_ROWS = 10
_SHARE_REFUSED = 0.24
_TRIES = 40
_ANSWERED = (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
_REFUSALS = (
    AnswerStatus.CLARIFY,
    AnswerStatus.OUT_OF_DOMAIN,
    AnswerStatus.OUT_OF_SCOPE,
    AnswerStatus.PARTIAL,
)
_OUTCOMES = ("right", "wrong", "less than asked", "refused", "failed", "falsely answered")


def is_told(asked: Asked, truths: Truths) -> bool:
    """Whether a question has one answer: some value, and no tie for a place."""
    if not asked.sql:
        return True
    rows = truths.of(_part(asked))[0].rows
    if asked.kind == "period at an end" and len(rows) > 1:
        return False
    return bool(rows) and all(v == v and v is not None for v in rows[0])


def _part(asked: Asked) -> Part:
    return Part(sql=asked.sql, compare=asked.compare)  # pyright: ignore[reportArgumentType]


class Truths:
    """The truths of one table, asked of DuckDB over the frame that pandas read."""

    def __init__(self, table: Table) -> None:
        self._connection = duckdb.connect(":memory:")
        self._connection.register("data", table.frame)

    def of(self, part: Part) -> list[Truth]:
        """Every truth of a part."""
        found = []
        for sql in part.sql:
            cursor = self._connection.execute(sql)
            columns = tuple(str(c[0]) for c in cursor.description or ())
            found.append(Truth(columns, tuple(tuple(row) for row in cursor.fetchall())))
        return found


def questions(table: Table, truths: Truths, count: int, seed: int, kind: str = "") -> Iterator[Asked]:
    """Different questions over a table, each with one answer; the same for the same seed."""
    r = Random(zlib.crc32(f"{seed}:{table.path.name}".encode()))
    makers = [*KINDS, *(TIMES if len(table.dates) == 1 else ())]
    seen: set[str] = set()
    for place in range(count):
        for _ in range(_TRIES):
            pool = REFUSED if place < count * _SHARE_REFUSED else makers
            asked = r.choice(pool)(table, r)
            if asked and asked.question not in seen and kind in asked.kind and is_told(asked, truths):
                seen.add(asked.question)
                yield asked
                break


def outcome(asked: Asked, answer: Answer, truths: Truths) -> tuple[str, list[Truth]]:
    """How a question ended, and what was true."""
    if not asked.sql:
        told = answer.status in _ANSWERED and (answer.facts or answer.tables)
        noted = bool(asked.extra) and asked.extra in answer.prose.lower()
        return ("falsely answered" if told and not noted else "right"), []
    part = _part(asked)
    case = Case(
        id="generated",
        question=asked.question,
        kind=asked.kind,
        accepted=_ANSWERED,
        parts=(part,),
        tags=(asked.extra,) if asked.extra else (),
    )
    names = {
        Outcome.RIGHT: "right",
        Outcome.WRONG: "wrong",
        Outcome.INCOMPLETE: "less than asked",
        Outcome.FALSE_REFUSAL: "refused",
    }
    found = truths.of(part)
    return names.get(grade(case, answer, lambda _: found).outcome, "failed"), found


def _paths(given: list[Path]) -> list[Path]:
    files = [f for g in given for f in (sorted(g.glob("*.csv")) if g.is_dir() else [g])]
    return list(dict.fromkeys(files))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="CSV files, or folders of them")
    parser.add_argument("--per-table", type=int, default=25, help="questions over each table")
    parser.add_argument("--seed", type=int, default=1, help="another seed asks other questions")
    parser.add_argument("--kind", default="", help="only kinds whose name holds this")
    parser.add_argument("--failures", action="store_true", help="show the questions that went wrong")
    parser.add_argument("--show", action="store_true", help="only print the questions")
    return parser.parse_args()


def _ask(analyst: gnomon.Analyst, question: str) -> Answer:
    try:
        return analyst.ask(question)
    except Exception as e:
        return Answer(status=AnswerStatus.ERROR, prose=f"{type(e).__name__}: {e}")


def _told(ended: str, path: Path, asked: Asked, truths: list[Truth], answer: Answer) -> str:
    true = " | ".join(str(list(t.rows[:4])) for t in truths) or "to be refused"
    said = " ".join(answer.prose.split())[:300]
    return f"{ended.upper()} [{asked.kind}] {path.name}\n  {asked.question}\n  true: {true[:300]}\n  ours: {said}\n"


def main() -> int:
    """Look at the tables, ask, grade and print."""
    given = _arguments()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for path in _paths(given.data):
        table = look_at(path)
        if len(table.frame) < _LEAST_ROWS or not (table.measures or table.categories):
            continue
        truths = Truths(table)
        made = list(questions(table, truths, given.per_table, given.seed, given.kind))
        if given.show:
            print(f"{path.name}: {table.rows}", *(f"  [{a.kind}] {a.question}" for a in made), sep="\n")
            continue
        analyst = gnomon.open(path)
        mine: Counter[str] = Counter()
        for asked in made:
            answer = _ask(analyst, asked.question)
            ended, true = outcome(asked, answer, truths)
            counts[asked.kind][ended] += 1
            mine[ended] += 1
            if given.failures and ended != "right":
                print(_told(ended, path, asked, true, answer), flush=True)
        print(f"{path.name:<32} {dict(mine)}", file=sys.stderr, flush=True)
    if not given.show:
        _print(counts)
    return 0


def _print(counts: dict[str, Counter[str]]) -> None:
    whole: Counter[str] = sum(counts.values(), Counter())
    print(f"{'kind':<26}{'asked':>7}" + "".join(f"{name:>18}" for name in _OUTCOMES))
    for kind, ended in [*sorted(counts.items()), ("all", whole)]:
        print(f"{kind:<26}{ended.total():>7}" + "".join(f"{ended[name]:>18}" for name in _OUTCOMES))


if __name__ == "__main__":
    sys.exit(main())
