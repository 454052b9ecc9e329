"""Answers say what their figures leave out, and that there is nothing where there are no rows."""

from pathlib import Path

import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    folder = tmp_path_factory.mktemp("sheets")
    sold = [("North", 31.5, 4), ("South", 12.25, 3), ("North", 70.0, 9), ("West", 18.75, 2)] * 5
    rows = "".join(f"{r},{s},{u}\n" for r, s, u in sold)
    (folder / "orders.csv").write_text(
        f"region,sales,units\n{rows}Total,{sum(s for _, s, _ in sold)},{sum(u for _, _, u in sold)}\n"
    )
    cells = "".join(f"{'AB'[i % 2]},{-999 if i % 8 == 0 else 10 + i % 15}\n" for i in range(64))
    (folder / "weather.csv").write_text(f"city,temperature\n{cells}")
    (folder / "returns.csv").write_text("reason,refund\n")
    return gnomon.open(folder)


def test_a_total_row_is_not_added_up_and_the_answer_says_so(analyst: Analyst) -> None:
    answer = analyst.ask("total sales")
    assert [f.value for f in answer.facts] == [5 * (31.5 + 12.25 + 70.0 + 18.75)]
    assert "1 row is a total of other rows" in answer.prose
    assert "Total" not in {row[0] for table in analyst.ask("sales by region").tables for row in table.rows}


def test_marks_for_no_value_are_noted_where_their_column_is_used(analyst: Analyst) -> None:
    real = [10 + i % 15 for i in range(64) if i % 8]
    answer = analyst.ask("average temperature")
    assert answer.facts[0].value == pytest.approx(sum(real) / len(real))
    assert "-999" in answer.prose
    assert "-999" not in analyst.ask("total sales").prose


def test_a_table_without_rows_gets_no_figures(analyst: Analyst) -> None:
    answer = analyst.ask("total refund")
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert "There are no rows" in answer.prose
    assert not answer.facts


def test_a_header_alone_gets_no_figures(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,sales\n")
    with gnomon.open(tmp_path / "sales.csv") as analyst:
        answer = analyst.ask("total sales by region")
    assert "There are no rows" in answer.prose
    assert not answer.facts
