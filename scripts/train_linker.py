"""Learn what words mean that no name of a table says, and write the weights.

    python scripts/train_linker.py FOLDER [--check]

FOLDER holds ``examples.jsonl.gz`` and ``tables.json.gz``: questions over public tables as flat queries (WikiSQL, Spider with
synonyms, nvBench; KaggleDBQA to test alone). A column that a query has, and of which its question says neither a word of the
name nor a value, is what one of the words means that name nothing; columns that the query has not are not meant. Questions
put to foreign tables mean nothing there. Figures are those of tables that were not learned from, first of nearness in meaning alone.
Deterministic, a quarter of an hour on two slow cores, nearly all of it for encoding; --check judges with the shipped weights
instead of writing new ones.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from gnomon.embedding import get_encoder
from gnomon.language.linker import WEIGHTS, Named, Sort, features, said_in
from gnomon.language.ood import read_arrays
from gnomon.language.small_nets import SmallNets
from gnomon.language.time_words import word_set
from gnomon.language.word_places import bases
from gnomon.planning.reader.operators import operators
from gnomon.planning.reader.words import name_words

SEED = 5
NETS = 3
# How many questions of each source and split are looked at; few of WikiSQL's leave a column unsaid.
LOOKED_AT = {
    ("s", "train"): 9_829, ("n", "train"): 5_000, ("w", "train"): 9_000,
    ("s", "stest"): 1_572, ("k", "ktest"): 245, ("w", "wdev"): 1_500, ("n", "nvtest"): 400,
}  # fmt: skip
FOREIGN = 0.15
NEAREST = 9
MOST_SPANS = 3
_TOKEN = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d[\d.,:/-]*")
_SMALL = word_set(
    "a an the of in on at to for from by with and or is are was were be been being has have had do does did what "
    "which who whom whose when where why how many much that this these those it its their there they them he she his "
    "her me my our your you i we us as than then not no nor any all each every per into about between also only same "
    "different find show give list return tell please can could would will shall should if so such more most less "
    "least fewer fewest number total average mean sum count minimum maximum highest lowest max min order ordered "
    "ascending descending asc desc chart bar pie line scatter plot graph visualize draw display axis bin distribution "
    "compare comparison rank sort sorted against across using corresponding name names information details value "
    "values record records entry entries listed provided given according associated related include including "
    "distinct unique times time"
)


@dataclass(frozen=True)
class Example:
    """A question with the words that name nothing, what they may mean, and what the query has.

    Args:
        question: In words.
        spans: The words that name nothing, those beside each other together.
        names: What they may mean; the last are the rows.
        used: Which names the query has.
        hidden: Which of them the question says in no other way.
        counted: Whether it is known which words mean the rows: they are counted, or the table is a foreign one.
        split: Which part of the data it is of.
    """

    question: str
    spans: tuple[str, ...]
    names: tuple[Named, ...]
    used: frozenset[int]
    hidden: frozenset[int]
    counted: bool
    split: str


def examples(folder: Path) -> list[Example]:
    """What is learned from and tested with."""
    tables = json.loads(gzip.decompress((folder / "tables.json.gz").read_bytes()))
    by: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(folder / "examples.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            by[row["src"], row["split"]].append(row)
    draw = random.Random(SEED)
    found: list[Example] = []
    for part, most in LOOKED_AT.items():
        for row in draw.sample(by[part], min(most, len(by[part]))):
            found += _example(row, tables[row["tid"]], row.get("match") or {}, own=True)
            elsewhere = [f for f in row.get("foreign") or [] if f[0] in tables]
            if elsewhere and draw.random() < FOREIGN:
                table, match = draw.choice(elsewhere)
                found += _example(row, tables[table], match, own=False)
    return found


def _example(
    row: Mapping[str, Any], table: Mapping[str, Any], match: Mapping[str, str], *, own: bool
) -> Iterator[Example]:
    question, query, columns = row["q"], row["lab"], table["cols"]
    rows = table["name"].replace("+", " ").strip() or "rows"
    valued = _valued(question, query, match)
    named = {b for c in columns for w in name_words(c["n"]) for b in bases(w.lower())}
    spans = _spans(question, valued, named | {b for w in name_words(rows) for b in bases(w.lower())})
    if not 1 <= len(spans) <= MOST_SPANS:
        return
    said = {b for w in name_words(question) for b in bases(w.lower())}
    used = _used(query, len(columns)) if own else set()
    told = {
        i
        for i, c in enumerate(columns)
        if any(not said.isdisjoint(bases(w.lower())) for w in name_words(c["n"]))
    }
    told |= {int(i) for i in match} | {w[0] for w in query["where"] if w[3] and any(w[3])}
    hidden = used - told
    if len(hidden) > 1:
        return
    counts = own and bool(query["cnt"] or query["star"])
    silent = all(said.isdisjoint(bases(w.lower())) for w in name_words(rows))
    if counts:
        used |= {len(columns)}
        hidden |= {len(columns)} if silent and not hidden else set()
    names = [
        Named(" ".join(name_words(c["n"])).lower() or c["n"] or "column", _sort(c), _texts(c))
        for c in columns
    ]
    names.append(Named(rows, Sort.ROWS))
    counted = counts or not own
    yield Example(
        question, tuple(spans), tuple(names), frozenset(used), frozenset(hidden), counted, row["split"]
    )


def _sort(column: Mapping[str, Any]) -> Sort:
    return Sort(column["t"]) if column["t"] in ("number", "time") else Sort.TEXT


def _texts(column: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(column["v"]) if _sort(column) is Sort.TEXT else ()


def _used(query: Mapping[str, Any], columns: int) -> set[int]:
    parts = [c for c, *_ in (*query["sel"], *query["where"], *query["group"], *query["order"])]
    return {c for c in parts if isinstance(c, int) and 0 <= c < columns}


def _valued(question: str, query: Mapping[str, Any], match: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where the values of conditions stand."""
    found = [(s[0], s[1]) for w in query["where"] for s in w[3] or [] if s]
    for value in match.values():
        at = question.lower().find(str(value).lower())
        found += [(at, at + len(str(value)))] if at >= 0 else []
    return found


def _spans(question: str, valued: Sequence[tuple[int, int]], known: set[str]) -> list[str]:
    """The words that say nothing which is known, those beside each other as one."""
    spoken = _SMALL | {w for phrase in operators() for w in phrase}
    found: list[tuple[int, int]] = []
    before = -1
    for token in _TOKEN.finditer(question):
        word, (start, end) = token.group(), token.span()
        names = word[0].isupper() and start > 0 and question[:start].strip()[-1:] not in ".?!"
        if (
            len(word) < 3 or word[0].isdigit() or names or word.lower() in spoken or not known.isdisjoint(bases(word.lower()))
            or any(start < e and end > s for s, e in valued)
        ):  # fmt: skip
            continue
        if found and before == found[-1][1] and not question[before:start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        before = end
    return [question[s:e] for s, e in found]


def rows_of(found: Sequence[Example]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features, whether the word means the name, which example each row is of, and which name."""
    encoder = get_encoder()
    texts = {t for e in found for s in e.spans for t in said_in(e.question, s)}
    texts |= {t for e in found for n in e.names for t in (n.label, n.shown) if t}
    order = sorted(texts)
    vectors = dict(zip(order, encoder.encode(order), strict=True))
    rows, labels, whose, which = [], [], [], []
    for k, e in enumerate(found):
        near = {s: [float(vectors[s] @ vectors[n.label]) for n in e.names] for s in e.spans}
        meant = {h: max(e.spans, key=lambda s, h=h: near[s][h]) for h in e.hidden}
        for span in e.spans:
            every = features(e.question, span, e.names, len(e.spans), vectors).astype(np.float16)
            nearest = sorted(range(len(e.names) - 1), key=lambda i: -near[span][i])[:NEAREST]
            for i in sorted({*nearest, *e.used, *([len(e.names) - 1] if e.counted else [])}):
                # Of what the query has and the question says in other words too, nobody knows which word means it.
                known = i not in e.used or meant.get(i) == span
                if known:
                    rows.append(every[i])
                    labels.append(i in e.used)
                    whose.append(k)
                    which.append(i)
    return np.array(rows), np.array(labels), np.array(whose), np.array(which)


def report(
    found: Sequence[Example], scores: np.ndarray, labels: np.ndarray, whose: np.ndarray, which: np.ndarray
) -> None:
    """How well names that are meant are told from others, and how often the likeliest is the right one."""
    print(
        f"AUROC {roc_auc_score(labels, scores):.3f}, average precision {average_precision_score(labels, scores):.3f}"
    )
    best: dict[int, tuple[float, int]] = {}
    for k, i, s in zip(whose, which, scores, strict=True):
        if found[k].hidden and s > best.get(k, (-np.inf, 0))[0]:
            best[k] = (s, i)
    right = sum(i in found[k].hidden for k, (_, i) in best.items())
    print(
        f"the likeliest name is the one that is meant in {right} of {len(best)} questions that leave one unsaid"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = [e for e in examples(given.folder) if not given.check or e.split != "train"]
    rows, labels, whose, which = rows_of(found)
    held = np.array([found[k].split != "train" for k in whose])
    scaled = rows.shape[1] - get_encoder().dim
    if given.check:
        arrays = read_arrays(WEIGHTS)
        middle, spread = (arrays.pop(n).astype(np.float32) for n in ("middle", "spread"))
        nets = SmallNets.from_arrays(arrays)
    else:
        learned = rows[~held][:, :scaled].astype(np.float32)
        middle, spread = learned.mean(axis=0), learned.std(axis=0) + 1e-3
        nets = None
    rows = rows.astype(np.float32)
    nearness = rows[held][:, 0].copy()
    rows[:, :scaled] = (rows[:, :scaled] - middle) / spread
    if nets is None:
        nets = SmallNets.fit(rows[~held], labels[~held], NETS)
        print(f"{(~held).sum()} pairs learned from, {labels[~held].sum()} of them meant")
        np.savez_compressed(
            WEIGHTS, middle=middle.astype(np.float16), spread=spread.astype(np.float16), **nets.arrays()
        )
    report(found, nearness, labels[held], whose[held], which[held])
    report(found, nets.scores(rows[held]), labels[held], whose[held], which[held])


if __name__ == "__main__":
    main()
