"""Which process a run belongs to, and whether that process still lives."""

from __future__ import annotations

import os
import socket
from functools import cache


@cache
def _this(pid: int) -> str:
    import psutil

    return f"{socket.gethostname()}|{pid}|{psutil.Process(pid).create_time():.2f}"


def this_process() -> str:
    """The mark of this process: its machine, its number, and when it began, since numbers are used again."""
    return _this(os.getpid())


def is_alive(owner: str) -> bool:
    """Whether the process that left this mark still runs; one on another machine is taken to.

    A mark that cannot be read is of an earlier version, whose process is gone.
    """
    import psutil

    host, *mark = owner.rsplit("|", 2)
    try:
        pid, began = int(mark[0]), float(mark[1])
    except (IndexError, ValueError):
        return False
    if host != socket.gethostname():
        return True
    try:
        return abs(psutil.Process(pid).create_time() - began) < 1.0
    except psutil.Error:
        return False
