"""What is late, who left, where things go to, and what is counted: by the columns that tell it, or not at all."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus


def value(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(str(answer.facts[0].value))


def table(answer: Answer) -> dict[str, float]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return {str(row[-2]): float(str(row[-1])) for row in answer.tables[0].rows}


def days(rng: random.Random, n: int) -> list[date]:
    return [date(2023, 1, 1) + timedelta(days=rng.randrange(700)) for _ in range(n)]


@pytest.mark.parametrize(
    ("rows", "done", "due", "group"),
    [
        ("shipments", "delivered_date", "promised_date", "carrier"),
        ("repairs", "completed_on", "due_on", "workshop"),
        ("parcels", "delivered_on", "expected_on", "depot"),
    ],
)
def test_what_is_on_time_is_told_by_the_day_it_was_due(
    tmp_path: Path, rows: str, done: str, due: str, group: str
) -> None:
    rng = random.Random(rows)
    planned = days(rng, 300)
    ended = [d + timedelta(days=rng.randrange(-3, 6)) if rng.random() > 0.1 else None for d in planned]
    frame = pd.DataFrame(
        {
            f"{rows[:-1]}_no": range(300),
            group: [rng.choice(["Ash", "Birch", "Cedar"]) for _ in planned],
            due: planned,
            done: ended,
            "damaged": [rng.choice("YN") for _ in planned],
        }
    )
    frame.to_csv(tmp_path / f"{rows}.csv", index=False)
    known = frame[frame[done].notna()]
    late = (known[done] > known[due]).groupby(known[group]).mean()
    with gnomon.open(tmp_path / f"{rows}.csv") as analyst:
        assert table(analyst.ask(f"on-time rate by {group}")) == pytest.approx((1 - late).to_dict())
        assert table(analyst.ask(f"late rate by {group}")) == pytest.approx(late.to_dict())
        other = analyst.ask(f"add-on rate by {group}")
        assert other.status is not AnswerStatus.ANSWERED, other.prose


@pytest.mark.parametrize(("column", "said"), [("CSAT", "cost"), ("PRAC", "price"), ("STOF", "staff")])
def test_a_name_has_no_letter_that_its_word_lacks(tmp_path: Path, column: str, said: str) -> None:
    rng = random.Random(column)
    frame = pd.DataFrame({"row_no": range(80), column: [rng.randrange(1, 6) for _ in range(80)]})
    frame.to_csv(tmp_path / "visits.csv", index=False)
    with gnomon.open(tmp_path / "visits.csv") as analyst:
        answer = analyst.ask(f"what is the {said} of a visit on average?")
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


@pytest.mark.parametrize(
    ("rows", "kind", "kinds", "figure"),
    [
        ("stoppages", "reason", ("breakdown", "cleaning", "jam"), "minutes"),
        ("incidents", "category", ("theft", "fire", "flood"), "damage"),
    ],
)
def test_the_most_of_what_rows_are_is_counted(
    tmp_path: Path, rows: str, kind: str, kinds: tuple[str, ...], figure: str
) -> None:
    rng = random.Random(rows)
    frame = pd.DataFrame(
        {
            "no": [f"{rows[0].upper()}{i}" for i in range(240)],
            "site": [rng.choice(["Eastgate", "Northside", "Westend"]) for _ in range(240)],
            kind: [rng.choice(kinds) for _ in range(240)],
            figure: [rng.randrange(1, 90) for _ in range(240)],
        }
    )
    frame.to_csv(tmp_path / f"{rows}.csv", index=False)
    counts = frame[frame[kind] == kinds[0]].groupby("site").size()
    each = frame.groupby(kind).size()
    with gnomon.open(tmp_path / f"{rows}.csv") as analyst:
        assert value(analyst.ask(f"which site had the most {kinds[0]}s?")) == counts.max()
        assert table(analyst.ask(f"what {kind} values are there and how many of each")) == each.to_dict()
        assert table(analyst.ask(f"how many of each {kind}")) == each.to_dict()


@pytest.mark.parametrize(
    ("trips", "start", "end", "places", "town"),
    [
        ("flights", "origin", "destination", "airports", "city"),
        ("rides", "start", "end", "stations", "district"),
    ],
)
def test_where_things_start_or_end_is_never_guessed(
    tmp_path: Path, trips: str, start: str, end: str, places: str, town: str
) -> None:
    rng = random.Random(trips)
    codes = [f"Q{i:02d}" for i in range(60)]
    towns = {c: rng.choice(["Arden", "Brill", "Corby", "Dunmow"]) for c in codes}
    pd.DataFrame({"code": codes, town: [towns[c] for c in codes]}).to_csv(
        tmp_path / f"{places}.csv", index=False
    )
    gone = pd.DataFrame(
        {
            f"{trips[:-1]}_id": range(500),
            start: [rng.choice(codes) for _ in range(500)],
            end: [rng.choice(codes[10:]) for _ in range(500)],
        }
    )
    gone.to_csv(tmp_path / f"{trips}.csv", index=False)
    with gnomon.open(tmp_path) as analyst:
        asked = analyst.ask(f"number of {trips} by {town}")
        assert asked.status is AnswerStatus.CLARIFY, asked.prose
        left = analyst.ask(f"from which {town} do most {trips} go?")
        assert value(left) == gone[start].map(towns).value_counts().max()
        arrived = analyst.ask(f"which {town} do most {trips} go to?")
        assert value(arrived) == gone[end].map(towns).value_counts().max()


@pytest.mark.parametrize("people", ["employees", "drivers"])
def test_who_left_is_no_request_for_leave(tmp_path: Path, people: str) -> None:
    rng = random.Random(people)
    hired = days(rng, 90)
    gone = [d + timedelta(days=rng.randrange(40, 900)) if rng.random() < 0.3 else None for d in hired]
    frame = pd.DataFrame(
        {"emp_no": range(90), "contract": [rng.choice(["permanent", "agency"]) for _ in hired],
         "hire_dt": hired, "leave_dt": gone}
    )  # fmt: skip
    frame.to_csv(tmp_path / f"{people}.csv", index=False)
    begun = days(rng, 260)
    pd.DataFrame(
        {"leave_id": range(260), "emp_no": [rng.randrange(80) for _ in begun], "start_date": begun,
         "end_date": [d + timedelta(days=rng.randrange(1, 12)) for d in begun]}
    ).to_csv(tmp_path / "leave_requests.csv", index=False)  # fmt: skip
    stayed = (pd.to_datetime(frame["leave_dt"]) - pd.to_datetime(frame["hire_dt"])).dt.days
    with gnomon.open(tmp_path) as analyst:
        assert value(analyst.ask(f"how many {people} have left?")) == frame["leave_dt"].notna().sum()
        assert value(analyst.ask(f"how long do {people} stay on average")) == pytest.approx(stayed.mean())


@pytest.mark.parametrize("jobs", [("Nurse", "Teacher", "Pharmacist"), ("Farmer", "Baker", "Clerk")])
def test_rows_that_are_counts_are_added_up_by_their_kind(tmp_path: Path, jobs: tuple[str, ...]) -> None:
    rng = random.Random(str(jobs))
    every = [*jobs, *(f"Trade {chr(65 + i % 26)}{i}" for i in range(90))]
    frame = pd.DataFrame(
        [
            (j, s, y, rng.randrange(10, 9000))
            for j in every
            for s in ("men", "women")
            for y in range(1900, 2000, 10)
        ],
        columns=["job", "sex", "year", "count"],
    )
    frame.to_csv(tmp_path / "census.csv", index=False)
    with gnomon.open(tmp_path / "census.csv") as analyst:
        for job in jobs:
            mine = frame[(frame["job"] == job) & (frame["year"] == 1950)]
            assert value(analyst.ask(f"how many {job.lower()}s were there in 1950?")) == mine["count"].sum()
            assert value(analyst.ask(f"number of {job.lower()}s in 1950")) == mine["count"].sum()


def test_listed_fines_are_counted_beside_a_fine_of_each_loan(tmp_path: Path) -> None:
    rng = random.Random(8)
    fine = [round(rng.random() * 9, 2) if rng.random() < 0.2 else 0.0 for _ in range(200)]
    loans = pd.DataFrame(
        {"loan_id": range(200), "member_id": [rng.randrange(40) for _ in fine], "fine": fine}
    )
    loans.to_csv(tmp_path / "loans.csv", index=False)
    with gnomon.open(tmp_path / "loans.csv") as analyst:
        alone = analyst.ask("how many fines")
        assert alone.status is not AnswerStatus.ANSWERED or value(alone) == sum(f > 0 for f in fine)
    pd.DataFrame({"fine_id": range(55), "member_id": [rng.randrange(40) for _ in range(55)],
                  "amount": [rng.randrange(1, 30) for _ in range(55)]}).to_csv(tmp_path / "fines.csv", index=False)  # fmt: skip
    with gnomon.open(tmp_path) as analyst:
        assert value(analyst.ask("how many fines")) == 55


@pytest.mark.parametrize(("things", "rows"), [("artists", "works"), ("owners", "animals")])
def test_a_single_one_is_exactly_one(tmp_path: Path, things: str, rows: str) -> None:
    rng = random.Random(things)
    key, one = f"{things[:-1]}_id", rows[:-1]
    pd.DataFrame({key: range(50), "country": [rng.choice(["FR", "IT"]) for _ in range(50)]}).to_csv(
        tmp_path / f"{things}.csv", index=False
    )
    held = pd.DataFrame({f"{one}_id": range(90), key: [rng.randrange(50) for _ in range(90)]})
    held.to_csv(tmp_path / f"{rows}.csv", index=False)
    counts = held[key].value_counts()
    with gnomon.open(tmp_path) as analyst:
        assert value(analyst.ask(f"how many {things} have a single {one}?")) == (counts == 1).sum()
        assert value(analyst.ask(f"how many {things} do not have a single {one}?")) == 50 - len(counts)


def test_time_between_two_tables_is_no_money_and_an_amount_is_the_one_that_is_named(tmp_path: Path) -> None:
    rng = random.Random(3)
    issued = days(rng, 120)
    pd.DataFrame({"invoice_no": range(120), "account_no": [rng.randrange(20) for _ in issued], "issued_on": issued,
                  "amount_due": [rng.randrange(20, 200) for _ in issued]}).to_csv(tmp_path / "invoices.csv", index=False)  # fmt: skip
    paid = rng.sample(range(120), 100)
    pd.DataFrame({"payment_id": range(100), "invoice_no": paid, "paid_on": [issued[i] + timedelta(days=9) for i in paid],
                  "amount_paid": [rng.randrange(20, 200) for _ in paid]}).to_csv(tmp_path / "payments.csv", index=False)  # fmt: skip
    with gnomon.open(tmp_path) as analyst:
        between = analyst.ask("average days between invoice and payment")
        assert between.status is not AnswerStatus.ANSWERED or value(between) == 9, between.prose
        billed = analyst.ask("top 3 accounts by amount billed")
        assert billed.status is not AnswerStatus.ANSWERED or "due" in billed.tables[0].columns[-1]


@pytest.mark.parametrize(("column", "codes"), [("hall", ("H1", "H2", "H3")), ("bay", ("Q1", "Q2", "Q3"))])
def test_a_value_beside_its_heading_is_no_part_of_a_year(
    tmp_path: Path, column: str, codes: tuple[str, ...]
) -> None:
    rng = random.Random(column)
    frame = pd.DataFrame(
        {
            "order_no": range(300),
            column: [rng.choice(codes) for _ in range(300)],
            "product": [rng.choice(["hinge", "clip", "panel"]) for _ in range(300)],
            "operator": [rng.choice(["Ola", "Piet", "Rita"]) for _ in range(300)],
            "run_date": [date(2025, 1, 1) + timedelta(days=rng.randrange(170)) for _ in range(300)],
            "qty_good": [rng.randrange(10, 90) for _ in range(300)],
            "qty_scrap": [rng.randrange(0, 9) for _ in range(300)],
        }
    )
    frame.to_csv(tmp_path / "work_orders.csv", index=False)
    with gnomon.open(tmp_path / "work_orders.csv") as analyst:
        for code in codes:
            answer = analyst.ask(f"how many work orders were run in {column} {code}?")
            assert value(answer) == (frame[column] == code).sum()
        made = analyst.ask("which operator made the most hinges?")
        assert made.status is not AnswerStatus.ANSWERED or "work orders" not in made.prose, made.prose
