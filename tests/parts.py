"""Which of many like cases `make test` runs; `make test-long` runs the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def mostly_long(cases: Sequence[Any], kept: int) -> list[Any]:
    """The cases, all but the first ``kept`` of them left to the long run."""
    return [*cases[:kept], *(pytest.param(case, marks=pytest.mark.long) for case in cases[kept:])]


MANY = 4
"""Above so many cases of one test, `make test` runs the first and the middle one."""


def leave_to_the_long_run(items: Iterable[pytest.Item]) -> None:
    """Mark all but two cases of every test that has more than :data:`MANY`."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if not item.get_closest_marker("long"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for alike in cases.values():
        if len(alike) > MANY:
            kept = {0, len(alike) // 2}
            for item in (item for i, item in enumerate(alike) if i not in kept):
                item.add_marker("long")
