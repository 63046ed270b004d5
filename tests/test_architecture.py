"""The import table of docs/architecture.md, read from the syntax tree: seven wings and their arrows."""

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "supersparse"

# A wing and the wings that it may import, in the order of the data; "" is what stands at the top.
WINGS = {
    "base": (),
    "table": ("base",),
    "card": ("base", "table"),
    "problem": ("base", "table"),
    "engine": ("base", "table", "problem"),
    "learn": ("base", "table", "card", "problem", "engine"),
    "show": ("base", "table", "card", "problem", "engine", "learn"),
}
AT_THE_TOP = {"__init__.py", "__init__.pyi", "__main__.py", "_version.py", "py.typed"}

# Third parties stay at home: package -> the places that may import it.
HOMES = {
    "highspy": ["engine/mip/highs.py", "engine/exact/partition/lp.py"],
    "pyscipopt": ["engine/mip/scip.py"],
    "ortools": [],  # a peer in benchmarks, no solver of the package
    "gurobipy": ["engine/mip/gurobi.py"],
    "cplex": ["engine/mip/cplex.py"],
    "matplotlib": ["show/document"],
    "sklearn": ["show/estimators", "learn", "engine/answers", "card/evaluate"],
    "yaml": ["base/schema/tree.py"],
    "narwhals": ["table", "problem/counts.py", "show/estimators", "show/report/data.py"],
    "xlsxwriter": ["card/export/xlsx.py"],
    "onnx": ["card/export/onnx.py"],
    "skops": ["card/export/estimator.py"],
    "pyarrow": ["table/other_files.py"],
    "duckdb": ["table/duckdb_files.py"],
    "python_calamine": ["table/other_files.py"],
    "pyreadstat": ["table/other_files.py"],
    "typer": ["show/cli"],
    "rich": ["show/cli"],
    "starlette": ["show/studio"],
    "uvicorn": ["show/studio"],
    "anywidget": ["show/studio"],
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


def wing(path):
    """The wing of a file; what stands at the top is of none."""
    first = path.relative_to(SOURCE).parts[0]
    return first if first in WINGS else ""


def wrong_ways(path):
    """What a file imports from wings that its own may not know."""
    home = wing(path)
    for name in imported_modules(path):
        parts = name.split(".")
        if parts[0] == "supersparse" and len(parts) > 1 and parts[1] not in (home, "_version", *WINGS[home]):
            yield name


def test_seven_wings_and_nothing_else_stand_at_the_top():
    there = {p.name for p in SOURCE.iterdir() if p.name != "__pycache__"}
    assert there == {*WINGS, *AT_THE_TOP}


def test_imports_flow_one_way_between_the_wings():
    # what __init__ names for type checkers is checked below, and that it loads nothing as well
    wrong = {path.relative_to(SOURCE).as_posix(): list(wrong_ways(path)) for path in sources() if wing(path)}
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


def module_of(name):
    """The module that an imported name is, or is in; None for one that is not ours."""
    return next((m for m in (name, name.rpartition(".")[0]) if m in files_by_module()), None)


@cache
def files_by_module():
    return {module_name(path): path for path in sources()}


@cache
def imports_on_loading(module):
    """What a module of ours imports when it is loaded: modules of ours, and packages of third parties."""
    ours, strangers = set(), set()
    waiting = list(ast.parse(files_by_module()[module].read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in names_imported(node):
                ours.add(module_of(name))
                strangers |= {name.split(".")[0]} & HOMES.keys()
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef) and not is_for_type_checkers(node):
            waiting += ast.iter_child_nodes(node)
    return {*ours, *packages_of(module)} - {None, "supersparse"}, strangers


def packages_of(module):
    """The packages that a module is in, which are loaded before it."""
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def names_imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def loads_a_third_party(module):
    known, waiting = {module}, [module]
    while waiting:
        ours, strangers = imports_on_loading(waiting.pop())
        if strangers:
            return True
        waiting += ours - known
        known |= ours
    return False


def late_imports(path):
    """Modules of ours that are imported in functions of a file, but for those that load a third party."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = [node for f in functions for node in ast.walk(f) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {module_of(name) for node in inside for name in names_imported(node)} - {None, "supersparse"}
    return sorted(module for module in modules if not loads_a_third_party(module))


def test_imports_of_ours_stand_at_the_top_of_a_file_unless_they_load_a_third_party():
    late = {path.relative_to(SOURCE).as_posix(): late_imports(path) for path in sources() if wing(path)}
    assert {place: names for place, names in late.items() if names} == {}


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
    back_ends = {p.stem for p in (SOURCE / "engine" / "mip").glob("*.py")} & {
        "highs", "scip", "gurobi", "cplex"
    }  # fmt: skip
    for stem in back_ends:
        imported = set(imported_modules(SOURCE / "engine" / "mip" / f"{stem}.py"))
        others = {f"supersparse.engine.mip.{o}" for o in back_ends - {stem}}
        assert not imported & others


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, supersparse; "
        "heavy = ('highspy', 'pyscipopt', 'ortools', 'matplotlib', 'sklearn', 'yaml'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_classifier_is_imported_without_a_solver_and_with_at_most_120_modules():
    code = (
        "import sys; from supersparse import SLIMClassifier; SLIMClassifier(max_features=3).get_params(); "
        "solvers = ('highspy', 'pyscipopt', 'ortools', 'supersparse.engine.solve', 'matplotlib', 'yaml'); "
        "print([m for m in solvers if m in sys.modules], sum(m.startswith('supersparse') for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, count = done.stdout.rsplit(maxsplit=1)
    assert loaded == "[]"
    assert int(count) <= 120


def test_there_is_no_print_outside_the_command_line():
    for path in sources():
        if "show/cli" not in path.as_posix():
            assert "print" not in imports_and_calls(path)[1], path


def test_the_public_names_exist():
    import supersparse

    for name in supersparse.__all__:
        assert getattr(supersparse, name) is not None


@pytest.mark.parametrize("name", ["constraints", "datasets", "errors", "penalties", "theory"])
def test_public_modules_are_the_modules_of_their_wings(name):
    code = (
        f"import supersparse.{name}, supersparse; from supersparse.{name} import *; import sys; "
        "from importlib import import_module; "
        f"home = import_module('supersparse.' + supersparse._MODULES['{name}']); "
        f"assert supersparse.{name} is sys.modules['supersparse.{name}'] is home; "
        "assert home.__spec__.name == home.__name__"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_folder_left_by_an_older_version_does_not_hide_a_public_module(tmp_path):
    shutil.copytree(SOURCE, tmp_path / "supersparse", ignore=shutil.ignore_patterns("__pycache__", "data"))
    (tmp_path / "supersparse" / "errors").mkdir()
    code = "from supersparse import errors; print(errors.InvalidDataError)"
    searched = {**os.environ, "PYTHONPATH": str(tmp_path)}
    # -S: without the finders of an editable installation
    subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, env=searched, check=True)


@pytest.mark.parametrize("name", ["constraints", "penalties"])
def test_public_modules_can_be_imported_and_hold_what_is_documented(name):
    code = (
        f"import supersparse, supersparse.{name}, sys; from supersparse.{name} import *; "
        f"assert supersparse.{name} is sys.modules['supersparse.{name}']"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    import supersparse

    module, page = getattr(supersparse, name), (SOURCE.parents[1] / "docs" / "api.md").read_text("utf-8")
    documented = page.partition(f".. currentmodule:: supersparse.{name}\n")[2].partition(".. currentmodule")[0]
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
    # to renew it: make stubs
    stub = ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    import supersparse

    modules = {name: f"supersparse.{home}" for name, home in supersparse._MODULES.items()}
    names = {name: f"supersparse.{home}.{name}" for name, home in supersparse._HOMES.items()}
    assert seen == {"__version__": "supersparse._version.__version__", **modules, **names}


# Errors of other packages have no fields; everyone else's message is for people, and is not read back.
READS_FOREIGN_MESSAGES = {"engine/mip/cplex.py", "table/duckdb_files.py", "table/other_files.py"}


def reads_a_message(node):
    """Whether a piece of code looks into the text of an error, or cuts it."""
    if isinstance(node, ast.Compare):
        return any(map(is_message, [node.left, *node.comparators]))
    if isinstance(node, ast.Call):
        about = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(map(is_message, about)) or (
            ast.unparse(node.func).startswith("re.") and any(map(is_message, node.args))
        )
    return isinstance(node, ast.Subscript) and is_message(node.value)


def is_message(node):
    return re.fullmatch(r"str\((error|\w+_error)\)|(error|\w+_error)\.args", ast.unparse(node)) is not None


def test_messages_are_for_people_and_nobody_reads_them_back():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if reads_a_message(node)
    }
    assert found <= READS_FOREIGN_MESSAGES


def test_public_classes_say_where_people_import_them_from():
    import supersparse

    classes = [one for name in supersparse.__all__ if isinstance(one := getattr(supersparse, name), type)]
    assert len(classes) > 30
    assert {one.__module__ for one in classes} == {"supersparse"}


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_files_that_a_page_names_exist(page):
    root = SOURCE.parents[1]
    text = re.sub(r"```diff.*?```", "", (root / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    named = set(re.findall(r"`([\w./]+\.(?:py|pyi|js|md|txt))`", text))
    assert len(named) > 5
    known = [
        *SOURCE.rglob("*.*"),
        *(root / "tests").rglob("*.py"),
        *(root / "docs").rglob("*.*"),
        *root.glob("*.md"),
        *root.glob("benchmarks/*.md"),
    ]
    paths = [path.relative_to(root).as_posix() for path in known]
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in paths)] == []


# Tests that are of no room: whole programs against each other, and what stands beside the package.
BESIDE = {"benchmarks", "conformance", "examples", "golden", "paper_study", "robustness"}


def test_the_tests_mirror_the_source():
    tests = Path(__file__).parent
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    rooms = {room for room in rooms if room.parts and room.parts[0] not in BESIDE}
    assert [room for room in rooms if not (SOURCE / room).is_dir()] == []
    assert {room.parts[0] for room in rooms} == {*WINGS}


def test_the_command_line_shows_its_help_without_solvers_and_without_scikit_learn():
    code = (
        "import sys; import supersparse.show.cli.app; "
        "print([m for m in ('highspy', 'pyscipopt', 'matplotlib', 'sklearn', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
