"""Rolling-origin backtests: fit on the past, forecast from every later origin, compare with what came."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from gnomon.analytics.forecast_models import Candidate, candidates
from gnomon.analytics.inputs import Floats, Ints, ShouldStop, check_stop

_MOST_ORIGINS = 300
_ENOUGH = 5
_MARGIN = 0.99  # a model has to beat the naive rules by a hundredth to replace them


@dataclass(frozen=True, slots=True)
class Backtest:
    """Forecasts of every candidate from every origin, beside what really came.

    Attributes:
        origins: Position of the first unseen value for each row.
        actual: What came, one row per origin; NaN beyond the end of the series.
        paths: Forecasts by model, same shape as ``actual``.
        seasons: The season of each model.
        members: The models that the combination averages.
        skipped: Models left out because the time allowed was used up.
    """

    origins: Ints
    actual: Floats
    paths: dict[str, Floats]
    seasons: dict[str, int]
    members: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    skipped: tuple[str, ...] = ()

    def losses(self) -> dict[str, Floats]:
        """Mean absolute error of each model at each origin."""
        return {name: np.nanmean(np.abs(path - self.actual), axis=1) for name, path in self.paths.items()}

    def baseline(self) -> str:
        """The better of the naive rules."""
        naive = {n: float(v.mean()) for n, v in self.losses().items() if is_naive(n)}
        return min(naive, key=lambda n: (naive[n], n))

    def winner(self) -> str:
        """The model with the smallest error; a naive rule unless it is clearly beaten."""
        return _best({n: float(v.mean()) for n, v in self.losses().items()})

    def honest_paths(self) -> tuple[Ints, Floats]:
        """What the whole procedure would have forecast: at each origin, the model that had won until then.

        Only origins with enough judged forecasts before them count; without any, the winner's own forecasts
        are all there is (and a little too good).

        Returns:
            The rows that count, and their forecasts.
        """
        horizon = self.actual.shape[1]
        known = np.searchsorted(self.origins, self.origins - horizon, side="right")
        rows = np.flatnonzero(known >= _ENOUGH)
        if len(rows) < _ENOUGH:
            return np.arange(len(self.origins)), self.paths[self.winner()]
        running = {n: np.cumsum(v) for n, v in self.losses().items()}
        names = [_best({n: float(total[known[r] - 1]) for n, total in running.items()}) for r in rows]
        return rows, np.array([self.paths[name][r] for name, r in zip(names, rows, strict=True)])


def is_naive(name: str) -> bool:
    """Whether a model is one of the naive rules (last value, last season)."""
    return name == "naive" or name.startswith("seasonal naive")


def _best(losses: dict[str, float]) -> str:
    naive = min((n for n in losses if is_naive(n)), key=lambda n: (losses[n], n))
    best = min(losses, key=lambda n: (losses[n], n))
    return best if losses[best] < _MARGIN * losses[naive] else naive


def first_origin(count: int, horizon: int, season: int) -> int:
    """Where the backtest starts: enough history to fit, enough future to judge."""
    least = min(max(3, 2 * season + 2), count - 1)
    wanted = min(int(np.ceil(0.5 * count)), count - min(horizon, count // 3))
    return int(np.clip(wanted, least, count - 1))


def backtest(
    series: Floats,
    horizon: int,
    seasons: tuple[int, ...],
    *,
    deadline: float,
    should_stop: ShouldStop | None = None,
) -> Backtest:
    """Run every candidate over the second part of the series."""
    count = len(series)
    start = first_origin(count, horizon, max(seasons, default=1))
    step = max(1, (count - start) // _MOST_ORIGINS)
    origins = np.arange(count - 1, start - 1, -step)[::-1].astype(np.int64)
    ahead = origins[:, None] + np.arange(horizon)
    actual = np.where(ahead < count, series[np.minimum(ahead, count - 1)], np.nan)
    paths: dict[str, Floats] = {}
    season_of: dict[str, int] = {}
    skipped: list[str] = []
    for candidate in candidates(start, seasons):
        check_stop(should_stop)
        name = label(candidate)
        if candidate.costly and time.thread_time() > deadline:
            skipped.append(name)
            continue
        path = candidate.fit(series[:start])(series, origins, horizon)
        if np.isfinite(path).all():
            paths[name], season_of[name] = path, candidate.season
    members = _combine(paths, season_of)
    return Backtest(origins, actual, paths, season_of, members, tuple(skipped))


def label(candidate: Candidate) -> str:
    """The candidate's name with its season."""
    return candidate.name if candidate.season == 1 else f"{candidate.name} ({candidate.season})"


def _combine(paths: dict[str, Floats], seasons: dict[str, int]) -> dict[str, tuple[str, ...]]:
    """Add the average of the smoothing models of each season: errors that differ cancel."""
    members: dict[str, tuple[str, ...]] = {}
    for season in sorted(set(seasons.values())):
        group = tuple(n for n in paths if seasons[n] == season and not is_naive(n) and n != "drift")
        if len(group) >= 2:
            name = "combination" if season == 1 else f"combination ({season})"
            members[name] = group
    for name, group in members.items():
        paths[name] = np.mean([paths[n] for n in group], axis=0)
        seasons[name] = seasons[group[0]]
    return members
