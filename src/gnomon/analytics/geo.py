"""Places: where points lie, where they crowd, how far apart they are; coordinates that cannot be are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.inputs import (
    Bools,
    Floats,
    Ints,
    numbers,
    require_between,
    require_count,
    require_whole,
)
from gnomon.analytics.results import Result
from gnomon.core.errors import InvalidInput

EARTH_KM = 6371.0088
_EXACT = 20_000


@dataclass(frozen=True, slots=True)
class Hotspot(Result):
    """A place where points crowd."""

    latitude: float
    longitude: float
    count: int
    share: float
    radius_km: float
    weight: float | None


@dataclass(frozen=True, slots=True)
class Invalid(Result):
    """A coordinate that cannot be, with the reason."""

    position: int
    latitude: float | None
    longitude: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class PlaceDistance(Result):
    """A point and its distance from the reference."""

    position: int
    label: Any
    latitude: float
    longitude: float
    distance_km: float


@dataclass(frozen=True, slots=True)
class GeoSummary(Result):
    """What a set of coordinates looks like on the globe.

    Attributes:
        west: Western edge; larger than ``east`` when the box crosses the date line.
        reference: Where distances are measured from: the point given, or the centre.
        spread_km: Median distance from the centre.
    """

    count: int
    distinct: int
    south: float
    north: float
    west: float
    east: float
    crosses_date_line: bool
    center_latitude: float
    center_longitude: float
    spread_km: float
    diagonal_km: float
    hotspots: tuple[Hotspot, ...]
    unclustered: int
    hotspot_radius_km: float
    reference: tuple[float, float]
    nearest: tuple[PlaceDistance, ...]
    farthest: tuple[PlaceDistance, ...]
    invalid_count: int
    invalid: tuple[Invalid, ...]
    notes: tuple[str, ...]


def haversine_km(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Floats:
    """Great-circle distance in kilometres between points in degrees."""
    a1, o1, a2, o2 = (np.radians(np.asarray(v, dtype=np.float64)) for v in (lat1, lon1, lat2, lon2))
    half = np.sin((a2 - a1) / 2) ** 2 + np.cos(a1) * np.cos(a2) * np.sin((o2 - o1) / 2) ** 2
    return np.asarray(2 * EARTH_KM * np.arcsin(np.sqrt(np.clip(half, 0, 1))), dtype=np.float64)


def geo_summary(
    latitudes: Any,
    longitudes: Any,
    *,
    weights: Any = None,
    labels: Sequence[Any] | None = None,
    reference: tuple[float, float] | None = None,
    radius_km: float | None = None,
    least: int | None = None,
    top: int = 10,
) -> GeoSummary:
    """Summarise points given as latitude and longitude in degrees.

    Args:
        latitudes: −90 to 90.
        longitudes: −180 to 180 (up to 360 is wrapped around).
        weights: A measure to total per hotspot, such as sales.
        labels: Names of the points.
        reference: Measure distances from here; from the centre when left out.
        radius_km: Points this close belong to one hotspot; from the spread when left out.
        least: Fewest points of a hotspot; from the count when left out.
        top: How many hotspots, nearest and farthest points to give back.
    """
    lat, lon = numbers(latitudes, "latitudes"), numbers(longitudes, "longitudes")
    require_whole(top, 1, 1000, "top")
    _same_length(len(lat), {"longitudes": lon, "weights": weights, "labels": labels})
    usable, invalid = _checked(lat, lon)
    require_count(int(usable.sum()), 1, "A summary of places")
    where = np.flatnonzero(usable)
    a, o = lat[usable], (lon[usable] + 180) % 360 - 180
    weight = None if weights is None else np.nan_to_num(numbers(weights, "weights")[usable])
    center = _center(a, o)
    from_center = haversine_km(a, o, *center)
    spread = float(np.median(from_center))
    radius = (
        require_between(radius_km, 0, 20_038, "radius_km") if radius_km is not None else max(0.1, spread / 10)
    )
    fewest = require_whole(least, 2, 10**9, "least") if least is not None else max(3, len(a) // 50)
    spots, alone, notes = _hotspots(a, o, weight, radius, fewest)
    south, north, (west, east) = float(a.min()), float(a.max()), _longitude_range(o)
    origin = _reference(reference) if reference is not None else center
    distances = haversine_km(a, o, *origin)
    order = np.argsort(distances, kind="stable")

    places = [
        PlaceDistance(
            int(where[i]),
            int(where[i]) if labels is None else labels[int(where[i])],
            float(a[i]),
            float(o[i]),
            float(distances[i]),
        )
        for i in np.concatenate([order[:top], order[::-1][:top]])
    ]
    shown = len(places) // 2
    return GeoSummary(
        count=len(a),
        distinct=len(np.unique(np.column_stack([a, o]), axis=0)),
        south=south,
        north=north,
        west=west,
        east=east,
        crosses_date_line=west > east,
        center_latitude=center[0],
        center_longitude=center[1],
        spread_km=spread,
        diagonal_km=float(haversine_km(south, west, north, east)),
        hotspots=tuple(spots[:top]),
        unclustered=alone,
        hotspot_radius_km=float(radius),
        reference=origin,
        nearest=tuple(places[:shown]),
        farthest=tuple(places[shown:]),
        invalid_count=len(invalid),
        invalid=tuple(invalid[:20]),
        notes=tuple(notes),
    )


def _same_length(count: int, others: dict[str, Any]) -> None:
    for name, values in others.items():
        if values is not None and len(values) != count:
            raise InvalidInput(
                f"There are {count} latitudes but {len(values)} {name}.",
                suggestions=[f"Pass one entry of {name} for every latitude."],
            )


def _reference(point: tuple[float, float]) -> tuple[float, float]:
    if len(point) != 2 or not (-90 <= point[0] <= 90 and -180 <= point[1] <= 180):
        raise InvalidInput(
            f"The reference {point!r} is not a latitude and a longitude.",
            suggestions=["Give it as (latitude, longitude) in degrees, such as (48.2, 16.4)."],
        )
    return float(point[0]), float(point[1])


def _checked(lat: Floats, lon: Floats) -> tuple[Bools, list[Invalid]]:
    missing = np.isnan(lat) | np.isnan(lon)
    with np.errstate(invalid="ignore"):
        bad_lat, bad_lon = np.abs(lat) > 90, (lon < -180) | (lon > 360)
        swapped = bad_lat & (np.abs(lat) <= 180) & (np.abs(lon) <= 90)
        nowhere = (lat == 0) & (lon == 0)
    reasons = [
        (missing, "missing"),
        (swapped, "latitude beyond ±90 (latitude and longitude may be swapped)"),
        (bad_lat, "latitude beyond ±90"),
        (bad_lon, "longitude beyond ±180"),
        (nowhere, "exactly 0, 0 (usually a missing position)"),
    ]
    usable = ~(missing | bad_lat | bad_lon | nowhere)
    out = [
        Invalid(int(i), float(lat[i]), float(lon[i]), next(reason for mask, reason in reasons if mask[i]))
        for i in np.flatnonzero(~usable)
    ]
    return usable, out


def _center(lat: Floats, lon: Floats, weight: Floats | None = None) -> tuple[float, float]:
    """The mean direction from the centre of the earth, so that the date line does not matter."""
    a, o = np.radians(lat), np.radians(lon)
    w = np.ones(len(a)) if weight is None else weight
    x, y, z = (float((w * v).sum()) for v in (np.cos(a) * np.cos(o), np.cos(a) * np.sin(o), np.sin(a)))
    if np.hypot(np.hypot(x, y), z) < 1e-9 * w.sum():  # evenly around the globe: no direction prevails
        return float(lat.mean()), float(lon.mean())
    return float(np.degrees(np.arctan2(z, np.hypot(x, y)))), float(np.degrees(np.arctan2(y, x)))


def _longitude_range(lon: Floats) -> tuple[float, float]:
    """The shortest arc that holds all longitudes."""
    ordered = np.unique(lon)
    if len(ordered) == 1:
        return float(ordered[0]), float(ordered[0])
    gaps = np.append(np.diff(ordered), ordered[0] + 360 - ordered[-1])
    widest = int(np.argmax(gaps))
    if widest == len(gaps) - 1:
        return float(ordered[0]), float(ordered[-1])
    return float(ordered[widest + 1]), float(ordered[widest])


def _hotspots(
    lat: Floats, lon: Floats, weight: Floats | None, radius: float, least: int
) -> tuple[list[Hotspot], int, list[str]]:
    from sklearn.cluster import DBSCAN

    notes: list[str] = []
    cells = np.arange(len(lat))
    points = np.column_stack([lat, lon])
    counts: Ints = np.ones(len(lat), dtype=np.int64)
    if len(lat) > _EXACT:  # crowd by grid cell first: a fifth of the radius is lost in position, no point is
        size = np.degrees(radius / EARTH_KM) / 5
        keys = np.round(points / size).astype(np.int64)
        unique, cells, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        points = unique * size
        notes.append(
            f"{len(lat)} points were gathered into {len(points)} grid cells before looking for hotspots."
        )
    model = DBSCAN(eps=radius / EARTH_KM, min_samples=least, metric="haversine", algorithm="ball_tree")
    found = np.asarray(model.fit_predict(np.radians(points), sample_weight=counts))[cells.ravel()]
    spots: list[Hotspot] = []
    for spot in range(int(found.max(initial=-1)) + 1):
        inside = found == spot
        center = _center(lat[inside], lon[inside])
        reach = float(haversine_km(lat[inside], lon[inside], *center).max())
        total = None if weight is None else float(weight[inside].sum())
        spots.append(Hotspot(*center, int(inside.sum()), float(inside.mean()), reach, total))
    spots.sort(key=lambda s: (-s.count, s.latitude, s.longitude))
    return spots, int((found < 0).sum()), notes
