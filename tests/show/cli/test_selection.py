"""`frontier` and `pool` say what the library finds."""

import json
from math import floor

import numpy as np
import pytest

from show.cli.tiny import FIT
from supersparse import Problem, frontier, pool

ROWS = np.array([[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1], [2, 0]])
Y = ["no"] * 3 + ["yes"] * 4


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "tiny.csv"
    lines = [f"{a},{b},{y}" for (a, b), y in zip(ROWS.tolist(), Y, strict=True)]
    path.write_text("\n".join(["age,fever,ill", *lines]) + "\n")
    return path


def problem():
    return Problem.of(ROWS, Y, C0=0.2, max_points=3, feature_names=["age", "fever"])


def test_frontier(run, table, tmp_path):
    expected = frontier(problem(), 8, "exhaustive")
    document = json.loads(run("frontier", table, *FIT, "--json", check=True).stdout)
    assert document == {"rows": expected.table(), "proven": True}
    assert run("frontier", table, *FIT, check=True).stdout == f"{expected}\n"
    pytest.importorskip("matplotlib")
    run("frontier", table, *FIT, "--plot", "frontier.png", check=True)
    assert (tmp_path / "frontier.png").read_bytes().startswith(b"\x89PNG")


def test_a_checkpoint_in_the_settings_is_none_of_a_frontier(run, table, tmp_path):
    (tmp_path / "s.yaml").write_text("solve:\n  checkpoint: tree\n  solver: exact\n")
    ask = [word for word in FIT if word not in ("--solver", "exhaustive")]
    done = run("frontier", table, *ask, "--settings", "s.yaml", check=True)
    assert "note: the checkpoint of the settings is for `fit`; a frontier is not saved" in done.stderr


def test_pool(run, table):
    expected = pool(problem(), within=0.5, solver="exhaustive")
    arguments = ["pool", table, *FIT, "--within", "0.5"]
    document = json.loads(run(*arguments, "--json", check=True).stdout)
    assert document["models"] == expected.table()
    assert document["always"] == list(expected.always())
    text = run(*arguments, "--shown", "1", check=True).stdout
    assert text.startswith(str(expected))
    assert f"and {len(expected.models) - 1} more" in text
    first = expected.models[0].points
    least = floor(-first.intercept_value) + 1
    assert f"; {least} or more\n" in text  # the columns hold whole numbers


def test_weighted_classes_show_the_weighted_error_with_the_errors_beside_it(run, table):
    weights = ["--class-weight", "no=1,yes=3"]
    text = run("frontier", table, *FIT, *weights, check=True).stdout
    assert text.startswith("size  weighted error  proven  errors (not minimised)  points\n")
    document = json.loads(run("frontier", table, *FIT, *weights, "--json", check=True).stdout)
    assert {row["minimised"] for row in document["rows"]} == {"weighted error"}
    listed = run("pool", table, *FIT, *weights, "--within", "0.5", check=True).stdout.splitlines()
    assert listed[2] == "weighted error  errors  size  points"
    asked = Problem.of(ROWS, Y, C0=0.2, max_points=3, class_weight={"no": 1, "yes": 3})
    best = pool(asked, within=0.5, solver="exhaustive").models[0].evaluation
    assert listed[3].split()[:3] == [f"{float(best.loss):.4f}", str(best.training_errors), str(best.size)]
