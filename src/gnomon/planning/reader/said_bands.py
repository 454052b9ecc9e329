"""Groups made of ranges: which column the ranges are of, what the groups are called, and where that is said."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.ages import age_column
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.said_ranges import Range, ranges_in
from gnomon.planning.reader.wider_model import Made
from gnomon.planning.reader.words import name_words, split_words, stem
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived
from gnomon.semantic.values import ValueIndex

_NOUNS = (
    r"(?:groups?|bands?|brackets?|ranges?|bins?|categor(?:y|ies)|classes|class|segments?|intervals?|buckets?)"
)
_BANDS = late_pattern(rf"\b(\w+(?:[ _]\w+)?)[ _-]{_NOUNS}\b", re.IGNORECASE)
_ASKED = late_pattern(
    rf"(?:\b(?:for|by|per|in|across|of|within|among)\s+)?(?:(?:each|the|these|every|following|different)\s+)*"
    rf"(?P<of>(?:(?!(?:for|by|per|in|across|of|within|among|each|the)\b)\w+[ _]){{1,3}}?){_NOUNS}\s*(?:of\s+|:\s*|\(\s*|,\s*)?$",
    re.IGNORECASE,
)
# "by age: under 18, 18-64": a list of ranges right behind a column groups by them.
_LISTED = regex(
    r"\b(?P<by>by|per|across)\s+(?P<of>(?:\w+[ _]){0,2}?\w+)\s*[:(]\s*(?=(?:under|below|over|above|up\s+to|less\s+than|more\s+than)?\s*\d)",
    re.IGNORECASE,
)


class SaidBands:
    """Reads the ranges of one question.

    Args:
        model: What the tables mean.
        columns: The columns that it may speak of; the groups that are made are added.
        index: The values of the data, none of which may get lost.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns, index: ValueIndex) -> None:
        self._model = model
        self._columns = columns
        self._index = index

    def made(self, clause: str, name: str | None) -> tuple[Made, int, int] | None:
        """The groups that a clause makes, and where its ranges stand; None where it makes none."""
        ranges = ranges_in(clause)
        if not ranges:
            return None
        start, end = min(r.start for r in ranges), max(r.end for r in ranges)
        column = self._column(clause[:start])
        if column is None or self._restricts(clause[:start], name):
            return None
        return self._of(column, ranges, name), start, end

    def inline(self, question: str) -> tuple[str, Made] | None:
        """“average fare for age groups 0-17, 18-64 and 65+”: the question by these groups."""
        question = _LISTED.sub(r"\g<by> \g<of> groups ", question)
        ranges = ranges_in(question)
        if not ranges:
            return None
        start, end = min(r.start for r in ranges), max(r.end for r in ranges)
        asked = _ASKED.search(question[:start])
        column = (
            self._column(asked["of"] + " groups") or self._age(asked["of"]) if asked is not None else None
        )
        if asked is None or column is None:
            return None
        made = self._of(column, ranges, None)
        behind = question[end:].lstrip(") ")
        return f'{question[: asked.start()]} by "{made.derived.name}" {behind}', made

    def _age(self, said: str) -> Said | None:
        """The one column of ages, said as age or ages."""
        age = age_column(self._model) if said.strip().lower() in {"age", "ages"} else None
        return self._columns.find(age.label) if age is not None else None

    def _of(self, column: Said, ranges: list[Range], name: str | None) -> Made:
        label = name or f"{column.dimension.label} group"
        text = f"ranges({column.expression}, {', '.join(r.written() for r in ranges)})"
        new = Derived(label, text)
        self._columns.define(new, column.table)
        told = f"“{label}” of {column.dimension.label}: {', '.join(r.told() for r in ranges)}"
        return Made(column.table, new, told)

    def _column(self, before: str) -> Said | None:
        """The one column of numbers that the words before ranges speak of, “age groups” included."""
        found: dict[str, Said] = {}
        reads = RowArithmetic(before, self._columns, self._model)
        bands = [said for m in _BANDS.finditer(before) for said in (m[1], m[1].split()[-1])]
        spoken = [reads.read(i) for i in range(len(reads.tokens))]
        said = [e.columns[0] for e in spoken if e is not None and len(e.columns) == 1 and not e.is_made]
        for column in [*said, *(c for b in bands if (c := self._columns.find(b)) is not None)]:
            if column.is_number:
                found[column.column] = column
        if not found:
            words = {stem(w.lower) for w in split_words(before)}
            found = {
                c.column: c
                for c in self._columns.numbers()
                if stem(name_words(c.dimension.label)[-1]) in words
            }
        return next(iter(found.values())) if len(found) == 1 else None

    def _restricts(self, before: str, name: str | None) -> bool:
        """Whether the words before ranges also name a value, which groups of all rows would lose."""
        words = [w.lower for w in split_words(before.replace(name or "\0", " "))]
        return any(m.kind == "exact" and m.score == 1 for m in self._index.find(words))
