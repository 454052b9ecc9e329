"""Nouns that say whose figures are asked for break nothing down, and nouns that are asked for are never lost."""

from __future__ import annotations

from datetime import date
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

TODAY = date(2025, 6, 1)
N = 360
VISITS = pd.DataFrame(
    {
        "visit_no": range(1, N + 1),
        "patient": [f"Patient {chr(65 + i * 7 % 40 // 2)}{i * 7 % 40}" for i in range(N)],
        "sex": [("F", "M")[i * 7 % 40 % 2] for i in range(N)],
        "insured": [("Yes", "Yes", "No")[i * 7 % 40 % 3] for i in range(N)],
        "ward": [("North", "South", "East")[i * i % 7 % 3] for i in range(N)],
        "term": [("Spring", "Summer", "Autumn")[i // 3 % 3] for i in range(N)],
        "visit_date": pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d"),
        "wait_min": [5 + i * 13 % 83 for i in range(N)],
        "fee": [(40, 60, 95, 120)[i * i % 11 % 4] for i in range(N)],
        "no_show": [("No", "Yes")[i % 9 == 4] for i in range(N)],
    }
)
LAWMAKERS = pd.DataFrame(
    {
        "Senator": [f"Senator{chr(65 + i % 26)}{chr(97 + i // 26)}" for i in range(80)],
        "Contributions": [1000 + i * 977 % 50021 for i in range(80)],
        "Party": [("D", "R")[i % 2] for i in range(80)],
        "RollCall": [("Nay", "Yea", "Nay")[i * i % 3] for i in range(80)],
        "Vote": [("With", "Against", "With")[i * i % 3] for i in range(80)],
    }
)

EPISODES = pd.DataFrame(
    {
        "series": [1 + i // 8 for i in range(56)],
        "episode": [1 + i % 8 for i in range(56)],
        "viewers": [round(3 + i * 7 % 13 / 4, 2) for i in range(56)],
        "requests": [None if i % 3 == 0 else 100 + i * 37 % 900 for i in range(56)],
        "country": [("Sweden", "Norway", "Germany")[i * i % 7 % 3] for i in range(56)],
        "views_on_tax": [("Too Little", "About Right", "Too Much")[i % 3] for i in range(56)],
        "shot": [("H", "M")[i * i % 5 % 2] for i in range(56)],
    }
)


def opened(table: pd.DataFrame, name: str, tmp: pytest.TempPathFactory) -> Analyst:
    path = tmp.mktemp("unasked") / f"{name}.csv"
    table.to_csv(path, index=False)
    return gnomon.open(path)


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return opened(VISITS, "visits", tmp_path_factory)


@pytest.fixture(scope="module")
def lawmakers(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return opened(LAWMAKERS, "lawmakers", tmp_path_factory)


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    return opened(EPISODES, "ep_list", tmp_path_factory)


def read(analyst: Analyst, question: str) -> tuple[tuple[str, ...], list[float]]:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status.value == "answered" and answer.request is not None, answer.prose
    return answer.request.parts.dimensions, [
        float(f.value) for f in answer.facts if isinstance(f.value, int | float)
    ]


def tells(analyst: Analyst, question: str, *expected: float, by: tuple[str, ...] = ()) -> bool:
    dimensions, numbers = read(analyst, question)
    assert dimensions == by, question
    return all(any(n == pytest.approx(e, rel=1e-4) for n in numbers) for e in expected)


def test_those_whom_the_rows_tell_of_break_nothing_down(visits: Analyst, lawmakers: Analyst) -> None:
    north, insured = VISITS[VISITS.ward == "North"], VISITS[VISITS.insured == "Yes"]
    assert tells(visits, "average wait of patients in the north ward", north.wait_min.mean())
    assert tells(visits, "total fees from insured patients", insured.fee.sum())
    rate = 100 * (VISITS.no_show == "Yes").mean()
    assert any(
        n == pytest.approx(rate, rel=1e-3) or n == pytest.approx(rate / 100, rel=1e-3)
        for n in read(visits, "what percentage of visits did the patient not show up for")[1]
    )
    nay = LAWMAKERS[LAWMAKERS.RollCall == "Nay"].Contributions
    assert tells(lawmakers, "total contributions to senators who voted nay", nay.sum())


def test_two_sides_of_those_are_set_against_each_other(visits: Analyst) -> None:
    waits = VISITS.groupby("insured").wait_min.mean()
    gap = abs(waits["Yes"] - waits["No"])
    for question in (
        "gap in average wait between patients with and without insurance",
        "how much higher is the average wait with than without insurance",
    ):
        assert tells(visits, question, waits["Yes"], waits["No"], gap, by=("insured",)), question
    sexes = VISITS.groupby("sex").wait_min.mean()
    asked = "do women or men wait longer per visit on average?"
    assert tells(visits, asked, sexes["F"], sexes["M"], by=("sex",))


def test_groups_that_are_asked_for_are_told(visits: Analyst, lawmakers: Analyst) -> None:
    fees = VISITS.groupby("ward").fee.sum()
    for question in ("ward fees", "fees of each ward", "compare the wards by fee"):
        assert tells(visits, question, fees.max(), fees.min(), by=("ward",)), question
    terms = VISITS.groupby("term").fee.mean()
    for question in (
        "how did the average fee change from term to term",
        "how does the average fee develop from one term to the next",
    ):
        assert tells(visits, question, terms.max(), terms.min(), by=("term",)), question
    spent = VISITS.groupby("patient").fee.sum()
    assert tells(visits, "top 3 patients by fee", spent.max(), by=("patient",))
    assert read(visits, "which patients paid more than 800")[0] == ("patient",)
    best = VISITS[VISITS.insured == "Yes"].groupby("patient").wait_min.mean().max()
    assert tells(visits, "which insured patient has the highest average wait", best, by=("patient",))
    assert read(lawmakers, "list the senators who voted nay")[0] == ("Senator",)


@pytest.mark.parametrize(
    "question",
    [
        "which state had the most visits?",
        "which store had the highest fee",
        "state with the highest fee",
        "fees by state",
        "fees per company",
        "how many states had visits",
        "which report had the highest fee",
    ],
)
def test_a_noun_that_is_asked_for_is_never_lost(visits: Analyst, question: str) -> None:
    assert visits.ask(question, today=TODAY).status.value != "answered"


def test_the_same_words_may_say_nothing_elsewhere(visits: Analyst) -> None:
    assert tells(visits, "state the total fee", VISITS.fee.sum())
    assert tells(visits, "what amount of fees came in 2024", VISITS[VISITS.visit_date < "2025"].fee.sum())


def test_what_is_numbered_anew_or_told_by_its_end_is_counted_by_rows(episodes: Analyst) -> None:
    unasked = EPISODES[EPISODES.requests.isna()]
    assert tells(episodes, "how many episodes have no requests", len(unasked))
    assert tells(episodes, "how many series are there", EPISODES.series.nunique())
    assert tells(episodes, "how many shots are there", len(EPISODES))
    assert tells(episodes, "how many different episodes are there", EPISODES.episode.nunique())


def test_those_a_percentage_is_of_are_the_whole(episodes: Analyst) -> None:
    swedes, danes = (EPISODES[EPISODES.country == c].views_on_tax for c in ("Sweden", "Norway"))
    asked = "what percentage of Swedes say too little is done about views on tax"
    assert tells(episodes, asked, 100 * (swedes == "Too Little").mean())
    asked = "what percentage of Norwegians say too much is done about views on tax"
    assert tells(episodes, asked, 100 * (danes == "Too Much").mean())


def test_a_time_that_things_took_is_never_what_is_counted(tmp_path_factory: pytest.TempPathFactory) -> None:
    joined = pd.date_range("2023-01-01", periods=60, freq="5D")
    left = [d + pd.Timedelta(days=30 + 7 * i) if i % 3 else None for i, d in enumerate(joined)]
    members = pd.DataFrame(
        {
            "member_id": range(100, 160),
            "plan": [("Student", "Basic")[i % 2] for i in range(60)],
            "referred": [("Yes", "No", "No")[i * i % 7 % 3] for i in range(60)],
            "join_date": joined,
            "cancelled_on": left,
        }
    )
    analyst = opened(members, "members", tmp_path_factory)
    referred = members[(members.plan == "Student") & (members.referred == "Yes")]
    assert tells(analyst, "how many student plan members joined through a referral", len(referred))


@pytest.mark.parametrize(("first", "second"), permutations(("ward", "term", "sex", "insured"), 2))
def test_of_two_columns_that_stand_beside_each_other_none_is_lost(
    visits: Analyst, first: str, second: str
) -> None:
    """“by ward term” may mean both, or those insured, or be asked about; by the first alone it is not answered."""
    answer = visits.ask(f"average fee by {first} {second}", today=TODAY)
    request = answer.request
    named = (
        {*request.parts.dimensions, *(f.field for f in request.parts.filters)}
        if request is not None
        else set[str]()
    )
    assert answer.status is not AnswerStatus.ANSWERED or {first, second} <= named, answer.prose


@pytest.mark.parametrize("grain", ["year", "month", "week"])
@pytest.mark.parametrize("word", ["strongest", "weakest", "worst", "leading"])
def test_nothing_is_ranked_by_a_figure_that_nobody_named(visits: Analyst, grain: str, word: str) -> None:
    """Which of wait and fee makes a month the worst is not said; by groups it is asked, so by periods too."""
    answer = visits.ask(f"Which {grain} had the {word} one?", today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


def test_the_whole_name_of_a_column_is_that_column(tmp_path: Path) -> None:
    kinds = pd.DataFrame({
        "entity_type": [("clinic", "shop")[i % 2] for i in range(60)],
        "type_of_breach": [("theft", "loss", "hack")[i % 3] for i in range(60)],
        "people": [10 + i for i in range(60)],
    })  # fmt: skip
    kinds.to_csv(tmp_path / "breaches.csv", index=False)
    with gnomon.open(tmp_path / "breaches.csv") as analyst:
        for question in ("Which type of breach has the most people?", "breaches by type of breach"):
            answer = analyst.ask(question)
            assert answer.request is not None and answer.request.parts.dimensions == ("type_of_breach",), (
                answer.prose
            )


def test_a_number_word_is_how_many_and_not_looked_for_in_texts(tmp_path: Path) -> None:
    films = pd.DataFrame({
        "film": ["Three Days", "Three Faces", "The Two", *(f"Film {chr(65 + i)}" for i in range(20))],
        "studio": [("Fox", "Gaumont")[i % 2] for i in range(23)],
    })  # fmt: skip
    films.to_csv(tmp_path / "films.csv", index=False)
    with gnomon.open(tmp_path / "films.csv") as analyst:
        answer = analyst.ask("What are the three spots where the most films were made?")
        filters = answer.request.parts.filters if answer.request is not None else ()
        assert not any("three" in f.values for f in filters), answer.prose


@pytest.mark.parametrize("heading", ["time_of_day", "day_of_week", "month_of_year", "hour_of_day"])
def test_a_column_that_is_called_like_a_part_of_time_is_meant(tmp_path: Path, heading: str) -> None:
    """Its values are what is told, not what the date says, which may have no hours at all."""
    strikes = pd.DataFrame({
        "date": pd.date_range("2023-01-01", periods=90).strftime("%Y-%m-%d"),
        heading: [("early", "middling", "late")[i % 3] for i in range(90)],
        "speed": [100 + i * 7 % 50 for i in range(90)],
    })  # fmt: skip
    strikes.to_csv(tmp_path / "strikes.csv", index=False)
    with gnomon.open(tmp_path / "strikes.csv") as analyst:
        for question in ("strikes by {}", "Which {} has the most strikes?", "average speed by {}"):
            answer = analyst.ask(question.format(heading.replace("_", " ")), today=TODAY)
            assert answer.request is not None and answer.request.parts.dimensions == (heading,), answer.prose
