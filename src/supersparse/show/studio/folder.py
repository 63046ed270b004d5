"""The studio's folder: tables, runs and edits on disk, so that a page or a server that ends loses nothing.

Names in it are made here, never by a client::

    studio.json          the last number of each kind
    tables/t1/           table.json, data.csv (or another ending)
    runs/r1/             run.json, events.jsonl, checkpoint, card.json, result.json, files/
    edits/e1/            edit.json
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from supersparse.base.errors import InvalidOptionError
from supersparse.base.writing import write_file
from supersparse.show.studio.crew import Crew
from supersparse.show.studio.texts import StudioError, refused, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what a page may ask for.

    >>> Limits(runs=3).as_data()["runs"]
    3
    """

    upload_bytes: int = 500 * 2**20
    json_bytes: int = 2**20
    tables: int = 50
    runs: int = 200  # kept, whatever their state
    edits: int = 100
    steps: int = 500  # of one edit
    running: int = field(default_factory=lambda: max(2, min(4, (os.cpu_count() or 2) - 1)))  # others wait
    desks: int = 2  # tables that are held in memory
    cards_compared: int = 6
    seconds: float = 24 * 3600.0  # the longest time limit of a run

    def processes(self, asked: object) -> int:
        """How many processes the folds of a run may use: as many as threads are asked for, or its share.

        >>> Limits(running=2).processes(3)
        3
        """
        cores = os.cpu_count() or 1
        if isinstance(asked, int) and not isinstance(asked, bool):
            return cores if asked < 0 else max(1, min(asked, 2 * cores))
        return max(1, cores // self.running)

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


Publish = Callable[[str, Any], None]
KINDS = {"t": "tables", "r": "runs", "e": "edits"}
_WORDS = {"t": "table", "r": "run", "e": "edit"}
_ID = re.compile(r"([tre])([1-9][0-9]{0,8})", re.ASCII)


def default_folder() -> Path:
    chosen = os.environ.get("SUPERSPARSE_STUDIO")
    return Path(chosen) if chosen else Path.home() / ".supersparse" / "studio"


class Folder:
    """A folder that one server at a time holds."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for name in KINDS.values():
                (self.root / name).mkdir(exist_ok=True)
        except OSError as error:
            raise InvalidOptionError(text("serving.no_folder", folder=root, why=error.strerror)) from None
        self._lock = _held(self.root / ".lock")
        self._last: dict[str, int] = dict.fromkeys(KINDS, 0)
        self._last.update(read_json(self.root / "studio.json") or {})
        for kind, name in KINDS.items():  # a studio.json that was lost must not lead to a name used twice
            for place in (self.root / name).iterdir():
                match = _ID.fullmatch(place.name)
                if match is not None and match[1] == kind:
                    self._last[kind] = max(self._last[kind], int(match[2]))

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def make(self, kind: str) -> str:
        self._last[kind] += 1
        write_json(self.root / "studio.json", self._last)
        thing_id = f"{kind}{self._last[kind]}"
        self.place(thing_id).mkdir()
        return thing_id

    def place(self, thing_id: str) -> Path:
        """Return the folder of an id; anything but an id of ours is refused."""
        match = _ID.fullmatch(thing_id)
        if match is None:
            raise refused("missing", "no_id", thing="id", value=thing_id)
        return self.root / KINDS[match[1]] / thing_id

    def ids(self, kind: str) -> list[str]:
        names = [p.name for p in (self.root / KINDS[kind]).iterdir() if _ID.fullmatch(p.name)]
        return sorted(names, key=lambda thing_id: int(thing_id[1:]))

    def remove(self, thing_id: str) -> None:
        shutil.rmtree(self.place(thing_id), ignore_errors=True)


def missing(thing_id: str) -> StudioError:
    word = _WORDS.get(thing_id[:1], "thing")
    return refused("missing", "no_thing", thing=word, value=thing_id)


def read_json(path: Path) -> Any:
    """Read a JSON file; None where it does not exist or is damaged."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, whole or not at all; in ASCII, so that whatever text there is can be kept."""
    write_file(path, json.dumps(content, allow_nan=False))


def read_lines(path: Path) -> Iterator[Any]:
    """Read a file of JSON lines; what a crash left half written is skipped."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            with suppress(ValueError):
                yield json.loads(line)


def _held(path: Path) -> IO[bytes] | None:
    """Hold a folder; raise if another server does. A process that dies lets go of it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    file = open(path, "ab")  # noqa: SIM115  # held until the server ends
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InvalidOptionError(text("serving.folder_in_use", folder=path.parent)) from None
    except OSError:  # a file system without locks
        pass
    return file


class Records:
    """Things of one kind, each a JSON file in its place of the folder, and all of them in memory."""

    kind = ""
    file = ""  # the file of a thing

    def __init__(self, folder: Folder, crew: Crew, limits: Limits, publish: Publish) -> None:
        self._folder, self._crew, self._limits, self._publish = folder, crew, limits, publish
        self._known: dict[str, dict[str, Any]] = {}

    def read_all(self, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what the folder holds, by id; what lacks the key is not a record of this kind."""
        for thing_id in self._folder.ids(self.kind):
            content = read_json(self._folder.place(thing_id) / self.file)
            if isinstance(content, dict) and key in content:
                yield thing_id, content

    def record(self, thing_id: str) -> dict[str, Any]:
        if thing_id not in self._known:
            raise missing(thing_id)
        return self._known[thing_id]

    def of_table(self, table: str) -> list[str]:
        return [thing_id for thing_id, one in self._known.items() if one["table"] == table]

    def _keep_new(self, record: dict[str, Any]) -> str:
        """Give a record an id and write it; nothing is left of one that cannot be written."""
        thing_id = self._folder.make(self.kind)
        try:
            self._write({"id": thing_id, **record})
        except BaseException:
            self._folder.remove(thing_id)
            raise
        self._known[thing_id] = {"id": thing_id, **record}
        return thing_id

    def _write(self, record: dict[str, Any]) -> None:
        write_json(self._folder.place(record["id"]) / self.file, record)

    def _change(self, thing_id: str, **changes: Any) -> None:
        """Write a record as it will be, then change it: where it cannot be kept, nothing changes."""
        record = self.record(thing_id)
        self._write({**record, **changes})
        record.update(changes)
