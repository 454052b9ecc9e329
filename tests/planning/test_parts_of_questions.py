"""Several things in one question, or one after the other: parts, lists, and fragments that go on."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.planning.trees import request_of

TODAY = date(2024, 12, 31)
ROUTES = ("Harbour", "Island", "Lagoon")
CLASSES = ("hydrofoil", "catamaran")


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("ferry")
    rows = ["crossing_id,sailing_date,route,vessel_class,passengers,fuel_litres,delay_minutes,decks"]
    for i in range(1200):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 5) % 730)
        rows.append(
            f"C{i:05d},{day},{ROUTES[i % 3]},{CLASSES[i % 2]},{40 + i % 160},{200 + i % 77}.5,{i % 41},{1 + i % 4}"
        )
    (folder / "crossings.csv").write_text("\n".join(rows))
    return reader_of(folder)


def requests(reader: GrammarReader, question: str, previous: Parts | None = None) -> tuple[Parts, ...]:
    reading = reader.read(
        question, today=TODAY, previous=request_of(previous, reader.model) if previous is not None else None
    )
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts


def routes(request: Parts) -> list[tuple[object, ...]]:
    return [f.values for f in request.filters if f.field == "route"]


def years(request: Parts) -> tuple[int, int] | None:
    return (request.time_range.start.year, request.time_range.end.year) if request.time_range else None


def test_conditions_of_clauses_that_are_built_alike_are_not_merged(ferry: GrammarReader) -> None:
    first, second = requests(ferry, "crossings to Harbour in 2024 and to Island in 2023")
    assert (routes(first), years(first)) == ([("Harbour",)], (2024, 2024))
    assert (routes(second), years(second)) == ([("Island",)], (2023, 2023))


def test_each_measure_keeps_its_own_value(ferry: GrammarReader) -> None:
    question = "How many passengers went to Lagoon in Q2 2024, and what was the average delay to Island in the same quarter?"
    first, second = requests(ferry, question)
    assert first.metrics != second.metrics
    assert (routes(first), routes(second)) == ([("Lagoon",)], [("Island",)])
    assert first.time_range == second.time_range
    assert first.time_range is not None and first.time_range.start == date(2024, 4, 1)


@pytest.mark.parametrize(
    "question",
    [
        "1) passengers in May 2024 2) crossings in May 2024 3) average delay in May 2024",
        "May 2024: passengers? crossings? average delay?",
        "I need three things: passengers, crossings and average delay in May 2024",
        "passengers, crossings and average delay in May 2024, all three please",
    ],
)
def test_everything_that_is_listed_is_answered(ferry: GrammarReader, question: str) -> None:
    found = requests(ferry, question)
    assert len({m for r in found for m in r.metrics}) == 3
    assert {r.time_range.start for r in found if r.time_range} == {date(2024, 5, 1)}
    assert all(r.time_range is not None and not r.filters for r in found)


def test_a_period_at_the_end_holds_for_both(ferry: GrammarReader) -> None:
    first, second = requests(ferry, "passengers by route and fuel litres by vessel class in 2023")
    assert (first.dimensions, second.dimensions) == (("route",), ("vessel_class",))
    assert years(first) == years(second) == (2023, 2023)


def test_values_in_a_list_are_told_together_and_one_by_one(ferry: GrammarReader) -> None:
    together, each = requests(ferry, "passengers to Harbour and Island in 2024")
    assert (together.kind, together.dimensions) == (QuestionKind.VALUE, ())
    assert each.dimensions == ("route",)
    assert [f.values for f in each.filters] == [("Harbour", "Island")]


def test_an_average_over_a_list_leads_with_each(ferry: GrammarReader) -> None:
    each, together = requests(ferry, "average delay of the hydrofoil and the catamaran crossings")
    assert each.comparison is not None and set(each.comparison.groups) == {"hydrofoil", "catamaran"}
    assert together.kind is QuestionKind.VALUE


def test_two_values_and_a_comparative_are_compared(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "Do Harbour or Island crossings have a higher average delay?")
    assert request.comparison is not None and request.comparison.groups == ("Harbour", "Island")


def test_values_that_are_listed_are_ranked(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "Does Harbour or Lagoon have the highest average delay?")
    assert (request.kind, request.dimensions, request.limit) == (QuestionKind.RANKING, ("route",), 1)


def test_numbers_in_a_list_are_each_meant(ferry: GrammarReader) -> None:
    together, each = requests(ferry, "How many crossings had 1, 2 and 3 decks?")
    assert [(f.operator, f.values) for f in together.filters] == [(FilterOperator.IN, (1, 2, 3))]
    assert each.dimensions == ("decks",)


def test_periods_in_a_row_are_one_series(ferry: GrammarReader) -> None:
    steps, whole = requests(ferry, "passengers in January, February and March 2024")
    assert (steps.kind, whole.kind) == (QuestionKind.TREND, QuestionKind.VALUE)
    assert whole.time_range is not None and steps.time_range == whole.time_range
    assert (whole.time_range.start, whole.time_range.end) == (date(2024, 1, 1), date(2024, 3, 31))
    together, may, june = requests(ferry, "how many crossings were there in May and June 2024?")
    assert together.time_range is not None and may.time_range is not None and june.time_range is not None
    assert together.time_range.days == may.time_range.days + june.time_range.days


def test_a_part_alone_stays_one_question(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "passengers and fuel litres by route and vessel class in 2024")
    assert len(request.metrics) == 2
    assert request.dimensions == ("route", "vessel_class")


def test_the_best_and_the_worst_month(ferry: GrammarReader) -> None:
    best, worst = requests(ferry, "best month of 2024 for passengers? and the worst one?")
    assert (best.descending, worst.descending) == (True, False)
    assert best.grain == worst.grain == "month"
    assert best.metrics == worst.metrics


def after(reader: GrammarReader, first: str, then: str) -> Parts:
    return requests(reader, then, requests(reader, first)[0])[0]


@pytest.mark.parametrize(
    ("then", "start", "end"),
    [
        ("and the year before?", date(2023, 4, 1), date(2023, 6, 30)),
        ("what about a year earlier?", date(2023, 4, 1), date(2023, 6, 30)),
        ("and the quarter before?", date(2024, 1, 1), date(2024, 3, 31)),
        ("and the month before?", date(2024, 3, 1), date(2024, 3, 31)),
    ],
)
def test_a_step_back_replaces_the_period(ferry: GrammarReader, then: str, start: date, end: date) -> None:
    request = after(ferry, "passengers to Island in Q2 2024", then)
    assert request.time_range is not None
    assert (request.time_range.start, request.time_range.end) == (start, end)
    assert (request.kind, request.comparison, routes(request)) == (QuestionKind.VALUE, None, [("Island",)])


@pytest.mark.parametrize(
    ("then", "start"),
    [
        ("how does that compare to the previous month?", date(2024, 4, 1)),
        ("compare that with the same month last year", date(2023, 5, 1)),
        ("compare that with a year earlier", date(2023, 5, 1)),
    ],
)
def test_a_step_back_that_compares_keeps_the_period(ferry: GrammarReader, then: str, start: date) -> None:
    request = after(ferry, "passengers in May 2024", then)
    assert request.time_range is not None and request.time_range.start == date(2024, 5, 1)
    assert request.comparison is not None and request.comparison.period is not None
    assert request.comparison.period.start == start


def test_more_is_added_and_other_things_take_the_place(ferry: GrammarReader) -> None:
    first = "passengers by route in 2024"
    assert after(ferry, first, "split it up by vessel class as well").dimensions == ("route", "vessel_class")
    regrouped = after(ferry, first, "by vessel class rather than route")
    assert regrouped.dimensions == ("vessel_class",)
    assert regrouped.metrics == requests(ferry, first)[0].metrics
    assert len(after(ferry, first, "I'd also like to see the crossings next to it").metrics) == 2
    assert after(ferry, first, "in percent of the total, please").kind is QuestionKind.SHARE


def test_the_others_are_those_not_asked_about(ferry: GrammarReader) -> None:
    request = after(ferry, "average delay to Harbour in 2024", "how does that look for the other routes?")
    assert [(f.operator, f.values) for f in request.filters] == [(FilterOperator.NOT_EQUALS, ("Harbour",))]
    assert request.dimensions == ("route",)


def test_a_bare_number_changes_how_many_are_ranked(ferry: GrammarReader) -> None:
    request = after(ferry, "top 3 days by passengers in 2024", "make it ten")
    assert (request.kind, request.limit, request.grain) == (QuestionKind.RANKING, 10, "day")


@pytest.mark.parametrize(
    ("question", "recurring"),
    [
        ("passengers in 2024 without December", ("month", tuple(range(1, 12)))),
        ("passengers in 2024 leaving November aside", ("month", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12))),
        ("passengers in Q4 2024 except in December", ("month", (10, 11))),
        ("passengers in 2024 excluding weekends", ("weekday", (0, 1, 2, 3, 4))),
        ("passengers in 2024 not counting Sundays", ("weekday", (0, 1, 2, 3, 4, 5))),
    ],
)
def test_times_that_are_left_out(
    ferry: GrammarReader, question: str, recurring: tuple[str, tuple[int, ...]]
) -> None:
    (request,) = requests(ferry, question)
    assert request.recurring == recurring
    assert request.time_range is not None and request.time_range.start.year == 2024


@pytest.mark.parametrize(
    "question",
    [
        "passengers excluding December 2023",
        "passengers in the run-up to Christmas 2023",
        "crossings around Easter 2024",
    ],
)
def test_times_that_cannot_be_said_are_not_dropped(ferry: GrammarReader, question: str) -> None:
    assert ferry.read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_sets_of_days_are_set_side_by_side(ferry: GrammarReader) -> None:
    found = requests(ferry, "crossings on weekends versus weekdays in 2024")
    assert [r.recurring for r in found] == [("weekday", (5, 6)), ("weekday", (0, 1, 2, 3, 4))]
    (said_twice,) = requests(ferry, "crossings on the weekends of May 2024, Saturdays and Sundays together")
    assert (said_twice.recurring, said_twice.dimensions) == (("weekday", (5, 6)), ())


def test_what_a_share_is_taken_of(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "what percentage of crossings had more than 2 decks, Harbour only")
    assert [f.field for f in request.part] == ["decks"]
    assert routes(request) == [("Harbour",)]
    (request,) = requests(ferry, "what percentage of passengers comes from hydrofoil crossings in Island")
    assert [f.field for f in request.part] == ["vessel_class"]


def test_more_of_a_noun_counts_it(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "Do Saturdays or Sundays bring more crossings in 2024?")
    assert request.dimensions == ("@weekday",)
    assert [ferry.model.metric(m).label for m in request.metrics] == ["number of crossings"]


def test_a_second_which_asks_for_the_same_sort_of_thing(ferry: GrammarReader) -> None:
    most, late = requests(
        ferry, "Which route had the most passengers in 2024, and which had the highest average delay?"
    )
    assert most.dimensions == late.dimensions == ("route",)
    assert (most.kind, late.kind) == (QuestionKind.RANKING, QuestionKind.RANKING)
    assert most.metrics != late.metrics
    most, fewest = requests(ferry, "which route had most crossings in 2024 and which one the fewest?")
    assert most.metrics == fewest.metrics
    assert (most.descending, fewest.descending) == (True, False)


@pytest.mark.parametrize(
    "question",
    [
        "Was the average delay in May 2024 worse than in April 2024?",
        "Is the average delay of May 2024 higher than that of April 2024?",
        "Was May 2024 a better month for passengers than April 2024?",
    ],
)
def test_a_comparative_between_two_times_compares_them(ferry: GrammarReader, question: str) -> None:
    (request,) = requests(ferry, question)
    assert request.time_range is not None and request.time_range.start == date(2024, 5, 1)
    assert request.comparison is not None and request.comparison.period is not None
    assert request.comparison.period.start == date(2024, 4, 1)


def test_a_comparative_between_two_values_compares_them(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "Is the average delay higher in Harbour than in Lagoon?")
    assert request.comparison is not None and request.comparison.groups == ("Harbour", "Lagoon")


def test_steps_within_periods_are_one_series(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "passengers by week in May and June 2024")
    assert request.time_range is not None and request.grain == "week"
    assert (request.time_range.start, request.time_range.end) == (date(2024, 5, 1), date(2024, 6, 30))
    (request,) = requests(ferry, "month over month growth in crossings, February through June 2024")
    assert (request.kind, request.grain, request.comparison) == (QuestionKind.TREND, "month", None)


def test_a_share_in_each_group_is_that_of_its_rows(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "what share of crossings had more than 2 decks in each route?")
    assert request.dimensions == ("route",)
    assert request.metrics == ("mean(crossings.{share with decks > 2: holds([decks] > 2)})",)


def test_a_share_within_each_group(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "what share of each route's crossings had more than 2 decks?")
    assert (request.kind, request.dimensions) == (QuestionKind.SHARE, ("route",))
    assert [f.field for f in request.part] == ["decks"]
    assert request.filters == ()


def test_of_them_keeps_the_conditions_of_the_part_before(ferry: GrammarReader) -> None:
    _, second = requests(ferry, "How many crossings went to Harbour, and how many of them had 2 decks?")
    assert {f.field for f in second.filters} == {"route", "decks"}


def test_a_noun_that_is_repeated_in_a_list_is_no_measure(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "Compare the passengers of crossings to Harbour and crossings to Island")
    assert request.comparison is not None and request.comparison.groups == ("Harbour", "Island")


def test_only_narrows_what_was_asked(ferry: GrammarReader) -> None:
    request = after(ferry, "average delay by vessel class in 2024", "only for passengers to Island")
    assert request.dimensions == ("vessel_class",)
    assert request.metrics == requests(ferry, "average delay")[0].metrics
    assert routes(request) == [("Island",)]


def test_what_about_another_year(ferry: GrammarReader) -> None:
    assert years(after(ferry, "passengers in 2024", "what about 2023?")) == (2023, 2023)


def test_a_superlative_without_its_measure_is_refused(ferry: GrammarReader) -> None:
    assert ferry.read("What is the cheapest route?", today=TODAY).status is not ReadingStatus.CLEAR


def test_several_times_are_left_out_together(ferry: GrammarReader) -> None:
    (request,) = requests(ferry, "passengers in 2024 without November and December")
    assert request.recurring == ("month", tuple(range(1, 11)))


def test_a_part_that_asks_for_each_says_nothing_new(ferry: GrammarReader) -> None:
    found = requests(
        ferry, "What were the three best months of 2024 by passengers, and how many passengers did each have?"
    )
    assert [(r.kind, r.limit) for r in found] == [(QuestionKind.RANKING, 3)]


def test_a_change_in_a_later_part_is_that_between_the_same_periods(ferry: GrammarReader) -> None:
    first, second = requests(
        ferry,
        "How much did passengers change from Q2 2024 to Q3 2024, and how much did the average delay change?",
    )
    assert first.comparison is not None and first.comparison == second.comparison
    assert first.metrics != second.metrics


def test_a_share_in_two_periods(ferry: GrammarReader) -> None:
    found = requests(ferry, "what percentage of passengers came from Island in Q3 2024 versus Q3 2023?")
    assert [(r.kind, years(r)) for r in found] == [
        (QuestionKind.SHARE, (2024, 2024)),
        (QuestionKind.SHARE, (2023, 2023)),
    ]


def test_a_time_that_is_not_said_exactly_is_asked_about(ferry: GrammarReader) -> None:
    assert ferry.read("passengers recently", today=TODAY).status is not ReadingStatus.CLEAR


def test_a_noun_that_is_also_a_word_for_change_changes_nothing(ferry: GrammarReader) -> None:
    first, second = requests(
        ferry, "How many hydrofoil crossings in May 2024 and how many catamaran ones in June 2024?"
    )
    assert first.metrics == second.metrics
    assert (first.kind, second.kind) == (QuestionKind.VALUE, QuestionKind.VALUE)


@pytest.mark.parametrize(
    ("question", "whole", "part"),
    [
        ("what percentage of Harbour crossings had 4 decks?", "route", "decks"),
        ("what share of hydrofoil crossings went to Island?", "vessel_class", "route"),
        ("what share of crossings that went to Island were hydrofoil?", "route", "vessel_class"),
    ],
)
def test_which_condition_is_the_whole(ferry: GrammarReader, question: str, whole: str, part: str) -> None:
    (request,) = requests(ferry, question)
    assert ([f.field for f in request.filters], [f.field for f in request.part]) == ([whole], [part])
