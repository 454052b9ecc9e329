"""The smallest explanation: the fewest segments that a change comes down to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gnomon.analytics.drivers import Segment
from gnomon.analytics.inputs import Floats, ShouldStop, added_up, check_stop
from gnomon.analytics.results import Result
from gnomon.analytics.segment_field import Field, Found

_ALPHA = 0.02
_MOST_PARTS = 6
_NOTHING = 1e-6  # the level of what is gone altogether
_LEVEL_COST = 10.0  # what it costs at most to say that everything moved
_Aside = dict[tuple[int, int], float]
_SUSPECT_SHARE = 0.4
_CONTENDERS = 5
_ROUNDS = 3
_ENOUGH = 0.1  # of everything that has to be untouched to tell how everything else moved


@dataclass(frozen=True, slots=True)
class ExplainedSegment(Result):
    """A segment that moved apart from the rest.

    Attributes:
        segment: The values that name it; empty where everything moved alike.
        before: Its own value in the earlier period.
        after: Its own value in the later period.
        expected: What it would have come to had it moved as the rest did.
        excess: What it had more (or less) than that: its effect.
        excess_percent: Relative to what was expected.
        share: The excess over the whole change; None where nothing changed.
        score: The excess in standard deviations of the segment's own past.
        p_value: The chance of a departure as large, corrected for all segments looked at.
        test: How it was tested.
    """

    segment: Segment
    before: float | None
    after: float | None
    expected: float
    excess: float
    excess_percent: float | None
    share: float | None
    score: float
    p_value: float
    test: str


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """The segments that a change comes down to, the most telling first.

    Attributes:
        parts: The segments.
        level: How everything else moved relative to the period before (0.1 is 10 % up).
        explained: The share of the change that the parts account for together; None where nothing changed.
        looked_at: How many segments were compared.
        notes: What limits it.
    """

    parts: tuple[ExplainedSegment, ...]
    level: float
    explained: float | None
    looked_at: int
    notes: tuple[str, ...] = ()


def smallest_explanation(
    frame: Any,
    dimensions: Sequence[str],
    *,
    value: str,
    window: str,
    weight: str | None = None,
    square: str | None = None,
    expected: float | None = None,
    spread: float | None = None,
    pairs: bool = True,
    alpha: float = _ALPHA,
    should_stop: ShouldStop | None = None,
) -> Explanation:
    """Find the fewest segments that a change comes down to.

    What a segment would have come to is told by its share in earlier windows and by how everything else moved, so a
    large segment that moved like the rest explains nothing. How far segments stray by themselves is told by the same
    forecast made for earlier windows. Segments are taken one at a time, the most telling first, and what each
    explains is taken out before the next is looked for; of a segment and its parts the one that fits better wins.

    Args:
        frame: Rows of any grain with the dimensions, a window number and the value. Window 0 is the later period,
            1 the earlier one, 2, 3 … periods of the same length before that.
        dimensions: The columns that segments are made of.
        value: The column that adds up.
        window: The column with the number of the window.
        weight: For a ratio, the column that the value is divided by.
        square: The sum of squares of the rows behind the value, where it is known: how lumpy it is.
        expected: What the whole was expected to be in the later period; as in the earlier one by default.
        spread: How far the whole strays from that by itself, as a fraction.
        pairs: Whether pairs of dimensions are looked at as well.
        alpha: The chance of any false alarm that is accepted.
        should_stop: Asked between steps.

    Raises:
        NotFound: A column is missing.
        CalculationError: There is nothing in one of the two periods to compare.
    """
    field = Field.of(frame, dimensions, value=value, window=window, weight=weight, square=square, pairs=pairs)
    return Search(field).explained(expected=expected, spread=spread, alpha=alpha, should_stop=should_stop)


@dataclass(frozen=True, slots=True)
class Search:
    """The search for segments in a field."""

    field: Field

    def explained(
        self,
        *,
        expected: float | None = None,
        spread: float | None = None,
        alpha: float = _ALPHA,
        should_stop: ShouldStop | None = None,
    ) -> Explanation:
        """The fewest segments that the change comes down to."""
        level, parts = self.parts(expected=expected, spread=spread, alpha=alpha, should_stop=should_stop)
        return self.told(level, parts)

    def told(self, level: float, parts: Sequence[Found]) -> Explanation:
        """Segments that were found, in figures."""
        before, after = self.field.figure(1, None), self.field.figure(0, None)
        change = (after or 0.0) - (before or 0.0)
        per = 1.0 if self.field.weights is None else float(self.field.weights[0].sum()) or 1.0
        made = tuple(self._told_as(f, change, per) for f in parts)
        covered = math.fsum(p.excess for p in made)
        return Explanation(
            made,
            level - 1,
            covered / change if change else None,
            sum(c.size for c in self.field.cuts),
            self.field.notes,
        )

    def _told_as(self, found: Found, change: float, per: float) -> ExplainedSegment:
        excess = (found.actual - found.expected) / per
        weight = 1.0 if self.field.weights is None else float(self.field.weights[0][found.leaves].sum())
        return ExplainedSegment(
            segment=found.segment,
            before=self.field.figure(1, found.leaves),
            after=self.field.figure(0, found.leaves),
            expected=found.expected / weight if weight else 0.0,
            excess=excess,
            excess_percent=100 * (found.actual / found.expected - 1) if found.expected else None,
            share=excess / change if change else None,
            score=found.score,
            p_value=found.p_value,
            test="departure from the segment's share of earlier periods, spread of the same forecast in the past,"
            f" Student t with {self.field.cuts[found.cut].freedom:.0f} degrees of freedom, Bonferroni over all segments",
        )

    def parts(
        self,
        *,
        expected: float | None,
        spread: float | None,
        alpha: float,
        moved: bool = False,
        suspects: Sequence[Segment] = (),
        should_stop: ShouldStop | None = None,
    ) -> tuple[float, list[Found]]:
        """The level of everything else against the earlier period, and the segments apart from it.

        Args:
            expected: What the whole was expected to be.
            spread: How far it strays from that by itself, as a fraction.
            alpha: The chance of any false alarm that is accepted.
            moved: Whether the whole is known to have moved, so that its own level is as good as the expected one.
            suspects: Segments that something else is known to have happened to. They are few, so that less is needed
                to believe that they moved; a part of the chance of a false alarm is set aside for them.
            should_stop: Asked between steps.
        """
        told = math.fsum(self.field.base)
        anchor = 1.0
        if self.field.weights is None and expected is not None and told > 0 and expected > 0:
            anchor = expected / told
        aside = self._placed(suspects)
        best: tuple[float, float, list[Found]] | None = None
        for level in self._levels(anchor):
            check_stop(should_stop)
            asked = level
            level, parts, left = self._greedy(asked, alpha, aside)
            strayed = (math.log(level / anchor) / max(spread or 0.05, 0.01)) ** 2 if level > 0 else math.inf
            if moved and math.isclose(asked, self._total_level()):
                strayed = 0.0
            named = sum(2 * math.log(self._tests(f.cut, f.group, aside)) for f in parts)
            cost = min(strayed, _LEVEL_COST) + left + named
            if best is None or cost < best[0] - 1e-9:
                best = (cost, level, parts)
        assert best is not None
        previous = math.fsum(self.field.values[1]) if self.field.weights is None else told
        return best[1] * told / previous if previous else best[1], best[2]

    def _total_level(self) -> float:
        told = math.fsum(self.field.base)
        return max(math.fsum(self.field.values[0]) / told, _NOTHING) if told > 0 else 1.0

    def _levels(self, anchor: float) -> list[float]:
        """How everything may have moved: as expected, as the total did, or as the middle of a dimension did."""
        levels = [anchor, self._total_level()]
        for cut in self.field.cuts:
            if len(cut.dimensions) == 1:
                e = added_up(cut.groups, self.field.base, cut.size) * cut.moves
                v = added_up(cut.groups, self.field.values[0], cut.size)
                middle = _weighted_median(v[e > 0] / e[e > 0], e[e > 0]) if (e > 0).any() else 0.0
                levels.append(max(middle, _NOTHING))
        return list(dict.fromkeys(levels))

    def _greedy(self, level: float, alpha: float, aside: _Aside) -> tuple[float, list[Found], float]:
        """Take out the most telling segment until none is left: the level of the rest, the segments, and what strays."""
        e, parts = level * self.field.base, list[Found]()
        while len(parts) < _MOST_PARTS and (found := self._most_telling(e, alpha, aside)) is not None:
            if any((f.cut, f.group) == (found.cut, found.group) for f in parts):
                break
            level, parts, e = self._refitted(level, [*parts, found])
        left = [
            float((np.clip(self.field.scores(i, e), -6, 6) ** 2).sum()) - c.size
            for i, c in enumerate(self.field.cuts)
            if len(c.dimensions) == 1
        ]
        return level, parts, max(0.0, *left) if left else 0.0

    def _refitted(self, level: float, parts: list[Found]) -> tuple[float, list[Found], Floats]:
        """The level of what no part concerns, and each part against it and the others, until they agree."""
        untouched = ~np.logical_or.reduce([f.leaves for f in parts])
        told = math.fsum(self.field.base[untouched])
        if told > 0 and told >= _ENOUGH * math.fsum(self.field.base):
            level = max(math.fsum(self.field.values[0][untouched]) / told, _NOTHING)
        factors = [1.0] * len(parts)
        told_parts = parts
        for _ in range(_ROUNDS if len(parts) > 1 else 1):
            told_parts = []
            for i, f in enumerate(parts):
                e = level * self.field.base
                for j, other in enumerate(parts):
                    if j != i:
                        e[other.leaves] *= factors[j]
                drift = float(self.field.cuts[f.cut].moves[f.group])
                expected = math.fsum(e[f.leaves]) * drift
                factors[i] = f.actual / expected * drift if expected > 0 else 1.0
                told_parts.append(replace(f, expected=expected))
        e = level * self.field.base
        for f, factor in zip(parts, factors, strict=True):
            e[f.leaves] *= factor
            if factor == 1.0 and not e[f.leaves].any():
                e[f.leaves] = self.field.values[0][f.leaves]
        return level, told_parts, e

    def _placed(self, suspects: Sequence[Segment]) -> _Aside:
        """Where suspects are among the cuts."""
        wanted = set(suspects)
        return {
            (i, g): len(wanted) / _SUSPECT_SHARE
            for i, cut in enumerate(self.field.cuts)
            for g, name in enumerate(cut.names if len(cut.dimensions) == 1 and wanted else ())
            if name in wanted
        }

    def _tests(self, cut: int, group: int, aside: _Aside) -> float:
        """How many segments might have been named in its place."""
        return min(self.field.cuts[cut].tests / (1 - _SUSPECT_SHARE), aside.get((cut, group), math.inf))

    def _most_telling(self, expected: Floats, alpha: float, aside: _Aside) -> Found | None:
        """The segment to take out next: of those that tell most, the one after which least is left to tell.

        A region stands out when only one channel of it moved; that pair leaves nothing over, the region does.
        """
        contenders = self._contenders(expected, alpha, aside)
        if len(contenders) < 2:
            return contenders[0][1] if contenders else None
        looked_at = {f.cut for _, f in contenders} | {
            i for i, c in enumerate(self.field.cuts) if len(c.dimensions) == 1
        }

        def left(found: Found) -> float:
            e = self._without(found, expected)
            strays = sum(float((np.clip(self.field.scores(i, e), -8, 8) ** 2).sum()) for i in looked_at)
            return strays + 2 * math.log(self._tests(found.cut, found.group, aside))

        return min((f for _, f in contenders), key=left)

    def _contenders(self, expected: Floats, alpha: float, aside: _Aside) -> list[tuple[float, Found]]:
        """The segments that tell most, one of each cut, and how much."""
        from scipy import stats

        found: list[tuple[float, int, int, float, float]] = []
        for i, cut in enumerate(self.field.cuts):
            z = self.field.scores(i, expected)
            best: tuple[float, int, int, float, float] | None = None
            for at in sorted({int(np.argmax(np.abs(z))), *(g for c, g in aside if c == i)}):
                tests = self._tests(i, at, aside)
                p = float(min(1.0, 2 * stats.t.sf(abs(float(z[at])), cut.freedom) * tests))
                gain = float(z[at]) ** 2 - 2 * math.log(tests)
                if p < alpha and (best is None or gain > best[0] + 1e-9):
                    best = (gain, i, at, float(z[at]), p)
            found += [best] if best is not None else []
        found.sort(key=lambda b: -b[0])
        made: list[tuple[float, Found]] = []
        for gain, i, at, z, p in found[:_CONTENDERS]:
            cut = self.field.cuts[i]
            leaves = cut.groups == at
            e = math.fsum(expected[leaves]) * float(cut.moves[at])
            v = math.fsum(self.field.values[0][leaves])
            made.append((gain, Found(i, at, cut.names[at], leaves, e, v, z, p)))
        return made

    def _without(self, found: Found, expected: Floats) -> Floats:
        """What is expected once a segment is known to have moved."""
        e = expected.copy()
        if found.expected > 0:
            e[found.leaves] *= (
                found.actual / found.expected * float(self.field.cuts[found.cut].moves[found.group])
            )
        else:
            e[found.leaves] = self.field.values[0][found.leaves]
        return e


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    running = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(running, running[-1] / 2)])
