"""Questions about the data itself: what is missing, repeated, how many rows and columns, of which kinds, over which days.

They speak of rows, columns and cells, whatever the data is about; a question that says anything else is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.patterns import regex
from gnomon.core.studies import Gaps, Holding, Inspection
from gnomon.planning.reader import data_words as said
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import REMEMBERED, Word, fold, split_words
from gnomon.semantic import Dimension, SemanticModel
from gnomon.semantic.model import plural, singular
from gnomon.semantic.values import ValueIndex

_LONGEST_NAME = 8
_NOT_AVAILABLE = regex(
    r"\b(n/a|#n/a|not available|not recorded|no values?(?= (?:for|in|recorded)))\b", re.IGNORECASE
)
_ENUMERATED = regex(r"^\s*(?:q(?:uestion)?\s*)?\d{1,2}\s*[.):]\s+", re.IGNORECASE)
_PLURAL_MARK = regex(r"\((?:e?s)\)")
_DATA_TYPE = regex(r"\bdata[ -]types?\b", re.IGNORECASE)


@dataclass
class _Heard:
    """What the words of a question are: the words of each class, and the columns and tables that are named."""

    words: set[str] = field(default_factory=set[str])
    columns: list[Dimension] = field(default_factory=list[Dimension])
    tables: list[str] = field(default_factory=list[str])
    things: bool = False
    named: bool = False

    def has(self, *classes: frozenset[str]) -> bool:
        return any(self.words & c for c in classes)


class DataQuestions:
    """Reads questions about the data itself.

    Args:
        model: What the tables mean.
        vocabulary: How the things of the model are said.
        index: The values of the data: one that is called "missing" is asked about as a value.
    """

    def __init__(self, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._index = index
        self._columns: dict[str, Dimension] = {}
        for dimension in model.dimensions:
            for name in (dimension.home.column, dimension.label):
                self._columns.setdefault(_joined([name]), dimension)

    def read(self, question: str) -> Parts | None:
        """The request that asks about the data itself; None where the question says anything else."""
        plain = _PLURAL_MARK.sub("s", _ENUMERATED.sub("", question))
        plain = _DATA_TYPE.sub("datatype", _NOT_AVAILABLE.sub("null", plain))
        words = [w for w in split_words(plain) if w.kind != "symbol" or w.text == "%"]
        heard = self._hear(words)
        if heard is None:
            return None
        study = self._asked(heard, [w.lower for w in words])
        if study is None:
            return None
        of_columns = study.about in ("missing", "duplicates", "distinct", "types")
        named = dict.fromkeys(d.home.column for d in heard.columns) if of_columns else ()
        tables = list(dict.fromkeys([*heard.tables, *(d.home.table for d in heard.columns)]))
        if len(tables) > 1:
            return None
        at = {"columns": tuple(named), "table": tables[0] if tables else None}
        return Parts(question=question, kind=QuestionKind.PROFILE, study=study.model_copy(update=at))

    def _hear(self, words: Sequence[Word]) -> _Heard | None:
        """The words by their classes; None where one belongs to none."""
        heard, i = _Heard(), 0
        while i < len(words):
            taken = self._name(words, i, heard)
            if taken:
                i += taken
                continue
            word = words[i].lower
            if word in _CLOSED:
                heard.words.add(word)
                heard.named = heard.named or (word not in _EVERYWHERE and self._is_name(word))
            elif not self._thing(word, heard):
                return None
            i += 1
        return heard

    def _name(self, words: Sequence[Word], i: int, heard: _Heard) -> int:
        """How many words from ``i`` on are the name of a column."""
        for size in range(min(_LONGEST_NAME, len(words) - i), 0, -1):
            span = words[i : i + size]
            spoken = _joined([w.text for w in span])
            found = self._columns.get(spoken) or self._columns.get(_joined([singular(w.lower) for w in span]))
            if found is None:
                continue
            beside = {w.lower for w in (*words[max(0, i - 1) : i], *words[i + size : i + size + 1])}
            definite = (
                i > 0 and words[i - 1].lower == "the" and spoken in self._columns
            )  # "is the value missing"
            marked = span[0].kind == "quoted" or beside & said.COLUMNS or definite
            marked = marked or (span[0].text[:1].isupper() and i > 0)
            if size == 1 and not marked and (span[0].lower in _CLOSED or self._tables(span[0].lower)):
                continue  # "values", of a column called value: every column has them; "trees", of a tree number
            heard.columns.append(found)
            return size
        return 0

    def _is_name(self, word: str) -> bool:
        """Whether a word for data as such names something of this data: the fields of a farm."""
        return any(x.quality > 0.9 for x in self._vocabulary.named(word)) or any(
            m.kind == "exact" for m in self._index.find([word])
        )

    def _thing(self, word: str, heard: _Heard) -> bool:
        """Whether a word is what the rows of a table are called."""
        tables = self._tables(word)
        heard.tables += tables[:1]
        heard.things = heard.things or bool(tables)
        return bool(tables)

    def _tables(self, word: str) -> list[str]:
        """The tables whose rows are called so."""
        links = [x for x in self._vocabulary.named(word) if x.kind is LinkKind.TABLE and x.quality > 0.9]
        called = [t.name for t in self._model.tables if fold(t.label) in (word, plural(word))]
        return list(dict.fromkeys([*(x.name for x in links), *called]))

    def _asked(self, heard: _Heard, spoken: list[str]) -> Inspection | None:
        """What is asked for, by the words that say so."""
        if heard.has(said.MISSING):
            return self._missing(heard, spoken)
        spoken_of = heard.has(said.ROWS, said.CELLS, said.DATA, said.COLUMNS) or heard.columns or heard.things
        if heard.has(said.DUPLICATE) and spoken_of:
            return Inspection(about="duplicates")
        if heard.has(said.COMPLETE) and heard.has(said.ROWS, said.COLUMNS) and not heard.columns:
            return Inspection(about="missing", gaps="complete" if heard.has(said.ROWS) else "full")
        return self._shape(heard, spoken)

    def _missing(self, heard: _Heard, spoken: list[str]) -> Inspection | None:
        own = any(
            m.kind != "fuzzy" and m.value is not None
            for w in heard.words & said.MISSING
            for m in self._index.find([w])
        )
        cells = heard.has(said.CELLS, said.COLUMNS, said.DATA, said.ROWS)
        if (own and not heard.has(said.CELLS)) or not (cells or heard.columns):
            return None
        rows = heard.has(said.ROWS) or heard.things
        none = heard.has(said.NONE, said.COMPLETE) or spoken[:2] == ["how", "complete"]
        gaps: Gaps | None = None
        if heard.columns:
            grouped = heard.has(said.EACH, said.MOST, said.LEAST) and not heard.has(said.COLUMNS)
            if none or grouped or "both" in spoken:
                return None  # "trees without missing height", "missing heights per species" bound rows
        elif rows and not heard.has(said.EACH) and not heard.has(said.COLUMNS):
            gaps = "complete" if none else "rows"
        elif heard.has(said.MOST, said.LEAST) and heard.has(said.COLUMNS) and "at" not in spoken:
            gaps = "least" if heard.has(said.LEAST) else "most"
        elif heard.has(said.EACH):
            gaps = "each"
        elif heard.has(said.COLUMNS) and (heard.has(said.LISTING) or _counts(spoken, said.COLUMNS)):
            gaps = "full" if none else "columns"
        return Inspection(about="missing", gaps=gaps, share=heard.has(said.SHARE) or _asks_percent(spoken))

    def _shape(self, heard: _Heard, spoken: list[str]) -> Inspection | None:
        if heard.named:
            return None
        columns, rows, data = heard.has(said.COLUMNS), heard.has(said.ROWS), heard.has(said.DATA)
        kinds: dict[Holding, frozenset[str]] = {
            "numeric": said.NUMERIC - ({"number"} if "of" in spoken else set()),
            "categorical": said.CATEGORICAL,
            "dated": said.DATED,
        }
        named: list[Holding] = [k for k, words in kinds.items() if heard.words & words]
        plainly = {"datatype", "datatypes", "dtype", "dtypes"} & {*spoken}
        if plainly or (columns and heard.has(said.KINDS)):
            return Inspection(about="types")
        if columns and len(named) == 1 and not heard.columns:
            return Inspection(about="types", holding=named[0])
        if columns and heard.has(said.DISTINCT) and not heard.columns:
            return Inspection(about="distinct")
        if heard.columns:
            return None
        if heard.has(said.PERIODS) and data and heard.has(said.COVERS) and not columns:
            return Inspection(about="period")
        if "far" in spoken and "back" in spoken and data:
            return Inspection(about="period")
        if (columns and rows) or (heard.has(said.SIZES) and data and not heard.has(said.PERIODS)):
            return Inspection(about="shape")
        if columns and not heard.has(said.MOST, said.LEAST, said.SHARE, said.NONE):
            return Inspection(about="columns")
        return None


_CLOSED = frozenset().union(
    said.MISSING, said.COMPLETE, said.DUPLICATE, said.DISTINCT, said.COLUMNS, said.ROWS, said.CELLS, said.DATA, said.KINDS,
    said.SIZES, said.PERIODS, said.COVERS, said.NUMERIC, said.CATEGORICAL, said.DATED, said.MOST, said.LEAST, said.SHARE,
    said.EACH, said.NONE, said.ALL, said.LISTING, said.FRAME,
)  # fmt: skip


_EVERYWHERE = said.FRAME | said.DATA | said.CELLS | said.ROWS | said.LISTING | said.ALL | said.EACH


def _joined(names: Sequence[str]) -> str:
    """A name as its letters and digits alone."""
    return "".join(map(_letters, names))


@lru_cache(maxsize=REMEMBERED)
def _letters(name: str) -> str:
    return "".join(c for c in fold(name) if c.isalnum())


def _asks_percent(spoken: list[str]) -> bool:
    return spoken[:2] == ["how", "complete"]


def _counts(spoken: list[str], nouns: frozenset[str]) -> bool:
    """Whether such things are counted: “how many columns”, “the number of columns”."""
    for i, word in enumerate(spoken):
        before = spoken[max(0, i - 3) : i]
        if word in nouns and (
            before[-2:] == ["how", "many"]
            or before[-2:] == ["number", "of"]
            or before[-3:] == ["number", "of", "the"]
        ):
            return True
    return False
