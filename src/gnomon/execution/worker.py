"""What runs inside a worker process: the call itself, its progress, and an end when its owner is gone."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.tools.contract import CancelToken

ORPHAN_CHECK_SECONDS = 1.0

Signal = tuple[int, float | None, str | None]
"""The number of a task, with its progress (None: it began) and a message (None: it ended)."""


class _Channel:
    """The way back to the owner of this process, for the task that runs now."""

    def __init__(self) -> None:
        self.pipe: Connection[Signal, Any] | None = None
        self.task = 0

    def send(self, fraction: float | None, message: str | None) -> None:
        if self.pipe is not None:
            self.pipe.send((self.task, fraction, message))


_channel = _Channel()


def begin(pipe: Connection[Signal, Any] | None, owner: int) -> None:
    """Prepare a fresh worker process: where signals go, and whose death ends it."""
    _channel.pipe = pipe
    threading.Thread(target=_end_with, args=(owner,), daemon=True, name="gnomon-owner").start()


def run(task: int, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Say that ``task`` began, call ``function``, and say that it ended."""
    _channel.task = task
    _channel.send(None, "")
    try:
        return function(*args, **kwargs)
    finally:
        _channel.send(None, None)


def preload(modules: tuple[str, ...]) -> list[str]:
    """Import what coming tasks will need, and give the names that are there."""
    from importlib import import_module

    found: list[str] = []
    for name in modules:
        try:
            import_module(name)
        except ImportError:
            continue
        found.append(name)
    return found


def run_call(content: bytes) -> bytes:
    """Run one packed call in a process that its owner can kill."""
    from gnomon.tools.contract import CancelToken

    return run_packed(content, _channel.send, CancelToken())


def run_packed(content: bytes, tell: Callable[[float | None, str], None], cancel: CancelToken) -> bytes:
    """Run one packed call of a tool and give its packed reply; every error is part of the reply.

    The work begins when the tool is there: what a fresh process has to import does not count against
    the step's time limit.
    """
    from gnomon.execution.failures import typed_error
    from gnomon.execution.progress import thinned
    from gnomon.execution.wire import pack_reply, unpack_call
    from gnomon.tools.contract import ToolContext

    name = "the tool"
    try:
        tool, params, settings, roots = unpack_call(content)
        name = tool.spec.name
        tell(None, "")
        context = ToolContext(settings=settings, roots=roots, progress=thinned(tell), cancel=cancel)
        return pack_reply(tool(params, context))
    except Exception as e:  # noqa: BLE001 - the boundary of the process: an error that cannot be unpickled would break the pool
        return pack_reply(None, typed_error(name, e))


def _end_with(owner: int) -> None:
    """End this process when its owner is gone, however busy it is: nobody is left to take the result."""
    while os.getppid() == owner:
        time.sleep(ORPHAN_CHECK_SECONDS)
    os._exit(1)
