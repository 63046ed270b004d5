"""The stored comparisons with heuristics: nothing beats a proof, and the page shows what is stored."""

import json

import numpy as np
import pytest

from benchmarks import risk_folds, risk_peers, risk_random, risk_tables
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
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("page", risk_folds.PAGES, ids=lambda path: path.name)
def test_the_page_shows_the_stored_tables(page):
    assert risk_folds.with_tables(page) == page.read_text(encoding="utf-8")


def test_every_method_was_measured_on_every_fold():
    found = risk_folds.recorded()
    measured = sorted((m.table, m.method, m.fold) for m in found)
    assert measured == sorted(
        (table, method, fold)
        for table in risk_folds.TABLES
        for method in risk_folds.METHODS
        for fold in range(risk_folds.FOLDS)
    )


def test_no_stored_fold_beats_what_was_proven():
    found = risk_folds.recorded()
    for slope, methods in {
        "least log loss": ("FastRisk", "FasterRisk", "fewest errors", "least log loss, slope 1"),
        "least log loss, slope 1": ("our program in RiskSLIM's form, slope 1",),
    }.items():
        proven = {(m.table, m.fold): m.training_loss for m in found if m.method == slope and m.proof_seconds}
        assert len(proven) > 10
        for m in found:
            if m.method in methods and (m.table, m.fold) in proven:
                assert m.training_loss >= proven[m.table, m.fold] - 2e-9, m


def test_no_stored_first_card_is_worse_than_that_of_the_peer():
    pairs = risk_random.recorded()
    assert [pair.seed for pair in pairs] == list(range(risk_random.TABLES))
    assert [pair.seed for pair in pairs if pair.result == "worse"] == []
    assert {pair.features for pair in pairs} == {3, 4, 5, 6, 7}


def test_a_random_table_is_the_same_again_and_varied():
    (one, size), (again, same) = risk_random.draw(7), risk_random.draw(7)
    assert (one.X == again.X).all()
    assert size == same
    shapes = [risk_random.draw(seed)[0].X.shape for seed in range(12)]
    assert len(set(shapes)) == 12
    assert all(100 <= rows <= 2000 and 5 <= columns <= 60 for rows, columns in shapes)


def test_every_stored_table_is_proven_in_the_time_it_may_take():
    lines = [json.loads(line) for line in risk_tables.RESULTS.read_text(encoding="utf-8").splitlines()]
    assert [line["table"] for line in lines if not line["proven"]] == []
    late = {
        (line["table"].partition(",")[0], line["rows"])
        for line in lines
        if line["cpu_seconds"] > line["seconds_allowed"]
    }
    assert late <= {("spambase", 4601)}


def test_generated_tables_are_the_same_again():
    for draw in (risk_tables.mixed, risk_tables.binary, risk_tables.thresholds):
        one, again = draw(50, 12, 3), draw(50, 12, 3)
        assert one.X.shape == (50, 12)
        assert (one.X == again.X).all()
        assert (one.y == again.y).all()
        assert 0 < one.y.sum() < 50
