"""An exam by somebody who had not seen the reader: statistics, groups, data quality and refusals over unseen tables.

    python bench/ask_exam.py --data DIR [--part foreign|worlds|fresh|late|next|plain|work] [--open] [--kind PART]

DIR holds ``dabench/tables`` and ``insightbench``; the worlds are made anew in a temporary folder. Answers were
computed with pandas and scipy, those of the other parts with the SQL beside them. A number is
right where a fact of the answer is that number, several where all are found, a winner where the answer leads with it, a verdict where the answer begins with it. ``--open`` shows the
questions that went wrong and that have been opened for development; the others are only counted.
"""

from __future__ import annotations

import argparse
import calendar
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import ask_exam_fresh
import ask_exam_late
import ask_exam_next
import ask_exam_plain
import ask_exam_work
import ask_exam_worlds
import gnomon
from gnomon.core.answer import Answer, AnswerStatus

EXAM = Path(__file__).parent / "ask_exam"
PARTS = ("foreign", "worlds", "fresh", "late", "next", "plain", "work")
MAKERS = {
    "worlds": ask_exam_worlds.make_worlds,
    "fresh": ask_exam_fresh.make_worlds,
    "late": ask_exam_late.make_worlds,
    "next": ask_exam_next.make_worlds,
    "plain": ask_exam_plain.make_worlds,
    "work": ask_exam_work.make_worlds,
}
_MANY_ROWS = 40
_REFUSALS = (AnswerStatus.OUT_OF_DOMAIN, AnswerStatus.OUT_OF_SCOPE, AnswerStatus.CLARIFY)


def told(answer: Answer) -> Iterator[tuple[str, float]]:
    """The numbers of an answer, each with the words that say what it is of."""
    for fact in answer.facts:
        if isinstance(fact.value, int | float):
            yield " ".join([fact.name, *map(str, fact.about.group.values())]).lower(), float(fact.value)
    for table in answer.tables:
        for row in table.rows[:_MANY_ROWS]:
            words = " ".join(str(v) for v in row if not isinstance(v, int | float)).lower()
            yield from ((words, float(v)) for v in row if isinstance(v, int | float))


def same(wanted: float, given: float, tolerance: float) -> bool:
    """Equal within the tolerance; a share may be told as a fraction or in percent."""
    return any(math.isclose(wanted, given * f, rel_tol=tolerance, abs_tol=1e-9) for f in (1, 100, 0.01))


def spoken(name: str) -> list[str]:
    """A name as answers may write it: the month 2024-01 is January 2024, the day 2024-01-08 is 8 January 2024."""
    day = re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?", name)
    if day is None:
        return [name]
    month = f"{calendar.month_name[int(day[2])]} {day[1]}"
    return [name, f"{int(day[3])} {month}" if day[3] else month]


def is_right(case: dict[str, Any], answer: Answer) -> bool:
    """Whether the answer says what is true."""
    truth, tolerance = case["answer"], float(case.get("tolerance") or 1e-4)
    known = list(told(answer))
    if not isinstance(truth, dict):
        return any(same(float(truth), value, tolerance) for _, value in known[:12])
    parts = {str(k): v for k, v in truth.items()}
    verdict = str(parts.pop("verdict", ""))
    opening = answer.prose.lower().lstrip()
    if verdict and not opening.startswith(verdict.lower()):
        return False
    words = [v for v in parts.values() if isinstance(v, str)]
    if any(not any(s.lower() in answer.prose.lower() for s in spoken(word)) for word in words):
        return False
    numbers = {k: float(v) for k, v in parts.items() if isinstance(v, int | float)}
    if not verdict and len(numbers) == 1 and len(parts) == 1:
        winner = next(iter(numbers))
        lead = " ".join([answer.prose.split("\n")[0], *(w for w, _ in known[:2])]).lower()
        if not any(name.lower() in lead for name in spoken(winner)):
            return False
    return all(any(same(n, value, tolerance) for _, value in known) for n in numbers.values())


def outcome(case: dict[str, Any], answer: Answer) -> str:
    """How a question ended."""
    refused = answer.status in _REFUSALS
    if case.get("refuse"):
        return "refused rightly" if refused else "answered, but should be refused"
    if refused or answer.status is AnswerStatus.ERROR:
        return "refused, but could be answered"
    return "right" if is_right(case, answer) else "wrong or unlike"


def main() -> int:
    """Ask, grade and print; fails where the data is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with dabench and insightbench")
    parser.add_argument("--part", choices=[*PARTS], help="only this part")
    parser.add_argument("--open", action="store_true", help="show the failures that are opened")
    parser.add_argument("--kind", help="only kinds whose name holds this")
    given = parser.parse_args()
    counts: dict[str, Counter[str]] = {"open": Counter(), "held": Counter()}
    with tempfile.TemporaryDirectory() as folder:
        for part in [given.part] if given.part else PARTS:
            root = given.data if part == "foreign" else Path(folder) / part
            if (made := MAKERS.get(part)) is not None and root is not None:
                made(root)  # each part in a folder of its own: two of them have a world of the same name
            if root is None:
                parser.error("the foreign part needs --data")
            cases = [json.loads(line) for line in (EXAM / f"{part}.jsonl").read_text().splitlines()]
            cases = [c for c in cases if not given.kind or given.kind in c.get("kind", "")]
            for source, asked in groupby(cases, key=lambda c: c.get("file") or c["world"]):
                paths = [root / name for name in ([source] if isinstance(source, str) else source)]
                if missing := [p for p in paths if not p.exists()]:
                    print(f"{missing[0]} is missing", file=sys.stderr)
                    return 1
                analyst = gnomon.open(*paths)
                for case in asked:
                    answer = analyst.ask(case["question"])
                    ended = outcome(case, answer)
                    split = "open" if case.get("open") else "held"
                    counts[split][ended] += 1
                    if given.open and split == "open" and ended not in {"right", "refused rightly"}:
                        said = " ".join(answer.prose.split())
                        print(
                            f"{case['id']} [{case.get('kind', 'refuse')}] {ended} · {source}\n  {case['question']}"
                        )
                        print(f"  true: {case.get('answer')}\n  ours: {said[:500]}\n")
    for split, found in counts.items():
        if found:
            print(f"{split}: " + ", ".join(f"{n} {name}" for name, n in sorted(found.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
