"""Data that is recorded by quarter or by year: nothing finer is told, suggested, or taken for a part of the whole."""

import random

import pytest

import gnomon
from gnomon.core.answer import AnswerStatus

QUARTERS = [(year, quarter) for year in range(1990, 2010) for quarter in (1, 2, 3, 4)]


def _value(year: int, quarter: int, rng: random.Random, season: float) -> float:
    return 50 + 0.1 * (year - 1990) + season * (quarter == 4) + rng.gauss(0, 1)


@pytest.fixture(scope="module", params=["{}", "{}.0"])
def quarterly(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    """Quarters beside years, as programs write them: whole, or as floats."""
    rng, written = random.Random(1), request.param
    path = tmp_path_factory.mktemp("quarterly") / "economy.csv"
    rows = [(y, q, _value(y, q, rng, 12), rng.uniform(3, 11)) for y, q in QUARTERS]
    lines = [f"{written.format(y)},{written.format(q)},{a:.2f},{b:.2f}" for y, q, a, b in rows]
    path.write_text("\n".join(["year,quarter,output,jobless", *lines]) + "\n")
    return gnomon.open(path)


@pytest.fixture(scope="module")
def yearly(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    rng = random.Random(2)
    path = tmp_path_factory.mktemp("yearly") / "economy.csv"
    lines = [f"{y},{50 + rng.gauss(0, 5):.2f}" for y in range(1960, 2010)]
    path.write_text("\n".join(["year,output", *lines]) + "\n")
    return gnomon.open(path)


def test_quarters_beside_years_are_one_time_however_they_are_written(quarterly: gnomon.Analyst) -> None:
    frame = quarterly.dataset.cursor().sql("SELECT * FROM economy").df()
    best = frame.loc[frame["output"].idxmax()]
    answer = quarterly.ask("which quarter had the highest output")
    assert f"Q{int(best['quarter'])} {int(best['year'])}" in answer.prose
    counted = quarterly.ask("how many quarters had jobless above 9")
    assert counted.facts[0].value == int((frame["jobless"] > 9).sum())


def test_a_pattern_over_the_year_is_found_at_the_step_of_the_data(quarterly: gnomon.Analyst) -> None:
    answer = quarterly.ask("Is output seasonal?")
    assert answer.status is AnswerStatus.ANSWERED
    assert "repeats over the year" in answer.prose.split(".")[0] and "high in Q4" in answer.prose
    assert "No evidence for a pattern over the year" in quarterly.ask("Is jobless seasonal?").prose


def test_a_quarter_is_no_part_that_could_have_caused_a_change(quarterly: gnomon.Analyst) -> None:
    assert "in quarter" not in quarterly.ask("Why did output change in 2009?").prose


@pytest.mark.parametrize("step", ["quarter", "month", "week", "day"])
def test_nothing_finer_than_what_is_recorded_is_told(yearly: gnomon.Analyst, step: str) -> None:
    asked = [
        f"how many {step}s had output above 40",
        f"forecast output for the next 8 {step}s",
        f"output by {step}",
    ]
    for question in asked:
        answer = yearly.ask(question)
        assert answer.status is AnswerStatus.OUT_OF_SCOPE and not answer.facts, question
        assert f"by {step}" not in " ".join(answer.suggestions)
    assert "recorded by year" in yearly.ask("Is output seasonal?").prose.split(".")[0]


@pytest.mark.long
def test_what_is_suggested_can_be_answered(yearly: gnomon.Analyst, quarterly: gnomon.Analyst) -> None:
    for analyst in (yearly, quarterly):
        for question in ("output", "Is output seasonal?", "Why did output change in 2008?"):
            for idea in analyst.ask(question).suggestions:
                assert analyst.ask(idea).status is AnswerStatus.ANSWERED, idea
