"""One file from the network: over https, going on where an earlier attempt stopped."""

from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from supersparse.errors import DownloadError

_CHUNK = 1 << 16
_NOT_SATISFIABLE = 416


def download(url: str, part: Path, *, attempts: int = 3, timeout: float = 30) -> bytes:
    """Return the content of a file on the network.

    What has arrived is kept in the file `part`, from which this and later calls go on if the server
    can send the rest; a caller that finds the content wrong deletes it.
    """
    for attempt in range(attempts):
        try:
            if _receive(url, part, timeout):
                return part.read_bytes()
        except DownloadError:
            raise
        except (HTTPException, OSError) as error:  # URLError is an OSError
            gone = isinstance(error, HTTPError)  # the server answered: asking again changes nothing
            if gone or attempt == attempts - 1 or not part.exists():
                raise DownloadError(f"{url} could not be downloaded: {_reason(error)}") from error
    arrived = part.stat().st_size
    raise DownloadError(
        f"{url} broke off {attempts} times, after {arrived} bytes; try again to go on from there"
    )


def _receive(url: str, part: Path, timeout: float) -> bool:
    """Append what is left to `part`; True if that is all of it."""
    _refuse_plain_http(url)
    have = part.stat().st_size if part.exists() else 0
    request = Request(
        url, headers={"User-Agent": "supersparse"} | ({"Range": f"bytes={have}-"} if have else {})
    )
    try:
        response: HTTPResponse = build_opener(_OnlyToHttps).open(request, timeout=timeout)
    except HTTPError as error:
        if have and error.code == _NOT_SATISFIABLE:  # nothing is left to send
            return True
        raise
    with response:
        goes_on = response.status == 206
        expected = response.length
        received = 0
        with part.open("ab" if goes_on else "wb") as file:
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                received += len(chunk)
    return expected is None or received == expected


class _OnlyToHttps(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        _refuse_plain_http(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refuse_plain_http(url: str) -> None:
    address = urlsplit(url)
    if address.scheme != "https" and address.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise DownloadError(f"{url} is not an https address, so anybody on the way could change the data")


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"the server said {error.code} {error.reason}"
    return str(error.reason if isinstance(error, URLError) else error) or type(error).__name__
