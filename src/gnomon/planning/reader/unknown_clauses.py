"""What is not known, said in a clause: “we don't know who referred the patient”, of a referral source that is missing."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.embedding.relations import kindred
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import DimensionType, SemanticModel

_UNKNOWN = frozenset({"unknown", "missing"})
_ASKING = frozenset({"who", "whom", "where", "how", "what", "which"})
_ARTICLES = frozenset({"the", "a", "an", "our", "their", "them", "it", "this"})
_HELPING = frozenset({"has", "have", "had", "was", "were", "is", "are", "did"})
_ENDING = frozenset({"?", ",", ".", "in", "at", "during", "since", "for", "on", "from", "by", "and"})
_HOLDING = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)


def named_clause(words: Sequence[Word], model: SemanticModel) -> list[Word]:
    """The words with such a clause put as the one column whose name is of the family of its verb."""
    said = [w.lower for w in words]
    for i in range(len(said) - 2):
        if said[i] not in _UNKNOWN or said[i + 1] not in _ASKING:
            continue
        at = i + 2 + (said[i + 2] in _HELPING)
        columns = _told_by(said[at], model) if at < len(said) else []
        if len(columns) != 1:
            continue
        end = at + 1
        end += end < len(said) and said[end] in _ARTICLES
        end += end > at + 1 and end < len(said) and said[end] not in _ENDING  # the patient
        if end < len(said) and said[end] not in _ENDING:
            continue
        plain = [
            Word(w, w, stem(w), words[i + 1].start, words[end - 1].end, "word")
            for w in name_words(columns[0])
        ]
        return [*words[: i + 1], *plain, *words[end:]]
    return list(words)


def _told_by(verb: str, model: SemanticModel) -> list[str]:
    """The columns with a word of the verb's family in their names."""
    if not is_verb(verb):
        return []
    held = [d.label for d in model.dimensions if d.type in _HOLDING and d.nullable]
    return [label for label in held if any(len(w) > 3 and kindred(verb, w) for w in name_words(label))]
