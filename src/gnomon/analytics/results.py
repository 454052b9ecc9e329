"""What an analysis hands back: frozen dataclasses whose ``to_dict()`` holds only plain JSON values."""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
import sys
from collections.abc import Mapping, Set
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """Base of every analytics result."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain Python values, ready for JSON; a value that is not a number becomes ``None``."""
        return {
            f.name: plain(getattr(self, f.name))
            for f in dataclasses.fields(self)
            if not f.metadata.get("internal")
        }


def plain(value: Any) -> Any:
    """``value`` with every container, scalar and time stamp turned into what JSON can carry."""
    if value is None or isinstance(value, str | bool | int):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Result):
        return value.to_dict()
    if (numpy := sys.modules.get("numpy")) is not None:  # where it is not loaded, nothing is of its types
        if isinstance(value, numpy.generic):
            return plain(value.item()) if not isinstance(value, numpy.datetime64) else _stamp(value)
        if isinstance(value, numpy.ndarray):
            return [plain(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | Set):
        return [plain(v) for v in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def _stamp(value: np.datetime64) -> str | None:
    import pandas as pd

    return None if pd.isna(value) else pd.Timestamp(value).isoformat()
