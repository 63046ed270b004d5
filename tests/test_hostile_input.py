"""Input that once ended in a traceback, hung, or was read wrongly."""

import os
import threading
import zipfile

import numpy as np
import pytest

from supersparse import Problem, SLIMClassifier, solve
from supersparse.engine.exact import cuts
from supersparse.errors import InvalidDataError, InvalidProblemError, UnsupportedProblemError
from supersparse.table import csv_file
from supersparse.table.files import read_table

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
    from supersparse.card.export.estimator import load_estimator

    file = tmp_path / "model.skops"
    if kind == "text":
        file.write_text("hello")
    elif kind == "archive":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a", "b")
    else:
        kinds = "supersparse.show.estimators.slim:SLIMClassifier"
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
    monkeypatch.setattr(cuts, "completed", lambda p, c, usual=cuts.completed: (judged.append(tuple(c)), usual(p, c))[1])
    assert solve(problem).objective == solve(problem, "exhaustive").objective
    assert len(judged) <= 5**3


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "C:\\x", "\\\\server\\x", "~/x"])
def test_a_settings_file_cannot_name_a_checkpoint_elsewhere(path):
    from supersparse.errors import InvalidSettingsError
    from supersparse.learn.settings.settings import read_settings

    with pytest.raises(InvalidSettingsError, match=r"without '\.\.'"):
        read_settings(f"solve:\n  checkpoint: '{path}'\n")
    assert read_settings("solve:\n  checkpoint: runs/open.tree\n") is not None


@pytest.mark.parametrize("option", ["solution_file", "log_file", "write_model_file", "LogFile", "workdir"])
def test_solver_options_cannot_write_files(option, tmp_path):
    from supersparse.errors import InvalidOptionError

    with pytest.raises(InvalidOptionError, match="names a file"):
        solve(Problem.of(X, Y), "highs", solver_options={option: str(tmp_path / "x")})
    assert list(tmp_path.iterdir()) == []


def test_predictions_hold_no_formula():
    from supersparse.show.cli.predict import no_formula

    assert [no_formula(text) for text in ("=1+1", "@x", "+a", "-a", "\tx")] == [
        "'=1+1", "'@x", "'+a", "'-a", "'\tx"
    ]  # fmt: skip
    assert [no_formula(v) for v in ("-2.5", "+3", "ill", "", 4, -1.5)] == ["-2.5", "+3", "ill", "", 4, -1.5]


def test_sql_keeps_what_lies_beyond_six_decimals():
    import sqlite3

    from supersparse import ScoringSystem, item

    system = ScoringSystem.of([item("x", points=1)], above=0, classes=(0, 1))
    query = system.export("sql", dialect="sqlite", gives="class")
    database = sqlite3.connect(":memory:")
    database.execute("create table t (x double)")
    database.execute("insert into t values (4e-7)")
    assert database.execute(f"select {query} from t").fetchone()[0] == system.predict({"x": [4e-7]})[0] == 1


def test_a_study_record_of_other_types_is_refused():
    from study.record_file import from_line

    line = '{"kind":"Loaded","dataset":"a","fingerprint":"f","rows":3,"columns":2,"positives":1}'
    assert from_line(line).rows == 3
    for wrong in ('"rows":"3"', '"rows":true', '"rows":null', '"rows":[3]', '"rows":3.5'):
        with pytest.raises(ValueError, match="rows is"):
            from_line(line.replace('"rows":3', wrong))


def test_a_download_has_an_end(tmp_path, monkeypatch):
    import io

    from supersparse.datasets import dataset, originals
    from supersparse.errors import DownloadError

    class Endless(io.RawIOBase):
        status, length = 200, None

        def read(self, n=-1):
            return b"x" * n

    class Opener:
        def open(self, request, timeout):
            return Endless()

    monkeypatch.setattr(originals, "build_opener", lambda *handlers: Opener())
    monkeypatch.setattr(originals, "MOST_BYTES", 10**6)
    with pytest.raises(DownloadError, match="more than 1,000,000 bytes"):
        originals.download("https://example.org/x", tmp_path / "part")
    assert (tmp_path / "part").stat().st_size == 0
    import gzip

    monkeypatch.setattr(dataset, "_MOST_UNPACKED", 1000)
    with pytest.raises(InvalidDataError, match="unpacks to more than"):
        dataset.decompressed(gzip.compress(b"0" * 10**6))
