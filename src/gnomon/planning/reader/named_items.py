"""What words turn out to name by what stands beside them, before anything is composed."""

from __future__ import annotations

from gnomon.planning.reader.asked_periods import name_periods
from gnomon.planning.reader.counted_rows import name_counted
from gnomon.planning.reader.measured_units import name_units
from gnomon.planning.reader.measured_values import measure_values
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.opposed_flags import oppose_flags
from gnomon.planning.reader.owners import name_owners
from gnomon.planning.reader.places import name_grades
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.spread_months import place_months
from gnomon.planning.reader.verdicts import read_value_ratio
from gnomon.semantic.values import ValueIndex


def name_items(sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """Put right the names of a sentence, each by its neighbours."""
    name_grades(sentence, names)
    name_units(sentence, names)
    name_periods(sentence, names)
    name_owners(sentence, names)
    name_counted(sentence, names)
    oppose_flags(sentence, names, index)
    read_value_ratio(sentence)
    place_months(sentence, names)
    measure_values(sentence, names)
    _name_groups(sentence, names)


def _name_groups(sentence: Sentence, names: Names) -> None:
    """“by marital status and smoking habit”: a value right before its own column, which groups, is part of the name."""
    for i, item in sentence:
        column = sentence[i + 1] if i + 1 < len(sentence) and sentence[i + 1].start == item.end else None
        held = names.dimension(column) if column is not None and column.links and not item.links else None
        if held is None or all(v.dimension != held.name for v in item.values):
            continue
        k = sentence.before(i, (Op.FILLER, Op.OF))
        while k is not None and k > 1 and sentence[k].op(Op.AND) and sentence[k - 1].links:
            k = k - 2  # the groups that are listed before it
        if k is not None and sentence[k].op(Op.BY, Op.EACH, Op.PER):
            item.values, item.operator, item.used = (), Operator(Op.FILLER), True
