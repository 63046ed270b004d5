"""Input that once ended in a traceback, hung, or was read wrongly."""

import os
import threading
import zipfile

import numpy as np
import pytest

from supersparse import Problem, SLIMClassifier, solve
from supersparse.data import csv_file
from supersparse.data.files import read_table
from supersparse.errors import InvalidDataError, InvalidProblemError, UnsupportedProblemError
from supersparse.solving.exact import cuts

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
X = np.arange(12).reshape(6, 2) % 5
Y = [0, 1, 0, 1, 1, 0]


@pytest.mark.parametrize("cell", ["1e309", "-1e400", "9" * 5000, "0." + "1" * 5000, "1" * 400])
def test_a_number_beyond_doubles_is_no_number(cell, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,y\n" + "".join(f"{cell if i == 3 else i},{i % 2}\n" for i in range(30)))
    with pytest.raises(InvalidDataError, match=r"column 'a' has 1 non-numeric value: .* in line 5") as told:
        read_table(file)
    assert len(str(told.value)) < 400


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "LONGEST_LINE", 1000)
    file = tmp_path / "table.csv"
    for text in ("a" * 2000, "a,b\n1,2\n" + "3" * 2000 + ",1\n"):
        file.write_text(text)
        with pytest.raises(InvalidDataError, match="more than 1,000 characters"):
            read_table(file)


def test_a_pipe_is_read_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("a,b\n1,2\n3,4\n"))
    writer.start()
    table = read_table(pipe)
    writer.join()
    assert table.names == ("a", "b")
    assert table.n_rows == 2


def test_points_weights_and_limits_beyond_64_bits():
    with pytest.raises(UnsupportedProblemError, match="over 2\\^50; use smaller points"):
        solve(Problem.of(X, Y, points=[0, 10**20]))
    heavy = solve(Problem.of(X, Y, class_weight={0: 1e300}, C0=0.01))
    assert heavy.evaluation.wrong_negative == 0
    assert solve(Problem.of(X, Y), node_limit=10**30).proven_optimal
    assert solve(Problem.of(X, Y, C0=0.1), "highs", node_limit=10**30).proven_optimal


@pytest.mark.parametrize("masked", ["X", "y", "weights"])
def test_masked_values_are_not_read_as_if_they_were_there(masked):
    table, labels, weights = X.astype(float), np.array(Y), np.ones(6)
    mask = np.array([0, 0, 1, 0, 0, 0], dtype=bool)
    if masked == "X":
        table = np.ma.masked_array(table, mask=np.column_stack([mask, mask]))
    elif masked == "y":
        labels = np.ma.masked_array(labels, mask=mask)
    else:
        weights = np.ma.masked_array(weights, mask=mask)
    with pytest.raises(InvalidDataError, match="masked"):
        Problem.of(table, labels, sample_weight=weights)
    with pytest.raises(InvalidDataError, match="masked"):
        SLIMClassifier().fit(table, labels, sample_weight=weights)


def test_masks_that_hide_nothing_are_harmless():
    assert Problem.of(np.ma.masked_array(X), np.ma.masked_array(Y)).n_features == 2


def test_masked_is_missing_for_a_preparation():
    table = np.ma.masked_array(X, mask=X == 3)
    fitted = SLIMClassifier(prepare="auto", solver="exhaustive", max_features=1).fit(table, Y)
    assert fitted.prepare_ is not None


@pytest.mark.parametrize("kind", ["text", "archive", "fields"])
def test_a_skops_file_of_the_wrong_kind(kind, tmp_path):
    skops = pytest.importorskip("skops.io")
    from supersparse.export.estimator import load_estimator

    file = tmp_path / "model.skops"
    if kind == "text":
        file.write_text("hello")
    elif kind == "archive":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a", "b")
    else:
        kinds = "supersparse.estimators.slim:SLIMClassifier"
        skops.dump({"supersparse:kind": "estimator", "class": kinds, "fields": 3}, file)
    with pytest.raises(InvalidDataError, match=r"not a file that skops can read|is damaged"):
        load_estimator(file)


def test_long_sets_of_intercepts_take_no_python_loop_and_endless_ones_are_refused():
    with pytest.raises(InvalidProblemError, match=r"2,000,000,001 values.*use intercept='free'"):
        Problem.of(X, Y, max_points=10**9, intercept="paper")
    problem = Problem.of(X, Y, max_points=10**6, intercept="paper", C0=0.01)
    assert solve(problem, node_limit=0).evaluation.size <= 2


def test_rounded_columns_judge_each_coefficient_vector_once(monkeypatch):
    # 1e16 beside 1/3: 64 bits are not enough, so the kernels decide little and offer every vector for every b
    table = [[0, 0, 1], [0, 0, 5], [-1e16, 2 / 3, 1e16], [1, 5, 1 / 3], [0, 5, -1e16]]
    problem = Problem.of(table, [1, 1, 0, 0, 1], intercept=(-20, 20), max_points=2, C0=0.01)
    judged = []
    monkeypatch.setattr(
        cuts, "completed", lambda p, c, usual=cuts.completed: (judged.append(tuple(c)), usual(p, c))[1]
    )
    assert solve(problem).objective == solve(problem, "exhaustive").objective
    assert len(judged) <= 5**3
