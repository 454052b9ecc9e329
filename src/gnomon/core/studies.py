"""What goes beyond adding up, with the options that a question names: one type for each verb of the algebra."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.operations import Verb
from gnomon.core.query import TimeGranularity


class _Options(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


Coefficient = Literal["pearson", "spearman", "kendall"]
Rule = Literal["iqr", "zscore"]


class Relation(_Options):
    """How columns hang together, row by row.

    Args:
        method: The coefficient.
        target: The column that all others are related to.
        sign: The only sign that counts, where one is asked for.
        weakest: Whether the weakest of several pairs is asked for instead of the strongest.
        ranked: Whether the group is asked for in which it is strongest.
        shaped: Whether it is asked if it is a line.
    """

    verb: Literal[Verb.RELATE] = Verb.RELATE
    method: Coefficient = "pearson"
    target: str | None = None
    sign: Literal["positive", "negative"] | None = None
    weakest: bool = False
    ranked: bool = False
    shaped: bool = False


class Regression(_Options):
    """A model that predicts the first column from the others; ``codes`` has categories coded as numbers."""

    verb: Literal[Verb.REGRESS] = Verb.REGRESS
    model: Literal["linear", "logistic"] | None = None
    test_share: float | None = None
    seed: int | None = None
    codes: bool = False
    score: str | None = None


class GroupTest(_Options):
    """Whether groups differ by more than chance.

    Args:
        test: A test of ``gnomon.analytics.hypotheses``, or ``auto``.
        alpha: The level of significance, where one was named.
        even: Whether groups are claimed to be alike, or not to be.
        independent: Whether two categories are claimed to have nothing to do with each other.
        ranked: Whether the group at the end is asked for as well.
        parts: The parts of time that are the groups: the days of the week, and those of the weekend.
    """

    verb: Literal[Verb.TEST] = Verb.TEST
    test: str = "auto"
    alpha: float | None = None
    even: bool | None = None
    independent: bool = False
    ranked: bool = False
    parts: tuple[tuple[int, ...], ...] = ()


class Shape(_Options):
    """Whether the values of a column are normally distributed, or how they are skewed."""

    verb: Literal[Verb.SHAPE] = Verb.SHAPE
    of: Literal["normality", "skewness"]
    test: str | None = None
    alpha: float | None = None


class Told(StrEnum):
    """What is told of outliers: figures without them, how many values are left, or how many lie where."""

    WITHOUT = "without"
    LEFT = "left"
    WITHIN = "within"
    BEYOND = "beyond"
    ABOVE = "above"
    BELOW = "below"


class Outliers(_Options):
    """Values of rows that lie far from the rest.

    Args:
        rule: How far that is: by quartiles, or by standard deviations.
        threshold: The factor of the rule, where one was named.
        named: Whether the rule was named.
        removed: Whether they are to be taken out.
        told: What is asked for, where it is not the outliers.
    """

    verb: Literal[Verb.OUTLIERS] = Verb.OUTLIERS
    rule: Rule = "iqr"
    threshold: float | None = None
    named: bool = False
    removed: bool = False
    told: Told | None = None


class Outlook(_Options):
    """How many periods ahead a forecast looks, and how long they are."""

    verb: Literal[Verb.FORECAST] = Verb.FORECAST
    horizon: int | None = Field(default=None, ge=1)
    unit: TimeGranularity | None = None


class Aspect(StrEnum):
    """What of the data itself is asked about."""

    MISSING = "missing"
    DUPLICATES = "duplicates"
    DISTINCT = "distinct"
    TYPES = "types"
    SHAPE = "shape"
    COLUMNS = "columns"
    ROWS = "rows"
    TABLES = "tables"
    PERIOD = "period"


class Gaps(StrEnum):
    """Of what the missing values are told: columns that have some or none, the end of them, each; rows."""

    COLUMNS = "columns"
    FULL = "full"
    MOST = "most"
    LEAST = "least"
    EACH = "each"
    ROWS = "rows"
    COMPLETE = "complete"


class Holding(StrEnum):
    """What columns hold."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    DATED = "dated"


class Inspection(_Options):
    """The data itself: its rows, columns and cells.

    Args:
        about: What of it; a summary where nothing is named.
        gaps: For missing values, of what they are told.
        holding: For types, the only kind of column that is asked for.
        columns: The columns, by their headings; all where none is named.
        table: The table; all where none is named.
        share: Whether missing values are told in percent.
    """

    verb: Literal[Verb.PROFILE] = Verb.PROFILE
    about: Aspect | None = None
    gaps: Gaps | None = None
    holding: Holding | None = None
    columns: tuple[str, ...] = ()
    table: str | None = None
    share: bool = False


Study = Annotated[
    Relation | Regression | GroupTest | Shape | Outliers | Outlook | Inspection, Field(discriminator="verb")
]
