"""The studio's web application: what can be asked of it, and how it answers."""

import asyncio
import html
import json
import math
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial, wraps
from inspect import isawaitable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from supersparse.engine.options import SOLVERS
from supersparse.show.studio.cards import pool_page, type_of
from supersparse.show.studio.choices import form, read_plan
from supersparse.show.studio.studio import Studio
from supersparse.show.studio.tables import read_range, too_large
from supersparse.show.studio.texts import StudioError, as_problem, refused, text
from supersparse.table.datasets import load_breast_cancer

STATIC = Path(__file__).parent / "static"
_STATIC = {".html", ".js", ".css", ".svg", ".json", ".woff2", ".png"}
MADE_PAGE_POLICY = (  # calculators, sheets and reports bring their own script and style, and nothing else
    "sandbox allow-scripts allow-modals; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_OF_A_SIZE = ("errors", "error", "weighted_error", "log_loss", "sensitivity", "specificity")


def make_app(studio: Studio) -> Starlette:
    """Return the application of a studio, which is opened and closed with it."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        studio.open()
        yield
        await studio.close()

    routes = _Routes(studio)
    app = Starlette(
        routes=routes.all(), lifespan=lifespan, exception_handlers={HTTPException: http_problem, Exception: any_problem}
    )
    app.router.redirect_slashes = False
    return app


class _Routes:
    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.tables, self.runs, self.cards, self.edits = (studio.tables, studio.runs, studio.cards, studio.edits)
        # the files of the page by name; nothing else is ever sent
        self.static = {path.name: path for path in STATIC.iterdir() if path.suffix in _STATIC and path.is_file()}

    def all(self) -> list[Route]:
        studio, tables, runs, edits, cards = self.studio, self.tables, self.runs, self.edits, self.cards
        of, sent, query = by_id, self.by_id_and_body, by_query
        listed: list[tuple[str, str, Callable[[Request], Awaitable[Any]]]] = [
            ("GET", "/", self.page),
            ("GET", "/static/{name}", self.static_file),
            ("GET", "/api/about", query(lambda _: {**studio.about(), "solvers": list(SOLVERS)})),
            ("GET", "/api/form", query(lambda _: asyncio.to_thread(form))),
            ("GET", "/api/events", self.events),
            ("GET", "/api/tables", query(lambda _: {"tables": tables.summaries()})),
            ("POST", "/api/tables", self.add_table),
            ("POST", "/api/tables/demo", self.add_demo),
            ("GET", "/api/tables/{id}", of(tables.table)),
            ("PATCH", "/api/tables/{id}", sent(tables.change)),
            ("DELETE", "/api/tables/{id}", self.remove_table),
            ("POST", "/api/tables/{id}/cuts", sent(self.cuts)),
            ("GET", "/api/tables/{id}/rows", self.rows),
            ("PUT", "/api/tables/{id}/favourites", sent(self.set_favourites)),
            ("GET", "/api/tables/{id}/plan", of(tables.plan)),
            ("PUT", "/api/tables/{id}/plan", sent(tables.set_plan)),
            ("POST", "/api/tables/{id}/check", sent(partial(self.of_plan, "check"))),
            ("POST", "/api/tables/{id}/conflicts", sent(partial(self.of_plan, "conflicts"))),
            ("GET", "/api/runs", query(lambda q: {"runs": runs.runs(q.get("table"))})),
            ("POST", "/api/runs", self.add_run),
            ("GET", "/api/runs/{id}", of(runs.run)),
            ("PATCH", "/api/runs/{id}", sent(runs.rename)),
            ("DELETE", "/api/runs/{id}", of(runs.remove)),
            ("POST", "/api/runs/{id}/stop", of(runs.stop)),
            ("POST", "/api/runs/{id}/cancel", of(runs.cancel)),
            ("POST", "/api/runs/{id}/continue", sent(self.proceed)),
            ("GET", "/api/runs/{id}/trace", of(runs.trace)),
            ("GET", "/api/runs/{id}/events", self.log),
            ("GET", "/api/runs/{id}/frontier", of(self.frontier)),
            ("GET", "/api/runs/{id}/pool", self.pool),
            ("GET", "/api/cards/{id}.svg", self.picture),
            ("GET", "/api/cards/{id}", of(cards.card)),
            ("GET", "/api/cards/{id}/files", of(lambda i: {"files": cards.files(i)})),
            ("GET", "/api/cards/{id}/files/{key}", self.file),
            ("POST", "/api/compare", self.compare),
            ("GET", "/api/edits", query(lambda q: {"edits": edits.summaries(q.get("table"))})),
            ("POST", "/api/edits", self.add_edit),
            ("GET", "/api/edits/{id}", of(edits.edit)),
            ("DELETE", "/api/edits/{id}", of(edits.remove)),
            (
                "POST",
                "/api/edits/{id}/preview",
                sent(lambda i, g: edits.edit(i, {} if g.get("change") is None else g["change"])),
            ),
            ("POST", "/api/edits/{id}/steps", sent(lambda i, g: edits.step(i, g.get("change"), g.get("reason", "")))),
            ("POST", "/api/edits/{id}/undo", of(edits.undo)),
            ("POST", "/api/edits/{id}/redo", of(edits.redo)),
            ("POST", "/api/edits/{id}/repair", sent(studio.repair, 201)),
        ]
        return [Route(path, handler_of(answer), methods=[method]) for method, path, answer in listed]

    def by_id_and_body(self, do: Callable[[str, Any], Any], status: int = 200) -> Callable[[Request], Awaitable[Any]]:
        """Answer a request from the id in its address and the JSON object that it brings."""

        async def answer(request: Request) -> Any:
            result = await _awaited(do(request.path_params["id"], await self.body(request)))
            return result if status == 200 else answer_of(result, status)

        return answer

    async def body(self, request: Request) -> dict[str, Any]:
        return await read_object(request, self.studio.limits.json_bytes)

    async def page(self, request: Request) -> Response:
        draft = self.static["index.html"].read_text(encoding="utf-8")
        content = re.sub(r"\{(\w+\.\w+)\}", lambda key: html.escape(text(key[1])), draft)
        return Response(content, media_type=type_of("index.html"), headers={"cache-control": "no-cache"})

    async def static_file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.static:
            raise refused("missing", "no_file", thing="file", value=name)
        path = self.static[name]
        return Response(path.read_bytes(), media_type=type_of(name), headers={"cache-control": "no-cache"})

    async def events(self, request: Request) -> Response:
        last = request.headers.get("last-event-id")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self.studio.hub.stream(last), media_type="text/event-stream", headers=headers)

    async def add_table(self, request: Request) -> Response:
        length = request.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > self.studio.limits.upload_bytes:
            raise too_large(self.studio.limits.upload_bytes)
        name = request.query_params.get("name", "table.csv")
        return answer_of(await self.tables.add(name, request.stream()), 201)

    async def add_demo(self, request: Request) -> Response:
        await self.body(request)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "biopsies.csv"
            await asyncio.to_thread(lambda: load_breast_cancer().columns.write_csv(path))
            return answer_of(await self.tables.add_file(path), 201)

    async def remove_table(self, request: Request) -> None:
        table_id = request.path_params["id"]
        self.tables.summary(table_id)
        runs = self.runs.of_table(table_id)
        if runs and request.query_params.get("runs") != "1":
            raise refused("busy", "has_runs", thing="table", value=table_id, n=len(runs))
        for run in runs:
            self.runs.remove(run)
        for edit in self.edits.of_table(table_id):
            self.edits.remove(edit)
        self.tables.remove(table_id)

    async def cuts(self, table_id: str, given: dict[str, Any]) -> Any:
        column, cuts = given.get("column"), given.get("cuts")
        if not isinstance(column, str) or not isinstance(cuts, list) or len(cuts) > 50:
            raise refused("input", "cuts_shape", thing="cuts", value=cuts)
        if not all(isinstance(cut, int | float) and not isinstance(cut, bool) for cut in cuts):
            raise refused("input", "cut_number", thing="cuts", value=cuts)
        return await self.tables.ask(table_id, "cuts", column=column, cuts=cuts)

    async def rows(self, request: Request) -> Any:
        query = request.query_params
        wanted = read_range(query.get("from"), query.get("count"))
        return await self.tables.ask(request.path_params["id"], "rows", **wanted)

    def set_favourites(self, table_id: str, body: dict[str, Any]) -> Any:
        return self.tables.set_favourites(table_id, body.get("cards"))

    async def of_plan(self, job: str, table_id: str, given: dict[str, Any]) -> Any:
        plan = read_plan(given) if given else self.tables.plan(table_id)
        return await self.tables.ask(table_id, job, plan=plan)

    async def add_run(self, request: Request) -> Response:
        return answer_of(self.studio.start(await self.body(request)), 201)

    def proceed(self, run_id: str, body: dict[str, Any]) -> Any:
        limit = body.get("time_limit", self.runs.record(run_id)["time_limit"])
        return self.runs.proceed(run_id, self.studio.seconds(limit))

    async def log(self, request: Request) -> Any:
        after = request.query_params.get("after", "0")
        return self.runs.events(request.path_params["id"], read_range(after, None)["from"])

    def frontier(self, run_id: str) -> Any:
        result = self.runs.result(run_id)
        if self.runs.record(run_id)["kind"] != "frontier" or result is None:
            goal = self.runs.record(run_id)["goal"]
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
        run_id = request.path_params["id"]
        return pool_page(run_id, self.runs.record(run_id), self.runs.result(run_id), request.query_params)

    async def picture(self, request: Request) -> Response:
        svg = await self.cards.picture(request.path_params["id"])
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(svg, media_type="image/svg+xml", headers={"content-security-policy": policy})

    async def file(self, request: Request) -> Response:
        card_id, key = request.path_params["id"], request.path_params["key"]
        if key == "all.zip":
            path = await self.cards.archive(card_id)
        else:
            path = await self.cards.file(card_id, key)
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
        return await self.cards.compare(ids)

    async def add_edit(self, request: Request) -> Response:
        card = (await self.body(request)).get("card")
        if not isinstance(card, str):
            raise refused("input", "edit_card", thing="card", value=card)
        return answer_of(await self.edits.add(card), 201)


async def _awaited(found: Any) -> Any:
    return await found if isawaitable(found) else found


def by_query(do: Callable[[QueryParams], Any]) -> Callable[[Request], Awaitable[Any]]:
    """Answer a request from the parameters behind its address."""
    return lambda request: _awaited(do(request.query_params))


def by_id(do: Callable[[str], Any]) -> Callable[[Request], Awaitable[Any]]:
    """Answer a request from the id in its address."""
    return lambda request: _awaited(do(request.path_params["id"]))


_CODES = {404: "missing", 405: "method"}
_DEEPEST = 50  # lists and objects within each other
_LONGEST_NUMBER = 300  # characters
Answer = Callable[[Request], Awaitable[Response]]


async def http_problem(request: Request, error: Exception) -> Response:
    """Answer where there is no such address or method."""
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "missing")
    path, method = request.url.path, request.method
    if code == "method":
        return _refused(refused(code, "method_at", thing="address", value=path, method=method))
    return _refused(refused(code, "nothing_at", thing="address", value=path))


async def any_problem(_request: Request, error: Exception) -> Response:
    return _refused(as_problem(error))


def _refused(error: StudioError) -> Response:
    return answer_of({"error": error.as_data()}, error.status)


def answer_of(result: object, status: int = 200) -> Response:
    """Answer with JSON in ASCII: what is not a character, such as half a surrogate pair, has a code there."""
    content = json.dumps(result, allow_nan=False, separators=(",", ":"))
    return Response(content, status, media_type="application/json")


def handler_of(answer: Callable[..., Awaitable[Any]]) -> Answer:
    """Let a function return data, and raise what is wrong."""

    @wraps(answer)
    async def answered(request: Request) -> Response:
        try:
            result = await answer(request)
        except StudioError as error:
            return _refused(error)
        except ClientDisconnect:
            return Response(status_code=499)
        except OSError as error:
            return _refused(as_problem(error))
        if result is None:
            return Response(status_code=204)
        return result if isinstance(result, Response) else answer_of(result)

    return answered


async def read_object(request: Request, most: int) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise refused("type", "content_type", thing="Content-Type", value=kind)
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise refused("large", "body_large", thing="body", value=most)
    return object_of(content or b"{}")


def object_of(content: str | bytes) -> dict[str, Any]:
    """Read a JSON object; what could not be written to a file again, or counted with, is refused.

    >>> object_of('{"name": "a", "cuts": [1, 2.5]}')
    {'name': 'a', 'cuts': [1, 2.5]}
    """
    try:
        value = json.loads(content, parse_constant=_number, parse_int=_number, parse_float=_number)
        if not isinstance(value, dict):
            raise refused("input", "no_object", thing="body")
        _check_depth(value)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise refused("input", "no_character", thing="body", value=half) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise refused("input", "no_object", thing="body") from None
    return value


def _number(text: str) -> int | float:
    """A number of JSON; infinities, what is not a number, and numbers of hundreds of digits are refused."""
    if len(text) > _LONGEST_NUMBER or not math.isfinite(float(text)):
        raise refused("input", "no_number", thing="number", value=text[:20], most=_LONGEST_NUMBER)
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _check_depth(content: dict[str, Any]) -> None:
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        within = [one for part in level for one in (part.values() if isinstance(part, dict) else part)]
        level = [one for one in within if isinstance(one, dict | list)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> StudioError:
    return refused("input", "too_deep", thing="body", most=_DEEPEST)
