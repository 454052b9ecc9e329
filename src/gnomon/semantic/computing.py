"""Functions, comparisons and aggregates of the algebra as expressions, with the types that each can take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput
from gnomon.core.query import TimeGranularity
from gnomon.core.shapes import is_single
from gnomon.semantic.row_functions import as_text, divided, plain_number, visible_length, word_count
from gnomon.semantic.shape_aggregates import shape_aggregates
from gnomon.semantic.time_columns import Written, moment, period

NUMBERS = frozenset(
    {al.How.SUM, al.How.MEAN, al.How.MEDIAN, al.How.DEVIATION, al.How.VARIANCE, al.How.QUANTILE, al.How.RANGE,
     al.How.MIDDLE_RANGE, al.How.VARIATION, al.How.STANDARD_ERROR, al.How.GEOMETRIC_MEAN}
)  # fmt: skip


_OF_NUMBERS = frozenset(
    {al.Function.ADD, al.Function.SUBTRACT, al.Function.MULTIPLY, al.Function.DIVIDE, al.Function.MODULO}
)


def name_of(node: al.Node) -> str:
    """A short name for a column of a result, made of the names of the data."""
    if isinstance(node, al.Column):
        return node.column
    if isinstance(node, al.Key):
        inside = name_of(node.of)
        return f"{node.grain.value} of {inside}" if node.grain else inside
    if isinstance(node, al.Call):
        inside = [name_of(a) for a in node.arguments if not isinstance(a, al.Literally)]
        return f"{node.function.value} of {inside[0]}" if len(inside) == 1 else " and ".join(inside)
    if isinstance(node, al.Aggregate):
        if node.of is None:
            return "number of rows" if node.where is None else "number of such rows"
        said = name_of(node.of)
        if node.how in (al.How.AT_MOST, al.How.AT_LEAST) and node.beside is not None:
            return f"{said} {node.how.value} {name_of(node.beside)}"
        return f"{node.how.value} of {said}"
    if isinstance(node, al.Windowed):
        return f"{node.glance.value} of {name_of(node.of)}" if node.of is not None else node.glance.value
    if isinstance(node, al.Over):
        per = " and ".join(name_of(k) for k in node.per)
        return f"{node.how.value} of {name_of(node.measure)} per {per}"
    if isinstance(node, al.Arithmetic):
        return f" {node.function.value} ".join(name_of(m) for m in node.of)
    return str(node.value) if isinstance(node, al.Literally) else ""


class Names:
    """Names for the columns of one result, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, wanted: str, fallback: str) -> str:
        """The name that is wanted, or else the other, with a number where it is taken."""
        name = wanted or fallback
        number, free = 1, name
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free


def aggregated_as(how: al.How, value: Any, where: Any | None, relation: Any, quantile: float | None) -> Any:
    if value.type().is_boolean() and how not in (al.How.COUNT, al.How.DISTINCT, al.How.MODE):
        value = value.cast("int32")
    if how in NUMBERS:
        numeric(value, how)
    plain: dict[al.How, Callable[[], Any]] = {
        al.How.COUNT: lambda: value.count(where=where),
        al.How.DISTINCT: lambda: value.nunique(where=where),
        al.How.SUM: lambda: value.sum(where=where),
        al.How.MEAN: lambda: value.mean(where=where),
        al.How.MEDIAN: lambda: value.median(where=where),
        al.How.LEAST: lambda: value.min(where=where),
        al.How.MOST: lambda: value.max(where=where),
        al.How.DEVIATION: lambda: value.std(where=where, how="sample"),
        al.How.VARIANCE: lambda: value.var(where=where, how="sample"),
        al.How.QUANTILE: lambda: value.quantile(quantile if quantile is not None else 0.5, where=where),
        **shape_aggregates(value, where),
    }
    if how not in plain:
        raise InvalidInput(f"{how.value} needs two columns.")
    return plain[how]()


def numeric(value: Any, how: al.How) -> None:
    if not (value.type().is_numeric() or value.type().is_interval()):
        raise InvalidInput(
            f"{value.get_name()} holds {value.type()}, not numbers, so it has no {how.value}.",
            suggestions=["Count it, or choose a column of numbers."],
        )


def compared(left: Any, operator: al.Comparison, right: Any) -> Any:
    left, right = _as_numbers(left, right)
    comparable(left, [right])
    tests: dict[al.Comparison, Callable[[], Any]] = {
        al.Comparison.EQUAL: lambda: left == right,
        al.Comparison.UNEQUAL: lambda: left != right,
        al.Comparison.LESS: lambda: left < right,
        al.Comparison.AT_MOST: lambda: left <= right,
        al.Comparison.MORE: lambda: left > right,
        al.Comparison.AT_LEAST: lambda: left >= right,
        al.Comparison.CONTAINS: lambda: left.cast("string").lower().contains(right.lower()),
        al.Comparison.LISTS: lambda: _listed(left, right),
        al.Comparison.STARTS: lambda: left.cast("string").lower().startswith(right.lower()),
        al.Comparison.ENDS: lambda: left.cast("string").lower().endswith(right.lower()),
        al.Comparison.LIKE: lambda: left.cast("string").lower().like(right.op().value.lower()),
    }
    return tests[operator]()


def _listed(left: Any, right: Any) -> Any:
    """Whether a cell that lists values, one behind the other, has one of them."""
    cells = left.cast("string").lower().strip().re_replace(r"\s*[,;|]\s*", ",")
    return ("," + cells + ",").contains("," + right.lower() + ",")


def _as_numbers(left: Any, right: Any) -> tuple[Any, Any]:
    """A yes or no as 1 or 0 where it is compared with a number: ``returned = 1``, of a flag."""
    sides = [left, right] if hasattr(right, "type") else [left]
    kinds = [_family(s.type()) for s in sides]
    if sorted(map(str, kinds)) != ["is_boolean", "is_numeric"]:
        return left, right
    told = [s.cast("int32") if k == "is_boolean" else s for s, k in zip(sides, kinds, strict=True)]
    return told[0], told[1]


_FAMILIES = ("is_numeric", "is_temporal", "is_boolean", "is_string")


def comparable(left: Any, others: Sequence[Any]) -> None:
    """Refuse what no data base compares alike: a text with a number, a number with a day."""
    import ibis

    mine = _family(left.type())
    for other in others:
        kind = _family(other.type() if hasattr(other, "type") else ibis.literal(other).type())
        if mine and kind and mine != kind:
            raise InvalidInput(
                f"{left.get_name()} holds {left.type()}, which cannot be compared with a {kind.removeprefix('is_')}."
            )


def _family(kind: Any) -> str | None:
    return next((f for f in _FAMILIES if getattr(kind, f)()), None)


def computed(function: al.Function, given: list[Any], node: al.Node) -> Any:
    f = al.Function
    if function in _OF_NUMBERS and any(hasattr(g, "type") and g.type().is_string() for g in given):
        raise InvalidInput("Texts are not computed with.")
    plain: dict[al.Function, Callable[..., Any]] = {
        f.ADD: lambda *v: _chain(_wide(v), lambda a, b: a + b),
        f.SUBTRACT: lambda a, b: _chain(_wide([a, b]), lambda a, b: a - b),
        f.MULTIPLY: lambda *v: _chain(_wide(v), lambda a, b: a * b),
        f.DIVIDE: divided,
        f.MODULO: lambda a, b: a % b,
        f.NEGATE: lambda a: -a,
        f.ABSOLUTE: lambda a: a.abs(),
        f.ROUND: lambda a, digits=None: a.round(digits) if digits is not None else a.round(),
        f.FLOOR: lambda a: a.floor(),
        f.CEILING: lambda a: a.ceil(),
        f.LOGARITHM: lambda a: a.ln(),
        f.ROOT: lambda a: a.sqrt(),
        f.POWER: lambda a, b: a**b,
        f.LEAST: lambda *v: _least(v),
        f.GREATEST: lambda *v: _greatest(v),
        f.FILL: lambda *v: _filled(v),
        f.LOWER: lambda a: a.lower(),
        f.UPPER: lambda a: a.upper(),
        f.TRIM: lambda a: a.strip(),
        f.LENGTH: lambda a: as_text(a).length(),
        f.JOINED: lambda *v: _chain([as_text(x) for x in v], lambda a, b: a + b),
        f.PART: _part,
        f.YEAR: lambda a: a.year().cast("int64"),
        f.QUARTER: lambda a: a.quarter().cast("int64"),
        f.MONTH: lambda a: a.month().cast("int64"),
        f.WEEK: lambda a: a.week_of_year().cast("int64"),
        f.DAY: lambda a: a.day().cast("int64"),
        f.WEEKDAY: lambda a: a.day_of_week.index().cast("int64"),
        f.HOUR: lambda a: a.cast("timestamp").hour().cast("int64"),
        f.DAY_OF_YEAR: lambda a: a.day_of_year().cast("int64"),
        f.DATE: lambda a: a.cast("date"),
        f.DAYS_BETWEEN: lambda a, b: b.cast("date").delta(a.cast("date"), unit="day"),
        f.SECONDS_BETWEEN: lambda a, b: _seconds(b) - _seconds(a),
        f.BUCKET: lambda a, width: (a / width).floor() * width,
        f.NUMBER: lambda a: a.cast("int32" if a.type().is_boolean() else "float64"),
        f.TEXT: as_text,
        f.MINUTE: lambda a: a.cast("timestamp").minute().cast("int64"),
        f.START_OF: _start_of,
        f.ADD_DAYS: _add_days,
        f.ADD_MONTHS: _add_months,
        f.ADD_SECONDS: _add_seconds,
        f.MONTHS_BETWEEN: _months_between,
        f.YEARS_BETWEEN: lambda a, b: _whole(_months_between(a, b) / 12),
        f.DAY_NAME: lambda a: a.day_of_week.full_name(),
        f.MONTH_NAME: lambda a: a.strftime("%B"),
        f.DECIMAL_LOGARITHM: lambda a: a.log10(),
        f.EXPONENT: lambda a: a.exp(),
        f.SIGN: lambda a: a.sign(),
        f.REPLACED: lambda a, old, new: a.replace(old, new),
        f.MOMENT: _moment,
        f.VISIBLE_LENGTH: visible_length,
        f.WORDS: word_count,
    }
    try:
        return plain[function](*given)
    except (TypeError, AttributeError, ValueError) as e:
        raise InvalidInput(f"{function.value} cannot take {name_of(node) or 'these values'}.") from e


def _seconds(value: Any) -> Any:
    return value.cast("timestamp").epoch_seconds().cast("float64")


def _part(text: Any, start: Any, length: Any = None) -> Any:
    """Some letters of a text; the first is the first."""
    start, length = (
        n.cast("int32") if n is not None and n.type().is_integer() else n for n in (start, length)
    )
    return as_text(text).substr(start - 1, length)


def _wide(values: Sequence[Any]) -> list[Any]:
    """Numbers that arithmetic cannot overflow; other values as they are."""
    return [plain_number(v) if v.type().is_numeric() or v.type().is_boolean() else v for v in values]


def _moment(value: Any, written: Any, *beside: Any) -> Any:
    """A date or time that is written down as a number or text, or in several columns."""
    said = written.op().value
    return moment(value, Written(said) if said else None, beside)


def _start_of(value: Any, grain: Any) -> Any:
    """The first day, hour or minute of the period that a moment falls in."""
    said = grain.op().value
    return value.cast("timestamp").truncate("m") if said == "minute" else period(value, TimeGranularity(said))


def _add_days(value: Any, days: Any) -> Any:
    import ibis

    moved = value + ibis.interval(days=days.op().value)
    return moved.cast("date") if value.type().is_date() else moved


def _add_months(value: Any, months: Any) -> Any:
    import ibis

    moved = value + ibis.interval(months=months.op().value)
    return moved.cast("date") if value.type().is_date() else moved


def _add_seconds(value: Any, seconds: Any) -> Any:
    import ibis

    return value.cast("timestamp") + ibis.interval(seconds=seconds.op().value)


def _whole(value: Any) -> Any:
    return (value >= 0).ifelse(value.floor(), value.ceil()).cast("int64")


def _months_between(start: Any, end: Any) -> Any:
    """How many whole months lie between two days, before the first or behind it; the last of a month ends any."""
    start, end = start.cast("date"), end.cast("date")
    turns = (end.year() * 12 + end.month() - start.year() * 12 - start.month()).cast("int64")
    # A yes or no becomes a number of this size alone on every data base.
    early = ((turns > 0) & (end.day() < start.day()) & ~_ends_month(end)).cast("int32")
    late = ((turns < 0) & (end.day() > start.day()) & ~_ends_month(start)).cast("int32")
    return turns - early + late


def _ends_month(day: Any) -> Any:
    import ibis

    return (day + ibis.interval(days=1)).day() == 1


def identified_by(query: al.Query) -> frozenset[str] | None:
    """The columns of a result that tell its rows apart; None where nothing is known to, nothing where it is one row."""
    if is_single(query):
        return frozenset()
    if query.keys:
        return frozenset(k.name or name_of(k) for k in query.keys)
    return frozenset(k.name or name_of(k) for k in query.show) if query.distinct else None


def _chain(values: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    whole = values[0]
    for value in values[1:]:
        whole = join(whole, value)
    return whole


def _least(values: Sequence[Any]) -> Any:
    import ibis

    return ibis.least(*values)


def _greatest(values: Sequence[Any]) -> Any:
    import ibis

    return ibis.greatest(*values)


def _filled(values: Sequence[Any]) -> Any:
    import ibis

    return ibis.coalesce(*values)
