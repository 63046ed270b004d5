"""Files written whole or not at all: a full disk, a crash or a kill leaves the old file as it was."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO

_DRAFT = ".new"


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file; text in UTF-8."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def whole_text(path: str | Path) -> Iterator[TextIO]:
    """Open a file for text in UTF-8, lines as they are given, which appears once all of it is written."""
    with whole_file(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file next to the one that is meant, under a name of its own, and put it in place at the end.

    Anything but a regular file, such as /dev/stdout, is written to directly, and so is a file that may be changed
    in a folder that may not. A link keeps leading where it led.
    """
    try:
        with _whole_file(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:  # which names the draft, or nothing
        if error.errno is None or (error.filename is not None and not str(error.filename).endswith(_DRAFT)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def _whole_file(target: Path) -> Iterator[IO[bytes]]:
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", suffix=_DRAFT, dir=target.parent)
    except PermissionError:
        if not os.access(target, os.W_OK):
            raise
        with target.open("wb") as file:
            yield file
        return
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    with suppress(OSError):
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
