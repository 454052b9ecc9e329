"""Measured results of detectors: a file that a benchmark script writes and that plans rest on."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict, cast

from gnomon.core.errors import DataUnavailable, UnreadableSource

FILE: Final = "knowledge.json"


class Measured(TypedDict):
    """Means of one detector over the data sets of a benchmark."""

    auc: float
    ap: float
    cpu_seconds: float
    datasets: int
    rank: int


class DetectorKnowledge(TypedDict):
    """What is known about one detector."""

    measured: NotRequired[Measured]


class Knowledge(TypedDict):
    """The whole file.

    ``benchmarks`` holds every figure with its origin, ``detectors`` the means, ``costs`` the seconds that a
    fit takes: fixed, per row, per cell, per pair of fitted and scored rows.
    """

    made: dict[str, Any]
    benchmarks: dict[str, Any]
    detectors: dict[str, DetectorKnowledge]
    costs: dict[str, list[float]]


def load_knowledge(directory: str | Path | None = None) -> Knowledge:
    """The knowledge of a folder, or the shipped one.

    Raises:
        DataUnavailable: The folder has no knowledge file.
        UnreadableSource: The file is not what the benchmark script writes.
    """
    return _load(Path(directory) if directory is not None else Path(__file__).parent)


@lru_cache(maxsize=8)
def _load(directory: Path) -> Knowledge:
    path = directory / FILE
    if not path.is_file():
        raise DataUnavailable(
            f"There is no {FILE} in {directory}.",
            suggestions=["Make one with bench/anomaly_knowledge.py, or leave knowledge_dir out."],
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as bad:
        raise UnreadableSource(f"{path} is not JSON: {bad}.") from bad
    missing = {"made", "benchmarks", "detectors", "costs"} - set(cast(dict[str, Any], found))
    if missing:
        raise UnreadableSource(f"{path} lacks {', '.join(sorted(missing))}.")
    return cast(Knowledge, found)
