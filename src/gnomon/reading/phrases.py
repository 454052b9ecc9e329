"""What the words of a question may stand for, place by place: columns, rows, values, numbers, days and closed words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gnomon.core.query import TimeRange
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word
from gnomon.reading.names import Names, spans
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.values import ValueMatch

DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "all",
        "any",
        "every",
        "their",
        "its",
        "his",
        "her",
        "our",
        "my",
        "this",
        "these",
        "those",
        "some",
        "of",
    ]
)
AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "does",
        "do",
        "did",
        "has",
        "have",
        "had",
        "having",
        "a",
        "an",
        "the",
        "of",
        "to",
        "as",
        "value",
        "its",
        "at",
    ]
)
WORST = 0.6
"""How much it may cost at most to believe that words name something."""
LEAST, SURE = 0.6, 0.8
_PLAIN = 0.05
_SURE = ("exact", "stem")


@dataclass(frozen=True)
class Named:
    """A column that words up to ``end`` name, and what it costs to believe so."""

    end: int
    column: Dimension
    cost: float


class Phrases:
    """The words of one question, with everything they may mean.

    Args:
        words: The words.
        items: What stretches of them may mean.
        model: Whose names.
        names: How they may be said.
    """

    def __init__(
        self, words: Sequence[Word], items: Sequence[Item], model: SemanticModel, names: Names
    ) -> None:
        self.words = words
        self.items = items
        self.model = model
        self._names = names
        self._low = [w.lower for w in words]
        self._named: dict[int, list[Named]] = {}
        self._at: defaultdict[int, list[Item]] = defaultdict(list)
        for item in items:
            self._at[item.start].append(item)

    def __len__(self) -> int:
        return len(self.words)

    def low(self, at: int) -> str:
        """The word at a place, in small letters; nothing behind the last."""
        return self.words[at].lower if 0 <= at < len(self.words) else ""

    def past(self, at: int, words: Collection[str]) -> int:
        """The first place from ``at`` on with none of ``words``."""
        while self.low(at) in words and self.low(at):
            at += 1
        return at

    def said(self, at: int, *phrases: str) -> int | None:
        """Where the longest of ``phrases`` ends that begins at ``at``."""
        ends = [
            at + len(p.split())
            for p in phrases
            if [self.low(at + i) for i in range(len(p.split()))] == p.split()
        ]
        return max(ends, default=None)

    def operator(self, at: int, *wanted: Op) -> Iterator[tuple[int, Any]]:
        """Closed words of some sort, with what they stand for, the longest first."""
        found = [
            (x.end, x.operator.payload)
            for x in self._at[at]
            if x.operator is not None and x.operator.op in wanted
        ]
        yield from sorted(found, key=lambda f: -f[0])

    def columns(self, at: int) -> list[Named]:
        """The columns that words from ``at`` on may name."""
        if at not in self._named:
            self._named[at] = self._columns(at)
        return self._named[at]

    def _columns(self, at: int) -> list[Named]:
        best: dict[tuple[int, str], Named] = {}

        counting = next(self.operator(at, Op.COUNT), None)  # “number of orders” is no order number

        def put(end: int, column: Dimension, cost: float) -> None:
            if counting is not None and (end <= counting[0] or self.low(at + 1) == "of"):
                return
            key = (end, column.name)
            if cost <= WORST and (key not in best or best[key].cost > cost):
                best[key] = Named(end, column, cost)

        if self.words[at : at + 1] and self.words[at].kind == "word":
            for end, said in spans(self._low, at):
                for column, cost in self._names.columns(said):
                    put(end, column, cost)
        if self.low(at + 1) == "of":  # “name of the artist”, for a column “artist name”
            behind = self.past(at + 2, DETERMINERS)
            for column, cost in (
                self._names.columns((self.low(behind), self.low(at))) if behind < len(self) else ()
            ):
                put(behind + 1, column, cost + 0.02)
        own = {end for end, _ in best}
        for item in self._at[at]:
            for link in item.links if item.end not in own else ():
                if link.kind is LinkKind.DIMENSION and not link.name.startswith("@") and link.quality >= SURE:
                    put(item.end, self.model.dimension(link.name), 1.5 * (1 - link.quality))
        return sorted(best.values(), key=lambda n: (n.cost, -n.end, n.column.name))

    def by_meaning(self, columns: Collection[str], tables: Collection[str]) -> Iterator[tuple[str, str]]:
        """Words that name one of some columns or tables only by what they mean, with its name."""
        for at in range(len(self)):
            for _, said in spans(self._low, at):
                if not self._names.is_meant(said):
                    continue
                named = [c.label for c, _ in self._names.columns(said) if c.name in columns]
                named += [self.model.table(t).label for t, _ in self._names.tables(said) if t in tables]
                if named:
                    yield " ".join(said), named[0]
                    break

    def sharing(self, at: int) -> list[Dimension]:
        """What a word names together with the last word of a name that is listed behind it."""
        joint = self.said(at + 1, "and", ", and", ",", "or", "&") if self.words[at].kind == "word" else None
        behind = self.columns(joint) if joint is not None else []
        return [
            c for n in behind if n.cost <= _PLAIN for c, cost in self.together(at, n.end) if cost <= _PLAIN
        ]

    def together(self, first: int, behind: int) -> list[tuple[Dimension, float]]:
        """What a word and the last word before ``behind`` name together: “first”, of “first and last name”."""
        return list(self._names.columns((self.low(first), self.low(behind - 1))))

    def is_state(self, at: int, named: Named) -> bool:
        """Whether one word says what has happened to the rows behind it, and asks for no column: cancelled orders."""
        happens = named.column.type in (DimensionType.TIME, DimensionType.BOOLEAN)
        said = happens and named.end == at + 1 and get_lexicon().is_participle(self.low(at))
        return said and bool(self.rows(named.end))

    def rows(self, at: int) -> list[tuple[int, str, float]]:
        """The tables whose rows words from ``at`` on may name, with where they end and what that costs."""
        found: dict[tuple[int, str], float] = {}
        for end, said in spans(self._low, at) if self.words[at : at + 1] else ():
            for table, cost in self._names.tables(said):
                found[end, table] = min(_PLAIN + cost, found.get((end, table), 9))
        for item in self._at[at]:
            if item.operator is not None and item.operator.op is Op.ROWS and len(self.model.tables) == 1:
                found[item.end, self.model.tables[0].name] = _PLAIN
            for link in item.links:
                if link.kind is LinkKind.TABLE and link.quality >= LEAST:
                    cost = _PLAIN + 1.5 * (1 - link.quality)
                    found[item.end, link.name] = min(cost, found.get((item.end, link.name), 9))
        return [(end, table, cost) for (end, table), cost in sorted(found.items())]

    def values(self, at: int) -> list[tuple[int, ValueMatch]]:
        """The values that words from ``at`` on name."""
        return [(x.end, v) for x in self._at[at] for v in x.values if v.kind in _SURE]

    def number(self, at: int) -> tuple[int, float] | None:
        """A plain number."""
        found = [
            x
            for x in self._at[at]
            if x.number is not None and x.number.relative is None and not x.number.percent
        ]
        best = max(found, key=lambda x: x.end, default=None)
        return (best.end, best.number.value) if best is not None and best.number is not None else None

    def days(self, at: int) -> list[tuple[int, TimeRange]]:
        """Days that words from ``at`` on name."""
        return [
            (x.end, x.time.period)
            for x in self._at[at]
            if x.time is not None
            and x.time.period is not None
            and x.time.kind in ("period", "open")
            and not x.time.note
        ]

    def literal(self, at: int) -> tuple[int, str] | None:
        """Words in quotes."""
        return next(((x.end, x.literal) for x in self._at[at] if x.literal is not None), None)

    def times(self) -> list[Dimension]:
        """The columns that say when the rows of the only table were, where there is one such."""
        table = self.model.tables[0] if len(self.model.tables) == 1 else None
        return (
            [self.model.dimension(table.time_dimension)] if table is not None and table.time_dimension else []
        )

    def superlatives(self, at: int) -> Iterator[tuple[int, Dimension, bool]]:
        """Adjectives that rank by a column of their own, with whether its large end is meant: “the oldest”."""
        ranked = self.low(at) in ("most", "least")  # “most expensive”
        for item in self._at[at + ranked]:
            meant = item.association
            if meant is None or meant.descending is None or not (ranked or meant.superlative):
                continue
            way = meant.descending is (self.low(at) != "least")
            yield from ((item.end, column, way) for column in self._associated(meant.nouns))

    def comparatives(self, at: int) -> Iterator[tuple[int, Dimension, bool]]:
        """Adjectives that compare a column of their own, up to behind “than”: “older than”."""
        for item in self._at[at]:
            meant = item.association
            if (
                meant is not None
                and meant.comparative
                and meant.descending is not None
                and self.low(item.end) == "than"
            ):
                yield from (
                    (item.end + 1, column, meant.descending) for column in self._associated(meant.nouns)
                )

    @cached_property
    def _own(self) -> list[Dimension]:
        """The columns of the tables that are spoken of; all of them where there is one table."""
        spoken = {t for at in range(len(self)) for _, t, _ in self.rows(at)}
        alone = len(self.model.tables) == 1
        return [d for d in self.model.dimensions if alone or d.home.table in spoken]

    def _associated(self, nouns: Sequence[str]) -> list[Dimension]:
        for noun in nouns:
            named = [d for d in self._own if noun in (d.label, *d.synonyms) or d.label.endswith(f" {noun}")]
            if named:
                return named if len(named) == 1 else []
        return []


def is_amount(column: Dimension) -> bool:
    """Whether numbers of many rows can be made one."""
    return is_number(column) and column.type is not DimensionType.ID


def is_number(column: Dimension) -> bool:
    """Whether a column holds numbers, be they amounts, years or codes."""
    return (
        column.type is DimensionType.NUMBER
        or column.numeric
        or (column.written is not None and column.type is DimensionType.TIME)
    )
