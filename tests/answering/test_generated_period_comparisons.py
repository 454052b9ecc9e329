"""Comparisons of periods in many wordings, for every grain and scope: right by a truth of its own, or refused, never of others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

LAST = date(2025, 8, 19)
Days = tuple[date, date]


@dataclass(frozen=True)
class Grain:
    """What one grain is called, and which days are meant: the one that goes on, the one before, and the last whole ones."""

    this: str
    last: str
    ago: str
    over: str
    same: str
    now: Days
    before: Days
    whole: tuple[Days, Days]
    year_ago: Days


def _days(start: str, end: str) -> Days:
    return date.fromisoformat(start), date.fromisoformat(end)


# Written by hand, so that nothing of what is tested says which days they are. 19 August 2025 is a Tuesday.
GRAINS = {
    "day": Grain(
        "today", "yesterday", "a day ago", "day over day", "day", _days("2025-08-19", "2025-08-19"), _days("2025-08-18", "2025-08-18"),
        (_days("2025-08-19", "2025-08-19"), _days("2025-08-18", "2025-08-18")), _days("2024-08-19", "2024-08-19"),
    ),
    "week": Grain(
        "this week", "last week", "a week ago", "week over week", "week", _days("2025-08-18", "2025-08-24"), _days("2025-08-11", "2025-08-17"),
        (_days("2025-08-11", "2025-08-17"), _days("2025-08-04", "2025-08-10")), _days("2024-08-19", "2024-08-25"),
    ),
    "month": Grain(
        "this month", "last month", "a month ago", "month over month", "month", _days("2025-08-01", "2025-08-31"), _days("2025-07-01", "2025-07-31"),
        (_days("2025-07-01", "2025-07-31"), _days("2025-06-01", "2025-06-30")), _days("2024-08-01", "2024-08-31"),
    ),
    "quarter": Grain(
        "this quarter", "last quarter", "a quarter ago", "quarter over quarter", "quarter", _days("2025-07-01", "2025-09-30"),
        _days("2025-04-01", "2025-06-30"), (_days("2025-04-01", "2025-06-30"), _days("2025-01-01", "2025-03-31")), _days("2024-07-01", "2024-09-30"),
    ),
    "half-year": Grain(
        "this half-year", "last half-year", "half a year ago", "half-year over half-year", "half-year", _days("2025-07-01", "2025-12-31"),
        _days("2025-01-01", "2025-06-30"), (_days("2025-01-01", "2025-06-30"), _days("2024-07-01", "2024-12-31")), _days("2024-07-01", "2024-12-31"),
    ),
    "year": Grain(
        "this year", "last year", "a year ago", "year over year", "year", _days("2025-01-01", "2025-12-31"), _days("2024-01-01", "2024-12-31"),
        (_days("2024-01-01", "2024-12-31"), _days("2023-01-01", "2023-12-31")), _days("2024-01-01", "2024-12-31"),
    ),
}  # fmt: skip
AGAINST_LAST = [
    "Is {m} up on {last}?", "Is {m} down on {last}?", "Is {m} higher than {last}?", "Is {m} lower than {last}?", "Is {m} better than {last}?",
    "Is {m} worse than {last}?", "Are we up on {last} in {m}?",  "Did {m} rise compared to {last}?", "{m} compared with {last}", "{m} compared to {last}",
    "{m} vs {last}", "{m} versus {last}", "{m} against {last}", "{m} relative to {last}", "How does {m} compare to {last}?",
    "How does {m} compare with {last}?", "{m} {this} versus {last}", "{m} {this} vs {last}", "{m} {this} compared to {last}",
    "{m} {this} against {last}", "Compare {m} {this} with {last}", "Compare {m} {this} and {last}", "How did {m} change from {last} to {this}?",
    "How much higher is {m} {this} than {last}?", "Is {m} {this} higher than {last}?", "Was {m} {this} lower than {last}?",
    "What is the difference in {m} between {this} and {last}?", "change in {m} {this} vs {last}", "{m} change against {last}",
]  # fmt: skip
FOLLOWING = [
    "{m} {over}", "How does {m} compare {over}?", "How do our {m} compare {over}?", "{over} {m}", "change in {m} {over}", "How did {m} change {over}?",
    "Is {m} higher than {ago}?", "Is {m} worse than {ago}?", "{m} compared with {ago}", "How does {m} compare to {ago}?",
    "{m} from {same} to {same}", "{m} {same} to {same}", "{m} {same} on {same}", "Is {m} up {over}?", "{over} change in {m}",
]  # fmt: skip
YEAR_AGO = [
    "Is {m} higher than the same {same} last year?", "Is {m} up on the same {same} last year?", "{m} compared with the same {same} last year",
    "{m} vs the same {same} a year ago", "How does {m} compare to the same {same} last year?", "{m} {this} vs the same {same} last year",
    "Is {m} {this} higher than the same {same} last year?", "Is {m} lower than in the same {same} of last year?",
]  # fmt: skip
ROLLING = {
    "30 days": (_days("2025-07-21", "2025-08-19"), _days("2025-06-21", "2025-07-20")),
    "7 days": (_days("2025-08-13", "2025-08-19"), _days("2025-08-06", "2025-08-12")),
    "three months": (_days("2025-05-01", "2025-07-31"), _days("2025-02-01", "2025-04-30")),
    "six months": (_days("2025-02-01", "2025-07-31"), _days("2024-08-01", "2025-01-31")),
    "4 weeks": (_days("2025-07-21", "2025-08-17"), _days("2025-06-23", "2025-07-20")),
    "two quarters": (_days("2025-01-01", "2025-06-30"), _days("2024-07-01", "2024-12-31")),
}
OF_ROLLING = [
    "{m} in the last {n} vs the {n} before", "{m} in the last {n} compared with the previous {n}", "Is {m} in the last {n} higher than in the {n} before?",
    "{m} last {n} versus previous {n}", "How did {m} change in the last {n} compared to the {n} before that?", "Is {m} up in the last {n} against the previous {n}?",
]  # fmt: skip
OPEN_SIDED = ["Is {m} up on the last {n}?", "{m} compared with the previous {n}", "Is {m} higher than in the past {n}?", "{m} vs the last {n}"]  # fmt: skip
SCOPES = {
    "plain": "fares", "filter": "fares on Skerry", "count": "cars on Holm", "group": "fares by route", "share": "share of fares on Skerry",
}  # fmt: skip


def _frame() -> pd.DataFrame:
    draw = np.random.default_rng(12)
    rows = [
        (d.date(), route, int(draw.integers(1, 40)), round(float(draw.gamma(4, 30)), 2))
        for d in pd.date_range("2022-03-07", LAST)
        for route in ("Skerry", "Holm")
    ]
    return pd.DataFrame(rows, columns=["sailed_on", "route", "cars", "fares"])


@pytest.fixture(scope="module")
def ferry() -> Iterator[tuple[Analyst, pd.DataFrame]]:
    frame = _frame()
    with gnomon.open({"sailings": frame}) as analyst:
        yield analyst, frame


def wanted(frame: pd.DataFrame, scope: str, days: Days) -> list[float]:
    """The figures of one side, computed from the rows."""
    rows = frame[(frame.sailed_on >= days[0]) & (frame.sailed_on <= days[1])]
    skerry, holm = rows[rows.route == "Skerry"], rows[rows.route == "Holm"]
    found: dict[str, list[Any]] = {
        "plain": [rows.fares.sum()], "filter": [skerry.fares.sum()], "count": [holm.cars.sum()],
        "group": [skerry.fares.sum(), holm.fares.sum()], "share": [skerry.fares.sum() / rows.fares.sum() if len(rows) else 0],
    }  # fmt: skip
    return [float(v) for v in found[scope]]


def told(answer: Answer) -> list[float]:
    cells = [v for t in answer.tables for r in t.rows for v in r]
    return [float(v) for v in (*(f.value for f in answer.facts), *cells) if isinstance(v, (int, float))]


def wrong(ferry: tuple[Analyst, pd.DataFrame], question: str, scope: str, now: Days, before: Days) -> str:
    """What is wrong with the answer; nothing where it is right or there is none."""
    analyst, frame = ferry
    answer = analyst.ask(question)
    if answer.status is not AnswerStatus.ANSWERED:
        return ""
    return "" if is_right(answer, frame, scope, now, before) else f"{question}\n{answer.prose}"


def is_right(answer: Answer, frame: pd.DataFrame, scope: str, now: Days, before: Days) -> bool:
    """Whether both sides are told, over the days that are there or over the same days of both, and no other period is."""
    there = (now[0], min(now[1], LAST))
    then = (before[0], min(before[1], before[0] + (there[1] - there[0])))
    values = told(answer)

    def tells(days: Days) -> bool:
        percent = 100 if scope == "share" else 1
        sides = wanted(frame, scope, days)
        return all(
            any(v == pytest.approx(f * w, rel=1e-5) for v in values for f in (1, percent)) for w in sides
        )

    change = [a - b for a, b in zip(wanted(frame, scope, there), wanted(frame, scope, before), strict=True)]
    like = [a - b for a, b in zip(wanted(frame, scope, there), wanted(frame, scope, then), strict=True)]
    by_change = any(
        all(any(abs(v) == pytest.approx(abs(c), rel=1e-4) for v in values) for c in found)
        for found in (change, like)
    )
    both = (tells(there) and (tells(before) or tells(then))) or by_change
    # The series beside a comparison tells its highest and its lowest, which compares nothing.
    compared = [f for f in answer.facts if not f.name.endswith((".highest", ".lowest"))]
    periods = {(p.start, p.end) for f in compared if (p := f.about.period) is not None}
    return both and all(_within(p, (now, before)) for p in periods)


def _within(days: Days, sides: tuple[Days, Days]) -> bool:
    return any(side[0] <= days[0] and days[1] <= side[1] for side in sides)


def cases() -> Iterator[tuple[str, str, str, Days, Days]]:
    for (name, grain), (scope, measure) in itertools.product(GRAINS.items(), SCOPES.items()):
        words = {
            "m": measure,
            "this": grain.this,
            "last": grain.last,
            "ago": grain.ago,
            "over": grain.over,
            "same": grain.same,
        }
        for kind, (now, before) in (
            (AGAINST_LAST, (grain.now, grain.before)), (FOLLOWING, grain.whole), (YEAR_AGO, (grain.now, grain.year_ago)),
        ):  # fmt: skip
            for wording in kind:
                if kind is YEAR_AGO and name == "year":
                    continue
                yield wording, f"{name} {scope}", wording.format(**words), now, before
    for (n, (now, before)), (scope, measure) in itertools.product(ROLLING.items(), SCOPES.items()):
        for wording in OF_ROLLING:
            yield wording, f"{n} {scope}", wording.format(m=measure, n=n), now, before


CASES = list(cases())
LONG = [pytest.param(*c, marks=pytest.mark.long) for c in CASES]
ANSWERED = [*AGAINST_LAST, *FOLLOWING, *YEAR_AGO, *OF_ROLLING]


@pytest.mark.parametrize(("wording", "name", "question", "now", "before"), LONG)
def test_a_comparison_of_periods_is_right_or_refused(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, name: str, question: str, now: Days, before: Days
) -> None:
    assert wrong(ferry, question, name.split()[-1], now, before) == ""


@pytest.mark.parametrize("wording", ANSWERED)
def test_every_wording_is_answered_for_some_grain(ferry: tuple[Analyst, pd.DataFrame], wording: str) -> None:
    mine = [c for c in CASES if c[0] == wording and c[1].split()[0] in ("week", "month", "30", "six")]
    _, name, question, now, before = mine[sum(map(ord, wording)) % len(mine)]
    answer = ferry[0].ask(question)
    if name.split()[-1] not in ("share", "group"):
        assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert wrong(ferry, question, name.split()[-1], now, before) == ""


@pytest.mark.parametrize(("wording", "n"), list(itertools.product(OPEN_SIDED, ROLLING))[::5])
def test_what_is_compared_with_several_units_has_to_be_said(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, n: str
) -> None:
    answer = ferry[0].ask(wording.format(m="fares", n=n))
    if answer.status is AnswerStatus.ANSWERED:  # half a year has one that follows it
        assert "all days" not in answer.prose and answer.request is not None
        assert answer.request.parts.time_range is not None and answer.request.parts.comparison is not None
    else:
        assert not answer.facts


@pytest.mark.parametrize("wording", ["{m} compared with {n} ago", "Is {m} higher than {n} ago?"])
@pytest.mark.parametrize("n", ["six months", "two years", "3 weeks"])
def test_a_step_of_several_units_is_not_taken_for_one(
    ferry: tuple[Analyst, pd.DataFrame], wording: str, n: str
) -> None:
    answer = ferry[0].ask(wording.format(m="fares", n=n))
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose
