"""A metric against the benchmark that the data brings along."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest
from tests.analytics.small_store import model, tables

from gnomon.analytics.benchmarking import Benchmarked, benchmark_metric
from gnomon.core.query import TimeRange
from gnomon.data import open_sources
from gnomon.semantic import Retriever
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, SemanticModel, TableMeaning

PERIOD = TimeRange(start=date(2024, 5, 1), end=date(2024, 5, 21))
QUARTILES = {
    "k0": (0.08, 0.1, 0.12),
    "k1": (0.1, 0.12, 0.14),
    "k2": (0.05, 0.06, 0.07),
    "k3": (0.09, 0.11, 0.13),
}


def _published() -> pd.DataFrame:
    return pd.DataFrame([
        {"month": date(2024, m, 1), "category": k, "metric": name, "upper": q[2], "lower": q[0], "central": q[1]}
        for m in (4, 5, 6) for k, q in QUARTILES.items() for name in ("conversion", "something_else")
    ])  # fmt: skip


def _meaning() -> SemanticModel:
    base = model()

    def own(name: str, kind: DimensionType, **more: object) -> Dimension:
        return Dimension(
            name=name, label=name, type=kind, locations=(ColumnRef(table="rivals", column=name),), **more
        )  # type: ignore[arg-type]

    category = base.dimension("category")
    shared = category.model_copy(
        update={"locations": (*category.locations, ColumnRef(table="rivals", column="category"))}
    )
    kept = tuple(shared if d.name == "category" else d for d in base.dimensions)
    added = (
        own("month", DimensionType.TIME), own("metric", DimensionType.CATEGORY, distinct=2),
        *(own(c, DimensionType.NUMBER) for c in ("upper", "lower", "central")),
    )  # fmt: skip
    table = TableMeaning(name="rivals", label="rival", time_dimension="month")
    return SemanticModel(
        tables=(*base.tables, table), dimensions=(*kept, *added), metrics=base.metrics, joins=base.joins
    )


@pytest.fixture(scope="module")
def found() -> Benchmarked:
    held = {**tables("nothing"), "rivals": _published()}
    with open_sources(held) as dataset:
        return benchmark_metric(Retriever.over(dataset, _meaning()), "conversion", PERIOD)


def _own(category: str | None = None) -> tuple[float, float, float]:
    held = tables("nothing")
    orders = held["orders"].merge(held["products"], on="product_id")
    traffic = held["traffic"].merge(held["products"], on="product_id")
    orders = orders[orders["order_date"].between(str(PERIOD.start), str(PERIOD.end))]
    traffic = traffic[traffic["date"].between(str(PERIOD.start), str(PERIOD.end))]
    if category:
        orders, traffic = orders[orders["category"] == category], traffic[traffic["category"] == category]
    return float(len(orders)), float(traffic["sessions"].sum()), float(orders["revenue"].sum())


def test_the_table_is_known_by_what_it_holds_and_quartiles_by_their_size(found):
    placed = {p.segment[0][1]: p.position for p in found.by_segment}
    assert set(placed) == set(QUARTILES)
    for k, p in placed.items():
        assert (p.low, p.middle, p.high) == pytest.approx(QUARTILES[k])


def test_own_figures_are_those_of_the_rows(found):
    orders, sessions, _ = _own()
    assert found.value == pytest.approx(orders / sessions)
    for placed in found.by_segment:
        own, visits, _ = _own(str(placed.segment[0][1]))
        assert placed.position.value == pytest.approx(own / visits)


def test_the_whole_is_held_against_the_same_mix(found):
    weights = {k: _own(k)[1] for k in QUARTILES}
    middle = sum(weights[k] * q[1] for k, q in QUARTILES.items()) / sum(weights.values())
    assert found.published is not None
    assert found.published.middle == pytest.approx(middle)


def test_gaps_are_worth_what_the_missing_orders_would_bring(found):
    orders, _, revenue = _own()
    worst = found.by_segment[0]
    own, visits, _ = _own(str(worst.segment[0][1]))
    missing = max(0.0, worst.position.middle - own / visits) * visits
    assert found.worth_label == "revenue"
    assert worst.position.worth == pytest.approx(missing * revenue / orders)


def test_it_also_stands_among_its_own_past_and_its_peers(found):
    assert found.past is not None and found.past.count == 5  # as many periods of 21 days lie before it
    assert len(found.peers) == 4
    assert found.peers[0].position.gap <= found.peers[-1].position.gap


def test_without_a_benchmark_there_are_still_past_and_peers():
    with open_sources(tables("nothing")) as dataset:
        told = benchmark_metric(Retriever.over(dataset, model()), "conversion", PERIOD, peers_by="category")
    assert told.published is None and told.by_segment == ()
    assert told.past is not None and len(told.peers) == 4
