"""Number binding: correct prose passes, wrong prose does not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pytest
from guard_mutations import mutate
from guard_prose import write

from gnomon.core import About, Fact, Filter, FilterOperator, TimeRange
from gnomon.guardrails import Claim, NumberBinding

MARCH = TimeRange(start=date(2024, 3, 1), end=date(2024, 3, 31))
FEBRUARY = TimeRange(start=date(2024, 2, 1), end=date(2024, 2, 29))


def fact(name: str, value: Any, unit: str | None = None, metric: str | None = None, **about: Any) -> Fact:
    kept = {k: about.pop(k) for k in ("period", "filters") if k in about}
    return Fact(name=name, value=value, unit=unit, about=About(metric=metric, group=about, **kept), step="s")


MONTHS = [
    fact("revenue.current", 1238412.33, "USD", "revenue", period=MARCH),
    fact("revenue.previous", 1153000.5, "USD", "revenue", period=FEBRUARY),
    fact("revenue.change_pct", 7.4077, "%", "revenue", period=MARCH),
    fact("revenue.change", 85411.83, "USD", "revenue", period=MARCH),
]
REGIONS = [
    fact("revenue", 10.0, "USD", "revenue", region="West"),
    fact("revenue", 8.0, "USD", "revenue", region="East"),
    fact("revenue", 5.0, "USD", "revenue", region="North"),
    fact("revenue.total", 23.0, "USD", "revenue"),
    fact("revenue.share", 0.4348, "fraction", "revenue", region="West"),
]
SEVERAL = [
    fact("orders", 1240, None, "orders"),
    fact("customers", 310, None, "customers"),
    fact("revenue", 64600.0, "USD", "revenue"),
    fact("orders.change_pct", -2.31, "%", "orders"),
    fact("revenue.change_pct", 5.02, "%", "revenue"),
]
SPENDERS = [
    fact("customers", 42, None, "customers", filters=(Filter(field="spend", operator=FilterOperator.GREATER, values=(10000,)),))
]  # fmt: skip
MEASURES = [
    fact("price.mean", 12.5, "USD", "price"),
    fact("price.median", 9.0, "USD", "price"),
    fact("price.max", 99.0, "USD", "price"),
]
EVENTS = [
    fact("first_order", date(2024, 3, 5), None, "first order"),
    fact("peak_hour", datetime(2024, 3, 5, 14, 30), None, "peak"),
    fact("stores.rank", 3, None, "stores", store="12"),
    fact("p_value", 0.0004, None, "p"),
    fact("r", -0.43, None, "correlation"),
]


def bound(prose: str, facts: Sequence[Fact], names: Sequence[str] = ()) -> bool:
    return all(c.ok for c in NumberBinding().bind(prose, facts, names))


@pytest.mark.parametrize(
    ("facts", "prose"),
    [
        (MONTHS, "Revenue was $1.24 M in March 2024, up 7.4 % from $1.15 M in February 2024."),
        (MONTHS, "Revenue rose from $1.15 M to $1.24 M."),
        (MONTHS, "Revenue rose by $85,412 (7.4 %) to $1,238,412.33 in March 2024."),
        (MONTHS, "Revenue rose in March."),
        (MONTHS, "Revenue was 7.4 % higher than in February 2024."),
        (MONTHS, "Revenue was $1,238,412 in March 2024 compared with $1,153,000 the month before (up 7.4 %)."),
        (MONTHS, "Revenue was 1.238 million dollars in March 2024."),
        (MONTHS, "Over 31 days, revenue was $1.24 M."),
        (REGIONS, "West had the highest revenue ($10) and North the lowest ($5)."),
        (REGIONS, "Revenue was $10 in West, $8 in East and $5 in North."),
        (REGIONS, "West sold $10 of a total of $23 (43 %)."),
        (REGIONS, "Total revenue was $23, of which $10 came from West."),
        (REGIONS, "West is higher than East."),
        (REGIONS, "The top 3 regions by revenue are West ($10), East ($8) and North ($5)."),
        (REGIONS, "West, East and North had revenue of $10, $8 and $5 respectively."),
        (REGIONS, "East ranks second."),
        (REGIONS, "East has the second-highest revenue."),
        (REGIONS, "1. West: $10\n2. East: $8\n3. North: $5"),
        (REGIONS, "West leads with $10 (43.5 % of the total)."),
        (SEVERAL, "There were 1,240 orders from 310 customers worth $64,600."),
        (SEVERAL, "Orders fell 2.3 % while revenue rose 5.0 %."),
        (SEVERAL, "Orders changed by -2.3 % and revenue by +5.0 %."),
        (SEVERAL, "Orders fell."),
        (SPENDERS, "42 customers spent more than 10,000."),
        (SPENDERS, "Forty-two customers spent more than 10,000."),
        (MEASURES, "The mean price is $12.50, the median $9 and the maximum $99."),
        (EVENTS, "The first order was on 5 March 2024."),
        (EVENTS, "The peak was on 2024-03-05 at 14:30."),
        (EVENTS, "Store 12 is 3rd."),
        (EVENTS, "The difference is real (p < 0.001)."),
        (EVENTS, "The two are negatively correlated (r = -0.43)."),
    ],
)  # fmt: skip
def test_correct_prose_is_bound(facts: list[Fact], prose: str) -> None:
    wrong = [(c.text, c.reason) for c in NumberBinding().bind(prose, facts) if not c.ok]
    assert wrong == []


@pytest.mark.parametrize(
    ("facts", "prose"),
    [
        (MONTHS, "Revenue was $1.15 M in March 2024, up 7.4 % from $1.24 M in February 2024."),
        (MONTHS, "Revenue was $1.24 M in March 2024, down 7.4 % from $1.15 M in February 2024."),
        (MONTHS, "Revenue rose from $1.24 M to $1.15 M."),
        (MONTHS, "Revenue fell from $1.15 M to $1.24 M."),
        (MONTHS, "Revenue fell in March."),
        (MONTHS, "Revenue was 7.4 % lower than in February 2024."),
        (MONTHS, "Revenue was $1,153,000 in March 2024 compared with $1,238,412 the month before (up 7.4 %)."),
        (MONTHS, "Revenue was $1.24 K."),
        (MONTHS, "Revenue was €1.24 M."),
        (MONTHS, "Revenue was $1.23 M in March 2024."),
        (MONTHS, "Revenue was $1.24 M in April 2024."),
        (MONTHS, "Revenue was $1.24 M in March 2023."),
        (MONTHS, "Revenue rose 7.4."),
        (MONTHS, "Revenue rose 7.4 pp."),
        (MONTHS, "Revenue doubled."),
        (MONTHS, "Over 30 days, revenue was $1.24 M."),
        (MONTHS, "Revenue was about $1.2 billion."),
        (REGIONS, "West had the lowest revenue ($10) and North the highest ($5)."),
        (REGIONS, "West had the highest revenue ($5) and North the lowest ($10)."),
        (REGIONS, "Revenue was $8 in West, $10 in East and $5 in North."),
        (REGIONS, "West sold $23 of a total of $10 (43 %)."),
        (REGIONS, "Total revenue was $10, of which $23 came from West."),
        (REGIONS, "East is higher than West."),
        (REGIONS, "West is lower than East."),
        (REGIONS, "The bottom 3 regions by revenue are West ($10), East ($8) and North ($5)."),
        (REGIONS, "The top 4 regions by revenue are West ($10), East ($8) and North ($5)."),
        (REGIONS, "West, East and North had revenue of $8, $10 and $5 respectively."),
        (REGIONS, "East ranks third."),
        (REGIONS, "1. West: $8\n2. East: $10\n3. North: $5"),
        (REGIONS, "1. West: $10\n3. East: $8\n2. North: $5"),
        (SEVERAL, "There were 310 orders from 1,240 customers worth $64,600."),
        (SEVERAL, "Orders fell 5.0 % while revenue rose 2.3 %."),
        (SEVERAL, "Orders rose 2.3 % while revenue rose 5.0 %."),
        (SEVERAL, "Revenue fell."),
        (SEVERAL, "Orders changed by 2.3 %."),
        (SEVERAL, "Orders changed by +2.3 % and revenue by +5.0 %."),
        (SPENDERS, "42 customers spent less than 10,000."),
        (SPENDERS, "42 customers spent more than 1,000."),
        (SPENDERS, "Forty-three customers spent more than 10,000."),
        (MEASURES, "The mean price is $9, the median $12.50 and the maximum $99."),
        (EVENTS, "The first order was on 6 March 2024."),
        (EVENTS, "The peak was on 2024-03-05 at 15:30."),
        (EVENTS, "Store 12 is 4th."),
        (EVENTS, "The two are positively correlated (r = 0.43)."),
        ([], "Revenue rose sharply."),
        ([], "There were 12 orders."),
        ([], "Sales peaked in May 2024."),
    ],
)  # fmt: skip
def test_wrong_prose_is_not_bound(facts: list[Fact], prose: str) -> None:
    assert not bound(prose, facts)


@pytest.mark.parametrize(
    "prose",
    [
        "There is no conversion rate in this data; it has orders and revenue.",
        "See the table below for more details, broken down by region.",
        "Did you mean the first column or the most recent one?",
        "COVID-19 and SKU-204 are names; B2B too.",
    ],
)
def test_prose_without_claims_needs_no_facts(prose: str) -> None:
    assert bound(prose, [])


def test_digits_inside_names_are_no_claims() -> None:
    facts = [fact("units", 77, None, "units", product="Model 300")]
    assert bound("Model 300 sold 77 units.", facts)
    assert not bound("Model 300 sold 300 units.", facts)
    assert bound("You asked about Windows 11 and the last 30 days.", [], ["Windows 11", "last 30 days"])
    assert not bound("You asked about Windows 11 and the last 30 days.", [])


def test_a_claim_carries_what_was_bound() -> None:
    (claim,) = [c for c in NumberBinding().bind("Revenue was $1.24 M.", MONTHS) if c.kind == "number"]
    assert (claim.text, claim.value, claim.unit, claim.ok) == ("$1.24 M", 1_240_000.0, "USD", True)
    assert claim.fact is MONTHS[0]
    assert "Revenue was $1.24 M."[claim.start : claim.end] == claim.text


@pytest.mark.long
def test_correct_prose_of_every_wording_is_accepted() -> None:
    blocked: list[tuple[str, list[Claim]]] = []
    for seed in range(1500):
        sample = write(seed)
        claims = NumberBinding().bind(sample.prose, sample.facts, sample.names)
        if not all(c.ok for c in claims):
            blocked.append((sample.prose, [c for c in claims if not c.ok]))
    assert blocked == []


def test_a_thousand_random_mutations_are_all_blocked() -> None:
    rng = random.Random(7)
    missed: list[tuple[str, str]] = []
    kinds: dict[str, int] = {}
    seed = 50_000
    while sum(kinds.values()) < 1000:
        seed += 1
        sample = write(seed)
        wrong = mutate(sample, rng)
        if wrong is None:
            continue
        kinds[wrong[0]] = kinds.get(wrong[0], 0) + 1
        if bound(wrong[1], sample.facts, sample.names):
            missed.append(wrong)
    assert missed == []
    assert set(kinds) == {
        "digit",
        "sign",
        "unit",
        "percent",
        "number word",
        "fraction",
        "scale",
        "direction",
        "swap",
    }
