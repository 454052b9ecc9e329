"""Whether a series has a trend: the verdict of a test over the periods that are whole, before what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.agents.figures import listed, sentence
from gnomon.agents.telling import Telling
from gnomon.agents.telling_words import is_plural
from gnomon.core.errors import CalculationError
from gnomon.core.query import TimeGranularity

if TYPE_CHECKING:
    from gnomon.analytics.trends import Trend

_FEWEST = 6
_NAMED = 6


def tell_verdict(t: Telling, values: list[Any], grain: TimeGranularity) -> None:
    """Say first whether there is a trend; what was said before follows."""
    found = _trend(values)
    if found is None:
        _tell_too_few(t, len(values))
        return
    p = t.fact("p_value", found.p_value, None, metric="")
    how = f"the Mann–Kendall test, {t.chance(p)}"
    show = "show" if is_plural(t.metric().label) else "shows"
    if not found.significant:
        lead = f"{_answer(t, found)}{t.subject()}{t.when()} {show} no significant trend by {grain} ({how})"
    else:
        slope = t.fact(f"{t.name()}.slope", found.slope, t.metric().unit)
        way = "an upward" if found.direction == "up" else "a downward"
        lead = f"{_answer(t, found)}{t.subject()}{t.when()} {show} {way} trend by {grain} ({how})"
        t.told.more.insert(0, sentence(f"the typical change from one {grain} to the next is {t.say(slope)}"))
    t.told.more.insert(0 if not found.significant else 1, t.told.lead)
    t.told.lead = sentence(lead)


def tell_verdicts(t: Telling, series: dict[str, list[Any]], grain: TimeGranularity) -> None:
    """The same for each group: which of them have a trend."""
    judged = {name: found for name, values in series.items() if (found := _trend(values)) is not None}
    if not judged:
        _tell_too_few(t, max((len(v) for v in series.values()), default=0))
        return
    moving: dict[str, list[str]] = {"up": [], "down": []}
    for name, found in judged.items():
        place = {t.request.dimensions[0]: name}
        t.fact("p_value", found.p_value, None, metric="", group=place)
        t.fact(f"{t.name()}.slope", found.slope, t.metric().unit, group=place)
        if found.significant:
            moving[found.direction].append(name)
    claim = _claimed(t)
    met = bool(moving[claim]) if claim else any(moving.values())
    parts = [
        f"{'an upward' if way == 'up' else 'a downward'} trend for {listed(names[:_NAMED])}"
        for way, names in moving.items()
        if names
    ]
    said = (
        listed(parts)
        if parts
        else f"no significant trend for any {t.model.dimension(t.request.dimensions[0]).label}"
    )
    show = "show" if is_plural(t.metric().label) else "shows"
    t.told.more.insert(0, t.told.lead)
    answer = ("yes: " if met else "no: ") if t.request.claim.whether else ""
    t.told.lead = sentence(
        f"{answer}{t.subject()}{t.when()} {show} {said} (the Mann–Kendall test by {grain})"
    )


def _claimed(t: Telling) -> str | None:
    """Where it is claimed to go."""
    return {">": "up", "<": "down"}[t.request.claim.side] if t.request.claim.side is not None else None


def _answer(t: Telling, found: Trend) -> str:
    if not t.request.claim.whether:
        return ""
    claim = _claimed(t)
    return "yes: " if found.significant and (claim is None or found.direction == claim) else "no: "


def _tell_too_few(t: Telling, count: int) -> None:
    t.fact("periods", count, None, metric="")
    t.told.caveats.append("There are too few whole periods to judge a trend")


def _trend(values: list[Any]) -> Trend | None:
    from gnomon.analytics.trends import trend

    if len(values) < _FEWEST:
        return None
    try:
        return trend([float(v) for v in values])
    except CalculationError:
        return None
