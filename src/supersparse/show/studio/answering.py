"""Requests read and answers written: JSON that can be kept and told again, and errors in one form."""

import json
import math
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from supersparse.show.studio.problems import StudioError, as_problem, refused

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
    """Answer whatever goes wrong."""
    return _refused(as_problem(error))


def _refused(error: StudioError) -> Response:
    return answer_of({"error": error.as_data()}, error.status)


def answer_of(found: object, status: int = 200) -> Response:
    """Answer with JSON in ASCII: what is no character, such as half a surrogate pair, has a code there."""
    content = json.dumps(found, allow_nan=False, separators=(",", ":"))
    return Response(content, status, media_type="application/json")


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
        return found if isinstance(found, Response) else answer_of(found)

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
    return object_of(content or b"{}")


def object_of(content: str | bytes) -> dict[str, Any]:
    """Read a JSON object; what could not be written to a file again, or counted with, is refused.

    >>> object_of('{"name": "a", "cuts": [1, 2.5]}')
    {'name': 'a', 'cuts': [1, 2.5]}
    """
    try:
        found = json.loads(content, parse_constant=_number, parse_int=_number, parse_float=_number)
        if not isinstance(found, dict):
            raise refused("input", "no_object", thing="body")
        _check_depth(found)
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise refused("input", "no_character", thing="body", value=half) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise refused("input", "no_object", thing="body") from None
    return found


def _number(text: str) -> int | float:
    """A number of JSON; infinities, what is no number, and numbers of hundreds of digits are refused."""
    if len(text) > _LONGEST_NUMBER or not math.isfinite(float(text)):
        raise refused("input", "no_number", thing="number", value=text[:20], most=_LONGEST_NUMBER)
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _check_depth(found: dict[str, Any]) -> None:
    level: list[Any] = [found]
    for _ in range(_DEEPEST):
        within = [one for part in level for one in (part.values() if isinstance(part, dict) else part)]
        level = [one for one in within if isinstance(one, dict | list)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> StudioError:
    return refused("input", "too_deep", thing="body", most=_DEEPEST)
