"""Nothing that any heuristic finds beats a proven log loss: all of ours, and peers that are installed."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).parents[2]))  # the benchmarks are not installed

from benchmarks import peers
from benchmarks.data import ROOT
from supersparse import Problem, rounded, solve
from supersparse.engine.presolve import presolve
from supersparse.engine.risk.instance import new_best, new_support, risk_instance
from supersparse.engine.risk.search import first_cards
from supersparse.problem.log_loss import log_loss, with_best_risk

pytestmark = [
    pytest.mark.filterwarnings("ignore::supersparse.errors.PenaltyRangeWarning"),
    pytest.mark.filterwarnings("ignore::supersparse.errors.NotProvenWarning"),
]
LARGEST, SIZE, COLUMNS = 5, 3, 8


def drawn(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.choice([2, 4]), (150, COLUMNS)).astype(float)
    X[:, 0] *= rng.choice([1, 10])  # another scale
    z = X @ rng.normal(0, 1, COLUMNS)
    y = (rng.random(150) < 1 / (1 + np.exp(z.mean() - z))).astype(int)
    y[:2] = [0, 1]
    return X, y


def problem_of(X, y, slope="free"):
    return Problem.of(X, y, goal="risk", slope=slope, C0=0, max_points=LARGEST, max_features=SIZE, positive=1)


def loss_of(problem, points):
    whole = [round(float(p)) * problem.unit for p in points]
    assert max(map(abs, whole)) <= LARGEST * problem.unit
    assert sum(w != 0 for w in whole) <= SIZE
    return float(log_loss(problem, with_best_risk(problem, whole)))


def searched(problem, X, y):
    small = presolve(problem)
    instance = risk_instance(small.problem, slope_is_free=problem.slope == "free")
    best = new_best(instance)
    first_cards(instance, new_support(instance), best, lambda: False)
    points = np.zeros(COLUMNS)
    for q, j in enumerate(instance.kept):
        points[j] = float(instance.values[q][best.index[q]])
    return points


def rounded_regression(problem, X, y):
    full = LogisticRegression(C=np.inf).fit(X, y).coef_[0]
    columns = np.argsort(-np.abs(full * X.std(axis=0)))[:SIZE]
    beta = np.zeros(COLUMNS)
    beta[columns] = LogisticRegression(C=np.inf).fit(X[:, columns], y).coef_[0]
    scales = np.linspace(1, LARGEST, 9) / np.abs(beta).max()
    return min((np.round(beta * scale) for scale in scales), key=lambda w: loss_of(problem, w))


def polished(problem, X, y):
    points = rounded_regression(problem, X, y)
    best = loss_of(problem, points)
    for j in [*np.flatnonzero(points), *np.flatnonzero(points)]:
        for step in (-1, 1):
            other = points.copy()
            other[j] += step
            if abs(other[j]) <= LARGEST and loss_of(problem, other) < best:
                points, best = other, loss_of(problem, other)
    return points


def rounded_to_the_sets(problem, X, y):
    return rounded(problem, LogisticRegression(C=np.inf).fit(X, y)).values


def for_fewest_errors(problem, X, y):
    asked = {"max_points": LARGEST, "max_features": SIZE, "C0": 0.001, "positive": 1}
    return solve(Problem.of(X, y, **asked), node_limit=20).points.values


def after_one_node(problem, X, y):
    return solve(problem, node_limit=1).points.values


def of_highs(problem, X, y):
    return solve(problem, "highs", node_limit=2).points.values


def of_scip(problem, X, y):
    return solve(problem, "scip", time_limit=2).points.values


def at_random(problem, X, y):
    rng = np.random.default_rng(0)
    cards = np.zeros((40, COLUMNS))
    for card in cards:
        card[rng.choice(COLUMNS, SIZE, replace=False)] = rng.integers(-LARGEST, LARGEST + 1, SIZE)
    return min(cards, key=lambda w: loss_of(problem, w))


HEURISTICS = [
    searched, rounded_regression, polished, rounded_to_the_sets, for_fewest_errors, after_one_node,
    at_random,
]  # fmt: skip


def check(seed, slope, heuristics):
    X, y = drawn(seed)
    problem = problem_of(X, y, slope)
    proven = solve(problem)
    assert proven.proven_optimal
    for heuristic in heuristics:
        loss = loss_of(problem, heuristic(problem, X, y))
        assert loss >= float(proven.objective) - 1.1e-9, heuristic.__name__


@pytest.mark.parametrize("slope", ["free", 1])
def test_no_heuristic_beats_a_proof(slope):
    check(0, slope, HEURISTICS)


@pytest.mark.long
@pytest.mark.parametrize("slope", ["free", 1])
@pytest.mark.parametrize("seed", range(1, 21))
def test_no_heuristic_beats_a_proof_on_many_tables(seed, slope):
    check(seed, slope, [*HEURISTICS, of_highs])


@pytest.mark.long
@pytest.mark.parametrize("slope", ["free", 1])
def test_no_round_of_scip_beats_a_proof(slope):
    pytest.importorskip("pyscipopt")
    for seed in range(21, 24):
        check(seed, slope, [of_scip])


@pytest.mark.long
@pytest.mark.parametrize("package", ["imodels", "fasterrisk"])
def test_no_peer_beats_a_proof(package):
    if not (ROOT / "benchmarks" / f".{package}-venv" / ".installed").exists():
        pytest.skip(f"{package} is not installed; `make bench-risk` does that")
    tables = [drawn(seed) for seed in range(8)]
    if package == "imodels":
        found = peers.fast_risks([(X, y, SIZE, LARGEST) for X, y in tables])
    else:
        found = [peers.faster_risk(X, y, SIZE, LARGEST) for X, y in tables[:3]]
    for (X, y), peer in zip(tables, found, strict=False):
        problem = problem_of(X, y)
        proven = solve(problem)
        assert proven.proven_optimal
        assert loss_of(problem, peer.points) >= float(proven.objective) - 1.1e-9
