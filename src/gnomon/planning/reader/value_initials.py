"""Values that are first letters, said in full: “did not start”, where the data writes DNS; “work in progress”, WIP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.operators import FILLERS
from gnomon.planning.reader.words import Word, stem
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

_FEW = 30
_SHORTEST, _LONGEST = 3, 4


class ValueInitials:
    """Finds words whose first letters are a value of the data.

    Args:
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._values = {v.lower(): v for v in _initials(model, index)}

    def shortened(self, words: Sequence[Word]) -> tuple[list[Word], dict[str, str]]:
        """The words with such phrases put as the value, and what was said so.

        Only the last of several words may be told by nothing else, and a phrase says more than small words alone.
        """
        if not self._values:
            return list(words), {}
        for size in (_LONGEST, _SHORTEST, _SHORTEST - 1):  # "didn't start" is three words
            for i in range(len(words) - size + 1):
                here = words[i : i + size]
                letters = "".join(w[0] for word in here for w in _apart(word.lower) if w)
                value = self._values.get(letters)
                if value is None or not all(w.kind == "word" for w in here) or here[-1].lower in FILLERS:
                    continue
                said = " ".join(w.text for w in here)
                plain = Word(said, value.lower(), stem(value.lower()), here[0].start, here[-1].end, "word")
                return [*words[:i], plain, *words[i + size :]], {said: value}
        return list(words), {}


def _initials(model: SemanticModel, index: ValueIndex) -> Iterator[str]:
    """Values of few in capitals that are no words."""
    for d in model.dimensions:
        if d.type is DimensionType.CATEGORY and not d.personal and (d.distinct or _FEW + 1) <= _FEW:
            for value in map(str, index.values(d.name)[:_FEW]):
                capitals = value.isalpha() and value.isupper() and _SHORTEST <= len(value) <= _LONGEST
                if capitals and not get_lexicon().met(value.lower()):
                    yield value


def _apart(word: str) -> tuple[str, ...]:
    """A word as two where it denies: didn't, did not."""
    return (word.removesuffix("n't"), "not") if word.endswith("n't") else (word,)
