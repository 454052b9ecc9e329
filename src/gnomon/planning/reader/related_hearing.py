"""A question about columns, word by word: which columns are named, what is only talk, and what narrows the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from gnomon.planning.reader.headings import Headings
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.lattice import Item, best_cover
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import FILLERS, Op
from gnomon.planning.reader.related_words import BOUNDS, GROUPING, JOINTS, RELATIVE
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import Word, fold, name_words, root, stem
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.units import is_unit
from gnomon.semantic.values import ValueIndex

_SURE = 0.6
_ALIKE = 0.02
_PLACES = frozenset({"dataset", "data", "table", "file", "csv", "dataframe", "sheet", "database"})


@dataclass(frozen=True)
class Mention:
    """Words [start, end) that name a column, or several that fit alike."""

    start: int
    end: int
    columns: tuple[Dimension, ...]
    text: str


@dataclass
class Heard:
    """A question, word by word.

    Attributes:
        mentions: The columns that are named, in order.
        rows: Words that say what rows are.
        strange: Words that are neither names nor talk.
        told: Those of them that are values, times or numbers.
        counted: Whether something is named that is counted or computed rather than held in a column.
    """

    words: Sequence[Word]
    mentions: list[Mention] = field(default_factory=list[Mention])
    rows: set[int] = field(default_factory=set[int])
    strange: set[int] = field(default_factory=set[int])
    told: set[int] = field(default_factory=set[int])
    counted: list[str] = field(default_factory=list[str])

    def within(self, start: int, end: int) -> list[Mention]:
        """The columns that are named by words [start, end)."""
        return [m for m in self.mentions if start <= m.start and m.end <= end]

    def text(self, start: int, end: int) -> str:
        """Words [start, end) as they were meant."""
        return " ".join(
            w.text if fold(w.text) == w.lower or w.kind != "word" else w.lower for w in self.words[start:end]
        )


@dataclass(frozen=True)
class Segment:
    """Words [start, end) of a sentence; ``lead`` is the word that opens it where that may narrow the rows."""

    start: int
    end: int
    lead: str | None = None
    head: bool = False


class Hearing:
    """Hears questions about columns.

    Args:
        names: The names of the model.
        index: The values of the data.
        headings: The columns by what stands above them.
    """

    def __init__(self, names: Names, index: ValueIndex, headings: Headings) -> None:
        self.names = names
        self.index = index
        self.headings = headings

    def hear(
        self,
        question: str,
        words: Sequence[Word],
        today: date,
        talk: frozenset[str],
        said: Callable[[int, int], bool],
    ) -> Heard:
        """The words by what they are.

        Args:
            question: As it was asked.
            words: Its words.
            today: What relative times refer to.
            talk: Words that carry no content in such a question.
            said: Whether the characters from one place to another say something that was read already.
        """
        heard = Heard(words)
        items = candidate_items(question, words, self.names.vocabulary, self.index, today)
        cover, _ = best_cover(words, self.headings.over(items, words))
        held: dict[int, Item] = {}
        for item in cover:
            held |= dict.fromkeys(range(item.start, item.end), item)
            self._name(item, heard)
        self._explain(heard)
        named = {i for m in heard.mentions for i in range(m.start, m.end)}
        idle = {
            i for item in cover if self._is_figure(item, words, named) for i in range(item.start, item.end)
        }
        for i, word in enumerate(words):
            if (
                i in idle
                or i in named
                or i in heard.rows
                or said(word.start, word.end)
                or word.kind == "symbol"
            ):
                continue
            item = held.get(i)
            tells = item is not None and (item.values or item.time or item.number)
            if word.lower in talk and not _is_quoted_value(item, word, i):
                continue
            if tells or (word.lower not in FILLERS and word.lower not in BOUNDS and word.lower not in JOINTS):
                heard.strange.add(i)
                heard.told |= {i} if tells else set[int]()
        self._forget(heard)
        return heard

    def _name(self, item: Item, heard: Heard) -> None:
        """What an item names: a column, the rows, or something that is no column."""
        links = item.links
        if not links and item.association is not None and item.association.descending is None:
            links = self._in_a_name(item)
        idle = item.end == item.start + 1 and fold(heard.words[item.start].text) in FILLERS
        if not links or links[0].quality < _SURE or (idle and not item.outright and links[0].quality < 0.96):
            return
        if item.values and item.values[0].score > links[0].quality + _ALIKE:
            return
        best = [x for x in links if x.quality >= links[0].quality - _ALIKE]
        columns = list({d.name: d for x in best if (d := self._column(x)) is not None}.values())
        plain = [d for d in columns if d.type is not DimensionType.ID or item.outright]
        if plain:
            heard.mentions.append(Mention(item.start, item.end, tuple(plain), item.text))
        elif self._is_rows(item, best, heard.words):
            heard.rows |= set(range(item.start, item.end))
        elif not item.op(*Op):
            heard.counted.append(item.text)

    def _in_a_name(self, item: Item) -> tuple[Link, ...]:
        """“related to the cost”, of an estimated cost: what else is a verb is the last word of a column's name here."""
        said = stem(item.text.lower())
        named = [m for m in self.names.metrics(item) if stem(name_words(m.label)[-1]) == said]
        return tuple(Link(LinkKind.METRIC, m.name, 1.0) for m in named[:1])

    @staticmethod
    def _is_figure(item: Item, words: Sequence[Word], named: set[int]) -> bool:
        """“the maximum storm category”, “the number of rings”: what a column is called, not what is made of it."""
        behind = next((i for i in range(item.end, len(words)) if words[i].lower not in {"of", "the"}), -1)
        return item.op(Op.AGGREGATE, Op.COUNT) and not item.links and behind in named

    def _is_rows(self, item: Item, links: Sequence[Link], words: Sequence[Word]) -> bool:
        """Whether an item says what rows are, and not how many there are."""
        before = [w.lower for w in words[max(0, item.start - 2) : item.end]]
        if {"number", "count", "many"} & set(before):
            return False
        model = self.names.model
        counts = [model.metric(x.name) for x in links if x.kind is LinkKind.METRIC]
        things = any(is_count(m) and not m.where and m.formula is None for m in counts)
        return things or any(x.kind is not LinkKind.METRIC for x in links)

    def _column(self, link: Link) -> Dimension | None:
        model = self.names.model
        if link.kind is LinkKind.DIMENSION:
            return model.dimension(link.name)
        if link.kind is LinkKind.METRIC:
            metric = model.metric(link.name)
            plain = not is_count(metric) and metric.formula is None and not metric.where
            return self.names.column_of(metric) if plain else None
        return None

    @staticmethod
    def _explain(heard: Heard) -> None:
        """“wind speed (WINDSPEED)”: a column in brackets is what the words before it mean."""
        words = heard.words
        for mention in list(heard.mentions):
            opened = mention.start and words[mention.start - 1].lower == "("
            closing = next(
                (i for i in range(mention.end, min(len(words), mention.end + 2)) if words[i].lower == ")"),
                None,
            )
            if not opened or closing is None:
                continue
            first = mention.start - 1
            while first and words[first - 1].lower not in JOINTS | BOUNDS | {
                "between",
                "the",
                "a",
                "an",
                "is",
                "are",
                "(",
                ")",
            }:
                first -= 1
            inside = [m for m in heard.mentions if first <= m.start and m.end < mention.start]
            if len(inside) > 1 or first == mention.start - 1:
                continue
            for m in inside:
                heard.mentions.remove(m)
            heard.rows -= set(range(first, mention.start))
            at = heard.mentions.index(mention)
            heard.mentions[at] = Mention(first, closing + 1, mention.columns, mention.text)

    def _forget(self, heard: Heard) -> None:
        """Words that say no more than the columns do: a unit behind one, a word of its name, the name of the table."""
        words = heard.words
        tables = {w for t in self.names.model.tables for w in name_words(t.name)}
        spoken = {root(w) for m in heard.mentions for d in m.columns for w in name_words(d.label)}
        for i in sorted(heard.strange):
            word = words[i]
            following = words[i + 1].lower if i + 1 < len(words) else ""
            beside = any(m.end <= i <= m.end + 2 for m in heard.mentions)
            units = {str(d.unit).lower() for m in heard.mentions for d in m.columns}
            unit = beside and (word.lower in units or is_unit(word.lower))
            place = word.lower in tables and following in _PLACES
            if unit or place or root(word.lower) in spoken:
                heard.strange.discard(i)


def _is_quoted_value(item: Item | None, word: Word, i: int) -> bool:
    """Whether a word that analysts use anyway is a value of the data here, written as one."""
    exact = item is not None and any(v.kind == "exact" for v in item.values)
    return exact and i > 0 and word.text[:1].isupper()


def segments(heard: Heard, enough: int) -> list[Segment]:
    """The parts of the question: cut at stops, at words that may narrow the rows, and between columns to relate."""
    words = heard.words
    inside = {i for m in heard.mentions for i in range(m.start + 1, m.end)}
    made: list[Segment] = []
    start, lead, head, found = 0, None, True, 0
    for i, word in enumerate(words):
        found = len([m for m in heard.mentions if m.end <= i])
        if i in inside:
            continue
        stop = word.lower in {"?", ";", ".", "!"}
        comma = word.lower == "," and head and lead is not None
        bound = word.lower in BOUNDS and not (word.lower == "to" and _is_verb_behind(words, i))
        joint = word.lower in JOINTS and found < enough and not bound
        if not (stop or comma or bound or joint):
            continue
        if i > start:
            made.append(Segment(start, i, lead, head and lead is not None))
        merged = bound and made and i == start and lead is not None  # "for each", "in which"
        start = start if merged else (i if bound else i + 1)
        if bound:
            head = head and (i == 0 or lead is not None or words[i - 1].lower in {"?", ";", ".", "!"})
            lead = word.lower if not merged or word.lower in GROUPING | RELATIVE else lead
        else:
            lead, head = None, stop
    if start < len(words):
        made.append(Segment(start, len(words), lead, head and lead is not None))
    return made


def _is_verb_behind(words: Sequence[Word], i: int) -> bool:
    """“to determine”, “to predict”: no place, but what is to be done."""
    from gnomon.embedding.lexicon import get_lexicon

    following = words[i + 1].lower if i + 1 < len(words) else ""
    return any(part == "v" for _, part in get_lexicon().bases(following)) and following not in {"each", "the"}
