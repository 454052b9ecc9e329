"""How many things each other thing has: patients per doctor, where admissions tell who came to whom.

The number of all patients divided by that of all doctors says nothing of it: a patient may come to several.
"""

from __future__ import annotations

import re

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.semantic import Aggregation, Dimension, Metric

_COUNTED = re.compile(r"count\((\w+) per (\w+) ((?:>=|<=|>|<|=) [\d.]+)\)")


def count_per_thing(draft: Draft, names: Names) -> None:
    """Put the average over things for a ratio of two counts that no rows connect; unexplained where none can."""
    draft.metrics = [_bounded(m, names) for m in draft.metrics]
    for at, reference in enumerate(draft.metrics):
        over, sign, under = reference.partition(" / ")
        counts = [_rows(part, names) for part in (over, under)] if sign else []
        one, other = (counts + [None, None])[:2]
        if one is None or other is None or one.table == other.table:
            continue
        things, owners = _key(one, names), _key(other, names)
        if things is None or owners is None or names.model.reaches(one, owners):
            continue
        between = _between(things, owners, names)
        if len(between) == 1:
            draft.metrics[at] = names.per(between[0], Aggregation.MEAN, owners)
            draft.notes.append(
                f"each {owners.label} is counted with the different {things.label}s it has in the data"
            )
        else:
            draft.unexplained.append(f"per {owners.label}")


def _bounded(reference: str, names: Names) -> str:
    """“patients who saw more than one doctor”: the different doctors of each, where other rows tell of both."""
    match = _COUNTED.fullmatch(reference)
    count = _rows(match[1], names) if match is not None else None
    owned = match is not None and match[2] not in frozenset(TimeGranularity)
    owner = names.model.dimension(match[2]) if match is not None and owned and count is not None else None
    things = _key(count, names) if count is not None else None
    if match is None or count is None or owner is None or things is None or names.model.reaches(count, owner):
        return reference
    between = _between(things, owner, names)
    return f"count({between[0].name} per {owner.name} {match[3]})" if len(between) == 1 else reference


def _rows(reference: str, names: Names) -> Metric | None:
    """The count of the rows of a table that a reference names."""
    known = next((m for m in names.model.metrics if m.name == reference.strip()), None)
    plain = known is not None and known.aggregation is Aggregation.COUNT and known.expression is None
    return known if plain else None


def _key(count: Metric, names: Names) -> Dimension | None:
    key = names.model.table(count.table or "").key
    return names.at(count.table or "", key[0]) if len(key) == 1 else None


def _between(things: Dimension, owners: Dimension, names: Names) -> list[Metric]:
    """The counts of different things in the tables that point to both."""
    homes = {things.home.table, owners.home.table}
    held = [ref for ref in things.locations if ref.table not in homes]
    counts = [names.count_at(ref.table, ref.column) for ref in held]
    return [c for c in counts if names.model.reaches(c, owners)]
