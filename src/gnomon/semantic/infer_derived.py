"""Metrics that no column holds but several make: revenue, profit, margin, order value, conversion, durations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gnomon.data import ColumnProfile, Role, TableProfile
from gnomon.semantic.durations import durations
from gnomon.semantic.labels import full_words, lower_words, slug
from gnomon.semantic.measures import is_measure, lies_there, names_stock
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    Direction,
    Metric,
    TableMeaning,
    quoted,
    singular,
)
from gnomon.semantic.sold_things import sold_thing
from gnomon.semantic.units import measured
from gnomon.semantic.vocabulary import vocabulary

if TYPE_CHECKING:
    from gnomon.data import Dataset


def row_derived(
    table: TableProfile, present: Iterable[Metric], dataset: Dataset | None = None
) -> list[Metric]:
    """Metrics made of several columns of one table.

    Args:
        table: What the table holds.
        present: The metrics that single columns make.
        dataset: The tables themselves, to see how long things take.
    """
    found: list[Metric] = []
    names = {m.name for m in present}
    quantity = _column(table, "quantity")
    thing = sold_thing(table)
    if not _holds(table, "revenue") and (price := _column(table, "unit_price")) and quantity:
        found.append(_revenue(table, quantity, price))
    elif not _holds(table, "revenue") and thing is not None:
        found.append(_revenue(table, thing.quantity, thing.price))
    unit_cost = _column(table, "unit_cost")
    if not _column(table, "cost") and unit_cost and quantity and "cost" not in names:
        found.append(
            Metric(
                name="total_cost",
                label="cost",
                table=table.name,
                aggregation=Aggregation.SUM,
                expression=f"{quoted(quantity.name)} * {quoted(unit_cost.name)}",
                unit=unit_cost.unit,
                direction=Direction.LOWER_IS_BETTER,
                synonyms=("total cost", "costs", "expenses"),
                description=f"{measured(quantity.name).label} times {measured(unit_cost.name).label}, summed.",
            )
        )
    if (stored := _stored(table)) is not None and (each := unit_cost or _column(table, "unit_price")):
        found.append(_worth(table, stored, each))
    made = {*names, *(m.name for m in found)}
    return found + [
        m for m in durations(table, dataset) if m.name not in made
    ]  # a column that holds it is surer


def _stored(table: TableProfile) -> ColumnProfile | None:
    """The one column that says how much of each thing there is, each thing told once."""
    found = [c for c in table.columns if is_measure(c) and names_stock(c.name) and lies_there(c, table)]
    return found[0] if len(found) == 1 else None


def _worth(table: TableProfile, stored: ColumnProfile, each: ColumnProfile) -> Metric:
    return Metric(
        name="stock_value",
        label="stock value",
        table=table.name,
        aggregation=Aggregation.SUM,
        expression=f"{quoted(stored.name)} * {quoted(each.name)}",
        unit=each.unit,
        synonyms=(
            "inventory value",
            "value of stock",
            "value of inventory",
            "value of the stock",
            "stock worth",
        ),
        description=f"{measured(stored.name).label} times {measured(each.name).label}, summed.",
    )


def _column(table: TableProfile, role: str) -> ColumnProfile | None:
    """The column of numbers that carries one of the names of ``role``, the most telling name first."""
    by_label = {" ".join(map(singular, _plain_words(c))): c for c in table.columns if is_measure(c)}
    for phrase in vocabulary().phrases[role]:
        if found := by_label.get(" ".join(map(singular, phrase.split()))):
            return found
    return None


def _plain_words(column: ColumnProfile) -> list[str]:
    """The words of a heading without its unit: unit cost, of “Unit Cost ($)” and of unit_cost_eur."""
    return lower_words(measured(column.name).label)


def _holds(table: TableProfile, role: str) -> ColumnProfile | None:
    """A column of numbers one of whose words is one of ``role``'s."""
    known = set(vocabulary().phrases[role])
    for c in table.columns:
        words = full_words(c.name)
        if is_measure(c) and c.role is not Role.PERCENT and known & set(words) and "per" not in words:
            return c
    return None


def _revenue(table: TableProfile, quantity: ColumnProfile, price: ColumnProfile) -> Metric:
    expression = f"{quoted(quantity.name)} * {quoted(price.name)}"
    said = f"{measured(quantity.name).label} times {measured(price.name).label}"
    discount = next(
        (
            c
            for c in table.columns
            if is_measure(c) and "discount" in full_words(c.name) and c.minimum is not None
        ),
        None,
    )
    if discount is not None and float(discount.minimum) >= 0:
        if float(discount.maximum) <= 1:
            expression += f" * (1 - {quoted(discount.name)})"
            said += ", less the discount"
        elif discount.unit == "%" or discount.role is Role.PERCENT:
            expression += f" * (1 - {quoted(discount.name)} / 100)"
            said += ", less the discount"
        elif discount.role is Role.MONEY:
            expression += f" - {quoted(discount.name)}"
            said += ", less the discount"
    return Metric(
        name="revenue",
        label="revenue",
        table=table.name,
        aggregation=Aggregation.SUM,
        expression=expression,
        unit=price.unit,
        direction=Direction.HIGHER_IS_BETTER,
        synonyms=("sales", "total sales", "turnover", "sales amount", "sales revenue"),
        description=f"{said}, summed.",
    )


def formula_metrics(metrics: list[Metric], tables: dict[str, TableMeaning]) -> list[Metric]:
    """Ratios and differences of metrics that are there: profit, margin, average order value, conversion rate."""
    found: list[Metric] = []
    revenue = _named(metrics, vocabulary().phrases["revenue"])
    revenue = revenue or next((m for m in metrics if "revenue" in m.synonyms), None)
    cost = _named(metrics, ("cost", "costs", "total_cost", "cogs"))
    profit = _named(metrics, vocabulary().phrases["profit"])
    if revenue and cost and not profit and revenue.table == cost.table:
        profit = _formula(
            "profit",
            f"{_ref(revenue)} - {_ref(cost)}",
            revenue,
            ("gross profit", "earnings"),
            unit=revenue.unit,
            additive=True,
        )
        found.append(profit)
    if revenue and profit and not _named(metrics, ("margin",)):
        found.append(
            _formula(
                "margin",
                f"{_ref(profit)} / {_ref(revenue)}",
                revenue,
                ("profit margin", "gross margin", "profit rate"),
                unit="fraction",
            )
        )
    orders = next((m for m in metrics if _counts(m, "orders")), None)
    if revenue and orders and revenue.table == orders.table:
        found.append(
            _formula("average order value", f"{_ref(revenue)} / {_ref(orders)}", revenue,
                     ("aov", "basket size", "average basket", "order value", "revenue per order", "sales per order"), unit=revenue.unit)
        )  # fmt: skip
    spent = next((m for m in metrics if m.additivity is Additivity.ADDITIVE and _is_advertising(m)), None)
    if revenue and spent and not _named(metrics, ("roas",)):
        found.append(
            _formula("return on ad spend", f"{_ref(revenue)} / {_ref(spent)}", revenue,
                     ("roas", "return on advertising spend", f"return on {spent.label}"), unit=None)
        )  # fmt: skip
    sessions = next((m for m in metrics if _counts(m, "sessions") or m.name in ("sessions", "visits")), None)
    if orders and sessions and not _named(metrics, ("conversion_rate", "average_conversion_rate")):
        found.append(
            _formula(
                "conversion rate",
                f"{_ref(orders)} / {_ref(sessions)}",
                orders,
                ("conversion", "cvr", "orders per session"),
                unit="fraction",
            )
        )
    return found


def _named(metrics: Iterable[Metric], names: Iterable[str]) -> Metric | None:
    known = set(names)
    additive = [
        m for m in metrics if m.additivity is Additivity.ADDITIVE and m.aggregation is not Aggregation.COUNT
    ]
    exact = next((m for m in additive if m.name in known), None)
    return exact or next(
        (m for m in additive if known & set(full_words(m.name)) and len(full_words(m.name)) <= 2), None
    )


def _is_advertising(metric: Metric) -> bool:
    return "advertising spend" in (metric.label, *metric.synonyms)


def _counts(metric: Metric, role: str) -> bool:
    entities = vocabulary().phrases[role]
    return metric.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT) and any(
        metric.label == f"number of {e}s" for e in entities
    )


def _ref(metric: Metric) -> str:
    return quoted(metric.name)


def _formula(
    label: str,
    formula: str,
    base: Metric,
    synonyms: tuple[str, ...],
    *,
    unit: str | None,
    additive: bool = False,
) -> Metric:
    return Metric(
        name=slug(label),
        label=label,
        formula=formula,
        unit=unit,
        additivity=Additivity.ADDITIVE if additive else Additivity.NON_ADDITIVE,
        direction=Direction.HIGHER_IS_BETTER,
        synonyms=synonyms,
        business_dimension=base.business_dimension,
        time_dimension=base.time_dimension,
        description=f"{formula}.".replace("_", " ").replace("`", ""),
    )
