"""Time limits on large tables: samples first, everything verified on all rows, and no work after the end."""

import numpy as np
import pytest

from supersparse import Problem, SLIMClassifier, solve
from supersparse.problem.objective import evaluate
from supersparse.solving import answering, deadline, sampling
from supersparse.solving.monitor import Monitor
from supersparse.solving.options import SolveOptions
from supersparse.solving.presolve import MergeRows
from supersparse.stop import Stop


def table(n, p, seed=0, informative=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    y = X[:, :informative].sum(axis=1) + 0.3 * random.normal(size=n) > 0
    return X, y.astype(int)


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(answering, "_LARGE", 0)
    monkeypatch.setattr(sampling, "_FIRST", 400)
    monkeypatch.setattr(sampling, "_LEAST_ROWS", 100)


def test_no_time_for_all_rows_leaves_a_model_of_a_sample(everything_is_large, monkeypatch):
    monkeypatch.setattr(sampling, "_WORTH", -1.0)  # never time for all rows, nor for a second sample
    prepared = []
    monkeypatch.setattr(answering, "presolve", lambda problem: prepared.append(problem))
    problem = Problem.of(*table(2000, 4), max_features=3)
    solution = solve(problem, time_limit=20)
    assert prepared == []
    assert solution.stop is Stop.TIME_LIMIT
    assert solution.evaluation == evaluate(problem, solution.points)  # of all rows
    assert solution.evaluation.training_errors < 400
    assert solution.lower_bound == 0
    assert not solution.proven_optimal


def test_with_time_for_all_rows_the_proof_is_the_usual_one(everything_is_large):
    X, y = table(60, 2)
    problem = Problem.of(X.round(1), y, C0=0.05, max_points=2)
    sampled = solve(problem, time_limit=1000)
    usual = solve(problem)
    assert sampled.proven_optimal
    assert (sampled.objective, sampled.points) == (usual.objective, usual.points)


def test_wide_tables_are_sampled_in_their_best_columns(everything_is_large, monkeypatch):
    monkeypatch.setattr(sampling, "_WORTH", -1.0)
    monkeypatch.setattr(sampling, "_MOST_COLUMNS", 5)
    X, y = table(300, 60)
    problem = Problem.of(X[:, ::-1], y, max_features=4)
    assert set(solve(problem, time_limit=20).points.support) >= {58, 59}


def test_preparations_stop_at_the_deadline_and_keep_the_sample_s_model(everything_is_large, monkeypatch):
    columns = []
    usual = deadline.look

    def look():
        columns.append(1)
        if len(columns) > 3 and deadline._ends.get() is not None:
            raise deadline.OutOfTime
        usual()

    monkeypatch.setattr(deadline, "look", look)
    problem = Problem.of(*table(500, 6), max_features=3)
    solution = solve(problem, time_limit=1000)
    assert solution.stop is Stop.TIME_LIMIT
    assert solution.points.support


def test_a_sample_s_rare_class_is_drawn_and_weighed(everything_is_large):
    X, _ = table(3000, 2)
    y = np.zeros(3000, int)
    y[:30] = 1
    problem = Problem.of(X, y)
    chosen, weights = sampling._drawn(problem, 200, np.random.default_rng(0))
    positive = problem.rows.positive[chosen]
    assert positive.sum() == 30
    share = weights[positive].sum() / weights.sum()
    assert abs(share - 0.01) < 0.001


def test_constraints_on_rates_hold_on_all_rows(everything_is_large, monkeypatch):
    from supersparse import constraints as c

    monkeypatch.setattr(sampling, "_WORTH", -1.0)
    problem = Problem.of(*table(1500, 3), constraints=[c.min_sensitivity(0.9)])
    assert solve(problem, time_limit=30).evaluation.sensitivity >= 0.9


def test_equal_columns_stay_twins_whatever_their_type():
    from supersparse.solving.exact.instance import twins

    X = np.array([[0, 2**40, 0.5, 1], [1, 2**40 + 1, 1.5, 0], [1, 2**40 + 1, 1.5, 0]])
    problem = MergeRows.apply(Problem.of(X, [0, 1, 0]))
    assert twins(problem) == (-1, 0, -1, 1)  # each points to the one before it


@pytest.mark.long
def test_cpu_time_of_a_fit_on_a_large_table_is_near_its_limit():
    import time

    X, y = table(100_000, 50)
    SLIMClassifier(time_limit=1).fit(X[:100], y[:100])  # compiles
    began = time.process_time()
    with pytest.warns(UserWarning, match="not proven"):
        model = SLIMClassifier(time_limit=5).fit(X, y)
    assert time.process_time() - began < 5 * 1.1 + 1
    assert model.coef_.any()


def test_a_monitor_counts_from_when_it_is_told_to():
    import time

    problem = Problem.of([[0], [1]], [0, 1])
    monitor = Monitor(problem, SolveOptions(time_limit=5), lambda p: p, time.perf_counter() - 10)
    assert monitor.stop_reason() is Stop.TIME_LIMIT
