"""The log-loss engine: threads, limits, checkpoints and interruptions."""

import signal
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from solvers import signal_at_first_model
from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.base.stop import Stop
from supersparse.engine.presolve import presolve
from supersparse.engine.proving import checkpoint
from supersparse.engine.risk import engine, search, worker
from supersparse.engine.risk.instance import risk_instance
from supersparse.engine.risk.node import node_from_bytes, root_of
from supersparse.errors import InvalidOptionError
from supersparse.problem.fingerprint import fingerprint

pytestmark = pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning")
CLOSE = Fraction(11, 10**10)  # two proofs may end with cards that differ by the tolerance


def medium(**asked):
    """Twenty correlated binary columns, and labels that several of them tell."""
    random = np.random.default_rng(5)
    hidden = random.normal(size=(300, 4))
    X = (hidden[:, random.integers(0, 4, 20)] + random.normal(size=(300, 20)) > 0.3).astype(int)
    y = (hidden.sum(axis=1) + random.normal(size=300) > 0.5).astype(int)
    return Problem.of(X, y, goal="risk", **{"C0": 0, "max_points": 3, "max_features": 4, **asked})


@pytest.fixture
def small_steps(monkeypatch):
    """Put an enumeration down after very little work, and branch rather than enumerate; search first."""
    monkeypatch.setattr(engine.RiskRun, "soon", 0)
    monkeypatch.setattr(worker, "SLICE", 20_000)
    monkeypatch.setattr(worker, "_ENUMERATE_BITS", 3.0)
    monkeypatch.setattr(worker, "_ENUMERATE", 3.0)


VARIANTS = [
    {"max_features": 5},
    {"slope": 1, "C0": 0.004, "max_features": 3},
    {"constraints": [c.min_sensitivity(0.9)], "risk_threshold": 0.4, "max_features": 3},
]


@pytest.mark.parametrize("asked", VARIANTS)
def test_threads_find_the_same_optimum(asked, small_steps):
    alone, together = (solve(medium(**asked), n_jobs=n) for n in (1, 3))
    assert alone.proven_optimal
    assert together.proven_optimal
    assert abs(alone.objective - together.objective) <= CLOSE


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("asked", VARIANTS)
def test_a_solve_stopped_again_and_again_ends_with_the_optimum(tmp_path, threads, asked, small_steps):
    problem, file = medium(**asked), tmp_path / "file"
    best = solve(problem)
    limit, bounds = max(40, best.nodes // 4), []  # boxes of a support are not saved
    for _ in range(300):
        part = solve(problem, checkpoint=file, node_limit=limit, n_jobs=threads)
        bounds.append(part.lower_bound)
        assert part.lower_bound <= best.objective
        if part.stop is Stop.OPTIMAL:
            break
        assert file.exists()
    assert part.stop is Stop.OPTIMAL
    assert abs(part.objective - best.objective) <= CLOSE
    assert bounds == sorted(bounds)
    assert threads > 1 or len(bounds) > 1
    assert not file.exists()


def test_one_thread_stops_at_a_node_limit_in_the_same_place(small_steps):
    first, again = (solve(medium(), node_limit=15) for _ in range(2))
    assert first.stop is Stop.NODE_LIMIT
    assert (first.points, first.lower_bound, first.nodes) == (again.points, again.lower_bound, again.nodes)
    assert first.lower_bound < first.objective


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_signals_keep_the_card_and_the_checkpoint(name, tmp_path, small_steps):
    number, file = getattr(signal, name), tmp_path / "open tree"
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup")
    solution = solve(medium(), checkpoint=file, on_progress=signal_at_first_model(number))
    assert solution.stop is Stop.INTERRUPTED
    assert file.exists()
    assert signal.getsignal(number) is before
    resumed = solve(medium(), checkpoint=file)
    assert resumed.proven_optimal


def test_saving_all_the_time_beside_threads_loses_nothing(tmp_path, monkeypatch, small_steps):
    monkeypatch.setattr(checkpoint, "SAVE_EVERY", 0.0)
    solution = solve(medium(), n_jobs=2, checkpoint=tmp_path / "file")
    assert solution.proven_optimal
    assert abs(solution.objective - solve(medium()).objective) <= CLOSE


@pytest.fixture
def searches(monkeypatch):
    """How often the second half of the search has begun."""
    begun, regrow = [], search._regrow

    def counted(*given):
        begun.append(1)
        regrow(*given)

    monkeypatch.setattr(search, "_regrow", counted)
    return begun


def test_what_is_proven_with_little_work_is_not_searched_for_any_longer(searches, monkeypatch):
    asked = medium(C0=0.001)  # without a penalty, another search finds the first card
    soon = solve(asked)
    assert soon.proven_optimal
    assert not searches
    monkeypatch.setattr(engine.RiskRun, "soon", 0)
    late = solve(asked)
    assert late.proven_optimal
    assert len(searches) == 1
    assert abs(soon.objective - late.objective) <= CLOSE


def test_with_a_limit_on_nodes_the_search_is_done_before_the_proof_begins(searches):
    stopped = solve(medium(C0=0.001), node_limit=0)
    assert stopped.stop is Stop.NODE_LIMIT
    assert len(searches) == 1


@pytest.mark.parametrize("asked", [{"C0": 0.001}, {"slope": 1}, {"C0": 0.003, "max_features": None}])
def test_a_proof_that_waits_for_the_search_goes_on_where_it_was(asked, searches, monkeypatch):
    whole = solve(medium(**asked))
    starts, roots = [], engine.RiskTree.roots
    monkeypatch.setattr(engine.RiskTree, "roots", lambda tree: (starts.append(1), roots(tree))[1])
    monkeypatch.setattr(worker, "SLICE", 3_000)
    monkeypatch.setattr(engine.RiskRun, "soon", 30_000)
    cut = solve(medium(**asked))
    assert searches
    assert len(starts) == 1  # what was done before the search is not done again
    assert cut.proven_optimal
    assert abs(cut.objective - whole.objective) <= CLOSE


def test_a_node_is_the_same_after_writing_and_reading():
    instance = risk_instance(presolve(medium()).problem, slope_is_free=True)
    node = root_of(instance, 0.5, -1.0, instance.data.zero)
    again = node_from_bytes(node.to_bytes(), instance)
    for mine, other in zip(vars(node).values(), vars(again).values(), strict=True):
        assert np.array_equal(mine, other)


def test_a_checkpoint_of_another_problem_and_one_that_no_search_wrote_are_refused(tmp_path, small_steps):
    file = tmp_path / "file"
    solve(medium(), checkpoint=file, node_limit=15)
    with pytest.raises(InvalidOptionError, match="belongs to another problem"):
        solve(medium(max_points=2), checkpoint=file)
    identity = fingerprint(presolve(medium()).problem)
    content = checkpoint.load(file, "supersparse risk checkpoint 2", identity)
    del content["problem"]
    for forged in ({"nodes": ["AAAA"]}, {"coefficients": [99] * 20}, {"floor": "low"}):
        checkpoint.save(file, "supersparse risk checkpoint 2", identity, {**content, **forged})
        with pytest.raises(InvalidOptionError, match="was not written by a search"):
            solve(medium(), checkpoint=file)


@pytest.mark.parametrize("factor", [1, 10])
def test_slope_one_is_proven_on_raw_columns_of_thousands(factor):
    # where points make logits of thousands, relaxations round by more than 1e-9, but single cards do not
    X, y = load_breast_cancer(return_X_y=True)
    problem = Problem.of(np.round(factor * X[:, :6]), y, goal="risk", slope=1, C0=1e-6, max_points=5)
    instance = risk_instance(presolve(problem).problem, slope_is_free=False)
    assert instance.data.limits[2] > 3e-10 * factor
    assert instance.data.tolerance == 1e-9
    assert solve(replace(problem, max_features=2)).proven_optimal


def test_slope_one_is_proven_on_decimals_far_from_zero():
    # dates in seconds, say: only what the shift of a column is beside a whole number moves the best intercept
    rng = np.random.default_rng(1)
    X = rng.integers(-30, 31, (60, 3))
    y = (X[:, 0] - X[:, 1] + rng.normal(0, 15, 60) > 0).astype(int)
    near, far = (
        solve(Problem.of((at + X) / 10, y, goal="risk", slope=1, C0=1e-6, max_points=3)) for at in (0, 17_000_000_000)
    )
    assert near.proven_optimal
    assert far.proven_optimal
    assert near.points.values == far.points.values
    assert float(far.objective) == pytest.approx(float(near.objective), abs=1e-12)
