"""What a prepared matrix promises to everything that is built on it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly.detection import prepare_data
from gnomon.anomaly.prepared import Prepared, Transformation
from gnomon.core.errors import InvalidInput


def made(**changes: Any) -> Prepared:
    parts: dict[str, Any] = {
        "data_type": "tabular",
        "matrix": np.arange(6.0).reshape(3, 2),
        "columns": ("a", "b"),
        "origins": ("a", "b"),
        "raw": None,
        "labels": None,
        "log": (),
        "transform": lambda X: np.asarray(X, dtype=float),
    }
    return Prepared(**{**parts, **changes})


def test_shape_and_row_names_follow_from_the_matrix():
    plain, named = made(), made(labels=("x", "y", "z"))
    assert (plain.n_rows, plain.n_columns) == (3, 2)
    assert plain.label(2) == "row 2"
    assert named.label(2) == "z"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data_type": "sound"}, "data_type must be one of"),
        ({"matrix": np.arange(3.0)}, "two dimensions"),
        ({"columns": ("a",)}, "as many names"),
        ({"labels": ("x",)}, "labels has 1 rows"),
        ({"matrix": np.array([[1.0, np.nan], [2.0, 3.0], [1.0, 1.0]])}, "finite"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes: dict[str, Any], said: str):
    with pytest.raises(InvalidInput, match=said):
        made(**changes)


def test_a_transformation_is_json_ready():
    assert Transformation("drop", ("id",), "unique in every row").to_dict() == {
        "step": "drop",
        "columns": ["id"],
        "detail": "unique in every row",
    }


@pytest.mark.parametrize(("mark", "dated"), [("99999", False), ("-999", False), ("99999", True)])
def test_what_was_set_aside_as_a_file_was_read_is_told(tmp_path: Path, mark: str, dated: bool) -> None:
    rng = np.random.default_rng(5)
    values = [f"{v:.2f}" for v in rng.normal(200, 20, 250)]
    values[7] = values[90] = mark
    days = pd.date_range("2024-01-01", periods=250)
    lines = [f"{days[i].date() if dated else f'I{i}'},{v},{i % 7}" for i, v in enumerate(values)]
    path = tmp_path / "amounts.csv"
    path.write_text("\n".join([f"{'day' if dated else 'invoice'},amount,qty", *lines]))
    told = [t.detail for t in prepare_data(str(path), None).log]
    assert any(f"2 cells hold {mark}" in detail for detail in told), told
