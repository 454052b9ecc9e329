"""How analysts ask about groups: distributions over categories, what varies with what, breakdowns."""

from datetime import date, timedelta

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.studies import GroupTest
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2025, 3, 1)
K = QuestionKind


@pytest.fixture(scope="module")
def helpdesk(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["ticket,topic,agent,urgency,opened_on,office,hours_open,cost"]
    agents = ("Ann Lee", "Bo Cruz", "Cy Park", "Ann Lee", "Ann Lee")
    for i in range(300):
        day = date(2024, 1, 1) + timedelta(days=(i * 7) % 360)
        topic, urgency = ("Network", "Printer", "Access")[i % 3], ("high", "low")[i % 2]
        office = ("Leeds", "York")[(i // 3) % 2]
        cost = 10 + (i * 37) % 400
        rows.append(f"T{i:04d},{topic},{agents[i % 5]},{urgency},{day},{office},{3 + i % 40},{cost}.5")
    return reader_over(tmp_path_factory.mktemp("helpdesk"), {"tickets": rows})


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def clear(reader: GrammarReader, question: str) -> Parts:
    reading = read(reader, question)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    assert len(reading.parts) == 1
    return reading.parts[0]


@pytest.mark.parametrize(
    ("question", "by"),
    [
        ("What is the distribution of tickets across all topics?", "topic"),
        ("What is the distribution of tickets over the offices?", "office"),
        ("How are the tickets distributed among agents?", "agent"),
        ("What is the spread of tickets across different offices?", "office"),
        ("What is the breakdown of tickets across topics?", "topic"),
        ("How does the number of tickets vary by agent?", "agent"),
        ("How does the number of tickets differ between the offices?", "office"),
        ("What is the distribution of topics?", "topic"),
        ("Give me a breakdown of urgency", "urgency"),
    ],
)
def test_rows_are_counted_for_each_group(helpdesk: GrammarReader, question: str, by: str) -> None:
    request = clear(helpdesk, question)
    assert (request.kind, request.metrics, request.dimensions) == (K.BREAKDOWN, ("tickets",), (by,))


@pytest.mark.parametrize(
    ("question", "metric", "by"),
    [
        ("How does the average cost vary with urgency?", "mean(tickets.cost)", "urgency"),
        ("How does the average cost change across topics?", "mean(tickets.cost)", "topic"),
        ("How do average costs compare across all offices?", "mean(tickets.cost)", "office"),
        ("What are the cost patterns for different topics in terms of average cost?", "mean(tickets.cost)", "topic"),
    ],
)  # fmt: skip
def test_a_measure_is_told_for_each_group(
    helpdesk: GrammarReader, question: str, metric: str, by: str
) -> None:
    request = clear(helpdesk, question)
    assert (request.kind, request.metrics, request.dimensions) == (K.BREAKDOWN, (metric,), (by,))


def test_totals_that_vary_are_told_with_their_averages(helpdesk: GrammarReader) -> None:
    request = clear(helpdesk, "How does cost vary across topics?")
    assert request.metrics == ("cost",) and request.beside == "mean(tickets.cost)"
    assert clear(helpdesk, "What is the cost by topic?").beside is None
    assert clear(helpdesk, "How does the total cost vary across topics?").beside is None


def test_a_distribution_of_categories_keeps_its_conditions_and_splits(helpdesk: GrammarReader) -> None:
    filtered = clear(helpdesk, "What is the distribution of urgency for Printer tickets?")
    assert filtered.dimensions == ("urgency",) and filtered.filters[0].values == ("Printer",)
    split = clear(helpdesk, "What is the distribution of topics across offices?")
    assert set(split.dimensions) == {"topic", "office"} and split.metrics == ("tickets",)


def test_a_change_over_time_stays_one(helpdesk: GrammarReader) -> None:
    assert clear(helpdesk, "How did the cost change over time?").kind is K.TREND
    assert clear(helpdesk, "What is the average cost across all offices?").dimensions == ()


@pytest.mark.parametrize("question", ["How does cost vary?", "How does the cost vary across moods?"])
def test_what_varies_needs_known_groups(helpdesk: GrammarReader, question: str) -> None:
    assert read(helpdesk, question).status is not ReadingStatus.CLEAR


def test_averages_that_are_asked_for_are_what_is_compared(helpdesk: GrammarReader) -> None:
    named = clear(helpdesk, "Is the average cost significantly different between Leeds and York?")
    assert (named.kind, named.options(GroupTest).test) == (K.DIFFERENCE, "welch_t")
    left = clear(helpdesk, "Is there a significant difference in cost between Leeds and York?")
    assert left.options(GroupTest).test == "auto" and left.metrics == ("mean(tickets.cost)",)
    assert left.comparison is not None and left.comparison.groups == ("Leeds", "York")


def test_the_level_belongs_to_the_test(helpdesk: GrammarReader) -> None:
    for said, level in (("at the 0.01 level", 0.01), ("at a significance level of 5%", 0.05)):
        request = clear(helpdesk, f"Does cost differ significantly between topics {said}?")
        assert request.options(GroupTest).alpha == level and not request.filters


def test_shares_of_each_category_are_of_the_rows(helpdesk: GrammarReader) -> None:
    request = clear(helpdesk, "What is the share of each topic?")
    assert (request.kind, request.metrics, request.dimensions) == (K.SHARE, ("tickets",), ("topic",))


@pytest.mark.parametrize(
    "question",
    [
        "Is there a significant difference in mood between Leeds and York?",
        "Is the cost in Leeds significantly higher than in Paris?",
        "How does Zoe compare to other agents?",
        "Are tickets evenly distributed?",
        "Is the result significant?",
    ],
)
def test_tests_need_a_measure_and_groups_that_are_there(helpdesk: GrammarReader, question: str) -> None:
    assert read(helpdesk, question).status is not ReadingStatus.CLEAR
