"""Objects in memory: pandas, polars and Arrow frames, DuckDB relations, lists of records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.data import naming
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import RAW_SCHEMA, SetAside, quote
from gnomon.data.zones import by_its_clock, told_by

if TYPE_CHECKING:
    import pyarrow as pa


def is_frame(value: object) -> bool:
    """Whether ``value`` is an object that holds rows."""
    if isinstance(value, (str, bytes, bytearray)):
        return False
    module = type(value).__module__.partition(".")[0]
    return (
        module in {"pandas", "polars", "pyarrow", "numpy"}
        or hasattr(value, "__arrow_c_stream__")
        or (
            module in {"duckdb", "_duckdb"}
            and hasattr(value, "fetch_record_batch")
            and hasattr(value, "columns")
        )
        or _is_records(value)
    )


def open_frame(workspace: Workspace, value: object, name: str) -> RawTable:
    """The rows of ``value`` as one relation, without a copy where Arrow allows it.

    Raises:
        InvalidInput: The object holds no table.
        UnreadableSource: Its content cannot become columns.
    """
    import pyarrow as pa

    try:
        arrow, warnings = _to_arrow(value)
    except (pa.ArrowException, TypeError, ValueError) as e:
        raise UnreadableSource(
            f"{name} cannot be read as a table: {str(e).splitlines()[0]}",
            suggestions=["Pass a frame whose columns each hold one type."],
        ) from e
    if not arrow.column_names:
        raise InvalidInput(f"{name} has no columns.", suggestions=["Pass a frame with at least one column."])
    originals = [str(c) for c in arrow.column_names]
    columns, renamed = naming.column_names(originals)
    zones = {
        c: kind.tz
        for c, kind in zip(columns, arrow.schema.types, strict=True)
        if isinstance(kind, pa.TimestampType) and kind.tz
    }
    aside = store(workspace, name, arrow.rename_columns(columns), zones)
    return RawTable(
        name, f"memory:{name}", "frame", originals, columns, warnings=[*warnings, *renamed], aside=aside
    )


def open_arrow_file(workspace: Workspace, path: Path, name: str) -> RawTable:
    """The rows of an Arrow (Feather) file, mapped into memory.

    Raises:
        UnreadableSource: The file is damaged.
    """
    import pyarrow as pa

    try:
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (pa.ArrowException, OSError) as e:
        raise UnreadableSource(
            f"{path.name} cannot be read as an Arrow file: {str(e).splitlines()[0]}",
            suggestions=["Write or download the file again: it may have been cut short."],
        ) from e
    raw = open_frame(workspace, table, name)
    return replace(raw, source=str(path), format="arrow", size_bytes=path.stat().st_size)


def store(
    workspace: Workspace, name: str, table: pa.Table, zones: Mapping[str, str] | None = None
) -> list[SetAside]:
    """Make ``table`` the raw relation ``name``; its memory is shared, not copied.

    Returns:
        What to say of the columns whose times are told by the clock of one of ``zones``.
    """
    import duckdb

    held = f"arrow_{len(workspace.names)}_{name}"
    workspace.connection.execute(f"SET schema = '{RAW_SCHEMA}'")
    try:
        try:
            relation = workspace.connection.from_arrow(table)
        except (duckdb.InvalidInputException, duckdb.NotImplementedException):
            relation = workspace.connection.from_arrow(_known_kinds(workspace, table))
        relation.create_view(held, replace=True)
    finally:
        workspace.connection.execute("SET schema = 'main'")
    told = {
        c: sql for c, zone in (zones or {}).items() if (sql := by_its_clock(workspace, c, zone)) is not None
    }
    replaced = ", ".join(f"{sql} AS {quote(c)}" for c, sql in told.items())
    cells = f"* REPLACE ({replaced})" if told else "*"
    workspace.view(name, f"SELECT {cells} FROM {RAW_SCHEMA}.{quote(held)}")
    return [told_by(c, (zones or {})[c]) for c in told]


def _known_kinds(workspace: Workspace, table: pa.Table) -> pa.Table:
    """The table with the columns of kinds that DuckDB has no word for as numbers, else as text."""
    import duckdb
    import pyarrow as pa

    columns: list[Any] = []
    for column in table.columns:
        try:
            workspace.connection.from_arrow(pa.table({"c": column.slice(0, 0)}))
        except (duckdb.InvalidInputException, duckdb.NotImplementedException):
            number = pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)
            text = [None if v is None else json.dumps(v, default=str) for v in column.to_pylist()]
            columns.append(column.cast(pa.float64()) if number else pa.array(text, pa.string()))
        else:
            columns.append(column)
    return pa.Table.from_arrays(columns, names=table.column_names)


def _to_arrow(value: Any) -> tuple[pa.Table, list[str]]:
    import pyarrow as pa

    module = type(value).__module__.partition(".")[0]
    if isinstance(value, pa.Table):
        return value, []
    if isinstance(value, pa.RecordBatch):
        return pa.Table.from_batches([value]), []
    if module == "pandas":
        return _from_pandas(value)
    if module == "polars":
        frame = value.collect() if hasattr(value, "collect") else value
        frame = frame.to_frame() if hasattr(frame, "to_frame") else frame
        return frame.to_arrow(), []
    if module == "numpy":
        return _from_array(value), []
    if _is_records(value):
        return (
            pa.Table.from_pydict(dict(value))
            if isinstance(value, Mapping)
            else pa.Table.from_pylist(list(value))
        ), []
    if hasattr(value, "fetch_record_batch"):
        return value.fetch_record_batch().read_all(), []
    if hasattr(value, "to_table"):
        return value.to_table(), []
    return pa.table(value), []


def _from_pandas(frame: Any) -> tuple[pa.Table, list[str]]:
    """A pandas frame by way of Arrow; an index with a name is a column, and mixed columns become text."""
    import pandas as pd
    import pyarrow as pa

    frame = frame.to_frame() if isinstance(frame, pd.Series) else frame
    if any(n is not None for n in frame.index.names):
        frame = frame.reset_index()
    arrays: list[Any] = []
    mixed = 0
    for position in range(frame.shape[1]):
        series = frame.iloc[:, position]
        try:
            arrays.append(pa.array(series, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as e:
            mixed += not isinstance(
                e, OverflowError
            )  # whole numbers that are too long for Arrow are read from text
            arrays.append(pa.array([None if pd.isna(v) is True else str(v) for v in series], pa.string()))
    names = ["_".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in frame.columns]
    flat = [a.combine_chunks() if isinstance(a, pa.ChunkedArray) else a for a in arrays]
    warnings = [f"{mixed} column(s) mix kinds of values and are read as text."] if mixed else []
    return pa.Table.from_arrays(flat, names=names), warnings


def _from_array(value: Any) -> pa.Table:
    import pyarrow as pa

    if value.dtype.names:
        return pa.table({n: pa.array(value[n]) for n in value.dtype.names})
    if value.ndim > 2:
        raise InvalidInput(
            f"An array of {value.ndim} dimensions is not a table.", suggestions=["Pass two dimensions."]
        )
    grid = value.reshape(-1, 1) if value.ndim == 1 else value
    return pa.Table.from_arrays(
        [pa.array(grid[:, i]) for i in range(grid.shape[1])],
        [f"column_{i + 1}" for i in range(grid.shape[1])],
    )


def _is_records(value: object) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(_is_column(v) for v in value.values())
    return isinstance(value, Sequence) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _is_column(value: object) -> bool:
    return isinstance(value, (list, tuple)) and not any(isinstance(v, Mapping) for v in value)
