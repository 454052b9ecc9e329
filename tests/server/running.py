"""A real service on a loopback port of its own, for tests that need sockets."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.server import create_app
from gnomon.server.listening import HeadInTime, listening


@contextmanager
def running_service(home: Path, **changed: Any) -> Generator[str]:
    """The address of a service that stops when the block ends."""
    socket = listening("127.0.0.1", 0)
    port = socket.getsockname()[1]
    app = create_app(Settings.load(home=warmed(home), log_dir=home / "logs", **changed))
    config = uvicorn.Config(app, http=HeadInTime, log_level="error", timeout_graceful_shutdown=3)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.started
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        socket.close()
