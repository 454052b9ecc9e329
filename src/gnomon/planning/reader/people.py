"""Who the data is about: the persons that "people" can stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred, person_share
from gnomon.planning.reader.counted_heads import head_counts
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.named_rows import row_names
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.relatedness import likeness
from gnomon.planning.reader.words import ABBREVIATIONS, name_words
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.called import amount_of
from gnomon.semantic.model import plural, singular

PEOPLE = frozenset(
    {"people", "persons", "person", "individuals", "individual", "folks", "humans", "headcount"}
)
_ABOUT = 0.2
_SERVED = vocabulary("client customer patient guest tenant buyer member passenger student supplier")
_DONE_BY_THE_SERVED = frozenset(
    {"buy", "order", "pay", "owe", "cancel", "book", "spend", "visit", "come", "rent", "purchase", "join", "leave",
     "return", "complain", "churn", "subscribe", "stay", "use", "borrow", "attend"}
)  # fmt: skip
_OWED = frozenset(
    {"claim", "expense", "bill", "payment", "donation", "gift", "pledge", "refund", "fine", "invoice"}
)
_FEW_ROLES = 12
PERSONAL = frozenset(
    ["age", "sex", "gender", "female", "male", "married", "marital", "birth", "dob", "surname", "lastname",
     "firstname", "nationality", "occupation", "education", "educ", "ethnicity", "race"]
)  # fmt: skip
_NAMED = (DimensionType.CATEGORY, DimensionType.TEXT)


def person_names(model: SemanticModel) -> tuple[str, ...]:
    """The names of persons in a model: what rows are, else what is identified, counted or named in a column.

    More than one where the data is about several sorts of people.
    """
    if rows := rows_of_persons(model):
        return rows
    identified = [d.label for d in model.dimensions if d.type is DimensionType.ID and is_person_noun(d.label)]
    flags = {(d.home.table, d.home.column) for d in model.dimensions if d.type is DimensionType.BOOLEAN}
    counted = [
        m.label
        for m in model.metrics
        if m.aggregation is Aggregation.SUM
        and m.additivity is not Additivity.NON_ADDITIVE
        and (m.table, (m.expression or "").strip("`")) not in flags  # senior citizens are some of the people
        and is_person_noun(m.label)
        and not _marks(m, model)
    ]
    if identified or counted:
        return tuple(dict.fromkeys(identified + counted))
    if head_counts(model):
        return ()  # people are counted there, and those who are named only served them
    held = {
        d.label: named_by(d.label) for d in model.dimensions if d.type in _NAMED and not _are_roles(d, model)
    }
    persons = {label: bearer for label, bearer in held.items() if is_person_noun(bearer)}
    surest = max(map(_personal, persons.values()), default=0.0) - _ABOUT
    return tuple(p for p, bearer in persons.items() if _personal(bearer) >= surest or bearer in PEOPLE)


def rows_of_persons(model: SemanticModel) -> tuple[str, ...]:
    """What rows are, of tables of persons; staff are employees."""
    found = [t.label for t in model.tables if any(map(is_person_noun, (t.label, *t.synonyms)))]
    return tuple(dict.fromkeys(found))


def _marks(metric: Metric, model: SemanticModel) -> bool:
    """Whether a metric counts the rows that a flag marks: who is native born is not all people."""
    column = (metric.expression or "").strip("`")
    held = (d for d in model.dimensions if metric.table is not None and d.at(metric.table) == column)
    return any(d.type is DimensionType.BOOLEAN for d in held)


def _are_roles(column: Dimension, model: SemanticModel) -> bool:
    """Whether a column of few words is told of rows that are persons themselves: bride and groom, beside an age and a race."""
    beside = {w for d in model.dimensions if d.home.table == column.home.table for w in name_words(d.label)}
    return 0 < (column.distinct or 0) <= _FEW_ROLES and len(PERSONAL & beside) > 1


def named_by(label: str) -> str:
    """Whom a column of names names: the donor, of a donor name."""
    words = label.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1].lower() in {"name", "names"} else label


def is_person_noun(label: str) -> bool:
    """Whether the last word of a label mostly means a kind of person."""
    return _personal(label) > 0.5 or bool({*name_words(label)[-1:]} & PEOPLE)


def is_somebody(word: str) -> bool:
    """Whether a word means persons, one or several: women, people, students."""
    plain = next((base for base, part in get_lexicon().bases(word) if part == "n"), word)
    return word in PEOPLE or is_person_noun(plain)


def may_be_person(label: str) -> bool:
    """Whether the last word of a label means a kind of person among other things: an agent, a host, an operator."""
    share = _personal(label)
    return share > 0.5 or (share >= 0.2 and likeness(_noun(label)[0], "person") >= 0.33)


def asked_outright(question: str, model: SemanticModel) -> str | None:
    """“who inspected it most often” as “which inspector …”: the one column of persons, or the one whose deed it is."""
    who, _, rest = question.strip().partition(" ")
    if who.lower() != "who" or not rest:
        return None
    named = (DimensionType.ID, *_NAMED)
    columns = list(dict.fromkeys(d.label for d in model.dimensions if d.type in named))
    columns = [c for c in columns if not (c.endswith(" name") and c.removesuffix(" name") in columns)]
    own = [c for c in columns if c in rows_of_persons(model)]  # not their managers
    persons = own or list(filter(is_person_noun, columns)) or list(filter(may_be_person, columns))
    verb = name_words(rest)[0]
    doers = [p for p in columns if may_be_person(p) and kindred(verb, name_words(p)[-1])]
    chosen = doers if len(doers) == 1 else persons if len(persons) < 2 else _at_work(persons, verb)
    chosen = chosen if len(chosen) == 1 else _of_the_rows(rest, model)
    if len(chosen) != 1:
        return None
    rows = [t.label for t in model.tables if kindred(verb, name_words(t.label)[-1])]
    plain = re.match(r"\w+ (?:the )?(most|least)(?= (?:in|on|at|during|from|to) |\W*$)", rest)
    if plain is not None and len(rows) == 1:  # "who orders the most": has the most of the rows
        return f"Which {chosen[0]} has the {plain[1]} {_come_to(rows[0], model)}{rest[plain.end() :]}"
    return f"Which {chosen[0]} {rest}"


def _at_work(persons: list[str], verb: str) -> list[str]:
    """Who does what is done: staff, and those who are served only where it is for them to do."""
    bases = {verb, *(base for base, part in get_lexicon().bases(verb) if part == "v")}
    if bases & _DONE_BY_THE_SERVED:
        return persons
    return [p for p in persons if not {*_noun(p)} & _SERVED] or persons


def _come_to(rows: str, model: SemanticModel) -> str:
    """What having the most of some rows means: the most money, where each is a claim or a bill; else the most of them."""
    table = next(t for t in model.tables if t.label == rows)
    amount = amount_of(model, table.name) if name_words(rows)[-1] in _OWED else None
    return plural(rows) if amount is None else f"total {amount.label}"


def _of_the_rows(rest: str, model: SemanticModel) -> list[str]:
    """“who dealt with the longest visit”: the persons that the rows of visits name themselves."""
    said = {singular(w) for w in name_words(rest)}
    tables = [t for t in model.tables if t.label in said]
    held = [d for t in tables[:1] for d in model.dimensions if d.type in _NAMED and d.at(t.name) is not None]
    return [d.label for d in held if may_be_person(d.label)]


def tells_persons(dimensions: Iterable[str], model: SemanticModel) -> bool:
    """Whether every group is one of persons, or may be by its names; the number of an order is nobody."""
    columns = [d for d in model.dimensions if d.name in set(dimensions)]
    return all(
        d.type is not DimensionType.ID or may_be_person(d.label) or is_person_noun(d.label) or d.personal
        for d in columns
    )


def _noun(label: str) -> tuple[str, ...]:
    """The word that says what a label is of: the runner, of a runner name."""
    words = tuple(ABBREVIATIONS.get(w, w) for w in name_words(label))
    return words[-2:-1] if len(words) > 1 and words[-1] == "name" else words[-1:]


def _personal(label: str) -> float:
    """How much of the use of a label's last word as a noun means persons."""
    last = _noun(label)
    return person_share(last[0]) if last else 0.0


def add_person(draft: Draft, measures: Sequence[str], names: Names) -> bool:
    """Break down by the persons of the data, where the measures tell them apart; False where there are none, or two sorts."""
    model, rows = names.model, rows_of_persons(names.model)
    reached = [
        d for d in model.dimensions
        if d.type in (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
        and (may_be_person(d.label) or d.label in rows or (d.personal and "name" in d.label))
        and not any(o.label == d.label.removesuffix(" name") and o.name != d.name for o in model.dimensions)
        and all(names.tells_apart(model.metric(m), d) for m in measures)
    ]  # fmt: skip
    keys = [d for d in reached if d.type is DimensionType.ID] or reached
    keys = [d for d in keys if d.label in rows] or keys  # staff, and not their managers
    tables = {model.metric(m).table for m in measures}
    if not keys and len(tables) == 1 and (table := tables.pop()) is not None and len(model.tables) == 1:
        keys = row_names(table, names)  # "who hit the most home runs", of a list with a name in each row
    elif len(keys) != 1:
        return False
    for key in keys:
        draft.add_dimension(key.name)
    return bool(keys)
