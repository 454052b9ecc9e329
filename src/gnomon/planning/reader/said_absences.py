"""Everyday ways to say that things have no rows elsewhere: not a single visit, zero claims, never came in for a visit.

They are put as “have no visits”, and “had a fraud claim” as “have at least one fraud claim”, where the noun is what the
rows of a table are called.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.core.patterns import late_pattern
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.model import plural

# Verbs that say no more than that there is one; any other says what became of it.
_LIGHT = (
    r"(?:come|came|been|turned|shown|showed|show|turn|had|have|made|make|placed|place|taken|take|took|done|do|did|paid|pay|gone|go|filed|file"
    r"|submitted|submit|lodged|lodge|raised|raise|received|receive|got|get|gotten|put|needed|need|required|require|seen|undergone|attended)"
)
_ONE = r"(?:an?|any|one|even\s+one|even\s+a|a\s+single|even\s+a\s+single|a\s+sole)"
_DENIED = r"(?:(?:have|has|had|did|do|does)(?:n['’]t|\s+not|\s+never)|never)(?:\s+(?:ever|yet|once|so\s+much\s+as))?"
_AT_ALL = r"(?:\s+(?:at\s+all|whatsoever|of\s+any\s+(?:kind|sort)|so\s+far|to\s+date|yet|on\s+record|ever))*"
_OUT = late_pattern(
    r"\b(?:are|is)\s+(?:(?:still|currently)\s+)?(?:out|not\s+back(?:\s+yet)?)(?=\s*(?:[?.!]|$)|\s+(?:now|today)\b)",
    re.IGNORECASE,
)
_ENDS = r"(?=\s*(?:[?.!,]|$)|\s+(?:in|during|since|before|after|by|this|last|yet|at\s+all)\b)"


def with_absences(question: str, model: SemanticModel) -> str:
    """The question with such ways put plainly."""
    backs = [d for d in model.dimensions if d.type is DimensionType.TIME and d.nullable and _is_back(d)]
    if len(backs) == 1:  # "how many bikes are still out"
        question = _OUT.sub(f"have no {backs[0].label}", question)
    if len(model.tables) < 2:
        return question
    users = {j.table for j in model.joins}
    for table in model.tables:
        if table.name not in users:
            continue
        nouns = {w for name in (table.label, *table.synonyms) for w in (name.lower(), plural(name.lower()))}
        question = _plain(question, tuple(sorted(nouns, key=len, reverse=True)), plural(table.label.lower()))
    return question


def _is_back(column: Dimension) -> bool:
    return any(kindred(w, "return") for w in name_words(column.label))


def _plain(question: str, nouns: tuple[str, ...], many: str) -> str:
    zero, light, tail, had = _patterns(nouns)
    question = zero.sub(
        lambda m: f"{m['had'] if m['had'].lower() == 'with' else 'have'} no {m['which']}{many}", question
    )
    question = light.sub(f"have no {many}", question)
    question = tail.sub(r"\g<none>", question)
    question = had.sub(lambda m: f"have at least one {m['which']}{m['noun']}", question)
    return _undone(question, many)


@lru_cache(maxsize=256)
def _patterns(nouns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    noun = "(?:" + "|".join(map(re.escape, nouns)) + ")"
    which = r"(?P<which>(?:(?!(?:and|or|of|in|with|the)\b)[a-z-]+\s+){0,2})"
    zero = rf"\b(?P<had>with|have|has|had|having|made|make|placed|got)\s+(?:(?:zero|0|nil)\s+|not\s+(?:made\s+|had\s+)?{_ONE}\s+){which}{noun}\b{_AT_ALL}"
    light = rf"\b{_DENIED}\s+(?:had\s+)?{_LIGHT}(?:\s+(?:in|out|up|along|by|through|back))?(?:\s+(?:for|on|to|with))?\s+{_ONE}\s+{noun}\b{_AT_ALL}"
    tail = rf"(?P<none>\b(?:no|without\s+any|without)\s+(?:[a-z-]+\s+){{0,2}}{noun})(?:\s+(?:at\s+all|whatsoever|of\s+any\s+(?:kind|sort)|on\s+record))+"
    had = rf"(?<!not )(?<!n't )(?<!n’t )(?<!never )\b(?:have|has|had)\s+(?:ever\s+)?(?:had\s+)?an?\s+(?P<which>(?!few\b|lot\b|single\b|number\b)[a-z-]+\s+)(?P<noun>{noun})\b{_ENDS}"
    return tuple(re.compile(p, re.IGNORECASE) for p in (zero, light, tail, had))


def _undone(question: str, many: str) -> str:
    """“have never visited”, “haven't visited yet”: they have no visits."""
    rows = name_words(many)[-1]

    def plain(found: re.Match[str]) -> str:
        return f"have no {many}" if kindred(found["verb"].lower(), rows) else found[0]

    return re.sub(
        rf"\b{_DENIED}\s+(?P<verb>[a-z]+)\b(?:\s+yet)?{_ENDS}", plain, question, flags=re.IGNORECASE
    )
