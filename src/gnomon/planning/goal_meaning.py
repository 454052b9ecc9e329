"""The goal whose meaning is nearest to a prompt that uses none of the usual words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gnomon.planning.goal_reading import GoalReading
from gnomon.tools import Goal

if TYPE_CHECKING:
    import numpy as np

_MEANING: dict[Goal, tuple[str, ...]] = {
    Goal.PROFILE: ("tell me what this data looks like", "is the data any good, anything missing"),
    Goal.AGGREGATE: ("how much did we sell in each place", "which shop earned the most"),
    Goal.DETECT_ANOMALIES: ("is anything off in these readings", "which points look wrong"),
    Goal.FORECAST: (
        "what numbers should we plan for in the months to come",
        "how much will we sell later this year",
    ),
    Goal.TREND: ("are we doing better or worse than we used to", "is it moving up or down in the long run"),
    Goal.SEASONALITY: ("does the same pattern repeat every week", "are mondays always busier"),
    Goal.CHANGE_POINTS: ("at what moment did things become different", "when did it suddenly jump"),
    Goal.CORRELATION: (
        "does one rise when the other rises",
        "do price and demand have anything to do with each other",
    ),
    Goal.SEGMENTS: ("which customers behave alike", "sort our buyers into a few kinds"),
    Goal.DISTRIBUTION: ("how are the values spread out", "are most orders small or large"),
    Goal.GEO: ("where on the ground do the incidents happen most", "which places are close to each other"),
    Goal.TEST: (
        "is the gap between the two groups real or chance",
        "did the new version really perform better",
    ),
    Goal.REGRESSION: (
        "which things make the price go up and by how much",
        "what explains the differences in salary",
    ),
    Goal.COMPARE: ("what is new in the second file against the first",),
    Goal.CHART: ("show me a picture of the numbers",),
}
_LEAST = 0.5
_MARGIN = 0.04


@cache
def _anchors() -> tuple[list[Goal], np.ndarray]:
    from gnomon.embedding import get_encoder

    pairs = [(goal, sentence) for goal, sentences in _MEANING.items() for sentence in sentences]
    return [goal for goal, _ in pairs], get_encoder().encode([sentence for _, sentence in pairs])


def nearest_goal(prompt: str) -> GoalReading | None:
    """The goal that means most nearly the same as ``prompt``; None where nothing is near.

    Two goals that are equally near make an ambiguous reading.
    """
    from gnomon.embedding import get_encoder

    goals, anchors = _anchors()
    likeness = anchors @ get_encoder().encode_one(prompt)
    best: dict[Goal, float] = {}
    for goal, value in zip(goals, likeness.tolist(), strict=True):
        best[goal] = max(best.get(goal, -1.0), value)
    (first, top), (second, runner_up), *_ = sorted(best.items(), key=lambda item: -item[1])
    if top < _LEAST:
        return None
    return GoalReading((first,), (), first, (second,) if top - runner_up < _MARGIN else ())
