"""What “earns”, “brings in” and “money” mean where nothing is called revenue or sales."""

from __future__ import annotations

from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Direction, Metric, SemanticModel
from gnomon.semantic.money_units import is_money

_GOING_OUT = frozenset(
    {"cost", "costs", "expense", "expenses", "discount", "refund", "tax", "fine", "debt", "loss", "salary", "wage", "budget"}
)  # fmt: skip


def money_coming_in(model: SemanticModel) -> list[Metric]:
    """The one amount of money that adds up (a fee, a charge), where it is no cost; nothing where there are two."""
    money = [m for m in model.metrics if is_money(m.unit) and m.aggregation is Aggregation.SUM]
    held = [m for m in money if m.formula is None and m.inner is None]
    if len(held) != 1 or held[0].direction is Direction.LOWER_IS_BETTER:
        return []
    return [] if _GOING_OUT & {*name_words(held[0].label)} else held
