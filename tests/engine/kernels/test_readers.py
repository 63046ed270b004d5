"""Readers make no arrays and call nothing that returns one: what they made would never be freed."""

import ast
from pathlib import Path

from supersparse.engine import kernels

_ARRAYS = (
    "Ints", "Floats", "Doubles", "Keys", "Flags", "Names", "Cells", "NDArray", "Data", "Rates", "Grid",
    "Card", "Far", "Moves", "Shapes", "Model",
)  # fmt: skip
_MAKING = {"array", "arange", "append", "concatenate", "empty", "full", "ones", "require", "where", "zeros"}


def _functions():
    for file in sorted(Path(kernels.__file__).parent.glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield file.name, node


def _is_reader(function):
    return any(
        isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id == "reader"
        for d in function.decorator_list
    )


def test_readers_make_no_arrays():
    functions = list(_functions())
    returns = {f.name: ast.unparse(f.returns or ast.Constant(None)) for _, f in functions}
    readers = [(file, f) for file, f in functions if _is_reader(f)]
    assert len(readers) > 20
    for file, function in readers:
        where = f"{file}, {function.name}"
        for node in ast.walk(function):
            if not isinstance(node, ast.Call):
                continue
            is_method = isinstance(node.func, ast.Attribute)
            called = node.func.attr if is_method else getattr(node.func, "id", "")
            of_numpy = is_method and ast.unparse(node.func.value) == "np"
            assert not (of_numpy and (called in _MAKING or called.endswith("_like"))), f"{where}: np.{called}"
            assert not (is_method and called in ("copy", "astype", "tolist")), f"{where}: .{called}()"
            result = returns.get(called, "")
            assert not any(kind in result for kind in _ARRAYS), f"{where}: {called} returns {result}"
