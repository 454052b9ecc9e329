"""A study that a model asks for becomes the request of a question in the data's own words, or an objection, or an offer."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.models import override_allow_model_requests
from tests.planning.fake_models import COLUMNS, TODAY, VALUES, Fake, parcels, query_of, reader_of

from gnomon.core import algebra as al
from gnomon.core.operations import Verb
from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.core.query import TimeRange
from gnomon.planning.model_reader.select import Objections, read_select
from gnomon.planning.model_reader.studies import KINDS, studied
from gnomon.planning.reading import ReadingStatus

WHY = "what lies behind the plunge in outlay for Quillborough in 2024"
FIGURE = (
    "SELECT SUM(postage) FROM parcels WHERE town = :VALUE1 AND sent_on BETWEEN :TIME2_START AND :TIME2_END"
)
FIGURES = {
    "SUM(postage)": "postage",
    "AVG(weight)": "weight",
    "COUNT(*)": "parcels",
    "MAX(postage)": "max(parcels.postage)",
    "SUM(postage) / COUNT(*)": "postage / parcels",
    "COUNT(DISTINCT depot)": "count_distinct(parcels.depot)",
}


@pytest.fixture(autouse=True)
def _no_live_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield


@given(
    figure=st.sampled_from(sorted(FIGURES)),
    verb=st.sampled_from(sorted(KINDS)),
    towns=st.lists(st.sampled_from(VALUES["town"]), max_size=2, unique=True),
    days=st.none() | st.tuples(st.dates(date(2023, 1, 1), date(2024, 6, 1)), st.integers(0, 200)),
    inclusive=st.booleans(),
)
def test_figures_conditions_and_days_of_a_study_are_kept(
    figure: str, verb: Verb, towns: list[str], days: tuple[date, int] | None, inclusive: bool
) -> None:
    where: list[str] = []
    if len(towns) == 1:
        where.append(f"town = '{towns[0]}'")
    elif towns:
        where.append(f"town IN ('{towns[0]}', '{towns[1]}')")
    if days is not None:
        start, end = days[0], days[0] + timedelta(days=days[1])
        after = end + timedelta(days=1)
        last = f"sent_on <= DATE '{end}'" if inclusive else f"sent_on < DATE '{after}'"
        where += [f"sent_on >= DATE '{start}'", last]
    sql = f"SELECT {figure} FROM parcels" + (f" WHERE {' AND '.join(where)}" if where else "")
    query = read_select(sql, parcels(), COLUMNS).ask
    assert isinstance(query, al.Query)
    made = studied(al.Study(verb=verb, query=query), parcels(), "…")
    assert made.kind is KINDS[verb] and made.metrics == (FIGURES[figure],)
    assert parcels().metric(made.metrics[0])
    assert {v for f in made.filters for v in f.values} == set(towns)
    span = made.time_range
    assert (span and (span.start, span.end)) == (days and (days[0], days[0] + timedelta(days=days[1])))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT town, SUM(postage) FROM parcels GROUP BY town",
        "SELECT postage FROM parcels",
        "SELECT SUM(postage), COUNT(*) FROM parcels",
        "SELECT SUM(postage * 2) FROM parcels",
        "SELECT SUM(postage) FILTER (WHERE damaged) FROM parcels",
        "SELECT SUM(postage) FROM parcels WHERE town = 'Marvik' OR service = 'Express'",
        "SELECT SUM(postage) FROM parcels WHERE postage > weight",
        "SELECT SUM(postage) FROM parcels WHERE sent_on >= DATE '2024-03-01' AND sent_on < DATE '2024-02-01'",
    ],
)
def test_what_is_no_plain_figure_is_objected_to(sql: str) -> None:
    query = read_select(sql, parcels(), COLUMNS).ask
    assert isinstance(query, al.Query)
    with pytest.raises(Objections):
        studied(al.Study(verb=Verb.DRIVERS, query=query), parcels(), "…")


def test_a_joined_condition_is_kept_and_the_join_itself_is_none() -> None:
    sql = "SELECT COUNT(*) FROM parcels JOIN depots ON parcels.depot = depots.depot WHERE depots.staff > 3"
    query = read_select(sql, parcels(), COLUMNS).ask
    assert isinstance(query, al.Query)
    (condition,) = studied(al.Study(verb=Verb.FORECAST, query=query), parcels(), "…").filters
    assert (condition.field, condition.operator, condition.values) == ("staff", FilterOperator.GREATER, (3,))


def test_a_study_that_the_local_reader_takes_for_the_same_one_is_read() -> None:
    said = query_of(FIGURE, "why did postage for VALUE1 fall in TIME2?", ignored=("plunge",), study="drivers")
    fake = Fake([said])
    found = reader_of(fake).read(WHY, today=TODAY)
    assert found.status is ReadingStatus.CLEAR and found.ask is None
    (request,) = found.parts
    assert request.kind is QuestionKind.CAUSE and request.metrics == ("postage",)
    assert request.time_range == TimeRange(start=date(2024, 1, 1), end=date(2024, 12, 31), granularity="year")  # pyright: ignore[reportArgumentType]
    assert [f.values for f in request.filters] == [("Quillborough",)]
    assert any("why did postage for Quillborough fall in 2024" in n for n in found.notes)
    assert "Quillborough" not in fake.sent[0]


@pytest.mark.parametrize("earned", [False, True])
def test_a_study_of_another_figure_than_the_restated_one_is_offered_unless_the_model_has_earned_it(
    earned: bool,
) -> None:
    said = query_of(FIGURE, "why did weight for VALUE1 fall in TIME2?", study="drivers")
    found = reader_of(Fake([said]), earned=earned).read(WHY, today=TODAY)
    if earned:
        assert found.status is ReadingStatus.CLEAR and found.parts[0].metrics == ("postage",)
    else:
        assert found.status is ReadingStatus.AMBIGUOUS and not found.parts
        assert found.options == ("why did weight for Quillborough fall in 2024?",)


def test_a_study_without_something_that_was_asked_for_leaves_the_local_reading() -> None:
    said = query_of(FIGURE, "why did postage for VALUE1 fall in TIME2?", missing=("plunge",), study="drivers")
    found = reader_of(Fake([said]), earned=True).read(WHY, today=TODAY)
    assert found.status is not ReadingStatus.CLEAR


def test_objections_to_a_study_go_back_and_a_better_one_is_taken() -> None:
    grouped = query_of("SELECT town, SUM(postage) FROM parcels GROUP BY town", "why", study="drivers")
    better = query_of(FIGURE, "why did postage for VALUE1 fall in TIME2?", study="drivers")
    fake = Fake([grouped, better])
    found = reader_of(fake).read(WHY, today=TODAY)
    assert found.status is ReadingStatus.CLEAR and len(fake.sent) == 2
    assert "without groups" in fake.sent[1]
