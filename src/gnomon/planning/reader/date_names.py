"""Dates called after what happened on them: the return date, the date of return, of a column called returned on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.patterns import late_pattern, regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.vocabulary import Link, LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.durations import happening
from gnomon.semantic.model import singular

_DAYS = frozenset({"date", "dates", "day"})
_BUSIEST = regex(
    r"(?:\b(?:is|was)\s+)?(?:\bthe\s+)?\b(?P<how>busiest|quietest)(?:\s+(?P<unit>\w+(?:\s+of\s+the\s+\w+)?))?\s+(?:for|of)\s+(?P<noun>[a-z]+(?:-[a-z]+)?)\b",
    re.IGNORECASE,
)
_STEPS = late_pattern(
    r"\b(?P<by>by|per)\s+(?:the\s+)?(?P<noun>[a-z]+)\s+(?P<step>year|quarter|month|week)\b", re.IGNORECASE
)
# How persons come to what they belong to, and how they leave it.
_STAYS = (
    ("join", "start", "hire", "enroll", "register", "signup", "recruit"),
    ("leave", "end", "exit", "terminate", "quit", "resign", "depart", "cancel", "churn"),
)
_WORKFORCE = frozenset({"staff", "personnel", "workforce", "crew"})
_SURE = 0.95
_SHORTEST = 4
_GENERIC = frozenset(
    {"date", "time", "year", "month", "week", "hour", "when", "start", "stop", "last", "next"}
)


def is_called_after(word: str, column: Dimension, *, cut: bool = False) -> bool:
    """Whether a word is of the same root as what a date column says happened, or with ``cut`` its beginning."""
    if column.type is not DimensionType.TIME or len(word) < _SHORTEST:
        return False
    told = [w for w in name_words(column.label) if len(w) >= _SHORTEST and w not in _GENERIC]
    return any(stem(w) == stem(word) or (cut and w.startswith(word)) for w in told)


def date_names(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """Items over such names, where exactly one date is of that family of words and nothing else is called so."""
    said = [w.lower for w in words]
    found: list[Item] = []
    for i, word in enumerate(said):
        if word not in _DAYS:
            continue
        after = next(
            (k for k in range(i + 1, min(i + 4, len(said))) if said[k] not in {"of", "the", "a"}), None
        )
        of = after is not None and said[i + 1] == "of"
        spans = [(i, after + 1, said[after])] if after is not None and of else []
        spans += [(i - 1, i + 1, said[i - 1])] if i else []
        for start, end, noun in spans:
            named = vocabulary.named(" ".join(said[start:end]))
            dates = (
                [d for d in vocabulary.model.dimensions if _is_of(noun, d)] if len(noun) >= _SHORTEST else []
            )
            if len(dates) == 1 and all(x.name == dates[0].name for x in named):
                found.append(Item(start, end, links=(Link(LinkKind.DIMENSION, dates[0].name, _SURE),)))
    return found + _deeds(words, vocabulary)


def _deeds(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """“leavers”, “new joiners”, “check-ins”: who did, or what was done, on the days of the one date of that family."""
    said = [w.lower for w in words]
    found: list[Item] = []
    for i in range(len(said)):
        hyphened = said[i + 1 : i + 2] in (["-"], ["–"]) and said[i + 2 : i + 3] != []
        end = i + 3 if hyphened else i + 1
        noun = "".join(w for w in said[i:end] if w.isalpha())
        if len(noun) < _SHORTEST or not noun.endswith("s") or vocabulary.named(" ".join(said[i:end])):
            continue
        dates = deeds_of(noun, vocabulary.model)
        if len(dates) == 1:
            start = i - 1 if i and said[i - 1] == "new" else i
            found.append(Item(start, end, links=(Link(LinkKind.DIMENSION, dates[0].name, _SURE),)))
    return found


def with_most(question: str, model: SemanticModel) -> str:
    """“the busiest weekday for check-ins”: the weekday with the most of them, whatever else is busy then."""
    found = _BUSIEST.search(question)
    noun = re.sub("[^a-z]", "", found["noun"].lower()) if found is not None else ""
    if found is None or len(deeds_of(noun, model)) != 1:
        return question
    least = "fewest" if found["how"].lower() == "quietest" else "most"
    which = f"{found['unit']} with" if found["unit"] else "has"
    return f"{question[: found.start()]}{which} the {least} {found['noun']}{question[found.end() :]}"


def deeds_of(noun: str, model: SemanticModel) -> list[Dimension]:
    """The dates on which was done what a plural noun is of: cancellations, leavers, check-ins."""
    times = [d for d in model.dimensions if d.type is DimensionType.TIME]
    return [d for d in times if _is_deed(noun, d, model)]


def done_on(verb: str, model: SemanticModel) -> list[Dimension]:
    """The dates on which was done what a verb says, by its base: employees who left, of a termination date."""
    bases = [base for base, part in get_lexicon().bases(verb) if part == "v"]
    return [d for base in bases for d in deeds_of(base, model)]


def _is_deed(noun: str, column: Dimension, model: SemanticModel) -> bool:
    event = [
        w for w in name_words(happening(column.home.column)) if w not in _DAYS and unit_of_time(w) is None
    ]
    if len(event) > 1:
        event = ["".join(event)]
    if not event or len(event[0]) < _SHORTEST - 1:
        return False
    if kindred(noun, event[0]) or singular(noun) == event[0]:
        return True
    rows = name_words(model.table(column.home.table).label)
    person = any(is_person_noun(w) or w in _WORKFORCE for w in rows)
    return person and any(
        any(kindred(noun, w) for w in side) and any(kindred(event[0], w) for w in side) for side in _STAYS
    )


def named_steps(question: str, vocabulary: Vocabulary) -> tuple[str, dict[str, str]]:
    """The question with “by launch year” put as by year of the launch date, and what was put so."""
    told: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        noun, step = match["noun"].lower(), match["step"].lower()
        dates = [d for d in vocabulary.model.dimensions if len(noun) >= _SHORTEST and _is_of(noun, d)]
        if len(dates) != 1 or any(x.quality > _SURE for x in vocabulary.named(f"{noun} {step}")):
            return match[0]
        told[f"{match['noun']} {match['step']}"] = f"{step} of {dates[0].label}"
        return f"{match['by']} {step} of {dates[0].label}"

    return _STEPS.sub(plain, question), told


def _is_of(noun: str, column: Dimension) -> bool:
    if column.type is not DimensionType.TIME:
        return False
    return any(len(w) >= _SHORTEST and kindred(noun, w) for w in name_words(column.label) if w not in _DAYS)
