"""One column of a table as numbers: what kind it is, how it is encoded, and how new values follow suit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.prepared import Transformation
from gnomon.core.patterns import regex

if TYPE_CHECKING:
    import pandas as pd

_MOSTLY: Final = 0.95
_KEYS: Final = frozenset({"id", "uuid", "key"})
_RARE_SHARE: Final = 0.01
_BY_CHANCE: Final = 0.5  # of the values as rare: where chance alone makes as many, none is a surprise
_EXTREME: Final = 1e7
_SMALLEST: Final = 1e-100
_LARGEST: Final = 1e100
_NUMBER: Final = regex(r"[\s,$€£%_]")


@dataclass(frozen=True)
class Encoded:
    """A column as numbers.

    Attributes:
        names: The matrix columns it became; none where it was dropped.
        values: The numbers, one column per name.
        log: What was done.
        apply: Encodes new values of the column in the same way.
        levels: How many values a category has; 0 for anything else.
    """

    names: tuple[str, ...]
    values: np.ndarray
    log: tuple[Transformation, ...]
    apply: Callable[[Any], np.ndarray]
    levels: int = 0


def encode(name: str, column: pd.Series) -> Encoded:
    """Encode one column by what its values are."""
    import pandas as pd
    from pandas.api import types

    if types.is_bool_dtype(column.dtype):
        return _category(name, column)
    if types.is_timedelta64_dtype(column.dtype):
        return _numeric(name, column, lambda c: _to_float(pd.Series(c).dt.total_seconds()), "read as seconds")
    if types.is_numeric_dtype(column.dtype):
        return _row_number(name, column) or _numeric(name, column, _to_float, None)
    if types.is_datetime64_any_dtype(column.dtype):
        return _datetime(name, column)
    known = column.dropna()
    if len(known) == 0:
        return _dropped(name, column, "it has no value")
    text = known.astype(str)
    if _share(_parsed_numbers(text)) >= _MOSTLY:
        return _numeric(name, column, _text_to_float, "text read as numbers")
    if _looks_dated(text):
        return _datetime(name, _as_dates(column))
    return _words(name, column, text)


def _to_float(column: Any) -> np.ndarray:
    import pandas as pd

    return pd.to_numeric(pd.Series(column), errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _parsed_numbers(text: pd.Series) -> np.ndarray:
    import pandas as pd

    return pd.to_numeric(text.str.replace(_NUMBER, "", regex=True), errors="coerce").to_numpy(dtype=float)


def _text_to_float(column: Any) -> np.ndarray:
    import pandas as pd

    series = pd.Series(column)
    return np.where(series.isna(), np.nan, _parsed_numbers(series.astype(str)))


def _share(values: np.ndarray) -> float:
    return float(np.isfinite(values).mean()) if len(values) else 0.0


def _dropped(name: str, column: pd.Series, why: str) -> Encoded:
    said = (Transformation("drop", (name,), f"Left out because {why}."),)
    return Encoded((), np.empty((len(column), 0)), said, lambda c: np.empty((len(c), 0)))


def _row_number(name: str, column: pd.Series) -> Encoded | None:
    """Whole numbers that only count the rows say nothing about them; those of other things name them, and measure nothing."""
    values = _to_float(column)
    if len(values) < 20 or not np.isfinite(values).all() or (values != np.round(values)).any():
        return None
    steps = np.diff(values)
    if bool((steps == steps[0]).all()) and steps[0] != 0:
        return _dropped(name, column, "it only numbers the rows")
    named = re.search(
        r"(^|[\s_.-])(id|uuid|key|nr|no|number|index)$", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    )
    if named and len(np.unique(values)) == len(values):
        return _dropped(name, column, "it identifies the rows: every value is different")
    return _category(name, column) if named and named[2] in _KEYS else None


def _numeric(name: str, column: pd.Series, read: Callable[[Any], np.ndarray], how: str | None) -> Encoded:
    values = read(column)
    log: list[Transformation] = [Transformation("convert", (name,), f"Column {how}.")] if how else []
    infinite = np.isinf(values)
    if infinite.any():
        log.append(
            Transformation(
                "replace", (name,), f"{int(infinite.sum())} infinite values set to the largest seen."
            )
        )
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return _dropped(name, column, "it has no value")
    low, high, middle = float(finite.min()), float(finite.max()), float(np.median(finite))
    missing = np.isnan(values)
    if low == high and not (missing.any() and not missing.all()):
        return _dropped(name, column, "it has the same value in every row")
    if missing.any():
        log.append(
            Transformation(
                "impute",
                (name,),
                f"{int(missing.sum())} missing value{'s' if missing.sum() > 1 else ''} set to the median, {middle:g}.",
            )
        )
    with np.errstate(over="ignore"):
        spread = float(np.subtract(*np.quantile(finite, [0.75, 0.25]))) or float(finite.std()) or 1.0
    compress = max(abs(high - middle), abs(low - middle)) > _EXTREME * spread
    if compress:
        log.append(
            Transformation("compress", (name,), "Tails compressed by a logarithm: values span too far.")
        )

    largest = max(abs(high), abs(low))
    rescale = not compress and not _SMALLEST < largest < _LARGEST

    def fill(raw: np.ndarray) -> np.ndarray:
        filled = np.nan_to_num(raw, nan=middle, posinf=high, neginf=low)
        if rescale:
            filled = filled / largest
        if compress:
            filled = np.arcsinh((filled - middle) / spread)
        return filled.reshape(-1, 1)

    return Encoded((name,), fill(values), tuple(log), lambda c: fill(read(c)))


def _looks_dated(text: pd.Series) -> bool:
    import warnings

    import pandas as pd

    sample = text.head(200)
    if not sample.str.contains(r"\d[-/:.]\d", regex=True).mean() >= _MOSTLY:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(pd.to_datetime(sample, errors="coerce", format="mixed").notna().mean() >= _MOSTLY)


def _as_dates(column: Any) -> pd.Series:
    import warnings

    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if pd.api.types.is_datetime64_any_dtype(pd.Series(column).dtype):
            return pd.Series(pd.to_datetime(column, utc=True).dt.tz_localize(None))
        text = pd.Series(column).astype("string")
        return pd.Series(pd.to_datetime(text, errors="coerce", format="mixed", utc=True).dt.tz_localize(None))


def _datetime(name: str, column: pd.Series) -> Encoded:
    """Days since the first, and the hour and weekday where they vary."""
    dates = _as_dates(column)
    known = dates.dropna()
    if len(known) == 0 or known.nunique() == 1:
        return _dropped(name, column, "it has the same value in every row")
    start = known.min()
    orders = bool(known.is_monotonic_increasing or known.is_monotonic_decreasing)
    timed = bool(((known - known.dt.normalize()).dt.total_seconds() != 0).any())

    def parts(c: Any) -> np.ndarray:
        d = _as_dates(c)
        days = (d - start).dt.total_seconds().to_numpy(dtype=float) / 86_400
        weekday = d.dt.dayofweek.to_numpy(dtype=float)
        hour = (d - d.dt.normalize()).dt.total_seconds().to_numpy(dtype=float) / 3600
        return np.column_stack([days, weekday, hour])

    labels = (f"{name}: days", f"{name}: weekday", f"{name}: hour")
    use = np.array([not orders, known.dt.dayofweek.nunique() > 1, timed])
    middle = np.nanmedian(parts(known), axis=0)[use]

    def numbers(c: Any) -> np.ndarray:
        made = parts(c)[:, use]
        return np.where(np.isnan(made), middle, made)

    said = "date read as " + ", ".join(w for w, u in zip(("days", "weekday", "hour"), use, strict=True) if u)
    log = [
        Transformation(
            "encode",
            (name,),
            said.capitalize() + ("; it orders the rows, so days are left out." if orders else "."),
        )
    ]
    if dates.isna().any():
        log.append(
            Transformation("impute", (name,), f"{int(dates.isna().sum())} missing dates set to the middle.")
        )
    kept = tuple(n for n, u in zip(labels, use, strict=True) if u)
    return Encoded(kept, numbers(column), tuple(log), numbers)


def _words(name: str, column: pd.Series, text: pd.Series) -> Encoded:
    levels = text.nunique()
    spaced = float(text.str.count(" ").mean())
    if levels == 1 and not column.isna().any():
        return _dropped(name, column, "it has the same value in every row")
    if (spaced >= 3 or float(text.str.len().mean()) > 60) and levels > 0.5 * len(text):
        return _prose(name, column)
    if levels == len(text) and len(text) >= 20:
        return _dropped(name, column, "it identifies the rows: every value is different")
    return _category(name, column)


def _category(name: str, column: pd.Series) -> Encoded:
    """How rare the value is, where hardly any row holds a value as rare; common values all count alike."""
    counts = _cells(column).value_counts()
    n = int(counts.sum())
    rarity = _rarities(counts.to_numpy(dtype=float))
    if not bool((rarity > 0).any()):
        why = f"none of its {len(counts)} values is rare enough to tell rows apart"
        return replace(_dropped(name, column, why), levels=len(counts))
    known = dict(zip(map(str, counts.index), rarity.tolist(), strict=True))
    unseen = float(np.log(max(_RARE_SHARE, 2 / n) * n))

    def numbers(c: Any) -> np.ndarray:
        return _cells(c).map(known).fillna(unseen).to_numpy(dtype=float).reshape(-1, 1)

    rare = int((rarity > 0).sum())
    detail = f"{len(counts)} values encoded by how rare each is: {rare} of them rare, the others alike."
    log = (Transformation("encode", (name,), detail),)
    return Encoded((f"{name}: rarity",), numbers(column), log, numbers, levels=len(counts))


def _cells(column: Any) -> pd.Series:
    """Values as text, missing ones as a value of their own."""
    import pandas as pd

    series = pd.Series(column)
    filled = series.astype(object).where(series.notna(), None)
    return filled.map(lambda v: "(missing)" if v is None else str(v))


def _rarities(counts: np.ndarray) -> np.ndarray:
    """Per value, how surprising it is to meet one as rare: 0 unless few rows hold a value as rare as this.

    What counts is the share of rows in all values that are at most as frequent: a value of one row says
    nothing where every tenth row has a value of its own. Nor does it where so many values are as rare though all come
    equally often in the long run: of thousands of customers with six orders each, some have one so far.
    """
    from scipy.special import pdtr

    n = counts.sum()
    ordered = np.sort(counts)
    places = np.searchsorted(ordered, counts, "right")
    as_rare = np.cumsum(ordered)[places - 1]
    by_chance = len(counts) * pdtr(counts, float(np.median(counts)))
    surprise = np.maximum(np.log(max(_RARE_SHARE, 2 / n) * n / as_rare), 0.0)
    return np.where(by_chance >= _BY_CHANCE * places, 0.0, surprise)


def _prose(name: str, column: pd.Series) -> Encoded:
    """Length, shares of digits and capitals, and how rare the words are."""
    import pandas as pd

    def cells(c: Any) -> pd.Series:
        return pd.Series(c).fillna("").astype(str)

    words = cells(column).str.lower().str.findall(r"\w+")
    counts = pd.Series([w for row in words for w in set(row)], dtype=object).value_counts()
    n = len(column)
    rarity = {str(w): float(-np.log(k / n)) for w, k in counts.items()}
    unseen = float(-np.log(0.5 / n))

    def numbers(c: Any) -> np.ndarray:
        text = cells(c)
        length = text.str.len().to_numpy(dtype=float)
        digits, capitals = (
            text.str.count(r"\d").to_numpy(dtype=float),
            text.str.count(r"[A-Z]").to_numpy(dtype=float),
        )
        found = text.str.lower().str.findall(r"\w+")
        rare = [float(np.mean([rarity.get(w, unseen) for w in row])) if row else unseen for row in found]
        return np.column_stack([np.log1p(length), digits / (length + 1), capitals / (length + 1), rare])

    labels = tuple(f"{name}: {part}" for part in ("length", "digits", "capitals", "rare words"))
    said = Transformation(
        "encode", (name,), "Text measured by length, digits, capitals and how rare its words are."
    )
    return Encoded(labels, numbers(column), (said,), numbers)
