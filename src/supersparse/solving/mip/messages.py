"""Messages between a process and a solver's child: JSON, then the bytes of the arrays it names.

A message is two lengths, a JSON object, and the arrays, one after another. Reading one makes numbers, texts
and arrays, and runs nothing.
"""

import json
import struct
from dataclasses import dataclass, fields
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from supersparse import errors
from supersparse.errors import InvalidOptionError, SolverFailedError
from supersparse.solving.mip.model import IndicatorRows, LinearRows, Model
from supersparse.solving.mip.run import BoundReport, Outcome, RunSettings
from supersparse.stop import Stop

_LENGTHS = struct.Struct("<QQ")  # of the JSON and of all arrays


@dataclass(frozen=True)
class Order:
    """An order to a child: call ``module:function`` with a model, settings and a talk."""

    target: str
    model: Model
    settings: RunSettings


class StopOrder:
    """Ask the running solve to stop."""


Message = Order | StopOrder | BoundReport | Outcome | Exception
_PARTS = {kind.__name__: kind for kind in (Model, LinearRows, IndicatorRows, RunSettings)}


def write_message(file: IO[bytes], message: Message) -> None:
    """Write one message; raise `InvalidOptionError` for an option that JSON cannot hold."""
    arrays: list[bytes] = []
    try:
        text = json.dumps(_packed(message, arrays)).encode()
    except (TypeError, ValueError) as refused:
        raise InvalidOptionError(f"solver_options: {refused}; give numbers, texts, lists of them") from None
    file.write(_LENGTHS.pack(len(text), sum(map(len, arrays))))
    file.write(text)
    for array in arrays:
        file.write(array)
    file.flush()


def read_message(file: IO[bytes]) -> Message:
    """Read one message; raise `EOFError` at the end, and `ValueError` for what is none."""
    text_length, arrays_length = _LENGTHS.unpack(_exactly(file, _LENGTHS.size))
    packed = json.loads(_exactly(file, text_length))
    return _message(packed, memoryview(_exactly(file, arrays_length)))


def _exactly(file: IO[bytes], length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _packed(message: Message, arrays: list[bytes]) -> dict[str, Any]:
    if isinstance(message, Order):
        return {
            "kind": "Order",
            "target": message.target,
            "model": _part(message.model, arrays),
            "settings": _part(message.settings, arrays),
        }
    if isinstance(message, StopOrder):
        return {"kind": "StopOrder"}
    if isinstance(message, Exception):
        return {"kind": "Exception", "name": type(message).__name__, "text": str(message)}
    values = _part(message.values, arrays)
    found = {"kind": type(message).__name__, "values": values, "bound": message.bound, "nodes": message.nodes}
    if isinstance(message, Outcome):
        found["stop"] = None if message.stop is None else message.stop.name
    return found


def _part(value: Any, arrays: list[bytes]) -> Any:
    if type(value).__name__ in _PARTS:
        own = {field.name: _part(getattr(value, field.name), arrays) for field in fields(value)}
        return {"part": type(value).__name__, "fields": own}
    if isinstance(value, csr_array):
        own = {name: _part(getattr(value, name), arrays) for name in ("data", "indices", "indptr")}
        return {"sparse": list(map(int, value.shape)), **own}
    if isinstance(value, np.ndarray):
        start = sum(map(len, arrays))
        arrays.append(np.ascontiguousarray(value).tobytes())
        return {"array": start, "shape": list(value.shape), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"mapping": {str(name): _part(entry, arrays) for name, entry in value.items()}}
    return value


def _message(packed: dict[str, Any], arrays: memoryview) -> Message:
    kind = packed["kind"]
    if kind == "Order":
        return Order(
            packed["target"], _unpacked(packed["model"], arrays), _unpacked(packed["settings"], arrays)
        )
    if kind == "StopOrder":
        return StopOrder()
    if kind == "Exception":
        known = getattr(errors, packed["name"], None)
        if isinstance(known, type) and issubclass(known, errors.SupersparseError):
            return known(packed["text"])
        return SolverFailedError(f"{packed['name']}: {packed['text']}")
    values: NDArray[np.float64] | None = _unpacked(packed["values"], arrays)
    if kind == "BoundReport":
        return BoundReport(values=values, bound=packed["bound"], nodes=packed["nodes"])
    if kind == "Outcome":
        stop = None if packed["stop"] is None else Stop[packed["stop"]]
        return Outcome(stop=stop, values=values, bound=packed["bound"], nodes=packed["nodes"])
    raise ValueError(f"a message of kind {kind!r}")


def _unpacked(value: Any, arrays: memoryview) -> Any:
    if not isinstance(value, dict):
        return value
    if "part" in value:
        return _PARTS[value["part"]](**{n: _unpacked(v, arrays) for n, v in value["fields"].items()})
    if "sparse" in value:
        data, indices, indptr = (_unpacked(value[name], arrays) for name in ("data", "indices", "indptr"))
        return csr_array((data, indices, indptr), shape=tuple(value["sparse"]))
    if "array" in value:
        dtype = np.dtype(value["dtype"])
        count = int(np.prod(value["shape"], dtype=np.int64))
        return np.frombuffer(arrays, dtype, count, value["array"]).reshape(value["shape"]).copy()
    return {name: _unpacked(entry, arrays) for name, entry in value["mapping"].items()}
