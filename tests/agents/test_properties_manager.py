"""The laws of the manager, one test or more for each numbered property of the specification that concerns it."""

import threading
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.agents.managed import (
    PATIENCE,
    TODAY,
    Choosing,
    Passing,
    Worker,
    real_gate,
    real_router,
    store,
    until_stopped,
)

from gnomon.agents.outcome import respond
from gnomon.agents.settling import settled_route
from gnomon.core.answer import About, Answer, AnswerStatus, Fact
from gnomon.core.errors import Cancelled
from gnomon.core.query import AgentType
from gnomon.language import load_negatives
from gnomon.language.time_grammar import find_times
from gnomon.planning.augment import QueryAugmenter
from gnomon.planning.reading import Reading

# A failing example is shown as it was found: making it smaller would wait for stuck threads again and again.
LAWS = settings(max_examples=100, deadline=None, phases=(Phase.explicit, Phase.generate))
TODAYS = st.dates(date(2019, 1, 1), date(2030, 12, 31))
LATER = st.integers(1, 900)

CHATTER = [n.text for n in load_negatives()]
ASKED = st.builds(
    "{} {} {}".format,
    st.sampled_from(["total revenue", "revenue by region", "how many orders", "top 2 regions by units", "average revenue per channel"]),
    st.sampled_from(["last month", "in March", "since June", "in the last 30 days", "in 2023", "", "last week", "this year"]),
    st.sampled_from(["", "for the web channel", "in the North region"]),
)  # fmt: skip
WHY = st.builds(
    "why did {} {} {}?".format,
    st.sampled_from(["revenue", "units"]),
    st.sampled_from(["fall", "rise", "drop"]),
    st.sampled_from(["last month", "in October 2024", "last week", "in Q2"]),
)


def answered(reading: Reading, **_: Any) -> Answer:
    """An answer without numbers."""
    return Answer(status=AnswerStatus.ANSWERED, prose="Done.", request=reading.requests[0])


# Feature: insight-agents-system, Property 3: OOD Query Rejection
@pytest.mark.long
@LAWS
@given(text=st.sampled_from(CHATTER), end=st.sampled_from(["", ".", "?", " please", " thanks"]))
def test_what_the_gate_rejects_gets_an_explanation_and_nothing_of_a_worker(text: str, end: str) -> None:
    s = store()
    presenter, insight = Worker(s.presenter.present), Worker(s.explaining.explain)
    manager = s.manager(gate=real_gate(), router=real_router(), presenter=presenter, insight=insight)
    outcome = manager.process(text + end, today=TODAY)
    rejected = outcome.domain is not None and outcome.domain.is_out_of_domain
    assert (outcome.answer.status is AnswerStatus.OUT_OF_DOMAIN) == (rejected or outcome.domain is None)
    if not rejected:
        return
    response = respond(outcome)
    assert outcome.agent is None and response.metadata.agent_type is None
    assert response.metadata.api_calls_count == 0
    assert "I answer questions about the tables that are open here." in outcome.answer.prose
    assert (outcome.answer.facts, outcome.answer.tables, outcome.answer.plan) == ((), (), None)
    # A worker begins beside the gate and may be done before it: what it found is thrown away.
    assert all(outcome.answer is not found for found in (*presenter.seen.answers, *insight.seen.answers))


# Feature: insight-agents-system, Property 3: OOD Query Rejection
def test_a_query_that_runs_for_a_rejected_question_is_interrupted() -> None:
    s = store()
    slow, backend = s.slow_presenter()
    watched = Worker(slow.present)
    seen = backend.running

    class Late(Passing):
        def judge(self, question: str) -> Any:
            assert seen.wait(PATIENCE), "the worker does not start before the gate has judged"
            return super().judge(question)

    manager = s.manager(gate=Late(rejects=True, reason="This is no question."), presenter=watched)
    outcome = manager.process("list regions", today=TODAY)
    assert watched.seen.ended.wait(PATIENCE) and backend.ended.wait(PATIENCE), "the query runs on"
    assert outcome.answer.status is AnswerStatus.OUT_OF_DOMAIN
    assert outcome.answer.prose.startswith("This is no question.")
    assert outcome.answer.facts == () and outcome.answer.tables == ()
    assert [type(e) for e in watched.seen.errors] == [Cancelled] and watched.seen.answers == []
    assert isinstance(backend.error, Cancelled)


# Feature: insight-agents-system, Property 6: Parallel Manager Execution
@pytest.mark.long
@LAWS
@given(text=ASKED)
def test_gate_and_router_run_side_by_side_and_both_are_heard(text: str) -> None:
    met = threading.Barrier(2, timeout=PATIENCE)

    class Meeting(Passing):
        def judge(self, question: str) -> Any:
            met.wait()
            return super().judge(question)

    router = Choosing(AgentType.DATA_PRESENTER, after=met.wait)
    quick = Worker(answered)
    manager = store().manager(gate=Meeting(), router=router, presenter=quick, insight=quick)
    outcome = manager.process(text, today=TODAY)
    assert not met.broken
    assert outcome.domain == Passing().judge(text)
    assert outcome.routing is not None and {"gate", "router"} <= set(outcome.latency)


def days_of(words: str, today: date) -> tuple[date, date]:
    """What a mention of time means, worked out anew."""
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    before = first - timedelta(days=1)
    after = (first + timedelta(days=32)).replace(day=1)
    return {
        "today": (today, today),
        "yesterday": (today - timedelta(days=1), today - timedelta(days=1)),
        "this week": (monday, monday + timedelta(days=6)),
        "last week": (monday - timedelta(days=7), monday - timedelta(days=1)),
        "this month": (first, after - timedelta(days=1)),
        "last month": (before.replace(day=1), before),
        "last year": (date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
        "the last 10 days": (today - timedelta(days=9), today),
        "the last 2 weeks": (monday - timedelta(days=14), monday - timedelta(days=1)),
    }[words]


TIMES = st.sampled_from(
    [
        "today",
        "yesterday",
        "this week",
        "last week",
        "this month",
        "last month",
        "last year",
        "the last 10 days",
    ]
    + ["the last 2 weeks"]
)


# Feature: insight-agents-system, Property 12: Query Augmentation with Temporal Context
@settings(LAWS, max_examples=200)
@given(words=TIMES, today=TODAYS, later=LATER, stem=st.sampled_from(["revenue in {}", "{}: units by region"]))
def test_times_are_spelt_out_with_the_calendar_they_were_read_with(
    words: str, today: date, later: int, stem: str
) -> None:
    found = QueryAugmenter().augment(stem.format(words), today)
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    last = (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    calendar = found.context
    assert (calendar.today, calendar.week_start, calendar.week_end) == (
        today,
        monday,
        monday + timedelta(days=6),
    )
    assert (calendar.month_start, calendar.month_end) == (first, last)
    assert found.relative and words not in found.augmented
    (mention,) = find_times(found.augmented, today + timedelta(days=later))
    assert mention.period is not None
    assert (mention.period.start, mention.period.end) == days_of(words, today)


QUESTIONS = [
    "revenue {}", "total revenue by region {}", "average revenue per channel {}", "how many orders were there {}",
    "top 2 regions by units {}", "monthly revenue {}", "share of web in revenue {}", "compare revenue in North and South {}",
    "orders with revenue over 50 {}", "why did revenue fall {}", "which channel sold the fewest units {}",
]  # fmt: skip
WHENS = [
    "last month", "this week", "yesterday", "in the last 30 days", "since March", "year to date", "in March", "last year",
    "last month vs the month before", "last week compared to the same week last year", "over the past 3 months", "in Q2",
    "until yesterday", "from March to May", "in the previous quarter", "from last month to this month", "today",
    "in the last 2 weeks", "before last month", "since last week", "this month compared with last month", "3 days ago",
    "in 2023", "", "between 2023-03-05 and 2023-04-02", "on 4 July 2024", "year over year this month",
]  # fmt: skip


def meaning(reading: Reading) -> tuple[Any, ...]:
    """A reading without the words it was made from."""
    return reading.status, [r.model_dump(exclude={"question", "confidence"}) for r in reading.parts]


# Feature: insight-agents-system, Property 13: Query Augmentation Preserves Intent
@pytest.mark.long
@settings(LAWS, max_examples=200)
@given(question=st.sampled_from(QUESTIONS), when=st.sampled_from(WHENS), today=TODAYS)
def test_the_augmented_words_read_to_the_same_request(question: str, when: str, today: date) -> None:
    read = store().reader.read
    text = question.format(when)
    found = QueryAugmenter().augment(text, today)
    assert found.original == text
    assert meaning(read(found.augmented, today=today)) == meaning(read(text, today=today))
    if not found.relative:
        assert found.augmented == text


# Feature: insight-agents-system, Property 14: Augmented Query Usage
@pytest.mark.long
@LAWS
@given(text=ASKED | WHY, today=st.dates(date(2024, 1, 1), date(2024, 11, 30)))
def test_the_worker_is_given_the_augmented_question(text: str, today: date) -> None:
    s = store()
    presenter, insight = Worker(answered), Worker(answered)
    agent = AgentType.INSIGHT_GENERATOR if text.startswith("why") else AgentType.DATA_PRESENTER
    manager = s.manager(presenter=presenter, insight=insight, router=Choosing(agent))
    outcome = manager.process(text, today=today)
    chosen = insight if agent is AgentType.INSIGHT_GENERATOR else presenter
    assert outcome.agent is agent
    (query,) = chosen.seen.queries
    expected = QueryAugmenter().augment(text, today)
    assert query == expected == outcome.augmented
    assert (query.augmented != text) == (
        "last" in text or "March" in text or "June" in text or "this" in text or "Q2" in text
    )


# Feature: insight-agents-system, Property 30: Parallel Worker Execution with Early Termination
@pytest.mark.long
@LAWS
@given(text=ASKED | WHY)
def test_both_workers_start_and_the_one_not_chosen_is_stopped(text: str) -> None:
    s = store()
    reading = s.reader.read(text, today=TODAY)
    route = settled_route(real_router().route(text), reading)
    presents = route.agent_type is AgentType.DATA_PRESENTER

    def last(reading: Reading, **given: Any) -> Answer:
        assert loser.seen.ended.wait(PATIENCE), "the other worker is not stopped before this one ends"
        return answered(reading, **given)

    winner, loser = Worker(last), Worker(until_stopped)
    presenter, insight = (winner, loser) if presents else (loser, winner)

    class Patient:
        def route(self, query: str) -> Any:
            assert presenter.seen.started.wait(PATIENCE) and insight.seen.started.wait(PATIENCE)
            return real_router().route(query)

    outcome = s.manager(presenter=presenter, insight=insight, router=Patient()).process(text, today=TODAY)
    assert outcome.routing == route and outcome.agent is route.agent_type
    assert (outcome.answer.status, outcome.answer.prose) == (AnswerStatus.ANSWERED, "Done.")
    assert len(winner.seen.answers) == 1
    assert loser.seen.answers == [] and [type(e) for e in loser.seen.errors] == [Cancelled]


# Feature: insight-agents-system, Property 30: Parallel Worker Execution with Early Termination
@pytest.mark.parametrize("loses", list(AgentType))
def test_the_running_query_of_the_losing_worker_is_interrupted(loses: AgentType) -> None:
    s = store()
    slow, backend = s.slow_presenter()
    presents = loses is AgentType.DATA_PRESENTER
    loser = Worker(slow.present if presents else s.insight(backend).explain)
    workers: dict[str, Any] = {"presenter": loser} if presents else {"insight": loser}
    wins = AgentType.INSIGHT_GENERATOR if presents else AgentType.DATA_PRESENTER

    def until_it_runs() -> None:
        assert backend.running.wait(PATIENCE), "the losing worker does not start at arrival"

    manager = s.manager(**workers, router=Choosing(wins, after=until_it_runs))
    outcome = manager.process("total revenue in October 2024", today=TODAY)
    assert loser.seen.ended.wait(PATIENCE) and backend.ended.wait(PATIENCE), "the losing query runs on"
    assert isinstance(backend.error, Cancelled)
    assert [type(e) for e in loser.seen.errors] == [Cancelled] and loser.seen.answers == []
    assert outcome.agent is wins and outcome.answer.status is AnswerStatus.ANSWERED
    month = s.orders["order_date"].between(date(2024, 10, 1), date(2024, 10, 31))
    assert outcome.answer.facts[0].value == pytest.approx(s.orders.loc[month, "revenue"].sum())


EMAILS = st.from_regex(r"[a-z]{3,8}\.[a-z]{3,8}@[a-z]{3,9}\.(com|org|net)", fullmatch=True)
ABUSE = st.sampled_from(
    ["You are a stupid idiot.", "What a worthless moron!", "Shut up, you pathetic loser!"]
)
POLICY = st.sampled_from(["You should buy shares of this company.", "The password: Tr0ub4dor&3 is needed."])
REVENUE = Fact(name="revenue", value=1240, about=About(metric="revenue"), step="s1")


def told(prose: str) -> Worker:
    """A worker that says just this."""
    return Worker(lambda reading, **_: Answer(status=AnswerStatus.ANSWERED, prose=prose, facts=(REVENUE,)))


# Feature: insight-agents-system, Property 32: Guardrails Application
@LAWS
@given(value=st.integers(100, 10**6), agent=st.sampled_from(list(AgentType)))
def test_every_answer_of_a_worker_passes_the_guardrails(value: int, agent: AgentType) -> None:
    worker = told(f"Revenue was {value:,}.")
    manager = store().manager(presenter=worker, insight=worker, router=Choosing(agent))
    outcome = manager.process("total revenue", today=TODAY)
    assert outcome.agent is agent and "guard" in outcome.latency
    bound = value == REVENUE.value
    assert outcome.answer.prose == (f"Revenue was {value:,}." if bound else "Revenue: 1,240")


# Feature: insight-agents-system, Property 33: Guardrails Enforcement
@LAWS
@given(email=EMAILS, bad=ABUSE | POLICY | st.just(""), agent=st.sampled_from(list(AgentType)))
def test_what_may_not_be_said_never_reaches_the_asker(email: str, bad: str, agent: AgentType) -> None:
    worker = told(f"Revenue was 1,240. Ask {email} about it. {bad}".strip())
    manager = store().manager(presenter=worker, insight=worker, router=Choosing(agent))
    response = respond(manager.process("total revenue", today=TODAY))
    assert email not in response.model_dump_json()
    if bad:
        assert bad not in response.model_dump_json()
    else:
        assert response.success and response.content == "Revenue was 1,240. Ask [email] about it."
