"""The page's modules joined into one, for places that take a single module, such as a notebook's widget.

The page is written as small ES modules whose imports are one line each, without cycles. Each becomes a
function that returns its exports, in the order in which they need one another.
"""

import re
from pathlib import Path

from supersparse.show.studio.app import STATIC

_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./([\w-]+)\.js";\s*$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)
_NAMES = re.compile(r"^export (?:async function|function|const|class) (\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def joined_module(folder: Path = STATIC, main: str = "studio") -> str:
    """Return `main` with everything that it imports as one ES module."""
    order: list[str] = []
    texts: dict[str, str] = {}

    def visit(name: str, way: tuple[str, ...]) -> None:
        if name in order:
            return
        if name in way:
            raise ValueError(f"the modules {' and '.join((*way, name))} import each other in a circle")
        texts[name] = (folder / f"{name}.js").read_text(encoding="utf-8")
        for found in _IMPORT.finditer(texts[name]):
            visit(found[2], (*way, name))
        order.append(name)

    visit(main, ())
    parts = [_wrapped(name, texts[name]) for name in order[:-1]]
    return "\n".join([*parts, _IMPORT.sub(_taken, texts[main])])


def _taken(found: re.Match[str]) -> str:
    return f"const {{ {found[1].replace(' as ', ': ')} }} = {_variable(found[2])};"


def _wrapped(name: str, text: str) -> str:
    exports = ", ".join(_NAMES.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    left = _OTHER.search(body)
    if left is not None:
        raise ValueError(f"{name}.js: {left[0]!r} cannot be joined; write one import or export on a line")
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"


def _variable(name: str) -> str:
    return "m_" + name.replace("-", "_")
