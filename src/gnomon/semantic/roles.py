"""What a table says of each part that it plays for another: the city of the origin, the name of the end station."""

from __future__ import annotations

from gnomon.semantic.labels import entity_of, label_of, table_entity
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, Join
from gnomon.semantic.paths import parts_played

_SAID = frozenset({DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.ID, DimensionType.TEXT})
_MOST = 12


def with_parts(
    dimensions: list[Dimension],
    joins: tuple[Join, ...],
) -> list[Dimension]:
    """The dimensions, and one for each column of a table and each of the several columns that lead to it.

    Args:
        dimensions: One for each column, or for columns that hold the same.
        joins: What leads where.
    """
    taken = {d.name for d in dimensions}
    found = list(dimensions)
    for join in parts_played(joins):
        part = _part(join)
        name = next((d for d in dimensions if str(d.home) == _naming(join, dimensions)), None)
        held = [
            d for d in dimensions if d.type in _SAID and d.at(join.to_table) not in (None, join.to_column)
        ]
        for dimension in held[:_MOST]:
            column = dimension.at(join.to_table)
            assert column is not None, "it was chosen for being there"
            label = part if dimension is name else f"{part} {_bare(column, join.to_table)}"
            made = _as_part(dimension, label, ColumnRef(table=join.to_table, column=column), join)
            if made.name not in taken:
                taken.add(made.name)
                found.append(made)
        if name is not None:
            found = [
                _numbered(d, part, taken) if str(d.home) == f"{join.table}.{join.column}" else d
                for d in found
            ]
    return found


def _part(join: Join) -> str:
    """What the part is called: ``start_station_id`` the start station, ``ORIGIN`` the origin."""
    return (entity_of(join.column) or label_of(join.column)).lower()


def _naming(join: Join, dimensions: list[Dimension]) -> str:
    """The column that names the things of the table that a join leads to."""
    keys = (d for d in dimensions if d.at(join.to_table) == join.to_column and d.label_at is not None)
    return next((str(d.label_at) for d in keys), "")


def _bare(column: str, table: str) -> str:
    """A column's name without the word for the table's things: ``station_name`` is the name."""
    label, thing = label_of(column), table_entity(table) or ""
    return label.removeprefix(f"{thing} ")


def _as_part(dimension: Dimension, label: str, ref: ColumnRef, join: Join) -> Dimension:
    plain = (dimension.label, *dimension.synonyms)
    return dimension.model_copy(
        update={
            "name": f"{join.table}.{join.column}.{ref.column}",
            "label": label,
            "locations": (ref,),
            "via": ColumnRef(table=join.table, column=join.column),
            "synonyms": tuple(
                dict.fromkeys((f"{_part(join)} {label_of(ref.column)}", *_briefly(join, ref), *plain))
            ),
            "label_at": None,
            "parent": None,
        }
    )


def _briefly(join: Join, ref: ColumnRef) -> list[str]:
    """The start district, for the district of the start station."""
    short = _part(join).removesuffix(f" {table_entity(join.to_table)}")
    return [f"{short} {_bare(ref.column, ref.table)}"] if short != _part(join) else []


def _numbered(dimension: Dimension, part: str, taken: set[str]) -> Dimension:
    """The identifier itself, which gives its name to what names the thing."""
    synonyms = tuple(s for s in dimension.synonyms if s not in (part, f"{part}s"))
    told = {"label": f"{part} id", "synonyms": synonyms}
    name = f"{dimension.name}_id"
    if label_of(dimension.name).lower() == part and name not in taken:
        told["name"] = name
    return dimension.model_copy(update=told)
