"""Words that only say what kind of figure a column holds: the looks rating, the parts cost, charity money raised."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.relatedness import topic_of
from gnomon.semantic import DimensionType
from gnomon.semantic.model import singular
from gnomon.semantic.money_units import is_money

_MONEY = vocabulary("cost costs money price charge charges amount spend spending fee sum cash")
_GROUPS = 14  # nouns for several persons or things taken together
_GRADES = vocabulary(
    "rating ratings score scores grade grades level levels index mark marks value values figure figures reading readings magnitude"
)


def says_kind(said: str, draft: Draft, names: Names) -> bool:
    """Whether a word right beside a column that a draft uses says no more than what sort of figure it holds."""
    word, sentence = said.lower(), draft.heard
    if sentence is None or word not in _MONEY | _GRADES | {"size"}:
        return False
    at = next((k for k, w in enumerate(sentence.words) if w.text == said), None)
    beside = [x for _, x in sentence if at is not None and (x.end == at or x.start == at + 1)]
    if word == "size":  # of a family or a class, not of a bed
        beside = [x for x in beside if topic_of(singular(x.text.lower().split()[-1])) == _GROUPS]
    units = [unit for x in beside for unit in _units(x, draft, names)]
    return any(is_money(unit) for unit in units) if word in _MONEY else None in units


def _units(item: Item, draft: Draft, names: Names) -> list[str | None]:
    """The unit of the column of numbers that an item names, where the draft computes with it or groups by it."""
    measure = names.measure(item) if item.links else None
    column = names.column_of(measure) if measure is not None else None
    column = column or (names.dimension(item, DimensionType.NUMBER) if item.links else None)
    if column is None:
        return []
    metrics = [names.model.metric(m) for m in draft.metrics]
    home = (column.home.table, column.home.column)
    computed = any((m.table, (m.expression or "").strip("`")) == home for m in metrics)
    fields = {*draft.dimensions, *(f.field for f in draft.filters if not f.having)}
    if not computed and column.name not in fields:
        return []
    return [measure.unit if measure is not None else column.unit]
