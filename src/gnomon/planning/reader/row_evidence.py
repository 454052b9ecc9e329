"""What the data says about a name for its rows: its headings, values, identifiers and file, and what kind of thing it is."""

from __future__ import annotations

import re
from functools import cached_property
from math import prod

from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import MONEY, MONEY_MAYBE, is_unnamed
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.people import PEOPLE, PERSONAL, is_person_noun, may_be_person
from gnomon.planning.reader.relatedness import broader, derived, same, siblings, topic_of
from gnomon.planning.reader.row_likeness import RowLikeness
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.called import amount_of
from gnomon.semantic.labels import entity_of, is_numbered, others
from gnomon.semantic.model import plural, singular
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary

_LIKELY, _SURE, _POSSIBLE = 0.16, 0.27, 0.12
_DEALINGS_APART, _PERSONS_APART, _THINGS_APART, _FAR_APART, _CLOSE = 0.12, 0.055, 0.13, 0.2, 0.105
_HARDLY_APART, _PLAINLY = 0.02, 0.45
# What anything that was looked at may be called.
_ANYTHING = frozenset(
    {"observation", "instance", "sample", "case", "example", "measurement", "reading", "datapoint"}
)
# Properties, amounts, relations, times, feelings, states: what things have rather than what they are.
_HAD = frozenset({7, 12, 23, 24, 26, 28})
_USUAL_PERSONS = (
    "employee", "customer", "student", "patient", "passenger", "player", "user", "member", "applicant",
    "respondent", "guest", "driver", "voter", "resident",
)  # fmt: skip
_USUAL_THINGS = (
    "order", "sale", "expense", "product", "house", "car", "flight", "trip", "ticket", "incident", "task", "project",
    "goal", "book", "movie", "song", "match", "race", "storm", "sample", "plant", "animal", "city", "school", "company",
    "store", "event", "loan", "claim", "machine", "meal", "article", "crime", "accident", "photo", "well", "game",
)  # fmt: skip
_PAY = frozenset({"salary", "salaries", "wage", "wages"})
# What persons have more often than anything else has it.
_HELD_BY_PERSONS = _PAY | {
    "income", "employment", "emp", "dependents", "children", "kids", "gpa", "homeownership", "lastname", "citizen", "hometown",
    "grade", "score", "exam", "party", "diagnosis", "symptoms",
}  # fmt: skip
_CONTACTS = frozenset({"email", "mail", "phone", "mobile", "telephone"})
# Persons of one sex or age, who are some of the persons in a table and never all of them.
_SOME_PERSONS = frozenset(
    {"child", "kid", "baby", "infant", "toddler", "teenager", "teen", "adult", "minor", "senior", "boy", "girl", "man",
     "woman", "lady", "gentleman", "male", "female", "husband", "wife", "parent", "mother", "father"}
)  # fmt: skip
# Persons by what came of them or what they do, who are some of the persons too.
_OUTCOMES = frozenset(
    {
        "survivor",
        "winner",
        "loser",
        "leaver",
        "finisher",
        "dropout",
        "quitter",
        "smoker",
        "drinker",
        "offender",
        "newcomer",
    }
)
# What rows are written in, whatever they tell of: a listing of a house, an entry of a cow.
_NOTICES = frozenset(
    {"listing", "ad", "advert", "advertisement", "posting", "post", "entry", "record", "offer"}
)
_LISTED = frozenset({4, 5, 6, 13, 15, 17, 18, 20})
# A number in an order, which says nothing of what is ordered.
_PLACED = frozenset({"row", "rank", "ranking", "position", "place", "index"})
# Headings of any table that nevertheless say what its rows are where they tell them apart.
_PLACES = frozenset({"city", "state", "country"})
_MANY_KINDS = 40
_SPLITS = frozenset({"train", "test", "valid", "validation"})


class RowEvidence:
    """Weighs nouns for the rows of the one open table of a model.

    Args:
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._model = model
        self._index = index

    @cached_property
    def _open(self) -> TableMeaning | None:
        """The table whose rows have no name; one that only the letters of its numbers name is open to dealings."""
        found = [t for t in self._model.tables if _is_nameless(t) or self._is_weakly_named(t)]
        if len(found) != 1 or self._is_series(found[0]) or self._is_of_named(found[0]):
            return None
        return found[0]

    @property
    def is_open(self) -> bool:
        """Whether the rows of one table have no name."""
        return self._open is not None

    @property
    def table(self) -> str:
        """The name of that table."""
        return self._open.name if self._open is not None else ""

    @cached_property
    def _columns(self) -> list[Dimension]:
        return [d for d in self._model.dimensions if d.at(self.table) is not None]

    def may_be(self, noun: str) -> bool:
        """Whether rows may be such things at all: persons are told by what persons have, a sum is no thing."""
        if self._open is None:
            return False
        last = noun.split()[-1]
        if not _is_nameless(self._open):
            return self.comes_to_money(noun)
        if last in MONEY | MONEY_MAYBE and last not in vocabulary().dealings:
            return False
        if self._open.label.split()[-1] in _NOTICES and not _may_be_listed(last):
            return False  # houses are listed, mortgages are not
        if self._is_some(last) or self._is_value(last):
            return False
        if noun in PEOPLE and self._are_paid:
            return True
        if self._is_person(last):
            fits = self._of_persons and self._fits_persons(noun)
            return fits or (self._may_be_persons and self._is_free(last))
        if self._of_persons or self._has_column(last) or topic_of(last) in _HAD:
            return self.is_told(noun)
        least = _LIKELY if self._told_words else _POSSIBLE
        return self.is_sure(noun) or self._is_near_best(noun, least, _FAR_APART) or self._is_free(last)

    def _is_free(self, noun: str) -> bool:
        """Whether a noun names things that nobody counts beside the rows, and no column tells kinds of."""
        if noun in _SOME_PERSONS | _OUTCOMES or self._is_far_better_told(noun):
            return False
        return singular(noun) not in vocabulary().counters and not self._is_another_kind(noun)

    def _is_far_better_told(self, noun: str) -> bool:
        """Whether the columns are plainly those of another thing: bedrooms and square feet are not of cars."""
        best = 0.0 if self._is_person(noun) else self._fit.best(_USUAL_THINGS)
        return best >= _PLAINLY and self.likeness(noun) < best - _FAR_APART

    def _is_another_kind(self, noun: str) -> bool:
        """Whether a column tells things of that kind apart, of which the noun is none: pilots, of clerks and nurses."""
        for d in self._columns:
            if d.type is not DimensionType.CATEGORY or not 1 < (d.distinct or 0) <= _MANY_KINDS:
                continue
            words = [name_words(str(v)) for v in self._index.values(d.name)[:_MANY_KINDS]]
            alike = [w[-1] for w in words if w and self._is_alike(noun, singular(w[-1]))]
            if len(alike) > 1 and 3 * len(alike) >= len(words):
                return True
        return False

    def _is_alike(self, noun: str, value: str) -> bool:
        """Whether two nouns are kinds of the same thing; persons all are, but for their sex and age."""
        if self._is_person(noun):
            return is_person_noun(value) and value not in _SOME_PERSONS
        return siblings(noun, value)

    def _is_some(self, noun: str) -> bool:
        """Whether a column tells which rows are such: smokers, of those that smoke or never do."""
        kinds = (DimensionType.BOOLEAN, DimensionType.CATEGORY)
        told = [name_words(d.label) for d in self._columns if d.type in kinds]
        return any(stem(w[-1]) != stem(noun) and kindred(noun, w[-1]) for w in told if w)

    def _is_value(self, noun: str) -> bool:
        """Whether a column tells which rows are such: dogs, of dogs and cats."""
        few = [
            d
            for d in self._columns
            if d.type is DimensionType.CATEGORY and 1 < (d.distinct or 0) <= _MANY_KINDS
        ]
        return any(
            str(v).lower() in {noun, plural(noun)}
            for d in few
            for v in self._index.values(d.name)[:_MANY_KINDS]
        )

    def is_sure(self, noun: str) -> bool:
        """Whether the data all but says the noun itself, or has just the columns of such things and no other name."""
        return self.is_told(noun) or (not self._told_words and self.likeness(noun) >= _SURE)

    def is_likely(self, noun: str) -> bool:
        """Whether rows with a condition or a group are such things, and not a figure that is missing."""
        last = noun.split()[-1]
        if self._is_person(last):
            fits = self._of_persons and self._fits_persons(noun)
            return (
                fits or (noun in PEOPLE and self._are_paid) or (self._may_be_persons and self._is_free(last))
            )
        if topic_of(last) not in _HAD and self._is_free(last):
            return True
        counted = {noun, plural(noun)} & (vocabulary().flows | vocabulary().stocks)
        sure = self.is_sure(noun) or self.comes_to_money(noun)
        return sure or self._is_near_best(noun, _LIKELY, _CLOSE if counted else _THINGS_APART)

    def _is_near_best(self, noun: str, least: float, apart: float) -> bool:
        """Whether a noun fits, and no usual thing fits far better: cars do, to bedrooms, till houses are thought of."""
        return self.likeness(noun) >= max(least, self._fit.best(_USUAL_THINGS) - apart)

    def comes_to_money(self, noun: str) -> bool:
        """Whether the noun is a dealing that the rows may be, and they have one amount that says what each comes to."""
        last = noun.split()[-1]
        if last not in vocabulary().dealings or amount_of(self._model, self.table) is None:
            return False
        best = self._fit.best(vocabulary().dealings)
        return self.is_told(noun) or self._fit.of(noun) >= best - _DEALINGS_APART

    def likeness(self, noun: str) -> float:
        """How well the encoder finds that a list of such things has the columns of the table, by any of their names."""
        return self._fit.best((noun, *others(noun)))

    @cached_property
    def _headed(self) -> list[str]:
        """What the columns are called that have a heading."""
        return [d.label for d in self._columns if not is_unnamed(d.home.column)]

    @cached_property
    def _fit(self) -> RowLikeness:
        return RowLikeness(self._headed)

    @cached_property
    def _fit_in_file(self) -> RowLikeness:
        """The same with the words of the file's name: passengers, of classes and fares in a file of a ship."""
        return RowLikeness([*self._headed, *sorted(self._told_words)])

    @staticmethod
    def _is_person(word: str) -> bool:
        return word in PEOPLE or is_person_noun(word) or may_be_person(word)

    @cached_property
    def _personal(self) -> int:
        """How many columns hold what persons have."""
        words = [set(name_words(d.label)) for d in self._columns]
        return sum(bool(w & (PERSONAL | _CONTACTS)) for w in words)

    @cached_property
    def _may_be_persons(self) -> bool:
        """Whether something says that rows are persons."""
        words = {w for d in self._columns for w in name_words(d.label)}
        return self._personal > 0 or bool(words & _HELD_BY_PERSONS) or any(d.personal for d in self._columns)

    @property
    def _of_persons(self) -> bool:
        """Whether rows have what persons have."""
        return self._personal > 1

    @cached_property
    def _are_paid(self) -> bool:
        """Whether rows have a sex or an age and a pay, as only persons do."""
        words = {w for d in self._columns for w in name_words(d.label)}
        return bool(words & PERSONAL) and bool(words & _PAY)

    def _fits_persons(self, noun: str) -> bool:
        """Whether such persons are about as likely as the likeliest of the usual ones."""
        if noun in _SOME_PERSONS:
            return False
        if noun in PEOPLE:
            return True
        least = self._fit.best(_USUAL_PERSONS) - _PERSONS_APART
        many, inside = plural(noun), self._fit_in_file
        if self._told_words and inside.of(noun) >= inside.best(_USUAL_PERSONS) - _HARDLY_APART:
            return " " not in noun
        alike = [
            n for n in _USUAL_PERSONS if self.likeness(n) >= least and (same(many, n) or broader(many, n))
        ]
        return self.likeness(noun) >= least or bool(alike)

    def _has_column(self, word: str) -> bool:
        """Whether a column is called so, and so is no name for the rows."""
        return any(stem(word) == stem(name_words(d.label)[-1]) for d in self._columns if name_words(d.label))

    def is_told(self, noun: str) -> bool:
        """Whether the file's name, a heading, texts or the letters of identifiers speak of the noun."""
        last = noun.split()[-1]
        parts = {stem(w) for d in self._columns for w in name_words(d.label)[:-1]}
        if last in _ANYTHING or stem(last) in parts:
            return True
        if any(kindred(last, w) or same(last, w) or derived(last, w) for w in self._told_words):
            return True
        return self._is_in_numbers(last) or self._is_in_texts(last)

    @cached_property
    def _told_words(self) -> frozenset[str]:
        """The words of the file's name that mean something."""
        if self._open is None or is_numbered(self._open.name):
            return frozenset()
        words = {w for w in name_words(self._open.name) if len(w) > 2 and w.isalpha()}
        known = {w for w in words if get_lexicon().knows(w)} - vocabulary().opaque_tables
        known = {w for w in known if singular(w) not in _NOTICES}
        return frozenset() if words & _SPLITS else frozenset(known)

    def _is_in_numbers(self, word: str) -> bool:
        """Whether the letters before running numbers are how the noun begins: G0001 and goals, EXP-12 and expenses."""
        keys = [
            d
            for d in self._columns
            if d.type is DimensionType.ID and entity_of(d.at(self.table) or "") is None
        ]
        for key in keys:
            letters = {m[1].lower() for v in self._index.values(key.name)[:50] if (m := re.match(r"([A-Za-z]{1,4})[-_ #]?\d+$", str(v)))}  # fmt: skip
            if len(letters) == 1 and word.startswith(letters.pop()):
                return True
        return False

    def _is_in_texts(self, word: str) -> bool:
        """Whether several texts of a column speak of it."""
        kinds = (DimensionType.TEXT, DimensionType.CATEGORY)
        for d in self._columns:
            texts = [str(v).lower() for v in self._index.values(d.name)[:200]] if d.type in kinds else []
            met = sum(any(stem(w) == stem(word) for w in name_words(t)) for t in texts)
            if met > 1 and 4 * met >= len(texts):
                return True
        return False

    def _is_weakly_named(self, table: TableMeaning) -> bool:
        """Whether only the letters before running numbers say what rows are."""
        own = table.key[0] if len(table.key) == 1 else ""
        named = set(table.label.split()) & set(name_words(table.name))
        return bool(own) and entity_of(own) is None and not named and is_numbered(table.name)

    def _is_of_named(self, table: TableMeaning) -> bool:
        """Whether a column of names says what each row is about: one row for each country."""
        names = [d for d in self._model.dimensions if (d.at(table.name),) == table.key]
        kinds = (DimensionType.CATEGORY, DimensionType.TEXT)
        heads = [name_words(d.label)[-1] for d in names if d.type in kinds and not d.personal]
        generic = vocabulary().generic_columns - _PLACES
        return any(get_lexicon().knows(h) and h not in generic for h in heads)

    def _is_series(self, table: TableMeaning) -> bool:
        """Whether rows are figures of days or moments, or of things at them."""
        held = [d for d in self._model.dimensions if d.at(table.name) is not None]
        times = [d for d in held if d.type is DimensionType.TIME]
        rows, kinds = table.rows or 1, (DimensionType.CATEGORY, DimensionType.TEXT)
        bare = not any(d.type in kinds for d in held)
        ticking = [d for d in times if (d.distinct or 0) >= 0.95 * rows]
        if bare and ticking:
            return True
        if any(d.type is DimensionType.ID and (d.at(table.name),) == table.key for d in held):
            return False
        if any(_is_regular(d, rows) for d in ticking):
            return True
        others = [d.distinct or rows for d in held if d.at(table.name) in table.key and d not in times]
        keyed = [d for d in times if d.at(table.name) in table.key]
        return any((d.distinct or rows) * prod(others) <= 2.5 * rows for d in keyed if others)


def _is_regular(time: Dimension, rows: int) -> bool:
    """Whether one row stands for each day or longer, or for each hour: what happens comes on some days twice."""
    if time.coverage is None or time.grain is None:
        return False
    days = (time.coverage[1] - time.coverage[0]).days + 1
    if time.grain is TimeGranularity.DAY:
        return days <= 2 * rows  # what is told of weekdays, and of some days again and again
    return time.grain is not TimeGranularity.HOUR or 24 * days <= 1.1 * rows


def _may_be_listed(noun: str) -> bool:
    """Whether a noun has a meaning that is a thing, an animal or a place."""
    lexicon = get_lexicon()
    senses = [s for s in lexicon.entry(singular(noun)).senses if s.part == "n"]
    return any(lexicon.synset(s.synset).topic in _LISTED for s in senses)


def _is_nameless(table: TableMeaning) -> bool:
    """Whether nothing names the rows, or only their place, a few letters that are no word (a sku), or that they are listed."""
    last = table.label.split()[-1]
    figures = vocabulary().intensive | vocabulary().flows
    if last in _NOTICES or table.label in _PLACED or not get_lexicon().knows(last):
        return True
    return not table.key and " " in table.label and last in figures
