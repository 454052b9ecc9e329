"""How far a model is believed, and replies that are kept: recorded over real HTTP and given again without it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.models import override_allow_model_requests

from gnomon.core.errors import ConfigurationError, GnomonError
from gnomon.core.settings import Settings
from gnomon.llm import ModelClient
from gnomon.llm.trust import Measured, Trust


class Said(BaseModel):
    """What the model of these tests says."""

    word: str


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-compatible server that always says the same."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            reply = {
                "id": "1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"word": "yes"}'}}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }  # fmt: skip
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", seen
    server.shutdown()


def _ask(settings: Settings, prompt: str) -> Said:
    client = ModelClient.of(settings)
    assert client is not None
    try:
        with override_allow_model_requests(True):
            return client.ask("Say a word.", prompt, Said)
    finally:
        client.close()


def test_a_reply_is_kept_and_given_again_without_the_model(
    endpoint: tuple[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    url, seen = endpoint
    folder = tmp_path / "replies"
    recording = Settings.load(model=f"replay:{folder}", model_url=url, home=tmp_path / "home")
    assert _ask(recording, "the first").word == "yes"
    assert len(seen) == 1 and len(list(folder.glob("*.json"))) == 1
    alone = Settings.load(model=f"replay:{folder}", home=tmp_path / "home")
    assert _ask(alone, "the first").word == "yes"
    assert len(seen) == 1, "nothing was asked again"
    with pytest.raises(GnomonError):
        _ask(alone, "the second")


def test_a_folder_of_replies_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder"):
        ModelClient.of(Settings.load(model=f"replay:{tmp_path / 'gone'}", home=tmp_path))


@pytest.mark.parametrize(
    ("asked", "right", "wrong", "earned"),
    [
        (30, 28, 0, True),
        (30, 26, 0, True),
        (30, 25, 0, False),
        (30, 28, 1, False),
        (10, 10, 0, False),
        (100, 95, 2, True),
    ],
)
def test_queries_are_believed_only_where_they_were_right(
    asked: int, right: int, wrong: int, earned: bool
) -> None:
    assert Measured(asked, right, wrong).has_earned is earned


def test_what_was_measured_is_kept_for_each_model(tmp_path: Path) -> None:
    trust = Trust.of(Settings.load(home=tmp_path))
    assert not trust.has_earned("a") and trust.measured("a") is None
    trust.keep("a", Measured(30, 29, 0, "2026-11-16"))
    trust.keep("b", Measured(30, 11, 12, "2026-11-16"))
    assert trust.has_earned("a") and not trust.has_earned("b")
    assert trust.known() == ["a", "b"]
    for file in (tmp_path / "trust").glob("*.json"):
        file.write_text("not json")
    assert not trust.has_earned("a"), "a damaged file is no reason to believe"
    assert trust.known() == []
