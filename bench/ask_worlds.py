"""Questions over made-up data sets of many domains: how many are answered rightly, how many rightly refused.

    python bench/ask_worlds.py [--split dev] [--failures] [--world NAME] [--json FILE] [--write DIR]

Every world is written as files from a fixed seed and opened as a user would open them, without a description of what
they mean. Its questions are in ``ask_worlds/NAME.jsonl``; the truths are queries over the files as DuckDB reads them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import gnomon
from ask_worlds_city import CITY
from ask_worlds_fresh import FRESH
from ask_worlds_last import LAST
from ask_worlds_people import PEOPLE
from ask_worlds_things import THINGS
from ask_worlds_trade import TRADE
from gnomon.agents.evaluation import EvaluationReport, evaluate, load_cases
from gnomon.agents.evaluation.rendering import render, render_failures

QUESTIONS = Path(__file__).parent / "ask_worlds"
WORLDS = {**PEOPLE, **THINGS, **FRESH, **LAST, **CITY, **TRADE}


def write_world(name: str, folder: Path) -> Path:
    """Write the files of a world below a folder.

    Returns:
        The file, where the world has one only, and else the folder that holds them.
    """
    frames = WORLDS[name](np.random.default_rng(zlib.crc32(name.encode())))
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    for file, frame in frames.items():
        if file.endswith(".csv"):
            frame.to_csv(place / file, index=False)
        else:
            frame.to_parquet(place / file, index=False)
    return place if len(frames) > 1 else place / next(iter(frames))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", choices=["dev", "held"], help="only the cases of this split")
    parser.add_argument("--world", choices=sorted(WORLDS), help="only this world")
    parser.add_argument("--failures", action="store_true", help="show the development cases that went wrong")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    parser.add_argument("--write", type=Path, help="only write the files of the worlds into this folder")
    return parser.parse_args()


def main() -> int:
    """Write the worlds, ask, grade and print."""
    given = _arguments()
    names = [given.world] if given.world else list(WORLDS)
    if given.write:
        for name in names:
            print(write_world(name, given.write))
        return 0
    results = []
    opening: list[float] = []
    with TemporaryDirectory() as folder:
        for name in names:
            source = write_world(name, Path(folder))
            cases = load_cases(QUESTIONS / f"{name}.jsonl", given.split)
            started = time.perf_counter()
            analyst = gnomon.open(source)
            opening.append(time.perf_counter() - started)
            report = evaluate(analyst, cases, source)
            right = sum(r.grade.passed for r in report.results)
            print(f"{right:3d} of {len(report.results):3d}  {name}", file=sys.stderr, flush=True)
            results.extend(report.results)
    whole = EvaluationReport(tuple(results))
    if given.failures:
        print(render_failures(whole), end="\n\n")
    print(render(whole))
    opening.sort()
    print(
        f"\n{len(opening)} worlds opened, median {opening[len(opening) // 2]:.2f} s, longest {opening[-1]:.2f} s"
    )
    if given.json:
        given.json.write_text(json.dumps(whole.summary(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
