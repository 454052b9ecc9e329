"""The code loop with a real model on questions that analysts wrote, with known answers: three ways side by side.

    python bench/llm_dabench.py --data DIR [--model installed] [--questions 8] [--seed 7] [--minutes 60] [--results FILE]

DIR holds ``dabench`` (``questions.jsonl`` and ``tables``). Every question of a seeded sample is put three ways:

- ``once``: the model is asked once for all of the code, which is run once;
- ``loop``: rounds of code and feedback, without recovery hints;
- ``hints``: the same with recovery hints.

A question is right when every part of its known answer was reported under its name, equal when written with as many
decimals; a part counts by itself too. Shares are of all questions of the sample, so that what was not reported or not
reached counts as wrong. Results are kept line by line and what is there is not done again. Questions about one table
come one after the other, since the beginning of a prompt that stays the same is not read anew.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gnomon.agents.coder import AnalysisRecord, DataAnalysisAgent
from gnomon.core.errors import GnomonError
from gnomon.core.settings import Settings

WAYS: dict[str, dict[str, int]] = {
    "once": {"max_rounds": 1, "max_data_context_retries": 0},
    "loop": {"max_rounds": 4, "max_data_context_retries": 0},
    "hints": {"max_rounds": 4, "max_data_context_retries": 2},
}


def requirement(case: dict[str, Any]) -> str:
    """The question with its author's conditions, and the names under which its answers are wanted."""
    names = ", ".join(name for name, _ in case["answers"])
    text = f"{case['question']} {case['constraints']} Report these findings by these names: {names}. {case['format']}"
    return " ".join(text.split())[:3900]


def equal(value: object, known: str) -> bool:
    """Whether a value is the known one, written with as many decimals."""
    text = known.strip().strip("\"'")
    try:
        wanted = float(text)
    except ValueError:
        return str(value).strip().strip("\"'").casefold() == text.casefold()
    if isinstance(value, str):
        numbers = re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", value)
        value = float(numbers[0]) if len(numbers) == 1 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 9
    return abs(round(float(value), decimals) - wanted) < 1e-6


def right(record: AnalysisRecord | None, case: dict[str, Any]) -> int:
    """How many parts of the known answer were reported."""
    told = {f.name: f.value for f in record.findings} if record is not None else {}
    return sum(equal(told.get(name.lower()), known) for name, known in case["answers"])


def asked(
    case: dict[str, Any], way: str, table: Path, given: argparse.Namespace, home: Path
) -> dict[str, Any]:
    """One question, one way."""
    settings = Settings.load(
        model=given.model, threads=given.threads, local_model_timeout_seconds=given.seconds,
        model_timeout_seconds=given.seconds, **({"home": home} if given.model != "installed" else {}), **WAYS[way],
    )  # fmt: skip
    started = time.perf_counter()
    record, error = None, ""
    try:
        record = given.agent(settings).analyze(requirement(case), [table])
    except GnomonError as e:
        error = e.message
    return {
        "way": way,
        "id": case["id"],
        "level": case["level"],
        "right": right(record, case),
        "parts": len(case["answers"]),
        "seconds": round(time.perf_counter() - started, 1),
        "cells": len(record.cells) if record else 0,
        "failed": sum(not c.ok for c in record.cells) if record else 0,
        "recovered": sum(c.recovered for c in record.cells) if record else 0,
        "read": record.usage.get("input_tokens", 0) if record else 0,
        "kept": record.usage.get("cached_tokens", 0) if record else 0,
        "written": record.usage.get("output_tokens", 0) if record else 0,
        "error": error or (" ".join(record.notes) if record else ""),
    }


def report(done: list[dict[str, Any]], sample: int) -> None:
    """The ways side by side; shares of all questions of the sample."""
    print(
        f"\n{'':6}{'questions right':>18}{'parts right':>14}{'cells failed':>14}{'hints':>7}{'s a question':>14}"
    )
    for way in WAYS:
        rows = [d for d in done if d["way"] == way]
        if not rows:
            continue
        whole = sum(d["right"] == d["parts"] for d in rows)
        share = sum(d["right"] / d["parts"] for d in rows) / sample
        failed, cells = sum(d["failed"] for d in rows), sum(d["cells"] for d in rows)
        seconds = sum(d["seconds"] for d in rows) / len(rows)
        print(
            f"{way:6}{f'{whole}/{sample} ({whole / sample:.0%})':>18}{share:>14.0%}{f'{failed}/{cells}':>14}"
            f"{sum(d['recovered'] for d in rows):>7}{seconds:>14.0f}   ({len(rows)} of {sample} reached)"
        )
    read, kept = sum(d["read"] for d in done), sum(d["kept"] for d in done)
    print(f"{read:,} tokens of prompts, of which {kept:,} were kept from before and not read anew")


def main() -> int:
    """Ask what was not asked yet, then print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that holds dabench")
    parser.add_argument("--model", default="installed", help="as for 'gnomon analyze'")
    parser.add_argument("--questions", type=int, default=24, help="size of the sample")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=60.0, help="no question is begun after so long")
    parser.add_argument("--seconds", type=float, default=240.0, help="time of one reply of the model")
    parser.add_argument(
        "--threads", type=int, default=0, help="threads of the model; 0 takes one for each core"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("llm_dabench.jsonl"), help="where results are kept"
    )
    given = parser.parse_args()
    folder: Path = given.data / "dabench"
    if not (folder / "questions.jsonl").is_file():
        print(f"{folder} has no questions.jsonl", file=sys.stderr)
        return 1
    cases = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    sample = random.Random(given.seed).sample(cases, min(given.questions, len(cases)))
    by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in sample:
        by_table[case["file_name"]].append(case)
    kept = [json.loads(x) for x in given.results.read_text().splitlines()] if given.results.is_file() else []
    ids = {c["id"] for c in sample}
    done = [d for d in kept if d["id"] in ids]
    there = {(d["way"], d["id"]) for d in done}
    agents: dict[tuple[int, int], DataAnalysisAgent] = {}

    def agent(settings: Settings) -> DataAnalysisAgent:
        key = settings.max_rounds, settings.max_data_context_retries
        if key not in agents:
            agents[key] = DataAnalysisAgent(settings=settings)
        return agents[key]

    given.agent = agent
    deadline = time.monotonic() + given.minutes * 60
    with TemporaryDirectory() as home, given.results.open("a") as out:
        for name, questions in by_table.items():
            for case in questions:
                for way in WAYS:
                    if (way, case["id"]) in there or time.monotonic() > deadline:
                        continue
                    found = asked(case, way, folder / "tables" / name, given, Path(home))
                    out.write(json.dumps(found) + "\n")
                    out.flush()
                    done.append(found)
                    print(
                        f"{found['seconds']:7.1f} s  {way:6} {case['id']:5} {found['right']}/{found['parts']}  {found['error'][:90]}",
                        file=sys.stderr, flush=True,
                    )  # fmt: skip
        for a in agents.values():
            a.close()
    report(done, len(sample))
    return 0


if __name__ == "__main__":
    sys.exit(main())
