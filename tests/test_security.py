"""No code from data: read from the syntax tree of the package, the checker and the study."""

import ast
from pathlib import Path

import supersparse

SOURCE = Path(supersparse.__file__).parent
REPOSITORY = Path(__file__).parent.parent
CHECKER, STUDY = REPOSITORY / "checker", REPOSITORY / "study"

MODULES = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "pty", "code", "codeop"}
BUILTINS = {"eval", "exec", "compile", "__import__", "input"}
CALLS = {
    "os.system", "os.popen", "os.execv", "os.execve", "os.execvp", "os.spawnl", "os.spawnv", "os.startfile",
    "subprocess.getoutput", "subprocess.getstatusoutput", "tempfile.mktemp", "yaml.load", "yaml.unsafe_load",
    "yaml.full_load", "joblib.load", "numpy.load", "np.load",
}  # fmt: skip


def name_of(function):
    """The dotted name by which a function is called; empty where it is no name."""
    parts = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    return ".".join([function.id, *reversed(parts)]) if isinstance(function, ast.Name) else ""


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
            called = name_of(node.func)
            plain = any(k.arg == "allow_pickle" and ast.unparse(k.value) == "False" for k in node.keywords)
            if called in BUILTINS | CALLS and not plain:
                yield node.lineno, called
            for keyword in node.keywords:
                is_false = isinstance(keyword.value, ast.Constant) and not keyword.value.value
                if keyword.arg in ("shell", "allow_pickle") and not is_false:
                    yield node.lineno, f"{called}({keyword.arg}=...)"


def test_no_file_runs_code_from_data():
    files = [*SOURCE.rglob("*.py"), *CHECKER.rglob("*.py"), *STUDY.rglob("*.py")]
    assert len(files) > 100
    found = {str(path): list(faults(ast.parse(path.read_text(encoding="utf-8")))) for path in files}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_the_search_finds_what_it_looks_for():
    code = "import pickle\nfrom marshal import loads\neval(x)\n"
    code += "subprocess.run(c, shell=True)\nos.system(c)\nnp.load(p)"
    assert [what for _, what in faults(ast.parse(code))] == [
        "pickle", "marshal", "eval", "subprocess.run(shell=...)", "os.system", "np.load"
    ]  # fmt: skip


def test_every_dependency_is_listed_with_its_licence():
    import re
    import tomllib

    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = declared["optional-dependencies"]
    others = {
        "test",
        "test-solvers",
        "test-programs",
        "bench",
        "dev",
        "docs",
        "all",
    }  # for developers, or made of the rest
    wanted = [*declared["dependencies"], *(d for name in groups.keys() - others for d in groups[name])]
    page = (REPOSITORY / "docs" / "licences.md").read_text(encoding="utf-8")
    names = [line.split("|")[1].strip().lower() for line in page.splitlines() if line.startswith("|")]
    listed = {name.replace("_", "-") for name in names}
    assert len(listed) == len(names), "a package is listed twice"
    missing = {re.split(r"[\[<>=~! ]", d)[0].lower() for d in wanted} - listed
    assert missing == set(), "run docs/scripts/licences.py"
