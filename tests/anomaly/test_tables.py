"""Real tables become a matrix: names kept, gaps filled, every change told, new rows treated alike."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.registry import build
from gnomon.anomaly.tables import prepare_table
from gnomon.core.errors import DataUnavailable, InvalidInput

N = 300


def mixed(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "order_id": np.arange(1000, 1000 + N),
            "code": [f"c-{i:05d}" for i in range(N)],
            "amount": rng.lognormal(3, 1, N),
            "units": rng.integers(1, 9, N),
            "region": rng.choice(["north", "south", "west"], N, p=[0.6, 0.35, 0.05]),
            "paid": rng.random(N) < 0.8,
            "at": pd.Timestamp("2025-01-06") + pd.to_timedelta(rng.integers(0, 500 * 24, N), unit="h"),
            "note": [f"parcel number {i} left at the door of flat {i % 7}" for i in range(N)],
            "country": "NL",
        }
    )
    frame.loc[5:9, "amount"] = np.nan
    frame.loc[10, "amount"] = np.inf
    return frame


def steps(prepared: Prepared) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for t in prepared.log:
        for c in t.columns:
            out.setdefault(c, set()).add(t.step)
    return out


def test_a_mixed_frame_keeps_names_and_tells_every_change():
    made = prepare_table(mixed())
    done = steps(made)
    assert made.matrix.shape == (N, len(made.columns))
    assert np.isfinite(made.matrix).all()
    assert done["order_id"] == done["code"] == done["country"] == done["region"] == done["paid"] == {"drop"}
    assert {"impute", "replace"} <= done["amount"]
    assert done["at"] == done["note"] == {"encode"}
    assert {"amount", "units", "at: hour", "note: length"} <= set(made.columns)
    assert set(made.origins) == {"amount", "units", "at", "note"}
    assert made.raw is not None
    assert list(made.raw.columns) == list(mixed().columns)


def test_imputed_values_are_the_median_and_infinities_the_largest():
    made = prepare_table(mixed())
    amount = made.matrix[:, made.columns.index("amount")]
    seen = mixed()["amount"].replace(np.inf, np.nan).dropna()
    assert amount[5] == pytest.approx(seen.median())
    assert amount[10] == pytest.approx(seen.max())


def with_rare_region() -> pd.DataFrame:
    frame = mixed()
    frame.loc[7, "region"] = "islands"
    return frame


def test_only_truly_rare_categories_stand_out():
    frame = with_rare_region()
    made = prepare_table(frame)
    rarity = made.matrix[:, made.columns.index("region: rarity")]
    assert rarity[7] == pytest.approx(np.log(max(0.01, 2 / N) * N))
    assert (np.delete(rarity, 7) == 0).all()


def test_a_value_of_its_own_says_nothing_where_many_rows_have_one():
    rng = np.random.default_rng(0)
    names = rng.choice(["a", "b"], 500).astype(object)
    names[:60] = [f"only {i}" for i in range(60)]
    made = prepare_table(pd.DataFrame({"amount": rng.normal(size=500), "who": names}))
    assert made.columns == ("amount",)


def test_new_rows_are_encoded_alike_and_unseen_values_are_rarest():
    frame = with_rare_region()
    made = prepare_table(frame)
    new = frame.drop(index=7).sample(20, random_state=1)
    np.testing.assert_allclose(made.transform(new), made.matrix[new.index])
    new.loc[new.index[0], "region"] = "atlantis"
    rarity = made.transform(new)[:, made.columns.index("region: rarity")]
    assert rarity[0] == rarity.max() > rarity[1:].max()
    with pytest.raises(InvalidInput, match="lacks the columns amount"):
        made.transform(new.drop(columns="amount"))


def test_common_values_that_hardly_ever_meet_become_a_column():
    rng = np.random.default_rng(0)
    country = rng.choice(["DE", "FR", "US"], 600)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=600),
            "country": country,
            "language": pd.Series(country).map({"DE": "de", "FR": "fr", "US": "en"}),
        }
    )
    row = int(np.flatnonzero(country == "DE")[3])
    frame.loc[row, "language"] = "fr"
    made = prepare_table(frame)
    together = made.matrix[:, made.columns.index("country × language")]
    assert np.flatnonzero(together).tolist() == [row]
    np.testing.assert_array_equal(made.transform(frame), made.matrix)


def test_columns_may_come_in_another_order():
    made = prepare_table(mixed())
    np.testing.assert_allclose(made.transform(mixed()[list(mixed().columns)[::-1]]), made.matrix)


def test_missing_values_that_go_along_with_others_get_a_column():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"a": rng.standard_normal(400), "b": rng.standard_normal(400), "c": rng.standard_normal(400)}
    )
    told = frame.copy()
    told.loc[frame["b"] > 1.2, "a"] = np.nan
    chance = frame.copy()
    chance.loc[rng.random(400) < 0.1, "a"] = np.nan
    assert "a: missing" in prepare_table(told).columns
    assert "a: missing" not in prepare_table(chance).columns


@pytest.mark.parametrize(
    "data",
    [
        np.arange(60.0).reshape(20, 3) ** 2,
        (np.arange(60).reshape(20, 3) ** 2),
        (np.arange(60.0).reshape(20, 3) ** 2).astype(object),
        (np.arange(60.0).reshape(20, 3) ** 2).tolist(),
        {f"feature_{j}": ((np.arange(20) * 3 + j) ** 2).tolist() for j in range(3)},
        [{f"feature_{j}": float((3 * i + j) ** 2) for j in range(3)} for i in range(20)],
    ],
    ids=["floats", "ints", "objects", "lists", "dict", "records"],
)
def test_every_container_gives_the_same_matrix(data: Any):
    made = prepare_table(data)
    np.testing.assert_allclose(made.matrix, np.arange(60.0).reshape(20, 3) ** 2)
    assert made.columns == ("feature_0", "feature_1", "feature_2")


def test_frames_of_other_libraries_and_files(tmp_path: Path):
    pl = pytest.importorskip("polars")
    import pyarrow as pa

    frame = mixed()
    expected = prepare_table(frame)
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        made = prepare_table(other)
        assert made.columns == expected.columns
        np.testing.assert_allclose(made.matrix, expected.matrix)
    path = tmp_path / "orders.parquet"
    frame.to_parquet(path)
    read, held = prepare_table(path), prepare_table(frame.replace([np.inf, -np.inf], np.nan))
    assert read.columns == held.columns  # a cell of a file that is beyond any number is a missing one
    np.testing.assert_allclose(read.matrix, held.matrix)
    with pytest.raises(DataUnavailable):
        prepare_table(str(tmp_path / "nothing.csv"))


def test_a_table_of_the_data_room(tmp_path: Path):
    from gnomon.data import open_sources

    mixed().to_csv(tmp_path / "orders.csv", index=False)
    with open_sources(tmp_path / "orders.csv") as dataset:
        whole, one = prepare_table(dataset), prepare_table((dataset, next(iter(dataset))))
    assert whole.n_rows == one.n_rows == N
    assert "amount" in whole.columns
    np.testing.assert_array_equal(whole.matrix, one.matrix)


def test_text_that_holds_numbers_or_dates_is_read():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "price": [f"$ {v:,.2f}" for v in rng.lognormal(7, 1, 100)],
            "day": pd.date_range("2024-01-01", periods=100).strftime("%Y-%m-%d")[rng.permutation(100)],
        }
    )
    made = prepare_table(frame)
    assert {"price", "day: days", "day: weekday"} == set(made.columns)
    price = made.matrix[:, made.columns.index("price")]
    assert price[0] == pytest.approx(float(frame["price"][0].replace("$ ", "").replace(",", "")))


def test_values_that_span_too_far_are_compressed_in_order():
    values = np.random.default_rng(3).standard_normal(100)
    values[0] = 1e300
    made = prepare_table({"v": values})
    assert "compress" in steps(made)["v"]
    assert np.abs(made.matrix).max() < 1e4
    np.testing.assert_array_equal(np.argsort(made.matrix[:, 0]), np.argsort(values))


@pytest.mark.parametrize(
    "data", [[3.0], [[1, 2]], {"a": ["x"]}, np.zeros((30, 4)), ["a"] * 30, {"a": [None] * 25}]
)
def test_tiny_and_constant_data_still_give_a_matrix(data: Any):
    made = prepare_table(data)
    assert made.matrix.shape[1] >= 1
    assert np.isfinite(build("TailMix").fit(made.matrix).decision_scores_).all()


@pytest.mark.parametrize(
    ("data", "said"),
    [([], "nothing to investigate"), (np.zeros((2, 2, 2)), "one or two dimensions"), ([[1], [1, 2]], "different lengths"), (42, "cannot be read from int"), ({"a": [1], "b": [1, 2]}, "not a table")],
)  # fmt: skip
def test_what_is_no_table_is_refused(data: Any, said: str):
    with pytest.raises(InvalidInput, match=said):
        prepare_table(data)


def test_wide_small_and_repeated_data_are_remarked():
    rng = np.random.default_rng(4)
    assert any("More columns" in n for n in prepare_table(rng.standard_normal((10, 30))).notes)
    assert any("Only 10 rows" in n for n in prepare_table(rng.standard_normal((10, 30))).notes)
    twice = np.vstack([rng.standard_normal((50, 2))] * 2)
    assert "50 of 100 rows repeat an earlier one." in prepare_table(twice).notes


def test_two_columns_of_one_name_are_kept_apart():
    frame = pd.DataFrame(np.random.default_rng(5).standard_normal((30, 2)), columns=["a", "a"])
    assert prepare_table(frame).columns == ("a", "a (2)")


def test_a_gap_takes_the_value_that_the_other_columns_foresee():
    rng = np.random.default_rng(0)
    amount = rng.lognormal(3.5, 0.5, 500)
    frame = pd.DataFrame({"amount": amount, "fee": 0.02 * amount, "other": rng.normal(size=500)})
    frame.loc[20:39, "fee"] = np.nan
    made = prepare_table(frame)
    fee = made.matrix[:, made.columns.index("fee")]
    assert np.abs(fee[20:40] / (0.02 * amount[20:40]) - 1).max() < 0.1
    np.testing.assert_allclose(made.transform(frame), made.matrix)
    assert "foresee" in next(t.detail for t in made.log if t.step == "impute")
