"""Fill the data folder, from the network or from a copy; files are checked before they are stored."""

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener
from zipfile import BadZipFile

from supersparse.base.errors import DownloadError, InvalidDataError, MissingDataError
from supersparse.base.writing import write_file
from supersparse.table.datasets.dataset import decompressed
from supersparse.table.datasets.originals import Original, data_folder

_CHUNK = 1 << 16
_NOT_SATISFIABLE = 416
MOST_BYTES = 2**27
"""No dataset is larger, packed or unpacked."""


def download(url: str, part: Path, *, attempts: int = 3, timeout: float = 30) -> bytes:
    """Download a file and return its content.

    Partial content is kept in the file `part`, so this and later calls can resume if the server supports it.
    The caller deletes it if the content is wrong.
    """
    for attempt in range(attempts):
        try:
            if _receive(url, part, timeout):
                return part.read_bytes()
        except DownloadError:
            raise
        except (HTTPException, OSError) as error:  # URLError is an OSError
            gone = isinstance(error, HTTPError)  # the server answered, so retrying is pointless
            if gone or attempt == attempts - 1 or not part.exists():
                raise DownloadError(f"{url} could not be downloaded: {_reason(error)}") from error
    arrived = part.stat().st_size
    raise DownloadError(
        f"the download of {url} broke off {attempts} times, after {arrived} bytes; try again to resume"
    )


def _receive(url: str, part: Path, timeout: float) -> bool:
    """Append the rest to `part`; True if the file is complete."""
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
                received += len(chunk)
                if have + received > MOST_BYTES:
                    file.truncate(0)
                    raise DownloadError(f"{url} sends more than {MOST_BYTES:,} bytes; no dataset is so large")
                file.write(chunk)
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
        raise DownloadError(f"{url} is not an https address, so the data could be altered in transit")


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"the server said {error.code} {error.reason}"
    return str(error.reason if isinstance(error, URLError) else error) or type(error).__name__


_HELP = "check the network, or copy the file from a folder: supersparse datasets fetch --from FOLDER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The result for one file."""

    path: Path
    how: Literal["already there", "downloaded", "copied"]
    origin: str  # source address or path


def fetch(
    originals: Iterable[Original],
    *,
    folder: Path | None = None,
    copy_from: Path | None = None,
    unchecked: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> list[Fetched]:
    """Store each file in the data folder, unless a correct copy is already there.

    `unchecked` stores a file even if its rows differ from those that this version of the package expects; the
    loaders still check the paper's size.
    """
    place = data_folder() if folder is None else folder
    return [_fetch(original, place, copy_from, unchecked, say) for original in originals]


def _fetch(
    original: Original, folder: Path, copy_from: Path | None, unchecked: bool, say: Callable[[str], None]
) -> Fetched:
    path = folder / original.file
    if path.is_file() and _is_right(original, path.read_bytes()):
        return Fetched(path=path, how="already there", origin=str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    if copy_from is not None:
        found = _find(original, copy_from)
        _store(_checked(original, found.read_bytes(), str(found), unchecked), path)
        return Fetched(path=path, how="copied", origin=str(found))
    # one per address, because the bytes differ between addresses
    parts = {url: path.with_name(f"{path.name}.{number}.part") for number, url in enumerate(original.urls)}
    failures = []
    for url, part in parts.items():
        say(f"{original.file}: {url}")
        try:
            text = _checked(original, download(url, part), url, unchecked)
        except DownloadError as error:
            failures.append(str(error))
        except InvalidDataError as error:
            part.unlink()  # resuming from it would repeat the error
            failures.append(str(error))
        else:
            _store(text, path)
            for done in parts.values():
                done.unlink(missing_ok=True)
            return Fetched(path=path, how="downloaded", origin=url)
    raise DownloadError(f"{'; '.join(failures)}; {_HELP}")


def _find(original: Original, folder: Path) -> Path:
    names = (original.file, *original.names)
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise MissingDataError(f"the folder {str(folder)!r} contains none of {', '.join(names)}")
    return found


def _is_right(original: Original, stored: bytes) -> bool:
    try:
        return hashlib.sha256(decompressed(stored)).hexdigest() == original.sha256
    except (OSError, EOFError, zlib.error):  # a damaged gzip file
        return False


def _checked(original: Original, content: bytes, origin: str, unchecked: bool) -> str:
    """Convert the published file to the stored text, and check it."""
    try:
        text = original.text(content)
    except (BadZipFile, LookupError, ValueError, OSError, EOFError, zlib.error) as error:
        raise InvalidDataError(
            f"{origin} is not the expected file: {error or type(error).__name__}"
        ) from error
    found = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if found != original.sha256 and not unchecked:
        raise InvalidDataError(
            f"the rows of {origin} differ from those expected (SHA-256 {found}, "
            f"expected {original.sha256}); "
            "if the publisher has changed them and you trust the change, store them with --unchecked"
        )
    return text


def _store(text: str, path: Path) -> None:
    """Write the file atomically."""
    content = text.encode("utf-8")
    write_file(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
