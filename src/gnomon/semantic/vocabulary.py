"""General English vocabulary of business and statistics, read once from the data file beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gnomon.core.safe_yaml import shipped_yaml


@dataclass(frozen=True)
class DurationNames:
    """What the time between two moments is called, by the words of their columns."""

    first: frozenset[str]
    last: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """Words with what they suggest about a column or table."""

    synonyms: tuple[tuple[str, ...], ...]
    short: dict[str, str]
    short_beside: dict[str, str]
    wider: dict[str, tuple[str, ...]]
    called: dict[str, frozenset[str]]
    intensive: frozenset[str]
    flows: frozenset[str]
    stocks: frozenset[str]
    lower_is_better: frozenset[str]
    higher_is_better: frozenset[str]
    nouns: dict[str, str]
    durations: tuple[DurationNames, ...]
    generic_columns: frozenset[str]
    opaque_tables: frozenset[str]
    row_words: tuple[str, ...]
    dealings: frozenset[str]
    counters: frozenset[str]
    business: dict[str, frozenset[str]]
    phrases: dict[str, tuple[str, ...]]
    id_prefixes: dict[str, str]

    def others(self, label: str) -> tuple[str, ...]:
        """Other names for ``label``, or for it with its last words replaced by other names."""
        found: list[str] = []
        for group in self.synonyms:
            for name in group:
                if label == name:
                    found += [g for g in group if g != name]
        found += self.wider.get(label, ())
        return tuple(dict.fromkeys(found))


_PHRASES = ("unit_price", "quantity", "cost", "unit_cost", "sessions", "orders")


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary that ships with the package."""
    data: dict[str, Any] = shipped_yaml(Path(__file__).with_suffix(".yaml"))

    def words(key: str) -> frozenset[str]:
        return frozenset(data[key].split())

    return Vocabulary(
        synonyms=tuple(tuple(group) for group in data["synonyms"]),
        short=dict(data["short"]),
        short_beside=dict(data["short_beside"]),
        wider={name: tuple(words) for name, words in data["wider"].items()},
        called={thing: frozenset(text.split()) for thing, text in data["called"].items()},
        intensive=words("intensive"),
        flows=words("flows"),
        stocks=words("stocks"),
        lower_is_better=words("lower_is_better"),
        higher_is_better=words("higher_is_better"),
        nouns=dict(data["nouns"]),
        durations=tuple(
            DurationNames(frozenset(d["from"]), frozenset(d["to"]), tuple(d["names"]))
            for d in data["durations"]
        ),
        generic_columns=words("generic_columns"),
        opaque_tables=words("opaque_tables"),
        row_words=tuple(data["row_words"]),
        dealings=words("dealings"),
        counters=words("counters"),
        id_prefixes={p: thing for thing, known in data["id_prefixes"].items() for p in known.split()},
        business={side: frozenset(text.split()) for side, text in data["business"].items()},
        phrases={key: tuple(data[key]) for key in _PHRASES}
        | {key: tuple(data[key].split()) for key in ("revenue", "profit", "margin", "sale_amount")},
    )
