"""Kernels return no array of a tuple that they get by its address: it would have no owner."""

import ast
from pathlib import Path

import pytest

from supersparse.engine import kernels

_NUMBERS = {"int", "float", "bool"}


def _decorated(tree, by):
    """The definitions with this decorator, called or not."""
    for node in tree.body:
        for decorator in getattr(node, "decorator_list", ()):
            name = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(name, ast.Name) and name.id == by:
                yield node


def _kinds_of(returns):
    """The types of what is returned, one by one."""
    if isinstance(returns, ast.Subscript) and ast.unparse(returns.value) == "tuple":
        return [ast.unparse(kind) for kind in returns.slice.elts]
    return [ast.unparse(returns)]


def _returned_parts(function, kinds):
    """What a function returns of its parameters of these kinds, also by another name."""
    parameters = function.args.args
    of = {p.arg for p in parameters if p.annotation is not None and ast.unparse(p.annotation) in kinds}

    def is_part(value):
        if isinstance(value, ast.Subscript):  # a row is a part as well; a number is none, but is seldom returned
            value = value.value
        if isinstance(value, ast.Name):
            return value.id in aliases
        while isinstance(value, ast.Attribute):
            value = value.value
            if isinstance(value, ast.Name) and value.id in of:
                return True
        return False

    aliases = set(of)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                aliases |= {t.id for t, v in pairs if isinstance(t, ast.Name) and is_part(v)}
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value, kind in zip(values, _kinds_of(function.returns), strict=False):
                if kind not in _NUMBERS and is_part(value):
                    yield ast.unparse(value)


def test_kernels_return_no_part_of_a_reference():
    trees = {
        file.name: ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(Path(kernels.__file__).parent.glob("*.py"))
    }
    kinds = {node.name for tree in trees.values() for node in _decorated(tree, "by_reference")}
    found = [(file, node) for file, tree in trees.items() for node in _decorated(tree, "kernel")]
    assert len(kinds) > 15
    assert len(found) > 30
    for file, function in found:
        assert list(_returned_parts(function, kinds)) == [], f"{file}, {function.name}"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("Ints", "return state.part"),
        ("tuple[int, Ints]", "return 1, state.part[0]"),
        ("tuple[int, Ints]", "own, n = state.part, 1\n    return n, own"),
    ],
)
def test_such_a_part_is_noticed(kind, body):
    tree = ast.parse(f"@kernel(nogil=True)\ndef work(state: SliceState, n: int) -> {kind}:\n    {body}")
    (function,) = _decorated(tree, "kernel")
    assert list(_returned_parts(function, {"SliceState"}))
