"""Managers' questions about periods: the biggest jump, the month with the most, the busiest hour, decades."""

from __future__ import annotations

import calendar
import random
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """A library: what each branch counted on each day."""
    rng, rows = random.Random(3), list[dict[str, object]]()
    for n in range(730):
        day = date(2021, 1, 1) + timedelta(days=n)
        for branch, size in (("Central", 220), ("Harbour", 90)):
            high = 1.6 if (day.year, day.month) == (2022, 9) else 1
            visitors = int(size * high * (1.4 if day.weekday() == 5 else 1) + rng.randrange(20))
            rows.append(
                {
                    "date": day,
                    "branch": branch,
                    "visitors": visitors,
                    "books_lent": visitors // 2 + rng.randrange(9),
                    "new_members": rng.randrange(9),
                    "fines_collected": round(rng.random() * 20, 2),
                }
            )
    frame = pd.DataFrame(rows)
    path: Path = tmp_path_factory.mktemp("library") / "library.csv"
    frame.to_csv(path, index=False)
    frame["month"] = pd.to_datetime(frame["date"]).dt.to_period("M").dt.start_time.dt.date
    return gnomon.open(path), frame


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """A help line: one row a call, with its minute."""
    rng = random.Random(5)
    start = datetime(2023, 1, 1)
    begun = sorted(start + timedelta(minutes=rng.randrange(700 * 24 * 60)) for _ in range(1500))
    begun += [start + timedelta(days=rng.randrange(700), hours=14, minutes=5) for _ in range(120)]
    frame = pd.DataFrame(
        {
            "call_id": range(1, len(begun) + 1),
            "started_at": [f"{b:%Y-%m-%d %H:%M:%S}" for b in begun],
            "topic": [rng.choice(["billing", "repair", "advice"]) for _ in begun],
            "call_cost": [round(1 + rng.random() * 30, 2) for _ in begun],
        }
    )
    path: Path = tmp_path_factory.mktemp("calls") / "calls.csv"
    frame.to_csv(path, index=False)
    frame["started_at"] = pd.to_datetime(frame["started_at"])
    return gnomon.open(path), frame


def row(answer: Answer, place: int = 0) -> dict[str, object]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return dict(zip(answer.tables[0].columns, answer.tables[0].rows[place], strict=True))


def steps(frame: pd.DataFrame, column: str, by: str = "month") -> pd.Series:
    return frame.groupby(by)[column].sum().diff()


@pytest.mark.parametrize(
    "question",
    [
        "Which month saw the biggest jump in visitors?",
        "In which month did visitors grow the most?",
        "month with the largest increase in visitors",
        "What was the biggest monthly rise in visitors?",
        "Which month saw the biggest spike in visitors?",
    ],
)
def test_the_biggest_jump_is_one_of_changes_not_of_levels(
    library: tuple[Analyst, pd.DataFrame], question: str
) -> None:
    analyst, frame = library
    told = row(analyst.ask(question))
    changes = steps(frame, "visitors")
    assert told["month"] == changes.idxmax()
    assert told["change"] == changes.max()


def test_the_steepest_drop_is_the_most_negative_change(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    told = row(analyst.ask("Which month saw the steepest drop in books lent?"))
    changes = steps(frame, "books_lent")
    assert (told["month"], told["change"]) == (changes.idxmin(), changes.min())


def test_a_jump_in_percent_is_ranked_by_percent(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    told = row(analyst.ask("Which month had the biggest percentage increase in new members?"))
    changes = frame.groupby("month")["new_members"].sum().pct_change()
    assert told["month"] == changes.idxmax()


def test_several_jumps_come_in_their_order(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    answer = analyst.ask("Which three months saw the biggest jumps in visitors?")
    wanted = steps(frame, "visitors").nlargest(3)
    assert [row(answer, n)["month"] for n in range(3)] == list(wanted.index)


@pytest.mark.parametrize(
    "question",
    [
        "Which month saw the smallest drop in visitors?",
        "Which month saw the biggest jump in visitors in each branch?",
    ],
)
def test_steps_that_are_not_told_are_refused(library: tuple[Analyst, pd.DataFrame], question: str) -> None:
    assert library[0].ask(question).status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    "question",
    ["month with the highest fines collected", "the month in which fines collected were highest", "peak month for fines collected"],
)  # fmt: skip
def test_a_described_period_is_asked_for(library: tuple[Analyst, pd.DataFrame], question: str) -> None:
    analyst, frame = library
    told = row(analyst.ask(question))
    assert told["month"] == frame.groupby("month")["fines_collected"].sum().idxmax()


def test_what_was_done_adds_up_and_new_ones_are_no_level(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    lent = {f.value for f in analyst.ask("books lent in 2022").facts}
    joined = {f.value for f in analyst.ask("new members in 2022").facts}
    year = frame[pd.to_datetime(frame["date"]).dt.year == 2022]
    assert year["books_lent"].sum() in lent
    assert year["new_members"].sum() in joined


def test_the_busiest_weekday_counts_visitors(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    told = row(analyst.ask("On which day of the week is Harbour busiest?"))
    here = frame[frame["branch"] == "Harbour"]
    days = here.groupby(pd.to_datetime(here["date"]).dt.day_name())["visitors"].sum()
    assert told["day of the week"] == days.idxmax()


@pytest.mark.parametrize(
    "question", ["busiest hour", "Which hour has the most calls?", "peak hour for calls"]
)
def test_the_busiest_hour_is_one_of_the_day(calls: tuple[Analyst, pd.DataFrame], question: str) -> None:
    analyst, frame = calls
    told = row(analyst.ask(question))
    hours = frame.groupby(frame["started_at"].dt.hour).size()
    assert int(str(told["hour of the day"])) == hours.idxmax()


def test_the_slowest_month_has_the_fewest_rows(calls: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = calls
    months = frame.groupby(frame["started_at"].dt.to_period("M")).size()
    for question in ("What was the slowest month of 2023?", "Which month of 2023 was the slowest in calls?"):
        told = row(analyst.ask(question))
        assert told["month"] == months[months.index.year == 2023].idxmin().start_time.date(), question


@pytest.fixture(scope="module")
def grants(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analyst, pd.DataFrame]:
    """A foundation: grants of three decades, with what was decided."""
    rng, rows = random.Random(11), list[dict[str, object]]()
    for year in range(1990, 2020):
        for n in range(8 + year % 5):
            rows.append(
                {
                    "grant_no": f"G{year}{n:02d}",
                    "year": year,
                    "region": rng.choice(["Highlands", "Lowlands", "Islands"]),
                    "amount_awarded": 500 * rng.randrange(4, 60),
                    "decision": rng.choice(["approved", "approved", "rejected"]),
                }
            )
    frame = pd.DataFrame(rows)
    path: Path = tmp_path_factory.mktemp("grants") / "grants.csv"
    frame.to_csv(path, index=False)
    frame["decade"] = [date(y // 10 * 10, 1, 1) for y in frame["year"]]
    return gnomon.open(path), frame


def test_decades_group_and_rank(grants: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = grants
    amounts = frame.groupby("decade")["amount_awarded"].sum()
    told = analyst.ask("How much was awarded per decade?").tables[0]
    assert {r[0]: r[1] for r in told.rows} == amounts.to_dict()
    best = row(analyst.ask("In which decade was the amount awarded highest?"))
    assert (best["decade"], best["amount awarded"]) == (amounts.idxmax(), amounts.max())


@pytest.mark.parametrize(
    "question",
    [
        "What share of grants were rejected each decade?",
        "share of rejected grants by decade",
        "What percentage of grants were rejected per decade?",
    ],
)
def test_a_share_is_told_of_every_period(grants: tuple[Analyst, pd.DataFrame], question: str) -> None:
    analyst, frame = grants
    told = analyst.ask(question).tables[0]
    wanted = 100 * frame["decision"].eq("rejected").groupby(frame["decade"]).mean()
    shares = {r[0]: r[-1] if r[-1] > 1 else 100 * r[-1] for r in told.rows}  # in percent, or as a fraction
    assert shares == pytest.approx(wanted.to_dict())


def test_a_share_that_goes_up_is_no_share_of_all(grants: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = grants
    answer = analyst.ask("Is the share of rejected grants going up over the years?")
    whole = 100 * frame["decision"].eq("rejected").mean()
    assert len(answer.tables[0].rows) == 30
    assert all(f.value != pytest.approx(whole) for f in answer.facts if isinstance(f.value, float))


def test_the_year_with_the_largest_share_of_the_whole(grants: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = grants
    told = row(analyst.ask("Which year accounted for the largest share of the amount awarded?"))
    amounts = frame.groupby("year")["amount_awarded"].sum()
    assert told["year"] == date(int(amounts.idxmax()), 1, 1)
    assert told["share (%)"] == pytest.approx(100 * amounts.max() / amounts.sum())


def test_groups_against_each_other_by_year(grants: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = grants
    told = analyst.ask("amount awarded in Highlands versus Islands by year").tables[0]
    wanted = frame[frame["region"] != "Lowlands"].groupby(["year", "region"])["amount_awarded"].sum()
    assert {(r[0].year, r[1]): r[2] for r in told.rows} == wanted.to_dict()


def test_the_second_half_needs_no_noun(library: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = library
    answer = analyst.ask(
        "How many visitors did we have in the first half of 2022, and how many in the second?"
    )
    days = pd.to_datetime(frame["date"])
    for months in (range(1, 7), range(7, 13)):
        wanted = frame[(days.dt.year == 2022) & days.dt.month.isin(months)]["visitors"].sum()
        assert wanted in {f.value for f in answer.facts}


def test_a_place_without_its_order_is_refused(library: tuple[Analyst, pd.DataFrame]) -> None:
    answer = library[0].ask("How many visitors came in 2022, and how many at the second branch?")
    assert answer.status is not AnswerStatus.ANSWERED


def test_on_how_many_days_there_was_any(calls: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = calls
    days = frame[frame["topic"] == "repair"]["started_at"].dt.date.nunique()
    for question in (
        "On how many days were there repair calls?",
        "On how many days did we have repair calls?",
    ):
        assert days in {f.value for f in analyst.ask(question).facts}, question


def test_the_value_that_most_rows_stay_below_is_a_percentile(calls: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = calls
    below = analyst.ask("What is the call cost that 90% of calls stay below?")
    above = analyst.ask("What is the call cost that 75 % of our calls are above?")
    assert frame["call_cost"].quantile(0.9) == pytest.approx(below.facts[0].value)
    assert frame["call_cost"].quantile(0.25) == pytest.approx(above.facts[0].value)


def test_what_it_takes_for_one_is_a_rate(calls: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = calls
    answer = analyst.ask("How much call cost does it take to answer one call?")
    assert frame["call_cost"].sum() / len(frame) == pytest.approx(answer.facts[0].value)


@pytest.mark.parametrize("seed", range(3))
def test_hours_are_told_in_sentences_and_parts_of_time_in_the_calendars_order(seed: int) -> None:
    draw = np.random.default_rng(seed)
    hours = pd.date_range(f"2025-0{seed + 1}-03", periods=24 * 21, freq="h")
    level = 50 + 20 * np.sin(np.arange(len(hours)) / 24 * 2 * np.pi) + draw.normal(0, 3, len(hours))
    frame = pd.DataFrame({"measured_at": hours, "load_kw": level.round(2)})
    analyst = gnomon.open({"feeder": frame})
    told = analyst.ask("average load by hour")
    top = frame.loc[frame.load_kw.idxmax(), "measured_at"]
    assert f"highest at {top.day} {top:%B %Y %H:%M}" in told.prose and "kW" in told.prose
    shown = analyst.ask("average load by hour of the day").tables[0].rows
    means = frame.groupby(frame.measured_at.dt.hour).load_kw.mean()
    assert [r[0] for r in shown] == list(range(24))
    assert [r[1] for r in shown] == pytest.approx(list(means))
    days = analyst.ask("average load by weekday").tables[0].rows
    assert [r[0] for r in days] == list(calendar.day_name)
