"""Small tables as textbooks print them: row numbers without a heading, cryptic names, codes, no dates."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

BOATS = pd.DataFrame(
    {
        "Builder": ["Hallberg", "Hallberg", "Najad", "Najad", "Sweden", "Sweden", "Contest", "Contest"],
        "Boat": ["Rasmus", "Monsun", "Aphrodite", "Dane", "Sparkman", "Freya", "Flevo", "Zeevalk"],
        "Class": ["1st class", "2nd class", "2nd class", "3rd class", "1st class", "3rd class", "2nd class", "1st class"],
        "Min.Price": [40.5, 22.0, 31.0, 18.5, 52.0, 16.0, 27.5, 61.0],
        "Max.Price": [55.0, 30.0, 44.0, 26.0, 70.5, 24.5, 39.0, 82.0],
        "Weight": [7000, 4200, 5600, 3900, 8100, 3500, 5200, 9400],
    }
)  # fmt: skip
STAFF = pd.DataFrame(
    {
        "rank": ["Chief", "Mate", "Mate", "Cook", "Chief", "Cook", "Mate", "Cook", "Chief", "Mate"],
        "sex": ["Male", "Female", "Male", "Female", "Female", "Male", "Male", "Female", "Male", "Female"],
        "age": [51, 33, 29, 40, 47, 58, 36, 25, 62, 44],
        "yrs.service": [22, 8, 4, 15, 19, 31, 12, 2, 35, 20],
        "income": [90500, 52000, 48500, 37000, 88000, 41000, 55500, 30500, 97000, 60000],
        "smokes": [
            "Never",
            "Often",
            "Never",
            "Often",
            "Rarely",
            "Often",
            "Never",
            "Never",
            "Rarely",
            "Never",
        ],
        "left": ["no", "yes", "no", "yes", "no", "no", "yes", "no", "no", "yes"],
    }
)


def _open(frame: pd.DataFrame, folder: Path, name: str) -> Analyst:
    """The analyst of a file that a program wrote with its row numbers before the rows."""
    path = folder / f"{name}.csv"
    frame.set_axis(range(1, len(frame) + 1)).to_csv(path, index_label="")
    return gnomon.open(path)


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Boats with names of their own beside the row numbers."""
    return _open(BOATS, tmp_path_factory.mktemp("boats"), "Boats88")


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Persons without names."""
    return _open(STAFF, tmp_path_factory.mktemp("staff"), "Pay")


def _one(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return next(float(f.value) for f in answer.facts if isinstance(f.value, int | float))


def test_the_thing_at_an_end_is_told_by_its_name_not_its_row_number(boats: Analyst) -> None:
    heaviest = BOATS.loc[BOATS["Weight"].idxmax()]
    answer = boats.ask("Which boat is the heaviest?")
    assert heaviest["Boat"] in answer.prose
    assert _one(answer) == heaviest["Weight"]


def test_a_column_called_max_price_is_that_column(boats: Analyst) -> None:
    answer = boats.ask("average difference between max price and min price")
    assert _one(answer) == pytest.approx((BOATS["Max.Price"] - BOATS["Min.Price"]).mean())
    answer = boats.ask("difference between max price and min price of the Rasmus")
    assert "55" in answer.prose and "40.5" in answer.prose


def test_a_column_called_rank_keeps_its_values_in_a_ranking(staff: Analyst) -> None:
    best = STAFF.groupby("rank")["income"].mean()
    answer = staff.ask("which rank has the highest average income?")
    assert answer.prose.startswith(best.idxmax())
    assert _one(answer) == pytest.approx(best.max())


@pytest.mark.parametrize("said", ["more than 12 years of service", "over 12 years of service"])
def test_years_of_something_bound_that_column(staff: Analyst, said: str) -> None:
    answer = staff.ask(f"average income of people with {said}")
    assert _one(answer) == pytest.approx(STAFF[STAFF["yrs.service"] > 12]["income"].mean())


@pytest.mark.parametrize("question", ["overall left rate", "what is the overall rate of left?"])
def test_a_rate_overall_is_no_sum(staff: Analyst, question: str) -> None:
    answer = staff.ask(question)
    if answer.status is AnswerStatus.ANSWERED:
        assert _one(answer) in (pytest.approx((STAFF["left"] == "yes").mean()), pytest.approx(40.0))


def test_incomes_of_persons_are_compared_by_their_means(staff: Analyst) -> None:
    answer = staff.ask("Is income higher for men than for women?")
    means = STAFF.groupby("sex")["income"].mean()
    assert {round(float(f.value), 2) for f in answer.facts if isinstance(f.value, int | float)} >= {
        round(means["Male"], 2),
        round(means["Female"], 2),
    }


def test_those_whom_a_column_tells_apart_are_not_all_rows(staff: Analyst) -> None:
    answer = staff.ask("average income of smokers")
    assert answer.status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("said", "held"), [("first", "1st class"), ("2nd", "2nd class"), ("third", "3rd class")]
)
def test_an_ordinal_beside_a_word_is_the_value_that_begins_with_it(
    boats: Analyst, said: str, held: str
) -> None:
    answer = boats.ask(f"average weight in {said} class")
    assert _one(answer) == pytest.approx(BOATS[BOATS["Class"] == held]["Weight"].mean())


def test_plurals_that_are_other_words_find_their_value(tmp_path: Path) -> None:
    aboard = pd.DataFrame(
        {"kind": ["man", "woman", "child", "man", "woman"] * 4, "fare": [7.5, 12, 9.25, 30, 8.75] * 4}
    )
    told = _open(aboard, tmp_path, "list")
    for said, held in (("men", "man"), ("women", "woman"), ("children", "child")):
        assert _one(told.ask(f"average fare of {said}")) == aboard[aboard["kind"] == held]["fare"].mean()


ENGINES = pd.DataFrame(
    {
        "maker": ["Aro", "Aro", "Bex", "Bex", "Cay", "Cay", "Dux", "Dux"],
        "engine": ["Fox", "Elk", "Owl", "Hen", "Cod", "Eel", "Ram", "Bat"],
        "cylinders": ["4", "6", "4", "rotary", "8", "6", "4", "8"],
        "bathrms": [1, 2, 1, 1, 3, 2, 2, 1],
        "bedrooms": [2, 3, 2, 4, 3, 3, 2, 4],
        "airco": ["yes", "no", "no", "yes", "yes", "no", "yes", "no"],
        "mpg": [30.5, 22.1, 33.2, 19.5, 15.4, 21.6, 28.9, 14.8],
    }
)
CRIMES = pd.DataFrame(
    {
        "Murder": [13.2, 10.0, 8.1, 8.8, 9.0, 7.9, 3.3, 5.9, 15.4, 17.4],
        "UrbanPop": [58, 48, 80, 50, 91, 78, 77, 72, 80, 60],
    },
    index=pd.Index(
        ["Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware", "Florida",
         "Georgia"]
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Figures and codes, some of them in texts."""
    return _open(ENGINES, tmp_path_factory.mktemp("engines"), "Engines")


@pytest.fixture(scope="module")
def crimes(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Figures of states, whose column has no heading."""
    path = tmp_path_factory.mktemp("crimes") / "arrests73.csv"
    CRIMES.to_csv(path)
    return gnomon.open(path)


def test_a_number_before_a_column_of_texts_is_one_of_them(engines: Analyst) -> None:
    four = ENGINES[ENGINES["cylinders"] == "4"]
    assert _one(engines.ask("average mpg with 4 cylinders")) == pytest.approx(four["mpg"].mean())
    assert engines.ask("average mpg with 5 cylinders").status is not AnswerStatus.ANSWERED


def test_groups_by_the_number_of_something_are_its_values(engines: Analyst) -> None:
    answer = engines.ask("average mpg by number of bedrooms")
    held = {row[0]: row[1] for row in answer.tables[0].rows}
    assert held == pytest.approx(ENGINES.groupby("bedrooms")["mpg"].mean().to_dict())


def test_a_name_without_its_vowels_is_the_word(engines: Analyst) -> None:
    answer = engines.ask("average mpg with 2 bathrooms")
    assert _one(answer) == pytest.approx(ENGINES[ENGINES["bathrms"] == 2]["mpg"].mean())


def test_without_says_again_what_with_said(engines: Analyst) -> None:
    answer = engines.ask("Is the average mpg higher with airco than without?")
    means = ENGINES.groupby("airco")["mpg"].mean()
    facts = [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]
    assert facts[:2] == pytest.approx([means["yes"], means["no"]])


def test_an_unnamed_column_of_states_is_called_state(crimes: Analyst) -> None:
    worst = CRIMES["Murder"].idxmax()
    answer = crimes.ask("Which state has the highest murder rate?")
    assert answer.prose.startswith(worst)
    assert _one(answer) == CRIMES["Murder"].max()


def test_a_mean_of_things_with_one_row_each_is_one_figure(crimes: Analyst) -> None:
    answer = crimes.ask("average murder of states with urban population over 75")
    assert _one(answer) == pytest.approx(CRIMES[CRIMES["UrbanPop"] > 75]["Murder"].mean())


def test_amounts_of_persons_are_compared_per_person(tmp_path: Path) -> None:
    pupils = pd.DataFrame(
        {
            "sex": ["M", "F", "F", "M", "F", "F", "F", "M"] * 3,
            "age": [11, 12, 13, 12, 11, 13, 12, 13] * 3,
            "days": [9, 4, 2, 14, 5, 0, 11, 21] * 3,
        }
    )
    answer = _open(pupils, tmp_path, "absences5").ask("Do boys have more days than girls?")
    means = pupils.groupby("sex")["days"].mean()
    facts = [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]
    assert facts[:2] == pytest.approx([means["M"], means["F"]])


def test_people_are_the_rows_that_have_a_sex_and_a_salary(tmp_path: Path) -> None:
    paid = STAFF[["rank", "sex", "income"]].rename(columns={"income": "salary"})
    told = _open(paid, tmp_path, "Salaries")
    assert _one(told.ask("How many people earn more than 50000?")) == (paid["salary"] > 50000).sum()
    assert told.ask("How many nurses earn more than 50000?").status is not AnswerStatus.ANSWERED
