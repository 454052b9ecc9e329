"""Which process works on a run: its host, its number, and when it began, since numbers are given out again."""

from __future__ import annotations

import os
import socket
from functools import cache
from typing import Any

_SLACK_SECONDS = 2.0


def this_process() -> dict[str, Any]:
    """The process that calls."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "began": _began(os.getpid())}


def is_gone(host: str, pid: int, began: float) -> bool:
    """Whether a process of this host has ended; of another host nothing is known, and nothing is claimed."""
    import psutil

    if host != socket.gethostname():
        return False
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - began) > _SLACK_SECONDS or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


@cache
def _began(pid: int) -> float:
    import psutil

    return psutil.Process(pid).create_time()
