"""The stubs of the public names and of what takes declared settings as keywords: `make stubs` writes them.

The types are those of the declarations, as their source has them. Tests compare the stubs with the declarations.
"""

import ast
import builtins
import inspect
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import supersparse
from supersparse.base.schema.setting import Keyword

SOURCE = Path(supersparse.__file__).parent
# the room of a stub `keywords.pyi`, and what it describes
STUBS = {
    "table": ("table.reading.ReadingKeywords",),
    "problem": ("problem.asked.AskedKeywords", "problem.questions.QuestionKeywords"),
    "engine": ("engine.options.SolveKeywords", "engine.options.SolverKeywords"),
    "learn/settings": ("learn.settings.settings.SettingsKeywords",),
    "learn/prepare": ("learn.prepare.prepare.PrepareParameters",),
    "show/estimators": tuple(
        f"show.estimators.parameters.{name}Parameters" for name in ("SLIM", "SLIMCV", "Risk", "RiskCV")
    ),
}
HEAD = '"""Declared settings as keywords, for people, editors and type checkers; written by `make stubs`."""'


def stub(room: str) -> str:
    """Return the text of the stub of a room."""
    imports: set[tuple[str, str]] = set()
    classes = []
    for place in STUBS[room]:
        module, _, name = place.rpartition(".")
        described = getattr(import_module(f"supersparse.{module}"), name)
        is_constructor = "__init__" in vars(described)
        lines = [_line(one, is_constructor, imports) for one in described.__keywords__]
        if is_constructor:
            signature = ["    def __init__(", "        self,", "        *,", *lines, "    ) -> None: ..."]
            classes.append("\n".join([f"class {name}:", *signature]))
        else:
            imports.add(("typing", "TypedDict"))
            classes.append("\n".join([f"class {name}(TypedDict, total=False):", *lines]))
    return "\n".join([HEAD, "", *_imports(imports), "", "\n\n".join(classes), ""])


def _line(one: Keyword, is_parameter: bool, imports: set[tuple[str, str]]) -> str:
    """One keyword with its type; what the type needs is added to the imports."""
    home, name = one.declared.__module__, one.declared.__name__
    module = import_module(f"supersparse.{supersparse._HOMES[name]}" if home == "supersparse" else home)
    tree = ast.parse(inspect.getsource(module))
    annotation = _annotation(tree, one)
    imports |= set(_needed(annotation, tree, module.__name__))
    text = f"{one.name}: {ast.unparse(annotation)}".replace("'", '"')
    return f"        {text} = {_literal(one.default)}," if is_parameter else f"    {text}"


def _annotation(tree: ast.Module, one: Keyword) -> ast.expr:
    """The type of a field, or what it accepts beside that."""
    body = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == one.declared.__name__).body
    fields = (n for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name))
    field = next(n for n in fields if n.target.id == one.name)
    accepts = (k.value for k in field.value.keywords if k.arg == "accepts")
    annotation = next(accepts, field.annotation)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):  # in quotes
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _needed(annotation: ast.expr, tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Where each name of a type comes from."""
    imported = {
        alias.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            yield imported.get(node.id) or module, node.id


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _imports(found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The imports, sorted as ruff has them."""
    modules: dict[str, list[str]] = {}
    for module, name in sorted(found, key=lambda one: (one[1].isidentifier(), one)):
        modules.setdefault(module, []).append(name)
    groups: list[list[str]] = [[], [], []]
    for module in sorted(modules):
        top = module.partition(".")[0]
        group = 2 if top == "supersparse" else 0 if top in sys.stdlib_module_names else 1
        names = ", ".join(sorted(modules[module], key=lambda n: (not n.isupper(), n[0].islower(), n)))
        line = f"from {module} import {names}"
        if len(line) > 120:
            line = f"from {module} import (\n    " + names.replace(", ", ",\n    ") + ",\n)"
        groups[group].append(line)
    blocks = ["\n".join(group) for group in groups if group]
    yield "\n\n".join(blocks)


def public_stub() -> str:
    """Return the text of the stub of the package: every public name, imported from where it lives."""
    homes = {name: f"supersparse.{home}" for name, home in supersparse._HOMES.items()}
    for home in supersparse._MODULES.values():
        room, _, name = f"supersparse.{home}".rpartition(".")
        homes[name] = room
    lines = sorted(f"from {home} import {name} as {name}" for name, home in homes.items())
    head = '"""The public names, for editors and type checkers, which run no `__getattr__`; written by `make stubs`."""'
    return "\n".join([head, "", "from supersparse._version import __version__ as __version__", *lines, ""])


def main() -> None:
    """Write every stub."""
    (SOURCE / "__init__.pyi").write_text(public_stub(), encoding="utf-8")
    for room in STUBS:
        (SOURCE / room / "keywords.pyi").write_text(stub(room), encoding="utf-8")


if __name__ == "__main__":
    main()
