"""Models as files: what is written can be read back, corrections are laid over, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.semantic import shop

import gnomon
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data import DatasetProfile, open_sources, profile_dataset
from gnomon.semantic import (
    Additivity,
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Direction,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
    dump_model,
    infer_model,
    load_model,
    with_correction,
)


@pytest.fixture(scope="module")
def profile() -> DatasetProfile:
    return profile_dataset(open_sources(shop.frames()))


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12
).map(lambda t: t.replace("`", "'").strip() or "x")
WORDS = st.text("abc -:#'\"%é売", min_size=1, max_size=10).map(lambda t: " ".join(t.split()) or "w")
COLUMNS = st.lists(NAMES, min_size=1, max_size=4, unique=True)
VALUES = st.one_of(st.integers(-5, 5), st.booleans(), WORDS, st.floats(-9, 9))


@st.composite
def models(draw: st.DrawFn) -> SemanticModel:
    """A model with odd names over one table."""
    table, columns = draw(NAMES), draw(COLUMNS)
    dimensions = tuple(
        Dimension(
            name=c,
            label=draw(WORDS),
            type=draw(st.sampled_from(list(DimensionType))),
            locations=(ColumnRef(table=table, column=c),),
            synonyms=tuple(draw(st.lists(WORDS, max_size=2, unique=True))),
            personal=draw(st.booleans()),
            unit=draw(st.none() | WORDS),
        )
        for c in columns
    )
    metrics = tuple(
        Metric(
            name=f"m{i} {c}",
            label=draw(WORDS),
            table=table,
            aggregation=draw(st.sampled_from(list(Aggregation))),
            expression=f"`{c}` * 2",
            where=(Filter(field=c, operator=FilterOperator.EQUALS, values=(draw(VALUES),)),),
            additivity=draw(st.sampled_from(list(Additivity))),
            direction=draw(st.sampled_from(list(Direction))),
            description=draw(WORDS),
        )
        for i, c in enumerate(columns)
    )
    return SemanticModel(
        tables=(
            TableMeaning(
                name=table, label=draw(WORDS), key=(columns[0],), rows=draw(st.none() | st.integers(0, 9))
            ),
        ),
        metrics=(*metrics, Metric(name="ratio", label="ratio", formula=f"`{metrics[0].name}` - 1")),
        dimensions=dimensions,
        joins=(Join(table=table, column=columns[0], to_table=table, to_column=columns[-1]),),
        preferred={draw(WORDS): metrics[0].name} if draw(st.booleans()) else {},
    )


@pytest.mark.long
@given(model=models())
def test_what_is_written_can_be_read_back(model: SemanticModel) -> None:
    settled = model
    for phrase, target in model.preferred.items():
        settled = with_correction(settled, phrase, target)
    assert load_model(dump_model(settled)) == settled


def test_an_inferred_model_survives_the_file(profile: DatasetProfile) -> None:
    model = infer_model(profile)
    text = dump_model(model)
    assert text.startswith("# What these tables mean.")
    assert load_model(text, profile) == model


def test_a_file_may_hold_corrections_only(profile: DatasetProfile) -> None:
    text = """
    metrics:
      - name: revenue
        unit: EUR
      - name: big_orders
        table: orders
        aggregation: count
        where: [{field: quantity, operator: ">=", values: [4]}]
      - name: sessions
        remove: true
    synonyms:
      sales: average_unit_price
    """
    model, before = load_model(text, profile), infer_model(profile)
    assert model.metric("revenue").unit == "EUR"
    assert model.metric("revenue").expression == before.metric("revenue").expression
    assert model.metric("big_orders").label == "big orders"
    assert "sessions" in {m.name for m in before.metrics}
    assert "sessions" not in {m.name for m in model.metrics}
    assert model.dimensions == before.dimensions


def test_a_correction_wins_over_other_names() -> None:
    model = infer_model(
        profile_dataset(
            open_sources(
                {
                    "orders": pd.DataFrame(
                        {"order_id": [1, 2, 3], "revenue": [1.5, 2.5, 9.0], "net_revenue": [1.0, 2.0, 8.0]}
                    )
                }
            )
        )
    )
    assert "sales" in model.metric("revenue").synonyms
    corrected = with_correction(model, "  Sales ", "net revenue")
    assert corrected.metric("net_revenue").synonyms[0] == "sales"
    assert "sales" not in corrected.metric("revenue").synonyms
    assert corrected.preferred == {"sales": "net_revenue"}
    kept = load_model(dump_model(corrected), model)
    assert kept.preferred == {"sales": "net_revenue"}
    assert "sales" not in kept.metric("revenue").synonyms


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("metrics: [", "not valid YAML at line"),
        ("- a", "has to be names with values"),
        ("metrix: []", "Did you mean 'metrics'"),
        ("metrics: [{table: orders}]", "metrics: entry 1 has no name"),
        ("metrics: [{name: x, table: orders, aggregation: total}]", "metrics: x: aggregation"),
        ("metrics: [{name: x, table: orders, aggregation: sum, expresion: quantity}]", "did you mean 'expression'"),
        ("metrics: [{name: x, table: order, aggregation: count}]", "Did you mean 'orders'"),
        ("metrics: [{name: x, table: orders, aggregation: sum, expression: quantty}]", "Did you mean 'quantity'"),
        ("metrics: [{name: x, table: orders, aggregation: sum, expression: 'quantity ** 2'}]", "not arithmetic"),
        ("metrics: [{name: x, formula: revenu / orders}]", "revenu"),
        ("metrics: [{name: x, formula: 1 + x}]", "made of itself"),
        ("metrics: [{name: x, table: orders}]", "aggregation is missing"),
        ("metrics: [{name: x, label: y}]", "either a table"),
        ("dimensions: [{name: x, type: category, locations: [orders.chanel]}]", "Did you mean 'channel'"),
        ("dimensions: [{name: x, type: category, locations: [channel]}]", "no column"),
        ("tables: [{name: orders, time_dimension: nothing}]", "tables: orders"),
        ("joins: [orders.product_id]", "no join"),
        ("synonyms: {sales: nothing}", "nothing"),
    ],
)  # fmt: skip
def test_mistakes_are_named(profile: DatasetProfile, text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as told:
        load_model(text, profile)
    assert said in told.value.message


def test_a_correction_needs_something_to_mean() -> None:
    with pytest.raises(NotFound, match="Did you mean 'revenue'"):
        with_correction(shop.model(), "sales", "revenu")


def test_a_copy_of_a_model_looks_names_up_among_its_own_parts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("kind,size\n" + "\n".join(f"k{i % 3},{i * 1.5}" for i in range(60)))
    with gnomon.open(tmp_path / "a.csv") as analyst:
        model = analyst.model
        first = model.metric(model.metrics[0].name)
        further = first.model_copy(update={"name": "further", "label": "further"})
        copied = model.model_copy(update={"metrics": (*model.metrics, further)})
        assert copied.metric("further") == further
        assert copied.model_copy(update={"metrics": model.metrics}).metric(first.name) == first
