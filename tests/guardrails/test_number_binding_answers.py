"""Number binding over answers as the presenter words them: trends, rankings, shares, yardsticks, conditions."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from gnomon.core import About, Fact, Filter, FilterOperator, TimeRange
from gnomon.guardrails import NumberBinding

JANUARY, FEBRUARY, MARCH = (
    TimeRange(start=date(2024, m, 1), end=date(2024, m, d)) for m, d in ((1, 31), (2, 29), (3, 31))
)


def fact(name: str, value: Any, unit: str | None = None, metric: str | None = None, **about: Any) -> Fact:
    kept = {k: about.pop(k) for k in ("period", "filters") if k in about}
    return Fact(name=name, value=value, unit=unit, about=About(metric=metric, group=about, **kept), step="s")


def bound(prose: str, facts: list[Fact], *names: str) -> bool:
    return all(c.ok for c in NumberBinding().bind(prose, facts, names))


def money(name: str, value: float, **about: Any) -> Fact:
    return fact(f"revenue.{name}", value, "USD", "revenue", **about)


def percent(name: str, value: float, **about: Any) -> Fact:
    return fact(f"revenue.{name}", value, "%", "revenue", **about)


TREND = [
    money("first", 1153000.5, period=FEBRUARY),
    money("last", 1238412.33, period=MARCH),
    percent("change_pct", 7.4077),
    money("highest", 1238412.33, period=MARCH),
    money("lowest", 900.5, period=JANUARY),
]
RANKED = [
    money("top", 10.5, period=MARCH, region="West"),
    percent("top_share", 30.0, period=MARCH, region="West"),
    money("total", 35.0, period=MARCH),
    money("bottom", 2.0, period=MARCH, region="East"),
]
SHARE = [percent("share", 30.0), money("part", 3.0), money("whole", 10.0)]
YARDSTICK = [
    money("current", 10.0),
    money("benchmark", 9.5),
    money("change", 0.5),
    percent("change_pct", 5.263),
]
MOVED = [
    money("west.change", 5.0, period=MARCH, region="West"),
    money("east.change", -3.0, period=MARCH, region="East"),
    money("previous", 9.0, period=FEBRUARY),
]
FORECAST = [
    fact("sales.forecast", 120.5, "USD", "sales"),
    fact("sales.lower", 100.0, "USD", "sales"),
    fact("sales.upper", 140.0, "USD", "sales"),
]
CLASSES = [fact("age.top", 38.23, None, "age", pclass="1"), fact("age.bottom", 25.1, None, "age", pclass="3")]
MEANS = [fact("mean_price", 10.2, "USD", "mean_price"), fact("sum_price", 1000.5, "USD", "sum_price")]


@pytest.mark.parametrize(
    ("facts", "right", "wrong"),
    [
        (
            TREND,
            "Revenue rose from $1.15 M in February 2024 to $1.24 M in March 2024, up 7.4 %. It was highest in March 2024 "
            "($1.24 M) and lowest in January 2024 ($900.50).\n\nRead as: revenue by month, all days.",
            "Revenue rose from $1.15 M in February 2024 to $1.24 M in March 2024, up 7.4 %. It was lowest in March 2024 "
            "($1.24 M) and highest in January 2024 ($900.50).",
        ),
        (
            RANKED,
            "Revenue in March 2024 was highest for West ($10.50, 30 % of $35) and lowest for East ($2).",
            "Revenue in March 2024 was highest for West ($2, 30 % of $35) and lowest for East ($10.50).",
        ),
        (
            RANKED[:1],
            "West had the highest revenue in March 2024: $10.50, followed by East and North.",
            "West had the lowest revenue in March 2024: $10.50, followed by East and North.",
        ),
        (SHARE, "West made up 30 % of revenue: $3 of $10.", "West made up 30 % of revenue: $10 of $3."),
        (YARDSTICK, "Revenue was $10, 5.3 % above the target ($9.50).", "Revenue was $10, 5.3 % below the target ($9.50)."),
        (YARDSTICK, "Revenue was $10, 5.3 % above the target ($9.50).", "Revenue was $9.50, 5.3 % above the target ($10)."),
        (
            MOVED,
            "Revenue in March 2024 rose most for West (by $5) and fell most for East (by $3) compared with February 2024.",
            "Revenue in March 2024 rose most for West (by $5) and rose most for East (by $3) compared with February 2024.",
        ),
        (
            FORECAST,
            "Sales are expected to be $120.50, between $100 and $140.",
            "Sales are expected to be $120.50, between $140 and $100.",
        ),
        (
            CLASSES,
            "Age was highest for 1 (38.23) and lowest for 3 (25.1).",
            "Age was highest for 3 (38.23) and lowest for 1 (25.1).",
        ),
        (
            MEANS,
            "Average price was $10.20. Total price was $1,000.50.",
            "Average price was $1,000.50. Total price was $10.20.",
        ),
    ],
)  # fmt: skip
def test_an_answer_passes_and_its_wrong_twin_does_not(facts: list[Fact], right: str, wrong: str) -> None:
    assert [(c.text, c.reason) for c in NumberBinding().bind(right, facts) if not c.ok] == []
    assert not bound(wrong, facts)


@pytest.mark.parametrize(
    ("operator", "values", "right", "wrong"),
    [
        (FilterOperator.GREATER, (20,), "with unit price above $20", "with unit price below $20"),
        (FilterOperator.AT_MOST, (20,), "with unit price at most $20", "with unit price at least $20"),
        (
            FilterOperator.BETWEEN,
            (10, 20),
            "with unit price from $10 to $20",
            "with unit price from $10 to $30",
        ),
        (FilterOperator.EQUALS, (3,), "with unit price 3", "with unit price 4"),
    ],
)
def test_conditions_are_told_as_they_were_applied(
    operator: FilterOperator, values: tuple[int, ...], right: str, wrong: str
) -> None:
    condition = Filter(field="unit_price", operator=operator, values=values)
    facts = [
        fact("orders", 12, None, "orders", filters=(condition,)),
        money("total", 500.0, filters=(condition,)),
    ]
    assert bound(f"There were 12 orders {right}.", facts)
    assert not bound(f"There were 12 orders {wrong}.", facts)


def test_rest_of_a_list_is_a_count_not_a_direction() -> None:
    facts = [fact("orders.top", 7, None, "orders", region="West"), fact("tied", 3, None, "orders")]
    assert bound("West, A, B, C, D and 3 more tie for the most orders: 7 each.", facts)
    assert not bound("West, A, B, C, D and 4 more tie for the most orders: 7 each.", facts)


def test_a_coefficient_and_the_rows_behind_it_do_not_change_places() -> None:
    facts = [fact("correlation", 0.0961), fact("pairs.count", 714, "rows")]
    assert bound("There is practically no correlation: r = 0.096 across 714 rows.", facts)
    assert not bound("There is practically no correlation: r = 714 across 0.096 rows.", facts)


def test_none_at_all_is_a_number_too() -> None:
    assert bound("There were no orders.", [fact("orders", 0, None, "orders")])
    assert not bound("There were no orders.", [fact("orders", 5, None, "orders")])


def test_digits_passed_as_names_excuse_no_figures() -> None:
    facts = [fact("units", 77, None, "units", store="12")]
    assert bound("Store 12 sold 77 units.", facts, "12", "45")
    assert not bound("Store 12 sold 45 units.", facts, "12", "45")
    assert not bound("Store 12 received 45 units.", facts, "12", "45")


def test_the_lowest_of_several_maxima_is_no_maximum() -> None:
    facts = [
        fact("price.max.top", 27.56, metric="max(show.price)", style="Craft"),
        fact("price.max.bottom", 22.58, metric="max(show.price)", style="Heritage"),
    ]
    assert bound("Maximum price was highest for Craft (27.56) and lowest for Heritage (22.58).", facts)
    assert not bound("Maximum price was lowest for Craft (27.56) and highest for Heritage (22.58).", facts)


def test_rows_without_a_percentage_are_counted_and_are_no_percentage() -> None:
    facts = [
        fact("moisture_percentage.top", 14.639, "%", "moisture_percentage", crop="Rapeseed"),
        fact("moisture_percentage.rows_without_value", 21, None, "moisture_percentage"),
    ]
    told = "Note: {} rows have no value for moisture percentage and are left out."
    assert bound(told.format(21), facts)
    assert not bound(told.format(22), facts)
    assert not bound("21 % have no value for moisture percentage.", facts)


@pytest.mark.parametrize("unit", ["mg/L", "km/h", "m/s", "kg/ha", "USD/kg"])
def test_a_unit_over_another_is_one_unit(unit: str) -> None:
    facts = [fact("nitrate.value", 4.2833, unit, "nitrate")]
    assert bound(f"Nitrate was 4.28 {unit}.", facts)
    assert not bound(f"Nitrate was 4.38 {unit}.", facts)
    assert not bound("Nitrate was 4.28 kg.", facts)
    assert not bound("Nitrate was 4.28 g/L.", facts)
