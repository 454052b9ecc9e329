"""All that a question's words may mean, and the cover of them that explains most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gnomon.core.parts import Relative
from gnomon.language.time_grammar import TimeMention
from gnomon.planning.reader.associations import Association
from gnomon.planning.reader.operators import FILLERS, Op, Operator, operators
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import Word
from gnomon.semantic.values import ValueMatch


@dataclass(frozen=True)
class Number:
    """A number that was written, as it was written; a percentage stays as written.

    With ``relative`` it is so many times a bound that the data gives; ``unit`` is that which was said with it.
    """

    value: float
    percent: bool = False
    relative: Relative | None = None
    unit: str | None = None


@dataclass
class Item:
    """Words [start, end) with everything they may mean; composition decides which.

    ``plain`` says that names and operators explain each of the words too, so that they hardly quote a value;
    ``outright`` that they are the heading of a column, said as one.
    """

    start: int
    end: int
    operator: Operator | None = None
    links: tuple[Link, ...] = ()
    values: tuple[ValueMatch, ...] = ()
    time: TimeMention | None = None
    number: Number | None = None
    literal: str | None = None
    association: Association | None = None
    text: str = ""
    plain: bool = False
    outright: bool = False
    used: bool = field(default=False, compare=False)

    def named(self, kind: LinkKind) -> Link | None:
        """The best thing of that kind that the words name."""
        return next((link for link in self.links if link.kind is kind), None)

    def all_named(self, kind: LinkKind, within: float = 0.02) -> list[Link]:
        """Everything of that kind that fits about as well as the best."""
        links = [link for link in self.links if link.kind is kind]
        return [link for link in links if link.quality >= links[0].quality - within] if links else []

    @property
    def is_name(self) -> bool:
        """Whether the words name a metric, dimension or table."""
        return bool(self.links)

    @property
    def is_verb_only(self) -> bool:
        """Whether it is known as a verb or an adjective that stands for a measure, and as nothing else."""
        return self.association is not None and not (self.links or self.values)

    def op(self, *wanted: Op) -> bool:
        """Whether the words are one of the ``wanted`` operators."""
        return self.operator is not None and self.operator.op in wanted

    @property
    def is_placed(self) -> bool:
        """Whether the words are a value that begins with an ordinal number: 2nd class, First Avenue."""
        if not self.values or self.values[0].kind not in ("exact", "stem"):
            return False
        first = str(self.values[0].value).lower().split()[0]
        known = operators().get((first,))
        return first[0].isdigit() or (known is not None and known.op is Op.ORDINAL)

    @property
    def weight(self) -> float:
        """How much choosing this item explains."""
        length = self.end - self.start
        bonus = 0.3 * (length - 1)
        best = [0.0]
        if self.links:
            best.append(self.links[0].quality * length + bonus)
        if self.values:
            best.append((self.values[0].score * length * 0.98 + bonus) * (0.75 if self.plain else 1.0))
        if self.operator:
            idle = 0.1 if length == 1 else 0.6  # a whole phrase that says nothing is hardly there by chance
            best.append((0.85 if self.operator.op is not Op.FILLER else idle) * length + bonus * 0.8)
        if self.time:
            best.append(
                self.time.confidence * (length * 1.02 + bonus) if self.time.confidence >= 0.5 else 0.0
            )
        if self.number:
            best.append(0.9 + 0.6 * (length - 1))
        if self.literal is not None:
            best.append(1.0)
        if self.association:
            best.append(0.72)
        return max(best)


def merge(items: Sequence[Item]) -> list[Item]:
    """Items over the same words become one with all their meanings."""
    merged: dict[tuple[int, int], Item] = {}
    for item in items:
        here = merged.setdefault((item.start, item.end), Item(item.start, item.end, text=item.text))
        here.operator = here.operator or item.operator
        here.links = here.links or item.links
        here.values = here.values or item.values
        here.time = here.time or item.time
        here.number = here.number or item.number
        here.literal = here.literal or item.literal
        here.association = here.association or item.association
        here.outright = here.outright or item.outright
    for item in merged.values():
        if item.association and item.links and item.links[0].quality < 0.93:
            item.links = ()  # an everyday verb or adjective says more than a part of some name
        elif item.association and any(x.kind is LinkKind.TABLE and x.quality > 0.99 for x in item.links):
            item.association = None  # what rows are called by name is that: visits, of a table of visits
    return list(merged.values())


def is_filler(word: Word) -> bool:
    """Whether a word only holds the sentence together."""
    if len(word.text) == 1 and word.kind == "word":
        return word.lower in {"a", "i"}  # "got an F", "for n and s": a letter for itself is a mark or a code
    return word.kind == "symbol" or word.lower in FILLERS


_NOUNS = frozenset({"draw", "return", "run", "break", "score"})


# Said of the whole business elsewhere, behind these they are asked for.
OWNERS = frozenset(
    {"company", "companies", "business", "businesses", "store", "stores", "shop", "shops", "state", "states"}
)
_ASKING = (Op.WHICH, Op.EACH, Op.PER, Op.BY, Op.RANK, Op.COUNT)


_BIDDING = frozenset({"please", "and", "then", "to", "you", "just", ",", "should", "must"})


def _is_idle(words: Sequence[Word], position: int) -> bool:
    """Whether a word holds the sentence together where it stands: “draw a chart” does, “ended in a draw” does not."""
    word = words[position]
    if word.kind == "word" and _is_glued(words, position):
        return False  # "on-time": half of a name that is written as one
    noun = word.lower in _NOUNS and position > 0 and words[position - 1].lower in {"a", "an"}
    if word.lower == "return" and position > 0 and words[position - 1].lower not in _BIDDING:
        return False  # "return the list", but "how often do customers return something"
    if word.lower in OWNERS:  # "which company", "company with the highest sales"
        before = operators().get((words[position - 1].lower,)) if position else None
        begins = not position and [w.lower for w in words[1:2]] == ["with"]
        if begins or (before is not None and before.op in _ASKING):
            return False
    return is_filler(word) and not noun


def _is_glued(words: Sequence[Word], position: int) -> bool:
    """Whether a hyphen ties a small word to another small one, so that only both together say something."""
    for hyphen, other in ((position - 1, position - 2), (position + 1, position + 2)):
        if not (0 <= other < len(words)) or words[hyphen].text != "-" or words[other].kind != "word":
            continue
        first, last = words[min(position, other)], words[max(position, other)]
        small = is_filler(words[other]) or (words[other].lower,) in operators()
        if small and first.end == words[hyphen].start and words[hyphen].end == last.start:
            return True
    return False


def best_cover(words: Sequence[Word], items: Sequence[Item]) -> tuple[list[Item], list[Word]]:
    """The items that together explain most, in order, and the content words that none of them covers."""
    ending: dict[int, list[Item]] = {}
    for item in items:
        ending.setdefault(item.end, []).append(item)
    score = [0.0] * (len(words) + 1)
    choice: list[Item | None] = [None] * (len(words) + 1)
    for position in range(1, len(words) + 1):
        score[position] = score[position - 1] - (0.0 if _is_idle(words, position - 1) else 1.2)
        for item in ending.get(position, ()):
            total = score[item.start] + item.weight
            if total > score[position] + 1e-9:
                score[position], choice[position] = total, item
    chosen: list[Item] = []
    left: list[Word] = []
    position = len(words)
    while position > 0:
        item = choice[position]
        if item is None:
            position -= 1
            if not _is_idle(words, position):
                left.append(words[position])
        else:
            chosen.append(item)
            position = item.start
    return chosen[::-1], left[::-1]
