"""Things that a table counts in one column and prices in another: “Sold” beside “Ticket (EUR)” tells of tickets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.data.column_kinds import Role
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.labels import lower_words
from gnomon.semantic.model import singular
from gnomon.semantic.per_table import once_per_table
from gnomon.semantic.units import measured
from gnomon.semantic.vocabulary import vocabulary

if TYPE_CHECKING:
    from gnomon.data import ColumnProfile, TableProfile

# Topics of WordNet's nouns: animals, things that are made, tickets and books, food, plants, substances.
_TANGIBLE = frozenset({5, 6, 10, 13, 20, 27})
_FEW_PRICES = 30
_SHARE = 0.2


@dataclass(frozen=True)
class SoldThing:
    """What is sold: its name, the column of how many, and that of what one of them costs."""

    name: str
    quantity: ColumnProfile
    price: ColumnProfile


@once_per_table
def sold_thing(table: TableProfile) -> SoldThing | None:
    """The thing that a table sells, where a column of money is called after it alone and another counts what was sold."""
    quantities = [c for c in table.columns if _is_quantity(c)]
    prices = [c for c in table.columns if c.role is Role.MONEY and _thing(c, table) is not None]
    if len(quantities) != 1 or len(prices) != 1:
        return None
    return SoldThing(_thing(prices[0], table) or "", quantities[0], prices[0])


def _is_quantity(column: ColumnProfile) -> bool:
    words = lower_words(column.name)
    said = words[-1:] == ["sold"] or " ".join(words) in vocabulary().phrases["quantity"]
    return said and column.role is Role.MEASURE


def _thing(column: ColumnProfile, table: TableProfile) -> str | None:
    """The one thing that a column of money is called after; fees and costs are money themselves."""
    words = measured(column.name).label.lower().split()
    known = vocabulary()
    if (
        len(words) != 1
        or singular(words[0]) != words[0]
        or words[0] in known.flows | known.intensive | known.stocks
    ):
        return None
    repeated = column.distinct <= max(_FEW_PRICES, _SHARE * table.rows) and column.distinct < table.rows / 2
    return words[0] if repeated and _is_tangible(words[0]) else None


def _is_tangible(noun: str) -> bool:
    """Whether a noun mostly means something that can be handed over."""
    lexicon = get_lexicon()
    senses = [s for s in lexicon.entry(noun).senses if s.part == "n"]
    return bool(senses) and lexicon.synset(max(senses, key=lambda s: s.share).synset).topic in _TANGIBLE
