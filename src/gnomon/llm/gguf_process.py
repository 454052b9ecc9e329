"""A process that serves one GGUF file on loopback; ``gnomon.llm.gguf`` starts it, and it ends with who did.

It needs xllamacpp and the standard library only. The order comes as one line on its standard input, so that the key
stands in no list of processes; the answer is one line on its standard output.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from importlib import import_module
from typing import Any


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
    try:
        library: Any = import_module("xllamacpp")
        server = library.Server(_parameters(library.CommonParams(), order))
        said = {"address": server.listening_address}
    except Exception as e:  # noqa: BLE001 - whatever the library raises is told to the parent, which says what to do
        said = {"error": str(e)}
    if alarm is not None:
        alarm(0)
    print(json.dumps(said), file=answer, flush=True)
    while "address" in said and os.getppid() == parent:
        time.sleep(1)
    os._exit(0)  # the library's own way out can wait for ever


def _end_with_parent() -> None:
    """End when the other end of standard input closes, which it does however the parent ends."""
    sys.stdin.read()
    os._exit(0)


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
