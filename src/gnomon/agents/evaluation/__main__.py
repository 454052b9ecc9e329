"""``python -m gnomon.agents.evaluation``: the benchmark from a checkout, with the cases that went wrong."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from gnomon.agents.evaluation.benchmark import evaluate
from gnomon.agents.evaluation.case import load_cases
from gnomon.agents.evaluation.demo import demo_folder
from gnomon.agents.evaluation.rendering import render, render_failures


def main() -> None:
    """Evaluate, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m gnomon.agents.evaluation", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the tables; the demo store when left out")
    parser.add_argument("--cases", type=Path, help="file of cases; the shipped ones when left out")
    parser.add_argument("--split", choices=["dev", "held"], help="only the cases of this split")
    parser.add_argument("--kind", help="only the cases of this kind")
    parser.add_argument("--id", nargs="*", help="only these cases")
    parser.add_argument("--failures", action="store_true", help="show the development cases that went wrong")
    options = parser.parse_args()
    cases = [
        c
        for c in load_cases(options.cases, options.split)
        if (not options.kind or c.kind == options.kind) and (not options.id or c.id in options.id)
    ]
    folder = options.data or demo_folder()
    # The analyst is composed above this room: it is looked up when the command runs, never imported.
    analyst = import_module("gnomon").open(folder)
    report = evaluate(analyst, cases, folder)
    if options.failures:
        sys.stdout.write(render_failures(report) + "\n\n")
    sys.stdout.write(render(report) + "\n")


if __name__ == "__main__":
    main()
