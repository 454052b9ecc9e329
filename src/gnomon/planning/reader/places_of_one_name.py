"""Several places of one name: Washington County lies in Oregon and in Ohio, and the two are never added up in silence."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.where_things_are import is_place_noun
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex

_K = QuestionKind
_F = FilterOperator
_WRITTEN = frozenset({"name", "id", "code", "abbr", "abbreviation", "iso"})
_GROUPED = (_K.BREAKDOWN, _K.RANKING, _K.LIST)
_BOUND = late_pattern(r"count\((\w+) per ([\w.]+) (>=|<=|>|<|=) (-?[\d.]+)\)")


def tell_places(draft: Draft, names: Names, index: ValueIndex) -> None:
    """Tell places of one name apart by the wider place that they lie in, or say that they are taken together."""
    for name in index.apart:
        wider = _wider(name, names, index)
        fixed = {f.field for f in (*draft.filters, *draft.part) if f.operator is _F.EQUALS}
        if wider is None or wider.name in fixed | {*draft.dimensions}:
            continue
        place = names.model.dimension(name)
        split = index.apart[name][wider.name]
        said = [
            v for f in (*draft.filters, *draft.part) if f.field == name for v in f.values if v in split.names
        ]
        reached = all(names.model.reaches(names.model.metric(m), wider) for m in draft.metrics)
        plain = draft.kind in (None, _K.VALUE) and draft.comparison is None and draft.grain is None
        if said and plain and not draft.dimensions and draft.metrics and reached:
            if len({*said}) > 1:
                draft.add_dimension(name)
            draft.add_dimension(wider.name)
            draft.kind = _K.BREAKDOWN
            several = f"several {plural(_noun(place))} are called {said[0]}"
            draft.notes.append(f"{several}; each is told by its {_noun(wider)}")
        elif name in draft.dimensions and draft.kind in _GROUPED and draft.metrics and reached:
            draft.add_dimension(wider.name)
            # a bound on each city is one on each city of a state
            draft.filters = [
                f.model_copy(update={"by": None}) if f.having and f.by == name else f for f in draft.filters
            ]
            if draft.kind is _K.LIST:
                draft.filters.append(Filter(field=name, operator=_F.NOT_NULL))
            draft.notes.append(f"{plural(_noun(place))} of one name are told apart by their {_noun(wider)}")
        elif name in draft.dimensions or said:
            draft.notes.append(
                f"{plural(_noun(place))} of one name in different {plural(_noun(wider))} are taken together"
            )
        _count(draft, place, wider, names, index)


def _count(draft: Draft, place: Dimension, wider: Dimension, names: Names, index: ValueIndex) -> None:
    """Count the rows where each is a place of its own; names alone would be too few."""
    table = names.model.table(place.home.table)
    each = (table.rows or 0) <= 1.05 * index.apart[place.name][wider.name].pairs
    rows = names.count_of_table(table.name).name
    for at, reference in enumerate(draft.metrics):
        bound = _BOUND.fullmatch(reference)
        metric = names.model.metric(reference)
        if bound is not None and bound[2] == place.name:
            column = names.column_of(names.model.metric(bound[1]))
            if not each and len(draft.metrics) == 1 and not draft.dimensions:
                given = Filter(field=bound[1], operator=_F(bound[3]), values=(float(bound[4]),), having=True)
                draft.kind, draft.metrics, draft.dimensions = _K.LIST, [bound[1]], [place.name, wider.name]
                draft.filters += [given, Filter(field=place.name, operator=_F.NOT_NULL)]
                draft.notes.append(
                    f"{plural(_noun(place))} of one name are told apart by their {_noun(wider)}"
                )
                return
            if each and column is not None:
                draft.metrics[at] = rows
                given = Filter(field=column.name, operator=_F(bound[3]), values=(float(bound[4]),))
                draft.filters.append(given)
        elif metric.aggregation is not Aggregation.COUNT_DISTINCT or names.column_of(metric) != place:
            continue
        elif each:
            draft.metrics[at] = rows
        shared = f"some names are those of {plural(_noun(place))} in several {plural(_noun(wider))}"
        draft.notes.append(f"{shared}; each row is counted" if each else f"{shared}, and are counted once")


def _wider(name: str, names: Names, index: ValueIndex) -> Dimension | None:
    """The place that holds places of that name: of several the finest."""
    place = names.model.dimension(name)
    if not is_place_noun(_noun(place)):
        return None
    found = [(split.pairs, names.model.dimension(w)) for w, split in index.apart[name].items()]
    found = [(pairs, d) for pairs, d in found if is_place_noun(_noun(d)) and _of_one(place, d)]
    return max(found, key=lambda x: x[0])[1] if found else None


def _noun(dimension: Dimension) -> str:
    words = [w for w in name_words(dimension.label) if w not in _WRITTEN]
    return words[-1] if words else dimension.label


def _of_one(place: Dimension, wider: Dimension) -> bool:
    """Whether both speak of the same thing: a customer's city and state, not a city and the destination country."""
    own, other = ({*name_words(d.label)} - _WRITTEN - {_noun(d)} for d in (place, wider))
    return not other or own == other
