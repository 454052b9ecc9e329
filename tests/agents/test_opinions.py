"""A model's query and the local reading beside it: what agrees is stated, what differs is offered, what fails changes nothing."""

import datetime as dt
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.agents.offers import as_agreed
from gnomon.agents.opinions import Opinions, agree
from gnomon.core import Settings
from gnomon.core import algebra as al
from gnomon.core.answer import Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import CalculationError
from gnomon.core.parts import Parts, QuestionKind
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of
from gnomon.semantic.model import SemanticModel

ASK = al.Query(
    rows=al.Rows(table="t"), measures=(al.Shown(name="rows", measure=al.Aggregate(how=al.How.COUNT)),)
)
CLEAR = Reading(
    status=ReadingStatus.CLEAR,
    requests=requests_of(
        [Parts(question="how many", kind=QuestionKind.VALUE, metrics=("rows",))], SemanticModel()
    ),
)
UNCLEAR = Reading(status=ReadingStatus.PARTIAL, missing=("x",), message="There is no “x”.")


@dataclass
class Computes:
    """Gives one answer to every query, or fails."""

    answer_: Answer | Exception

    def answer(self, *_: Any, **__: Any) -> Answer:
        if isinstance(self.answer_, Exception):
            raise self.answer_
        return self.answer_


def told(value: float) -> Answer:
    fact = Fact(name="rows", value=value, step="s")
    return Answer(status=AnswerStatus.ANSWERED, prose=f"{value:g} rows.\n\nRead as: rows.", facts=(fact,))


def settled(
    queried: Answer | Exception,
    local: Reading,
    plain: Answer,
    *,
    earned: bool = False,
    missing: tuple[str, ...] = (),
    unsure: bool = False,
    ask: al.Query = ASK,
) -> Answer:
    reading = Reading(
        status=ReadingStatus.CLEAR,
        requests=CLEAR.requests,
        second=CLEAR,
        ask=ask,
        local=local,
        missing=missing,
        unsure=unsure,
    )
    opinions = Opinions(Computes(queried), lambda: earned)  # pyright: ignore[reportArgumentType]
    return opinions.settled(reading, lambda _: plain, None)


@pytest.mark.parametrize("local", [CLEAR, UNCLEAR])
@pytest.mark.parametrize("earned", [True, False])
def test_what_agrees_is_stated_and_what_differs_is_offered(local: Reading, earned: bool) -> None:
    assert settled(told(7), local, told(7), earned=earned).status is AnswerStatus.ANSWERED
    both = settled(told(7), local, told(8), earned=earned)
    assert both.status is AnswerStatus.CLARIFY and "7 rows" in both.prose and "8 rows" in both.prose


def test_a_query_that_cannot_run_leaves_a_clear_reading_as_it_is() -> None:
    fails = CalculationError("it cannot be computed")
    assert settled(fails, CLEAR, told(8)).facts[0].value == 8
    assert settled(fails, UNCLEAR, told(8)).status is AnswerStatus.OUT_OF_SCOPE


def test_a_query_that_leaves_out_what_is_missing_is_offered_whoever_wrote_it() -> None:
    found = settled(told(7), UNCLEAR, told(7), earned=True, missing=("carbon footprint",))
    assert found.status is AnswerStatus.CLARIFY and "7 rows" in found.prose


def figures(*values: float, cells: tuple[float, ...] = ()) -> Answer:
    facts = tuple(Fact(name=f"f{i}", value=v, step="s") for i, v in enumerate(values))
    table = ResultTable(name="t", columns=("n",), rows=tuple((c,) for c in cells))
    return Answer(status=AnswerStatus.ANSWERED, prose="so.", facts=facts, tables=(table,) if cells else ())


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (figures(-5.575608), figures(-5.575608, 30293.8, 32082.6, -1788.8, 6), True),
        (figures(103, 50, 103, 91, 50), figures(3, cells=(103, 91, 50)), True),
        (figures(3), figures(41, 3, 87, 12, 9, 55), False),
        (figures(0.5), figures(0.5, 12, 24, 7), False),
        (figures(25181.0, 25822.5), figures(25181.0, 25822.5, -641.5, -2.5, 25266.0, -0.3), True),
        (figures(25181.0, 25822.5), figures(25181.0, 7.25), False),
    ],
)
def test_answers_agree_where_one_tells_what_the_other_does_and_not_by_chance(
    one: Answer, other: Answer, alike: bool
) -> None:
    assert agree(one, other) is agree(other, one) is alike


def names(*values: str) -> Answer:
    table = ResultTable(name="t", columns=("name",), rows=tuple((v,) for v in values))
    return Answer(status=AnswerStatus.ANSWERED, prose="so.", facts=(), tables=(table,))


def test_answers_without_figures_agree_by_the_names_and_days_that_they_tell() -> None:
    day = Answer(
        status=AnswerStatus.ANSWERED,
        prose="so.",
        facts=(Fact(name="d", value=dt.date(2010, 5, 22), step="s"),),
    )
    moment = day.model_copy(update={"facts": (Fact(name="d", value=dt.datetime(2010, 5, 22), step="s"),)})
    assert agree(names("Ada", "Bo"), names("bo", "Ada")) and agree(day, moment)
    assert not agree(names("Ada", "Bo"), names("Ada", "Bo", "Cy")) and not agree(names("Ada"), day)
    assert not agree(names("Ada"), told(1)) and not agree(names(), names())


def test_a_guess_is_no_opinion_against_a_query_of_a_model_that_is_believed() -> None:
    assert settled(told(7), UNCLEAR, told(8), earned=True, unsure=True).facts[0].value == 7
    assert settled(told(7), UNCLEAR, told(8), unsure=True).status is AnswerStatus.CLARIFY
    assert settled(told(7), CLEAR, told(8), earned=True, unsure=True).status is AnswerStatus.CLARIFY


def test_one_figure_of_all_rows_is_no_opinion_about_groups() -> None:
    by = ASK.model_copy(update={"keys": (al.Key(of=al.Column(table="t", column="town")),)})
    assert settled(told(7), UNCLEAR, told(8), earned=True, ask=by).facts[0].value == 7
    assert settled(told(7), UNCLEAR, told(8), ask=by).status is AnswerStatus.CLARIFY
    assert settled(told(7), CLEAR, told(8), earned=True, ask=by).status is AnswerStatus.CLARIFY


def test_rows_that_a_query_lists_are_told_rather_than_how_many_they_are() -> None:
    listing = al.Query(rows=al.Rows(table="t"), show=(al.Key(of=al.Column(table="t", column="name")),))
    rows = tuple((f"N{i}",) for i in range(12))
    fact = Fact(name="names.count", value=12, step="s")
    table = ResultTable(name="names", columns=("name",), rows=rows)
    listed = Answer(status=AnswerStatus.ANSWERED, prose="There are 12.", facts=(fact,), tables=(table,))
    assert settled(listed, UNCLEAR, told(12), ask=listing, earned=True) is listed
    assert settled(listed, UNCLEAR, told(12), ask=listing, earned=False) is not listed


def test_what_differs_can_be_picked_by_number_and_the_tree_stays_with_it() -> None:
    both = settled(told(7), UNCLEAR, told(8))
    assert [o.facts[0].value for o in both.options] == [7, 8]
    queried, plain = both.options
    assert queried.question != plain.question and f"1. {queried.said}: 7 rows." in both.prose
    agreed = [as_agreed(o) for o in both.options]
    assert agreed[0] is not None and agreed[0].ask == ASK and agreed[0].own
    assert agreed[1] is not None and agreed[1].ask is None and agreed[1].requests == CLEAR.requests
    alone = settled(told(7), UNCLEAR, told(7), earned=True, missing=("carbon footprint",))
    assert [(o.leaves, o.ask) for o in alone.options] == [(("carbon footprint",), ASK)]


@pytest.mark.parametrize("place", [0, 1])
def test_an_opinion_that_was_picked_is_answered_and_not_offered_again(place: int, tmp_path: Path) -> None:
    pd.DataFrame({"berth": ["A", "B", "A"], "fee": [10.0, 20.0, 40.0]}).to_csv(tmp_path / "moorings.csv")
    settings = Settings(home=tmp_path / "home")
    with gnomon.open(tmp_path / "moorings.csv", settings=settings) as analyst:
        fee = al.Aggregate(how=al.How.SUM, of=al.Column(table="moorings", column="fee"))
        tree = al.Query(rows=al.Rows(table="moorings"), measures=(al.Shown(name="fees", measure=fee),))
        local = analyst.manager.reader.read("average fee", today=date(2025, 1, 1))
        reading = Reading(
            status=ReadingStatus.CLEAR, ask=tree, requests=local.requests, second=local, local=UNCLEAR, restated="average fee",
            privacy="schema",
        )  # fmt: skip
        presenter: Any = analyst.manager._presenter  # pyright: ignore[reportPrivateUsage]
        answering = presenter._answering()
        presenter._opinions = Opinions(answering, lambda: False)
        talk = analyst.conversation()
        offered = talk.ask("the berths' money", agreed=reading)
        assert offered.status is AnswerStatus.CLARIFY and len(offered.options) == 2, offered.prose
        wanted = (70.0, pytest.approx(70 / 3))[place]
        assert talk.ask(str(place + 1)).facts[0].value == wanted
        picked = analyst.pick(offered.options[place])
        assert picked.status is AnswerStatus.ANSWERED and picked.facts[0].value == wanted
        assert "a language model was asked" in picked.prose
