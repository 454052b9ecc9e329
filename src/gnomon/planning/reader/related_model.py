"""Which column a model predicts, and from which others, by the words around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.core.patterns import late_pattern
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.related_hearing import Heard, Mention
from gnomon.planning.reader.words import Word
from gnomon.semantic import Dimension

_TO_TARGET = late_pattern(
    r"predict(?:s|ing|ed)?|explain(?:s|ing|ed)?|estimat(?:e|es|ing)|regress(?:ing)?|classify(?:ing)?|forecast(?:ing)?|model(?:ing|ling)?"
)
_CALLED_TARGET = frozenset({"target", "dependent", "response", "outcome"})
_FROM = vocabulary("from using on by with given via through features predictors inputs based")
_EFFECTS = frozenset({"effect", "effects", "impact", "impacts", "influence", "influences"})
_AFFECTS = frozenset(
    {"affect", "affects", "influence", "influences", "impact", "impacts", "drive", "drives", "determine"}
)
_OTHERS = frozenset({"all", "other", "others", "remaining", "every", "everything", "rest"})


def model_columns(
    heard: Heard,
    mentions: Sequence[Mention],
    columns: Sequence[Dimension],
    numbers: Callable[[str], list[Dimension]],
) -> list[Dimension] | None:
    """The column that is predicted, then those that it is predicted from; None where the words do not say.

    Args:
        heard: The question.
        mentions: The columns that it names, in order.
        columns: The same, each once.
        numbers: The columns of a table that hold numbers.
    """
    target = _target(heard.words, mentions)
    if target is None:
        return None
    features = [d for d in columns if d.name != target.name]
    said = {w.lower for w in heard.words}
    if not features and said & _OTHERS:
        features = [d for d in numbers(target.home.table) if d.name != target.name]
    return [target, *features] if features else None


def _target(words: Sequence[Word], mentions: Sequence[Mention]) -> Dimension | None:
    """The mention that a word marks as what is predicted."""
    if not mentions:
        return None
    said = [w.lower for w in words]
    for mention in mentions:
        if _is_called(said, mention):
            return mention.columns[0]
    if _EFFECTS & set(said) and "on" in said:
        at = next((i for i, w in enumerate(said) if w == "on" and _EFFECTS & set(said[:i])), None)
        behind = [m for m in mentions if at is not None and m.start > at]
        if behind and any(m.start < (at or 0) for m in mentions):
            return behind[0].columns[0]
    for i, word in enumerate(said[:-1]):  # "good predictors of price"
        behind = next((m for m in mentions if m.start > i), None)
        if word in {"predictor", "predictors", "predictive"} and said[i + 1] in {"of", "for"} and behind:
            return behind.columns[0]
    predicting = [i for i, w in enumerate(said) if _TO_TARGET.fullmatch(w)]
    for i in reversed(predicting):
        behind = next((m for m in mentions if m.start > i), None)
        if behind is None or any(w in _FROM for w in said[i + 1 : behind.start]):
            continue
        return behind.columns[0]
    for i in predicting:  # "can the price be predicted from …"
        before = [m for m in mentions if m.end <= i]
        if before and any(m.start > i for m in mentions):
            return before[-1].columns[0]
    return _of(said, mentions)


def _is_called(said: Sequence[str], mention: Mention) -> bool:
    """“the target variable is price”, “price as the dependent variable”."""
    before = said[max(0, mention.start - 4) : mention.start]
    behind = said[mention.end : mention.end + 5]
    ahead = bool(set(before) & _CALLED_TARGET) and not {",", "and"} & set(before[-1:])
    return ahead or (
        bool(set(behind) & _CALLED_TARGET) and "as" in behind[:2] and "independent" not in behind
    )


def _of(said: Sequence[str], mentions: Sequence[Mention]) -> Dimension | None:
    """“a regression of price on size”, “how do size and age affect price”."""
    at = next((i for i, w in enumerate(said) if w.startswith("regress")), None)
    if at is not None and "on" in said[at:]:
        on = at + said[at:].index("on")
        before = [m for m in mentions if at < m.start < on]
        if len(before) == 1 and any(m.start > on for m in mentions):
            return before[0].columns[0]
    at = next((i for i, w in enumerate(said) if w in _AFFECTS), None)
    behind = [m for m in mentions if at is not None and m.start > at]
    return behind[0].columns[0] if len(behind) == 1 and len(mentions) > 1 else None
