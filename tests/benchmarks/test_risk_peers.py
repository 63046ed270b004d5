"""The stored comparisons with heuristics: nothing beats a proof, and the page shows what is stored."""

import json

import numpy as np
import pytest

from benchmarks import risk_peers
from benchmarks.data import ROOT, Table
from benchmarks.peers import PeerScore


def drawn(seed, columns=8):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.choice([2, 4]), (150, columns)).astype(float)
    z = X @ rng.normal(0, 1, columns)
    y = (rng.random(150) < 1 / (1 + np.exp(z.mean() - z))).astype(int)
    y[:2] = [0, 1]
    return Table(X, y, tuple(f"x{j}" for j in range(columns)))


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
