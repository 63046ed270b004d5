"""The studio's web application: what can be asked of it, and how it answers."""

import asyncio
import html
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from supersparse.engine.options import SOLVERS
from supersparse.show.studio.cards import type_of
from supersparse.show.studio.choices import read_plan
from supersparse.show.studio.form import form
from supersparse.show.studio.pool_page import pool_page
from supersparse.show.studio.requests import (
    MADE_PAGE_POLICY,
    answer_of,
    answering,
    any_problem,
    http_problem,
    read_object,
)
from supersparse.show.studio.studio import Studio
from supersparse.show.studio.tables import read_range, too_large
from supersparse.show.studio.texts import refused, text
from supersparse.table.datasets import load_breast_cancer

STATIC = Path(__file__).parent / "static"
_STATIC_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".png": "image/png",
}
_OF_A_SIZE = ("errors", "error", "weighted_error", "log_loss", "sensitivity", "specificity")


def static_files() -> dict[str, Path]:
    """The files of the page by name; nothing else is ever sent."""
    return {path.name: path for path in STATIC.iterdir() if path.suffix in _STATIC_TYPES and path.is_file()}


def make_app(studio: Studio) -> Starlette:
    """Return the application of a studio, which is opened and closed with it."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        studio.open()
        yield
        await studio.close()

    routes = _Routes(studio)
    app = Starlette(
        routes=routes.all(),
        lifespan=lifespan,
        exception_handlers={HTTPException: http_problem, Exception: any_problem},
    )
    app.router.redirect_slashes = False
    return app


class _Routes:
    """The addresses of the studio."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.static = static_files()

    def all(self) -> list[Route]:
        """Return all addresses."""
        listed: list[tuple[str, str, Callable[[Request], Awaitable[Any]]]] = [
            ("GET", "/", self.page),
            ("GET", "/static/{name}", self.file_of_page),
            ("GET", "/api/about", self.about),
            ("GET", "/api/form", self.form),
            ("GET", "/api/events", self.events),
            ("GET", "/api/tables", self.tables),
            ("POST", "/api/tables", self.add_table),
            ("POST", "/api/tables/demo", self.add_demo),
            ("GET", "/api/tables/{id}", self.table),
            ("PATCH", "/api/tables/{id}", self.change_table),
            ("DELETE", "/api/tables/{id}", self.remove_table),
            ("POST", "/api/tables/{id}/cuts", self.cuts),
            ("GET", "/api/tables/{id}/rows", self.rows),
            ("PUT", "/api/tables/{id}/favourites", self.set_favourites),
            ("GET", "/api/tables/{id}/plan", self.plan),
            ("PUT", "/api/tables/{id}/plan", self.set_plan),
            ("POST", "/api/tables/{id}/check", self.check),
            ("POST", "/api/tables/{id}/conflicts", self.conflicts),
            ("GET", "/api/runs", self.runs),
            ("POST", "/api/runs", self.add_run),
            ("GET", "/api/runs/{id}", self.run),
            ("PATCH", "/api/runs/{id}", self.rename_run),
            ("DELETE", "/api/runs/{id}", self.remove_run),
            ("POST", "/api/runs/{id}/stop", self.stop),
            ("POST", "/api/runs/{id}/cancel", self.cancel),
            ("POST", "/api/runs/{id}/continue", self.proceed),
            ("GET", "/api/runs/{id}/trace", self.trace),
            ("GET", "/api/runs/{id}/events", self.log),
            ("GET", "/api/runs/{id}/frontier", self.frontier),
            ("GET", "/api/runs/{id}/pool", self.pool),
            ("GET", "/api/cards/{id}.svg", self.picture),
            ("GET", "/api/cards/{id}", self.card),
            ("GET", "/api/cards/{id}/files", self.files),
            ("GET", "/api/cards/{id}/files/{key}", self.file),
            ("POST", "/api/compare", self.compare),
            ("GET", "/api/edits", self.edits),
            ("POST", "/api/edits", self.add_edit),
            ("GET", "/api/edits/{id}", self.edit),
            ("DELETE", "/api/edits/{id}", self.remove_edit),
            ("POST", "/api/edits/{id}/preview", self.preview),
            ("POST", "/api/edits/{id}/steps", self.step),
            ("POST", "/api/edits/{id}/undo", self.undo),
            ("POST", "/api/edits/{id}/redo", self.redo),
            ("POST", "/api/edits/{id}/repair", self.repair),
        ]
        return [Route(path, answering(answer), methods=[method]) for method, path, answer in listed]

    async def body(self, request: Request) -> dict[str, Any]:
        """Read a JSON object of bounded size."""
        return await read_object(request, self.studio.limits.json_bytes)

    async def page(self, request: Request) -> Response:
        draft = self.static["index.html"].read_text(encoding="utf-8")
        content = re.sub(r"\{(\w+\.\w+)\}", lambda key: html.escape(text(key[1])), draft)
        return Response(content, media_type=_STATIC_TYPES[".html"], headers={"cache-control": "no-cache"})

    async def file_of_page(self, request: Request) -> Response:
        return self._static(request.path_params["name"])

    def _static(self, name: str) -> Response:
        if name not in self.static:
            raise refused("missing", "no_file", thing="file", value=name)
        path = self.static[name]
        return Response(
            path.read_bytes(), media_type=_STATIC_TYPES[path.suffix], headers={"cache-control": "no-cache"}
        )

    async def about(self, request: Request) -> Any:
        return {**self.studio.about(), "solvers": list(SOLVERS)}

    async def form(self, request: Request) -> Any:
        return await asyncio.to_thread(form)

    async def events(self, request: Request) -> Response:
        last = request.headers.get("last-event-id")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self.studio.hub.stream(last), media_type="text/event-stream", headers=headers
        )

    async def tables(self, request: Request) -> Any:
        return {"tables": self.studio.tables.summaries()}

    async def add_table(self, request: Request) -> Response:
        length = request.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > self.studio.limits.upload_bytes:
            raise too_large(self.studio.limits.upload_bytes)
        name = request.query_params.get("name", "table.csv")
        return answer_of(await self.studio.tables.add(name, request.stream()), 201)

    async def add_demo(self, request: Request) -> Response:
        await self.body(request)
        content = await asyncio.to_thread(_demo)

        async def once() -> AsyncIterator[bytes]:
            yield content

        return answer_of(await self.studio.tables.add("biopsies.csv", once()), 201)

    async def table(self, request: Request) -> Any:
        return self.studio.tables.table(_id(request))

    async def change_table(self, request: Request) -> Any:
        return self.studio.tables.change(_id(request), await self.body(request))

    async def remove_table(self, request: Request) -> None:
        table_id = _id(request)
        self.studio.tables.summary(table_id)
        runs = self.studio.runs.of_table(table_id)
        if runs and request.query_params.get("runs") != "1":
            raise refused("busy", "has_runs", thing="table", value=table_id, n=len(runs))
        for run in runs:
            self.studio.runs.remove(run)
        for edit in self.studio.edits.of_table(table_id):
            self.studio.edits.remove(edit)
        self.studio.tables.remove(table_id)

    async def cuts(self, request: Request) -> Any:
        given = await self.body(request)
        column, cuts = given.get("column"), given.get("cuts")
        if not isinstance(column, str) or not isinstance(cuts, list) or len(cuts) > 50:
            raise refused("input", "cuts_shape", thing="cuts", value=cuts)
        if not all(isinstance(cut, int | float) and not isinstance(cut, bool) for cut in cuts):
            raise refused("input", "cut_number", thing="cuts", value=cuts)
        return await self.studio.tables.ask(_id(request), "cuts", column=column, cuts=cuts)

    async def rows(self, request: Request) -> Any:
        query = request.query_params
        wanted = read_range(query.get("from"), query.get("count"))
        return await self.studio.tables.ask(_id(request), "rows", **wanted)

    async def set_favourites(self, request: Request) -> Any:
        cards = (await self.body(request)).get("cards")
        return self.studio.tables.set_favourites(_id(request), cards)

    async def plan(self, request: Request) -> Any:
        return self.studio.tables.plan(_id(request))

    async def set_plan(self, request: Request) -> Any:
        return self.studio.tables.set_plan(_id(request), await self.body(request))

    async def _plan_of(self, request: Request) -> dict[str, Any]:
        given = await self.body(request)
        return read_plan(given) if given else self.studio.tables.plan(_id(request))

    async def check(self, request: Request) -> Any:
        return await self.studio.tables.ask(_id(request), "check", plan=await self._plan_of(request))

    async def conflicts(self, request: Request) -> Any:
        return await self.studio.tables.ask(_id(request), "conflicts", plan=await self._plan_of(request))

    async def runs(self, request: Request) -> Any:
        return {"runs": self.studio.runs.runs(request.query_params.get("table"))}

    async def add_run(self, request: Request) -> Response:
        return answer_of(self.studio.start(await self.body(request)), 201)

    async def run(self, request: Request) -> Any:
        return self.studio.runs.run(_id(request))

    async def rename_run(self, request: Request) -> Any:
        return self.studio.runs.rename(_id(request), await self.body(request))

    async def remove_run(self, request: Request) -> None:
        self.studio.runs.remove(_id(request))

    async def stop(self, request: Request) -> Any:
        return self.studio.runs.stop(_id(request))

    async def cancel(self, request: Request) -> Any:
        return self.studio.runs.cancel(_id(request))

    async def proceed(self, request: Request) -> Any:
        given = await self.body(request)
        run_id = _id(request)
        limit = given.get("time_limit", self.studio.runs.record(run_id)["time_limit"])
        return self.studio.runs.proceed(run_id, self.studio.seconds(limit))

    async def trace(self, request: Request) -> Any:
        return self.studio.runs.trace(_id(request))

    async def log(self, request: Request) -> Any:
        after = request.query_params.get("after", "0")
        return self.studio.runs.events(_id(request), read_range(after, None)["from"])

    async def frontier(self, request: Request) -> Any:
        run_id = _id(request)
        result = self.studio.runs.result(run_id)
        if self.studio.runs.record(run_id)["kind"] != "frontier" or result is None:
            goal = self.studio.runs.record(run_id)["goal"]
            return {"goal": goal, "measure": None, "sizes": [], "chosen": None}
        shown = ("size", "proven", "bound", "features", "cross_validated")
        return {
            "goal": result["goal"],
            "measure": result["measure"],
            "chosen": result.get("chosen"),
            "sizes": [
                {
                    **{name: one[name] for name in shown},
                    "card": None if one["model"] is None else f"{run_id}.s{one['size']}",
                    **{name: None if one["numbers"] is None else one["numbers"][name] for name in _OF_A_SIZE},
                }
                for one in result["sizes"]
            ],
        }

    async def pool(self, request: Request) -> Any:
        run_id = _id(request)
        return pool_page(
            run_id, self.studio.runs.record(run_id), self.studio.runs.result(run_id), request.query_params
        )

    async def card(self, request: Request) -> Any:
        return await self.studio.cards.card(_id(request))

    async def picture(self, request: Request) -> Response:
        svg = await self.studio.cards.picture(_id(request))
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(svg, media_type="image/svg+xml", headers={"content-security-policy": policy})

    async def files(self, request: Request) -> Any:
        return {"files": self.studio.cards.files(_id(request))}

    async def file(self, request: Request) -> Response:
        card_id, key = _id(request), request.path_params["key"]
        if key == "all.zip":
            path = await self.studio.cards.archive(card_id)
        else:
            path = await self.studio.cards.file(card_id, key)
        shown = request.query_params.get("show") == "1"
        return FileResponse(
            path,
            media_type=type_of(key),
            filename=key,
            content_disposition_type="inline" if shown else "attachment",
            headers={"content-security-policy": MADE_PAGE_POLICY, "cache-control": "no-store"},
        )

    async def compare(self, request: Request) -> Any:
        ids = (await self.body(request)).get("cards")
        most = self.studio.limits.cards_compared
        if not isinstance(ids, list) or not 2 <= len(ids) <= most or not all(isinstance(i, str) for i in ids):
            raise refused("input", "compare_ids", thing="cards", value=ids, most=most)
        return await self.studio.cards.compare(ids)

    async def edits(self, request: Request) -> Any:
        return {"edits": self.studio.edits.summaries(request.query_params.get("table"))}

    async def add_edit(self, request: Request) -> Response:
        card = (await self.body(request)).get("card")
        if not isinstance(card, str):
            raise refused("input", "edit_card", thing="card", value=card)
        return answer_of(await self.studio.edits.add(card), 201)

    async def edit(self, request: Request) -> Any:
        return await self.studio.edits.edit(_id(request))

    async def remove_edit(self, request: Request) -> None:
        self.studio.edits.remove(_id(request))

    async def preview(self, request: Request) -> Any:
        change = (await self.body(request)).get("change")
        return await self.studio.edits.edit(_id(request), change if change is not None else {})

    async def step(self, request: Request) -> Any:
        given = await self.body(request)
        return await self.studio.edits.step(_id(request), given.get("change"), given.get("reason", ""))

    async def undo(self, request: Request) -> Any:
        return await self.studio.edits.undo(_id(request))

    async def redo(self, request: Request) -> Any:
        return await self.studio.edits.redo(_id(request))

    async def repair(self, request: Request) -> Response:
        run = await self.studio.repair(_id(request), await self.body(request))
        return answer_of(run, 201)


def _id(request: Request) -> str:
    found: str = request.path_params["id"]
    return found


def _demo() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "biopsies.csv"
        load_breast_cancer().columns.write_csv(path)
        return path.read_bytes()
