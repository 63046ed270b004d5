"""The cards of runs and edits, found by their ids, and the files that are made of them.

``r3.best`` is the card of a run, ``r3.s4`` that of a frontier with at most 4 questions, ``r3.m17`` the model
17 of a pool (``r3.m17v2`` another version with the same predictions), and ``e1`` an edited card as it stands.
A pool is browsed by filters and pages, from what its run kept.
"""

import asyncio
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.datastructures import QueryParams

from supersparse.show.document.html import REMEDY, browser
from supersparse.show.studio.crew import Crew
from supersparse.show.studio.runs import Runs
from supersparse.show.studio.tables import Tables
from supersparse.show.studio.texts import StudioError, refused, text, wrong

BROWSER = "Chromium"
_CARD = re.compile(r"(r[1-9][0-9]{0,8})\.(best|s[0-9]{1,4}|m[0-9]{1,6}(?:v[0-9]{1,3})?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class _CardFile:
    """A file of a card; what it is is among the texts."""

    group: str
    package: str | None = None  # that writes it, or BROWSER
    run: str | None = None  # that makes it


_DECLARED = json.loads(Path(__file__).with_name("card_files.json").read_text(encoding="utf-8"))
FILES = {key: _CardFile(**declared) for key, declared in _DECLARED["files"].items()}


def type_of(key: str) -> str:
    return str(_DECLARED["types"][Path(key).suffix])


class Cards:
    """Finds cards, and has workers show them and write their files."""

    def __init__(self, tables: Tables, runs: Runs, crew: Crew) -> None:
        self._tables, self._runs, self._crew = tables, runs, crew
        self.edits: Any = None  # which need cards themselves

    def for_worker(self, card_id: str) -> dict[str, Any]:
        """Return what a worker needs to know of a card."""
        if re.fullmatch(r"e[1-9][0-9]{0,8}", card_id, re.ASCII):
            work: dict[str, Any] = self.edits.for_worker(card_id)
            return work
        parts = _CARD.fullmatch(card_id)
        if parts is None:
            raise _no_card(card_id)
        run = self._runs.record(parts[1])
        table = self._tables.for_worker(run["table"])
        ids = {"id": card_id, "run": parts[1], "table": run["table"]}
        base = {
            **table,
            "choices": run["choices"],
            "ids": ids,
            "files": str(self._runs.place(parts[1]) / "files" / parts[2]),
        }
        return {**base, **self._of_run(card_id, parts[1], parts[2], run)}

    def _of_run(self, card_id: str, name: str, which: str, run: Mapping[str, Any]) -> dict[str, Any]:
        result = self._runs.result(name)
        if which == "best":
            if run["model"] is None or run["kind"] not in ("card", "repair"):
                raise _no_card(card_id)
            if not run["finished"] or result is None:
                return {"plan": run["plan"], "model": run["model"], "found": {}}
            return {
                "plan": result["plan"],
                "model": result["model"],
                "found": result["found"],
                "cross_validated": result["cross_validated"],
                "card_file": str(self._runs.place(name) / "card.json"),
            }
        if result is None:
            raise _no_card(card_id)
        if which[0] == "s" and run["kind"] == "frontier":
            size = next((s for s in result["sizes"] if s["size"] == int(which[1:])), None)
            if size is not None and size["model"] is not None:
                return {key: size[key] for key in ("plan", "model", "found", "cross_validated")}
        if which[0] == "m" and run["kind"] == "pool":
            number, _, version = which[1:].partition("v")
            models = result["models"]
            if int(number) < len(models) and int(version or 0) < len(models[int(number)]["versions"]):
                model = models[int(number)]["versions"][int(version or 0)]["model"]
                return {"plan": result["plan"], "model": model, "found": result["found"], "chosen": True}
        raise _no_card(card_id)

    async def card(self, card_id: str) -> dict[str, Any]:
        if card_id.startswith("e"):
            found: dict[str, Any] = (await self.edits.edit(card_id))["card"]
            return found
        given = self.for_worker(card_id)
        if card_id.endswith(".best") and (known := self._runs.best(given["ids"]["run"])) is not None:
            return known
        return await self._crew.ask(given["ids"]["table"], "show", given)  # type: ignore[no-any-return]

    async def picture(self, card_id: str) -> str:
        given = self.for_worker(card_id)
        svg: str = (await self._crew.ask(given["ids"]["table"], "picture", given))["svg"]
        return svg

    async def compare(self, ids: list[str]) -> dict[str, Any]:
        cards = [self.for_worker(card_id) for card_id in ids]
        tables = {one["ids"]["table"] for one in cards}
        if len(tables) > 1:
            raise refused("input", "cards_tables", thing="cards")
        given = {"cards": cards, "names": cards[0]["names"]}
        return await self._crew.ask(tables.pop(), "compare", given)  # type: ignore[no-any-return]

    def files(self, card_id: str) -> list[dict[str, Any]]:
        work = self.for_worker(card_id)
        return [self._file(key, Path(work["files"])) for key in FILES]

    def _file(self, key: str, folder: Path) -> dict[str, Any]:
        needs, why, kind = None, None, FILES[key]
        if kind.package == BROWSER and browser() is None:
            why = REMEDY
        elif kind.package not in (None, BROWSER) and find_spec(str(kind.package)) is None:
            why = text("files.needs_package", package=kind.package)
        elif kind.run is not None and not (folder / key).exists():
            needs, why = kind.run, text(f"files.needs_{kind.run}")
        elif (folder / f"{key}.cannot").exists():
            why = (folder / f"{key}.cannot").read_text(encoding="utf-8")
        return {
            "key": key,
            "group": kind.group,
            "text": text(f"files.{key.replace('.', '_').replace('-', '_')}"),
            "type": type_of(key).partition(";")[0],
            "available": why is None,
            "why_not": why,
            "needs_run": needs,
        }

    async def file(self, card_id: str, key: str) -> Path:
        """Return a file of a card; it is written when it is first asked for."""
        if key not in FILES:
            raise refused("missing", "no_file", thing="file", value=key)
        given = self.for_worker(card_id)
        folder = Path(given["files"])
        state = self._file(key, folder)
        path = folder / key
        if path.exists():
            return path
        if not state["available"]:
            raise refused("busy", "not_available", thing="file", value=key, why=state["why_not"])
        folder.mkdir(parents=True, exist_ok=True)
        out = folder / f"{key}.part{Path(key).suffix}"
        try:
            await self._crew.ask(given["ids"]["table"], "file", {**given, "key": key, "out": str(out)})
        except StudioError as error:
            if error.code == "input":  # the card cannot be said in that form, however often one asks
                (folder / f"{key}.cannot").write_text(error.message, encoding="utf-8")
            raise
        out.replace(path)
        return path

    async def archive(self, card_id: str) -> Path:
        folder = Path(self.for_worker(card_id)["files"])
        paths = []
        for key in FILES:
            if self._file(key, folder)["available"]:
                try:
                    paths.append(await self.file(card_id, key))
                except StudioError:
                    continue
        out = folder / "all.zip"
        await asyncio.to_thread(_zip, out, paths)
        return out


def _zip(out: Path, paths: list[Path]) -> None:
    part = out.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, path.name)
    part.replace(out)


def _no_card(card_id: str) -> StudioError:
    return refused("missing", "no_card", thing="card", value=card_id)


_MOST = 200  # cards of one page


def filtered(result: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the cards of a pool that fit: of models with the same predictions, the first version that does.

    `wanted` may have ``without`` (questions), ``monotone``, ``cheaper_than`` and ``at_most`` (questions).
    """
    costs = result["costs"]
    shown_cards = []
    for k, model in enumerate(result["models"]):
        for v, version in enumerate(model["versions"]):
            cost = cost_of(version, costs)
            if any(name in version["model"]["points"] for name in wanted.get("without", ())):
                continue
            if wanted.get("monotone") and not version["monotone"]:
                continue
            if wanted.get("cheaper_than") is not None and not cost < wanted["cheaper_than"]:
                continue
            if wanted.get("at_most") is not None and version["size"] > wanted["at_most"]:
                continue
            shown_cards.append((f"m{k}" if v == 0 else f"m{k}v{v}", {**version, "cost": cost}))
            break
    return shown_cards


def cost_of(version: Mapping[str, Any], costs: Mapping[str, float] | None) -> float:
    """The cost of all questions of a card; without costs, the sum of its points."""
    if costs is None:
        return float(version["l1"])
    return sum(costs.get(name, 0.0) for name in version["model"]["points"])


def pool_page(
    run_id: str, run: Mapping[str, Any], result: Mapping[str, Any] | None, query: QueryParams
) -> dict[str, Any]:
    if run["kind"] != "pool":
        raise refused("missing", "no_pool", thing="run", value=run_id)
    if result is None:
        return {
            "total": 0, "count": 0, "complete": False, "within": run["given"]["within"], "left_out": 0,
            "always": [], "never": [], "questions": [], "texts": {}, "cards": [],
            "has_costs": False, "goal": run["goal"],
        }  # fmt: skip
    shown_cards = filtered(
        result,
        {
            "without": query.getlist("without"),
            "monotone": query.get("monotone") == "1",
            "cheaper_than": _number(query, "cheaper_than"),
            "at_most": _number(query, "at_most"),
        },
    )
    first = int(_number(query, "from") or 0)
    count = min(_MOST, int(_number(query, "count") or 50))
    names = ("errors", "error", "log_loss", "size", "objective", "sensitivity", "specificity", "l1", "monotone")
    return {
        **{name: result[name] for name in ("complete", "within", "left_out", "always", "never", "questions")},
        "texts": result.get("texts", {}),
        "goal": result["goal"],
        "has_costs": result["costs"] is not None,
        "total": len(result["models"]),
        "count": len(shown_cards),
        "cards": [
            {
                "card": f"{run_id}.{which}",
                **{name: version[name] for name in names},
                "cost": version["cost"] if result["costs"] is not None else None,
                "points": version["model"]["points"],
            }
            for which, version in shown_cards[first : first + count]
        ],
    }


def _number(query: QueryParams, name: str) -> float | None:
    text = query.get(name)
    if text is None or text == "":
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value < 1e12:
        raise wrong(name, text, "number")
    return value
