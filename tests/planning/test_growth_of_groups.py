"""What grew or fell most is ranked by its change; rows that are shared out are counted, whatever happens to them."""

from __future__ import annotations

from datetime import date

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 6, 1)


@pytest.fixture(scope="module")
def depot(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["order_id,order_date,ship_date,line,way,sales"]
    for i in range(400):
        day = date.fromordinal(date(2021, 1, 4).toordinal() + 3 * i % 1090)
        sent = date.fromordinal(day.toordinal() + i % 6)
        rows.append(
            f"D{i:05},{day},{sent},{('Pots', 'Pans', 'Lids')[i % 3]},{('Rail', 'Road')[i % 2]},{20 + i * 7 % 300}"
        )
    return reader_over(tmp_path_factory.mktemp("depot"), {"orders": rows})


@pytest.mark.parametrize(
    ("question", "descending"),
    [
        ("Which line had the highest sales growth in 2022?", True),
        ("Which line saw the biggest drop in sales in 2022?", False),
        ("Which line grew fastest in 2022?", True),
    ],
)
def test_the_largest_change_is_one_against_the_period_before(
    depot: GrammarReader, question: str, descending: bool
) -> None:
    reading = depot.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    request = reading.parts[0]
    assert request.kind is QuestionKind.COMPARISON and request.metrics == ("sales",)
    assert request.comparison is not None and request.comparison.period is not None
    assert request.comparison.period.start == date(2021, 1, 1)
    assert (request.limit, request.descending) == (1, descending)


def test_growth_since_nothing_was_said_is_asked_about(depot: GrammarReader) -> None:
    reading = depot.read("Which line grew the most?", today=TODAY)
    assert reading.status is ReadingStatus.PARTIAL and "grew" in reading.missing


def test_rows_that_are_shared_out_are_counted(depot: GrammarReader) -> None:
    reading = depot.read("What percentage of orders were shipped by Rail?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    assert (reading.parts[0].kind, reading.parts[0].metrics) == (QuestionKind.SHARE, ("orders",))


def test_who_did_it_in_both_years_is_not_how_many_did_in_each(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rows = ["order_id,order_date,customer_id,discount"]
    rows += [
        f"D{i:05},{2021 + i % 3}-03-{1 + i % 28:02},C{i % 40:03},{(0, 0.1, 0.2)[i % 3]}" for i in range(300)
    ]
    reader = reader_over(tmp_path_factory.mktemp("buyers"), {"orders": rows})
    both = reader.read("How many customers ordered in both 2022 and 2023?", today=TODAY)
    assert both.status is ReadingStatus.CLEAR and len(both.parts) == 1
    either = reader.read("How many orders were there in both 2022 and 2023?", today=TODAY)
    assert either.status is ReadingStatus.CLEAR
    apart = reader.read("number of customers with no discount vs customers with discount", today=TODAY)
    assert apart.status is not ReadingStatus.CLEAR


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["employee_id,gender,department,salary"]
    rows += [
        f"{i},{('Male', 'Female')[i % 2]},{('Sales', 'Engineering', 'Legal')[i % 3]},{30000 + i * 37 % 9000}"
        for i in range(300)
    ]
    return reader_over(tmp_path_factory.mktemp("staff"), {"employees": rows})


def test_the_highest_of_each_group_ranks_no_groups(staff: GrammarReader) -> None:
    request = staff.read("What is the highest salary in each department?", today=TODAY).parts[0]
    assert (request.kind, request.metrics, request.limit) == (
        QuestionKind.BREAKDOWN,
        ("max(employees.salary)",),
        None,
    )
    ranked = staff.read("Which department has the highest salary?", today=TODAY).parts[0]
    assert (ranked.kind, ranked.limit) == (QuestionKind.RANKING, 1)


def test_a_share_in_a_place_is_of_all_that_are_there(staff: GrammarReader) -> None:
    request = staff.read("What is the share of women in Engineering?", today=TODAY).parts[0]
    assert [f.field for f in request.filters] == ["department"]
    assert [f.field for f in request.part] == ["gender"]


def test_a_category_before_the_word_distribution_is_counted(staff: GrammarReader) -> None:
    request = staff.read("What is the gender distribution?", today=TODAY).parts[0]
    assert (request.kind, request.metrics, request.dimensions) == (
        QuestionKind.BREAKDOWN,
        ("employees",),
        ("gender",),
    )
