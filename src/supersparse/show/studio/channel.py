"""The studio without a port: its application answers messages, as those of a notebook's widget."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message

from supersparse.show.studio.app import make_app
from supersparse.show.studio.limits import Limits
from supersparse.show.studio.studio import Studio

Send = Callable[[dict[str, Any], Sequence[bytes]], None]


class Channel:
    """A studio in a thread of its own, which is asked by messages and answers by them.

    A request is ``{"kind": "request", "id", "method", "path", "body"}`` and may bring one buffer, a file. The
    answer is ``{"kind": "response", "id", "status", "type", "body"}``; what is not JSON comes as a buffer.
    ``subscribe`` and ``unsubscribe`` begin and end the events of a page.
    """

    def __init__(self, folder: Path, limits: Limits | None = None, *, ahead: bool = True) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="supersparse studio", daemon=True)
        self._thread.start()
        self._following: dict[tuple[Send, object], asyncio.Task[None]] = {}
        self.studio = Studio(folder, limits, ahead=ahead)
        self._app: ASGIApp = make_app(self.studio)
        self._loop.call_soon_threadsafe(self.studio.open)

    def _run(self) -> None:
        """Run the loop until it is stopped, then end what is left in it."""
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, Any], seconds: float | None = 60.0) -> Any:
        """Do something in the studio's thread and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def hear(self, message: dict[str, Any], buffers: Sequence[Any], send: Send) -> None:
        """Take a message of a page; answers are sent when they are ready."""
        kind, message_id = message.get("kind"), message.get("id")
        if kind == "request":
            work = self._answer(message, [bytes(buffer) for buffer in buffers], send)
        elif kind == "subscribe":
            work = self._begin_following(message_id, send)
        elif kind == "unsubscribe":
            work = self._end_following(message_id, send)
        else:
            return
        asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the studio; its runs go on when its folder is opened again."""
        self.run(self.studio.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)

    async def _answer(self, message: dict[str, Any], buffers: list[bytes], send: Send) -> None:
        status, kind, content = await call(
            self._app,
            str(message.get("method", "GET")),
            str(message.get("path", "/")),
            buffers[0] if buffers else None if message.get("body") is None else message["body"],
        )
        answer = {"kind": "response", "id": message.get("id"), "status": status, "type": kind, "body": None}
        if kind.startswith("application/json") or not content:
            send({**answer, "body": json.loads(content) if content else None}, [])
        else:
            send(answer, [content])

    async def _begin_following(self, message_id: object, send: Send) -> None:
        async def follow() -> None:
            async for event in self.studio.hub.follow():
                if event is not None:
                    told = {
                        "id": f"{self.studio.hub.server}-{event.number}",
                        "event": event.name,
                        "data": event.data,
                    }
                    send({"kind": "event", "id": message_id, "event": told}, [])

        self._following[send, message_id] = asyncio.create_task(follow())

    async def _end_following(self, message_id: object, send: Send) -> None:
        task = self._following.pop((send, message_id), None)
        if task is not None:
            task.cancel()


async def call(app: ASGIApp, method: str, path: str, body: object = None) -> tuple[int, str, bytes]:
    """Ask an application something; return the status, the media type and the content of its answer."""
    parts = urlsplit(path.encode("utf-8", "replace").decode())
    content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = b"application/octet-stream" if isinstance(body, bytes) else b"application/json"
    sent: list[Message] = []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.upper(),
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"content-type", kind), (b"content-length", str(len(content)).encode())],
        "client": None,
        "server": None,
    }
    waiting = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    kinds = [value.decode() for name, value in start["headers"] if name.lower() == b"content-type"]
    found = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
    return start["status"], kinds[0] if kinds else "", found
