"""Time limits on large tables: samples first, everything verified on all rows, and no work after the end."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from supersparse import Problem, SLIMClassifier, solve
from supersparse.base import stop
from supersparse.base.stop import Stop
from supersparse.engine import pipeline, sampling
from supersparse.engine.options import SolveOptions
from supersparse.engine.presolve import MergeRows
from supersparse.engine.proving.monitor import Monitor
from supersparse.problem.objective import evaluate


def table(n, p, seed=0, informative=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    y = X[:, :informative].sum(axis=1) + 0.3 * random.normal(size=n) > 0
    return X, y.astype(int)


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(pipeline, "LARGE", 0)
    monkeypatch.setattr(sampling, "FIRST_VALUES", 400)
    monkeypatch.setattr(sampling, "LEAST_ROWS", 100)
    monkeypatch.setattr(sampling, "LEAST_AGAIN", 1.0)  # ten times as long as usual, for a slow machine


def test_no_time_for_all_rows_leaves_a_model_of_a_sample(everything_is_large, monkeypatch):
    monkeypatch.setattr(sampling, "WORTH", -1.0)  # never time for all rows, nor for a second sample
    prepared = []
    monkeypatch.setattr(pipeline, "presolve", lambda problem: prepared.append(problem))
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
    monkeypatch.setattr(sampling, "WORTH", -1.0)
    monkeypatch.setattr(sampling, "MOST_COLUMNS", 5)
    X, y = table(300, 60)
    problem = Problem.of(X[:, ::-1], y, max_features=4)
    assert set(solve(problem, time_limit=20).points.support) >= {58, 59}


def test_preparations_stop_at_the_deadline_and_keep_the_sample_s_model(everything_is_large, monkeypatch):
    looks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: float("inf") if next(looks) > 3 else 0.0)
    monkeypatch.setattr(stop, "time", clock)  # it is asked for the time where there is a deadline
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

    monkeypatch.setattr(sampling, "WORTH", -1.0)
    problem = Problem.of(*table(1500, 3), constraints=[c.min_sensitivity(0.9)])
    assert solve(problem, time_limit=30).evaluation.sensitivity >= 0.9


def test_equal_columns_stay_twins_whatever_their_type():
    from supersparse.engine.exact.literals import twins

    X = np.array([[0, 2**40, 0.5, 1], [1, 2**40 + 1, 1.5, 0], [1, 2**40 + 1, 1.5, 0]])
    problem = MergeRows.apply(Problem.of(X, [0, 1, 0]))
    assert twins(problem) == (-1, 0, -1, 1)  # each points to the one before it


def test_a_risk_model_is_learned_from_samples_too(everything_is_large, monkeypatch):
    monkeypatch.setattr(sampling, "WORTH", -1.0)
    problem = Problem.of(*table(2000, 4), goal="risk", max_features=2, max_points=3)
    solution = solve(problem, time_limit=20)
    assert solution.stop is Stop.TIME_LIMIT
    assert set(solution.points.support) == {0, 1}
    assert solution.evaluation == evaluate(problem, solution.points)


def test_the_log_loss_of_a_large_table_is_that_of_fractions_and_never_below(monkeypatch):
    from supersparse.problem import rows
    from supersparse.problem.log_loss import log_loss, with_best_risk

    X, y = table(300, 3)
    exact = Problem.of(X, y, goal="risk")
    monkeypatch.setattr(rows, "LARGE", 0)
    near = Problem.of(X, y, goal="risk")
    assert near.rows.raw is not None
    assert exact.rows.raw is None
    for coefficients in ((1, 2, 0), (0, 0, 0), (-3, 1, 5)):
        points = with_best_risk(exact, coefficients)
        assert 0 <= log_loss(near, points) - log_loss(exact, points) < 1e-12
        again = with_best_risk(near, coefficients)
        assert abs(log_loss(exact, replace(again, slope=again.slope)) - log_loss(exact, points)) < 1e-12


def test_the_time_reserved_for_what_follows_is_taken_from_the_search():
    monitor = Monitor(Problem.of(*table(20, 2)), SolveOptions(time_limit=1000), lambda points: points)
    ends = monitor.ends
    monitor.reserved = 600.0
    assert monitor.ends == pytest.approx(ends - 600)
    assert monitor.seconds_left < 401
    assert monitor.stop_reason() is None
    monitor.reserved = 1000.0
    assert monitor.stop_reason() is Stop.TIME_LIMIT


def test_a_model_of_a_large_table_is_fitted_once_and_its_card_needs_no_exact_columns(monkeypatch):
    from supersparse.learn.card_of_solution import card_of_solution
    from supersparse.problem import objective, rows

    monkeypatch.setattr(pipeline, "LARGE", 0)
    monkeypatch.setattr(rows, "LARGE", 0)
    monkeypatch.setattr(sampling, "FIRST_VALUES", 400)
    monkeypatch.setattr(sampling, "LEAST_AGAIN", 1.0)
    monkeypatch.setattr(sampling, "WORTH", -1.0)
    fitted, usual = [], objective.with_best_risk

    def counted(problem, coefficients):
        if problem.rows.raw is not None:  # no sample
            fitted.append(tuple(coefficients))
        return usual(problem, coefficients)

    monkeypatch.setattr(objective, "with_best_risk", counted)
    problem = Problem.of(*table(2000, 4), goal="risk", max_features=2, max_points=3, C0=1e-4)
    solution = solve(problem, time_limit=2000)
    assert fitted.count(solution.points.coefficients) == 1
    monkeypatch.setattr(rows, "integer_column", None)
    card = card_of_solution(solution, None)
    above, _ = objective.classified(problem, solution.points)
    found, _ = objective.classified(problem, replace(solution.points, intercept=card.intercept, slope=None))
    assert (above == found).all()


def test_cuts_of_a_large_table_are_learned_from_a_sample_that_holds_every_category():
    from supersparse.learn.prepare.prepare import Prepare
    from supersparse.learn.prepare.sample import Most

    random = np.random.default_rng(0)
    n = 9000
    age = random.integers(20, 90, n).astype(float)
    age[17] = 119.0
    age[18] = np.nan
    town = np.array(["a", "b"], dtype=object)[random.integers(0, 2, n)]
    town[4321] = "rare"
    frame = {"age": age, "town": town}
    y = ((age > 60) | (random.random(n) < 0.1)).astype(int)
    prepare = Prepare().fit_within(frame, y, None, Most(values=5000.0, columns=10))
    assert any("cuts learned from a sample of 250" in note for note in prepare.notes_)
    assert prepare.transform(frame).shape[0] == n
    domains = {d.column: d for d in prepare.raw_questions.domains}
    assert domains["age"].high == 119
    assert "rare" in domains["town"].values
    some = {f"x{j}": (random.random(n) < 0.3).astype(int) for j in range(30)}
    some["x7"] = y
    few = Prepare().fit_within(some, y, None, Most(values=1e9, columns=5))
    assert any("25 of 30 columns were not looked at" in note for note in few.notes_)
    assert "x7" in {feature.column for feature in few.features_}


def test_sparse_columns_are_read_as_they_are():
    import scipy.sparse as sparse

    from supersparse.table.numeric import read_numeric_table

    rows, columns, values = [0, 0, 2, 0], [1, 0, 1, 1], [1.0, 3.0, 2.0, 4.0]  # one place twice
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=(3, 2))
    read = read_numeric_table(matrix)[1]
    assert [column.tolist() for column in read] == [[3, 0, 0], [5, 0, 2]]
    assert read[0].dtype == np.int8
    half = read_numeric_table(sparse.csr_matrix([[0.5, 0], [0, 300.0]]))[1]
    assert [column.tolist() for column in half] == [[0.5, 0.0], [0.0, 300.0]]


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
