"""What stands above the columns of a model: headings as words of a question, and the columns that they name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.associations import adjective, associations
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import Word, fold, name_words
from gnomon.semantic import Dimension
from gnomon.semantic.values import ValueIndex

HEADING = "heading"
SAYING = frozenset(
    {"column", "columns", "variable", "variables", "feature", "features", "field", "fields", "attribute", "attributes",
     "value", "values"}
)  # fmt: skip
COLUMN_WORDS = SAYING - {"value", "values"}
LISTING = frozenset({",", "and", "or", "&", "/"})
ARTICLES = frozenset({"the", "a", "an", "our", "each", "both"})


class HeadingNames:
    """The columns of a model by what stands above them.

    Args:
        names: The names of the model.
        index: The values of the data, which a quoted text may be instead.
    """

    def __init__(self, names: Names, index: ValueIndex) -> None:
        self._names = names
        self._index = index
        self._columns: dict[str, list[Dimension]] = defaultdict(list)
        self._raw: set[str] = set()
        for d in names.model.dimensions:
            for heading in dict.fromkeys(
                (*(r.column for r in d.locations), d.name.rpartition(".")[2], d.label)
            ):
                if d not in self._columns[heading_key(heading)]:
                    self._columns[heading_key(heading)].append(d)
            self._raw |= {r.column for r in d.locations}
        known = names.vocabulary.named
        own = {w for w in SAYING if any(x.kind is not LinkKind.METRIC and x.quality > 0.9 for x in known(w))}
        self._saying = SAYING - own  # fields that are harvested are none of a table
        shaped = sorted((h for h in self._raw if is_shaped(h)), key=len, reverse=True)
        self._shaped = [(h, re.compile(rf"(?<![\w]){re.escape(h)}(?![\w])", re.IGNORECASE)) for h in shaped]

    def _links(self, key: str) -> tuple[Link, ...]:
        """The columns of a heading and the measures over them, and nothing else of that name."""
        found: dict[tuple[LinkKind, str], Link] = {}
        for d in self._columns.get(key, ()):
            found[LinkKind.DIMENSION, d.name] = Link(LinkKind.DIMENSION, d.name, 1.0)
            for link in self._names.vocabulary.named(d.label):
                if link.kind is LinkKind.METRIC:
                    metric = self._names.model.metric(link.name)
                    if not is_count(metric) and self._names.column_of(metric) == d:
                        found.setdefault((link.kind, link.name), link)
        return tuple(found.values())

    def _is_value(self, text: str) -> bool:
        found = self._index.find([fold(text)])
        return any(m.kind == "exact" and fold(str(m.value)) == fold(text) for m in found)

    def _named(self, span: Sequence[Word]) -> str | None:
        """The heading that some words are, or the one column that they name by its whole name."""
        if not span or any(w.kind in {HEADING, "symbol", "quoted"} for w in span):
            return None
        key = " ".join(w.lower for w in span)
        if self._columns.get(key):
            return key
        if span[0].lower in FILLERS or (len(span) == 1 and (span[0].lower,) in operators()):
            return None
        links = [x for x in self._names.vocabulary.named(key) if x.kind is LinkKind.DIMENSION]
        sure = [x for x in links if x.quality >= 0.92]
        if len(sure) != 1:
            return None
        return heading_key(self._names.model.dimension(sure[0].name).home.column)


def heading_words(words: Sequence[Word]) -> list[int]:
    """Where headings stand."""
    return [i for i, w in enumerate(words) if w.kind == HEADING]


def heading_key(heading: str) -> str:
    return " ".join(name_words(heading)) or fold(heading).strip()


def is_shaped(heading: str) -> bool:
    """Whether a heading is written as no word of a sentence is."""
    inner = re.search(r"[a-z0-9][A-Z]|[^\W_][^\w\s'-]+[^\W_]|_|[)\]%#]$", heading)
    shouted = len(heading) > 1 and heading.isupper()
    coded = any(c.isdigit() for c in heading) and any(c.isalpha() for c in heading) and " " not in heading
    return bool(inner) or shouted or coded


def heading_word(question: str, start: int, end: int, key: str) -> Word:
    """One word for a heading; the marks around it keep it apart from every word of questions."""
    return Word(question[start:end], f"`{key}`", f"`{key}`", start, end, HEADING)


def key_of(word: Word) -> str:
    return word.lower.strip("`")


_KEPT = (Op.COLUMNS, Op.UNIT, Op.ROWS, Op.FILLER)
_PHRASE_ENDS = vocabulary(
    "is are was were be been being do does did has have had can could will would should may might must what which how "
    "who when where why this that these those my our your their its there and or but not no any all some each every "
    "both if whether than as then please show give tell find get calculate compute determine provide return see know "
    "identify check analyze analyse explore investigate examine assess evaluate report estimate predict"
)


def is_of_noun(word: Word, said: set[str]) -> bool:
    """Whether a word before a bracket may belong to the noun that the bracket explains."""
    known = operators().get((word.lower,))
    if word.lower in said:
        return True
    if word.kind != "word":
        return word.lower in {"/", "-"}
    graded = associations().get(word.lower) or adjective(word.lower)
    if (known is not None and known.op not in _KEPT) or (
        graded and (graded.superlative or graded.comparative)
    ):
        return False
    return word.lower not in _PHRASE_ENDS and word.lower not in ARTICLES
