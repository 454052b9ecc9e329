"""Columns related and predicted row by row, against SciPy, scikit-learn and statsmodels on the same rows."""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from gnomon.core.errors import GnomonError
from gnomon.data import open_sources
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, Join, SemanticModel, TableMeaning
from gnomon.semantic.retrieve import Retriever
from gnomon.tools import ToolContext
from gnomon.tools.row_regression import regression_row_tools
from gnomon.tools.row_relations import relation_row_tools

N = 400
KINDS = {
    "size": "number", "yield_t": "number", "grade": "category", "soil": "category", "organic": "category",
    "sown": "time", "flat": "number", "curve": "number", "site": "id",
}  # fmt: skip


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    size = rng.gamma(3, 2, N)
    grade = rng.integers(1, 4, N)
    soil = rng.choice(["clay", "loam", "sand"], N)
    organic = np.where(rng.random(N) < 0.4, "organic", "conventional")
    amount = 2 * size - 1.5 * grade + (organic == "organic") * 3 + rng.normal(0, 3, N)
    amount[::40] = np.nan
    sown = [date(2024, 3, 1) + timedelta(days=int(d)) for d in rng.integers(0, 60, N)]
    curve = (size - size.mean()) ** 2
    return pd.DataFrame(
        {"size": size, "yield_t": amount, "grade": grade, "soil": soil, "organic": organic, "sown": sown,
         "flat": 1.0, "curve": curve, "site": rng.integers(0, 5, N)}
    )  # fmt: skip


@pytest.fixture(scope="module")
def tools(frame: pd.DataFrame) -> dict[str, Any]:
    places = pd.DataFrame({"site": range(5), "height": [10.0, 250.0, 40.0, 90.0, 300.0]})
    held = [
        Dimension(name=n, label=n, type=DimensionType(k), locations=(ColumnRef(table="fields", column=n),))
        for n, k in KINDS.items()
    ]
    height = Dimension(
        name="height",
        label="height",
        type=DimensionType.NUMBER,
        locations=(ColumnRef(table="places", column="height"),),
    )
    model = SemanticModel(
        tables=(
            TableMeaning(name="fields", label="field", rows=N, time_dimension="sown"),
            TableMeaning(name="places", label="place", rows=5, key=("site",)),
        ),
        dimensions=(*held, height),
        joins=(Join(table="fields", column="site", to_table="places", to_column="site"),),
    )
    data = open_sources(
        {
            "fields": pa.Table.from_pandas(frame, preserve_index=False),
            "places": pa.Table.from_pandas(places, preserve_index=False),
        }
    )
    retriever = Retriever.over(data, model)
    made = [*relation_row_tools(model, retriever), *regression_row_tools(retriever)]
    return {t.spec.name: t for t in made}


def related(tools: dict[str, Any], *columns: str, **more: Any) -> list[dict[str, Any]]:
    found = tools["relate_columns"]({"table": "fields", "columns": list(columns), **more}, ToolContext())
    return found["rows"].arrow.to_pylist()


def both_known(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.dropna(subset=["yield_t"])


@pytest.mark.parametrize(
    ("method", "compute"),
    [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)],
)
def test_a_pair_is_related_by_the_method_that_is_named(
    frame: pd.DataFrame, tools: dict[str, Any], method: str, compute: Any
) -> None:
    rows = both_known(frame)
    wanted = compute(rows["size"], rows["yield_t"])
    (pair,) = related(tools, "size", "yield_t", method=method)
    assert pair["coefficient"] == pytest.approx(wanted.statistic, abs=1e-9)
    assert pair["p_value"] == pytest.approx(wanted.pvalue, rel=1e-6)
    assert pair["n"] == len(rows)
    assert pair["rank"] == pytest.approx(stats.spearmanr(rows["size"], rows["yield_t"]).statistic, abs=1e-9)


def test_a_grade_and_one_of_two_values_count_as_numbers_and_a_date_as_days(
    frame: pd.DataFrame, tools: dict[str, Any]
) -> None:
    rows = both_known(frame)
    days = [(d - date(2024, 1, 1)).days for d in rows["sown"]]
    wanted = {
        "grade": stats.pearsonr(rows["grade"], rows["yield_t"]).statistic,
        "organic": stats.pearsonr(rows["organic"] == "organic", rows["yield_t"]).statistic,
        "sown": stats.pearsonr(days, rows["yield_t"]).statistic,
    }
    for pair in related(tools, "yield_t", *wanted, target="yield_t"):
        assert pair["coefficient"] == pytest.approx(wanted[pair["second"]], abs=1e-9)


def test_categories_are_related_by_their_counts(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    (pair,) = related(tools, "soil", "organic")
    table = pd.crosstab(frame["soil"], frame["organic"])
    assert pair["method"] == "cramers_v"
    assert pair["p_value"] == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


def test_a_curve_is_no_line_and_noise_is_nothing(tools: dict[str, Any]) -> None:
    (curved,) = related(tools, "size", "curve")
    (straight,) = related(tools, "size", "yield_t")
    (nothing,) = related(tools, "size", "sown")
    assert (curved["type"], straight["type"], nothing["type"]) == ("nonlinear", "linear", "none")


def test_all_pairs_come_with_the_strongest_first_and_a_constant_is_left_out(tools: dict[str, Any]) -> None:
    found = tools["relate_columns"](
        {"table": "fields", "columns": ["size", "grade", "flat", "yield_t"]}, ToolContext()
    )
    pairs = found["rows"].arrow.to_pylist()
    assert {frozenset((p["first"], p["second"])) for p in pairs} == {
        frozenset(p) for p in (("size", "grade"), ("size", "yield_t"), ("grade", "yield_t"))
    }
    strengths = [abs(p["coefficient"]) for p in pairs]
    assert strengths == sorted(strengths, reverse=True)
    assert "same value" in found["left_out"]["size and flat"]


def test_each_group_has_a_coefficient_of_its_own(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    found = {r["soil"]: r for r in related(tools, "size", "yield_t", by="soil")}
    for soil, rows in both_known(frame).groupby("soil"):
        wanted = stats.pearsonr(rows["size"], rows["yield_t"])
        assert found[soil]["coefficient"] == pytest.approx(wanted.statistic, abs=1e-9)
        assert found[soil]["n"] == len(rows)


def test_conditions_and_periods_narrow_the_rows(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    period = {"start": "2024-03-01", "end": "2024-03-31"}
    loam = [{"field": "soil", "operator": "=", "values": ["loam"]}]
    (pair,) = related(tools, "size", "yield_t", filters=loam, time_range=period)
    rows = both_known(frame)
    rows = rows[(rows["soil"] == "loam") & (rows["sown"] <= date(2024, 3, 31))]
    assert pair["n"] == len(rows)
    assert pair["coefficient"] == pytest.approx(stats.pearsonr(rows["size"], rows["yield_t"]).statistic)


def test_a_column_of_another_table_is_looked_up(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    heights = frame["site"].map({0: 10.0, 1: 250.0, 2: 40.0, 3: 90.0, 4: 300.0})
    (pair,) = related(tools, "size", "height")
    assert pair["coefficient"] == pytest.approx(stats.pearsonr(frame["size"], heights).statistic, abs=1e-9)


def test_very_many_rows_are_related_where_they_lie(
    frame: pd.DataFrame, tools: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.tools.row_relations.MOST_CELLS", N)
    (pair,) = related(tools, "size", "yield_t")
    rows = both_known(frame)
    assert pair["coefficient"] == pytest.approx(stats.pearsonr(rows["size"], rows["yield_t"]).statistic)
    assert pair["rank"] is None
    with pytest.raises(GnomonError, match="more than 200 rows"):
        related(tools, "size", "yield_t", method="spearman")


def test_nothing_is_related_to_a_constant(tools: dict[str, Any]) -> None:
    with pytest.raises(GnomonError, match="same value throughout"):
        related(tools, "size", "flat")


def predicted(tools: dict[str, Any], target: str, *features: str, **more: Any) -> dict[str, Any]:
    given = {"table": "fields", "target": target, "features": list(features), **more}
    return tools["regress_column"](given, ToolContext())


def test_a_line_is_that_of_least_squares(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    import statsmodels.api as sm

    rows = both_known(frame)
    wanted = sm.OLS(rows["yield_t"], sm.add_constant(rows[["size", "grade"]].astype(float))).fit()
    found = predicted(tools, "yield_t", "size", "grade")
    for term in found["rows"].arrow.to_pylist():
        assert term["coefficient"] == pytest.approx(wanted.params[term["term"]])
        assert term["p_value"] == pytest.approx(wanted.pvalues[term["term"]])
    assert found["intercept"] == pytest.approx(wanted.params["const"])
    assert found["r2"] == pytest.approx(wanted.rsquared)
    assert found["scores"]["rmse"] == pytest.approx(np.sqrt((wanted.resid**2).mean()))
    assert (found["trained"], found["tested"], found["left_out_rows"]) == (len(rows), None, N - len(rows))


def test_rows_are_set_apart_as_scikit_learn_does(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.metrics import mean_squared_error
    from sklearn.model_selection import train_test_split

    rows = both_known(frame)
    x_train, x_test, y_train, y_test = train_test_split(
        rows[["size", "grade"]], rows["yield_t"], test_size=0.3, random_state=7
    )
    wanted = mean_squared_error(y_test, LinearRegression().fit(x_train, y_train).predict(x_test))
    found = predicted(tools, "yield_t", "size", "grade", test_share=0.3, seed=7)
    assert found["scores"]["mse"] == pytest.approx(wanted)
    assert (found["trained"], found["tested"], found["seed"]) == (len(y_train), len(y_test), 7)


def test_one_of_two_values_is_told_by_a_logistic_model(frame: pd.DataFrame, tools: dict[str, Any]) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    rows = both_known(frame)
    x_train, x_test, y_train, y_test = train_test_split(
        rows[["yield_t", "size"]], rows["organic"] == "organic", test_size=0.25, random_state=42
    )
    wanted = LogisticRegression(max_iter=5000).fit(x_train, y_train).score(x_test, y_test)
    found = predicted(tools, "organic", "yield_t", "size", test_share=0.25)
    assert found["kind"] == "logistic"
    assert found["levels"]["organic"] == ["conventional", "organic"]
    assert found["scores"]["accuracy"] == pytest.approx(wanted)


def test_categories_are_compared_with_one_of_them_or_numbered(tools: dict[str, Any]) -> None:
    apart = predicted(tools, "size", "soil")
    assert len(apart["rows"].arrow) == 2
    assert apart["baselines"].keys() == {"soil"}
    numbered = predicted(tools, "size", "soil", codes=True)
    assert [t["term"] for t in numbered["rows"].arrow.to_pylist()] == ["soil"]


def test_one_of_several_values_is_not_predicted(tools: dict[str, Any]) -> None:
    with pytest.raises(GnomonError, match="3 different values"):
        predicted(tools, "soil", "size")
