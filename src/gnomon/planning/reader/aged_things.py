"""The oldest and the youngest where no column tells ages: by the day of birth, or the year in which a thing was made."""

from __future__ import annotations

from dataclasses import replace

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.people import PEOPLE, may_be_person
from gnomon.planning.reader.places import rows_named
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_BIRTH = vocabulary("birth dob birthdate birthday born")
_MADE = vocabulary(
    "built build construction constructed released release opened opening founded foundation established launched launch "
    "published publication created creation planted made manufactured introduced produced formed started installed"
)
# Ages that things are for, not those that they have.
_MEANT_FOR = vocabulary(
    "min max minimum maximum legal retirement recommended target suggested required rating"
)
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


def aged(sentence: Sentence, i: int, names: Names) -> Metric | None:
    """“the oldest runner”, “which cabin is the youngest”: the end of a date by which things are ranked."""
    item = sentence[i]
    age = item.association
    if age is None or item.links or not age.superlative or age.nouns[0] != "age":
        return None
    nouns = [x for x in (*sentence.items[i + 1 :], *sentence.items[:i]) if x.links and not x.used]
    placed = next(((x, t) for x in nouns if (t := _table(x, names)) is not None), None)
    if placed is None:
        return None
    noun, table = placed
    if any(_is_age(d) for d in names.model.dimensions if d.at(table) is not None):
        return None
    date = _date(noun, table, names)
    if date is None:  # "the oldest game", of which only the age of its players is known
        item.association = replace(age, nouns=("age of its own",))
        return None
    how = Aggregation.MIN if age.descending else Aggregation.MAX
    item.used, item.association, item.operator = True, None, Operator(Op.RANK, not age.descending)
    return names.model.metric(f"{how}({table}.{date.at(table)})")


def _table(item: Item, names: Names) -> str | None:
    """The table whose rows a noun names, or the one that holds the column of such things."""
    thing = names.dimension(item, *_THINGS)
    sure = thing is not None and item.links[0].quality >= 0.85
    return rows_named(item, names) or (thing.home.table if thing is not None and sure else None)


def _is_age(dimension: Dimension) -> bool:
    """Whether a column tells how old the thing of its row is."""
    words = set(name_words(dimension.label))
    return dimension.type is DimensionType.NUMBER and "age" in words and not words & _MEANT_FOR


def _date(noun: Item, table: str, names: Names) -> Dimension | None:
    dates = [d for d in names.model.dimensions if d.type is DimensionType.TIME and d.at(table) is not None]
    born = [d for d in dates if set(name_words(d.label)) & _BIRTH]
    thing = names.dimension(noun, *_THINGS)
    said = noun.text.lower()
    person = said in PEOPLE or may_be_person(said) or (thing is not None and may_be_person(thing.label))
    if person or (born and rows_named(noun, names) is not None):
        return born[0] if len(born) == 1 else None
    made = [d for d in dates if set(name_words(d.label)) & _MADE] or [d for d in dates if d not in born]
    usual = [d for d in made if d.name == names.model.table(table).time_dimension]
    found = made if len(made) == 1 else usual
    return (
        found[0]
        if found and (rows_named(noun, names) is not None or _names_rows(thing, table, names))
        else None
    )


def _names_rows(thing: Dimension | None, table: str, names: Names) -> bool:
    """Whether a column names the rows of a table, one each."""
    return thing is not None and names.model.table(table).key == (thing.at(table),)
