"""The studio in a notebook: the page's module as an anywidget, over the kernel's own channel."""

import csv
import io
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import anywidget
import numpy as np

from supersparse.base.errors import InvalidOptionError
from supersparse.show.studio.answering import object_of
from supersparse.show.studio.app import STATIC
from supersparse.show.studio.channel import Channel
from supersparse.show.studio.choices import read_plan
from supersparse.show.studio.folder import default_folder
from supersparse.show.studio.module import joined_module
from supersparse.show.studio.texts import text
from supersparse.table.sources import as_frame

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
    studio.tables.change(table_id, {"target": target})
    usual = studio.tables.plan(table_id)
    studio.tables.set_plan(table_id, read_plan({**usual, "settings": {**usual["settings"], **settings}}))
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
