"""Answers as notebooks and terminals show them, prose by a writer, and results that cannot be true."""

from dataclasses import replace
from datetime import date
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from tests.agents.shop import month, reading, request, shop, where

from gnomon.agents.presenter import DataPresenter
from gnomon.agents.presenter_writer import fill_slots
from gnomon.agents.rendering import render
from gnomon.answering.plan import PartPlan, PartResult
from gnomon.answering.run import checked
from gnomon.core.answer import Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import Cancelled, NotFound
from gnomon.core.parts import QuestionKind
from gnomon.semantic.query import Retrieved
from gnomon.tools import CancelToken, Frame

K = QuestionKind
RISKY = '<script src="https://x.example/a.js">alert(1)</script>'


def shown(answer: Answer, **options: Any) -> str:
    console = Console(file=StringIO(), width=120, color_system=None)
    console.print(render(answer, **options))
    out = console.file
    assert isinstance(out, StringIO)
    return out.getvalue()


def answer_with(rows: tuple[tuple[Any, ...], ...], prose: str = "Prose.") -> Answer:
    table = ResultTable(name="t", columns=("name", "amount (USD)"), rows=rows)
    return Answer(
        status=AnswerStatus.ANSWERED, prose=prose, tables=(table,), suggestions=("more?",), facts=()
    )


def test_a_notebook_shows_prose_tables_and_what_to_ask_next() -> None:
    html = answer_with((("a", 1234567), ("b", 2.5), ("c", None)), "First.\n\nRead as: x.")._repr_html_()
    assert "<p>First.</p><p>Read as: x.</p>" in html
    assert '<td style="text-align:right">1,234,567</td>' in html
    assert "<td></td>" in html and "<li>more?</li>" in html


def test_nothing_in_the_data_becomes_markup() -> None:
    html = answer_with(((RISKY, 1),), RISKY)._repr_html_()
    assert "<script" not in html and "&lt;script" in html
    assert "http" not in html.replace("https://x.example/a.js", "")


def test_long_tables_are_cut_and_say_so() -> None:
    html = answer_with(tuple((f"n{i}", i) for i in range(75)))._repr_html_()
    assert html.count("<tr>") == 51
    assert "25 more rows are not shown." in html
    text = shown(answer_with(tuple((f"n{i}", i) for i in range(75))), rows=10)
    assert "n9" in text and "n10" not in text and "65 more rows" in text


def test_a_terminal_shows_bars_beside_one_column_of_numbers() -> None:
    text = shown(answer_with((("West", 40), ("East", 10))))
    west, east = (next(line for line in text.splitlines() if name in line) for name in ("West", "East"))
    assert west.count("█") == 4 * east.count("█") > 0
    assert "You could also ask:" in text and "• more?" in text


def test_brackets_in_data_are_no_styles_of_the_terminal() -> None:
    assert "[bold]x[/bold]" in shown(answer_with((("[bold]x[/bold]", 1), ("y", 2)), "[red]Prose[/red]."))
    assert "[red]Prose[/red]." in shown(answer_with((), "[red]Prose[/red]."))


def test_slots_are_filled_with_figures_and_unknown_ones_refused() -> None:
    facts = [Fact(name="revenue.change_pct", value=7.4321, unit="%", step="s")]
    assert fill_slots("Up {{fact.revenue.change_pct}}.", facts) == "Up 7.4 %."
    with pytest.raises(NotFound, match=r"revenue\.pct"):
        fill_slots("Up {{revenue.pct}}.", facts)


def test_a_writer_leads_and_the_reading_stays() -> None:
    s = shop()

    class Writing:
        def write(self, request: Any, slots: Any) -> str:
            return "This month brought {{fact.revenue}}."

    presenter = DataPresenter(s.model, s.registry, s.layer, writer=Writing())
    answer = presenter.present(reading(K.VALUE, "revenue", time_range=month(2024, 3)))
    assert answer.prose.startswith("This month brought $")
    assert "Read as: revenue, March 2024." in answer.prose


def test_a_cancelled_question_is_not_answered() -> None:
    stop = CancelToken()
    stop.cancel()
    with pytest.raises(Cancelled):
        shop().presenter.present(reading(K.VALUE, "revenue"), cancel=stop)


def part(kind: QuestionKind, *metrics: str, **fields: Any) -> PartResult:
    asked = request(kind, *metrics, **fields)
    return PartResult(PartPlan(asked, retrievals={"main": "retrieve"}))


def test_a_negative_count_is_left_out_and_said() -> None:
    rows = Retrieved(columns=("region", "orders"), rows=(("W", 5), ("E", -2)), query="", rows_used=3)
    found = replace(part(K.BREAKDOWN, "orders", dimensions=("region",)), retrieved={"main": rows})
    again = checked(found, shop().model)
    assert again.retrieved["main"].rows == (("W", 5),)
    assert "negative" in again.doubts[0]


def test_parts_beyond_the_whole_have_no_share() -> None:
    shares = {"rows": Frame.of([{"region": "W", "revenue": 300.0, "share": 150.0}]), "total": 200.0}
    whole = Retrieved(columns=("revenue",), rows=((200.0,),), query="", rows_used=1)
    found = replace(
        part(K.SHARE, "revenue", dimensions=("region",)), calculated={"shares": shares}, retrieved={"whole": whole}
    )  # fmt: skip
    again = checked(found, shop().model)
    assert "shares" not in again.calculated
    assert "do not lie within the whole" in again.doubts[0]


def test_a_change_that_does_not_follow_is_computed_again() -> None:
    row = {"current": 110.0, "previous": 100.0, "change": 10.0, "change_pct": -10.0}
    found = replace(part(K.COMPARISON, "revenue"), calculated={"change": {"rows": Frame.of([row])}})
    again = checked(found, shop().model)
    assert again.calculated["change"]["rows"].to_rows()[0]["change_pct"] == pytest.approx(10)
    assert len(again.doubts) == 1


def test_results_that_can_be_true_are_left_alone() -> None:
    row = {"current": 90.0, "previous": 100.0, "change": -10.0, "change_pct": -10.0}
    found = replace(part(K.COMPARISON, "revenue"), calculated={"change": {"rows": Frame.of([row])}})
    assert checked(found, shop().model) == found


def test_planning_and_telling_cost_little() -> None:
    s = shop()
    asked = reading(K.BREAKDOWN, "revenue", dimensions=("region",), filters=(where("channel", "web"),))
    s.presenter.present(asked)
    best = min(sum(s.presenter.present(asked).timings[k] for k in ("plan", "tell")) for _ in range(20))
    assert best < 0.010


def test_what_names_a_row_is_written_as_a_name() -> None:
    """Years, months and numbers that identify are no amounts; what is measured keeps its separators."""
    periods = ((date(2023, 1, 1), 12345), (date(2024, 4, 1), 1))
    for column, shown_as in (
        ("year", ("2023", "2024")),
        ("month", ("2023-01", "2024-04")),
        ("quarter", ("2023 Q1", "2024 Q2")),
    ):
        table = ResultTable(name="t", columns=(column, "orders"), rows=periods)
        answer = Answer(status=AnswerStatus.ANSWERED, prose="Prose.", tables=(table,))
        html, text = answer._repr_html_(), shown(answer)
        assert all(f"<td>{name}</td>" in html and name in text for name in shown_as), column
        assert "12,345" in html and "12,345" in text
    ids = ResultTable(name="t", columns=("store", "orders"), rows=((10234, 5),))
    answer = Answer(status=AnswerStatus.ANSWERED, prose="Prose.", tables=(ids,))
    assert "<td>10234</td>" in answer._repr_html_() and "10234" in shown(answer)


def test_rates_are_shown_in_percent_and_kept_exact() -> None:
    rows = (("web", 0.03579, 12), ("phone", 1.0, 3), ("fax", None, 0))
    table = ResultTable(
        name="t", columns=("channel", "return rate", "orders"), rows=rows, rates=("return rate",)
    )
    answer = Answer(status=AnswerStatus.ANSWERED, prose="Prose.", tables=(table,))
    for text in (answer._repr_html_(), shown(answer)):
        assert "3.6 %" in text and "100 %" in text and "0.0358" not in text
    assert answer.to_dict()["tables"][0]["rows"][0][1] == 0.03579
