"""People said by their age, where a column tells it: adults, children, the over-60s."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.planning.reader.people import person_names
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex

# What a word for persons says of their age in years.
_AGES = {
    "child children kid kids minor minors": "below 18",
    "adult adults grown-ups grownups": "at least 18",
    "teenager teenagers teen teens": "between 13 and 19",
}
_BOUNDS = {"over": "above", "under": "below", "above": "above", "below": "below"}
_YEARS = re.compile(r"(\d{1,2})s")


def by_age(
    question: str, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex
) -> tuple[str, dict[str, str]]:
    """The question with words for persons of an age put as a bound on the one column of ages, and what was put so."""
    column, told = _age_column(model), dict[str, str]()
    words = split_words(question) if column is not None else []
    for i in reversed(range(len(words))):
        size, bound = _at(words, i)
        if bound is None or (size == 1 and _is_known(words[i].lower, vocabulary, index)):
            continue
        people = (person_names(model) or ("row",))[0]
        start, end = words[i].start, words[i + size - 1].end
        told[question[start:end]] = f"{column} {bound}"
        question = f"{question[:start]}{plural(people)} with {column} {bound}{question[end:]}"
    return question, told


def _is_known(word: str, vocabulary: Vocabulary, index: ValueIndex) -> bool:
    """Whether a name or a value says the same: children, where a ticket is one of a child."""
    alike = next(said for said in _AGES if word in said.split())
    return bool(vocabulary.named(word)) or any(index.find([w]) for w in alike.split())


def _age_column(model: SemanticModel) -> str | None:
    """The name of the one column of ages, where each row is a person, or the only rows have no name."""
    ages = [
        d for d in model.dimensions if d.type is DimensionType.NUMBER and name_words(d.label)[-1:] == ("age",)
    ]
    if len(ages) != 1:
        return None
    label = model.table(ages[0].home.table).label
    people = person_names(model)
    own = people == (label,) if people else label == "row" and len(model.tables) == 1
    return ages[0].label if own else None


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
