"""Days that a SELECT computes of days that are said, and how far its windows reach."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlglot import exp
from sqlglot.expressions.core import Expression

from gnomon.core import algebra as al
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.planning.model_reader.held import Kind, kind_of


class Objection(Exception):
    """One reason; what it is about is left out and reading goes on."""


@dataclass(frozen=True)
class Compared:
    """A value that the query names.

    Args:
        value: The value.
        column: The column that it is held against, where there is one.
        tested: Whether something is held against it, rather than that it is shown.
        whole: Whether it is the whole value, rather than a part of a text.
    """

    value: al.Value
    column: al.Column | None
    tested: bool = False
    whole: bool = True


_EXTRACTED = {
    "YEAR": al.Function.YEAR, "QUARTER": al.Function.QUARTER, "MONTH": al.Function.MONTH, "WEEK": al.Function.WEEK,
    "DAY": al.Function.DAY, "HOUR": al.Function.HOUR, "DOY": al.Function.DAY_OF_YEAR, "MINUTE": al.Function.MINUTE,
}  # fmt: skip
SPANS = {
    "DAY": (1, 0, 0), "WEEK": (7, 0, 0), "MONTH": (0, 1, 0), "QUARTER": (0, 3, 0), "YEAR": (0, 12, 0),
    "HOUR": (0, 0, 3600), "MINUTE": (0, 0, 60), "SECOND": (0, 0, 1),
}  # fmt: skip
# Parts of a moment as STRFTIME writes them: where they stand in its day, or the name and how much of it.
_WRITTEN = {"%Y-%m-%d": (1, 10), "%Y-%m": (1, 7), "%Y": (1, 4), "%y": (3, 2), "%m": (6, 2), "%d": (9, 2)}
_NAMES = {
    "%A": (al.Function.DAY_NAME, None), "%B": (al.Function.MONTH_NAME, None),
    "%a": (al.Function.DAY_NAME, 3), "%b": (al.Function.MONTH_NAME, 3),
}  # fmt: skip
_PIECES = regex("(%Y-%m-%d|%Y-%m|%.)")


def grain_of(node: Expression) -> str:
    """The period that a moment is cut to."""
    unit = (node.args.get("unit") or exp.var("")).name.lower()
    if unit not in {*TimeGranularity, "minute"}:
        raise Objection(f"DATE_TRUNC to {unit} is not available.")
    return unit


def day_of(value: al.Value) -> date | None:
    """A value as a day, where it is one."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise Objection(f"{value!r} is no day; write it as YYYY-MM-DD.") from None
    if isinstance(value, datetime):
        return value.date() if value.time() == datetime.min.time() else None
    return value if isinstance(value, date) else None


def start_of(day: date, grain: str) -> date:
    """The first day of the period that a day falls in."""
    starts = {
        "day": day, "week": day - timedelta(days=day.weekday()), "month": day.replace(day=1), "year": day.replace(month=1, day=1),
        "quarter": day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1),
    }  # fmt: skip
    if grain not in starts:
        raise Objection("Days cannot be cut to hours.")
    return starts[grain]


def shifted(day: date, days: int, months: int) -> date:
    """A day so many days and months later; the last day of a month stands for days that it does not have."""
    place = day.year * 12 + day.month - 1 + months
    year, month = divmod(place, 12)
    last = (date(year + month // 11, (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last)) + timedelta(days=days)


def _whole(node: Expression | None) -> int | None:
    """A whole number that is written out."""
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdigit():
        return None
    return int(str(node.this))


def frame_of(spec: Expression | None) -> tuple[bool, int | None]:
    """Whether a window takes all rows, and else how many rows back; all up to the row where that is not said."""
    if spec is None:
        return False, None
    start, end = spec.args.get("start"), spec.args.get("end")
    sides = (str(spec.args.get("start_side") or "").upper(), str(spec.args.get("end_side") or "").upper())
    last = str(end).upper() if end is not None else "CURRENT ROW"
    if str(start).upper() == "UNBOUNDED" and sides[0] == "PRECEDING":
        if last == "CURRENT ROW":
            return False, None
        if last == "UNBOUNDED" and sides[1] == "FOLLOWING":
            return True, None
    rows = start if isinstance(start, exp.Literal) and not start.is_string else None
    if (
        rows is not None
        and sides[0] == "PRECEDING"
        and last == "CURRENT ROW"
        and str(spec.args.get("kind")).upper() == "ROWS"
    ):
        return False, int(str(rows.this))
    raise Objection(
        "A window can reach over all rows, over those up to this one, or over ROWS n PRECEDING to the current one."
    )


class Days(ABC):
    """Reads what a SELECT computes of days and moments."""

    values: list[Compared]
    _kinds: Mapping[str, Mapping[str, str]]

    @abstractmethod
    def _literal(self, node: Expression | None) -> al.Literally | None:
        """A value that is written out."""

    def _moment(self, node: Expression) -> date | None:
        """A day that is computed of days that are said, here and now: the month before one, the start of its year."""
        if isinstance(node, exp.Paren):
            return self._moment(node.this)
        if isinstance(node, (exp.Cast, exp.TryCast, exp.Date)) and not isinstance(node.this, exp.Column):
            inner = node.this
            if isinstance(inner, exp.Literal) and inner.is_string:
                value = self._literal(inner)
                self.values.append(Compared(value.value if value else None, None))
                return day_of(value.value if value is not None else None)
            return self._moment(inner)
        if isinstance(node, (exp.Placeholder, exp.Parameter, exp.CurrentDate)):
            value = self._literal(node)
            return day_of(value.value if value is not None else None)
        if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
            day = self._moment(node.this)
            return start_of(day, grain_of(node)) if day is not None else None
        if isinstance(node, (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub)) and isinstance(
            node.expression, exp.Interval
        ):
            day = self._moment(node.this)
            if day is None:
                return None
            days, months, seconds = self._interval(node.expression)
            if seconds:
                raise Objection("Days are moved by days, weeks, months, quarters or years.")
            sign = -1 if isinstance(node, (exp.Sub, exp.DateSub)) else 1
            return shifted(day, sign * days, sign * months)
        if isinstance(node, (exp.Add, exp.Sub)) and (days := _whole(node.expression)) is not None:
            day = self._moment(node.this)
            if day is None:
                return None
            self.values.append(Compared(days, None))
            return shifted(day, -days if isinstance(node, exp.Sub) else days, 0)
        return None

    def _interval(self, node: exp.Interval) -> tuple[int, int, int]:
        """How many days, months and seconds an interval has."""
        unit = (node.args.get("unit") or exp.var("DAY")).name.upper().removesuffix("S")
        given = node.this
        value = self._literal(given)
        if isinstance(given, exp.Literal) and given.is_string and str(given.this).lstrip("-").isdigit():
            value = al.Literally(value=int(given.this))
        count = value.value if value is not None else None
        if not isinstance(count, int) or isinstance(count, bool) or unit not in SPANS:
            raise Objection(
                "INTERVAL takes a whole number of years, quarters, months, weeks, days, hours, minutes or seconds."
            )
        self.values.append(Compared(count, None))
        days, months, seconds = SPANS[unit]
        return count * days, count * months, count * seconds

    def _moved(self, node: Expression, of: Callable[[Expression], Any]) -> Any | None:
        """A day of each row, so many days or months later or earlier."""
        moves = isinstance(node, (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub))
        if not moves or not isinstance(node.expression, exp.Interval):
            return None
        days, months, seconds = self._interval(node.expression)
        sign = -1 if isinstance(node, (exp.Sub, exp.DateSub)) else 1
        function = al.Function.ADD_MONTHS if months else al.Function.ADD_DAYS
        if seconds:
            function = al.Function.ADD_SECONDS
        count = al.Literally(value=sign * (months or days or seconds))
        return al.Call(function=function, arguments=(of(node.this), count))

    def _apart(self, function: al.Function, one: Any, other: Any, source: Any) -> Any | None:
        """A day and a number of days, or two days: what is computed of them is days."""
        rows = source.rows(None)
        first, second = (kind_of(n, rows, self._kinds) for n in (one, other))
        if not first.is_time or function not in (al.Function.ADD, al.Function.SUBTRACT):
            return None
        if second.is_time:
            if Kind.MOMENT in (first, second) or function is al.Function.ADD:
                raise Objection(
                    "Moments cannot be subtracted; use DATE_DIFF('minute', …, …) or another unit."
                )
            return al.Call(function=al.Function.DAYS_BETWEEN, arguments=(other, one))
        if isinstance(other, al.Literally) and isinstance(other.value, int) and first is Kind.DAY:
            days = -other.value if function is al.Function.SUBTRACT else other.value
            return al.Call(function=al.Function.ADD_DAYS, arguments=(one, al.Literally(value=days)))
        raise Objection("Days are moved by INTERVAL and a whole number of days or another unit.")

    def _seconds_of(self, node: Expression, of: Callable[[Expression], Any]) -> Any:
        """The seconds between two moments that are subtracted."""
        while isinstance(node, exp.Paren):
            node = node.this
        if not isinstance(node, exp.Sub):
            raise Objection("EPOCH is available of one moment minus another.")
        return al.Call(function=al.Function.SECONDS_BETWEEN, arguments=(of(node.expression), of(node.this)))

    def _whole_between(self, node: exp.Anonymous, source: Any, of: Callable[[Expression], Any]) -> Any:
        """How many whole years or months lie between two days."""
        unit = node.expressions[0].name.lower() if len(node.expressions) == 3 else ""
        functions = {"year": al.Function.YEARS_BETWEEN, "month": al.Function.MONTHS_BETWEEN}
        if unit not in functions:
            raise Objection("DATE_SUB('year', start, end) and DATE_SUB('month', …) are available.")
        days = tuple(map(of, node.expressions[1:]))
        if any(kind_of(d, source.rows(None), self._kinds) is Kind.MOMENT for d in days):
            raise Objection("DATE_SUB takes days; write CAST(… AS DATE) for a moment.")
        return al.Call(function=functions[unit], arguments=days)

    def _written(self, node: exp.TimeToStr, of: Callable[[Expression], Any]) -> Any:
        """A period as a text."""
        form, moment = node.args["format"], node.this
        if not isinstance(form, exp.Literal):
            form, moment = moment, form  # DuckDB takes them in either order
        value, pieces = of(moment), [p for p in _PIECES.split(form.name) if p]
        odd = [p for p in pieces if p.startswith("%") and p not in (*_NAMES, *_WRITTEN)]
        if odd or not isinstance(form, exp.Literal):
            known = ", ".join((*_WRITTEN, *_NAMES))
            raise Objection(f"STRFTIME takes {known}; else use DATE_TRUNC or EXTRACT.")
        made = [self._piece(p, value) for p in pieces]
        return made[0] if len(made) == 1 else al.Call(function=al.Function.JOINED, arguments=tuple(made))

    @staticmethod
    def _piece(piece: str, value: Any) -> Any:
        """A part of a moment as it is written."""
        if piece in _NAMES:
            function, length = _NAMES[piece]
            name = al.Call(function=function, arguments=(value,))
            start, length = al.Literally(value=1), al.Literally(value=length)
            return (
                al.Call(function=al.Function.PART, arguments=(name, start, length)) if length.value else name
            )
        if piece not in _WRITTEN:
            return al.Literally(value=piece)
        day = al.Call(function=al.Function.DATE, arguments=(value,))
        text = al.Call(function=al.Function.TEXT, arguments=(day,))
        start, length = (al.Literally(value=v) for v in _WRITTEN[piece])
        return al.Call(function=al.Function.PART, arguments=(text, start, length))

    def _extracted(self, what: str, value: Any) -> Any:
        if what in ("DOW", "DAYOFWEEK", "ISODOW"):
            monday = al.Call(function=al.Function.WEEKDAY, arguments=(value,))
            if what == "ISODOW":
                return al.Call(function=al.Function.ADD, arguments=(monday, al.Literally(value=1)))
            added = al.Call(function=al.Function.ADD, arguments=(monday, al.Literally(value=1)))
            return al.Call(function=al.Function.MODULO, arguments=(added, al.Literally(value=7)))
        if what not in _EXTRACTED:
            raise Objection(f"EXTRACT({what}) is not available.")
        day = value.value if isinstance(value, al.Literally) else None
        if isinstance(day, date) and what in (
            "YEAR",
            "MONTH",
            "DAY",
            "QUARTER",
        ):  # a part of a day that is said
            known = {"YEAR": day.year, "MONTH": day.month, "DAY": day.day, "QUARTER": (day.month + 2) // 3}
            return al.Literally(value=known[what])
        return al.Call(function=_EXTRACTED[what], arguments=(value,))

    def _between(self, node: exp.DateDiff, of: Callable[[Expression], Any]) -> Any:
        unit = (node.args.get("unit") or exp.var("DAY")).name.upper()
        later, earlier = of(node.this), of(node.expression)
        if unit in ("DAY", "DAYS"):
            return al.Call(function=al.Function.DAYS_BETWEEN, arguments=(earlier, later))
        seconds = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}.get(unit.removesuffix("S"))
        if seconds is None:
            raise Objection(
                "DATE_DIFF is available in days, hours, minutes and seconds; it would count turns of the month or year. "
                "Whole ones are DATE_SUB('month', start, end) and DATE_SUB('year', start, end), weeks are days / 7."
            )
        between = al.Call(function=al.Function.SECONDS_BETWEEN, arguments=(earlier, later))
        return al.Call(function=al.Function.DIVIDE, arguments=(between, al.Literally(value=seconds)))
