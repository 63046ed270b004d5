"""Settings of all tests."""

import gc
import io
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from typer.main import get_command

from programs import browsers, is_installed

TESTS = Path(__file__).parent

# The same examples in every run, and no test that fails because a machine is busy; `make test-long` asks for
# the profile "long".
for name, examples in (("quick", 7), ("long", 100)):
    settings.register_profile(
        name, deadline=None, derandomize=True, database=None, max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
settings.load_profile("quick")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected stays to the end: garbage collection need not look at it each time.

    It is not frozen: hypothesis up to 6.100 looks for what refers to the generators of random numbers, and
    does not find what is.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


# Two workers begin at the start and in the middle of the list (xdist calls that "worksteal"). What solves
# comes first.
ORDER = (
    "engine", "conformance", "paper_study", "examples", "show", "learn",
    "test_docs.py", "test_site.py", "all others", "card",
)  # fmt: skip


# What a run leaves out by its marks, and which command runs it; the first that fits counts.
LEFT_OUT = {
    "shared_data": "read ../shared, which stands beside a development checkout, or fetched data",
    "solver": "want gurobipy or cplex: make test-solvers",
    "program": "want Chromium, node, Java, LaTeX or LibreOffice: make test-programs",
    "long": "take minutes: make test-long",
}
LICENSED = ("gurobi", "cplex")


def pytest_collection_modifyitems(items):
    def place(item):
        part = item.path.relative_to(TESTS).parts[0]
        return ORDER.index(part if part in ORDER else "all others")

    items.sort(key=place)
    if os.environ.get("SCIPY_ARRAY_API") != "1":  # test_checks.py runs them where SciPy is imported with it
        items[:] = [item for item in items if "check_array_api" not in item.name]
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.program("Chromium"))
        solves = {"conformance", "mip"} & {*item.path.relative_to(TESTS).parts[:-1]}
        if solves and any(name in item.name for name in LICENSED):
            item.add_marker("solver")


def pytest_runtest_setup(item):
    for mark in item.iter_markers("program"):
        if not is_installed(mark.args[0]):
            pytest.skip(f"{mark.args[0]} is not installed")


LEFT = pytest.StashKey[Counter]()


def pytest_configure(config):
    config.stash[LEFT] = Counter()


def pytest_deselected(items):
    for item in items:
        asked = item.config.option.markexpr
        mark = next((m for m in LEFT_OUT if f"not {m}" in asked and item.get_closest_marker(m)), None)
        if mark is not None and asked.startswith("not "):  # not of a run of one kind, as `make test-solvers`
            item.config.stash[LEFT][mark] += 1


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[LEFT] |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter, config):
    """Skips by reason, and what was left out: the lines that `.ci/run` adds up."""
    skipped = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.section("skipped, by reason")
    for reason, count in skipped.most_common():
        terminalreporter.write_line(f"{count:6,}  {reason.removeprefix('Skipped: ')}")
    if config.stash[LEFT]:
        terminalreporter.section("left out")
    for mark, what in LEFT_OUT.items():
        if count := config.stash[LEFT][mark]:
            terminalreporter.write_line(f"{count:6,}  {what}")


# Not for the session: as long as playwright runs, no test of its process can run an event loop.
browser = pytest.fixture(scope="module")(browsers)


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_reaches_the_tests():
    """A run started in the background inherits an ignored SIGINT; tests of Ctrl-C need Python's own."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@cache
def _command(app):
    """Typer's tree of commands, which a process needs once: it takes as long as a small fit."""
    return get_command(app)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in `tmp_path`: ``run("fit", "data.csv", "--goal", "errors", ..., stdin=b"...", check=True)``.

    The command as a function: quick, because nothing is imported twice.
    """
    from supersparse.show.cli.app import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("typer.main.get_command", _command)

    def run(*arguments, stdin=b"", check=False):
        monkeypatch.setattr(sys, "argv", ["supersparse", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        done = Done(ended.value.code or 0, *capsys.readouterr())
        if check:
            assert done.returncode == 0, f"{arguments}\n{done.stderr}"
        return done

    return run
