"""What expressions compute with: a column of one kind (number, text, boolean, date), missing allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gnomon.analytics.expression.tokens import ExpressionError, RowsError

if TYPE_CHECKING:
    import pandas as pd

KindName: TypeAlias = Literal["number", "text", "boolean", "date", "null"]


@dataclass(frozen=True, slots=True)
class Value:
    """A column of values; ``constant`` is set when it came from a literal; ``at`` is where it was written."""

    kind: KindName
    data: pd.Series[Any]
    at: int
    constant: Any = None


def from_column(column: pd.Series[Any], name: str, at: int) -> Value:
    """A table's column as a value."""
    import pandas as pd

    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind):
        return Value("boolean", column.astype("boolean"), at)
    if pd.api.types.is_datetime64_any_dtype(kind):
        stamps = column.dt.tz_localize(None) if column.dt.tz is not None else column
        return Value("date", stamps, at)
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        return Value("number", _floats(column), at)
    if isinstance(kind, pd.CategoricalDtype):
        return from_column(column.astype(kind.categories.dtype), name, at)
    return _from_objects(column, name, at)


def _from_objects(column: pd.Series[Any], name: str, at: int) -> Value:
    import datetime as dt
    import decimal
    import numbers

    import pandas as pd

    there = [v for v in column if not (v is None or v is pd.NA or v is pd.NaT or v != v)]
    if not there:
        return Value("null", pd.Series([None] * len(column), index=column.index, dtype=object), at)
    if all(isinstance(v, bool | np.bool_) for v in there):
        return Value("boolean", column.astype("boolean"), at)
    if all(isinstance(v, numbers.Real | decimal.Decimal) for v in there):
        return Value("number", column.map(float, na_action="ignore").astype(np.float64), at)
    if all(isinstance(v, dt.date) for v in there):
        return Value("date", pd.to_datetime(column), at)
    if all(isinstance(v, str) for v in there):
        return Value("text", column.astype("string"), at)
    kinds = ", ".join(sorted({type(v).__name__ for v in there}))
    raise RowsError(f"The column {name!r} mixes kinds of values ({kinds})", at)


def _floats(column: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    data = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.Series(data, index=column.index)


def from_literal(value: Any, index: pd.Index[Any], at: int) -> Value:
    """A literal, repeated for every row."""
    import pandas as pd

    if value is None:
        return Value("null", pd.Series([None] * len(index), index=index, dtype=object), at)
    if isinstance(value, bool):
        return Value("boolean", pd.Series([value] * len(index), index=index, dtype="boolean"), at, value)
    if isinstance(value, str):
        return Value("text", pd.Series([value] * len(index), index=index, dtype="string"), at, value)
    return Value("number", pd.Series(np.full(len(index), float(value)), index=index), at, value)


def as_kind(value: Value, kind: KindName, what: str) -> pd.Series[Any]:
    """The data of ``value`` as ``kind``; booleans may serve as numbers, texts as dates, null as anything."""
    import pandas as pd

    if value.kind == kind:
        return value.data
    if value.kind == "null":
        dtypes: dict[str, Any] = {"number": "float64", "text": "string", "boolean": "boolean"}
        return pd.Series([None] * len(value.data), index=value.data.index).astype(
            dtypes.get(kind, "datetime64[ns]")
        )
    if kind == "number" and value.kind == "boolean":
        return pd.Series(value.data.to_numpy(np.float64, na_value=np.nan), index=value.data.index)
    if kind == "date" and value.kind == "text":
        return _dates(value, what)
    hints = {
        "number": "Use a column of numbers.",
        "text": "Use a column of text, or text in 'quotes'.",
        "boolean": "Use a comparison such as price > 10.",
        "date": "Use a column of dates, or date('2025-03-31').",
        "null": "",
    }
    raise ExpressionError(
        f"{what} needs a {kind}, but this is a {value.kind}", value.at, suggestions=(hints[kind],)
    )


def _dates(value: Value, what: str) -> pd.Series[Any]:
    import pandas as pd

    stamps = pd.to_datetime(value.data, errors="coerce", format="ISO8601")
    unread = value.data[stamps.isna() & value.data.notna()]
    if len(unread):
        refused = RowsError if value.constant is None else ExpressionError
        raise refused(
            f"{what} needs a date, but {str(unread.iloc[0])[:30]!r} is none",
            value.at,
            suggestions=("Write dates as 2025-03-31.",),
        )
    if getattr(stamps.dtype, "tz", None) is not None:
        stamps = stamps.dt.tz_localize(None)
    return stamps.astype("datetime64[ns]")


def common_kind(values: list[Value], what: str) -> KindName:
    """The one kind that all values can take together."""
    kinds: set[KindName] = {v.kind for v in values if v.kind != "null"}
    if not kinds:
        return "null"
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {"number", "boolean"}:
        return "number"
    if kinds == {"date", "text"}:
        return "date"
    odd = next(v for v in values if v.kind not in {"null", values[0].kind})
    raise ExpressionError(f"{what} mixes {' and '.join(sorted(kinds))}", odd.at)
