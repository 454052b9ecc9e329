"""A thing is its key: two of one name are never added up; rows are dated as they are called; years are told as years."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

WORLDS = [
    ("members", "card_no", "member_name", "loans"),
    ("customers", "customer_id", "customer_name", "orders"),
    ("players", "player_id", "name", "matches"),
    ("clients", "client_no", "client", "jobs"),
]


def value(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(str(answer.facts[0].value))


@pytest.mark.parametrize(("things", "key", "name", "rows"), WORLDS)
def test_things_are_told_apart_by_their_key(
    tmp_path: Path, things: str, key: str, name: str, rows: str
) -> None:
    rng = random.Random(things)
    called = ["Ann Lee", "Bo Ray", "Cy Fox", "Di Orr", "Ed Poe", "Flo May"]
    keys = [f"K{i:03d}" for i in range(60)]
    pd.DataFrame({key: keys, name: [rng.choice(called) for _ in keys]}).to_csv(
        tmp_path / f"{things}.csv", index=False
    )
    picked = [rng.choice(keys) for _ in range(700)]
    days = [date(2024, 1, 1) + timedelta(days=rng.randrange(300)) for _ in picked]
    done = pd.DataFrame({f"{rows[:-1]}_id": range(700), key: picked, f"{rows[:-1]}_date": days})
    done.to_csv(tmp_path / f"{rows}.csv", index=False)
    counts = done[key].value_counts()
    bound, one = int(counts.median()), things[:-1]
    with gnomon.open(tmp_path) as analyst:
        assert (
            value(analyst.ask(f"how many {things} have more than {bound} {rows}")) == (counts > bound).sum()
        )
        share = value(analyst.ask(f"what share of {things} have more than {bound} {rows}"))
        assert share == pytest.approx(100 * (counts > bound).sum() / 60, abs=0.1)
        most = analyst.ask(f"which {one} has the most {rows}")
        assert value(most) == counts.max()
        by = analyst.ask(f"number of {rows} by {one}")
        assert by.status is AnswerStatus.ANSWERED
        assert len(by.tables[0].rows) == len(counts)
        assert len({tuple(f.about.group.items()) for f in most.facts}) == len(most.facts)
        assert value(analyst.ask(f"how many different {things} had {rows}")) == len(counts)


@pytest.mark.parametrize(
    ("table", "own"), [("appointments", "appt_dt"), ("deliveries", "dlvry_date"), ("invoices", "inv_dt")]
)
def test_rows_are_dated_by_the_day_that_is_called_as_they_are(tmp_path: Path, table: str, own: str) -> None:
    rng = random.Random(own)
    booked = [date(2024, 1, 1) + timedelta(days=rng.randrange(360)) for _ in range(400)]
    happened = [b + timedelta(days=rng.randrange(3, 40)) for b in booked]
    frame = pd.DataFrame(
        {"id": range(400), "booked_on": booked, own: happened, "fee": [rng.randrange(20, 90) for _ in booked]}
    )
    frame.to_csv(tmp_path / f"{table}.csv", index=False)
    with gnomon.open(tmp_path / f"{table}.csv") as analyst:
        march = analyst.ask(f"how many {table} were there in March 2024")
        assert value(march) == sum(d.year == 2024 and d.month == 3 for d in happened)
        weekday = analyst.ask("which weekday is the busiest")
        assert value(weekday) == pd.Series(happened).map(date.weekday).value_counts().max()
        assert "dated by" in weekday.prose


@pytest.mark.parametrize(("unit", "days"), [("weeks", 7.0), ("months", 365.2425 / 12), ("years", 365.2425)])
@pytest.mark.parametrize(
    "said", ["average stay in {0}", "average stay by ward in {0}", "median stay, in {0}"]
)
def test_days_are_told_in_the_unit_that_was_asked_for(
    tmp_path: Path, unit: str, days: float, said: str
) -> None:
    rng = random.Random(unit)
    frame = pd.DataFrame(
        {
            "ward": [rng.choice("AB") for _ in range(90)],
            "stay_days": [rng.randrange(9, 4000) for _ in range(90)],
        }
    )
    frame.to_csv(tmp_path / "stays.csv", index=False)
    how = "median" if "median" in said else "mean"
    right = {frame["stay_days"].agg(how) / days}
    if "ward" in said:
        right = {*(frame.groupby("ward")["stay_days"].mean() / days)}
    with gnomon.open(tmp_path / "stays.csv") as analyst:
        answer = analyst.ask(said.format(unit))
        assert answer.status is AnswerStatus.ANSWERED, answer.prose
        assert unit in answer.prose
        assert any(value(answer) == pytest.approx(r, rel=1e-6) for r in right)


def test_of_three_states_the_opposite_of_one_is_not_both_of_the_others(tmp_path: Path) -> None:
    rng = random.Random(3)
    for states in (["attended", "cancelled", "moved"], ["attended", "cancelled"]):
        frame = pd.DataFrame({"visit": range(300), "status": [rng.choice(states) for _ in range(300)]})
        frame.to_csv(tmp_path / "visits.csv", index=False)
        with gnomon.open(tmp_path / "visits.csv") as analyst:
            answer = analyst.ask("what is the no-show rate")
            assert (answer.status is AnswerStatus.ANSWERED) == (len(states) == 2), answer.prose


@pytest.mark.parametrize(("one", "other"), [("Cat", "Dog"), ("Online", "In store"), ("Red", "White")])
def test_groups_where_there_are_more_of_one_than_of_the_other(tmp_path: Path, one: str, other: str) -> None:
    rng = random.Random(one)
    towns = ["Ashby", "Boxley", "Corby", "Derby", "Elton", "Frome", "Goole"]
    lean = {t: rng.uniform(0.3, 0.7) for t in towns}
    rows = [rng.choice(towns) for _ in range(800)]
    kinds = [one if rng.random() < lean[t] else other for t in rows]
    frame = pd.DataFrame({"visit": range(800), "town": rows, "kind": kinds})
    frame.to_csv(tmp_path / "visits.csv", index=False)
    counts = frame.groupby(["town", "kind"]).size().unstack(fill_value=0)
    with gnomon.open(tmp_path / "visits.csv") as analyst:
        for said, right in (
            (f"in which towns are there more {one} than {other}", counts[one] > counts[other]),
            (f"which towns have fewer {one} than {other}", counts[one] < counts[other]),
        ):
            answer = analyst.ask(said)
            if answer.status is AnswerStatus.ANSWERED:
                told = {t for t in towns if t in str(answer.tables[0].rows)}
                assert told == {*counts.index[right]}, answer.prose
        assert any(
            analyst.ask(f"{how} towns have more {one} than {other}").status is AnswerStatus.ANSWERED
            for how in ("which", "in which")
        )


@pytest.mark.parametrize("verb", ["open", "close"])
def test_what_somebody_does_is_no_state_of_what_it_is_done_to(tmp_path: Path, verb: str) -> None:
    rng = random.Random(verb)
    firms = ["Acme", "Bolt", "Crux", "Dyne", "Etna"]
    frame = pd.DataFrame(
        {
            "ticket": range(400),
            "firm": [firms[min(4, int(rng.expovariate(0.7)))] for _ in range(400)],
            "status": [rng.choice([verb.title(), "Done", "Done", "Waiting"]) for _ in range(400)],
        }
    )
    frame.to_csv(tmp_path / "tickets.csv", index=False)
    with gnomon.open(tmp_path / "tickets.csv") as analyst:
        assert (
            value(analyst.ask(f"which firms {verb} the most tickets")) == frame["firm"].value_counts().max()
        )
        waiting = frame[frame["status"] == verb.title()]["firm"].value_counts().max()
        assert value(analyst.ask(f"which firm has the most {verb} tickets")) == waiting


def test_no_row_is_two_values_of_a_column(tmp_path: Path) -> None:
    rng = random.Random(5)
    kinds = ["Homicide", "Death", "Accident", "Arrest"]
    frame = pd.DataFrame({"case": range(200), "kind": [rng.choice(kinds) for _ in range(200)]})
    frame.to_csv(tmp_path / "cases.csv", index=False)
    with gnomon.open(tmp_path / "cases.csv") as analyst:
        for one in ("homicides", "accidents", "arrests"):
            assert analyst.ask(f"what share of the deaths were {one}").status is not AnswerStatus.ANSWERED
        share = value(analyst.ask("what share of the cases were homicides"))
        assert share == pytest.approx(100 * (frame["kind"] == "Homicide").mean())


@pytest.mark.parametrize("column", ["fine_paid", "fees_charged", "donation_received", "grants_awarded"])
def test_what_was_done_to_an_amount_need_not_be_said(tmp_path: Path, column: str) -> None:
    rng = random.Random(column)
    frame = pd.DataFrame(
        {
            "visit_id": range(300),
            "branch": [rng.choice(["Central", "North", "Oak"]) for _ in range(300)],
            column: [round(rng.uniform(0, 9), 2) for _ in range(300)],
        }
    )
    frame.to_csv(tmp_path / "visits.csv", index=False)
    noun = column.split("_")[0].removesuffix("s") + "s"
    right = frame.groupby("branch")[column].sum()
    with gnomon.open(tmp_path / "visits.csv") as analyst:
        for said in (f"{noun} per branch", f"total {noun} by branch"):
            answer = analyst.ask(said)
            if answer.status is AnswerStatus.ANSWERED:
                assert value(answer) == pytest.approx(right.max()), answer.prose
        assert value(analyst.ask(f"total {noun}")) == pytest.approx(right.sum())


@pytest.mark.parametrize(
    ("table", "kinds"),
    [("airports", "small_airport large_airport"), ("shops", "corner_shop farm_shop pop_up_shop")],
)
def test_what_a_value_is_called_after_are_the_rows(tmp_path: Path, table: str, kinds: str) -> None:
    rng = random.Random(table)
    one = table[:-1]
    held = [rng.choice(kinds.split()) for _ in range(60)]
    things = pd.DataFrame(
        {f"{one}_id": range(60), "height": [rng.randrange(900) for _ in held], "type": held}
    )
    things.to_csv(tmp_path / f"{table}.csv", index=False)
    trips = pd.DataFrame({"trip_id": range(500), "from_id": [rng.randrange(60) for _ in range(500)]})
    trips.rename(columns={"from_id": f"{one}_id"}).to_csv(tmp_path / "trips.csv", index=False)
    with gnomon.open(tmp_path) as analyst:
        for kind in kinds.split():
            said = kind.replace("_", " ").removesuffix(one) + table
            assert value(analyst.ask(f"how many {said} are there")) == held.count(kind)
            right = things[things["type"] == kind]["height"].mean()
            assert value(analyst.ask(f"average height of {said}")) == pytest.approx(right)
