"""Files written whole or not at all: a full disk, a crash or a kill leaves the old file as it was."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write next to the file under a name of its own, then put it in place.

    What is no regular file, such as /dev/stdout, is written to directly, and so is a file that may be changed
    in a folder that may not. A link keeps leading where it led. Text is written in UTF-8.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:80]}.", suffix=".new", dir=target.parent)
    except PermissionError:
        if not os.access(target, os.W_OK):
            raise
        target.write_bytes(data)
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
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
