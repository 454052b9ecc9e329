"""A semantic model for tables never seen before, inferred from their profile."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from gnomon.data import DatasetProfile, JoinCandidate, Role, TableProfile
from gnomon.semantic.date_parts import with_parts_beside
from gnomon.semantic.hierarchy import with_parents, with_properties
from gnomon.semantic.infer_derived import formula_metrics, row_derived
from gnomon.semantic.infer_dimensions import infer_dimensions
from gnomon.semantic.infer_funnel import funnel_metrics
from gnomon.semantic.infer_metrics import table_metrics
from gnomon.semantic.infer_tables import infer_tables, main_time
from gnomon.semantic.labels import lower_words
from gnomon.semantic.measures import is_measure
from gnomon.semantic.model import (
    Aggregation,
    Dimension,
    DimensionType,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
    plural,
    singular,
)
from gnomon.semantic.open_ends import with_open_ends
from gnomon.semantic.reread import reread
from gnomon.semantic.roles import with_parts
from gnomon.semantic.spread import spread_metrics
from gnomon.semantic.units import heads_of, measured

if TYPE_CHECKING:
    from gnomon.data import Dataset

_SURE = 0.5
_KINDS = 50
_LINES = frozenset({"item", "line", "detail", "position", "entry"})


def infer_model(profile: DatasetProfile, dataset: Dataset | None = None) -> SemanticModel:
    """Metrics, dimensions, joins and their names, from what the profile says of the columns.

    Args:
        profile: What the tables hold.
        dataset: The tables themselves, to find hierarchies by looking at the values.
    """
    profile = reread(profile, dataset)
    tables = infer_tables(profile)
    dimensions = with_parts_beside(infer_dimensions(profile, tables), profile, dataset)
    dimensions = with_open_ends(dimensions, dataset)
    if dataset is not None:
        dimensions = with_properties(with_parents(dimensions, dataset), dataset)
    joins = _joins(profile)
    tables = _dated_by_whole(_with_times(tables, dimensions, profile), joins, dimensions)
    return SemanticModel(
        tables=tuple(tables.values()),
        metrics=tuple(_metrics(profile, tables, dataset)),
        dimensions=tuple(with_parts(dimensions, joins)),
        joins=joins,
    )


def _with_times(
    tables: dict[str, TableMeaning], dimensions: list[Dimension], profile: DatasetProfile
) -> dict[str, TableMeaning]:
    at = {(r.table, r.column): d.name for d in dimensions for r in d.locations}
    timed: dict[str, TableMeaning] = {}
    for name, meaning in tables.items():
        column = main_time(profile.table(name))
        timed[name] = meaning.model_copy(update={"time_dimension": at[name, column]}) if column else meaning
    return timed


def _dated_by_whole(
    tables: dict[str, TableMeaning], joins: tuple[Join, ...], dimensions: list[Dimension]
) -> dict[str, TableMeaning]:
    """Parts without a date of their own happened when the whole did: order items on the day of the order."""
    dated = dict(tables)
    for part in tables.values():
        wholes = [tables[j.to_table] for j in joins if j.table == part.name]
        wholes = [w for w in wholes if w.time_dimension is not None]
        named = [w for w in wholes if w.label in part.label.split()[:-1]]
        lines = wholes if part.label.split()[-1] in _LINES else []
        halves = [w for w in wholes if any((j.table, j.to_table) == (w.name, part.name) for j in joins)]
        found = named or lines or halves or [w for w in wholes if _is_event(w)]
        found = found or [w for w in wholes if _is_record(w, joins, dimensions)]
        if part.time_dimension is None and len(found) == 1:
            dated[part.name] = part.model_copy(update={"time_dimension": found[0].time_dimension})
    return dated


_NAMES = 0.8  # of values to rows: a column that tells rows apart is what they are called
_MOMENT = frozenset({"date", "day", "dt", "on", "at", "time", "timestamp", "datetime", "year", "month"})


def _is_event(whole: TableMeaning) -> bool:
    """Whether rows happen on their date: a sale on the ``sale_date``; a product is no launch, whatever its launch date."""
    words = lower_words((whole.time_dimension or "").rpartition(".")[2])
    plain = [w for w in words if w not in _MOMENT]
    return plain == whole.label.lower().split()[-1:] or (not plain and bool(words))


def _is_record(whole: TableMeaning, joins: tuple[Join, ...], dimensions: list[Dimension]) -> bool:
    """Whether rows tell what happened between things, as a trip of a vessel to a port does: things themselves have names."""
    held = [d for d in dimensions if d.home.table == whole.name]
    names = [d for d in held if d.type in (DimensionType.TEXT, DimensionType.CATEGORY)]
    named = any((d.distinct or 0) >= _NAMES * (whole.rows or 0) or d.personal for d in names)
    return not named and any(j.table == whole.name for j in joins)


def _metrics(
    profile: DatasetProfile, tables: dict[str, TableMeaning], dataset: Dataset | None
) -> list[Metric]:
    entities = frozenset(m.label for m in tables.values() if m.label != "row")
    found: list[Metric] = []
    for table in profile.tables:
        meaning = tables[table.name]
        own = spread_metrics(table, table_metrics(table, meaning, profile, entities))
        own += row_derived(table, own, dataset)
        about = {"business_dimension": meaning.business_dimension, "time_dimension": meaning.time_dimension}
        found += [m.model_copy(update=about) for m in own]
    found = _with_heads(_with_unit_names(_without_stolen_names(_unique(found, tables))))
    found += [m for m in formula_metrics(found, tables) if all(m.name != f.name for f in found)]
    return found + funnel_metrics(found)


def _with_unit_names(metrics: list[Metric]) -> list[Metric]:
    """What is measured in a unit that nothing else is measured in answers to its name: kWh, square metres."""
    called = {m.name: measured(m.expression.strip("`")) for m in metrics if m.expression and m.table}
    times = Counter(c.unit for c in called.values() if c.called)
    own = {n: c.called for n, c in called.items() if times[c.unit] == 1}
    taken = {n for m in metrics for n in (m.label, *m.synonyms)}
    return [
        m.model_copy(update={"synonyms": (*m.synonyms, *new)})
        if (new := [s for c in own.get(m.name, ()) for s in dict.fromkeys((c, plural(c))) if s not in taken])
        else m
        for m in metrics
    ]


def _with_heads(metrics: list[Metric]) -> list[Metric]:
    """A name that only its unit completes is also said in full: ``peak_kw`` is the peak load, unless that is another."""
    called = {m.name: measured(m.expression.strip("`")) for m in metrics if m.expression and m.table}
    taken = {w for m in metrics for n in (m.label, *m.synonyms) for w in n.split()}
    taken |= {w for c in called.values() for w in c.label.split()}
    found: list[Metric] = []
    for m in metrics:
        own = called.get(m.name)
        heads = [h for h in heads_of(own.unit) if h not in taken] if own is not None and own.label else []
        bare = own is not None and lower_words((m.expression or "").strip("`")) != own.label.split()
        new = [f"{own.label} {h}" for h in heads] if own is not None and bare else []
        found.append(m.model_copy(update={"synonyms": (*m.synonyms, *new)}) if new else m)
    return found


def _unique(metrics: list[Metric], tables: dict[str, TableMeaning]) -> list[Metric]:
    """One name for each: a count gives way to a column, a later table puts its own name before."""
    kept: dict[str, Metric] = {}
    for m in metrics:
        held = kept.get(m.name)
        if held is not None and held.table == m.table and held.aggregation is Aggregation.COUNT:
            kept[f"{m.name}_count"] = held.model_copy(update={"name": f"{m.name}_count"})
            del kept[m.name]
        elif held is not None:
            name, n = f"{m.table}_{m.name}", 1
            while name in kept:
                n += 1
                name = f"{m.table}_{m.name}_{n}"
            said = (
                m.label
                if held.table == m.table
                else f"{m.label} ({_told_apart(tables[m.table or ''], tables)})"
            )
            more = m.synonyms if said == m.label else (*m.synonyms, m.label)
            m = m.model_copy(update={"name": name, "synonyms": more, "label": said})
        kept[m.name] = m
    return list(kept.values())


def _told_apart(table: TableMeaning, tables: dict[str, TableMeaning]) -> str:
    """What its rows are called, or its own name where others are called so too, or nothing calls them."""
    alone = sum(t.label == table.label for t in tables.values()) == 1
    return table.label if alone and table.label != "row" else table.name


def _without_stolen_names(metrics: list[Metric]) -> list[Metric]:
    """A count of rows does not answer to a word that names a sum or a rate: "sales" is money where there is any."""
    owned = {
        singular(n) for m in metrics if m.aggregation is not Aggregation.COUNT for n in (m.label, *m.synonyms)
    }
    taken = {m.name for m in metrics}
    kept: list[Metric] = []
    for m in metrics:
        if m.aggregation is Aggregation.COUNT:
            synonyms = tuple(s for s in m.synonyms if singular(s) not in owned)
            stolen = singular(m.name.replace("_", " ")) in owned and f"{m.name}_count" not in taken
            name = f"{m.name}_count" if stolen else m.name
            kept.append(m.model_copy(update={"synonyms": synonyms, "name": name}))
        else:
            kept.append(m)
    return kept


def _describes_days(table: TableProfile, day: str) -> bool:
    """Whether a table has one row for each day that says what kind of day it was, such as a holiday or rain."""
    if not any(k.columns == (day,) for k in table.keys):
        return False
    measured = [c for c in table.columns if is_measure(c)]
    kinds = [c for c in table.columns if c.role in (Role.CATEGORY, Role.BOOLEAN) and 1 < c.distinct < _KINDS]
    return not measured or bool(kinds)


def _joins(profile: DatasetProfile) -> tuple[Join, ...]:
    """Many-to-one joins, one for each column and table it leads to, the surest first.

    By a moment, only what days are like is looked up: figures of the same day are compared, not joined.
    """
    best: dict[tuple[str, str, str], JoinCandidate] = {}
    for j in sorted(profile.joins, key=lambda j: -j.confidence):
        timed = profile.table(j.table).column(j.column).role is Role.TIME
        calendar = _describes_days(profile.table(j.to_table), j.to_column)
        if j.confidence >= _SURE and (calendar or not timed):
            best.setdefault((j.table, j.column, j.to_table), j)
    for j in list(best.values()):
        if j.kind == "one-to-one":  # rows that belong together in pairs are looked up from either side
            back = replace(j, table=j.to_table, column=j.to_column, to_table=j.table, to_column=j.column)
            best.setdefault((back.table, back.column, back.to_table), back)
    return tuple(
        Join(table=j.table, column=j.column, to_table=j.to_table, to_column=j.to_column)
        for j in best.values()
    )
