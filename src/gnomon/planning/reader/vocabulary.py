"""The names of a model as people may say them: whole, inflected, in parts, turned around, or misspelt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.bearers import bearers, is_thing
from gnomon.planning.reader.calendar_columns import CalendarColumns
from gnomon.planning.reader.cut_names import CutNames
from gnomon.planning.reader.name_phrases import phrases
from gnomon.planning.reader.operators import FILLERS, operator_words, operators
from gnomon.planning.reader.spelling import closest
from gnomon.planning.reader.words import (
    ABBREVIATIONS,
    ALIASES,
    Beginnings,
    Word,
    is_known_word,
    name_words,
    root,
    stem,
)
from gnomon.semantic import Aggregation, Dimension, DimensionType, SemanticModel
from gnomon.semantic.model import TableMeaning, singular
from gnomon.semantic.vocabulary import vocabulary as semantic_vocabulary

if TYPE_CHECKING:
    from gnomon.planning.reader.spoken_values import SpokenValues

MAX_NAME_WORDS = 7
_AUXILIARIES = frozenset(
    {"was", "were", "is", "are", "been", "be", "has", "have", "had", "did", "do", "does"}
)
MANY_VALUES = 200
_REMEMBERED = 16_384
_Key = tuple[tuple[str, str, str], ...]


class LinkKind(StrEnum):
    """What a name stands for."""

    METRIC = "metric"
    DIMENSION = "dimension"
    TABLE = "table"


@dataclass(frozen=True)
class Link:
    """One thing that a phrase may mean, and how well it fits (1 is its very name)."""

    kind: LinkKind
    name: str
    quality: float


@dataclass(frozen=True)
class NamedSpan:
    """Words [start, end) and what they may name, best first."""

    start: int
    end: int
    links: tuple[Link, ...]


_DOERS = ("er", "or", "r")
# A column of more values than these names things.
_FEW = 5
_SETTING = frozenset({"on", "at", "in", "per", "before", "after", "during"})


_SHARED = 10  # rows for each kind


class Vocabulary:
    """Everything in a model that has a name, found in a question's words.

    Args:
        model: The model whose names these are.
    """

    def __init__(self, model: SemanticModel) -> None:
        self.model = model
        self._whole: dict[tuple[str, ...], dict[tuple[LinkKind, str], float]] = defaultdict(dict)
        self._stems: dict[tuple[str, ...], dict[tuple[LinkKind, str], float]] = defaultdict(dict)
        self._parts: dict[str, list[tuple[LinkKind, str, tuple[str, ...]]]] = defaultdict(list)
        self._rows = {tuple(stem(w) for w in name_words(n)) for t in model.tables for n in _called(t, model)}
        flags = [d for d in model.dimensions if d.type is DimensionType.BOOLEAN]
        self._flags: dict[tuple[str | None, str | None], Dimension] = {
            (r.table, d.at(r.table)): d for d in reversed(flags) for r in d.locations
        }
        self.words: set[str] = set()
        self.dimensions = tuple(d.name for d in model.dimensions)
        self.sexes = tuple(d.name for d in model.dimensions if d.label.split()[-1] in {"sex", "gender"})
        self.opaque = len(model.tables) == 1 and model.tables[0].label == "row"
        self.has_people = any(d.personal and "name" in name_words(d.name) for d in model.dimensions)
        self.scattered = frozenset(
            d.name
            for d in model.dimensions
            if d.personal or d.type is DimensionType.ID or (d.distinct or 0) > MANY_VALUES
        )
        self.calendar: CalendarColumns | None = None
        self.spoken: SpokenValues | None = None
        self._cut = CutNames(self._whole, self._rows, self._is_told, lambda target: self._is_rows(*target))
        for m in model.metrics:
            self._add(LinkKind.METRIC, m.name, (m.name, m.label), m.synonyms)
        for d in model.dimensions:
            column = d.home.column
            own = (column if d.name.endswith(column) else d.name.rpartition(".")[2], d.label)
            self._add(LinkKind.DIMENSION, d.name, own, d.synonyms)
        for t in model.tables:
            # a table that is named after a measurement (rain_mm) does not say what its rows are
            own = [n for n in _called(t, model) if is_thing(n)]
            said = (*t.synonyms, *bearers(t, model))
            self._add(LinkKind.TABLE, t.name, own, [n for n in said if is_thing(n)])
        single = [key[0] for table in (self._whole, self._stems) for key in table if len(key) == 1]
        self._begins, self._part_begins = Beginnings(single), Beginnings(self._parts)
        self._links = lru_cache(maxsize=_REMEMBERED)(self._links_of)

    def _add(self, kind: LinkKind, name: str, names: Iterable[str], synonyms: Iterable[str]) -> None:
        for quality, phrase in phrases(names, synonyms):
            words = name_words(phrase)
            stems = tuple(stem(w) for w in words)
            if not words or len(words) > MAX_NAME_WORDS or (quality < _CLOSE and stems in self._rows):
                continue  # a sale total is no sale
            last = ABBREVIATIONS.get(words[-1], words[-1])
            if kind is LinkKind.TABLE and len(words) > 1 and last in semantic_vocabulary().intensive:
                continue  # birthwt holds birth weights, which are no rows
            self.words.update(words)
            self._cut.capitals |= {words[0]} if phrase.isupper() and len(words) == 1 else set()
            key = (kind, name)
            self._whole[words][key] = max(quality, self._whole[words].get(key, 0))
            self._stems[stems][key] = max(quality - 0.03, self._stems[stems].get(key, 0))
            if len(words) > 1:
                self._whole[("".join(words),)].setdefault(key, quality - 0.02)
            if quality > 0.955 and len(words) > 1:
                for s, w in dict(zip(stems, words, strict=True)).items():
                    if kind is not LinkKind.TABLE or not self._is_told_by_flag(w):
                        self._parts[s].append((kind, name, stems))

    @cached_property
    def counts(self) -> frozenset[str]:
        """Words for counting that are names of additive columns here."""
        said = ("count", "counts")
        return frozenset(
            w for w in said
            if any(
                link.kind is LinkKind.METRIC and self.model.metric(link.name).aggregation is Aggregation.SUM
                for link in self.named(w) if link.quality > 0.96
            )
        )  # fmt: skip

    def find(self, words: Sequence[Word]) -> list[NamedSpan]:
        """Every stretch of words that may name something."""
        found: list[NamedSpan] = []
        keys = _keys(words)
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + MAX_NAME_WORDS) + 1):
                if _parts_names(words[end - 1]):
                    break
                if links := self._links(keys[start:end]):
                    found.append(NamedSpan(start, end, links))
        return found

    def whole(self, words: Sequence[Word]) -> tuple[Link, ...]:
        """What the words may name all together."""
        if not 0 < len(words) <= MAX_NAME_WORDS or any(_parts_names(w) for w in words):
            return ()
        return self._links(_keys(words))

    def named(self, phrase: str) -> tuple[Link, ...]:
        """What ``phrase`` names as a whole or by its stems; parts of names do not count."""
        words = name_words(phrase)
        return _ranked({**self._stems.get(tuple(stem(w) for w in words), {}), **self._whole.get(words, {})})

    def _is_told_by_flag(self, word: str) -> bool:
        """“smoke”, in a file smoke_ban with a column smoker: who smokes is told by the column."""
        flags = (d for d in self.model.dimensions if d.type is DimensionType.BOOLEAN)
        heads = {name_words(d.label)[-1] for d in flags if name_words(d.label)}
        return any(w != word and w[:3] == word[:3] and kindred(word, w) for w in heads)

    def part(self, word: str) -> tuple[Link, ...]:
        """What has ``word`` as a part of its name."""
        return _ranked({(kind, name): 0.5 for kind, name, _ in self._parts.get(stem(word), ())})

    def _links_of(self, span: _Key) -> tuple[Link, ...]:
        if span[0][0] == "symbol" or (span[-1][0] == "symbol" and span[-1][1] != "%"):
            return ()
        plain = [w for w in span if w[0] != "symbol"]
        spoken = tuple(lower for _, lower, _ in plain)
        stems = tuple(stemmed for _, _, stemmed in plain)
        if spoken in _PRONOUNS:
            return ()
        links: dict[tuple[LinkKind, str], float] = {}
        for words, roots, penalty in self._orders(spoken, stems):
            for table, key in ((self._whole, words), (self._stems, roots)):
                for target, quality in table.get(key, {}).items():
                    links[target] = max(links.get(target, 0), quality - penalty)
        if all(w in FILLERS or (w,) in operators() for w in spoken):
            # "make" may be a brand's other name, and is a plain verb far more often
            links = {
                t: quality for t, quality in links.items() if quality > 0.96 or self._happened(t, spoken)
            } or self._cut.find(spoken)
        elif not links:
            links = self._verbal(spoken) or self._cut.find(spoken) or self._partial(spoken, stems)
            if not links and len(stems) == 2 and self._part_begins.of(glued := "".join(spoken)):
                links = self._partial((glued,), (stem(glued),))
        if len(spoken) > 1 and spoken[-1].endswith("ed") and spoken not in self._whole:
            # "honey harvested" says what was done with it, and is no honey harvest
            links = {target: quality for target, quality in links.items() if not self._is_rows(*target)}
        return _ranked(links)

    def _happened(self, target: tuple[LinkKind, str], spoken: tuple[str, ...]) -> bool:
        """“issued”, where a column holds the day: a plain verb elsewhere, and here what is asked about."""
        timed = target[0] is LinkKind.DIMENSION and self.is_time(target[1])
        return timed and len(spoken) == 1 and get_lexicon().is_participle(spoken[0])

    def tells_kinds(self, dimension: str) -> bool:
        """Whether a column tells kinds that many rows share, not names that each of them has: jobs, of persons."""
        column = self.model.dimension(dimension)
        rows = self.model.table(column.home.table).rows or 0
        shared = _SHARED * (column.distinct or rows) <= rows
        return column.type is DimensionType.CATEGORY and not column.personal and shared

    def is_time(self, dimension: str) -> bool:
        """Whether a dimension holds days or moments."""
        return self.model.dimension(dimension).type is DimensionType.TIME

    def is_flag(self, link: Link) -> bool:
        """Whether a name is that of a column of yes and no."""
        flag = link.kind is LinkKind.DIMENSION and link.quality > 0.95
        return flag and self.model.dimension(link.name).type is DimensionType.BOOLEAN

    def is_figure(self, link: Link) -> bool:
        """Whether a name is that of numbers: of what is measured in a column, or of the column."""
        if link.kind is LinkKind.METRIC:
            return self.model.metric(link.name).aggregation in (Aggregation.SUM, Aggregation.MEAN)
        held = link.kind is LinkKind.DIMENSION
        return held and self.model.dimension(link.name).type is DimensionType.NUMBER

    def _is_rows(self, kind: LinkKind, name: str) -> bool:
        """Whether a name stands for the rows of a table or their number."""
        counts = kind is LinkKind.METRIC and self.model.metric(name).aggregation is Aggregation.COUNT
        return counts or kind is LinkKind.TABLE

    def _orders(
        self, spoken: tuple[str, ...], stems: tuple[str, ...]
    ) -> list[tuple[tuple[str, ...], tuple[str, ...], float]]:
        """The words as said, joined up, and turned around at an "of"."""
        ways = [(spoken, stems, 0.0)]
        if len(spoken) > 1 and self._begins.of(glued := "".join(spoken)):
            ways.append(((glued,), (stem(glued),), 0.05))
        bare = [i for i, w in enumerate(spoken) if w not in _AUXILIARIES]
        between = bare[:1] == [0] and bare[-1:] == [len(spoken) - 1] and spoken[-1:] != ("no",)
        if 1 < len(bare) < len(spoken) and between:
            # "users were affected", for a column of users affected
            ways.append((tuple(spoken[i] for i in bare), tuple(stems[i] for i in bare), 0.06))
        turns = [i for i, w in enumerate(spoken[1:-1], 1) if w in {"of", "on", "for", "from"}]
        if turns and not {*spoken[-1:]} & _EDGES:
            at = turns[0]
            after = at + 1 + (spoken[at + 1] in {"the", "a", "an", "each"})
            if after < len(spoken):
                ways.append((spoken[after:] + spoken[:at], stems[after:] + stems[:at], 0.06))
        return ways

    def _is_told(self, word: str) -> bool:
        """Whether a word says something by itself: it names a column, or is a value."""
        named = any(kind is not LinkKind.TABLE for kind, _ in self._whole.get((word,), ()))
        return named or (self.spoken is not None and self.spoken.tells(word))

    def cut_short(self, phrases: Iterable[str]) -> list[str]:
        """What to say of phrases that were read by few letters of a name."""
        told = ((said, self._few_letters(said)) for said in phrases)
        return [f"“{said}” was read as {label}" for said, label in told if label is not None]

    def _few_letters(self, phrase: str) -> str | None:
        words = tuple(phrase.lower().split())
        found = self._cut.find(words) if words and not self.named(phrase) else {}
        labels = [
            (quality, self.model.dimension(name).label)
            for (kind, name), quality in found.items()
            if kind is LinkKind.DIMENSION
        ]
        return max(labels)[1] if labels and max(labels)[0] < _WEAK else None

    def _verbal(self, spoken: tuple[str, ...]) -> dict[tuple[LinkKind, str], float]:
        """A form in -ing for a name without it: the closing price, for a column named close."""
        if not any(w.endswith("ing") for w in spoken):
            return {}
        roots = tuple(root(w) for w in spoken)
        return {target: quality - 0.1 for target, quality in self._stems.get(roots, {}).items()}

    def _partial(self, spoken: tuple[str, ...], stems: tuple[str, ...]) -> dict[tuple[LinkKind, str], float]:
        """Names of several words of which only some were said; words that mean nothing alone do not count."""
        if all(
            w in FILLERS or (w,) in operators() or (stem(w),) in operators() or len(w) < 2 for w in spoken
        ):
            return {}
        candidates = [set(self._parts.get(s, ())) for s in stems]
        if not candidates or {spoken[0], spoken[-1]} & _EDGES:
            return {}
        found: dict[tuple[LinkKind, str], float] = {}
        for kind, name, whole in set.intersection(*candidates):
            if kind is LinkKind.METRIC and not self._tells_flag(name, stems):
                continue
            if "with" in spoken and " ".join(stems) not in " ".join(whole):
                continue  # trips with vehicles are no vehicles with trips
            share = len(stems) / len(whole)
            head = 0.06 if _head_of(whole) == stems[-1] else 0.0
            quality = 0.45 + 0.3 * share + head
            if (
                head
                and kind is LinkKind.DIMENSION
                and quality < _HEAD
                and self._is_only_head(stems[-1], name)
            ):
                quality = _HEAD
            found[(kind, name)] = max(found.get((kind, name), 0), quality)
        return found

    def _tells_flag(self, name: str, stems: tuple[str, ...]) -> bool:
        """Whether rows that a flag marks are meant: “employees work” are not those who work remotely."""
        metric = self.model.metric(name)
        column = (metric.expression or "").strip("`")
        flag = self._flags.get((metric.table, column))
        if flag is None or metric.aggregation is not Aggregation.SUM:
            return True
        return {stem(w) for w in name_words(flag.label) if w not in FILLERS} <= set(stems)

    def _is_only_head(self, word: str, name: str) -> bool:
        """Whether a word is what one dimension is, and no part of any other name: the station, of first due station.

        Measures of the column itself are called after it: the age, of an age on the day.
        """
        column = self.model.dimension(name)
        targets = {(kind, target) for kind, target, _ in self._parts.get(word, ())}
        metrics = [self.model.metric(target) for kind, target in targets if kind is LinkKind.METRIC]
        own = all(m.table is not None and m.expression == column.at(m.table) for m in metrics)
        return own and {target for kind, target in targets if kind is not LinkKind.METRIC} == {name}

    def acts(self, word: str) -> bool:
        """Whether a word is what somebody named in the data does: “teach”, where there are teachers."""
        if len(word) <= 3 or self.flag_of_doers(word):
            return False  # "who smoke", where a flag says who is a smoker: some do, and some do not
        named = [
            x.name for ending in _DOERS for x in self.named(word + ending) if x.kind is LinkKind.DIMENSION
        ]
        if any(0 < (self.model.dimension(n).distinct or 99) <= _FEW for n in named):
            return False  # smoker: yes, no, former
        return any(word + ending in self.words for ending in _DOERS)

    def flag_of_doers(self, word: str) -> tuple[Link, ...]:
        """The column of yes and no that tells who does what a verb says: “smoke”, of a flag called smoker."""
        found = (self.named(word + ending) for ending in _DOERS)
        return next((links for links in found if any(self.is_flag(x) for x in links)), ())

    def corrected(self, words: Sequence[Word], others: Iterable[str]) -> tuple[list[Word], dict[str, str]]:
        """``words`` with misspelt ones replaced by the name they are closest to, and what was replaced.

        A word counts as misspelt when it is neither a common English word nor part of any name or value.
        """
        known = self.words | set(others)
        spelt = known | FILLERS | operator_words()
        changed: dict[str, str] = {}
        result: list[Word] = []
        for word in words:
            text = word.lower
            if text not in known and (other := ALIASES.get(text, "")) in known:
                result.append(Word(word.text, other, stem(other), word.start, word.end, word.kind))
                continue
            if text not in known and (meant := ABBREVIATIONS.get(text, "")) in spelt:
                result.append(Word(word.text, meant, stem(meant), word.start, word.end, word.kind))
                continue
            if text not in spelt and len(text) == 3 and text.endswith("s") and text[:-1] in self.words:
                result.append(Word(word.text, text[:-1], text[:-1], word.start, word.end, word.kind))
                continue
            if (
                word.kind != "word"
                or len(text) < 5
                or word.text.isupper()
                or not text.isalpha()
                or text in spelt
                or _inflected(text, spelt)
            ):
                result.append(word)
                continue
            if is_known_word(text) or get_lexicon().knows(text):
                result.append(word)
                continue
            if not (better := closest(text, known) or closest(text, spelt)):
                result.append(word)
                continue
            changed[text] = better
            result.append(Word(word.text, better, stem(better), word.start, word.end, word.kind))
        return result, changed


def _keys(words: Sequence[Word]) -> _Key:
    """What tells how words are linked, wherever they stand."""
    return tuple((w.kind, w.lower, w.stem) for w in words)


def _parts_names(word: Word) -> bool:
    """Whether no name goes on over a word: a quoted one, or a symbol that names do not have."""
    return word.kind in {"symbol", "quoted"} and word.lower not in {"%", "&", "-", "/"}


_HEAD = 0.66
_WEAK = 0.9
_PRONOUNS = frozenset({("i",), ("a",)})  # never a column, though one may be called so
_CLOSE = 0.95
_EDGES = frozenset({"a", "an", "the", "of", "in", "on", "at", "for", "to", "by", "and", "or", "with", "from"})


def _head_of(name: tuple[str, ...]) -> str:
    """The noun that a name is about: the last one, or that before a small word: age, of an age on the day."""
    small = next((i for i, w in enumerate(name) if i and w in _SETTING), len(name))
    return name[small - 1]


def _inflected(word: str, known: set[str]) -> bool:
    root = stem(word)
    return any(stem(k) == root for k in known if k[:3] == word[:3])


def _ranked(links: dict[tuple[LinkKind, str], float]) -> tuple[Link, ...]:
    return tuple(
        Link(kind, name, round(quality, 4))
        for (kind, name), quality in sorted(links.items(), key=lambda kv: (-kv[1], kv[0][0], kv[0][1]))
    )


def _called(table: TableMeaning, model: SemanticModel) -> tuple[str, ...]:
    """What a table's rows are called: by its name too, unless a column holds the things that it is named after."""
    sorts = {DimensionType.CATEGORY, *([DimensionType.ID] if table.label == "row" else [])}
    kinds = [d for d in model.dimensions if d.type in sorts and d.at(table.name) is not None]
    held = {singular(d.label) for d in kinds}
    named = singular(" ".join(name_words(table.name)))
    return (table.label,) if named in held and named != table.label else (table.name, table.label)
