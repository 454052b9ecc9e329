"""What a question plainly says, held against the trees that were made of it, whoever made them: values, numbers, days, a no."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.operations import Comparison, Function
from gnomon.core.query import TimeRange
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op

_SCALES = (1.0, 100.0, 0.01)
_NEGATED = (Comparison.UNEQUAL, Comparison.LESS, Comparison.AT_MOST)
_DAY = timedelta(days=1)
_COMPARING = (al.Along, al.Against, al.Study, al.Windowed, al.Arithmetic, al.Beside)


def left_out(items: Sequence[Item], asks: Iterable[al.Node]) -> list[Item]:
    """Words of a question whose value, number, days or negation no tree bears.

    Words that may stand for several things are borne where one of these is.
    """
    borne = Borne(asks)
    return [item for item in _outermost(items) if not borne.bears(item)]


def _outermost(items: Sequence[Item]) -> list[Item]:
    """Items with a meaning of their own that no longer one holds as a part of it."""
    told = [x for x in items if _is_plain(x)]
    return [x for x in told if not any(_holds(y, x) for y in items)]


def _is_plain(item: Item) -> bool:
    """Whether words stand for a value, a number, days or a no, and for nothing else."""
    if item.links or item.literal is not None or item.association is not None:
        return False
    if item.values:
        written = item.text[:1].isupper() and item.start > 0 and item.operator is None
        return written and all(v.kind == "exact" and isinstance(v.value, str) for v in item.values)
    if item.number is not None:
        return item.number.relative is None and any(c.isdigit() for c in item.text)
    if item.time is not None:
        dated = item.time.period is not None and item.time.kind == "period" and not item.time.note
        return dated or (item.time.kind == "comparison" and item.operator is None)
    return item.op(Op.NOT, Op.WITHOUT, Op.EXCLUDE)


def _holds(other: Item, item: Item) -> bool:
    return (
        (other.start, other.end) != (item.start, item.end)
        and other.start <= item.start
        and item.end <= other.end
    )


class Borne:
    """What some trees bear.

    Args:
        asks: The trees.
    """

    def __init__(self, asks: Iterable[al.Node]) -> None:
        self._nodes = [n for ask in asks for n in ask.walk()]
        self._numbers = {
            float(v) for v in self._values() if isinstance(v, int | float) and not isinstance(v, bool)
        }
        self._texts = " ".join(str(v).casefold() for v in self._values() if isinstance(v, str))
        self._days = {
            v.date() if isinstance(v, datetime) else v for v in self._values() if isinstance(v, date)
        }

    def bears(self, item: Item) -> bool:
        """Whether some part of the trees stands for the words of an item."""
        if item.values:
            return any(str(v.value).casefold() in self._texts for v in item.values)
        if item.number is not None:
            return self._number(item.number.value) or item.text.casefold() in self._texts
        if item.time is not None and item.time.kind == "comparison":
            return self._compares()
        if item.time is not None and item.time.period is not None:
            return self._time(item.time.period)
        return self._negates()

    def _values(self) -> Iterator[Any]:
        """Everything that is said outright in the trees."""
        for node in self._nodes:
            for name, held in node:
                if name in ("limit", "offset", "span", "back", "quantile", "at_least"):
                    yield from (held + d for d in (0, 1) if held is not None)
                elif isinstance(held, TimeRange):
                    yield from (held.start, held.end)
                elif name == "every" and held is not None:
                    yield from held[1]
                elif not isinstance(held, al.Node | tuple):
                    yield held

    def _number(self, value: float) -> bool:
        years = {float(d.year) for d in self._days}
        return (
            any(value * s in self._numbers or round(value * s, 9) in self._numbers for s in _SCALES)
            or value in years
        )

    def _time(self, period: TimeRange) -> bool:
        """Days are told as a span, by one of its ends, or as parts of a day such as its year."""
        ends = {period.start, period.end, period.start - _DAY, period.end + _DAY}
        parts = {float(period.start.year), float(period.start.month), float(period.end.year)}
        return bool(ends & self._days or parts & self._numbers) or str(period.start.year) in self._texts

    def _compares(self) -> bool:
        """Whether one time is set beside another: by a step back, a difference, or days of more than one span."""
        spans = {(n.days.start, n.days.end) for n in self._nodes if isinstance(n, al.Period) and n.days}
        return len(spans) > 1 or any(isinstance(n, _COMPARING) for n in self._nodes)

    def _negates(self) -> bool:
        """Whether something is left out, or both sides are told: the groups of a flag, what is none of it."""
        return any(
            isinstance(n, al.Not | al.Missing | al.Key)
            or (isinstance(n, al.Among | al.Has) and not n.hold)
            or (isinstance(n, al.Test) and (n.operator in _NEGATED or _is_zero(n.right)))
            or (isinstance(n, al.Groups) and n.rest)
            or (isinstance(n, al.Arithmetic | al.Call) and n.function is Function.SUBTRACT)
            for n in self._nodes
        )


def _is_zero(node: al.Node) -> bool:
    return isinstance(node, al.Literally) and node.value in (0, False, "no", "No")
