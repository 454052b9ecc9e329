"""What is counted: rows where a noun is what they are, never kinds, codes or roles; different things by their names."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 240
PUPILS = pd.DataFrame(
    {
        "Region": [("East", "West")[i % 2] for i in range(N)],
        "Sector": [("public", "private")[i % 5 % 2] for i in range(N)],
        "School": [("Hill Primary", "Oak Academy", "St Anne", "Lake School", "North High")[i % 5] for i in range(N)],
        "Sex": ["fmmfmf"[(i * 7) % 6] for i in range(N)],
        "Marital": [("Single", "Married", "Single")[(i * 5) % 3] for i in range(N)],
        "Age": [8 + (i * 13) % 10 for i in range(N)],
    }
)  # fmt: skip
BREACHES = pd.DataFrame(
    {
        "Covered Entity": [f"Clinic {i}" for i in range(N)],
        "State": [("CA", "TX", "NY", "FL")[(i * i) % 7 % 4] for i in range(N)],
        "Type of Breach": [("Theft", "Loss", "Hacking")[i % 3] for i in range(N)],
        "Individuals Affected": [500 + (i * 37) % 4000 for i in range(N)],
    }
)
TESTS = pd.DataFrame(
    {
        "subject_id": [1000 + i % 200 for i in range(N)],
        "test_id": [("covid", "xcvd1")[i % 2] for i in range(N)],
        "lab_name": [("north lab", "south lab", "ward lab")[(i * i) % 5 % 3] for i in range(N)],
        "result": [("negative", "negative", "positive")[(i * 7) % 3] for i in range(N)],
    }
)
LOANS = pd.DataFrame(
    {
        "state": [("NJ", "CA", "SC")[i % 3] for i in range(N)],
        "loan_purpose": [("car", "home", "boat")[(i * 5) % 7 % 3] for i in range(N)],
        "loan_amount": [1000 + (i * 911) % 30000 for i in range(N)],
        "loan_status": [("Current", "Current", "Fully Paid", "Late")[(i * 3) % 8 % 4] for i in range(N)],
    }
)
STORMS = pd.DataFrame(
    {
        "name": [f"{('Amy', 'Bob', 'Carla', 'Dora')[i // 6 % 4]}" for i in range(N)],
        "date": pd.date_range("2003-01-01", periods=N, freq="5D"),
        "wind": [20 + (i * 17) % 90 for i in range(N)],
    }
)
MIGRATION = pd.DataFrame(
    [
        (year, way, area, 1000 * (k + 1) + 7 * (year - 1990) + 13 * j)
        for year in range(1990, 2002)
        for j, way in enumerate(("Inbound", "Outbound"))
        for k, area in enumerate(("Mexico", "India", "Cuba"))
    ],
    columns=pd.Index(["year", "category", "area", "count"]),
)
MURDERS = pd.DataFrame(
    {
        "state": ["Alabama", "California", "Vermont", "Texas", "Ohio", "Utah"],
        "region": ["South", "West", "Northeast", "South", "North", "West"],
        "population": [4779736, 37253956, 625741, 25145561, 11536504, 2763885],
        "total": [135, 1257, 2, 805, 310, 22],
    }
)
COUPLES = pd.DataFrame(
    {
        "book": [f"B{i // 2}" for i in range(N)],
        "person": [("Bride", "Groom")[i % 2] for i in range(N)],
        "age": [20 + (i * 7) % 50 for i in range(N)],
        "race": [("White", "Black", "Hispanic")[(i * 3) % 8 % 3] for i in range(N)],
        "previous": [("Divorce", "Death", None)[(i * 5) % 7 % 3] for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def data() -> dict[str, Analyst]:
    frames = {
        "pupils": PUPILS, "cyberbreaches": BREACHES, "covid_testing": TESTS, "loan_data": LOANS, "storms": STORMS,
        "migration": MIGRATION, "murders": MURDERS, "marriage": COUPLES,
    }  # fmt: skip
    return {name: gnomon.open({name: frame}) for name, frame in frames.items()}


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


def _figure(analyst: Analyst, question: str) -> object:
    return _answered(analyst, question).facts[0].value


_PRIVATE = PUPILS[(PUPILS.Sector == "private") & (PUPILS.Sex == "f")]
_PUBLIC = PUPILS[(PUPILS.Sector == "public") & (PUPILS.Sex == "f")]


@pytest.mark.parametrize(
    ("name", "question", "truth"),
    [
        ("pupils", "How many girls are in private schools?", len(_PRIVATE)),
        ("pupils", "average age of girls in private schools", _PRIVATE.Age.mean()),
        ("pupils", "how many single girls are in public schools", int((_PUBLIC.Marital == "Single").sum())),
        ("pupils", "how many private schools are there", PUPILS[PUPILS.Sector == "private"].School.nunique()),
        ("loan_data", "how many loans are fully paid", int((LOANS.loan_status == "Fully Paid").sum())),
        ("loan_data", "average loan", LOANS.loan_amount.mean()),
        ("storms", "How many different storms were there in 2004?", STORMS[STORMS.date.dt.year == 2004].name.nunique()),
        ("storms", "how many rows are there in 2004", int((STORMS.date.dt.year == 2004).sum())),
        ("marriage", "How many people had a previous marriage that ended in divorce?", int((COUPLES.previous == "Divorce").sum())),
        ("murders", "how many states are there", len(MURDERS)),
    ],
)  # fmt: skip
def test_rows_or_things_are_counted(data: dict[str, Analyst], name: str, question: str, truth: float) -> None:
    assert _figure(data[name], question) == pytest.approx(truth)


def test_a_type_of_something_says_that_rows_are_such_things(data: dict[str, Analyst]) -> None:
    told = _answered(data["cyberbreaches"], "Top 2 states by number of breaches").tables[0].rows
    assert [tuple(r) for r in told] == list(BREACHES.State.value_counts().head(2).items())


def test_types_are_counted_where_they_are_asked_for(data: dict[str, Analyst]) -> None:
    assert _figure(data["cyberbreaches"], "How many types of breach are there?") == 3


def test_an_identifier_that_hardly_varies_identifies_nothing(data: dict[str, Analyst]) -> None:
    share = _answered(data["covid_testing"], "What percentage of tests came back positive?")
    assert "33.3 %" in share.prose
    told = _answered(data["covid_testing"], "Which lab did the most tests?").tables[0].rows[0]
    assert tuple(told[:2]) == next(iter(TESTS.lab_name.value_counts().items()))


def test_a_column_of_counts_is_added_up(data: dict[str, Analyst]) -> None:
    rows = MIGRATION[(MIGRATION.area == "Mexico") & (MIGRATION.category == "Inbound")]
    asked = "How many inbound migrants from Mexico were there in 1995?"
    assert _figure(data["migration"], asked) == int(rows[rows.year == 1995]["count"].sum())
    assert _figure(data["migration"], "how many rows are there in 1995") == 6
    part = _answered(data["murders"], "What percentage of all murders happened in California?").prose
    assert f"{100 * 1257 / MURDERS.total.sum():.1f} %" in part


def test_rows_are_no_second_group_of_an_average() -> None:
    cast = pd.DataFrame(
        {
            "season": [f"S{1 + i // 20:02d}" for i in range(120)],
            "contestant": [f"Queen {i}" for i in range(120)],
            "age": [21 + (i * 7) % 30 for i in range(120)],
        }
    )
    told = (
        _answered(gnomon.open({"contestants_tv": cast}), "average age of contestants by season")
        .tables[0]
        .rows
    )
    assert dict(map(tuple, told)) == pytest.approx(cast.groupby("season").age.mean().to_dict())


def test_an_average_per_year_of_many_rows_a_year_is_a_series() -> None:
    crime = pd.DataFrame(
        [
            (year, f"State {k}", 100 + (year * 7 + k * 13) % 90)
            for year in range(1980, 1990)
            for k in range(12)
        ],
        columns=pd.Index(["year", "state", "robbery"]),
    )
    told = _answered(gnomon.open({"crime": crime}), "average robbery per year").tables[0].rows
    assert [r[-1] for r in told] == pytest.approx(crime.groupby("year").robbery.mean().tolist())


LOG = pd.DataFrame(
    {
        "date": pd.date_range("2020-01-05", periods=N, freq="3D"),
        "shoe_brand": [("Mizuno", "Asics", "Saucony")[(i * i) % 7 % 3] for i in range(N)],
        "miles": [3 + (i * 7) % 19 for i in range(N)],
        "price": [80 + (i * 13) % 60 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def log() -> Analyst:
    return gnomon.open({"running_log": LOG})


def test_a_verb_of_what_rows_tell_of_is_left_aside(log: Analyst) -> None:
    told = _answered(log, "which shoe brand was worn most often?").tables[0].rows[0]
    assert tuple(told[:2]) == next(iter(LOG.shoe_brand.value_counts().items()))
    assert _figure(log, "How many miles were covered altogether?") == int(LOG.miles.sum())
    assert _figure(log, "How many rows with shoe brand Asics were bought?") == int(
        (LOG.shoe_brand == "Asics").sum()
    )


@pytest.mark.parametrize(
    "question",
    [
        "which shoe brand was returned most often?",
        "which shoe brand was repaired most often?",
        "How many miles were refunded altogether?",
        "How many rows with shoe brand Asics were cancelled?",
    ],
)
def test_a_verb_that_only_some_rows_meet_is_refused(log: Analyst, question: str) -> None:
    assert log.ask(question).status is not AnswerStatus.ANSWERED


def test_all_that_are_told_of_took_part(data: dict[str, Analyst]) -> None:
    assert _figure(data["pupils"], "How many schools took part?") == PUPILS.School.nunique()
    came = pd.DataFrame(
        {
            "school": [f"School {i % 9}" for i in range(90)],
            "attendance": [("Attended", "No show")[(i * 5) % 3 % 2] for i in range(90)],
        }
    )
    answer = gnomon.open({"sports_day": came}).ask("How many schools took part?")
    assert answer.status is not AnswerStatus.ANSWERED or "Attended" in answer.prose


def test_months_without_a_year_are_those_of_every_year_in_an_average() -> None:
    bridge = pd.DataFrame(
        [(year, month, 300 + (year * 3 + month * 41) % 97) for year in range(2012, 2016) for month in range(1, 13)],
        columns=pd.Index(["Year", "Month", "Traffic"]),
    )  # fmt: skip
    analyst = gnomon.open({"peace_bridge": bridge})
    summer = bridge[bridge.Month.isin([7, 8])]
    assert _figure(analyst, "average traffic in July and August") == pytest.approx(summer.Traffic.mean())
    told = _answered(analyst, "average traffic by month").tables[0].rows
    assert dict(map(tuple, told)) == pytest.approx(bridge.groupby("Month").Traffic.mean().to_dict())
    one = bridge[(bridge.Year == 2013) & (bridge.Month == 7)]
    assert _figure(analyst, "average traffic in July 2013") == pytest.approx(one.Traffic.mean())
    year = _answered(analyst, "Which year had the most traffic overall?").tables[0].rows[0]
    assert year[1] == bridge.groupby("Year").Traffic.sum().max()


@pytest.mark.parametrize("grain", ["day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize(
    "asked", ["average number of trips per boat per {}", "the average fuel per boat per {}"]
)
def test_one_figure_of_all_periods_does_not_answer_for_each(asked: str, grain: str) -> None:
    days = [pd.Timestamp("2023-01-02") + pd.Timedelta(days=2 * i) for i in range(360)]
    trips = pd.DataFrame({
        "trip_id": range(1, 361),
        "boat": [f"Boat {'ABCDE'[(i * i + i) % 5]}" for i in range(360)],
        "left": days,
        "fuel": [50.0 + (i * 13) % 90 for i in range(360)],
    })  # fmt: skip
    answer = gnomon.open({"trips": trips}).ask(asked.format(grain))
    wrong = {360 / trips.boat.nunique(), trips.fuel.sum() / trips.boat.nunique(), trips.fuel.mean()}
    told = [f.value for f in answer.facts if isinstance(f.value, int | float)]
    if answer.status is AnswerStatus.ANSWERED:
        assert not any(v == pytest.approx(w) for v in told[:1] for w in wrong), answer.prose


@pytest.mark.parametrize("code", ["Q1", "Q2", "V12", "S3a"])
def test_a_heading_is_called_by_its_code_and_marks_are_no_people(code: str) -> None:
    survey = pd.DataFrame({
        "Respondent": range(1, 121),
        "Gender": [("f", "m")[(i * i) % 3 % 2] for i in range(120)],
        f"{code} I trust the leadership": [1 + (i * 7) % 5 for i in range(120)],
        "X9 I like the canteen": [1 + (i * 3) % 4 for i in range(120)],
    })  # fmt: skip
    asked = gnomon.open({"survey": survey})
    answer = asked.ask(f"average {code} by gender")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    truth = survey.groupby("Gender")[f"{code} I trust the leadership"].mean()
    assert dict(answer.tables[0].rows) == pytest.approx(truth.to_dict())
    related = asked.ask(f"correlation between {code} and X9")
    assert related.status is AnswerStatus.ANSWERED, related.prose
    assert related.facts[0].value == pytest.approx(survey.iloc[:, 2].corr(survey.iloc[:, 3]))
    people = asked.ask("How many people trust the leadership?")
    assert people.status is not AnswerStatus.ANSWERED, people.prose


@pytest.mark.parametrize(
    ("table", "measure"), [("visits", "visitors"), ("calls", "callers"), ("rides", "riders")]
)
@pytest.mark.parametrize("step", ["D", "W", "MS"])
def test_rows_for_every_thing_and_day_are_not_what_happened(table: str, measure: str, step: str) -> None:
    days = pd.date_range("2023-01-01", periods=60, freq=step)
    rows = pd.DataFrame({
        "day": [d for d in days for _ in range(4)],
        "branch": ["Central", "Hilltop", "Lakeside", "Station"] * 60,
        measure: [50 + (i * 37) % 301 for i in range(240)],
    })  # fmt: skip
    data = gnomon.open({table: rows, "branches": pd.DataFrame({"branch": ["Central", "Hilltop", "Lakeside", "Station"], "area": [9, 8, 7, 6]})})  # fmt: skip
    many = data.ask(f"How many {table} were there?")
    assert 240 not in [f.value for f in many.facts], many.prose
    busiest = data.ask("What was the busiest branch?")
    assert busiest.status is AnswerStatus.ANSWERED, busiest.prose
    truth = rows.groupby("branch")[measure].sum()
    assert tuple(busiest.tables[0].rows[0]) == (truth.idxmax(), truth.max())


def test_how_many_tie_is_not_told_where_not_all_were_looked_at() -> None:
    rows = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=90), "site": [f"Site {i}" for i in range(90)], "price": [5.0] * 90})  # fmt: skip
    answer = gnomon.open({"offers": rows}).ask("Which site has the highest price?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert " and others tie" in answer.prose
