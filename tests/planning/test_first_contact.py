"""Tables that nobody described: years by what was done in them, numbers of accounts, currencies, marks, ages and units."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from tests.planning.readers import reader_over

import gnomon
from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 1)
ROWS = range(60)
MARKS = ["pupil,form,grade,essay_score,smoker"] + [
    f"P{i:02d},{('7A', '7B')[i % 2]},{'ABCDE'[i % 5]},{40 + i * 7 % 55},{('yes', 'no', 'unknown')[i % 3]}"
    for i in ROWS
]
BOOKS = ["title,author,released,in_print,min_age,pages,play_min"] + [
    f"Tale {i},{('Oda', 'Piet', 'Rune')[i % 3]},{1960 + i * 13 % 61},{('yes', 'no')[i % 4 == 0]},{(6, 8, 12)[i % 3]},{90 + i},{20 + i * 11 % 90}"
    for i in ROWS
]
ENTRIES = ["entry,acct,posted,amt,ccy"] + [
    f"{i},{(4000, 5000, 5100)[i % 3]},2024-0{1 + i % 9}-1{i % 9},{100 + i * 37 % 900}.50,{('EUR', 'USD')[i % 4 == 0]}"
    for i in ROWS
]
ACCOUNTS = ["acct,acct_name,kind", "4000,Sales,income", "5000,Wages,expense", "5100,Rent,expense"]
METERS = ["home,read_at,kwh"] + [f"H{i % 6},2024-0{1 + i % 6}-05,{3 + i % 8}" for i in ROWS]
HOMES = ["home,style,built"] + [f"H{i},{('flat', 'villa')[i % 2]},{1900 + 17 * i}" for i in range(6)]
OBSERVED = ["place,day,metric,value"] + [
    f"{place},2024-0{month}-01,{metric},{(i * 7 + month) % 40}"
    for i, (place, metric) in enumerate((p, m) for p in ("Ayr", "Oban", "Wick") for m in ("rainfall", "wind"))
    for month in range(1, 10)
]
TRIPS = ["trip_id,city,dist_km,dur_min"] + [
    f"T{i},{('Ayr', 'Wick')[i % 2]},{3 + i % 19},{10 + i * 7 % 53}" for i in ROWS
]
RUNS = ["bib,runner,dob,club,line,delay_min"] + [
    f"{100 + i},{('Ana', 'Bo', 'Cal', 'Dee')[i % 4]} {i},{1950 + i * 7 % 50}-03-1{i % 9},{('Reds', 'Blues')[i % 2]},{(1, 5, 12)[i % 3]},{i % 11}"
    for i in ROWS
]
TABLES = {
    "marks": {"marks": MARKS},
    "books": {"books": BOOKS},
    "ledger": {"entries": ENTRIES, "accounts": ACCOUNTS},
    "meters": {"readings": METERS, "homes": HOMES},
    "observed": {"observations": OBSERVED},
    "runs": {"runs": RUNS},
    "trips": {"trips": TRIPS},
}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GrammarReader]:
    """A reader of each set of tables."""
    return {name: reader_over(tmp_path_factory.mktemp(name), tables) for name, tables in TABLES.items()}


@pytest.mark.parametrize(
    ("tables", "question", "metric", "where"),
    [
        ("marks", "How many pupils have a grade between B and D?", "marks", ("grade", ("B", "C", "D"))),
        (
            "marks",
            "average essay score for grades between A and C",
            "average_essay_score",
            ("grade", ("A", "B", "C")),
        ),
        ("marks", "How many smokers are there?", "marks", ("smoker", ("yes",))),
        ("marks", "How many pupils do not smoke?", "marks", ("smoker", ("no",))),
        ("books", "How many books are out of print?", "books", ("in_print", (False,))),
        ("ledger", "How many entries are above 500 euros?", "entries", ("ccy", ("EUR",))),
        ("ledger", "total amount in dollars", "amt", ("ccy", ("USD",))),
        ("ledger", "How much was spent on rent?", "amt", ("acct_name", ("Rent",))),
        ("ledger", "What is our rent?", "amt", ("acct_name", ("Rent",))),
        ("ledger", "What share of expenses is rent?", "amt", ("acct_name", ("Rent",))),
        ("ledger", "What share of accounts is expense?", "accounts", ("kind", ("expense",))),
        ("ledger", "Monthly total of wages", "amt", ("acct_name", ("Wages",))),
        ("observed", "Total rainfall in Ayr", "sum(observations.value)", ("metric", ("rainfall",))),
        ("observed", "What was the highest wind in Oban?", "max(observations.value)", ("metric", ("wind",))),
        ("observed", "Median wind", "median(observations.value)", ("metric", ("wind",))),
        ("runs", "How many runners on line 5 were delayed by more than 5 minutes?", None, ("line", (5,))),
        ("meters", "total consumption of flats", "kwh", ("style", ("flat",))),
        ("meters", "Do flats use more than villas?", "kwh", ("style", ("flat", "villa"))),
        ("meters", "Are there more flat homes than villa homes?", "homes", ("style", ("flat", "villa"))),
        ("books", "How many books take longer than an hour?", None, ("play_min", (60,))),
    ],
)
def test_words_are_read_as_what_the_table_holds(
    readers: dict[str, GrammarReader],
    tables: str,
    question: str,
    metric: str | None,
    where: tuple[str, tuple[object, ...]],
) -> None:
    reading = readers[tables].read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, reading.message
    request = reading.parts[0]
    found = {f.field: f.values for f in (*request.filters, *request.part)}
    assert found.get(where[0]) == where[1]
    assert metric is None or request.metrics[0] == metric


@pytest.mark.parametrize(
    ("tables", "question"),
    [
        ("marks", "How many pupils got an F?"),
        ("marks", "How many pupils have a grade between A and F?"),
        ("ledger", "How much did we pay in GBP?"),
        ("ledger", "total amount in yen"),
        ("books", "Who is the oldest author?"),
        ("runs", "Which is the oldest club?"),
        ("meters", "How much gas was used?"),
        ("observed", "Average humidity by place"),
        ("observed", "Total snow in Ayr"),
    ],
)
def test_what_the_table_does_not_hold_is_refused(
    readers: dict[str, GrammarReader], tables: str, question: str
) -> None:
    assert readers[tables].read(question, today=TODAY).status is not ReadingStatus.CLEAR


@pytest.mark.parametrize(
    ("tables", "question", "metric", "group"),
    [
        ("books", "What is the oldest book?", "min(books.released)", "title"),
        ("books", "Which book is the youngest?", "max(books.released)", "title"),
        ("runs", "Who is the oldest runner?", "min(runs.dob)", "runner"),
        ("meters", "Which home is the oldest?", "min(homes.built)", "home"),
    ],
)
def test_the_oldest_is_told_by_its_date(
    readers: dict[str, GrammarReader], tables: str, question: str, metric: str, group: str
) -> None:
    request = readers[tables].read(question, today=TODAY).parts[0]
    assert (request.metrics, request.dimensions) == ((metric,), (group,))
    assert request.descending is metric.startswith("max") and request.limit == 1


def test_how_far_is_asked_in_distance(readers: dict[str, GrammarReader]) -> None:
    far, long = (
        readers["trips"].read(f"How {w} is the longest trip?", today=TODAY).parts[0] for w in ("far", "long")
    )
    assert (far.metrics, long.metrics) == (("average_dist",), ("average_dur",))


def test_years_in_which_something_was_done_bound_rows(readers: dict[str, GrammarReader]) -> None:
    request = readers["books"].read("How many books were released after 1990?", today=TODAY).parts[0]
    assert request.metrics == ("books",)
    assert request.time_range is not None or any(f.field == "released" for f in request.filters)


def test_marks_without_an_order_are_no_range(readers: dict[str, GrammarReader]) -> None:
    request = readers["marks"].read("compare essay score between A and C", today=TODAY).parts[0]
    assert Filter(field="grade", operator=FilterOperator.IN, values=("A", "B", "C")) not in request.filters


def test_figures_are_those_of_the_rows(tmp_path: Path) -> None:
    (tmp_path / "entries.csv").write_text("\n".join(ENTRIES))
    (tmp_path / "accounts.csv").write_text("\n".join(ACCOUNTS))
    rows = pd.read_csv(tmp_path / "entries.csv").merge(pd.read_csv(tmp_path / "accounts.csv"), on="acct")
    answer = gnomon.open(tmp_path).ask("total wages in euros")
    expected = rows[(rows.acct_name == "Wages") & (rows.ccy == "EUR")].amt.sum()
    assert any(f.value == pytest.approx(expected) for f in answer.facts)


VISITS = ["visit_no,ward,arrived,left,sys_bp,avg_hr_bpm,water_temp_c"] + [
    f"{i},{('East', 'West')[i % 2]},2024-03-{1 + i % 28:02d} 08:00,2024-03-{1 + i % 28:02d} 08:{10 + i % 45},{100 + i},{60 + i},{i % 17}"
    for i in ROWS
]


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Visits with names cut to first letters, and the moments at which they began and ended."""
    return reader_over(tmp_path_factory.mktemp("visits"), {"visits": VISITS})


@pytest.mark.parametrize(
    ("question", "metric"),
    [
        ("What is the average heart rate by ward?", "avg_hr"),
        ("average systolic blood pressure", "average_sys_bp"),
        ("How long does a visit last on average?", "average_time_from_arrived_to_left"),
        ("Is the water warmer in East than in West?", "average_water_temp"),
        ("In which ward was the warmest spot measured?", "max(visits.water_temp_c)"),
        ("Which ward is the warmest?", "average_water_temp"),
    ],
)
def test_names_cut_short_and_everyday_words_find_their_column(
    visits: GrammarReader, question: str, metric: str
) -> None:
    reading = visits.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, reading.message
    assert reading.parts[0].metrics[0] in (metric, f"mean(visits.{metric})")


@pytest.mark.parametrize(
    "question", ["average diastolic blood pressure", "average hit ratio", "average body mass"]
)
def test_other_words_with_other_letters_are_refused(visits: GrammarReader, question: str) -> None:
    assert visits.read(question, today=TODAY).status is not ReadingStatus.CLEAR
