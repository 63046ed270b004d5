"""Studio: tables, runs, cards and edits of one folder, and the one stream of events of its pages.

An edit is a card that is changed by hand, step by step, each step with a reason and each undone at will. The last
events are kept in a ring. A browser names the last one that it has seen (``Last-Event-ID``) and gets the rest; if that
is no longer known, it is told to ask for everything again (``reset``).
"""

import asyncio
import hashlib
import json
import math
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supersparse._version import __version__
from supersparse.show.studio.cards import Cards
from supersparse.show.studio.choices import read_plan
from supersparse.show.studio.crew import Crew
from supersparse.show.studio.folder import Folder, Limits, Publish, Records, missing
from supersparse.show.studio.runs import KINDS, Runs
from supersparse.show.studio.tables import Tables, now
from supersparse.show.studio.texts import check_whole, refused, text, wrong

_LONGEST_REASON = 500
_SHOWN = ("price", "before", "threshold_fixed", "swaps", "asks_questions", "questions", "texts")


class Edits(Records):
    kind, file = "e", "edit.json"

    def __init__(self, folder: Folder, crew: Crew, limits: Limits, publish: Publish, cards: Cards) -> None:
        super().__init__(folder, crew, limits, publish)
        self._cards = cards
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def load(self) -> None:
        self._known.update(self.read_all("base"))

    async def add(self, card: str) -> dict[str, Any]:
        if len(self._known) >= self._limits.edits:
            raise refused("busy", "most_edits", thing="edits", value=self._limits.edits)
        base = self._cards.for_worker(card)
        kept = {name: base.get(name) for name in ("choices", "plan", "model", "found", "chosen")}
        earlier = base.get("steps_so_far", [])
        new = {
            "from": card,
            "table": base["ids"]["table"],
            "added": now(),
            "base": {**kept, "path": base["path"], "names": base["names"]},
            "steps": earlier,
            "position": len(earlier),
        }
        return await self.edit(self._keep_new(new))

    def summaries(self, table: str | None) -> list[dict[str, Any]]:
        return [
            {name: edit[name] for name in ("id", "from", "table", "added", "position")}
            for edit in reversed(self._known.values())
            if table is None or edit["table"] == table
        ]

    def for_worker(self, edit_id: str) -> dict[str, Any]:
        """Return what a worker needs to know of the edited card as it stands."""
        return self._given(self.record(edit_id))

    def _given(self, edit: dict[str, Any]) -> dict[str, Any]:
        steps = edit["steps"][: edit["position"]]
        digest = hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:12]
        return {
            **edit["base"],
            "changes": [step["change"] for step in steps],
            "steps": [{"reason": step["reason"], "at": step["at"]} for step in steps],
            "edits": [{name: step[name] for name in ("text", "reason", "at")} for step in steps],
            "ids": {"id": edit["id"], "run": edit["from"].partition(".")[0], "table": edit["table"]},
            "files": str(self._folder.place(edit["id"]) / "files" / digest),
        }

    async def edit(self, edit_id: str, change: object = None) -> dict[str, Any]:
        """Show an edit; with a change, as it would be."""
        return await self._shown(self.record(edit_id), change)

    async def _shown(self, edit: dict[str, Any], change: object = None) -> dict[str, Any]:
        preview = change is not None
        given = {**self._given(edit), "preview": preview, "swaps": not preview}
        if preview:
            given["changes"] = [*given["changes"], change]
        found = await self._crew.ask(edit["table"], "edit", given)
        return {
            "id": edit["id"],
            "from": edit["from"],
            "table": edit["table"],
            "card": found["card"],
            "position": edit["position"],
            "steps": [{**step, "n": n} for n, step in enumerate(edit["steps"], start=1)],
            "can_undo": edit["position"] > 0,
            "can_redo": edit["position"] < len(edit["steps"]),
            "change_text": found["said"][-1] if preview else None,
            **{name: found[name] for name in _SHOWN},
        }

    async def step(self, edit_id: str, change: object, reason: object) -> dict[str, Any]:
        """Make a change, with a reason; what was undone before is gone."""
        if not isinstance(reason, str) or len(reason) > _LONGEST_REASON:
            raise refused("input", "reason", thing="reason", most=_LONGEST_REASON)
        self.record(edit_id)
        async with self._locks[edit_id]:
            edit = self.record(edit_id)
            position = edit["position"]
            if position >= self._limits.steps:
                raise refused("busy", "most_steps", thing="steps")
            shown = await self._shown(edit, change)  # refused before anything is kept
            step = {"change": change, "reason": reason, "at": now(), "text": shown["change_text"]}
            return await self._moved(edit, steps=[*edit["steps"][:position], step], position=position + 1)

    async def undo(self, edit_id: str) -> dict[str, Any]:
        return await self._go(edit_id, -1, "no_undo")

    async def redo(self, edit_id: str) -> dict[str, Any]:
        return await self._go(edit_id, 1, "no_redo")

    async def _go(self, edit_id: str, by: int, refusal: str) -> dict[str, Any]:
        self.record(edit_id)
        async with self._locks[edit_id]:
            edit = self.record(edit_id)
            if not 0 <= edit["position"] + by <= len(edit["steps"]):
                raise refused("busy", refusal, thing="edit", value=edit_id)
            return await self._moved(edit, position=edit["position"] + by)

    async def repair(self, edit_id: str) -> dict[str, Any]:
        """Return the plan and choices that keep what was edited, for a run that solves the rest again."""
        given = self.for_worker(edit_id)
        table = self.record(edit_id)["table"]
        found = (await self._crew.ask(table, "edit", {**given, "preview": True}))["repair"]
        return {**found, "table": table, "edits": given["edits"]}

    def remove(self, edit_id: str) -> None:
        self.record(edit_id)
        del self._known[edit_id]
        self._locks.pop(edit_id, None)
        self._folder.remove(edit_id)
        self._publish("edit", {"id": edit_id})

    async def _moved(self, edit: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Show an edit as it will be, write it, then change it: what fails before that changes nothing."""
        after = {**edit, **changes}
        shown = await self._shown(after)
        if self._known.get(edit["id"]) is not edit:  # it was removed meanwhile
            raise missing(edit["id"])
        self._write(after)
        edit.update(changes)
        self._publish("edit", {"id": edit["id"]})
        return shown


_KEPT = 4000
_WAITING = 2000  # events that a slow browser may be behind
_QUIET = 10.0  # seconds after which a comment shows that the stream is alive


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its place in the stream, its name, and its data."""

    number: int
    name: str
    data: Any


class Hub:
    """Takes events and passes them on to every page."""

    def __init__(self) -> None:
        self.server = secrets.token_hex(4)
        self._last = 0
        self._ring: deque[Event] = deque(maxlen=_KEPT)
        self._listening: set[asyncio.Queue[Event | None]] = set()
        self._closed = False

    def publish(self, name: str, data: Any) -> None:
        self._last += 1
        event = Event(self._last, name, data)
        self._ring.append(event)
        for queue in list(self._listening):
            if queue.qsize() >= _WAITING:  # it has fallen behind; it will come back and ask
                self._listening.discard(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(event)

    def close(self) -> None:
        self._closed = True
        for queue in list(self._listening):
            queue.put_nowait(None)

    def missed(self, last_seen: str | None) -> list[Event] | None:
        """Return the events after the one that was seen last; None if they are no longer known."""
        if last_seen is None:
            return []
        server, _, number = last_seen.partition("-")
        if server != self.server or not (number.isascii() and number.isdigit() and len(number) < 16):
            return None
        after = int(number)
        if after > self._last or (self._ring and after < self._ring[0].number - 1):
            return None
        return [event for event in self._ring if event.number > after]

    async def follow(self, last_seen: str | None = None) -> AsyncIterator[Event | None]:
        """Yield what was missed, then each event as it comes; None where it has been quiet for a while."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        missed, last = self.missed(last_seen), self._last
        self._listening.add(queue)  # at the same moment: nothing falls between what was and what comes
        try:
            before = missed[0].number - 1 if missed else last
            yield Event(before, "hello", {"server": self.server})
            if missed is None:
                yield Event(last, "reset", {})
            for event in missed or ():
                yield event
            while not self._closed:
                try:
                    found = await asyncio.wait_for(queue.get(), _QUIET)
                except TimeoutError:
                    yield None
                    continue
                if found is None:
                    return
                yield found
        finally:
            self._listening.discard(queue)

    async def stream(self, last_seen: str | None) -> AsyncIterator[bytes]:
        yield b"retry: 1000\n\n"
        async for event in self.follow(last_seen):
            if event is None:
                yield b": still here\n\n"
                continue
            data = json.dumps(event.data, allow_nan=False)
            yield f"id: {self.server}-{event.number}\nevent: {event.name}\ndata: {data}\n\n".encode()


_REPORT_SECONDS = 90.0


class Studio:
    """Everything behind the page; create it inside a running event loop, and `open` it."""

    def __init__(self, folder: Path, limits: Limits | None = None, *, ahead: bool = True) -> None:
        self.limits = limits or Limits()
        self.folder = Folder(folder)
        self.hub = Hub()
        self.crew = Crew(self.folder.root, desks=self.limits.desks, ahead=ahead)
        self.tables = Tables(self.folder, self.crew, self.limits, self.hub.publish)
        self.runs = Runs(self.folder, self.crew, self.limits, self.hub.publish)
        self.cards = Cards(self.tables, self.runs, self.crew)
        self.edits = Edits(self.folder, self.crew, self.limits, self.hub.publish, self.cards)
        self.tables.count_runs = lambda table_id: len(self.runs.of_table(table_id))
        self.runs.given, self.cards.edits = self._given, self.edits
        self.opened: dict[str, str] | None = None  # what a page shows first

    def open(self) -> None:
        self.tables.load()
        self.edits.load()
        self.runs.load()
        self.crew.prepare()

    async def close(self) -> None:
        """End all processes and let go of the folder; unfinished runs go on when it is opened again."""
        self.hub.close()
        await self.runs.close()
        await self.tables.close()
        await self.crew.close()
        self.folder.close()

    def about(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "folder": str(self.folder.root),
            "open": self.opened,
            "limits": self.limits.as_data(),
        }

    def start(self, body: dict[str, Any]) -> dict[str, Any]:
        kind = body.get("kind", "card")
        if kind not in KINDS or kind == "repair":
            raise wrong("kind", kind, "one_of", known=", ".join(k for k in KINDS if k != "repair"))
        unknown = set(body) - {"kind", "table", "name", "plan", "card", "max_size", "folds", "within",
                                "max_models", "time_limit", "bootstrap"}  # fmt: skip
        if unknown:
            raise wrong(min(unknown), body[min(unknown)], "leave_out")
        if kind in ("report", "certificate"):
            return self._start_on_card(kind, body)
        table_id = body.get("table")
        if not isinstance(table_id, str):
            raise wrong("table", table_id, "table")
        table = self.tables.for_worker(table_id)
        plan = read_plan(body["plan"]) if "plan" in body else table["plan"]
        if table["choices"]["target"] is None:
            raise wrong("target", None, "target")
        more: dict[str, Any] = {}
        if kind == "frontier":
            more["max_size"] = check_whole("max_size", body.get("max_size", 8), 1, 30)
            more["folds"] = bool(body.get("folds", True))
        if kind == "pool":
            more["within"] = _number("within", body.get("within", 0.05), 0, 10)
            more["max_models"] = check_whole("max_models", body.get("max_models", 200), 1, 1000)
        return self._add(kind, body, table_id, {**table, "plan": plan}, more, _limit_of(plan))

    def _start_on_card(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        card = body.get("card")
        if not isinstance(card, str):
            raise wrong("card", card, "card")
        of_card = self.cards.for_worker(card)
        more = {"bootstrap": check_whole("bootstrap", body.get("bootstrap", 30), 0, 1000)}
        return self._add(kind, body, of_card["ids"]["table"], of_card, more, _REPORT_SECONDS, of=card, goal="errors")

    async def repair(self, edit_id: str, given: dict[str, Any]) -> dict[str, Any]:
        found = await self.edits.repair(edit_id)
        more = {"edits": found["edits"]}
        return self._add("repair", given, found["table"], found, more, _limit_of(found["plan"]), of=edit_id)

    def _add(
        self, kind: str, body: dict[str, Any], table: str, asked: dict[str, Any], more: dict[str, Any],
        seconds: object, **others: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Add a run on a table; `asked` has the choices and the plan, `more` what its kind needs."""
        return self.runs.add(
            {
                "table": table,
                "kind": kind,
                "name": self._name(body, kind),
                "choices": asked["choices"],
                "plan": asked["plan"],
                "given": more,
                "time_limit": self.seconds(body.get("time_limit", seconds)),
                "goal": asked["plan"]["settings"].get("goal", "errors"),
                **others,
            }
        )

    def seconds(self, limit: object) -> float:
        """Read a time limit; without one, the longest that there is."""
        if limit is None:
            return self.limits.seconds
        return _number("time_limit", limit, 1, self.limits.seconds)

    def _name(self, body: dict[str, Any], kind: str) -> str:
        name = body.get("name")
        if name is None or name == "":
            return f"{text(f'run_names.{kind}')} {1 + sum(run['kind'] == kind for run in self.runs.runs())}"
        if not isinstance(name, str) or len(name) > 120:
            raise wrong("name", name, "name")
        return name

    def _given(self, run: dict[str, Any]) -> dict[str, Any]:
        """Return what a worker is told about a run."""
        if run["kind"] in ("report", "certificate"):
            of_card = self.cards.for_worker(run["of"])
            folder = Path(of_card["files"])
            folder.mkdir(parents=True, exist_ok=True)
            return {**of_card, **run["given"], "out": str(folder)}
        settings = dict(run["plan"]["settings"])
        seconds = self.runs.seconds_of(run)
        settings["solve"] = {**settings.get("solve", {}), "time_limit": seconds}
        return {
            **self.tables.for_worker(run["table"]),
            "choices": run["choices"],
            "plan": {**run["plan"], "settings": settings},
            **run["given"],
            "start": run["model"],
            "processes": self.limits.processes(settings["solve"].get("n_jobs")),
            "ids": {"id": f"{run['id']}.best", "run": run["id"], "table": run["table"]},
        }


def _limit_of(plan: dict[str, Any]) -> object:
    return plan["settings"].get("solve", {}).get("time_limit", 60.0)


def _number(thing: str, value: object, least: float, most: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise wrong(thing, value, "range", least=f"{least:g}", most=f"{most:g}")
    return float(value)  # type: ignore[arg-type]
