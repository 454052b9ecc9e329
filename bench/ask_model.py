"""What a language model adds: development questions that the grammar refuses, asked with a model beside it.

    python bench/ask_model.py MODEL.gguf [--most 32] [--each 6] [--seconds 60] [--data DIR] [--world NAME…]
    python bench/ask_model.py --trust MODEL.gguf    # 30 questions on the demo store; what comes of them is kept
    python bench/ask_model.py --replay              # replies to ``ask_exam`` questions that were written once, given again

Questions are those of ``ask_worlds.py`` and, with ``--data``, of ``ask_unseen.py``; those that must be refused are among
them. Told are the readings that the model proposed, those believed, and what the believed ones are worth. Questions of
one table come one after the other, since what the data has stands at the beginning of every prompt.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import ask_unseen
import ask_worlds
import gnomon
from gnomon.agents.evaluation import Case, Outcome, TruthTables, grade, load_cases
from gnomon.core.settings import Settings
from gnomon.planning.reading import ReadingStatus

_READ = (ReadingStatus.CLEAR, ReadingStatus.AMBIGUOUS)
_TOLD = (Outcome.RIGHT, Outcome.WRONG, Outcome.INCOMPLETE, Outcome.UNREFUSED)


class Heard(logging.Handler):
    """Keeps why the model's reading was not used."""

    def __init__(self) -> None:
        super().__init__()
        self.why = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the last reason."""
        self.why = record.getMessage().partition(": ")[2]


def _tables(given: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, list[Case]]]:
    for world in given.world or ask_worlds.WORLDS:
        source = ask_worlds.write_world(world, folder)
        yield source, load_cases(ask_worlds.QUESTIONS / f"{world}.jsonl", "dev")
    if given.data:
        for table, cases in groupby(load_cases(ask_unseen.QUESTIONS, "dev"), key=lambda c: c.table):
            yield given.data / str(table), list(cases)


def _ask(
    source: Path, cases: list[Case], settings: Settings, each: int, heard: Heard, left: int
) -> Counter[str]:
    """Ask what the grammar refuses of one table, and count what came of it."""
    counts: Counter[str] = Counter()
    with gnomon.open(source, settings=settings) as analyst, TruthTables(source) as truths:
        grammar = analyst.manager.reader.grammar

        def refused(case: Case) -> bool:
            return grammar.read(case.question, today=case.today).status not in _READ

        asked = (c for c in cases if not c.history and c.today and refused(c))
        for case in islice(asked, min(each, left)):
            heard.why = ""
            started = time.perf_counter()
            answer = analyst.ask(case.question, today=case.today)
            seconds = time.perf_counter() - started
            outcome = grade(case, answer, truths.of).outcome
            sent = "a language model was asked" in answer.prose
            counts += Counter(
                asked=1, sent=int(sent), proposed=int(sent and not heard.why), seconds=round(seconds)
            )
            counts[f"answerable: {outcome}" if case.answerable else f"to be refused: {outcome}"] += 1
            if outcome in _TOLD:
                counts["believed"] += 1
            print(f"{seconds:6.1f} s  {outcome}  {case.question}  {heard.why}", file=sys.stderr, flush=True)
            if outcome in _TOLD and outcome is not Outcome.RIGHT:
                print(f"          {answer.prose}", file=sys.stderr, flush=True)
    return counts


def _trust(given: argparse.Namespace) -> int:
    """Ask the model alone about the demo store, and keep what came of it."""
    from gnomon.measuring import measure_model

    settings = Settings.load(
        model=given.model, local_model_timeout_seconds=given.seconds, model_measure=False
    )

    def told(number: int, question: str, outcome: str) -> None:
        print(f"{number:3d}  {outcome}  {question}", file=sys.stderr, flush=True)

    found = measure_model(settings, told=told)
    print(
        f"{found.right} of {found.asked} right, {found.wrong} wrong; believed by itself: {found.has_earned}"
    )
    return 0


def _replay() -> int:
    """Opened exam questions that the grammar refuses, with replies that a capable model wrote, given again.

    Replies were written from the prompts alone, before any truth was computed, and hold no cell of the data.
    """
    import ask_exam
    from ask_model_replies import Written

    replies = Written.load(Path(__file__).parent / "ask_model" / "replies.jsonl")
    counts: dict[str, Counter[str]] = {"local alone": Counter(), "with model": Counter()}
    sizes: list[int] = []
    with TemporaryDirectory() as folder:
        for part in ("late", "plain"):
            ask_exam.MAKERS[part](Path(folder) / part)
            lines = (ask_exam.EXAM / f"{part}.jsonl").read_text().splitlines()
            cases = [c for c in map(json.loads, lines) if c["id"] in replies.said]
            for world, asked in groupby(cases, key=lambda c: c["world"]):
                place = Path(folder) / part / world
                for how in counts:
                    with gnomon.open(
                        place, settings=Settings.load(model=None, home=Path(folder) / "home")
                    ) as analyst:
                        if how == "with model":
                            replies.join(analyst)
                        for case in (asked := list(asked)):
                            replies.asked(case["id"])
                            ended = ask_exam.outcome(case, answer := analyst.ask(case["question"]))
                            counts[how][ended] += 1
                            if how == "with model" and ended not in ("right", "refused rightly"):
                                said = " ".join(answer.prose.split())
                                print(
                                    f"{case['id']}  {ended}  {case['question']}\n     {said[:400]}\n     {replies.objections}",
                                    file=sys.stderr,
                                )
                    sizes += replies.sizes
    for how, found in counts.items():
        print(f"{how}: " + ", ".join(f"{n} {name}" for name, n in sorted(found.items())))
    print(
        f"prompts of {sorted(sizes)[len(sizes) // 2]:,} tokens at the median, {max(sizes):,} at most, instructions included"
    )
    return 0


def main() -> int:
    """Ask, grade and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", help="a GGUF file, or a name where GNOMON_MODEL_URL is set")
    parser.add_argument("--most", type=int, default=32, help="questions in all")
    parser.add_argument("--each", type=int, default=6, help="questions of one table")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="time that one question may take the model"
    )
    parser.add_argument("--data", type=Path, help="folder with dabench and insightbench")
    parser.add_argument("--world", nargs="*", choices=sorted(ask_worlds.WORLDS), help="only these worlds")
    parser.add_argument("--trust", action="store_true", help="measure how far its queries can be believed")
    parser.add_argument("--replay", action="store_true", help="replies that were written once, given again")
    given = parser.parse_args()
    if given.replay:
        return _replay()
    if given.model is None:
        parser.error("name a model, or --replay")
    if given.trust:
        return _trust(given)
    heard = Heard()
    logging.getLogger("gnomon.model").addHandler(heard)
    total: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        settings = Settings.load(
            model=given.model,
            local_model_timeout_seconds=given.seconds,
            home=Path(folder) / "home",
            model_measure=False,
        )
        for source, cases in _tables(given, Path(folder)):
            if total["asked"] >= given.most:
                break
            total += _ask(source, cases, settings, given.each, heard, given.most - total["asked"])
    for name, count in sorted(total.items()):
        print(f"{count:6d}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
