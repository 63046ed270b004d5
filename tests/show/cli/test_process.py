"""The command in a process of its own: terminals, signals, pipes, encodings, what is imported."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from show.cli.tiny import FIT
from supersparse import ScoringSystem, item

COMMAND = [sys.executable, "-m", "supersparse"]


def test_a_narrow_encoding_does_not_stop_the_card(tmp_path):
    ScoringSystem.of([item("温度", points=1)], above=5).save(tmp_path / "card.json")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    arguments = ["export", "card.json", "--to", "text"]
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert r"1. \u6e29\u5ea6" in done.stdout


def test_help_is_quick_because_it_imports_nothing_heavy(tmp_path):
    code = (
        "import sys; sys.argv = ['supersparse', '--help']\n"
        "from supersparse.show.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('scipy', 'sklearn', 'highspy', 'pandas', 'matplotlib')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.skipif(os.name == "nt", reason="sends a Unix signal")
def test_ctrl_c_keeps_and_prints_the_best_found(tmp_path):
    # exhaustive search over 41 ** 4 vectors takes minutes, so it can only end by the signal
    rows = np.random.default_rng(0).integers(0, 50, (200, 5))
    lines = ["a,b,c,d,y", *(",".join(map(str, row[:4])) + f",{row[4] % 2}" for row in rows)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    arguments = [
        "fit",
        "data.csv",
        "--goal",
        "errors",
        "--target",
        "y",
        "--max-points",
        "20",
        "--solver",
        "exhaustive",
        "--no-prepare",
        "--time-limit",
        "300",
    ]
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        for line in process.stderr:
            if "objective" in line:  # the solve is under way
                break
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert process.returncode == 0
    assert "Interrupted. This is the best scoring system found so far." in stderr
    assert "Not proven" in stdout


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_progress_is_one_live_line_on_a_terminal(tiny, tmp_path):
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "fit", str(tiny), *FIT],
        stdout=subprocess.PIPE,
        stderr=follower,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # Linux says so when the other side has closed
                break
            if not part:
                break
            shown += part
        output = process.stdout.read()
    os.close(leader)
    assert process.returncode == 0
    assert b" s left" in shown
    assert b"\x1b[2K" in shown  # the line is erased and rewritten
    assert b"\x1b" not in output
    assert output.startswith(b"Ill\n---")


def test_a_closed_pipe_is_no_traceback(tmp_path):
    ScoringSystem.of([item("x", points=1)], above=5).save(tmp_path / "card.json")
    (tmp_path / "data.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(20_000)))
    line = " ".join(f"'{part}'" for part in [*COMMAND[:2]]) + f' "{COMMAND[2]}" predict card.json data.csv | head -1'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "total,prediction\n"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="sends a Unix signal")
def test_ctrl_c_before_there_is_a_result_is_exit_code_130(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "fit", "-", "--goal", "errors", "--target", "y"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        process.stdin.write("a,y\n" + "1,0\n" * 40_000)  # far more than a pipe holds: it is being read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in stderr


def test_shell_completion_is_offered(tmp_path):
    environment = {
        **os.environ,
        "_SUPERSPARSE_COMPLETE": "complete_bash",
        "COMP_WORDS": "supersparse ex",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(COMMAND, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.stdout.split() == ["explain", "export"]


def test_the_entry_point_is_declared():
    pyproject = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'supersparse = "supersparse.show.cli.app:main"' in pyproject
