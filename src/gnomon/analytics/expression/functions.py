"""The functions of the expression language, one line of meaning each; none can reach outside its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gnomon.analytics.expression.tokens import ExpressionError, RowsError
from gnomon.analytics.expression.values import KindName, Value, as_kind, common_kind

if TYPE_CHECKING:
    import pandas as pd

LONGEST_TEXT = 100_000
MOST_TEXT = 100_000_000
"""Characters that a text, and all texts of a column, may come to have."""

Arguments: TypeAlias = list[Value]
Outcome: TypeAlias = "tuple[KindName, pd.Series[Any]]"


@dataclass(frozen=True, slots=True)
class Function:
    """A function: how many arguments it takes, what it gives, and what it means.

    ``alone`` is the number of arguments with which it looks at no row but its own; None where it always looks at others.
    """

    least: int
    most: int
    meaning: str
    apply: Callable[[str, Arguments], Outcome]
    alone: int | None = 1


def _numeric(compute: Callable[..., Any]) -> Callable[[str, Arguments], Outcome]:
    """A function from columns of numbers to a column of numbers; what is undefined becomes missing."""

    def apply(name: str, arguments: Arguments) -> Outcome:
        import pandas as pd

        columns = [as_kind(a, "number", name) for a in arguments]
        with np.errstate(all="ignore"):
            out = np.asarray(compute(*(c.to_numpy(np.float64) for c in columns)), dtype=np.float64)
        return "number", pd.Series(np.where(np.isfinite(out), out, np.nan), index=columns[0].index)

    return apply


def _whole(name: str, argument: Value, low: int = 1) -> int:
    value = argument.constant
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= 10**6:
        raise ExpressionError(f"{name} needs a whole number from {low} up here", argument.at)
    return value


def _series(compute: Callable[[pd.Series[Any], int], pd.Series[Any]]) -> Callable[[str, Arguments], Outcome]:
    """A function of a column of numbers in row order and an optional whole number (1 when left out)."""

    def apply(name: str, arguments: Arguments) -> Outcome:
        steps = _whole(name, arguments[1]) if len(arguments) > 1 else 1
        out = compute(as_kind(arguments[0], "number", name), steps)
        return "number", out.astype(np.float64).replace([np.inf, -np.inf], np.nan)

    return apply


def _lag(name: str, arguments: Arguments) -> Outcome:
    steps = _whole(name, arguments[1]) if len(arguments) > 1 else 1
    return arguments[0].kind, arguments[0].data.shift(steps)


def _round(name: str, arguments: Arguments) -> Outcome:
    digits = _whole(name, arguments[1], low=0) if len(arguments) > 1 else 0
    return "number", as_kind(arguments[0], "number", name).round(min(digits, 15))


def _extreme(pick: str) -> Callable[[str, Arguments], Outcome]:
    def apply(name: str, arguments: Arguments) -> Outcome:
        import pandas as pd

        kind = common_kind(arguments, name)
        if kind not in {"number", "date"}:
            raise ExpressionError(f"{name} needs numbers or dates", arguments[0].at)
        columns = [as_kind(a, kind, name) for a in arguments]
        if len(columns) == 1:
            one: Any = getattr(columns[0], pick)()
            return kind, pd.Series([one] * len(columns[0]), index=columns[0].index, dtype=columns[0].dtype)
        return kind, getattr(pd.concat(columns, axis=1), pick)(axis=1)

    return apply


def _aggregate(compute: Callable[[pd.Series[Any]], float]) -> Callable[[str, Arguments], Outcome]:
    def apply(name: str, arguments: Arguments) -> Outcome:
        import pandas as pd

        column = as_kind(arguments[0], "number", name)
        return "number", pd.Series(
            np.full(len(column), compute(column), dtype=np.float64), index=column.index
        )

    return apply


def _text(
    compute: Callable[..., pd.Series[Any]], kind: KindName = "text"
) -> Callable[[str, Arguments], Outcome]:
    def apply(name: str, arguments: Arguments) -> Outcome:
        rest: list[str] = []
        for argument in arguments[1:]:
            if not isinstance(argument.constant, str):
                raise ExpressionError(f"{name} needs a text in 'quotes' here", argument.at)
            rest.append(argument.constant)
        out = compute(as_kind(arguments[0], "text", name), *rest)
        if kind == "number":
            out = out.astype("Float64").astype(np.float64)
        return kind, out.astype("boolean") if kind == "boolean" else out

    return apply


def _replaced(column: pd.Series[Any], old: str, new: str) -> pd.Series[Any]:
    """``column`` with one text put for another, where what comes out is not too much to hold."""
    if len(new) > len(old):
        texts = [v for v in column if isinstance(v, str)]
        _bounded([len(v) + v.count(old) * (len(new) - len(old)) for v in texts], "replace")
    return column.str.replace(old, new, regex=False)


def _bounded(lengths: Sequence[int], name: str) -> None:
    """Refuse texts that would grow beyond what a table of texts holds, before they are made."""
    if max(lengths, default=0) > LONGEST_TEXT or sum(lengths) > MOST_TEXT:
        raise RowsError(
            f"{name} would make texts of up to {max(lengths):,} characters, {sum(lengths):,} in all; "
            f"{LONGEST_TEXT:,} and {MOST_TEXT:,} are the most",
            0,
            suggestions=("Replace by shorter texts, or in fewer rows.",),
        )


def _concat(name: str, arguments: Arguments) -> Outcome:
    parts = [
        a.data if a.kind == "text" else a.data.map(_word, na_action="ignore").astype("string")
        for a in arguments
    ]
    widths = sum(
        (part.str.len().fillna(0).astype("int64") for part in parts[1:]), parts[0].str.len().fillna(0)
    )
    _bounded([int(n) for n in widths], name)
    out = parts[0]
    for part in parts[1:]:
        out = out + part
    return "text", out


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _date_part(part: Callable[[Any], Any]) -> Callable[[str, Arguments], Outcome]:
    def apply(name: str, arguments: Arguments) -> Outcome:
        stamps = as_kind(arguments[0], "date", name)
        return "number", part(stamps.dt).astype("Float64").astype(np.float64)

    return apply


def _days_between(name: str, arguments: Arguments) -> Outcome:
    start, end = (as_kind(a, "date", name) for a in arguments)
    return "number", (end - start).dt.total_seconds() / 86400


def _coalesce(name: str, arguments: Arguments) -> Outcome:
    kind = common_kind(arguments, name)
    columns = [as_kind(a, kind, name) for a in arguments]
    out = columns[0]
    for column in columns[1:]:
        out = out.where(out.notna(), column)
    return kind, out


def _if(name: str, arguments: Arguments) -> Outcome:
    condition = as_kind(arguments[0], "boolean", name).fillna(False).astype(bool)
    kind = common_kind(arguments[1:], name)
    yes, no = (as_kind(a, kind, name) for a in arguments[1:])
    return kind, yes.where(condition, no)


def _is_null(name: str, arguments: Arguments) -> Outcome:
    return "boolean", arguments[0].data.isna().astype("boolean")


def _zscore(column: pd.Series[Any], _steps: int) -> pd.Series[Any]:
    spread = float(column.std(ddof=1))
    return (column - column.mean()) / (spread if spread > 0 else np.nan)


def _log(x: Any, base: Any = np.e) -> Any:
    return np.log(x) / np.log(base)


FUNCTIONS: dict[str, Function] = {
    "abs": Function(1, 1, "size without sign", _numeric(np.abs)),
    "sign": Function(1, 1, "−1, 0 or 1", _numeric(np.sign)),
    "log": Function(1, 2, "natural logarithm, or to the base given", _numeric(_log)),
    "log10": Function(1, 1, "logarithm to base 10", _numeric(np.log10)),
    "exp": Function(1, 1, "e to the power", _numeric(np.exp)),
    "sqrt": Function(1, 1, "square root", _numeric(np.sqrt)),
    "floor": Function(1, 1, "whole number below", _numeric(np.floor)),
    "ceil": Function(1, 1, "whole number above", _numeric(np.ceil)),
    "power": Function(2, 2, "first to the power of the second", _numeric(np.power)),
    "round": Function(1, 2, "rounded to the digits given", _round),
    "min": Function(1, 50, "smallest of the arguments, or of the column", _extreme("min"), alone=2),
    "max": Function(1, 50, "largest of the arguments, or of the column", _extreme("max"), alone=2),
    "sum": Function(1, 1, "total of the column", _aggregate(lambda s: float(s.sum())), alone=None),
    "mean": Function(1, 1, "mean of the column", _aggregate(lambda s: float(s.mean())), alone=None),
    "median": Function(1, 1, "median of the column", _aggregate(lambda s: float(s.median())), alone=None),
    "std": Function(1, 1, "standard deviation of the column", _aggregate(lambda s: float(s.std(ddof=1))), alone=None),
    "coalesce": Function(1, 50, "first that is not missing", _coalesce),
    "if": Function(3, 3, "second where the first is true, else third", _if),
    "isnull": Function(1, 1, "whether it is missing", _is_null),
    "lower": Function(1, 1, "in small letters", _text(lambda s: s.str.lower())),
    "upper": Function(1, 1, "in capitals", _text(lambda s: s.str.upper())),
    "trim": Function(1, 1, "without spaces around", _text(lambda s: s.str.strip())),
    "length": Function(1, 1, "number of characters", _text(lambda s: s.str.len(), "number")),
    "contains": Function(2, 2, "whether the text is in it", _text(lambda s, t: s.str.contains(t, regex=False), "boolean")),
    "startswith": Function(2, 2, "whether it begins so", _text(lambda s, t: s.str.startswith(t), "boolean")),
    "endswith": Function(2, 2, "whether it ends so", _text(lambda s, t: s.str.endswith(t), "boolean")),
    "replace": Function(3, 3, "with one text put for another", _text(_replaced)),
    "concat": Function(1, 50, "texts put together", _concat),
    "date": Function(1, 1, "text as a date", lambda name, a: ("date", as_kind(a[0], "date", name))),
    "year": Function(1, 1, "year of a date", _date_part(lambda d: d.year)),
    "quarter": Function(1, 1, "quarter, 1 to 4", _date_part(lambda d: d.quarter)),
    "month": Function(1, 1, "month, 1 to 12", _date_part(lambda d: d.month)),
    "week": Function(1, 1, "ISO week, 1 to 53", _date_part(lambda d: d.isocalendar().week)),
    "day": Function(1, 1, "day of the month", _date_part(lambda d: d.day)),
    "weekday": Function(1, 1, "day of the week, Monday 1 to Sunday 7", _date_part(lambda d: d.dayofweek + 1)),
    "hour": Function(1, 1, "hour, 0 to 23", _date_part(lambda d: d.hour)),
    "days_between": Function(2, 2, "days from the first date to the second", _days_between),
    "lag": Function(1, 2, "value so many rows before (1)", _lag, alone=None),
    "diff": Function(1, 2, "change from so many rows before (1)", _series(lambda s, n: s.diff(n)), alone=None),
    "pct_change": Function(1, 2, "relative change from so many rows before", _series(lambda s, n: s / s.shift(n) - 1), alone=None),
    "cumsum": Function(1, 1, "running total", _series(lambda s, _n: s.cumsum()), alone=None),
    "rolling_mean": Function(2, 2, "mean of the last so many rows", _series(lambda s, n: s.rolling(n).mean()), alone=None),
    "zscore": Function(1, 1, "standard deviations from the column's mean", _series(_zscore), alone=None),
    "rank": Function(1, 1, "place from the smallest, ties share the mean", _series(lambda s, _n: s.rank()), alone=None),
}  # fmt: skip
DATE_FUNCTIONS = frozenset(
    {"date", "year", "quarter", "month", "week", "day", "weekday", "hour", "days_between"}
)
"""Those that read a text as a date."""
