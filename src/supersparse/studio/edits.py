"""Edits: a card that is changed by hand, step by step, each step with a reason and each undone at will."""

import hashlib
import json
from pathlib import Path
from typing import Any

from supersparse.studio.cards import Cards
from supersparse.studio.crew import Crew
from supersparse.studio.folder import Folder, missing, read_json, write_json
from supersparse.studio.limits import Limits
from supersparse.studio.problems import refused
from supersparse.studio.tables import Publish, now

_LONGEST_REASON = 500


class Edits:
    """All edits of a studio."""

    def __init__(self, folder: Folder, cards: Cards, crew: Crew, limits: Limits, publish: Publish) -> None:
        self._folder, self._cards, self._crew = folder, cards, crew
        self._limits, self._publish = limits, publish
        self._known: dict[str, dict[str, Any]] = {}

    def load(self) -> None:
        """Read what the folder holds."""
        for own in self._folder.ids("e"):
            found = read_json(self._folder.place(own) / "edit.json")
            if isinstance(found, dict) and "base" in found:
                self._known[own] = found

    async def add(self, card: str) -> dict[str, Any]:
        """Begin to edit a card."""
        if len(self._known) >= self._limits.edits:
            raise refused("busy", "most_edits", thing="edits", value=self._limits.edits)
        base = self._cards.given(card)
        kept = {name: base.get(name) for name in ("choices", "plan", "model", "found", "chosen")}
        earlier = base.get("steps_so_far", [])
        own = self._folder.make("e")
        self._known[own] = {
            "id": own,
            "from": card,
            "table": base["ids"]["table"],
            "added": now(),
            "base": {**kept, "path": base["path"], "names": base["names"]},
            "steps": earlier,
            "position": len(earlier),
        }
        self._save(own)
        return await self.edit(own)

    def summaries(self, table: str | None) -> list[dict[str, Any]]:
        """Describe all edits in short."""
        return [
            {
                "id": edit["id"],
                "from": edit["from"],
                "table": edit["table"],
                "added": edit["added"],
                "position": edit["position"],
            }
            for edit in reversed(self._known.values())
            if table is None or edit["table"] == table
        ]

    def _get(self, own: str) -> dict[str, Any]:
        if own not in self._known:
            raise missing(own)
        return self._known[own]

    def given(self, own: str) -> dict[str, Any]:
        """Return what a worker needs to know of the edited card as it stands."""
        edit = self._get(own)
        steps = edit["steps"][: edit["position"]]
        digest = hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:12]
        return {
            **edit["base"],
            "changes": [step["change"] for step in steps],
            "steps": [{"reason": step["reason"], "at": step["at"]} for step in steps],
            "edits": [{name: step[name] for name in ("text", "reason", "at")} for step in steps],
            "ids": {"id": own, "run": edit["from"].partition(".")[0], "table": edit["table"]},
            "files": str(self._folder.place(own) / "files" / digest),
        }

    async def edit(self, own: str, change: object = None) -> dict[str, Any]:
        """Show an edit; with a change, as it would be."""
        edit = self._get(own)
        preview = change is not None
        given = {**self.given(own), "preview": preview, "swaps": not preview}
        if preview:
            given["changes"] = [*given["changes"], change]
        found = await self._crew.ask(edit["table"], "edit", given)
        return {
            "id": own,
            "from": edit["from"],
            "table": edit["table"],
            "card": found["card"],
            "position": edit["position"],
            "steps": [{**step, "n": n} for n, step in enumerate(edit["steps"], start=1)],
            "can_undo": edit["position"] > 0,
            "can_redo": edit["position"] < len(edit["steps"]),
            "change_text": found["said"][-1] if preview else None,
            **{
                name: found[name]
                for name in ("price", "before", "threshold_fixed", "swaps", "questions", "texts")
            },
        }

    async def step(self, own: str, change: object, reason: object) -> dict[str, Any]:
        """Make a change, with a reason; what was undone before is gone."""
        edit = self._get(own)
        if not isinstance(reason, str) or len(reason) > _LONGEST_REASON:
            raise refused("input", "reason", thing="reason", most=_LONGEST_REASON)
        if edit["position"] >= self._limits.steps:
            raise refused("busy", "most_steps", thing="steps")
        shown = await self.edit(own, change)  # refused before anything is kept
        step = {"change": change, "reason": reason, "at": now(), "text": shown["change_text"]}
        edit["steps"] = [*edit["steps"][: edit["position"]], step]
        edit["position"] += 1
        return await self._moved(own)

    async def undo(self, own: str) -> dict[str, Any]:
        """Go back one step."""
        edit = self._get(own)
        if edit["position"] == 0:
            raise refused("busy", "no_undo", thing="edit", value=own)
        edit["position"] -= 1
        return await self._moved(own)

    async def redo(self, own: str) -> dict[str, Any]:
        """Make a step again that was undone."""
        edit = self._get(own)
        if edit["position"] == len(edit["steps"]):
            raise refused("busy", "no_redo", thing="edit", value=own)
        edit["position"] += 1
        return await self._moved(own)

    async def repair(self, own: str) -> dict[str, Any]:
        """Return the plan and choices that keep what was edited, for a run that solves the rest again."""
        given = self.given(own)
        table = self._get(own)["table"]
        found = (await self._crew.ask(table, "edit", {**given, "preview": True}))["repair"]
        return {**found, "table": table, "edits": given["edits"]}

    def remove(self, own: str) -> None:
        """Delete an edit."""
        self._get(own)
        del self._known[own]
        self._folder.remove(own)
        self._publish("edit", {"id": own})

    def of_table(self, table: str) -> list[str]:
        """The edits of a table."""
        return [own for own, edit in self._known.items() if edit["table"] == table]

    async def _moved(self, own: str) -> dict[str, Any]:
        shown = await self.edit(own)
        self._save(own)
        self._publish("edit", {"id": own})
        return shown

    def _save(self, own: str) -> None:
        path: Path = self._folder.place(own) / "edit.json"
        write_json(path, self._known[own])
