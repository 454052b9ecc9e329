"""The tables of an analysis: profiled, written where generated code may read them, and told without a value."""

from __future__ import annotations

import keyword
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.core.errors import DataUnavailable
from gnomon.core.settings import Settings
from gnomon.data import DatasetProfile, build_safe_profile, load_and_profile_data
from gnomon.data.loading import Progress, is_large
from gnomon.data.naming import readable, unique
from gnomon.data.safe import SafeProfile, SafeTable
from gnomon.data.table import Column, Dataset, Table, quote
from gnomon.llm.privacy import Privacy, level_of, strictest

FilePath = str | PathLike[str]
BATCH_ROWS = 100_000
_CASTS = (("DATE", "TIMESTAMP"), ("DECIMAL", "DOUBLE"), ("HUGEINT", "DOUBLE"), ("UHUGEINT", "DOUBLE"),
          ("ENUM", "VARCHAR"), ("TIME", "VARCHAR"), ("INTERVAL", "VARCHAR"), ("UUID", "VARCHAR"))  # fmt: skip
_DTYPES = (("TIMESTAMP", "datetime64[ns]"), ("DATE", "datetime64[ns]"), ("BOOL", "bool"), ("DOUBLE", "float64"),
           ("FLOAT", "float64"), ("REAL", "float64"), ("DECIMAL", "float64"), ("HUGEINT", "float64"),
           ("UHUGEINT", "float64"))  # fmt: skip


@dataclass(frozen=True)
class Workspace:
    """Tables that are ready for generated code.

    Args:
        dataset: The tables themselves, for what is computed here.
        profile: All that is known of them; for this machine only.
        safe: What may be told: the tables under the variables of the code, types as pandas calls them.
        files: Variables, and the file that each is read from.
        large: Variables whose file is streamed rather than loaded whole.
        privacy: How much a model may see of them.
    """

    dataset: Dataset
    profile: DatasetProfile
    safe: SafeProfile
    files: dict[str, Path]
    large: frozenset[str]
    privacy: Privacy


@contextmanager
def open_workspace(
    files: Sequence[FilePath],
    settings: Settings,
    *,
    privacy: Privacy | None = None,
    for_code: bool = True,
    progress: Progress | None = None,
) -> Generator[Workspace]:
    """Open files, profile them at the same time, and write them as Parquet with the types they were read as.

    A file that cannot be opened becomes an entry in the profile, and the others go on.

    Args:
        files: Files, folders, globs or database URLs.
        settings: How it behaves.
        privacy: How much a model may see; by default what the settings say for this data.
        for_code: Whether generated code is to read them.
        progress: Called with the table that was profiled, how many are done, and how many there are.

    Raises:
        InvalidInput: No file was named.
        DataUnavailable: None of them could be opened.
    """
    loaded = load_and_profile_data(files, settings=settings, progress=progress)
    with loaded.dataset, TemporaryDirectory(prefix="gnomon-tables-") as folder:
        if not loaded.profile.tables:
            reasons = "; ".join(f.message for f in loaded.profile.failures) or "no file holds a table"
            raise DataUnavailable(f"There is nothing to analyse: {reasons}")
        variables = _variables([t.name for t in loaded.profile.tables])
        tables = {v: loaded.dataset.table(name) for name, v in variables.items()}
        large = frozenset(v for v, t in tables.items() if is_large(t, settings))
        written = {
            v: _written(loaded.dataset, t, Path(folder) / f"{v}.parquet") for v, t in tables.items()
        } if for_code else {}  # fmt: skip
        level = level_of(settings, [_names(t) for t in tables.values()])
        yield Workspace(
            loaded.dataset,
            loaded.profile,
            _told(loaded.profile, variables),
            written,
            large,
            # A level asked for by name for this run is the user's word for all of its tables, but those that have one.
            level if privacy is None else _asked(privacy, settings, tables),
        )


def _asked(privacy: Privacy, settings: Settings, tables: dict[str, Table]) -> Privacy:
    named = {n.casefold(): Privacy(level) for n, level in settings.data_privacy.items()}
    own = [named[n.casefold()] for t in tables.values() for n in _names(t) if n.casefold() in named]
    return strictest(privacy, *own)


def _names(table: Table) -> tuple[str, ...]:
    path = table.source.partition("#")[0]
    return (table.name, table.source, path, Path(path).name)


def _variables(names: Sequence[str]) -> dict[str, str]:
    """A Python name for each table."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = plain if re.search(r"[A-Za-z]", plain) else readable(f"table_{plain}")
        plain = f"t_{plain}" if plain[0].isdigit() or keyword.iskeyword(plain) else plain
        found[name] = unique(plain.strip("_") or "table", found.values())
    return found


def _written(dataset: Dataset, table: Table, target: Path) -> Path:
    """The table as a Parquet file that pandas reads with the types of the profile; streamed, so of any size."""
    source = Path(table.source)
    if table.format == "parquet" and source.is_file() and all(_as_is(c) for c in table.columns):
        return source
    import pyarrow.parquet as pq

    columns = ", ".join(_cast(c) for c in table.columns)
    with dataset.cursor() as cursor:
        reader = cursor.execute(f"SELECT {columns} FROM {table.relation}").to_arrow_reader(BATCH_ROWS)
        with pq.ParquetWriter(target, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
    return target


def _as_is(column: Column) -> bool:
    return (
        _cast(column) == quote(column.name)
        and column.conversion is None
        and column.name == column.original_name
    )


def _cast(column: Column) -> str:
    kind = column.type.upper()
    for begins, target in _CASTS:
        if kind == begins or kind.startswith(f"{begins}("):
            return f"CAST({quote(column.name)} AS {target}) AS {quote(column.name)}"
    return quote(column.name)


def _told(profile: DatasetProfile, variables: dict[str, str]) -> SafeProfile:
    safe = build_safe_profile(profile)
    tables: list[SafeTable] = []
    for table in safe:
        columns = tuple(replace(c, type=_dtype(c.type, c.null_rate)) for c in table.columns)
        tables.append(SafeTable(variables[table.name], table.rows, columns))
    return replace(safe, tables=tuple(tables))


def _dtype(type_name: str, null_rate: float) -> str:
    """How pandas calls a type of DuckDB once the file is read."""
    kind = type_name.upper()
    for begins, dtype in _DTYPES:
        if kind.startswith(begins):
            return "object" if dtype == "bool" and null_rate else dtype
    if "INT" in kind:
        return "float64" if null_rate else "int64"
    return "str"
