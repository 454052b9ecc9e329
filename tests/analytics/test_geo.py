"""Places: known distances, hotspots planted and found, the date line, impossible coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analytics import geo_summary, haversine_km
from gnomon.core.errors import CalculationError, InvalidInput

degrees = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


def test_known_distances() -> None:
    assert haversine_km(0, 0, 0, 90) == pytest.approx(np.pi / 2 * 6371.0088)
    assert haversine_km(48.8566, 2.3522, 51.5074, -0.1278) == pytest.approx(343.6, abs=0.5)  # Paris–London
    assert haversine_km(0, 179.5, 0, -179.5) == pytest.approx(111.2, abs=0.1)


@given(degrees, degrees, degrees)
def test_distance_is_a_metric(a, b, c) -> None:
    ab, ba, ac, cb = haversine_km(*a, *b), haversine_km(*b, *a), haversine_km(*a, *c), haversine_km(*c, *b)
    assert ab == pytest.approx(ba, abs=1e-6)
    assert ab <= ac + cb + 1e-3
    assert 0 <= ab <= 20_015.2


def test_planted_hotspots_are_found_with_their_weight() -> None:
    rng = np.random.default_rng(0)
    lat = np.r_[48.2 + rng.normal(0, 0.005, 60), 52.5 + rng.normal(0, 0.005, 30), rng.uniform(45, 55, 10)]
    lon = np.r_[16.4 + rng.normal(0, 0.005, 60), 13.4 + rng.normal(0, 0.005, 30), rng.uniform(5, 20, 10)]
    result = geo_summary(lat, lon, weights=np.ones(100) * 2, radius_km=5)
    assert [s.count for s in result.hotspots] == [60, 30]
    assert (result.hotspots[0].latitude, result.hotspots[0].weight) == (pytest.approx(48.2, abs=0.01), 120.0)
    assert result.unclustered == 10


def test_box_center_nearest_and_farthest() -> None:
    result = geo_summary([10, 20, 30], [40, 50, 60], labels=["a", "b", "c"], reference=(10, 40), top=1)
    assert (result.south, result.north, result.west, result.east) == (10, 30, 40, 60)
    assert (result.nearest[0].label, result.nearest[0].distance_km) == ("a", pytest.approx(0))
    assert result.farthest[0].label == "c"
    assert result.farthest[0].distance_km == pytest.approx(float(haversine_km(10, 40, 30, 60)))
    assert result.center_latitude == pytest.approx(20.2, abs=0.5)


def test_points_around_the_date_line_stay_together() -> None:
    result = geo_summary([-17, -18, -16], [179, -179, 178])
    assert result.crosses_date_line
    assert (result.west, result.east) == (178, -179)
    assert abs(result.center_longitude) > 178


def test_impossible_coordinates_are_reported_with_the_reason() -> None:
    result = geo_summary([48, 120, 10, None, 0], [16, 45, 400, 5, 0])
    assert (result.count, result.invalid_count) == (1, 4)
    assert {i.position: i.reason.split(" (")[0] for i in result.invalid} == {
        1: "latitude beyond ±90",
        2: "longitude beyond ±180",
        3: "missing",
        4: "exactly 0, 0",
    }
    assert "swapped" in result.invalid[0].reason


def test_many_points_are_gathered_into_cells_without_losing_any() -> None:
    rng = np.random.default_rng(0)
    lat, lon = 40 + rng.normal(0, 0.01, 25_000), 10 + rng.normal(0, 0.01, 25_000)
    result = geo_summary(lat, lon, radius_km=2)
    assert result.hotspots[0].count + result.unclustered == 25_000
    assert result.hotspots[0].share > 0.99


def test_errors_are_typed() -> None:
    with pytest.raises(CalculationError):
        geo_summary([100], [0])
    with pytest.raises(InvalidInput):
        geo_summary([1, 2], [1])
    with pytest.raises(InvalidInput):
        geo_summary([1], [1], reference=(100, 0))
