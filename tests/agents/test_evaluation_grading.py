"""The grader gives credit where it is due and nowhere else: right, wrong, reordered, partial and padded answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from gnomon.agents.evaluation import Case, Outcome, Part, Truth, grade
from gnomon.agents.evaluation.tables import compare_sets, compare_tables
from gnomon.agents.evaluation.values import same
from gnomon.core.answer import About, Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.parts import Parts, QuestionKind
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel

REGIONS = Truth(("region", "revenue"), (("north", 100.0), ("south", 60.5), ("east", 40.25)))
MONTHS = Truth(("month", "orders"), ((date(2025, 1, 1), 10), (date(2025, 2, 1), 20), (date(2025, 3, 1), 15)))


def fact(
    value: Any, name: str = "revenue.total", group: dict[str, str] | None = None, step: str = "s1"
) -> Fact:
    return Fact(name=name, value=value, step=step, about=About(group=group or {}))


def answer(
    *facts: Fact,
    rows: Sequence[tuple[Any, ...]] | None = None,
    status: AnswerStatus = AnswerStatus.ANSWERED,
    unexplained: tuple[str, ...] = (),
) -> Answer:
    tables = (
        ()
        if rows is None
        else (ResultTable(name="result", columns=("a", "b", "c")[: len(rows[0])], rows=tuple(rows)),)
    )
    request = Parts(question="revenue by region", kind=QuestionKind.BREAKDOWN, unexplained=unexplained)
    return Answer(
        status=status, prose="", facts=facts, tables=tables, request=request_of(request, SemanticModel())
    )


def case(
    compare: str, tags: tuple[str, ...] = (), parts: int = 1, question: str = "revenue by region"
) -> Case:
    part = Part(sql=("SELECT 1",), compare=compare)  # type: ignore[arg-type]
    return Case(
        id="c1",
        question=question,
        kind="value",
        accepted=(AnswerStatus.ANSWERED, AnswerStatus.PARTIAL),
        parts=(part,) * parts,
        tags=tags,
    )


def graded(compare: str, truth: Truth, told: Answer, tags: tuple[str, ...] = ()) -> Outcome:
    return grade(case(compare, tags), told, lambda _: [truth]).outcome


def scalar(value: Any) -> Truth:
    return Truth(("value",), ((value,),))


def test_the_first_fact_is_the_answer_to_a_question_for_one_value() -> None:
    assert graded("scalar", scalar(1234.5), answer(fact(1234.5))) is Outcome.RIGHT
    assert graded("scalar", scalar(1234.5), answer(fact(1234.6))) is Outcome.WRONG
    assert graded("scalar", scalar(1234.5), answer(fact(7.0), fact(1234.5))) is Outcome.WRONG


def test_a_number_within_the_tolerance_is_the_same_and_one_beyond_it_is_not() -> None:
    assert graded("scalar", scalar(5018014.379999836), answer(fact(5018014.38))) is Outcome.RIGHT
    assert graded("scalar", scalar(5018014.38), answer(fact(5018024.38))) is Outcome.WRONG
    assert graded("scalar", scalar(0), answer(fact(0))) is Outcome.RIGHT
    assert graded("scalar", scalar(0), answer(fact(1))) is Outcome.WRONG


def test_a_rate_may_be_told_in_percent_only_where_the_case_says_so() -> None:
    assert graded("scalar", scalar(5.5), answer(fact(0.055)), ("percent",)) is Outcome.RIGHT
    assert graded("scalar", scalar(0.055), answer(fact(5.5)), ("percent",)) is Outcome.RIGHT
    assert graded("scalar", scalar(5.5), answer(fact(0.055))) is Outcome.WRONG
    assert graded("scalar", scalar(5.5), answer(fact(0.55)), ("percent",)) is Outcome.WRONG


def test_a_looked_up_value_may_stand_in_a_table_of_one_row() -> None:
    assert graded("scalar", scalar("Haldrin"), answer(rows=[("P00040", "Haldrin")])) is Outcome.RIGHT
    assert (
        graded("scalar", scalar("Haldrin"), answer(rows=[("P1", "Istra"), ("P2", "Haldrin")]))
        is Outcome.WRONG
    )


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        ([("north", 100.0), ("south", 60.5), ("east", 40.25)], Outcome.RIGHT),
        ([("east", 40.25), ("north", 100.0), ("south", 60.5)], Outcome.RIGHT),
        ([("North", 100.0), ("SOUTH", 60.5), ("east", 40.25), ("Total", 200.75)], Outcome.RIGHT),
        ([("north", 60.5), ("south", 100.0), ("east", 40.25)], Outcome.WRONG),
        ([("north", 100.0), ("south", 60.5)], Outcome.INCOMPLETE),
        ([("north", 100.0), ("south", 60.5), ("east", 40.25), ("west", 1.0)], Outcome.WRONG),
        ([("nord", 100.0), ("sud", 60.5), ("est", 40.25)], Outcome.WRONG),
    ],
)
def test_rows_are_found_by_their_keys(rows: list[tuple[Any, ...]], outcome: Outcome) -> None:
    assert graded("table", REGIONS, answer(rows=rows)) is outcome


def test_extra_columns_and_another_order_of_columns_do_not_matter() -> None:
    rows = [(0.5, "north", 100.0), (0.3, "south", 60.5), (0.2, "east", 40.25)]
    assert graded("table", REGIONS, answer(rows=rows)) is Outcome.RIGHT


def test_a_column_that_agrees_in_no_row_earns_nothing() -> None:
    rows = [("north", 1.0), ("south", 2.0), ("east", 3.0)]
    found = compare_tables(REGIONS, rows, 1e-6)
    assert (found.correctness, found.completeness) == (0.0, 0.0)


def test_one_scale_holds_for_a_whole_column_of_rates() -> None:
    truth = Truth(("region", "rate"), (("north", 5.0), ("south", 6.0)))
    assert (
        graded("table", truth, answer(rows=[("north", 0.05), ("south", 0.06)]), ("percent",)) is Outcome.RIGHT
    )
    assert (
        graded("table", truth, answer(rows=[("north", 0.05), ("south", 6.0)]), ("percent",)) is Outcome.WRONG
    )


def test_order_counts_where_it_is_asked_for() -> None:
    right = list(REGIONS.rows)
    assert graded("ordered", REGIONS, answer(rows=right)) is Outcome.RIGHT
    assert graded("ordered", REGIONS, answer(rows=right[::-1])) is Outcome.WRONG
    assert graded("ordered", REGIONS, answer(rows=[right[1], right[0], right[2]])) is Outcome.WRONG


def test_rows_with_the_same_number_may_change_places() -> None:
    truth = Truth(("region", "orders"), (("north", 9), ("south", 5), ("east", 5)))
    rows = [("north", 9), ("east", 5), ("south", 5)]
    assert graded("ordered", truth, answer(rows=rows)) is Outcome.RIGHT


def test_a_ranking_with_more_rows_than_asked_for_is_not_right() -> None:
    rows = [*REGIONS.rows, ("west", 30.0), ("central", 20.0)]
    assert graded("ordered", REGIONS, answer(rows=rows)) is Outcome.WRONG


@pytest.mark.parametrize(
    "keys",
    [
        [date(2025, 1, 1), date(2025, 2, 1), date(2025, 3, 1)],
        [datetime(2025, 1, 1), datetime(2025, 2, 1), datetime(2025, 3, 1)],
        ["2025-01-01", "2025-02-01T00:00:00", "2025-03"],
        ["January 2025", "Feb 2025", "March 2025"],
    ],
)
def test_periods_are_the_same_however_they_are_written(keys: list[Any]) -> None:
    rows = list(zip(keys, (10, 20, 15), strict=True))
    assert graded("ordered", MONTHS, answer(rows=rows)) is Outcome.RIGHT


def test_a_shifted_period_is_not_the_same() -> None:
    rows = [(date(2025, 2, 1), 10), (date(2025, 3, 1), 20), (date(2025, 4, 1), 15)]
    assert graded("ordered", MONTHS, answer(rows=rows)) is Outcome.WRONG


def test_numbers_can_be_the_key_of_a_row() -> None:
    truth = Truth(("rating", "reviews"), ((1, 58), (2, 265), (5, 2784)))
    assert graded("table", truth, answer(rows=[("5", 2784), ("1", 58), ("2", 265)])) is Outcome.RIGHT
    assert graded("table", truth, answer(rows=[(1, 265), (2, 58), (5, 2784)])) is Outcome.WRONG


def test_a_record_with_a_name_must_be_what_the_answer_leads_with() -> None:
    truth = Truth(("region", "revenue"), (("south", 60.5),))
    assert graded("row", truth, answer(rows=[("south", 60.5)])) is Outcome.RIGHT
    assert graded("row", truth, answer(fact(60.5, group={"region": "south"}))) is Outcome.RIGHT
    assert graded("row", truth, answer(rows=[("north", 100.0), ("south", 60.5)])) is Outcome.WRONG
    listed = answer(fact(100.0, group={"region": "north"}), fact(60.5, group={"region": "south"}))
    assert graded("row", truth, listed) is Outcome.WRONG


def test_the_roles_of_two_periods_cannot_be_exchanged() -> None:
    truth = Truth(("current", "previous"), ((110.0, 100.0),))
    right = answer(
        fact(110.0, "revenue.current"), fact(100.0, "revenue.previous"), fact(10.0, "revenue.change")
    )
    swapped = answer(fact(100.0, "revenue.current"), fact(110.0, "revenue.previous"))
    assert graded("row", truth, right) is Outcome.RIGHT
    assert graded("row", truth, swapped) is Outcome.WRONG


def test_a_difference_may_be_told_from_either_side_but_not_with_another_size() -> None:
    truth = Truth(("difference",), ((40.0,),))
    assert graded("row", truth, answer(fact(-40.0, "revenue.difference"))) is Outcome.RIGHT
    assert graded("row", truth, answer(fact(41.0, "revenue.difference"))) is Outcome.WRONG


def test_a_comparison_of_groups_told_as_facts_must_pair_them_rightly() -> None:
    truth = Truth(("channel", "revenue"), (("organic", 5.0), ("marketplace", 7.0)))
    right = answer(fact(5.0, group={"channel": "organic"}), fact(7.0, group={"channel": "marketplace"}))
    swapped = answer(fact(7.0, group={"channel": "organic"}), fact(5.0, group={"channel": "marketplace"}))
    assert graded("table", truth, right) is Outcome.RIGHT
    assert graded("table", truth, swapped) is Outcome.WRONG


def test_sets_are_compared_without_order_and_with_nothing_added() -> None:
    truth = Truth(("brand",), (("Istra",), ("Norvik",)))
    assert compare_sets(truth, [("norvik", 1), ("istra", 2)]).total == 2
    assert compare_sets(truth, [("norvik", 1)]).completeness == 0.5
    assert compare_sets(truth, [("norvik", 1), ("istra", 2), ("gravik", 3), ("tarnby", 4)]).correctness == 0.5
    assert compare_sets(truth, []).total == 0


def test_a_number_hidden_in_a_long_table_is_not_found_by_chance() -> None:
    truth = Truth(("low", "high"), ((3.0, 9.0),))
    rows = [(f"p{i}", float(i)) for i in range(20)]
    assert graded("row", truth, answer(rows=rows)) is Outcome.WRONG


def test_any_acceptable_truth_will_do() -> None:
    truths = [scalar(10.0), scalar(12.0)]
    assert grade(case("scalar"), answer(fact(12.0)), lambda _: truths).outcome is Outcome.RIGHT
    assert grade(case("scalar"), answer(fact(11.0)), lambda _: truths).outcome is Outcome.WRONG


def test_of_two_parts_both_must_be_there() -> None:
    both = case("row", parts=2)
    truths = iter([[scalar(10.0)], [scalar("Travel")]])
    told = answer(fact(10.0), fact(4.0, group={"category": "Travel"}, step="s2"))
    assert grade(both, told, lambda _: next(truths)).outcome is Outcome.RIGHT
    truths = iter([[scalar(10.0)], [scalar("Travel")]])
    assert grade(both, answer(fact(10.0)), lambda _: next(truths)).outcome is Outcome.INCOMPLETE
    truths = iter([[scalar(10.0)], [scalar("Travel")]])
    false = answer(fact(10.0), fact(4.0, group={"category": "Audio"}, step="s2"))
    assert grade(both, false, lambda _: next(truths)).outcome is Outcome.WRONG


def test_of_several_values_one_left_out_is_incomplete_and_one_told_falsely_is_wrong() -> None:
    truth = Truth(("revenue", "units", "orders"), ((10.5, 7, 3),))
    assert graded("row", truth, answer(fact(10.5), fact(7))) is Outcome.INCOMPLETE
    assert graded("row", truth, answer(fact(10.5), fact(7), fact(4))) is Outcome.WRONG
    assert graded("row", truth, answer(fact(3), fact(10.5), fact(7))) is Outcome.RIGHT


def test_a_right_number_does_not_count_where_much_of_the_question_was_left_out() -> None:
    told = answer(fact(10.0), unexplained=("region",))
    found = grade(case("scalar"), told, lambda _: [scalar(10.0)])
    assert found.outcome is Outcome.INCOMPLETE
    assert found.metrics.relevance == 0.5


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (AnswerStatus.CLARIFY, Outcome.FALSE_REFUSAL),
        (AnswerStatus.OUT_OF_SCOPE, Outcome.FALSE_REFUSAL),
        (AnswerStatus.OUT_OF_DOMAIN, Outcome.FALSE_REFUSAL),
        (AnswerStatus.ERROR, Outcome.FAILED),
        (AnswerStatus.PARTIAL, Outcome.RIGHT),
    ],
)
def test_what_can_be_answered_must_not_be_refused(status: AnswerStatus, outcome: Outcome) -> None:
    assert graded("scalar", scalar(10.0), answer(fact(10.0), status=status)) is outcome


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (AnswerStatus.OUT_OF_SCOPE, Outcome.REFUSED),
        (AnswerStatus.CLARIFY, Outcome.REFUSED),
        (AnswerStatus.OUT_OF_DOMAIN, Outcome.MISREFUSED),
        (AnswerStatus.ANSWERED, Outcome.UNREFUSED),
        (AnswerStatus.PARTIAL, Outcome.UNREFUSED),
        (AnswerStatus.ERROR, Outcome.FAILED),
    ],
)
def test_what_cannot_be_answered_must_be_refused_with_a_right_status(
    status: AnswerStatus, outcome: Outcome
) -> None:
    refusable = Case(
        id="r1",
        question="revenue in 2031",
        kind="missing_period",
        accepted=(AnswerStatus.OUT_OF_SCOPE, AnswerStatus.CLARIFY),
    )
    assert grade(refusable, answer(fact(1.0), status=status), lambda _: []).outcome is outcome


@pytest.mark.parametrize(
    ("truth", "told", "agree"),
    [
        (Decimal("1.5"), 1.5, True),
        (True, "yes", True),
        (True, False, False),
        ("paid_search", "Paid search", True),
        (date(2024, 1, 1), 2024, True),
        (date(2024, 2, 1), 2024, False),
        (date(2024, 7, 1), "2024-Q3", True),
        (date(2024, 12, 30), "2025-W01", True),
        (None, None, True),
        (None, 0, False),
        ("west", "north west", False),
        (5, "5", True),
    ],
)
def test_cells_that_say_the_same(truth: Any, told: Any, agree: bool) -> None:
    assert same(truth, told, 1e-6) is agree
