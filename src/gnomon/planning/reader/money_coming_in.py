"""What “earns”, “brings in” and “money” mean where nothing is called revenue or sales."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Direction, Metric, SemanticModel
from gnomon.semantic.money_units import is_money

_GOING_OUT = frozenset(
    {"cost", "costs", "expense", "expenses", "discount", "refund", "tax", "fine", "debt", "loss", "salary", "wage", "budget"}
)  # fmt: skip


# Words of a name that say that it is all of what was paid, and those for what was dealt.
_WHOLE = frozenset({"total", "bill", "amount", "spend", "spent", "paid"})
_DEALT = vocabulary("bill order invoice check receipt basket purchase sale sales booking ticket")


def is_whole(label: str) -> bool:
    """Whether a name says that it is all of what was paid, and no part of it: the total of a bill, an amount."""
    return bool(_WHOLE & {*name_words(label)})


def is_bill(label: str) -> bool:
    """Whether a name is that of what somebody had to pay in all, whatever its unit."""
    words = name_words(label)
    return words[-1:] == ("bill",) or (
        words[-1:] != () and words[-1] in _WHOLE and bool(_DEALT & {*words[:-1]})
    )


def money_coming_in(model: SemanticModel) -> list[Metric]:
    """The one amount of money that adds up (a fee, a charge, a bill before its tip), where it is no cost; else nothing."""
    sums = [
        m for m in model.metrics if m.aggregation is Aggregation.SUM and m.formula is None and m.inner is None
    ]
    held = [m for m in sums if is_money(m.unit)] or [m for m in sums if is_bill(m.label)]
    whole = [m for m in held if is_whole(m.label)]
    held = whole if len(whole) == 1 else held
    if len(held) != 1 or held[0].direction is Direction.LOWER_IS_BETTER:
        return []
    return [] if _GOING_OUT & {*name_words(held[0].label)} else held
