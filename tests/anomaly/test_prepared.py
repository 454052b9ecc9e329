"""What a prepared matrix promises to everything that is built on it."""

from typing import Any

import numpy as np
import pytest

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
