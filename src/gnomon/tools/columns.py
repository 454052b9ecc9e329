"""Choosing the columns that a tool works on when the caller names none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.patterns import late_pattern

if TYPE_CHECKING:
    import pandas as pd

_RATE = late_pattern(
    r"(rate|ratio|percent|pct|share|price|temp|avg|average|mean|score|rating|index|level|per_|speed|%)", re.I
)
_ID = late_pattern(r"(^|[_ ])(id|key|code|uuid|guid)$|^id[_ ]", re.I)


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that measure something: numbers that are no identifiers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    numeric = [str(c) for c in frame.columns if is_numeric_dtype(frame[c]) and not is_bool_dtype(frame[c])]
    return [c for c in numeric if not (_ID.search(c) and frame[c].is_unique)]


def time_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that hold points in time."""
    from pandas.api.types import is_datetime64_any_dtype

    return [str(c) for c in frame.columns if is_datetime64_any_dtype(frame[c])]


def known(frame: pd.DataFrame, name: str) -> str:
    """``name`` when the frame has it.

    Raises:
        NotFound: It does not; close names are proposed.
    """
    if name not in frame.columns:
        raise NotFound.among("column", name, [str(c) for c in frame.columns])
    return name


def free_name(wanted: str, taken: Iterable[object]) -> str:
    """``wanted``, or with a number behind it where a column of the data is called so: nothing is overwritten."""
    known = {str(name).casefold() for name in taken}
    names = (wanted, *(f"{wanted}_{n}" for n in range(2, len(known) + 3)))
    return next(name for name in names if name.casefold() not in known)


def value_column(frame: pd.DataFrame, name: str | None, *, besides: tuple[str | None, ...] = ()) -> str:
    """The column to measure: the named one, or the only numeric one.

    Raises:
        InvalidInput: There is no numeric column, or several and none was named, or the named one holds no numbers.
    """
    from pandas.api.types import is_numeric_dtype

    if name is not None and not is_numeric_dtype(frame[known(frame, name)]):
        raise InvalidInput(
            f"{name!r} holds no numbers.", suggestions=["Name a column of numbers as 'value'."]
        )
    if name is not None:
        return name
    found = [c for c in numeric_columns(frame) if c not in besides]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InvalidInput(
            f"No numeric column among {', '.join(map(str, frame.columns[:8]))}.",
            suggestions=["Send a column of numbers, or name one as 'value'."],
        )
    raise InvalidInput(
        f"Several columns hold numbers: {', '.join(found[:8])}.",
        suggestions=[f"Name one as 'value', such as {found[0]!r}."],
    )


def time_column(frame: pd.DataFrame, name: str | None) -> str | None:
    """The column of time stamps: the named one, or the first there is; None where there is none.

    Raises:
        InvalidInput: What was named holds something else.
    """
    if name is not None and not _is_time(frame[known(frame, name)]):
        raise InvalidInput(
            f"{name!r} holds no time stamps.", suggestions=["Name a column of dates or times as 'time'."]
        )
    if name is not None:
        return name
    found = time_columns(frame)
    return found[0] if found else None


def _is_time(column: pd.Series[Any]) -> bool:
    from pandas.api.types import is_numeric_dtype

    from gnomon.analytics.timegrid import parsed_stamps

    try:
        return not is_numeric_dtype(column) and bool(parsed_stamps(column).notna().any())
    except (ValueError, TypeError, OverflowError, AttributeError):
        return False


def merge_rule(value: str) -> str:
    """How several rows of one time step become one: rates, prices and scores are averaged, amounts added up."""
    return "mean" if _RATE.search(value) else "sum"


def ahead(unit: str, count: int) -> pd.DateOffset:
    """So many calendar units: a month is a month, however many days it has."""
    import pandas as pd

    if unit in {"hour", "day", "week"}:
        return (
            pd.DateOffset(hours=count)
            if unit == "hour"
            else pd.DateOffset(days=count * (7 if unit == "week" else 1))
        )
    return pd.DateOffset(months=count * {"month": 1, "quarter": 3, "year": 12}[unit])
