"""What trees may add up: levels not over time, rates and prices and codes never. Checked before a tree is lowered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gnomon.core import algebra as al
from gnomon.core.errors import OutOfScope
from gnomon.core.query import TimeGranularity
from gnomon.semantic.asked_days import all_of, asked_days
from gnomon.semantic.kinds import Additivity, Aggregation, DimensionType
from gnomon.semantic.labels import full_words
from gnomon.semantic.model import ColumnRef, Metric, SemanticModel
from gnomon.semantic.provenance import Held, Output, outputs, results_below
from gnomon.semantic.vocabulary import vocabulary
from gnomon.semantic.wording import quoted

_F = al.Function
# What is made of values by these is of their kind.
_ALIKE = frozenset(
    {_F.ADD, _F.SUBTRACT, _F.NEGATE, _F.ABSOLUTE, _F.ROUND, _F.FLOOR, _F.CEILING, _F.LEAST, _F.GREATEST, _F.FILL,
     _F.NUMBER}
)  # fmt: skip
_PARTS_OF_TIME = frozenset(
    {_F.YEAR, _F.QUARTER, _F.MONTH, _F.WEEK, _F.DAY, _F.WEEKDAY, _F.HOUR, _F.MINUTE, _F.DAY_OF_YEAR}
)
_SCALED = frozenset({_F.MULTIPLY, _F.DIVIDE})
_VALUES = frozenset(
    {al.How.MEAN, al.How.MEDIAN, al.How.LEAST, al.How.MOST, al.How.QUANTILE, al.How.MODE, al.How.AT_MOST, al.How.AT_LEAST}
)  # fmt: skip

# Values of each row that have totals all the same: what all are paid, how long all take.
_WITH_TOTALS = frozenset({"salary", "salaries", "wage", "wages", "compensation", "time", "duration", "wait", "delay", "weight",
                          "length", "capacity", "dose", "yield"})  # fmt: skip
_SHARES = ("%", "fraction")
_PLACES = (al.Glance.PLACE, al.Glance.RANK, al.Glance.DENSE_RANK)


@dataclass(frozen=True)
class NotAdded:
    """A sum that would tell nothing.

    Args:
        kind: Whether it adds up a level over time, a rate, or a code.
        table: The table of the column.
        column: What is added up.
        time: For levels, the column that says when each was.
    """

    kind: Literal["level", "rate", "code"]
    table: str
    column: str
    time: str | None = None


def not_added(ask: al.Ask, model: SemanticModel) -> list[NotAdded]:
    """The sums of a tree that would tell nothing, each once."""
    found: dict[NotAdded, None] = {}
    for node in ask.walk():
        if isinstance(node, al.Query):
            found |= dict.fromkeys(_of_query(node, model))
    if isinstance(ask, al.Along) and ask.step is al.Walk.RUNNING and ask.measure < len(ask.query.measures):
        held = _held_by(ask.query.measures[ask.measure].measure, results_below(ask.query.rows), model)
        found |= dict.fromkeys(h for h in held if h.kind != "code")
    return list(found)


def checked(ask: al.Ask, model: SemanticModel) -> None:
    """Refuse a tree that adds up what does not add up.

    Raises:
        OutOfScope: It does; the message says which column, and what can be asked instead.
    """
    for one in not_added(ask, model):
        ref = f"{one.table}.{one.column}"
        known = next((d for d in model.dimensions if any(str(r) == ref for r in d.locations)), None)
        label = known.label if known is not None else one.column.replace("_", " ")
        if one.kind == "level":
            raise OutOfScope(
                f"“{label}” is a level: it is not added up over time.",
                suggestions=[
                    f"Ask for {label} on one day, such as the last one.",
                    f"Ask for the average {label}.",
                ],
            )
        why = (
            "is no amount"
            if one.kind == "code"
            else "is a value of each row, as prices, rates and percentages are"
        )
        instead = (
            "Ask how many different ones there are."
            if one.kind == "code"
            else f"Ask for the average {label}."
        )
        raise OutOfScope(f"“{label}” {why}: it is not added up.", suggestions=[instead])


def _of_query(query: al.Query, model: SemanticModel) -> Iterator[NotAdded]:
    below = results_below(query.rows)
    for shown in query.measures:
        for node in _sums(shown.measure):
            if isinstance(node, al.Over):
                keys = (*query.keys, *node.per)
                held = _held_by(node.measure, below, model)
                yield from (h for h in held if not _at_one_time(h, keys, query.rows, None, below))
            elif node.of is not None:
                held = _held_by(node.of, below, model)
                yield from (h for h in held if not _at_one_time(h, query.keys, query.rows, node.where, below))
    for look in (n for k in query.show for n in k.walk() if isinstance(n, al.Windowed)):
        if look.glance is al.Glance.SUM and look.of is not None:
            keys = tuple(al.Key(of=w) for w in look.within)
            held = _held_by(look.of, below, model)
            yield from (h for h in held if not _at_one_time(h, keys, query.rows, None, below))


def _sums(node: al.Node) -> Iterator[al.Aggregate | al.Over]:
    """The sums that a figure tells; one that is divided is the part of an average or of a ratio."""
    if isinstance(node, (al.Aggregate, al.Over)):
        if node.how is al.How.SUM:
            yield node
        if isinstance(node, al.Over):
            yield from _sums(node.measure)
    elif isinstance(node, al.InUnit):
        yield from _sums(node.measure)
    elif isinstance(node, al.Arithmetic):
        if node.function is _F.DIVIDE and not isinstance(node.of[1], al.Literally):
            return
        for part in node.of:
            yield from _sums(part)


def _held_by(node: al.Node, below: Held, model: SemanticModel) -> Iterator[NotAdded]:
    """What does not add up in values that are of the kind of a column."""
    if isinstance(node, al.Column):
        if node.table:
            yield from _column(node.table, node.column, model)
        elif (inner := below.get((node.column, node.via))) is not None:
            yield from _inner(inner, model)
    elif isinstance(node, al.Call) and node.function in _PARTS_OF_TIME:
        times = (n for n in node.walk() if isinstance(n, al.Column) and n.table)
        yield from (NotAdded("code", n.table, n.column) for n in times)
    elif isinstance(node, al.Call):
        literal = [a for a in node.arguments if isinstance(a, al.Literally)]
        if node.function in _ALIKE or (node.function in _SCALED and literal):
            for part in node.arguments:
                yield from _held_by(part, below, model)
    elif isinstance(node, al.Case):
        for part in (*node.values, *([node.otherwise] if node.otherwise is not None else [])):
            yield from _held_by(part, below, model)
    elif isinstance(node, (al.Aggregate, al.Over)):
        value = node.of if isinstance(node, al.Aggregate) else node.measure
        if value is not None and (node.how in _VALUES or node.how is al.How.SUM):
            held = _held_by(value, below, model)
            yield from (h for h in held if h.kind == "level" or node.how in _VALUES)
    elif isinstance(node, al.Arithmetic) and node.function in (_F.ADD, _F.SUBTRACT, _F.ROUND):
        for part in node.of:
            yield from _held_by(part, below, model)


def _inner(inner: Output, model: SemanticModel) -> Iterator[NotAdded]:
    """The same of a column of a result below; a level of one moment there, or the average over all, is added up here."""
    query = inner.query
    for held in _held_by(inner.node, inner.below, model):
        at = (held.table, held.time or "")
        kept = held.kind != "level" or not _at_one_time(held, (), query.rows, None, inner.below)
        grouped = bool(query.keys or query.measures)
        if kept and (
            held.kind != "level" or not grouped or any(_is_moment(k, at, inner.below) for k in query.keys)
        ):
            yield held


def _column(table: str, column: str, model: SemanticModel) -> Iterator[NotAdded]:
    ref = ColumnRef(table=table, column=column)
    own = [m for m in model.metrics if m.table == table and m.expression == quoted(column) and not m.where]
    summed = [m for m in own if m.aggregation is Aggregation.SUM]
    if any(m.additivity is Additivity.ADDITIVE for m in summed):
        return
    for metric in summed:
        time = model.time_dimension(metric)
        at = time.at(table) if time is not None else None
        if metric.additivity is Additivity.SEMI_ADDITIVE and at is not None:
            yield NotAdded("level", table, column, at)
        return
    averaged = [
        m for m in own if m.aggregation is Aggregation.MEAN and m.additivity is Additivity.NON_ADDITIVE
    ]
    if averaged:
        if any(_is_rate(m, column) for m in averaged):
            yield NotAdded("rate", table, column)
        return
    known = next((d for d in model.dimensions if ref in d.locations), None)
    if known is None or own:
        return
    coded = known.type is DimensionType.CATEGORY and known.numeric and (known.distinct or 0) > 2
    if coded or known.type in (DimensionType.ID, DimensionType.TIME):
        yield NotAdded("code", table, column)


def _is_rate(metric: Metric, column: str) -> bool:
    """Whether values are of each row by their unit or their name; others are only averaged where nobody says otherwise."""
    unit = metric.unit or ""
    words = {*full_words(column)} - _WITH_TOTALS
    return (
        unit in _SHARES
        or not {*unit}.isdisjoint("/°")
        or not words.isdisjoint({*vocabulary().intensive, "per"})
    )


def _at_one_time(
    held: NotAdded, keys: tuple[al.Key, ...], rows: al.Rows, where: al.Node | None, below: Held
) -> bool:
    """Whether a level is of one moment: in groups of moments, or in rows of one."""
    if held.kind != "level" or held.time is None:
        return False
    at = (held.table, held.time)
    if any(_is_moment(k, at, below) for k in keys):
        return True
    return any(_pins(rows, given, at, below) for given in (rows.where, where))


def _is_moment(key: al.Key, at: tuple[str, str], below: Held) -> bool:
    """Whether groups are those of single moments, rather than of months of them."""
    return key.grain in (None, TimeGranularity.DAY, TimeGranularity.HOUR) and _is_time(key.of, at, below)


def _is_time(of: al.Node, at: tuple[str, str], below: Held) -> bool:
    if isinstance(of, al.Call) and of.function in (_F.DATE, _F.MOMENT):
        of = of.arguments[0]
    if not isinstance(of, al.Column):
        return False
    if of.table:
        return (of.table, of.column) == at
    inner = below.get((of.column, of.via))
    return inner is not None and _is_time(inner.node, at, inner.below)


def _pins(rows: al.Rows, given: al.Node | None, at: tuple[str, str], below: Held) -> bool:
    """Whether conditions leave one moment of each thing: a day that is said, the last that there is, the first in a row."""
    days = asked_days(given).get(at)
    span = days.days if days is not None else None
    if span is not None and span.start == span.end:
        return True
    for other in rows.beside:
        held = outputs(other.query)
        if any(
            _is_time(m.mine, at, below) and m.theirs in held and isinstance(held[m.theirs].node, al.Aggregate)
            for m in other.on
        ):
            return True
    return any(_leaves_one(test, at, below) for test in all_of(given))


def _leaves_one(test: al.Node, at: tuple[str, str], below: Held) -> bool:
    if isinstance(test, al.Among):
        single = test.query is not None and _one_row(test.query)
        return test.hold and (single or len(test.values) == 1) and _is_time(test.left, at, below)
    if not isinstance(test, al.Test):
        return False
    for one, other in ((test.left, test.right), (test.right, test.left)):
        if not isinstance(other, (al.Whole, al.Literally)):
            continue
        if test.operator is al.Comparison.EQUAL and _is_time(one, at, below):
            return True
        inner = below.get((one.column, one.via)) if isinstance(one, al.Column) and not one.table else None
        look = inner.node if inner is not None else one
        first = isinstance(other, al.Literally) and other.value == 1
        if isinstance(look, al.Windowed) and look.glance in _PLACES and look.order and first:
            return _is_time(look.order[0].by, at, inner.below if inner is not None else below)
    return False


def _one_row(query: al.Query) -> bool:
    return query.limit == 1 or (not query.keys and bool(query.measures))
