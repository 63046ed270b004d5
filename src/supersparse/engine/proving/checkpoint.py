"""Checkpoint files: JSON after a line with its format and checksum, held by one search at a time.

A file is written next to the old one and then replaces it, so a crash leaves one or the other. It contains a
fingerprint of the problem: damaged files, and files of another problem, are refused.
"""

import hashlib
import json
import re
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from supersparse.base.errors import InvalidOptionError, NotSavedWarning, warn
from supersparse.base.writing import write_file
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.problem import Problem

SAVE_EVERY = 10.0  # seconds between two checkpoints of a search
Read = TypeVar("Read")


class Checkpoint:
    """The file that a search on a problem is saved to and goes on from, if one was asked for."""

    def __init__(self, path: str | PathLike[str] | None, form: str, problem: Problem) -> None:
        self._path = None if path is None else Path(path)
        self._form, self._identity = form, "" if path is None else fingerprint(problem)
        self._saved_at = time.perf_counter()
        self._has_failed = False

    @property
    def is_wanted(self) -> bool:
        return self._path is not None

    @property
    def is_due(self) -> bool:
        return self.is_wanted and time.perf_counter() - self._saved_at > SAVE_EVERY

    def load(self, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        """Read the content that an earlier search has left; None if there is none. Raise for one that does not fit."""
        if self._path is None or not self._path.exists():
            return None
        content = load(self._path, self._form, self._identity)
        try:
            return read(content)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, zlib.error) as error:
            raise malformed(self._path, str(error) or type(error).__name__) from None

    def save(self, content: dict[str, Any]) -> None:
        """Write the content, or warn once that it cannot be written: the search goes on."""
        assert self._path is not None, "a checkpoint is wanted"
        try:
            save(self._path, self._form, self._identity, content)
        except OSError as error:
            if not self._has_failed:
                warn_not_saved(error)
            self._has_failed = True
        self._saved_at = time.perf_counter()

    def remove(self) -> None:
        """Remove the file: nothing is open any more."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def check_place(path: str | PathLike[str] | None) -> None:
    """Refuse a path that cannot be written, before hours of work are lost."""
    if path is None:
        return
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise InvalidOptionError(f"checkpoint {str(path)!r} {what}", "choose a file in an existing folder")


@contextmanager
def locked(path: str | PathLike[str] | None) -> Iterator[None]:
    """Keep other searches off a checkpoint; raise if one holds it. A process that dies lets go of it."""
    if path is None:
        yield
        return
    path = Path(path)
    try:
        import fcntl
    except ImportError:  # Windows: nothing is held, and the last to write wins
        yield
        return
    place = path.with_name(f".{path.name}.lock")
    try:
        file = open(place, "ab")  # noqa: SIM115  # held until the search ends
    except OSError:  # a folder that cannot be written: there will be no checkpoint either
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidOptionError(
                f"checkpoint {str(path)!r} is in use by another search", "choose another file, or wait for it"
            ) from None
        except OSError:  # a file system without locks
            yield
            return
        try:
            yield
        finally:
            with suppress(OSError):
                place.unlink()


def save(path: Path, form: str, identity: str, content: dict[str, Any]) -> None:
    """Write the content of a search on a problem, atomically replacing an older file."""
    body = json.dumps({"problem": identity, **content}).encode()
    write_file(path, f"{form} {hashlib.sha256(body).hexdigest()}\n".encode() + body)


def load(path: Path, form: str, identity: str) -> dict[str, Any]:
    """Read the content of a checkpoint of this problem, or raise with the reason."""
    head, _, body = path.read_bytes().partition(b"\n")
    name, _, checksum = head.decode("utf-8", "replace").rpartition(" ")
    if name != form and re.fullmatch(r"supersparse [a-z ]*checkpoint \d+", name):
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} is not a {form!r} file but a {name!r} one, of another version or another goal",
            "finish that search with the version that began it, or delete the file to start again",
        )
    if name != form:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} is not a {form!r} file", "choose another file, or delete it"
        )
    if hashlib.sha256(body).hexdigest() != checksum:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} is damaged (its checksum is wrong)", "delete it to start again"
        )
    try:
        content: dict[str, Any] = json.loads(body)
        belongs = content["problem"] == identity
    except (ValueError, TypeError, KeyError, RecursionError):
        raise malformed(path, "it is not a checkpoint's JSON") from None
    if not belongs:
        raise InvalidOptionError(
            f"checkpoint {str(path)!r} belongs to another problem (data or settings differ)",
            "choose another file, or delete it to start again",
        )
    return content


def malformed(path: Path, why: str) -> InvalidOptionError:
    """The error for a file with a right checksum that no search has written."""
    return InvalidOptionError(
        f"checkpoint {str(path)!r} was not written by a search ({why[:200]})", "delete it to start again"
    )


def warn_not_saved(error: OSError) -> None:
    """Say that a checkpoint could not be written, and that nothing else is lost."""
    warn(
        f"the checkpoint could not be written ({error}); the search continues, and the earlier one is kept",
        NotSavedWarning,
    )
