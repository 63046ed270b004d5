"""Original files of data sets that are not bundled: where they are looked for, how they are fetched.

A file is checked before it is stored, whether it comes from the network or from a copy.
"""

import gzip
import hashlib
import io
import os
import sys
import zipfile
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
from supersparse.table.datasets.dataset import MISSING, cells, decompressed

_UCI = "https://archive.ics.uci.edu"
_IMPUTED = (
    "RoundShape", "OvalShape", "LobularShape", "IrregularShape",
    "CircumscribedMargin", "MicrolobulatedMargin", "ObscuredMargin", "IllDefinedMargin", "SpiculatedMargin",
    "Density", "Age_lt_30", "Age_geq_30", "Age_geq_45", "Age_geq_60",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A published file; `names` are other file names that a copy may have."""

    file: str  # path in the data folder; compressed if it ends in .gz
    urls: tuple[str, ...]  # tried in this order
    names: tuple[str, ...]
    text: Callable[[bytes], str]  # converts the published bytes to the stored text
    sha256: str  # of the stored text


def mammography_text(content: bytes) -> str:
    """Add a header to ``mammographic_masses.data``."""
    header = "BIRADS,Age,Shape,Margin,Density,Severity"
    text = _member(content, "mammographic_masses.data").decode("latin-1")
    rows = [",".join(_trimmed(line)) for line in text.splitlines() if line.strip()]
    return _csv(header, rows[1:] if rows[:1] == [header] else rows)


def imputed_mammography_text(content: bytes) -> str:
    """Read the authors' release: the first column is the label, the others are found by name."""
    table = cells(decompressed(content).decode("utf-8-sig"))
    target = ["1" if cell == "1" else "0" for cell in next(iter(table.values()))]
    rows = zip(target, *(table[name] for name in _IMPUTED), strict=True)
    return _csv(",".join(["target", *_IMPUTED]), [",".join(row) for row in rows])


def internet_ads_text(content: bytes) -> str:
    """Join ``ad.data`` with the feature names of ``ad.names``."""
    if not content.startswith(b"PK"):
        return decompressed(content).decode("utf-8")  # already the stored text; its checksum decides
    described = _member(content, "ad.names").decode("latin-1").splitlines()
    names = [line.rsplit(":", 1)[0].strip() for line in described if ":" in line and not line.startswith("|")]
    rows = []
    for line in _member(content, "ad.data").decode("latin-1").splitlines():
        *values, label = _trimmed(line)
        rows.append(",".join([*values, label.rstrip(".")]))
    return _csv(",".join([*names, "Class"]), rows)


def recidivism_text(content: bytes) -> str:
    """The published text with line feeds, whatever line ends a copy has."""
    return decompressed(content).decode("utf-8", errors="replace").replace("\r\n", "\n")


def _member(content: bytes, name: str) -> bytes:
    """Extract a file from an archive; other data are returned unchanged."""
    if not content.startswith(b"PK"):
        return decompressed(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [entry for entry in archive.namelist() if entry.rsplit("/", 1)[-1] == name]
        if not entries:
            raise InvalidDataError(f"the archive does not contain {name!r}, only {', '.join(archive.namelist())}")
        return archive.read(entries[0])


def _trimmed(line: str) -> list[str]:
    return [cell.strip() or MISSING for cell in line.split(",")]


def _csv(header: str, rows: list[str]) -> str:
    return "\n".join([header, *rows]) + "\n"


MAMMOGRAPHY = Original(
    file="raw/mammo_raw.csv",
    urls=(
        f"{_UCI}/static/public/161/mammographic+mass.zip",
        f"{_UCI}/ml/machine-learning-databases/mammographic-masses/mammographic_masses.data",
    ),
    names=("mammo_raw.csv", "mammographic_masses.data", "mammographic+mass.zip"),
    text=mammography_text,
    sha256="40ec97f2a5d328e0cf4aad81a1a2450d9380d28c338c80c3ebcb978d9cb21d87",
)
MAMMOGRAPHY_IMPUTED = Original(
    file="mammo_p15.csv",
    urls=("https://raw.githubusercontent.com/ustunb/slim-python/HEAD/data/mammo_processed.csv",),
    names=("mammo_processed.csv",),
    text=imputed_mammography_text,
    sha256="6f13450ebf225d04dac3de25647c5f0df2b1cd7f78fcf7984f55800b935708ef",
)
INTERNET_ADS = Original(
    file="raw/internetad_raw.csv.gz",
    urls=(
        f"{_UCI}/static/public/51/internet+advertisements.zip",
        f"{_UCI}/ml/machine-learning-databases/internet_ads/ad-dataset.zip",
    ),
    names=("internetad_raw.csv.gz", "internet+advertisements.zip", "ad-dataset.zip"),
    text=internet_ads_text,
    sha256="a5805d70f4de7174a733aa726736eba434ad3571984c950505cff8cedb51d5b8",
)


_PROPUBLICA = "https://raw.githubusercontent.com/propublica/compas-analysis/HEAD"


def _recidivism(name: str, sha256: str) -> Original:
    urls = (f"{_PROPUBLICA}/{name}",)
    return Original(file=f"raw/{name}.gz", urls=urls, names=(name,), text=recidivism_text, sha256=sha256)


RECIDIVISM = _recidivism(
    "compas-scores-two-years.csv", "d180e410066da845eceb452417fbf8b119633f05526bcb29ef2c5b546d8946c5"
)
RECIDIVISM_VIOLENT = _recidivism(
    "compas-scores-two-years-violent.csv", "e226ab4c01e0998d1cca94e1a2bfb8a2f3482362f6021ab863da9bf78cab1edc"
)


VARIABLE = "SUPERSPARSE_DATA"


def data_folder() -> Path:
    """Return the folder in ``SUPERSPARSE_DATA``, or one in the user's cache."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else _user_cache() / "supersparse" / "data"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def stored_text(original: Original, folder: Path | None = None) -> str:
    """Read the text of a published file from the data folder."""
    place = data_folder() if folder is None else folder
    path = place / original.file
    if not path.is_file():
        raise MissingDataError(
            f"{original.file} is not in the data folder {str(place)!r}",
            (
                "download it with 'supersparse datasets fetch', or set the environment variable "
                f"{VARIABLE} to the folder that contains it"
            ),
        )
    return decompressed(path.read_bytes()).decode("utf-8")


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
        f"the download of {url} broke off {attempts} times, after {arrived} bytes", "try again to resume"
    )


def _receive(url: str, part: Path, timeout: float) -> bool:
    """Append the rest to `part`; True if the file is complete."""
    _refuse_plain_http(url)
    have = part.stat().st_size if part.exists() else 0
    request = Request(url, headers={"User-Agent": "supersparse"} | ({"Range": f"bytes={have}-"} if have else {}))
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
                    raise DownloadError(f"{url} sends more than {MOST_BYTES:,} bytes", "no dataset is so large")
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
        source = _find(original, copy_from)
        _store(_checked(original, source.read_bytes(), str(source), unchecked), path)
        return Fetched(path=path, how="copied", origin=str(source))
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
    raise DownloadError(f"{'; '.join(failures)}", _HELP)


def _find(original: Original, folder: Path) -> Path:
    names = (original.file, *original.names)
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise MissingDataError(f"the folder {str(folder)!r} contains none of {', '.join(names)}")
    return path


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
        raise InvalidDataError(f"{origin} is not the expected file: {error or type(error).__name__}") from error
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if digest != original.sha256 and not unchecked:
        raise InvalidDataError(
            f"the rows of {origin} differ from those expected (SHA-256 {digest}, expected {original.sha256})",
            "if the publisher has changed them and you trust the change, store them with --unchecked",
        )
    return text


def _store(text: str, path: Path) -> None:
    content = text.encode("utf-8")
    write_file(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
