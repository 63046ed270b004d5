"""Serving the studio on this machine: who may ask, an address with a token, and a browser that opens it.

The server listens on this machine only. A page of another site could still send requests to it, so every
request must name this server as its host (which stops names that were made to lead here), must come from a
page of this server if it changes anything, and must carry the cookie that only the holder of the token gets.
"""

import asyncio
import hmac
import json
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterable
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from supersparse.base.errors import InvalidOptionError
from supersparse.show.studio.app import make_app
from supersparse.show.studio.folder import Limits
from supersparse.show.studio.studio import Studio
from supersparse.show.studio.texts import StudioError, refused, text

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src "
    "'self'; frame-src blob: 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
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


def local_hosts(port: int) -> frozenset[str]:
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
        kind, _, attempt = headers.get("authorization", "").partition(" ")
        if kind == "Bearer" and self._token is not None:
            return _same(attempt, self._token)
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        cookie = cookies.get(self.cookie)
        return cookie is not None and _same(cookie.value, self._session)

    async def _begin_session(self, scope: Scope, receive: Receive, send: Send) -> None:
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


def _same(attempt: str, known: str) -> bool:
    return hmac.compare_digest(attempt.encode("utf-8", "surrogatepass"), known.encode())


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
            headers = message.setdefault("headers", [])
            present = {name.lower() for name, _ in headers}
            extra = dict(_HEADERS)
            if b"content-security-policy" not in present:
                extra["content-security-policy"] = CONTENT_SECURITY_POLICY
            if b"cache-control" not in present:
                extra["cache-control"] = "no-store"
            message["headers"] = [*headers, *((k.encode(), v.encode()) for k, v in extra.items())]
        await send(message)

    return sending


async def _refuse(error: StudioError, send: Send) -> None:
    body = json.dumps({"error": error.as_data()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


HOST = "127.0.0.1"  # never another: nothing leaves this machine


def serve(
    folder: Path,
    *,
    port: int = 0,
    table: Path | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
    limits: Limits | None = None,
) -> None:
    """Serve the studio until Ctrl-C; port 0 takes any that is free."""

    async def work(listening: socket.socket) -> None:
        token, port = secrets.token_urlsafe(32), listening.getsockname()[1]
        studio = Studio(folder, limits)
        app = Guard(make_app(studio), token, local_hosts(port))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False,
            timeout_graceful_shutdown=2, lifespan="on",
        )  # fmt: skip
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.02)
        if server.started:
            if table is not None:
                studio.opened = {"table": (await studio.tables.add_file(table))["id"]}
            address = f"http://{HOST}:{port}/#token={token}"
            say(text("serving.open", address=address))
            say(text("serving.kept", folder=studio.folder.root))
            if browser:
                await asyncio.to_thread(webbrowser.open, address)
            watching = asyncio.create_task(_ending(server, studio))
            await serving
            watching.cancel()
        await serving

    with bound_socket(port) as listening:
        asyncio.run(work(listening))


def bound_socket(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise InvalidOptionError(text("serving.no_port", port=port, why=error.strerror)) from None
    return made


async def _ending(server: uvicorn.Server, studio: Studio) -> None:
    """End the event streams as soon as the server is asked to stop, so that it need not wait for them."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    studio.hub.close()
