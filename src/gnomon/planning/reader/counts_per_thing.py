"""How many things each other thing has: patients per doctor, where admissions tell who came to whom.

The number of all patients divided by that of all doctors says nothing of it: a patient may come to several.
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.parts import Filter
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.draft import Doubt, Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import plural

_PIECES = frozenset({"quantity", "quantities", "qty", "units", "pieces"})
_COUNTED = regex(r"count\((\w+) per (\w+) ((?:>=|<=|>|<|=) [\d.]+)\)")


def count_per_thing(draft: Draft, names: Names) -> None:
    """Put the average over things for a ratio of two counts that no rows connect; unexplained where none can."""
    draft.metrics = [_bounded(m, names) for m in draft.metrics]
    draft.filters = [_among(f, names) for f in draft.filters]
    for at, reference in enumerate(draft.metrics):
        over, sign, under = ratio_of(reference)
        if sign and (within := _within(over, under, names)) is not None:
            thing, owner = within
            draft.metrics[at] = names.per(names.model.metric(over), Aggregation.MEAN, owner)
            draft.notes.append(
                f"each {owner.label} is counted with the different {plural(thing.label)} it has"
            )
            _doubt_amounts(draft, thing, names)
            continue
        counts = [_rows(part, names) for part in (over, under)] if sign else []
        one, other = (counts + [None, None])[:2]
        if sign and one is None and not _have_to_do(over, under, names):
            draft.unexplained.append(f"per {names.model.metric(under).label.removeprefix('number of ')}")
            draft.metrics[at] = over
            continue
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
            draft.metrics[at] = reference if _have_to_do(over, under, names) else over


def _have_to_do(over: str, under: str, names: Names) -> bool:
    """Whether two tables tell of anything in common; the goals of players have no bearing on single matches."""
    model = names.model
    tables = [sorted(model.base_tables(model.metric(part.strip()))) for part in (over, under)]
    if any(len(t) != 1 for t in tables) or tables[0] == tables[1]:
        return True
    one, other = tables[0][0], tables[1][0]
    times = [model.table(t).time_dimension for t in (one, other)]
    days = [model.dimension(t).coverage if t is not None else None for t in times]
    first, second = days
    dated = first is not None and second is not None and first[0] <= second[1] and second[0] <= first[1]
    return dated or any(
        model.path(one, d) is not None and model.path(other, d) is not None for d in model.dimensions
    )


def ratio_of(reference: str) -> tuple[str, str, str]:
    """The two sides of a ratio and its sign; a sign inside of a column's name divides nothing."""
    over, sign, under = reference.partition(" / ")
    return (over, sign, under) if over.count("(") == over.count(")") else (reference, "", "")


def _within(over: str, under: str, names: Names) -> tuple[Dimension, Dimension] | None:
    """“products per order”, of order lines: the different values that each of the others has in the same rows."""
    model = names.model
    one, other = model.metric(over), model.metric(under)
    thing = names.column_of(one) if one.aggregation is Aggregation.COUNT_DISTINCT else None
    owner = (
        names.column_of(other) if other.aggregation is Aggregation.COUNT_DISTINCT else _key_of(other, names)
    )
    if thing is None or owner is None or owner == thing or one.where or other.where:
        return None
    rows = model.table(one.table or "")
    held = owner.at(rows.name) is not None and rows.key != (owner.at(rows.name),)
    return (thing, owner) if held and (one.expression or "").strip("`") == thing.at(rows.name) else None


def _key_of(count: Metric, names: Names) -> Dimension | None:
    plain = count.aggregation is Aggregation.COUNT and count.expression is None and count.table is not None
    return _key(count, names) if plain else None


def _doubt_amounts(draft: Draft, thing: Dimension, names: Names) -> None:
    """“items per order”, where a quantity says how many of each: neither different ones nor pieces for sure."""
    said = [x.text.lower() for _, x in draft.heard or () if names.dimension(x) == thing]
    amounts = [
        m for m in names.model.metrics if m.aggregation is Aggregation.SUM and m.table == thing.home.table
    ]
    pieces = [m for m in amounts if {*name_words(m.label)} & _PIECES]
    loose = [
        text for text in said if not {*map(stem, name_words(text))} & {*map(stem, name_words(thing.label))}
    ]
    if loose and pieces:
        draft.doubts.append(Doubt(loose[0], (f"different {plural(thing.label)}", pieces[0].label)))


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


def _among(given: Filter, names: Names) -> Filter:
    """“students who take more than five courses”: the different courses of each, where other rows tell of both."""
    count = _rows(given.field, names) if given.having and given.by else None
    owner = names.model.dimension(given.by) if count is not None and given.by else None
    things = _key(count, names) if count is not None else None
    if count is None or owner is None or things is None or names.model.reaches(count, owner):
        return given
    between = _between(things, owner, names)
    if len(between) != 1:
        return given
    rows = names.count_of_table(between[0].table or "")
    most = max((float(v) for v in given.values if isinstance(v, int | float)), default=0.0)
    # nobody books ten different classes of seven: the bookings are meant
    field = rows if most >= (things.distinct or most + 1) else between[0]
    return given.model_copy(update={"field": field.name})


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


def counted_thing(metric: Metric, names: Names) -> Dimension | None:
    """The things that a metric counts: the rows of their own list, or the different ones that other rows tell of."""
    if metric.table is None or metric.where or metric.inner is not None:
        return None
    if metric.aggregation is Aggregation.COUNT and metric.expression is None:
        return _key(metric, names)
    counted = names.column_of(metric) if metric.aggregation is Aggregation.COUNT_DISTINCT else None
    return counted if counted is not None and counted.type is DimensionType.ID else None


def seen_together(thing: Dimension, needed: Sequence[Dimension], names: Names) -> str | None:
    """“doctors who worked in the stroke unit”: those with rows that lead to both, nearest to the things."""
    model = names.model
    found: list[tuple[int, str]] = []
    for table in model.tables:
        ways = [model.path(table.name, d) for d in (thing, *needed)]
        if table.key != (thing.at(table.name),) and all(way is not None for way in ways):
            found.append((sum(len(way) for way in ways if way is not None), table.name))
    near = [t for far, t in found if far == min(found)[0]]
    return f"count({names.count_of_table(near[0]).name} per {thing.name} > 0)" if len(near) == 1 else None
