"""Questions that analysts wrote, with closed-form answers: how many of them are answered by name and number.

    python bench/ask_dabench.py --data DIR [--constraints] [--failures] [--id N …]

DIR holds ``dabench`` (``questions.jsonl`` and ``tables``). Each question is put as it was written, with the
conditions that its author added where ``--constraints`` is given. A question is right when every figure of the
known answer is among the facts and tables of ours, to the decimals given, and every verdict stands in its prose.
Anything else that was answered is counted as a mismatch, whether it is wrong or follows another convention.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_DENIED = {"no", "false", "not normal", "non-normal", "not normally distributed", "nonnormal", "none"}
_AFFIRMED = {"yes", "true", "correlate", "normal"}


def figures(answer: Answer) -> Iterator[float]:
    """Every number that an answer states exactly."""
    for fact in answer.facts:
        if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
            yield float(fact.value)
    for table in answer.tables:
        for row in table.rows:
            yield from (float(v) for v in row if isinstance(v, int | float) and not isinstance(v, bool))


def holds(answer: Answer, truth: str) -> bool:
    """Whether one part of the known answer stands in ours."""
    told = answer.prose.lower()
    numbers = _NUMBER.findall(truth)
    if numbers and not re.search(r"[a-z]{3}", truth.lower().replace("nan", "")):
        known = list(figures(answer))
        return all(any(abs(f - float(n)) <= _half(n) for f in known) for n in numbers)
    plain = truth.strip('" ').lower().replace("_", " ")
    if plain in _DENIED:
        return told.startswith("no") or " not " in told.split("read as")[0] or "no " in told.split(".")[0]
    if plain in _AFFIRMED:
        return told.startswith("yes") or (" not " not in told.split("read as")[0])
    return all(word.removesuffix("ness") in told for word in re.findall(r"[a-z]{4,}", plain))


def _half(written: str) -> float:
    """How far a figure may be from what was written with so many decimals."""
    decimals = len(written.partition(".")[2]) if "e" not in written else 12
    return 0.5 * 10**-decimals * 1.02


def main() -> int:
    """Ask, compare and print; fails where the data is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that holds dabench")
    parser.add_argument("--constraints", action="store_true", help="put the author's conditions as well")
    parser.add_argument("--failures", action="store_true", help="show what was not answered as known")
    parser.add_argument("--id", type=int, nargs="*", help="only these questions")
    given = parser.parse_args()
    folder: Path = given.data / "dabench"
    if not (folder / "questions.jsonl").is_file():
        print(f"{folder} has no questions.jsonl", file=sys.stderr)
        return 1
    cases = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in cases:
        if not given.id or case["id"] in given.id:
            by_file[case["file_name"]].append(case)
    counts: Counter[tuple[str, str]] = Counter()
    for name, asked in by_file.items():
        analyst = gnomon.open(folder / "tables" / name)
        for case in asked:
            question = case["question"] + (" " + case["constraints"] if given.constraints else "")
            answer = analyst.ask(question)
            if answer.status is not AnswerStatus.ANSWERED:
                outcome = "refused"
            else:
                outcome = "right" if all(holds(answer, v) for _, v in case["answers"]) else "mismatch"
            counts[case["level"], outcome] += 1
            if given.failures and outcome != "right":
                known = ", ".join(f"{k} {v}" for k, v in case["answers"])
                print(
                    f"#{case['id']} {outcome} · {name}\n  {question}\n  known: {known}\n  ours: {answer.prose}\n"
                )
    for level in ("easy", "medium", "hard"):
        told = {o: counts[level, o] for o in ("right", "mismatch", "refused")}
        print(f"{level:7s}" + "".join(f"{o} {n:4d}  " for o, n in told.items()))
    right = sum(n for (_, o), n in counts.items() if o == "right")
    print(f"right {right} of {sum(counts.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
