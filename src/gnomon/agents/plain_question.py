"""Questions that ask for figures in so many words, so that nobody has to judge what they are about or who answers them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cached_property

from gnomon.data.column_names import vocabulary
from gnomon.language import find_times
from gnomon.planning.reader.words import Word, name_words, root, split_words
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.values import ValueIndex

MOST_WORDS = 30
# What English asks for figures with, and what holds names together: none of it asks for a cause, a verdict or advice.
_ASKING = vocabulary(
    "a an the of in on at by for from to per with without and or not no each every all any both between than as what which "
    "who where when how many much is are was were be been do does did have has had there that this these those show list "
    "give me tell us please our my we i total sum overall average mean median typical number count counts amount share "
    "percentage percent fraction rate ratio most least highest lowest largest smallest biggest longest shortest oldest "
    "newest latest earliest top bottom first last maximum minimum max min more less fewer over under above below greater "
    "higher lower exactly distinct different unique broken down split grouped group during across into only single "
    "altogether avg excluding fewest one two three four five ten"
)
# What insights are asked for with, also where the data has such a name: "benchmark my margins".
_EXPLAINING = vocabulary(
    "benchmark forecast predict trend anomaly outlier unusual normal cause reason driver impact effect change explain "
    "compare improve expect summary overview"
)
ASKING, EXPLAINING = (frozenset(root(w) for w in words) for words in (_ASKING, _EXPLAINING))


class PlainQuestions:
    """Knows a question that has nothing but names and values of the data, times, numbers and words of asking.

    Such a question is about the data, and what it asks for is shown. The networks that judge all others take longer to
    load than it takes to answer.

    Args:
        model: What the tables mean.
        index: The values that they hold.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._model = model
        self._index = index

    def has(self, question: str, today: date) -> bool:
        """Whether a question is one of them."""
        words = split_words(question)
        if not words or len(words) > MOST_WORDS:
            return False
        times = [range(t.start, t.end) for t in find_times(question, today)]
        left = [w for w in words if not (w.kind == "number" or any(w.start in t for t in times))]
        named = {w for w in left if root(w.lower) in self._names}
        others = [
            w for w in left if w not in named and root(w.lower) not in ASKING and w.lower.strip("?.,!:;")
        ]
        return bool(named) and (not others or {*others} <= {*self._values(words)})

    def _values(self, words: list[Word]) -> Iterator[Word]:
        """The words that are values of the data as they are written there."""
        for match in self._index.find([w.text for w in words]):
            if match.kind == "exact":
                yield from words[match.start : match.end]

    @cached_property
    def _names(self) -> frozenset[str]:
        """The words of all names."""
        things = (*self._model.tables, *self._model.metrics, *self._model.dimensions)
        names = [n for t in things for n in (t.name, t.label, *t.synonyms)]
        return frozenset(root(w) for n in names for w in name_words(n)) - ASKING - EXPLAINING
