"""How far a told table agrees with the true one: rows found by their keys, columns by their values, names ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.agents.evaluation.truth import Truth
from gnomon.agents.evaluation.values import Form, forms, is_number, plain, same_number, scales

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Agreement:
    """How much of what was told is true, and how much of what is true was told."""

    correctness: float = 0.0
    completeness: float = 0.0

    @property
    def total(self) -> float:
        """One number to choose the better of two by."""
        return self.correctness + self.completeness


NONE = Agreement()
FULL = Agreement(1.0, 1.0)


def key_count(truth: Truth) -> int:
    """How many leading columns name a row: the first, and those after it that hold no numbers."""
    count = 1
    while count < len(truth.columns) and not any(is_number(row[count]) for row in truth.rows):
        count += 1
    return count


def compare_tables(
    truth: Truth, told: Rows, tolerance: float, *, ordered: bool = False, percent: bool = False
) -> Agreement:
    """Compare rows with the true ones.

    Every told row counts: one that is not asked for lowers the correctness. Columns beyond those of the truth
    are ignored.

    Args:
        truth: Key columns first, then numbers.
        told: The rows of the answer.
        tolerance: Relative, for numbers.
        ordered: The order of the rows is part of the truth, but for rows whose last number is the same.
        percent: A column of rates may be told as fractions or in percent.
    """
    told = [row for row in told if not _is_total(row) and not _is_silent(row)]
    if not truth.rows or not told:
        return FULL if not truth.rows and not told else NONE
    keys = key_count(truth)
    places = _key_columns(truth, told, keys)
    if places is None:
        return NONE
    pairs = _pair(truth, told, places)
    columns = range(keys, len(truth.columns))
    if not columns:
        hits = float(len(pairs))
    else:
        free = [c for c in range(len(told[0])) if c not in places]
        hits = _hits(truth, told, pairs, list(columns), free, tolerance, percent) / len(columns)
    order = _order(truth, pairs, tolerance) if ordered else 1.0
    return Agreement(hits / len(told) * order, hits / len(truth.rows))


def compare_sets(truth: Truth, told: Rows) -> Agreement:
    """Compare the distinct values of the first true column with the told column that holds most of them."""
    wanted = [forms(row[0]) for row in truth.rows]
    best = NONE
    for column in range(len(told[0]) if told else 0):
        have = {forms(row[column]) for row in told}
        found = sum(any(not w.isdisjoint(h) for h in have) for w in wanted)
        agreement = Agreement(min(found / len(have), 1.0), found / len(wanted)) if found else NONE
        best = max(best, agreement, key=lambda a: a.total)
    return best


def _is_total(row: Sequence[Any]) -> bool:
    """A row that sums up the others is an extra, not a claim about a group."""
    return bool(row) and plain(row[0]) in {"total", "all", "overall", "grand total"}


def _is_silent(row: Sequence[Any]) -> bool:
    """A row that gives no value for its key claims nothing."""
    return len(row) > 1 and all(plain(value) is None for value in row[1:])


def _key_columns(truth: Truth, told: Rows, keys: int) -> list[int] | None:
    """For each true key column the told one that shares most values with it; None where one has no counterpart."""
    places: list[int] = []
    for k in range(keys):
        wanted: set[Form] = set().union(*(forms(row[k]) for row in truth.rows))
        shared = {
            c: sum(not wanted.isdisjoint(forms(row[c])) for row in told)
            for c in range(len(told[0]))
            if c not in places
        }
        best = max(shared, key=lambda c: (shared[c], -c), default=None)
        if best is None or not shared[best]:
            return None
        places.append(best)
    return places


def _pair(truth: Truth, told: Rows, places: list[int]) -> list[tuple[int, int]]:
    """Which told row belongs to which true one, in the order of the told; each is used once."""
    by_form: dict[Form, list[int]] = {}
    for i, row in enumerate(truth.rows):
        for form in forms(row[0]):
            by_form.setdefault(form, []).append(i)
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    for j, row in enumerate(told):
        candidates = {i for form in forms(row[places[0]]) for i in by_form.get(form, [])} - used
        for i in sorted(candidates):
            if all(not forms(truth.rows[i][k]).isdisjoint(forms(row[c])) for k, c in enumerate(places)):
                pairs.append((i, j))
                used.add(i)
                break
    return pairs


def _hits(
    truth: Truth,
    told: Rows,
    pairs: list[tuple[int, int]],
    columns: list[int],
    free: list[int],
    tolerance: float,
    percent: bool,
) -> float:
    """How many cells agree, each true column taken with the free told column that agrees most, at one scale."""
    total = 0
    left = list(free)
    for column in columns:
        scores = {
            c: max(
                sum(_agrees(truth.rows[i][column], told[j][c], scale, tolerance) for i, j in pairs)
                for scale in scales(percent)
            )
            for c in left
        }
        best = max(scores, key=lambda c: (scores[c], -c), default=None)
        if best is not None and scores[best]:
            total += scores[best]
            left.remove(best)
    return float(total)


def _agrees(truth: Any, told: Any, scale: float, tolerance: float) -> bool:
    a, b = plain(truth), plain(told)
    if isinstance(a, float) and isinstance(b, float):
        return same_number(a * scale, b, tolerance)
    return a is None and b is None


def _order(truth: Truth, pairs: list[tuple[int, int]], tolerance: float) -> float:
    """The share of told rows that stand where they belong; rows with the same last number may change places."""
    if not pairs:
        return 0.0

    def weight(i: int) -> Any:
        return plain(truth.rows[i][-1])

    right = 0
    for place, (i, _) in enumerate(sorted(pairs, key=lambda p: p[1])):
        expected = sorted(p[0] for p in pairs)[place]
        a, b = weight(i), weight(expected)
        tied = isinstance(a, float) and isinstance(b, float) and same_number(a, b, tolerance)
        right += i == expected or tied
    return right / len(pairs)
