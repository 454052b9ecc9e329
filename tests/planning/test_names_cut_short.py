"""Columns whose names are cut, glued or numbered, asked for in full words."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from tests.planning.readers import analyst_of, reader_over

import gnomon
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 3, 1)
COHORT = [
    "patid,bwt,gestwks,mage,fage,hhInc,educyrs,sbp,chol_lvl,nvisits,pain6m,pain12m,uni2013,uni2015,sex,clinic"
] + [
    f"{1000 + i},{2000 + 7 * i},{30 + i % 12},{17 + i % 28},{19 + i % 33},{500 * (i % 40)},{6 + i % 14},{90 + i % 90},{120 + i % 150},"
    f"{i % 9},{i % 10},{(3 * i) % 11},{i % 31 / 100},{i % 17 / 100},{'fm'[i % 2]},{('north', 'south', 'east')[i % 3]}"
    for i in range(300)
]
TEAMS = ["Team,G,HR,SB,SO,RBI,age_coach,ht_coach,ht_owner,incidents,incidents.us"] + [
    f"Team{i},162,{90 + 3 * i},{30 + 5 * i},{900 + i},{500 + 2 * i},{40 + i % 9},{170 + i % 20},{160 + i % 25},{i % 12},{i % 5}"
    for i in range(30)
]
COUNTRIES = ["country,yr,rgdppc,lifeexp,infmort,unemprt"] + [
    f"{c},{y},{900 + 41 * (y - 2000) * (k + 1)},{60 + (y + 3 * k) % 17},{5 + (y * (k + 2)) % 40},{(y * k) % 13}"
    for k, c in enumerate(["France", "Kenya", "Brazil"])
    for y in range(2000, 2015)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    for name, lines in (("cohort", COHORT), ("teams", TEAMS), ("countries", COUNTRIES)):
        (folder / name).mkdir()
        (folder / name / f"{name}.csv").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize(
    ("table", "question", "column"),
    [
        ("cohort", "average birth weight", "bwt"),
        ("cohort", "What is the average mother's age?", "mage"),
        ("cohort", "average household income", "hhInc"),
        ("cohort", "average gestation weeks", "gestwks"),
        ("cohort", "average years of education", "educyrs"),
        ("cohort", "average systolic blood pressure", "sbp"),
        ("cohort", "average cholesterol level", "chol_lvl"),
        ("cohort", "average number of visits", "nvisits"),
        ("cohort", "average pain at 12 months", "pain12m"),
        ("cohort", "average six month pain", "pain6m"),
        ("cohort", "average 2015 uninsured rate", "uni2015"),
        ("teams", "average home runs", "HR"),
        ("teams", "average stolen bases", "SB"),
        ("teams", "average strikeouts", "SO"),
        ("teams", "average coach's height", "ht_coach"),
        ("teams", "average height of the owner", "ht_owner"),
        ("teams", "average US incidents", "incidents.us"),
        ("countries", "average real gdp per capita", "rgdppc"),
        ("countries", "average life expectancy", "lifeexp"),
        ("countries", "average infant mortality rate", "infmort"),
        ("countries", "average unemployment rate", "unemprt"),
        ("countries", "average unemployment", "unemprt"),
    ],
)
def test_full_words_find_the_column_whose_letters_they_are(
    folder: Path, table: str, question: str, column: str
) -> None:
    path = folder / table / f"{table}.csv"
    expected = pd.read_csv(path)[column].mean()
    answer = analyst_of(path).ask(question)
    assert any(f.value == pytest.approx(expected) for f in answer.facts), answer.prose


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GrammarReader]:
    tables = {"cohort": COHORT, "teams": TEAMS, "countries": COUNTRIES}
    return {name: reader_over(tmp_path_factory.mktemp(name), {name: rows}) for name, rows in tables.items()}


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("cohort", "average household size"),
        ("cohort", "average birth length"),
        ("cohort", "average father's income"),
        ("cohort", "average age of females"),
        ("cohort", "average pain at 9 months"),
        ("cohort", "average uninsured rate in 2014"),
        ("teams", "average home attendance"),
        ("teams", "average owner's age"),
        ("teams", "average hits"),
        ("teams", "average salary bonus"),
        ("countries", "average unemployment benefits"),
        ("countries", "average gdp growth"),
        ("countries", "average life insurance"),
        ("countries", "average child mortality"),
    ],
)
def test_a_phrase_that_names_something_else_is_refused(
    readers: dict[str, GrammarReader], table: str, question: str
) -> None:
    assert readers[table].read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_two_columns_that_fit_alike_are_asked_back(readers: dict[str, GrammarReader]) -> None:
    reading = readers["cohort"].read("average uninsured rate", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


PLANS = ["user_id,contract,city,fee,satisf,beds,family,appdate,approvaldate,mpg"] + [
    f"{i},{('monthly', 'yearly')[i % 2]},{('Leeds', 'York', 'Hull')[i % 3]},{5 + i % 50},{1 + i % 5},{1 + i % 4},{1 + i % 6},"
    f"2024-0{1 + i % 6}-{10 + i % 9},2024-0{1 + i % 6}-{20 + i % 8},{15 + i % 30}"
    for i in range(200)
]


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "plans.csv"
    path.write_text("\n".join(PLANS))
    return path


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("average family size", "family"),
        ("average satisfaction score", "satisf"),
        ("average satisfaction level", "satisf"),
        ("average miles per gallon", "mpg"),
    ],
)
def test_nouns_for_the_kind_of_a_figure_add_nothing(plans: Path, question: str, column: str) -> None:
    answer = analyst_of(plans).ask(question)
    assert any(f.value == pytest.approx(pd.read_csv(plans)[column].mean()) for f in answer.facts), (
        answer.prose
    )


def test_types_of_a_column_of_few_values_are_its_values(plans: Path) -> None:
    analyst, rows = analyst_of(plans), pd.read_csv(plans)
    table = analyst.ask("average fee by contract type").tables[0]
    assert {r[0]: pytest.approx(float(str(r[1]))) for r in table.rows} == rows.groupby(
        "contract"
    ).fee.mean().to_dict()
    for question in (
        "average fee by city type",
        "average bed size",
        "average fee size",
        "average satisfaction bonus",
    ):
        assert analyst.ask(question).status.value != "answered", question


def test_conditions_on_miles_per_gallon(plans: Path) -> None:
    answer = analyst_of(plans).ask("how many users get at least 30 miles per gallon")
    assert any(f.value == (pd.read_csv(plans).mpg >= 30).sum() for f in answer.facts), answer.prose


def test_a_table_of_speeds_holds_speeds(tmp_path: Path) -> None:
    path = tmp_path / "disk_speed.csv"
    path.write_text(
        "\n".join(["brand,read,write", *(f"{'ABC'[i % 3]},{300 + i},{200 + 3 * i}" for i in range(60))])
    )
    analyst = gnomon.open(path)
    answer = analyst.ask("average write speed")
    assert any(f.value == pytest.approx(pd.read_csv(path).write.mean()) for f in answer.facts), answer.prose
    assert analyst.ask("average write price").status.value != "answered"
