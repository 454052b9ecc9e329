"""The retrieval APIs that a model amounts to: one for each table with something to compute, typed and described."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gnomon.core.errors import NotFound
from gnomon.core.parts import FilterOperator
from gnomon.core.query import TimeGranularity
from gnomon.data.naming import unique
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric, SemanticModel, plural
from gnomon.semantic.time_columns import usual_step

PREFIX = "retrieve_"
_LONGEST = 100  # of what follows the prefix; a tool's name has a bound


@dataclass(frozen=True)
class ParameterSchema:
    """One parameter of an API.

    Args:
        name: Its name in the payload.
        type: What it takes, in words.
        description: What it is for.
        required: Whether every payload states it.
        allowed: The values it takes, where they are few and known.
    """

    name: str
    type: str
    description: str
    required: bool = False
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnSchema:
    """One column that an API can give: a metric, or a dimension.

    Args:
        name: Its name in payloads and results.
        label: How people call it.
        kind: ``metric`` or ``dimension``.
        type: ``number``, or the type of the dimension's values.
        unit: Unit of its numbers.
        description: One sentence.
    """

    name: str
    label: str
    kind: str
    type: str
    unit: str | None = None
    description: str = ""


@dataclass(frozen=True)
class APIDescriptor:
    """A retrieval API: what it is called, takes and gives.

    Args:
        name: Name of the tool, such as ``retrieve_orders``.
        endpoint: Where it lives, as plans publish it.
        description: What it gives, for people and models.
        parameters: What a payload may hold.
        columns: The metrics and dimensions it can give.
        dimension: The side of the business it is about.
        table: The table it is about.
        examples: Questions it answers, each with the payload that does.
    """

    name: str
    endpoint: str
    description: str
    parameters: tuple[ParameterSchema, ...]
    columns: tuple[ColumnSchema, ...]
    dimension: str | None
    table: str
    examples: tuple[dict[str, Any], ...] = field(default=())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics it gives."""
        return tuple(c.name for c in self.columns if c.kind == "metric")


class APIRegistry:
    """The APIs over one model.

    Args:
        apis: Their descriptors.
        metadata: What the data holds, without any value of it.
    """

    def __init__(self, apis: tuple[APIDescriptor, ...], metadata: dict[str, Any]) -> None:
        self._apis = {a.name: a for a in apis}
        self._metadata = metadata

    @classmethod
    def of(cls, model: SemanticModel) -> APIRegistry:
        """One API for each table with metrics; derived metrics are at the API of their first table."""
        homes: dict[str, list[Metric]] = {t.name: [] for t in model.tables}
        for metric in model.metrics:
            tables = model.base_tables(metric)
            if tables:
                homes.setdefault(tables[0], []).append(metric)
        names = api_names(homes)
        apis = tuple(
            _descriptor(model, names[table], table, metrics) for table, metrics in homes.items() if metrics
        )
        return cls(apis, _metadata(model))

    def __iter__(self) -> Iterator[APIDescriptor]:
        return iter(self._apis.values())

    def __len__(self) -> int:
        return len(self._apis)

    def get(self, name: str) -> APIDescriptor:
        """The API of that name.

        Raises:
            NotFound: There is no such API.
        """
        if name not in self._apis:
            raise NotFound.among("API", name, self._apis)
        return self._apis[name]

    def get_all(self) -> list[APIDescriptor]:
        """Every API, in the order of the tables."""
        return list(self._apis.values())

    def get_metadata(self) -> dict[str, Any]:
        """What the data holds: tables, metrics, dimensions and the days covered; no value of any cell."""
        return self._metadata


def api_names(tables: Iterable[str]) -> dict[str, str]:
    """The name of the API of each table: the table's own where a tool may be called so, else what is left of it."""
    plain = {table: _plain(table) for table in tables}
    names: dict[str, str] = {}
    for table, kept in sorted(plain.items(), key=lambda pair: pair[0] != pair[1]):
        names[table] = unique(f"{PREFIX}{kept}", names.values())
    return names


def _plain(table: str) -> str:
    """A table's name in the signs that the name of a tool may have, and no longer than that."""

    def is_plain(sign: str) -> bool:
        kind = unicodedata.category(sign)
        return kind[0] in "LM" or kind == "Nd" or sign in "_.-"

    words = "".join(sign if is_plain(sign) else " " for sign in table[:_LONGEST])
    return "_".join(words.split()) or "table"


def _descriptor(model: SemanticModel, name: str, table: str, metrics: list[Metric]) -> APIDescriptor:
    meaning = model.table(table)
    dimensions = [d for d in model.dimensions if model.path(table, d) is not None]
    shown = ", ".join(m.label for m in metrics[:6]) + (" and more" if len(metrics) > 6 else "")
    by = ", ".join(d.label for d in dimensions if _groups(d))
    return APIDescriptor(
        name=name,
        endpoint=f"semantic://{name}",
        description=f"Figures of {plural(meaning.label)}: {shown}" + (f"; by {by}." if by else "."),
        parameters=_parameters(metrics, dimensions),
        columns=(*map(_metric_column, metrics), *map(_dimension_column, dimensions)),
        dimension=meaning.business_dimension,
        table=table,
        examples=tuple(_examples(model, metrics, dimensions)),
    )


def _groups(dimension: Dimension) -> bool:
    return dimension.type in (DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TIME)


def _metric_column(metric: Metric) -> ColumnSchema:
    return ColumnSchema(metric.name, metric.label, "metric", "number", metric.unit, metric.description)


def _dimension_column(dimension: Dimension) -> ColumnSchema:
    return ColumnSchema(dimension.name, dimension.label, "dimension", dimension.type.value, dimension.unit)


def _parameters(metrics: list[Metric], dimensions: list[Dimension]) -> tuple[ParameterSchema, ...]:
    names, grains = tuple(d.name for d in dimensions), tuple(g.value for g in TimeGranularity)
    times = tuple(d.name for d in dimensions if d.type is DimensionType.TIME)
    operators = ", ".join(o.value for o in FilterOperator)
    return (
        ParameterSchema("metrics", "list of names", "What to compute; none lists what there is.", required=True, allowed=tuple(m.name for m in metrics)),
        ParameterSchema("dimensions", "list of names", "One result row for each combination.", allowed=names),
        ParameterSchema("grain", "name", "Also by calendar periods of this length.", allowed=grains),
        ParameterSchema("filters", "list of {field, operator, values, having, by}", f"Conditions: {operators}."),
        ParameterSchema("time_range", "{start, end} of dates, both included", "Only rows of these days."),
        ParameterSchema("time_dimension", "name", "The date that grain and time_range mean.", allowed=times),
        ParameterSchema("order_by", "name", "A metric or dimension of the payload to order by."),
        ParameterSchema("descending", "true or false", "Whether the largest come first."),
        ParameterSchema("limit", "whole number", "At most so many rows."),
        ParameterSchema("limit_per", "name", "The dimension for each of whose values the limit counts."),
        ParameterSchema("recurring", "[part, [numbers]]", "A part of time that repeats, such as ['month', [12]]."),
    )  # fmt: skip


def _examples(
    model: SemanticModel, metrics: list[Metric], dimensions: list[Dimension]
) -> Iterator[dict[str, Any]]:
    """A total, a breakdown, a trend and a ranking, from the names of the model."""
    first = next((m for m in metrics if m.aggregation is Aggregation.SUM), metrics[0])
    yield {"question": f"What is the {first.label}?", "payload": {"metrics": [first.name]}}
    group = next((d for d in dimensions if d.type is DimensionType.CATEGORY), None)
    if group is not None:
        payload = {"metrics": [first.name], "dimensions": [group.name]}
        yield {"question": f"Show the {first.label} by {group.label}.", "payload": payload}
        top = {**payload, "limit": 5, "descending": True}
        yield {"question": f"Which 5 {plural(group.label)} have the highest {first.label}?", "payload": top}
    if (time := model.time_dimension(first)) is not None:
        step = usual_step(time.grain, time.coverage).value
        yield {
            "question": f"How did the {first.label} develop by {step}?",
            "payload": {"metrics": [first.name], "grain": step},
        }


def _metadata(model: SemanticModel) -> dict[str, Any]:
    return {
        "tables": [
            {"name": t.name, "row": t.label, "rows": t.rows, "time": t.time_dimension} for t in model.tables
        ],
        "metrics": [{"name": m.name, "label": m.label, "unit": m.unit} for m in model.metrics],
        "dimensions": [
            {
                "name": d.name,
                "label": d.label,
                "type": d.type.value,
                "coverage": [day.isoformat() for day in d.coverage] if d.coverage else None,
            }
            for d in model.dimensions
        ],
    }
