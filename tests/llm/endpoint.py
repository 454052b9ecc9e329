"""A small OpenAI-compatible server on loopback: it keeps the bytes that reach it and answers what it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Endpoint:
    """What arrived, and what is answered: texts one after the other, what a function makes, or a status code."""

    answers: list[str | int | Callable[[], str]]
    url: str = ""
    bodies: list[bytes] = field(default_factory=list[bytes])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def reply(self) -> tuple[int, bytes]:
        answer = self.answers[min(len(self.bodies), len(self.answers)) - 1]
        if callable(answer):
            answer = answer()
        if isinstance(answer, int):
            return answer, json.dumps({"error": {"message": "refused"}}).encode()
        if json.loads(self.bodies[-1]).get("stream"):
            return 200, _streamed(answer)
        message = {"role": "assistant", "content": answer}
        made: dict[str, Any] = {
            "id": "answer-1",
            "object": "chat.completion",
            "created": 1,
            "model": "small",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        return 200, json.dumps(made).encode()


def _streamed(answer: str) -> bytes:
    """The answer in two pieces and what it used, as a stream of events."""
    head = {"id": "answer-1", "object": "chat.completion.chunk", "created": 1, "model": "small"}
    half = len(answer) // 2
    pieces = [{"role": "assistant", "content": answer[:half]}, {"content": answer[half:]}]
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": p, "finish_reason": None}]} for p in pieces
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunks.append({**head, "choices": [], "usage": usage})
    return b"".join(f"data: {json.dumps(c)}\n\n".encode() for c in chunks) + b"data: [DONE]\n\n"


@contextmanager
def endpoint(*answers: str | int | Callable[[], str]) -> Iterator[Endpoint]:
    """The server, while it runs."""
    kept = Endpoint(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            kept.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            kept.headers.append({k.lower(): v for k, v in self.headers.items()})
            status, body = kept.reply()
            self.send_response(status)
            streamed = body.startswith(b"data: ")
            self.send_header("content-type", "text/event-stream" if streamed else "application/json")
            self.send_header("content-length", str(len(body)))
            if status >= 400:
                self.send_header("retry-after-ms", "10")  # half a second and more where it says nothing
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    kept.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
