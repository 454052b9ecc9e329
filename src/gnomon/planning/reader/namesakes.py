"""Several things of one name: what is asked of a name that two persons have is told of each, and never added up."""

from __future__ import annotations

from gnomon.core.request import FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.semantic import Dimension
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex


def tell_namesakes(draft: Draft, names: Names, index: ValueIndex) -> None:
    """Break a figure down by what tells the things apart that share the name in question."""
    plain = draft.kind in (None, QuestionKind.VALUE) and not draft.dimensions and draft.grain is None
    if not plain or not draft.metrics or draft.comparison is not None:
        return
    for given in draft.filters:
        held = index.namesakes.get(given.field, frozenset())
        shared = [v for v in given.values if v in held]
        if given.operator is not FilterOperator.EQUALS or not shared:
            continue
        key = _key(names.model.dimension(given.field), names)
        metrics = [names.model.metric(m) for m in draft.metrics]
        if key is None or not all(names.model.reaches(m, key) for m in metrics):
            continue
        if any(m.table == key.home.table and m.name == names.count_of_dimension(key).name for m in metrics):
            continue  # how many are called so
        draft.add_dimension(key.name)
        draft.kind = QuestionKind.BREAKDOWN
        draft.notes.append(f"several {plural(key.label)} are called {shared[0]}; each is told by itself")
        return


def _key(name: Dimension, names: Names) -> Dimension | None:
    key = names.model.table(name.home.table).key
    return names.at(name.home.table, key[0]) if len(key) == 1 else None
