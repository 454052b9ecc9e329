"""The one door to a language model: it writes into the ledger what it is about to send, and sends no more."""

from __future__ import annotations

import ipaddress
from contextvars import ContextVar
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from gnomon.core.errors import ConfigurationError

if TYPE_CHECKING:
    from gnomon.llm.ledger import EgressLedger

SENDING: ContextVar[dict[str, str] | None] = ContextVar("gnomon_sending", default=None)
"""What the task under way sends for, as the ledger tells it; set by whoever runs the task."""
_SENT = ("host", "content-type", "content-length", "accept")
USER_AGENT = "gnomon"


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Records each request before it is sent, and leaves off headers that tell about this machine.

    Args:
        ledger: Where it is written down.
        key: What the endpoint asks for; it is sent, and not written down.
        inner: What sends.
    """

    def __init__(self, ledger: EgressLedger, key: str | None, inner: httpx2.AsyncBaseTransport) -> None:
        self._ledger = ledger
        self._key = key
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Write down, then send.

        Raises:
            ConfigurationError: It could not be written down, and was not sent.
        """
        content = await request.aread()
        headers = {name: request.headers[name] for name in _SENT if name in request.headers}
        headers["user-agent"] = USER_AGENT
        try:
            self._ledger.record(f"{request.method} {request.url}", content, headers, SENDING.get())
        except OSError as e:
            raise ConfigurationError(
                f"Nothing was sent to the language model, as it cannot be written down ({type(e).__name__}).",
                suggestions=["Check that GNOMON_HOME names a folder that you may write to."],
            ) from e
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        plain = httpx2.Request(
            request.method, request.url, headers=headers, content=content, extensions=request.extensions
        )
        return await self._inner.handle_async_request(plain)

    async def aclose(self) -> None:
        """Close what sends."""
        await self._inner.aclose()


def sender(url: str) -> httpx2.AsyncHTTPTransport:
    """What sends to ``url``: through the proxy of the environment, unless it is this machine or is excepted."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = None if is_local(url) or proxy_bypass(host) else getproxies().get(parts.scheme)
    return httpx2.AsyncHTTPTransport(proxy=proxy)


def is_local(url: str) -> bool:
    """Whether an address is this machine, so that nothing leaves it."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
