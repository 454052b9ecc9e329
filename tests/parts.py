"""Which of many like cases `make test` runs; `make test-long` runs the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def mostly_long(cases: Sequence[Any], kept: int) -> list[Any]:
    """The cases, all but the first ``kept`` of them left to the long run."""
    return [*cases[:kept], *(pytest.param(case, marks=pytest.mark.long) for case in cases[kept:])]
