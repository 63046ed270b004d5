"""Settings of all tests."""

import gc
import io
import signal
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from typer.main import get_command

TESTS = Path(__file__).parent

# The same examples in every run, and no test that fails because a machine is busy; `make test-long` asks for
# the profile "long".
for name, examples in (("quick", 7), ("long", 100)):
    settings.register_profile(name, deadline=None, derandomize=True, database=None, max_examples=examples)
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
# comes first: on a fresh clone one worker compiles the kernels while the other runs what needs none.
ORDER = (
    "solving", "conformance", "results", "estimators", "paper_study", "examples", "report", "cli",
    "test_docs.py", "test_site.py", "all others", "faces", "export", "prepare", "evaluate",
)  # fmt: skip


def pytest_collection_modifyitems(items):
    def place(item):
        part = item.path.relative_to(TESTS).parts[0]
        return ORDER.index(part if part in ORDER else "all others")

    items.sort(key=place)


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
    """Run the command in `tmp_path`: ``run("fit", "data.csv", ..., stdin=b"...", check=True)``.

    The command as a function: quick, because nothing is imported twice.
    """
    from supersparse.cli.app import main

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
