"""People said by their age, where a column tells it: adults, children, the over-60s."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gnomon.core.parts import Filter, Parts
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.people import PEOPLE, is_person_noun, named_by, person_names
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.repeated_things import THINGS
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, SemanticModel
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex

# What a word for persons says of their age in years.
_AGES = {
    "child children kid kids minor minors": "below 18",
    "adult adults grown-ups grownups": "at least 18",
    "teenager teenagers teen teens": "between 13 and 19",
}
_BOUNDS = {"over": "above", "under": "below", "above": "above", "below": "below"}
_JOINTS = frozenset({"by", "from", "for", "of", "to", "among"})
_WHOSE = late_pattern(r"\s+(?:by|from|for|of|to|among)(?:\s+(?:the|our))?\s+$", re.IGNORECASE)
_THOSE = frozenset({"those", "everyone", "everybody", "anyone", "anybody", "men", "women"})
_NO_UNIT = frozenset({"in", "at", "on", "for", "by", "from", "and", "or", "who", "that", "than", "with", "did", "do", "does", "have", "has", "had", "were", "are", "was", "is"})  # fmt: skip
_SHARED = regex(r"\b(?:share|percentage|percent|proportion|fraction|part) of\b", re.IGNORECASE)
_YEARS = regex(r"(\d{1,2})s")


def read_ages(
    question: str,
    model: SemanticModel,
    vocabulary: Vocabulary,
    index: ValueIndex,
    reads: Callable[[str], Drafted],
) -> Drafted | None:
    """The reading with words for persons of an age as a bound on the column of ages; None where no age is told.

    Where rows only tell of persons, the bound is one on rows: their age on the day.
    """
    unread: Drafted | None = None
    ways = (True, False) if _is_told_of(question) else (False, True)
    for bare in (False,) if _SHARED.search(question) else ways:
        aged, ages = by_age(question, model, vocabulary, index, bare=bare)
        if not ages:
            return None
        reading = reads(aged)
        if reading.status is not ReadingStatus.CLEAR:
            unread = unread or (reading if any(said.split()[-1].isdigit() for said in ages) else None)
            continue
        requests = [_of_rows(r.model_copy(update={"question": question}), model) for r in reading.requests]
        age = age_column(model)
        persons = {*person_names(model), *(_aged(model, age.home.table) if age is not None else ())}
        if any(model.dimension(d).label in persons for r in requests for d in r.dimensions if d[:1] != "@"):
            continue  # how many entries those persons have is not asked of each of them
        notes = tuple(f"“{said}” was read as {bound}" for said, bound in ages.items())
        told = tuple(dict.fromkeys((*reading.notes, *notes)))
        return reading.model_copy(update={"requests": tuple(requests), "notes": told})
    return unread  # "donors over 60" are never those of more than 60 euros


def _is_told_of(question: str) -> bool:
    """Whether something else is counted or measured of those persons: bookings by the over-60s."""
    words = split_words(question)
    for i in range(len(words)):
        if _at(words, i)[1] is not None:
            before = [w.lower for w in words[:i] if w.lower not in {"the", "our"}][-1:]
            return bool(before) and before[0] in _JOINTS
    return False


def _of_rows(request: Parts, model: SemanticModel) -> Parts:
    """A request with bounds on the average age of each person put as bounds on the age in each row."""
    age = age_column(model)
    if age is None:
        return request
    means = {m.name for m in model.metrics if (m.expression or "").strip("`") == age.home.column}
    means |= {f"{Aggregation.MEAN}({age.home})"}
    metrics, filters = list[str](), list[Filter]()
    for reference in request.metrics:
        metric = model.metric(reference)
        if metric.inner in means and metric.aggregation is Aggregation.COUNT and metric.per is not None:
            person = model.dimension(metric.per)
            own = person.at(age.home.table)  # loans are told apart elsewhere, and each is one of theirs
            table = person.home.table
            counted = f"{Aggregation.COUNT_DISTINCT}({age.home.table}.{own})"
            reference = counted if own is not None else f"{Aggregation.COUNT}({table})"
            filters += [_on_rows(f, age) for f in metric.where]
        metrics.append(reference)
    filters = [*(_on_rows(f, age) if f.having and f.field in means else f for f in request.filters), *filters]
    return request.model_copy(update={"metrics": tuple(metrics), "filters": tuple(filters)})


def _on_rows(given: Filter, age: Dimension) -> Filter:
    return given.model_copy(update={"field": age.name, "having": False, "by": None})


def by_age(
    question: str, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex, *, bare: bool = False
) -> tuple[str, dict[str, str]]:
    """The question with words for persons of an age put as a bound on the one column of ages, and what was put so.

    With ``bare`` the persons are left out, of whom the rows tell.
    """
    found, told = age_column(model), dict[str, str]()
    column = found.label if found is not None else ""
    words = split_words(question) if found is not None else []
    for i in reversed(range(len(words))):
        if (size := _bound_of_persons(words, i)) is not None:
            start, end = words[i].start, words[i + size - 1].end
            bound = f"{_BOUNDS[words[i].lower]} {words[i + 1].text}"
            told[question[start:end]] = f"{column} {bound}"
            if bare:  # said at the end, where no verb follows the number; only people and rows are left out
                left = words[i - 1].lower
                told_of = index.find([left]) or not (left in PEOPLE or vocabulary.named(left))
                rest = f"{question[: start if told_of else words[i - 1].start]}{question[end:]}"
                question = f"{rest.rstrip('?. ')} with {column} {bound}"
            else:
                question = f"{question[:start]}with {column} {bound}{question[end:]}"
            continue
        size, bound = _at(words, i)
        if bound is None or (size == 1 and _is_known(words[i].lower, vocabulary, index)):
            continue
        if _are_had(words, i + size):
            continue
        table = found.home.table if found is not None else ""
        people = ((model.table(table).label,) if model.table(table).label in person_names(model) else ()) or (
            *_aged(model, table),
            *person_names(model),
            "row",
        )
        start, end = words[i].start, words[i + size - 1].end
        told[question[start:end]] = f"{column} {bound}"
        before = _WHOSE.sub(" ", question[:start]) if bare else f"{question[:start]}{plural(people[0])} "
        question = f"{before}with {column} {bound}{question[end:]}"
    return question, told


def _are_had(words: Sequence[Word], after: int) -> bool:
    """“how many children do the nurses have”: those of other persons, of whose age nothing is told."""
    behind = [w.lower for w in words[after:]]
    return behind[:1] in (["do"], ["does"], ["did"]) and bool({"have", "had", "raise"} & {*behind[-2:]})


def _is_known(word: str, vocabulary: Vocabulary, index: ValueIndex) -> bool:
    """Whether a name or a value says the same: children, where a ticket is one of a child."""
    alike = next(said for said in _AGES if word in said.split())
    return bool(vocabulary.named(word)) or any(index.find([w]) for w in alike.split())


def age_column(model: SemanticModel) -> Dimension | None:
    """The one column of ages of persons: each row is one of them, tells of one, or has no name."""
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    ages = [d for d in numbers if {*name_words(d.label)[:1], *name_words(d.label)[-1:]} & {"age"}]
    if len(ages) != 1:
        return None
    table = ages[0].home.table
    label, people = model.table(table).label, person_names(model)
    own = people == (label,) if people else label == "row" and len(model.tables) == 1
    return ages[0] if own or len(_aged(model, table)) == 1 else None


def _aged(model: SemanticModel, table: str) -> tuple[str, ...]:
    """The persons that the rows of a table tell of; those with a list of their own would have their ages there."""
    people = person_names(model)
    told = [d for d in model.dimensions if d.type in THINGS and d.at(table) is not None]
    listed = [d.label for d in told if d.label in people]
    if len(people) == len(listed) == 1:
        return tuple(listed)
    return tuple(d.label for d in told if d.home.table == table and is_person_noun(named_by(d.label)))


def _bound_of_persons(words: Sequence[Word], i: int) -> int | None:
    """How many words bound the age of the persons right before: “women over 60”, “runners under 30 years old”."""
    number = words[i + 1] if i + 1 < len(words) else None
    if not i or words[i].lower not in _BOUNDS or number is None or number.kind != "number":
        return None
    before = words[i - 1].lower
    persons = before in PEOPLE | _THOSE or is_person_noun(before)
    years = float(number.text) if number.text.isdigit() else 0.0
    behind = [w.lower for w in words[i + 2 : i + 4]]
    if behind[:1] == ["years"]:
        return 4 if behind[1:] == ["old"] else 3
    ends = not behind or behind[0] in _NO_UNIT or words[i + 2].kind == "symbol" or is_verb(behind[0])
    return 2 if persons and ends and 3 <= years <= 110 and behind[:1] != ["%"] else None


def _at(words: Sequence[Word], i: int) -> tuple[int, str | None]:
    """How many words tell an age here, and its bound: over-60s, under 18s, children."""
    bound = _BOUNDS.get(words[i].lower)
    behind = [w for w in words[i + 1 : i + 3] if w.text != "-"][:1]
    years = _YEARS.fullmatch(behind[0].lower) if bound and behind else None
    if years is not None:
        size = 3 if words[i + 1].text == "-" else 2
        return size, f"{bound} {years[1]}"
    for said, told in _AGES.items():
        if words[i].lower in said.split():
            return 1, told
    return 1, None
