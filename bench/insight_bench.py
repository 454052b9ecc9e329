"""InsightBench: a table and a goal in, auto-insight out; how many planted insights are among the first ten told.

The data (33 tables ``flag-N.csv``, some with ``flag-N-users.csv``, and ``flag-N.json``: the goal and the planted
insights with their values) lies in ``../shared/data/insightbench``. Tables with odd N were looked at while the search
was built; those with even N were kept sealed and measured once.

How a planted insight is matched, strictly:

- Its *labels* are the texts of the table that its value names: cells of columns with at most 200 different texts, and
  periods such as 2023-07. Its *numbers* are the numbers in its value; a leading "~", "about" or "more than" allows
  5 %, a number of thousands or more that ends in two zeros 2.5 %; any other has to agree when it is rounded to the
  digits that were planted. Where the value is empty or
  holds neither, both are read from the sentence of the planted insight.
- It is found when ONE told insight among the first ten holds ALL of its labels and ALL of its numbers, in its sentence
  or in its facts (shares are also read as percent). Nothing is matched by similarity of meaning.
- A planted insight that names neither a label nor a number ("uniform over time", "no column department") cannot be
  found by this rule. It counts as missed in the share of all, and is left out of the share of checkable ones.
- Those with numbers are also counted alone: a label without a number is told more easily.
- ``parts`` is the share of single labels and numbers that are told anywhere in the first ten.

    python bench/insight_bench.py                 the opened half
    python bench/insight_bench.py --sealed        the sealed half
    python bench/insight_bench.py --show 33       what was told and what was missed for one table
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "insightbench"
TOLD = 10
_NUMBER = re.compile(r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?(?:\s?(?P<scale>M|million|K|thousand)\b|(?![\w-]))")
_ABOUT = re.compile(
    r"(~|about|around|roughly|more than|over|approximately|nearly|almost)\s*\$?$", re.IGNORECASE
)
_MONTH = re.compile(r"\b(20\d\d)-(\d\d)(?:-\d\d)?\b")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


@dataclass(frozen=True)
class Planted:
    """One planted insight as what has to be told."""

    sentence: str
    labels: frozenset[str]
    numbers: tuple[tuple[float, int, bool], ...]

    @property
    def checkable(self) -> bool:
        """Whether it names anything that can be looked for."""
        return bool(self.labels or self.numbers)


def planted(flag: int, cells: set[str]) -> list[Planted]:
    """The planted insights of a table."""
    held = json.loads((FOLDER / f"flag-{flag}.json").read_text(encoding="utf-8"))
    found: list[Planted] = []
    for insight in held["insights"]:
        sentence = insight.get("insight") or ""
        texts = _flat(insight.get("insight_value"))
        labels, numbers = _labels(texts, cells), _numbers(texts, cells)
        if not labels and not numbers:
            labels, numbers = _labels([sentence], cells), _numbers([sentence], cells)
        found.append(Planted(sentence, frozenset(labels), tuple(numbers)))
    return found


def _flat(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [t for k, v in value.items() for t in (str(k), *_flat(v))]
    if isinstance(value, list):
        return [t for v in value for t in _flat(v)]
    return [] if value is None else [str(value)]


def _labels(texts: list[str], cells: set[str]) -> set[str]:
    said = " | ".join(texts)
    found = {c for c in cells if re.search(rf"(?<!\w){re.escape(c)}(?!\w)", said, re.IGNORECASE)}
    # A label within a longer one that is also named says nothing of its own.
    found = {c for c in found if not any(c != o and c.lower() in o.lower() for o in found)}
    return found | {m[0][:7] for m in _MONTH.finditer(said)}


def _numbers(texts: list[str], cells: set[str]) -> list[tuple[float, int, bool]]:
    found: list[tuple[float, int, bool]] = []
    for text in texts:
        for cell in sorted(cells, key=len, reverse=True):
            if any(ch.isdigit() for ch in cell):
                text = text.replace(cell, " ")
        text = _MONTH.sub(" ", re.sub(r"\d\d-\d\d-20\d\d", " ", text))
        for match in _NUMBER.finditer(text):
            digits = match[0].removesuffix(match["scale"] or "").replace(",", "").strip()
            scale = {"M": 1e6, "million": 1e6, "K": 1e3, "thousand": 1e3}.get(match["scale"] or "", 1.0)
            places = len(digits.partition(".")[2])
            loose = bool(_ABOUT.search(text[: match.start()].rstrip(" $")))
            found.append(
                (float(digits) * scale, places if scale == 1 else places - len(f"{scale:.0f}") + 1, loose)
            )
    return found


def told_in(insight: Any, planted_: Planted) -> tuple[set[str], list[tuple[float, int, bool]]]:
    """The labels and numbers of a planted insight that one told insight holds."""
    text = _text(insight)
    labels = {c for c in planted_.labels if _says(text, c)}
    values = _values(insight)
    numbers = [n for n in planted_.numbers if any(_agrees(v, n) for v in values)]
    return labels, numbers


def _text(insight: Any) -> str:
    groups = [v for f in insight.facts for v in f.about.group.values()]
    filters = [str(v) for f in insight.facts[:1] for c in f.about.filters for v in c.values]
    stamps = [str(f.value) for f in insight.facts if isinstance(f.value, str)]
    return " | ".join([insight.title, insight.sentence, *groups, *filters, *stamps])


def _says(text: str, label: str) -> bool:
    if re.fullmatch(r"20\d\d-\d\d", label):
        year, month = label.split("-")
        return label in text or f"{_MONTHS[int(month) - 1]} {year}" in text
    return re.search(rf"(?<!\w){re.escape(label)}s?(?!\w)", text, re.IGNORECASE) is not None


def _values(insight: Any) -> list[float]:
    values: list[float] = []
    for fact in insight.facts:
        if isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool):
            values.append(float(fact.value))
            if fact.unit == "fraction":
                values.append(100 * float(fact.value))
    return values


def _agrees(value: float, wanted: tuple[float, int, bool]) -> bool:
    number, places, loose = wanted
    if not loose and number >= 1000 and number % 100 == 0:
        return abs(value - number) <= max(0.025 * number, 0.5001 * 10.0 ** (-places))
    if loose:
        return abs(abs(value) - abs(number)) <= 0.05 * abs(number)
    return abs(value - number) <= 0.5001 * 10.0 ** (-places)


def _cells(paths: list[Path]) -> set[str]:
    import pandas as pd

    found: set[str] = set()
    for path in paths:
        frame = pd.read_csv(path, dtype=str)
        for column in frame:
            held = frame[column].dropna().str.strip()
            if 1 <= held.nunique() <= 200:
                found |= {c for c in held.unique() if len(c) > 1 and not re.fullmatch(r"[\d.,:\s-]+", c)}
    return found


def measure(flag: int, show: bool = False) -> dict[str, float]:
    """How many planted insights of one table are told."""
    from gnomon.agents.auto_insight import tell_insights
    from gnomon.data import open_sources, profile_dataset
    from gnomon.semantic.infer import infer_model

    paths = [p for p in (FOLDER / f"flag-{flag}.csv", FOLDER / f"flag-{flag}-users.csv") if p.exists()]
    goal = json.loads((FOLDER / f"flag-{flag}.json").read_text(encoding="utf-8"))["metadata"]["goal"]
    started = time.perf_counter()
    with open_sources(*paths) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        told = tell_insights(dataset, model, goal=goal, top=TOLD)
    seconds = time.perf_counter() - started
    wanted = planted(flag, _cells(paths))
    found, parts, all_parts, numbered, found_numbered = 0, 0, 0, 0, 0
    for one in wanted:
        held = [told_in(i, one) for i in told]
        whole = one.checkable and any(
            len(labels) == len(one.labels) and len(numbers) == len(one.numbers) for labels, numbers in held
        )
        found += whole
        numbered += bool(one.numbers)
        found_numbered += whole and bool(one.numbers)
        seen = {c for labels, _ in held for c in labels} | {n for _, numbers in held for n in numbers}
        parts += len(seen)
        all_parts += len(one.labels) + len(set(one.numbers))
        if show:
            mark = "found " if whole else "missed" if one.checkable else "-     "
            print(f"  {mark} {one.sentence[:110]} {sorted(one.labels)} {[n[0] for n in one.numbers]}")
    if show:
        for i, insight in enumerate(told, start=1):
            print(f"  {i:2}. {insight.sentence}")
    checkable = sum(o.checkable for o in wanted)
    return {
        "planted": len(wanted), "checkable": checkable, "found": found, "parts": parts, "all_parts": all_parts,
        "numbered": numbered, "found_numbered": found_numbered, "seconds": seconds,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sealed", action="store_true", help="the half that was kept sealed")
    parser.add_argument("--show", type=int, help="one table in full")
    given = parser.parse_args()
    if not FOLDER.is_dir():
        sys.exit("The tables of InsightBench are not there: ../shared/data/insightbench")
    if given.show is not None:
        print(measure(given.show, show=True))
        return
    flags = sorted(int(p.stem.split("-")[1]) for p in FOLDER.glob("flag-*.json"))
    chosen = [f for f in flags if f % 2 == (0 if given.sealed else 1)]
    total: dict[str, float] = {}
    for flag in chosen:
        row = measure(flag)
        print(
            f"flag {flag:3}: {row['found']:.0f} of {row['checkable']:.0f} checkable, {row['planted']:.0f} planted"
        )
        total = {k: total.get(k, 0) + v for k, v in row.items()}
    print(
        f"{len(chosen)} tables: {total['found']:.0f} of {total['planted']:.0f} planted "
        f"({total['found'] / total['planted']:.1%}), {total['found'] / max(total['checkable'], 1):.1%} of "
        f"{total['checkable']:.0f} checkable, {total['found_numbered']:.0f} of {total['numbered']:.0f} with numbers; parts {total['parts'] / max(total['all_parts'], 1):.1%}; "
        f"{total['seconds'] / len(chosen):.1f} s per table"
    )


if __name__ == "__main__":
    main()
