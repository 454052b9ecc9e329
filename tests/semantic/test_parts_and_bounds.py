"""Groups by a part of time that repeats, and counts of the groups that meet a condition, against plain SQL."""

from pathlib import Path

import pytest

from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import RetrievalQuery
from gnomon.semantic.infer import infer_model
from gnomon.semantic.retrieve import Retriever


@pytest.fixture
def shop(tmp_path: Path):
    rows = ["visit_id,customer_id,visited_on,amount"]
    rows += [f"V{i:04d},C{i % 17:02d},2024-0{1 + i % 3}-{1 + i % 28:02d},{i % 40}.5" for i in range(400)]
    (tmp_path / "visits.csv").write_text("\n".join(rows))
    with open_sources(tmp_path / "visits.csv") as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        yield dataset, Retriever.over(dataset, model)


def test_groups_that_meet_a_condition_are_counted(shop) -> None:
    dataset, retriever = shop
    found = retriever.run(RetrievalQuery(metrics=("count(amount per customer_id > 470)",)))
    truth = dataset.connection.sql(
        "SELECT count(*) FROM (SELECT customer_id FROM visits GROUP BY 1 HAVING sum(amount) > 470)"
    ).fetchone()[0]
    assert 0 < truth < 17
    assert found.rows == ((truth,),)


def test_days_between_two_bounds_are_counted(shop) -> None:
    dataset, retriever = shop
    found = retriever.run(RetrievalQuery(metrics=("count(amount per day between 90 and 110)",)))
    truth = dataset.connection.sql(
        "SELECT count(*) FROM (SELECT visited_on FROM visits GROUP BY 1 HAVING sum(amount) BETWEEN 90 AND 110)"
    ).fetchone()[0]
    assert truth > 0
    assert found.rows == ((truth,),)


def test_weekdays_come_in_their_order_under_their_names(shop) -> None:
    dataset, retriever = shop
    found = retriever.run(RetrievalQuery(metrics=("amount",), dimensions=("@weekday",)))
    truth = dataset.connection.sql(
        "SELECT dayname(visited_on), sum(amount) FROM visits GROUP BY isodow(visited_on), 1 ORDER BY isodow(visited_on)"
    ).fetchall()
    assert [(day, pytest.approx(total)) for day, total in truth] == list(found.rows)
