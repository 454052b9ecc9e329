"""Things that are taken together: “all turbines together”, “all time, all channels” ask for one figure of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import Additivity, Aggregation, Metric
from gnomon.semantic.vocabulary import vocabulary

_ALL = frozenset({"all", "both", "every"})
_TOGETHER = frozenset({"together", "combined", "altogether", "overall"})
_SUM = Aggregation.SUM
_FIGURES = frozenset({"rate", "ratio", "share", "percentage", "average", "mean"})
_BETWEEN = frozenset({"the", "our", "of", "put", "taken", "added"})
# Before “one of the races” these say that one of them is meant, or how many.
_SINGLING = frozenset(
    {
        "which",
        "what",
        "only",
        "just",
        "exactly",
        "least",
        "than",
        "by",
        "for",
        "in",
        "at",
        "per",
        "each",
        "of",
        "every",
        "not",
    }
)
_ENDS = frozenset({",", ";", ")", ".", "?", "!"})


def without_all_of(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """The items without nouns for all of something, which neither narrow nor group."""
    said = [w.lower for w in words]
    dropped = [x for x in cover if _is_group(x, names) and _is_all(x, said)]
    over = {k for x in dropped for k in range(max(0, x.start - 3), x.start) if said[k] in {"over", "across"}}
    any_of = [x for x in cover if _is_group(x, names) and _is_any(x, said)]
    over |= {k for x in any_of for k in (x.start - 3, x.start - 2)}
    dropped += any_of
    return [x for x in cover if x not in dropped and not (x.start in over and x.end == x.start + 1)]


def _is_most_of(metric: Metric, item: Item, sentence: Sentence) -> bool:
    """Whether there is most of something in all: of what has an amount, and is no rate, price or level."""
    before = sentence.words[item.start - 1].lower if item.start else ""
    graded = vocabulary().intensive & {*name_words(item.text)} or metric.unit in ("%", "fraction")
    return before in {"most", "least"} and not graded


def is_of_the_whole(metric: Metric, item: Item, sentence: Sentence) -> bool:
    """“overall churn rate”, “the overall rating”: what is never added up is told of all rows; then the word is heard."""
    sums = [x for _, x in sentence if x.op(Op.AGGREGATE) and x.operator and x.operator.payload is _SUM]
    if metric.additivity is not Additivity.NON_ADDITIVE or metric.aggregation is not Aggregation.MEAN:
        return False
    figure = name_words(item.text)[-1:]
    if not (figure and figure[0] in _FIGURES) and not (
        sums and all(x.text.lower() == "overall" for x in sums)
    ):
        return False
    if _is_most_of(metric, item, sentence):
        return False  # "the most traffic overall"
    for said in sums:
        said.operator = Operator(Op.FILLER)
    return True


def _is_group(item: Item, names: Names) -> bool:
    return bool(item.links) and not item.values and names.dimension(item) is not None


def _is_any(item: Item, said: Sequence[str]) -> bool:
    """“who ever entered one of our races”: whichever it was."""
    one, of, whose = ([""] * 3 + [*said[: item.start]])[-3:]
    before = said[item.start - 4] if item.start > 3 else ""
    led = one in {"one", "any", "some"} and of == "of" and whose in {"our", "the", "these", "my", "their"}
    closed = item.end >= len(said) or said[item.end] in _ENDS
    return (
        led and closed and before.isalpha() and before not in _SINGLING and said[item.end - 1].endswith("s")
    )


def _is_all(item: Item, said: Sequence[str]) -> bool:
    start = item.start
    while start > 0 and said[start - 1] in _BETWEEN:
        start -= 1
    if not start or said[start - 1] not in _ALL:
        return False
    behind = [w for w in said[item.end : item.end + 2] if w not in _BETWEEN]
    if behind[:1] and behind[0] in _TOGETHER:
        return True
    # An aside between commas: “ad spend, all time, all channels”.
    opened = start >= 2 and said[start - 2] in {",", "(", ";"}
    closed = item.end >= len(said) or said[item.end] in _ENDS
    return opened and closed and said[start - 1] == "all"
