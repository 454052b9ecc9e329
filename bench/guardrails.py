"""What the guardrails catch, what they block by mistake, and what they cost.

python bench/guardrails.py [--prose 5000] [--mutations 5000] [--texts FILE]

The labelled sentences and the prose generator are those of the tests. ``--texts`` takes a file of harmless texts, one a
line or as JSON lists, and counts how many of them the question guard would block.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1] / "tests" / "guardrails"
sys.path.insert(0, str(TESTS))

from guard_mutations import mutate  # noqa: E402
from guard_prose import write  # noqa: E402

from gnomon.guardrails import Guardrails, NumberBinding, ToxicityDetector, find_instructions  # noqa: E402
from gnomon.guardrails.policy import SHIPPED  # noqa: E402


def binding(prose: int, mutations: int) -> None:
    """Correct prose that is blocked, and wrong prose that is not."""
    bind = NumberBinding().bind
    samples = [write(seed) for seed in range(prose)]
    blocked = sum(not all(c.ok for c in bind(s.prose, s.facts, s.names)) for s in samples)
    print(f"correct prose     {prose} texts, {blocked} blocked")
    rng, kinds, missed, seed = random.Random(7), Counter[str](), Counter[str](), 10**6
    while kinds.total() < mutations:
        seed += 1
        sample = write(seed)
        wrong = mutate(sample, rng)
        if wrong is None:
            continue
        kinds[wrong[0]] += 1
        missed[wrong[0]] += all(c.ok for c in bind(wrong[1], sample.facts, sample.names))
    print(f"mutations         {mutations} texts, {missed.total()} accepted")
    for kind, count in kinds.most_common():
        print(f"  {kind:<15} {count:5d}   accepted {missed[kind]}")


def toxicity() -> None:
    """Precision and recall on the labelled sentences, as a whole and by kind."""
    judge = ToxicityDetector()
    for name in ("toxicity_sentences.tsv", "toxicity_fresh.tsv"):
        rows = [line.split("\t") for line in (TESTS / name).read_text(encoding="utf-8").splitlines()]
        found = [(label == "1", kind, judge.is_toxic(text)) for label, kind, text in rows]
        right = sum(label and toxic for label, _, toxic in found)
        precision, recall = right / sum(t for *_, t in found), right / sum(label for label, *_ in found)
        print(f"{name:<24} {len(rows)} sentences   precision {precision:.3f}   recall {recall:.3f}")
        kinds = Counter((label, kind) for label, kind, _ in found)
        wrong = Counter((label, kind) for label, kind, toxic in found if label != toxic)
        for (label, kind), count in sorted(kinds.items()):
            print(
                f"  {'abuse' if label else 'harmless':<9} {kind:<12} {count:4d}   wrong {wrong[label, kind]}"
            )


def texts_of(path: Path) -> list[str]:
    """Lines of a text file, or every first string of the pairs in a JSON file."""
    if path.suffix != ".json":
        return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    parts = json.loads(path.read_text(encoding="utf-8"))
    return [row[0] for rows in parts.values() if isinstance(rows, list) for row in rows]


def harmless(path: Path) -> None:
    """Harmless texts that the question guard would block."""
    texts, judge = texts_of(path), ToxicityDetector()
    toxic, hidden = sum(judge.is_toxic(t) for t in texts), sum(find_instructions(t) for t in texts)
    print(f"{path.name:<24} {len(texts)} texts   called abuse {toxic}   called instructions {hidden}")


def latency() -> None:
    """Milliseconds of processor time of a check: an answer of one sentence, and one of a paragraph."""
    guard = Guardrails(policies=SHIPPED)
    samples = [write(seed) for seed in range(300)]

    def paragraph(i: int) -> None:
        five = samples[i : i + 5]
        guard.check(" ".join(s.prose for s in five), [f for s in five for f in s.facts])

    def sentence(i: int) -> None:
        guard.check(samples[i].prose, samples[i].facts)

    def question(i: int) -> None:
        guard.check_question(f"Which region had the highest revenue in week {i}, and why did it fall?")

    for label, call in (("one sentence", sentence), ("five sentences", paragraph), ("question", question)):
        times = measured(call, 250)
        print(f"{label:<18} p50 {np.median(times):6.2f} ms   p99 {np.quantile(times, 0.99):6.2f} ms")


def measured(call: Callable[[int], None], times: int) -> np.ndarray:
    """Processor time of each call, which busy neighbours do not stretch."""
    call(0)
    taken: list[float] = []
    for i in range(times):
        start = time.thread_time()
        call(i)
        taken.append((time.thread_time() - start) * 1000)
    return np.array(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prose", type=int, default=5000)
    parser.add_argument("--mutations", type=int, default=5000)
    parser.add_argument("--texts", type=Path, action="append", default=[])
    options = parser.parse_args()
    binding(options.prose, options.mutations)
    toxicity()
    for path in options.texts:
        harmless(path)
    latency()


if __name__ == "__main__":
    import logging

    logging.disable(logging.WARNING)
    main()
