"""Parquet decimals of more than 38 digits, which DuckDB reads as other numbers: copied by way of Arrow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.data.raw import Workspace
from gnomon.data.table import SetAside

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = 38
_ROWS = 65_536


def has_wide_decimals(workspace: Workspace, files: str) -> bool:
    """Whether a column of the Parquet files, or a part of one, has decimals that DuckDB cannot hold.

    Args:
        workspace: The connection.
        files: The files as SQL strings, one after the other.
    """
    found = workspace.connection.execute(
        f"SELECT count(*) FROM parquet_schema([{files}]) WHERE precision > {_DIGITS}"
    ).fetchone()
    return found is not None and found[0] > 0


def narrowed(workspace: Workspace, path: Path) -> tuple[Path, list[SetAside]]:
    """A copy of ``path`` without decimals of more than 38 digits, and what to say of its columns.

    They stay decimals where every value has room in one, and are rounded elsewhere; inside lists and records they
    become text. The copy stands below the same ``key=value`` folders.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = workspace.scratch_file("-narrowed")
    folder.unlink()
    target = folder.joinpath(*(p for p in path.parts[:-1] if "=" in p), path.name)
    target.parent.mkdir(parents=True)
    with pq.ParquetFile(path) as source:
        schema = source.schema_arrow
        rounded: set[int] = set()
        while True:
            into = [_kind(f.type, i in rounded) for i, f in enumerate(schema)]
            fields = [f.with_type(k) for f, k in zip(schema, into, strict=True)]
            try:
                with pq.ParquetWriter(target, pa.schema(fields, schema.metadata)) as out:
                    for batch in source.iter_batches(_ROWS):
                        out.write_batch(_cast(batch, out.schema))
                break
            except _NoRoom as e:
                rounded.add(e.args[0])
    return target, [
        SetAside(
            f"{schema.field(i).name}: numbers of more than {_DIGITS} digits are rounded to 15.",
            schema.field(i).name,
        )
        for i in sorted(rounded)
    ]


class _NoRoom(Exception):
    """A column, by its position, has a value of too many digits."""


def _kind(kind: pa.DataType, rounded: bool) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_decimal256(kind):
        fits = kind.scale <= _DIGITS and not rounded
        return pa.decimal128(_DIGITS, kind.scale) if fits else pa.float64()
    return pa.string() if "decimal256" in str(kind) else kind


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    columns: list[Any] = []
    for i, (column, field) in enumerate(zip(batch.columns, schema, strict=True)):
        if column.type == field.type:
            columns.append(column)
        elif pa.types.is_string(field.type):
            told = [None if v is None else json.dumps(v, default=str) for v in column.to_pylist()]
            columns.append(pa.array(told, pa.string()))
        else:
            try:
                columns.append(column.cast(field.type))
            except pa.ArrowInvalid:
                raise _NoRoom(i) from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)
