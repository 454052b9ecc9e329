"""Questions that this data can answer, made from the names and values of a model, to teach a gate what is in domain."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gnomon.semantic.model import Dimension, DimensionType, Metric, SemanticModel, plural
from gnomon.semantic.values import ValueIndex

_TOTALS = (
    "What is the {m}?", "what was our {m} {t}", "How much {m} did we have {t}?", "{m} {t}", "Tell me the {m} {t}.",
    "Can you give me the {m} {f}?", "show me {m} {f}", "What was the {m} {f} {t}?", "total {m} {f}",
    "I need the {m} {t} please", "How high was the {m} {t}?", "{m} {f} {t}",
)  # fmt: skip
_GROUPED = (
    "{m} by {d}", "Show the {m} for each {d}.", "Break down {m} by {d} {t}.", "How does {m} differ between {ds}?",
    "compare {m} across {ds} {t}", "What is the {m} per {d}?", "split the {m} up by {d}", "{m} per {d} {f}",
    "List the {m} of every {d}.", "give me a table of {m} by {d} {t}",
)  # fmt: skip
_RANKED = (
    "Which {d} has the highest {m}?", "top 5 {ds} by {m}", "What are the three {ds} with the lowest {m} {t}?",
    "Which {ds} had the most {m}?", "worst {ds} for {m}", "Rank the {ds} by {m}.", "best {d} by {m} {t}",
    "Who or what leads in {m} by {d}?", "bottom 10 {ds} by {m} {t}",
)  # fmt: skip
_TRENDS = (
    "How did {m} develop over time?", "{m} by month", "Show the weekly {m} {f}.", "trend of {m} {t}",
    "Is the {m} going up or down?", "monthly {m} for {t}", "plot {m} over time", "Did {m} rise {t}?",
)  # fmt: skip
_VALUES = (
    "What is the {m} of {v}?", "{m} for {v} {t}", "How is {v} doing on {m}?", "How much {m} came from {v}?",
    "compare {v} and {w} on {m}", "{v} vs {w} {m}", "What share of {m} is {v}?", "{m} excluding {v}",
    "what percentage of {m} comes from {v} {t}", "Show me {m} only for {v}.",
)  # fmt: skip
_WHY = (
    "Why did {m} drop {t}?", "What caused the change in {m}?", "Are there any anomalies in {m}?",
    "What will {m} be next month?", "Which {ds} drove the fall in {m}?", "Explain the increase in {m} {t}.",
    "Is there a correlation between {m} and {n}?", "How are the values of {m} distributed?",
    "What should we do about {m}?", "Forecast {m} for the coming weeks.",
)  # fmt: skip
_COUNTS = (
    "How many {ds} are there?", "how many different {ds} {t}", "number of {ds} {f}", "List all {ds}.",
    "What {ds} do we have?", "count the {ds} {f}",
)  # fmt: skip
_TIMES = (
    "last month", "last week", "this year", "in 2024", "in March", "yesterday", "in the last 30 days", "in Q2",
    "year to date", "since January", "between June and August", "last quarter", "", "", "",
)  # fmt: skip
_GROUPS = (_TOTALS, _GROUPED, _RANKED, _TRENDS, _VALUES, _WHY, _COUNTS)


def generate_questions(model: SemanticModel, index: ValueIndex, limit: int = 300, seed: int = 0) -> list[str]:
    """Varied questions about the data, each once; the same for the same model and seed.

    Args:
        model: The names.
        index: The values.
        limit: At most so many.
        seed: Another gives other questions.
    """
    rng = random.Random(seed)
    found: dict[str, None] = {}
    if model.metrics and limit > 0:
        for question in _drawn(model, index, rng, 8 * limit):
            found.setdefault(question)
            if len(found) >= limit:
                break
    return list(found)


def _drawn(model: SemanticModel, index: ValueIndex, rng: random.Random, draws: int) -> Iterator[str]:
    groupable = [
        d
        for d in model.dimensions
        if d.type in (DimensionType.CATEGORY, DimensionType.ID, DimensionType.BOOLEAN)
    ]
    valued = [
        d for d in groupable if any(isinstance(v, str) for v in index.values(d.name)) and not d.personal
    ]
    for _ in range(draws):
        metric = rng.choice(model.metrics)
        reached = [d for d in groupable if model.reaches(metric, d)]
        held = [d for d in valued if model.reaches(metric, d)]
        template = rng.choice(rng.choice(_GROUPS))
        if ("{d" in template and not reached) or ("{v}" in template and not held):
            continue
        yield _filled(template, metric, reached, held, model, index, rng)


def _filled(
    template: str,
    metric: Metric,
    reached: list[Dimension],
    held: list[Dimension],
    model: SemanticModel,
    index: ValueIndex,
    rng: random.Random,
) -> str:
    dimension = rng.choice(reached).label if reached else ""
    valued = rng.choice(held) if held else None
    values = [v for v in index.values(valued.name)[:200] if isinstance(v, str)] if valued else []
    first = rng.choice(values)[:60] if values else ""
    slots = {
        "m": _said(metric, rng),
        "n": _said(rng.choice(model.metrics), rng),
        "d": dimension,
        "ds": plural(dimension),
        "t": rng.choice(_TIMES) if model.time_dimension(metric) else "",
        "f": _condition(valued, first, rng),
        "v": first,
        "w": rng.choice(values)[:60] if values else "",
    }
    return " ".join(template.format(**slots).split()).replace(" ?", "?").replace(" .", ".")


def _said(metric: Metric, rng: random.Random) -> str:
    return rng.choice((metric.label, metric.label, *metric.synonyms[:4]))


def _condition(dimension: Dimension | None, value: str, rng: random.Random) -> str:
    if dimension is None or not value:
        return ""
    return rng.choice(
        (
            f"in {value}",
            f"for {value}",
            f"for {dimension.label} {value}",
            f"where {dimension.label} is {value}",
        )
    )
