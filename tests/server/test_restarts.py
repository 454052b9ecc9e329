"""What a caller can count on when the service was restarted, and how the second table of a request is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.core.parts import Parts
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel
from gnomon.server import create_app
from gnomon.server.answers import reading_of

ROWS = [{"day": f"2024-01-{1 + i:02d}", "sales": 100 + i, "cost": 60 + i % 7} for i in range(30)]


def a_service(home: Path) -> TestClient:
    settings = Settings.load(home=warmed(home / "home"), log_dir=home / "logs", data_roots=(home,))
    return TestClient(create_app(settings), base_url="http://127.0.0.1", raise_server_exceptions=False)


def posted(service: TestClient, **body: Any) -> Any:
    return service.post("/v2/analyze", json={"tenant_id": "t1", **body})


def an_open_question(service: TestClient, pointer: dict[str, Any]) -> str:
    said = posted(service, data_pointer=pointer, context={"task": "forecast"}).json()
    assert said["status"] == "needs_feedback"
    assert "sales" in json.dumps(said["result"]["user_feedback"]["options"])
    return said["request_id"]


@pytest.mark.long
def test_a_question_about_a_file_can_be_answered_after_a_restart_by_who_was_asked(tmp_path: Path) -> None:
    file = tmp_path / "sales.json"
    file.write_text(json.dumps(ROWS))
    with a_service(tmp_path) as before:
        asked = an_open_question(before, {"source": str(file)})
    answer = {"feedback": {"request_id": asked, "choice": "sales"}}
    with a_service(tmp_path) as after:
        foreign = after.post("/v2/analyze", json={"tenant_id": "t2", "params": answer})
        assert foreign.status_code == 404
        answered = posted(after, params=answer).json()
        assert (answered["status"], answered["request_id"]) == ("ok", asked)
        assert answered["tool_meta"]["context_extraction"]["goal"]
        assert posted(after, params=answer).status_code == 404


@pytest.mark.long
def test_rows_that_came_with_a_question_are_asked_for_again_after_a_restart(tmp_path: Path) -> None:
    with a_service(tmp_path) as before:
        asked = an_open_question(before, {"rows": ROWS})
    answer = {"feedback": {"request_id": asked, "choice": "sales"}}
    with a_service(tmp_path) as after:
        missing = posted(after, params=answer)
        assert missing.status_code == 422
        assert "send them again" in missing.json()["message"]
        assert posted(after, params=answer, data_pointer={"rows": ROWS}).json()["status"] == "ok"


@pytest.mark.long
@pytest.mark.parametrize("first", ["rows", "source"])
@pytest.mark.parametrize("second", ["list", "rows", "source"])
def test_the_second_table_of_a_request_is_named_as_the_first(tmp_path: Path, first: str, second: str) -> None:
    sizes = ["tiny", "small", "medium", "large", "huge"]
    left = [{"size": sizes[i % 5], "v": i} for i in range(40)]
    right = [{"size": sizes[i % 5], "w": 2 * i} for i in range(30)]
    for name, rows in (("left", left), ("right", right)):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    pointer = {"rows": left} if first == "rows" else {"source": str(tmp_path / "left.json")}
    other = {"list": right, "rows": {"rows": right}, "source": {"source": str(tmp_path / "right.json")}}
    with a_service(tmp_path) as service:
        body = {"context": {"task": "join the two tables on size"}, "data_pointer": pointer}
        said = posted(service, params={"other": other[second], "on": ["size"]}, **body).json()
    assert said["status"] == "ok", said
    assert said["result"]["results"][0]["output"]["left_matched"] == 40


@pytest.mark.long
def test_an_upload_that_was_cut_short_while_nobody_looked_is_not_answered_from(tmp_path: Path) -> None:
    lines = [f"{'ab'[i % 2]},{i}.5" for i in range(300)]
    with a_service(tmp_path) as before:
        sent = ("region,amount\n" + "\n".join(lines) + "\n").encode()
        made = before.post("/api/datasets", files={"files": ("sales.csv", sent)}).json()["id"]
        asked = {"question": "total amount", "dataset_id": made}
        assert "45,000" in before.post("/api/ask", json=asked).text
    [kept] = (tmp_path / "home" / "datasets").rglob("files/sales.csv")
    whole = kept.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole.replace(b"299.5", b"999.5"), None):
        kept.unlink() if damaged is None else kept.write_bytes(damaged)
        with a_service(tmp_path) as after:
            said = after.post("/api/ask", json=asked)
            assert said.status_code == 422
            assert "not any more what was uploaded" in said.text
    kept.write_bytes(whole)
    with a_service(tmp_path) as after:
        assert "45,000" in after.post("/api/ask", json=asked).text


def test_a_reading_that_was_stored_in_another_form_is_read_anew() -> None:
    flat = {"question": "revenue?", "kind": "value", "metrics": ["revenue"]}
    request = request_of(Parts.model_validate(flat), SemanticModel()).model_dump(mode="json")
    today, before = ({"reading": {"status": "clear", "requests": [r]}} for r in (request, flat))
    assert reading_of(today) is not None and reading_of(before) is None
