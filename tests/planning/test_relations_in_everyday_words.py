"""Whether those with more of one thing have more of another is a correlation; what most rows have is the most popular."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 80
PUPILS = pd.DataFrame(
    {
        "id": range(1, N + 1),
        "gender": [("female", "male")[(i * 7) % 3 % 2] for i in range(N)],
        "math": [40 + (i * 17) % 41 for i in range(N)],
        "science": [35 + ((i * 17) % 41) * 0.7 + (i * 5) % 13 for i in range(N)],
        "age": [11 + (i * 3) % 7 for i in range(N)],
        "absences": [30 - ((i * 17) % 41) * 0.5 + (i * 11) % 7 for i in range(N)],
        "lunch": [("packed", "canteen", "home", "canteen")[i % 4] for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def pupils() -> Analyst:
    return gnomon.open({"scores": PUPILS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "one", "other", "verdict"),
    [
        ("Do kids who do well in math also do well in science?", "math", "science", "Yes"),
        ("Do absences go down when math goes up?", "math", "absences", "Yes"),
        ("Do absences go up when math goes up?", "math", "absences", "No"),
        ("Do pupils with more absences get lower math?", "math", "absences", "Yes"),
        ("Does more math make for lower science?", "math", "science", "No"),
    ],
)
def test_more_of_one_and_more_of_another_is_a_correlation(
    pupils: Analyst, question: str, one: str, other: str, verdict: str
) -> None:
    answer = _answered(pupils, question)
    assert answer.facts[0].value == pytest.approx(PUPILS[one].corr(PUPILS[other]))
    assert answer.prose.startswith(verdict), answer.prose


def test_the_rows_of_a_value_are_related_alone(pupils: Analyst) -> None:
    girls = PUPILS[PUPILS.gender == "female"]
    answer = _answered(pupils, "do females who do well in math also do well in science?")
    assert answer.facts[0].value == pytest.approx(girls.math.corr(girls.science))


def test_what_the_data_does_not_have_is_not_related(pupils: Analyst) -> None:
    for question in ("Do older pupils get higher salaries?", "Does the rent go up when math goes up?"):
        assert pupils.ask(question).status is not AnswerStatus.ANSWERED, question


def test_the_most_popular_is_what_most_rows_have(pupils: Analyst) -> None:
    counts = PUPILS.lunch.value_counts()
    told = _answered(pupils, "Most popular lunch?").tables[0].rows[0]
    assert tuple(told[:2]) == (counts.idxmax(), counts.max())
    told = _answered(pupils, "which lunch shows up most often").tables[0].rows[0]
    assert tuple(told[:2]) == (counts.idxmax(), counts.max())
    assert pupils.ask("which lunch was returned most often").status is not AnswerStatus.ANSWERED


def test_who_is_told_by_the_row_where_two_have_one_name() -> None:
    frame = pd.DataFrame(
        {
            "name": [f"P {chr(65 + i % 26)}{i // 26}" for i in range(40)] + ["P A0"],
            "team": [("Reds", "Blues", "Greens")[i % 3] for i in range(41)],
            "home_run": [(i * 7) % 31 for i in range(40)] + [29],
        }
    )
    frame.loc[0, "home_run"] = 28
    best = frame.loc[frame.home_run.idxmax()]
    told = _answered(gnomon.open({"batting": frame}), "who hit the most home runs").tables[0].rows[0]
    assert tuple(told[:2]) == (best["name"], best.home_run)


def test_what_things_sell_for_is_their_price() -> None:
    frame = pd.DataFrame(
        {
            "price": [200 + (i * 37) % 90 + (60 if i % 3 == 0 else 0) for i in range(60)],
            "cooling": ["central" if i % 3 == 0 else "other" for i in range(60)],
            "bed": [2 + i % 4 for i in range(60)],
        }
    )
    means = frame.groupby("cooling").price.mean()
    answer = _answered(
        gnomon.open({"houses": frame}), "Do houses with central cooling sell for more than the others?"
    )
    assert [f.value for f in answer.facts[:2]] == pytest.approx([means["central"], means["other"]])


VERBS = ("cost", "charge", "spend", "score", "weight")


@pytest.mark.parametrize("noun", VERBS)
def test_a_column_called_by_a_word_that_is_a_verb_too_is_related(noun: str) -> None:
    rows = pd.DataFrame({
        "job": [f"J{i}" for i in range(90)],
        "floor_area": [20 + (i * 29) % 71 for i in range(90)],
        f"estimated_{noun}": [5 + ((i * 29) % 71) * 1.3 + (i * 7) % 40 for i in range(90)],
        "wing": [("east", "west")[i % 2] for i in range(90)],
        "done": [pd.Timestamp("2024-01-01") + pd.Timedelta(days=3 * i) for i in range(90)],
    })  # fmt: skip
    jobs = gnomon.open({"jobs": rows})
    truth = rows.floor_area.corr(rows[f"estimated_{noun}"])
    for question in (
        f"Is the {noun} related to the floor area?",
        f"Is there a relationship between {noun} and floor area?",
        f"correlation between floor area and {noun}",
    ):
        answer = jobs.ask(question)
        if answer.status is AnswerStatus.ANSWERED:
            assert answer.facts[0].value == pytest.approx(truth), (question, answer.prose)
    assert _answered(jobs, f"correlation between floor area and {noun}").facts
    asked = jobs.ask(f"Is the wing caused by {noun}?")
    assert asked.status is not AnswerStatus.ANSWERED, asked.prose
