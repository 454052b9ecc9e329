"""Stands for the real library in a process of its own: it does what the name of the file says."""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def CommonParams() -> SimpleNamespace:
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())  # fmt: skip


class Server:
    def __init__(self, given: SimpleNamespace) -> None:
        does = Path(given.model.path).stem
        if does == "damaged":
            raise RuntimeError("Failed to init server.")
        if does == "crashing":
            os._exit(7)
        if does == "slow":
            time.sleep(600)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                known = self.headers["authorization"] == f"Bearer {given.api_keys[0]}"
                message = {"role": "assistant", "content": json.dumps({"total": given.n_ctx})}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                body: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}  # fmt: skip
                text = json.dumps(body if known else {"error": {"message": "no"}}).encode()
                self.send_response(200 if known else 401)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                print(format)

        print("loading")
        server = ThreadingHTTPServer((given.hostnames[0], given.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://{given.hostnames[0]}:{server.server_address[1]}"
