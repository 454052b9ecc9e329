"""Listening: a socket of our own, so that a taken port is told plainly, and heads of requests that come in time."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from gnomon.core.errors import ConfigurationError

HEAD_SECONDS = 15.0
BACKLOG = 512


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        ConfigurationError: The port is taken, or the address is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Where the protocol is not named, the event loop does not tell connections to send at once, and the body of a reply
    # waits 40 ms until its head is acknowledged.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError as e:
        made.close()
        taken = e.errno == errno.EADDRINUSE
        raise ConfigurationError(
            f"Port {port} of {host} is taken by another program."
            if taken
            else f"This machine cannot listen on {host}:{port} ({e.strerror or e}).",
            suggestions=["Choose another with --port, or --port 0 for a free one."]
            if taken
            else ["Listen on 127.0.0.1, or on an address of this machine, and on a port above 1023."],
        ) from None
    return made


class HeadInTime(H11Protocol):
    """HTTP/1.1 in which the head of a request has to arrive within a few seconds."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Take what arrives; once a request has begun, its body has a deadline elsewhere."""
        super().data_received(data)
        if self._is_serving():
            self._head_came()
        elif self._deadline is None:
            self._expect_head()

    def on_response_complete(self) -> None:
        """Wait for the next head, as long as a connection may be idle."""
        super().on_response_complete()
        self._head_came()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._head_came()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._too_late)

    def _head_came(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        if not self._is_serving() and not self.transport.is_closing():
            self.transport.close()

    def _is_serving(self) -> bool:
        """Whether a request has begun and is not answered yet; there is none before the first."""
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete
