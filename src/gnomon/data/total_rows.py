"""Rows of a sheet that sum up other rows: found by their numbers and by what their labels leave out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gnomon.data.column_names import YEAR, has, names_identifier
from gnomon.data.measurement import Family
from gnomon.data.null_tokens import is_null
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.statistic_rows import named_statistics, statistics_in
from gnomon.data.summary_words import Statistic, is_total, is_whole, names_total, statistic_of
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
_JOINT_BITS = 8.5
_NAMED_BITS = 4.0
_STARTS = 60
_SEVERAL_ROWS = 10
_MOST_AT_AN_END = 12
_MOSTLY_FILLED = 0.85
_WORD = r"'^[^0-9]*\pL{2}[^0-9]*$'"
"""A text with a word in it and no digit."""


@dataclass(frozen=True)
class Sheet:
    """What is looked at.

    Args:
        numbers: Those that may add up, NaN for none.
        labels: What labels each row, None for nothing.
        lost: The rows that are called an average, a largest value and so on where no label tells it.
    """

    numbers: Numbers
    labels: Sequence[tuple[str | None, ...]]
    lost: Mapping[int, Statistic] = field(default_factory=dict[int, Statistic])

    @property
    def named(self) -> dict[int, Statistic]:
        """The rows that are called so."""
        return named_statistics(self.labels) | dict(self.lost)


@dataclass(frozen=True)
class _Candidate:
    """A row that may be a total.

    Args:
        row: Where it stands.
        empty: The labels that it leaves empty and that other rows have.
        named: Whether a label holds a word for a total, and little else.
        alone: Whether a label of its own stands where the labels of other rows come back.
        bare: Whether a label is a word for a total and nothing else.
        mute: Whether it says nothing but that it is a total: a word for one, or no label at all.
        sure: Whether numbers that fit are enough.
    """

    row: int
    empty: tuple[int, ...]
    named: bool
    alone: bool
    bare: bool = False
    mute: bool = False
    sure: bool = False


@dataclass(frozen=True)
class Summaries:
    """The rows that sum up others.

    Args:
        marks: Their fingerprints; none where the table is long, or known by a sample only.
        totals: How many tell a sum.
        figures: How many tell an average, an extreme or another figure.
        edges: How many stand at an end and have a word where all others have a day.
    """

    marks: tuple[int, ...] = ()
    totals: int = 0
    figures: int = 0
    edges: int = 0

    @property
    def said(self) -> str:
        """What was done with them, in a sentence."""
        parts = [
            (self.totals, "is a total", "are totals"),
            (self.figures, "tells an average or another figure", "tell an average or another figure"),
        ]
        told = [
            f"{n:,} {f'row {one}' if n == 1 else f'rows {many}'} of other rows" for n, one, many in parts if n
        ]
        if n := self.edges:
            told.append(
                f"{n:,} row{'s' * (n > 1)} at an end {'has' if n == 1 else 'have'} a word where the others have a day"
            )
        it = "it is" if self.totals + self.figures + self.edges == 1 else "they are"
        return f"{' and '.join(told)}, so {it} left out of every figure."


def total_rows(workspace: Workspace, raw: RawTable, table: Table) -> Summaries:
    """The rows that sum up others."""
    numeric = [c.name for c in table.columns if _may_add_up(c)][:_MOST_COLUMNS]
    labels = [c.name for c in table.columns if not _may_add_up(c) and _may_label(c)][:_MOST_COLUMNS]
    if not numeric or raw.sample is not None or (table.rows or 0) > MOST_ROWS:
        return Summaries()

    def cells(listed: list[str]) -> list[tuple[Any, ...]]:
        query = f"SELECT {', '.join(listed)} FROM {table.relation} LIMIT {MOST_ROWS + 1}"
        return workspace.connection.execute(query).fetchall()

    told = [
        tuple(_label(v) for v in r[1:])
        for r in cells(["0", *(f"left({quote(c)}::VARCHAR, 80)" for c in labels)])
    ]
    if not 3 <= len(told) <= MOST_ROWS:
        return Summaries()
    lost = _named_among_numbers(workspace, raw, table)
    edges = _words_for_days(workspace, raw, table, labels, told)
    if not (_candidates(told) or named_statistics(told) or lost or edges):
        return Summaries()
    import numpy as np

    rows = cells([f"{quote(c)}::DOUBLE" for c in numeric])
    numbers = np.array([[math.nan if v is None else v for v in r] for r in rows], dtype=float)
    sheet = Sheet(numbers, told, lost)
    summing = totals_in(sheet)
    found = sorted({*summing, *edges})
    if not found:
        return Summaries()
    marks = workspace.connection.execute(f"SELECT {fingerprint(raw.columns)} FROM {raw.relation}").fetchall()
    left = {int(marks[i][0]) for i in found}
    named = sheet.named
    figures = sum(i in named for i in summing)
    rows_left = sum(int(m[0]) in left for m in marks)
    apart = len(found) - len(summing)
    return Summaries(tuple(sorted(left)), rows_left - figures - apart, figures, apart)


def _words_for_days(
    workspace: Workspace,
    raw: RawTable,
    table: Table,
    labels: Sequence[str],
    told: Sequence[tuple[str | None, ...]],
) -> list[int]:
    """The first and last rows that have a word where all others have a day, and nothing where others have a text.

    Whatever their word is (a balance carried over, a spread, a quartile), they are none of the rows that the table lists.
    Where rows have no text beside the day, the word has to name a figure.
    """
    at = {name: k for k, name in enumerate(labels)}
    days = [
        c.name
        for c in table.columns
        if c.name in at
        and Family.of(c.type) in (Family.DATE, Family.TIMESTAMP)
        and c.conversion
        and c.conversion.failed
    ]
    if len(told) < _SEVERAL_ROWS or not days:
        return []
    texts = [
        k for c in table.columns if (k := at.get(c.name)) is not None and Family.of(c.type) is Family.TEXT
    ]
    filled = [k for k in texts if sum(r[k] is not None for r in told) >= _MOSTLY_FILLED * len(told)]
    query = f"SELECT {', '.join(f'left({quote(c)}::VARCHAR, 80)' for c in days)} FROM {raw.relation} LIMIT {MOST_ROWS + 1}"
    written = [tuple(_label(v) for v in r) for r in workspace.connection.execute(query).fetchall()]

    def apart(i: int) -> bool:
        words = [
            w
            for w, c in zip(written[i], days, strict=True)
            if told[i][at[c]] is None and w and not is_null(w)
        ]
        mute = all(told[i][k] is None for k in filled) if filled else any(map(statistic_of, words))
        return bool(words) and mute

    odd = [i for i in range(len(told)) if apart(i)]
    if not 0 < len(odd) <= min(_MOST_AT_AN_END, len(told) // 5):
        return []
    ends = {*range(len(odd)), *range(len(told) - len(odd), len(told))}
    return odd if ends.issuperset(odd) else []


def _named_among_numbers(workspace: Workspace, raw: RawTable, table: Table) -> dict[int, Statistic]:
    """The rows that are called so in a column of numbers or days, where the word is read as missing."""
    if not any(c.conversion and c.conversion.failed for c in table.columns):
        return {}
    texts = {c for c, kind in workspace.describe(raw.relation) if kind == "VARCHAR"}
    typed = [c.name for c in table.columns if c.name in texts and Family.of(c.type) is not Family.TEXT][
        :_MOST_COLUMNS
    ]
    if not typed:
        return {}
    # One expression for all columns: each of them is compiled for longer than it takes to look through a thousand cells.
    words = f"list_transform([{', '.join(map(quote, typed))}], lambda cell: regexp_matches(cell, {_WORD}))"
    query = f"SELECT list_position({words}, true), {', '.join(f'left({quote(c)}, 80)' for c in typed)} FROM {raw.relation}"
    rows = workspace.connection.execute(f"{query} LIMIT {MOST_ROWS + 1}").fetchall()
    return named_statistics([(_label(r[r[0]]) if r[0] else None,) for r in rows])


def fingerprint(columns: Sequence[str]) -> str:
    """SQL for a number that tells rows of the raw relation apart by all their cells."""
    return f"hash({', '.join(quote(c) for c in columns)})"


def totals_in(sheet: Sheet) -> list[int]:
    """The rows of ``sheet`` that sum up other rows, or tell an average or an extreme of them; their numbers have to fit."""
    import numpy as np

    named = sheet.named
    if named:  # what is above a total is told without them
        rest = [i for i in range(len(sheet.labels)) if i not in named]
        sums = [rest[i] for i in _sums_in(Sheet(sheet.numbers[rest], [sheet.labels[i] for i in rest]))]
        with np.errstate(all="ignore"):
            told = statistics_in(sheet.numbers, sheet.labels, named, sums)
        if len(told) == len(named):
            return sorted([*sums, *told])
    return _sums_in(sheet)


def _sums_in(sheet: Sheet) -> list[int]:
    """The rows that sum up the rows above them, or below."""
    candidates = _candidates(sheet.labels)
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


def _candidates(labels: Sequence[tuple[str | None, ...]]) -> list[_Candidate]:
    """The rows that may sum up others, by what stands in their labels."""
    rows = len(labels)
    width = len(labels[0]) if rows else 0
    counts = [Counter(r[k] for r in labels) for k in range(width)]
    unlabelled = sum(all(v is None for v in r) for r in labels)
    filled = [k for k in range(width) if rows - counts[k][None] >= max(2, _FILLED * (rows - unlabelled - 1))]
    coming_back = [k for k in range(width) if len(counts[k]) <= max(2, 0.6 * rows)]
    naming = {label for count in counts for label in count if names_total(label)}
    saying = {label for label in naming if is_whole(label)}
    bare = {label for label in naming if is_total(label)}
    found: list[_Candidate] = []
    for i, label in enumerate(labels):
        empty = tuple(k for k in filled if label[k] is None)
        named = not naming.isdisjoint(label)
        alone = any(counts[k][label[k]] == 1 for k in coming_back if label[k] is not None)
        if empty or named or (i in (0, rows - 1) and (alone or _is_apart(label, counts))):
            mute = not saying.isdisjoint(label) or (bool(empty) and all(v is None for v in label))
            found.append(_Candidate(i, empty, named, alone, not bare.isdisjoint(label), mute))
    return found if len(found) <= min(_MOST_CANDIDATES, 0.6 * rows + 1) else [c for c in found if c.named]


def _is_apart(label: tuple[str | None, ...], counts: Sequence[Counter[str | None]]) -> bool:
    """Whether none of the labels of a row comes back in another row; a row without labels is apart too."""
    return all(v is None or counts[k][v] == 1 for k, v in enumerate(label))


_Form = tuple[tuple[int, ...], bool]


def _below(numbers: Numbers, candidates: Sequence[_Candidate]) -> list[int]:
    """The candidates that sum up rows before them; blocks of one row count where longer ones have such totals."""
    found, forms = _accepted(numbers, candidates, frozenset())
    if found and forms:
        found = _accepted(numbers, candidates, forms)[0]
    mute = [c for c in candidates if c.mute]
    for group in (mute, [c for c in mute if c.named], [c for c in mute if not c.named]):
        rows = {c.row for c in group}
        if rows and not rows <= {*found} and (together := _together(numbers, candidates, rows)):
            return together
    return found


def _together(numbers: Numbers, candidates: Sequence[_Candidate], rows: set[int]) -> list[int]:
    """The totals where all of ``rows``, which say nothing but that they are totals, fit as such; none where they do not.

    Numbers that are all alike, or round, say little in one row; many rows that all fit say it together, and so does
    a row beyond all others, or the only one of its kind where it stands first or last.
    """
    import numpy as np

    sure = [replace(c, sure=c.row in rows) for c in candidates]
    found, forms = _accepted(numbers, sure, frozenset())
    found, _ = _accepted(numbers, sure, forms) if forms else (found, forms)
    if not rows <= {*found}:
        return []
    details = np.delete(numbers, found, axis=0)
    if len(details) < 2:
        return []
    highest = np.nan_to_num(np.abs(details)).max(axis=0, initial=0)
    steps = _steps(numbers)
    worth = 0.0
    for c in (c for c in candidates if c.row in rows):
        own = np.abs(np.nan_to_num(numbers[c.row]))
        above = own > highest
        digits = np.log2(np.maximum(own / np.minimum(steps, np.maximum(highest, 1e-9)), 1.0)).sum()
        worth += float(digits) - math.log2(len(rows) + 1)
        worth += math.log2(len(details) + 1) if above.any() else 0.0
        worth += _NAMED_BITS if c.named else 0.0
    if len(rows) == 1 and rows <= {0, len(numbers) - 1}:
        worth += math.log2(len(numbers))
    return found if worth >= _JOINT_BITS else []


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
    if candidate.sure:
        return -math.inf
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
