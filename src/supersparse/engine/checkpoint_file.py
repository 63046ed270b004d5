"""Checkpoint files: JSON after a line with its format and checksum, held by one search at a time.

A file is written next to the old one and then replaces it, so a crash leaves one or the other. It contains a
fingerprint of the problem: damaged files, and files of another problem, are refused.
"""

import hashlib
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from supersparse.base.errors import InvalidOptionError, NotSavedWarning, users_level
from supersparse.base.writing import write_file


def check_place(path: Path) -> None:
    """Refuse a path that cannot be written, before hours of work are lost."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise InvalidOptionError(f"checkpoint {str(path)!r} {what}", "choose a file in an existing folder")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other searches off a checkpoint; raise if one holds it. A process that dies lets go of it."""
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
    warnings.warn(
        f"the checkpoint could not be written ({error}); the search continues, and the earlier one is kept",
        NotSavedWarning,
        stacklevel=users_level(),
    )
