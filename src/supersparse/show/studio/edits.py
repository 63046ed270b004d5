"""Edits: a card that is changed by hand, step by step, each step with a reason and each undone at will."""

import asyncio
import hashlib
import json
from collections import defaultdict
from typing import Any

from supersparse.show.studio.cards import Cards
from supersparse.show.studio.crew import Crew
from supersparse.show.studio.folder import Folder, Limits, Publish, Records, missing
from supersparse.show.studio.tables import now
from supersparse.show.studio.texts import refused

_LONGEST_REASON = 500
_SHOWN = ("price", "before", "threshold_fixed", "swaps", "asks_questions", "questions", "texts")


class Edits(Records):
    """All edits of a studio."""

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
