"""The file of records: lines of JSON, appended at once, read back whatever happened to the run."""

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from study.records import InSet, Line, Loaded, Machine, Moment, Proof, Record, Shown, Skipped, Wrong
from study.setting import Setting
from supersparse.base.errors import InvalidDataError
from supersparse.base.writing import write_file


def to_line(content: Line) -> str:
    """Write one line of JSON, without its end."""
    fields = {"kind": type(content).__name__, **asdict(content)}
    if isinstance(content, Record):
        fields["setting"] = dict(content.setting.values)
        fields = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def from_line(line: str) -> Line:
    """Read one line; one that is no record, or holds values of other types, raises `ValueError`."""
    try:
        return _checked(_from_line(line))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a record of this version: {error}") from None


def _checked(content: Line) -> Line:
    """Raise `TypeError` unless every value has the type that its class declares."""
    _check(content)
    return content


def _check(content: object) -> None:
    if isinstance(content, tuple):
        for part in content:
            if type(part) not in _PLAIN:
                _check(part)
    elif is_dataclass(content):
        declared: Any = type(content)
        for name, kind, has_type in _declared(declared):
            value = getattr(content, name)
            if not has_type(value):
                raise TypeError(f"{name} is {value!r:.60}, not {getattr(kind, '__name__', kind)}")
            if type(value) not in _PLAIN:
                _check(value)


_PLAIN = (int, float, str, bool, NoneType)


@cache
def _declared(kind: Any) -> list[tuple[str, Any, Callable[[Any], bool]]]:
    """The fields of a class with their types, and what tells whether a value is of that type."""
    return [(name, one, _test_of(one)) for name, one in get_type_hints(kind).items()]


def _test_of(kind: Any) -> Callable[[Any], bool]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        tests = [_test_of(one) for one in inner]
        return lambda value: any(test(value) for test in tests)
    if origin is tuple:
        if len(inner) == 2 and inner[1] is Ellipsis:
            each = _test_of(inner[0])
            return lambda value: isinstance(value, tuple) and all(map(each, value))
        tests = [_test_of(one) for one in inner]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(tests)
            and all(test(part) for test, part in zip(tests, value, strict=True))
        )
    if kind is float:
        return lambda value: type(value) in (int, float)
    if kind in (int, str, bool, NoneType):
        return lambda value: type(value) is kind
    return lambda value: not isinstance(kind, type) or isinstance(value, kind)


def _from_line(line: str) -> Line:
    fields = json.loads(line)
    kind = fields.pop("kind")
    if kind == "Skipped":
        return Skipped(**fields)
    if kind == "Loaded":
        return Loaded(**fields)
    if kind == "Shown":
        return Shown(**{**fields, "train": Wrong(**fields["train"]), "test": Wrong(**fields["test"])})
    if kind == "Machine":
        return Machine(**{**fields, "versions": tuple(map(tuple, fields["versions"]))})
    if kind != "Record":
        raise ValueError(f"there is no kind of line {kind!r}")
    return Record(**{**fields, **_parts(fields)})


def _parts(fields: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: Wrong(**fields[name]) for name in ("train", "test")}
    if fields.get("in_set") is not None:
        found["in_set"] = InSet(**fields["in_set"])
    proof = fields.get("proof")
    if proof is not None:
        own = {
            "coefficients": tuple(map(tuple, proof["coefficients"])),
            "history": tuple(Moment(**moment) for moment in proof["history"]),
        }
        proof = Proof(**{**proof, **own})
    return {**found, "proof": proof, "setting": Setting(tuple(fields["setting"].items()))}


def read_records(path: Path) -> list[Line]:
    """Read a file of records, plain or compressed.

    A last line that a killed run left unfinished is left out; damage elsewhere is an error.
    """
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidDataError(f"no records can be read from {str(path)!r}: {error}") from None
    lines = text.decode("utf-8", errors="replace").split("\n")
    found = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            found.append(from_line(line))
        except ValueError as error:
            raise InvalidDataError(f"{path}, line {number}: {error}; remove the line, and run again") from None
    return found


def append_records(path: Path, lines: Iterable[Line]) -> None:
    """Append whole lines and let them reach the disk; cut off what a killed run left unfinished."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(to_line(line) + "\n" for line in lines).encode("utf-8")
    with path.open("ab+") as file:
        _cut_unfinished(file)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _cut_unfinished(file: Any) -> None:
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            file.truncate(start + newline + 1)
            return
        end = start
    file.truncate(0)


def store(paths: Iterable[Path], stored: Path) -> None:
    """Merge and compress files of records; the same records give the same bytes.

    Of a fit that is in several files the record of the last one is kept.
    """
    lines = [line for path in paths for line in read_records(path)]
    text = "".join(to_line(line) + "\n" for line in in_order(lines))
    stored.parent.mkdir(parents=True, exist_ok=True)
    write_file(stored, gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))


def in_order(lines: Iterable[Line]) -> Iterator[Line]:
    """Machines first, each once, then what is still left out, then the rest, whatever order they came in."""
    lines = list(lines)
    yield from dict.fromkeys(line for line in lines if isinstance(line, Machine))
    records = {line.key: line for line in lines if isinstance(line, Record)}
    done = {
        place
        for r in records.values()
        for place in ((r.dataset, "", ""), (r.dataset, r.method, ""), (r.dataset, r.method, r.split))
    }
    skipped = {(s.dataset, s.method, s.split): s for s in lines if isinstance(s, Skipped)}
    yield from (skipped[place] for place in sorted(skipped) if place not in done)
    tables = {line.dataset: line for line in lines if isinstance(line, Loaded)}
    yield from (tables[name] for name in sorted(tables))
    shown = {(s.application, s.model): s for s in lines if isinstance(s, Shown)}
    yield from shown.values()
    yield from sorted(
        records.values(), key=lambda r: (r.dataset, r.method, r.split, [str(v) for v in r.setting.values])
    )
