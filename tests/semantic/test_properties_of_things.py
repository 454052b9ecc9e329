"""What each number is a property of, against the same told by pandas over generated tables."""

import numpy as np
import pandas as pd
import pytest

from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import DimensionType
from gnomon.semantic.infer import infer_model


def _told(seed: int) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), 120
    told: dict[str, object] = {}
    for name, many in (("shop", 8), ("product", 25)):
        told[name] = rng.choice([f"{name} {k}" for k in range(many)], rows)
        of_each = {v: float(rng.integers(1, 90)) / 2 for v in told[name]}  # type: ignore[attr-defined]
        told[f"{name} size"] = [of_each[v] for v in told[name]]  # type: ignore[attr-defined]
    frame = pd.DataFrame(told).assign(
        clerk=[f"clerk {k}" for k in range(rows)], weight=rng.normal(50, 9, rows).round(2)
    )
    for name in rng.choice(["shop", "product", "shop size", "product size"], 2, replace=False):
        frame.loc[rng.random(rows) < 0.2, name] = None
    if seed % 2:
        frame.loc[int(rng.integers(rows)), "product size"] = 99.25  # one exception is enough
    return frame


@pytest.mark.parametrize("seed", range(4))
def test_a_number_is_a_property_of_what_always_has_the_same_one(seed: int) -> None:
    frame = _told(seed)
    with open_sources(frame) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
    column = {d.name: d.home.column for d in model.dimensions}
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    found = {(column[n.name], column[t]) for n in numbers for t in n.property_of}
    expected = {
        (column[n.name], thing)
        for thing in ("shop", "product")
        for n in numbers
        if frame.groupby(thing)[column[n.name]].nunique().max() <= 1
    }
    assert len(numbers) >= 3
    assert found == expected and found
