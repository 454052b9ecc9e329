"""Arithmetic over the columns of a row, as metrics and derived columns write it, in nodes of the algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.semantic.arithmetic import COMPARISONS, Binary, Call, Name, Negative, Node, Number, Text
from gnomon.semantic.derived import PARTS, derived, is_truth
from gnomon.semantic.nodes import call, compared, either, every, known, literal, yes_or_no

if TYPE_CHECKING:
    from gnomon.semantic.meanings import Meanings

_F = al.Function
_C = al.Comparison
_SIGNS = {
    "==": _C.EQUAL, "!=": _C.UNEQUAL, "<": _C.LESS, "<=": _C.AT_MOST, ">": _C.MORE, ">=": _C.AT_LEAST,
}  # fmt: skip
SUMS = {"+": _F.ADD, "-": _F.SUBTRACT, "*": _F.MULTIPLY, "/": _F.DIVIDE}
_PARTS = {
    "year": _F.YEAR, "quarter": _F.QUARTER, "month": _F.MONTH, "week": _F.WEEK, "day": _F.DAY, "hour": _F.HOUR,
    "weekday": _F.WEEKDAY,
}  # fmt: skip
_SECONDS = {"days": 86_400.0, "hours": 3_600.0, "minutes": 60.0}
_OF_ALL = {
    "mean": al.How.MEAN, "median": al.How.MEDIAN, "min": al.How.LEAST, "max": al.How.MOST, "std": al.How.DEVIATION,
    "mode": al.How.MODE, "sum": al.How.SUM,
}  # fmt: skip


def part_of(moment: al.Expression, name: str) -> al.Expression:
    """A part of time that repeats: month 1–12, weekday 0–6 from Monday, quarter, hour, minute of the day, day, year.

    Raises:
        NotFound: There is no such part.
    """
    if name == "minute":
        hours = call(_F.MULTIPLY, call(_F.HOUR, moment), literal(60))
        return call(_F.ADD, hours, call(_F.MINUTE, moment))
    if name not in _PARTS:
        raise NotFound.among("part of time", name, [*_PARTS, "minute"])
    return call(_PARTS[name], moment)


class RowTerms:
    """Reads the arithmetic of a row as nodes.

    Args:
        meanings: What names mean.
        table: The table that the names are columns of.
        via: The column whose join leads there.
    """

    def __init__(self, meanings: Meanings, table: str, via: str | None) -> None:
        self._meanings = meanings
        self._table = table
        self._via = via

    def value(self, node: Node) -> al.Expression:
        """A value of one row."""
        if isinstance(node, Number):
            return literal(node.value)
        if isinstance(node, Text):
            return literal(node.text)
        if isinstance(node, Name):
            held = self._meanings.at(self._table, node.name, self._via)
            kind = self._kind(node)
            return call(_F.NUMBER, held) if kind is not None and kind.is_boolean() else held
        if isinstance(node, Negative):
            return call(_F.NEGATE, self.value(node.operand))
        if isinstance(node, Binary) and node.operator in SUMS:
            return call(SUMS[node.operator], self._number(node.left), self._number(node.right))
        if isinstance(node, Binary):
            return self._told(self.truth(node))
        return self._called(node)

    def _number(self, node: Node) -> al.Expression:
        """A value that is computed or compared with others: what holds is 1, what does not is 0."""
        return call(_F.NUMBER, self.value(node)) if is_truth(node) else self.value(node)

    def truth(self, node: Node) -> al.Predicate:
        """A truth of one row."""
        if isinstance(node, Binary) and node.operator in COMPARISONS:
            return compared(self._number(node.left), _SIGNS[node.operator], self._number(node.right))
        if isinstance(node, Call):
            given = node.arguments
            if node.function == "holds":
                return self.truth(given[0])
            if node.function == "missing":
                return al.Missing(of=self.value(given[0]))
            if node.function == "equals":
                texts = tuple(literal(t.text) for t in given[1:] if isinstance(t, Text))
                return al.Among(left=call(_F.TEXT, self.value(given[0])), values=texts)
            if node.function in ("outlying", "beyond"):
                value, low, high = map(self.value, given)
                return either([compared(value, _C.LESS, low), compared(value, _C.MORE, high)])
            if node.function in ("repeated", "again"):
                values = tuple(map(self.value, given))
                order = (al.Order(by=values[0]),)
                place = al.Windowed(glance=al.Glance.PLACE, within=values, order=order)
                return compared(place, _C.MORE, 1)
        return compared(self.value(node), _C.EQUAL, 1)

    @staticmethod
    def _told(test: al.Predicate, unknown: bool | None = None) -> al.Case:
        """A truth as a value; what cannot be told is unknown unless it is said to be something."""
        if unknown is not None:
            return al.Case(tests=(test,), values=(literal(True),), otherwise=literal(unknown))
        return al.Case(tests=(test, al.Not(of=test)), values=(literal(True), literal(False)))

    def _called(self, node: Call) -> al.Expression:
        name, given = node.function, node.arguments
        how, _, scope = name.rpartition("_")
        if name in _SECONDS:
            end, start = map(self.value, given)
            return call(_F.DIVIDE, call(_F.SECONDS_BETWEEN, start, end), literal(_SECONDS[name]))
        if name in PARTS or name == "weekday":
            when = self._moment(given[0])
            return call(_F.DAY_NAME, when) if name == "weekday" else part_of(when, name)
        if scope == "of" and how in _OF_ALL:
            return self._of_all(al.Aggregate(how=_OF_ALL[how], of=self.value(given[0])))
        if scope == "in" and how in ("mean", "median"):
            value, group = map(self.value, given)
            return al.Windowed(glance=al.Glance(how), of=value, within=(group,))
        if name in ("holds", "missing", "repeated"):
            return self._told(self.truth(node))
        if name in ("equals", "outlying"):
            return self._told(self.truth(node), unknown=False)
        if name not in _WRITTEN:
            listed = ", ".join(f"{f}(…)" for f in (*_SECONDS, *_PARTS, *_WRITTEN))
            raise InvalidInput(f"There is no function {name}.", suggestions=[f"Functions: {listed}."])
        return _WRITTEN[name](self, given)

    def _of_all(self, figure: al.Measure) -> al.Whole:
        """A figure of the whole column, whichever rows are looked at."""
        return al.Whole(query=al.Query(rows=al.Rows(table=self._table), measures=(al.Shown(measure=figure),)))

    def _kind(self, node: Node) -> Any | None:
        """The type of a column; None of what is computed."""
        if isinstance(node, Name) and derived(node.name) is None:
            return self._meanings.held(self._table, node.name)
        return None

    def _moment(self, node: Node) -> al.Expression:
        kind = self._kind(node)
        plain = kind is None or kind.is_date() or (kind.is_timestamp() and not kind.timezone)
        return self.value(node) if plain else call(_F.MOMENT, self.value(node), literal(""))

    def truth_of(self, given: tuple[Node, ...]) -> al.Expression:
        """1 for yes, 0 for no, however a column writes them down."""
        kind = self._kind(given[0])
        counted = kind is not None and (kind.is_boolean() or kind.is_numeric())
        return self.value(given[0]) if counted else yes_or_no(self.value(given[0]))

    def fractions(self, given: tuple[Node, ...]) -> al.Expression:
        """The standard deviation of all values, as of the whole and not of a sample."""
        value = self.value(given[0])
        many = al.Aggregate(how=al.How.COUNT, of=value)
        fewer = al.Arithmetic(function=_F.SUBTRACT, of=(many, literal(1)))
        rest = al.Arithmetic(function=_F.ROOT, of=(al.Arithmetic(function=_F.DIVIDE, of=(fewer, many)),))
        deviation = al.Aggregate(how=al.How.DEVIATION, of=value)
        return self._of_all(al.Arithmetic(function=_F.MULTIPLY, of=(deviation, rest)))

    def quantile(self, given: tuple[Node, ...]) -> al.Expression:
        """The value below which a share of all lie."""
        assert isinstance(given[1], Number), "a quantile is a number"
        of = self.value(given[0])
        return self._of_all(al.Aggregate(how=al.How.QUANTILE, of=of, quantile=float(given[1].value)))

    def unless(self, given: tuple[Node, ...]) -> al.Expression:
        """A value where none of the reasons holds to leave its row out."""
        reasons = [self.truth(n) for n in given[1:]]
        return al.Case(tests=(either(reasons),), values=(literal(None),), otherwise=self.value(given[0]))

    def beyond(self, given: tuple[Node, ...]) -> al.Expression:
        """A value that lies outside of bounds."""
        return al.Case(tests=(self.truth(Call("beyond", given)),), values=(self.value(given[0]),))

    def again(self, given: tuple[Node, ...]) -> al.Expression:
        """1 for a row that says the same as another."""
        return al.Case(tests=(self.truth(Call("again", given)),), values=(literal(1),))

    def coded(self, given: tuple[Node, ...]) -> al.Expression:
        """The number that stands for a value."""
        text = call(_F.TEXT, self.value(given[0]))
        pairs = [(self.value(a), self.value(b)) for a, b in zip(given[1::2], given[2::2], strict=True)]
        tests = tuple(compared(text, _C.EQUAL, said) for said, _ in pairs)
        return al.Case(tests=tests, values=tuple(number for _, number in pairs))

    def positive(self, given: tuple[Node, ...], function: al.Function) -> al.Expression:
        """A logarithm or root of what has one."""
        value = self.value(given[0])
        sign = _C.AT_LEAST if function is _F.ROOT else _C.MORE
        return al.Case(tests=(compared(value, sign, 0),), values=(call(function, call(_F.NUMBER, value)),))

    def previous(self, given: tuple[Node, ...]) -> al.Expression:
        """The value of the row before, of the same group."""
        value, when, *groups = map(self.value, given)
        order = (al.Order(by=when),)
        return al.Windowed(glance=al.Glance.BEFORE, of=value, within=tuple(groups), order=order)

    def ranges(self, given: tuple[Node, ...]) -> al.Expression:
        """The label of the range that a value lies in."""
        value = self.value(given[0])
        tests: list[al.Predicate] = []
        labels: list[al.Expression] = []
        for i in range(1, len(given), 5):
            label, low, lowest, high, highest = given[i : i + 5]
            bounds = [(s.text, b) for s, b in ((low, lowest), (high, highest)) if isinstance(s, Text)]
            held = [compared(value, _SIGNS[s], self.value(b)) for s, b in bounds if s in _SIGNS]
            tests += [t for t in [every(held)] if t is not None]
            labels.append(self.value(label))
        return al.Case(tests=tuple(tests), values=tuple(labels))

    def end(self, given: tuple[Node, ...], function: al.Function) -> al.Expression:
        """The least or the greatest of a row's values; nothing where one of them is missing."""
        values = [self.value(n) for n in given]
        there = every([known(v) for v in values])
        assert there is not None, "there are values"
        return al.Case(tests=(there,), values=(call(function, *values),))

    def across(self, given: tuple[Node, ...]) -> al.Expression:
        """The mean of a row's values."""
        return call(_F.DIVIDE, call(_F.ADD, *map(self.value, given)), literal(float(len(given))))

    def written(self, given: tuple[Node, ...]) -> al.Expression:
        """A moment that is written down as a number or text."""
        return call(_F.MOMENT, *map(self.value, given))


_Given = tuple[Node, ...]
_WRITTEN: dict[str, Callable[[RowTerms, _Given], al.Expression]] = {
    "truth": RowTerms.truth_of,
    "known": lambda s, g: call(_F.FILL, s.value(g[0]), literal(0)),
    "moment": RowTerms.written,
    "spread_of": RowTerms.fractions,
    "quantile_of": RowTerms.quantile,
    "length": lambda s, g: call(_F.LENGTH, s.value(g[0])),
    "visible": lambda s, g: call(_F.VISIBLE_LENGTH, s.value(g[0])),
    "words": lambda s, g: call(_F.WORDS, s.value(g[0])),
    "unless": RowTerms.unless,
    "beyond": RowTerms.beyond,
    "again": RowTerms.again,
    "coded": RowTerms.coded,
    "absolute": lambda s, g: call(_F.ABSOLUTE, s.value(g[0])),
    "log": lambda s, g: s.positive(g, _F.LOGARITHM),
    "log10": lambda s, g: s.positive(g, _F.DECIMAL_LOGARITHM),
    "root": lambda s, g: s.positive(g, _F.ROOT),
    "power": lambda s, g: call(_F.POWER, call(_F.NUMBER, s.value(g[0])), s.value(g[1])),
    "percent": lambda s, g: call(_F.MULTIPLY, s.value(g[0]), literal(100)),
    "fill": lambda s, g: call(_F.FILL, s.value(g[0]), s.value(g[1])),
    "previous": RowTerms.previous,
    "ranges": RowTerms.ranges,
    "least": lambda s, g: s.end(g, _F.LEAST),
    "greatest": lambda s, g: s.end(g, _F.GREATEST),
    "mean_across": RowTerms.across,
}
