"""Learn which words that name nothing still ask for something, from idle_words.jsonl, and write the weights.

    python scripts/train_idle_words.py [--check]

Each line of idle_words.jsonl is a question over tables with given headings, one word of it, and whether leaving the word
out would change what is asked for. Figures are those of questions over schemas that were not learned from. Deterministic,
a few minutes; --check compares what the shipped weights judge instead of writing new ones.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from gnomon.language.idle_words import WEIGHTS, Asked, features
from gnomon.language.logistic import probability
from gnomon.language.ood import read_arrays
from gnomon.language.small_nets import SmallNets

LABELLED = Path(__file__).with_name("idle_words.jsonl")
NETS = 2
FOLDS = 5
CAUTION = (0.05, 0.1, 0.2, 0.3, 0.4)
ALIKE = 0.03


def labelled() -> tuple[list[Asked], np.ndarray]:
    """The words, and whether each adds something."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    asked = [Asked(r["question"], r["word"], tuple(r["tables"]), tuple(r["columns"])) for r in rows]
    return asked, np.array([bool(r["adds"]) for r in rows])


def report(asked: list[Asked], rows: np.ndarray, adds: np.ndarray) -> None:
    """How well words over schemas that were not learned from are told apart, known words and new ones."""
    fold = np.array([zlib.crc32(repr(a.columns).encode()) % FOLDS for a in asked])
    scores = np.zeros(len(asked))
    new = np.zeros(len(asked), dtype=bool)
    for k in range(FOLDS):
        learned, held = fold != k, fold == k
        scores[held] = SmallNets.fit(rows[learned], adds[learned], NETS).scores(rows[held])
        known = {a.word for a, ours in zip(asked, learned, strict=True) if ours}
        new[held] = [a.word not in known for a, ours in zip(asked, held, strict=True) if ours]
    print(f"{len(asked)} words, {adds.sum()} of which add something, {new.sum()} new to their fold")
    print(
        f"AUROC {roc_auc_score(adds, scores):.3f}, of new words {roc_auc_score(adds[new], scores[new]):.3f}"
    )
    chances = np.array([probability(s) for s in scores])
    for limit in CAUTION:
        idle, lost = (chances[~adds] < limit).mean(), (chances[adds] < limit).mean()
        print(f"below {limit}: {idle:.1%} of the idle words, {lost:.1%} of those that add something")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="compare with the shipped weights, write nothing"
    )
    check = parser.parse_args().check
    asked, adds = labelled()
    rows = features(asked)
    report(asked, rows, adds)
    nets = SmallNets.fit(rows, adds, NETS)
    if check:
        stored, made = (
            np.tanh(n.scores(rows) / 2) for n in (SmallNets.from_arrays(read_arrays(WEIGHTS)), nets)
        )
        same = float(np.abs(stored - made).mean()) / 2 < ALIKE
        print("the shipped weights judge the same" if same else "the shipped weights judge otherwise")
        raise SystemExit(0 if same else 1)
    np.savez_compressed(WEIGHTS, **nets.arrays())  # pyright: ignore[reportArgumentType]
    print(f"wrote {WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
