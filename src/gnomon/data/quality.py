"""Warnings about a column: what would mislead somebody who computes with it unseen."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from gnomon.core.patterns import regex
from gnomon.data.column_kinds import Role
from gnomon.data.measurement import Family, Figures
from gnomon.data.profile_model import TableProfile, TopValue

_NUMERIC = regex(r"[-+]?(\d[\d,. ]*|\.\d+)([eE][-+]?\d+)?%?")
_DATE = regex(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")
PLACEHOLDER_DATES = frozenset(
    {
        "0001-01-01",
        "1753-01-01",
        "1899-12-30",
        "1899-12-31",
        "1900-01-01",
        "1970-01-01",
        "2099-12-31",
        "9999-12-31",
    }
)
_UNKNOWN = frozenset(
    {
        "n/a",
        "na",
        "null",
        "none",
        "nan",
        "-",
        "--",
        "?",
        "unknown",
        "missing",
        "not available",
        "tbd",
        "#n/a",
        ".",
    }
)


def column_warnings(figures: Figures, rows: int, role: Role) -> tuple[str, ...]:
    """Everything worth a warning about one column."""
    if rows == 0:
        return ()
    found = [
        *_emptiness(figures, rows),
        *_numbers(figures, rows, role),
        *_dates(figures),
        *_texts(figures, role),
    ]
    conversion = figures.column.conversion
    if conversion and conversion.failed:
        total = conversion.converted + conversion.failed
        found.append(f"{conversion.failed:,} of {total:,} cells could not be read as {conversion.kind.value}")
    return tuple(found)


def table_warnings(profile: TableProfile) -> tuple[str, ...]:
    """What is wrong with a table as a whole."""
    found: list[str] = []
    if profile.rows == 0:
        found.append("the table has no rows")
    if profile.duplicate_rows:
        about = "" if profile.duplicates_exact else "about "
        share = profile.duplicate_rows / profile.rows
        found.append(f"{about}{profile.duplicate_rows:,} rows ({share:.1%}) repeat another row")
    found.extend(
        f"{grain.column}: {grain.missing:,} missing periods at the grain '{grain.grain}'"
        for grain in profile.time
        if grain.missing and grain.regular
    )
    return tuple(found)


def _emptiness(figures: Figures, rows: int) -> list[str]:
    if figures.nulls == rows:
        return ["empty: no cell has a value"]
    found: list[str] = []
    if figures.distinct == 1 and rows > 1:
        found.append(
            "constant: one value in every row" if figures.nulls == 0 else "constant: one value or nothing"
        )
    if figures.nulls / rows > 0.5:
        found.append(f"mostly empty: {figures.nulls / rows:.0%} of the cells have no value")
    return found


def _numbers(figures: Figures, rows: int, role: Role) -> list[str]:
    if figures.family is not Family.NUMBER or figures.distinct == 0:
        return []
    found: list[str] = []
    if figures.not_finite:
        found.append(
            f"{figures.not_finite:,} cells are not finite numbers; they are left out of the statistics"
        )
    if role not in (Role.ID, Role.BOOLEAN, Role.TIME):
        found.extend(
            f"suspicious value {_short(value)}{_often(count)}: may stand for a missing one"
            for value, count in sentinels(figures)
        )
    return found


def sentinels(figures: Figures) -> list[tuple[float, int]]:
    """Values such as -999 or 9999 that stand apart from the rest, with how often they occur.

    A candidate is one repeated digit 9 (at least two, or -1 below non-negative values) at the edge of the range
    that lies far outside the bulk of the column.
    """
    if figures.quantiles is None or figures.minimum is None or figures.distinct < 3:
        return []
    middle = {k: float(v) for k, v in figures.quantiles.items() if v is not None}
    counts = {
        float(t.value): t.count
        for t in figures.top
        if isinstance(t.value, int | float) or _is_decimal(t.value)
    }
    low, high = float(figures.minimum), float(figures.maximum)
    candidates = {low, high, *(v for v in counts if v in (low, high))}
    found: list[tuple[float, int]] = []
    for value in sorted(candidates):
        if not _looks_reserved(value):
            continue
        others = [v for v in (*middle.values(), *(c for c in counts if c != value)) if v != value]
        if others and _stands_apart(value, others, figures.stddev or 0.0):
            found.append((value, counts.get(value, 0)))
    return found


def _is_decimal(value: Any) -> bool:
    return type(value).__name__ == "Decimal"


def _looks_reserved(value: float) -> bool:
    if not math.isfinite(value) or value != int(value):
        return math.isfinite(value) and re.fullmatch(r"-?9{2,}\.9+", f"{value:g}") is not None
    digits = str(abs(int(value)))
    if value == -1 or (len(digits) >= 2 and set(digits) == {"9"}):
        return True
    return value < 0 and re.fullmatch(r"([1-9])\1{2,}", digits) is not None


def _stands_apart(value: float, others: Sequence[float], stddev: float) -> bool:
    low, high = min(others), max(others)
    if value == -1:
        return low >= 0 and high > 5
    spread = max(high - low, abs(high), 1e-9)
    if value < low:
        return value < 0 and (low >= 0 or low - value > spread)
    return value - high > max(spread, 3 * abs(stddev) if stddev < spread else 0.0)


def _dates(figures: Figures) -> list[str]:
    if figures.family not in (Family.DATE, Family.TIMESTAMP):
        return []
    edges = {str(v)[:10] for v in (figures.minimum, figures.maximum) if v is not None}
    common = {str(t.value)[:10]: t.count for t in figures.top}
    inner = [str(v)[:4] for v in (figures.quantiles or {}).values() if str(v)[:10] not in PLACEHOLDER_DATES]
    return [
        f"suspicious date {date}{_often(common.get(date, 0))}: may stand for a missing one"
        for date in sorted(edges & PLACEHOLDER_DATES)
        if all(abs(int(year) - int(date[:4])) > 5 for year in inner if year.isdigit())
    ]


def _texts(figures: Figures, role: Role) -> list[str]:
    if figures.family is not Family.TEXT or not figures.values:
        return []
    found: list[str] = []
    if figures.padded - figures.blank > 0:
        found.append(f"{figures.padded - figures.blank:,} cells have spaces at the start or the end")
    if figures.blank:
        found.append(f"{figures.blank:,} cells are blank text, not null")
    stands = [t for t in figures.top if str(t.value).strip().lower() in _UNKNOWN]
    found.extend(f"{t.value!r}{_often(t.count)} may stand for a missing value" for t in stands[:2])
    if role is not Role.PERSONAL:
        found.extend(_mixture([str(v).strip() for v in figures.values if str(v).strip()]))
    found.extend(_spellings(figures.top))
    return found


def _mixture(cells: Sequence[str]) -> list[str]:
    if len(cells) < 3:
        return []
    numeric = sum(1 for c in cells if _NUMERIC.fullmatch(c)) / len(cells)
    dates = sum(1 for c in cells if _DATE.fullmatch(c)) / len(cells)
    leading = sum(1 for c in cells if re.fullmatch(r"0\d+", c)) / len(cells)
    if numeric >= 0.95 and leading < 0.01:
        return ["numbers stored as text"]
    if dates >= 0.95:
        return ["dates stored as text"]
    if 0.1 <= numeric <= 0.9 and not _codes(cells):
        return [f"mixed: about {numeric:.0%} of the different values are numbers, the rest is text"]
    return []


def _codes(cells: Sequence[str]) -> bool:
    """Whether the values are short codes, in which digits alone are one of the usual shapes."""
    return max(len(c) for c in cells) <= 8 and all(" " not in c for c in cells)


def _spellings(top: Sequence[TopValue]) -> list[str]:
    """Frequent values that differ only by case or spaces."""
    seen: dict[str, str] = {}
    for t in top:
        text = str(t.value)
        folded = " ".join(text.casefold().split())
        if folded in seen and seen[folded] != text:
            return [f"{seen[folded]!r} and {text!r} differ only by case or spaces"]
        seen.setdefault(folded, text)
    return []


def _often(count: int) -> str:
    return f" in {count:,} rows" if count else ""


def _short(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:g}"
