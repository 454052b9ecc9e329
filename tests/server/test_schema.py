"""Whatever a generated client sends, the service answers as its schema says, and never with a fault."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS
from tests.server.running import running_service

from gnomon.data.demo_store import write_demo_store

SECONDS = 40.0
LONG = ("POST /api/evaluation", "POST /api/start", "POST /api/insights", "POST /api/investigations")
"""Each of these begins work that goes on after it."""
CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service on a loopback port of its own, with a small demo store."""
    home = tmp_path_factory.mktemp("schema")
    write_demo_store(home / "demo", scale=0.01)
    with running_service(home) as url:
        yield url


def test_generated_requests_never_break_the_service(address: str) -> None:
    """Every operation gets its share of the time; each answer is held against the schema."""
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    found = [result.ok() for result in described.get_all_operations()]
    deadline = time.monotonic() + SECONDS
    for place, operation in enumerate(found):
        share = (deadline - time.monotonic()) / (len(found) - place)
        assert tried(operation, time.monotonic() + share) > 0


def tried(operation: Any, until: float) -> int:
    """How many generated requests of an operation were answered as the schema says, until the time is over."""
    sent = 0
    checks = [CHECKS.get_one(name) for name in CHECKED]

    @settings(
        max_examples=3 if operation.label in LONG else 12,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        nonlocal sent
        if sent and time.monotonic() > until:
            return
        sent += 1
        case.validate_response(case.call(timeout=60), checks=checks)

    check()
    return sent
