"""Whatever a generated client sends, the service answers as its schema says, and never with a fault."""

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS
from tests.server.running import running_service
from tests.server.shop import uploaded

from gnomon.data.demo_store import write_demo_store

REQUESTS = 12
FEWER = {
    "POST /api/insights": 1,
    "POST /api/investigations": 3,
    "POST /api/start": 3,
    "POST /api/evaluation": 3,
}
"""The first looks at all tables of the store before it answers; the others begin work that goes on."""
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


@pytest.mark.long
def test_generated_requests_never_break_the_service(address: str) -> None:
    """Every operation gets the same requests each time; each answer is held against the schema."""
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    found = [result.ok() for result in described.get_all_operations()]
    assert FEWER.keys() <= {operation.label for operation in found}
    assert all(tried(operation, address) for operation in found)


@pytest.mark.long
def test_what_a_run_gives_is_as_the_schema_says(address: str) -> None:
    """Generated ids name nothing: what is there is held against the schema too."""
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    by_label = {o.label: o for o in (result.ok() for result in described.get_all_operations())}
    with httpx.Client(base_url=address, timeout=120) as client:
        said = client.post("/api/ask", json={"question": "sales by region", "dataset_id": uploaded(client)})
    run = {"run_id": said.json()["run_id"]}
    endings = ("html", "pdf", "ipynb", "md", "json", "xlsx", "csv", "svg", "png")
    asked = [("GET /api/runs/{run_id}/report.{ending}", {**run, "ending": e}) for e in endings]
    asked += [(f"GET /api/runs/{{run_id}}{part}", run) for part in ("", "/events", "/egress")]
    for label, named in [*asked, ("POST /api/runs/{run_id}/replay", run)]:
        case = by_label[label].Case(path_parameters=named)
        answer = case.call(timeout=120)
        assert answer.status_code == 200, (label, answer.text)
        case.validate_response(answer, checks=[CHECKS.get_one(name) for name in CHECKED])


def tried(operation: Any, address: str) -> int:
    """How many generated requests of an operation were answered as the schema says."""
    sent = 0
    checks = [CHECKS.get_one(name) for name in CHECKED]

    @settings(
        max_examples=FEWER.get(operation.label, REQUESTS),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        nonlocal sent
        sent += 1
        answer = case.call(timeout=60)
        case.validate_response(answer, checks=checks)
        if answer.status_code == 202:  # work that goes on would compete with the requests that follow
            httpx.post(f"{address}/api/runs/{answer.json()['run_id']}/cancel", timeout=60).raise_for_status()

    check()
    return sent
