"""One executor for everything: folds, frontier, path, pool and bootstrap, of both goals."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from engine.losing import Answering, Closing, Losing, Silent, patient
from supersparse import (
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    SLIMClassifier,
    SLIMClassifierCV,
    constraints,
    frontier,
    pool,
    solve,
)
from supersparse.engine.answers.penalty_grid import solve_each_penalty
from supersparse.engine.exact.engine import ErrorsRun
from supersparse.engine.proving import executors
from supersparse.engine.proving.executors import each_on
from supersparse.engine.risk.engine import RiskRun
from supersparse.errors import InfeasibleError, InvalidOptionError, WorkerLostWarning
from supersparse.learn.recipe import Recipe
from supersparse.learn.rows import TrainingRows
from supersparse.learn.settings.settings import Settings
from supersparse.learn.splits import Folds, splits_of
from supersparse.learn.validation import validate
from supersparse.problem.problem import Problem
from supersparse.show.report import Plan, make_report

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.usefixtures(patient.__name__),
]
GOALS = ["errors", "risk"]
ASKED = {"max_points": 2, "max_features": 2, "time_limit": None}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Send slices from the start, however small the problem."""
    monkeypatch.setattr(ErrorsRun, "alone_before_executor", 0)
    monkeypatch.setattr(RiskRun, "alone_before_executor", 0)
    monkeypatch.setattr(RiskRun, "soon", 0)


class Noting(Losing):
    """Keeps the names of the functions that it is given, and whether they can travel."""

    def __init__(self, *given):
        super().__init__(*given)
        self.names = []

    def submit(self, function, /, *args, **kwargs):
        pickle.dumps((function, args))
        self.names.append(getattr(function, "__name__", type(function).__name__))
        return super().submit(function, *args, **kwargs)


def table(n=120):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (n, 5))
    y = (rng.random(n) < 1 / (1 + np.exp(2 - 1.5 * X[:, 0] - X[:, 1] + X[:, 2]))).astype(int)
    return X, y


def classifier(goal, *, cv=False, **asked):
    made = {
        ("errors", False): SLIMClassifier,
        ("errors", True): SLIMClassifierCV,
        ("risk", False): RiskScoreClassifier,
        ("risk", True): RiskScoreClassifierCV,
    }[goal, cv]
    numbers = {"prepare": None} if goal == "risk" else {}
    return made(**{**ASKED, **numbers, **({"Cs": [0.01, 0.1], "cv": 3} if cv else {"C0": 0.01}), **asked})


@pytest.mark.parametrize("goal", GOALS)
def test_a_classifier_proves_on_its_executor_and_a_clone_shares_it(goal):
    X, y = table()
    with Noting() as executor:
        model = classifier(goal, executor=executor)
        assert clone(model).executor is executor
        model.fit(X, y)
    assert set(executor.names) == {"run_remotely"}
    alone = classifier(goal).fit(X, y)
    assert model.proven_optimal_
    assert model.objective_ == pytest.approx(alone.objective_, abs=1.1e-9)


@pytest.mark.parametrize("goal", GOALS)
def test_a_pickle_leaves_the_executor_out(goal):
    X, y = table()
    with Noting() as executor:
        model = classifier(goal, executor=executor).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
    assert model.executor is executor
    assert again.executor is None
    assert (again.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("n_jobs", [0, "2", 1.5])
def test_n_jobs_is_refused_with_what_to_give(goal, n_jobs):
    X, y = table()
    match = f"n_jobs is {n_jobs!r}; give a whole number of at least 1, or -1 for one per core"
    with pytest.raises(InvalidOptionError, match=match):
        classifier(goal, n_jobs=n_jobs).fit(X, y)
    problem = Problem.of(X, y, goal=goal, C0=0.01, max_points=2, max_features=2)
    with pytest.raises(InvalidOptionError, match=match):
        solve(problem, n_jobs=n_jobs)
    with pytest.raises(InvalidOptionError, match="checkpoint is 5; give the path of a file"):
        solve(problem, checkpoint=5)
    assert solve(problem, n_jobs=None).proven_optimal


@pytest.mark.parametrize("goal", GOALS)
def test_the_folds_of_a_cross_validation_run_on_the_executor(goal):
    X, y = table()
    with Noting({2}) as executor, pytest.warns(WorkerLostWarning, match="its fold is done again"):
        found = classifier(goal, cv=True, executor=executor).fit(X, y)
    assert executor.names.count("FitsOfFold") == 3 + 1  # one of them was lost
    assert "run_remotely" in executor.names  # the final fit
    alone = classifier(goal, cv=True).fit(X, y)
    for name in ("C0_", "C0_by_rule_", "best_score_"):
        assert getattr(found, name) == getattr(alone, name)
    for k in range(3):
        key = f"split{k}_test_score"
        assert np.allclose(found.cv_results_[key], alone.cv_results_[key], atol=1e-8)


@pytest.mark.parametrize("result", [None, object(), [1]])
def test_a_fold_that_comes_back_as_anything_else_is_learned_here(result):
    X, y = table()
    with (
        Answering(result) as executor,
        pytest.warns(WorkerLostWarning, match="its slice is done again"),  # of the final fit
        pytest.warns(WorkerLostWarning, match="it answered with .*; its fold is done again"),
    ):
        found = classifier("errors", cv=True, executor=executor).fit(X, y)
    assert found.best_score_ == classifier("errors", cv=True).fit(X, y).best_score_


def test_without_workers_the_folds_are_learned_here():
    X, y = table()
    with Losing(last=1) as executor, pytest.warns(WorkerLostWarning, match="the rest is done here"):
        found = classifier("errors", cv=True, executor=executor).fit(X, y)
    assert found.best_score_ == classifier("errors", cv=True).fit(X, y).best_score_


def test_an_error_of_a_fold_is_raised_and_no_worker_counts_as_lost():
    X, y = table()
    asked = {"constraints": [constraints.max_error(0.001)]}
    with Noting() as executor, pytest.raises(InfeasibleError, match="training rows of fold"):
        classifier("errors", cv=True, executor=executor, **asked).fit(X, y)
    assert executor.names.count("FitsOfFold") <= 3


@pytest.mark.parametrize("goal", GOALS)
def test_what_the_command_line_validates_uses_the_executor_of_the_recipe(goal, monkeypatch):
    monkeypatch.setattr("supersparse.learn.crossfit._START", 0.0)
    X, y = table()
    rows, folds = TrainingRows(X=X, y=y, sample_weight=None, rate_groups=None), Folds(splits=splits_of(y, 3))
    settings = Settings.of(goal=goal, C0=0.01, max_points=2, max_features=2)

    def validated(executor):
        recipe = Recipe(settings=settings, options={"time_limit": None, "executor": executor})
        return validate(recipe, rows, folds)

    with Noting() as executor:
        found = validated(executor)
    assert executor.names == ["FitsOfFold", "FitsOfFold"]  # the first fold is learned here
    assert found.chosen.costs == validated(None).chosen.costs


@pytest.mark.parametrize("goal", GOALS)
def test_frontier_path_pool_and_bootstrap_use_the_executor(goal):
    X, y = table()
    problem = Problem.of(X, y, goal=goal, C0=0.01, max_points=2, max_features=2)
    card = classifier(goal).fit(X, y).scoring_system_
    frame = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    plan = Plan(repeats=1, folds=2, ratios=0, bootstrap=2, larger=1, time_limit=None)
    asked = {
        "frontier": lambda executor: [
            float(row.solution.objective) for row in frontier(problem, 2, executor=executor).rows
        ],
        "path": lambda executor: [
            float(one.objective) for one in solve_each_penalty(problem, [0.01, 0.05], executor=executor)
        ],
        "pool": lambda executor: [float(pool(problem, 0.05, executor=executor).best)],
        "report": lambda executor: [float(len(make_report(card, frame, y, plan=plan, executor=executor).missing))],
    }
    for name, ask in asked.items():
        with Noting() as executor:
            found = ask(executor)
        assert set(executor.names) == {"run_remotely"}, name
        assert found == pytest.approx(ask(None), abs=1.1e-9), name


def test_tasks_come_back_in_order_however_they_end():
    with Losing({1, 2, 3, 5, 6, 8}) as executor, pytest.warns(WorkerLostWarning):
        assert list(each_on(executor, pow, ((n, 2) for n in range(20)), "it")) == [n**2 for n in range(20)]
    with Losing(last=3) as executor, pytest.warns(WorkerLostWarning):
        assert list(each_on(executor, pow, ((n, 2) for n in range(20)), "it")) == [n**2 for n in range(20)]
    with Losing({2, 3}, error=KeyboardInterrupt()) as executor, pytest.warns(WorkerLostWarning):
        assert list(each_on(executor, pow, ((n, 2) for n in range(4)), "it")) == [0, 1, 4, 9]
    with Losing() as executor:
        assert list(each_on(executor, pow, [], "it")) == []


def test_tasks_that_a_pool_cancels_when_it_is_shut_down_are_done_here():
    with (
        Closing(2) as executor,
        pytest.warns(WorkerLostWarning, match="the rest is done here"),
        pytest.warns(WorkerLostWarning, match="CancelledError"),
    ):
        assert list(each_on(executor, pow, ((n, 2) for n in range(4)), "it")) == [0, 1, 4, 9]


def test_tasks_are_done_here_while_no_worker_answers_for_long(monkeypatch):
    monkeypatch.setattr(executors, "START_SECONDS", 0.05)
    monkeypatch.setattr(executors, "_LOOK_SECONDS", 0.01)
    with (
        Silent(range(10**6)) as executor,
        pytest.warns(WorkerLostWarning, match="not answered for 0 seconds; it is done here") as told,
    ):
        assert list(each_on(executor, pow, ((n, 2) for n in range(8)), "it")) == [n**2 for n in range(8)]
    assert len(told) == 1


def test_a_task_that_never_comes_back_is_done_here(monkeypatch):
    monkeypatch.setattr(executors, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(executors, "_LOOK_SECONDS", 0.01)
    with Silent({3, 20}) as executor, pytest.warns(WorkerLostWarning, match="seconds; it is done here"):
        assert list(each_on(executor, pow, ((n, 2) for n in range(20)), "it")) == [n**2 for n in range(20)]
