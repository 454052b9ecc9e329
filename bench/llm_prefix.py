"""How much of a prompt is read anew: questions over the same tables, put one after the other to a model from a file.

    python bench/llm_prefix.py [--model installed] [--tables 11] [--seconds 600]

Tables are generated; the questions use words that no table knows, so that the grammar leaves them to the model. For each
are told the tokens of its prompt, those kept from the question before, those read anew, and the seconds it took.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import gnomon
from gnomon.core.settings import Settings
from gnomon.llm import EgressLedger

THINGS = (
    "invoice",
    "shipment",
    "visit",
    "repair",
    "claim",
    "lesson",
    "harvest",
    "booking",
    "ticket",
    "delivery",
    "loan",
)
QUESTIONS = (
    "How much dough did we burn on the frobnicated ones?",
    "Which of the whatsits were snaffled the most?",
    "What about the gubbins of the thingamajigs?",
)


def write_tables(folder: Path, count: int) -> None:
    """Tables of different things, each with a few columns of each kind."""
    draw = np.random.default_rng(11)
    for i in range(count):
        thing = THINGS[i % len(THINGS)] + ("" if i < len(THINGS) else str(i))
        pd.DataFrame(
            {
                f"{thing}_id": range(200),
                f"{thing}_date": pd.date_range("2024-01-01", periods=200),
                "region": draw.choice(["north", "south", "west"], 200),
                f"{thing}_cost": draw.gamma(3, 20, 200).round(2),
                f"{thing}_hours": draw.gamma(2, 3, 200).round(1),
                "status": draw.choice(["open", "closed"], 200),
            }
        ).to_csv(folder / f"{thing}s.csv", index=False)


def main() -> int:
    """Ask and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="installed", help="'installed', or the path of a GGUF file")
    parser.add_argument("--tables", type=int, default=11)
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="time that one question may take the model"
    )
    given = parser.parse_args()
    settings = Settings.load(
        model=given.model, local_model_timeout_seconds=given.seconds, model_measure=False
    )
    seen = len(EgressLedger.of(settings).entries())
    print(f"{'':2}{'prompt':>8}{'kept':>8}{'read anew':>11}{'written':>9}{'seconds':>9}")
    with TemporaryDirectory() as folder:
        write_tables(Path(folder), given.tables)
        with gnomon.open(folder, settings=settings) as analyst:
            for number, question in enumerate(QUESTIONS, 1):
                started = time.perf_counter()
                analyst.ask(question)
                seconds = time.perf_counter() - started
                sent = EgressLedger.of(settings).entries()[seen:]
                seen += len(sent)
                tasks = {e["task"]: e["used"] for e in sent if "used" in e}
                if not tasks:
                    print(f"{number:2}  not sent, or not answered in time ({seconds:.0f} s)")
                    continue
                total = {
                    k: sum(u[k] for u in tasks.values())
                    for k in ("input_tokens", "cached_tokens", "output_tokens")
                }
                read, kept = total["input_tokens"], total["cached_tokens"]
                print(
                    f"{number:2}{read:8,}{kept:8,}{read - kept:11,}{total['output_tokens']:9,}{seconds:9.1f}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
