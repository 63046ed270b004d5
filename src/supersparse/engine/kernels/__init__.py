"""The hot loops, compiled by numba on first use, and nothing else.

Numba keeps compiled code next to the source or in the user's cache folder. Where neither can be written, as in
a container with a read-only file system, it would refuse to compile at all: then the code goes to the folder
for temporary files, in a place that only this user can write, because cached code is run. Where that cannot
be written either, it is not kept (`jit`).
"""

import logging
import os
import stat
import sys
import tempfile
from pathlib import Path


def _give_numba_a_folder() -> None:
    """Name a folder for compiled code, unless one is named or numba finds its own."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    import numba
    from numba.misc.appdirs import AppDirs

    usual = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    if _can_write(Path(__file__).parent / "__pycache__") or _can_write(usual):
        return
    folder = _temporary_folder()
    if folder is None:
        return
    logging.getLogger("supersparse").warning(
        "compiled code goes to %s, since neither %s nor %s can be written; "
        "set NUMBA_CACHE_DIR to a folder that stays, to compile once only",
        folder,
        Path(__file__).parent,
        usual,
    )
    os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(folder)


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _temporary_folder() -> Path | None:
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    try:
        folder = Path(tempfile.gettempdir()) / f"supersparse-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if _is_private(folder) and _can_write(folder):
            return folder
        return Path(tempfile.mkdtemp(prefix="supersparse-"))  # somebody else's: compile anew
    except OSError:
        return None


def _is_private(folder: Path) -> bool:
    """Whether nobody else can put code there."""
    if sys.platform == "win32":
        return True  # the folder for temporary files is the user's own
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


_give_numba_a_folder()
