"""Where the rows and columns that a tool gives come from in what it was given.

Tools that make rows say so with their result; who may see what follows from it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from gnomon.analytics.expression import Parting

    Positions = npt.NDArray[np.int64]

DATA = "data"
Made = tuple[str, str]
"""A column that another one was made of: the parameter that held it, and its name there."""


@dataclass(frozen=True, eq=False)
class Lineage:
    """Where rows and columns come from.

    Args:
        rows: For each parameter with rows, the position of the row behind each row (−1: none); None where they
            are the same rows in the same order.
        columns: For each column, what it was made of; a column that is missing here is of unknown making.
        edges: Columns whose labels tell where the values of another column begin and end.
        across: Columns whose values are made of other rows than their own.
        formed: Columns that a formula made, and whether it is plain arithmetic that tells no row from another.
        levelled: Columns in which values beyond a limit became that limit, which is computed from the rows.
        parted: How a formula or a condition sets the rows of ``data`` apart.
    """

    rows: Mapping[str, Positions | None]
    columns: Mapping[str, frozenset[Made]]
    edges: frozenset[str] = field(default=frozenset())
    across: frozenset[str] = field(default=frozenset())
    formed: Mapping[str, bool] = field(default_factory=dict[str, bool])
    levelled: frozenset[str] = field(default=frozenset())
    parted: tuple[Parting, ...] = ()

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        positions: Any = None,
        *,
        made: Mapping[str, Iterable[str]] | None = None,
        edges: Iterable[str] = (),
        across: Iterable[str] = (),
        formed: Mapping[str, bool] | None = None,
        levelled: Iterable[str] = (),
        parted: Iterable[Parting] = (),
    ) -> Lineage:
        """The lineage of rows that were picked from ``data`` and given new columns.

        Args:
            frame: The rows that are given.
            positions: Which rows of ``data`` they were; all of them, in order, by default.
            made: The new columns, with the columns that each was made of.
            edges: New columns whose labels tell where values begin and end.
            across: New columns whose values are made of other rows than their own.
            formed: New columns that a formula made, and whether it is plain.
            levelled: Columns in which values beyond a limit became that limit.
            parted: How a formula or a condition sets the rows of ``data`` apart.
        """
        import numpy as np

        new = made or {}
        columns = {
            str(c): frozenset((DATA, str(o)) for o in new[str(c)])
            if str(c) in new
            else frozenset({(DATA, str(c))})
            for c in frame.columns
        }
        picked = None if positions is None else np.asarray(positions, dtype=np.int64)
        return cls(
            {DATA: picked},
            columns,
            frozenset(edges),
            frozenset(across),
            formed or {},
            frozenset(levelled),
            tuple(parted),
        )
