"""Rows that have something or lack it: a value, a day on which something happened, a row of another table; parts among others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer

N = 300
DAYS = pd.Series(pd.Timestamp(2024, 1, 1) + pd.to_timedelta(np.arange(N), unit="D"))


def _first(answer: Answer) -> object:
    return next((f.value for f in answer.facts), answer.prose)


@pytest.mark.parametrize(
    ("rows", "column", "verb"),
    [
        ("sales", "coupon", "use"),
        ("visits", "remark", "get"),
        ("parcels", "note", "carry"),
        ("trips", "voucher", "need"),
    ],
)
def test_a_column_that_rows_are_said_to_have_is_not_left_out(rows: str, column: str, verb: str) -> None:
    has = pd.Series(np.random.default_rng(len(column)).random(N) < 0.3)
    table = pd.DataFrame(
        {f"{rows[:-1]}_id": range(N), "made_on": DAYS, column: pd.Series(["A7", "B2", "C9"] * 100).where(has)}
    )
    with gnomon.open({rows: table}) as analyst:
        for question, expected in (
            (f"How many {rows} have a {column}?", has.sum()),
            (f"How many {rows} {verb} a {column}?", has.sum()),
            (f"{rows} that {verb} a {column}", has.sum()),
            (f"How many {rows} do not {verb} a {column}?", (~has).sum()),
            (f"How many {rows} have no {column}?", (~has).sum()),
        ):
            assert _first(analyst.ask(question)) == expected, question


@pytest.mark.parametrize(
    ("rows", "day", "done"),
    [
        ("parcels", "ShipDate", "shipped"),
        ("claims", "review_date", "reviewed"),
        ("samples", "test_day", "tested"),
    ],
)
def test_what_was_done_is_told_by_the_day_called_after_it(rows: str, day: str, done: str) -> None:
    known = pd.Series(np.random.default_rng(len(day)).random(N) < 0.8)
    table = pd.DataFrame(
        {f"{rows[:-1]}_id": range(N), "received": DAYS, day: (DAYS + pd.Timedelta(days=5)).where(known)}
    )
    with gnomon.open({rows: table}) as analyst:
        for question, expected in (
            (f"How many {rows} were {done}?", known.sum()),
            (f"How many {rows} were not {done}?", (~known).sum()),
            (f"How many {rows} have not been {done}?", (~known).sum()),
        ):
            assert _first(analyst.ask(question)) == expected, question


@pytest.mark.parametrize(
    ("rows", "other"), [("tickets", "agent"), ("lessons", "tutor"), ("shipments", "carrier")]
)
def test_rows_may_refer_to_nothing(rows: str, other: str) -> None:
    rng = np.random.default_rng(len(rows))
    refers = pd.Series(rng.random(N) < 0.9)
    others = pd.DataFrame({f"{other}_id": range(1, 21), f"{other}_name": [f"{other} {i}" for i in range(20)]})
    table = pd.DataFrame(
        {
            f"{rows[:-1]}_id": range(N),
            f"{other}_id": pd.Series(rng.integers(1, 21, N)).astype("Int64").where(refers),
        }
    )
    with gnomon.open({rows: table, f"{other}s": others}) as analyst:
        for question, expected in (
            (f"How many {rows} have no {other}?", (~refers).sum()),
            (f"How many {rows} are without a {other}?", (~refers).sum()),
            (f"How many {rows} have a {other}?", refers.sum()),
        ):
            assert _first(analyst.ask(question)) == expected, question


@pytest.mark.parametrize(
    ("rows", "side", "part", "mark", "whole"),
    [
        ("arrests", "sex", "Female", "employed", "No"),
        ("loans", "purpose", "Car", "grade", "B"),
        ("shots", "outcome", "Goal", "foot", "Left"),
    ],
)
def test_the_part_among_others_is_told_of_those_others(
    rows: str, side: str, part: str, mark: str, whole: str
) -> None:
    rng = np.random.default_rng(len(part))
    table = pd.DataFrame(
        {
            f"{rows[:-1]}_id": range(N),
            side: rng.choice([part, "Other", "Third"], N, p=[0.2, 0.5, 0.3]),
            mark: rng.choice([whole, "Yes"], N, p=[0.4, 0.6]),
            "score": rng.integers(0, 100, N),
        }
    )
    mine = table[side] == part
    within, high = table[mark] == whole, table.score > 60
    with gnomon.open({rows: table}) as analyst:
        for question, truth in (
            (f"percentage of {part} among {rows} with {mark} {whole}", mine[within].mean()),
            (f"What share of {part} is there among {rows} with a score above 60?", mine[high].mean()),
        ):
            answer = analyst.ask(question)
            shares = [f.value for f in answer.facts]
            assert any(abs(v - truth) < 1e-9 or abs(v - 100 * truth) < 1e-9 for v in shares), (
                question,
                answer.prose,
            )


@pytest.mark.parametrize(
    ("rows", "why", "when", "first", "reason"),
    [
        ("employees", "TermReason", "TerminationDate", "HireDate", "Resigned"),
        ("orders", "return_reason", "returned_on", "ordered_on", "Broken"),
        ("bookings", "cancellation_cause", "cancellation_day", "booking_day", "Illness"),
    ],
)
def test_why_something_came_about_is_dated_by_the_day_it_did(
    rows: str, why: str, when: str, first: str, reason: str
) -> None:
    rng = np.random.default_rng(len(why))
    over = pd.Series(rng.random(N) < 0.5)
    ended = (DAYS + pd.to_timedelta(pd.Series(rng.integers(20, 90, N)), unit="D")).where(over)
    cause = pd.Series(rng.choice([reason, "Other", "Third"], N)).where(over)
    table = pd.DataFrame({f"{rows[:-1]}_id": range(N), first: DAYS, when: ended, why: cause})
    truth = ((cause == reason) & (ended.dt.to_period("M") == "2024-06")).sum()
    with gnomon.open({rows: table}) as analyst:
        answer = analyst.ask(f"How many {rows} had {why.replace('_', ' ')} {reason} in June 2024?")
        assert _first(answer) == truth, answer.prose


def test_sheets_of_one_workbook_are_called_without_its_name() -> None:
    people = pd.DataFrame(
        {"EmpID": range(1, 41), "FullName": [f"P {i}" for i in range(40)], "HireDate": DAYS[:40]}
    )
    away = pd.DataFrame(
        {"LeaveID": range(100), "EmpID": [1 + i % 30 for i in range(100)], "StartDate": DAYS[:100]}
    )
    with gnomon.open({"hr_Employees": people, "hr_Leave": away}) as analyst:
        answer = analyst.ask("How many employees are there?")
        assert (_first(answer), "40 employees" in answer.prose) == (40, True), answer.prose
    lines = pd.DataFrame(
        {"line_id": range(100), "order_no": [1 + i % 40 for i in range(100)], "qty": range(100)}
    )
    heads = pd.DataFrame({"order_no": range(1, 41), "order_date": DAYS[:40]})
    with gnomon.open({"order_header": heads, "order_lines": lines}) as analyst:
        assert _first(analyst.ask("How many order lines are there?")) == 100  # columns speak of orders
