"""The import table of docs/architecture.md, read from the syntax tree."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "supersparse"

# A room imports from those above it in this list, and from no other.
ROOMS = (
    "errors", "_version", "stop", "free_memory", "exact", "integer_arrays", "writing", "forms", "data",
    "card", "problem", "engine", "solving", "certify", "settings", "results",
    "constraints", "penalties", "theory", "evaluate", "explain", "export", "prepare", "faces",
    "learning", "estimators", "datasets", "report", "studio", "cli", "__main__",
)  # fmt: skip
# These stand on less than what is above them: a saved card loads, scores and prints without any solver.
ONLY = {
    "card": {"errors", "exact", "integer_arrays", "writing", "data"},
    "theory": {"errors", "exact", "integer_arrays", "data", "problem"},
    "evaluate": {"errors", "exact", "integer_arrays", "data", "card"},
    "explain": {"errors", "exact", "integer_arrays", "data", "card"},
    "export": {"errors", "exact", "integer_arrays", "writing", "data", "card"},
    "datasets": {"errors", "exact", "integer_arrays", "writing", "data"},
}

# Opened on request, in a function: the one door upwards.
DOORS = {"estimators/base.py": {"studio"}}

# Third parties stay at home: package -> the places that may import it.
HOMES = {
    "highspy": ["solving/mip/highs.py", "solving/exact/partition/lp.py"],
    "pyscipopt": ["solving/mip/scip.py"],
    "ortools": [],  # a peer in benchmarks, no solver of the package
    "gurobipy": ["solving/mip/gurobi.py"],
    "cplex": ["solving/mip/cplex.py"],
    "numba": ["solving/kernels"],
    "matplotlib": ["faces"],
    "sklearn": ["estimators", "learning", "prepare", "results", "evaluate"],
    "yaml": ["forms/tree.py"],
    "xlsxwriter": ["export/xlsx.py"],
    "reportlab": ["report/pdf.py"],
    "onnx": ["export/onnx.py"],
    "skops": ["export/estimator.py"],
    "pyarrow": ["data/parquet.py"],
    "duckdb": ["data/duckdb_files.py"],
    "python_calamine": ["data/workbook.py"],
    "pyreadstat": ["data/statistics_file.py"],
    "typer": ["cli"],
    "rich": ["cli"],
    "starlette": ["studio"],
    "uvicorn": ["studio"],
    "anywidget": ["studio"],
}


def sources():
    return sorted(SOURCE.rglob("*.py"))


@cache
def imports_and_calls(path):
    """The imports of a file and the names of the functions it calls; whole trees would fill the memory."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return imports, {function.id for function in calls if isinstance(function, ast.Name)}


def imported_modules(path):
    """Absolute names imported anywhere in a file, at the top or inside a function."""
    for node in imports_and_calls(path)[0]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            if node.module == "supersparse":
                yield from (f"supersparse.{alias.name}" for alias in node.names)
            else:
                yield node.module


def layer(path):
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def wrong_ways(path):
    """What a file imports from rooms that its own may not know."""
    own = layer(path)
    doors = DOORS.get(path.relative_to(SOURCE).as_posix(), set())
    allowed = ONLY.get(own, set(ROOMS[: ROOMS.index(own)])) | doors
    for name in imported_modules(path):
        parts = name.split(".")
        if parts[0] == "supersparse" and len(parts) > 1 and parts[1] != own and parts[1] not in allowed:
            yield name


def test_imports_flow_one_way():
    # what __init__ names for type checkers is checked below, and that it loads nothing as well
    files = [path for path in sources() if layer(path) != "__init__"]
    assert {layer(path) for path in files} == set(ROOMS)
    wrong = {path.relative_to(SOURCE).as_posix(): list(wrong_ways(path)) for path in files}
    assert {place: names for place, names in wrong.items() if names} == {}


def test_no_two_files_import_each_other_however_long_the_way():
    modules = {module_name(path): path for path in sources()}
    imports = {
        name: {m for m in imported_files(path) if m in modules and m != name}
        for name, path in modules.items()
        if name != "supersparse"
    }
    while True:  # take away what imports nothing that is left
        free = {name for name, needed in imports.items() if not needed & imports.keys()}
        if not free:
            break
        imports = {name: needed for name, needed in imports.items() if name not in free}
    circles = {name: sorted(needed & imports.keys()) for name, needed in imports.items()}
    assert circles == {}


def module_name(path):
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def imported_files(path):
    """Modules of the package that a file imports, at the top, in a function or for type checkers alone."""
    for node in imports_and_calls(path)[0]:
        if isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_third_parties_stay_at_home():
    strangers = []
    for path in sources():
        place = path.relative_to(SOURCE).as_posix()
        for name in imported_modules(path):
            homes = HOMES.get(name.split(".")[0], [place])
            if not any(place == h or place.startswith((h + "/", h + ".py")) for h in homes):
                strangers.append(f"{place} imports {name}")
    assert strangers == []


def test_back_ends_do_not_import_each_other():
    back_ends = {p.stem for p in (SOURCE / "solving" / "mip").glob("*.py")} & {
        "highs", "scip", "gurobi", "cplex"
    }  # fmt: skip
    for stem in back_ends:
        imported = set(imported_modules(SOURCE / "solving" / "mip" / f"{stem}.py"))
        others = {f"supersparse.solving.mip.{o}" for o in back_ends - {stem}}
        assert not imported & others


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, supersparse; "
        "heavy = ('highspy', 'pyscipopt', 'ortools', 'numba', 'matplotlib', 'sklearn', 'yaml'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_there_is_no_print_outside_the_command_line():
    for path in sources():
        if layer(path) != "cli":
            assert "print" not in imports_and_calls(path)[1], path


def test_the_public_names_exist():
    import supersparse

    for name in supersparse.__all__:
        assert getattr(supersparse, name) is not None


@pytest.mark.parametrize("name", ["constraints", "penalties"])
def test_public_modules_can_be_imported_and_hold_what_is_documented(name):
    code = (
        f"import supersparse, supersparse.{name}, sys; from supersparse.{name} import *; "
        f"assert supersparse.{name} is sys.modules['supersparse.{name}']"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    import supersparse

    module, page = getattr(supersparse, name), (SOURCE.parents[1] / "docs" / "api.md").read_text("utf-8")
    documented = page.partition(f".. currentmodule:: supersparse.{name}\n")[2].partition(".. currentmodule")[
        0
    ]
    functions = [n for n in module.__all__ if not isinstance(getattr(module, n), type)]
    assert re.findall(r"autofunction:: (\w+)", documented) != []
    assert set(re.findall(r"autofunction:: (\w+)", documented)) == set(functions)


def test_every_room_has_something_in_it():
    for folder in {p.parent for p in sources()}:
        files = [p for p in folder.glob("*.py") if p.name != "__init__.py"]
        assert files or any(folder.rglob("*/*.py")), f"{folder} is an empty room"
    for path in SOURCE.rglob("__init__.py"):
        assert re.match(r'"""', path.read_text(encoding="utf-8")), f"{path} does not say what its room is"


def test_type_checkers_see_the_public_names_where_they_live():
    text = (SOURCE / "__init__.py").read_text(encoding="utf-8")
    block = next(node for node in ast.parse(text).body if isinstance(node, ast.If))
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    import supersparse

    modules = {name: f"supersparse.{supersparse._HOMES[name]}" for name in supersparse._ROOMS}
    assert seen == {
        name: modules.get(name, f"supersparse.{home}.{name}") for name, home in supersparse._HOMES.items()
    }
