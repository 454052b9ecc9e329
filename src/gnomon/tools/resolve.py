"""From what a caller passed as rows to typed rows: text that is really dates or numbers is read as such."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.errors import InvalidInput, NotFound, PolicyViolation
from gnomon.tools.contract import ToolContext
from gnomon.tools.frames import Frame, SourceAddress, TableName

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

    from gnomon.data import Dataset, Table


@contextmanager
def opened(frame: Frame, context: ToolContext) -> Generator[tuple[Dataset, Table]]:
    """The table behind ``frame``, typed, in a data set that can be queried while the block runs.

    Raises:
        NotFound: It names a table that is not open.
        PolicyViolation: It names a file that this caller may not open.
        InvalidInput: It holds no table, or several.
    """
    if isinstance(frame.content, TableName):
        if context.dataset is None:
            raise NotFound.among("table", str(frame.content), [])
        table = context.dataset.table(str(frame.content))
        context.set_aside.extend(table.set_aside)
        yield context.dataset, table
        return
    from gnomon.data import open_sources

    if isinstance(frame.content, SourceAddress):
        dataset = open_sources(
            _allowed(str(frame.content), context), settings=context.settings, roots=context.roots
        )
    else:
        dataset = open_sources({"data": frame.arrow}, settings=context.settings)
    try:
        tables = list(dataset)
        if len(tables) != 1:
            names = ", ".join(t.name for t in tables[:8])
            raise InvalidInput(f"{frame.content} holds {len(tables)} tables ({names}); one was expected.")
        context.set_aside.extend(tables[0].set_aside)
        yield dataset, tables[0]
    finally:
        dataset.close()


def _allowed(address: str, context: ToolContext) -> str:
    if context.roots is None:
        return address
    if "\0" in address:
        raise InvalidInput("A path cannot hold a null character.")
    path = Path(address).resolve()
    if "://" not in address and any(path.is_relative_to(root.resolve()) for root in context.roots):
        return str(path)
    raise PolicyViolation(
        f"{address!r} may not be opened from here.",
        suggestions=[
            "Send the rows themselves, or start the server with GNOMON_DATA_ROOTS naming the folder."
        ],
    )


@contextmanager
def querying(dataset: Dataset, context: ToolContext) -> Generator[duckdb.DuckDBPyConnection]:
    """A cursor on ``dataset`` whose running query is interrupted on cancellation."""
    from dataclasses import replace

    with replace(context, dataset=dataset).cursor() as cursor:
        yield cursor


def read_arrow(frame: Frame, context: ToolContext, columns: Sequence[str] | None = None) -> pa.Table:
    """The typed rows, or only the named columns of them.

    Raises:
        NotFound: A column is not there; close names are proposed.
    """
    from gnomon.data.table import quote

    with opened(frame, context) as (dataset, table), querying(dataset, context) as cursor:
        wanted = [quote(table.column(c).name) for c in columns] if columns is not None else ["*"]
        rows = cursor.sql(f"SELECT {', '.join(wanted) or 'NULL'} FROM {table.relation}").to_arrow_table()
        return rows if wanted else rows.select([])


def read_frame(frame: Frame, context: ToolContext, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The typed rows as a data frame; decimals become floats."""
    import pandas as pd
    import pyarrow as pa

    table = plain_numbers(read_arrow(frame, context, columns))
    for i, field in enumerate(table.schema):
        if pa.types.is_date(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.timestamp("us")))
    read = table.to_pandas()
    return read if isinstance(read, pd.DataFrame) else pd.DataFrame(read)


def plain_numbers(table: pa.Table) -> pa.Table:
    """The table with decimals as whole numbers where they are and fit, else as floats."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if not pa.types.is_decimal(field.type):
            continue
        column = table.column(i)
        try:
            plain = column.cast(pa.int64()) if field.type.scale == 0 else column.cast(pa.float64())
        except pa.ArrowInvalid:
            plain = column.cast(pa.float64())
        table = table.set_column(i, field.name, plain)
    return table
