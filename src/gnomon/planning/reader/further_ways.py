"""More everyday ways to put what the data says otherwise: the driver's fault, the car make, received less than 20,000."""

from __future__ import annotations

import re
from itertools import pairwise

from gnomon.core.patterns import late_pattern
from gnomon.embedding.relations import Relation, relate
from gnomon.planning.reader.amounts_received import with_amount
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.words import name_words
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.model import singular

Way = tuple[str, dict[str, str]]

_OWNED = late_pattern(
    r"\b(?:were|was|are|is)\s+(?P<not>not\s+)?(?:due\s+to\s+)?(?P<whose>(?:the\s+|our\s+|their\s+)?(?P<who>[a-z]+)['’]s?\s+(?P<noun>[a-z]+))\b",
    re.IGNORECASE,
)
_NEAR = (Relation.SAME, Relation.KIND_OF, Relation.BROADER)
_MEANT = 0.3
_INSURED = frozenset({"customer", "client", "policyholder", "holder", "member"})


def further_ways(question: str, asked: frozenset[str], model: SemanticModel) -> Way:
    """The question put in one more of these ways, and what was put how."""
    for way in (
        with_amount(question, model),
        _owned_state(question, model),
        _compound(question, asked, model),
    ):
        if way[1]:
            return way
    return question, {}


def _owned_state(question: str, model: SemanticModel) -> Way:
    """“were the driver's fault”, of a flag at fault: whoever the rows are about is."""
    found = _OWNED.search(question)
    if found is None or not _is_spoken_of(found["who"].lower(), model):
        return question, {}
    flags = [d for d in model.dimensions if d.type is DimensionType.BOOLEAN]
    named = [d for d in flags if name_words(d.label)[-1:] == (found["noun"].lower(),)]
    if len(named) != 1:
        return question, {}
    state = f"{'not ' if found['not'] else ''}{named[0].label}"
    return f"{question[: found.start()]}were {state}{question[found.end() :]}", {
        found["whose"]: named[0].label
    }


def _is_spoken_of(who: str, model: SemanticModel) -> bool:
    """Whether rows tell of somebody: the driver whose age is told, the customer; not a cyclist, and not nobody."""
    labels = [d.label for d in model.dimensions] + [t.label for t in model.tables]
    told = {w for label in labels for w in name_words(label)} | _INSURED
    return who in told and is_person_noun(who)


def _compound(question: str, asked: frozenset[str], model: SemanticModel) -> Way:
    """“car make”, of a column vehicle make: the one name that ends alike and begins with nearly the same word."""
    for first, last in pairwise(re.findall(r"[a-z]+", question.lower())):
        if first not in asked:
            continue
        labels = {
            d.label
            for d in model.dimensions
            if len(words := name_words(d.label)) == 2
            and words[1] == singular(last)
            and _is_near(first, words[0])
        }
        if len(labels) == 1:
            label = labels.pop()
            plain = re.sub(rf"\b{first}\s+{last}\b", label, question, count=1, flags=re.IGNORECASE)
            return plain, {f"{first} {last}": label}
    return question, {}


def _is_near(said: str, name: str) -> bool:
    return any(r.relation in _NEAR and r.meant >= _MEANT for r in relate(singular(said), name))
