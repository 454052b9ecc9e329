"""Scores a context extractor field by field against labelled prompts.

How the prompts are labelled: goals stand in the order in which they must run; a request to see a picture
is the goal `visualize`; conditions on rows or time are constraints, not goals, unless filtering is itself
what is asked; a parameter is labelled only where the prompt states it, with shares as fractions; a metric
is a column where there is data and the prompt's own noun where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.planning.prompts.samples import Rows, sample

Extract = Callable[[str, Rows | None], dict[str, Any]]

PARAMETERS = frozenset(
    {
        "metric",
        "threshold",
        "horizon",
        "horizon_unit",
        "top",
        "ascending",
        "confidence",
        "clusters",
        "bins",
        "window",
        "contamination",
        "significance",
        "group_by",
        "grain",
        "max_seconds",
        "season",
        "aggregate",
        "chart",
    }
)
_NUMBERS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
}
_UNITS = {"s": "second", "sec": "second", "secs": "second", "h": "hour", "hrs": "hour", "km": "kilometre"}
_MORE = re.compile(
    r"\b(?:at least|no (?:fewer|less) than|more than|minimum|min|above|over|since|after|onwards?)\b|>=?"
)
_LESS = re.compile(
    r"\b(?:at most|(?:no|not) (?:more|later|longer) than|(?<!no )(?:less|fewer) than|maximum|max|under|within"
    r"|below|before|until|up to)\b|<=?"
)
_NOT = re.compile(
    r"\b(?:exclud\w*|except|without|ignor\w*|disregard\w*|leav\w+ out|omit\w*|skip\w*|not|no)\b|!="
)
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for from by with and or is are be those who that this these use using used only "
        "just each every per data rows where during between among last past must has have take finish it",
    )
)
_LEEWAY = 8


def score(extract: Extract, path: str | Path) -> dict[str, float]:
    """Accuracy of each field over a file of labelled prompts.

    Args:
        extract: Gives the published context of a prompt and its rows, with the extra key `goals`.
        path: A file with one labelled prompt on each line.

    Returns:
        `goals` (exact order), `goals_set`, `data_type`, `parameters` (F1), `constraints` (recall),
        `visualization` and `output_format`, each between 0 and 1, and `prompts`, their number.
    """
    labels = read_labels(path)
    found = [extract(label["prompt"], sample(label["data"])) for label in labels]
    both = list(zip(labels, found, strict=True))
    typed = [(label, got) for label, got in both if label["data_type"] is not None]
    formatted = [(label, got) for label, got in both if label["output_format"] is not None]
    return {
        "prompts": float(len(labels)),
        "goals": _share(label["goals"] == list(got["goals"]) for label, got in both),
        "goals_set": _share(set(label["goals"]) == set(got["goals"]) for label, got in both),
        "data_type": _share(label["data_type"] == got["data_type"] for label, got in typed),
        "parameters": _f1((label["parameters"], got["parameters"]) for label, got in both),
        "constraints": _share(
            any(same_constraint(wanted, given) for given in got["constraints"])
            for label, got in both
            for wanted in label["constraints"]
        ),
        "visualization": _share(
            label["visualization"] is got["user_preferences"]["visualization"] for label, got in both
        ),
        "output_format": _share(
            label["output_format"] == got["user_preferences"]["output_format"] for label, got in formatted
        ),
    }


def read_labels(path: str | Path) -> list[dict[str, Any]]:
    """The labelled prompts of a file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]


def matched(wanted: dict[str, Any], given: dict[str, Any]) -> tuple[int, int, int]:
    """How many parameters agree, how many were labelled and how many of the scored ones were given."""
    wanted, given = _stated(wanted), _stated(given)
    if "metric" not in wanted:
        given.pop("metric", None)
    hits = sum(key in given and same_value(value, given[key]) for key, value in wanted.items())
    return hits, len(wanted), len(given)


def same_value(wanted: Any, given: Any) -> bool:
    """Whether two parameter values say the same: numbers by size, words whatever their case."""
    if isinstance(wanted, list) or isinstance(given, list):
        pair = [value if isinstance(value, list) else [value] for value in (wanted, given)]
        return sorted(map(_folded, pair[0])) == sorted(map(_folded, pair[1]))
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, (int, float)) and isinstance(given, (int, float)):
        return abs(wanted - given) <= 1e-9
    return isinstance(wanted, str) and isinstance(given, str) and _folded(wanted) == _folded(given)


def same_constraint(wanted: str, given: str) -> bool:
    """Whether one phrase holds all numbers and content words of the other, and they point the same way.

    A phrase that says far more than the other, such as the whole prompt, is not the same.
    """
    first, second = _content(wanted), _content(given)
    if not first or not second or abs(len(first) - len(second)) > _LEEWAY:
        return False
    if bool(_NOT.search(_plain(wanted))) != bool(_NOT.search(_plain(given))):
        return False
    ways = _way(wanted), _way(given)
    return (first <= second or second <= first) and (None in ways or ways[0] == ways[1])


def _stated(parameters: dict[str, Any]) -> dict[str, Any]:
    """The scored parameters that say something; descending order is what everyone assumes."""
    return {
        key: value
        for key, value in parameters.items()
        if key in PARAMETERS and value is not None and value != [] and not (key == "ascending" and not value)
    }


def _folded(value: Any) -> str:
    return re.sub(r"[\s_-]+", " ", str(value)).strip().casefold()


def _plain(phrase: str) -> str:
    """The phrase without the negations that only give a limit."""
    return re.sub(r"\b(?:no|not) (?:more|fewer|less|later|longer) than\b", " ", phrase.casefold())


def _way(phrase: str) -> str | None:
    """Whether a limit is a lower or an upper one; nothing where it is neither or both."""
    text = phrase.casefold().replace("_", " ")
    less = bool(_LESS.search(text))
    more = bool(_MORE.search(_LESS.sub(" ", text)))
    return None if more == less else "more" if more else "less"


def _content(phrase: str) -> set[str]:
    """Numbers and words that carry meaning, in one spelling."""
    text = phrase.casefold()
    for words in (_NOT, _LESS, _MORE):
        text = words.sub(" ", text)
    tokens = re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+", text)
    return {_spelled(token) for token in tokens if token not in _EMPTY}


def _spelled(token: str) -> str:
    token = _NUMBERS.get(token) or _UNITS.get(token) or token
    return f"{float(token):g}" if token[0].isdigit() else token.removesuffix("s")


def _share(outcomes: Iterable[bool]) -> float:
    """The share of hits; with nothing to hit, nothing was missed."""
    results = list(outcomes)
    return sum(results) / len(results) if results else 1.0


def _f1(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> float:
    hits = labelled = given = 0
    for one, other in pairs:
        counts = matched(one, other)
        hits, labelled, given = hits + counts[0], labelled + counts[1], given + counts[2]
    return 2 * hits / (labelled + given) if labelled + given else 1.0
