"""Conversations: what a fragment keeps of the question before, what it changes, and what a new question forgets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst, Conversation
from gnomon.core.answer import Answer, AnswerStatus


def _sales() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    count = 900
    return pd.DataFrame(
        {
            "sale_id": np.arange(count),
            "date": pd.date_range("2022-01-01", "2024-12-31", periods=count).normalize(),
            "region": rng.choice(["North", "South", "East", "West"], count, p=[0.4, 0.3, 0.2, 0.1]),
            "product": rng.choice(["Lamp", "Chair", "Desk", "Sofa"], count, p=[0.4, 0.3, 0.2, 0.1]),
            "quantity": rng.integers(1, 9, count),
            "amount": rng.gamma(2, 40, count).round(2),
        }
    )


FRAME = _sales()


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    file: Path = tmp_path_factory.mktemp("talk") / "sales.csv"
    FRAME.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        yield opened


@pytest.fixture
def talk(analyst: Analyst) -> Conversation:
    return analyst.conversation()


def _rows(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL), answer.prose
    return [tuple(row) for row in answer.tables[0].rows]


def _value(answer: Answer) -> Any:
    assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL), answer.prose
    return answer.facts[0].value


def _of(year: int, **values: str) -> pd.DataFrame:
    frame = FRAME[FRAME["date"].dt.year == year]
    for column, value in values.items():
        frame = frame[frame[column] == value]
    return frame


def test_a_month_without_a_year_is_that_of_the_year_before_it_in_the_conversation(talk: Conversation) -> None:
    talk.ask("total amount in March 2023")
    told = _of(2023)[lambda f: f["date"].dt.month == 4]["amount"].sum()
    assert _value(talk.ask("and in April?")) == pytest.approx(told)


def test_a_breakdown_by_the_column_that_was_narrowed_shows_all_of_its_groups(talk: Conversation) -> None:
    talk.ask("total amount in the West in 2023")
    told = _of(2023).groupby("region")["amount"].sum()
    assert dict(_rows(talk.ask("and by region?"))) == pytest.approx(told.to_dict())


def test_a_ranking_without_a_measure_goes_by_what_was_measured_before(talk: Conversation) -> None:
    talk.ask("total quantity by month in 2023 in the North")
    months = _of(2023, region="North").groupby(lambda i: FRAME["date"][i].month)["quantity"].sum()
    row = _rows(talk.ask("which month was the best?"))[0]
    assert (row[0].month, row[1]) == (months.idxmax(), months.max())


def test_the_order_and_the_number_of_groups_change_and_nothing_else_does(talk: Conversation) -> None:
    talk.ask("average amount by product in 2024")
    told = _of(2024).groupby("product")["amount"].mean().sort_values()
    assert [r[0] for r in _rows(talk.ask("sort ascending"))] == list(told.index)
    assert [r[0] for r in _rows(talk.ask("just the first two"))] == list(told.index[:2])
    assert [r[0] for r in _rows(talk.ask("all of them"))] == list(told.index)
    assert _rows(talk.ask("who is second?"))[0][0] == told.index[1]
    assert _rows(talk.ask("and the next one?"))[0][0] == told.index[2]
    assert [r[0] for r in _rows(talk.ask("all of them"))] == list(told.index)
    assert [r[0] for r in _rows(talk.ask("the other way round"))] == list(told.index[::-1])


def test_conditions_are_taken_back_by_name_or_the_last_one_first(talk: Conversation) -> None:
    talk.ask("How many sales of lamps were there in the North in 2023?")
    assert _value(talk.ask("for all regions")) == len(_of(2023, product="Lamp"))
    assert _value(talk.ask("remove that filter")) == len(_of(2023))
    assert _value(talk.ask("drop the year")) == len(FRAME)


def test_values_join_a_list_and_leave_it(talk: Conversation) -> None:
    talk.ask("total quantity by product")
    told = FRAME.groupby("product")["quantity"].sum().to_dict()
    talk.ask("just Lamp and Desk")
    assert dict(_rows(talk.ask("add Sofa"))) == {k: told[k] for k in ("Lamp", "Desk", "Sofa")}
    assert dict(_rows(talk.ask("remove Desk"))) == {k: told[k] for k in ("Lamp", "Sofa")}


def test_what_is_left_out_adds_up(talk: Conversation) -> None:
    talk.ask("total quantity by product")
    told = FRAME.groupby("product")["quantity"].sum().to_dict()
    talk.ask("exclude Lamp")
    assert dict(_rows(talk.ask("exclude Sofa"))) == {k: told[k] for k in ("Chair", "Desk")}


def test_beside_what_was_asked_not_instead_of_it(talk: Conversation) -> None:
    talk.ask("total amount in Q2 2023")
    quarters = FRAME.groupby(FRAME["date"].dt.to_period("Q"))["amount"].sum()
    facts = {f.name.rpartition(".")[2]: f.value for f in talk.ask("how does that compare to Q1?").facts}
    assert facts["current"] == pytest.approx(quarters["2023Q2"])
    assert facts["previous"] == pytest.approx(quarters["2023Q1"])
    talk.ask("total amount in the North in 2023")
    told = _of(2023).groupby("region")["amount"].sum()
    compared = dict(_rows(talk.ask("compare that to the South")))
    assert compared == pytest.approx(told[["North", "South"]].to_dict())
    assert _rows(talk.ask("which is higher?"))[0][0] == told[["North", "South"]].idxmax()


def test_another_measure_is_aggregated_alike(talk: Conversation) -> None:
    talk.ask("maximum amount in the South")
    assert _value(talk.ask("what about quantity?")) == FRAME[FRAME["region"] == "South"]["quantity"].max()


def test_what_stands_at_an_end_can_be_asked_about(talk: Conversation) -> None:
    talk.ask("What was the highest amount in 2023?")
    top = _of(2023).nlargest(1, "amount").iloc[0]
    assert _rows(talk.ask("which product was it?"))[0] == (top["product"], top["amount"])
    assert pd.Timestamp(_rows(talk.ask("when was that?"))[0][0]) == top["date"]


def test_a_noun_behind_a_condition_is_not_the_new_measure(talk: Conversation) -> None:
    talk.ask("average amount by region")
    told = FRAME[FRAME["product"] == "Desk"].groupby("region")["amount"].mean()
    assert dict(_rows(talk.ask("and for Desk sales?"))) == pytest.approx(told.to_dict())


def test_a_count_of_nothing_named_counts_what_was_counted_before(talk: Conversation) -> None:
    talk.ask("How many sales of lamps were there in 2023?")
    assert _value(talk.ask("how many in the North?")) == len(_of(2023, product="Lamp", region="North"))


@pytest.mark.parametrize(
    "question", ["How many sales are there?", "total quantity", "What is the average amount?"]
)
def test_a_whole_question_forgets_the_one_before(talk: Conversation, analyst: Analyst, question: str) -> None:
    talk.ask("total amount of lamps in the West in 2023")
    assert _value(talk.ask(question)) == _value(analyst.ask(question))


def test_the_last_two_can_be_taken_together(talk: Conversation) -> None:
    talk.ask("How many sales were there in the North in 2023?")
    talk.ask("and in the East?")
    told = len(_of(2023, region="North")) + len(_of(2023, region="East"))
    assert _value(talk.ask("both together")) == told


def test_those_of_a_ranking_are_those_that_it_showed(talk: Conversation) -> None:
    talk.ask("number of sales by month in 2023")
    months = _of(2023).groupby(lambda i: FRAME["date"][i].month).size()
    talk.ask("which month had the fewest?")
    row = _of(2023, product="Lamp")
    told = row[row["date"].dt.month == months.idxmin()]
    assert _value(talk.ask("how many of them were lamps?")) == len(told)
    talk.ask("top 2 regions by number of sales in 2023")
    shown = _of(2023)["region"].value_counts().index[:2]
    lamps = row[row["region"].isin(shown)]["region"].value_counts().to_dict()
    assert dict(_rows(talk.ask("how many of them were lamps?"))) == lamps


def test_who_came_out_on_top_is_meant_by_she(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "order_id": np.arange(500),
            "date": pd.date_range("2022-06-01", periods=500).date,
            "customer": rng.choice(["Ada Abel", "Ines Lund", "Rosa Sand"], 500, p=[0.5, 0.3, 0.2]),
            "quantity": rng.integers(1, 9, 500),
        }
    )
    file = tmp_path / "orders.csv"
    frame.to_csv(file, index=False)
    first = frame.groupby("customer")["quantity"].sum().idxmax()
    hers = frame[(frame["customer"] == first) & (pd.to_datetime(frame["date"]).dt.year == 2023)]
    with gnomon.open(file) as opened:
        talk = opened.conversation()
        assert _rows(talk.ask("which customer bought the most?"))[0][0] == first
        assert _value(talk.ask("how much did she buy in 2023?")) == hers["quantity"].sum()


def test_the_other_end_is_of_the_same_order(talk: Conversation) -> None:
    talk.ask("average amount by region in 2022")
    told = _of(2022).groupby("region")["amount"].mean()
    assert _rows(talk.ask("which is the highest?"))[0][0] == told.idxmax()
    assert _rows(talk.ask("and the lowest?"))[0][0] == told.idxmin()


def test_parts_joined_in_one_question_share_the_period_at_its_end(analyst: Analyst) -> None:
    answer = analyst.ask("How many sales were there, what was the total amount and which region led in 2024?")
    values = [f.value for f in answer.facts[:2]]
    assert values == pytest.approx([len(_of(2024)), _of(2024)["amount"].sum()])
    assert _rows(answer)[0][0] in set(_of(2024)["region"])
    asked = "Which product had the highest amount in the North and which in the South in 2024?"
    told = [_of(2024, region=r).groupby("product")["amount"].sum().idxmax() for r in ("North", "South")]
    assert [t.rows[0][0] for t in analyst.ask(asked).tables] == told


@pytest.mark.parametrize("turn", ["when was that?", "what did she buy?", "and the next one?", "together"])
def test_what_cannot_be_said_of_one_figure_is_refused(talk: Conversation, turn: str) -> None:
    talk.ask("total amount in the West in 2023")
    assert not talk.ask(turn).facts


def _shipments(folder: Path) -> Path:
    rng = np.random.default_rng(5)
    towns = ["Paris", "Rome", "Oslo", "Bonn"]
    frame = pd.DataFrame(
        {
            "shipment_id": np.arange(400),
            "origin": rng.choice(towns, 400),
            "destination": rng.choice(towns, 400, p=[0.1, 0.2, 0.3, 0.4]),
            "shipped_on": pd.date_range("2023-01-01", periods=400).date,
            "weight": rng.gamma(2, 9, 400).round(1),
        }
    )
    file = folder / "shipments.csv"
    frame.to_csv(file, index=False)
    return file


@pytest.mark.parametrize(
    ("asked", "reply", "place"),
    [
        ("How many shipments for Paris?", "the first one", 0),
        ("How many shipments for Paris?", "2", 1),
        ("How many shipments for Paris?", "the latter please", 1),
        ("How many Paris shipments in 2023?", "origin", None),
        ("How many Paris shipments in 2023?", "I meant the destination", None),
    ],
)
def test_an_option_is_chosen_by_its_place_or_its_name(
    tmp_path: Path, asked: str, reply: str, place: int | None
) -> None:
    file = _shipments(tmp_path)
    frame = pd.read_csv(file, parse_dates=["shipped_on"])
    with gnomon.open(file) as opened:
        talk = opened.conversation()
        offer = talk.ask(asked)
        assert offer.status is AnswerStatus.CLARIFY
        option = offer.suggestions[place] if place is not None else reply
        column = "origin" if "origin" in option else "destination"
        rows = frame[frame[column] == "Paris"]
        rows = rows[rows["shipped_on"].dt.year == 2023] if "2023" in asked else rows
        assert _value(talk.ask(reply)) == len(rows)
        following = frame[frame[column] == "Rome"]
        following = following[following["shipped_on"].dt.year == 2023] if "2023" in asked else following
        assert _value(talk.ask("and Rome?")) == len(following)


def test_open_is_the_status_where_a_date_is_called_opened(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "ticket_id": np.arange(300),
            "opened": pd.date_range("2024-01-01", periods=300).date,
            "status": rng.choice(["open", "closed", "pending"], 300),
        }
    )
    file = tmp_path / "tickets.csv"
    frame.to_csv(file, index=False)
    with gnomon.open(file) as opened:
        talk = opened.conversation()
        assert _value(talk.ask("How many tickets are open?")) == (frame["status"] == "open").sum()
        assert _value(talk.ask("and pending?")) == (frame["status"] == "pending").sum()
