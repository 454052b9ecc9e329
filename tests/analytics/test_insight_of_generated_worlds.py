"""Auto-insight over generated tables with a planted truth: figures agree with pandas, and noise is not told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics.insight.reading import read_cube
from gnomon.analytics.insight.space import Grain, spaces
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic.infer import infer_model


@pytest.mark.parametrize("begin", range(7))
def test_weeks_hold_the_rows_of_monday_to_sunday_whatever_day_the_data_begins_on(begin: int) -> None:
    rng = np.random.default_rng(begin)
    days = pd.date_range(pd.Timestamp("2024-03-04") + pd.Timedelta(days=begin), periods=180)
    frame = pd.DataFrame({"logged_on": np.repeat(days, 3), "units": rng.poisson(40, 3 * len(days))})
    with open_sources({"visits": frame}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        space = next(iter(spaces(model, dataset, set())))
        cube = read_cube(dataset, model, space)
    assert cube is not None and space.clock is not None and space.clock.grain is Grain.WEEK
    counted = frame.groupby(frame["logged_on"].dt.to_period("W-SUN").dt.start_time).size()
    assert dict(zip(cube.periods, cube.of("time")[:-1, 0].astype(int), strict=True)) == {
        stamp.date(): n for stamp, n in counted.items()
    }
