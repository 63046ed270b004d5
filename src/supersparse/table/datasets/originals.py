"""Files that are not bundled: their addresses, checksums and folder."""

import io
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from supersparse.base.errors import InvalidDataError, MissingDataError
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
        found = [entry for entry in archive.namelist() if entry.rsplit("/", 1)[-1] == name]
        if not found:
            raise InvalidDataError(
                f"the archive does not contain {name!r}, only {', '.join(archive.namelist())}"
            )
        return archive.read(found[0])


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
RECIDIVISM = Original(
    file="raw/compas-scores-two-years.csv.gz",
    urls=(f"{_PROPUBLICA}/compas-scores-two-years.csv",),
    names=("compas-scores-two-years.csv",),
    text=recidivism_text,
    sha256="d180e410066da845eceb452417fbf8b119633f05526bcb29ef2c5b546d8946c5",
)
RECIDIVISM_VIOLENT = Original(
    file="raw/compas-scores-two-years-violent.csv.gz",
    urls=(f"{_PROPUBLICA}/compas-scores-two-years-violent.csv",),
    names=("compas-scores-two-years-violent.csv",),
    text=recidivism_text,
    sha256="e226ab4c01e0998d1cca94e1a2bfb8a2f3482362f6021ab863da9bf78cab1edc",
)


VARIABLE = "SUPERSPARSE_DATA"


def data_folder() -> Path:
    """Return the folder in ``SUPERSPARSE_DATA``, or one in the user's cache."""
    given = os.environ.get(VARIABLE)
    return Path(given).expanduser() if given else _user_cache() / "supersparse" / "data"


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
            f"{original.file} is not in the data folder {str(place)!r}; download it with "
            f"'supersparse datasets fetch', or set the environment variable {VARIABLE} to the folder "
            "that contains it"
        )
    return decompressed(path.read_bytes()).decode("utf-8")
