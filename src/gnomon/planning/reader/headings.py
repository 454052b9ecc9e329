"""Columns that a question names outright: in quotes, by their raw headings, beside the word column, or in brackets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.associations import adjective, associations
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.vocabulary import MAX_NAME_WORDS, Link, LinkKind
from gnomon.planning.reader.words import Word, fold, is_known_word, name_words
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.values import ValueIndex

HEADING = "heading"
SAYING = frozenset(
    {"column", "columns", "variable", "variables", "feature", "features", "field", "fields", "attribute", "attributes",
     "value", "values"}
)  # fmt: skip
_COLUMN_WORDS = SAYING - {"value", "values"}
_QUOTED = re.compile(
    r"\"([^\"]{1,80})\"|“([^”]{1,80})”|‘([^’]{1,80})’|`([^`]{1,80})`|(?<!\w)'([^']{1,80})'(?!\w)"
)
_EQUATING = frozenset({"is", "are", "was", "were", "=", "equals", "equal", "to"})
_CALLED = frozenset({"called", "named", "labelled", "labeled", "titled"})
_SIGNS = frozenset({"=", "<", ">", "<=", ">=", "!=", "<>"})
_POINTING = vocabulary(
    "represented denoted given measured indicated identified described stored recorded by as in with i.e ie unique distinct"
)
_LISTING = frozenset({",", "and", "or", "&", "/"})
_ARTICLES = frozenset({"the", "a", "an", "our", "each", "both"})


@dataclass(frozen=True)
class _Span:
    """Characters of a question that are one heading."""

    start: int
    end: int
    key: str


class Headings:
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
                if d not in self._columns[_key(heading)]:
                    self._columns[_key(heading)].append(d)
            self._raw |= {r.column for r in d.locations}
        known = names.vocabulary.named
        own = {w for w in SAYING if any(x.kind is not LinkKind.METRIC and x.quality > 0.9 for x in known(w))}
        self._saying = SAYING - own  # fields that are harvested are none of a table
        shaped = sorted((h for h in self._raw if _is_shaped(h)), key=len, reverse=True)
        self._shaped = [(h, re.compile(rf"(?<![\w]){re.escape(h)}(?![\w])", re.IGNORECASE)) for h in shaped]

    def said(self, question: str, words: Sequence[Word]) -> list[Word]:
        """The words, those that are a heading as one word of their own kind, and without what only says so."""
        spans = [*self._quoted(question, words)]
        spans += [s for s in self._unquoted(question) if not any(_overlap(s, t) for t in spans)]
        told = _with_spans(question, words, spans)
        told = self._beside(question, told)
        told = self._colliding(question, told)
        told = self._glossed(question, told)
        return _without_saying(told, self._saying)

    def over(self, items: Sequence[Item], words: Sequence[Word]) -> list[Item]:
        """The items, those of headings instead of whatever else their words may mean."""
        places = set(heading_words(words))
        kept = [x for x in items if not places & set(range(x.start, x.end))]
        named = [(i, self._links(_key_of(words[i]))) for i in sorted(places)]
        kept += [Item(i, i + 1, links=n, outright=True, text=words[i].text) for i, n in named]
        said = [i for i, w in enumerate(words) if i and _is_answer(w, words[i - 1])]
        return kept + [Item(i, i + 1, literal=words[i].text, text=words[i].text) for i in said]

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

    # finding

    def _quoted(self, question: str, words: Sequence[Word]) -> list[_Span]:
        found: list[_Span] = []
        for match in _QUOTED.finditer(question):
            text = next(g for g in match.groups() if g is not None)
            if _key(text) not in self._columns or not _key(text):
                continue
            span = _Span(match.start(), match.end(), _key(text))
            if not self._is_value(text.strip()) or not _is_set_equal(span, words):
                found.append(span)
        return found

    def _is_value(self, text: str) -> bool:
        found = self._index.find([fold(text)])
        return any(m.kind == "exact" and fold(str(m.value)) == fold(text) for m in found)

    def _unquoted(self, question: str) -> list[_Span]:
        """Headings that no sentence has by chance: with marks or capitals inside, or all in capitals."""
        shouted = question.isupper()
        found: list[_Span] = []
        for heading, pattern in self._shaped:
            for match in pattern.finditer(question):
                exact = match.group() == heading
                plain = heading.isalpha() or heading.isdigit()
                if plain and not exact and (is_known_word(heading) or heading.isdigit()):
                    continue
                if (plain and heading.isupper() and shouted) or heading.isdigit():
                    continue
                span = _Span(match.start(), match.end(), _key(heading))
                if not any(_overlap(span, s) for s in found):
                    found.append(span)
        return found

    def _beside(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“the fare column”, “the columns age and fare”, “a variable called age”: what stands beside is a column."""
        result = list(words)
        at = len(result) - 1
        while at >= 0:
            if result[at].lower in _COLUMN_WORDS & self._saying and result[at].kind == "word":
                self._list_behind(question, result, at)
                at = self._list_before(question, result, at)
            at -= 1
        return result

    def _list_before(self, question: str, words: list[Word], at: int) -> int:
        """Makes headings of the names right before a word for columns; where that word stands afterwards."""
        end, many = at, words[at].lower.endswith("s")
        while end > 0:
            begin = self._begin_before(words, end)
            if begin is None:
                return at
            key = self._named(words[begin:end])
            if key is not None:
                words[begin:end] = [_heading(question, words[begin].start, words[end - 1].end, key)]
                at -= end - begin - 1
            end = begin
            while many and end > 0 and words[end - 1].lower in _ARTICLES:
                end -= 1
            if not many or not end or words[end - 1].lower not in _LISTING:
                return at
            while end > 0 and words[end - 1].lower in _LISTING:
                end -= 1
        return at

    def _begin_before(self, words: Sequence[Word], end: int) -> int | None:
        """Where the longest name begins that ends there."""
        if words[end - 1].kind == HEADING:
            return end - 1
        places = range(max(0, end - MAX_NAME_WORDS), end)
        return next((k for k in places if self._named(words[k:end]) is not None), None)

    def _list_behind(self, question: str, words: list[Word], at: int) -> None:
        """Headings right behind a word for columns."""
        begin = at + 1
        if begin < len(words) and words[begin].lower in _CALLED:
            begin += 1
        while begin < len(words):
            for end in range(min(len(words), begin + MAX_NAME_WORDS), begin, -1):
                key = self._named(words[begin:end])
                if key is not None:
                    words[begin:end] = [_heading(question, words[begin].start, words[end - 1].end, key)]
                    break
            else:
                if words[begin].kind != HEADING:
                    return
            begin += 1
            if not words[at].lower.endswith("s"):
                return
            while begin < len(words) and words[begin].lower in _LISTING:
                begin += 1

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
        return _key(self._names.model.dimension(sure[0].name).home.column)

    def _colliding(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“between High and Low”, “x = 1”: a capital inside a sentence, or a sign behind, tells a heading."""
        result: list[Word] = []
        for i, word in enumerate(words):
            inside = i > 0 and word.kind == "word" and word.text in self._raw and word.text[:1].isupper()
            idle = word.lower in FILLERS or (word.lower,) in operators()
            begins = i > 0 and bool(re.search(r"[.?!:]\s*$", question[words[i - 1].end : word.start]))
            beside = i > 1 and words[i - 1].text[:1].isupper() and words[i - 1].kind == "word"
            told = inside and idle and not begins and not beside
            equated = i + 1 < len(words) and words[i + 1].lower in _SIGNS and word.text in self._raw
            if (told and word.lower not in {"which", "what", "how"}) or equated:
                result.append(_heading(question, word.start, word.end, _key(word.text)))
            else:
                result.append(word)
        return result

    # brackets

    def _glossed(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“wind speed (WINDSPEED)”: brackets that hold headings only say which columns the words before mean."""
        result = list(words)
        called: dict[tuple[str, ...], str] = {}
        i = 0
        while i < len(result):
            if result[i].lower != "(":
                i += 1
                continue
            close = next((j for j in range(i + 1, len(result)) if result[j].lower == ")"), None)
            inner = self._listed(question, result[i + 1 : close]) if close is not None else None
            if close is None or not inner:
                i += 1
                continue
            begin = self._explained_from(result, i, inner)
            if len(inner) == 1 and begin is not None:
                phrase = tuple(w.stem for w in result[begin:i] if w.lower not in _COLUMN_WORDS)
                called |= {phrase[k:]: _key_of(inner[0]) for k in range(max(1, len(phrase) - 1))}
                called |= {phrase[-1:]: _key_of(inner[0])} if self._is_unheard(result[begin:i]) else {}
                inner = [_heading(question, result[begin].start, result[close].end, _key_of(inner[0]))]
            if begin is not None:
                result[begin : close + 1] = _joined(inner)
                i = begin
            i += 1
        return self._called_again(question, result, {p: key for p, key in called.items() if p})

    def _is_unheard(self, phrase: Sequence[Word]) -> bool:
        """Whether the noun of a phrase means nothing else here, so that it stands for the phrase."""
        noun = phrase[-1].lower if phrase else ""
        idle = noun in FILLERS or (noun,) in operators() or noun in _COLUMN_WORDS
        known = self._names.vocabulary
        return noun.isalpha() and not idle and not known.named(noun) and not known.part(noun)

    @staticmethod
    def _called_again(question: str, words: list[Word], called: Mapping[tuple[str, ...], str]) -> list[Word]:
        """“wind speed (WINDSPEED) … the wind speed”: words that brackets explained mean the same ever after."""
        for phrase in sorted(called, key=len, reverse=True):
            i = 0
            while i + len(phrase) <= len(words):
                span = words[i : i + len(phrase)]
                if tuple(w.stem for w in span) == phrase and all(w.kind == "word" for w in span):
                    words[i : i + len(phrase)] = [
                        _heading(question, span[0].start, span[-1].end, called[phrase])
                    ]
                i += 1
        return words

    def _listed(self, question: str, inside: Sequence[Word]) -> list[Word] | None:
        """The headings that brackets hold; None where they hold anything else."""
        found: list[Word] = []
        for run in _runs([w for w in inside if w.lower not in self._saying | _ARTICLES | _POINTING]):
            key = _key_of(run[0]) if len(run) == 1 and run[0].kind == HEADING else self._named(run)
            key = key or self._part(run)
            if key is None or key not in self._columns:
                return None
            found.append(_heading(question, run[0].start, run[-1].end, key))
        return found or None

    def _part(self, run: Sequence[Word]) -> str | None:
        """The heading of the only column that has a word in its name, alone in brackets: “cause category (rca)”."""
        parts = self._names.vocabulary.part(run[0].lower) if len(run) == 1 and run[0].kind == "word" else ()
        columns = {x.name for x in parts if x.kind is LinkKind.DIMENSION}
        idle = run[0].lower in FILLERS or (run[0].lower,) in operators() or is_known_word(run[0].lower)
        if idle or len(columns) != 1 or self._is_value(run[0].text):
            return None
        return _key(self._names.model.dimension(columns.pop()).home.column)

    def _explained_from(self, words: Sequence[Word], bracket: int, inner: Sequence[Word]) -> int | None:
        """Where the noun phrase before a bracket begins; None where it names another column."""
        begin = bracket
        meant = {d.name for w in inner for d in self._columns[_key_of(w)]}
        said = {w for x in inner for w in (x.lower, *name_words(x.lower))}
        while begin and bracket - begin < 6 and _is_of_noun(words[begin - 1], said):
            begin -= 1
        of = begin - 1 - int(begin > 0 and words[begin - 1].lower in _ARTICLES)
        if of > 0 and words[of].lower == "of" and self._is_unheard(words[of - 1 : of]):
            begin = of - 1  # "heat of the furnace"
        for start in range(begin, bracket):
            named = self._names.vocabulary.named(" ".join(w.lower for w in words[start:bracket]))
            whole = {x.name for x in named if x.kind is LinkKind.DIMENSION and x.quality > 0.96}
            if whole and not whole & meant:
                return None
        return begin


def code_notes(references: Iterable[str], names: Names) -> list[str]:
    """What to say where numbers are summed up that may only tell things apart."""
    metrics = [names.model.metric(r) for r in references]
    columns = [names.column_of(m) for m in metrics if not is_count(m) and m.inner is None]
    told = {d.label for d in columns if d is not None and d.numeric and d.type is not DimensionType.BOOLEAN}
    return [f"“{label}” looks like a code, so that its figures may say little" for label in sorted(told)]


def heading_words(words: Sequence[Word]) -> list[int]:
    """Where headings stand."""
    return [i for i, w in enumerate(words) if w.kind == HEADING]


def _key(heading: str) -> str:
    return " ".join(name_words(heading)) or fold(heading).strip()


def _is_shaped(heading: str) -> bool:
    """Whether a heading is written as no word of a sentence is."""
    inner = re.search(r"[a-z0-9][A-Z]|[^\W_][^\w\s'-]+[^\W_]|_|[)\]%#]$", heading)
    shouted = len(heading) > 1 and heading.isupper()
    coded = any(c.isdigit() for c in heading) and any(c.isalpha() for c in heading) and " " not in heading
    return bool(inner) or shouted or coded


def _overlap(a: _Span, b: _Span) -> bool:
    return a.start < b.end and b.start < a.end


def _heading(question: str, start: int, end: int, key: str) -> Word:
    """One word for a heading; the marks around it keep it apart from every word of questions."""
    return Word(question[start:end], f"`{key}`", f"`{key}`", start, end, HEADING)


def _key_of(word: Word) -> str:
    return word.lower.strip("`")


def _with_spans(question: str, words: Sequence[Word], spans: Sequence[_Span]) -> list[Word]:
    """The words, those inside of a span as one."""
    result = [w for w in words if not any(w.start < s.end and s.start < w.end for s in spans)]
    result += [_heading(question, s.start, s.end, s.key) for s in spans]
    return sorted(result, key=lambda w: w.start)


def _is_set_equal(span: _Span, words: Sequence[Word]) -> bool:
    """Whether a quoted text stands where a value does: “where status is 'Open'”, and not before column."""
    before = [w for w in words if w.end <= span.start][-1:]
    behind = [w for w in words if w.start >= span.end][:1]
    return bool(before and before[0].lower in _EQUATING) and not (behind and behind[0].lower in SAYING)


def _is_answer(word: Word, before: Word) -> bool:
    """“= Yes”, “equal to false”: what a column of yes and no is said to be."""
    signed = before.lower in {"=", "!=", "equals", "equal"} or before.kind == HEADING
    plain = before.lower in {"to", "is", "was"} and (word.lower != "no" or word.text == "No")
    return word.lower in {"yes", "no", "true", "false"} and word.kind == "word" and (signed or plain)


def _runs(words: Sequence[Word]) -> list[list[Word]]:
    runs: list[list[Word]] = [[]]
    for word in words:
        if word.lower in _LISTING:
            runs.append([])
        else:
            runs[-1].append(word)
    return [r for r in runs if r]


def _joined(inner: Sequence[Word]) -> list[Word]:
    """Headings as a list that “and” joins."""
    result: list[Word] = []
    for n, word in enumerate(inner):
        if n:
            result.append(Word("and", "and", "and", word.start, word.start, "word"))
        result.append(word)
    return result


_KEPT = (Op.COLUMNS, Op.UNIT, Op.ROWS, Op.FILLER)
_PHRASE_ENDS = vocabulary(
    "is are was were be been being do does did has have had can could will would should may might must what which how "
    "who when where why this that these those my our your their its there and or but not no any all some each every "
    "both if whether than as then please show give tell find get calculate compute determine provide return see know "
    "identify check analyze analyse explore investigate examine assess evaluate report estimate predict"
)


def _is_of_noun(word: Word, said: set[str]) -> bool:
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
    return word.lower not in _PHRASE_ENDS and word.lower not in _ARTICLES


def _without_saying(words: Sequence[Word], saying: frozenset[str]) -> list[Word]:
    """The words but for column, variable, value … beside a heading, and what stands between: "x" score column."""
    idle: set[int] = set()
    for i in heading_words(words):
        before = i - 1
        while before >= 0 and words[before].lower in saying | _CALLED:
            idle.add(before)
            before -= 1
        behind = next(
            (k for k in range(i + 1, min(len(words), i + 5)) if words[k].lower in _COLUMN_WORDS & saying),
            None,
        )
        plain = behind is not None and all(_is_of_noun(w, set()) for w in words[i + 1 : behind])
        if behind is not None and plain:
            idle |= set(range(i + 1, behind + 1))
        elif i + 1 < len(words) and words[i + 1].lower in saying:
            idle.add(i + 1)
    return [w for k, w in enumerate(words) if k not in idle]
