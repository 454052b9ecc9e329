"""What rows are called where the data does not say it: homes, of listings of houses and condos; runners, of a race.

Each rule needs evidence from the table itself, never likeness to its name alone: the values are kinds of the thing,
a date says when it was done, rows have an age and a sex and the noun is close to what the table is about.
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.planning.reader.people import PEOPLE, PERSONAL, is_person_noun, may_be_person
from gnomon.planning.reader.relatedness import likeness
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.labels import is_cut_from
from gnomon.semantic.model import plural, singular
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary

_MANY_KINDS = 40
_DEEDS = frozenset({4, 11, 38})
_DATES = frozenset({"date", "day", "time", "dt", "ts", "timestamp", "datetime", "on", "at", "year", "since"})
_CLOSE = 0.535
# What one person hands in, once.
_HANDED_IN = frozenset(
    {"response", "answer", "survey", "questionnaire", "respondent", "submission", "feedback"}
)


class RowNouns:
    """Finds the table whose rows a noun that names nothing stands for.

    Args:
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._model = model
        self._index = index
        self._kept: dict[str, tuple[str, ...]] = {}

    def of(self, noun: str) -> tuple[str, ...]:
        """The rows that ``noun`` stands for, as people say them; nothing where no table speaks for it."""
        if noun not in self._kept:
            found = [t for t in self._model.tables if self._is_called(t, noun)] if _is_noun(noun) else []
            self._kept[noun] = tuple(plural(t.label) for t in found)
        return self._kept[noun]

    def _is_called(self, table: TableMeaning, noun: str) -> bool:
        columns = [d for d in self._model.dimensions if d.home.table == table.name]
        if self._is_handed_in(table) and (noun in PEOPLE or _hands_in(noun, table)):
            return True
        if noun in PEOPLE or may_be_person(noun):
            persons = self._is_of_persons(table, columns)
            return persons and (noun in PEOPLE or self._concerns(table, columns, noun))
        if is_deed(noun):
            return self._was_done(columns, noun)
        return not is_deed(table.label.split()[-1]) and any(self._is_kind(d, noun) for d in columns)

    def _is_handed_in(self, table: TableMeaning) -> bool:
        """Whether each row is what one person answered, and the data speaks of no other persons."""
        return table.label.split()[-1] in _HANDED_IN and not self._other_persons()

    def _is_kind(self, column: Dimension, noun: str) -> bool:
        """Whether most values of a column are kinds of what the noun means: dogs and cats, of animals."""
        if column.type is not DimensionType.CATEGORY or not 1 < (column.distinct or 0) <= _MANY_KINDS:
            return False
        values = [str(v).lower() for v in self._index.values(column.name)[:_MANY_KINDS]]
        kinds = [v for v in values if v.split() and any(_is_kind_of(x, noun) for x in (v, v.split()[-1]))]
        return len(kinds) > 1 and 2 * len(kinds) >= len(values)

    def _was_done(self, columns: Sequence[Dimension], noun: str) -> bool:
        """Whether a date that every row has says when it was done: applications, of permits with a day applied for."""
        return any(
            d.type is DimensionType.TIME
            and not d.nullable
            and any(_tells(noun, w) for w in name_words(d.label))
            for d in columns
        )

    def _is_of_persons(self, table: TableMeaning, columns: Sequence[Dimension]) -> bool:
        """Whether rows have what persons have, and the data speaks of no other persons."""
        told = sum(bool(PERSONAL & set(name_words(d.label))) for d in columns)
        return told > 1 and not self._other_persons() and table.label.split()[-1] not in {"patient", "case"}

    def _other_persons(self) -> bool:
        """Whether rows or identifiers are persons by name."""
        ids = (d for d in self._model.dimensions if d.type is DimensionType.ID)
        return any(is_person_noun(x.label) for x in (*self._model.tables, *ids))

    def _concerns(self, table: TableMeaning, columns: Sequence[Dimension], noun: str) -> bool:
        """Whether a kind of person has to do with what the table is about: runners with a race."""
        about = {*name_words(table.name), *name_words(table.label)} - vocabulary().opaque_tables
        told = (DimensionType.NUMBER, DimensionType.TIME)
        beside = {
            w for d in columns if d.type in told and not d.nullable for w in name_words(d.label)
        } - PERSONAL
        if any(self._is_state(d, noun) for d in columns):
            return False  # "finishers", where some did not finish
        if any(is_cut_from(w, singular(noun)) and w != noun for d in columns for w in name_words(d.label)):
            return False  # professors, where a column "prof" tells them apart
        if any(kindred(noun, w) and len(w) > 3 for w in about | beside):
            return True
        return any(likeness(noun, w) >= _CLOSE for w in about if len(w) > 3 and get_lexicon().knows(w))

    def _is_state(self, column: Dimension, noun: str) -> bool:
        """Whether a column says of some rows only that they are what the noun means."""
        if column.type is DimensionType.BOOLEAN or column.nullable:
            return any(kindred(noun, w) for w in name_words(column.label))
        few = column.type is DimensionType.CATEGORY and (column.distinct or 99) <= _MANY_KINDS
        return few and any(
            kindred(noun, str(v).lower()) for v in self._index.values(column.name)[:_MANY_KINDS]
        )


def _hands_in(noun: str, table: TableMeaning) -> bool:
    """Whether a kind of person is called after what is handed in: respondents, of responses."""
    return may_be_person(noun) and kindred(noun, table.label.split()[-1])


def _is_noun(word: str) -> bool:
    return any(part == "n" for _, part in get_lexicon().bases(word))


def _is_kind_of(value: str, noun: str) -> bool:
    wide = next((r for r in relate(noun, value) if r.relation is Relation.BROADER), None)
    return wide is not None and wide.said >= 0.15 and wide.meant >= 0.15


def is_deed(word: str) -> bool:
    """Whether a noun mostly means something that is done or happens."""
    lexicon = get_lexicon()
    for base, part in lexicon.bases(word):
        senses = [s for s in lexicon.entry(base).senses if s.part == "n"] if part == "n" else []
        deeds = sum(s.share for s in senses if lexicon.synset(s.synset).topic in _DEEDS)
        if senses and deeds >= 0.4 * sum(s.share for s in senses):
            return True
    return False


def _tells(noun: str, word: str) -> bool:
    return word not in _DATES and len(word) > 3 and (kindred(noun, word) or stem(noun) == stem(word))
