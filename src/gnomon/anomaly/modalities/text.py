"""Prepares texts: one row per document, how far its meaning and its surface are from the others'."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.modalities.aspects import item_looks
from gnomon.anomaly.modalities.departure import (
    SUMMARY,
    Neighbourhood,
    Scale,
    with_summary,
)
from gnomon.anomaly.modalities.surface import MEASURES, ONE_SIDED, Surface
from gnomon.anomaly.modalities.surrogates import surrogate_items
from gnomon.anomaly.prepared import Prepared, Transformation
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

Encode = Callable[[list[str]], np.ndarray]
_MEANING = (
    "meaning unlike the nearest documents",
    "meaning off the main topics",
    "meaning of an unusual kind",
)


def prepare_text(data: Any, *, column: str | None = None, encoder: Encode | None = None) -> Prepared:
    """Turn documents into departures of meaning and of surface.

    Args:
        data: A list or Series of strings, or a table with a column of texts.
        column: Which column of a table holds the texts; the longest texts win when not given.
        encoder: Turns texts into vectors; the shipped sentence encoder when not given.
    """
    texts, name, missing = read_texts(data, column)
    model = _Model(encoder or _shipped)
    matrix, raw = model.measure(texts, learn=True)
    raw.insert(0, name, texts)
    log = [
        Transformation(
            "encode",
            (name,),
            f"{len(texts)} texts became sentence vectors and {len(MEASURES)} surface measures.",
        )
    ]
    if missing:
        log.append(Transformation("impute", (name,), f"{missing} missing texts were read as empty."))

    def transform(new: Any) -> np.ndarray:
        return model.measure(read_texts(new, column)[0], learn=False)[0]

    surrogate = surrogate_items(matrix)
    return Prepared(
        data_type="text",
        matrix=matrix,
        columns=(*_MEANING, *(m if m in ONE_SIDED else f"unusual {m}" for m in MEASURES), *SUMMARY),
        origins=(*(name for _ in _MEANING), *MEASURES, *(name for _ in SUMMARY)),
        raw=raw,
        labels=tuple(_short(i, t) for i, t in enumerate(texts)),
        log=tuple(log),
        transform=transform,
        surrogate=surrogate,
        looks=item_looks(matrix, surrogate),
    )


def read_texts(data: Any, column: str | None = None) -> tuple[list[str], str, int]:
    """The documents, what their column is called, and how many were missing."""
    import pandas as pd

    if isinstance(data, Mapping):
        data = pd.DataFrame({str(k): list(v) for k, v in data.items()})
    elif hasattr(data, "columns") and hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if isinstance(data, pd.DataFrame):
        name = column or _longest_column(data)
        if name not in data.columns:
            from gnomon.core.errors import NotFound

            raise NotFound.among("column", name, [str(c) for c in data.columns])
        data = data[name]
    name = str(getattr(data, "name", None) or "text")
    values = (
        [data] if isinstance(data, str) else list(np.ravel(data) if isinstance(data, np.ndarray) else data)
    )
    if not values:
        raise InvalidInput("There are no texts.", suggestions=["Pass a list of strings."])
    missing = sum(not isinstance(v, str) for v in values)
    return [v if isinstance(v, str) else "" if v is None or v != v else str(v) for v in values], name, missing


def _longest_column(frame: pd.DataFrame) -> str:
    """The column of the longest texts."""
    size = {
        str(c): float(np.mean([len(v) for v in frame[c].head(500) if isinstance(v, str)] or [0.0]))
        for c in frame.columns
    }
    if not size or max(size.values()) == 0.0:
        raise InvalidInput("The table has no column of texts.", suggestions=["Name the column of texts."])
    return max(size, key=lambda c: size[c])


def _short(number: int, text: str) -> str:
    line = " ".join(text.split())
    return f"document {number}: {line[:60]}{'…' if len(line) > 60 else ''}"


def _shipped(texts: list[str]) -> np.ndarray:
    from gnomon.embedding import get_encoder

    return np.asarray(get_encoder().encode(texts), dtype=float)


@dataclass
class _Model:
    """What the documents that were learned from are usually like."""

    encode: Encode
    meaning: Neighbourhood = field(default_factory=lambda: Neighbourhood(components=64, standardise=False))
    surface: Surface = field(default_factory=Surface)
    scales: list[Scale] = field(default_factory=list)

    def measure(self, texts: list[str], *, learn: bool) -> tuple[np.ndarray, pd.DataFrame]:
        """Departures per document, and the surface measures behind them."""
        import pandas as pd

        vectors = np.asarray(self.encode(texts), dtype=float)
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        if learn:
            self.surface = Surface.learn(texts)
        shown = self.surface.measure(texts, known=learn)
        meaning = self.meaning.fit(vectors) if learn else self.meaning.score(vectors)
        if learn:
            self.scales = [Scale.of(shown[:, j], up=m in ONE_SIDED) for j, m in enumerate(MEASURES)]
        seen = [s.surprise(shown[:, j]) for j, s in enumerate(self.scales)]
        return with_summary(np.column_stack([meaning, *seen])), pd.DataFrame(
            Surface.shown(shown), columns=list(MEASURES)
        )
