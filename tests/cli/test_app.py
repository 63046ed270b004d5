"""The command as a user meets it: output, files, exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from supersparse import ScoringSystem, __version__
from supersparse.datasets import load_breast_cancer

COMMAND = [sys.executable, "-c", "from supersparse.cli.app import main; main()"]
EXAMPLES = re.compile(r"^ +(supersparse .*)$", re.MULTILINE)


def run(*arguments, cwd, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", cwd=cwd, **options
    )


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.csv"
    rows = ["1,0,no", "2,1,no", "3,0,no", "4,1,yes", "5,0,yes", "6,1,yes"]
    path.write_text("\n".join(["age,fever,ill", *rows]) + "\n")
    return path


FIT = ["--target", "ill", "--C0", "0.2", "--max-points", "3", "--solver", "exhaustive"]


def test_fit_prints_a_card_and_saves_it(tiny, tmp_path):
    done = run("fit", tiny, *FIT, "--out", "card.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    system = ScoringSystem.load(tmp_path / "card.json")
    assert done.stdout == f"{system}\n"
    assert "Predict yes if the total is more than 7, otherwise no." in done.stdout
    assert done.stderr.startswith(
        "6 rows, 2 features\npositive class 'yes' (3 rows), negative class 'no' (3 rows)\n"
    )
    assert "gap   0.0 %" in done.stderr.splitlines()[-3]
    assert done.stderr.endswith("Saved to card.json\n")


def test_predict_scores_new_rows(tiny, tmp_path):
    run("fit", tiny, *FIT, "--out", "card.json", cwd=tmp_path, check=True)
    (tmp_path / "new.csv").write_text("name,age\nAnn,3.5\nBob,3.6\n")
    done = run("predict", "card.json", "new.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "score,prediction\n0,no\n0.2,yes\n")
    run("predict", "card.json", "new.csv", "--out", "p.csv", cwd=tmp_path, check=True)
    assert (tmp_path / "p.csv").read_text() == done.stdout


def test_a_card_without_features_predicts_for_every_row(tiny, tmp_path):
    run(
        "fit",
        tiny,
        *FIT[:2],
        "--C0",
        "0.4",
        "--max-features",
        "0",
        *FIT[4:],
        "--out",
        "card.json",
        cwd=tmp_path,
        check=True,
    )
    done = run("predict", "card.json", tiny, cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 7


def test_the_positive_class_and_dropped_columns_are_obeyed(tiny, tmp_path):
    done = run("fit", tiny, *FIT, "--positive", "no", "--drop", "fever", cwd=tmp_path)
    assert "Predict no if the total is more than -7, otherwise yes." in done.stdout
    assert "6 rows, 1 feature\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "tiny.csv", "--target", "il"], "no target column 'il'; did you mean 'ill'?"),
        (["fit", "tiny.csv", *FIT, "--C0", "-1"], "C0 is -1.0; give a number of at least 0"),
        (["fit", "tiny.csv", *FIT, "--max-points", "0"], "max_coef is 0"),
        (["fit", "tiny.csv", *FIT, "--solver", "hihgs"], "unknown solver 'hihgs'; did you mean 'highs'?"),
        (["fit", "tiny.csv", *FIT, "--time-limit", "-3"], "time_limit is -3.0"),
        (["fit", "tiny.csv", *FIT, "--out", "nowhere/card.json"], "there is no folder 'nowhere'"),
        (["predict", "tiny.csv", "tiny.csv"], "tiny.csv is no scoring system"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tiny, tmp_path, arguments, message):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    complaints = [line for line in done.stderr.splitlines() if line.startswith("supersparse: ")]
    assert len(complaints) == 1
    assert message in complaints[0]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["fit", "nofile.csv", "--target", "y"], ["fit", "tiny.csv"], ["nonsense"], ["fit", "--nonsense"]],
)
def test_wrong_use_is_exit_code_2(tiny, tmp_path, arguments):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_solver_that_fails_is_one_line_and_exit_code_1(tiny, tmp_path):
    code = (
        "import supersparse.solving.solve as solving\n"
        "from supersparse.cli.app import main\n"
        "from supersparse.errors import SolverFailedError\n"
        "def solve(*_, **__): raise SolverFailedError('it\\nbroke')\n"
        "solving.solve = solve\n"
        "main()"
    )
    command = [sys.executable, "-c", code, "fit", str(tiny), *FIT]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("supersparse: it\\nbroke\n")


def test_a_missing_column_is_named(tiny, tmp_path):
    run("fit", tiny, *FIT, "--out", "card.json", cwd=tmp_path, check=True)
    (tmp_path / "new.csv").write_text("Age,fever\n1,1\n")
    done = run("predict", "card.json", "new.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "no column 'age', which the scoring system needs; did you mean 'Age'?" in done.stderr


def test_predict_does_not_overwrite_its_inputs(tiny, tmp_path):
    run("fit", tiny, *FIT, "--out", "card.json", cwd=tmp_path, check=True)
    done = run("predict", "card.json", tiny, "--out", tiny, cwd=tmp_path)
    assert done.returncode == 2
    assert "would overwrite" in done.stderr


def test_a_useless_penalty_is_a_note_not_a_traceback(tiny, tmp_path):
    done = run("fit", tiny, *FIT, "--C0", "0.001", cwd=tmp_path)
    assert done.returncode == 0
    assert "note: C0 = 0.001 is below the loss of a single row" in done.stderr
    assert "Warning" not in done.stderr


def test_hostile_names_reach_the_card_escaped(tmp_path):
    (tmp_path / "data.csv").write_text('"[red]a\nb\x1b[0m",y\n1,"[/bold]\n"\n1,"[/bold]\n"\n2,zz\n2,zz\n')
    done = run("fit", "data.csv", "--target", "y", "--C0", "0.3", *FIT[4:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert r"1. [red]a\nb\x1b[0m" in done.stdout
    assert r'"[/bold]\n"' in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_narrow_encoding_does_not_stop_the_card(tmp_path):
    (tmp_path / "data.csv").write_text("温度,y\n1,0\n1,0\n2,1\n2,1\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = run("fit", "data.csv", "--target", "y", "--C0", "0.3", *FIT[4:], cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert r"1. \u6e29\u5ea6" in done.stdout


def test_version(tmp_path):
    assert run("--version", cwd=tmp_path).stdout == f"supersparse {__version__}\n"


@pytest.mark.parametrize("command", [[], ["fit"], ["predict"], ["check"], ["solvers"], ["demo"]], ids=str)
def test_help_fits_80_columns_and_has_an_example(tmp_path, command):
    done = run(*command, "--help", cwd=tmp_path, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0
    assert EXAMPLES.search(done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", ["fit", "predict", "check", "solvers", "demo"])
def test_the_examples_in_help_run(tmp_path, command):
    text = run(command, "--help", cwd=tmp_path, env={**os.environ, "COLUMNS": "200"}).stdout
    for example in EXAMPLES.findall(text.split("Example:")[1].split("Options:")[0]):
        words = example.split()[1:]
        if words[0] in ("fit", "demo"):
            words += ["--time-limit", "2"]
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_help_is_quick_because_it_imports_nothing_heavy(tmp_path):
    code = (
        "import sys; sys.argv = ['supersparse', '--help']\n"
        "from supersparse.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'scipy', 'sklearn', 'numba', 'highspy', 'narwhals', 'matplotlib')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stderr.strip() == "[]"


def test_solvers_lists_what_is_installed(tmp_path):
    done = run("solvers", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[1:]}
    assert listed["exhaustive"] == "yes"
    assert listed["highs"] == "yes"
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_demo_shows_progress_a_card_and_what_was_proven(tmp_path):
    done = run("demo", "--save-data", "data.csv", "--out", "card.json", "--time-limit", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d s  objective 0\.\d+  features +\d+  bound 0\.\d+  gap +[\d.]+ %", done.stderr)
    assert re.search(r"^Proof    (proven optimal|not proven): ", done.stdout, re.MULTILINE)
    assert "There are 794,280,046,581 ways" in done.stdout
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= 80
    data, system = load_breast_cancer(), ScoringSystem.load(tmp_path / "card.json")
    stated = json.loads((tmp_path / "card.json").read_text())["provenance"]["predicted_errors"]
    assert int((system.predict(data.X) != data.labels).sum()) == stated
    assert np.array_equal(
        np.loadtxt(tmp_path / "data.csv", delimiter=",", dtype=str, skiprows=1)[:, -1], data.labels
    )


@pytest.mark.skipif(os.name == "nt", reason="sends a Unix signal")
def test_ctrl_c_keeps_and_prints_the_best_found(tmp_path):
    # exhaustive search over 41 ** 4 vectors takes minutes, so it can only end by the signal
    rows = np.random.default_rng(0).integers(0, 50, (200, 5))
    lines = ["a,b,c,d,y", *(",".join(map(str, row[:4])) + f",{row[4] % 2}" for row in rows)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    arguments = [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--max-points",
        "20",
        "--solver",
        "exhaustive",
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
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Interrupted: this is the best scoring system found until then." in stderr
    assert "it was interrupted" in stdout
    assert "not proven" in stdout


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
    assert b"objective" in shown
    assert b"\x1b[2K" in shown  # the line is erased and rewritten
    assert b"\x1b" not in output
    assert output.startswith(b"Scoring system for ill")


def test_a_closed_pipe_is_no_traceback(tmp_path):
    run(
        "demo", "--save-data", "data.csv", "--out", "card.json", "--time-limit", "1", cwd=tmp_path, check=True
    )
    line = (
        " ".join(f"'{part}'" for part in [*COMMAND[:2]])
        + f' "{COMMAND[2]}" predict card.json data.csv | head -1'
    )
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "score,prediction\n"
    assert "Traceback" not in done.stderr


def test_the_entry_point_is_declared():
    pyproject = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'supersparse = "supersparse.cli.app:main"' in pyproject
