"""Words for everybody, “people” or “staff”, where the rows are persons and some category is called alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.data.column_names import vocabulary as words_of
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.people import PEOPLE, is_person_noun
from gnomon.planning.reader.relatedness import is_verb, likeness
from gnomon.planning.reader.speech import PEOPLE as ACTING
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, stem
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

_EVERYBODY = PEOPLE | {"everyone", "everybody", "anyone", "anybody"}
_WORKING = frozenset({"staff", "personnel", "workforce"})
_INTO = frozenset(
    {"in", "within", "inside", "from", "to", "into", "for", "is", "are", "=", "called", "named"}
)
_BESIDE = frozenset({"and", "or", "vs", "versus", "than", ",", "&", "/", "not"})
_AS_WORKERS = 0.64


def as_rows(
    words: Sequence[Word], model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex
) -> list[Word]:
    """The words with “people” said of all rows put as what the rows are called.

    Only where a value is spelt alike, in lower case, and where no value could stand: not in “in people”, “the people
    department”, “people and sales”.
    """
    persons = [t for t in model.tables if is_person_noun(t.label)]
    if len(persons) != 1:
        return list(words)
    label = persons[0].label
    result = list(words)
    for i, word in enumerate(words):
        everybody = word.lower in _EVERYBODY or (
            word.lower in _WORKING and likeness(word.lower, label) >= _AS_WORKERS
        )
        if not everybody or word.kind != "word" or (i and word.text != word.text.lower()):
            continue
        held = {m.dimension for m in index.find([word.lower]) if m.kind == "exact"}
        if held and not _is_value(words, i, held, vocabulary, index):
            spoken = _rows_called(label)
            result[i] = replace(word, lower=spoken, stem=stem(spoken))
    return result


def _rows_called(label: str) -> str:
    """The last word of a label, in the plural."""
    last = label.split()[-1].lower()
    return last if last.endswith("s") else f"{last}s"


def _is_value(
    words: Sequence[Word], i: int, held: set[str], vocabulary: Vocabulary, index: ValueIndex
) -> bool:
    """Whether a word stands where a value stands: behind a preposition, beside its column, in a list of values."""
    before = [w.lower for w in words[max(0, i - 2) : i]]
    at = before[::-1]
    if at[:1] and at[0] == "the":
        at = at[1:]
    behind = words[i + 1].lower if i + 1 < len(words) else ""
    if at[:1] and at[0] in _INTO and not (at[0] in {"for", "from", "is", "are"} and _goes_on(behind)):
        return True
    for other in (behind, *before[-1:]):
        named = vocabulary.named(other)
        if any(x.kind is LinkKind.DIMENSION and x.name in held for x in named):
            return True
    for step, joint in ((2, behind), (-2, before[-1] if before else "")):
        near = words[i + step].lower if 0 <= i + step < len(words) else ""
        if joint in _BESIDE and near and {m.dimension for m in index.find([near])} & held:
            return True
    return False


def _goes_on(behind: str) -> bool:
    """“for people who …”, “for people in Leeds”: a noun with a clause of its own is told of, not named."""
    return behind in {"who", "that", "with", "in", "at", "on", "aged", "under", "over", "whose", "hired"}


_COUNTED = words_of(
    "many of by per each which what different from for with to all more most other among no few"
)


def acts(word: Word, words: Sequence[Word]) -> bool:
    """Whether a word only says who does what is asked about: “which brands customers rate best”."""
    at = next(i for i, w in enumerate(words) if w is word)
    before = words[at - 1].lower if at else ""
    following = [w.lower for w in words[at + 1 : at + 3]]
    done = words[at - 2].lower if at > 1 else ""
    if word.lower in ACTING and before == "by" and get_lexicon().is_participle(done):
        return True  # "orders returned by customers": who else, where nothing tells them apart
    if word.lower not in ACTING or before in _COUNTED or not following:
        return False
    # Whatever else the verb says is judged by itself; here it only shows that the word is its subject.
    asked = before in {"do", "does", "did"} and any(v in associations() or is_verb(v) for v in following)
    does = bool(before) and (following[0] in associations() or is_verb(following[0]))
    return asked or does or (before == "the" and following[0] in {"in", "from"})
