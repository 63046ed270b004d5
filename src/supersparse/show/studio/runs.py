"""The runs of the studio: searches in processes of their own, queued, watched, stopped and continued."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from supersparse.show.studio.crew import Crew, Worker, WorkerEndedError
from supersparse.show.studio.folder import Folder, Limits, Publish, Records, read_json, read_lines, write_json
from supersparse.show.studio.tables import now
from supersparse.show.studio.texts import StudioError, as_problem, refused, wrong

KINDS = ("card", "frontier", "pool", "repair", "report", "certificate")
_BUSY = ("queued", "starting", "running", "stopping")
_KEPT_EVERY = 0.4  # seconds between the steps of a trace that are kept
_MOST_KEPT = 20_000  # lines of a log
_MOST_POINTS = 2000  # of a trace that a page draws
_LEAST_SECONDS = 5.0  # that a run gets which goes on after the server was killed
_SHOWN = (
    "id", "table", "kind", "name", "favourite", "state", "stage", "added", "began", "ended", "seconds",
    "time_limit", "progress", "error", "goal", "notes", "plan", "ended_why", "of",
)  # fmt: skip


class Runs(Records):
    kind, file = "r", "run.json"

    def __init__(self, folder: Folder, crew: Crew, limits: Limits, publish: Publish) -> None:
        super().__init__(folder, crew, limits, publish)
        self._queue: list[str] = []
        self._driven: dict[str, asyncio.Task[None]] = {}
        self._workers: dict[str, Worker] = {}
        self._logs: dict[str, tuple[int, float]] = {}  # lines, and when the last progress was kept
        self.given: Callable[[dict[str, Any]], dict[str, Any]] = lambda run: {}  # what a worker is told of a run
        self._closed = False

    def load(self) -> None:
        """Read what the folder holds; runs that the end of a server interrupted are queued again."""
        for run_id, run in self.read_all("kind"):
            self._known[run_id] = run
            best = read_json(self._folder.place(run_id) / "best.json")
            if best is not None and not run["finished"]:
                run["model"] = best["model"]
            if run["state"] in _BUSY:
                run["resumed"] = run["state"] != "queued" or run.get("resumed", False)
                run["state"] = "queued"
                self._queue.append(run_id)
        self._pump()

    def add(self, run: dict[str, Any]) -> dict[str, Any]:
        if len(self._known) >= self._limits.runs:
            raise refused("busy", "most_runs", thing="runs", value=self._limits.runs)
        none = dict.fromkeys(("stage", "began", "ended", "progress", "error", "ended_why", "of", "model"))
        new: dict[str, Any] = {"state": "queued", "added": now(), "seconds": 0.0, "goal": "errors", "notes": [], **none}
        run_id = self._keep_new({**new, "favourite": False, "finished": False, **run})
        self._queue.append(run_id)
        self._publish("run", self.run(run_id))
        self._pump()
        return self.run(run_id)

    def run(self, run_id: str) -> dict[str, Any]:
        run = self.record(run_id)
        has_card = run["kind"] in ("card", "repair") and run["model"] is not None
        can_continue = run["kind"] in ("card", "repair") and run["state"] not in _BUSY
        return {
            **{name: run[name] for name in _SHOWN},
            "place": self._queue.index(run_id) + 1 if run_id in self._queue else None,
            "card": f"{run_id}.best" if has_card else None,
            "can_continue": can_continue and run["ended_why"] != "proven optimal",
        }

    def runs(self, table: str | None = None) -> list[dict[str, Any]]:
        """Describe all runs, or those of a table, the newest first."""
        return [
            self.run(run_id)
            for run_id in reversed(self._known)
            if table is None or self._known[run_id]["table"] == table
        ]

    def place(self, run_id: str) -> Path:
        self.record(run_id)
        return self._folder.place(run_id)

    def result(self, run_id: str) -> dict[str, Any] | None:
        content = read_json(self.place(run_id) / "result.json")
        return content if isinstance(content, dict) else None

    def best(self, run_id: str) -> dict[str, Any] | None:
        """The card of a run as a page shows it; None where it has none yet."""
        run = self.record(run_id)
        content = self.result(run_id) if run["finished"] else read_json(self.place(run_id) / "best.json")
        return None if content is None else content.get("card")

    def rename(self, run_id: str, changes: dict[str, Any]) -> dict[str, Any]:
        """Change the name of a run, or whether it is a favourite."""
        self.record(run_id)
        for name, value in changes.items():
            is_name = name == "name" and isinstance(value, str) and len(value) <= 120
            if not is_name and not (name == "favourite" and isinstance(value, bool)):
                raise wrong(name[:40], value, "rename")
        self._change(run_id, **changes)
        return self.run(run_id)

    def stop(self, run_id: str) -> dict[str, Any]:
        """Ask a run to end and keep its best card."""
        run = self.record(run_id)
        if run_id in self._queue:
            return self.cancel(run_id)
        if run["state"] not in ("starting", "running", "stopping"):
            raise _not_running(run_id)
        run["state"], run["asked_to_stop"] = "stopping", True
        worker = self._workers.get(run_id)
        if worker is not None:
            worker.ask_to_stop()
        self._changed(run_id)
        return self.run(run_id)

    def cancel(self, run_id: str) -> dict[str, Any]:
        if self.record(run_id)["state"] not in _BUSY:
            raise _not_running(run_id)
        if run_id in self._queue:
            self._queue.remove(run_id)
        self.record(run_id).update(state="cancelled", ended=now(), ended_why="stopped")
        self._end_process(run_id)
        self._changed(run_id)
        self._pump()
        return self.run(run_id)

    def proceed(self, run_id: str, seconds: float) -> dict[str, Any]:
        """Let a run go on from where it ended, for some more time."""
        if not self.run(run_id)["can_continue"]:
            raise refused("busy", "cannot_go_on", thing="run", value=run_id)
        fresh = {"ended": None, "ended_why": None, "error": None, "resumed": False, "asked_to_stop": False}
        self._change(run_id, state="queued", time_limit=seconds, **fresh)
        self._queue.append(run_id)
        self._publish("run", self.run(run_id))
        self._pump()
        return self.run(run_id)

    def remove(self, run_id: str) -> None:
        if self.record(run_id)["state"] in _BUSY:
            self.cancel(run_id)
        del self._known[run_id]
        self._folder.remove(run_id)
        self._publish("run-removed", {"id": run_id})

    async def close(self) -> None:
        """End all processes; what runs goes on when a server next opens the folder."""
        self._closed = True
        for run_id in list(self._workers):
            self._end_process(run_id)
        await asyncio.gather(*self._driven.values(), return_exceptions=True)

    def trace(self, run_id: str) -> dict[str, Any]:
        stages: list[dict[str, Any]] = []
        for line in read_lines(self.place(run_id) / "events.jsonl"):
            data = line.get("data", {})
            if line.get("event") != "progress":
                continue
            if not stages or stages[-1]["stage"] != data["stage"]:
                stages.append({"stage": data["stage"], "points": []})
            if data.get("bound") is not None:
                point = [data.get(name) for name in ("t", "objective", "bound", "errors", "size")]
                stages[-1]["points"].append(point)
        total = sum(len(stage["points"]) for stage in stages)
        step = max(1, -(-total // _MOST_POINTS))
        for stage in stages:
            points = stage["points"]
            stage["points"] = [p for k, p in enumerate(points) if k % step == 0 or k == len(points) - 1]
        return {"run": run_id, "stages": stages}

    def events(self, run_id: str, after: int) -> dict[str, Any]:
        """Return the log of a run after a place in it."""
        lines = [line for line in read_lines(self.place(run_id) / "events.jsonl") if line.get("n", 0) > after]
        return {"events": lines[:5000], "last": lines[-1]["n"] if lines else after}

    def _change(self, thing_id: str, **changes: Any) -> None:
        super()._change(thing_id, **changes)
        self._publish("run", self.run(thing_id))

    def _changed(self, run_id: str) -> None:
        """Keep and tell what became of a run; what a full disk does not take holds until the server ends."""
        with suppress(OSError):
            self._write(self._known[run_id])
        self._publish("run", self.run(run_id))

    def _pump(self) -> None:
        while self._queue and len(self._driven) < self._limits.running and not self._closed:
            run_id = self._queue.pop(0)
            self._driven[run_id] = asyncio.create_task(self._drive(run_id))
        for run_id in self._queue:
            self._publish("run", self.run(run_id))

    def _end_process(self, run_id: str) -> None:
        worker = self._workers.pop(run_id, None)
        if worker is not None:
            self._crew.release(worker)

    async def _drive(self, run_id: str) -> None:
        run = self._known[run_id]
        run["state"], run["began"], run["error"] = "starting", now(), None
        self._changed(run_id)
        began, before = time.monotonic(), run["seconds"]
        try:
            worker = await self._crew.worker()
            if run["state"] == "cancelled":
                self._crew.release(worker)
                return
            self._workers[run_id] = worker
            if run["state"] == "starting":
                run["state"] = "running"
            self._changed(run_id)
            given = {**self.given(run), "folder": str(self.place(run_id)), "time_limit": self.seconds_of(run)}
            doing = asyncio.create_task(worker.do(run["kind"], given, lambda e, d: self._hear(run_id, e, d)))
            await asyncio.sleep(0)
            if run.get("asked_to_stop"):
                worker.ask_to_stop()
            result = await doing
            if run_id in self._known:
                self._finish(run_id, result)
        except WorkerEndedError:
            if not self._closed and run["state"] != "cancelled":
                self._fail(run_id, refused("failed", "run_process", thing="run"))
        except StudioError as error:
            if run.get("asked_to_stop") and error.code == "busy":
                run.update(state="stopped", ended=now(), ended_why="stopped", error=error.as_data())
            else:
                self._fail(run_id, error)
        except Exception as error:
            self._fail(run_id, as_problem(error))
        finally:
            self._end_process(run_id)
            self._driven.pop(run_id, None)
            run["seconds"] = round(before + time.monotonic() - began, 2)
            if run_id in self._known and not self._closed:
                self._changed(run_id)
            self._pump()

    def seconds_of(self, run: dict[str, Any]) -> float:
        """How long a run may take; one that was interrupted gets what was left."""
        limit = float(run["time_limit"])
        return max(_LEAST_SECONDS, limit - run["seconds"]) if run.get("resumed") else limit

    def _finish(self, run_id: str, result: dict[str, Any]) -> None:
        run = self._known[run_id]
        write_json(self.place(run_id) / "result.json", result)
        stopped = bool(result.get("interrupted")) and run.get("asked_to_stop")
        run.update(
            state="stopped" if stopped else "done",
            stage=None,
            ended=now(),
            ended_why="stopped" if stopped else "proven optimal" if result.get("proven") else result.get("stop"),
            notes=result.get("notes", run["notes"]),
            finished=True,
            asked_to_stop=False,
        )
        if result.get("model") is not None:
            run["model"] = result["model"]

    def _fail(self, run_id: str, error: StudioError) -> None:
        if run_id in self._known:
            self._known[run_id].update(state="failed", ended=now(), error=error.as_data(), stage=None)

    def _hear(self, run_id: str, event: str, data: Any) -> None:
        """Take note of what a worker tells, keep it, and pass it on."""
        run = self._known.get(run_id)
        if run is None:
            return
        if event == "progress":
            self._progress(run_id, run, data)
        elif event == "card":
            run["model"], run["finished"] = data["model"], False
            self._keep(run_id, event, {"model": data["model"], "numbers": data["card"]["numbers"]})
            self._publish("card", {"run": run_id, "card": data["card"]})
            with suppress(OSError):
                write_json(self.place(run_id) / "best.json", data)
            if run["stage"] is not None and run.get("drawn") != run["stage"]:
                run["drawn"] = run["stage"]
                self._changed(run_id)
        elif event == "notes":
            run["notes"] = data
        elif event == "partial":
            with suppress(OSError):
                write_json(self.place(run_id) / "result.json", data)
            self._publish("run", self.run(run_id))

    def _progress(self, run_id: str, run: dict[str, Any], data: dict[str, Any]) -> None:
        last = self._logs.get(run_id, (0, float("-inf")))[1]
        run["heard"] = run.get("heard", 0) + 1
        event = {"run": run_id, "n": run["heard"], **data}
        run["progress"] = event
        is_new = data["stage"] != run["stage"]
        self._publish("progress", event)
        if is_new:
            run["stage"] = data["stage"]
            self._changed(run_id)
        moment = time.monotonic()
        if is_new or data.get("last") or moment - last >= _KEPT_EVERY:
            self._keep(run_id, "progress", data)
            self._logs[run_id] = (self._logs[run_id][0], moment)

    def _keep(self, run_id: str, event: str, data: Any) -> None:
        path = self.place(run_id) / "events.jsonl"
        if run_id not in self._logs:
            self._logs[run_id] = (sum(1 for _ in read_lines(path)), float("-inf"))
        lines, last = self._logs[run_id]
        self._logs[run_id] = (lines + 1, last)
        if lines < _MOST_KEPT:
            with suppress(OSError), path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"n": lines + 1, "at": now(), "event": event, "data": data}) + "\n")


def _not_running(run_id: str) -> StudioError:
    return refused("busy", "not_running", thing="run", value=run_id)
