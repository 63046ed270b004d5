"""Requests and answers: who may ask, JSON that can be read and written again, and errors in one form.

The server listens on this machine only. A page of another site could still send requests to it, so every
request must name this server as its host (which stops names that were made to lead here), must come from a
page of this server if it changes anything, and must carry the cookie that only the holder of the token gets.
"""

import hmac
import json
import math
import secrets
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from supersparse.show.studio.texts import StudioError, as_problem, refused

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; frame-src blob: 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
MADE_PAGE_POLICY = (  # calculators, sheets and reports bring their own script and style, and nothing else
    "sandbox allow-scripts allow-modals; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}
_READING = ("GET", "HEAD")
_OPEN = ("/api/session",)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def local_hosts(port: int) -> frozenset[str]:
    """Return the names under which a browser on this machine reaches the server."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))


class Guard:
    """Wraps the application: refuses who may not ask, and adds headers to every answer.

    `hosts` are the values that the Host header may have. Without a token, as in a notebook, where requests
    come over the kernel's own channel, nothing is checked.
    """

    def __init__(self, app: ASGIApp, token: str | None, hosts: Iterable[str]) -> None:
        self._app = app
        self._token = token
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        sending = _with_headers(send)
        try:
            self._check(scope)
            if self._token is not None and scope["path"] == "/api/session":
                await self._begin_session(scope, receive, sending)
                return
        except StudioError as error:
            await _refuse(error, sending)
            return
        await self._app(scope, receive, sending)

    @property
    def cookie(self) -> str:
        """The name of the cookie, which differs from that of a studio on another port."""
        port = min(host.rpartition(":")[2] for host in self._hosts)
        return f"supersparse_studio_{port}"

    def _check(self, scope: Scope) -> None:
        if self._token is None:
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts or len(headers.getlist("host")) != 1:
            raise refused("forbidden", "host", thing="Host", value=host)
        origin = headers.get("origin")
        writes = scope["method"] not in _READING
        if (origin is None and writes) or (origin is not None and origin not in self._origins):
            raise refused("forbidden", "origin", thing="Origin", value=origin)
        if scope["path"].startswith("/api/") and scope["path"] not in _OPEN and not self._is_known(headers):
            raise refused("token", "no_token", thing="token")

    def _is_known(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind == "Bearer" and self._token is not None:
            return _same(given, self._token)
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie)
        return found is not None and _same(found.value, self._session)

    async def _begin_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Exchange the token for a cookie."""
        if scope["method"] != "POST":
            raise refused("method", "session", thing="method", value=scope["method"])
        given = (await _small_json(receive)).get("token")
        assert self._token is not None
        if not isinstance(given, str) or not _same(given, self._token):
            raise refused("token", "token", thing="token")
        cookie = f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"
        start = {"type": "http.response.start", "status": 204, "headers": [(b"set-cookie", cookie.encode())]}
        await send(start)
        await send({"type": "http.response.body", "body": b""})


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), known.encode())


async def _small_json(receive: Receive) -> dict[str, object]:
    body = b""
    more = True
    while more and len(body) <= 4096:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else {}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = message.setdefault("headers", [])
            present = {name.lower() for name, _ in given}
            extra = dict(_HEADERS)
            if b"content-security-policy" not in present:
                extra["content-security-policy"] = CONTENT_SECURITY_POLICY
            if b"cache-control" not in present:
                extra["cache-control"] = "no-store"
            message["headers"] = [*given, *((k.encode(), v.encode()) for k, v in extra.items())]
        await send(message)

    return sending


async def _refuse(error: StudioError, send: Send) -> None:
    body = json.dumps({"error": error.as_data()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_CODES = {404: "missing", 405: "method"}
_DEEPEST = 50  # lists and objects within each other
_LONGEST_NUMBER = 300  # characters
Answer = Callable[[Request], Awaitable[Response]]


async def http_problem(request: Request, error: Exception) -> Response:
    """Answer where there is no such address or method."""
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "missing")
    path, method = request.url.path, request.method
    if code == "method":
        return _refused(refused(code, "method_at", thing="address", value=path, method=method))
    return _refused(refused(code, "nothing_at", thing="address", value=path))


async def any_problem(_request: Request, error: Exception) -> Response:
    """Answer whatever goes wrong."""
    return _refused(as_problem(error))


def _refused(error: StudioError) -> Response:
    return answer_of({"error": error.as_data()}, error.status)


def answer_of(found: object, status: int = 200) -> Response:
    """Answer with JSON in ASCII: what is no character, such as half a surrogate pair, has a code there."""
    content = json.dumps(found, allow_nan=False, separators=(",", ":"))
    return Response(content, status, media_type="application/json")


def answering(answer: Callable[..., Awaitable[Any]]) -> Answer:
    """Let a function return data, and raise what is wrong."""

    @wraps(answer)
    async def answered(request: Request) -> Response:
        try:
            found = await answer(request)
        except StudioError as error:
            return _refused(error)
        except ClientDisconnect:
            return Response(status_code=499)
        except OSError as error:
            return _refused(as_problem(error))
        if found is None:
            return Response(status_code=204)
        return found if isinstance(found, Response) else answer_of(found)

    return answered


async def read_object(request: Request, most: int) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise refused("type", "content_type", thing="Content-Type", value=kind)
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise refused("large", "body_large", thing="body", value=most)
    return object_of(content or b"{}")


def object_of(content: str | bytes) -> dict[str, Any]:
    """Read a JSON object; what could not be written to a file again, or counted with, is refused.

    >>> object_of('{"name": "a", "cuts": [1, 2.5]}')
    {'name': 'a', 'cuts': [1, 2.5]}
    """
    try:
        found = json.loads(content, parse_constant=_number, parse_int=_number, parse_float=_number)
        if not isinstance(found, dict):
            raise refused("input", "no_object", thing="body")
        _check_depth(found)
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise refused("input", "no_character", thing="body", value=half) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise refused("input", "no_object", thing="body") from None
    return found


def _number(text: str) -> int | float:
    """A number of JSON; infinities, what is no number, and numbers of hundreds of digits are refused."""
    if len(text) > _LONGEST_NUMBER or not math.isfinite(float(text)):
        raise refused("input", "no_number", thing="number", value=text[:20], most=_LONGEST_NUMBER)
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _check_depth(found: dict[str, Any]) -> None:
    level: list[Any] = [found]
    for _ in range(_DEEPEST):
        within = [one for part in level for one in (part.values() if isinstance(part, dict) else part)]
        level = [one for one in within if isinstance(one, dict | list)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> StudioError:
    return refused("input", "too_deep", thing="body", most=_DEEPEST)
