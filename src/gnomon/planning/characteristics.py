"""What a sample of rows honestly says about the data: sizes, column kinds, and the type of data it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypedDict

from gnomon.core.patterns import regex
from gnomon.data.column_names import names_longitude
from gnomon.tools import Frame

SAMPLE_ROWS = 10_000
_NUMERIC_TEXT = regex(r"^\s*[-+(]?\s*[$€£¥]?\s*\d[\d,. ]*\s*%?\s*\)?\s*$")
_TIME_TEXT = regex(
    r"^\s*(\d{4}[-/]\d{1,2}([-/]\d{1,2})?|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{1,2}\s+[A-Za-z]{3,9}\s+\d{4}|[A-Za-z]{3,9}\s+\d{1,2},?\s+\d{4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2}|[AaPp][Mm])?)?\s*$"
)
_LATITUDE = regex(r"^(lat|latitude|y_?coord|.*[_ ]lat|.*[_ ]latitude|lat[_ ].*)$", re.IGNORECASE)
_LONGITUDE = regex(r"^(lon|lng|longitude|x_?coord|.*[_ ](lon|lng|longitude)|(lon|lng)[_ ].*)$", re.IGNORECASE)
_ID = regex(r"(^|[_ ])(id|key|code|uuid|guid|number|no)$|^id[_ ]", re.IGNORECASE)


class DataCharacteristics(TypedDict):
    """The part of a context that describes the data, as published."""

    row_count: int
    has_timestamps: bool
    numeric_columns: list[str]
    categorical_columns: list[str]


@dataclass(frozen=True)
class ColumnKinds:
    """Columns by what they hold."""

    row_count: int = 0
    numeric: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    latitude: tuple[str, ...] = ()
    longitude: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = field(default=())

    @property
    def measures(self) -> tuple[str, ...]:
        """Numeric columns that measure something, not identifiers or coordinates."""
        aside = {*self.ids, *self.latitude, *self.longitude}
        return tuple(c for c in self.numeric if c not in aside)

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """The columns that satisfy a tool's requirement of that kind."""
        if kind == "any":
            return self.columns
        if kind == "numeric":
            return self.measures
        found: tuple[str, ...] = getattr(self, kind)
        return found

    @property
    def published(self) -> DataCharacteristics:
        """The four published fields."""
        return DataCharacteristics(
            row_count=self.row_count,
            has_timestamps=bool(self.time),
            numeric_columns=list(self.numeric),
            categorical_columns=list(self.categorical),
        )

    @property
    def data_type(self) -> str | None:
        """``timeseries``, ``geospatial``, ``text``, ``categorical`` or ``tabular``; None without rows."""
        if not self.columns:
            return None
        if self.latitude and self.longitude:
            return "geospatial"
        if self.time and self.measures:
            return "timeseries"
        if self.text and not self.measures:
            return "text"
        return "tabular" if self.measures else "categorical"


def describe(data: Any) -> ColumnKinds:
    """The kinds of the columns of ``data``, from at most the first 10,000 rows; the row count is exact."""
    if data is None:
        return ColumnKinds()
    frame = Frame.of(data)
    if frame.is_reference or frame.arrow.num_columns == 0:
        return ColumnKinds()
    total = len(frame)
    sample = frame.arrow.slice(0, SAMPLE_ROWS)
    kinds: dict[str, list[str]] = {"numeric": [], "time": [], "categorical": [], "text": []}
    lat: list[str] = []
    lon: list[str] = []
    ids: list[str] = []
    for name in sample.column_names:
        values = [v for v in sample.column(name).to_pylist() if v is not None and v != ""]
        kind = _kind(values)
        kinds[kind].append(name)
        if kind == "numeric":
            if _LATITUDE.match(name) and _within(values, 90):
                lat.append(name)
            elif _within(values, 180) and (
                _LONGITUDE.match(name) or names_longitude(name, sample.column_names)
            ):
                lon.append(name)
        if kind in {"numeric", "categorical", "text"} and _ID.search(name) and _all_distinct(values):
            ids.append(name)
    return ColumnKinds(
        row_count=total,
        numeric=tuple(kinds["numeric"]),
        time=tuple(kinds["time"]),
        categorical=tuple(kinds["categorical"]),
        text=tuple(kinds["text"]),
        latitude=tuple(lat),
        longitude=tuple(lon),
        ids=tuple(ids),
        columns=tuple(sample.column_names),
    )


def _kind(values: list[Any]) -> str:
    if not values:
        return "categorical"
    if all(isinstance(v, bool) for v in values):
        return "categorical"
    if all(_is_number(v) for v in values):
        return "numeric"
    if all(isinstance(v, (date, datetime)) for v in values):
        return "time"
    texts = [v for v in values if isinstance(v, str)]
    if len(texts) < len(values):
        return "categorical"
    if _share(texts, _TIME_TEXT) >= 0.95:
        return "time"
    if _share(texts, _NUMERIC_TEXT) >= 0.95 and not _leading_zeros(texts):
        return "numeric"
    words = sum(len(t.split()) for t in texts) / len(texts)
    return "text" if words >= 4 and len(set(texts)) > 0.5 * len(texts) else "categorical"


def _is_number(value: Any) -> bool:
    from decimal import Decimal

    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _share(texts: list[str], pattern: re.Pattern[str]) -> float:
    return sum(bool(pattern.match(t)) for t in texts) / len(texts)


def _leading_zeros(texts: list[str]) -> bool:
    return any(len(t) > 1 and t[0] == "0" and t.isdigit() for t in texts)


def _within(values: list[Any], bound: float) -> bool:
    try:
        return all(abs(float(v)) <= bound for v in values)
    except ValueError:
        return False


def _all_distinct(values: list[Any]) -> bool:
    return len(set(map(str, values))) >= 0.95 * len(values)
