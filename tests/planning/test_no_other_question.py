"""What is said is answered or refused, and never left out: codes, values beside headings, things that are asked for, shares, prices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

N = 600


def _figures(answer: Answer) -> list[float]:
    return [float(f.value) for f in answer.facts if isinstance(f.value, (int, float))]


def _tells(answer: Answer, *wanted: float) -> bool:
    return all(any(abs(v - w) <= 0.002 * abs(w) + 1e-9 for v in _figures(answer)) for w in wanted)


def _permits(thing: str, place: str, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    received = pd.Timestamp(2023, 1, 2) + pd.to_timedelta(rng.integers(0, 500, N), unit="D")
    return pd.DataFrame(
        {
            f"{thing} Ref": [f"{thing[:2].upper()}/{i:04d}" for i in range(N)],
            place: rng.choice(["Ashby", "Brook", "Cove", "Dell"], N, p=[0.4, 0.3, 0.2, 0.1]),
            "Decision": rng.choice(["Granted", "Refused", "Withdrawn"], N, p=[0.6, 0.3, 0.1]),
            "Date Received": received,
            "Date Decided": received + pd.to_timedelta(rng.integers(5, 200, N), unit="D"),
            "Fee": rng.integers(20, 900, N).astype(float),
        }
    )


@pytest.mark.parametrize(
    ("thing", "place"),
    [("Application", "Ward"), ("Request", "District"), ("Petition", "Parish"), ("Referral", "Site")],
)
def test_a_value_beside_a_heading_is_no_heading_cut_short(thing: str, place: str) -> None:
    table = _permits(thing, place, len(thing))
    things, refused = f"{thing.lower()}s", table.Decision == "Refused"
    share = refused.groupby(table[place]).mean().max()
    many = (refused.groupby(table[place]).sum() > 50).sum()
    with gnomon.open({things: table}) as analyst:
        for asked in (
            f"share of refused {things} by {place.lower()}",
            f"percentage of all {things} refused, by {place.lower()}",
            f"percentage refused by {place.lower()}",
            f"share refused for each {place.lower()}",
        ):
            answer = analyst.ask(asked)
            assert _tells(answer, share), (asked, answer.prose)
        answer = analyst.ask(f"how many {place.lower()}s have more than 50 refused {things}")
        assert _figures(answer)[:1] == [many], answer.prose


@pytest.mark.parametrize("seed", range(3))
def test_what_a_column_says_the_end_of_is_counted_in_every_row(seed: int) -> None:
    table = _permits("Application", "Ward", seed)
    long = (table["Date Decided"] - table["Date Received"]).dt.days > 100
    with gnomon.open({"permits": table}) as analyst:
        answer = analyst.ask("how many decisions took longer than 100 days")
        assert _figures(answer)[:1] == [long.sum()], answer.prose
        assert _figures(analyst.ask("how many different decisions are there"))[:1] == [3]


def _coded(codes: list[str], seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"code": rng.choice(codes, N), "amount": rng.integers(1, 90, N)})


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("store", ["007", "7", "08", "12"]),
        ("store", ["000", "001", "002", "003", "010"]),
        ("version", ["1.1", "1.10", "1.9", "2.0"]),
        ("grade", ["A", "A+", "A-", "B", "B+"]),
        ("language", ["C", "C++", "C#", "Go"]),
        ("grade", ["A*", "A", "B", "C"]),
    ],
)
def test_codes_are_asked_for_as_they_are_written(name: str, codes: list[str]) -> None:
    table = _coded(codes, len(codes)).rename(columns={"code": name})
    with gnomon.open({"sales": table}) as analyst:
        for code in codes:
            answer = analyst.ask(f"total amount for {name} {code}")
            assert _figures(answer)[:1] == [table.amount[table[name] == code].sum()], (code, answer.prose)


def test_two_codes_of_one_number_are_two() -> None:
    table = _coded(["007", "7", "12"], 3).rename(columns={"code": "store"})
    with gnomon.open({"sales": table}) as analyst:
        answer = analyst.ask("total amount for stores 7 and 007")
        assert _tells(answer, *(table.amount[table.store == s].sum() for s in ("7", "007"))), answer.prose
        alone = analyst.ask("total amount for store 0012")
        assert _figures(alone)[:1] == [table.amount[table.store == "12"].sum()], alone.prose


def _bookings(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    slot = rng.choice(["Matinee", "Evening"], N, p=[0.3, 0.7])
    return pd.DataFrame(
        {
            "booking_ref": [f"B{i:05d}" for i in range(N)],
            "played_on": pd.Timestamp(2024, 1, 1) + pd.to_timedelta(rng.integers(0, 300, N), unit="D"),
            "slot": slot,
            "genre": rng.choice(["Drama", "Opera", "Dance"], N),
            "tickets": rng.integers(1, 9, N),
            "amount": rng.integers(10, 400, N).astype(float),
            "courtesy_car": rng.choice(["yes", "no"], N, p=[0.2, 0.8]),
        }
    )


@pytest.mark.parametrize("noun", ["show", "play", "piece", "singer"])
def test_a_thing_that_is_asked_for_is_named_or_nothing_is_told(noun: str) -> None:
    with gnomon.open({"bookings": _bookings(1)}) as analyst:
        for verb in ("brought in the most money", "had the highest amount", "sold the most tickets"):
            answer = analyst.ask(f"Which {noun} {verb}?")
            assert answer.status is not AnswerStatus.ANSWERED, answer.prose
        assert analyst.ask("which amount is the highest?").status is AnswerStatus.ANSWERED


@pytest.mark.parametrize("seed", range(2))
def test_money_of_things_is_not_their_number(seed: int) -> None:
    table = _bookings(seed)
    by_genre = table.groupby("genre").amount.sum()
    with gnomon.open({"bookings": table}) as analyst:
        answer = analyst.ask("ticket revenue per genre")
        assert _tells(answer, by_genre.max(), by_genre.min()), answer.prose
        income = analyst.ask("ticket income per genre")
        assert income.status is not AnswerStatus.ANSWERED or _tells(income, by_genre.max()), income.prose


@pytest.mark.parametrize("seed", range(2))
def test_parts_of_the_day_may_be_values_and_their_days_come_again(seed: int) -> None:
    table = _bookings(seed)
    evening = table.slot == "Evening"
    saturday = table.played_on.dt.dayofweek == 5
    with gnomon.open({"bookings": table}) as analyst:
        assert _tells(analyst.ask("tickets in the evenings"), table.tickets[evening].sum())
        both = analyst.ask("tickets for matinees and for evenings")
        assert _tells(both, table.tickets[evening].sum(), table.tickets[~evening].sum()), both.prose
        weekly = analyst.ask("tickets on Saturday evenings")
        assert _tells(weekly, table.tickets[evening & saturday].sum()), weekly.prose


def test_the_head_of_a_flag_s_name_is_not_the_flag() -> None:
    table = _bookings(3)
    with gnomon.open({"bookings": table}) as analyst:
        marked = table.courtesy_car == "yes"
        assert _tells(analyst.ask("how many bookings have a courtesy car?"), marked.sum())
        answer = analyst.ask("average amount for cars by genre")
        told = table.amount[marked].groupby(table.genre).mean()
        assert answer.status is not AnswerStatus.ANSWERED or not _tells(answer, told.max()), answer.prose


@pytest.mark.parametrize(
    "question",
    [
        "highest amount we ever took, and where",
        "average amount of Drama compared with yesterday's other pieces",
        "how much more does Drama take than foreign ones?",
        "by what percent did tickets grow from the first to the last month?",
    ],
)
def test_what_else_is_asked_is_not_left_out(question: str) -> None:
    with gnomon.open({"bookings": _bookings(4)}) as analyst:
        answer = analyst.ask(question)
        compared = any(word in answer.prose for word in ("more for", "less for", "January 2024"))
        assert answer.status is not AnswerStatus.ANSWERED or compared, answer.prose


def _visits(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    species = rng.choice(["Dog", "Cat"], N, p=[0.75, 0.25])
    return pd.DataFrame(
        {
            "visit_no": range(5000, 5000 + N),
            "visited_on": pd.Timestamp(2024, 1, 1) + pd.to_timedelta(rng.integers(0, 300, N), unit="D"),
            "species": species,
            "cow_tag": [f"DK{n:04d}" for n in rng.integers(0, 60, N)],
            "insured": rng.choice(["Y", "N"], N),
            "fee": np.where(species == "Dog", 100, 140) + rng.integers(0, 30, N),
        }
    )


@pytest.mark.parametrize(
    "question",
    [
        "are dogs more expensive than cats?",
        "how much dearer is a dog than a cat?",
        "do dogs cost more than cats",
        "is the fee higher for dogs than for cats",
        "how much dearer is a dog than a cat on average?",
    ],
)
def test_what_costs_more_is_told_of_one_of_them(question: str) -> None:
    table = _visits(1)
    means = table.groupby("species").fee.mean()
    with gnomon.open({"visits": table}) as analyst:
        answer = analyst.ask(question)
        assert _tells(answer, means["Dog"], means["Cat"]), answer.prose
        total = analyst.ask("is the total fee higher for dogs than for cats")
        assert _tells(total, *table.groupby("species").fee.sum()), total.prose


@pytest.mark.parametrize(
    ("suffix", "noun"), [("tag", "cow"), ("plate", "truck"), ("badge", "porter"), ("ear mark", "sow")]
)
def test_things_are_counted_by_the_mark_that_each_of_them_has(suffix: str, noun: str) -> None:
    rng = np.random.default_rng(7)
    days = pd.date_range("2024-01-01", periods=12, freq="MS")
    rows = [(f"DK{n:04d}", day) for n in range(50) for day in days if rng.random() < 0.8]
    table = pd.DataFrame(rows, columns=[f"{noun} {suffix}", "tested on"])
    table["barn"] = np.where(table[f"{noun} {suffix}"].str[-1].astype(int) < 4, "River", "Hill")
    table["kilos"] = rng.uniform(10, 40, len(table)).round(1)
    river = table[table.barn == "River"][f"{noun} {suffix}"].nunique()
    with gnomon.open({"milk_tests": table}) as analyst:
        answer = analyst.ask(f"How many {noun}s are in the River barn?")
        assert _figures(answer)[:1] == [river], answer.prose


@pytest.mark.parametrize("asked", ["insured and uninsured visits", "insured and not insured visits"])
def test_what_no_row_can_be_at_once_are_two_groups(asked: str) -> None:
    table = _visits(2)
    means = table.groupby("insured").fee.mean()
    with gnomon.open({"visits": table}) as analyst:
        answer = analyst.ask(f"average fee of {asked}")
        assert _tells(answer, *means), answer.prose


@pytest.mark.parametrize("unit", ["weekday", "hour of the day", "month of the year", "quarter of the year"])
def test_parts_of_time_of_rows_without_a_day_are_refused_and_no_error(unit: str) -> None:
    table = _visits(3)[["species", "insured", "fee"]]
    with gnomon.open({"visits": table}) as analyst:
        for asked in (f"average fee by {unit}", f"which {unit} has the highest fee?"):
            assert analyst.ask(asked).status is AnswerStatus.OUT_OF_SCOPE


def test_a_month_that_things_do_happen_in_is_one_of_the_year() -> None:
    table = _visits(4)
    table["visited_on"] += pd.to_timedelta(np.arange(N) % 4 * 365, unit="D")
    months = table.visited_on.dt.month.value_counts()
    with gnomon.open({"visits": table}) as analyst:
        answer = analyst.ask("In which month do most visits happen?")
        assert _figures(answer)[:1] == [months.max()], answer.prose


@pytest.mark.parametrize("word", ["total ", "sum of ", "average of ", "score minus "])
def test_a_word_said_over_and_over_is_no_error(word: str) -> None:
    with gnomon.open({"visits": _visits(5)}) as analyst:
        assert analyst.ask((word * 400)[:1900]).status is not AnswerStatus.ERROR


@pytest.mark.parametrize("mark", ["Yes", "yes", "YES"])
def test_an_empty_cell_of_a_mark_says_no(mark: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {"batch": range(N), "dumped": np.where(rng.random(N) < 0.1, mark, ""), "score": rng.uniform(1, 9, N)}
    )
    path = tmp_path / "batches.csv"
    table.to_csv(path, index=False)
    dumped = table.dumped == mark
    with gnomon.open(path) as analyst:
        for asked, truth in (
            ("how many batches were not dumped", (~dumped).sum()),
            ("average score of batches that were not dumped", table.score[~dumped].mean()),
            ("what share of batches were dumped", dumped.mean()),
        ):
            answer = analyst.ask(asked)
            assert _tells(answer, truth), (asked, answer.prose)


def test_what_rows_are_and_what_says_nothing_are_not_guessed_at_once() -> None:
    table = pd.DataFrame({"name": [f"Gare {i}" for i in range(60)], "passengers": np.arange(60) * 1000})
    with gnomon.open({"part-1": table}) as analyst:
        assert analyst.ask("How many trains stop at Gare 7?").status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(("number", "value"), [("one", 1), ("two", 2), ("3", 3)])
@pytest.mark.parametrize("only", ["", "only ", "just ", "exactly "])
@pytest.mark.parametrize("asked", ["How many {groups} have", "{groups} with"])
@pytest.mark.parametrize(("table", "group"), [("works", "artist"), ("repairs", "garage")])
def test_a_number_of_rows_that_groups_have_is_never_left_out(
    table: str, group: str, asked: str, only: str, number: str, value: int
) -> None:
    many = [f"Name {k}" for k in range(12) for _ in range(1 + k % 4)]
    frame = pd.DataFrame({f"{table[:-1]}_id": range(len(many)), group: many, "price": range(len(many))})
    rows = table if value > 1 else table[:-1]
    answer = gnomon.open({table: frame}).ask(f"{asked.format(groups=f'{group}s')} {only}{number} {rows}")
    assert answer.status is AnswerStatus.ANSWERED
    wanted = int((frame[group].value_counts() == value).sum())
    assert answer.facts[0].value == wanted, answer.prose


def test_what_says_nothing_is_not_told(tmp_path: Path) -> None:
    rows = [
        f"{n},{('Norway', 'Spain')[n % 2]},{n % 4 + 1},{n % 3},{5 * (n % 5)},2024-0{n % 9 + 1}-1{n % 9}"
        for n in range(1, 61)
    ]
    (tmp_path / "bookings.csv").write_text(
        "\n".join(["booking_id,country,adults,children,bonus_pct,check_in", *rows]) + "\n", encoding="utf-8"
    )
    with gnomon.open(tmp_path / "bookings.csv") as analyst:
        for question in ("average number of bookings per booking", "total bonus paid"):
            answer = analyst.ask(question)
            assert answer.status is not AnswerStatus.ANSWERED, answer.prose
        people = analyst.ask("top country by number of adults")
        frame = pd.read_csv(tmp_path / "bookings.csv")
        assert people.facts[0].value == frame.groupby("country")["adults"].sum().max(), people.prose
        assert "Children were " in analyst.ask("how many children").prose
        by_day = analyst.ask("busiest check in day of the week")
        days = pd.to_datetime(frame["check_in"]).dt.day_name().value_counts()
        assert by_day.facts[0].value == days.max() and days.idxmax() in by_day.prose, by_day.prose


@pytest.mark.parametrize("name", ["rate_per_night", "size_in_beds", "cost"])
def test_both_ends_are_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rooms.csv"
    rows = [
        f"{n},{('attic', 'cellar')[n % 2]},{(n * 37) % 91 + 5},2024-0{n % 9 + 1}-1{n % 9}"
        for n in range(1, 61)
    ]
    path.write_text("\n".join([f"room_no,storey,{name},check_out", *rows]) + "\n", encoding="utf-8")
    frame, said = pd.read_csv(path), name.replace("_", " ")
    with gnomon.open(path) as analyst:
        for ends in (f"highest and lowest {said}", f"the lowest and the highest {said}"):
            assert {frame[name].max(), frame[name].min()} <= {f.value for f in analyst.ask(ends).facts}
        days = analyst.ask("earliest and latest check out")
        told = {str(f.value)[:10] for f in days.facts}
        assert {
            frame["check_out"].min(),
            frame["check_out"].max(),
        } <= told or days.status is not AnswerStatus.ANSWERED
