"""Tells what kind of data something is: a table, a series, texts, images or a graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.modalities.layout import layout_of
from gnomon.anomaly.modalities.pictures import SUFFIXES, looks_like_images
from gnomon.anomaly.prepared import DATA_TYPES
from gnomon.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    import pandas as pd

_ALIASES = {
    "timeseries": "time_series",
    "series": "time_series",
    "table": "tabular",
    "images": "image",
    "texts": "text",
}
# Kinds that PyOD's engine names, and what to do with such data here.
_NOT_READ = {
    "multimodal": "Investigate each kind on its own, or join their numbers to one table with a row per item.",
    "audio": "Describe each recording by numbers (loudness, spectral bands) as a table, or pass the loudness "
    "over time as data_type='time_series'.",
}
_FEWEST_NODES, _BOTH_ENDS = 10, 0.5
_GRAPH_KEYS = frozenset({"edges", "edge_index", "adjacency", "links"})


def detect_type(data: Any, data_type: str | None = None) -> str:
    """What kind of data this is: one of ``DATA_TYPES``.

    Args:
        data: Anything that an investigation can start from.
        data_type: Said by the caller; it wins over what the data looks like.

    Raises:
        InvalidInput: ``data_type`` is a kind that other engines know and this one does not.
        NotFound: ``data_type`` is not a kind of data.
    """
    if data_type is not None:
        name = str(data_type).casefold().replace("-", "_").replace(" ", "_")
        name = _ALIASES.get(name, name)
        if name in _NOT_READ:
            raise InvalidInput(
                f"Data of the kind {str(data_type)!r} is not read; an investigation reads {', '.join(DATA_TYPES)}.",
                suggestions=[_NOT_READ[name]],
            )
        if name not in DATA_TYPES:
            raise NotFound.among("kind of data", str(data_type), DATA_TYPES)
        return name
    if _is_graph(data):
        return "graph"
    if looks_like_images(data):
        return "image"
    if isinstance(data, (str, Path)):
        return _type_of_path(Path(data))
    if _is_texts(data):
        return "text"
    frame = _frame(data)
    if frame is None:
        return "tabular"
    if _is_edge_table(frame):
        return "graph"
    if layout_of(frame) is not None:
        return "time_series"
    return "text" if _is_text_table(frame) else "tabular"


def _is_graph(data: Any) -> bool:
    if hasattr(data, "edge_index"):
        return True
    if isinstance(data, Mapping):
        return not _GRAPH_KEYS.isdisjoint(str(k) for k in data)
    if hasattr(data, "nodes") and hasattr(data, "edges") and hasattr(data, "adj"):
        return True
    return hasattr(data, "tocsr") and data.shape[0] == data.shape[1]


def _is_edge_table(frame: pd.DataFrame) -> bool:
    """Two columns of names and nothing else, most of the fewer of which are in the other too: who is tied to whom."""
    if len(frame.columns) != 2:
        return False
    sides = [{v for v in frame.iloc[:, i] if isinstance(v, str)} for i in (0, 1)]
    fewer = min(len(s) for s in sides)
    return fewer >= _FEWEST_NODES and len(sides[0] & sides[1]) >= _BOTH_ENDS * fewer


def _type_of_path(path: Path) -> str:
    if path.suffix.casefold() in SUFFIXES:
        return "image"
    if path.is_dir():
        files = [p.suffix.casefold() for p in path.iterdir() if p.is_file()]
        return "image" if files and np.mean([s in SUFFIXES for s in files]) > 0.5 else "tabular"
    return "tabular"


def _is_texts(data: Any) -> bool:
    """A plain list or column of strings, most of them longer than a code or a category."""
    if hasattr(data, "columns") or isinstance(data, Mapping):
        return False
    if not isinstance(data, (list, tuple)) and getattr(data, "ndim", 0) != 1 and not hasattr(data, "to_list"):
        return False
    head = [v for v in list(data[:200]) if v is not None and v == v] if len(data) else []
    # A plain list of strings can hardly be meant as a table; a column often holds names of two words.
    least = 2 if isinstance(data, list | tuple) else 4
    return bool(head) and all(isinstance(v, str) for v in head) and _reads_like_text(head, least)


def _reads_like_text(values: list[str], least: int = 4) -> bool:
    from gnomon.anomaly.modalities.readings import parse_times

    words = float(np.median([len(v.split()) for v in values]))
    varied = len(set(values)) > 0.5 * len(values)
    if words >= least and varied:
        import pandas as pd

        return parse_times(pd.Series(values)) is None
    return float(np.mean([len(v) for v in values])) > 60 and varied


def _frame(data: Any) -> pd.DataFrame | None:
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        return data.to_frame("value" if data.name is None else str(data.name))
    if isinstance(data, Mapping):
        sizes = {len(v) for v in data.values() if hasattr(v, "__len__") and not isinstance(v, str)}
        return pd.DataFrame({str(k): list(v) for k, v in data.items()}) if len(sizes) == 1 else None
    if hasattr(data, "columns") and hasattr(data, "to_pandas"):
        return data.head(5000).to_pandas() if hasattr(data, "head") else data.to_pandas()
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):
        return data.to_pandas()
    return None


def _is_text_table(frame: pd.DataFrame) -> bool:
    """One column of long texts and nothing else but identifiers."""
    if len(frame.columns) > 2 or not len(frame):
        return False
    import pandas as pd

    words = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    if len(words) != 1 or len(frame.columns) - len(words) > 1:
        return False
    if any(frame[c].nunique() < len(frame) for c in frame.columns if c not in words):
        return False
    values = [v for v in frame[words[0]].head(200) if isinstance(v, str)]
    return len(values) > 0.9 * min(len(frame), 200) and _reads_like_text(values)
