"""Numbers whose squares overflow are read, told and computed with as far as they can be, and never end in a crash."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.segment_field import Field
from gnomon.core.errors import CalculationError
from gnomon.data import open_sources
from gnomon.data.profile import profile_table

HUGE = (1e151, 1e155, -1e160, 1e200, -1.7e308)


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("rows", [8, 300, 6_000])
def test_a_file_with_a_huge_number_is_profiled(huge: float, rows: int, tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(50, 5, rows).round(3)
    values[rows // 2] = huge
    path = tmp_path / "readings.csv"
    pd.DataFrame({"reading": values, "other": np.arange(rows) % 7}).to_csv(path, index=False)
    with warnings.catch_warnings(), open_sources({"readings": path}) as dataset:
        warnings.simplefilter("error", RuntimeWarning)
        profile = profile_table(dataset, "readings", exact_rows=1_000)
    columns = {c.name: c for c in profile.columns}
    found = columns["reading"]
    assert (found.maximum if huge > 0 else found.minimum) == pytest.approx(huge)
    assert found.stddev is None
    assert columns["other"].stddev == pytest.approx(float(np.std(np.arange(rows) % 7, ddof=1)))


@pytest.mark.parametrize("huge", [*HUGE, float("inf")])
@pytest.mark.parametrize("where", ["value", "weight"])
def test_segments_of_huge_numbers_are_refused_without_a_warning(huge: float, where: str) -> None:
    n = 60
    columns = {"value": np.full(n, 5.0), "weight": np.full(n, 2.0)}
    columns[where][7] = huge
    codes = {"region": np.arange(n) % 3}
    with warnings.catch_warnings(), pytest.raises(CalculationError, match="too large"):
        warnings.simplefilter("error")
        Field.coded(
            codes, {"region": ("a", "b", "c")}, np.arange(n) % 5, columns["value"], columns["weight"], None
        )
