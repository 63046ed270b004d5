"""Memory is estimated before it is taken."""

import numpy as np
import pytest
from typer.testing import CliRunner

from supersparse import Problem, RiskScoreClassifier, SLIMClassifier, solve
from supersparse.base.stop import Stop, free_bytes
from supersparse.engine import pipeline, sampling
from supersparse.errors import TooLargeError
from supersparse.show.cli.app import app


def table(n, p):
    random = np.random.default_rng(0)
    X = random.integers(0, 1000, (n, p))
    return X, (X[:, 0] > 500).astype(int)


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(pipeline, "_ALWAYS_TRIED", 0)
    monkeypatch.setattr(pipeline, "free_bytes", lambda: 100_000)


def test_a_table_beyond_the_memory_is_refused_with_its_size_and_a_remedy(little_memory):
    problem = Problem.of(*table(300, 20))
    with pytest.raises(TooLargeError, match=r"300 rows and 20 columns need about .* GB.*give a time_limit"):
        solve(problem)


@pytest.mark.parametrize(
    "model",
    [
        SLIMClassifier(C0=0.01, time_limit=None),
        SLIMClassifier(C0=0.01, time_limit=None, prepare="auto"),
        RiskScoreClassifier(C0=0.01, max_features=3, time_limit=None, prepare=None),
        RiskScoreClassifier(C0=0.01, max_features=3, time_limit=None, questions=False),
    ],
    ids=["errors", "errors, prepared", "risk", "risk, prepared"],
)
def test_estimators_refuse_it_as_well(model, little_memory):
    with pytest.raises(TooLargeError, match=r"\d+ rows and \d+ columns need about .* GB.*give a time_limit"):
        model.fit(*table(300, 20))


def test_the_command_line_refuses_it_in_one_line(little_memory, tmp_path):
    X, y = table(300, 20)
    rows = [",".join(map(str, [label, *row])) for label, row in zip(y.tolist(), X.tolist(), strict=True)]
    header = ",".join(["y", *(f"x{j}" for j in range(20))])
    (tmp_path / "data.csv").write_text("\n".join([header, *rows]) + "\n")
    call = ["fit", str(tmp_path / "data.csv"), "--goal", "errors", "--target", "y", "--C0", "0.01", "--no-validate"]
    call += ["--no-prepare"]
    done = CliRunner().invoke(app, call)
    assert isinstance(done.exception, TooLargeError)
    assert "300 rows and 20 columns need about" in str(done.exception)


def test_equal_rows_are_merged_before_they_are_counted(little_memory):
    X, y = table(100, 2)
    problem = Problem.of(X // 500, y)
    assert solve(problem).proven_optimal


def test_with_a_time_limit_a_sample_gives_the_model(little_memory, monkeypatch):
    monkeypatch.setattr(pipeline, "LARGE", 0)
    monkeypatch.setattr(sampling, "FIRST_VALUES", 400)
    monkeypatch.setattr(sampling, "LEAST_AGAIN", 1.0)  # ten times as long as usual, for a slow machine
    solution = solve(Problem.of(*table(300, 20)), time_limit=10_000)
    assert solution.stop is Stop.MEMORY_LIMIT
    assert solution.evaluation.training_errors == 0


def test_the_free_memory_is_known_or_not_asked_for():
    free = free_bytes()
    assert free is None or free > 0
