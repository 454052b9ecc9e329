"""Whether a formula sets few rows apart: then what is told of it would tell them, and that there are none as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gnomon.core.errors import PolicyViolation
from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.traced import TracedRows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from gnomon.analytics.expression import Parting


def sets_few_apart(rows: TracedRows, parted: Iterable[Parting]) -> bool:
    """Whether one part of a formula over ``rows`` marks fewer source rows, or all but fewer, than may be spoken of.

    None at all are as few as one. A border that only the columns themselves draw cannot be moved from row to row, so it
    is left alone.
    """
    return any(_movable(rows, p) and (_steps(rows, p) if p.steps else _few(rows, p)) for p in parted)


def apart() -> PolicyViolation:
    """The refusal, in words that do not tell which of its reasons there was."""
    return PolicyViolation(
        f"A part of this formula holds for fewer than {MIN_ROWS} rows or for all but fewer than {MIN_ROWS}, or it cannot be "
        "computed for some rows, so nothing is told of it.",
        suggestions=[
            "Leave that part away, compare with a value that has more rows on both sides, or use bin_column for steps.",
            "The user can allow it with GNOMON_PRIVACY=full.",
        ],
    )


def leaves_few_out() -> PolicyViolation:
    """The refusal of a condition that fewer rows than may be spoken of fail to meet; none at all is as few as one."""
    return PolicyViolation(
        f"A condition of 'where' leaves out fewer than {MIN_ROWS} rows, or none: the whole less the others would tell them.",
        suggestions=[
            "Leave it away: all rows may be asked about.",
            "The user can allow it with GNOMON_PRIVACY=full.",
        ],
    )


def tells_of_few(rows: TracedRows, parted: Sequence[Parting]) -> bool:
    """Whether the rows that meet a condition would tell of a few; ``parted`` ends with the condition as a whole.

    Where too few meet it, nothing is told of them by any tool, so that it may stand.
    """
    if sets_few_apart(rows, [p for p in parted if not p.condition]):
        return True  # as where it cannot be computed for some rows, whichever of them meet it
    return _fewest(rows, parted[-1], met=True) >= MIN_ROWS and sets_few_apart(rows, parted)


def _movable(rows: TracedRows, part: Parting) -> bool:
    held = [rows.origin.columns.get(c) for c in _columns(rows, part)]
    return not part.fixed or any(h is None or h.formed or h.levelled or not h.slots for h in held)


def _columns(rows: TracedRows, part: Parting) -> list[str]:
    """The columns that a part reads, as the rows spell them."""
    spelt = {c.casefold(): c for c in rows.origin.columns}
    return [c if c in rows.origin.columns else spelt.get(c.casefold(), c) for c in part.columns]


def _sources(rows: TracedRows, part: Parting) -> list[npt.NDArray[np.int64]]:
    """The source row behind each row, in each table that the part reads."""
    import numpy as np

    held = [rows.origin.slots[i].rows for i in rows.origin.behind(_columns(rows, part))]
    return [np.arange(len(part.classes)) if h is None else h for h in held]


def _few(rows: TracedRows, part: Parting) -> bool:
    return any(_fewest(rows, part, met=met) < MIN_ROWS for met in (True, False))


def _fewest(rows: TracedRows, part: Parting, *, met: bool) -> int:
    """How many source rows are on one side; of several tables, the fewest."""
    import numpy as np

    side = (part.classes == 1) == met
    return min(len(np.unique(s[side & (s >= 0)])) for s in _sources(rows, part))


def _steps(rows: TracedRows, part: Parting) -> bool:
    """Whether most rows share their step with so many others that it parts them like a condition."""
    import pandas as pd

    for source in _sources(rows, part):
        there = (source >= 0) & (part.classes >= 0)
        table = pd.DataFrame({"step": part.classes[there], "row": source[there]}).drop_duplicates()
        sizes = table.groupby("step")["row"].size()
        if 2 * int(sizes[sizes >= MIN_ROWS].sum()) >= len(table):
            return True
    return False
