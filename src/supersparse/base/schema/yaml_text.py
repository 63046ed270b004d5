"""Plain values -> YAML text that YAML 1.1 and 1.2 read alike.

Short parts stand on one line, long ones and lists of mappings below each other. Text is
written in quotes wherever some reader might take it for anything else (``no``, ``1e-3``, ``~``).
"""

import re
from collections.abc import Mapping, Sequence

from supersparse.base.schema.scalars import Plain

_WIDTH = 100
_PLAIN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+)*|-?\d+\.\.-?\d+")
_TAKEN = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def yaml_text(content: Mapping[str, Plain]) -> str:
    """Write a document.

    >>> print(yaml_text({"C0": 0.01, "constraints": [{"at_most": 2, "of": "age*"}]}), end="")
    C0: 0.01
    constraints:
      - at_most: 2
        of: "age*"
    """
    return "\n".join(_entries(content, 0) if content else ["{}"]) + "\n"


def _entries(content: Mapping[str, Plain], indent: int) -> list[str]:
    lines = []
    for key, value in content.items():
        lines += _after(f"{' ' * indent}{_scalar(key)}:", value, indent + 2)
    return lines


def _after(head: str, value: Plain, indent: int) -> list[str]:
    """The lines of a value that stands after a key."""
    line = f"{head} {_flow(value)}"
    if not isinstance(value, list | dict) or (len(line) <= _WIDTH and not _holds_mappings(value)):
        return [line]
    if isinstance(value, dict):
        return [head, *_entries(value, indent)]
    if _holds_mappings(value):
        return [head, *(line for item in value for line in _item(item, indent))]
    return _wrapped(head, value, indent)


def _item(item: Plain, indent: int) -> list[str]:
    """The lines of one entry of a list of mappings."""
    assert isinstance(item, dict), "lists hold scalars only or mappings only"
    first, *others = _entries(item, indent + 2)
    return [f"{' ' * indent}- {first.lstrip()}", *others]


def _wrapped(head: str, values: Sequence[Plain], indent: int) -> list[str]:
    """A long list of scalars in brackets, over several lines."""
    lines, line = [], f"{head} ["
    for i, value in enumerate(values):
        part = _flow(value) + ("]" if i == len(values) - 1 else ",")
        if len(line) + len(part) >= _WIDTH:
            lines.append(line.rstrip())
            line = " " * indent
        line += part + " "
    return [*lines, line.rstrip()]


def _holds_mappings(value: Plain) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _flow(value: Plain) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(key)}: {_flow(v)}' for key, v in value.items())}}}"
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, str):
        is_plain = _PLAIN_TEXT.fullmatch(value) and value.lower() not in _TAKEN
        return value if is_plain else f'"{"".join(map(_escaped, value))}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")  # YAML 1.1 takes 1e-07 for text
    return text


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    return f"\\U{ord(character):08x}"
