"""Rows of a sheet that sum up other rows: found by their numbers and by what their labels leave out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnomon.data.column_names import YEAR, has, names_identifier
from gnomon.data.measurement import Family
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import Column, Table, quote

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MOST_ROWS = 50_000
"""Longer tables are exports of single events, which carry no totals."""

_MOST_COLUMNS = 60
_MOST_CANDIDATES = 4_000
_FILLED = 0.8
_SURE_BITS = 9.0
_BARE_BITS = 16.0
_STARTS = 60
_WORDS = frozenset(
    [
        "total",
        "totals",
        "sum",
        "subtotal",
        "overall",
        "gesamt",
        "summe",
        "gesamtsumme",
        "zwischensumme",
        "insgesamt",
        "totale",
        "somma",
        "suma",
        "totaal",
        "som",
        "summa",
        "yhteensä",
        "razem",
        "ogółem",
        "celkem",
        "összesen",
        "itogo",
        "итого",
        "всего",
        "сумма",
        "subtotaal",
        "subtotale",
        "sous-total",
        "toplam",
        "σύνολο",
        "jumlah",
        "tổng",
        "合計",
        "总计",
        "合计",
        "小計",
        "小计",
        "總計",
        "총계",
        "합계",
        "소계",
        "المجموع",
        "الإجمالي",
        "סה״כ",
        "סהכ",
        "कुल",
        "รวม",
        "Σ",
    ]
)
_BESIDE = frozenset(
    [
        "grand",
        "net",
        "all",
        "sub",
        "gross",
        "general",
        "général",
        "générale",
        "the",
        "of",
        "for",
        "whole",
        "report",
    ]
)
_CUT = re.compile(r"[\s:.,;()\[\]*=/|_]+")


@dataclass(frozen=True)
class Sheet:
    """What is looked at: numbers that may add up (NaN for none), and what labels each row (None for nothing)."""

    numbers: Numbers
    labels: Sequence[tuple[str | None, ...]]


@dataclass(frozen=True)
class _Candidate:
    """A row that may be a total.

    Args:
        row: Where it stands.
        empty: The labels that it leaves empty and that other rows have.
        named: Whether a label holds a word for a total, and little else.
        alone: Whether a label of its own stands where the labels of other rows come back.
        bare: Whether a label is a word for a total and nothing else.
    """

    row: int
    empty: tuple[int, ...]
    named: bool
    alone: bool
    bare: bool = False


def total_rows(workspace: Workspace, raw: RawTable, table: Table) -> list[int]:
    """Fingerprints of the rows that sum up others; none where the table is long, or known by a sample only."""
    numeric = [c.name for c in table.columns if _may_add_up(c)][:_MOST_COLUMNS]
    labels = [c.name for c in table.columns if not _may_add_up(c) and _may_label(c)][:_MOST_COLUMNS]
    if not numeric or raw.sample is not None or (table.rows or 0) > MOST_ROWS:
        return []
    listed = ", ".join(
        [f"{quote(c)}::DOUBLE" for c in numeric] + [f"left({quote(c)}::VARCHAR, 80)" for c in labels]
    )
    query = f"SELECT {listed} FROM {table.relation} LIMIT {MOST_ROWS + 1}"
    rows = workspace.connection.execute(query).fetchall()
    if not 3 <= len(rows) <= MOST_ROWS:
        return []
    import numpy as np

    width = len(numeric)
    sheet = Sheet(
        np.array([[math.nan if v is None else v for v in r[:width]] for r in rows], dtype=float),
        [tuple(_label(v) for v in r[width:]) for r in rows],
    )
    found = totals_in(sheet)
    if not found:
        return []
    marks = workspace.connection.execute(f"SELECT {fingerprint(raw.columns)} FROM {raw.relation}").fetchall()
    return sorted({int(marks[i][0]) for i in found})


def totals_said(count: int) -> str:
    """What was done with rows that sum up others, in a sentence."""
    if count == 1:
        return "1 row is a total of other rows, so it is left out of every figure."
    return f"{count:,} rows are totals of other rows, so they are left out of every figure."


def fingerprint(columns: Sequence[str]) -> str:
    """SQL for a number that tells rows of the raw relation apart by all their cells."""
    return f"hash({', '.join(quote(c) for c in columns)})"


def totals_in(sheet: Sheet) -> list[int]:
    """The rows of ``sheet`` that sum up the rows above them, or below; their numbers have to add up."""
    candidates = _candidates(sheet)
    if not candidates:
        return []
    below = _below(sheet.numbers, candidates)
    if below:
        return below
    last = len(sheet.numbers) - 1
    turned = [replace(c, row=last - c.row) for c in reversed(candidates)]
    above = sorted(last - i for i in _below(sheet.numbers[::-1], turned))
    return above or [c.row for c in candidates if c.row == last and _is_stale(c, sheet.numbers)]


def _is_stale(candidate: _Candidate, numbers: Numbers) -> bool:
    """Whether a last row is a total of rows that were changed since: it says so, names nothing else, and exceeds all."""
    import numpy as np

    own, others = numbers[candidate.row], np.nan_to_num(np.delete(numbers, candidate.row, axis=0))
    present = np.isfinite(own)
    exceeds = present & (own > others.max(axis=0))
    return candidate.bare and bool(candidate.empty) and bool(present.any() and (exceeds == present).all())


def _may_add_up(column: Column) -> bool:
    numeric = Family.of(column.type) is Family.NUMBER
    return numeric and not names_identifier(column.name) and not has(column.name, YEAR)


def _may_label(column: Column) -> bool:
    return Family.of(column.type) is not Family.OTHER


def _label(value: Any) -> str | None:
    text = str(value).strip() if value is not None else ""
    return text or None


def _is_named(label: str | None) -> bool:
    """Whether a label says that it is a total: the word, alone or with what it is the total of."""
    words = [w for w in _CUT.split((label or "").casefold()) if w]
    return any(w in _WORDS for w in words)


def _is_bare(label: str | None) -> bool:
    """Whether a label is a word for a total and nothing else."""
    words = [w for w in _CUT.split((label or "").casefold()) if w]
    return any(w in _WORDS for w in words) and all(w in _WORDS or w in _BESIDE for w in words)


def _candidates(sheet: Sheet) -> list[_Candidate]:
    rows = len(sheet.labels)
    width = len(sheet.labels[0]) if rows else 0
    counts = [Counter(r[k] for r in sheet.labels) for k in range(width)]
    filled = [k for k in range(width) if rows - counts[k][None] >= max(2, _FILLED * (rows - 1))]
    coming_back = [k for k in range(width) if len(counts[k]) <= max(2, 0.6 * rows)]
    naming = {label for count in counts for label in count if _is_named(label)}
    found: list[_Candidate] = []
    for i, label in enumerate(sheet.labels):
        empty = tuple(k for k in filled if label[k] is None)
        named = not naming.isdisjoint(label)
        alone = any(counts[k][label[k]] == 1 for k in coming_back if label[k] is not None)
        if empty or named or (i in (0, rows - 1) and (alone or _is_apart(label, counts))):
            found.append(_Candidate(i, empty, named, alone, any(_is_bare(v) for v in label)))
    return found if len(found) <= min(_MOST_CANDIDATES, 0.6 * rows + 1) else [c for c in found if c.named]


def _is_apart(label: tuple[str | None, ...], counts: Sequence[Counter[str | None]]) -> bool:
    """Whether none of the labels of a row comes back in another row; a row without labels is apart too."""
    return all(v is None or counts[k][v] == 1 for k, v in enumerate(label))


_Form = tuple[tuple[int, ...], bool]


def _below(numbers: Numbers, candidates: Sequence[_Candidate]) -> list[int]:
    """The candidates that sum up rows before them; blocks of one row count where longer ones have such totals."""
    found, forms = _accepted(numbers, candidates, frozenset())
    return _accepted(numbers, candidates, forms)[0] if found and forms else found


def _accepted(
    numbers: Numbers, candidates: Sequence[_Candidate], forms: frozenset[_Form]
) -> tuple[list[int], frozenset[_Form]]:
    """The candidates that sum up rows from the first or from after another total, and the forms of their labels."""
    import numpy as np

    steps, plain = _steps(numbers), np.nan_to_num(numbers)
    # Running sums and counts in one table, so that what totals added to both is taken off at once.
    cells = np.hstack([plain, (plain != 0).astype(float)])
    sums = np.vstack([np.zeros(cells.shape[1]), np.cumsum(cells, axis=0)])
    taken = np.zeros(cells.shape[1])
    starts: list[tuple[int, Numbers]] = [(0, taken)]
    trials = math.log2(len(candidates) + 1)
    found: list[int] = []
    seen: set[_Form] = set()
    for c in candidates:
        form = (c.empty, c.named)
        for start, before in reversed(starts):  # the nearest first: a subtotal belongs to its own block
            inside, many = np.split(sums[c.row] - sums[start] - (taken - before), 2)
            bits = _match(numbers[c.row], inside, many, steps, rounded=c.named)
            if bits is None or (bits >= 0 and bits - trials < _needed(c, len(numbers))):
                continue
            if bits >= 0 or form in forms:
                break
        else:
            continue
        found.append(c.row)
        if bits >= 0 and (c.empty or c.named):
            seen.add(form)
        taken = taken + cells[c.row]
        starts = [starts[0], *starts[1:][-_STARTS:], (c.row + 1, taken)]
    return found, frozenset(seen)


def _needed(candidate: _Candidate, rows: int) -> float:
    """How unlikely a match by chance has to be, in bits, given what the labels say already."""
    if candidate.named:
        return -math.inf if candidate.empty or candidate.alone or candidate.row in (0, rows - 1) else 4.0
    return _SURE_BITS if candidate.empty or candidate.alone else _BARE_BITS


def _steps(numbers: Numbers) -> Numbers:
    """The step in which each column counts: 1, 0.01, 100 …; a match in whole steps is worth their number."""
    import numpy as np

    steps: list[float] = []
    for column in numbers.T:
        # Numbers beyond the whole ones that floats hold have no step to tell.
        held = np.abs(column[np.isfinite(column) & (column != 0) & (np.abs(column) < 2**62)])[:2_000]
        if not len(held):
            steps.append(1.0)
            continue
        unit = next(
            (10.0**-d for d in range(5) if np.allclose(held * 10.0**d, np.rint(held * 10.0**d), atol=1e-6)),
            1e-5,
        )
        whole = np.rint(held / unit)
        common = int(np.gcd.reduce(whole.astype(np.int64))) if whole.max() < 2**62 else 1
        steps.append(max(common, 1) * unit)
    return np.array(steps)


def _match(own: Numbers, inside: Numbers, many: Numbers, steps: Numbers, *, rounded: bool) -> float | None:
    """How unlikely it is that the numbers of a row are these sums by chance, in bits; None where they are not.

    Negative where only one row stands before it. Cells that are no sum have to be what rates are: none at all,
    or something no larger than the sum. ``rounded`` allows for what was rounded before it was written.
    """
    import numpy as np

    present = np.isfinite(own) & (own != 0)
    if not present.any():
        return None
    written = steps * 0.51 * np.minimum(many, 50)
    slack = np.maximum(1e-9 * np.abs(inside), np.where((steps < 1) | rounded, written, 1e-6))
    slack = np.minimum(slack, np.maximum(0.01 * np.abs(inside), 1e-6))
    same = present & (np.abs(own - inside) <= slack) & (many >= 1)
    other = present & ~same
    if same.sum() * 2 < present.sum() or not same.any():
        return None
    if (other & (np.abs(own) > np.abs(inside)) & (many > 1)).any():
        return None
    several = same & (many >= 2)
    if not several.any():
        return -1.0
    worth = np.log2(np.maximum(np.abs(own[several]) / np.maximum(steps[several], 2 * slack[several]), 1.0))
    return float(worth.sum())
