"""The command as a function: quick, because nothing is imported twice."""

import io
import sys
from dataclasses import dataclass

import pytest

from supersparse.cli import say
from supersparse.cli.app import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in `tmp_path`: ``run("fit", "data.csv", ..., stdin=b"...", check=True)``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b"", check=False):
        monkeypatch.setattr(sys, "argv", ["supersparse", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        monkeypatch.setattr(say, "_hushed", False)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        done = Done(ended.value.code or 0, *capsys.readouterr())
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run
