"""Whether a file is whole: read by its own reader, or the same as in a run that nobody stopped."""

import ast
import gzip
import hashlib
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree


def check_whole(path: Path, reference: Path) -> None:
    """Raise AssertionError if a file is half-written."""
    data = path.read_bytes()
    check = _CHECKS.get(path.suffix)
    if check is not None:
        check(data)
    elif data.startswith(b"supersparse checkpoint"):
        _tree(data)
    else:
        same = _without_numbers(data) == _without_numbers(reference.read_bytes())  # some tell a time
        assert same, f"{path.name} is neither the old nor the new one"


def _without_numbers(data: bytes) -> bytes:
    return re.sub(rb"[\d.]+|\s+", b"", data)


def _json(data: bytes) -> None:
    content = json.loads(data)
    if isinstance(content, dict) and "digest" in content:
        from supersparse.card.file import from_json

        from_json(data.decode())


def _tree(data: bytes) -> None:
    head, _, body = data.partition(b"\n")
    assert head.decode().rpartition(" ")[2] == hashlib.sha256(body).hexdigest()


def _zip(data: bytes) -> None:
    import io

    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


def _ends(end: bytes):
    def check(data: bytes) -> None:
        assert data.rstrip().endswith(end), f"ends with {data[-40:]!r}"

    return check


def _records(data: bytes) -> None:
    from study.record_file import from_line

    for line in data.split(b"\n")[:-1]:  # an unfinished line has no end
        from_line(line.decode())


_CHECKS = {
    ".json": _json,
    ".tree": _tree,
    ".html": _ends(b"</html>"),
    ".pdf": _ends(b"%%EOF"),
    ".png": _ends(b"IEND\xaeB`\x82"),
    ".svg": lambda data: ElementTree.fromstring(data.decode()),
    ".pmml": lambda data: ElementTree.fromstring(data.decode()),
    ".xlsx": _zip,
    ".skops": _zip,
    ".py": lambda data: ast.parse(data),
    ".gz": gzip.decompress,
    ".jsonl": _records,
}
