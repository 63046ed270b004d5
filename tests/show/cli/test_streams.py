"""Standard output and error that are closed, full or gone: no command shows a traceback, no file is lost."""

import errno
import io
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from show.cli.tiny import FIT
from supersparse import ScoringSystem, item
from supersparse.show.cli import app, outputs, say

TABLE = "ill,age,dose\n" + "1,60,1.5\n0,20,0.5\n1,70,2.5\n0,30,1.5\n1,50,2.5\n0,60,0.5\n" * 4
QUICK = ["--target", "ill", "--goal", "errors", "--max-features", "1"]
COMMANDS = {
    "fit": ["fit", "data.csv", *FIT, "--no-validate", "--out", "made.json"],
    "fit to a folder": ["fit", "data.csv", *FIT, "--no-validate", "--out-dir", "made"],
    "frontier": ["frontier", "data.csv", *QUICK],
    "pool": ["pool", "data.csv", *QUICK],
    "predict": ["predict", "card.json", "data.csv"],
    "predict as JSON": ["predict", "card.json", "data.csv", "--json"],
    "evaluate": ["evaluate", "card.json", "data.csv", "--target", "ill"],
    "explain": ["explain", "card.json", "data.csv"],
    "export": ["export", "card.json", "--to", "text"],
    "export of bytes": ["export", "card.json", "--to", "xlsx"],
    "report": ["report", "card.json", "data.csv", "--target", "ill", "--no-refits", "--out", "made.html"],
    "trade-off": ["trade-off", "data.csv", *QUICK, "--cv", "2", "--ratios", "2", "--repeats", "1"],
    "counts": ["counts", "data.csv", "--target", "ill", "--candidates", "4", "--out", "made.csv"],
    "names": ["names", "data.csv", "--target", "ill"],
    "datasets": ["datasets", "list"],
    "datasets export": ["datasets", "export", "haberman", "made.csv"],
    "check": ["check", "wishes.yaml"],
    "schema": ["check", "--schema"],
    "demo": ["demo", "--time-limit", "2", "--out", "made.json"],
    "doctor": ["doctor"],
    "solvers": ["solvers"],
    "help": ["--help"],
    "version": ["--version"],
}
SILENT = {
    "predict to a file": ["predict", "card.json", "data.csv", "--out", "made.csv"],
    "export to a file": ["export", "card.json", "--to", "html", "--out", "made.html"],
    "names to a file": ["names", "data.csv", "--target", "ill", "--out", "made.yaml"],
}
CLOSED, FULL, GONE = None, errno.ENOSPC, errno.EPIPE


class Failing(io.RawIOBase):
    """What a full disk, or a reader that left, is to a program."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def writable(self):
        return True

    def fileno(self):
        return 1

    def write(self, data):
        raise OSError(self.number, os.strerror(self.number))


def stream(state):
    """A standard stream: a list that takes what is written, or None, or one that fails with an error."""
    if state is CLOSED:
        return None
    return io.TextIOWrapper(io.BufferedWriter(Failing(state)) if state != "open" else io.BytesIO(), "utf-8")


def text_of(standard):
    standard.flush()
    below = standard.buffer.raw._raw  # what the tolerant stream writes to
    return below.getvalue().decode()


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Return a function that runs a command as a process would, with standard streams as they are given."""
    (tmp_path / "data.csv").write_text(TABLE)
    (tmp_path / "wishes.yaml").write_text("max_features: 2\n")
    ScoringSystem.of([item("age", at_least=50, points=2)], threshold=1, classes=("0", "1"), title="ill").save(
        tmp_path / "card.json"
    )
    monkeypatch.setattr(say, "_files_asked", False)
    monkeypatch.setattr(outputs, "_writers", lambda system: {"card.json": system.save})  # not every format
    monkeypatch.setattr(app.signal, "signal", lambda number, handler: None)

    def run_it(arguments, output="open", error="open"):
        with chdir(tmp_path), monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["supersparse", *arguments])
            patch.setattr(sys, "stdout", stream(output))
            patch.setattr(sys, "stderr", stream(error))
            with pytest.raises(SystemExit) as ending:
                app.main()
            printed = text_of(sys.stdout) if output == "open" else ""
            told = text_of(sys.stderr) if error == "open" else ""
        return ending.value.code, printed, told, sorted(p.name for p in tmp_path.glob("made*"))

    return run_it


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_keeps_its_files_and_says_in_a_line_that_its_result_was_not_printed(run, name):
    status, _, told, files = run(COMMANDS[name], output=FULL)
    keeps = any(word.startswith("made") for word in COMMANDS[name])
    assert (status, bool(files)) == (1, keeps)
    assert "Traceback" not in told
    last = told.splitlines()[-1]
    assert last.startswith("supersparse: the result could not be printed to standard output: No space left")
    assert last.endswith("; files that were asked for are written") == keeps


@pytest.mark.parametrize("name", SILENT)
def test_a_command_that_prints_nothing_needs_no_standard_output(run, name):
    status, printed, _, files = run(SILENT[name], output=FULL)
    assert (status, printed, bool(files)) == (0, "", True)


@pytest.mark.parametrize("name", ["fit", "predict", "help"])
@pytest.mark.parametrize("output", [CLOSED, FULL, GONE, "open"])
@pytest.mark.parametrize("error", [CLOSED, FULL, GONE, "open"])
def test_every_pair_of_broken_streams(run, name, output, error):
    status, printed, told, files = run(COMMANDS[name], output, error)
    keeps = "--out" in COMMANDS[name]
    assert bool(files) == keeps
    fails = output != "open" and not (output is CLOSED and keeps)
    assert status == fails
    assert bool(printed) == (output == "open")
    assert ("could not be printed" in told) == (fails and error == "open" and output != GONE)


@pytest.mark.parametrize("error", [CLOSED, FULL, GONE])
def test_an_error_that_nobody_can_read_has_its_status(run, error):
    status, printed, _, _ = run(["predict", "card.json", "nothing.csv"], error=error)
    assert (status, printed) == (2, "")


def test_a_card_that_cannot_be_saved_is_told_as_well(run):
    status, _, told, _ = run(["fit", "data.csv", *FIT, "--out", "/dev/full"], output=FULL)
    assert status == 1
    assert "the card above could not be saved" in told
    assert "are written" not in told


def test_standard_input_that_is_closed_is_named(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    status, _, told, _ = run(["predict", "card.json", "-"])
    assert (status, told) == (2, "supersparse: standard input is closed; name a file instead of -\n")


@pytest.mark.skipif(os.name == "nt", reason="closes streams as a Unix shell does")
def test_no_file_of_ours_takes_the_place_of_a_closed_stream(tmp_path):
    code = (
        "import os, sys\n"
        "from supersparse.show.cli.say import Streams\n"
        "Streams.guard()\n"
        "file = open('made.txt', 'w')\n"
        "os.system('echo from another process')\n"
        "file.write(str(file.fileno() > 2))\n"
    )
    line = f"'{sys.executable}' -c \"{code}\" <&- >&- 2>&-"
    subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
    assert Path(tmp_path / "made.txt").read_text() == "True"
