"""Values that are first letters, said in full: “did not start”, where the data writes DNS; “American League”, AL of a league."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.words import Word, stem
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

_FEW = 30
_TWO, _SHORTEST, _LONGEST = 2, 3, 4


class ValueInitials:
    """Finds words whose first letters are a value of the data.

    Args:
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._values = {v.lower(): v for v, _ in _initials(model, index)}
        # Two letters are many things: they are meant where the last word is what the column is called.
        self._named = {v.lower(): {name} for v, name in _initials(model, index) if len(v) == _TWO}

    def shortened(self, words: Sequence[Word]) -> tuple[list[Word], dict[str, str]]:
        """The words with such phrases put as the value, and what was said so.

        Only the last of several words may be told by nothing else, and a phrase says more than small words alone.
        """
        if not self._values:
            return list(words), {}
        found: dict[str, str] = {}
        put = list(words)
        for size in (_LONGEST, _SHORTEST, _TWO):  # "didn't start" is three words
            for i in reversed(range(len(put) - size + 1)):
                here = put[i : i + size]
                value = self._value(here)
                if value is not None:
                    said = " ".join(w.text for w in here)
                    plain = stem(value.lower())
                    put[i : i + size] = [
                        Word(said, value.lower(), plain, here[0].start, here[-1].end, "word")
                    ]
                    found[said] = value
        return put, found

    def _value(self, here: Sequence[Word]) -> str | None:
        """The value that the first letters of the words are."""
        letters = "".join(w[0] for word in here for w in _apart(word.lower) if w)
        value = self._values.get(letters)
        if value is None or not all(w.kind == "word" for w in here) or here[-1].lower in FILLERS:
            return None
        if len(value) > _TWO:
            return value
        told = (here[0].lower,) not in operators() and here[0].lower not in FILLERS
        return value if told and here[-1].stem in self._named.get(letters, ()) else None


def _initials(model: SemanticModel, index: ValueIndex) -> Iterator[tuple[str, str]]:
    """Values of few in capitals that are no words, and the last word of their column's name.

    Two letters count where the second is that of the name for all values: AL and NL, of a league.
    """
    for d in model.dimensions:
        if d.type is not DimensionType.CATEGORY or d.personal or (d.distinct or _FEW + 1) > _FEW:
            continue
        held = [v for v in map(str, index.values(d.name)[:_FEW]) if v.isalpha() and v.isupper()]
        name = d.label.split()[-1].lower()
        pairs = len(held) > 1 and all(len(v) == _TWO and v[1].lower() == name[0] for v in held)
        for value in held:
            if pairs or (_SHORTEST <= len(value) <= _LONGEST and not get_lexicon().met(value.lower())):
                yield value, stem(name)


def _apart(word: str) -> tuple[str, ...]:
    """A word as two where it denies: didn't, did not."""
    return (word.removesuffix("n't"), "not") if word.endswith("n't") else (word,)
