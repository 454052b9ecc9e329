"""The type of what a language model may say of a question: choices among known names, and words of the question."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from gnomon.core.query import TimeGranularity
from gnomon.core.request import FilterOperator, QuestionKind
from gnomon.semantic.model import PARTS_OF_TIME

Words = str
How = Literal["sum", "mean", "median", "min", "max", "count", "count_distinct", "stddev"]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", use_enum_values=True)


class SaidMeasure(_Said):
    """Something to compute."""

    of: Any
    aggregation: How | None = Field(None, description="Only where the question asks for another than usual.")
    per: Any = Field(None, description="For an aggregation over groups, such as the mean of revenue per day.")
    divided_by: Any = Field(None, description="For a ratio of two metrics.")
    words: Words = Field(description="The words of the question that name it.")


class SaidGroup(_Said):
    """Something to break down by."""

    column: Any
    words: Words = Field(description="The words of the question that name it.")


class SaidCondition(_Said):
    """A condition."""

    on: Any
    operator: FilterOperator
    values: list[str] = Field(description="Words or marks of the question; true or false for a boolean.")
    of_each: Any = Field(None, description="For a condition on a metric, the groups that have to meet it.")
    is_part: bool = Field(False, description="For a share: whether it makes the part, not the whole.")
    words: Words = Field(description="The words of the question that say it.")


class SaidPart(_Said):
    """One question, read."""

    kind: QuestionKind
    kind_words: Words = Field("", description="The words of the question that say so.")
    measures: list[Any]
    groups: list[Any] = Field(default_factory=list[Any])
    conditions: list[Any] = Field(default_factory=list[Any])
    period: Words = Field("", description="The words of the question that say when, as they stand.")
    compared_with: Words = Field("", description="The words that name the period to compare with.")
    grain: TimeGranularity | None = Field(None, description="The step of a trend.")
    rank: Literal["largest", "smallest"] | None = None
    limit: Words = Field("", description="The word or mark that says how many; one, if only the first.")
    limit_per: Any = Field(None, description="The column for each of whose values the limit counts.")
    continues: bool = Field(False, description="Whether it leans on the question before.")


class SaidReading(_Said):
    """What a question asks for."""

    parts: list[Any] = Field(max_length=4)
    not_in_data: list[Words] = Field(
        default_factory=list[str], description="Words that ask for something that is not listed."
    )


def output_type(metrics: Iterable[str], columns: Iterable[str], rows: Iterable[str]) -> type[SaidReading]:
    """The type whose names are limited to these, as they are shown to the model."""
    metrics, columns = list(metrics), list(columns)
    column = _choice("Column", columns)
    measure = _limited(
        SaidMeasure,
        of=(_choice("Measured", [*metrics, *columns, *rows]), ...),
        per=(_choice("GroupOrStep", [*columns, *(g.value for g in TimeGranularity)]) | None, None),
        divided_by=(_choice("Metric", metrics) | None, None),
    )
    parts_of_time = [f"part:{p}" for p in PARTS_OF_TIME]
    group = _limited(SaidGroup, column=(_choice("ColumnOrPartOfTime", [*columns, *parts_of_time]), ...))
    condition = _limited(
        SaidCondition,
        on=(_choice("ColumnOrMetric", [*columns, *metrics]), ...),
        of_each=(column | None, None),
    )
    part = _limited(
        SaidPart,
        measures=(list[measure], ...),
        groups=(list[group], []),
        conditions=(list[condition], []),
        limit_per=(column | None, None),
    )
    return _limited(SaidReading, parts=(list[part], Field(max_length=4)))


def _limited(base: Any, **fields: tuple[Any, Any]) -> Any:
    """``base`` with the types of some fields narrowed, their descriptions kept."""
    described = {
        name: (kind, default if default is not None else Field(None, description=base.model_fields[name].description))
        for name, (kind, default) in fields.items()
    }  # fmt: skip
    return cast(Any, create_model)(base.__name__.removeprefix("Said"), __base__=base, **described)


def _choice(name: str, values: list[str]) -> Any:
    """One of the values; where there are none, nothing that exists."""
    members = {f"n{i}": v for i, v in enumerate(values or ["nothing"])}
    return cast(Any, Enum)(name, members, type=str)
