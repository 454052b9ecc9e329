"""What is counted, ranked, measured and tested is what the question names: lists of values, participles, verbs of cause, marks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gnomon
from gnomon.core.answer import Answer

N = 400
DAYS = pd.Series(pd.Timestamp(2024, 1, 1) + pd.to_timedelta(np.arange(N) * 3 // 4, unit="D"))


def _first(answer: Answer) -> object:
    return next((f.value for f in answer.facts), answer.prose)


def _table(rows: str, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            f"{rows[:-1]}_id": range(N),
            "entered_on": DAYS,
            "site": rng.choice(["Ashby", "Brook", "Cove"], N, p=[0.5, 0.3, 0.2]),
            "level": rng.choice(["P1", "P2", "P3"], N),
            "effect": rng.choice(["Fire", "Delay", "Nothing"], N, p=[0.1, 0.3, 0.6]),
            "passed": rng.choice(["yes", "no"], N, p=[0.7, 0.3]),
            "rating": rng.integers(1, 6, N),
        }
    )


@pytest.mark.parametrize("rows", ["tickets", "incidents", "audits"])
def test_rows_behind_a_list_of_values_are_counted(rows: str) -> None:
    table = _table(rows, len(rows))
    some = table[table.level.isin(["P1", "P2"])].site.value_counts()
    with gnomon.open({rows: table}) as analyst:
        for joint in ("and", "or"):
            answer = analyst.ask(f"Which site has the most P1 {joint} P2 {rows}?")
            assert _first(answer) == some.max() and some.index[0] in answer.prose, answer.prose


@pytest.mark.parametrize(
    ("rows", "verb"), [("incidents", "led to"), ("strikes", "caused"), ("faults", "led to")]
)
def test_how_many_is_a_number_whatever_came_of_them(rows: str, verb: str) -> None:
    table = _table(rows, len(verb))
    with gnomon.open({rows: table}) as analyst:
        answer = analyst.ask(f"How many {rows} {verb} a delay?")
        assert _first(answer) == (table.effect == "Delay").sum(), answer.prose


@pytest.mark.parametrize("rows", ["bookings", "calls", "visits"])
def test_rows_that_were_made_are_counted_and_not_what_they_brought(rows: str) -> None:
    table = _table(rows, 5).assign(total_eur=np.random.default_rng(1).integers(10, 900, N))
    other = pd.DataFrame({"shop_id": range(9), "opened_on": pd.date_range("2020-01-01", periods=9)})
    last = table.entered_on.dt.to_period("M") == table.entered_on.max().to_period("M")
    with gnomon.open({rows: table, "shops": other}) as analyst:
        made = analyst.ask(f"{rows} made in June 2024")
        assert _first(made) == (table.entered_on.dt.month == 6).sum(), made.prose
        newest = analyst.ask(f"{rows} made in the last month of the data")
        assert _first(newest) == last.sum(), newest.prose


@pytest.mark.parametrize(("rows", "said"), [("exams", "passed"), ("samples", "passed")])
def test_a_mark_is_tested_by_how_often_it_holds(rows: str, said: str) -> None:
    table = _table(rows, len(rows))
    two = table[table.site.isin(["Ashby", "Brook"])]
    p = stats.chi2_contingency(pd.crosstab(two.site, two.passed), correction=False).pvalue
    with gnomon.open({rows: table}) as analyst:
        answer = analyst.ask(f"Is there a significant difference in {said} between Ashby and Brook?")
        rates = two.groupby("site").passed.apply(lambda s: (s == "yes").mean())
        told = [f.value for f in answer.facts if isinstance(f.value, float)]
        assert all(any(abs(v - r) < 1e-9 or abs(v - 100 * r) < 1e-9 for v in told) for r in rates), (
            answer.prose
        )
        assert answer.prose.startswith("Yes" if p < 0.05 else "No"), answer.prose


def test_the_amount_called_after_the_rows_comes_before_other_amounts() -> None:
    rng = np.random.default_rng(2)
    for rows, amount, other in (("loans", "loan_amount", "paid_total"), ("loans", "loan_amt", "total_cost")):
        table = pd.DataFrame({"state": rng.choice(["TX", "NY"], N), other: rng.integers(1, 50, N) + 9000,
                              amount: rng.integers(1, 900, N), "term": rng.choice([36, 60], N)})  # fmt: skip
        with gnomon.open({rows: table}) as analyst:
            answer = analyst.ask(f"What was the largest {rows[:-1]} in TX?")
            assert _first(answer) == table[table.state == "TX"][amount].max(), answer.prose


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [("habit", ["smoker", "nonsmoker"], "smoking habit"), ("diet", ["vegan", "mixed"], "vegan diet")],
)
def test_a_value_before_its_own_column_is_part_of_the_name_where_it_groups(
    column: str, values: list[str], said: str
) -> None:
    rng = np.random.default_rng(len(said))
    table = _table("births", 3).assign(**{column: rng.choice(values, N)})
    with gnomon.open({"births": table}) as analyst:
        answer = analyst.ask(f"number of births by site and {said}")
        told = {(r[0], r[1]): r[2] for r in answer.tables[0].rows}
        assert told == table.groupby(["site", column]).size().to_dict(), answer.prose


def test_the_difference_between_two_averages_is_told() -> None:
    table = _table("exams", 4).assign(reading=np.arange(N) % 97, math=np.arange(N) % 89)
    with gnomon.open({"exams": table}) as analyst:
        answer = analyst.ask("What is the difference between the average reading and the average math?")
        assert abs(float(str(_first(answer))) - (table.reading.mean() - table.math.mean())) < 1e-9, (
            answer.prose
        )


@pytest.mark.parametrize(("rows", "done"), [("invoices", "invoiced"), ("orders", "ordered")])
def test_what_was_done_to_rows_is_no_group_of_them(rows: str, done: str) -> None:
    table = pd.DataFrame({f"{rows[:-1]}_no": [f"N-{i:04d}" for i in range(N)], f"{rows[:-1]}_date": DAYS,
                          "net_total": np.random.default_rng(6).integers(10, 900, N)})  # fmt: skip
    months = table.groupby(table[f"{rows[:-1]}_date"].dt.to_period("M")).net_total.sum()
    with gnomon.open({rows: table}) as analyst:
        answer = analyst.ask(f"Which month had the highest {done} net total?")
        assert _first(answer) == months.max(), answer.prose


def test_things_whose_names_hardly_come_back_are_the_rows() -> None:
    rng = np.random.default_rng(9)
    names = [f"School {i}" for i in range(N)]
    names[5] = names[6] = names[7] = "School 4"
    table = pd.DataFrame(
        {"district": range(7000, 7000 + N), "school": names, "expenditure": rng.integers(100, 900, N)}
    )
    with gnomon.open({"schools": table}) as analyst:
        answer = analyst.ask("How many schools have an expenditure above 600?")
        assert _first(answer) == (table.expenditure > 600).sum(), answer.prose
        answer = analyst.ask("How many schools have above average expenditure?")
        assert _first(answer) == (table.expenditure > table.expenditure.mean()).sum(), answer.prose
