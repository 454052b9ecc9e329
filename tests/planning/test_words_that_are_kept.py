"""Words that change what is asked are read or told as missing, never dropped."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 240
LOTS = pd.DataFrame(
    {
        "lot_id": [f"A{i // 40:02d}-{i % 40:03d}" for i in range(N)],
        "auction_id": [f"A{i // 40:02d}" for i in range(N)],
        "lot_no": [1 + i % 40 for i in range(N)],
        "listed_on": pd.date_range("2021-03-01", periods=N, freq="5D"),
        "state": [("sold", "unsold", "sold", "withdrawn")[(i * 7 + i // 5) % 4] for i in range(N)],
        "room": [("Barn", "Hall")[(i * 5 + i // 3) % 2] for i in range(N)],
        "hammer_gbp": [20 + (i * 37) % 300 for i in range(N)],
        "porterage_gbp": [1 + (i * 11) % 17 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def lots() -> Analyst:
    return gnomon.open({"lots": LOTS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


def test_rows_are_counted_where_another_number_tells_them_apart(lots: Analyst) -> None:
    assert _answered(lots, "How many lots are there?").facts[0].value == N
    told = {row[0]: row[1] for row in _answered(lots, "number of lots by state").tables[0].rows}
    assert told == LOTS.state.value_counts().to_dict()


def test_a_year_of_what_happened_groups(lots: Analyst) -> None:
    answer = _answered(lots, "number of lots by listing year")
    told = [row[1] for row in answer.tables[0].rows]
    assert told == LOTS.groupby(LOTS.listed_on.dt.year).size().tolist()


def test_an_average_across_rows_is_one_number(lots: Analyst) -> None:
    answer = _answered(lots, "average hammer across lots in 2022")
    assert answer.facts[0].value == pytest.approx(LOTS[LOTS.listed_on.dt.year == 2022].hammer_gbp.mean())


def test_things_one_by_one_are_groups(lots: Analyst) -> None:
    answer = _answered(lots, "Room by room, how many lots were sold?")
    told = {row[0]: row[1] for row in answer.tables[0].rows}
    assert told == LOTS[LOTS.state == "sold"].room.value_counts().to_dict()


def test_what_one_amount_takes_of_another_is_ranked_by_that_share(lots: Analyst) -> None:
    answer = _answered(lots, "In which room does porterage take the largest share of hammer?")
    sums = LOTS.groupby("room")[["porterage_gbp", "hammer_gbp"]].sum()
    share = sums.porterage_gbp / sums.hammer_gbp
    assert tuple(answer.tables[0].rows[0][:2]) == (share.idxmax(), pytest.approx(share.max()))


@pytest.mark.parametrize(
    "question",
    [
        "How many of the withdrawn lots will be sold?",
        "Should our next auction be in the Barn or in the Hall?",
        "porterage per 100 hammer by room",
        "How many lots were sold in every one of the rooms?",
        "total hammer divided by the number of lots that are sold, by room",
    ],
)
def test_what_is_not_borne_is_not_answered(lots: Analyst, question: str) -> None:
    assert lots.ask(question).status is not AnswerStatus.ANSWERED
