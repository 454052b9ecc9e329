"""A few questions with their queries, made from the names of the data at hand: they show the form, and no value."""

from __future__ import annotations

from gnomon.planning.model_reader.card import Card
from gnomon.semantic import Dimension, DimensionType, SemanticModel

_GROUPS = (DimensionType.CATEGORY, DimensionType.BOOLEAN)


def examples(card: Card, model: SemanticModel) -> str:
    """Queries over the table that has most to show, and over a join where there is one.

    Args:
        card: How tables and columns are shown.
        model: What they mean.
    """
    made = [
        *max((_of_table(card, model, t.name) for t in model.tables), key=len, default=[]),
        *_of_join(card, model),
    ]
    return "Examples with these names\n" + "\n".join(f"  {line}" for line in made) if made else ""


def _of_table(card: Card, model: SemanticModel, table: str) -> list[str]:
    group, number, day = (
        _first(model, table, *kinds) for kinds in (_GROUPS, (DimensionType.NUMBER,), (DimensionType.TIME,))
    )
    of, made = card.shown(table), list[str]()
    if group is not None and number is not None:
        g, n = card.shown(group), card.shown(number)
        made.append(
            f"the {_said(g)} with the highest average {_said(n)} → "
            f"SELECT {g}, AVG({n}) AS average FROM {of} GROUP BY {g} ORDER BY average DESC LIMIT 1"
        )
    if day is not None:
        d = card.shown(day)
        made.append(
            f"how many by month → SELECT DATE_TRUNC('month', {d}) AS month, COUNT(*) FROM {of} GROUP BY month ORDER BY month"
        )
    if group is not None:
        g = card.shown(group)
        made.append(
            f"what share is VALUE1 → SELECT COUNT(*) FILTER (WHERE {g} = :VALUE1) / COUNT(*) FROM {of}"
        )
    return made


def _of_join(card: Card, model: SemanticModel) -> list[str]:
    for join in model.joins:
        group = _first(model, join.to_table, DimensionType.CATEGORY)
        if group is not None and join.table != join.to_table:
            one, other, g = card.shown(join.table), card.shown(join.to_table), card.shown(group)
            on = f"{one}.{card.shown(join.column)} = {other}.{card.shown(join.to_column)}"
            return [
                f"how many {_said(one)} by {_said(g)} → "
                f"SELECT {other}.{g}, COUNT(*) FROM {one} JOIN {other} ON {on} GROUP BY {other}.{g}"
            ]
    return []


def _first(model: SemanticModel, table: str, *kinds: DimensionType) -> str | None:
    """The first column of a table that holds such a thing; times only where they are written as such."""

    def fits(d: Dimension) -> bool:
        return d.type in kinds and d.via is None and d.written is None and not d.personal

    return next((c for d in model.dimensions if fits(d) and (c := d.at(table)) is not None), None)


def _said(name: str) -> str:
    return name.strip('"').replace("_", " ")
