"""No command overwrites what it reads, or one of its outputs by another."""

import os
import shlex
from pathlib import Path

import pytest

from show.cli.tiny import FIT
from supersparse import Problem, ScoringSystem, solve
from supersparse.show.cli.outputs import check_outputs

FIT_TINY = shlex.join(["fit", "tiny.csv", *FIT, "--no-validate"])
INPUT, TWICE = "would overwrite an input; choose another name", "only one file could be kept"
REFUSED = [
    (f"{FIT_TINY} --out tiny.csv", INPUT),
    (f"{FIT_TINY} --certificate tiny.csv", INPUT),
    (f"{FIT_TINY} --certificate ./folder/../tiny.csv", INPUT),
    (f"{FIT_TINY} --certificate link.csv", INPUT),
    (f"{FIT_TINY} --certificate linked.csv", INPUT),
    (f"{FIT_TINY} --settings settings.yaml --certificate settings.yaml", INPUT),
    (f"{FIT_TINY} --names names.yaml --out names.yaml", INPUT),
    (f"{FIT_TINY} --cut-points cuts.txt --out cuts.txt", INPUT),
    (f"{FIT_TINY.replace('tiny.csv', 'folder/score.sql')} --out-dir folder", INPUT),
    (f"{FIT_TINY.replace('tiny.csv', 'folder')} --engine duckdb --out folder/a.csv", INPUT),
    (f"{FIT_TINY.replace('tiny.csv', 'folder/*.csv')} --engine duckdb --out folder/a.csv", INPUT),
    (f"{FIT_TINY} --out new --certificate new", f"--out and --certificate both name new, and {TWICE}"),
    (f"{FIT_TINY} --out folder/score.py --out-dir folder", TWICE),
    ("certify card.json tiny.csv --out tiny.csv", INPUT),
    ("certify card.json tiny.csv --out card.json", INPUT),
    ("predict card.json tiny.csv --out card.json", INPUT),
    ("report card.json page.html --out page.html", INPUT),
    ("report card.json tiny.csv --out new.html --out ./new.html", "--out names new.html, and only one"),
    ("export card.json --to json --out card.json", INPUT),
    ("names tiny.csv --out tiny.csv", INPUT),
    ("frontier tiny.csv --target ill --plot tiny.csv", INPUT),
    ("trade-off tiny.csv --target ill --settings settings.yaml --plot settings.yaml", INPUT),
    ("counts tiny.csv --target ill --out new --save-questions tiny.csv", INPUT),
    ("counts tiny.csv --target ill --out new --save-questions new", TWICE),
    ("demo --out new --save-data new", TWICE),
    ("demo --save-settings new --save-data new", TWICE),
]


@pytest.fixture(scope="module")
def system():
    problem = Problem.of([[0], [0], [1], [1]], [0, 0, 1, 1], C0=0.3, max_points=2)
    return ScoringSystem.from_solution(solve(problem, solver="exhaustive"), title="ill")


@pytest.fixture
def files(tiny, tmp_path, system):
    """Everything that the commands name, and what it holds."""
    system.save(tmp_path / "card.json")
    (tmp_path / "folder").mkdir()
    for name in ("folder/a.csv", "folder/score.sql", "page.html"):
        (tmp_path / name).write_bytes(tiny.read_bytes())
    for name in ("settings.yaml", "names.yaml", "cuts.txt"):
        (tmp_path / name).write_text("max_points: 3\n")
    (tmp_path / "link.csv").symlink_to(tiny)
    os.link(tiny, tmp_path / "linked.csv")
    return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_an_output_that_costs_a_file_is_refused(run, files, tmp_path, command, message):
    done = run(*shlex.split(command))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_a_device_may_be_named_twice():
    check_outputs(("--out", Path(os.devnull)), ("--certificate", Path(os.devnull)), inputs=[Path(os.devnull)])
