"""Whatever a generated client sends, the service answers as its schema says, and never with a fault."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from tests.server.running import running_service


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service on a loopback port of its own."""
    with running_service(tmp_path_factory.mktemp("schema")) as url:
        yield url


OPERATIONS = [("POST", "/v2/analyze"), ("POST", "/v1/analyze"), ("GET", "/tools"), ("GET", "/health")]


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=str)
def test_generated_requests_never_break_the_service(address: str, method: str, path: str) -> None:
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operation = described[path][method]
    seen: set[int] = set()

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        response = case.call()
        seen.add(response.status_code)
        assert response.status_code < 500
        assert response.headers["content-type"][0].startswith("application/json")

    check()
    assert seen


def test_every_operation_is_tried(address: str) -> None:
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    found = {(o.ok().method.upper(), o.ok().path) for o in described.get_all_operations()}
    assert found == set(OPERATIONS)
