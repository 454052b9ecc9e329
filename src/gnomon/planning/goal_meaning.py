"""The goal whose meaning is nearest to a prompt that uses none of the usual words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gnomon.planning.goal_reading import GoalReading
from gnomon.tools import Goal

if TYPE_CHECKING:
    import numpy as np

_MEANING: dict[Goal, tuple[str, ...]] = {
    Goal.PROFILE: (
        "tell me what this data looks like", "is the data any good, anything missing", "what columns do we have here",
        "how clean is this file", "give me a first impression of the table", "what kind of information is in this file",
    ),
    Goal.AGGREGATE: (
        "how much did we sell in each place", "which shop earned the most", "what did the average patient pay",
        "which team closed the most tickets", "revenue of every store last month", "what is the biggest order we ever had",
        "list the cheapest suppliers", "number of visits on each page", "show turnover by quarter",
    ),
    Goal.DETECT_ANOMALIES: (
        "is anything off in these readings", "which points look wrong", "some entries cannot be right, find them",
        "did anything out of the ordinary happen last week", "mark payments that do not look normal",
        "which machines behave differently from the rest", "are there values that make no sense",
    ),
    Goal.FORECAST: (
        "what numbers should we plan for in the months to come", "how much will we sell later this year",
        "estimate the demand of the coming season", "where will costs be by the end of the year",
        "how many visitors should we expect in summer", "how is membership going to develop",
        "what can we expect for next spring",
    ),
    Goal.TREND: (
        "are we doing better or worse than we used to", "is it moving up or down in the long run",
        "did quality improve during the last years", "how has usage changed over the years",
        "are complaints becoming more frequent", "is the business getting bigger",
    ),
    Goal.SEASONALITY: (
        "does the same pattern repeat every week", "are mondays always busier", "is december different from other months",
        "do people buy more at weekends", "at what hours is the site busiest usually", "is there a rhythm in the year",
    ),
    Goal.CHANGE_POINTS: (
        "at what moment did things become different", "when did it suddenly jump", "since when is the rate higher",
        "on which day did the level change", "from when on did complaints go up", "when did the new regime begin",
    ),
    Goal.CORRELATION: (
        "does one rise when the other rises", "do price and demand have anything to do with each other",
        "is there a link from weather to ticket sales", "do tall people weigh more", "which columns go with each other",
        "does temperature affect yield",
    ),
    Goal.SEGMENTS: (
        "which customers behave alike", "sort our buyers into a few kinds", "find groups of similar patients",
        "what types of users do we have", "put schools with similar results together", "discover groups among the members",
    ),
    Goal.DISTRIBUTION: (
        "how are the values spread out", "are most orders small or large", "what range do salaries cover",
        "how do response times vary", "what share of deliveries takes longer than a day",
    ),
    Goal.GEO: (
        "where on the ground do the incidents happen most", "which places are close to each other",
        "which warehouse is nearest to the clients", "in what area are most of the accidents",
        "how far do customers live from the store",
    ),
    Goal.TEST: (
        "is the gap between the two groups real or chance", "did the new version really perform better",
        "are the two shifts equally productive", "do men and women answer differently",
        "have both machines the same mean output", "can the difference be a coincidence",
    ),
    Goal.REGRESSION: (
        "which things make the price go up and by how much", "what explains the differences in salary",
        "which factors matter for the yield", "how much does each year of experience add to pay",
        "what determines how long a repair takes",
    ),
    Goal.COMPARE: (
        "what is new in the second file against the first", "what is different between last week's and this week's extract",
        "which records changed from the old list to the new one",
    ),
    Goal.JOIN: ("bring the orders and the customers together in one table", "connect the two files by their id"),
    Goal.CLEAN: ("leave the crazy values aside", "take the measurement errors out of the data"),
    Goal.CHART: ("show me a picture of the numbers", "let me see the figures as bars"),
}  # fmt: skip
_NO_GOAL = (
    "hello, how are you", "thank you very much", "what is your name", "who made you", "tell me a joke",
    "what is the weather like today", "write a poem about our company", "please help me", "can you do something for me",
    "is my data safe with you", "what can you do", "translate this into french", "what is the capital of france",
    "good morning", "that was wrong", "ok, never mind", "i do not understand", "make it better", "do your magic",
    "write a description of our product", "send an email to my boss", "how do i install this",
)  # fmt: skip
_LEAST = 0.4
_MARGIN = 0.03


@cache
def _anchors() -> tuple[list[Goal | None], np.ndarray]:
    from gnomon.embedding import get_encoder

    pairs: list[tuple[Goal | None, str]] = [
        (goal, text) for goal, texts in _MEANING.items() for text in texts
    ]
    pairs += [(None, text) for text in _NO_GOAL]
    return [goal for goal, _ in pairs], get_encoder().encode([text for _, text in pairs])


def nearest_goal(prompt: str) -> GoalReading | None:
    """The goal that means most nearly the same as ``prompt``; None where nothing is near, or small talk is nearer.

    Two goals that are equally near make an ambiguous reading.
    """
    from gnomon.embedding import get_encoder

    goals, anchors = _anchors()
    likeness = anchors @ get_encoder().encode_one(prompt)
    best: dict[Goal | None, float] = {}
    for goal, value in zip(goals, likeness.tolist(), strict=True):
        best[goal] = max(best.get(goal, -1.0), value)
    idle = best.pop(None)
    (first, top), (second, runner_up), *_ = sorted(best.items(), key=lambda item: -item[1])
    if first is None or second is None or top < _LEAST or top < idle + _MARGIN:
        return None
    return GoalReading((first,), (), first, (second,) if top - runner_up < _MARGIN else ())
