"""The data folder: what is fetched is kept here and read from here."""

import os
import sys
from pathlib import Path

from supersparse.datasets.originals import Original
from supersparse.datasets.reading import decompressed
from supersparse.errors import MissingDataError

VARIABLE = "SUPERSPARSE_DATA"


def data_folder() -> Path:
    """Return the folder that ``SUPERSPARSE_DATA`` names, else one in the user's cache."""
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
            f"{original.file} is not in the data folder {str(place)!r}; get it with "
            f"'supersparse datasets fetch', or let the environment variable {VARIABLE} name the folder "
            "that holds it"
        )
    return decompressed(path.read_bytes()).decode("utf-8")
