"""No code from data: read from the syntax tree of the package."""

import ast
from pathlib import Path

import pytest

import supersparse

SOURCE = Path(supersparse.__file__).parent
REPOSITORY = Path(__file__).parent.parent

MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "pty",
    "code",
    "codeop",
}
BUILTINS = {"eval", "exec", "compile", "__import__", "input"}
CALLS = {
    "os.system", "os.popen", "os.execv", "os.execve", "os.execvp", "os.spawnl", "os.spawnv", "os.startfile",
    "subprocess.getoutput", "subprocess.getstatusoutput", "tempfile.mktemp", "yaml.load", "yaml.unsafe_load",
    "yaml.full_load", "joblib.load", "numpy.load", "np.load",
}  # fmt: skip
# Messages between a process and the child that it started itself, through a pipe that nobody else holds: no
# file and no network is involved. SECURITY.md says so.
EXCEPT = {("solving/mip/child.py", "pickle")}


def faults(tree):
    """What a file must not do, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in MODULES:
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module.split(".")[0] in MODULES:
                yield node.lineno, node.module
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in BUILTINS | CALLS:
                yield node.lineno, called
            for keyword in node.keywords:
                is_false = isinstance(keyword.value, ast.Constant) and not keyword.value.value
                if keyword.arg in ("shell", "allow_pickle") and not is_false:
                    yield node.lineno, f"{called}({keyword.arg}=...)"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_a_file_runs_no_code_from_data(path):
    name = path.relative_to(SOURCE).as_posix()
    found = [(line, what) for line, what in faults(ast.parse(path.read_text(encoding="utf-8")))]
    assert [(line, what) for line, what in found if (name, what) not in EXCEPT] == []


def test_the_search_finds_what_it_looks_for():
    code = "import pickle\nfrom marshal import loads\neval(x)\n"
    code += "subprocess.run(c, shell=True)\nos.system(c)\nnp.load(p)"
    assert [what for _, what in faults(ast.parse(code))] == [
        "pickle", "marshal", "eval", "subprocess.run(shell=...)", "os.system", "np.load"
    ]  # fmt: skip


def test_exceptions_are_used_and_explained():
    for name, what in EXCEPT:
        assert what in [found for _, found in faults(ast.parse((SOURCE / name).read_text(encoding="utf-8")))]
        assert name in (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")


def test_every_dependency_is_listed_with_its_licence():
    import re
    import tomllib

    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = declared["optional-dependencies"]
    wanted = [
        *declared["dependencies"],
        *(d for name in ("scip", "cpsat", "gurobi", "cplex") for d in groups[name]),
    ]
    wanted += [
        d for name in ("plot", "pdf", "export", "parquet", "excel", "statistics") for d in groups[name]
    ]
    page = (REPOSITORY / "docs" / "licences.md").read_text(encoding="utf-8")
    listed = {line.split("|")[1].strip().lower() for line in page.splitlines() if line.startswith("|")}
    missing = {re.split(r"[\[<>=~! ]", d)[0].lower() for d in wanted} - listed
    assert missing == set(), "run docs/scripts/licences.py"
