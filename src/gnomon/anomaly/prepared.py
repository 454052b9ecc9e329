"""What every kind of data becomes before detection: a finite matrix that remembers where it came from.

Tables, series, texts, images and graphs are each turned into a ``Prepared``; detectors see only its
``matrix``, explanations use ``raw`` and ``origins``, and new data goes through the same ``transform``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

DATA_TYPES: Final = ("tabular", "time_series", "text", "image", "graph")


@dataclass(frozen=True)
class Transformation:
    """One logged change that was made to the data.

    Attributes:
        step: What was done, as a short word (``impute``, ``encode``, ``drop``, …).
        columns: The source columns that it concerns.
        detail: What was done and why, in one sentence.
    """

    step: str
    columns: tuple[str, ...]
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """The same change as JSON-ready data."""
        return {"step": self.step, "columns": list(self.columns), "detail": self.detail}


@dataclass(frozen=True)
class Looks:
    """What single aspects of the data say, each for itself.

    Attributes:
        p: One p-value for each aspect, by its name.
        rows: How many rows stand out in the aspects that are beyond chance.
    """

    p: Mapping[str, float]
    rows: int

    @property
    def together(self) -> float:
        """One p-value that some aspect is beyond chance, corrected for how many there are."""
        return float(min(1.0, len(self.p) * min(self.p.values(), default=1.0)))


@dataclass(frozen=True)
class Shift:
    """A level of a series that changed and stayed.

    Attributes:
        row: The first reading of the new level.
        before: The level until then, in the units of the readings.
        after: The level from then on.
    """

    row: int
    before: float
    after: float


@dataclass(frozen=True)
class Part:
    """One series of a panel.

    Attributes:
        name: What the entity is called, with the column that says so.
        rows: Its rows in time order.
    """

    name: str
    rows: np.ndarray


@dataclass(frozen=True)
class Prepared:
    """Data that is ready for detectors, and the way back from it.

    Attributes:
        data_type: One of ``DATA_TYPES``.
        matrix: One row per item, finite floats.
        columns: A name for each matrix column.
        origins: The source column that each matrix column came from.
        raw: The original values in original units, aligned by row, or None where there is no table.
        labels: How to call each row (time stamp, node, path); None means the row number.
        log: Every change that was made.
        transform: Turns new data of the same shape into a matrix with the same columns.
        notes: Remarks a reader should see.
        surrogate: Draws another matrix of the same columns, from data like this but without anomalies;
            None means that a model of the matrix itself serves.
        reach: How many neighbouring rows tell much the same, as in a series; 1 for rows on their own.
        usual: For series, what its pattern lets expect at each reading of each variable, in its own units.
        looks: Single aspects (a variable of a series, a measure of an item), each compared with data
            without anomalies: a p-value for each, and how many rows stand out in those that are significant.
        outage: Rows of long outages of a series and the first ones of lasting shifts, which are told whatever
            detectors say; None where there are none.
        outage_p: The chance that a series without outages and shifts shows such.
        shifts: For series, the lasting shifts of each variable that has any.
        order: For series, the rows in time order, one series after the other; None where rows have no order.
        parts: For a panel of series, what belongs to each of them.
    """

    data_type: str
    matrix: np.ndarray
    columns: tuple[str, ...]
    origins: tuple[str, ...]
    raw: pd.DataFrame | None
    labels: tuple[str, ...] | None
    log: tuple[Transformation, ...]
    transform: Callable[[Any], np.ndarray]
    notes: tuple[str, ...] = ()
    surrogate: Callable[[np.random.Generator], np.ndarray] | None = None
    reach: int = 1
    looks: Callable[[], Looks] | None = None
    usual: Mapping[str, np.ndarray] | None = None
    outage: np.ndarray | None = None
    outage_p: float = 1.0
    shifts: Mapping[str, tuple[Shift, ...]] | None = None
    order: np.ndarray | None = None
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        if self.data_type not in DATA_TYPES:
            raise InvalidInput(f"data_type must be one of {', '.join(DATA_TYPES)}; got {self.data_type!r}.")
        if self.matrix.ndim != 2:
            raise InvalidInput(f"A prepared matrix has two dimensions; got {self.matrix.ndim}.")
        if len(self.columns) != self.matrix.shape[1] or len(self.origins) != self.matrix.shape[1]:
            raise InvalidInput(
                f"A prepared matrix of {self.matrix.shape[1]} columns needs as many names and origins; "
                f"got {len(self.columns)} and {len(self.origins)}."
            )
        for part, size in (("labels", self.labels), ("raw", self.raw)):
            if size is not None and len(size) != self.n_rows:
                raise InvalidInput(f"{part} has {len(size)} rows where the matrix has {self.n_rows}.")
        if not bool(np.isfinite(self.matrix).all()):
            raise InvalidInput("A prepared matrix must be finite: impute missing values before.")

    @property
    def n_rows(self) -> int:
        """How many items there are."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """How many matrix columns there are."""
        return int(self.matrix.shape[1])

    @property
    def rest(self) -> np.ndarray:
        """Which rows belong to no long outage and begin no lasting shift."""
        return np.ones(self.n_rows, dtype=bool) if self.outage is None else ~self.outage

    @property
    def rest_in_order(self) -> np.ndarray:
        """The same rows by number, those that follow each other in time side by side."""
        if self.order is None:
            return np.flatnonzero(self.rest)
        return self.order[self.rest[self.order]]

    def label(self, row: int) -> str:
        """How to call a row in a report."""
        own = self.labels[row] if self.labels is not None else f"row {row}"
        part = next((p for p in self.parts if row in p.rows), None)
        return own if part is None else f"{part.name}, {own}"
