"""Arrays as bytes: how a problem travels to workers, which know it by its digest."""

import hashlib
import json
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

_MOST_KNOWN = 4  # problems that a worker remembers
Read = TypeVar("Read")
Fields = TypeVar("Fields", bound=tuple[Any, ...])


def as_bytes(values: Iterable[Any]) -> bytes:
    """Arrays and numbers as bytes: a line of JSON with shapes, then all of them."""
    arrays = [np.asarray(value) for value in values]
    head = json.dumps([(array.dtype.str, array.shape) for array in arrays]).encode()
    return b"\n".join([head, b"".join(array.tobytes() for array in arrays)])


def packed(values: Iterable[Any]) -> tuple[str, bytes]:
    """Return the digest of arrays and numbers, and them as bytes."""
    content = as_bytes(values)
    return hashlib.sha256(content).hexdigest(), content


def unpacked(content: bytes) -> Iterator[Any]:
    """Yield the arrays and numbers again."""
    head, _, body = content.partition(b"\n")
    at = 0
    for kind, shape in json.loads(head):
        array = np.frombuffer(body, kind, math.prod(shape), at).reshape(shape).copy()
        at += array.nbytes
        yield array if array.ndim else array.item()


def fields_of(kind: type[Fields], values: Iterator[Any]) -> Fields:
    """Fill a named tuple with the next values."""
    return kind(*(next(values) for _ in kind._fields))  # type: ignore[attr-defined]


class Known(Generic[Read]):
    """What a worker remembers of the last few problems."""

    def __init__(self, read: Callable[[Iterator[Any]], Read]) -> None:
        self._read = read
        self._known: dict[str, Read] = {}
        self._lock = threading.Lock()

    def get(self, digest: str, content: bytes | None) -> Read | None:
        """Return what is known by a digest, or read it; None where that is not known here and not given."""
        with self._lock:
            known = self._known.get(digest)
            if known is None and content is not None:
                known = self._known[digest] = self._read(unpacked(content))
                while len(self._known) > _MOST_KNOWN:
                    del self._known[next(iter(self._known))]
            return known
