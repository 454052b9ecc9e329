"""What the rows of a table may be called: a “pet name” in a table of animals says that they are pets; rain_mm says nothing."""

from __future__ import annotations

from gnomon.embedding.relations import Relation, relate
from gnomon.planning.reader.words import name_words
from gnomon.semantic import DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.model import singular
from gnomon.semantic.units import without_unit

_ALIKE = (Relation.SAME, Relation.KIND_OF, Relation.BROADER)
_USUAL = 0.15


def bearers(table: TableMeaning, model: SemanticModel) -> list[str]:
    """The nouns before “name” in columns of a table of things that mean such things, other than their label."""
    label = singular(table.label.split()[-1])
    things = [d for d in model.dimensions if d.home.table == table.name]
    if not any(d.type is DimensionType.ID and (d.home.column,) == table.key for d in things):
        return []
    names = [name_words(d.label) for d in things]
    nouns = [words[0] for words in names if len(words) == 2 and words[1] == "name" and words[0] != label]
    return [noun for noun in nouns if _are_such(noun, label)]


def _are_such(noun: str, label: str) -> bool:
    return any(r.relation in _ALIKE and r.said >= _USUAL and r.meant >= _USUAL for r in relate(noun, label))


def is_thing(name: str) -> bool:
    """Whether a name does not end in a unit."""
    return without_unit(name_words(name)) == name_words(name)
