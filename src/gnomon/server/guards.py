"""What stands before every request: known hosts, own origins, a token, who it is, how much and how fast, and headers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse

from gnomon.core import clock
from gnomon.core.errors import AuthenticationFailed, GnomonError, InvalidInput, PolicyViolation, RateLimited
from gnomon.core.patterns import regex
from gnomon.core.settings import DEFAULT_TENANT, Settings
from gnomon.server.errors import error_response
from gnomon.server.faults import explained

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Audit = Callable[[Scope, int], None]

BODY_SECONDS = 30.0
UPLOAD_SECONDS = 600.0
IDLE_SECONDS = 20.0
MAX_REQUESTS = 1024
MAX_UPLOADS = 4
BODIES_AT_ONCE = 3
MAX_CALLERS = 10_000
COOKIE = "gnomon_token"
TENANT_HEADER = "x-gnomon-tenant"
UPLOAD_PATH = "/api/datasets"
_OPEN_PATHS = frozenset({"/health"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_TENANT = regex(r"[A-Za-z0-9_.\-]{1,100}")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guards:
    """ASGI middleware that refuses what should not reach the application, and never lets a fault out.

    A page of another origin may not call a server on the user's machine, a name that somebody else's DNS
    points here is not answered, and a body is read before its handler begins: bounded in size, in time, and
    all of them together.
    """

    def __init__(self, app: App, settings: Settings, audit: Audit | None = None) -> None:
        self._app = app
        self._hosts = frozenset(h.lower() for h in settings.allowed_hosts)
        self._tokens = _tokens(settings)
        self._json_limit = settings.max_json_mb * 1024 * 1024
        self._upload_limit = settings.max_upload_mb * 1024 * 1024
        self._rates = Rates(settings.requests_per_minute)
        self._audit = audit
        self._going = 0
        self._uploads = 0
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, read the body, pass on, and see to it that an answer goes out."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["request_id"] = secrets.token_hex(8)
        reply = _Reply(scope, send)
        try:
            await self._guarded(scope, receive, reply)
        except GnomonError as e:
            await reply.error(e, _status_of(e))
        except _Gone:
            pass
        except Exception as e:  # noqa: BLE001 - the last boundary: a fault is told in one line, the caller gets a body
            await reply.error(explained(e), 500)
        finally:
            if self._audit is not None:
                self._audit(scope, reply.status)

    async def _guarded(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        headers = Headers(scope=scope)
        self._check_place(scope, headers)
        if await self._logged_in(scope, receive, reply):
            return
        self._check_caller(scope, headers)
        if self._going >= MAX_REQUESTS:
            raise RateLimited("The server is busy.", retry_after_seconds=1.0)
        self._going += 1
        taken = 0
        try:
            if _is_upload(scope, headers):
                await self._upload(scope, headers, receive, reply)
                return
            body, taken = await self._body(headers, receive)
            await self._app(scope, _again(body, receive), reply)
        finally:
            self._bytes -= taken
            self._going -= 1

    def _check_place(self, scope: Scope, headers: Headers) -> None:
        """Known host, own origin."""
        host = headers.get("host", "")
        if host_of(host) not in self._hosts:
            raise _Refused(
                400, "This server does not answer under that host name.", "Set GNOMON_ALLOWED_HOSTS."
            )
        origin = headers.get("origin")
        if origin is None:
            same_site = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            if scope["method"] not in _SAFE and not same_site:
                raise _Refused(403, "Pages of another origin may not call this server.")
            return
        try:
            parts = urlsplit(origin)
            name, place, _ = parts.hostname or "", parts.netloc, parts.port
        except ValueError:
            raise _Refused(403, "The Origin of this request cannot be read.") from None
        if name not in {h.strip("[]") for h in self._hosts}:
            raise _Refused(403, "Pages of another origin may not call this server.")
        # Agents in a browser come from a port of their own; everything else changes only by our own page.
        if scope["method"] not in _SAFE and scope["path"] != "/mcp" and place.lower() != host.lower():
            raise _Refused(403, "Pages of another origin may not change anything here.")

    def _check_caller(self, scope: Scope, headers: Headers) -> None:
        """Who it is, and whether they ask too often."""
        state = scope["state"]
        named = headers.get(TENANT_HEADER)
        if named is not None and not _TENANT.fullmatch(named):
            raise InvalidInput("X-Gnomon-Tenant has letters, digits, dots and dashes only, 100 at most.")
        tenant = named or DEFAULT_TENANT
        state["bound"] = False
        if self._tokens and scope["path"] not in _OPEN_PATHS:
            own = self._owner(_given_token(headers))
            if own is None:
                raise AuthenticationFailed(
                    "A token is needed.",
                    suggestions=[
                        "Send 'Authorization: Bearer …', or open the address that was printed at the start."
                    ],
                )
            if own:
                if named not in (None, own):
                    raise _Refused(403, "This token belongs to another tenant.")
                tenant, state["bound"] = own, True
        state["tenant"] = tenant
        client = (scope.get("client") or ("", 0))[0]
        self._rates.check((tenant, client))

    async def _logged_in(self, scope: Scope, receive: Receive, reply: _Reply) -> bool:
        """Turn the address that was printed at the start into a cookie, so that the page need not carry the token."""
        if (
            not self._tokens
            or scope["method"] != "GET"
            or scope["path"] != "/"
            or b"token=" not in scope["query_string"]
        ):
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self._owner(given) is None:
            return False
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, given, httponly=True, samesite="strict", path="/")
        await answer(scope, receive, reply)  # pyright: ignore[reportArgumentType]
        return True

    def _owner(self, given: str) -> str | None:
        """The tenant of a token, nothing for that of the server itself, and None for a wrong one."""
        found = None
        for known, tenant in self._tokens.items():  # every one is compared, so that time tells nothing
            if hmac.compare_digest(hashlib.sha256(given.encode()).digest(), known):
                found = tenant
        return found

    async def _body(self, headers: Headers, receive: Receive) -> tuple[bytes, int]:
        """The whole body, within its limits."""
        limit = self._json_limit
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length[:20]) > limit:
            raise _too_large(limit)
        deadline = clock.elapsed() + BODY_SECONDS
        parts: list[bytes] = []
        size = 0
        try:
            while True:
                message = await _in_time(receive, deadline)
                part = message.get("body", b"")
                size += len(part)
                self._bytes += len(part)
                parts.append(part)
                if size > limit:
                    raise _too_large(limit)
                if self._bytes > limit * BODIES_AT_ONCE:
                    raise RateLimited("Too many large requests arrive at once.", retry_after_seconds=2.0)
                if not message.get("more_body", False):
                    return b"".join(parts), size
        except BaseException:
            self._bytes -= size
            raise

    async def _upload(self, scope: Scope, headers: Headers, receive: Receive, reply: _Reply) -> None:
        """Files stream through to disk; their size and their pace are watched."""
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length[:20]) > self._upload_limit:
            raise _too_large(self._upload_limit)
        if self._uploads >= MAX_UPLOADS:
            raise RateLimited("Too many uploads arrive at once.", retry_after_seconds=5.0)
        deadline = clock.elapsed() + UPLOAD_SECONDS
        size = 0
        problem: GnomonError | None = None

        async def counted() -> Message:
            nonlocal size, problem
            try:
                message = await _in_time(receive, min(deadline, clock.elapsed() + IDLE_SECONDS))
            except GnomonError as e:
                problem = e
                raise
            size += len(message.get("body", b""))
            if size > self._upload_limit:
                problem = _too_large(self._upload_limit)
                raise problem
            return message

        async def held(message: Message) -> None:
            if problem is None:
                await reply(message)

        self._uploads += 1
        try:
            await self._app(scope, counted, held)
        finally:
            self._uploads -= 1
        if problem is not None:
            raise problem


class Rates:
    """How often callers ask: each has a bucket that fills with time.

    Args:
        per_minute: Requests of one caller in a minute; 0 for any number.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_second = per_minute / 60
        self._most = max(10.0, per_minute / 6)
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def check(self, caller: tuple[str, str]) -> None:
        """Take one from the caller's bucket.

        Raises:
            RateLimited: It is empty.
        """
        if not self._per_second:
            return
        now = clock.elapsed()
        left, since = self._buckets.pop(caller, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_second)
        self._buckets[caller] = (max(0.0, left - 1), now)
        while len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        if left < 1:
            wait = (1 - left) / self._per_second
            raise RateLimited("Too many requests in a short time.", retry_after_seconds=wait)


class _Refused(PolicyViolation):
    """A request that is not let in, with its status."""

    def __init__(self, status: int, message: str, *suggestions: str) -> None:
        super().__init__(message, suggestions=suggestions)
        self.status = status


class _TooLarge(InvalidInput):
    status = 413


class _TooSlow(InvalidInput):
    status = 408


class _Gone(Exception):
    """The caller has hung up while sending."""


class _Reply:
    """The answer on its way out: with the headers that every answer has, and begun only once."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers["X-Request-ID"] = self._scope["state"]["request_id"]
            if not self._scope["path"].startswith("/static/"):
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)

    async def error(self, error: GnomonError, status: int | None) -> None:
        """Answer with an error, unless an answer has begun already."""
        if self.status == 0:
            response = error_response(error, status, self._scope["state"]["request_id"])
            if status in (408, 413):
                response.headers["Connection"] = "close"
            await response(self._scope, _nothing, self)  # pyright: ignore[reportArgumentType]


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _in_time(receive: Receive, deadline: float) -> Message:
    try:
        message = await asyncio.wait_for(receive(), max(0.001, deadline - clock.elapsed()))
    except TimeoutError:
        raise _TooSlow(
            "The request was not sent in time.", suggestions=["Send the whole request at once."]
        ) from None
    if message["type"] == "http.disconnect":
        raise _Gone
    return message


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, then whatever comes after it."""
    sent = False

    async def received() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return received


def _is_upload(scope: Scope, headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return scope["method"] == "POST" and scope["path"] == UPLOAD_PATH and kind == "multipart/form-data"


def _tokens(settings: Settings) -> dict[bytes, str]:
    """The digest of every token with its tenant; that of the server itself has none."""
    known = {
        hashlib.sha256(t.get_secret_value().encode()).digest(): n for n, t in settings.tenant_tokens.items()
    }
    if settings.api_token:
        known[hashlib.sha256(settings.api_token.encode()).digest()] = ""
    return known


def _given_token(headers: Headers) -> str:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def _too_large(limit: int) -> GnomonError:
    return _TooLarge(
        f"The request is larger than {limit // 1024 // 1024} MB.",
        suggestions=[
            "Send fewer rows, or upload a file to /api/datasets.",
            "GNOMON_MAX_JSON_MB and GNOMON_MAX_UPLOAD_MB set the limits.",
        ],
    )


def _status_of(error: GnomonError) -> int | None:
    return getattr(error, "status", None)


def host_of(header: str) -> str:
    """The host name of a Host header, without its port; an IPv6 address keeps its brackets."""
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()
