"""Questions that make columns first and ask about them then: what is made, and what is left to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from gnomon.core.parts import Filter, Parts
from gnomon.core.patterns import late_pattern
from gnomon.planning.reader.apposed_columns import apposed
from gnomon.planning.reader.changed_columns import ColumnChanges
from gnomon.planning.reader.clauses import Clause
from gnomon.planning.reader.column_clauses import ColumnClauses
from gnomon.planning.reader.column_comparisons import ColumnComparisons
from gnomon.planning.reader.compared_bands import compared_bands
from gnomon.planning.reader.draft import Drafts
from gnomon.planning.reader.inline_columns import inline
from gnomon.planning.reader.left_out_rows import only_finds_outliers
from gnomon.planning.reader.parts_of_time import parts_of_time
from gnomon.planning.reader.said_bands import SaidBands
from gnomon.planning.reader.said_columns import SaidColumns
from gnomon.planning.reader.task_steps import LEAD, sentences_of, steps_of, without_announcement, without_done
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.wider_model import Made, widened
from gnomon.planning.reader.words import name_words
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.derived import derived_at, derived_in
from gnomon.semantic.values import ValueIndex

_NOUN = r"(?:features?|columns?|variables?|fields?|attributes?|metrics?|data|values?|indicator|flag)"
_MADE = r"(?:new(?:ly)?|created|derived|resulting|calculated|computed|transformed|scaled|normali[sz]ed|standardi[sz]ed|filled|imputed|cleaned|engineered|updated)"
_PRONOUN = late_pattern(
    rf"\b(?:this|that|the|these|those)\s+(?:{_MADE}\s+)+{_NOUN}\b|\b(?:this|that)\s+(?:feature|column|variable|field|attribute)\b",
    re.IGNORECASE,
)
_HOW = r"(?:mean|average|median|standard deviation|std|variance|minimum|maximum|min|max|sum|total|range|skewness|kurtosis|mode|distribution)"
_ITS = late_pattern(rf"\bits\s+((?:{_HOW})(?:\s*,\s*(?:and\s+)?{_HOW}|\s+and\s+{_HOW})*)", re.IGNORECASE)


_MONTHS = late_pattern(r"\b(?:month and year|year and month)(?:\s+combination)?s?\b", re.IGNORECASE)
_EACH = late_pattern(
    r"\b(?P<of>each|every|these|those|the|per|by)\s+(?:of\s+(?:these|the)\s+)?(?:group|category|bin|bracket|band|class|segment|range)s?\b",
    re.IGNORECASE,
)


@dataclass
class _Rewritten:
    question: str
    made: list[Made] = field(default_factory=list[Made])
    filters: list[Filter] = field(default_factory=list[Filter])
    told: list[str] = field(default_factory=list[str])
    refused: str = ""
    cut: bool = False
    about: tuple[str, ...] = ()
    steps: int = 0
    waiting: list[str] = field(default_factory=list[str])

    @property
    def is_begun(self) -> bool:
        """Whether anything was done yet."""
        return self.steps > 0


class NewColumns:
    """Reads questions about columns that they define themselves, or that the question before defined.

    Args:
        model: What the tables mean.
        index: The values of the data.
        vocabulary: How the things of the model are said.
        reader: Makes a reader over a wider model of the same data.
    """

    def __init__(
        self,
        model: SemanticModel,
        index: ValueIndex,
        vocabulary: Vocabulary,
        reader: Callable[[SemanticModel, ValueIndex], Drafts],
    ) -> None:
        self._model = model
        self._index = index
        self._vocabulary = vocabulary
        self._make = reader
        self._columns = SaidColumns(model, vocabulary)

    def read(self, question: str, *, today: date, previous: Parts | None = None) -> Drafted | None:
        """The reading of a question that speaks of columns to be made; None where it does not."""
        known = {d.name for d in self._model.dimensions}
        earlier = [m for m in _made_before(previous) if m.reference not in known]
        found = self._rewritten(question, earlier) if not only_finds_outliers(question) else None
        if found is None:
            return None
        if found.refused:
            return Drafted(
                status=ReadingStatus.PARTIAL,
                missing=(found.refused,),
                message=f"Nothing was computed: {found.refused}.",
            )
        reader = self._make(widened(self._model, found.made), self._values(found.made))
        reading = reader.drafted(found.question, today=today, previous=previous)
        return self._told(question, reading, found)

    def _values(self, made: Sequence[Made]) -> ValueIndex:
        labels = {m.reference: found for m in made if (found := m.derived.labels)}
        return self._index.wider(labels) if labels else self._index

    def _told(self, question: str, reading: Drafted, found: _Rewritten) -> Drafted:
        notes = dict.fromkeys([*(m.told for m in found.made if m.told), *found.told, *reading.notes])
        requests = [
            r.model_copy(update={"question": question, "filters": _together(r.filters, found.filters)})
            for r in reading.requests
        ]
        return reading.model_copy(update={"requests": tuple(requests), "notes": tuple(notes)})

    def _rewritten(self, question: str, earlier: Sequence[Made]) -> _Rewritten | None:
        columns = self._columns.anew()
        for one in earlier:
            columns.define(one.derived, one.table)
        result = _Rewritten("", list(earlier))
        kept = self._without_clauses(question, columns, result)
        if result.refused:
            return result
        if result.is_begun:
            kept = [without_done(k, result.about) for k in kept]
        rest = " ".join(k for k in kept if k).strip()
        rest = _named(rest, result.made) if result.made else rest
        if (banded := SaidBands(self._model, columns, self._index).inline(rest)) is not None:
            rest = re.sub(r"\s+([?.,])", r"\1", banded[0])
            result.made.append(banded[1])
        if (bands := compared_bands(rest, columns, self._model)) is not None:
            rest = bands[0]
            result.made.append(bands[1])
        if (explained := apposed(rest, columns, self._model, self._vocabulary)) is not None:
            rest = explained[0]
            result.made.append(explained[1])
        rest, more = inline(rest, columns, self._model)
        result.made += more
        if (compared := ColumnComparisons(columns, self._model, self._index).inline(rest)) is not None:
            rest = compared[0]
            result.made.append(compared[1])
        if not result.made and not result.is_begun:
            return None
        rest = _MONTHS.sub("month", rest) if result.cut else rest
        result.question = rest or self._about(result.made)
        return result if result.question else None

    def _without_clauses(self, question: str, columns: SaidColumns, result: _Rewritten) -> list[str]:
        """The clauses that make nothing; what the others make is noted."""
        clauses = ColumnClauses(self._model, columns, SaidBands(self._model, columns, self._index))
        changes = ColumnChanges(self._model, columns, self._index)
        kept: list[str] = []
        scope = ""
        for sentence in sentences_of(question):
            text, named = without_announcement(LEAD.sub("", sentence))
            scope = named or scope
            if not text.strip():
                result.waiting.append(sentence.strip())
                continue
            whole = f"{named} {text}" if named else text
            if (
                time := parts_of_time(f"{text} of {named}" if named else text, columns, self._model)
            ) is not None:
                self._note(time, result)
                continue
            parts = steps_of(text)
            read = [
                self._clause(p, whole if len(parts) > 1 else scope, clauses, changes, result) for p in parts
            ]
            untouched = all(rest == p for rest, p in zip(read, parts, strict=True))
            if untouched and not result.is_begun:
                kept += [*result.waiting, sentence.strip()]
                result.waiting = []
            else:
                kept += [_ended(rest) for rest in read]
        if result.is_begun:
            result.waiting = []
        return [*result.waiting, *kept]

    def _clause(
        self, text: str, about: str, clauses: ColumnClauses, changes: ColumnChanges, result: _Rewritten
    ) -> str:
        """What is left of a clause when what it makes or changes is noted."""
        if (change := changes.read(text, about)) is not None:
            result.made += change.made
            result.filters += change.filters
            result.told += change.told
            result.refused = result.refused or change.refused
            result.about = change.about or result.about
            result.steps += 1
            return ""
        if (clause := clauses.read(text)) is not None:
            self._note(clause, result)
            return clause.rest
        return text

    @staticmethod
    def _note(clause: Clause, result: _Rewritten) -> None:
        result.made += clause.made
        result.refused = result.refused or clause.refused
        result.cut = result.cut or clause.understood
        result.steps += 1

    def _about(self, made: Sequence[Made]) -> str:
        """What is told of a column that is only made: its usual figures, or how many rows each of its values has."""
        last = made[-1] if made else None
        if last is None:
            return ""
        name = f'"{last.derived.name}"'
        if last.derived.type is DimensionType.NUMBER:
            return f"What are the mean, median and standard deviation of {name}?"
        return f"How many rows are there by {name}?"


def _made_before(previous: Parts | None) -> list[Made]:
    """The columns that the request before speaks of."""
    if previous is None:
        return []
    fields = [f.field for f in (*previous.filters, *previous.part)]
    found: dict[str, Made] = {}
    for reference in (*previous.metrics, *previous.dimensions, *previous.columns, *fields):
        for spelling in derived_in(reference):
            table = reference[: reference.index(spelling)].rpartition("(")[2].removesuffix(".")
            made = derived_at(f"{table}.{spelling}")
            if made is not None:
                found[spelling] = Made(*made)
    return list(found.values())


def _named(text: str, made: Sequence[Made]) -> str:
    """The text with every way to speak of a made column replaced by its name in quotes."""
    called = {name: m.derived.name for m in made for name in (*m.names, m.derived.name)}
    ways = [(_said(name), one) for name, one in sorted(called.items(), key=lambda kv: -len(kv[0]))]
    every = "|".join(f"({said})" for said, _ in ways)
    plain = rf"(?<![\w\"“'‘`])[\"“'‘`]?(?:{every})s?[\"”'’`]?(?![\w\"”'’`])(?:\s+(?:features?|columns?|variables?)\b)?"

    def name_of(match: re.Match[str]) -> str:
        return f'"{next(one for (_, one), g in zip(ways, match.groups(), strict=True) if g)}"'

    text = re.sub(plain, name_of, text, flags=re.IGNORECASE)
    for flag in (m.derived.name for m in made if m.derived.type is DimensionType.BOOLEAN):
        asked = rf'"{re.escape(flag)}"\s*(?:=+|is|equals|equal\s+to|of)\s*'
        text = re.sub(rf"{asked}(?:1|true|yes)\b", f'"{flag}"', text, flags=re.IGNORECASE)
        text = re.sub(rf"{asked}(?:0|false|no)\b", f'not "{flag}"', text, flags=re.IGNORECASE)
    last = made[-1].derived.name
    if made[-1].derived.labels:
        text = _EACH.sub(lambda m: f'{"by" if m["of"].lower() == "by" else "each"} "{last}"', text)
    text = _PRONOUN.sub(f'"{last}"', text)
    return _ITS.sub(lambda m: f'the {m[1]} of "{last}"', text)


def _ended(text: str) -> str:
    """A clause that was cut out of a sentence, with its end."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return f"{text}." if text and text[-1] not in ".?!;:," else text


def _said(name: str) -> str:
    """A name however its words are joined."""
    return r"[\s_-]*".join(map(re.escape, name_words(name) or (name,)))


def _together(own: Sequence[Filter], more: Sequence[Filter]) -> tuple[Filter, ...]:
    return tuple(dict.fromkeys([*own, *more]))
