"""What the words of a task name in the rows that came with it, linked as the words of questions are.

The one reader's vocabulary, value index and meanings say what a word stands for; a noun for which they have
nothing is given back, so that a plan can ask about it or say that it was left aside.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gnomon.core import clock
from gnomon.core.patterns import regex
from gnomon.data.profile_model import TableProfile
from gnomon.planning.characteristics import SAMPLE_ROWS
from gnomon.tools import Frame

if TYPE_CHECKING:
    import pyarrow as pa

    from gnomon.planning.reader.lattice import Item
    from gnomon.planning.reader.words import Word
    from gnomon.semantic import SemanticModel


@dataclass(frozen=True)
class ClosedColumns:
    """The values that are not spoken of: words are read alike whether they are one or not.

    Args:
        of: The columns of a table none of whose values is.
        fewest_rows: How many rows have to hold a value of the others.
    """

    of: Callable[[TableProfile], Collection[str]]
    fewest_rows: int


REMEMBERED = 8
_SURE = 0.7
_EXACT = ("exact", "stem")
_LEFT_OUT = regex(  # in the clause that the value stands in
    r"\b(?:exclud\w*|except|without|ignor\w*|omit\w*|remov\w*|drop\w*|discard\w*|eliminat\w*|skip\w*|leav\w+ out|"
    r"filter\w* out|tak\w+ out|not|non|other than|but)\b(?:(?!\b(?:then|only)\b)[^,;.])*$",
    re.I,
)


@dataclass(frozen=True)
class Noun:
    """Words [start, end) of a task, counted in letters.

    Args:
        text: As they were said.
        start: Where they begin.
        end: Where they end.
        column: The column that they name, or that holds the value that they are.
        value: That value; None where they name a column, or nothing.
        meant: What they were read as, where the data calls it otherwise.
        without: Whether the rows of that value are to be left out.
        of_rows: Whether they only say what the rows are about: sales, of sales data.
        is_row: Whether they are what one row is called: a member, of a table of members.
        among: The columns that hold the value that they are, where these are several.
    """

    text: str
    start: int
    end: int
    column: str | None = None
    value: Any = None
    meant: str | None = None
    without: bool = False
    of_rows: bool = False
    is_row: bool = False
    among: tuple[str, ...] = ()


class Linker:
    """Finds what words name in one table.

    Args:
        table: The rows, or the first of them.
        closed: The values that are not known.
    """

    def __init__(self, table: pa.Table, closed: ClosedColumns | None = None) -> None:
        from gnomon.data import open_sources, profile_dataset
        from gnomon.planning.reader.calendar_columns import CalendarColumns
        from gnomon.planning.reader.meanings import Meanings
        from gnomon.planning.reader.naming import Names
        from gnomon.planning.reader.payments import Payments
        from gnomon.planning.reader.spoken_values import SpokenValues
        from gnomon.planning.reader.vocabulary import Vocabulary
        from gnomon.semantic.infer import infer_model
        from gnomon.semantic.rare_values import rare_values
        from gnomon.semantic.values import ValueIndex

        with open_sources({"data": table}) as dataset:
            profile = profile_dataset(dataset)
            self._model: SemanticModel = infer_model(profile, dataset)
            self._index = ValueIndex.build(dataset, self._model)
            if closed is not None:
                untold = closed.of(profile.tables[0])
                rare = rare_values(dataset, self._model, self._index, closed.fewest_rows)
                dimensions = {d.name for d in self._model.dimensions if d.home.column in untold}
                self._index = self._index.without(dimensions, rare)
        self._vocabulary = Vocabulary(self._model)
        self._vocabulary.calendar = CalendarColumns(self._model, self._index)
        self._vocabulary.spoken = SpokenValues(self._model, self._index, self._vocabulary)
        names = Names(self._model, self._vocabulary)
        self._meanings = Meanings(self._model, self._vocabulary, self._index, Payments(names))

    def link(
        self, prompt: str, goals: Sequence[tuple[int, int]] = (), others: Sequence[tuple[int, int]] = ()
    ) -> list[Noun]:
        """The nouns of ``prompt`` with what they name, in order; those that name nothing have no column.

        Args:
            prompt: The task.
            goals: Letters [start, end) of words that say what to do.
            others: The same of words that say something else: a method, a limit, nothing.
        """
        from gnomon.planning.reader.words import split_words

        spans = [*goals, *others]
        words, _ = self._vocabulary.corrected(split_words(prompt), self._values(prompt))
        cover, left = self._cover(prompt, words)
        named = {words[i].start for x in cover if x.links for i in range(x.start, x.end)}
        led = _led(words, goals, named)
        acts = _acting(words)
        free = [w for w in left if not _inside(w.start, w.end, spans) and _is_noun(w, led - acts)]
        meant, told = self._meanings.translated(words, [w.text for w in free])
        if told:
            cover, rest = self._cover(prompt, meant)
            free = [w for w in free if any(r.start == w.start for r in rest)]
        linked = [self._noun(prompt, item, meant if told else words) for item in cover]
        found = [n for n in linked if n is not None and not _inside(n.start, n.end, spans)]
        found = [n for n in found if not (n.is_row and n.start in acts)]
        found = [replace(n, is_row=n.is_row and not _is_listed(n, found, prompt)) for n in found]
        found = [replace(n, meant=told[n.text][0]) if n.text in told else n for n in found]
        of_rows = [words_of.start for words_of in _about_rows(cover, meant if told else words)]
        return sorted([*found, *_phrases(prompt, free, of_rows)], key=lambda n: n.start)

    def sets_side_by_side(self, prompt: str, nouns: Sequence[Noun]) -> bool:
        """Whether words say no more than what is seen by what: no share, no change, nothing else to do.

        Args:
            prompt: The task.
            nouns: What :meth:`link` found in it.
        """
        from gnomon.planning.reader.operators import Op
        from gnomon.planning.reader.words import split_words

        cover, left = self._cover(
            prompt, self._vocabulary.corrected(split_words(prompt), self._values(prompt))[0]
        )
        said = {x.operator.op for x in cover if x.operator is not None}
        spans = [(n.start, n.end) for n in nouns]
        plain = {Op.VERSUS, Op.BETWEEN, Op.BY, Op.EACH, Op.AND, Op.IN, Op.OF}
        return said <= plain and all(_inside(w.start, w.end, spans) for w in left)

    def _values(self, prompt: str) -> set[str]:
        from gnomon.planning.reader.words import split_words

        spoken = [w.lower for w in split_words(prompt)]
        return {w for m in self._index.find(spoken) if m.kind != "fuzzy" for w in spoken[m.start : m.end]}

    def _cover(self, prompt: str, words: list[Word]) -> tuple[list[Item], list[Word]]:
        from gnomon.planning.reader.items import candidate_items
        from gnomon.planning.reader.lattice import best_cover

        items = candidate_items(prompt, words, self._vocabulary, self._index, clock.today())
        cover, left = best_cover(words, [x for x in items if not self._spans_two(x, words)])
        # A task names what to work on: a verb that would stand for a measure in a question names nothing in it.
        verbs = [w for x in cover if x.is_verb_only for w in words[x.start : x.end]]
        return [x for x in cover if not x.is_verb_only], sorted([*left, *verbs], key=lambda w: w.start)

    def _spans_two(self, item: Item, words: list[Word]) -> bool:
        """Whether a name is read across a word that sets two things against each other: “X on Y”, of a column y_x."""
        inner = {w.lower for w in words[item.start + 1 : item.end - 1]} & _RELATING
        if not inner or not item.links:
            return False
        initials = "".join(w.lower[0] for w in words[item.start : item.end])
        said = [re.findall(r"[a-z0-9]+", x.name.lower()) for x in item.links]
        return not any(inner <= set(name) or "".join(name) == initials for name in said)

    def _noun(self, prompt: str, item: Item, words: list[Word]) -> Noun | None:
        """The column or value that an item of the cover stands for."""
        start, end = words[item.start].start, words[item.end - 1].end
        noun = Noun(prompt[start:end], start, end)
        links = [x for x in item.links if x.quality >= _SURE]
        for link in links:
            if (column := self._column(link.kind.value, link.name)) is not None:
                return replace(noun, column=column)
        values = [v for v in item.values if v.kind in _EXACT]
        if values and not links:
            held = dict.fromkeys(self._model.dimension(v.dimension).home.column for v in values)
            if len(held) > 1:
                return replace(noun, among=tuple(held))
            without = bool(_LEFT_OUT.search(prompt[:start]))
            return replace(noun, column=next(iter(held)), value=values[0].value, without=without)
        if _names_rows(item):
            return replace(noun, column=self._ends_in(noun.text), is_row=self._ends_in(noun.text) is None)
        return noun if item.links else None  # near a name, and not near enough

    def _ends_in(self, word: str) -> str | None:
        """The one column whose name ends in a word that may also mean a row: the reading of meter_reading, said of one."""
        columns = dict.fromkeys(d.home.column for d in self._model.dimensions)
        ends = [c for c in columns if re.findall(r"[a-z0-9]+", c.lower())[-1:] == [word.lower()]]
        return ends[0] if len(ends) == 1 else None

    def _column(self, kind: str, name: str) -> str | None:
        if kind == "dimension":
            return self._model.dimension(name).home.column
        if kind == "metric":
            expression = self._model.metric(name).expression
            homes = {d.home.column for d in self._model.dimensions}
            return expression if expression in homes else None
        return None


def _about_rows(cover: list[Item], words: list[Word]) -> list[Word]:
    """The words that stand right before what rows are called: the sales of “sales data”."""
    return [words[x.start - 1] for x in cover if x.start > 0 and _names_rows(x)]


def _names_rows(item: Item) -> bool:
    from gnomon.planning.reader.operators import Op
    from gnomon.planning.reader.vocabulary import LinkKind

    return item.op(Op.ROWS) or any(k.kind is LinkKind.TABLE for k in item.links)


def _phrases(prompt: str, free: list[Word], of_rows: list[int]) -> list[Noun]:
    """Neighbouring words that name nothing, as one noun each."""
    found: list[Noun] = []
    for word in free:
        before = found[-1] if found else None
        about = word.start in of_rows
        if before is not None and not prompt[before.end : word.start].strip():
            found[-1] = replace(before, text=prompt[before.start : word.end], end=word.end, of_rows=about)
        else:
            found.append(Noun(word.text, word.start, word.end, of_rows=about))
    return found


_LEADING = frozenset("in of by per for with between on from each every against versus vs".split())  # noqa: SIM905
_RELATING = _LEADING - {"in", "of", "for"}
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "their"})
_JOINING = frozenset({"and", "or", ",", "&"})


def _led(words: list[Word], goals: Sequence[tuple[int, int]], named: set[int]) -> set[int]:
    """Where the words begin that a goal or a preposition is said of, with those that are listed beside them."""
    found: set[int] = set()
    spoken = [w for w in words if w.lower not in _ARTICLES]
    for i, word in enumerate(spoken[1:], 1):
        before = spoken[i - 1]
        listed = before.lower in _JOINING and i > 1 and spoken[i - 2].start in found | named
        if listed or before.lower in _LEADING or _inside(before.start, before.end, goals):
            found.add(word.start)
    return found


def _is_listed(noun: Noun, others: Sequence[Noun], prompt: str) -> bool:
    """Whether a noun is a member of a list with one that names a column: what it names is of the same kind."""
    columns = [n for n in others if n.column is not None and n.value is None]
    between = [prompt[n.end : noun.start] for n in columns] + [prompt[noun.end : n.start] for n in columns]
    return any(part and {w.lower() for w in re.findall(r"\w+|[^\w\s]", part)} <= _JOINING | _ARTICLES for part in between if part.strip())  # fmt: skip


def _acting(words: list[Word]) -> set[int]:
    """Where words in -ing begin that say what is done to what follows: the spotting of “by spotting odd values”."""
    return {
        w.start
        for w, after in pairwise(words)
        if w.lower.endswith("ing") and after.kind == "word" and after.lower not in _LEADING | _JOINING
    }


def _is_noun(word: Word, led: set[int]) -> bool:
    """Whether a word names something where it stands: mostly a noun, what a goal is said of, or in no dictionary."""
    from gnomon.embedding.lexicon import get_lexicon

    if word.kind == "quoted":
        return True
    if word.kind != "word" or len(word.lower) < 2:
        return False
    lexicon = get_lexicon()
    bases = lexicon.bases(word.lower)
    parts = {part for _, part in bases}
    if parts <= {"n"}:
        return True
    if word.lower.endswith("ing") and "v" in parts:
        return word.start in led
    used = {base for base, _ in bases}
    mostly = 2 * sum(lexicon.met(b, "n") for b in used) >= sum(lexicon.met(b) for b in used)
    return word.start in led or ("n" in parts and mostly)


def _inside(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(s <= start and end <= e for s, e in spans)


def conditions_of(values: Sequence[Noun]) -> list[str]:
    """The conditions that the values named make: any of those wanted of a column, none of those to be left out."""
    held: dict[tuple[str, bool], list[str]] = {}
    for noun in values:
        text = str(noun.value).lower().replace("'", "''")
        quoted = "`" + str(noun.column).replace("`", "``") + "`"
        plain = isinstance(noun.value, (int, float)) and not isinstance(noun.value, bool)
        sign = "!=" if noun.without else "="
        told = f"{quoted} {sign} {noun.value}" if plain else f"lower({quoted}) {sign} '{text}'"
        if told not in (ways := held.setdefault((quoted, noun.without), [])):
            ways.append(told)
    return [
        f"({(' and ' if without else ' or ').join(ways)})" if len(ways) > 1 else ways[0]
        for (_, without), ways in held.items()
    ]


_linkers: OrderedDict[bytes, Linker] = OrderedDict()
_lock = threading.Lock()


def linker_of(data: Any, closed: ClosedColumns | None = None) -> Linker | None:
    """The linker of the rows of a task, or of the first of them; None without rows."""
    frame = Frame.of(data) if data is not None else None
    if frame is None or frame.is_reference or not len(frame):
        return None
    table = frame.arrow.slice(0, SAMPLE_ROWS)
    key = _fingerprint(table) + (b"" if closed is None else b"closed")
    with _lock:
        if key not in _linkers:
            _linkers[key] = Linker(table, closed)
        _linkers.move_to_end(key)
        while len(_linkers) > REMEMBERED:
            _linkers.popitem(last=False)
        return _linkers[key]


def _fingerprint(table: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return hashlib.blake2b(sink.getvalue(), digest_size=16).digest()
