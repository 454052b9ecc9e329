"""Train the judge of names on the lists of person_names.yaml and write it into the package.

python scripts/train_person_names.py [--check]

Deterministic: the seed is fixed, and --check compares with the shipped model instead of writing it.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import yaml
from sklearn.linear_model import LogisticRegression

from gnomon.embedding import get_encoder
from gnomon.guardrails.release.names import MODEL

LISTS = Path(__file__).with_name("person_names.yaml")
SEED = 20_26
PER_CULTURE, ACROSS = 150, 1000
ENGLISH, OFTENER = 3, 4
"""English names are words as well, so the first lists, which hold them, are drawn from oftener."""


def words(line: str) -> list[str]:
    """The names of a line; those of several words are set apart by bars."""
    return [w.strip() for w in (line.split("|") if "|" in line else line.split())]


def written(given: str, family: str, rng: random.Random) -> str:
    """A name in one of the ways that names are written."""
    middle, title = rng.choice("ABCDEFGHJKLMNPRSTW"), rng.choice(["Dr.", "Mr", "Mrs", "Ms.", "Prof."])
    ways = {
        f"{given} {family}": 47,
        f"{family}, {given}": 13,
        f"{family} {given}": 8,
        f"{given[0]}. {family}": 8,
        f"{family} {given[0]}": 6,
        f"{given} {middle}. {family}": 6,
        f"{family}, {given[0]}.": 4,
        f"{title} {given} {family}": 4,
        f"{given} {given}-{family}": 2,
    }
    return rng.choices(list(ways), list(ways.values()))[0]


def train() -> tuple[np.ndarray, float, int]:
    """Weights, intercept and how many names they were learned from."""
    lists = yaml.safe_load(LISTS.read_text(encoding="utf-8"))
    rng = random.Random(SEED)
    cultures = [(words(given), words(family)) for given, family in lists["persons"]]
    drawn = [c for i, c in enumerate(cultures) for _ in range(PER_CULTURE * (OFTENER if i < ENGLISH else 1))]
    persons = {written(rng.choice(given), rng.choice(family), rng) for given, family in drawn}
    for _ in range(ACROSS):
        (given, _), (_, family) = rng.choice(cultures), rng.choice(cultures)
        persons.add(written(rng.choice(given), rng.choice(family), rng))
    things = [name for kind in lists["things"].values() for name in kind]
    texts = [*sorted(persons), *things]
    labels = np.array([1] * len(persons) + [0] * len(things))
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=2000, random_state=SEED)
    model.fit(get_encoder().encode(texts), labels)
    return model.coef_[0].astype(np.float32), float(model.intercept_[0]), len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the shipped model, write nothing")
    check = parser.parse_args().check
    weights, intercept, count = train()
    print(f"{count} names")
    if check:
        with np.load(MODEL) as stored:
            same = np.allclose(stored["weights"], weights, atol=0.02)
        print("the shipped model is the same" if same else "the shipped model differs")
        raise SystemExit(0 if same else 1)
    np.savez_compressed(MODEL, weights=weights, intercept=np.float32(intercept))
    print(f"wrote {MODEL.name}: {MODEL.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
