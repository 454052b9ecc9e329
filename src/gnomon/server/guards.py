"""What stands before every request: known hosts, own origins, a token, and a limit on size."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from gnomon.core.errors import AuthenticationFailed, GnomonError, InvalidInput, PolicyViolation
from gnomon.core.settings import Settings
from gnomon.server.errors import error_response

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
_OPEN_PATHS = {"/health"}


class Guards:
    """ASGI middleware that refuses what should not reach the application.

    A page of another origin may not call a server on the user's machine, a name that somebody else's DNS
    points here is not answered, and a body larger than the limit is refused while it arrives.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._hosts = frozenset(settings.allowed_hosts)
        self._token = settings.api_token
        self._limit = settings.max_upload_mb * 1024 * 1024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if refusal := self._refusal(scope["path"], headers):
            status, error = refusal
            await error_response(error, status)(scope, receive, send)  # pyright: ignore[reportArgumentType]
            return
        body = _Counted(receive, self._limit)

        async def answer(message: Message) -> None:
            if not body.exceeded:
                await send(message)

        await self._app(scope, body, answer)
        if body.exceeded:
            await error_response(self._too_large(), 413)(scope, receive, send)  # pyright: ignore[reportArgumentType]

    def _refusal(self, path: str, headers: Headers) -> tuple[int, GnomonError] | None:
        if host_of(headers.get("host", "")) not in self._hosts:
            return 400, PolicyViolation(
                "This server does not answer under that host name.", suggestions=["Set GNOMON_ALLOWED_HOSTS."]
            )
        origin = headers.get("origin")
        if origin is not None and (urlsplit(origin).hostname or "") not in {
            h.strip("[]") for h in self._hosts
        }:
            return 403, PolicyViolation("Pages of another origin may not call this server.")
        if self._token and path not in _OPEN_PATHS and not self._authorised(headers):
            return 401, AuthenticationFailed(
                "A token is needed.",
                suggestions=["Send 'Authorization: Bearer …' with the value of GNOMON_API_TOKEN."],
            )
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._limit:
            return 413, self._too_large()
        return None

    def _authorised(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            given.encode(), (self._token or "").encode()
        )

    def _too_large(self) -> InvalidInput:
        return InvalidInput(
            f"The request is larger than {self._limit // 1024 // 1024} MB.",
            suggestions=["Send fewer rows, or raise GNOMON_MAX_UPLOAD_MB."],
        )


class _Counted:
    """The body of a request, counted as it arrives and ended at the limit."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit
        self.exceeded = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.exceeded = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


def host_of(header: str) -> str:
    """The host name of a Host header, without its port; an IPv6 address keeps its brackets."""
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0].lower()
