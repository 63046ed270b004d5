"""Soft labels where errors are counted: a row counts |2p - 1| times, for the class that p favours."""

from fractions import Fraction

import numpy as np
import pytest

from supersparse import Problem, solve
from supersparse import constraints as c
from supersparse.base.errors import InvalidDataError, InvalidProblemError
from supersparse.problem.fingerprint import fingerprint
from supersparse.problem.objective import evaluate


def table(seed=0, rows=40):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, 3))
    y = (X @ [1, -1, 1] + rng.normal(0, 1, rows) > 0.3).astype(int)
    soft = np.clip(0.5 * y + 0.5 * rng.random(rows), 0, 1)
    soft[:3] = 0.5, 0.25, 1.0
    return X, y, soft, rng.integers(1, 4, rows)


@pytest.mark.parametrize("seed", range(4))
def test_a_row_counts_for_the_class_that_its_label_favours(seed):
    X, y, soft, weight = table(seed)
    problem = Problem.of(X, y, soft_labels=soft, sample_weight=weight, max_points=3, C0=0.01)
    p = np.round(soft * 2**20) / 2**20
    lean = np.abs(2 * p - 1)
    kept = lean > 0
    other = Problem.of(
        X[kept],
        (p > 0.5)[kept],
        sample_weight=(weight * lean * 2**20)[kept].astype(int),
        max_points=3,
        C0=0.01,
        positive=True,
    )
    ours, theirs = solve(problem), solve(other)
    assert ours.objective == theirs.objective
    assert ours.proven_optimal
    total = X @ [float(v) for v in ours.points.coefficients] + float(ours.points.intercept_value)
    wrong = np.where(p > 0.5, total <= 0, total >= 0)[kept]
    share = (weight * lean)[kept][wrong].sum() / (weight * lean)[kept].sum()
    assert float(evaluate(problem, ours.points).loss) == pytest.approx(share, abs=1e-12)
    assert problem.class_totals[1] == sum(
        (Fraction(w) * Fraction(v) for w, v in zip(weight[p > 0.5].tolist(), lean[p > 0.5].tolist(), strict=True)),
        Fraction(0),
    )


@pytest.mark.parametrize("solver", ["exact", "exhaustive", "highs"])
@pytest.mark.parametrize("seed", range(3))
def test_rates_count_the_classes_and_never_the_labels(solver, seed):
    X, y, soft, weight = table(seed)
    groups = {"sex": np.where(np.arange(len(y)) % 2, "F", "M")}
    limits = [c.min_sensitivity(0.8), c.max_difference("specificity", group="sex", at_most=0.5)]
    settings = {"soft_labels": soft, "sample_weight": weight, "rate_groups": groups, "max_points": 2, "C0": 0.01}
    problem = Problem.of(X, y, constraints=limits, **settings)
    found = solve(problem, solver)
    total = X @ [float(v) for v in found.points.coefficients] + float(found.points.intercept_value)
    assert weight[(y == 1) & (total > 0)].sum() >= 0.8 * weight[y == 1].sum()
    rates = [
        weight[chosen & (total < 0)].sum() / weight[chosen].sum()
        for chosen in ((y == 0) & (groups["sex"] == name) for name in ("F", "M"))
    ]
    assert abs(rates[0] - rates[1]) <= 0.5
    assert found.objective == solve(problem, "exhaustive").objective
    assert found.objective >= solve(Problem.of(X, y, **settings)).objective


def test_labels_that_cannot_be_used_are_refused_with_the_remedy():
    X, y, soft, _ = table()
    with pytest.raises(InvalidDataError, match="both sides of 1/2"):
        Problem.of(X, y, soft_labels=soft / 4)
    with pytest.raises(InvalidProblemError, match=r"Problem\.of_questions"):
        Problem.of(X, y, goal="risk", soft_labels=soft)
    problem = Problem.of(X, y, soft_labels=soft)
    with pytest.raises(InvalidProblemError, match="when the problem is made"):
        problem.asking([c.min_sensitivity(0.8)])
    assert len({fingerprint(each) for each in (problem, Problem.of(X, y))}) == 2
    hard = Problem.of(X, y, soft_labels=y, C0=0.03)
    assert solve(hard).objective == solve(Problem.of(X, y, C0=0.03)).objective
