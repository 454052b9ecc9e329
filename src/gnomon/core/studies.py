"""What goes beyond adding up, with the options that a question names: one type for each verb of the algebra."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.operations import Verb
from gnomon.core.query import TimeGranularity

Coefficient = Literal["pearson", "spearman", "kendall"]
Rule = Literal["iqr", "zscore"]
# Figures without the outliers, how many values are left, or how many lie where around the mean.
Finding = Literal["without", "left", "within", "beyond", "above", "below"]
Aspect = Literal["missing", "duplicates", "distinct", "types", "shape", "columns", "rows", "tables", "period"]
# Columns that have missing values or none, those with the most or the fewest, each; rows that have some, or none.
Gaps = Literal["columns", "full", "most", "least", "each", "rows", "complete"]
Holding = Literal["numeric", "categorical", "dated"]


class _Options(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class Relation(_Options):
    """How columns hang together row by row, or all of them with ``target``; only with ``sign``, where one is asked for.

    The strongest of several pairs is told, or the ``weakest``; ``ranked`` asks in which group it is strongest, ``shaped``
    whether it is a line.
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
    """Whether groups differ by more than chance, by a test of ``gnomon.analytics.hypotheses``.

    ``even`` claims that they are alike, or not; ``independent`` that two categories have nothing to do with each other.
    ``ranked`` asks for the group at the end too; ``parts`` are groups made of time: weekdays and weekends.
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
    of: Literal["normality", "skewness"] = "normality"
    test: str | None = None
    alpha: float | None = None


class Outliers(_Options):
    """Values of rows that lie far from the rest, by a rule that may be ``named``; ``removed`` where they are to go."""

    verb: Literal[Verb.OUTLIERS] = Verb.OUTLIERS
    rule: Rule = "iqr"
    threshold: float | None = None
    named: bool = False
    removed: bool = False
    told: Finding | None = None


class Outlook(_Options):
    """How many periods ahead a forecast looks, and how long they are."""

    verb: Literal[Verb.FORECAST] = Verb.FORECAST
    horizon: int | None = Field(default=None, ge=1)
    unit: TimeGranularity | None = None


class Inspection(_Options):
    """The data itself: all of it, a table, or columns by their headings; missing values as a ``share`` of all."""

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
