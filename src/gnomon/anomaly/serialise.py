"""Investigation states as JSON: data by reference, scores as numbers, detectors never pickled."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.state import InvestigationState
from gnomon.core.errors import DataUnavailable, InvalidInput

FORMAT: Final = "gnomon.investigation/1"
_ARRAYS: Final = {
    "scores": float,
    "labels": int,
    "votes": int,
    "p_values": float,
    "scores_train": float,
    "labels_train": int,
}
_KEPT: Final = (
    "phase",
    "iteration",
    "history",
    "profile",
    "plans",
    "analysis",
    "quality",
    "next_action",
    "seed",
    "contamination",
    "priority",
    "constraints",
    "transformations",
    "steps",
    "tried",
    "earlier",
)


def jsonable(value: Any) -> Any:
    """``value`` as something ``json.dumps`` accepts; what is not finite becomes None."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, np.ndarray):
        return [jsonable(v) for v in value.tolist()] if value.dtype.kind in "fO" else value.tolist()
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(v) for v in cast("Iterable[Any]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    return str(value)


def state_to_dict(state: InvestigationState) -> dict[str, Any]:
    """The state as JSON-ready data."""
    out: dict[str, Any] = {"format": FORMAT}
    out.update({name: jsonable(getattr(state, name)) for name in _KEPT})
    out["labels"] = {str(k): int(v) for k, v in state.labels.items()}
    out["results"] = [
        jsonable({k: v for k, v in r.items() if k not in ("detector", "prepared")}) for r in state.results
    ]
    out["consensus"] = jsonable(without_working(state.consensus)) if state.consensus is not None else None
    out["source"] = state.source if state.data is None and state.source else reference(state.data)
    return out


def without_working(consensus: Mapping[str, Any]) -> dict[str, Any]:
    """A consensus without what only its making needs."""
    return {k: v for k, v in consensus.items() if k not in ("null", "combination")}


def state_from_dict(saved: Mapping[str, Any], data: Any = None) -> InvestigationState:
    """A state from what ``state_to_dict`` wrote.

    Raises:
        InvalidInput: This is not a saved investigation, or ``data`` is not the data it was made on.
    """
    if saved.get("format") != FORMAT:
        raise InvalidInput(
            f"This is not a saved investigation: expected format {FORMAT!r}, got {saved.get('format')!r}.",
            suggestions=["Pass what InvestigationState.to_dict() returned."],
        )
    state = InvestigationState(**{name: saved[name] for name in _KEPT if name in saved})
    state.labels = {int(k): int(v) for k, v in dict(saved.get("labels", {})).items()}
    state.results = [_arrays(r) for r in saved.get("results", [])]
    state.consensus = _arrays(saved["consensus"]) if saved.get("consensus") is not None else None
    state.source = dict(saved.get("source", {}))
    state.data = data
    if data is not None:
        check_same(state.source, data)
    return state


def _arrays(saved: Mapping[str, Any]) -> Any:
    out: dict[str, Any] = dict(saved)
    for key, kind in _ARRAYS.items():
        if isinstance(out.get(key), list):
            out[key] = np.array([np.nan if v is None else v for v in out[key]], dtype=kind)
    if out.get("status") == "success":
        out.setdefault("detector", None)
    return out


def reference(data: Any) -> dict[str, Any]:
    """How to find the data again and how to know that it is the same."""
    out: dict[str, Any] = {"kind": type(data).__name__, "fingerprint": fingerprint(data)}
    if isinstance(data, str | os.PathLike) and Path(data).exists():
        out["path"] = str(Path(data).resolve())
    shape = getattr(data, "shape", None)
    if isinstance(shape, tuple):
        out["shape"] = [int(s) for s in cast("tuple[int, ...]", shape)]
    return out


def load(source: Mapping[str, Any]) -> Any:
    """The data that a reference points to.

    Raises:
        DataUnavailable: There is no path, the file is gone, or it has changed since.
    """
    path = source.get("path")
    if not path or not Path(path).exists():
        raise DataUnavailable(
            "The investigation was saved without a file to load its data from.",
            suggestions=["Pass the data: InvestigationState.from_dict(saved, data=...)."],
        )
    if fingerprint(path) != source.get("fingerprint"):
        raise DataUnavailable(f"{path} has changed since the investigation was saved.")
    return path


def check_same(source: Mapping[str, Any], data: Any) -> None:
    """Refuse data that the investigation was not made on.

    Raises:
        InvalidInput: The fingerprint differs.
    """
    known = source.get("fingerprint")
    if known and fingerprint(data) != known:
        raise InvalidInput(
            "The data passed is not the data that the investigation was made on (its fingerprint differs).",
            suggestions=["Pass the original data, or start a new investigation."],
        )


def fingerprint(data: Any) -> str:
    """A digest of the content: the same content in another process gives the same digest."""
    digest = hashlib.blake2b(digest_size=16)
    for chunk in _content(data):
        digest.update(chunk)
    return digest.hexdigest()


def _content(data: Any) -> Iterable[bytes]:
    if isinstance(data, str | os.PathLike) and Path(data).is_file():
        with Path(data).open("rb") as file:
            while chunk := file.read(1 << 20):
                yield chunk
        return
    if isinstance(data, np.ndarray) and data.dtype.kind in "biufMm":
        yield str((data.shape, str(data.dtype))).encode()
        yield np.ascontiguousarray(data).tobytes()
        return
    frame = _as_frame(data)
    if frame is not None:
        import pandas as pd

        yield repr([str(c) for c in frame.columns]).encode()
        try:
            hashes = pd.util.hash_pandas_object(frame, index=False)
        except TypeError:  # cells that cannot be hashed, such as lists
            hashes = pd.util.hash_pandas_object(frame.map(str), index=False)
        yield hashes.to_numpy().tobytes()
        return
    nodes, edges = getattr(data, "nodes", None), getattr(data, "edges", None)
    if nodes is not None and edges is not None:
        yield repr(sorted(map(str, nodes))).encode()
        yield repr(sorted(map(str, edges))).encode()
        return
    if isinstance(data, Mapping):
        for key, value in cast("Mapping[Any, Any]", data).items():
            yield repr(key).encode()
            yield from _content(value)
        return
    if isinstance(data, list | tuple):
        for item in cast("Iterable[Any]", data):
            yield from (
                _content(item) if isinstance(item, np.ndarray | list | tuple) else (repr(item).encode(),)
            )
        return
    yield repr(data).encode()


def _as_frame(data: Any) -> Any:
    """A pandas frame of the data, where it is a table of any make."""
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    return data if hasattr(data, "columns") and hasattr(data, "iloc") else None
