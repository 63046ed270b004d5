"""What a reader sees of a picture or a page: shapes, places, words and numbers as shown, never bytes.

Processors and releases of a plotting library differ in the last bit of a float, and with it in the digits
nobody sees and in the identifiers that are made from them.
"""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import zip_longest

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
COORDINATE = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
REFERENCE = re.compile(r"#([\w.-]+)")
OF_THE_WRITER = {"id", "version"}  # attributes that nobody sees


@dataclass(frozen=True)
class Shape:
    """An element of a picture: its kind, words and style, and the numbers that place it."""

    look: str
    numbers: tuple[float, ...]


def shapes(svg: str) -> list[Shape]:
    """Return the elements in the order in which they are drawn; identifiers are counted, not named.

    A text is one shape, however its letters and its font are written.
    """
    root = ET.fromstring(svg)
    names = dict.fromkeys(name for element in root.iter() if (name := element.get("id")))
    number_of = {name: f"({k})" for k, name in enumerate(names)}
    found = []
    for element in root.iter():
        if _local(element.tag) == "tspan":
            continue
        attributes = {
            _local(key): REFERENCE.sub(lambda m: "#" + number_of.get(m[1], m[1]), value)
            for key, value in sorted(element.attrib.items())
            if _local(key) not in OF_THE_WRITER
        }
        words = element.text or ""
        if _local(element.tag) == "text":
            words = "".join(element.itertext())
            parts = sorted(part.strip() for part in attributes.get("style", "").split(";"))
            attributes["style"] = ";".join(part for part in parts if not part.startswith("font"))
        shown = " ".join(f"{key}={COORDINATE.sub('?', value)}" for key, value in attributes.items())
        placed = [float(n) for value in attributes.values() for n in COORDINATE.findall(value)]
        found.append(Shape(f"<{_local(element.tag)} {shown}> {''.join(words.split())}", tuple(placed)))
    return found


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def assert_same_picture(drawn: str, stored: str, *, within: float = 0.1) -> None:
    """The same elements with the same words and styles, in places that differ by less than one can see."""
    for one, other in zip_longest(shapes(drawn), shapes(stored)):
        assert one is not None, f"not drawn: {other}"
        assert other is not None, f"not stored: {one}"
        assert one.look == other.look
        assert len(one.numbers) == len(other.numbers), one.look
        far = [(a, b) for a, b in zip(one.numbers, other.numbers, strict=True) if abs(a - b) > within]
        assert not far, f"{one.look}: {far}"


def assert_same_text(written: str, stored: str) -> None:
    """Same words, and numbers that differ by one unit of their last shown digit at the most."""
    for k, (one, other) in enumerate(zip_longest(written.splitlines(), stored.splitlines()), start=1):
        assert one is not None, f"line {k} is missing: {other}"
        assert other is not None, f"line {k} is new: {one}"
        assert NUMBER.sub("?", one) == NUMBER.sub("?", other), f"line {k}"
        for a, b in zip(NUMBER.findall(one), NUMBER.findall(other), strict=True):
            assert _near(a, b), f"line {k}: {a} against {b} in {one}"


def _near(one: str, other: str) -> bool:
    """Whole numbers must be equal: they are counts."""
    if one == other:
        return True
    digits = min(_decimals(one), _decimals(other))
    return digits > 0 and abs(float(one) - float(other)) <= 1.001 * 10.0**-digits


def _decimals(number: str) -> int:
    mantissa, _, exponent = number.partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)
