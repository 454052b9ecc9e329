"""Prepares a time series: one row per reading, one column per way in which a reading can be unusual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.anomaly.evidence import MODELS, SIGNIFICANT
from gnomon.anomaly.modalities.aspects import compared
from gnomon.anomaly.modalities.departure import ANY, SEED, SUMMARY, soften, with_summary
from gnomon.anomaly.modalities.factors import Factors
from gnomon.anomaly.modalities.layout import layout_of
from gnomon.anomaly.modalities.outages import Outages
from gnomon.anomaly.modalities.readings import Readings, as_frame, fill_gaps, read_series
from gnomon.anomaly.modalities.series_features import KINDS, SHAPE, Together, Variable
from gnomon.anomaly.modalities.surrogates import SeriesNull, usual_waits
from gnomon.anomaly.prepared import Looks, Prepared, Shift, Transformation

_NAMED_VARIABLES = 12
_HABITUAL = 0.05
FEWEST = 50
"""Readings from which on a series is compared with others like it."""
OUTAGE = "long outage"
SHIFT = "lasting shift"
JOINT = ("variables out of step", "variables out of step for a while")


def prepare_series(data: Any, *, time_column: str | None = None) -> Prepared:
    """Turn a series, or a panel of them, into departures from what it usually does.

    Args:
        data: A frame with a time column or a time index, a Series, an array of shape (time stamps,) or
            (time stamps, variables), or a dictionary of columns.
        time_column: Which column holds the time stamps; found by itself when not given.
    """
    if time_column is None and (layout := layout_of(frame := as_frame(data))) is not None:
        if layout.entity:
            from gnomon.anomaly.modalities.panel import prepare_panel

            return prepare_panel(frame, layout)
        time_column = layout.time
    readings = read_series(data, time_column)
    model = SeriesModel()
    matrix = model.learn(readings)
    columns, origins = model.describe()

    def transform(new: Any) -> np.ndarray:
        return model.apply(read_series(new, time_column, like=readings))

    return Prepared(
        data_type="time_series",
        matrix=unsorted(matrix, readings.order),
        columns=columns,
        origins=origins,
        raw=readings.raw.reset_index(drop=True),
        labels=readings.labels,
        log=tuple(readings.log + model.log),
        transform=transform,
        notes=model.notes(),
        surrogate=model.surrogate if len(readings.values) >= FEWEST else None,
        reach=model.reach,
        order=readings.order,
        looks=model.looks if len(readings.values) >= FEWEST else None,
        outage=unsorted(model.outage, readings.order) if model.outage.any() else None,
        outage_p=model.outage_p,
        usual={n: unsorted(u, readings.order) for n, u in model.usual.items()},
        shifts=model.shifts_at(readings.order),
    )


def unsorted(matrix: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Rows in time order back in the order they came in."""
    out = np.empty_like(matrix)
    out[order] = matrix
    return out


@dataclass
class SeriesModel:
    """Everything learned about a series, and its last readings as context for what comes later.

    Attributes:
        among: How many series are looked at beside each other, this one among them.
        tells_waits: Whether a long wait for a reading is a departure too.
    """

    names: list[str] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    together: Together | None = None
    start: float = 0.0
    step: float = 1.0
    timed: bool = False
    gaps: bool = False
    tail: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    tail_position: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    tail_seconds: np.ndarray = field(default_factory=lambda: np.empty(0))
    log: list[Transformation] = field(default_factory=list)
    null: SeriesNull = field(init=False)
    wait: np.ndarray = field(default_factory=lambda: np.ones(0))
    aspects: dict[str, np.ndarray] = field(default_factory=dict)
    known: Looks | None = None
    usual: dict[str, np.ndarray] = field(default_factory=dict)
    outage: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    outages: dict[str, float] = field(default_factory=dict)
    shifts: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)
    factors: Factors = field(default_factory=Factors)
    among: int = 1
    tells_waits: bool = True

    def learn(self, readings: Readings) -> np.ndarray:
        self.names = readings.names
        self._clock(readings.seconds)
        values = self._filled(readings.values, readings.names)
        position = self._position(readings.seconds, len(values))
        values, explained = self._without_factors(values, readings, position)
        blocks: list[np.ndarray] = []
        for j in range(values.shape[1]):
            variable, block = Variable.learn(values[:, j], position, self.step if self.timed else None)
            self.variables.append(variable)
            blocks.append(block)
            self.usual[self.names[j]] = variable.expected(values[:, j], position) + explained[:, j]
        mended = [v.mended(values[:, j], position) for j, v in enumerate(self.variables)]
        clean = np.column_stack([m[0] for m in mended])
        self._set_apart([m[1] for m in mended], values)
        if len(self.names) > 1:
            self.together = Together.learn(self._residuals(clean, position), self._window())
        joint = self._joint(values, position)
        keep = max(v.context for v in self.variables)
        self.tail, self.tail_position = values[-keep:], position[-keep:]
        if readings.seconds is not None:
            self.tail_seconds = readings.seconds[-keep:]
        self._log_periods()
        self.null = SeriesNull(clean, position, self.variables, values + explained)
        self.wait = self._wait(readings.seconds, len(values))
        self.aspects = self._aspects(blocks, joint)
        return self._assemble(blocks, joint, self.wait)

    def _without_factors(
        self, values: np.ndarray, readings: Readings, position: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The readings without what columns of words explain, and that."""
        self.factors = Factors.learn(values, readings.words, position, self.step if self.timed else None)
        explained = self.factors.explained(readings.words, values.shape)
        of: dict[str, list[str]] = {word: [] for word in readings.words}
        for j, effects in self.factors.effects.items():
            for effect in effects:
                of[effect.column].append(self.names[j])
        for word, variables in of.items():
            detail = f"What {word} explains of {' and '.join(variables)} was taken out." if variables else f"Left aside: {word} explains none of the numbers."  # fmt: skip
            self.log.append(Transformation("adjust" if variables else "drop", (word,), detail))
        return values - explained, explained

    @property
    def outage_p(self) -> float:
        """The chance that a series like this one, of those looked at, shows an outage or a shift by itself."""
        return min(1.0, self.among * len(self.names) * min(self.outages.values(), default=1.0))

    def shifts_at(self, rows: np.ndarray) -> dict[str, tuple[Shift, ...]]:
        """The lasting shifts of each variable, with the rows that readings came from."""
        return {
            name: tuple(Shift(int(rows[at]), before, after) for at, before, after in found)
            for name, found in self.shifts.items()
        }

    def surrogate(self, rng: np.random.Generator) -> np.ndarray:
        """Departures of a series that follows the same pattern without anomalies."""
        values, position = self.null.draw(rng)
        blocks, joint = self._departures(values, position)
        return self._assemble(blocks, joint, usual_waits(self.wait, len(values), rng))

    def looks(self) -> Looks:
        """Every variable in every way it can depart, and all together, against series without anomalies."""
        if self.known is not None:
            return self.known
        rng = np.random.default_rng(SEED)
        drawn: list[dict[str, np.ndarray]] = []
        for _ in range(MODELS):
            values, position = self.null.draw(rng)
            drawn.append(self._aspects(*self._departures(values, position)))
        null = {k: np.concatenate([d[k] for d in drawn]) for k in self.aspects}
        seen = {k: x[~self.outage] for k, x in self.aspects.items()}
        known = compared(seen, null, self.reach)
        self.known = Looks({**known.p, **self.outages}, known.rows + int(self.outage.sum()))
        return self.known

    def _departures(
        self, values: np.ndarray, position: np.ndarray
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        blocks = [v.departures(values[:, j], position) for j, v in enumerate(self.variables)]
        return blocks, self._joint(values, position)

    def _joint(self, values: np.ndarray, position: np.ndarray) -> np.ndarray | None:
        if self.together is None:
            return None
        mended = [v.mended(values[:, j], position) for j, v in enumerate(self.variables)]
        inside = np.any([m[1].inside for m in mended], axis=0)
        found = self.together.departures(self._residuals(np.column_stack([m[0] for m in mended]), position))
        if inside.any():
            found[inside] = self.together.departures(self._residuals(values, position))[inside]
        return found

    def _set_apart(self, found: list[Outages], values: np.ndarray) -> None:
        """Remember long outages and lasting shifts that are beyond chance, however many variables were looked at."""
        clear = {
            name: out
            for name, out in zip(self.names, found, strict=True)
            if self.among * len(found) * out.p <= SIGNIFICANT
        }
        self.outage = np.any([found[0].inside & False, *(out.inside for out in clear.values())], axis=0)
        self.outages = {f"{name}: {OUTAGE}": out.p for name, out in clear.items()}
        for j, (name, variable) in enumerate(zip(self.names, self.variables, strict=True)):
            if self.among * len(found) * variable.shifts.p <= SIGNIFICANT:
                self.shifts[name] = variable.levels(values[:, j])
                self.outage[list(variable.shifts.at)] = True
                self.outages[f"{name}: {SHIFT}"] = variable.shifts.p

    def _aspects(self, blocks: list[np.ndarray], joint: np.ndarray | None) -> dict[str, np.ndarray]:
        """Departures by variable and kind; shapes are left to the detectors, which see what a drawn series is like."""
        out: dict[str, np.ndarray] = {}
        for name, block in zip(self.names, blocks, strict=True):
            out |= {f"{name}: {k}": block[:, i] for i, k in enumerate(KINDS) if k != SHAPE}
        if joint is not None:
            out |= {k: joint[:, i] for i, k in enumerate(JOINT)}
        return out

    @property
    def reach(self) -> int:
        """How many neighbouring readings tell much the same."""
        return max(2 * self._window(), *(v.shapes.length for v in self.variables))

    def apply(self, readings: Readings) -> np.ndarray:
        values = fill_gaps(readings.values)
        values = values - self.factors.explained(readings.words, values.shape)
        later, position = self._placed(readings.seconds, len(values))
        seconds, before = readings.seconds, 0
        if later:
            before = len(self.tail)
            values = np.vstack([self.tail, values])
            position = np.concatenate([self.tail_position, position])
            seconds = None if seconds is None else np.concatenate([self.tail_seconds, seconds])
        blocks, joint = self._departures(values, position)
        wait = self._wait(seconds, len(values))
        return unsorted(self._assemble(blocks, joint, wait)[before:], readings.order)

    def describe(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Column names and the source columns behind them."""
        if len(self.names) == 1:
            name = self.names[0]
            columns = [f"{name}: {k}" for k in KINDS]
            origins = [name] * len(columns)
        else:
            everything = ", ".join(self.names)
            columns = [f"{ANY}: {k}" for k in KINDS]
            columns += JOINT
            origins = [everything] * len(columns)
            for name in self.names[:_NAMED_VARIABLES]:
                columns.append(f"{name}: {KINDS[0]}")
                origins.append(name)
        if self.gaps:
            columns.append("time since the previous reading")
            origins.append("time")
        columns += SUMMARY
        origins += [", ".join(self.names)] * len(SUMMARY)
        return tuple(columns), tuple(origins)

    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the series."""
        found = sorted({p for v in self.variables for p in v.pattern.periods})
        if not found:
            return ("No repeating pattern was found; readings are compared with their surroundings.",)
        return (
            f"Repeating patterns of {', '.join(self._duration(p) for p in found)} were found and removed.",
        )

    def _clock(self, seconds: np.ndarray | None) -> None:
        if seconds is None or len(seconds) < 3:
            return
        gaps = np.diff(seconds)
        gaps = gaps[gaps > 0]
        if not len(gaps):
            return
        self.timed, self.start = True, float(seconds[0])
        # Months are not equally long: the mean step, a gap counted as the steps it spans.
        self.step = float(gaps.sum() / np.maximum(np.round(gaps / np.median(gaps)), 1.0).sum())
        wide = int((gaps > 1.5 * self.step).sum())
        double = len(seconds) - 1 - len(gaps)
        self.gaps = self.tells_waits and wide > 0
        # Weekends and nights without readings are how the series runs.
        _, many = np.unique(np.round(gaps[gaps > 1.5 * self.step] / self.step), return_counts=True)
        if wide := int(many[many < _HABITUAL * len(gaps)].sum()):
            detail = f"{wide} gaps longer than the usual step of {_span(self.step)}; the pattern follows the clock, not the row number."
            self.log.append(Transformation("gaps", ("time",), detail))
        if double:
            self.log.append(
                Transformation(
                    "repeated",
                    ("time",),
                    f"{double} readings share a time stamp with another; all were kept.",
                )
            )

    def _filled(self, values: np.ndarray, names: list[str]) -> np.ndarray:
        for j, missing in enumerate(np.isnan(values).sum(axis=0)):
            if missing:
                detail = f"{missing} missing readings of {names[j]} were filled along a line between their neighbours."
                self.log.append(Transformation("impute", (names[j],), detail))
        return fill_gaps(values)

    def _position(self, seconds: np.ndarray | None, n: int) -> np.ndarray:
        if not self.timed or seconds is None:
            return np.arange(n)
        return np.round((seconds - self.start) / self.step).astype(int)

    def _placed(self, seconds: np.ndarray | None, n: int) -> tuple[bool, np.ndarray]:
        """Whether new readings follow the learned ones, and their grid positions."""
        if not self.timed or seconds is None:
            return True, np.arange(n) + int(self.tail_position[-1]) + 1
        return bool(seconds[0] > self.tail_seconds[-1]), self._position(seconds, n)

    def _residuals(self, values: np.ndarray, position: np.ndarray) -> np.ndarray:
        return np.column_stack([v.residual_z(values[:, j], position) for j, v in enumerate(self.variables)])

    def _window(self) -> int:
        return int(np.median([v.window for v in self.variables]))

    def _wait(self, seconds: np.ndarray | None, n: int) -> np.ndarray:
        """Time since the previous reading, in usual steps."""
        wait = np.ones(n)
        if self.gaps and seconds is not None:
            wait[1:] = np.maximum(np.diff(seconds) / self.step, 1.0)
        return wait

    def _assemble(self, blocks: list[np.ndarray], joint: np.ndarray | None, wait: np.ndarray) -> np.ndarray:
        parts = [np.max(np.stack(blocks), axis=0)]
        if joint is not None:
            parts += [joint, np.column_stack([b[:, 0] for b in blocks[:_NAMED_VARIABLES]])]
        if self.gaps:
            parts.append(soften(np.log2(wait))[:, None])
        return with_summary(np.column_stack(parts))

    def _log_periods(self) -> None:
        for name, variable in zip(self.names, self.variables, strict=True):
            for period in variable.pattern.periods:
                detail = f"The usual pattern over {self._duration(period)} was removed."
                self.log.append(Transformation("deseasonalise", (name,), detail))

    def _duration(self, period: int) -> str:
        return _span(period * self.step) if self.timed else f"{period} readings"


def _span(seconds: float) -> str:
    """A length of time in its most natural unit."""
    for size, unit in (
        (31_556_952.0, "years"),
        (604_800.0, "weeks"),
        (86_400.0, "days"),
        (3600.0, "hours"),
        (60.0, "minutes"),
    ):
        if seconds >= 0.97 * size:
            count = seconds / size
            return f"1 {unit[:-1]}" if abs(count - 1) < 0.03 else f"{count:.3g} {unit}"
    return f"{seconds:.3g} seconds"
