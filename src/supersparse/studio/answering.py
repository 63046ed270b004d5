"""Requests read and answers written: JSON of bounded size, and errors in one form."""

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from supersparse.studio.problems import StudioError, as_problem, refused

_CODES = {404: "missing", 405: "method"}
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
    """Answer whatever goes wrong."""
    return _refused(as_problem(error))


def _refused(error: StudioError) -> Response:
    return JSONResponse({"error": error.as_data()}, status_code=error.status)


def answering(answer: Callable[..., Awaitable[Any]]) -> Answer:
    """Let a function return data, and raise what is wrong."""

    @wraps(answer)
    async def answered(request: Request) -> Response:
        try:
            found = await answer(request)
        except StudioError as error:
            return _refused(error)
        except ClientDisconnect:
            return Response(status_code=499)
        except OSError as error:
            return _refused(as_problem(error))
        if found is None:
            return Response(status_code=204)
        return found if isinstance(found, Response) else JSONResponse(found)

    return answered


async def read_object(request: Request, most: int) -> dict[str, Any]:
    """Read a JSON object of bounded size."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise refused("type", "content_type", thing="Content-Type", value=kind)
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise refused("large", "body_large", thing="body", value=most)
    try:
        found = json.loads(content or b"{}", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise refused("input", "no_object", thing="body")
    return found


def _no_constant(text: str) -> object:
    raise ValueError(text)
