"""Anything tabular as a pandas frame: arrays, lists, dictionaries, frames of other libraries, files, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gnomon.core.errors import DataUnavailable, InvalidInput

if TYPE_CHECKING:
    import pandas as pd

SET_ASIDE = "set_aside"
"""Where a frame keeps what was left out as its file was read: the column and a sentence for each."""


def to_frame(X: Any, names: Sequence[str] | None = None) -> pd.DataFrame:
    """A frame with text column names and rows numbered from 0; the values are not copied where possible.

    Args:
        X: A numpy array, a list, a dictionary of columns, a pandas, polars or Arrow object, a path or URL
            that the data room can open, or its ``Dataset`` or a pair of ``Dataset`` and ``Table``.
        names: Column names for data that has none.

    Raises:
        InvalidInput: It is none of these, or has no rows or no columns.
    """
    frame = _read(X, names)
    if len(frame) == 0 or len(frame.columns) == 0:
        raise InvalidInput(
            f"There is nothing to investigate: {len(frame)} rows and {len(frame.columns)} columns."
        )
    frame = frame.reset_index(drop=True)
    frame.columns = _names(frame.columns)
    return frame


def _names(columns: Any) -> list[str]:
    """Text names, made unique where two are the same."""
    seen: dict[str, int] = {}
    out: list[str] = []
    for column in columns:
        name = " / ".join(map(str, column)) if isinstance(column, tuple) else str(column)
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out


def _read(X: Any, names: Sequence[str] | None) -> pd.DataFrame:
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame(X.name if X.name is not None else "value")
    if isinstance(X, np.ndarray):
        return _from_array(X, names)
    if isinstance(X, str | Path):
        return _from_source(X)
    if isinstance(X, Mapping):
        return _from_mapping(cast(Mapping[Any, Any], X))
    if _is_room_table(X):
        return _from_room(X)
    if hasattr(X, "to_pandas"):
        made = X.to_pandas()
        return made.to_frame("value") if isinstance(made, pd.Series) else made
    if hasattr(X, "toarray"):
        return _from_array(np.asarray(X.toarray()), names)
    if isinstance(X, Sequence):
        return _from_list(list(cast(Sequence[Any], X)), names)
    if hasattr(X, "__array__"):
        return _from_array(np.asarray(X), names)
    raise InvalidInput(
        f"A table cannot be read from {type(X).__name__}.",
        suggestions=["Pass an array, a list of rows, a dictionary of columns, a data frame or a path."],
    )


def _from_array(array: np.ndarray, names: Sequence[str] | None) -> pd.DataFrame:
    import pandas as pd

    if array.dtype.names:
        return pd.DataFrame({n: array[n] for n in array.dtype.names})
    if array.ndim == 0 or array.ndim > 2:
        raise InvalidInput(f"A table has one or two dimensions; this array has {array.ndim}.")
    table = array.reshape(-1, 1) if array.ndim == 1 else array
    labels = list(names) if names is not None else [f"feature_{j}" for j in range(table.shape[1])]
    if len(labels) != table.shape[1]:
        raise InvalidInput(f"{len(labels)} column names for {table.shape[1]} columns.")
    frame = pd.DataFrame(table, columns=labels)
    return frame.infer_objects() if table.dtype == object else frame


def _from_list(rows: list[Any], names: Sequence[str] | None) -> pd.DataFrame:
    import pandas as pd

    if rows and all(isinstance(r, Mapping) for r in rows):
        return pd.DataFrame(rows)
    if rows and all(isinstance(r, Sequence) and not isinstance(r, str) for r in rows):
        widths = {len(r) for r in rows}
        if len(widths) > 1:
            raise InvalidInput(f"Rows have different lengths: {sorted(widths)[:5]}.")
        labels = list(names) if names is not None else [f"feature_{j}" for j in range(widths.pop())]
        return pd.DataFrame(rows, columns=labels)
    if rows and all(isinstance(r, np.ndarray) for r in rows):
        return _from_array(np.asarray(rows), names)
    return pd.DataFrame({(names or ["feature_0"])[0]: rows})


def _from_mapping(columns: Mapping[Any, Any]) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.DataFrame(dict(columns))
    except ValueError as bad:
        raise InvalidInput(
            f"The dictionary is not a table: {bad}.", suggestions=["Give every column the same length."]
        ) from bad


def _is_room_table(X: Any) -> bool:
    one = cast(tuple[Any, ...], X)[0] if isinstance(X, tuple) and len(cast(tuple[Any, ...], X)) == 2 else X
    return hasattr(one, "connection") and hasattr(one, "tables")


def _from_room(X: Any) -> pd.DataFrame:
    """The rows of a table of a data set; of the only or largest one where none is named."""
    dataset, table = X if isinstance(X, tuple) else (X, None)
    if isinstance(table, str):
        table = dataset.table(table)
    cursor = dataset.cursor()
    said: list[tuple[str, str]] = []
    if table is None:
        counts = {t.name: cursor.sql(f"SELECT count(*) FROM {t.relation}").fetchall()[0][0] for t in dataset}
        if not counts:
            raise DataUnavailable("The data set has no table.")
        table = dataset.table(max(counts, key=lambda n: counts[n]))
        if others := [n for n in counts if n != table.name]:
            left = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            was = "was" if len(others) == 1 else "were"
            said.append(
                (table.name, f"The table with the most rows of {len(counts)}: {left} {was} not looked into.")
            )
    rows = cursor.sql(f"SELECT * FROM {table.relation}").df()
    rows.attrs[SET_ASIDE] = [*said, *((s.column or table.name, s.said) for s in table.set_aside)]
    return rows


def _from_source(path: str | Path) -> pd.DataFrame:
    if str(path).endswith((".npy", ".npz")):
        return _from_numpy_file(Path(path))
    from gnomon.data import open_sources

    with open_sources(path) as dataset:
        return _from_room(dataset)


def _from_numpy_file(path: Path) -> pd.DataFrame:
    if not path.exists():
        raise DataUnavailable(f"There is no file {path}.")
    loaded = np.load(path)
    if isinstance(loaded, np.ndarray):
        return _from_array(loaded, None)
    name = "X" if "X" in loaded else next(iter(loaded.keys()))
    return _from_array(loaded[name], None)
