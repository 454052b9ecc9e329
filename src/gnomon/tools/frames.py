"""Rows on their way into and out of a tool.

A tool takes rows as JSON, as columns, as an Arrow table or a data frame, as the name of an open
table, or as the address of a source; it always receives a :class:`Frame`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from gnomon.core.errors import InvalidInput
from gnomon.tools.lineage import Lineage

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PREVIEW_ROWS = 1000

_JSON_SCHEMA: dict[str, Any] = {
    "description": "Rows to work on: the rows themselves, the name of an open table, or the address of a source.",
    "anyOf": [
        {"type": "array", "items": {"type": "object"}, "description": "One object per row."},
        {
            "type": "object",
            "properties": {"rows": {"type": "array", "items": {"type": "object"}}},
            "required": ["rows"],
        },
        {"type": "object", "properties": {"table": {"type": "string"}}, "required": ["table"]},
        {"type": "object", "properties": {"source": {"type": "string"}}, "required": ["source"]},
    ],
}


class TableName(str):
    """A reference to a table of the open data set, not yet read."""


class SourceAddress(str):
    """A reference to a file or database, not yet opened."""


@dataclass(frozen=True)
class Listed:
    """Columns of plain values; an Arrow table of them is made only where one is asked for, as that loads much."""

    columns: Mapping[str, list[Any]]

    @classmethod
    def of(cls, columns: Mapping[str, list[Any]]) -> Listed | None:
        """The columns where each holds values of one type that an Arrow table gives back as they are."""
        return cls(columns) if columns and all(map(_is_plain, columns.values())) else None

    @cached_property
    def arrow(self) -> pa.Table:
        """The same as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: pa.array(values) for name, values in self.columns.items()})


class Frame:
    """Rows with named, typed columns, held as one Arrow table, or a reference that is read on demand.

    Args:
        content: An Arrow table, columns that can become one, or a reference to be resolved by :meth:`resolved`.
        lineage: Where the rows come from in what a tool was given; None where it did not say.
    """

    __slots__ = ("content", "lineage")

    def __init__(
        self, content: pa.Table | Listed | TableName | SourceAddress, lineage: Lineage | None = None
    ) -> None:
        self.content = content
        self.lineage = lineage

    @classmethod
    def made(cls, rows: Any, lineage: Lineage) -> Frame:
        """Rows that a tool made, with where they come from."""
        return cls(cls.of(rows).content, lineage)

    @classmethod
    def of(cls, value: Any) -> Frame:
        """Rows from anything that holds rows.

        Raises:
            InvalidInput: The value holds no rows that can be read.
        """
        if isinstance(value, Frame):
            return value
        if isinstance(value, (TableName, SourceAddress)):
            return cls(value)
        if isinstance(value, Mapping):
            return cls._of_mapping(value)  # pyright: ignore[reportUnknownArgumentType]
        if hasattr(value, "__arrow_c_stream__") or hasattr(value, "to_arrow"):
            return cls(_arrow(value))
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return cls(_from_rows(value))
        raise InvalidInput(
            f"Rows were expected, not {type(value).__name__}.",
            suggestions=['Pass a list of objects, {"rows": […]}, {"table": "name"} or {"source": "path"}.'],
        )

    @classmethod
    def _of_mapping(cls, value: Mapping[str, Any]) -> Frame:
        if value.get("truncated") is True:
            raise InvalidInput(
                "These rows are a cut preview; a result computed from them would be wrong.",
                suggestions=["Refer to the whole table by name, or chain the tools in one plan."],
            )
        if set(value) == {"rows"}:
            return cls.of(value["rows"])
        if set(value) == {"table"} and isinstance(value["table"], str):
            return cls(TableName(value["table"]))
        if set(value) == {"source"} and isinstance(value["source"], str):
            return cls(SourceAddress(value["source"]))
        import pyarrow as pa

        try:
            return cls(pa.table(dict(value)))
        except (pa.ArrowException, TypeError, ValueError) as e:
            raise InvalidInput(
                f"An object with the keys {sorted(map(str, value))[:8]} cannot be read as columns: {e}.",
                suggestions=[
                    'Pass {"rows": […]}, {"table": "name"}, {"source": "path"} or lists of equal length.'
                ],
            ) from None

    @property
    def is_reference(self) -> bool:
        """Whether the rows still have to be read."""
        return isinstance(self.content, str)

    @property
    def arrow(self) -> pa.Table:
        """The rows as an Arrow table.

        Raises:
            InvalidInput: The frame is a reference that nobody has resolved.
        """
        if isinstance(self.content, (TableName, SourceAddress)):
            raise InvalidInput(f"{self.content!r} names data that has not been opened.")
        return self.content.arrow if isinstance(self.content, Listed) else self.content

    def values(self, column: str) -> list[Any]:
        """The values of one column."""
        if isinstance(self.content, Listed):
            return self.content.columns[column]
        return self.arrow.column(column).to_pylist()

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame of ordinary NumPy columns."""
        return self.arrow.to_pandas()

    def to_rows(self, limit: int | None = None) -> list[dict[str, Any]]:
        """The first ``limit`` rows as objects."""
        if isinstance(self.content, Listed):
            columns = self.content.columns
            rows = zip(*(values[:limit] for values in columns.values()), strict=True)
            return [dict(zip(columns, row, strict=True)) for row in rows]
        table = self.arrow if limit is None else self.arrow.slice(0, limit)
        return table.to_pylist()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.content.columns if isinstance(self.content, Listed) else self.arrow.column_names)

    def __len__(self) -> int:
        if isinstance(self.content, Listed):
            return len(next(iter(self.content.columns.values())))
        return self.arrow.num_rows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        if self.is_reference or other.is_reference:
            return self.is_reference and other.is_reference and self.content == other.content
        return self.arrow.equals(other.arrow)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        if self.is_reference:
            return f"Frame({self.content!r})"
        return f"Frame({self.arrow.num_rows} rows × {self.arrow.num_columns} columns)"

    def to_json(self) -> Any:
        """The reference, or the rows up to a bound that is stated when it cuts."""
        if isinstance(self.content, TableName):
            return {"table": str(self.content)}
        if isinstance(self.content, SourceAddress):
            return {"source": str(self.content)}
        shown: dict[str, Any] = {"rows": self.to_rows(PREVIEW_ROWS)}
        return shown if len(self) <= PREVIEW_ROWS else shown | {"row_count": len(self), "truncated": True}

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda frame: frame.to_json(), when_used="json"
            ),
        )

    @classmethod
    def _validate(cls, value: Any) -> Frame:
        return cls.of(value)  # InvalidInput is a ValueError: pydantic reports it as a validation error

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(_JSON_SCHEMA)


def _is_plain(values: list[Any]) -> bool:
    """Whether all are text, whole numbers of 64 bits, floats, truth values or days."""
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool, date}:
        return False
    return kinds != {int} or all(v is None or -(2**63) <= v < 2**63 for v in values)


def _arrow(value: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(value, pa.Table):
        return value
    if hasattr(value, "to_arrow"):
        return pa.table(value.to_arrow())
    return pa.table(value)


def _from_rows(rows: Sequence[Any]) -> pa.Table | Listed:
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InvalidInput(
                f"Row {i} is {type(row).__name__}; every row has to be an object of column names and values.",
                suggestions=['For example [{"date": "2025-01-01", "sales": 120.5}]'],
            )
    names = list(dict.fromkeys(str(k) for row in rows for k in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    if (plain := Listed.of(columns)) is not None:
        return plain
    import pyarrow as pa

    return pa.table({name: _column(values) for name, values in columns.items()})


def _column(values: list[Any]) -> pa.Array:
    """One column; numbers of mixed kinds become floats, anything else mixed becomes text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        present = [v for v in values if v is not None]
        if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in present):
            try:
                return pa.array([None if v is None else float(v) for v in values])
            except OverflowError:
                raise InvalidInput(
                    "A number is too large to compute with; the largest has about 308 digits.",
                    suggestions=["Send codes and long identifiers as text."],
                ) from None
        return pa.array([None if v is None else _text(v) for v in values])


def _text(value: Any) -> str:
    """A value as text; a number of thousands of digits is only told to be one."""
    try:
        return str(value)
    except ValueError:
        return "a number of thousands of digits"
