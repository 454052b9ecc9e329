"""Several things of one name: what is asked of a name that two persons have is told of each, and never added up."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.patterns import regex
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.people import is_person_noun, named_by
from gnomon.semantic import Dimension
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex

_PER = regex(r"(?<= per )\w+")


def tell_namesakes(draft: Draft, names: Names, index: ValueIndex) -> None:
    """Break a figure down by what tells the things apart that share a name: that in question, or any of a group."""
    _take_keys(draft, names, index)
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


def _take_keys(draft: Draft, names: Names, index: ValueIndex) -> None:
    """“members with more than ten loans”, “loans by member”: a member is a key, and two of one name are two.

    Of the things themselves a name is a group: “the most common name of a pet”.
    """
    model = names.model
    keys = {
        n: key
        for n, shared in index.namesakes.items()
        if (key := _key(model.dimension(n), names)) is not None
        and (
            is_person_noun(named_by(model.dimension(n).label))
            or 2 * len(shared) <= (model.dimension(n).distinct or 0)
        )
    }  # a title that most courses share is a kind of course; two persons are two, however many are called so

    def key_of(name: str | None, *measured: str) -> Dimension | None:
        tables = {t for m in measured for t in model.base_tables(model.metric(m))}
        key = keys.get(name or "")
        return key if key is not None and key.home.table not in tables else None

    def keyed(given: Filter) -> Filter:
        key = key_of(given.by, given.field) if given.by in keys else None
        return given.model_copy(update={"by": key.name}) if key is not None else given

    for at, reference in enumerate(draft.metrics):
        for name in [n for n in _PER.findall(reference) if (key := key_of(n, reference)) is not None]:
            draft.metrics[at] = reference.replace(f" per {name}", f" per {keys[name].name}")
    parted = {f.by for f in draft.part if f.by in keys and keyed(f) != f}
    draft.filters, draft.part = ([keyed(f) for f in given] for given in (draft.filters, draft.part))
    for name in sorted(n for n in parted if n):
        different = f"count_distinct({model.dimension(name).home})"
        rows = names.count_of_table(keys[name].home.table).name
        draft.metrics = [rows if m == different else m for m in draft.metrics]
    for name in [d for d in draft.dimensions if (key := key_of(d, *draft.metrics)) is not None]:
        key = keys[name]
        if key.name not in draft.dimensions and all(
            model.reaches(model.metric(m), key) for m in draft.metrics
        ):
            at, named = draft.dimensions.index(name), model.dimension(name)
            alike = key.label_at == named.home and key.label == named.label  # the name is told with its key
            draft.dimensions[at : at + 1] = [key.name] if alike else [name, key.name]
            things = plural(model.table(key.home.table).label)
            draft.notes.append(f"some {things} have the same name; each is told by itself")


def _key(name: Dimension, names: Names) -> Dimension | None:
    key = names.model.table(name.home.table).key
    return names.at(name.home.table, key[0]) if len(key) == 1 else None
