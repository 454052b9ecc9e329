"""What is counted is studied as what is measured: why it moved, whether it rises, what comes next, which groups stand out."""

import random
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.core.parts import QuestionKind

FIRST, LAST = date(2023, 1, 1), date(2025, 5, 10)
THINGS = {"repairs": "workshop", "bookings": "studio"}


@pytest.fixture(scope="module", params=THINGS)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ever more of one thing, most of the fees at one place."""
    thing, draw, rows = request.param, random.Random(request.param), list[Any]()
    place, day = THINGS[thing], FIRST
    while day <= LAST:
        for _ in range(1 + (day - FIRST).days // 200 + draw.randint(0, 1)):
            where = draw.choice(["Alder", "Birch", "Cedar", "Elm", "Fir", "Oak"])
            rows.append((len(rows) + 1, day, where, draw.randint(20, 30) * (9 if where == "Oak" else 1)))
        day += timedelta(days=1)
    frame = pd.DataFrame(rows, columns=[f"{thing[:-1]}_id", "day", place, "fee_eur"])
    path: Path = tmp_path_factory.mktemp(thing) / f"{thing}.csv"
    frame.to_csv(path, index=False)
    return thing, frame, gnomon.open(path)


def kinds(analyst: Any, question: str) -> list[QuestionKind]:
    outcome = analyst.manager.process(question, today=LAST)
    return [p.kind for p in outcome.reading.parts]


@pytest.mark.parametrize(
    "words", ["Why did {things} fall in March 2025?", "What explains the drop in {things} in March 2025?"]
)
def test_why_there_are_fewer_is_looked_into(opened: Any, words: str) -> None:
    thing, _, analyst = opened
    assert kinds(analyst, words.format(things=thing)) == [QuestionKind.CAUSE]


@pytest.mark.parametrize(
    "words",
    ["Are {things} increasing?", "Is the number of {things} rising?", "Is the number of {things} up?"],
)
def test_whether_there_are_more_is_judged(opened: Any, words: str) -> None:
    thing, _, analyst = opened
    answer = analyst.ask(words.format(things=thing))
    assert re.search("going up by|^Yes: .* upward trend", answer.prose), answer.prose
    fall = analyst.ask(f"Have {thing} declined?")
    assert fall.prose.startswith("No: ") or "it did not fall" in fall.prose, fall.prose


def test_a_claim_about_a_year_that_is_not_over_is_judged_by_the_days_of_both(opened: Any) -> None:
    thing, frame, analyst = opened
    days = pd.to_datetime(frame["day"])
    now = int((days.dt.year == 2025).sum())
    same = int(((days >= "2024-01-01") & (days <= "2024-05-10")).sum())
    whole = int((days.dt.year == 2024).sum())
    assert same < now < whole  # by whole years it would be a fall
    answer = analyst.ask(f"Did the number of {thing} increase in 2025?")
    assert answer.prose.startswith("Yes: ") and "No: " not in answer.prose
    assert {now, same} <= {f.value for f in answer.facts}


@pytest.mark.long
def test_two_years_are_enough_to_forecast_the_next(opened: Any) -> None:
    thing, frame, analyst = opened
    answer = analyst.ask(f"forecast {thing} for next year")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    a_month = len(frame) / 28
    assert 12 * a_month * 0.8 < answer.facts[0].value < 12 * a_month * 4


@pytest.mark.parametrize(
    "words", ["Which {places} have unusual fees?", "Are there any {places} with unusual fees?"]
)
def test_which_groups_stand_out_is_told_of_groups(opened: Any, words: str) -> None:
    thing, frame, analyst = opened
    place = THINGS[thing]
    answer = analyst.ask(words.format(places=f"{place}s"))
    assert "Oak" in answer.prose.split("\n\n")[0] and f"of 6 {place}s" in answer.prose
    assert frame.groupby(place)["fee_eur"].sum()["Oak"] in {f.value for f in answer.facts}
    assert answer.charts
