"""The shapes of questions: orders and places in them, shares within groups, claims, and fragments that go on."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_of

from gnomon.core.parts import Claim, FilterOperator, Parts, QuestionKind, Share
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.planning.trees import request_of

TODAY = date(2024, 12, 31)
K = QuestionKind
TOWNS = ("Alderby", "Brackwell", "Corsham")
WAYS = ("web", "phone")
NAMES = [
    f"{a} {b}"
    for a in ("Raku", "Coil", "Slab", "Wheel")
    for b in ("pots", "tiles", "bowls", "masks", "lamps", "jars")
]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("studio")
    courses = ["course_id,course_name,opened_on,level,list_fee"]
    for i in range(24):
        opened = date.fromordinal(date(2021, 3, 1).toordinal() + i * 31)
        courses.append(f"K{i:03d},{NAMES[i]},{opened},{('basic', 'advanced')[i % 2]},{40 + i * 3}.5")
    bookings = ["booking_id,booked_on,course_id,town,way,seats,amount,cancelled"]
    for i in range(1500):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 7) % 730)
        bookings.append(
            f"{10000 + i},{day},K{(i * i) % 24:03d},{TOWNS[i % 3]},{WAYS[i % 2]},{1 + i % 4},{30 + i % 90}.25,"
            f"{'yes' if i % 9 == 0 else 'no'}"
        )
    visits = ["visit_id,visited_on,course_id,minutes"]
    visits += [
        f"V{i},{date(2024, 1 + i % 12, 1 + i % 28)},K{(i * 5) % 24:03d},{20 + i % 50}" for i in range(700)
    ]
    for name, rows in (("courses", courses), ("bookings", bookings), ("visits", visits)):
        (folder / f"{name}.csv").write_text("\n".join(rows))
    return reader_of(folder)


def asked(reader: GrammarReader, question: str, previous: Parts | None = None) -> Parts:
    reading = reader.read(
        question, today=TODAY, previous=request_of(previous, reader.model) if previous is not None else None
    )
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0]


def after(reader: GrammarReader, *questions: str) -> Parts:
    request: Parts | None = None
    for question in questions:
        request = asked(reader, question, request)
    assert request is not None
    return request


def ranked(request: Parts) -> tuple[tuple[str, ...], tuple[str, ...], bool, int | None]:
    assert request.kind is K.RANKING
    return request.metrics, request.dimensions, request.descending, request.limit


@pytest.mark.parametrize(
    ("question", "descending"),
    [
        ("Which course was visited the most times?", True),
        ("Which course was visited most often?", True),
        ("Which course has been visited least often?", False),
    ],
)
def test_what_was_done_most_often_is_counted(studio: GrammarReader, question: str, descending: bool) -> None:
    assert ranked(asked(studio, question)) == (("visits",), ("course_id",), descending, 1)


@pytest.mark.parametrize(
    ("question", "descending", "limit"),
    [
        ("Rank the towns by amount", True, None),
        ("Rank the towns by amount, lowest first", False, None),
        ("Who is last when you order towns by amount?", False, 1),
        ("Which town is last by amount?", False, 1),
        ("Which town comes first by amount?", True, 1),
    ],
)
def test_an_order_and_its_ends(
    studio: GrammarReader, question: str, descending: bool, limit: int | None
) -> None:
    assert ranked(asked(studio, question)) == (("amount",), ("town",), descending, limit)


def test_a_place_in_an_order(studio: GrammarReader) -> None:
    request = asked(studio, "Which town comes second by amount?")
    assert (request.kind, request.place) == (K.RANKING, 2)


@pytest.mark.parametrize("question", ["top 2 towns by bookings", "Which two towns lead in bookings?"])
def test_rows_that_things_are_ranked_by_are_counted(studio: GrammarReader, question: str) -> None:
    assert ranked(asked(studio, question)) == (("bookings",), ("town",), True, 2)


def test_when_things_peak_is_a_period(studio: GrammarReader) -> None:
    request = asked(studio, "In which month of 2024 did bookings peak?")
    assert (request.kind, request.metrics, str(request.grain)) == (K.RANKING, ("bookings",), "month")


@pytest.mark.parametrize(
    ("question", "metric", "descending"),
    [
        ("newest course", "max(courses.opened_on)", True),
        ("Which course is the newest?", "max(courses.opened_on)", True),
        ("Which course was opened first?", "min(courses.opened_on)", False),
    ],
)
def test_the_newest_thing_is_named(
    studio: GrammarReader, question: str, metric: str, descending: bool
) -> None:
    assert ranked(asked(studio, question)) == ((metric,), ("course_id",), descending, 1)


def test_the_date_alone_is_told_where_a_date_is_asked_for(studio: GrammarReader) -> None:
    assert asked(studio, "latest opened on date of a course").metrics == ("max(courses.opened_on)",)
    assert asked(studio, "When was the last course opened?").kind is K.VALUE


def test_the_others_of_a_ranking_have_their_own_measure(studio: GrammarReader) -> None:
    reading = studio.read(
        "Give me the top 2 towns by amount and also the 2 with the most cancelled bookings", today=TODAY
    )
    assert [ranked(r) for r in reading.parts] == [
        (("amount",), ("town",), True, 2),
        (("cancelled_bookings",), ("town",), True, 2),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "share of amount by way within each town",
        "What percentage of each town's amount comes from each way?",
        "In each town, what share of amount does each way have?",
    ],
)
def test_a_share_within_each_group_says_so(studio: GrammarReader, question: str) -> None:
    request = asked(studio, question)
    assert (request.kind, set(request.dimensions)) == (K.SHARE, {"town", "way"})
    assert request.share == Share(within="town")


def test_shares_by_two_groups_are_of_the_whole(studio: GrammarReader) -> None:
    assert asked(studio, "share of amount by town and way").share == Share()


def test_a_year_between_is_and_what_it_dates_is_a_year(studio: GrammarReader) -> None:
    request = asked(studio, "How is 2024 amount split between the towns, in percent?")
    assert (request.kind, request.dimensions) == (K.SHARE, ("town",))
    assert request.time_range is not None and request.time_range.start == date(2024, 1, 1)


@pytest.mark.parametrize(
    "question",
    [
        "total amount over all towns together",
        "amount in 2024, all towns taken together",
        "average amount across all towns",
        "average amount regardless of town",
    ],
)
def test_groups_taken_together_are_one_figure(studio: GrammarReader, question: str) -> None:
    request = asked(studio, question)
    assert (request.kind, request.dimensions) == (K.VALUE, ())


def test_groups_that_are_compared_stay_apart(studio: GrammarReader) -> None:
    assert asked(studio, "compare the amount across all towns").dimensions == ("town",)


@pytest.mark.parametrize(
    "question",
    [
        "Across courses, does the total amount correlate with the list fee?",
        "Is there a correlation between amount and list fee across courses?",
        "Does the amount per course correlate with its list fee?",
    ],
)
def test_two_measures_are_paired_by_what_they_belong_to(studio: GrammarReader, question: str) -> None:
    request = asked(studio, question)
    assert (request.kind, request.dimensions, request.filters) == (K.CORRELATION, ("course_id",), ())
    assert request.metrics == ("amount", "list_fee")


@pytest.mark.parametrize(
    "question",
    ["How many bookings are there for each number of seats?", "bookings per number of seats"],
)
def test_rows_are_counted_for_each_number(studio: GrammarReader, question: str) -> None:
    request = asked(studio, question)
    assert (request.kind, request.metrics, request.dimensions) == (K.BREAKDOWN, ("bookings",), ("seats",))


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Did the amount in Alderby exceed the amount in Corsham?", ">"),
        ("Is the average amount lower in Alderby than in Corsham?", "<"),
        ("Were there fewer bookings in May 2024 than in April 2024?", "<"),
    ],
)
def test_what_a_question_claims_is_kept(studio: GrammarReader, question: str, claim: str) -> None:
    request = asked(studio, question)
    assert (request.kind, request.claim.side) == (K.COMPARISON, claim)


def test_which_of_two_claims_nothing(studio: GrammarReader) -> None:
    assert asked(studio, "Did Alderby or Corsham have more bookings?").claim == Claim()


def test_two_measures_are_set_against_each_other(studio: GrammarReader) -> None:
    request = asked(studio, "Is the average amount below or above the average list fee?")
    assert request.claim.measures
    assert len(request.metrics) == 2


def test_how_much_things_grew_is_a_comparison(studio: GrammarReader) -> None:
    request = asked(studio, "How much did bookings grow in May 2024 over May 2023, in percent?")
    assert (request.kind, request.metrics) == (K.COMPARISON, ("bookings",))


def test_each_part_is_asked_in_its_own_words(studio: GrammarReader) -> None:
    reading = studio.read(
        "How many bookings did we get in May 2024 and how much amount was that?", today=TODAY
    )
    assert [r.metrics for r in reading.parts] == [("bookings",), ("amount",)]


# fragments


def test_the_same_for_something_else(studio: GrammarReader) -> None:
    request = after(studio, "Monthly amount from July to September 2024", "same thing but for bookings")
    assert (request.kind, request.metrics) == (K.TREND, ("bookings",))
    assert request.time_range is not None and request.time_range.start == date(2024, 7, 1)


def test_other_groups_take_the_place_and_keep_the_order(studio: GrammarReader) -> None:
    request = after(studio, "Which town had the most bookings in 2024?", "and ways?")
    assert ranked(request) == (("bookings",), ("way",), True, 1)


def test_a_condition_on_groups_moves_with_them(studio: GrammarReader) -> None:
    request = after(studio, "Which towns have more than 300 bookings?", "and courses?")
    (bound,) = request.filters
    assert (request.dimensions, bound.by, bound.values) == (("course_id",), "course_id", (300,))


@pytest.mark.parametrize("fragment", ["how many bookings did it have?", "and its bookings?"])
def test_something_else_about_the_first(studio: GrammarReader, fragment: str) -> None:
    request = after(studio, "Which town had the highest amount?", fragment)
    assert ranked(request) == (("amount", "bookings"), ("town",), True, 1)


def test_the_next_place(studio: GrammarReader) -> None:
    request = after(studio, "Which town had the highest amount?", "and the second?")
    assert (request.limit, request.place) == (2, 2)
    assert after(studio, "Which town comes second by amount?", "just the top 3").place is None


def test_a_bound_without_a_measure(studio: GrammarReader) -> None:
    request = after(studio, "average amount by town", "only those above 70")
    (bound,) = request.filters
    assert (bound.field, bound.operator, bound.having) == (request.metrics[0], FilterOperator.GREATER, True)


def test_what_share_is_that(studio: GrammarReader) -> None:
    request = after(studio, "How many bookings came from Alderby in 2024?", "what share is that?")
    assert (request.kind, request.filters) == (K.SHARE, ())
    assert [f.values for f in request.part] == [("Alderby",)]


def test_the_rest(studio: GrammarReader) -> None:
    request = after(studio, "How many bookings came from Alderby?", "and the rest?")
    assert [(f.operator, f.values) for f in request.filters] == [(FilterOperator.NOT_EQUALS, ("Alderby",))]
    assert request.dimensions == ("town",)


def test_another_aggregation_of_the_same(studio: GrammarReader) -> None:
    request = after(studio, "average amount by town", "and the median?")
    assert (request.metrics, request.dimensions) == (("median(bookings.amount)",), ("town",))


def test_what_a_fragment_says_must_be_borne_too(studio: GrammarReader) -> None:
    previous = asked(studio, "How many bookings were there in 2024?")
    reading = studio.read("and the median?", today=TODAY, previous=request_of(previous, studio.model))
    assert reading.status is not ReadingStatus.CLEAR


# parts of a whole that are no conditions on rows


@pytest.mark.parametrize(
    ("question", "filters", "share"),
    [
        (
            "What share of 2024 amount came in December 2024?", 0,
            Share(days=TimeRange(start=date(2024, 12, 1), end=date(2024, 12, 31), granularity=TimeGranularity.MONTH)),
        ),
        ("What share of bookings were made on weekends?", 0, Share(recurring=("weekday", (5, 6)))),
        ("What percentage of Alderby bookings came on Mondays?", 1, Share(recurring=("weekday", (0,)))),
    ],
)  # fmt: skip
def test_the_time_behind_the_verb_makes_the_part(
    studio: GrammarReader, question: str, filters: int, share: Share
) -> None:
    request = asked(studio, question)
    assert (request.kind, request.share, request.part) == (K.SHARE, share, ())
    assert (len(request.filters), request.recurring) == (filters, None)


def test_a_state_behind_the_verb_makes_the_part_and_the_time_the_whole(studio: GrammarReader) -> None:
    request = asked(studio, "What percentage of bookings were cancelled in December 2024?")
    assert request.share == Share()
    assert request.time_range is not None and request.time_range.start == date(2024, 12, 1)


def test_a_share_of_things_counts_things(studio: GrammarReader) -> None:
    request = asked(studio, "What share of courses brought more than 4000 in amount?")
    (bound,) = request.part
    assert (request.kind, bound.having, bound.by) == (K.SHARE, True, "course_id")
    assert request.metrics[0] in {"courses", "count_distinct(bookings.course_id)"}


def test_a_share_of_days_counts_days(studio: GrammarReader) -> None:
    request = asked(studio, "What fraction of days had more than 3 bookings?")
    assert request.metrics == ("count(bookings per day > 3)",)
    assert request.share == Share(whole="count(bookings per day >= 0)")


def test_each_of_what_nobody_knows_is_not_answered_with_one_figure(studio: GrammarReader) -> None:
    reading = studio.read("How much amount did each teacher bring?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


def test_rows_of_another_table_that_are_not_there_are_no_other_rows(studio: GrammarReader) -> None:
    request = asked(studio, "Which courses had no phone bookings?")
    none = [f for f in request.filters if f.having]
    assert [(f.operator, f.values) for f in none] == [(FilterOperator.EQUALS, (0,))]
    assert [(f.operator, f.values) for f in request.filters if not f.having] == [
        (FilterOperator.EQUALS, ("phone",))
    ]


def test_lowest_first_turns_the_whole_order(studio: GrammarReader) -> None:
    request = after(studio, "Rank the towns by amount", "lowest first")
    assert ranked(request) == (("amount",), ("town",), False, None)


def test_a_state_before_the_verb_belongs_to_the_whole(studio: GrammarReader) -> None:
    request = asked(studio, "What share of cancelled bookings came on weekends?")
    assert request.share == Share(recurring=("weekday", (5, 6)))
    assert "cancelled" in request.metrics[0] or [f.field for f in request.filters] == ["cancelled"]


@pytest.mark.parametrize("question", ["way split by town in percent", "way mix by town"])
def test_a_split_is_of_rows_within_each_group(studio: GrammarReader, question: str) -> None:
    request = asked(studio, question)
    assert (request.kind, request.metrics, request.dimensions) == (K.SHARE, ("bookings",), ("town", "way"))
    assert request.share == Share(within="town")


@pytest.mark.parametrize("rest", ["and how many seats did it sell?", "and what was its amount?"])
def test_more_about_the_first_is_told_with_it(studio: GrammarReader, rest: str) -> None:
    reading = studio.read(f"Which town had the most bookings in 2024 {rest}", today=TODAY)
    (request,) = reading.parts
    assert request.metrics[0] == "bookings" and len(request.metrics) == 2
    assert (request.kind, request.dimensions, request.limit) == (K.RANKING, ("town",), 1)


def test_a_verb_before_a_number_bounds(studio: GrammarReader) -> None:
    request = asked(studio, "On how many days did the amount top 200?")
    assert request.metrics == ("count(amount per day > 200)",)


def test_what_does_not_come_from_somewhere_comes_from_elsewhere(studio: GrammarReader) -> None:
    request = asked(studio, "How many bookings did not come from Alderby?")
    assert [(f.operator, f.values) for f in request.filters] == [(FilterOperator.NOT_EQUALS, ("Alderby",))]


def test_the_same_groups_per_thing_or_as_shares_of_each(studio: GrammarReader) -> None:
    per = after(studio, "amount by town", "per booking")
    assert (per.metrics, per.dimensions) == (("amount / bookings",), ("town",))
    shares = after(studio, "bookings by town and way", "in percent within each town")
    assert (shares.kind, shares.dimensions, shares.share) == (
        K.SHARE,
        ("town", "way"),
        Share(within="town"),
    )


def test_how_many_there_are_of_what_was_listed(studio: GrammarReader) -> None:
    request = after(studio, "Which courses have more than 50 bookings?", "how many are there?")
    assert (request.kind, request.dimensions) == (K.LIST, ("course_id",))
    assert [f.values for f in request.filters] == [(50,)]


def test_rows_behind_by_are_what_groups_are_told_by(studio: GrammarReader) -> None:
    for question, metric, group in (
        ("towns by bookings", "bookings", "town"),
        ("courses by visits", "visits", "course_id"),
        ("bookings by courses", "bookings", "course_id"),
    ):
        request = asked(studio, question)
        assert (request.metrics, request.dimensions) == ((metric,), (group,)), question


def test_a_coefficient_for_each_group_is_not_one_over_groups(studio: GrammarReader) -> None:
    request = asked(studio, "Does the amount correlate with the seats in every town?")
    assert (request.columns, request.dimensions) == (("amount", "seats"), ("town",))


def test_what_stands_before_the_share_is_the_whole(studio: GrammarReader) -> None:
    request = asked(studio, "Of the bookings that were cancelled, what proportion came from Alderby?")
    assert [f.field for f in request.filters] == ["cancelled"]
    assert [f.values for f in request.part] == [("Alderby",)]


def test_a_group_that_is_only_described_is_not_dropped(studio: GrammarReader) -> None:
    reading = studio.read("number of bookings by town and by who taught them", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


def test_a_value_that_is_counted_itself_is_no_condition_for_the_next_part(studio: GrammarReader) -> None:
    reading = studio.read(
        "How many Alderby were there in 2024, and what was the highest amount that year?", today=TODAY
    )
    assert [len(r.filters) for r in reading.parts] == [1, 0]


def test_one_kind_of_thing_by_another_counts_the_rows_of_each(studio: GrammarReader) -> None:
    request = asked(studio, "way split by year")
    assert (request.metrics, request.dimensions, str(request.grain)) == (("bookings",), ("way",), "year")


def test_parts_of_an_average_make_up_nothing(studio: GrammarReader) -> None:
    reading = studio.read("How much of the average minutes does each course have, in percent?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR
