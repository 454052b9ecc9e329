"""A process that serves one GGUF file on loopback; ``gnomon.llm.gguf`` starts it, and it ends with who did.

It needs the standard library and what serves: llama.cpp's own server where one is installed, since that is built for
the processor at hand, else xllamacpp. The order comes as one line on its standard input, so that the key stands in no
list of processes; the answer is one line on its standard output.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from importlib import import_module
from typing import Any

# What an executable of any age understands stands among its arguments; what came later is said by the environment,
# which one that does not know it passes over.
_QUIETLY = {
    "LLAMA_ARG_WEBUI": "0",
    "LLAMA_ARG_NO_WEBUI": "1",
    "LLAMA_ARG_THINK_BUDGET": "0",
    "LLAMA_ARG_OFFLINE": "1",
}
_child: subprocess.Popen[bytes] | None = None


def main() -> None:
    """Load the file, say where it is served, and stay until the parent is gone."""
    order = json.loads(sys.stdin.readline())
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the library prints is no answer
    parent = os.getppid()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Loading holds the interpreter, so neither the thread nor a handler in Python could end it; this signal does.
    alarm = getattr(signal, "alarm", None)
    if alarm is not None:
        alarm(math.ceil(order["seconds"]))
    served: Any = None  # held, since the library's server ends with what holds it
    try:
        address = _by_executable(order) if order.get("server") else None
        if address is None:
            library: Any = import_module("xllamacpp")
            served = library.Server(_parameters(library.CommonParams(), order))
            address = served.listening_address
        said = {"address": address}
    except Exception as e:  # noqa: BLE001 - whatever the library raises is told to the parent, which says what to do
        said = {"error": str(e)}
    if alarm is not None:
        alarm(0)
    print(json.dumps(said), file=answer, flush=True)
    while "address" in said and os.getppid() == parent and (_child is None or _child.poll() is None):
        time.sleep(1)
    _end()


def _end_with_parent() -> None:
    """End when the other end of standard input closes, which it does however the parent ends."""
    sys.stdin.read()
    _end()


def _end() -> None:
    if _child is not None:
        _child.kill()
    os._exit(0)  # the library's own way out can wait for ever


def _by_executable(order: dict[str, Any]) -> str | None:
    """The address at which llama.cpp's own server has the file; None where it does not come up."""
    global _child
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    numbers = {"-c": "context", "-n": "tokens", "-t": "threads"}
    given = [part for flag, name in numbers.items() for part in (flag, str(order[name]))]
    _child = subprocess.Popen(
        [order["server"], "-m", order["path"], "-a", order["name"], "--host", "127.0.0.1", "--port", str(port),
         "-np", "1", *given],
        env={**os.environ, **_QUIETLY, "LLAMA_API_KEY": order["key"]},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=_end_with_us,
    )  # fmt: skip
    until = time.monotonic() + order["seconds"]
    while _child.poll() is None and time.monotonic() < until:
        if _is_up(port):
            return f"http://127.0.0.1:{port}"
        time.sleep(0.1)
    _child.kill()
    _child.wait()
    _child = None
    return None


def _end_with_us() -> None:
    """Have the system end a process with the one that started it, however that ends; Linux can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def _parameters(p: Any, order: dict[str, Any]) -> Any:
    """One reader at a time, on loopback, with a key, and no way to anything but completions."""
    p.model.path = order["path"]
    p.model_alias = {order["name"]}
    p.hostnames = ["127.0.0.1"]
    p.port = 0
    p.api_keys = [order["key"]]
    p.cors_origins = "null"
    p.ui = p.endpoint_slots = p.endpoint_props = p.endpoint_metrics = False
    p.offline = True
    p.n_ctx = order["context"]
    p.n_predict = order["tokens"]
    p.n_parallel = 1
    p.cache_ram_mib = 0
    p.enable_reasoning = 0  # thinking aloud would use up the time of a task
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = order["threads"]
    p.cpuparams.poll = p.cpuparams_batch.poll = 0  # threads that wait leave the cores to others
    p.warmup = False
    p.verbosity = 0
    return p


if __name__ == "__main__":
    main()
