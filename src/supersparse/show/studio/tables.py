"""The tables of the studio: files that were added, what is known about them, and what people chose."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from supersparse.show.studio.choices import Choices, Plan, changed, done, first_plan, no_choices, read_plan
from supersparse.show.studio.crew import Crew
from supersparse.show.studio.folder import Folder, Limits, Publish, Records
from supersparse.show.studio.texts import StudioError, as_problem, refused, wrong

_ENDINGS = {
    ".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".sav", ".zsav",
    ".por", ".sas7bdat", ".xpt",
}  # fmt: skip
_MAGIC = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"\xd0\xcf\x11\xe0", ".xls"))
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]")
_MOST_ROWS = 200
_CARD = re.compile(r"[a-z0-9]{1,10}(?:\.[a-z0-9]{1,16})?", re.ASCII)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def shown_name(name: str) -> str:
    """Return the name of a file as people see it; it is never used as a path.

    >>> shown_name("C:\\\\data\\\\../my table.csv")
    'my table.csv'
    """
    text = name.encode("utf-8", "replace").decode()  # a file's name need not be text
    bare = _UNSEEN.sub("", re.split(r"[/\\]", text)[-1]).strip()
    return bare[:120] or "table"


def ending_of(name: str, start: bytes) -> str:
    """Return the ending that tells what a file is: by its first bytes, else by its name, else CSV.

    >>> ending_of("a.csv", b"PAR1...."), ending_of("b.ods", b"PK\\x03\\x04"), ending_of("c.php", b"x,y")
    ('.parquet', '.ods', '.csv')
    """
    suffix = Path(name).suffix.lower()
    for magic, ending in _MAGIC:
        if start.startswith(magic):
            return suffix if suffix in _ENDINGS and suffix not in (".csv", ".tsv", ".txt") else ending
    return suffix if suffix in _ENDINGS and suffix not in (".parquet", ".pq", ".xlsx", ".xlsm", ".ods") else ".csv"


class Tables(Records):
    """All tables of a studio; each is read by a worker, and its profile is kept."""

    kind, file = "t", "table.json"

    def __init__(self, folder: Folder, crew: Crew, limits: Limits, publish: Publish) -> None:
        super().__init__(folder, crew, limits, publish)
        self._reading: dict[str, asyncio.Task[None]] = {}
        self.count_runs: Callable[[str], int] = lambda table_id: 0

    def load(self) -> None:
        """Read what the folder holds; a table that was being read is read again."""
        for table_id, table in self.read_all("file"):
            if self._file(table).exists():
                self._known[table_id] = table
                if table["state"] == "reading":
                    self._read(table_id)

    async def add(self, name: str, content: AsyncIterator[bytes]) -> dict[str, Any]:
        """Add a file as it arrives; nothing of it is kept if it is too large."""
        size = 0
        with self._new_part() as (table_id, part):
            with part.open("wb") as file:
                async for chunk in content:
                    size += len(chunk)
                    if size > self._limits.upload_bytes:
                        raise too_large(self._limits.upload_bytes)
                    file.write(chunk)
            if not size:
                raise refused("input", "empty_file", thing="file")
            return self._added(table_id, part, name)

    async def add_file(self, path: Path) -> dict[str, Any]:
        """Add a file of this machine: it is copied, so that it may change or go."""
        if path.stat().st_size > self._limits.upload_bytes:
            raise too_large(self._limits.upload_bytes)
        with self._new_part() as (table_id, part):
            await asyncio.to_thread(shutil.copyfile, path, part)
            return self._added(table_id, part, path.name)

    @contextmanager
    def _new_part(self) -> Iterator[tuple[str, Path]]:
        """Yield an id and a file to fill; nothing is left of them where that fails."""
        if len(self._known) >= self._limits.tables:
            raise refused("busy", "most_tables", thing="tables", value=self._limits.tables)
        table_id = self._folder.make("t")
        try:
            yield table_id, self._folder.place(table_id) / "data.part"
        except BaseException:
            self._folder.remove(table_id)
            raise

    def _added(self, table_id: str, part: Path, name: str) -> dict[str, Any]:
        seen, size = shown_name(name), part.stat().st_size
        with part.open("rb") as file:
            start = file.read(8)
        ending = ending_of(seen, start)
        os.replace(part, part.with_name(f"data{ending}"))
        table: dict[str, Any] = {
            "id": table_id,
            "name": seen,
            "file": f"data{ending}",
            "bytes": size,
            "added": now(),
            "state": "reading",
            "error": None,
            "choices": no_choices(),
            "plan": first_plan(),
            "answered": [],
            "favourites": [],
            "profile": None,
        }
        self._write(table)
        self._known[table_id] = table
        self._read(table_id)
        return self.table(table_id)

    def _file(self, table: dict[str, Any]) -> Path:
        return self._folder.place(table["id"]) / str(table["file"])

    def for_worker(self, table_id: str) -> dict[str, Any]:
        """Return what a worker needs to know of a table as it stands."""
        table = self.record(table_id)
        path = str(self._file(table))
        return {"path": path, "choices": table["choices"], "plan": table["plan"], "names": {path: table["name"]}}

    def summaries(self) -> list[dict[str, Any]]:
        return [self.summary(table_id) for table_id in reversed(self._known)]

    def summary(self, table_id: str) -> dict[str, Any]:
        table = self.record(table_id)
        profile = table["profile"] or {}
        return {
            **{name: table[name] for name in ("id", "name", "bytes", "added", "state", "error")},
            "rows": profile.get("rows"),
            "columns_count": profile.get("columns_count"),
            "target": table["choices"]["target"],
            "favourites": table.get("favourites", []),
            "runs": self.count_runs(table_id),
        }

    def table(self, table_id: str) -> dict[str, Any]:
        table = self.record(table_id)
        task = self._reading.get(table_id)
        if table["state"] == "reading" and (task is None or task.done()):
            self._read(table_id)  # whatever became of it, nobody waits for ever
        profile = table["profile"] or {}
        empty: dict[str, Any] = {"targets": [], "columns": [], "questions_count": 0, "left_out_questions": 0}
        empty |= {"classes": None, "problem": None}
        return {
            **self.summary(table_id),
            **{name: profile.get(name, usual) for name, usual in empty.items()},
            "choices": table["choices"],
            "noticed": [
                {**one, "answers": [{"id": answer["id"], "text": answer["text"]} for answer in one["answers"]]}
                for one in _noticed(table)
            ],
        }

    def change(self, table_id: str, changes: object) -> dict[str, Any]:
        """Change choices, or answer what was noticed; the table is read again where that matters."""
        table = self.record(table_id)
        content = dict(changes) if isinstance(changes, dict) else changes
        answers = content.pop("answers", {}) if isinstance(content, dict) else {}
        made = {**table, "choices": changed(table["choices"], content)}
        if not isinstance(answers, dict):
            raise refused("input", "answers", thing="answers", value=answers)
        for notice, answer in answers.items():
            made = self._with_answer(made, notice, answer)
        self._change(table_id, choices=made["choices"], answered=made["answered"], state="reading")
        self._read(table_id)
        return self.table(table_id)

    def _with_answer(self, table: dict[str, Any], notice: str, answer: object) -> dict[str, Any]:
        choices: Choices = table["choices"]
        asked_about = next((one for one in _noticed(table) if one["id"] == notice), None)
        chosen = None if asked_about is None else next((a for a in asked_about["answers"] if a["id"] == answer), None)
        if asked_about is None or chosen is None:
            raise refused("input", "no_answer", thing="answers", value=answer, notice=notice[:40])
        undone = choices
        for other in asked_about["answers"]:  # what another answer added goes before this one is given
            if other["id"] != answer:
                undone = done(undone, [{"key": s["key"], "remove": s["add"]} for s in other["does"] if "add" in s])
        others = [one for one in table["answered"] if one["id"] != notice]
        return {
            **table,
            "answered": [*others, {**asked_about, "answer": answer, "needs_answer": False}],
            "choices": {**done(undone, chosen["does"]), "answers": {**choices["answers"], notice: answer}},
        }

    def plan(self, table_id: str) -> Plan:
        plan: Plan = self.record(table_id)["plan"]
        return plan

    def set_plan(self, table_id: str, content: object) -> Plan:
        """Change what is asked of a table; roles of columns may change with it."""
        before, after = self.plan(table_id), read_plan(content)
        roles = ("sample_weight", "rate_groups")
        reads = any(before["settings"].get(r) != after["settings"].get(r) for r in roles)
        self._change(table_id, plan=after, **({"state": "reading"} if reads else {}))
        if reads:
            self._read(table_id)
        return self.plan(table_id)

    def set_favourites(self, table_id: str, cards: object) -> dict[str, Any]:
        """Change which cards of a table are favourites; every browser sees them, in their order."""
        most = self._limits.cards_compared
        if not isinstance(cards, list) or not all(isinstance(c, str) and _CARD.fullmatch(c) for c in cards):
            raise wrong("favourites", cards, "favourites", most=most)
        self._change(table_id, favourites=list(dict.fromkeys(cards))[-most:])
        self._publish("table", self.summary(table_id))
        return self.summary(table_id)

    def remove(self, table_id: str) -> None:
        self.record(table_id)
        task = self._reading.pop(table_id, None)
        if task is not None:
            task.cancel()
        del self._known[table_id]
        self._crew.forget(table_id)
        self._folder.remove(table_id)
        self._publish("table-removed", {"id": table_id})

    async def ask(self, table_id: str, job: str, **more: Any) -> Any:
        """Have the worker of a table do something with it as it stands."""
        return await self._crew.ask(table_id, job, {**self.for_worker(table_id), **more})

    def _read(self, table_id: str) -> None:
        """Read the table as it was chosen, in a worker; what was being read before is no longer of use."""
        self._known[table_id]["state"] = "reading"
        self._publish("table", self.summary(table_id))
        before = self._reading.get(table_id)
        self._reading[table_id] = asyncio.create_task(self._profile(table_id, before))

    async def _profile(self, table_id: str, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            before.cancel()
        table = self._known[table_id]
        try:
            table["profile"] = await self._crew.ask(table_id, "profile", self.for_worker(table_id))
            table["state"], table["error"] = "ready", None
        except StudioError as error:
            table["state"], table["error"] = "failed", error.as_data()
        except Exception as error:  # whatever it is, the page must not wait for ever
            table["state"], table["error"] = "failed", as_problem(error).as_data()
        if table_id in self._known and self._reading.get(table_id) is asyncio.current_task():
            with suppress(OSError):  # it is read again when the studio is opened next
                self._write(table)
            self._publish("table", self.summary(table_id))

    async def close(self) -> None:
        for task in self._reading.values():
            task.cancel()
        await asyncio.gather(*self._reading.values(), return_exceptions=True)


def too_large(limit: int) -> StudioError:
    return refused("large", "file_large", thing="file", value=limit, limit=limit // 2**20)


def read_range(first: str | None, count: str | None) -> dict[str, int]:
    ends = []
    for name, wanted, usual in (("from", first, 0), ("count", count, 50)):
        if wanted is not None and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10):
            raise wrong(name, wanted, "whole_number")
        ends.append(usual if wanted is None else int(wanted))
    return {"from": ends[0], "count": min(ends[1], _MOST_ROWS)}


def _noticed(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The notices with their answers; one that an answer made go away stays, so that it can be undone."""
    answers = {one["id"]: one for one in table["answered"]}
    fresh = (table["profile"] or {}).get("noticed", [])
    noticed = [
        {**one, "answer": answers[one["id"]]["answer"], "needs_answer": False} if one["id"] in answers else one
        for one in fresh
    ]
    known = {one["id"] for one in noticed}
    return [*noticed, *(one for one in answers.values() if one["id"] not in known)]
