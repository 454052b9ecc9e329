"""Which words of a question each node of its tree was read from, whoever read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from gnomon.core import algebra as al
from gnomon.core.errors import NotFound
from gnomon.core.operations import Function, Walk
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.nodes import how_of

_COUNTS = (al.How.COUNT, al.How.DISTINCT)
_ENDS = {al.How.MOST: True, al.How.LEAST: False}
_ORDERS = (Op.RANK, Op.ORDER, Op.EDGE, Op.ORDINAL)
_DENIES = (Op.NOT, Op.WITHOUT, Op.EXCLUDE, Op.MISSING, Op.OUTSIDE)
_COMPARES = (Op.VERSUS, Op.CHANGE, Op.REST, Op.BENCHMARK)
_WALKS = {Walk.SHARE: (Op.SHARE,), Walk.RUNNING: (Op.CUMULATIVE,), Walk.MOVING: (Op.MOVING,)}
_SCALES = (1.0, 100.0, 0.01)
SURE, WITHIN = 0.8, 0.02
"""How surely words have to name a column to be taken for it by themselves."""
Tree = TypeVar("Tree", bound=al.Node)


class Spoken:
    """Finds the words that nodes stand for.

    Args:
        words: The words of the question.
        items: Everything that stretches of them may mean.
        model: Whose names the nodes are.
    """

    def __init__(self, words: Sequence[Word], items: Sequence[Item], model: SemanticModel) -> None:
        self._words = words
        self._items = sorted(items, key=lambda x: x.start - x.end)  # the longest first
        self._model = model

    def of(self, tree: Tree) -> Tree:
        """The tree with the words of each node, those of its parts included."""
        changed: dict[str, Any] = {}
        within: list[al.Span] = []
        for name, held in tree.__dict__.items():
            if isinstance(held, al.Node):
                changed[name] = part = self.of(held)
                within += part.said
            elif isinstance(held, tuple) and any(isinstance(h, al.Node) for h in held):  # pyright: ignore[reportUnknownVariableType]
                parts = tuple(self.of(h) if isinstance(h, al.Node) else h for h in held)  # pyright: ignore[reportUnknownVariableType]
                changed[name] = parts
                within += [s for p in parts if isinstance(p, al.Node) for s in p.said]
        said = _joined([*self._own(tree), *within])
        return tree.model_copy(update={**changed, "said": said}) if changed or said else tree

    def _own(self, node: al.Node) -> list[al.Span]:
        """The words of one node: the longest stretches that mean it, each word once."""
        found: list[Item] = []
        meant = [(x, fit) for x in self._items if (fit := self._means(x, node))]
        best = max((fit for _, fit in meant), default=0)
        for item, fit in meant:
            if fit >= best - WITHIN and not any(x.start < item.end and item.start < x.end for x in found):
                found.append(item)
        spans = [self._span(x.start, x.end) for x in found]
        return spans or [self._span(at, at + 1) for at in self._called(node)]

    def _span(self, start: int, end: int) -> al.Span:
        return al.Span(start=self._words[start].start, end=self._words[end - 1].end)

    def _called(self, node: al.Node) -> list[int]:
        """Words that are part of what a column or a figure is called, where no stretch names it as a whole."""
        known = self._dimension(node)
        label = known.label if known is not None else node.name if isinstance(node, al.Metric) else ""
        stems = {stem(w) for w in name_words(label)}
        return [i for i, w in enumerate(self._words) if w.kind == "word" and w.stem in stems]

    def _dimension(self, node: al.Node) -> Dimension | None:
        try:
            if isinstance(node, al.Dimension):
                return self._model.dimension(node.name)
            if isinstance(node, al.Column) and node.table:
                return self._model.dimension(f"{node.table}.{node.column}")
        except NotFound:
            pass
        return None

    def _means(self, item: Item, node: al.Node) -> float:
        """How well words stand for a node; nothing where they do not."""
        known = self._dimension(node)
        if known is not None:
            named = [x for x in item.links if x.kind is LinkKind.DIMENSION and self._is(x.name, known)]
            return max((x.quality for x in named if x.quality >= SURE), default=0.0)
        return float(self._stands(item, node))

    def _stands(self, item: Item, node: al.Node) -> bool:
        match node:
            case al.Metric(name=name):
                named = any(x.kind is LinkKind.METRIC and x.name == name for x in item.links)
                return named or (item.op(Op.AGGREGATE) and self._adds_up(item, name))
            case al.When():
                return item.op(Op.WHEN, Op.UNIT)
            case al.Key(grain=grain) if grain is not None:
                unit = item.operator.payload if item.op(Op.UNIT) and item.operator is not None else None
                return unit == grain or (item.time is not None and str(grain) in item.text.lower())
            case al.Literally(value=value):
                return _says(item, value)
            case al.Period(days=days):
                return item.time is not None and days is not None and item.time.period == days
            case al.Rows(table=table):
                named = any(x.kind is LinkKind.TABLE and x.name == table for x in item.links)
                return bool(table) and (named or item.op(Op.ROWS))
            case al.Aggregate(how=how):
                return _aggregates(item, how)
            case al.Order():
                return item.op(*_ORDERS) or (item.association is not None and item.association.superlative)
            case al.Not() | al.Missing() | al.Among(hold=False) | al.Has(hold=False):
                return item.op(*_DENIES)
            case al.Arithmetic(function=Function.DIVIDE):
                return item.op(Op.SHARE, Op.PER)
            case al.Along(step=step):
                return item.op(*_WALKS.get(step, (Op.CHANGE,)))
            case al.Against():
                compared = item.time is not None and item.time.kind == "comparison"
                return compared or item.op(*_COMPARES)
            case al.Study():
                return item.op(Op.KIND, Op.TEST, Op.SIGNIFICANT, Op.VARY)
            case _:
                return False

    def _adds_up(self, item: Item, metric: str) -> bool:
        """Whether words say in which way a figure is made of many values."""
        known = next((m for m in self._model.metrics if m.name == metric), None)
        payload = item.operator.payload if item.operator is not None else None
        return known is not None and known.aggregation is not None and payload == known.aggregation

    def _is(self, name: str, known: Dimension) -> bool:
        return name == known.name or (
            self._model.has_column(name) and self._model.dimension(name).home == known.home
        )


def _says(item: Item, value: al.Value) -> bool:
    """Whether words say a value: a text of the data, a number, a day."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, str):
        known = any(str(v.value).casefold() == value.casefold() for v in item.values)
        return known or (item.literal is not None and item.literal.casefold() == value.casefold())
    if isinstance(value, (int, float)):
        return item.number is not None and any(item.number.value == value * s for s in _SCALES)
    if isinstance(value, date):
        day = value.date() if isinstance(value, datetime) else value
        period = item.time.period if item.time is not None else None
        return period is not None and day in (period.start, period.end)
    return False


def _aggregates(item: Item, how: al.How) -> bool:
    if how in _COUNTS:
        return item.op(Op.COUNT) or (how is al.How.DISTINCT and item.op(Op.DISTINCT))
    payload = item.operator.payload if item.operator is not None else None
    if item.op(Op.AGGREGATE):
        return isinstance(payload, Aggregation) and how_of(payload) is how
    graded = item.association is not None and item.association.superlative
    end = _ENDS.get(how)
    return end is not None and ((item.op(Op.RANK) and bool(payload) is end) or (graded and item.association is not None and item.association.descending is end))  # fmt: skip


def _joined(spans: Iterable[al.Span]) -> tuple[al.Span, ...]:
    """Each word once, in their order: what is part of more words goes with them."""
    known = {(s.start, s.end) for s in spans}
    own = [(a, b) for a, b in known if not any((c, d) != (a, b) and c <= a and b <= d for c, d in known)]
    return tuple(al.Span(start=a, end=b) for a, b in sorted(own))
