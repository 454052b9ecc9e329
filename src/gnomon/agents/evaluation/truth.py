"""What is true: queries written by hand, run by DuckDB over the same files, past everything that is being graded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    from gnomon.agents.evaluation.case import Part

_READERS = {".parquet": "read_parquet", ".csv": "read_csv"}


@dataclass(frozen=True)
class Truth:
    """The result of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class TruthTables:
    """The tables of a folder, or one file, to ask for truths.

    Args:
        source: A folder of Parquet or CSV files, each a table by the name of its file; or one such file, which
            is the table ``data``.
    """

    def __init__(self, source: Path | str) -> None:
        from gnomon.data.connection import in_memory

        path = Path(source)
        single = path.is_file()
        files = [path] if single else sorted(p for p in path.glob("*") if p.suffix in _READERS)
        if not files or any(f.suffix not in _READERS for f in files):
            raise InvalidInput(f"{path} holds no Parquet or CSV file; truths are asked of those")
        self._connection = in_memory()
        self._known: dict[str, Truth] = {}
        for file in files:
            name = "data" if single else file.stem
            location = str(file).replace("'", "''")
            self._connection.execute(
                f"CREATE VIEW \"{name}\" AS SELECT * FROM {_READERS[file.suffix]}('{location}')"
            )

    def ask(self, sql: str) -> Truth:
        """The rows of a query; the same query is run once."""
        if sql not in self._known:
            cursor = self._connection.execute(sql)
            columns = tuple(str(c[0]) for c in cursor.description or ())
            self._known[sql] = Truth(columns, tuple(tuple(row) for row in cursor.fetchall()))
        return self._known[sql]

    def of(self, part: Part) -> list[Truth]:
        """Every truth of a part."""
        return [self.ask(sql) for sql in part.sql]

    def close(self) -> None:
        """Let go of the files."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
