"""Adjectives lead to columns, the row at an end is named, and groups are compared by what one of them has."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

PEAKS = pd.DataFrame(
    {
        "Peak": [f"Mount {n}" for n in ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Hazel", "Iris")],
        "Elevation": [4820, 5344, 3890, 4410, 4960, 4100, 5101, 4615],
        "Difficulty": [4, 5, 2, 3, 7, 6, 1, 4],
        "Ascent": [2100, 3166, 1800, 2700, 4500, 2050, 3300, 1900],
        "Time": [7.0, 10.0, 4.5, 8.0, 13.0, 6.0, 9.0, 5.5],
    }
)
RUNNERS = pd.DataFrame(
    {
        "sex": ["M", "F"] * 30,
        "time": [5200 + 37 * (i % 13) + 300 * (i % 2) for i in range(60)],
        "net": [5100 + 41 * (i % 11) + 310 * (i % 2) for i in range(60)],
        "age": [20 + (i * 7) % 45 for i in range(60)],
    }
)
CARDS = pd.DataFrame(
    {
        "ID": range(1, 61),
        "Age": [22 + (i * 7) % 60 for i in range(60)],
        "Student": ["Yes" if i % 6 == 0 else "No" for i in range(60)],
        "Balance": [300 + (i * 53) % 700 + (400 if i % 6 == 0 else 0) for i in range(60)],
    }
)
PACKS = pd.DataFrame(
    {
        "BackpackWeight": [9, 14, 8, 11, 12, 17, 6, 13] * 4,
        "BodyWeight": [125, 195, 120, 155, 180, 210, 119, 170] * 4,
        "Sex": ["Female", "Male"] * 16,
        "Year": [1, 2, 3, 4] * 8,
    }
)


@pytest.fixture(scope="module")
def peaks() -> Analyst:
    return gnomon.open({"peaks_here": PEAKS})


@pytest.fixture(scope="module")
def packs() -> Analyst:
    return gnomon.open({"packs": PACKS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "column", "largest"),
    [
        ("Which peak has the biggest ascent?", "Ascent", True),
        ("list the 3 highest peaks", "Elevation", True),
        ("which peak is tallest", "Elevation", True),
        ("which peak is the lowest", "Elevation", False),
        ("the hardest peak", "Difficulty", True),
        ("what is the easiest peak", "Difficulty", False),
        ("which peak takes the longest time", "Time", True),
    ],
)
def test_the_column_that_an_adjective_grades_ranks_the_rows(
    peaks: Analyst, question: str, column: str, largest: bool
) -> None:
    rows = PEAKS.sort_values(column, ascending=not largest)
    told = _answered(peaks, question).tables[0].rows
    assert [r[0] for r in told] == list(rows.Peak[: len(told)])
    assert told[0][1] == pytest.approx(rows[column].iloc[0])
    assert len(told) == (3 if "3" in question else 1)


def test_a_bound_is_on_the_column_of_the_adjective(peaks: Analyst) -> None:
    answer = _answered(peaks, "how many peaks are taller than 4,500 feet")
    assert answer.facts[0].value == int((PEAKS.Elevation > 4500).sum())


def test_what_no_column_tells_is_not_ranked_by_another(peaks: Analyst) -> None:
    for question in ("which peak is the deadliest", "the richest peak", "the most popular peak"):
        assert peaks.ask(question).status is not AnswerStatus.ANSWERED, question


def test_the_noun_behind_an_adjective_tells_which_weight(packs: Analyst) -> None:
    of_men = PACKS[PACKS.Sex == "Male"].BackpackWeight.mean()
    of_women = PACKS[PACKS.Sex == "Female"].BackpackWeight.mean()
    answer = _answered(packs, "do men carry heavier backpacks than women")
    assert [f.value for f in answer.facts[:2]] == pytest.approx([of_men, of_women])
    assert answer.prose.startswith("Yes")
    answer = _answered(packs, "how heavy is the average backpack")
    assert answer.facts[0].value == pytest.approx(PACKS.BackpackWeight.mean())


def test_groups_that_differ_in_number_are_graded_by_their_average() -> None:
    cards = gnomon.open({"cards": CARDS})
    means = CARDS.groupby("Student").Balance.mean()
    answer = _answered(cards, "Do students have a higher balance than non-students?")
    assert [f.value for f in answer.facts[:2]] == pytest.approx([means["Yes"], means["No"]])
    totals = CARDS.groupby("Student").Balance.sum()
    answer = _answered(cards, "Is the total balance higher for students than for non-students?")
    assert [f.value for f in answer.facts[:2]] == pytest.approx([totals["Yes"], totals["No"]])


def test_who_is_faster_has_the_lower_time_of_the_two_columns() -> None:
    race = gnomon.open({"race_results": RUNNERS})
    means = RUNNERS.groupby("sex").net.mean()
    answer = _answered(race, "Were men faster than women on net time?")
    assert [f.value for f in answer.facts[:2]] == pytest.approx([means["M"], means["F"]])
    assert answer.prose.startswith("Yes") == bool(means["M"] < means["F"])


def test_first_and_last_name_tell_who_it_is() -> None:
    frame = pd.DataFrame(
        {
            "first_name": ["Ann", "Bo", "Cy", "Di", "Ann"],
            "last_name": ["Lee", "Roe", "Fox", "Kim", "Poe"],
            "age": [34, 61, 25, 47, 50],
        }
    )
    told = _answered(gnomon.open({"bakers": frame}), "who is the oldest baker").tables[0].rows[0]
    assert told[:3] == ("Bo", "Roe", 61)


def test_a_column_of_numbers_is_asked_for_and_not_measured() -> None:
    frame = pd.DataFrame({"Store": [1, 2, 3, 4] * 6, "Sales": [20 + (i * 31) % 97 for i in range(24)]})
    sums = frame.groupby("Store").Sales.sum()
    told = _answered(gnomon.open({"shops": frame}), "which store sold the most").tables[0].rows[0]
    assert (float(str(told[0]).split()[-1]), told[1]) == (float(sums.idxmax()), sums.max())


def test_most_of_something_overall_adds_up() -> None:
    frame = pd.DataFrame(
        {
            "Year": [2001] * 12 + [2002] * 12 + [2003] * 6,
            "Month": [*range(1, 13), *range(1, 13), *range(1, 7)],
            "Traffic": [400.5 + (i * 17) % 60 + (40 if i >= 24 else 0) for i in range(30)],
        }
    )
    sums = frame.groupby("Year").Traffic.sum()
    answer = _answered(gnomon.open({"bridge": frame}), "Which year had the most traffic overall?")
    assert frame.groupby("Year").Traffic.mean().idxmax() != sums.idxmax()
    assert answer.tables[0].rows[0][1] == pytest.approx(sums.max())


def test_how_much_more_leads_with_what_lies_between() -> None:
    frame = pd.DataFrame(
        {
            "price": [200 + (i * 37) % 90 + (80 if i % 5 == 0 else 0) for i in range(60)],
            "waterfront": ["yes" if i % 5 == 0 else "no" for i in range(60)],
            "bedrooms": [2 + i % 3 for i in range(60)],
        }
    )
    means = frame.groupby("waterfront").price.mean()
    answer = _answered(
        gnomon.open({"houses": frame}), "How much more expensive are waterfront houses than the others?"
    )
    assert answer.facts[0].value == pytest.approx(means["yes"] - means["no"])
