"""A significance test between groups of rows: the rows are taken as they lie, the test is the one named or chosen."""

from __future__ import annotations

import calendar
import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.group_tests import GroupComparison, compare_counts, compare_samples, cross_table
from gnomon.core.errors import CalculationError
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import Cost, FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.row_calculations import OverRows, RowsInput

MOST_ROWS = 500_000


class GroupOfRows(BaseModel):
    """One group, by the conditions that its rows meet."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    name: str = Field(description="What to call the group.")
    filters: tuple[Filter, ...] = Field(description="Conditions that its rows meet.")


class GroupTestInput(RowsInput):
    """What is compared, and between which groups."""

    value: str | None = Field(
        default=None, description="Reference to a metric over a column whose rows are compared; rows are counted without it."
    )  # fmt: skip
    by: str | None = Field(default=None, description="The dimension whose values are the groups.")
    grain: TimeGranularity | None = Field(default=None, description="Groups are periods of this length.")
    groups: tuple[GroupOfRows, ...] = Field(default=(), description="The groups, where they are named.")
    other: str | None = Field(
        default=None, description="A second category: whether the two have to do with each other is tested."
    )
    test: str = Field(default="auto", description="Chosen by the data unless named.")
    significance: float = Field(default=0.05, gt=0, lt=1, description="Accepted chance of a false alarm.")


class GroupTestOutput(BaseModel):
    """What the test found."""

    model_config = ConfigDict(defer_build=True, arbitrary_types_allowed=True)

    summary: str = Field(description="The outcome in a sentence.")
    test: str = Field(description="The test that was made.")
    chosen: str = Field(description="Why this test.")
    statistic: float
    p_value: float
    freedom: float | None = None
    effect_name: str | None = None
    effect: float | None = None
    effect_size: str | None = None
    significant: bool
    significance: float
    groups: Frame = Field(description="Each group with its number of rows, average, median and share.")
    missing: int = Field(default=0, description="Rows left out because a value is missing.")
    single: int = Field(default=0, description="Groups left out because they have but one row.")
    further: dict[str, float] = Field(default_factory=dict, description="P-values of closely related tests.")
    query: str = Field(description="The query, for people to read.")


class GroupTester(OverRows):
    """Tests groups of the rows of a model's tables."""

    def test(self, given: GroupTestInput, context: ToolContext) -> GroupTestOutput:
        """Compare a column between groups, count rows of groups, or relate two categories."""
        rows, query = self._rows(given, context)
        named = None if given.test == "auto" else given.test
        known = [r for r in rows if all(v is not None for v in r)]
        missing = len(rows) - len(known)
        if given.other is not None:
            found = cross_table([(_said(a), _said(b)) for a, b in known], named, given.significance)
        elif given.value is None:
            found = compare_counts(Counter(_said(r[0]) for r in known), given.significance)
        elif known and all(_is_flag(r[1], named) for r in known):
            found = cross_table([(_said(g), _said(bool(v))) for g, v in known], named, given.significance)
        else:
            found = compare_samples(
                [(_said(g), float(v)) for g, v in known],
                named,
                given.significance,
                ordered=bool(given.groups),
            )
        return _output(found, missing, query)

    def _rows(self, given: GroupTestInput, context: ToolContext) -> tuple[list[tuple[Any, ...]], str]:
        """For each row its group, and what is compared."""
        compared = [c for c in (given.value, given.other) if c is not None]
        if not given.groups:
            return self._split(given, compared, context)
        rows: list[tuple[Any, ...]] = []
        queries: list[str] = []
        for group in given.groups:
            query = given.query(filters=(*given.filters, *group.filters))
            columns = compared or [self._any_column(given)]
            held, text = self._retriever.values(
                given.table, columns, query, most=MOST_ROWS + 1, cancel=context.cancel
            )
            rows += [(group.name, *(r if compared else ())) for r in held]
            queries.append(text)
        self._bound(rows)
        return rows, "; ".join(queries)

    def _split(
        self, given: GroupTestInput, compared: Sequence[str], context: ToolContext
    ) -> tuple[list[tuple[Any, ...]], str]:
        """Rows with the value of the dimension, or the period, that they belong to."""
        timed = given.grain is not None or (given.by or "").startswith("@")
        by = self._time(given) if timed else given.by
        if by is None:
            raise CalculationError("Groups need a dimension.", suggestions=["Name what to compare by."])
        columns = [by, *compared]
        held, text = self._retriever.values(
            given.table, columns, given.query(), most=MOST_ROWS + 1, cancel=context.cancel
        )
        self._bound(held)
        if timed:
            part = given.by or str(given.grain)
            held = [(_period(r[0], part), *r[1:]) for r in held]
        return held, text

    def _time(self, given: GroupTestInput) -> str | None:
        return given.time_dimension or self._model.table(given.table).time_dimension

    def _any_column(self, given: GroupTestInput) -> str:
        """A column that tells the rows apart as well as any, where they are only counted."""
        return next(d.name for d in self._model.dimensions if d.at(given.table) is not None)

    @staticmethod
    def _bound(rows: Sequence[Any]) -> None:
        if len(rows) > MOST_ROWS:
            raise CalculationError(
                f"The test would need more than {MOST_ROWS:,} rows.",
                suggestions=["Ask about fewer days, or with a further condition."],
            )


def _is_flag(value: Any, named: str | None) -> bool:
    """Whether a value is yes or no, also in numbers unless a test for numbers is named."""
    return isinstance(value, bool) or (value in (0, 1) and named in (None, "chi2", "fisher"))


def _said(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _period(value: Any, part: str) -> str | None:
    """The period or the part of time that a moment lies in, by name."""
    if not isinstance(value, dt.date):
        return None
    names = {
        "@weekday": calendar.day_name[value.weekday()],
        "@month": calendar.month_name[value.month],
        "@quarter": f"Q{(value.month + 2) // 3}",
        "@hour": str(getattr(value, "hour", 0)),
        "year": str(value.year),
        "quarter": f"Q{(value.month + 2) // 3} {value.year}",
        "month": f"{calendar.month_name[value.month]} {value.year}",
        "week": "week {1} of {0}".format(*value.isocalendar()[:2]),
    }
    return names.get(part, f"{value:%Y-%m-%d}")


def _output(found: GroupComparison, missing: int, query: str) -> GroupTestOutput:
    outcome, samples = found.outcome, found.outcome.samples
    frame = Frame.of(
        {
            "group": [s.name for s in samples],
            "count": [s.count for s in samples],
            "mean": [s.mean for s in samples],
            "median": [s.median for s in samples],
            "share": [found.shares.get(s.name) for s in samples],
        }
    )
    return GroupTestOutput(
        summary=outcome.conclusion,
        test=outcome.test,
        chosen=outcome.chosen,
        statistic=outcome.statistic,
        p_value=outcome.p_value,
        freedom=outcome.freedom,
        effect_name=outcome.effect_name,
        effect=outcome.effect,
        effect_size=outcome.effect_size,
        significant=outcome.significant,
        significance=outcome.alpha,
        groups=frame,
        missing=missing,
        single=found.single,
        further=found.further,
        query=query,
    )


def group_test_tools(model: SemanticModel, retriever: Retriever) -> list[FunctionTool]:
    """The tools of this file."""
    tester = GroupTester(model, retriever)
    return [
        FunctionTool(
            "test_groups",
            tester.test,
            GroupTestInput,
            GroupTestOutput,
            description="Tests whether groups of rows differ in a column, or two categories depend on each other.",
            cost=Cost.HEAVY,
        )
    ]
