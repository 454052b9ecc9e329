"""What stands around the analysis: versions, validation, limits, hosts, tokens, and no tracebacks."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.tools.rows import daily_sales

from gnomon.core import Settings
from gnomon.server import create_app

ROWS = daily_sales(days=40)


def test_health_and_tools(service: TestClient) -> None:
    assert service.get("/health").json()["status"] == "ok"
    tools = service.get("/tools").json()["tools"]
    assert {"name", "description", "input_schema", "output_schema", "available", "endpoint"} <= set(tools[0])


@pytest.mark.long
def test_the_old_version_is_flat_and_says_it_is_old(service: TestClient) -> None:
    body = {
        "tenant_id": "t",
        "data_pointer": {"rows": ROWS},
        "params": {},
        "context": {"task": "trend of sales"},
    }
    old = service.post("/v1/analyze", json=body)
    assert old.headers["Deprecation"] == "true"
    assert set(old.json()) == {"request_id", "status", "results", "summary", "user_feedback"}
    assert old.json()["status"] == "success"
    assert "Deprecation" not in service.post("/v2/analyze", json=body).headers


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"tenant_id": 5}, "tenant_id"),
        ({"data_pointer": {"rows": "x"}}, "data_pointer.rows"),
        ({"data_pointer": {"rows": [1]}}, "data_pointer.rows.0"),
        ({"surprise": 1}, "surprise"),
        ({"params": []}, "params"),
    ],
    ids=str,
)
def test_a_request_that_cannot_be_read_says_which_field(
    service: TestClient, body: dict[str, Any], field: str
) -> None:
    response = service.post("/v2/analyze", json=body)
    assert response.status_code == 422
    assert response.json()["error_code"] == "invalid_input"
    assert field in [d["field"] for d in response.json()["details"]]


def test_what_was_sent_is_not_echoed_in_an_error(service: TestClient) -> None:
    response = service.post("/v2/analyze", json={"data_pointer": {"rows": [{"a": 1}, "canary-7731"]}})
    assert response.status_code == 422
    assert "canary-7731" not in response.text


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]", b"null", b'"x"'], ids=repr)
def test_junk_is_a_clear_422(service: TestClient, content: bytes) -> None:
    response = service.post("/v2/analyze", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert response.json()["success"] is False


def test_an_empty_task_and_no_rows_say_what_is_missing(service: TestClient) -> None:
    assert "task is empty" in service.post("/v2/analyze", json={}).json()["message"]
    said = service.post("/v2/analyze", json={"context": {"task": "show the trend"}}).json()
    assert said["status"] == "needs_feedback"
    assert "rows" in said["result"]["user_feedback"]["message"]


@pytest.mark.parametrize(
    ("task", "params"),
    [
        ("sales by region", {"group_by": 3}),
        ("trend of sales", {"tool": ["trend"]}),
        ("trend of sales", {"tool": {"a": 1}}),
        ("average sales", {"unmatched": 3, "columns": ["sales"]}),
        ("average sales", {"unmatched": [{"column": "sales"}]}),
        ("average sales", {"read_as": 5}),
        ("average sales", {"conditions": None}),
        ("filter sales > 120 then average sales", {"new_column": [{}]}),
        ("forecast sales", {"new_column": {"a": []}}),
    ],
    ids=str,
)
def test_parameters_of_the_wrong_kind_are_no_fault(
    service: TestClient, task: str, params: dict[str, Any]
) -> None:
    body = {"context": {"task": task}, "data_pointer": {"rows": ROWS}, "params": params}
    assert service.post("/v2/analyze", json=body).status_code < 500


def test_a_body_over_the_limit_is_refused_with_or_without_its_length(service: TestClient) -> None:
    big = json.dumps({"data_pointer": {"rows": [{"a": "x" * 1000}] * 3000}}).encode()
    assert service.post("/v2/analyze", content=big).status_code == 413

    def pieces() -> Any:
        yield from (big[i : i + 65536] for i in range(0, len(big), 65536))

    streamed = service.post("/v2/analyze", content=pieces(), headers={"content-type": "application/json"})
    assert streamed.status_code == 413
    assert "larger than 2 MB" in streamed.json()["message"]


def test_a_file_is_opened_only_under_the_allowed_folders(service: TestClient) -> None:
    inside = service.home / "data" / "t.csv"  # type: ignore[attr-defined]
    inside.write_text("day,x\n" + "\n".join(f"2024-01-{d:02d},{d}" for d in range(1, 29)))
    body = {"context": {"task": "total x"}, "data_pointer": {"source": str(inside)}}
    said = service.post("/v2/analyze", json=body).json()
    assert said["result"]["results"][0]["output"]["rows"]["rows"] == [{"sum_x": sum(range(1, 29))}]
    outside = service.post("/v2/analyze", json={**body, "data_pointer": {"source": "/etc/hostname"}})
    assert outside.status_code == 403
    assert outside.json()["error_code"] == "policy_violation"


def test_unknown_hosts_and_foreign_pages_are_refused(service: TestClient) -> None:
    assert service.get("/health", headers={"host": "evil.example"}).status_code == 400
    assert service.get("/health", headers={"origin": "http://evil.example"}).status_code == 403
    assert service.get("/health", headers={"origin": "http://127.0.0.1:8765"}).status_code == 200


def test_a_token_is_asked_for_where_one_is_set(tmp_path: Any) -> None:
    settings = Settings.load(home=tmp_path, log_dir=tmp_path / "logs", api_token="s3cret")
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        assert client.get("/health").status_code == 200
        assert client.get("/tools").status_code == 401
        assert client.get("/tools", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/tools", headers={"authorization": "Bearer s3cret"}).status_code == 200


def test_a_caller_who_asks_too_often_is_told_when_to_come_back(tmp_path: Any) -> None:
    settings = Settings.load(home=tmp_path, log_dir=tmp_path / "logs", requests_per_minute=60)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as service:
        replies = [service.get("/api/templates") for _ in range(40)]
    refused = [r for r in replies if r.status_code == 429]
    assert replies[0].status_code == 200
    assert refused
    assert int(refused[0].headers["Retry-After"]) >= 1
    assert refused[0].json()["error_code"] == "rate_limited"


def test_an_unexpected_fault_is_typed_and_shows_no_traceback(
    service: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.workbench import Workbench

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("inner detail 4711")

    monkeypatch.setattr(Workbench, "published", broken)
    response = service.post(
        "/v2/analyze", json={"context": {"task": "total x"}, "data_pointer": {"rows": [{"x": 1}]}}
    )
    assert response.status_code == 500
    assert response.json()["error_code"] == "internal"
    assert "4711" not in response.text
    assert "Traceback" not in response.text


def test_an_unknown_address_is_typed(service: TestClient) -> None:
    response = service.get("/nowhere")
    assert response.status_code == 404
    assert response.json()["error_code"] == "not_found"
