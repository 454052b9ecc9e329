"""Conditions as tables are written: a column and what it is equal to, “Smoker = 1”, “where 'Grade' is 3”."""

from __future__ import annotations

from typing import Any

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.semantic import Dimension, DimensionType

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
            if value is None:
                continue
            denied = bool(_DENIED & {*between})
            operator = FilterOperator.NOT_EQUALS if denied else FilterOperator.EQUALS
            self.filters.append((i, Filter(field=column.name, operator=operator, values=(value,))))
            self._use(*range(i, j + 1))

    def _is_linking(self, k: int) -> bool:
        item = self.sentence[k]
        return item.op(Op.EQUALS, Op.OF, Op.NOT, Op.FILLER) and not item.links and item.number is None

    def _equal_to(self, item: Item, column: Dimension, *, numbered: bool) -> Any:
        """The value of the column that an item says; None where it says none."""
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
        yes = {"true", "yes", "y", "t", "1", "on"}
        for value in self.index.values(dimension.name):
            if (str(value).strip().lower().removesuffix(".0") in yes) is wanted:
                return value
        return wanted
