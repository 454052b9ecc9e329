"""Whether the first row of a text table names its columns: not of the kind of what stands below, or a row of periods."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from gnomon.core.patterns import regex

TYPED = regex(
    r"""\s*(?:
    [-+(]?\s*[$€£¥]?\s*[-+]?\d[\d.,'\u00a0\u202f ]*(?:e[-+]?\d+)?\s*[%)]?\s*[$€£]?   # numbers, money, percents
    |\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AaPp][Mm])?(?:Z|[-+]\d{2}:?\d{2})?)?
    |\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_YEAR = regex(r"(?:19|20)\d{2}")
_DAY = regex(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")
_WHOLE = regex(r"[-+]?\d{1,9}")
_LOOKED_AT = 200
_NEARLY_ALL = 0.9
_SEVERAL = 3  # a row of running numbers


class Header(Enum):
    """What the first row is taken for."""

    NAMES = "names"
    DATA = "data"
    DOUBT = "data, unless it names the columns"


class _Form(Enum):
    DAY = "day"
    CLOCK = "clock"
    PERCENT = "percent"
    NUMBER = "number"


def judge(first: Sequence[str], body: Sequence[Sequence[str]]) -> Header:
    """What ``first`` reads like over ``body``.

    Text over numbers names them, and so do days and percents over other numbers. Years, or numbers that run on, name
    a column for each where the text beside them stands in no other row.
    """
    if not body or len(first) < len(body[0]):
        typed = any(TYPED.fullmatch(c) for c in first if c.strip() or body)
        return Header.DATA if typed else Header.NAMES
    yes, repeated, unseen, worded = 0, 0, False, False
    numbers: list[str] = []
    for i, name in enumerate(c.strip() for c in first[: len(body[0])]):
        values = [row[i].strip() for row in body[:_LOOKED_AT] if row[i].strip()]
        typed = sum(1 for v in values if TYPED.fullmatch(v))
        if values and typed >= 0.8 * len(values):
            if name and (not TYPED.fullmatch(name) or _is_other(name, values)):
                yes += 1
            elif name:
                numbers.append(name)
        elif name and name in values:
            repeated += 1
        elif name:
            unseen, worded = unseen or _is_group(values), True
    if numbers and (_are_years(numbers) or (unseen and _run_on(numbers))):
        return Header.NAMES
    if yes or numbers:
        if yes >= len(numbers):
            return Header.NAMES
        return Header.DOUBT if unseen or (worded and _run_on(numbers)) else Header.DATA
    return Header.NAMES if repeated <= len(first) / 2 else Header.DATA


def _is_other(name: str, values: Sequence[str]) -> bool:
    """Whether a day or a percentage stands over what is none."""
    form = _form(name)
    forms = Counter(_form(v) for v in values)
    return form is not _Form.NUMBER and not forms[form] and forms[_Form.NUMBER] >= _NEARLY_ALL * len(values)


def _form(cell: str) -> _Form:
    if _DAY.fullmatch(cell):
        return _Form.DAY
    if ":" in cell:
        return _Form.CLOCK
    return _Form.PERCENT if cell.endswith("%") else _Form.NUMBER


def _is_group(values: Sequence[str]) -> bool:
    """Whether the texts of a column come back, so that one which stands nowhere else is no such text."""
    counts = Counter(values)
    return len(values) > 3 and min(counts.values()) > 1


def _are_years(numbers: Sequence[str]) -> bool:
    return len(numbers) == len(set(numbers)) > 1 and all(_YEAR.fullmatch(n) for n in numbers)


def _run_on(numbers: Sequence[str]) -> bool:
    """Whether numbers are one year, or run on in equal steps."""
    if not all(_WHOLE.fullmatch(n) for n in numbers):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(numbers)}
    alone = len(numbers) == 1 and _YEAR.fullmatch(numbers[0]) is not None
    return alone or (len(numbers) >= _SEVERAL and len(steps) == 1 and 0 not in steps)


@dataclass(frozen=True)
class Heading:
    """The row that names the columns below others that do not.

    Args:
        at: Its place among the rows.
        names: The names, with those of the groups above where they would be used twice otherwise.
    """

    at: int
    names: tuple[str, ...]


def heading_of(rows: Sequence[Sequence[str]], width: int) -> Heading | None:
    """The names, where rows stand above them that fill half of the columns at most, or name groups of columns.

    A group leaves the cells beside it empty or repeats its name in them. None where the first row of full width is the one
    that matters, as nearly everywhere.
    """
    wide = [(i, cells) for i, cells in enumerate(rows) if len(cells) == width]
    for (above, groups), (at, cells) in pairwise(wide):
        if width < _SEVERAL or not (_is_sparse(groups, width) or _spans(groups, range(width), adjacent=True)):
            return None
        below = [r for i, r in wide if i > at][:_SEVERAL]
        typed = [k for k in range(width) if below and all(TYPED.fullmatch(r[k]) for r in below)]
        if not typed or any(TYPED.fullmatch(c) for c in cells) or not all(cells[k].strip() for k in typed):
            continue
        own = tuple(c.strip() for c in cells)
        if all(own) and _are_different(own):
            sparse = _is_sparse(groups, width) or _spans(groups, typed)
            return Heading(at, own) if sparse else None
        joined = _joined(groups, own) if above == at - 1 and _spans(groups, typed) else ()
        return Heading(at, joined) if all(joined) and _are_different(joined) else None
    return None


def _are_different(names: Sequence[str]) -> bool:
    return len(names) > 0 and len({n.casefold() for n in names}) == len(names)


def _is_sparse(cells: Sequence[str], width: int) -> bool:
    return 2 * sum(1 for c in cells if c.strip()) <= width


def _spans(cells: Sequence[str], places: Sequence[int], *, adjacent: bool = False) -> bool:
    """Whether what stands at ``places`` is empty, or spans the cell beside it; anywhere at all where ``adjacent``."""
    said = [c.strip() for c in cells]
    found = [
        not said[k] or said[k] in said[max(0, k - 1) : k] or said[k + 1 : k + 2] in ([""], [said[k]])
        for k in places
    ]
    return any(found) if adjacent else all(found)


def _joined(groups: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """Each name behind that of its group."""
    names: list[str] = []
    group = ""
    for over, name in zip((g.strip() for g in groups), own, strict=True):
        group = over or group
        names.append(f"{group} {name}".strip())
    return tuple(names)
