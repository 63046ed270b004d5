"""Nothing that a heuristic finds beats a proven log loss."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks import risk_peers
from benchmarks.data import ROOT, Table
from benchmarks.peers import PeerScore
from supersparse import solve
from supersparse.problem.log_loss import log_loss, with_best_risk


def drawn(seed, columns=8):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.choice([2, 4]), (150, columns)).astype(float)
    z = X @ rng.normal(0, 1, columns)
    y = (rng.random(150) < 1 / (1 + np.exp(z.mean() - z))).astype(int)
    y[:2] = [0, 1]
    return Table(X, y, tuple(f"x{j}" for j in range(columns)))


def rounded_and_polished(table, problem, size):
    """A logistic regression cut to its largest columns, rounded at many scales, improved by single steps."""
    X, y = table.X, table.y
    full = LogisticRegression(C=np.inf).fit(X, y).coef_[0]
    columns = np.argsort(-np.abs(full * X.std(axis=0)))[:size]
    beta = np.zeros(len(full))
    beta[columns] = LogisticRegression(C=np.inf).fit(X[:, columns], y).coef_[0]

    def loss(points):
        return float(log_loss(problem, with_best_risk(problem, [int(p) * problem.unit for p in points])))

    scales = np.linspace(1, 5, 9) / np.abs(beta).max()
    points = min((np.round(beta * scale) for scale in scales), key=loss)
    best = loss(points)
    for j in [*columns, *columns]:
        for step in (-1, 1):
            other = points.copy()
            other[j] += step
            if abs(other[j]) <= risk_peers.LARGEST and loss(other) < best:
                points, best = other, loss(other)
    return best


@pytest.mark.parametrize("seed", range(8))
def test_rounding_and_single_steps_never_beat_a_proof(seed):
    table = drawn(seed)
    problem = risk_peers.problem_of(table, 3)
    solution = solve(problem)
    assert solution.proven_optimal
    assert rounded_and_polished(table, problem, 3) >= float(solution.objective) - 1.1e-9


@pytest.mark.long
@pytest.mark.parametrize("package", ["imodels", "fasterrisk"])
def test_the_peers_never_beat_a_proof(package):
    if not (ROOT / "benchmarks" / f".{package}-venv" / ".installed").exists():
        pytest.skip(f"{package} is not installed; `make bench-risk` does that")
    fit = risk_peers.PEERS["FastRisk" if package == "imodels" else "FasterRisk"]
    for seed in range(5):
        table = drawn(seed)
        problem = risk_peers.problem_of(table, 3)
        solution = solve(problem)
        assert solution.proven_optimal
        peer = fit(table.X, table.y, 3, risk_peers.LARGEST)
        assert risk_peers.loss_of(problem, peer) >= float(solution.objective) - 1.1e-9


def test_no_stored_run_beats_what_was_proven():
    stored = [json.loads(line) for line in risk_peers.RESULTS.read_text(encoding="utf-8").splitlines()]
    lines = [risk_peers.Line(**{k: v for k, v in one.items() if k != "machine"}) for one in stored]
    assert {one.method for one in lines} == {"supersparse", *risk_peers.PEERS}
    assert any(one.proven for one in lines)
    assert risk_peers.beaten(lines) == []
    page = (ROOT / "docs" / "errors-or-risk.md").read_text(encoding="utf-8")
    assert risk_peers.in_markdown(lines) in page


def test_a_card_that_beats_a_proof_is_reported():
    def line(method, loss, proven):
        return risk_peers.Line(
            table="t", features=3, method=method, loss=loss, seconds=1.0, proof_seconds=None,
            proven=proven, version="1",
        )  # fmt: skip

    better = line("FastRisk", 0.5 - 1e-6, False)
    assert risk_peers.beaten([line("supersparse", 0.5, True), better]) == [better]
    assert risk_peers.beaten([line("supersparse", 0.5, True), line("FastRisk", 0.5, False)]) == []
    assert risk_peers.beaten([line("supersparse", 0.5, False), better]) == []


def test_a_peer_that_breaks_the_limits_is_refused():
    problem = risk_peers.problem_of(drawn(0), 3)
    many = PeerScore(points=np.ones(8), scale=1.0, intercept=0.0, seconds=0.0, version="1")
    with pytest.raises(ValueError, match="break the limits"):
        risk_peers.loss_of(problem, many)
