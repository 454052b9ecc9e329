"""Conversations, in which a question may lean on the one before, and questions of several parts.

    python bench/ask_conversations.py [--split dev] [--failures] [--only ID] [--json FILE] [--write DIR]

Every conversation of ``ask_conversations.yaml`` is held from its first turn to its last with one analyst, over the demo
store or over tables that are written from a fixed seed. Each turn is graded by itself; the truths are queries over the
files as DuckDB reads them. What happens in held-out conversations is counted, never shown.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml

import gnomon
from ask_conversations_worlds import WORLDS
from gnomon.agents.analyst import Analyst
from gnomon.agents.evaluation import Case
from gnomon.agents.evaluation.demo import demo_folder
from gnomon.agents.evaluation.grading import Outcome, grade
from gnomon.agents.evaluation.truth import TruthTables
from gnomon.core.answer import Answer

TALKS = Path(__file__).parent / "ask_conversations.yaml"
_COMPARED = ("scalar", "row", "table", "ordered", "set")
_BAD = (Outcome.WRONG, Outcome.INCOMPLETE, Outcome.UNREFUSED)


def write_world(name: str, folder: Path) -> Path:
    """Write the files of a world; gives the file, where there is one only, or the folder that holds them."""
    if name == "demo":
        return demo_folder()
    frames = WORLDS[name](np.random.default_rng(zlib.crc32(name.encode())))
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    for file, frame in frames.items():
        frame.to_csv(place / file, index=False)
    return place if len(frames) > 1 else place / next(iter(frames))


def _parts(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """What is true of a turn: ``scalar: query``, or a list of queries where it may be read in two ways."""
    listed = turn.get("parts") or [turn]
    found = [(compare, part[compare]) for part in listed for compare in _COMPARED if compare in part]
    return [{"compare": c, "sql": [q] if isinstance(q, str) else q} for c, q in found]


def case_of(talk: dict[str, Any], number: int) -> Case:
    """One turn as a case of the evaluation."""
    turn = talk["turns"][number]
    expected = turn.get("expect", ["answered", "partial"])
    return Case.model_validate(
        {
            "id": f"{talk['id']}.{number + 1}",
            "question": turn["ask"],
            "kind": "parts" if talk["id"].startswith("parts") else "first" if number == 0 else "turn",
            "split": talk["split"],
            "history": [t["ask"] for t in talk["turns"][:number]],
            "today": talk.get("today"),
            "accepted": expected,
            "parts": _parts(turn),
            "tags": ["percent"],
        }
    )


def held(
    talk: dict[str, Any], analyst: Analyst, tables: TruthTables
) -> Iterable[tuple[Case, Answer, Outcome]]:
    """Every turn of a conversation with what came of it."""
    asked = analyst.conversation()
    for number in range(len(talk["turns"])):
        if talk.get("apart"):
            asked = analyst.conversation()
        case = case_of(talk, number)
        answer = asked.ask(case.question, today=case.today)
        yield case, answer, grade(case, answer, tables.of).outcome


def _verdict(outcome: Outcome) -> str:
    passed = outcome in (Outcome.RIGHT, Outcome.REFUSED)
    return "right" if passed else "wrong" if outcome in _BAD else "refused"


def _tell(case: Case, answer: Answer, outcome: Outcome, tables: TruthTables) -> None:
    print(f"{'ok  ' if _verdict(outcome) == 'right' else 'BAD '} {case.id} {case.question}  [{outcome}]")
    if _verdict(outcome) == "right":
        return
    print(f"       {answer.status}: {' '.join(answer.prose.split())[:400]}")
    for table in answer.tables[:2]:
        print(f"       {list(table.columns)} {[tuple(r) for r in table.rows[:4]]} ({len(table.rows)} rows)")
    for part in case.parts:
        rows = tables.of(part)[0].rows
        print(f"       truth {part.compare}: {rows[:4]} ({len(rows)} rows)")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", choices=["dev", "held"], help="only the conversations of this split")
    parser.add_argument("--only", help="only the conversation with this id")
    parser.add_argument(
        "--failures", action="store_true", help="show every turn of development conversations"
    )
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    parser.add_argument("--write", type=Path, help="only write the files of the worlds into this folder")
    return parser.parse_args()


def main() -> int:
    """Hold the conversations, grade every turn and print."""
    given = _arguments()
    if given.write:
        for name in WORLDS:
            print(write_world(name, given.write))
        return 0
    talks = [t for t in yaml.safe_load(TALKS.read_text(encoding="utf-8"))
             if given.split in (None, t["split"]) and given.only in (None, t["id"])]  # fmt: skip
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    with TemporaryDirectory() as folder:
        for world in dict.fromkeys(t["world"] for t in talks):
            source = write_world(world, Path(folder))
            with gnomon.open(source) as analyst, TruthTables(source) as tables:
                for talk in (t for t in talks if t["world"] == world):
                    for case, answer, outcome in held(talk, analyst, tables):
                        sort = "several parts" if case.kind == "parts" else "conversations"
                        figures[f"{sort}, {case.split}"][_verdict(outcome)] += 1
                        if given.failures and case.split == "dev":
                            _tell(case, answer, outcome, tables)
    for name, counted in sorted(figures.items()):
        told = ", ".join(f"{counted[v]} {v}" for v in ("right", "wrong", "refused"))
        print(f"{name}: {told} of {counted.total()}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
