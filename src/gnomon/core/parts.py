"""What is asked, part by part: the flat form in which the grammar finds it and sentence plans tell it."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.operations import Side, Tell, Walk, Way
from gnomon.core.query import Recurring, TimeGranularity, TimeRange
from gnomon.core.studies import Study

Scalar = str | int | float | bool | None


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class QuestionKind(StrEnum):
    """What sort of answer a question asks for."""

    VALUE = "value"
    BREAKDOWN = "breakdown"
    RANKING = "ranking"
    SHARE = "share"
    COMPARISON = "comparison"
    TREND = "trend"
    LIST = "list"
    DISTRIBUTION = "distribution"
    CORRELATION = "correlation"
    DIFFERENCE = "difference"
    REGRESSION = "regression"
    ANOMALY = "anomaly"
    FORECAST = "forecast"
    CAUSE = "cause"
    PROFILE = "profile"


class FilterOperator(StrEnum):
    """How a filter compares."""

    EQUALS = "="
    NOT_EQUALS = "!="
    IN = "in"
    NOT_IN = "not in"
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="
    BETWEEN = "between"
    OUTSIDE = "outside"
    IS_NULL = "is null"
    NOT_NULL = "is not null"
    CONTAINS = "contains"
    LISTS = "lists"
    NOT_BY = "not by"
    """A day that has not come by then: it is later, or there is none."""


class Relative(_Frozen):
    """A bound that the data gives: the average fare, the median of each department.

    Args:
        how: ``mean``, ``median``, ``min`` or ``max``, of the column over all rows of its table; for a ``having``
            condition of the metric over the groups that are compared.
        per: The dimension within whose groups it is taken.
    """

    how: Annotated[str, Field(pattern="^(mean|median|min|max)$")]
    per: str | None = None


class Filter(_Frozen):
    """One condition on a dimension, or with ``having`` on a metric.

    A ``having`` condition with ``by`` keeps the rows of those groups of ``by`` that meet it (customers
    who spent more than …); without, it keeps result rows. With ``relative`` the bound is computed, and
    ``values`` holds at most how many times it. With ``among`` or ``within`` the groups are looked at by other rows than
    those of the answer: the members with no visit in 2024, of those of 2023.
    """

    field: str
    operator: FilterOperator
    values: tuple[Scalar | date | datetime, ...] = ()
    having: bool = False
    by: str | None = None
    relative: Relative | None = None
    among: tuple[Filter, ...] = ()
    within: TimeRange | None = None

    @property
    def is_apart(self) -> bool:
        """Whether it looks at other rows than those of the answer."""
        return bool(self.among) or self.within is not None


class Comparison(_Frozen):
    """What the result is set against: another period, another group, all other groups (``rest``), or a benchmark.

    ``yardstick`` is the metric or the number that a benchmark is; without one it is the same metric over everything.
    """

    kind: Annotated[str, Field(pattern="^(period|group|benchmark)$")]
    period: TimeRange | None = None
    groups: tuple[str, ...] = ()
    rest: bool = False
    yardstick: str | float | None = None
    label: str = ""


class Course(_Frozen):
    """What is computed along the periods of a trend, and whether a test says that there is one (``judged``).

    A moving average spans a ``window`` of periods. A running total may be told at the days of ``points`` alone, of the
    changes only the largest ``steps`` of one way.
    """

    walks: tuple[Walk, ...] = ()
    window: int | None = None
    points: tuple[date, ...] = ()
    steps: Way | None = None
    judged: bool = False

    def walking(self, walk: Walk) -> Course:
        """The same with one thing more that is computed."""
        return self.model_copy(update={"walks": tuple(dict.fromkeys((*self.walks, walk)))})

    def without(self, walk: Walk) -> Course:
        """The same without one of the things that are computed."""
        return self.model_copy(update={"walks": tuple(w for w in self.walks if w is not walk)})


class Claim(_Frozen):
    """What is claimed: that a figure is more or less than the other, a trend goes up or down, or groups ``moved`` one way.

    ``whether`` asks for a yes or a no; ``measures`` are set against each other where neither periods nor groups are.
    """

    side: Side | None = None
    whether: bool = False
    measures: bool = False
    moved: Way | None = None


class Share(_Frozen):
    """The part and the whole of a share, where conditions alone do not make them.

    The part may be what fell on ``days`` or a ``recurring`` time, the whole another metric or each group ``within`` a
    dimension; it is told ``along`` time, or whether it is the ``majority``.
    """

    days: TimeRange | None = None
    recurring: Recurring | None = None
    whole: str | None = None
    within: str | None = None
    along: bool = False
    majority: bool = False


class Brackets(_Frozen):
    """Ranges of a column of numbers that are the groups: so wide, or so many."""

    column: str
    width: float | None = None
    bins: int | None = None


class Listing(_Frozen):
    """Rows of a table as they are, in the order of one of its dimensions."""

    table: str
    order: str


Part = TypeVar("Part", bound=BaseModel)


class Parts(_Frozen):
    """One question, part by part; :func:`gnomon.core.shapes.parts_of` finds them in its tree.

    Everything after the reader works from this alone. ``unexplained`` keeps the content words that
    bind to nothing in the data; ``confidence`` falls with them.

    Args:
        question: The words.
        kind: What sort of answer is asked for.
        metrics: References to metrics of the semantic model, ad hoc ones included.
        columns: Dimensions whose values are related row by row; of a regression the first is predicted.
        dimensions: Names of the dimensions to break down by.
        filters: Conditions that hold for everything in the answer.
        part: For a share, the further conditions that make the part; the whole meets ``filters`` alone.
        time_range: The days it is about.
        time_dimension: The time column that was named, where one was.
        recurring: A part of time that repeats: ``("month", (12,))``, ``("weekday", (5, 6))`` (Monday is 0).
        comparison: What the result is set against.
        grain: The length of the periods of a trend.
        descending: Whether a ranking starts with the largest.
        limit: How many ranks are asked for.
        limit_per: The dimension for each of whose values ``limit`` counts (the top 3 per region).
        place: The only rank that is asked for (the second).
        each: Whether the figure of every group is told.
        beside: A metric that is told beside the first.
        tells: What of two figures is asked for.
        claim: What is claimed of them.
        course: What is computed along the periods of a trend.
        share: The part and the whole of a share.
        brackets: The ranges that are the groups.
        listing: The rows that are listed.
        study: What goes beyond adding up, with its options.
        unexplained: Content words that bind to nothing in the data.
        confidence: How sure the reader is.
    """

    question: str
    kind: QuestionKind
    metrics: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    part: tuple[Filter, ...] = ()
    time_range: TimeRange | None = None
    time_dimension: str | None = None
    recurring: Recurring | None = None
    comparison: Comparison | None = None
    grain: TimeGranularity | None = None
    descending: bool = True
    limit: int | None = Field(default=None, ge=1)
    limit_per: str | None = None
    place: int | None = Field(default=None, ge=1)
    each: bool = False
    beside: str | None = None
    tells: tuple[Tell, ...] = ()
    claim: Claim = Field(default_factory=Claim)
    course: Course = Field(default_factory=Course)
    share: Share = Field(default_factory=Share)
    brackets: Brackets | None = None
    listing: Listing | None = None
    study: Study | None = None
    unexplained: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)

    def options(self, of: type[Part]) -> Part:
        """The options of the study, where it is one of this sort; otherwise the usual ones."""
        return self.study if isinstance(self.study, of) else of()


def overlaid(*parts: Part) -> Part:
    """Parts of one sort put on each other: what a later one says holds."""
    said = {name: value for part in parts[1:] for name, value in part if value not in (None, False, ())}
    return parts[0].model_copy(update=said)
