"""From everything that was found to what is told: corrected for all that was looked at, ranked, without repeats."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gnomon.analytics.association import benjamini_hochberg
from gnomon.analytics.insight.finding import Finding, Kind, Looked, View
from gnomon.analytics.insight.goal import Goal
from gnomon.analytics.insight.space import Space

SURE = 0.01
_WORTHLESS = 0.004
_AS_MUCH, _NO_NEWS = 0.15, 0.003
_COURSES = frozenset({Kind.TREND, Kind.SEGMENT_TREND, Kind.CHANGE, Kind.OUTLIER, Kind.SEASON})
_UNTESTED = frozenset({Kind.EVEN, Kind.NOTHING, Kind.SEGMENTS})
_WEIGHTS = {
    Kind.LEADER: 1.0,
    Kind.EVEN: 0.5,
    Kind.DIFFERENCE: 1.05,
    Kind.TREND: 1.05,
    Kind.SEGMENT_TREND: 1.15,
    Kind.CHANGE: 1.0,
    Kind.OUTLIER: 1.0,
    Kind.SEASON: 0.75,
    Kind.CORRELATION: 1.0,
    Kind.LAG: 1.0,
    Kind.ASSOCIATION: 1.0,
    Kind.CONCENTRATION: 0.85,
    Kind.SEGMENTS: 0.7,
    Kind.NOTHING: 0.4,
}


def significant(looked: Looked) -> list[Finding]:
    """The findings that stay when everything that was looked at is taken into account."""
    p = np.array(looked.chances)
    if not len(p):
        return [f for f in looked.findings if f.kind in _UNTESTED]
    adjusted = benjamini_hochberg(p)
    by_chance = dict(zip(p.tolist(), adjusted.tolist(), strict=True))
    kept: list[Finding] = []
    for finding in looked.findings:
        if finding.kind in _UNTESTED:
            kept.append(replace(finding, q_value=finding.p_value))
        elif (q := by_chance[finding.p_value]) < SURE:
            kept.append(replace(finding, q_value=q))
    return kept


def ranked(
    findings: Sequence[Finding],
    goal: Goal | None,
    columns: Mapping[str, str],
    tables: Mapping[str, Space],
    alike: Collection[frozenset[str]],
    top: int,
) -> list[Finding]:
    """The best ``top`` findings, the most telling first; each makes those that repeat it less worth telling.

    Args:
        findings: What is significant.
        goal: What was asked for; without one, that nothing was found is not told.
        columns: The column behind each axis.
        tables: What was looked at in each table; the more rows one has, the more its findings matter.
        alike: Figures that go together by their nature: what is told of one is no news of the other.
        top: How many at most.
    """
    most = max((s.rows for s in tables.values()), default=1)
    open_ = [_scored(f, goal, columns, tables[f.table], most) for f in findings]
    if goal is None:
        open_ = [f for f in open_ if f.kind not in (Kind.EVEN, Kind.NOTHING)]
    # Ties are broken by what the finding is about, never by the order of the search.
    open_.sort(key=lambda f: (-f.score, f.kind, f.table, f.figure, f.axes, f.subset, f.subjects))
    chosen: list[Finding] = []
    while open_ and len(chosen) < top:
        worth = [f.score * float(np.prod([_new(f, c, alike) for c in chosen])) for f in open_]
        if max(worth) <= _WORTHLESS:
            break
        best = int(np.argmax(worth))
        chosen.append(open_.pop(best))
    return chosen


def _scored(
    finding: Finding, goal: Goal | None, columns: Mapping[str, str], space: Space, most: int
) -> Finding:
    interest = _WEIGHTS[finding.kind] * (0.08 + finding.strength) * (0.75 if finding.subset else 1.0)
    if finding.view is View.SUM:
        interest *= 0.95
    if " mentions " in "".join(finding.axes):
        interest *= 0.5  # what texts say mostly repeats the columns beside them
    if finding.kind is Kind.ASSOCIATION and any(a.endswith(" range") for a in finding.axes):
        interest *= 0.6  # how a figure differs between groups is told by its averages
    interest *= (space.rows / most) ** 0.1
    if goal is None:
        return replace(finding, score=interest)
    near = goal.relevance(finding, columns, space.counted)
    return replace(finding, score=interest**0.6 * (0.05 + near) ** 1.5)


def _topic(finding: Finding) -> frozenset[str]:
    """The columns that a finding is about, whether as a figure or in ranges."""
    held = {a.removesuffix(" range") for a in finding.axes} | {a for a, _ in finding.subset}
    return frozenset(held | {finding.figure} - {""})


def _follows(finding: Finding, told: Finding) -> bool:
    """Whether a group leads in one figure by as much as in another: who has most of the trips has most of the fuel."""
    if (
        finding.kind is not Kind.LEADER
        or told.kind is not Kind.LEADER
        or finding.effect_name != told.effect_name
    ):
        return False
    same = (finding.axes, finding.subset, finding.subjects) == (told.axes, told.subset, told.subjects)
    return same and abs(finding.effect - told.effect) <= _AS_MUCH * abs(told.effect)


def _in_other_view(finding: Finding, told: Finding) -> bool:
    """Whether the average and the total of one figure tell the same: it went the same way, over the same time."""
    if finding.kind is not told.kind or finding.kind not in _COURSES or finding.view is told.view:
        return False
    same = (finding.figure, finding.axes, finding.subset) == (told.figure, told.axes, told.subset)
    return bool(finding.figure) and same and _way(finding) * _way(told) > 0


def _way(finding: Finding) -> float:
    moved = finding.numbers.get("change") or finding.numbers.get("slope")
    return float(moved.value) if moved is not None and finding.kind is not Kind.OUTLIER else finding.effect


def _new(finding: Finding, told: Finding, alike: Collection[frozenset[str]]) -> float:
    """How much of a finding is still news after another one."""
    if _follows(finding, told):
        return _NO_NEWS
    if finding.table != told.table:
        return 1.0
    if _in_other_view(finding, told):
        return _NO_NEWS
    again = len(_topic(finding)) > 1 and _topic(finding) == _topic(told)
    if again and (finding.kind is not told.kind or finding.figure != told.figure):
        return 0.35
    one = finding.kind is told.kind and finding.axes == told.axes and finding.subset == told.subset
    if one and frozenset((finding.figure, told.figure)) in alike:
        return 0.3
    same_figure = finding.figure == told.figure and finding.view is told.view
    same_axes = set(finding.axes) == set(told.axes)
    factor = 1.0
    if same_figure and same_axes:
        if finding.kind is told.kind and finding.subset == told.subset:
            factor *= 0.25 if set(finding.subjects) & set(told.subjects) or not finding.subjects else 0.5
        elif finding.kind is told.kind:
            factor *= 0.45
        else:
            factor *= 0.6
    elif same_axes:
        factor *= 0.75
    elif set(finding.axes) & set(told.axes) - {"time"}:
        factor *= 0.88
    if finding.kind is told.kind:
        factor *= 0.88
    shared = {v for _, v in finding.subset} & {v for _, v in told.subset}
    if shared and finding.subjects == told.subjects:
        factor *= 0.6
    return factor
