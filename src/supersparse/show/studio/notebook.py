"""The studio in a notebook: the page as an anywidget, over the kernel's own channel and without a port."""

import asyncio
import csv
import io
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anywidget
import numpy as np
from starlette.types import ASGIApp, Message

from supersparse.base.errors import InvalidOptionError
from supersparse.show.studio.app import STATIC, make_app, object_of
from supersparse.show.studio.choices import read_plan
from supersparse.show.studio.folder import Limits, default_folder
from supersparse.show.studio.studio import Studio
from supersparse.show.studio.texts import text
from supersparse.table.sources import as_frame

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
                    told = {"id": f"{self.studio.hub.server}-{event.number}", "event": event.name, "data": event.data}
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


_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./([\w-]+)\.js";\s*$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)
_NAMES = re.compile(r"^export (?:async function|function|const|class) (\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def joined_module(folder: Path = STATIC, main: str = "studio") -> str:
    """Return `main` with everything that it imports as one ES module."""
    order: list[str] = []
    texts: dict[str, str] = {}

    def visit(name: str, way: tuple[str, ...]) -> None:
        if name in order:
            return
        if name in way:
            raise ValueError(f"the modules {' and '.join((*way, name))} import each other in a circle")
        texts[name] = (folder / f"{name}.js").read_text(encoding="utf-8")
        for imported in _IMPORT.finditer(texts[name]):
            visit(imported[2], (*way, name))
        order.append(name)

    visit(main, ())
    parts = [_wrapped(name, texts[name]) for name in order[:-1]]
    return "\n".join([*parts, _IMPORT.sub(_taken, texts[main])])


def _taken(imported: re.Match[str]) -> str:
    return f"const {{ {imported[1].replace(' as ', ': ')} }} = {_variable(imported[2])};"


def _wrapped(name: str, text: str) -> str:
    exports = ", ".join(_NAMES.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    left = _OTHER.search(body)
    if left is not None:
        raise ValueError(f"{name}.js: {left[0]!r} cannot be joined; write one import or export on a line")
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"


def _variable(name: str) -> str:
    return "m_" + name.replace("-", "_")


_channels: dict[Path, Channel] = {}


class StudioWidget(anywidget.AnyWidget):
    """The studio, shown below a cell; no port and no token are needed."""

    _esm = joined_module()
    _css = (STATIC / "studio.css").read_text(encoding="utf-8")

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self.channel = channel
        self.on_msg(self._heard)

    def _heard(self, _widget: object, content: dict[str, Any], buffers: list[Any]) -> None:
        self.channel.hear(content, buffers or [], self._say)

    def _say(self, content: dict[str, Any], buffers: Any) -> None:
        self.send(content, list(buffers) or None)


def open_studio(
    X: Any = None,
    y: Any = None,
    *,
    name: str = "table.csv",
    target: str = "target",
    settings: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
) -> StudioWidget:
    """Return the studio as a widget, with a table in it if one is given.

    `settings` are what is asked at first, as a settings file says it. Tables and runs are kept in `folder`,
    by default the same as for `supersparse studio`.
    """
    place = Path(folder) if folder is not None else default_folder()
    channel = _channels.get(place.absolute())
    if channel is None:
        channel = _channels[place.absolute()] = Channel(place)
    if X is not None:
        if y is None:
            raise InvalidOptionError(text("serving.no_labels"))
        content = table_text(X, y, target)
        channel.run(_added(channel, name, target, content, dict(settings or {})))
    return StudioWidget(channel)


async def _added(channel: Channel, name: str, target: str, content: bytes, settings: dict[str, Any]) -> None:
    async def once() -> AsyncIterator[bytes]:
        yield content

    settings = object_of(json.dumps(settings))
    studio = channel.studio
    table_id = (await studio.tables.add(name, once()))["id"]
    studio.tables.change(table_id, {"target": target, **settings.pop("prepare", {})})
    plan = dict(studio.tables.plan(table_id))
    if settings.pop("validate", True) is False:
        plan["validate"] = None
    if settings:
        plan["settings"] = {"goal": "errors", "solve": plan["settings"]["solve"], **settings}
    studio.tables.set_plan(table_id, read_plan(plan))
    studio.opened = {"table": table_id}


def table_text(X: Any, y: Any, target: str) -> bytes:
    """Return a table with its classes as CSV.

    >>> table_text({"age": [30, None]}, ["no", "yes"], "ill").decode().split()
    ['age,ill', '30,no', ',yes']
    """
    columns = _columns(X)
    if target in columns:
        raise InvalidOptionError(text("serving.target_there", target=target))
    labels = list(np.asarray(y).tolist())
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*columns, target])
    for row in zip(*columns.values(), labels, strict=True):
        writer.writerow(["" if cell is None or cell != cell else cell for cell in row])
    return out.getvalue().encode("utf-8", "backslashreplace")


def _columns(X: Any) -> dict[str, list[Any]]:
    if isinstance(X, Mapping):
        return {str(name): list(values) for name, values in X.items()}
    frame = as_frame(X)
    if frame is not None:
        return {str(name): frame[name].to_list() for name in frame.columns}
    array = np.asarray(X)
    return {f"x{j}": array[:, j].tolist() for j in range(array.shape[1])}
