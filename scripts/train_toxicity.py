"""Train the toxicity model on the sentences of toxicity_training.yaml and write it into the package.

python scripts/train_toxicity.py [--check]

Deterministic: the seed is fixed, and --check compares with the shipped model instead of writing it.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from gnomon.guardrails.toxicity import BUCKETS, MODEL, features
from gnomon.guardrails.toxicity_signs import SIGNS

SENTENCES = Path(__file__).with_name("toxicity_training.yaml")
SEED = 20_26
PER_TEMPLATE = 24
PLAIN = 12  # everyday sentences keep the model from blaming everyday words
LEET = {"o": "0", "i": "1", "e": "3", "a": "4", "s": "$"}


def fill(template: str, slots: dict[str, list[str]], rng: random.Random) -> str:
    """The template with each slot filled at random."""
    return re.sub(r"\{(\w+)\}", lambda m: rng.choice(slots[m[1]]), template)


def variants(templates: list[str], slots: dict[str, list[str]], rng: random.Random) -> list[str]:
    """Several fillings of each template, some with capitals, endings and a typing error."""
    found: set[str] = set()
    for template in templates:
        for _ in range(PER_TEMPLATE if "{" in template else 6):
            text = fill(template, slots, rng)
            roll = rng.random()
            if roll < 0.1:
                text = text.upper()
            elif roll < 0.3:
                text = text[0].upper() + text[1:]
            found.add(text + rng.choice(["", "", "", "!", ".", "!!", "?"]))
    return sorted(found)


def disguised(text: str, rng: random.Random) -> str:
    """The same sentence with one word written with look-alike signs."""
    words = text.split()
    i = max(range(len(words)), key=lambda j: (len(words[j]), rng.random()))
    words[i] = "".join(LEET.get(c, c) if rng.random() < 0.5 else c for c in words[i])
    return " ".join(words)


def matrix(texts: list[str]) -> csr_matrix:
    """Binary word features, each sentence scaled to length one, and the signs beside them."""
    rows, columns, values = [], [], []
    for i, text in enumerate(texts):
        buckets, signs = features(text)
        rows.extend([i] * (len(buckets) + len(signs)))
        columns.extend([*sorted(buckets), *range(BUCKETS, BUCKETS + len(signs))])
        values.extend([1 / np.sqrt(len(buckets))] * len(buckets) + signs)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), BUCKETS + len(SIGNS)))


def train() -> tuple[np.ndarray, float, int]:
    """Weights, intercept and how many sentences they were learned from."""
    spec = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    rng = random.Random(SEED)
    toxic = variants(spec["toxic"], spec["slots"], rng)
    benign = variants(spec["benign"], spec["slots"], rng)
    benign += variants(spec["plain"] * PLAIN, spec["slots"], rng)
    toxic += [disguised(t, rng) for t in toxic if rng.random() < 0.15]
    texts = toxic + benign
    labels = np.array([1] * len(toxic) + [0] * len(benign))
    model = LogisticRegression(C=20.0, max_iter=400, random_state=SEED)
    model.fit(matrix(texts), labels)
    return model.coef_[0].astype(np.float16), float(model.intercept_[0]), len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the shipped model, write nothing")
    check = parser.parse_args().check
    start = time.process_time()
    weights, intercept, count = train()
    print(f"{count} sentences, {time.process_time() - start:.1f} CPU seconds")
    if check:
        with np.load(MODEL) as stored:
            same = np.allclose(stored["weights"], weights[:BUCKETS], atol=0.02)
        print("the shipped model is the same" if same else "the shipped model differs")
        raise SystemExit(0 if same else 1)
    learned = {"weights": weights[:BUCKETS], "signs": weights[BUCKETS:], "intercept": np.float32(intercept)}
    np.savez_compressed(MODEL, **learned)
    print(f"wrote {MODEL.name}: {MODEL.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
