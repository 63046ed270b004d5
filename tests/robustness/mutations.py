"""Mutations of good files, as disks, editors, people and attackers make them."""

import json
from copy import deepcopy
from random import Random
from typing import Any

WORDS = [
    b"", b"0", b"-1", b"1e309", b"9" * 30, b"null", b'"', b",", b"\n", b"\x00", b"\xff", b"[", b"{", b":",
    b"1/0", b"~", b"!!python/object:os.system", b"&a", b"*a", b"nan", b"-inf", b"\xef\xbb\xbf", b"\r", b";",
    b"=1+1", b"\xed\xa0\x80", b"1_0", b"0x10", b"\xd9\xa3", b"true", b"9999999999", b"1e999999999",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf"),
    "", "a", "1/0", "nan", "1e999", "\ud800", "../x", [], [None], [[]], {}, {"a": None},
    "9" * 5000, "1e999999999", "1/3", "-1e-999999999",
]  # fmt: skip


def mutated(data: bytes, draw: Random) -> bytes:
    """Change bytes: flip bits, insert, delete, replace, copy, cut off."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at = draw.randrange(len(found) + 1)
        kind = draw.randrange(6)
        if kind == 0 and found:
            found[at % len(found)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            found[at:at] = draw.choice(WORDS)
        elif kind == 2:
            del found[at : at + draw.randrange(1, 12)]
        elif kind == 3:
            found[at : at + 1] = draw.choice(WORDS)
        elif kind == 4:
            start = draw.randrange(len(found) + 1)
            found[at:at] = found[start : start + draw.randrange(1, 40)]
        else:
            del found[at:]
    return bytes(found)


def mutated_json(data: bytes, draw: Random) -> bytes:
    """Change what a JSON file says, and leave it JSON: another value, a missing one, one too many."""
    holder = [json.loads(data)]
    for _ in range(draw.choice((1, 1, 2, 4))):
        places = list(_places(holder))
        where, key = draw.choice(places[1:] or places)
        kind = draw.randrange(4)
        if kind == 0:
            del where[key]
        elif kind == 1 and isinstance(where, dict):
            where[draw.choice(["", "x", "points", "kind", "0"])] = deepcopy(draw.choice(VALUES))
        elif kind == 2 and isinstance(where[key], int) and not isinstance(where[key], bool):
            where[key] += draw.choice((-1, 1, 2**31, -(2**63)))
        else:
            where[key] = deepcopy(draw.choice(VALUES))
        if not holder:
            return b""
    return json.dumps(holder[0]).encode("utf-8", "replace")


def _places(content: Any):
    for key in content if isinstance(content, dict) else range(len(content)):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])
