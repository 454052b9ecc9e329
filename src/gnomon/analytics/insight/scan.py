"""Auto-insight: look at every figure of every table in every way that fits it, and tell what is more than chance."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gnomon.analytics.insight.course import courses
from gnomon.analytics.insight.cube import Cube
from gnomon.analytics.insight.finding import Finding, Kind, Looked
from gnomon.analytics.insight.goal import Goal
from gnomon.analytics.insight.groups import differences, leaders
from gnomon.analytics.insight.lags import lags
from gnomon.analytics.insight.ranking import ranked, significant
from gnomon.analytics.insight.reading import read_cube
from gnomon.analytics.insight.seasons import odd_days, seasons
from gnomon.analytics.insight.space import Axis, AxisKind, Space, spaces
from gnomon.analytics.insight.spells import quiet_spells
from gnomon.analytics.insight.ties import (
    alike,
    associations,
    concentrations,
    correlations,
    made_of,
    repeats,
    segments,
    twins,
)
from gnomon.core import clock
from gnomon.core.errors import InvalidInput
from gnomon.core.patterns import regex

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.backends import Stoppable
    from gnomon.semantic.model import SemanticModel

MAX_TOP = 50
MAX_TABLES = 8
SECONDS = 120.0
_PATTERNS = (
    leaders,
    differences,
    courses,
    seasons,
    odd_days,
    quiet_spells,
    associations,
    concentrations,
    correlations,
    lags,
    segments,
)
_NAME = regex(r"[^\d@]*")
_MOSTLY = 0.8


@dataclass(frozen=True)
class Scan:
    """What a search gave.

    Args:
        findings: The best ones, in the order of telling.
        spaces: What was looked at, table by table.
        tests: How many tests were made.
        significant: How many findings stood up to them.
        rows: How many rows were read.
        queries: The query behind each table.
        left_out: Labels of columns that tell of persons and were not asked for.
        seconds: How long it took.
        labels: What each axis and measure is called.
        columns: The column behind each axis.
        notes: What a reader should know about the figures, in sentences.
    """

    findings: tuple[Finding, ...]
    spaces: dict[str, Space]
    tests: int
    significant: int
    rows: int
    queries: dict[str, str] = field(default_factory=dict[str, str])
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0
    labels: dict[str, str] = field(default_factory=dict[str, str])
    columns: dict[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()


def find(
    dataset: Dataset,
    model: SemanticModel,
    *,
    goal: str | None = None,
    top: int = 10,
    allow_personal: Collection[str] = (),
    may_name_persons: bool = True,
    fewest_rows: int = 0,
    from_texts: bool = True,
    at_home: Collection[str] = (),
    cancel: Stoppable | None = None,
    seconds: float = SECONDS,
) -> Scan:
    """Search all tables for what is surprising, significant and useful.

    Args:
        dataset: The open tables.
        model: What they mean.
        goal: What it is for, in words; steers the order, never what is found.
        top: How many findings at most.
        allow_personal: Personal columns that may be told of.
        may_name_persons: Whether columns of names that the goal asks for may be told of too.
        fewest_rows: Only findings whose smallest group has at least so many rows.
        from_texts: Whether words of free text may be told.
        at_home: Dimensions by which only the rows of their own table are grouped.
        cancel: Asks the search to stop.
        seconds: The longest that reading may take.

    Raises:
        InvalidInput: ``top`` or the goal is not acceptable.
        Cancelled: It was asked to stop.
        TimedOut: It took too long.
    """
    if not 1 <= top <= MAX_TOP:
        raise InvalidInput(f"Between 1 and {MAX_TOP} insights can be told, not {top}.")
    started = clock.elapsed()
    asked = Goal.of(goal, model)
    allowed = _allowed(model, asked if may_name_persons else None, allow_personal)
    found: list[Finding] = []
    looked_at: dict[str, Space] = {}
    queries: dict[str, str] = {}
    columns: dict[str, str] = {}
    labels: dict[str, str] = {}
    looked = Looked()
    notes: list[str] = []
    natural: set[frozenset[str]] = set()
    rows = 0
    for space in spaces(model, dataset, allowed, at_home)[:MAX_TABLES]:
        left = seconds - (clock.elapsed() - started)
        space = space if from_texts else replace(space, words=())
        cube = read_cube(
            dataset, model, _steered(space, asked), least=max(2, fewest_rows), cancel=cancel, seconds=max(left, 0.1)
        )  # fmt: skip
        if cube is None:
            continue
        cube = _decent(cube, allow_personal)
        if asked is not None:
            asked = asked.seeing({a.column: a.values for a in cube.axes if a.kind is AxisKind.CATEGORY})
        cube.twins = twins(cube, {a.name: asked.near(a.column) if asked else 0.0 for a in cube.axes})
        cube.repeats = repeats(cube)
        cube.made_of = made_of(cube)
        cube.alike = alike(cube)
        natural |= cube.alike
        again = {cube.measures[i].name for i in cube.repeats}
        cube.axes = tuple(a for a in cube.axes if a.column not in again)
        for pattern in _PATTERNS:
            looked.extend(pattern(cube))
        looked_at[space.table], queries[space.table] = cube.space, cube.query
        columns |= {a.name: a.column for a in cube.axes}
        labels |= {a.name: a.label for a in cube.axes} | {m.name: m.label for m in cube.measures}
        rows += cube.rows
        notes += cube.notes
    sure = [f for f in significant(looked) if f.fewest >= fewest_rows]
    found = ranked(sure, asked, columns, looked_at, natural, top)
    real = [f for f in sure if f.kind not in (Kind.EVEN, Kind.NOTHING)]
    left_out = tuple(dict.fromkeys(label for s in looked_at.values() for label in s.left_out))
    return Scan(
        tuple(found), looked_at, len(looked.chances), len(real), rows, queries, left_out,
        clock.elapsed() - started, labels, columns, tuple(notes),
    )  # fmt: skip


def _allowed(model: SemanticModel, goal: Goal | None, allow_personal: Collection[str]) -> set[str]:
    """The personal dimensions that may be told of: by policy, or because the goal asks for them by name."""
    policy = {n.casefold() for n in allow_personal}
    named = goal.named if goal is not None else frozenset[str]()
    return {
        d.name
        for d in model.dimensions
        if d.personal and ({d.name.casefold(), d.label.casefold()} & policy or d.name in named)
    }


def _steered(space: Space, goal: Goal | None) -> Space:
    """The space with what the goal asks for first, so that a limit cuts off the rest."""
    if goal is None:
        return space
    return replace(
        space,
        axes=tuple(sorted(space.axes, key=lambda a: -goal.near(a.column))),
        measures=tuple(sorted(space.measures, key=lambda m: -max(map(goal.near, m.reaches or (m.name,))))),
    )


def _decent(cube: Cube, allow_personal: Collection[str]) -> Cube:
    """Without axes whose values identify a person by more than a name."""
    policy = {n.casefold() for n in allow_personal}

    def shown(axis: Axis) -> bool:
        if not axis.personal or axis.column.casefold() in policy:
            return True
        names = sum(_NAME.fullmatch(v) is not None for v in axis.values)
        return names >= _MOSTLY * len(axis.values) and not any("@" in v for v in axis.values)

    cube.axes = tuple(a for a in cube.axes if shown(a))
    return cube
