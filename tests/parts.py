"""Which of many like cases `make test` runs; `make test-long` runs the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import Any

import pytest


def mostly_long(cases: Sequence[Any], kept: int) -> list[Any]:
    """The cases, all but the first ``kept`` of them left to the long run."""
    return [*cases[:kept], *(pytest.param(case, marks=pytest.mark.long) for case in cases[kept:])]


MANY = 4
"""Above so many cases of one test, `make test` runs the first and the middle one."""

SLOW_ROOMS = frozenset(
    {"agents", "analytics", "anomaly", "cli", "data", "mcp_server", "planning", "server", "tools"}
)
"""Rooms whose cases each open tables and ask or compute: `make test` runs the first case of a test there."""


def leave_to_the_long_run(items: Iterable[pytest.Item]) -> None:
    """Mark all cases of a test but those that stand for it in `make test`."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if not item.get_closest_marker("long"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for test, alike in cases.items():
        kept = _kept(test, len(alike))
        for item in (item for i, item in enumerate(alike) if i not in kept):
            item.add_marker("long")


def _kept(test: str, cases: int) -> Container[int]:
    """Which cases of a test `make test` runs."""
    if not SLOW_ROOMS.isdisjoint(test.split("/")):
        return {0}
    return {0, cases // 2} if cases > MANY else range(cases)
