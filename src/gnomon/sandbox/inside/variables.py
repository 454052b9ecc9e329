"""The variables that a cell finds already there: files as frames, relations and chunks, read when first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

# Names that everybody uses for these libraries; they need no import statement.
LIBRARIES = {
    "pd": "pandas",
    "np": "numpy",
    "duckdb": "duckdb",
    "pa": "pyarrow",
    "plt": "matplotlib.pyplot",
    "alt": "altair",
    "px": "plotly.express",
    "go": "plotly.graph_objects",
}


class Chunks:
    """A file as data frames, some rows at a time; every ``for`` begins at the first row again."""

    def __init__(self, begin: Callable[[], Iterator[Any]]) -> None:
        self._begin = begin
        self._open: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        return self._begin()

    def __next__(self) -> Any:
        self._open = self._open or self._begin()
        return next(self._open)


class DataFiles:
    """The files of this run, opened as Gnomon opens them everywhere, so that columns have the names it told of.

    Args:
        files: For every name its ``path`` inside and whether it is ``large``.
        chunk_size: Rows in a chunk.
        memory_mb: Memory that the embedded DuckDB may use.
    """

    def __init__(self, files: dict[str, dict[str, Any]], chunk_size: int, memory_mb: int) -> None:
        self._files, self._chunk_size, self._memory = files, chunk_size, memory_mb
        self._tables: dict[str, list[Any]] = {}
        self._dataset: Any = None
        self._failures: dict[str, Exception] = {}

    def makers(self) -> dict[str, Callable[[], Any]]:
        """For every variable that can be had, how to make it."""
        makers: dict[str, Callable[[], Any]] = {"load": lambda: self.load, "sql": lambda: self.sql}
        for name, file in self._files.items():
            makers[f"{name}_path"] = lambda path=file["path"]: path
            makers[f"{name}_relation"] = lambda name=name: self._each(name, self._relation)
            makers[name] = lambda name=name: self._whole(name)
            if file["large"]:
                makers[f"{name}_chunks"] = lambda name=name: self._each(name, self._chunks)
        return makers

    def load(self, name: str, columns: list[str] | None = None, arrow: bool = False) -> Any:
        """The file ``name`` as a data frame (or Arrow table), whole or some columns of it."""

        def read(table: Any) -> Any:
            relation = self._relation(table)
            relation = relation if columns is None else relation.select(*columns)
            return relation.to_arrow_table() if arrow else relation.df()

        return self._each(name, read)

    def sql(self, query: str) -> Any:
        """The result of a query over the files, by their names, as a DuckDB relation."""
        self._open()
        return self._dataset.connection.sql(query)

    def _whole(self, name: str) -> Any:
        if self._files[name]["large"]:
            raise MemoryError(
                f"{name} is too large to be read whole: use {name}_chunks (data frames one after the other), "
                f"{name}_relation (DuckDB) or load({name!r}, columns=[...])"
            )
        return self.load(name)

    def _each(self, name: str, make: Callable[[Any], Any]) -> Any:
        """What ``make`` gives for the file's table, or by table name where it holds several."""
        self._open()
        if name not in self._files:
            raise KeyError(f"there is no file {name!r}; there are {', '.join(self._files) or 'none'}")
        if name in self._failures:
            raise self._failures[name]
        tables = self._tables[name]
        if len(tables) == 1:
            return make(tables[0])
        return {table.name: make(table) for table in tables}

    def _relation(self, table: Any) -> Any:
        return self._dataset.connection.sql(f"SELECT * FROM {table.relation}")

    def _chunks(self, table: Any) -> Chunks:
        def begin() -> Iterator[Any]:
            cursor = self._dataset.cursor()
            reader = cursor.execute(f"SELECT * FROM {table.relation}").to_arrow_reader(self._chunk_size)
            for batch in reader:
                yield batch.to_pandas()

        return Chunks(begin)

    def _open(self) -> None:
        """Open every file in one DuckDB; one that cannot be opened is told of when it is used."""
        if self._dataset is not None:
            return
        from gnomon.core.errors import GnomonError
        from gnomon.core.settings import Settings
        from gnomon.data import open_sources

        settings = Settings(memory_limit_mb=self._memory)
        good: dict[str, str] = {name: file["path"] for name, file in self._files.items()}
        try:
            dataset = open_sources(good, settings=settings) if good else None
        except GnomonError:
            for name, path in list(good.items()):
                try:
                    open_sources({name: path}, settings=settings).close()
                except GnomonError as e:
                    self._failures[name] = e
                    del good[name]
            dataset = open_sources(good, settings=settings) if good else None
        if dataset is None:
            import duckdb

            from gnomon.data import Dataset

            dataset = Dataset(duckdb.connect())
        self._tables = {
            name: [t for t in dataset if t.source == path or t.source.startswith((f"{path}#", f"{path}/"))]
            for name, path in good.items()
        }
        self._dataset = dataset
