"""Learn what words mean that no name of a table says, from word_meanings.txt, and write the weights.

    python scripts/train_linker.py [--check]

word_meanings.txt holds schemas, each with questions as people ask them and what the words mean there: the rows of a table, a
column, a value of one in other words, what things are ranked by, nothing more than the rest (idle), or what the data has not
(missing). A question that was misread belongs there, with its schema. First networks learn which name is meant; then, from what
they say of schemas that they did not learn from, what a word does in its question at all. Figures are those of schemas that were
not learned from, first of nearness in meaning alone. Deterministic, ten minutes on two slow cores, nearly all of it for encoding; --check
judges with the shipped weights instead of writing new ones.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from gnomon.embedding import get_encoder
from gnomon.language.linker import SENSES, WEIGHTS, Named, Sense, Sort, features, said_in, shared, together
from gnomon.language.ood import read_arrays
from gnomon.language.small_nets import SmallNets
from gnomon.planning.reader.words import name_words

LABELLED = Path(__file__).with_name("word_meanings.txt")
NETS = 3
FOLDS = 5
SMOOTH = 0.03
SURE = 0.95
LINKS = ("col", "value", "most", "rows")
_COLUMN = re.compile(r"(.+?)\s*([#@%$])\s*(?:\[(.*)\])?")
_SORTS = {"#": Sort.TEXT, "@": Sort.TIME, "%": Sort.NUMBER, "$": Sort.TEXT}


@dataclass(frozen=True)
class Schema:
    """Tables with their columns, in the order in which they are written.

    Args:
        tables: What the tables are called.
        columns: Table, heading, sort and a few values of each column.
    """

    tables: tuple[str, ...]
    columns: tuple[tuple[str, str, Sort, tuple[str, ...]], ...]

    @property
    def names(self) -> tuple[Named, ...]:
        """All that words may mean; the last are the rows."""
        columns = [Named(in_words(heading), sort, values) for _, heading, sort, values in self.columns]
        return (*columns, *(Named(in_words(t), Sort.ROWS) for t in self.tables))


@dataclass(frozen=True)
class Labelled:
    """Words of a question with what they mean: a sort of meaning, and of what where it is a name."""

    schema: Schema
    question: str
    words: str
    meaning: str
    name: str
    unknown: int

    def means(self, place: int) -> bool:
        """Whether the words mean the name at a place."""
        columns = self.schema.columns
        if place >= len(columns):
            return self.meaning in ("rows", "most") and self.schema.tables[place - len(columns)] == self.name
        return self.meaning in ("col", "value", "most") and columns[place][1] == self.name.rpartition(".")[2]


def in_words(name: str) -> str:
    """A heading as people would read it."""
    return " ".join(name_words(name)).lower() or name


def labelled() -> Iterator[Labelled]:
    """Everything that was labelled."""
    for block in re.split(r"\n\s*\n", LABELLED.read_text(encoding="utf-8")):
        lines = [line.strip() for line in block.splitlines()]
        schema = _schema([line[6:] for line in lines if line.startswith("table ")])
        for line in lines:
            if line.startswith("Q ") and schema.columns:
                question, *labels = (part.strip() for part in line[2:].split("|"))
                yield from _labels(schema, question, labels)


def _schema(lines: Sequence[str]) -> Schema:
    tables: list[str] = []
    columns: list[tuple[str, str, Sort, tuple[str, ...]]] = []
    for line in lines:
        table, _, held = line.partition(":")
        tables.append(table.strip())
        for column in re.split(r",\s*(?![^\[]*\])", held):
            if match := _COLUMN.fullmatch(column.strip()):
                values = tuple(v.strip() for v in (match[3] or "").split("|") if v.strip())
                columns.append((table.strip(), match[1], _SORTS[match[2]], values))
    return Schema(tuple(tables), tuple(columns))


def _labels(schema: Schema, question: str, labels: Sequence[str]) -> Iterator[Labelled]:
    for label in labels:
        words, _, meaning = label.rpartition("=")
        sort, _, name = meaning.partition(":")
        at = question.lower().find(words.strip().lower())
        if words.strip() and at >= 0:
            said = question[at : at + len(words.strip())]
            yield Labelled(schema, question, said, sort.strip(), name.strip(), len(labels))


def rows_of(found: Sequence[Labelled]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of each name for each of the words, whether the words mean it, and which of them they are."""
    encoder = get_encoder()
    texts = {t for one in found for t in said_in(one.question, one.words)}
    texts |= {t for one in found for n in one.schema.names for t in (n.label, n.shown) if t}
    order = sorted(texts)
    vectors = dict(zip(order, encoder.encode(order), strict=True))
    rows, labels, whose = [], [], []
    for k, one in enumerate(found):
        names = one.schema.names
        rows.append(features(one.question, one.words, names, one.unknown, vectors).astype(np.float32))
        labels += [one.means(i) for i in range(len(names))]
        whose += [k] * len(names)
    return np.concatenate(rows), np.array(labels), np.array(whose)


def scaled_to(rows: np.ndarray, middle: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Rows whose first features lie around zero; what both meanings share stays as it is."""
    return np.hstack([(rows[:, : len(middle)] - middle) / spread, rows[:, len(middle) :]])


def senses_of(
    found: Sequence[Labelled], rows: np.ndarray, scores: np.ndarray, whose: np.ndarray
) -> np.ndarray:
    """What is known of each of the words over all names."""
    encoder = get_encoder()
    texts = sorted({t for one in found for t in said_in(one.question, one.words)[1:]})
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    parts = np.split(np.arange(len(whose)), np.flatnonzero(np.diff(whose)) + 1)
    told: list[np.ndarray] = []
    for one, of in zip(found, parts, strict=True):
        _, rest, said = said_in(one.question, one.words)
        told.append(together(rows[of], scores[of], vectors[said], vectors[rest]))
    return np.array(told, dtype=np.float32)


def at_once(
    found: Sequence[Labelled], chances: np.ndarray, scores: np.ndarray, labels: np.ndarray, whose: np.ndarray
) -> None:
    """How many words could be taken for their likeliest meaning without asking, and how many of them rightly."""
    parts = np.split(np.arange(len(whose)), np.flatnonzero(np.diff(whose)) + 1)
    order = [s.value for s in Sense]
    best, right = np.zeros(len(found)), np.zeros(len(found), dtype=bool)
    for k, (one, of) in enumerate(zip(found, parts, strict=True)):
        rowed = np.array([n.sort is Sort.ROWS for n in one.schema.names])
        likely = chances[k, order.index("rows")] * shared(scores[of], rowed)
        likely += chances[k, order.index("col")] * shared(scores[of], ~rowed)
        idle = chances[k, order.index("idle")]
        best[k] = max(idle, likely.max())
        named = labels[of][likely.argmax()] and one.meaning != "value"
        right[k] = one.meaning == "idle" if idle >= likely.max() else named
    for sure in (0.5, 0.7, 0.9, SURE, 0.97):
        print(
            f"  at least {sure} sure: {right[best >= sure].sum()} of {(best >= sure).sum()} right", flush=True
        )


def learn_senses(found: Sequence[Labelled], rows: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Learn what words do in their questions, tell how well, and write the weights."""
    senses = [s.value for s in Sense]
    wanted = np.array([senses.index("col" if one.meaning == "most" else one.meaning) for one in found])
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    spread[-2 * get_encoder().dim :] = (
        1.0  # meanings are small as they are, so that each of their numbers weighs little
    )
    rows = (rows - middle) / spread

    def fitted(of: np.ndarray) -> LogisticRegression:
        return LogisticRegression(C=SMOOTH, max_iter=200).fit(rows[of], wanted[of])

    chances = np.zeros((len(found), len(senses)))
    for k in range(FOLDS):
        chances[fold == k] = fitted(fold != k).predict_proba(rows[fold == k])
    print(
        f"senses: {log_loss(wanted, chances):.3f} nats, {np.mean(chances.argmax(axis=1) == wanted):.3f} right"
    )
    for k, name in enumerate(senses):
        sure = chances[:, k] >= SURE
        right = f"{(wanted[sure] == k).sum()} of {sure.sum()} right where it is {SURE} sure"
        print(f"  {name}: AUROC {roc_auc_score(wanted == k, chances[:, k]):.3f}, {right}", flush=True)
    model = fitted(np.ones(len(found), dtype=bool))
    arrays = {"middle": middle, "spread": spread, "weights": model.coef_.T, "offset": model.intercept_}
    np.savez_compressed(SENSES, **{name: array.astype(np.float16) for name, array in arrays.items()})
    return chances


def report(name: str, scores: np.ndarray, labels: np.ndarray, whose: np.ndarray) -> None:
    """How well names that are meant are told from others, and how often the likeliest is the right one."""
    right = meant = 0
    for of in np.split(np.arange(len(whose)), np.flatnonzero(np.diff(whose)) + 1):
        if labels[of].any():
            meant += 1
            right += bool(labels[of][scores[of].argmax()])
    told = f"AUROC {roc_auc_score(labels, scores):.3f}, average precision {average_precision_score(labels, scores):.3f}"
    print(f"{name}: {told}, the likeliest name is the one that is meant {right} of {meant} times", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = list(labelled())
    rows, labels, whose = rows_of(found)
    print(f"{len(found)} words, {len(rows)} pairs of words and names, {labels.sum()} of them meant")
    report("nearness alone", rows[:, 0], labels, whose)
    scaled = rows.shape[1] - get_encoder().dim
    if given.check:
        arrays = read_arrays(WEIGHTS)
        middle, spread = (arrays.pop(n).astype(np.float32) for n in ("middle", "spread"))
        scores = SmallNets.from_arrays(arrays).scores(scaled_to(rows, middle, spread))
        report("shipped weights, which saw these words", scores, labels, whose)
        return
    plain = rows
    middle, spread = rows[:, :scaled].mean(axis=0), rows[:, :scaled].std(axis=0) + 1e-3
    rows = scaled_to(rows, middle, spread)
    folds = np.array([zlib.crc32(repr(one.schema).encode()) % FOLDS for one in found])
    fold = folds[whose]
    scores = np.zeros(len(labels))
    for k in range(FOLDS):
        held = fold == k
        scores[held] = SmallNets.fit(rows[~held], labels[~held], NETS).scores(rows[held])
    report("schemas not learned from", scores, labels, whose)
    chances = learn_senses(found, senses_of(found, plain, scores, whose), folds)
    at_once(found, chances, scores, labels, whose)
    nets = SmallNets.fit(rows, labels, NETS)
    np.savez_compressed(
        WEIGHTS, middle=middle.astype(np.float16), spread=spread.astype(np.float16), **nets.arrays()
    )


if __name__ == "__main__":
    main()
