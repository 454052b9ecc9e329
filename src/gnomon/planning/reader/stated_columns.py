"""Conditions as tables are written: a column and what it is equal to, “Smoker = 1”, “where 'Grade' is 3”."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.values import ValueIndex

_COPULAS = frozenset({"is", "are", "was", "were", "be", "of", "=", "equals", "equal", "to", "being"})
_DENIED = frozenset({"not", "!=", "<>", "isn't", "aren't", "wasn't", "unequal"})
_ANSWERS = {"true": True, "yes": True, "false": False, "no": False}
_CODED = (DimensionType.BOOLEAN, DimensionType.CATEGORY, DimensionType.ID)


class StatedColumns(ConditionFinder):
    """Finds what columns of flags and codes, named outright, are said to be equal to."""

    def _find_stated(self) -> None:
        for i, item in self.sentence:
            column = self.names.dimension(item) if item.links and not item.used else None
            if column is None or column.type not in _CODED or item.links[0].name != column.name:
                continue
            j = next((k for k in range(i + 1, len(self.sentence)) if not self._is_linking(k)), None)
            if j is None or j - i > 3:
                continue
            between = [w.lower for w in self.sentence.words[item.end : self.sentence[j].start]]
            between = [w for w in between if w not in {"a", "the", "exactly", "value"}]
            if not all(w in _COPULAS | _DENIED for w in between):
                continue
            coded = self.names.coded(item) is not None
            quoted = self.sentence[j].literal is not None
            if not (item.outright or quoted) and not {*between} - ({"of"} if not coded else set()):
                continue  # "returned 1": only of what is plainly a column
            value = self._equal_to(self.sentence[j], column, numbered=coded)
            if value is None or (self.sentence[j].values and not self._signed(i, j)):
                continue  # what is joined by words is read with all other values
            denied = bool(_DENIED & {*between})
            operator = FilterOperator.NOT_EQUALS if denied else FilterOperator.EQUALS
            self.filters.append((i, Filter(field=column.name, operator=operator, values=(value,))))
            self._use(*range(i, j + 1))
            item.links = self.sentence[j].values = ()  # neither is anything else beside
            for k, other in self.sentence:  # "women (sex = female)" says it twice
                if any((v.dimension, v.value) == (column.name, value) for v in other.values):
                    other.values = ()
                    self._use(k)

    def _signed(self, i: int, j: int) -> bool:
        """“sex = female”: whether a sign stands between, and no list goes on behind."""
        between = {w.lower for w in self.sentence.words[self.sentence[i].end : self.sentence[j].start]}
        following = self.sentence[j + 1] if j + 1 < len(self.sentence) else None
        return bool(between & {"=", "!=", "<>"}) and not (following is not None and following.op(Op.OR))

    def _is_linking(self, k: int) -> bool:
        item = self.sentence[k]
        return item.op(Op.EQUALS, Op.OF, Op.NOT, Op.FILLER) and not item.links and item.number is None

    def _equal_to(self, item: Item, column: Dimension, *, numbered: bool) -> Any:
        """The value of the column that an item says; None where it says none."""
        held = [v.value for v in item.values if v.dimension == column.name and v.kind == "exact"]
        if held and column.type is not DimensionType.BOOLEAN:
            return held[0]
        said = item.text.strip("\"'“”‘’`").lower()
        number = item.number.value if item.number is not None and not item.number.percent else None
        if column.type is DimensionType.BOOLEAN:
            wanted = _ANSWERS.get(said, bool(number) if number in (0, 1) else None)
            return None if wanted is None else self._flag_value(column, wanted)
        if number is None or not numbered or not column.numeric or item.values:
            return None
        return int(number) if float(number).is_integer() else number

    def _flag_value(self, dimension: Dimension, wanted: bool) -> Any:
        """The stored value that means yes, or no."""
        return flag_value(self.index, dimension, wanted)


def flag_value(index: ValueIndex, dimension: Dimension, wanted: bool) -> Any:
    """The stored value of a yes-or-no column that means yes, or no."""
    return next((value for value in index.values(dimension.name) if is_yes(value) is wanted), wanted)


def is_yes(value: Any) -> bool:
    """Whether a stored value of a yes-or-no column means yes."""
    return str(value).strip().lower().removesuffix(".0") in {"true", "yes", "y", "t", "1", "on"}


def name_rates(items: Sequence[Item], names: Names) -> None:
    """“the share of 'Smoker' by site”: the share of a column of yes and no is how many of its rows say yes."""
    for n, item in enumerate(items):
        sides = [{v.dimension for v in x.values} for x in items[n + 1 :] if x.values]
        apart = len(sides) > 1 and bool(sides[0] & sides[1]) and not items[n + 1].values
        if item.op(Op.SHARE) and item.text.lower() == "ratio of" and apart:
            item.operator, item.literal = None, item.text  # "of grade A to grade B" is no share of both
        following = next((x for x in items[n + 1 :] if not x.op(Op.OF, Op.FILLER)), None)
        if not item.op(Op.SHARE) or item.links or following is None or not following.outright:
            continue
        column = names.dimension(following, DimensionType.BOOLEAN)
        rates = [
            m
            for m in names.model.metrics
            if m.aggregation is Aggregation.MEAN and names.column_of(m) == column
        ]
        if column is not None and rates:
            following.links = (Link(LinkKind.METRIC, rates[0].name, 1.0),)
            item.operator = Operator(Op.FILLER)
