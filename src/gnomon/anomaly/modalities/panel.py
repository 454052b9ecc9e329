"""A panel: one series for each entity, all in one table. Each is learned by itself, all are judged together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.evidence import SIGNIFICANT
from gnomon.anomaly.modalities.aspects import once
from gnomon.anomaly.modalities.layout import READINGS, Layout, entities
from gnomon.anomaly.modalities.readings import Readings, as_frame, read_series
from gnomon.anomaly.modalities.series import FEWEST, SeriesModel
from gnomon.anomaly.prepared import Looks, Part, Prepared, Shift, Transformation
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class _Entity:
    """The series of one entity and what was learned of it."""

    rows: np.ndarray
    readings: Readings
    model: SeriesModel
    matrix: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """The rows of the table in the order of the readings."""
        return self.rows[self.readings.order]


def prepare_panel(frame: pd.DataFrame, layout: Layout) -> Prepared:
    """Turn a panel into departures of each entity from what it usually does itself.

    Args:
        frame: The table.
        layout: Where it has its times, and which columns name the entity of a row.
    """
    names = entities(frame, layout.entity).to_numpy()
    rows = {str(name): np.flatnonzero(names == name) for name in np.unique(names)}
    first = read_series(frame, layout.time, layout.entity)
    kept = {name: at for name, at in rows.items() if len(at) >= READINGS}
    panel = {name: _learned(frame.iloc[at], at, layout, first, len(kept)) for name, at in kept.items()}
    any_one = next(iter(panel.values())).model
    columns, origins = any_one.describe()
    matrix = np.zeros((len(frame), len(columns)))
    for entity in panel.values():
        matrix[entity.order] = entity.matrix
    order = np.concatenate([e.order for e in panel.values()] + [rows[n] for n in rows if n not in panel])
    outage = np.zeros(len(frame), dtype=bool)
    for entity in panel.values():
        outage[entity.order] = entity.model.outage
    compared = min(len(e.rows) for e in panel.values()) >= FEWEST
    labels = first.labels or tuple(f"row {i}" for i in range(len(frame)))
    return Prepared(
        data_type="time_series",
        matrix=matrix,
        columns=columns,
        origins=origins,
        raw=frame.reset_index(drop=True),
        labels=labels,
        log=_log(panel, rows, layout, first),
        transform=lambda new: _applied(new, panel, layout, len(columns)),
        notes=(
            f"{len(panel):,} series, one for each {' and '.join(layout.entity)}, each compared with itself.",
        ),
        surrogate=_surrogate(panel) if compared else None,
        reach=int(np.median([e.model.reach for e in panel.values()])),
        order=order,
        looks=once(lambda: _looks(panel)) if compared else None,
        outage=outage if outage.any() else None,
        outage_p=min(e.model.outage_p for e in panel.values()),
        usual=_usual(panel, first.names, len(frame)),
        shifts=_shifts(panel, first.names),
        parts=tuple(Part(_called(name, layout), e.order) for name, e in panel.items()),
    )


def _learned(frame: pd.DataFrame, rows: np.ndarray, layout: Layout, like: Readings, among: int) -> _Entity:
    readings = read_series(frame, layout.time, layout.entity, like)
    model = SeriesModel(among=among, tells_waits=False)
    return _Entity(rows, readings, model, model.learn(readings))


def _called(name: str, layout: Layout) -> str:
    """An entity with the column that names it, where the name alone would be a bare number."""
    if all(part.strip().lstrip("-").isdigit() for part in name.split(", ")):
        parts = zip(layout.entity, name.split(", "), strict=False)
        return ", ".join(f"{column.replace('_', ' ')} {part}" for column, part in parts)
    return name


def _surrogate(panel: Mapping[str, _Entity]) -> Any:
    def draw(rng: np.random.Generator) -> np.ndarray:
        """Every entity without anomalies, in another order each time: only a part of many is looked at."""
        models = [e.model for e in panel.values()]
        return np.concatenate([models[k].surrogate(rng) for k in rng.permutation(len(models))])

    return draw


def _looks(panel: Mapping[str, _Entity]) -> Looks:
    """What every entity shows by itself, corrected for all of them."""
    found = {name: e.model.looks() for name, e in panel.items()}
    rows = sum(look.rows for look in found.values() if len(panel) * look.together <= SIGNIFICANT)
    return Looks({f"{name}: {k}": p for name, look in found.items() for k, p in look.p.items()}, rows)


def _usual(panel: Mapping[str, _Entity], variables: list[str], n: int) -> dict[str, np.ndarray]:
    out = {v: np.full(n, np.nan) for v in variables}
    for entity in panel.values():
        for variable, usual in entity.model.usual.items():
            out[variable][entity.order] = usual
    return out


def _shifts(panel: Mapping[str, _Entity], variables: list[str]) -> dict[str, tuple[Shift, ...]]:
    found = [e.model.shifts_at(e.order) for e in panel.values()]
    return {v: tuple(s for f in found for s in f.get(v, ())) for v in variables if any(v in f for f in found)}


def _log(
    panel: Mapping[str, _Entity], rows: Mapping[str, np.ndarray], layout: Layout, first: Readings
) -> tuple[Transformation, ...]:
    """What was done: to the table as a whole, and once for what was done to several entities."""
    told = [Transformation("split", layout.entity, f"The table holds {len(rows):,} series, one for each {' and '.join(layout.entity)}.")]  # fmt: skip
    few = [name for name in rows if name not in panel]
    if few:
        shown = ", ".join(few[:5]) + (", …" if len(few) > 5 else "")
        told.append(Transformation("drop", layout.entity, f"{len(few):,} of them have fewer than {READINGS} readings and are left aside: {shown}."))  # fmt: skip
    told += [t for t in first.log if t.step == "drop"]
    every: dict[Transformation, int] = {}
    for entity in panel.values():
        for done in entity.model.log:
            every[done] = every.get(done, 0) + 1
    for done, many in every.items():
        where = "" if many == len(panel) else f" In {many:,} of {len(panel):,} series."
        told.append(Transformation(done.step, done.columns, f"{done.detail}{where}"))
    return tuple(told)


def _applied(new: Any, panel: Mapping[str, _Entity], layout: Layout, width: int) -> np.ndarray:
    frame = as_frame(new)
    names = entities(frame, layout.entity).to_numpy()
    unknown = sorted({str(n) for n in names} - set(panel))
    if unknown:
        raise InvalidInput(
            f"Nothing was learned about {', '.join(unknown[:5])}.",
            suggestions=["Investigate a table that holds their readings too."],
        )
    matrix = np.zeros((len(frame), width))
    for name in np.unique(names):
        rows, entity = np.flatnonzero(names == name), panel[str(name)]
        readings = read_series(frame.iloc[rows], layout.time, layout.entity, entity.readings)
        matrix[rows] = entity.model.apply(readings)
    return matrix
